"""What Dask has to know of cuDF objects: how to tell their kind, join, split, hash, size and move them."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import cudf
import cupy
import numpy as np
import pandas as pd
import pyarrow as pa
from dask import config
from dask.array.dispatch import percentile_lookup
from dask.dataframe.backends import (
    DataFrameBackendEntrypoint,
    PandasBackendEntrypoint,
)
from dask.dataframe.backends import dataframe_creation_dispatch as creation_dispatch
from dask.dataframe.dask_expr._backends import dataframe_creation_dispatch as expr_creation_dispatch
from dask.dataframe.dispatch import (
    categorical_dtype_dispatch,
    concat_dispatch,
    from_pyarrow_table_dispatch,
    group_split_dispatch,
    grouper_dispatch,
    hash_object_dispatch,
    is_categorical_dtype_dispatch,
    make_meta_dispatch,
    meta_nonempty,
    partd_encode_dispatch,
    pyarrow_schema_dispatch,
    to_pyarrow_table_dispatch,
    tolist_dispatch,
    union_categoricals_dispatch,
)
from dask.dataframe.utils import UNKNOWN_CATEGORIES, _nonempty_scalar, _scalar_from_dtype, make_meta_obj
from dask.sizeof import sizeof
from dask.tokenize import normalize_token
from dask.utils import Dispatch, is_arraylike

# Dask asks a partition for the class of its like.
for _kind, _names in (
    (cudf.Series, {"_constructor": cudf.Series, "_constructor_expanddim": cudf.DataFrame}),
    (cudf.DataFrame, {"_constructor": cudf.DataFrame, "_constructor_sliced": cudf.Series}),
    (cudf.Index, {"_constructor": cudf.Index}),
):
    for _name, _value in _names.items():
        if _name not in vars(_kind):
            setattr(_kind, _name, property(lambda self, value=_value: value))

FRAMES = (cudf.DataFrame, cudf.Series)
OBJECTS = (cudf.DataFrame, cudf.Series, cudf.Index)


def _two(array: pa.Array) -> pa.Array:
    """Return two values of a column's type."""
    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        categories = array.dictionary if len(array.dictionary) else pa.array([UNKNOWN_CATEGORIES])
        return pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), categories, ordered=kind.ordered)
    if types.is_string(kind) or types.is_null(kind):
        return pa.array(["cat", "dog"])
    if types.is_list(kind):
        inner = _two(pa.array([], kind.value_type))
        return pa.array([inner.to_pylist()] * 2, kind)
    if types.is_struct(kind):
        return pa.array([dict.fromkeys(field.name for field in kind)] * 2, kind)
    if types.is_boolean(kind):
        return pa.array([False, True])
    return pa.array([0, 1]).cast(kind) if not types.is_temporal(kind) else pa.array([0, 1], pa.int64()).cast(kind)


@meta_nonempty.register(cudf.Index)
def _nonempty_index(index: Any) -> Any:
    if isinstance(index, cudf.RangeIndex):
        return cudf.RangeIndex(2, name=index.name)
    if isinstance(index, cudf.MultiIndex):
        levels = {at: _two(index.get_level_values(at)._arrow) for at in range(index.nlevels)}
        return cudf.MultiIndex.from_frame(cudf.DataFrame._from_columns(levels), names=index.names)
    return cudf.Index._from_arrow(_two(index._arrow), name=index.name)


@meta_nonempty.register(cudf.Series)
def _nonempty_series(series: Any, idx: Any = None) -> Any:
    return cudf.Series._from_arrow(
        _two(series._arrow), index=_nonempty_index(series.index) if idx is None else idx, name=series.name
    )


@meta_nonempty.register(cudf.DataFrame)
def meta_nonempty_cudf(x: Any) -> Any:
    """Return a frame of two rows."""
    columns = {at: _two(x.iloc[:, at]._arrow) for at in range(len(x.columns))}
    out = cudf.DataFrame._from_columns(columns, index=meta_nonempty(x.index))
    out.columns = x.columns
    return out


