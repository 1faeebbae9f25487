"""What comes into cuML and what leaves it: arrays of any library, checked as cuML checks them."""

from __future__ import annotations

import sys
import threading
import warnings
from typing import Any

import cupy
import numpy as np
import pandas as pd
import scipy.sparse

from gpusim.device import queue

FLOATS = ("float32", "float64")


def _module(name: str) -> Any:
    """A module if somebody imported it: without it, nothing can be an object of it."""
    return sys.modules.get(name)


def is_cudf(value: Any) -> bool:
    """Whether a value is a frame, series or index of cuDF."""
    cudf = _module("cudf")
    return cudf is not None and isinstance(value, (cudf.DataFrame, cudf.Series, cudf.Index))


def is_cupy_sparse(value: Any) -> bool:
    """Whether a value is a sparse matrix on the device."""
    sparse = _module("cupyx.scipy.sparse")
    return sparse is not None and sparse.issparse(value)


def is_frame(value: Any) -> bool:
    """Whether a value is two-dimensional with named columns."""
    return isinstance(value, pd.DataFrame) or (is_cudf(value) and hasattr(value, "columns"))


def infer_output_type(array: Any, array_like: str | None = "numpy") -> str | None:
    """The name of the library that an array is of; ``array_like`` for lists and the like, None for what is no array."""
    if isinstance(array, np.ndarray) or scipy.sparse.issparse(array):
        return "numpy"
    if isinstance(array, cupy.ndarray) or is_cupy_sparse(array):
        return "cupy"
    if is_cudf(array):
        return "cudf"
    if isinstance(array, (pd.DataFrame, pd.Series, pd.Index)):
        return "pandas"
    if hasattr(array, "__cuda_array_interface__"):
        return "cupy"
    if isinstance(array, (str, bytes, dict)) or np.isscalar(array):
        return None
    return array_like if any(hasattr(array, name) for name in ("__array__", "__array_interface__", "__len__")) else None


def index_of(array: Any) -> Any:
    """The index of a frame or series, None for other arrays."""
    if isinstance(array, (pd.DataFrame, pd.Series)) or (is_cudf(array) and hasattr(array, "index")):
        return array.index
    return None


def raw(array: Any, count: bool = True) -> Any:
    """The values of an array on the host, which is where they are computed on; a host array counts as sent to the device."""
    if isinstance(array, cupy.ndarray):
        queue.run()
        return array._a
    if is_cupy_sparse(array):
        with queue.suspended_account():
            return array.get()
    if is_cudf(array):
        with queue.suspended_account():
            return raw(array.to_pandas(), count=False)
    if isinstance(array, (pd.DataFrame, pd.Series, pd.Index)):
        host = array.to_numpy()
    elif scipy.sparse.issparse(array):
        host = array
    elif hasattr(array, "__cuda_array_interface__"):
        return raw(cupy.asarray(array))
    else:
        host = np.asarray(array)
    if count:
        nbytes = getattr(host, "nbytes", 0) if not scipy.sparse.issparse(host) else host.data.nbytes
        queue.count("memcpy HtoD", 0, nbytes, "h2d", reads=(), writes=())  # what arrives is computed on where it lay
    return host


def views(value: Any) -> list[np.ndarray]:
    """The device memory of inputs or results: of CuPy's arrays and matrices, of cuDF's columns, or of a list of these."""
    if isinstance(value, (list, tuple)):
        return [view for item in value for view in views(item)]
    if isinstance(value, cupy.ndarray):
        return [value._a]
    if is_cupy_sparse(value):
        from cupyx.scipy.sparse import _host

        return _host.views(value)
    if is_cudf(value):
        from cudf.core import device

        return device.views(value)
    return []


class Returning:
    """Inside the block launches wait for `result`: the last one is entered as having written it."""

    _running = threading.local()  # .waiting: the launches of the method that this thread runs
    result: Any = None

    def __enter__(self) -> Returning:
        self._before = getattr(self._running, "waiting", None)
        self._waiting: list[tuple] = []
        self._running.waiting = self._waiting
        return self

    def __exit__(self, *exception: object) -> None:
        self._running.waiting = self._before
        for launch in self._waiting[:-1]:
            _enter(*launch, ())
        for launch in self._waiting[-1:]:
            _enter(*launch, views(self.result))


