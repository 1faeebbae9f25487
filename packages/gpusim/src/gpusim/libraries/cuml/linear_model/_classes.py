"""Linear models."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ..internals._arrays import check_y, raw
from ..internals._estimator import Classifier, Estimator, ProbabilisticClassifier, Regressor
from ..internals.outputs import method

_COEF = ("coef_", "intercept_")


class _Linear(Regressor):
    _fitted = _COEF

    def _check_target(self, y: Any, X: Any) -> Any:
        # A target of one column is two-dimensional in both libraries; of one sample each, it is a vector.
        return check_y(y, dtype=X.dtype, multi=True)

    def _attribute(self, name: str, value: Any) -> Any:
        if name == "intercept_" and np.ndim(value) == 0:
            return float(value)
        if name == "n_iter_":
            return None if value is None else int(np.max(value))
        return self._cast(np.asarray(value))


class LinearRegression(_Linear):
    """Least squares."""

    _cpu = "sklearn.linear_model.LinearRegression"
    _sparse = True

    def __init__(self, *, algorithm="auto", fit_intercept=True, copy_X=True, verbose=False, output_type=None):
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.algorithm not in ("auto", "eig", "svd", "qr", "svd-qr", "svd-jacobi", "lsmr"):
            raise ValueError(f"algorithm={self.algorithm!r} is not supported")
        return {"fit_intercept": self.fit_intercept, "copy_X": True}


class Ridge(_Linear):
    """Least squares with small coefficients."""

    _cpu = "sklearn.linear_model.Ridge"
    _sparse = True
    _fitted = (*_COEF, "n_iter_")

    def __init__(
        self, alpha=1.0, *, fit_intercept=True, solver="auto", tol=1e-4, max_iter=None, copy_X=True, output_type=None,
        verbose=False,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        alpha = raw(self.alpha) if not np.isscalar(self.alpha) else self.alpha
        if np.any(np.asarray(alpha) < 0):
            raise ValueError(f"alpha must be non-negative, got {self.alpha}")
        solvers = {"auto": "auto", "eig": "cholesky", "svd": "svd", "lsmr": "lsqr"}
        if self.solver not in solvers:
            raise ValueError(f"Expected `solver` to be one of ['auto', 'eig', 'lsmr', 'svd'], got {self.solver!r}")
        return super()._params_to_cpu() | {"alpha": alpha, "solver": solvers[self.solver], "copy_X": True}


class ElasticNet(_Linear):
    """Least squares with few and small coefficients."""

    _cpu = "sklearn.linear_model.ElasticNet"
    _sparse = True
    _fitted = (*_COEF, "n_iter_", "sparse_coef_")

    def __init__(
        self, alpha=1.0, *, l1_ratio=0.5, fit_intercept=True, max_iter=1000, tol=1e-3, solver="auto",
        selection="cyclic", output_type=None, verbose=False,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        ratio = getattr(self, "l1_ratio", 1.0)
        if self.alpha < 0.0:
            raise ValueError(f"Expected alpha >= 0, got {self.alpha}")
        if self.selection not in ("cyclic", "random"):
            raise ValueError(f"selection {self.selection!r} is not supported")
        if not 0.0 <= ratio <= 1.0:
            raise ValueError(f"Expected 0.0 <= l1_ratio <= 1.0, got {ratio}")
        if self.solver not in ("auto", "cd", "qn"):
            raise ValueError(f"solver={self.solver!r} is not supported")
        return super()._params_to_cpu() | {"l1_ratio": ratio, "tol": 0.1 * self.tol}

    def _attribute(self, name: str, value: Any) -> Any:
        return value.astype(self._dtype) if name == "sparse_coef_" else super()._attribute(name, value)


class Lasso(ElasticNet):
    """Least squares with few coefficients."""

    def __init__(
        self, alpha=1.0, *, fit_intercept=True, max_iter=1000, tol=1e-3, solver="auto", selection="cyclic",
        output_type=None, verbose=False,
    ):  # fmt: skip
        self._set(locals())


class Lars(_Linear):
    """Least angle regression."""

    _cpu = "sklearn.linear_model.Lars"
    _fitted = (*_COEF, "alphas_", "active_", "coef_path_")

    def __init__(
        self, *, fit_intercept=True, copy_X=True, fit_path=True, n_nonzero_coefs=500, eps=None, precompute="auto",
        verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def fit(self, X: Any, y: Any) -> Lars:
        """Fit to (n, features) samples and their n numbers."""
        self._fit(X, y)
        return self

    def _params_to_cpu(self) -> dict[str, Any]:
        told = super()._params_to_cpu()
        if self.eps is None:
            told.pop("eps")
        return told

    def _attribute(self, name: str, value: Any) -> Any:
        return self._cast(np.asarray(value)) if name != "intercept_" else super()._attribute(name, value)


class _LinearClassifier(Classifier):
    _fitted = (*_COEF, "n_iter_")

    @method(keep_index=True)
    def decision_function(self, X: Any) -> Any:
        """The signed distance to each boundary."""
        return self._apply("decision_function", X)

    def _attribute(self, name: str, value: Any) -> Any:
        return int(np.max(value)) if name == "n_iter_" else self._cast(np.asarray(value))


class LogisticRegression(_LinearClassifier, ProbabilisticClassifier):
    """Logistic regression, of two classes or more."""

    _cpu = "sklearn.linear_model.LogisticRegression"
    _sparse = True

    def __init__(
        self, *, penalty="l2", tol=1e-4, C=1.0, fit_intercept=True, class_weight=None, max_iter=1000,
        linesearch_max_iter=50, l1_ratio=None, solver="qn", lbfgs_memory=5, penalty_normalized=True, verbose=False,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.solver != "qn":
            raise ValueError(f"Only solver='qn' is supported, got {self.solver!r}")
        if self.penalty not in (None, "l1", "l2", "elasticnet"):
            raise ValueError(f"penalty={self.penalty!r} is not supported")
        if self.penalty == "elasticnet":
            if self.l1_ratio is None:
                raise ValueError("l1_ratio must be specified when penalty is elasticnet")
            if not 0.0 <= self.l1_ratio <= 1.0:
                raise ValueError(f"Expected 0 <= l1_ratio <= 1, got {self.l1_ratio}")
        told = {
            "C": np.inf if self.penalty is None else self.C, "tol": self.tol, "fit_intercept": self.fit_intercept,
            "class_weight": self.class_weight, "max_iter": self.max_iter, "solver": "lbfgs", "l1_ratio": 0.0,
        }  # fmt: skip
        if self.penalty in ("l1", "elasticnet"):
            ratio = 1.0 if self.penalty == "l1" else self.l1_ratio
            told |= {"solver": "saga", "l1_ratio": ratio, "random_state": 0, "max_iter": max(self.max_iter, 5000)}
        return told

    def _train(self, model: Any, *arguments: Any, **options: Any) -> None:
        # L-BFGS works on vectors too short for several threads, which wait for each other: ten times longer on a busy machine.
        with threadpool_limits(1, user_api="blas"):
            super()._train(model, *arguments, **options)


class MBSGDClassifier(_LinearClassifier):
    """A linear classifier by gradient descent."""

    _cpu = "sklearn.linear_model.SGDClassifier"
    _fitted = _COEF

    def __init__(
        self, *, loss="hinge", penalty="l2", alpha=0.0001, l1_ratio=0.15, fit_intercept=True, epochs=1000, tol=1e-3,
        shuffle=True, learning_rate="constant", eta0=0.001, power_t=0.5, batch_size=32, n_iter_no_change=5,
        verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def fit(self, X: Any, y: Any) -> Any:
        """Fit to (n, features) samples and their n classes."""
        self._fit(X, y)
        return self

    def _params_to_cpu(self) -> dict[str, Any]:
        return _descent(self)


class MBSGDRegressor(_Linear):
    """A linear model by gradient descent."""

    _cpu = "sklearn.linear_model.SGDRegressor"

    def __init__(
        self, *, loss="squared_loss", penalty="l2", alpha=0.0001, l1_ratio=0.15, fit_intercept=True, epochs=1000,
        tol=1e-3, shuffle=True, learning_rate="constant", eta0=0.001, power_t=0.5, batch_size=32, n_iter_no_change=5,
        verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def fit(self, X: Any, y: Any) -> Any:
        """Fit to (n, features) samples and their n numbers."""
        self._fit(X, y)
        return self

    def _check_target(self, y: Any, X: Any) -> Any:
        return check_y(y, dtype=X.dtype)

    def _attribute(self, name: str, value: Any) -> Any:
        return float(value[0]) if name == "intercept_" else super()._attribute(name, value)

    def _params_to_cpu(self) -> dict[str, Any]:
        return _descent(self)


_LOSSES = {"hinge": "hinge", "log": "log_loss", "squared_loss": "squared_error"}


def _descent(estimator: Any) -> dict[str, Any]:
    if estimator.loss not in _LOSSES:
        raise ValueError(f"loss {estimator.loss!r} is not supported")
    if estimator.learning_rate not in ("constant", "optimal", "invscaling", "adaptive"):
        raise ValueError(f"learning_rate {estimator.learning_rate!r} is not supported")
    if estimator.penalty not in (None, "none", "l1", "l2", "elasticnet"):
        raise ValueError(f"penalty {estimator.penalty!r} is not supported")
    penalty = None if estimator.penalty == "none" else estimator.penalty
    differing = {"loss": _LOSSES[estimator.loss], "penalty": penalty, "max_iter": estimator.epochs, "random_state": 0}
    return Estimator._params_to_cpu(estimator) | differing