@make_meta_dispatch.register(FRAMES)
def make_meta_cudf(x: Any, index: Any = None) -> Any:
    """Return none of the rows."""
    return x.head(0)


@make_meta_dispatch.register(cudf.Index)
def make_meta_cudf_index(x: Any, index: Any = None) -> Any:
    """Return none of the rows."""
    return x[:0]


def _empty(name: Any, dtype: Any, index: Any = None) -> Any:
    if isinstance(dtype, str) and dtype == "category":
        dtype = cudf.CategoricalDtype(categories=[UNKNOWN_CATEGORIES])
    return cudf.Series([], dtype=dtype, name=name, index=index)


@make_meta_obj.register(object)
def make_meta_object_cudf(x: Any, index: Any = None) -> Any:
    """Return an empty object of a description: a dict of dtypes, (name, dtype), a list of them."""
    if hasattr(x, "_meta"):
        return x._meta
    if is_arraylike(x) and x.shape:
        return x[:0]
    if index is not None:
        index = make_meta_dispatch(index)
    if isinstance(x, dict):
        return cudf.DataFrame({name: _empty(name, dtype, index) for name, dtype in x.items()}, index=index)
    if isinstance(x, tuple) and len(x) == 2:
        return _empty(x[0], x[1], index)
    if isinstance(x, (list, tuple)):
        if not all(isinstance(one, tuple) and len(one) == 2 for one in x):
            raise ValueError(f"Expected iterable of tuples of (name, dtype), got {x}")
        return cudf.DataFrame(
            {name: _empty(name, dtype, index) for name, dtype in x}, columns=[name for name, _ in x], index=index
        )
    if not hasattr(x, "dtype") and x is not None:
        try:
            return _scalar_from_dtype(np.dtype(x))
        except Exception:  # no dtype: perhaps a scalar
            pass
    if cudf.api.types.is_scalar(x):
        return _nonempty_scalar(x)
    raise TypeError(f"Don't know how to create metadata from {x}")


