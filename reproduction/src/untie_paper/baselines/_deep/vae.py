"""VAE: a variational autoencoder over wide-and-deep networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from untie_paper.baselines._deep.base import DeepEncoder
from untie_paper.baselines._deep.features import Features
from untie_paper.baselines._deep.settings import TrainingSettings

if TYPE_CHECKING:
    from untie_paper.baselines._deep.layers import Noise
    from untie_paper.baselines._deep.vae_model import VAEModel


class VAE(DeepEncoder):
    """A variational autoencoder; a row's vector is the mean of its code.

    The encoder adds up a linear (wide) part, on the row's values and all pairs of its values, and
    a deep part, ReLU layers on an embedding of each column. The decoder does so with the
    code, and ends in a softmax for each column. Adam minimises the sum of the columns'
    cross-entropies plus the divergence of the code from a standard normal.

    `fit` needs PyTorch, of the extra ``deep``; a fitted encoder does not.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Dimensions of the vectors, from 2 to 50 or so; "auto" is the number of columns, but at
        least 2 and at most 16.
    hidden : tuple of int, default=(64, 32)
        Widths of the encoder's layers; the decoder has them reversed. Wider layers, up to some
        hundreds, take more time per step and need more rows.
    max_cross : int, default=2000
        At most this many pairs of values in the wide part, the most frequent ones; 0 is none. The
        time per step grows with it.
    learning_rate : float, default=1e-3
        Step size of Adam, from 1e-4 to 1e-2; too large a one diverges, which is an error.
    batch_size : int, default=64
        Rows per step of Adam, from 32 to 1024. Larger batches make an epoch faster, in fewer steps.
    max_epochs : int, default=200
        At most this many passes over the rows; the time grows with it.
    l2 : float, default=1e-5
        Shrinkage of the wide parts' weights, from 0 to 1e-3.
    patience : int or None, default=50
        Learning stops when the mean loss of the last `patience` epochs is not lower than that of
        as many before; None: never. It is the loss on the rows learned from: none are held out, as
        these are the rows whose vectors are wanted, and small tables can't spare any.
    tol : float, default=1e-3
        By how much it must be lower, in nats.
    device : {"auto", "cpu", "cuda"} or "cuda:1", ..., default="auto"
        Where to learn; by default on a GPU if there is one and batches have at least 256 rows,
        as it gains nothing on small ones. A seed gives the same result on a CPU whatever its
        number of cores; a GPU rounds otherwise.
    verbose : int, default=0
        Print a line on stderr every `verbose` epochs; 0 prints none.
    callback : function, default=None
        Called with a `Progress` after each epoch; learning stops if it returns True.
    random_state : int, RandomState or None, default=0
        Seed of the starting weights, the order of the rows and the noise; None is 0.

    Attributes
    ----------
    loss_curve_ : list of float
        The loss in nats, mean of each epoch.
    curves_ : dict of str to list of float
        Its two parts, "reconstruction" and "divergence".
    n_iter_ : int
        Epochs run.
    n_components_ : int
        Dimensions of the codes.
    device_ : str
        Where it was learned.
    vocabulary_ : Vocabulary
        The values of each column.
    counts_ : Counts
        How often they occur together.

    References
    ----------
    D. P. Kingma and M. Welling, Auto-encoding variational Bayes, ICLR 2014.

    H.-T. Cheng and others, Wide & deep learning for recommender systems, DLRS 2016.

    Examples
    --------
    >>> from untie_paper.baselines import VAE
    >>> table = [["red", "wine"], ["red", "wine"], ["white", "wine"], ["brown", "beer"]]
    >>> encoder = VAE(max_epochs=20, random_state=0)
    >>> encoder.fit_transform(table).shape
    (4, 2)
    >>> encoder.get_feature_names_out()
    array(['vae0', 'vae1'], dtype=object)
    """

    def _make_model(self, features: Features, settings: TrainingSettings, noise: Noise) -> VAEModel:
        from untie_paper.baselines._deep.vae_model import VAEModel

        return VAEModel(features, settings, noise)
