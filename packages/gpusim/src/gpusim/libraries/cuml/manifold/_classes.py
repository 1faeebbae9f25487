"""Fewer dimensions, by curved maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.importing.errors import NotSimulatedError

from ..internals._arrays import check_y, raw
from ..internals._estimator import Transformer
from ..internals.outputs import method, reflected


class UMAP(Transformer):
    """UMAP, by umap-learn; its first fit in a process compiles for some seconds."""

    _keeps = True
    _cpu = "umap.UMAP"
    _sparse = True
    _fitted = ("embedding_", "graph_")

    def __init__(
        self, *, n_neighbors=15, n_components=2, metric="euclidean", metric_kwds=None, n_epochs=None, learning_rate=1.0,
        min_dist=0.1, spread=1.0, set_op_mix_ratio=1.0, local_connectivity=1.0, repulsion_strength=1.0,
        negative_sample_rate=5, transform_queue_size=4.0, init="spectral", a=None, b=None, target_n_neighbors=-1,
        target_weight=0.5, target_metric="categorical", hash_input=False, random_state=None, force_serial_epochs=None,
        precomputed_knn=None, callback=None, build_algo="auto", build_kwds=None, device_ids=None, verbose=False,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.callback is not None:
            raise NotSimulatedError("cuml.manifold.UMAP(callback=…)")
        if self.precomputed_knn is not None:
            raise NotSimulatedError("cuml.manifold.UMAP(precomputed_knn=…)", "metric='precomputed'")
        names = (
            "n_neighbors n_components metric metric_kwds n_epochs learning_rate min_dist spread set_op_mix_ratio "
            "local_connectivity repulsion_strength negative_sample_rate transform_queue_size a b target_n_neighbors "
            "target_weight target_metric random_state"
        ).split()
        init = self.init if isinstance(self.init, str) else raw(self.init)
        return {name: getattr(self, name) for name in names} | {"init": init, "n_jobs": 1}

    def fit(self, X: Any, y: Any = None, *, knn_graph: Any = None) -> UMAP:
        """Fit to (n, features) samples, and to what is known of them if there is something."""
        if knn_graph is not None:
            raise NotSimulatedError("cuml.manifold.UMAP.fit(knn_graph=…)")
        self._fit(X, y)
        return self

    def _check_target(self, y: Any, X: Any) -> Any:
        return check_y(y, dtype="float32")

    def _attribute(self, name: str, value: Any) -> Any:
        return value.astype("float32")

    @method(keep_index=True)
    def fit_transform(self, X: Any, y: Any = None, *, knn_graph: Any = None) -> Any:
        """Fit, and the (n, components) places of the samples, float32."""
        self.fit(X, y, knn_graph=knn_graph)
        return self._model.embedding_.astype("float32")

    @method(keep_index=True)
    def transform(self, X: Any) -> Any:
        """The places of new samples."""
        return self._apply("transform", X).astype("float32")

    @method(keep_index=True)
    def inverse_transform(self, X: Any) -> Any:
        """Samples of places."""
        return self._cast(self._model.inverse_transform(raw(X)))


class TSNE(Transformer):
    """t-SNE, by scikit-learn: "fft" is computed as "barnes_hut" is."""

    _cpu = "sklearn.manifold.TSNE"
    _sparse = True
    _fitted = ("embedding_", "kl_divergence_", "n_iter_", "learning_rate_")

    def __init__(
        self, *, n_components=2, perplexity=30.0, early_exaggeration=12.0, late_exaggeration=1.0, learning_rate=200.0,
        max_iter=1000, n_iter_without_progress=300, min_grad_norm=1e-07, metric="euclidean", metric_params=None,
        init="random", random_state=None, method="fft", angle=0.5, n_neighbors=90, perplexity_max_iter=100,
        exaggeration_iter=250, pre_momentum=0.5, post_momentum=0.8, learning_rate_method="adaptive",
        square_distances=True, precomputed_knn=None, verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.n_components != 2:
            raise ValueError("Only n_components=2 is supported currently")
        if self.method not in ("fft", "barnes_hut", "exact"):
            raise ValueError(f"method={self.method!r} is not supported")
        told = super()._params_to_cpu()
        return told | {
            "method": "exact" if self.method == "exact" else "barnes_hut",
            "perplexity": float(self.perplexity),
        }

    def fit(self, X: Any, y: Any = None, *, knn_graph: Any = None) -> TSNE:
        """Place (n, features) samples."""
        if knn_graph is not None or self.precomputed_knn is not None:
            raise NotSimulatedError("cuml.manifold.TSNE.fit(knn_graph=…)")
        self._fit(X)
        return self

    @method(keep_index=True)
    def fit_transform(self, X: Any, y: Any = None, *, knn_graph: Any = None) -> Any:
        """The (n, 2) places of the samples, float32."""
        self.fit(X, y, knn_graph=knn_graph)
        return self._model.embedding_.astype("float32")

    def _attribute(self, name: str, value: Any) -> Any:
        return value.astype("float32") if name == "embedding_" else value

    transform = property(
        lambda self: (_ for _ in ()).throw(AttributeError("'TSNE' object has no attribute 'transform'"))
    )


class SpectralEmbedding(Transformer):
    """The eigenvectors of a graph of neighbours."""

    _keeps = True
    _cpu = "sklearn.manifold.SpectralEmbedding"
    _fitted = ("embedding_",)

    def __init__(
        self, n_components=2, affinity="nearest_neighbors", random_state=None, n_neighbors=None, verbose=False,
        output_type=None,
    ):  # fmt: skip
        self._set(locals())

    @method(keep_index=True)
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The (n, components) places of the samples."""
        self.fit(X)
        return self._cast(self._model.embedding_)

    transform = property(
        lambda self: (_ for _ in ()).throw(AttributeError("'SpectralEmbedding' object has no attribute 'transform'"))
    )


@reflected
def spectral_embedding(
    A: Any, *, n_components=8, affinity="nearest_neighbors", random_state=None, n_neighbors=None, norm_laplacian=True,
    drop_first=True,
) -> Any:  # fmt: skip
    """The (n, components) places of samples, or of the nodes of a graph."""
    import sklearn.manifold

    if affinity == "precomputed":
        return np.asarray(
            sklearn.manifold.spectral_embedding(
                raw(A), n_components=n_components, random_state=random_state, norm_laplacian=norm_laplacian,
                drop_first=drop_first,
            )
        )  # fmt: skip
    model = SpectralEmbedding(n_components, affinity, random_state, n_neighbors, output_type="numpy")
    return model.fit_transform(A)


def find_ab_params(spread: float = 1.0, min_dist: float = 0.1) -> tuple[float, float]:
    """The two numbers of UMAP's curve."""
    from umap.umap_ import find_ab_params as find

    return find(spread, min_dist)
