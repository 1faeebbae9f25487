"""Metrics of clusterings."""

from .._functions import (
    adjusted_rand_score,
    completeness_score,
    entropy,
    homogeneity_score,
    mutual_info_score,
    silhouette_samples,
    silhouette_score,
    v_measure_score,
)

__all__ = [
    "adjusted_rand_score", "completeness_score", "entropy", "homogeneity_score", "mutual_info_score", "silhouette_samples",
    "silhouette_score", "v_measure_score",
]  # fmt: skip
