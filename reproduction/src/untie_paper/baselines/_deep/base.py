"""What the neural encoders have in common: the scikit-learn face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from untie import CountedTable
from untie_paper.arrays import Codes, FloatArray
from untie_paper.baselines._base import CountBased
from untie_paper.baselines._deep.features import Features, make_features
from untie_paper.baselines._deep.network import Network
from untie_paper.baselines._deep.settings import TrainingSettings, check_settings
from untie_paper.checks import draws_of

if TYPE_CHECKING:
    from untie_paper.baselines._deep.layers import Noise
    from untie_paper.baselines._deep.training import Trainable


class DeepEncoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CountBased):
    """Base of the encoders that are networks; a subclass writes `_make_model`.

    See `VAE` for the parameters.
    """

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        hidden: tuple[int, ...] = (64, 32),
        max_cross: int = 2000,
        learning_rate: float = 1e-3,
        batch_size: int = 64,
        max_epochs: int = 200,
        l2: float = 1e-5,
        patience: int | None = 50,
        tol: float = 1e-3,
        device: str = "auto",
        verbose: int = 0,
        callback: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.hidden = hidden
        self.max_cross = max_cross
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.l2 = l2
        self.patience = patience
        self.tol = tol
        self.device = device
        self.verbose = verbose
        self.callback = callback
        self.random_state = random_state

    def _make_model(
        self, features: Features, settings: TrainingSettings, noise: Noise
    ) -> Trainable:
        raise NotImplementedError  # the one thing that a method writes

    def _learn_table(self, counted: CountedTable, X: Any, sample_weight: Any) -> None:
        settings = check_settings(self, len(counted.counts.sizes))
        self._check_more()
        _require_torch(type(self).__name__)
        from untie_paper.baselines._deep import layers, training

        features = make_features(counted.counts, settings.max_cross)
        codes, weights = distinct_rows(counted.codes(X), sample_weight)
        device = training.choose_device(settings.device, settings.batch_size)
        seeds = draws_of(self.random_state).randint(2**31, size=2, dtype=np.int64)
        with training.one_thread():
            model = self._make_model(features, settings, layers.Noise(int(seeds[0]), device))
            rows = training.OneHotRows(features, codes, device)
            curves = training.train(model, rows, weights, settings, int(seeds[1]))
        self._network: Network = model.export()
        self.loss_curve_ = curves.pop("loss")
        self.curves_ = curves
        self.n_iter_ = len(self.loss_curve_)
        self.n_components_ = settings.n_components
        self.device_ = str(device)

    def _check_more(self) -> None:
        """Validate the parameters that only this method has."""

    def transform(self, X: Any) -> FloatArray:
        """Return the vectors of rows, each row independently; needs no PyTorch.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows, n_output_columns)
        """
        return self._vectors(self.codes(X))

    def _vectors(self, codes: Codes) -> FloatArray:
        return self._network.outputs(codes)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


def distinct_rows(codes: Codes, sample_weight: Any) -> tuple[Codes, FloatArray]:
    """Return the distinct rows of positive weight, and the weight of each.

    So that neither the order of the rows matters, nor a row twice or with twice the weight.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per column.
    sample_weight : array of shape (n_rows,) or None
        How often each row counts.
    """
    rows = np.stack([column.astype(np.intp) for column in codes], axis=1)
    weights = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, float)
    distinct, places = np.unique(rows[weights > 0], axis=0, return_inverse=True)
    totals = np.bincount(places.ravel(), weights[weights > 0]).astype(float)
    return list(distinct.T), totals


def _require_torch(name: str) -> None:
    try:
        import torch  # noqa: F401 - only to see whether it is there
    except ImportError as error:
        raise ImportError(
            f"{name} learns with PyTorch, which is not installed: pip install 'untie-paper[deep]'."
        ) from error
