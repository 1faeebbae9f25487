"""Distances."""

from ._functions import (
    PAIRWISE_DISTANCE_METRICS,
    PAIRWISE_DISTANCE_SPARSE_METRICS,
    nan_euclidean_distances,
    pairwise_distances,
)

__all__ = [
    "PAIRWISE_DISTANCE_METRICS",
    "PAIRWISE_DISTANCE_SPARSE_METRICS",
    "nan_euclidean_distances",
    "pairwise_distances",
]
