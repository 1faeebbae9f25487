"""Covariance."""

from __future__ import annotations

from typing import Any

from ..internals._arrays import raw
from ..internals._estimator import Estimator
from ..internals.outputs import method


class EmpiricalCovariance(Estimator):
    """The covariance of samples."""

    _cpu = "sklearn.covariance.EmpiricalCovariance"
    _fitted = ("covariance_", "precision_", "location_")

    def __init__(self, *, store_precision=True, assume_centered=False, verbose=False, output_type=None):
        self._set(locals())

    def fit(self, X: Any, y: Any = None) -> Any:
        """Fit to (n, features) samples."""
        self._fit(X)
        return self

    @method
    def get_precision(self) -> Any:
        """The inverse of the covariance."""
        return self._cast(self._model.get_precision())

    def score(self, X_test: Any, y: Any = None) -> float:
        """The log-likelihood of samples."""
        return float(self._model.score(self._check_X(X_test)))

    def error_norm(self, comp_cov: Any, norm: str = "frobenius", scaling: bool = True, squared: bool = True) -> float:
        """The distance to another covariance."""
        return float(self._model.error_norm(raw(comp_cov), norm, scaling, squared))

    @method(keep_index=True)
    def mahalanobis(self, X: Any) -> Any:
        """The squared distance of each sample to the centre."""
        return self._apply("mahalanobis", X)


class LedoitWolf(EmpiricalCovariance):
    """The covariance of samples, shrunk."""

    _cpu = "sklearn.covariance.LedoitWolf"
    _fitted = (*EmpiricalCovariance._fitted, "shrinkage_")

    def __init__(
        self, *, store_precision=True, assume_centered=False, block_size=1000, verbose=False, output_type=None
    ):
        self._set(locals())
