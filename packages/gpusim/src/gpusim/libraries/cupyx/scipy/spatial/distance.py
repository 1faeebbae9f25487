"""Distances between vectors, as the real module computes them with cuVS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
import scipy.spatial.distance as _scipy
from cupy._core import launch
from cupyx._bridge import takes
from cupyx._bridge.convert import call

_MODULE = "cupyx.scipy.spatial.distance"
cuvs_available = True
pylibraft_available = False
_ALIASES = {
    "canberra": "canberra", "chebyshev": "chebychev chebyshev cheby cheb ch", "cityblock": "cityblock cblock cb c",
    "correlation": "correlation co", "cosine": "cosine cos", "hamming": "matching hamming hamm ha h",
    "euclidean": "euclidean euclid eu e", "jensenshannon": "jensenshannon js", "minkowski": "minkowski mi m pnorm",
    "russellrao": "russellrao", "sqeuclidean": "sqeuclidean sqe sqeuclid", "hellinger": "hellinger",
    "kl_divergence": "kl_divergence kl_div kld",
}  # fmt: skip
_METRICS = {alias: name for name, aliases in _ALIASES.items() for alias in aliases.split()}


def check_soft_dependencies() -> None:
    """Accepts always; the real one asks for cuVS."""


def _pairs(metric: str, p: float) -> Callable:
    def hellinger(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(1 - np.sqrt(a) @ np.sqrt(b).T, 0))

    def kullback(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = a[:, None, :], b[None, :, :]
        inside = (a > 0) & (b > 0)
        return 0.5 * np.where(inside, a * np.log(np.where(inside, a / np.where(b > 0, b, 1), 1)), 0).sum(-1)

    own = {"hellinger": hellinger, "kl_divergence": kullback}
    if metric in own:
        return own[metric]
    if metric == "russellrao":
        return lambda a, b: _scipy.cdist(a != 0, b != 0, metric)
    more = {"p": p} if metric == "minkowski" else {}
    return lambda a, b: _scipy.cdist(a, b, metric, **more)


def _layout(u: Any, v: Any, names: tuple[str, str]) -> None:
    first, second = ("F" if a.flags.fnc else "C" for a in (u, v))
    if first != second:
        a, b = names
        raise ValueError(f"{a} and {b} must have the same layout ({a}.order={first}, {b}.order={second}")


@takes(_MODULE)
def cdist(XA: Any, XB: Any, metric: Any, out: Any, **kwargs: Any) -> Any:
    """Distances between the rows of two matrices; in single precision unless they are in double."""
    for a in (XA, XB):
        if not isinstance(a, launch.array_class):
            raise TypeError(f"Unsupported type {type(a)}")
    XA, XB = (a if a.dtype.char in "fd" else a.astype(np.float32) for a in (XA, XB))
    _layout(XA, XB, ("XA", "XB"))
    for name, a in (("XA", XA), ("XB", XB)):
        if a.ndim != 2:
            raise ValueError(f"{name} must be a 2-dimensional array.")
    if XA.shape[1] != XB.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    if not isinstance(metric, str):
        raise TypeError("2nd argument metric must be a string identifier")
    known = _METRICS.get(metric.lower())
    if known is None:
        raise ValueError(f"Unknown Distance Metric: {metric.lower()}")
    pairs = _pairs(known, kwargs.get("p", 2.0))

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(pairs(a, b), dtype=XA.dtype, order="F" if XA.flags.fnc else "C")

    made = call("pairwise_distance", run, (XA, XB), {})
    if out is None:
        return made
    out[...] = made
    return out


@takes(_MODULE)
def pdist(X: Any, metric: Any, *, out: Any, **kwargs: Any) -> Any:
    """Distances between each two rows of a matrix, condensed."""
    every = cdist(X, X, metric=metric, out=out, **kwargs)
    return every[cupy.triu_indices_from(every, 1)]


@takes(_MODULE)
def distance_matrix(x: Any, y: Any, p: float) -> Any:
    """Minkowski's distances between the rows of two matrices."""
    x, y = cupy.asarray(x), cupy.asarray(y)
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"x contains {x.shape[1]}-dimensional vectors but y contains {y.shape[1]}-dimensional vectors")
    return cdist(x, y, metric="minkowski", p=p)


def _vectors(metric: str) -> Callable:
    def distance(u: Any, v: Any, p: float = 2.0) -> Any:
        _layout(u, v, ("u", "v"))
        return cdist(cupy.atleast_2d(u), cupy.atleast_2d(v), metric=metric, p=p)[0, 0]

    distance.__doc__ = f"The {metric} distance of two vectors, an array without axes."
    return takes(_MODULE, metric)(distance)


_made = {name: _vectors(name) for name in _ALIASES}
globals().update(_made)
