"""The solvers behind the linear models."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.importing.errors import NotSimulatedError

from ..internals._arrays import check_y
from ..internals._estimator import Estimator
from ..internals.outputs import method
from ..linear_model._classes import _descent, _Linear


class CD(_Linear):
    """Coordinate descent."""

    _cpu = "sklearn.linear_model.ElasticNet"
    _fitted = ("coef_", "intercept_", "n_iter_")

    def __init__(
        self, *, loss="squared_loss", alpha=0.0001, l1_ratio=0.15, fit_intercept=True, max_iter=1000, tol=1e-3,
        shuffle=True, output_type=None, verbose=False,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.loss != "squared_loss":
            raise ValueError(f"loss {self.loss!r} is not supported")
        return super()._params_to_cpu() | {"tol": 0.1 * self.tol}


class SGD(_Linear):
    """Gradient descent over batches; the loss "squared_loss" only (MBSGDClassifier has the others)."""

    _cpu = "sklearn.linear_model.SGDRegressor"

    def __init__(
        self, *, loss="squared_loss", penalty=None, alpha=0.0001, l1_ratio=0.15, fit_intercept=True, epochs=1000, tol=1e-3,
        shuffle=True, learning_rate="constant", eta0=0.001, power_t=0.5, batch_size=32, n_iter_no_change=5,
        output_type=None, verbose=False,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.loss in ("log", "hinge"):
            raise NotSimulatedError(f"cuml.solvers.SGD(loss={self.loss!r})", "cuml.linear_model.MBSGDClassifier")
        return _descent(self)

    def _check_target(self, y: Any, X: Any) -> Any:
        return check_y(y, dtype=X.dtype)

    def _attribute(self, name: str, value: Any) -> Any:
        return float(np.ravel(value)[0]) if name == "intercept_" else super()._attribute(name, value)


class QN(Estimator):
    """Quasi-Newton; the losses "l2", "sigmoid" and "softmax" with an l2 penalty."""

    _sparse = True
    _fitted = ("coef_", "intercept_")

    def __init__(
        self, *, loss="sigmoid", fit_intercept=True, l1_strength=0.0, l2_strength=0.0, max_iter=1000, tol=1e-4, delta=None,
        linesearch_max_iter=50, lbfgs_memory=5, verbose=False, output_type=None, warm_start=False,
        penalty_normalized=True,
    ):  # fmt: skip
        self._set(locals())

    def _make(self) -> Any:
        import sklearn.linear_model as linear

        if self.l1_strength or self.warm_start or self.loss not in ("sigmoid", "softmax", "l2"):
            raise NotSimulatedError(
                f"cuml.solvers.QN(loss={self.loss!r}, l1_strength={self.l1_strength}, warm_start={self.warm_start})",
                "cuml.linear_model.LogisticRegression",
            )
        if self.loss == "l2":
            return linear.Ridge(alpha=self.l2_strength, fit_intercept=self.fit_intercept)
        strength = np.inf if not self.l2_strength else 1.0 / self.l2_strength
        return linear.LogisticRegression(
            C=strength, fit_intercept=self.fit_intercept, max_iter=self.max_iter, tol=self.tol
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> QN:
        """Fit to (n, features) samples and their n targets."""
        self._fit(X, y, sample_weight)
        return self

    @method(keep_index=True)
    def predict(self, X: Any) -> Any:
        """The targets of samples."""
        return self._apply("predict", X)

    def score(self, X: Any, y: Any) -> float:
        """How well it predicts."""
        return float(self._model.score(self._check_X(X), check_y(y)))
