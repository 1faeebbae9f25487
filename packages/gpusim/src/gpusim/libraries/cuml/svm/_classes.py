"""Support vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..internals._estimator import Classifier, Regressor
from ..internals.outputs import method
from ..linear_model._classes import _Linear, _LinearClassifier

_FITTED = ("support_", "support_vectors_", "dual_coef_", "intercept_", "n_support_", "coef_", "n_iter_", "shape_fit_")


class _Machine:
    _sparse = True
    _fitted = _FITTED

    def _params_to_cpu(self) -> dict[str, Any]:
        told = super()._params_to_cpu()
        if self.kernel not in ("linear", "poly", "rbf", "sigmoid", "precomputed") and not callable(self.kernel):
            raise ValueError(f"kernel={self.kernel!r} is not supported")
        return told

    def _attribute(self, name: str, value: Any) -> Any:
        if name == "n_support_":
            return int(np.sum(value))
        if name == "n_iter_":
            return int(np.max(value))
        return value if isinstance(value, tuple) else self._cast(value)


class SVC(_Machine, Classifier):
    """A classifier with a kernel."""

    _cpu = "sklearn.svm.SVC"

    def __init__(
        self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, cache_size=1024.0, max_iter=-1,
        nochange_steps=1000, verbose=False, output_type=None, random_state=None, class_weight=None,
        decision_function_shape="ovo",
    ):  # fmt: skip
        self._set(locals())

    @method(keep_index=True)
    def decision_function(self, X: Any) -> Any:
        """The signed distance to each boundary."""
        return self._apply("decision_function", X)


class SVR(_Machine, Regressor):
    """A regression with a kernel."""

    _cpu = "sklearn.svm.SVR"

    def __init__(
        self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, epsilon=0.1, cache_size=1024.0,
        max_iter=-1, nochange_steps=1000, verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())


class LinearSVC(_LinearClassifier):
    """A linear classifier with a margin; scikit-learn's penalizes the intercept, whatever is asked for."""

    _cpu = "sklearn.svm.LinearSVC"

    def __init__(
        self, *, penalty="l2", loss="squared_hinge", C=1.0, fit_intercept=True, penalized_intercept=False,
        class_weight=None, tol=1e-4, max_iter=1000, linesearch_max_iter=100, lbfgs_memory=5, n_streams=1,
        multi_class="ovr", verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        told = super()._params_to_cpu() | {"dual": self.loss == "hinge", "random_state": 0}
        # An intercept that is not penalized is one whose constant column is large.
        return told if self.penalized_intercept else told | {"intercept_scaling": 100.0, "max_iter": 20 * self.max_iter}


class LinearSVR(_Linear):
    """A linear regression with a margin."""

    _cpu = "sklearn.svm.LinearSVR"
    _fitted = ("coef_", "intercept_", "n_iter_")

    def __init__(
        self, *, epsilon=0.0, penalty="l1", loss="epsilon_insensitive", C=1.0, fit_intercept=True,
        penalized_intercept=False, tol=1e-4, max_iter=1000, linesearch_max_iter=100, lbfgs_memory=5, verbose=False,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        told = super()._params_to_cpu() | {"dual": self.loss == "epsilon_insensitive", "random_state": 0}
        return told if self.penalized_intercept else told | {"intercept_scaling": 100.0, "max_iter": 20 * self.max_iter}

    def _check_target(self, y: Any, X: Any) -> Any:
        return Regressor._check_target(self, y, X).ravel()

    def _attribute(self, name: str, value: Any) -> Any:
        return float(np.ravel(value)[0]) if name == "intercept_" else super()._attribute(name, value)
