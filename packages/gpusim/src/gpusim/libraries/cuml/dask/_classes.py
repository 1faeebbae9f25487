"""The estimators of cuml.dask."""

from __future__ import annotations

import warnings
from typing import Any

import cuml.cluster
import cuml.decomposition
import cuml.ensemble
import cuml.feature_extraction.text
import cuml.linear_model
import cuml.naive_bayes
import cuml.neighbors
import cuml.preprocessing
import cuml.solvers
import dask

from ._base import Estimator, Predicts, PredictsProbabilities, Scores, Transforms, get_client, joined, parts_of
from .common.utils import wait_and_raise_from_futures


class KMeans(Predicts, Transforms, Estimator):
    """K-means."""

    _local = cuml.cluster.KMeans

    def fit(self, X: Any, sample_weight: Any = None) -> KMeans:
        """Fit to all parts."""
        return self._fit(X, sample_weight=sample_weight)

    def fit_predict(self, X: Any, sample_weight: Any = None, delayed: bool = True) -> Any:
        """Fit, and the number of the nearest centre."""
        return self.fit(X, sample_weight).predict(X, delayed)

    def fit_transform(self, X: Any, sample_weight: Any = None, delayed: bool = True) -> Any:
        """Fit, and the distances to the centres."""
        return self.fit(X, sample_weight).transform(X, delayed)

    def score(self, X: Any, sample_weight: Any = None) -> float:
        """The sum of squared distances to the nearest centres, negative."""
        model, parts = self._model(), parts_of(X)
        task = dask.delayed(lambda m, p: m.score(joined(p)), pure=False)(model, parts)
        return float(self.client.compute(task).result())


class DBSCAN(Estimator):
    """Clusters of density."""

    _local = cuml.cluster.DBSCAN

    def fit(self, X: Any, out_dtype: str = "int32") -> DBSCAN:
        """Fit to all parts."""
        return self._fit(X, out_dtype=out_dtype)

    def fit_predict(self, X: Any, out_dtype: str = "int32") -> Any:
        """Fit, and the labels of all samples, here."""
        return self.fit(X, out_dtype).labels_


class _Forest(Scores, Estimator):
    """A forest; ``rfs`` has a future of the model of each worker, all the same one once it is fitted."""

    def __init__(self, *, workers: Any = None, client: Any = None, verbose: Any = False, **kwargs: Any) -> None:
        for name, what in (
            ("n_streams", "n_streams has no effect on distributed training"),
            ("ignore_empty_partitions", "ignore_empty_partitions parameter is no longer valid"),
        ):
            if kwargs.get(name) is not None:
                warnings.warn(f"{what} and will be removed in release 26.12.", FutureWarning, stacklevel=2)
        super().__init__(client=client, verbose=verbose, **kwargs)
        self.workers = list(self.client.has_what() if workers is None else workers)
        self.n_estimators = self.kwargs.get("n_estimators", 100)
        self.rfs = {
            worker: self.client.submit(self._local, **self.kwargs, pure=False, workers=[worker])
            for worker in self.workers
        }
        wait_and_raise_from_futures(list(self.rfs.values()))

    def fit(self, X: Any, y: Any, broadcast_data: Any = None, sample_weight: Any = None) -> Any:
        """Fit to all parts."""
        self._fit(X, y, sample_weight=sample_weight)
        self.rfs = dict.fromkeys(self.workers, self.internal_model)
        return self


class MultinomialNB(Predicts, Scores, Estimator):
    """Naive Bayes for counts."""

    _local = cuml.naive_bayes.MultinomialNB

    def fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Fit to all parts."""
        return self._fit(X, y)


class NearestNeighbors(Estimator):
    """The nearest of a set of samples."""

    _local = cuml.neighbors.NearestNeighbors

    def fit(self, X: Any) -> NearestNeighbors:
        """Take in all parts."""
        self._fit(X)
        self._X = X
        return self

    def get_neighbors(self, n_neighbors: int | None) -> int:
        """How many neighbours are looked for."""
        return self._model().n_neighbors if n_neighbors is None else n_neighbors

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Distances and numbers of the nearest of all samples, part by part; those of the samples themselves without X."""
        query, count = self._X if X is None else X, self.get_neighbors(n_neighbors)
        indices = self._apply("kneighbors", query, pick=1, n_neighbors=count)
        if not return_distance:
            return indices
        return self._apply("kneighbors", query, pick=0, n_neighbors=count), indices


class _Neighbors(Scores, NearestNeighbors):
    """What follows from the nearest samples."""

    def fit(self, X: Any, y: Any) -> Any:
        """Take in all parts."""
        self._fit(X, y)
        self._X = X
        return self


class UMAP(Estimator):
    """A fitted `cuml.manifold.UMAP`, applied to each part."""

    def __init__(self, *, model: Any, client: Any = None, **kwargs: Any) -> None:
        self.client = get_client(client)
        self.kwargs = kwargs
        self.internal_model = None
        self._combined = model

    def transform(self, X: Any, delayed: bool = True) -> Any:
        """The places of the samples of each part."""
        return self._apply("transform", X, delayed)


def _of(local: type, *bases: type) -> type:
    """The estimator over Dask whose model is ``local``, with its name and what it says of itself."""
    return type(local.__name__, bases, {"__module__": __name__, "__doc__": local.__doc__, "_local": local})


PCA = _of(cuml.decomposition.PCA, Transforms, Estimator)
TruncatedSVD = _of(cuml.decomposition.TruncatedSVD, Transforms, Estimator)
LinearRegression = _of(cuml.linear_model.LinearRegression, Predicts, Estimator)
Ridge = _of(cuml.linear_model.Ridge, Predicts, Estimator)
Lasso = _of(cuml.linear_model.Lasso, Predicts, Estimator)
ElasticNet = _of(cuml.linear_model.ElasticNet, Predicts, Estimator)
LogisticRegression = _of(cuml.linear_model.LogisticRegression, PredictsProbabilities, Estimator)
CD = _of(cuml.solvers.CD, Predicts, Estimator)
LabelEncoder = _of(cuml.preprocessing.LabelEncoder, Transforms, Estimator)
LabelBinarizer = _of(cuml.preprocessing.LabelBinarizer, Transforms, Estimator)
OneHotEncoder = _of(cuml.preprocessing.OneHotEncoder, Transforms, Estimator)
OrdinalEncoder = _of(cuml.preprocessing.OrdinalEncoder, Transforms, Estimator)
TfidfTransformer = _of(cuml.feature_extraction.text.TfidfTransformer, Transforms, Estimator)
RandomForestClassifier = _of(cuml.ensemble.RandomForestClassifier, PredictsProbabilities, _Forest)
RandomForestRegressor = _of(cuml.ensemble.RandomForestRegressor, Predicts, _Forest)
KNeighborsClassifier = _of(cuml.neighbors.KNeighborsClassifier, PredictsProbabilities, _Neighbors)
KNeighborsRegressor = _of(cuml.neighbors.KNeighborsRegressor, Predicts, _Neighbors)
