"""A k-d tree; SciPy's, with CuPy's results: infinities and the number of points where there is no neighbour."""

from __future__ import annotations

import math
import warnings
from typing import Any

import cupy
import numpy as np
import scipy.spatial as _scipy
from cupyx._bridge import convert
from cupyx._bridge.convert import call

from .distance import distance_matrix


class KDTree:
    """A tree of points for neighbour queries.

    Parameters
    ----------
    data : cupy.ndarray
        Points by coordinates.
    leafsize, compact_nodes, balanced_tree
        Accepted; CuPy's tree is always balanced.
    copy_data : bool
        Whether to keep a copy.
    boxsize : float or cupy.ndarray, optional
        Lengths of a periodic box; the points must be float64 and inside.
    """

    def __init__(
        self, data: Any, leafsize: int = 10, compact_nodes: bool = True, copy_data: bool = False,
        balanced_tree: bool = True, boxsize: Any = None,
    ) -> None:  # fmt: skip
        self.data = data.copy() if copy_data else data
        if not balanced_tree:
            warnings.warn(
                "balanced_tree=False is not supported by the GPU implementation of KDTree, skipping.", stacklevel=2
            )
        self.n, self.m = data.shape
        self.copy_query_points = boxsize is not None
        box = np.broadcast_to(convert.down(boxsize) if boxsize is not None else np.inf, (self.m,)).astype(float)
        self.boxsize = cupy.asarray(box)
        points = convert.down(data)
        if boxsize is not None:
            periodic = box > 0
            if (points >= box)[:, periodic].any():
                raise ValueError("Some input data are greater than the size of the periodic box.")
            if (points < 0)[:, periodic].any():
                raise ValueError("Negative input data are outside of the periodic box.")
            if data.dtype != np.float64:
                raise ValueError("periodic KDTree is only available on float64")
        self._tree = _scipy.cKDTree(points, boxsize=None if boxsize is None else box)
        self.mins, self.maxes = data.min(axis=0), data.max(axis=0)

    def _points(self, x: Any) -> Any:
        if self.copy_query_points and x.dtype != np.float64:
            raise ValueError("periodic KDTree is only available on float64")
        if x.shape[-1] != self.m:
            raise ValueError(
                "The number of dimensions of the query points must match with the tree ones. "
                f"Expected {self.m}, got: {x.shape[-1]}"
            )
        return x

    def query(
        self, x: Any, k: Any = 1, eps: float = 0.0, p: float = 2.0, distance_upper_bound: float = math.inf
    ) -> tuple[Any, Any]:
        """Distances (float64) and indices (int64) of the ``k`` nearest points."""
        if not isinstance(k, list):
            try:
                k = int(k)
            except TypeError:
                raise ValueError("k must be an integer or list of integers") from None
        squeeze = k == 1 and x.ndim == 1

        def run(x: np.ndarray) -> tuple:
            distances, nodes = self._tree.query(x, k, eps, p, distance_upper_bound)
            distances, nodes = np.asarray(distances, np.float64), np.asarray(nodes, np.int64)
            return (distances.reshape(1), nodes.reshape(1)) if squeeze else (distances, nodes)

        return call("knn", run, (self._points(x),), {})

    def query_ball_point(
        self, x: Any, r: float, p: float = 2.0, eps: float = 0, return_sorted: Any = None, return_length: bool = False
    ) -> Any:
        """Indices of the points within a distance, as a list of arrays; or how many they are."""
        order = True if return_sorted is None else bool(return_sorted)

        def run(x: np.ndarray) -> Any:
            points = np.atleast_2d(x).reshape(-1, x.shape[-1])
            found = self._tree.query_ball_point(points, float(r), p, eps, return_sorted=order)
            if return_length:
                return np.array([len(f) for f in found], np.int64)
            return [np.array(f, np.int64) for f in found]

        return call("query_ball", run, (self._points(x),), {})

    def query_ball_tree(self, other: Any, r: float, p: float = 2.0, eps: float = 0.0) -> Any:
        """For each point of this tree the indices of the other's points within a distance."""
        return other.query_ball_point(self.data, r, p=p, eps=eps, return_sorted=True)

    def query_pairs(self, r: float, p: float = 2.0, eps: float = 0, output_type: str = "ndarray") -> Any:
        """All pairs of points within a distance, as an array of two columns."""
        if output_type == "set":
            warnings.warn(
                "output_type='set' is not supported by the GPU implementation of KDTree, resorting back to 'ndarray'.",
                stacklevel=2,
            )

        def run(points: np.ndarray) -> np.ndarray:
            pairs = self._tree.query_pairs(r, p, eps, output_type="ndarray").astype(np.int64)
            return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]

        return call("query_ball", run, (self.data,), {})

    def count_neighbors(self, other: Any, r: Any, p: float = 2.0, weights: Any = None, cumulative: bool = True) -> Any:
        """Not in CuPy."""
        raise NotImplementedError("count_neighbors is not available on CuPy")

    def sparse_distance_matrix(
        self, other: Any, max_distance: float, p: float = 2.0, output_type: str = "coo_matrix"
    ) -> Any:
        """Distances between two trees' points, zero beyond a maximum; sparse coordinates or dense."""
        if output_type not in {"coo_matrix", "ndarray"}:
            raise ValueError("sparse_distance_matrix only supports 'coo_matrix' and 'ndarray' outputs")
        from cupyx.scipy.sparse import coo_matrix

        distances = distance_matrix(self.data, other.data, p)
        distances[distances > max_distance] = 0
        return coo_matrix(distances) if output_type == "coo_matrix" else distances