def launched(name: str, nbytes: int, *given: Any) -> None:
    """Enter a launch that reads so many bytes of some inputs.  What it learns is the host's model, and no device memory."""
    waiting = getattr(Returning._running, "waiting", None)
    if waiting is None:
        _enter(name, nbytes, given, ())
    else:
        waiting.append((name, nbytes, given))


def _enter(name: str, nbytes: int, given: Any, writes: Any) -> None:
    reads = () if queue.watcher is None else views(given)
    queue.count(name, nbytes, queue.nbytes(writes), reads=reads, writes=writes)


def check_shape(shape: tuple[int, ...], array: Any, min_samples: int = 1) -> None:
    """Raise as cuML does for what is not two-dimensional or too small."""
    if len(shape) < 2:
        if isinstance(array, pd.Series) or is_cudf(array):
            raise ValueError(
                f"Expected a 2-dimensional container but got {type(array)} instead. Pass a DataFrame containing a single row "
                "(i.e. single sample) or a single column (i.e. single feature) instead."
            )
        kind = "scalar" if not shape else "1D"
        raise ValueError(
            f"Expected 2D array, got {kind} array instead. Reshape your data using array.reshape(-1, 1) if your data has a "
            "single feature, or array.reshape(1, -1) if it contains a single sample."
        )
    if len(shape) > 2:
        raise ValueError(f"Expected 2D array, got {len(shape)}D array instead.")
    for size, least, kind in ((shape[0], min_samples, "sample"), (shape[1], 1, "feature")):
        if size < least:
            raise ValueError(
                f"Found array with {size} {kind}(s) (shape={shape}) while a minimum of {least} is required."
            )


def check_finite(host: Any, name: str = "X") -> None:
    """Raise as cuML does for NaN and infinity."""
    values = host.data if scipy.sparse.issparse(host) else host
    if values.dtype.kind == "f" and values.size:
        if np.isnan(values).any():
            raise ValueError(f"Input {name} contains NaN.")
        if np.isinf(values).any():
            raise ValueError(f"Input {name} contains infinity or a value too large for {values.dtype!r}.")


def check_array(
    array: Any,
    *,
    dtype: Any = FLOATS,
    sparse: bool = False,
    ensure_2d: bool = True,
    finite: bool = True,
    min_samples: int = 1,
    name: str = "X",
) -> Any:
    """The host values of an input: of a dtype of ``dtype``, the first of them where it has another one; checked."""
    if (scipy.sparse.issparse(array) or is_cupy_sparse(array)) and not sparse:
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. Use '.toarray()' to convert to a dense array."
        )
    host = raw(array)
    if host.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    allowed = [np.dtype(one) for one in ([dtype] if isinstance(dtype, (str, np.dtype, type)) else dtype or ())]
    if allowed and host.dtype not in allowed:
        host = host.astype(allowed[0])
    if ensure_2d:
        check_shape(host.shape, array, min_samples)
    if finite:
        check_finite(host, name)
    return host


def check_y(y: Any, *, dtype: Any = None, multi: bool = False, name: str = "y") -> np.ndarray:
    """The host values of a target: one-dimensional, a column counting as that with a warning; not checked if text."""
    host = raw(y)
    if host.ndim == 2 and host.shape[1] == 1 and not multi:
        host = host.ravel()
    elif host.ndim != 1 and not (multi and host.ndim == 2):
        raise ValueError(f"Expected 1D array, got {host.ndim}D array instead.")
    if dtype is not None and host.dtype != dtype:
        host = host.astype(dtype)
    check_finite(host, name)
    return host


def check_consistent_length(*arrays: Any) -> None:
    """Raise as cuML does for inputs of different lengths."""
    lengths = [a.shape[0] for a in arrays if a is not None]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent number of samples: {sorted(lengths)}")


