"""Metrics."""

from gpusim.importing.names import refuser

from . import cluster, regression
from ._functions import (
    accuracy_score,
    adjusted_rand_score,
    completeness_score,
    entropy,
    homogeneity_score,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    mean_squared_log_error,
    median_absolute_error,
    mutual_info_score,
    precision_recall_curve,
    r2_score,
    roc_auc_score,
    v_measure_score,
)
from .confusion_matrix import confusion_matrix
from .hinge_loss import hinge_loss
from .kl_divergence import kl_divergence
from .pairwise_distances import (
    PAIRWISE_DISTANCE_METRICS as PAIRWISE_DISTANCE_METRICS,
)
from .pairwise_distances import (
    PAIRWISE_DISTANCE_SPARSE_METRICS as PAIRWISE_DISTANCE_SPARSE_METRICS,
)
from .pairwise_distances import nan_euclidean_distances, pairwise_distances
from .pairwise_kernels import PAIRWISE_KERNEL_FUNCTIONS as PAIRWISE_KERNEL_FUNCTIONS
from .pairwise_kernels import pairwise_kernels
from .trustworthiness import trustworthiness

__all__ = [
    "accuracy_score",
    "adjusted_rand_score", "cluster", "completeness_score", "confusion_matrix", "entropy", "hinge_loss",
    "homogeneity_score", "kl_divergence", "log_loss", "mean_absolute_error", "mean_squared_error",
    "mean_squared_log_error", "median_absolute_error", "mutual_info_score", "nan_euclidean_distances",
    "pairwise_distances", "pairwise_kernels", "precision_recall_curve", "r2_score", "regression", "roc_auc_score",
    "trustworthiness", "v_measure_score",
]  # fmt: skip
__getattr__ = refuser("cuml.metrics")
