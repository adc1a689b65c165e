"""VAE: a variational autoencoder over wide-and-deep networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from untie.baselines._deep.base import DeepEncoder
from untie.baselines._deep.features import Features
from untie.baselines._deep.settings import Settings

if TYPE_CHECKING:
    from untie.baselines._deep.layers import Noise
    from untie.baselines._deep.vae_model import VAEModel


class VAE(DeepEncoder):
    """A variational autoencoder; a row's vector is the mean of its code.

    The encoder adds up a linear (wide) part, on the row's values and all pairs of its values, and
    a deep part, ReLU layers on an embedding of each attribute. The decoder does so with the
    code, and ends in a softmax for each attribute. Learned is the sum of the attributes'
    cross-entropies plus the divergence of the code from a standard normal, with Adam.

    `fit` needs PyTorch (``pip install 'untie[deep]'``); a fitted encoder does not.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Dimensions of the vectors; by default the number of columns, but at least 2 and at
        most 16.
    hidden : tuple of int, default=(64, 32)
        Widths of the encoder's layers; the decoder has them reversed.
    max_cross : int, default=2000
        Largest number of pairs of values in the wide part; if there are more, the most
        frequent are kept.
    learning_rate : float, default=1e-3
        Adam's.
    batch_size : int, default=64
        Rows in a step of Adam.
    max_epochs : int, default=200
        Largest number of passes over the rows.
    l2 : float, default=1e-5
        Shrinkage of the wide parts' weights.
    patience : int or None, default=50
        Learning stops when the mean loss of so many epochs is not lower than that of as many
        before; None: never. It is the loss on the rows learned from: none are held out, as
        these are the rows whose vectors are wanted, and small tables can't spare any.
    tol : float, default=1e-3
        What counts as lower, in nats.
    device : {"auto", "cpu", "cuda"} or "cuda:1", ..., default="auto"
        Where to learn; by default on a GPU if there is one and batches have at least 256 rows,
        as it gains nothing on small ones. A seed gives the same result on a CPU whatever its
        number of cores; a GPU rounds otherwise.
    verbose : int, default=0
        A line on stderr every so many epochs.
    callback : function, default=None
        Called with a `Progress` after each epoch; learning stops if it returns True.
    random_state : int, RandomState or None, default=None
        Seed of the starting weights, the order of the rows and the noise.
    categories : "auto" or list of lists, default="auto"
        The values of each column, if they are known beforehand.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What to do about a value not seen in `fit`; an ignored one enters the network as the
        mixture of its column's values.
    min_frequency : int or float, default=None
        Values with less weight (int) or a lower share of it (float) are taken together.
    max_categories : int, default=None
        Largest number of values of a column; the rarest are taken together.

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
        The values of each attribute.
    counts_ : Counts
        How often they occur together.

    Examples
    --------
    >>> from untie.baselines import VAE
    >>> table = [["red", "wine"], ["red", "wine"], ["white", "wine"], ["brown", "beer"]]
    >>> encoder = VAE(max_epochs=20, random_state=0)
    >>> encoder.fit_transform(table).shape
    (4, 2)
    >>> encoder.get_feature_names_out()
    array(['vae0', 'vae1'], dtype=object)
    """

    def _make_model(self, features: Features, settings: Settings, noise: Noise) -> VAEModel:
        from untie.baselines._deep.vae_model import VAEModel

        return VAEModel(features, settings, noise)
