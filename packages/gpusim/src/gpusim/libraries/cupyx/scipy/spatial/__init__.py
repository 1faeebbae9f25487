"""Distances, k-d trees and triangulations of points on the device."""

from __future__ import annotations

from cupy._core.names import refuser

from . import distance
from ._delaunay import Delaunay
from ._kdtree import KDTree
from .distance import distance_matrix

__all__ = ["Delaunay", "KDTree", "distance", "distance_matrix"]
__getattr__ = refuser("cupyx.scipy.spatial")
