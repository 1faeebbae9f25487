"""Nearest neighbours, by brute force as cuML's default is."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from ..internals._arrays import check_y
from ..internals._estimator import Estimator, ProbabilisticClassifier, Regressor
from ..internals.outputs import method, reflected


class _Neighbors(Estimator):
    _keeps = True
    _sparse = True
    _fitted = ("effective_metric_", "effective_metric_params_", "n_samples_fit_")

    def _params_to_cpu(self) -> dict[str, Any]:
        told = super()._params_to_cpu()
        if self.algorithm not in ("auto", "brute", "rbc", "ivfflat", "ivfpq"):
            raise ValueError(f"algorithm={self.algorithm!r} is not supported")
        metric = "euclidean" if self.metric == "l2" else self.metric
        return told | {"algorithm": "brute", "metric": metric}

    def fit(self, X: Any, y: Any = None) -> Any:
        """Take in (n, features) samples."""
        self._fit(X)
        return self

    def _query(self, name: str, X: Any, **options: Any) -> Any:
        model = self._model
        host = None if X is None else self._check_X(X)
        self._launch(name, (host,), X)
        return getattr(model, name)(host, **options)

    @method(keep_index=True)
    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True, *,
        two_pass_precision: bool = False,
    ) -> Any:  # fmt: skip
        """Distances and numbers (int64) of the nearest samples, (queries, n_neighbors) each."""
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        if count < 1:
            raise ValueError(f"Expected n_neighbors >= 1, got {count}")
        samples = self._model.n_samples_fit_ - (X is None)
        if count > samples:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {count}, n_samples_fit = {samples}"
            )
        found = self._query("kneighbors", X, n_neighbors=count, return_distance=True)
        distances, indices = self._cast(found[0]), found[1].astype("int64")
        return (distances, indices) if return_distance else indices

    @method
    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The graph of the nearest samples as a sparse matrix."""
        graph = self._query("kneighbors_graph", X, n_neighbors=n_neighbors, mode=mode)
        return scipy.sparse.csr_matrix(graph.astype(self._dtype))

    def _check_target(self, y: Any, X: Any) -> Any:
        return None


class NearestNeighbors(_Neighbors):
    """The nearest of a set of samples."""

    _cpu = "sklearn.neighbors.NearestNeighbors"

    def __init__(
        self, *, n_neighbors=5, radius=1.0, algorithm="auto", metric="euclidean", p=2, algo_params=None,
        metric_params=None, n_jobs=None, verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())

    @method
    def radius_neighbors_graph(self, X: Any = None, radius: float | None = None) -> Any:
        """The graph of the samples within a radius as a sparse matrix."""
        graph = self._query("radius_neighbors_graph", X, radius=radius)
        return scipy.sparse.csr_matrix(graph.astype(self._dtype))


class _Supervised(_Neighbors):
    def fit(self, X: Any, y: Any) -> Any:
        """Take in (n, features) samples and what is known of them."""
        self._fit(X, y)
        return self

    def _check_target(self, y: Any, X: Any) -> Any:
        return check_y(y, dtype=X.dtype if self._kind == "regressor" else None, multi=True)

    def _params_to_cpu(self) -> dict[str, Any]:
        if self.weights not in (None, "uniform", "distance") and not callable(self.weights):
            raise ValueError("weights must be 'uniform', 'distance', or a callable")
        return super()._params_to_cpu()


class KNeighborsClassifier(_Supervised, ProbabilisticClassifier):
    """The class of most of the nearest samples."""

    _cpu = "sklearn.neighbors.KNeighborsClassifier"
    _fitted = (*_Neighbors._fitted, "outputs_2d_")

    def __init__(
        self, *, n_neighbors=5, algorithm="auto", metric="euclidean", weights="uniform", p=2, algo_params=None,
        metric_params=None, n_jobs=None, verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())


class KNeighborsRegressor(_Supervised, Regressor):
    """The mean of the nearest samples."""

    _cpu = "sklearn.neighbors.KNeighborsRegressor"

    def __init__(
        self, *, n_neighbors=5, algorithm="auto", metric="euclidean", weights="uniform", p=2, algo_params=None,
        metric_params=None, n_jobs=None, verbose=False, output_type=None,
    ):  # fmt: skip
        self._set(locals())


class KernelDensity(Estimator):
    """A density from samples."""

    _keeps = True
    _cpu = "sklearn.neighbors.KernelDensity"
    _fitted = ("bandwidth_",)

    def __init__(
        self, *, bandwidth=1.0, kernel="gaussian", metric="euclidean", metric_params=None, output_type=None,
        verbose=False,
    ):  # fmt: skip
        self._set(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelDensity:
        """Take in (n, features) samples."""
        self._fit(X, None, sample_weight)
        return self

    @method(keep_index=True)
    def score_samples(self, X: Any) -> Any:
        """The logarithm of the density at each sample."""
        return self._apply("score_samples", X)

    def score(self, X: Any, y: Any = None) -> float:
        """Their sum."""
        return float(np.sum(self._apply("score_samples", X)))

    @method
    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """New samples."""
        return self._cast(self._model.sample(n_samples, random_state=random_state))


@reflected
def kneighbors_graph(
    X: Any = None, n_neighbors: int = 5, mode: str = "connectivity", verbose: Any = False, algorithm: str = "brute",
    metric: str = "euclidean", p: int = 2, include_self: Any = False, metric_params: Any = None,
) -> Any:  # fmt: skip
    """The graph of the nearest samples as a sparse matrix."""
    model = NearestNeighbors(
        n_neighbors=n_neighbors,
        algorithm=algorithm,
        metric=metric,
        p=p,
        metric_params=metric_params,
        output_type="numpy",
    ).fit(X)
    include = mode == "connectivity" if include_self == "auto" else include_self
    return model.kneighbors_graph(X if include else None, n_neighbors=n_neighbors, mode=mode)
