"""Fewer dimensions, by chance."""

from __future__ import annotations

from typing import Any

from ..internals._estimator import Transformer


class _Projection(Transformer):
    _sparse = True
    _fitted: tuple[str, ...] = ("n_components_", "components_")

    def _attribute(self, name: str, value: Any) -> Any:
        return value if name != "components_" else value.astype(self._dtype)


class GaussianRandomProjection(_Projection):
    """By a dense random matrix."""

    _cpu = "sklearn.random_projection.GaussianRandomProjection"

    def __init__(self, n_components="auto", *, eps=0.1, random_state=None, output_type=None, verbose=False):
        self._set(locals())


class SparseRandomProjection(_Projection):
    """By a sparse random matrix."""

    _cpu = "sklearn.random_projection.SparseRandomProjection"
    _fitted = (*_Projection._fitted, "density_")

    def __init__(
        self, n_components="auto", *, density="auto", eps=0.1, dense_output=False, random_state=None, output_type=None,
        verbose=False,
    ):  # fmt: skip
        self._set(locals())


def johnson_lindenstrauss_min_dim(n_samples: Any, eps: Any = 0.1) -> Any:
    """As many dimensions keep all distances within a share of ``eps``."""
    from sklearn.random_projection import johnson_lindenstrauss_min_dim as least

    return least(n_samples, eps=eps)
