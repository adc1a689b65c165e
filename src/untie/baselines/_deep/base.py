"""What the neural encoders have in common: the scikit-learn face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from untie._count.packed_rows import distinct_rows
from untie._count.tally import Tally
from untie._util.extras import installing
from untie._util.seeds import draws_of
from untie._util.types import Codes, FloatArray
from untie.baselines._base import CountBased
from untie.baselines._deep.features import Features, make_features
from untie.baselines._deep.network import Network
from untie.baselines._deep.settings import Settings, check_settings

if TYPE_CHECKING:
    from untie.baselines._deep.layers import Noise
    from untie.baselines._deep.training import Model


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
        random_state: Any = None,
        categories: Any = "auto",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        super().__init__(
            categories=categories,
            handle_unknown=handle_unknown,
            min_frequency=min_frequency,
            max_categories=max_categories,
        )
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

    def _make_model(self, features: Features, settings: Settings, noise: Noise) -> Model:
        raise NotImplementedError  # the one thing that a method writes

    def _learn_tally(self, counted: Tally) -> None:
        settings = check_settings(self, len(counted.counts.sizes))
        self._check_more()
        _require_torch(type(self).__name__)
        from untie.baselines._deep import layers, training

        assert counted.rows is not None
        features = make_features(counted.counts, settings.max_cross)
        # So that neither the order of the rows matters, nor a row twice or with twice the weight.
        widths = [size + 1 for size in counted.counts.sizes]
        kinds = distinct_rows(counted.rows.codes, widths, counted.rows.weights)
        device = training.choose_device(settings.device, settings.batch_size)
        seeds = draws_of(self.random_state).randint(2**31, size=2, dtype=np.int64)
        with training.one_thread():
            model = self._make_model(features, settings, layers.Noise(int(seeds[0]), device))
            rows = training.OneHotRows(features, kinds.codes, device)
            curves = training.train(model, rows, kinds.weights, settings, int(seeds[1]))
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
        check_is_fitted(self)
        return self._vectors(self._codes(X))

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> FloatArray:
        """Learn from a table and return its rows' vectors; reads the table once.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        array of shape (n_rows, n_output_columns)
        """
        rows = self._fit_rows(X, sample_weight).rows
        assert rows is not None
        return self._vectors(rows.codes) if rows.complete else self.transform(X)

    def _vectors(self, codes: Codes) -> FloatArray:
        return self._network.outputs(codes)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


def _require_torch(name: str) -> None:
    try:
        import torch  # noqa: F401 - only to see whether it is there
    except ImportError as error:
        raise ImportError(
            f"{name} learns with PyTorch, which is not installed: {installing('deep')}."
        ) from error
