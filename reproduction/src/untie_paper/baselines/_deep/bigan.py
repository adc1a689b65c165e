"""BiGAN: an adversarially learned encoder over wide-and-deep networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from untie_paper.arrays import Codes, FloatArray
from untie_paper.baselines._deep.base import DeepEncoder
from untie_paper.baselines._deep.features import Features
from untie_paper.baselines._deep.settings import TrainingSettings
from untie_paper.checks import check_number, check_one_of

if TYPE_CHECKING:
    from untie_paper.baselines._deep.bigan_model import BiGANModel
    from untie_paper.baselines._deep.layers import Noise


class BiGAN(DeepEncoder):
    """A bidirectional generative adversarial network; a row's vector is its code.

    A discriminator learns to tell pairs (row, its code by the encoder) from pairs (row made by
    the generator, the code it was made from); encoder and generator learn to deceive it. When
    they succeed, each is the other's inverse. All three are wide-and-deep networks as in
    `VAE`. Codes lie between -1 and 1.

    `fit` needs PyTorch, of the extra ``deep``; a fitted encoder does not.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Dimensions of the codes, from 2 to 50 or so; "auto" is the number of columns, but at least
        2 and at most 16.
    layer : {"output", "hidden"}, default="output"
        What a row's vector is: its code, or the last hidden layer of the encoder, which is longer.
    temperature : float, default=0.67
        How soft the generator's choices among values are for its gradients, from 0.1 to 1: low
        ones are nearer to true choices, their gradients noisier.
    hidden : tuple of int, default=(64, 32)
        Widths of the encoder's and the discriminator's layers; the generator has them reversed.
    learning_rate : float, default=2e-4
        Step size of Adam, whose first decay rate is 0.5; from 1e-5 to 1e-3.
    max_epochs : int, default=300
        At most this many passes over the rows; the time grows with it.
    l2 : float, default=2.5e-5
        Shrinkage of all weights, from 0 to 1e-3.
    patience : int or None, default=None
        Learning stops when both sides' losses have come to rest: the mean of the last `patience`
        epochs is that of as many before. None: never, as adversaries may rest and move again.
    tol : float, default=1e-2
        What counts as a move, in nats.
    max_cross, batch_size, device, verbose, callback, random_state
        As in `VAE`.

    Attributes
    ----------
    loss_curve_ : list of float
        The sum of both sides' losses in nats, mean of each epoch. Do not expect it to fall: what
        one side gains the other loses.
    curves_ : dict of str to list of float
        The losses of the "discriminator" and of "encoder_generator"; both are 2 ln 2 = 1.386
        when the discriminator can only guess.
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
    J. Donahue, P. Krähenbühl and T. Darrell, Adversarial feature learning, ICLR 2017.

    Examples
    --------
    >>> from untie_paper.baselines import BiGAN
    >>> table = [["red", "wine"], ["red", "wine"], ["white", "wine"], ["brown", "beer"]]
    >>> BiGAN(max_epochs=20, random_state=0).fit_transform(table).shape
    (4, 2)
    """

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        layer: str = "output",
        temperature: float = 0.67,
        hidden: tuple[int, ...] = (64, 32),
        max_cross: int = 2000,
        learning_rate: float = 2e-4,
        batch_size: int = 64,
        max_epochs: int = 300,
        l2: float = 2.5e-5,
        patience: int | None = None,
        tol: float = 1e-2,
        device: str = "auto",
        verbose: int = 0,
        callback: Any = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            n_components,
            hidden=hidden,
            max_cross=max_cross,
            learning_rate=learning_rate,
            batch_size=batch_size,
            max_epochs=max_epochs,
            l2=l2,
            patience=patience,
            tol=tol,
            device=device,
            verbose=verbose,
            callback=callback,
            random_state=random_state,
        )
        self.layer = layer
        self.temperature = temperature

    def _make_model(
        self, features: Features, settings: TrainingSettings, noise: Noise
    ) -> BiGANModel:
        from untie_paper.baselines._deep.bigan_model import BiGANModel

        return BiGANModel(features, settings, noise, float(self.temperature))

    def _check_more(self) -> None:
        check_one_of("layer", self.layer, ("output", "hidden"))
        check_number("temperature", self.temperature)

    def _vectors(self, codes: Codes) -> FloatArray:
        is_hidden = self.layer == "hidden"
        return self._network.hidden(codes) if is_hidden else super()._vectors(codes)

    @property
    def _n_features_out(self) -> int:
        return len(self._network.deep) if self.layer == "hidden" else self.n_components_
