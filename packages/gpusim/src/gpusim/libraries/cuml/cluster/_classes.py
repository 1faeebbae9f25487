"""Clustering."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.importing.errors import NotSimulatedAttribute, NotSimulatedError

from ..internals._arrays import raw
from ..internals._estimator import Clusterer
from ..internals.outputs import method, reflected


class KMeans(Clusterer):
    """K-means; "scalable-k-means++" starts as "k-means++" does here, so that sums agree and the numbers of clusters may not."""

    _cpu = "sklearn.cluster.KMeans"
    _fitted = ("cluster_centers_", "labels_", "inertia_", "n_iter_")

    def __init__(
        self, *, n_clusters=8, max_iter=300, tol=1e-4, verbose=False, random_state=None, init="scalable-k-means++",
        n_init="auto", oversampling_factor=2.0, max_samples_per_batch=1 << 15, device_buffer_samples=0, init_size=0,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        init = raw(self.init) if not isinstance(self.init, str) else self.init
        if isinstance(init, str) and init not in ("scalable-k-means++", "k-means||", "k-means++", "random"):
            raise ValueError(
                f"Expected `init` to be one of ['scalable-k-means++', 'k-means||', 'random'], got {init!r}"
            )
        if isinstance(init, str) and init != "random":
            init = "k-means++"
        return super()._params_to_cpu() | {"init": init}

    def _check_target(self, y: Any, X: Any) -> Any:
        return None

    def _attribute(self, name: str, value: Any) -> Any:
        if name == "inertia_":
            return float(value)
        return super()._attribute(name, value)

    @method(keep_index=True)
    def predict(self, X: Any) -> Any:
        """The number of the nearest centre of each sample, int32."""
        return self._apply("predict", X).astype("int32")

    @method(keep_index=True)
    def transform(self, X: Any) -> Any:
        """The distance of each sample to each centre, (n, clusters)."""
        return self._apply("transform", X)

    @method(keep_index=True)
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the distances."""
        self.fit(X, sample_weight=sample_weight)
        return self._apply("transform", X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The sum of squared distances to the nearest centres, negative."""
        weight = None if sample_weight is None else raw(sample_weight)
        return float(self._model.score(self._check_X(X), sample_weight=weight))

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters


class DBSCAN(Clusterer):
    """Clusters of density."""

    _cpu = "sklearn.cluster.DBSCAN"
    _fitted = ("labels_", "core_sample_indices_", "components_")

    def __init__(
        self, *, eps=0.5, min_samples=5, metric="euclidean", algorithm="brute", verbose=False, max_mbytes_per_batch=None,
        output_type=None, calc_core_sample_indices=True,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.metric not in ("euclidean", "l2", "L2", "cosine", "precomputed"):
            raise ValueError(f"Invalid value for metric: {self.metric}")
        if self.algorithm.lower() not in ("brute", "rbc"):
            raise ValueError(f"Invalid value for algorithm: {self.algorithm}")
        metric = "euclidean" if self.metric.lower() == "l2" else self.metric
        algorithm = "auto" if metric == "euclidean" else "brute"
        return {"eps": self.eps, "min_samples": self.min_samples, "metric": metric, "algorithm": algorithm}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, out_dtype: Any = "int32") -> DBSCAN:
        """Find the clusters of (n, features) samples; labels of ``out_dtype``, "int32" or "int64"."""
        if np.dtype(out_dtype) not in (np.int32, np.int64):
            raise ValueError(f"Expected out_dtype to be one of ['int32', 'int64'], got {out_dtype!s}")
        self._label_type = out_dtype
        return super().fit(X, sample_weight=sample_weight)

    @method(keep_index=True)
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None, *, out_dtype: Any = "int32") -> Any:
        """Find the clusters and return the number of each sample's, -1 for noise."""
        self.fit(X, sample_weight=sample_weight, out_dtype=out_dtype)
        return self._attribute("labels_", self._model.labels_)

    def _attribute(self, name: str, value: Any) -> Any:
        if name != "labels_" and not self.calc_core_sample_indices:
            return None
        return value.astype(self._label_type) if name == "core_sample_indices_" else super()._attribute(name, value)


class AgglomerativeClustering(Clusterer):
    """Clusters by single linkage."""

    _cpu = "sklearn.cluster.AgglomerativeClustering"
    _fitted = ("labels_", "children_", "n_leaves_", "n_connected_components_")

    def __init__(
        self, n_clusters=2, *, metric="euclidean", connectivity="knn", linkage="single", c=15, verbose=False,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.linkage != "single":
            raise ValueError("Only single linkage clustering is supported currently")
        if self.connectivity not in ("knn", "pairwise"):
            raise ValueError("'connectivity' can only be one of {'knn', 'pairwise'}")
        if self.metric not in ("l1", "cityblock", "manhattan", "l2", "euclidean", "cosine"):
            raise ValueError("metric={self.metric!r} not supported")  # the braces are the real message's
        # Its neighbours are linked until they are one tree: that is single linkage over all pairs.
        return {"n_clusters": self.n_clusters, "metric": self.metric, "linkage": "single"}

    def fit(self, X: Any, y: Any = None) -> AgglomerativeClustering:
        """Find the clusters of (n, features) samples."""
        n_rows = raw(X, count=False).shape[0]
        if not 1 <= self.n_clusters <= n_rows:
            raise ValueError(f"Expected 1 <= n_clusters <= n_rows ({n_rows}), got n_clusters={self.n_clusters}")
        return super().fit(X)


class SpectralClustering(Clusterer):
    """Clusters of a graph of neighbours."""

    _cpu = "sklearn.cluster.SpectralClustering"
    _fitted = ("labels_",)
    _sparse = True

    def __init__(
        self, n_clusters=8, *, n_components=None, random_state=None, n_neighbors=10, n_init=10, eigen_tol="auto",
        affinity="nearest_neighbors", verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.affinity not in ("nearest_neighbors", "precomputed"):
            raise ValueError(
                f"Expected `affinity` to be one of ('nearest_neighbors', 'precomputed'), got {self.affinity!r}"
            )
        return super()._params_to_cpu()


@reflected
def spectral_clustering(
    X: Any, *, n_clusters=8, random_state=None, n_components=None, n_neighbors=10, n_init=10, eigen_tol="auto",
    affinity="nearest_neighbors",
) -> Any:  # fmt: skip
    """The cluster of each sample, int32."""
    model = SpectralClustering(
        n_clusters, n_components=n_components, random_state=random_state, n_neighbors=n_neighbors, n_init=n_init,
        eigen_tol=eigen_tol, affinity=affinity, output_type="numpy",
    )  # fmt: skip
    return model.fit(X)._model.labels_.astype("int32")


class HDBSCAN(Clusterer):
    """Clusters of density, of any density. Trees and predictions for new samples are not simulated."""

    _keeps = True
    _cpu = "sklearn.cluster.HDBSCAN"
    _fitted = ("labels_", "probabilities_")
    _unsimulated = (
        "condensed_tree_", "minimum_spanning_tree_", "single_linkage_tree_", "prediction_data_", "cluster_persistence_",
    )  # fmt: skip

    def __init__(
        self, *, min_cluster_size=5, min_samples=None, cluster_selection_epsilon=0.0, max_cluster_size=0,
        metric="euclidean", alpha=1.0, p=None, cluster_selection_method="eom", allow_single_cluster=False,
        gen_min_span_tree=False, verbose=False, output_type=None, prediction_data=False, build_algo="brute_force",
        build_kwds=None, device_ids=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        min_samples = self.min_cluster_size if self.min_samples is None else self.min_samples
        if not 1 <= min_samples <= 1023:
            raise ValueError(f"HDBSCAN requires `1 <= min_samples <= 1023`, got `{min_samples=}`")
        return super()._params_to_cpu() | {
            "min_samples": min_samples + 1,  # scikit-learn counts the point itself
            "cluster_selection_epsilon": float(self.cluster_selection_epsilon),
            "max_cluster_size": self.max_cluster_size or None,
            "metric": "euclidean" if self.metric == "l2" else self.metric,
            "alpha": float(self.alpha),
            "copy": True,
        }

    def fit(self, X: Any, y: Any = None) -> HDBSCAN:
        """Find the clusters of (n, features) samples."""
        self._fit(X, min_samples=2)
        return self

    def __getattr__(self, name: str) -> Any:
        if name in HDBSCAN._unsimulated and "_fitted_model" in self.__dict__:
            raise NotSimulatedAttribute(f"cuml.cluster.HDBSCAN.{name}")
        return super().__getattr__(name)

    def generate_prediction_data(self) -> None:
        """Refused."""
        raise NotSimulatedError("cuml.cluster.HDBSCAN.generate_prediction_data")
