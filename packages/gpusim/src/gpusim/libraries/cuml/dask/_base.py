"""What all estimators of cuml.dask share.

The real ones fit together over all workers.  Here the parts of the data are brought to one worker, a model of cuML is fitted
there, and the answer is that of the whole data; prediction happens on each worker for the parts that it has.
"""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
from distributed import default_client, wait


def get_client(client: Any = None) -> Any:
    """A client, the default one without it."""
    return default_client() if client is None else client


def parts_of(collection: Any) -> list[Any]:
    """The parts of a Dask collection, as delayed objects; of an array, whole rows."""
    if isinstance(collection, da.Array):
        if collection.ndim == 2 and collection.numblocks[1] > 1:
            collection = collection.rechunk({1: -1})
        return list(collection.to_delayed().ravel())
    if hasattr(collection, "to_delayed"):
        return list(collection.to_delayed())
    raise TypeError(f"Expected a Dask array or dataframe, got {type(collection)}")


def joined(parts: list[Any]) -> Any:
    """The parts as one array or frame of the same library."""
    parts = [part for part in parts if len(part)] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    library = type(first).__module__.partition(".")[0]
    if library in ("pandas", "cudf"):
        module = __import__(library)
        return module.concat(parts)
    if hasattr(first, "tocsr"):
        stack = __import__("cupyx.scipy.sparse" if library.startswith("cupy") else "scipy.sparse", fromlist=["vstack"])
        return stack.vstack(parts)
    return __import__("cupy" if library == "cupy" else "numpy").concatenate(parts)


def _fit(kind: Any, options: dict, arguments: list[list[Any]], keywords: dict[str, Any]) -> Any:
    whole = {name: joined(value) if isinstance(value, list) else value for name, value in keywords.items()}
    return kind(**options).fit(*map(joined, arguments), **whole)


def _call(part: Any, model: Any, name: str, pick: int | None = None, **options: Any) -> Any:
    result = getattr(model, name)(part, **options)
    return result if pick is None else result[pick]


class Estimator:
    """An estimator of cuml.dask; ``_local`` is the class of cuML that computes.

    Parameters
    ----------
    client : dask.distributed.Client, optional
        The default one without it.
    **kwargs
        The parameters of the class of cuML.
    """

    _local: Any = None
    _own: tuple[str, ...] = ("workers", "ignore_empty_partitions", "streams_per_handle", "standardization")

    def __init__(self, *, client: Any = None, verbose: Any = False, **kwargs: Any) -> None:
        self.client = get_client(client)
        self.verbose = verbose
        self.kwargs = {name: value for name, value in kwargs.items() if name not in self._own}
        self._local(**self.kwargs)  # refuses what cuML refuses, here and now
        self.internal_model: Any = None
        self._combined: Any = None

    def __reduce__(self) -> Any:
        raise TypeError(
            f"cannot pickle a {type(self).__name__} of cuml.dask, which has a client; pickle get_combined_model() instead"
        )

    def _fit(self, *collections: Any, **keywords: Any) -> Any:
        named = {
            name: parts_of(value) if hasattr(value, "to_delayed") else value
            for name, value in keywords.items()
            if value is not None
        }
        task = dask.delayed(_fit, pure=False)(self._local, self.kwargs, [parts_of(c) for c in collections], named)
        future = self.client.compute(task)
        wait(future)
        error = future.exception()
        if error is not None:
            raise error
        self.internal_model, self._combined = future, None
        self.datatype = "array" if isinstance(collections[0], da.Array) else "dataframe"
        return self

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit to all parts of Dask arrays or dataframes."""
        return self._fit(*([X] if y is None else [X, y]), sample_weight=sample_weight)

    def get_combined_model(self) -> Any:
        """The fitted model of cuML."""
        if self._combined is None:
            if self.internal_model is None:
                return None
            self._combined = self.internal_model.result()
        return self._combined

    def _model(self) -> Any:
        model = self.get_combined_model()
        if model is None:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using "
                "this estimator."
            )
        return model

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and not name.startswith("_"):
            model = self.__dict__.get("internal_model") and self.get_combined_model()
            if model is not None:
                return getattr(model, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _apply(self, name: str, X: Any, delayed: bool = True, pick: int | None = None, **options: Any) -> Any:
        """Call a method of the model for each part; the result is lazy unless ``delayed=False``."""
        model = self._model()
        if isinstance(X, da.Array):
            if X.ndim == 2 and X.numblocks[1] > 1:
                X = X.rechunk({1: -1})
            sample = _call(_example(X), model, name, pick, **options)
            meta = sample[:0]
            if X.ndim == sample.ndim:
                chunks = (X.chunks[0], *((n,) for n in sample.shape[1:]))
                result = X.map_blocks(_call, model, name, pick, meta=meta, chunks=chunks, **options)
            elif X.ndim > sample.ndim:
                result = X.map_blocks(_call, model, name, pick, meta=meta, drop_axis=1, **options)
            else:
                chunks = (X.chunks[0], (sample.shape[1],))
                result = X.map_blocks(_call, model, name, pick, meta=meta, new_axis=1, chunks=chunks, **options)
        else:
            meta = _call(X._meta_nonempty, model, name, pick, **options)
            result = X.map_partitions(_call, model, name, pick, meta=_empty(meta), **options)
        return result if delayed else result.persist()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the class of cuML."""
        return self._local(**self.kwargs).get_params(deep)

    def set_params(self, **params: Any) -> Any:
        """Set them for the next fit."""
        self._local(**self.kwargs).set_params(**params)
        self.kwargs |= params
        return self


def _example(X: Any) -> Any:
    """Two rows of the type of a Dask array's blocks."""
    shape = (2, *(int(n) for n in X.shape[1:]))
    return __import__("cupy" if type(X._meta).__module__.startswith("cupy") else "numpy").ones(shape, X.dtype)


def _empty(meta: Any) -> Any:
    return meta.iloc[:0] if hasattr(meta, "iloc") else meta[:0]


class Predicts:
    """`predict`, part by part."""

    def predict(self, X: Any, delayed: bool = True, **options: Any) -> Any:
        """The predictions for each part, in the order of the parts."""
        options.pop("broadcast_data", None)
        return self._apply("predict", X, delayed, **options)


class PredictsProbabilities(Predicts):
    """`predict_proba`, part by part."""

    def predict_proba(self, X: Any, delayed: bool = True, **options: Any) -> Any:
        """The probabilities of each class for each part."""
        return self._apply("predict_proba", X, delayed, **options)


class Scores:
    """`score`, of all parts together."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """How well the model predicts all parts."""
        task = dask.delayed(_score, pure=False)(self.internal_model, parts_of(X), parts_of(y))
        return float(self.client.compute(task).result())


def _score(model: Any, X: list[Any], y: list[Any]) -> float:
    return model.score(joined(X), joined(y))


class Transforms:
    """`transform` and its inverse, part by part."""

    def transform(self, X: Any, delayed: bool = True) -> Any:
        """Each part, changed."""
        return self._apply("transform", X, delayed)

    def fit_transform(self, X: Any, y: Any = None, delayed: bool = True) -> Any:
        """Fit, and each part, changed."""
        return self.fit(X).transform(X, delayed)

    def inverse_transform(self, X: Any, delayed: bool = True) -> Any:
        """Each part, changed back."""
        return self._apply("inverse_transform", X, delayed)
