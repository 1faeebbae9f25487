"""Delaunay's triangulation of points in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial as _scipy
from cupyx._bridge.convert import call, down, register, up


class Delaunay:
    """A triangulation of points in two dimensions; ``simplices`` and ``neighbors`` are int32 device arrays."""

    def __init__(self, points: Any, furthest_site: bool = False, incremental: bool = False) -> None:
        if points.shape[-1] != 2:
            raise ValueError("Delaunay only supports 2D inputs at the moment.")
        if furthest_site:
            raise ValueError("furthest_site argument is not supported by CuPy.")
        if incremental:
            raise ValueError("incremental argument is not supported by CuPy.")
        self.points = points
        self._host = _scipy.Delaunay(down(points).astype(np.float64))
        self.simplices, self.neighbors = up(self._host.simplices), up(self._host.neighbors)

    def find_simplex(self, xi: Any, bruteforce: bool = False, tol: Any = None) -> Any:
        """Which triangle each point lies in; -1 outside."""
        if xi.shape[-1] != 2:
            raise ValueError("Delaunay only supports 2D inputs at the moment.")
        return call("find_simplex", self._host.find_simplex, (xi, bruteforce, tol), {})

    def vertex_neighbor_vertices(self) -> tuple[Any, Any]:
        """Neighbours of the vertices: where each vertex's begin, and the neighbours."""
        return up(self._host.vertex_neighbor_vertices)


register(Delaunay, lambda value, visit: value._host, None, None)