@concat_dispatch.register(OBJECTS)
def concat_cudf(
    dfs: Any, axis: int = 0, join: str = "outer", uniform: bool = False, filter_warning: bool = True, sort: Any = None,
    ignore_index: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """Join partitions."""
    assert join == "outer"
    if kwargs.get("ignore_order", False):
        raise NotImplementedError("ignore_order parameter is not yet supported in dask-cudf")
    return cudf.concat(dfs, axis=axis, ignore_index=ignore_index)


@categorical_dtype_dispatch.register(OBJECTS)
def categorical_dtype_cudf(categories: Any = None, ordered: bool = False) -> Any:
    """Return a dtype."""
    return cudf.CategoricalDtype(categories=categories, ordered=ordered)


@tolist_dispatch.register((cudf.Series, cudf.Index))
def tolist_cudf(obj: Any) -> list:
    """Return the values on the host; cuDF's own ``tolist`` refuses."""
    return obj.to_pandas().tolist()


@is_categorical_dtype_dispatch.register((cudf.Series, cudf.Index, cudf.CategoricalDtype))
def is_categorical_dtype_cudf(obj: Any) -> bool:
    """Whether of categories."""
    return isinstance(getattr(obj, "dtype", obj), cudf.CategoricalDtype)


@grouper_dispatch.register(FRAMES)
def get_grouper_cudf(obj: Any) -> Any:
    """Return the class of ``Grouper``."""
    return cudf.Grouper


@percentile_lookup.register((cudf.Series, cupy.ndarray, cudf.Index))
def percentile_cudf(a: Any, q: Any, interpolation: str = "linear") -> tuple[Any, int]:
    """Return percentiles (of the host) and the number of values."""
    a = cudf.Series(a)
    n = len(a)
    if not n:
        return None, n
    q = list(q) if isinstance(q, Iterator) else q
    if isinstance(a.dtype, cudf.CategoricalDtype):
        codes = np.percentile(a.cat.codes.to_numpy(), q, method="nearest")
        categories = a.dtype.categories.to_pandas()
        return pd.Categorical.from_codes(codes.astype(int), categories, a.dtype.ordered), n
    if a.dtype.kind not in "iufmM":
        interpolation = "nearest"
        values = np.sort(a.dropna().to_pandas().to_numpy(dtype=object))
        places = np.rint(np.asarray(q) / 100 * (len(values) - 1)).astype(int)
        return pd.Series(values[places], dtype=a.to_pandas().dtype), n
    return a.quantile([one / 100.0 for one in q], interpolation=interpolation).to_pandas(), n


@pyarrow_schema_dispatch.register((cudf.DataFrame,))
def _schema(obj: Any, preserve_index: Any = None, **kwargs: Any) -> pa.Schema:
    if kwargs:
        warnings.warn(f"Ignoring the following arguments to `pyarrow_schema_dispatch`: {list(kwargs)}", stacklevel=2)
    return _to_table(meta_nonempty(obj), preserve_index=preserve_index).schema


@to_pyarrow_table_dispatch.register(cudf.DataFrame)
def _to_table(obj: Any, preserve_index: Any = None, **kwargs: Any) -> pa.Table:
    if kwargs:
        warnings.warn(f"Ignoring the following arguments to `to_pyarrow_table_dispatch`: {list(kwargs)}", stacklevel=2)
    return obj.to_arrow(preserve_index=preserve_index)


@from_pyarrow_table_dispatch.register(cudf.DataFrame)
def _from_table(obj: Any, table: pa.Table, self_destruct: Any = None, **kwargs: Any) -> Any:
    if kwargs:
        warnings.warn(
            f"Ignoring the following arguments to `from_pyarrow_table_dispatch`: {list(kwargs)}", stacklevel=2
        )
    return obj.from_arrow(table)


@union_categoricals_dispatch.register((cudf.Series, cudf.Index))
def union_categoricals_cudf(to_union: Any, sort_categories: bool = False, ignore_order: bool = False) -> Any:
    """Join columns of categories."""
    return cudf.concat([cudf.Series(one) for one in to_union], ignore_index=True)


@hash_object_dispatch.register(FRAMES)
def hash_object_cudf(frame: Any, index: bool = True) -> Any:
    """Return a hash of each row."""
    if index:
        frame = frame.reset_index()
    return frame.hash_values()


@hash_object_dispatch.register(cudf.Index)
def hash_object_cudf_index(ind: Any, index: Any = None) -> Any:
    """Return a hash of each row."""
    if isinstance(ind, cudf.MultiIndex):
        return ind.to_frame(index=False).hash_values()
    return cudf.Series._from_arrow(ind._arrow).hash_values()


@group_split_dispatch.register(FRAMES)
def group_split_cudf(df: Any, c: Any, k: int, ignore_index: bool = False) -> dict[int, Any]:
    """Split rows by the number each is given."""
    numbers = c.astype(np.int32, copy=False) if hasattr(c, "astype") else c
    parts = df.scatter_by_map(numbers, map_size=k, keep_index=not ignore_index)
    return dict(zip(range(k), parts, strict=True))


@sizeof.register(OBJECTS)
def sizeof_cudf(obj: Any) -> int:
    """Return the bytes on the device."""
    usage = obj.memory_usage()
    return int(usage.sum()) if isinstance(obj, cudf.DataFrame) else int(usage)


@normalize_token.register(OBJECTS)
def _token(obj: Any) -> Any:
    from dask.tokenize import normalize_token as normalize

    return type(obj).__name__, normalize(obj.to_pandas()), str(getattr(obj, "dtypes", getattr(obj, "dtype", None)))


def _join(dfs: list) -> Any:
    return cudf.concat(dfs) if dfs else cudf.DataFrame()


@partd_encode_dispatch.register(cudf.DataFrame)
def _encode(_: Any) -> Any:
    import partd

    return partial(partd.Encode, partial(pickle.dumps, protocol=pickle.HIGHEST_PROTOCOL), pickle.loads, _join)


def _default_backend(func: Any, *args: Any, **kwargs: Any) -> Any:
    with config.set({"dataframe.backend": "pandas"}):
        return func(*args, **kwargs)


def _unsupported(old: str, new: str, kwargs: dict) -> None:
    if kwargs:
        raise ValueError(f"Unsupported key-word arguments used in `to_backend` for {old}-to-{new} conversion: {kwargs}")


to_pandas_dispatch = PandasBackendEntrypoint.to_backend_dispatch()


@to_pandas_dispatch.register(OBJECTS)
def to_pandas_dispatch_from_cudf(data: Any, nullable: bool = False, **kwargs: Any) -> Any:
    """Move a partition to the host."""
    _unsupported("cudf", "pandas", kwargs)
    return data.to_pandas(nullable=nullable)


to_cudf_dispatch = Dispatch("to_cudf_dispatch")


@to_cudf_dispatch.register((pd.DataFrame, pd.Series, pd.Index))
def to_cudf_dispatch_from_pandas(data: Any, nan_as_null: Any = None, **kwargs: Any) -> Any:
    """Move a partition to the device."""
    _unsupported("pandas", "cudf", kwargs)
    return cudf.from_pandas(data, nan_as_null=nan_as_null)


@to_cudf_dispatch.register(OBJECTS)
def to_cudf_dispatch_from_cudf(data: Any, **kwargs: Any) -> Any:
    """Leave a partition where it is."""
    _unsupported("cudf", "cudf", kwargs)
    return data


class CudfBackendEntrypoint(DataFrameBackendEntrypoint):
    """What ``dask.config.set({"dataframe.backend": "cudf"})`` makes of Dask's creation functions."""

    @staticmethod
    def to_backend(data: Any, **kwargs: Any) -> Any:
        """Move a collection to the device."""
        from dask.dataframe.dask_expr import new_collection

        from ._expr.expr import ToCudfBackend

        return new_collection(ToCudfBackend(data, kwargs))

    @staticmethod
    def from_dict(
        data: Any, npartitions: int, orient: str = "columns", dtype: Any = None, columns: Any = None,
        constructor: Any = cudf.DataFrame,
    ) -> Any:  # fmt: skip
        """As Dask's."""
        from dask.dataframe.dask_expr import from_dict

        return _default_backend(
            from_dict,
            data,
            npartitions=npartitions,
            orient=orient,
            dtype=dtype,
            columns=columns,
            constructor=constructor,
        )

    @staticmethod
    def read_parquet(*args: Any, **kwargs: Any) -> Any:
        """Read Parquet files."""
        from .io.parquet import read_parquet

        return read_parquet(*args, **kwargs)

    @staticmethod
    def read_csv(
        path: Any,
        *args: Any,
        header: Any = "infer",
        dtype_backend: Any = None,
        storage_options: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Read CSV files."""
        from .io.csv import read_csv

        return read_csv(path, *args, header=header, storage_options=storage_options, **kwargs)

    @staticmethod
    def read_json(*args: Any, **kwargs: Any) -> Any:
        """Read JSON files."""
        from .io.json import read_json

        return read_json(*args, **kwargs)

    @staticmethod
    def read_orc(*args: Any, **kwargs: Any) -> Any:
        """Read ORC files."""
        from .io.orc import read_orc

        return read_orc(*args, **kwargs)


# Dask finds the backend by entry points of the package's; who imports dask_cudf needs none.
for _dispatch in (creation_dispatch, expr_creation_dispatch):
    _dispatch.register_backend("cudf", CudfBackendEntrypoint())
