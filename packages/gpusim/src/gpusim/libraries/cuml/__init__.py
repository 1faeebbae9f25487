"""A simulated cuML on scikit-learn, with cuML's defaults, types and refusals."""

from __future__ import annotations

from typing import Any

from gpusim.importing.names import refuser

from . import common, explainer, feature_extraction, internals, metrics, multiclass, naive_bayes, preprocessing
from .cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans
from .covariance import EmpiricalCovariance, LedoitWolf
from .datasets import make_arima, make_blobs, make_classification, make_regression
from .decomposition import PCA, IncrementalPCA, TruncatedSVD
from .ensemble import IsolationForest, RandomForestClassifier, RandomForestRegressor
from .explainer import KernelExplainer, PermutationExplainer, TreeExplainer
from .internals import Base, GlobalSettings, set_global_output_type, using_output_type
from .kernel_ridge import KernelRidge
from .linear_model import (
    ElasticNet,
    Lars,
    Lasso,
    LinearRegression,
    LogisticRegression,
    MBSGDClassifier,
    MBSGDRegressor,
    Ridge,
)
from .manifold import TSNE, UMAP
from .metrics import accuracy_score, adjusted_rand_score, r2_score
from .model_selection import train_test_split
from .naive_bayes import MultinomialNB
from .neighbors import KernelDensity, KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors
from .preprocessing import LabelEncoder
from .random_projection import GaussianRandomProjection, SparseRandomProjection, johnson_lindenstrauss_min_dim
from .solvers import CD, QN, SGD
from .svm import SVC, SVR, LinearSVC, LinearSVR
from .tsa import ARIMA, AutoARIMA, ExponentialSmoothing, stationarity

_refuse = refuser("cuml")


def _use_rmm() -> None:
    """From here on, CuPy takes its memory from RMM, as when the real cuML is imported."""
    import cupy
    from rmm.allocators.cupy import rmm_cupy_allocator

    cupy.cuda.set_allocator(rmm_cupy_allocator)


_use_rmm()


def __getattr__(name: str) -> Any:
    if name == "global_settings":
        return GlobalSettings()
    return _refuse(name)


__version__ = "26.10.00+gpusim"
__git_commit__ = ""
__all__ = [
    "ARIMA", "AgglomerativeClustering", "AutoARIMA", "Base", "CD", "DBSCAN", "ElasticNet", "EmpiricalCovariance",
    "ExponentialSmoothing", "GaussianRandomProjection", "GlobalSettings", "HDBSCAN", "IncrementalPCA",
    "IsolationForest", "KMeans", "KNeighborsClassifier", "KNeighborsRegressor", "KernelDensity", "KernelExplainer",
    "KernelRidge", "LabelEncoder", "Lars", "Lasso", "LedoitWolf", "LinearRegression", "LinearSVC", "LinearSVR",
    "LogisticRegression", "MBSGDClassifier", "MBSGDRegressor", "MultinomialNB", "NearestNeighbors", "PCA",
    "PermutationExplainer", "QN", "RandomForestClassifier", "RandomForestRegressor", "Ridge", "SGD", "SVC", "SVR",
    "SparseRandomProjection", "TSNE", "TreeExplainer", "TruncatedSVD", "UMAP", "__git_commit__", "__version__",
    "accuracy_score", "adjusted_rand_score", "common", "explainer", "feature_extraction", "internals",
    "johnson_lindenstrauss_min_dim", "make_arima", "make_blobs", "make_classification", "make_regression", "metrics",
    "multiclass", "naive_bayes", "preprocessing", "r2_score", "set_global_output_type", "stationarity",
    "train_test_split", "using_output_type",
]  # fmt: skip
