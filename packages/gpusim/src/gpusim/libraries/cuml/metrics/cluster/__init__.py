"""Metrics of clusterings."""

# From their modules, some of which have the same name: imported later, a module would take the place of its function.
from .adjusted_rand_index import adjusted_rand_score
from .completeness_score import completeness_score
from .entropy import entropy
from .homogeneity_score import homogeneity_score
from .mutual_info_score import mutual_info_score
from .silhouette_score import silhouette_samples, silhouette_score
from .v_measure import v_measure_score

__all__ = [
    "adjusted_rand_score", "completeness_score", "entropy", "homogeneity_score", "mutual_info_score", "silhouette_samples",
    "silhouette_score", "v_measure_score",
]  # fmt: skip