def feature_names(X: Any) -> np.ndarray | None:
    """The names of the columns if all are text; TypeError if some are."""
    if not is_frame(X) or not len(X.columns):
        return None
    columns = list(X.columns.to_pandas() if is_cudf(X) and hasattr(X.columns, "to_pandas") else X.columns)
    types = sorted({type(name).__qualname__ for name in columns})
    if types == ["str"]:
        return np.asarray(columns, dtype=object)
    if "str" in types:
        raise TypeError(
            f"Feature names are only supported if all input features have string names, but your input has {types} as feature "
            "name / column name types. If you want feature names to be stored and validated, you must convert them all to "
            "strings, by using X.columns = X.columns.astype(str) for example. Otherwise you can remove feature / column "
            "names from your input data, or convert them all to a non-string data type."
        )
    return None


def check_features(estimator: Any, X: Any, host: Any, reset: bool = False) -> None:
    """Note the features of a fit, or compare those of another call with them: ValueError where they differ."""
    names, count = feature_names(X), host.shape[1]
    if reset:
        estimator.n_features_in_ = count
        estimator.__dict__.pop("feature_names_in_", None)
        if names is not None:
            estimator.feature_names_in_ = names
        return
    fitted, kind = estimator.__dict__.get("feature_names_in_"), type(estimator).__name__
    if fitted is None and names is not None:
        warnings.warn(f"X has feature names, but {kind} was fitted without feature names", stacklevel=4)
    elif fitted is not None and names is None:
        warnings.warn(f"X does not have valid feature names, but {kind} was fitted with feature names", stacklevel=4)
    elif fitted is not None and list(fitted) != list(names):
        raise ValueError(_difference(list(fitted), list(names)))
    expected = estimator.__dict__.get("n_features_in_", count)
    if count != expected:
        raise ValueError(f"X has {count} features, but {kind} is expecting {expected} features as input.")


def _difference(fitted: list[str], given: list[str]) -> str:
    parts = ["The feature names should match those that were passed during fit."]
    unseen, missing = sorted(set(given) - set(fitted)), sorted(set(fitted) - set(given))
    for heading, names in (
        ("Feature names unseen at fit time:", unseen),
        ("Feature names seen at fit time, yet now missing:", missing),
    ):
        if names:
            parts += [heading, *(f"- {name}" for name in names[:5]), *(["- ..."] if len(names) > 5 else [])]
    if not missing and not unseen:
        parts.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(parts)


def to_device(host: np.ndarray) -> cupy.ndarray:
    """A device array of values that were computed for it; no transfer."""
    from cupy._core import launch

    return launch._to_device(np.asarray(host), [0])


def to_device_sparse(host: Any) -> Any:
    """A sparse matrix on the device; no transfer."""
    import cupyx.scipy.sparse as device_sparse

    with queue.suspended_account():
        return getattr(device_sparse, f"{host.format if host.format in ('csr', 'csc') else 'coo'}_matrix")(host)


def convert(value: Any, output_type: str | None, index: Any = None, flatten: bool = True) -> Any:
    """Give a result, computed on the host, the type asked for: "numpy", "cupy", "cudf" or "pandas"; lists item by item."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(convert(item, output_type, index, flatten) for item in value)
    if scipy.sparse.issparse(value):
        return value if output_type in ("numpy", "pandas", None) else to_device_sparse(value)
    if not isinstance(value, np.ndarray):
        return value
    if output_type in ("pandas", "cudf"):
        return _to_frame(value, output_type, index, flatten)
    if output_type == "numpy" or output_type is None:
        queue.count("memcpy DtoH", value.nbytes, 0, "d2h", reads=(), writes=())
        return value
    if value.dtype.kind not in "iufb":
        raise TypeError(f"output_type={output_type!r} doesn't support outputs of dtype object and shape {value.shape}")
    return to_device(value)


def _to_frame(value: np.ndarray, output_type: str, index: Any, flatten: bool) -> Any:
    if value.ndim == 0:
        return value
    one = value.ndim == 1 or (flatten and value.shape[1] == 1)
    if index is not None and hasattr(index, "to_pandas"):
        index = index.to_pandas()
    if index is not None and len(index) != len(value):
        index = None
    frame = pd.Series(value.ravel(), index=index) if one else pd.DataFrame(value, index=index)
    if output_type == "pandas":
        queue.count("memcpy DtoH", value.nbytes, 0, "d2h", reads=(), writes=())
        return frame
    import cudf

    with queue.suspended_account():
        return cudf.from_pandas(frame)
