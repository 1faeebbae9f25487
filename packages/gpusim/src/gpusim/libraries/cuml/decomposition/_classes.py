"""Fewer dimensions, by linear maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from ..internals._arrays import check_array, raw
from ..internals._estimator import Transformer
from ..internals.outputs import method


class _Decomposition(Transformer):
    _solvers = ("auto", "full", "jacobi")

    @method(keep_index=True, names="in")
    def inverse_transform(self, X: Any) -> Any:
        """Samples of as many features as before, from their components."""
        host = check_array(X, dtype=(self._model.components_.dtype,))
        expected = self._model.components_.shape[0]
        if host.shape[1] != expected:
            per = " (one per fitted component)"
            raise ValueError(
                f"X has {host.shape[1]} columns, but {type(self).__name__}.inverse_transform expects {expected}{per}."
            )
        return self._cast(self._model.inverse_transform(host))


class PCA(_Decomposition):
    """Principal components, by a full decomposition whatever solver is asked for."""

    _cpu = "sklearn.decomposition.PCA"
    _sparse = True
    _fitted = (
        "components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "n_components_",
        "noise_variance_", "n_samples_",
    )  # fmt: skip

    def __init__(
        self, *, copy=True, iterated_power=15, n_components=None, svd_solver="auto", tol=1e-7, verbose=False,
        whiten=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.svd_solver not in self._solvers:
            raise ValueError(f"Expected `svd_solver` to be one of ['auto', 'full', 'jacobi'], got {self.svd_solver!r}")
        return {"n_components": self.n_components, "whiten": self.whiten, "copy": True, "svd_solver": "full"}

    def fit(self, X: Any, y: Any = None) -> PCA:
        """Fit to (n, features) samples."""
        _check_components(self.n_components, X)
        self._fit(X)
        return self

    def _check_X(self, X: Any, **options: Any) -> Any:
        host = super()._check_X(X, **options)
        return host.toarray() if scipy.sparse.issparse(host) else host

    def _attribute(self, name: str, value: Any) -> Any:
        if name == "noise_variance_":
            return float(value)
        return int(value) if name in ("n_components_", "n_samples_") else self._cast(value)

    @method(keep_index=True, names="in")
    def inverse_transform(self, X: Any, *, return_sparse: bool = False, sparse_tol: float = 1e-10) -> Any:
        """Samples of as many features as before, from their components; sparse where asked for."""
        dense = _Decomposition.inverse_transform.__wrapped__(self, X)
        if return_sparse:
            return scipy.sparse.csr_matrix(np.where(np.abs(dense) < sparse_tol, 0, dense))
        return dense


class IncrementalPCA(PCA):
    """Principal components of batches."""

    _cpu = "sklearn.decomposition.IncrementalPCA"
    _fitted = (*PCA._fitted[:-1], "var_", "n_samples_seen_", "batch_size_")

    def __init__(self, *, n_components=None, whiten=False, copy=True, batch_size=None, verbose=False, output_type=None):
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        return {"n_components": self.n_components, "whiten": self.whiten, "copy": True, "batch_size": self.batch_size}

    def partial_fit(self, X: Any, y: Any = None, *, check_input: bool = True) -> IncrementalPCA:
        """Take in one more batch."""
        return self._partial_fit(X)

    def _attribute(self, name: str, value: Any) -> Any:
        return int(value) if name == "n_samples_seen_" else super()._attribute(name, value)


class TruncatedSVD(_Decomposition):
    """The largest singular values and vectors, of data that is not centred."""

    _cpu = "sklearn.decomposition.TruncatedSVD"
    _fitted = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_")

    def __init__(
        self, *, algorithm="full", n_components=1, n_iter=15, random_state=None, tol=1e-7, verbose=False,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.algorithm not in self._solvers:
            raise ValueError(f"Expected `algorithm` to be one of ['auto', 'full', 'jacobi'], got {self.algorithm!r}")
        return {
            "n_components": self.n_components, "algorithm": "randomized", "n_iter": self.n_iter, "random_state": 0,
            "n_oversamples": 256,  # all of them for up to as many features: exact, as cuML's is
        }  # fmt: skip

    def fit(self, X: Any, y: Any = None) -> TruncatedSVD:
        """Fit to (n, features) samples."""
        _check_components(self.n_components, X)
        self._fit(X)
        return self


def _check_components(wanted: Any, X: Any) -> None:
    shape = raw(X, count=False).shape
    if isinstance(wanted, (int, np.integer)) and len(shape) == 2 and wanted > shape[1]:
        raise ValueError(f"`n_components` ({wanted}) must be <= than the number of features in X ({shape[1]})")
