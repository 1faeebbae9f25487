"""DataFrame: named columns with one index.

Over 800 lines: it is one class. What most of its methods do is in modules of its own (`Later`).
"""

from __future__ import annotations

import copy as copying
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.extensions import no_default

from gpusim.importing.names import member_refuser

from . import device, host
from .assign import frame_setitem, with_column
from .cast import cast
from .column import arrow_of, dtype_of, isnull, masked, normal, public_arrow, storage_of
from .dtypes import STR, CategoricalDtype, IntervalDtype
from .dtypes import dtype as cudf_dtype
from .frame import Frame
from .guard import Later, guarded_class
from .index import ensure_index
from .indexed import Indexed
from .indexing import frame_getitem
from .operators import Unary, add_operators
from .reduce import is_number, quantile, reduce_frame, truths
from .reshape_types import find_common_type
from .wrap import NO_COLUMN, classes, frame_of, make_frame, mimic, normal_frame, series_of, unwrap, wrap

_refuse = member_refuser("cudf.DataFrame", NO_COLUMN)


def _method(op: str, name: str) -> Any:
    def method(self: Any, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        kwargs = {key: value for key, value in kwargs.items() if key in ("ddof", "min_count")}
        return reduce_frame(self, op, axis, numeric_only, skipna=skipna, **kwargs)

    method.__name__ = name
    method.__doc__ = f"Reduce by {op}; nulls are left out unless ``skipna=False``."
    return method


@guarded_class
class DataFrame(Indexed, Frame, Unary):
    """Named columns: ``DataFrame(data, index, columns, dtype, copy, nan_as_null)``."""

    def __init__(
        self,
        data: Any = None,
        index: Any = None,
        columns: Any = None,
        dtype: Any = None,
        copy: Any = None,
        nan_as_null: Any = no_default,
    ) -> None:
        from .frame_make import make

        if copy is not None:
            raise NotImplementedError("copy is not currently implemented.")
        p, attrs = make(data, index, columns, dtype, nan_as_null)
        object.__setattr__(self, "_p", p)
        if attrs:
            object.__setattr__(self, "_attrs", copying.deepcopy(attrs))
        for array in device.storages(p):
            device.account(array)

    def __getattr__(self, name: str) -> Any:
        if name != "_p" and not name.startswith("__") and name in self._p.columns:
            return self[name]
        return _refuse(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_p", "_attrs", "_flags") or hasattr(type(self), name):
            object.__setattr__(self, name, value)
        elif name in self._p.columns:
            self[name] = value
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._p.columns:
            del self[name]
        else:
            object.__delattr__(self, name)

    @classmethod
    def _from_columns(cls, columns: Mapping, index: Any = None) -> Any:
        """A DataFrame of Arrow arrays (no transfer is counted)."""
        arrays = {name: storage_of(array) for name, array in columns.items()}
        n = len(next(iter(arrays.values()))) if arrays else 0
        index = pd.RangeIndex(n if index is None else len(index)) if index is None else ensure_index(index)
        return frame_of(make_frame(arrays, index))

    @classmethod
    def from_arrow(cls, data: pa.Table) -> Any:
        """A DataFrame of an Arrow table; pandas' metadata in it gives the index."""
        from .frame_make import of_table

        if not isinstance(data, pa.Table):
            raise TypeError(f"unsupported type: {type(data).__name__}")
        made = frame_of(of_table(data))
        device.uploaded(data.nbytes, writes=made)
        return made

    @classmethod
    def from_dict(cls, data: Any, orient: str = "columns", dtype: Any = None, columns: Any = None) -> Any:
        """A DataFrame of a dict of columns, of rows (``orient="index"``), or as ``to_dict("tight")`` gives it."""
        orient = orient.lower()
        if orient == "index":
            if isinstance(next(iter(data.values()), None), (classes["Series"], pd.Series, dict)):
                result = cls(data).T if not isinstance(next(iter(data.values())), dict) else cls(
                    pd.DataFrame.from_dict(data, orient="index"))  # fmt: skip
                result.columns = columns if columns is not None else result._p.columns
                return result
            return cls(list(data.values()), index=list(data), columns=columns, dtype=dtype) if data else cls()
        if orient == "columns":
            if columns is not None:
                raise ValueError(f"Cannot use columns parameter with orient={orient!r}")
            return cls(data, columns=None, dtype=dtype)
        if orient == "tight":
            if columns is not None:
                raise ValueError(f"Cannot use columns parameter with orient={orient!r}")
            return cls(pd.DataFrame.from_dict(data, orient="tight", dtype=dtype))
        raise ValueError(f"Expected 'index', 'columns', or 'tight' for orient parameter. Got '{orient}' instead")

    @classmethod
    def from_records(cls, data: Any, index: Any = None, exclude: Any = None, columns: Any = None,
                     coerce_float: bool = False, nrows: Any = None, nan_as_null: bool = False) -> Any:  # fmt: skip
        """A DataFrame of a structured array or a matrix."""
        if exclude is not None:
            raise NotImplementedError("exclude is currently not supported.")
        if coerce_float is not False:
            raise NotImplementedError("coerce_float is currently not supported.")
        if nrows is not None:
            raise NotImplementedError("nrows is currently not supported.")
        if data.ndim != 1 and data.ndim != 2:
            raise ValueError(f"records dimension expected 1 or 2, found {data.ndim}")
        if data.dtype.names is None:
            return cls(data, index=index, columns=columns, nan_as_null=nan_as_null)
        names = data.dtype.names
        own = index if isinstance(index, str) else None
        out = cls({name: np.asarray(data[name]) for name in names}, nan_as_null=nan_as_null)
        if columns is not None:
            out.columns = columns
        if own is not None:
            return out.set_index(own)
        if index is not None:
            out.index = index
        return out

    def to_pandas(self, *, nullable: bool = False, arrow_type: bool = False) -> pd.DataFrame:
        """The same on the host; nulls become NaN unless ``nullable`` or ``arrow_type``."""
        out = host.host_frame(self._p, nullable, arrow_type)
        out.attrs = copying.deepcopy(self.attrs)
        return out

    def _arrow_columns(self) -> dict:
        """Each column as an Arrow array (no transfer is counted)."""
        return {name: arrow_of(self._p.iloc[:, i].array) for i, name in enumerate(self._p.columns)}

    @property
    def columns(self) -> pd.Index:
        """Labels of the columns, a pandas Index."""
        return self._p.columns

    @columns.setter
    def columns(self, labels: Any) -> None:
        if isinstance(labels, (classes["Index"], classes["Series"])):
            labels = labels.to_pandas() if not isinstance(labels, classes["Series"]) else pd.Index(labels.to_pandas())
        labels = labels if isinstance(labels, pd.Index) else pd.Index(list(labels))
        if len(labels) != self._p.shape[1]:
            raise ValueError(f"Length mismatch: expected {self._p.shape[1]} elements, got {len(labels)} elements")
        if not labels.is_unique:
            raise ValueError("Duplicate column names are not allowed")
        p = self._p.copy(deep=False)
        p.columns = labels
        self._p = p

    @property
    def dtypes(self) -> pd.Series:
        """Type of each column, a pandas Series."""
        p = self._p
        return pd.Series([dtype_of(dtype) for dtype in p.dtypes], index=p.columns, dtype=object)

    @property
    def _constructor_sliced(self) -> type:
        return classes["Series"]

    @property
    def axes(self) -> list:
        """Index and columns."""
        return [self.index, self.columns]

    @property
    def T(self) -> Any:
        """Rows as columns and columns as rows."""
        return self.transpose()

    @property
    def values(self) -> Any:
        """The values as a CuPy matrix."""
        return self.to_cupy()

    @property
    def _arrow(self) -> pa.Table:
        """The columns as an Arrow table, without the index."""
        return pa.table(self._arrow_columns())

    def __iter__(self) -> Any:
        return iter(self._p.columns)

    def items(self) -> Any:
        """Names and columns."""
        for name in list(self._p.columns):
            yield name, self[name]

    def iterrows(self) -> Any:
        """Refused: cuDF does not iterate over rows."""
        raise TypeError(
            "cuDF does not support iteration of DataFrame via iterrows. Consider using `.to_pandas().iterrows()` if "
            "you wish to iterate over each row."
        )

    def itertuples(self, index: bool = True, name: str = "Pandas") -> Any:
        """Refused: cuDF does not iterate over rows."""
        raise TypeError(
            "cuDF does not support iteration of DataFrame via itertuples. Consider using `.to_pandas().itertuples()` if "
            "you wish to iterate over namedtuples."
        )

    def keys(self) -> pd.Index:
        """Labels of the columns."""
        return self._p.columns

    def __contains__(self, item: Any) -> bool:
        return item in self._p.columns

    def _column(self, name: Any) -> Any:
        return series_of(self._p[name])

    def __getitem__(self, key: Any) -> Any:
        return frame_getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        frame_setitem(self, key, value)

    def __delitem__(self, name: Any) -> None:
        if name not in self._p.columns:
            raise KeyError(name)
        self._p = self._p.drop(columns=[name])

    def __repr__(self) -> str:
        return self._text()

    def astype(self, dtype: Any, copy: Any = None, errors: str = "raise") -> Any:
        """The same in another dtype, or in others by column."""
        if errors not in ("raise", "ignore"):
            raise ValueError("invalid error value specified")
        p = self._p
        if hasattr(dtype, "_p"):
            dtype = dict(zip(dtype.index.to_pandas(), dtype.to_pandas(), strict=True))
        kinds = dict(dtype) if isinstance(dtype, (dict, pd.Series)) else dict.fromkeys(p.columns, dtype)
        missing = [c for c in kinds if c not in p.columns]
        if missing:
            raise KeyError("Only a column name can be used for the key in a dtype mappings argument.")
        arrays = {}
        for i, name in enumerate(p.columns):
            array = p.iloc[:, i].array
            try:
                arrays[i] = cast(array, cudf_dtype(kinds[name])) if name in kinds else array
            except Exception:
                if errors != "ignore":
                    raise
                return self.copy()
        return frame_of(make_frame(arrays, p.index, p.columns))

    def assign(self, **kwargs: Any) -> Any:
        """With more columns."""
        out = self.copy(deep=False)
        for name, value in kwargs.items():
            out[name] = value(out) if callable(value) else value
        return out

    def insert(
        self, loc: int, column: Any, value: Any, allow_duplicates: bool = False, nan_as_null: Any = no_default
    ) -> None:
        """Put a column in at a place."""
        if allow_duplicates is not False:
            raise NotImplementedError("allow_duplicates is currently not implemented.")
        if column in self._p.columns:
            raise NameError(f"duplicated column name {column}")
        n = self._p.shape[1]
        if loc < 0:
            loc = n + loc + 1
        if not 0 <= loc <= n:
            raise ValueError(f"insert location must be within range {-(n + 1)}, {n}")
        self._p = with_column(self._p, column, value, loc)

    def pop(self, item: Any) -> Any:
        """Take a column out."""
        column = self[item]
        del self[item]
        return column

    def rename(self, mapper: Any = None, index: Any = None, columns: Any = None, axis: Any = 0, copy: bool = True,
               inplace: bool = False, level: Any = None, errors: str = "ignore") -> Any:  # fmt: skip
        """Other labels of rows or columns."""
        if errors != "ignore":
            raise NotImplementedError("Only errors='ignore' is currently supported")
        if mapper is None and index is None and columns is None:
            return self.copy(deep=copy)
        if mapper is not None:
            index, columns = (mapper, None) if axis in (0, "index") else (None, mapper)
        out = self._p.rename(index=unwrap(index), columns=unwrap(columns), level=level)
        if not out.columns.is_unique:
            raise ValueError("Duplicate column names are not allowed")
        return mimic(self, wrap(out), inplace)

    def set_index(self, keys: Any, drop: bool = True, append: bool = False, inplace: bool = False,
                  verify_integrity: bool = False) -> Any:  # fmt: skip
        """Columns (or other labels) as row labels."""
        p = self._p
        listed = keys if isinstance(keys, list) else [keys]
        plain, missing = [], []
        for key in listed:
            if isinstance(key, (classes["Series"], classes["Index"], pd.Series, pd.Index, np.ndarray, list)) or hasattr(
                key, "__cuda_array_interface__"
            ):
                host = unwrap(key) if not isinstance(key, list) else key
                plain.append(host)
            else:
                if key not in p.columns:
                    missing.append(key)
                plain.append(key)
        if missing:
            raise KeyError(f"None of {missing} are in the columns")
        out = p.set_index(plain if len(plain) > 1 or isinstance(keys, list) else plain[0], drop=drop, append=append)
        if isinstance(out.index, pd.MultiIndex) and out.index.nlevels == 1:
            out.index = out.index.get_level_values(0)
        if verify_integrity and not out.index.is_unique:
            raise ValueError(f"Values in Index are not unique: {wrap(out.index)}")
        return mimic(self, wrap(out), inplace)

    def transpose(self) -> Any:
        """Rows as columns and columns as rows; the columns must have one type."""

        p = self._p
        kinds = [dtype_of(d) for d in p.dtypes]
        if not p.shape[1]:
            return frame_of(pd.DataFrame(index=p.columns, columns=p.index))
        target = find_common_type(kinds) if len(set(map(str, kinds))) > 1 else kinds[0]

        if target == STR and any(k != STR for k in kinds):
            raise NotImplementedError("Columns must all have the same dtype")
        arrays = [cast(p.iloc[:, i].array, target) for i in range(p.shape[1])]
        whole = pd.concat([pd.Series(a) for a in arrays], ignore_index=True).array
        n = len(p)
        places = np.arange(n * len(arrays)).reshape(len(arrays), n)
        return frame_of(make_frame({i: whole.take(places[:, i]) for i in range(n)}, p.columns, p.index))

    def swaplevel(self, i: Any = -2, j: Any = -1, axis: Any = 0) -> Any:
        """Two levels of the labels exchanged."""
        return wrap(self._p.swaplevel(i, j, axis))

    def select_dtypes(self, include: Any = None, exclude: Any = None) -> Any:
        """The columns of some types."""
        if include is None and exclude is None:
            raise ValueError("at least one of include or exclude must be nonempty")
        kinds = []
        for group in (include, exclude):
            group = (
                []
                if group is None
                else [group]
                if pd.api.types.is_scalar(group) or isinstance(group, type) or hasattr(group, "kind")
                else list(group)
            )
            kinds.append(group)
        chosen, left_out = kinds
        both = {str(k) for k in chosen} & {str(k) for k in left_out}
        if both:
            raise ValueError(f"include and exclude overlap on {both}")
        names = []
        for i in range(self._p.shape[1]):
            dtype = dtype_of(self._p.dtypes.iloc[i])
            if (not chosen or any(_matches(dtype, k) for k in chosen)) and not any(
                _matches(dtype, k) for k in left_out
            ):
                names.append(i)
        return frame_of(self._p.iloc[:, names])

    def _get_numeric_data(self) -> Any:
        """The columns of numbers and truths: what Dask asks for before a mean or a variance of groups."""
        numeric = [dtype_of(dtype).kind in "iufb" for dtype in self._p.dtypes]
        return frame_of(self._p.loc[:, numeric])

    query = Later("cudf.core.expressions")
    eval = Later("cudf.core.expressions", "evaluate")
    isin = Later("cudf.core.replace", "isin_frame")

    def update(self, other: Any, join: str = "left", overwrite: bool = True, filter_func: Any = None,
               errors: str = "ignore") -> None:  # fmt: skip
        """Take over another frame's values that are not null."""
        if join != "left":
            raise NotImplementedError("Only left join is supported")
        if errors not in {"ignore", "raise"}:
            raise ValueError("The parameter errors must be either 'ignore' or 'raise'")
        if filter_func is not None:
            raise NotImplementedError("filter_func is not supported yet")
        host = other._p if isinstance(other, classes["DataFrame"]) else classes["DataFrame"](other)._p
        host = host.reindex(self._p.index)
        out = self._p.copy()
        for name in [c for c in out.columns if c in host.columns]:
            new = host[name]
            if errors == "raise" and (out[name].notna() & new.notna()).any():
                raise ValueError("Data overlaps.")
            keep = new.isna() if overwrite else out[name].notna()
            out[name] = out[name].where(keep, new)
        self._p = normal_frame(out)

    def to_struct(self, name: Any = None) -> Any:
        """One column of records."""

        if not all(isinstance(c, str) for c in self._p.columns):
            warnings.warn("DataFrame contains non-string column name(s). Struct column requires field name to be string. "
                          "Non-string column names will be casted to string in the result's field names.", UserWarning, stacklevel=2)  # fmt: skip
        parts = self._arrow_columns()
        array = pa.StructArray.from_arrays(list(parts.values()), names=[str(c) for c in parts])
        return series_of(pd.Series(storage_of(array), index=self._p.index, name=name))

    def explode(self, column: Any, ignore_index: bool = False) -> Any:
        """One row for each element of a list."""
        from .reshape import explode_frame

        return frame_of(explode_frame(self._p, column, ignore_index))

    def interleave_columns(self) -> Any:
        """The rows' values, one after the other."""
        kinds = {str(d) for d in self._p.dtypes}
        if any(isinstance(d, pd.CategoricalDtype) for d in self._p.dtypes):
            raise ValueError("interleave_columns does not support 'category' dtype.")
        if len(kinds) > 1:
            raise ValueError("All columns must have the same data type in interleave_columns")
        p = self._p
        whole = pd.concat([p.iloc[:, i] for i in range(p.shape[1])], ignore_index=True).array
        places = np.arange(len(whole)).reshape(p.shape[1], len(p)).T.reshape(-1)
        return series_of(pd.Series(whole.take(places)))

    def partition_by_hash(self, columns: Any, nparts: int, keep_index: bool = True) -> list:
        """The rows in parts by a hash of some columns: equal values are in one part."""
        from .hashing import row_hashes

        part = row_hashes(self._p[list(columns)]) % np.uint64(nparts)
        return [self._part(part == i, keep_index) for i in range(nparts)]

    def _part(self, rows: np.ndarray, keep_index: bool) -> Any:
        out = self._p[rows]
        return frame_of(out if keep_index else out.reset_index(drop=True))

    def scatter_by_map(
        self, map_index: Any, map_size: Any = None, keep_index: bool = True, debug: bool = False
    ) -> list:
        """The rows in parts by number."""
        if isinstance(map_index, str):
            map_index = self[map_index]
        array = (
            classes["Series"](map_index)._storage
            if not isinstance(map_index, classes["Series"])
            else map_index._storage
        )
        values = (
            np.asarray(array.codes)
            if isinstance(array, pd.Categorical)
            else np.asarray(pd.factorize(array)[0] if not hasattr(array, "_data") else array._data)
        )
        if len(values) != len(self._p):
            raise ValueError("Length of map_index must be equal to number of rows in dataframe")
        values = values.astype(np.int64)
        count = int(values.max()) + 1 if len(values) else 0
        if map_size is None:
            map_size = count
        if count > map_size:
            raise ValueError(f"ERROR: map_size must be >= {count} (got {map_size}).")
        return [self._part(values == i, keep_index) for i in range(map_size)]

    def merge(self, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
              left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: tuple = ("_x", "_y"),
              indicator: bool = False, validate: Any = None) -> Any:  # fmt: skip
        """Rows of two frames that agree in some columns; their order is not defined unless ``sort``."""
        from .join import merge

        return merge(
            self, right, how, on, left_on, right_on, left_index, right_index, sort, suffixes, indicator, validate
        )

    join = Later("cudf.core.join")

    def groupby(self, by: Any = None, axis: Any = 0, level: Any = None, as_index: bool = True, sort: Any = no_default,
                group_keys: Any = no_default, observed: bool = True, dropna: bool = True) -> Any:  # fmt: skip
        """Groups of rows."""
        from .groupby import DataFrameGroupBy, Grouper

        if axis not in (0, "index"):
            raise NotImplementedError("axis parameter is not yet implemented")
        if not observed:
            raise NotImplementedError("observed parameter is not yet implemented")
        if by is None and level is None:
            raise TypeError("groupby() requires either by or level to be specified.")
        if isinstance(by, Grouper) and by.freq:
            return self.resample(by.freq, closed=by.closed, label=by.label, on=by.key, level=by.level)
        return DataFrameGroupBy(self, by, level, sort, as_index, dropna, group_keys)

    def melt(self, **kwargs: Any) -> Any:
        """Columns as rows."""
        from .reshape import melt

        return melt(self, **kwargs)

    def pivot(self, *, columns: Any, index: Any = no_default, values: Any = no_default) -> Any:
        """A table of the values by row and column labels."""
        from .reshape import pivot

        return pivot(self, columns=columns, index=index, values=values)

    pivot_table = Later("cudf.core.reshape")
    stack = Later("cudf.core.reshape")

    def unstack(self, level: Any = -1, fill_value: Any = None, sort: bool = True) -> Any:
        """Row labels as column labels."""
        from .reshape import unstack

        return unstack(self, level, fill_value, sort)

    apply = Later("cudf.core.udf", "apply_frame")
    map = Later("cudf.core.udf", "map_frame")
    agg = Later("cudf.core.describe", "aggregate")

    def __matmul__(self, other: Any) -> Any:
        return self.dot(other)

    def __rmatmul__(self, other: Any) -> Any:
        return self.dot(other, reflect=True)

    corr = Later("cudf.core.linear", "frame_correlation")
    cov = Later("cudf.core.linear", "frame_covariance")
    to_csv = Later("cudf.io._csv_write")
    to_parquet = Later("cudf.io._parquet_write")
    to_orc = Later("cudf.io.orc")
    to_feather = Later("cudf.io.feather")
    to_dlpack = Later("cudf.io.dlpack")

    sum = _method("sum", "sum")
    min = _method("min", "min")
    max = _method("max", "max")
    mean = _method("mean", "mean")
    median = _method("median", "median")
    skew = _method("skew", "skew")
    kurt = kurtosis = _method("kurtosis", "kurtosis")
    prod = product = _method("product", "product")
    std = _method("std", "std")
    var = _method("var", "var")

    def all(self, axis: Any = 0, bool_only: bool = False, skipna: bool = True, **kwargs: Any) -> Any:
        """Whether all values are true."""
        target = self.select_dtypes(include="bool") if bool_only else self
        return truths(target, "all", axis, skipna)

    def any(self, axis: Any = 0, bool_only: bool = False, skipna: bool = True, **kwargs: Any) -> Any:
        """Whether a value is true."""
        target = self.select_dtypes(include="bool") if bool_only else self
        return truths(target, "any", axis, skipna)

    def count(self, axis: Any = 0, numeric_only: bool = False) -> Any:
        """Number of values of each column that are neither null nor NaN."""
        target = self.select_dtypes(include="number") if numeric_only else self
        if self._axis(axis) != 0:
            present = target.notna()._p.to_numpy(dtype=bool) if target.shape[1] else np.zeros((len(self), 0), bool)
            return series_of(pd.Series(masked(present.sum(axis=1).astype("i8")), index=self._p.index))
        return series_of(pd.Series(masked(target.notna()._p.sum().to_numpy(dtype="i8")), index=target._p.columns))

    def nunique(self, axis: Any = 0, dropna: bool = True) -> Any:
        """How many different values each column has."""
        if axis != 0:
            raise NotImplementedError("axis parameter is not supported yet.")
        values = [self[c].nunique(dropna) for c in self._p.columns]
        return series_of(pd.Series(masked(np.array(values, dtype="i8")), index=self._p.columns))

    def mode(self, axis: Any = 0, numeric_only: bool = False, dropna: bool = True) -> Any:
        """The most frequent values of each column."""
        if axis not in (0, "index"):
            raise NotImplementedError("Only axis=0 is currently supported")
        target = self.select_dtypes(include="number") if numeric_only else self
        modes = {c: target[c].mode(dropna=dropna)._p.reset_index(drop=True) for c in target._p.columns}
        n = max((len(m) for m in modes.values()), default=0)
        index = pd.RangeIndex(n)
        arrays = {i: m.reindex(index).array for i, m in enumerate(modes.values())}
        return frame_of(make_frame(arrays, index, target._p.columns))

    def value_counts(self, subset: Any = None, normalize: bool = False, sort: bool = True, ascending: bool = False,
                     dropna: bool = True) -> Any:  # fmt: skip
        """How often each row occurs."""
        if subset:
            missing = set(subset) - set(self._p.columns)
            if missing:
                raise KeyError(f"Keys {missing} in subset do not exist in the DataFrame.")
        names = list(self._p.columns) if subset is None else list(subset)
        counts = self._p.groupby(names, dropna=dropna, sort=True, observed=True).size()
        if len(names) == 1:
            counts.index = pd.MultiIndex.from_arrays([counts.index], names=names)
        if sort:
            counts = counts.sort_values(ascending=ascending, kind="stable")
        values = np.asarray(counts, dtype="i8")
        out = values / values.sum() if normalize else values
        return series_of(pd.Series(masked(out), index=counts.index, name="proportion" if normalize else "count"))

    def quantile(self, q: Any = 0.5, axis: Any = 0, numeric_only: bool = False, interpolation: Any = None,
                 method: str = "single", columns: Any = None, exact: bool = True) -> Any:  # fmt: skip
        """Quantiles of each column; a Series for a scalar ``q``."""
        if axis not in (0, None):
            raise NotImplementedError("axis is not implemented yet")
        target = (
            self.select_dtypes(include=[np.number], exclude=["datetime64", "timedelta64"]) if numeric_only else self
        )
        target = target if columns is None else target[list(columns)]
        points = np.asarray(unwrap(q), dtype=float)
        if method == "table":
            interpolation = interpolation or "nearest"
            if interpolation in ("linear", "midpoint"):
                raise ValueError(f"{interpolation=} is not supported when {method=}.")
            found = target._p.quantile(np.atleast_1d(points), interpolation=interpolation, method="table")
            return classes["DataFrame"](found) if points.ndim else classes["Series"](found.iloc[0])
        if method != "single":
            raise ValueError(f"Invalid method: {method}")
        interpolation = interpolation or "linear"
        p = target._p
        for d in p.dtypes:
            if not is_number(dtype_of(d)) and not (isinstance(d, np.dtype)):
                raise TypeError(f"quantile is not supported for dtype {dtype_of(d)}")
        found = {
            c: quantile(p.iloc[:, i].array, np.atleast_1d(points), interpolation, exact)
            for i, c in enumerate(p.columns)
        }
        if points.ndim == 0:
            return series_of(
                pd.Series(normal(np.array([v[0] for v in found.values()])), index=p.columns, name=float(points))
            )
        index = pd.Index(points, dtype="float64")
        return frame_of(make_frame({i: normal(v) for i, v in enumerate(found.values())}, index, p.columns))

    def _shown(self) -> pd.DataFrame:
        """The part of the frame that a repr prints, on the host."""
        p = self._p
        rows, columns = pd.get_option("display.max_rows"), pd.get_option("display.max_columns")
        if rows and len(p) > rows:
            half = int(rows / 2) + 1
            p = pd.concat([p.iloc[:half], p.iloc[-(half + rows % 2) :]])
        if columns and p.shape[1] > columns:
            half = int(columns / 2) + 1
            p = pd.concat([p.iloc[:, :half], p.iloc[:, -half:]], axis=1)
        return host.printable_frame(p)

    def _text(self) -> str:
        shown = self._shown()
        width = None
        if pd.get_option("display.expand_frame_repr"):
            from pandas.io.formats import console

            width, _ = console.get_console_size()
        text = shown.to_string(
            max_rows=pd.get_option("display.max_rows"),
            min_rows=pd.get_option("display.min_rows"),
            max_cols=pd.get_option("display.max_columns"),
            line_width=width,
            max_colwidth=pd.get_option("display.max_colwidth"),
            show_dimensions=pd.get_option("display.show_dimensions"),
        )
        lines = text.split("\n")
        if lines[-1].startswith("["):
            lines[-1] = "[{} rows x {} columns]".format(*self.shape)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = self._shown()._repr_html_().split("\n")
        if lines[-2].startswith("<p>"):
            lines = [*lines[:-2], "<p>{} rows × {} columns</p>".format(*self.shape), "</div>"]
        return "\n".join(lines)

    def _repr_latex_(self) -> Any:
        return self._shown()._repr_latex_()

    def to_string(self, *args: Any, **kwargs: Any) -> Any:
        """The text of the whole frame."""
        return self.to_pandas().to_string(*args, **kwargs)

    def info(self, verbose: Any = None, buf: Any = None, max_cols: Any = None, memory_usage: Any = None,
             null_counts: Any = None) -> None:  # fmt: skip
        """Print the columns, their types and how many values are not null."""
        out = sys.stdout if buf is None else buf
        p, n = self._p, self.shape[1]
        lines = [str(type(self)), _summary(self.index)]
        if n == 0:
            lines.append(f"Empty {type(self).__name__}")
        else:
            counts = null_counts if null_counts is not None else True
            long = verbose if verbose is not None else n <= (max_cols or pd.get_option("display.max_info_columns"))
            if long:
                lines += _columns_table(p, counts)
            else:
                first, last = p.columns[0], p.columns[-1]
                lines.append(f"Columns: {n} entries, {first} to {last}")
        kinds = pd.Series(
            [str(dtype_of(d)) if not isinstance(d, pd.CategoricalDtype) else "category" for d in p.dtypes]
        )
        if n:
            lines.append("dtypes: " + ", ".join(f"{k}({c})" for k, c in kinds.value_counts().sort_index().items()))
        if memory_usage is None:
            memory_usage = pd.get_option("display.memory_usage")
        if memory_usage:
            size = float(self.memory_usage(deep=memory_usage == "deep")._p.sum())
            units = ["bytes", "KB", "MB", "GB", "TB"]
            while size >= 1024 and len(units) > 1:
                size /= 1024
                units.pop(0)
            unit = units[0]
            plus = "+" if memory_usage != "deep" and "object" in {*kinds, str(self.index.dtype)} else ""
            lines.append(f"memory usage: {size:3.1f}{plus} {unit}")
        out.write("\n".join(lines) + "\n")

    def _common(self, cupy_wanted: bool) -> np.dtype:
        p = self._p
        kinds = [dtype_of(d) for d in p.dtypes]
        nulls = any(isnull(p.iloc[:, i].array).any() for i in range(p.shape[1]))
        common = kinds[0] if len(kinds) == 1 else find_common_type(kinds)
        if hasattr(common, "categories"):
            common = common.categories.dtype
        if nulls and isinstance(common, np.dtype):
            if common.kind == "b" or any(getattr(k, "kind", "") == "b" for k in kinds):
                if cupy_wanted:
                    raise ValueError("Cannot convert to cupy bool array with nulls.")
                common = np.dtype("object")
            elif common.kind in "iu":
                common = np.dtype("float64")
        if isinstance(common, pd.StringDtype):
            common = np.dtype("object")
        if not isinstance(common, np.dtype):
            raise NotImplementedError(f"{common} cannot be exposed as an array")
        return common

    def to_cupy(self, dtype: Any = None, copy: bool = False, na_value: Any = None) -> Any:
        """The values as a CuPy matrix in Fortran order."""
        import cupy

        p = self._p
        if not p.shape[1]:
            return cupy.empty((len(p), 0), dtype=np.float64, order="F")
        wanted = np.dtype(dtype) if dtype is not None else self._common(True)
        columns = [self.iloc[:, i].to_cupy(wanted if wanted.kind in "iufb" and dtype is not None else None, na_value=na_value)
                   for i in range(p.shape[1])]  # fmt: skip
        if na_value is not None and dtype is None:
            wanted = np.result_type(*(c.dtype for c in columns))
        matrix = cupy.empty((len(p), p.shape[1]), dtype=wanted, order="F")
        for i, column in enumerate(columns):
            matrix[:, i] = column
        return matrix

    def to_numpy(self, dtype: Any = None, copy: bool = True, na_value: Any = no_default) -> np.ndarray:
        """The values as a NumPy matrix on the host."""
        host.must_copy(copy)
        p = self._p
        if not p.shape[1]:
            return np.empty((len(p), 0), dtype=np.float64, order="F")
        wanted = np.dtype(dtype) if dtype is not None else self._common(False)
        if dtype is None and na_value is not no_default and wanted.kind == "f":
            kinds = [dtype_of(d) for d in p.dtypes]
            wanted = find_common_type(kinds) if len(kinds) > 1 else kinds[0]
        matrix = np.empty((len(p), p.shape[1]), dtype=wanted, order="F")
        for i in range(p.shape[1]):
            matrix[:, i] = self.iloc[:, i].to_numpy(dtype if wanted.kind not in "O" else None, na_value=na_value)
        return matrix

    def to_arrow(self, preserve_index: Any = None) -> pa.Table:
        """An Arrow table on the host, with pandas' metadata."""
        p = self._p
        device.downloaded(p.size * 8, reads=p)
        columns = {name: public_arrow(array) for name, array in self._arrow_columns().items()}
        index_columns: list = []
        if preserve_index is not False:
            ranges = isinstance(p.index, pd.RangeIndex)
            if ranges and preserve_index is not True:
                index_columns = [{"kind": "range", "name": p.index.name, "start": p.index.start, "stop": p.index.stop,
                                  "step": p.index.step}]  # fmt: skip
            else:
                for level in range(p.index.nlevels):
                    name = p.index.names[level]
                    label = f"__index_level_{level}__" if name is None or name in columns else name
                    columns[label] = public_arrow(arrow_of(self.index.get_level_values(level)._storage))
                    index_columns.append(label)
        table = pa.table({str(name): array for name, array in columns.items()})
        from pyarrow.pandas_compat import construct_metadata

        levels = (
            [p.index.get_level_values(i) for i in range(p.index.nlevels)]
            if index_columns and not isinstance(index_columns[0], dict)
            else [p.index]
            if index_columns
            else []
        )
        meta = construct_metadata(
            columns_to_convert=[pd.Series(host.to_host(p.iloc[:0, i].array)) for i in range(p.shape[1])],
            df=host.host_frame(p.iloc[:0]),
            column_names=[str(c) for c in p.columns],
            index_levels=[
                host.host_index(level[:0]) if not isinstance(level, pd.RangeIndex) else level for level in levels
            ],
            index_descriptors=index_columns,
            preserve_index=preserve_index,
            types=[table.column(i).type for i in range(table.num_columns)],
        )
        return table.replace_schema_metadata(meta)

    def to_dict(self, orient: str = "dict", into: type = dict, index: bool = True) -> Any:
        """A dict on the host."""
        return self.to_pandas().to_dict(orient=orient.lower(), into=into, index=index)

    def to_records(self, index: bool = True, column_dtypes: Any = None, index_dtypes: Any = None) -> np.ndarray:
        """A structured array on the host."""
        return self.to_pandas().to_records(index, column_dtypes, index_dtypes)


add_operators(DataFrame, "DataFrame")


classes["DataFrame"] = DataFrame


def from_pandas(obj: Any, nan_as_null: Any = no_default) -> Any:
    """Our object of a pandas one."""
    if isinstance(obj, pd.DataFrame):
        return DataFrame(obj, nan_as_null=nan_as_null)
    if isinstance(obj, pd.Series):
        return classes["Series"](obj, nan_as_null=nan_as_null)
    if isinstance(obj, pd.Index):
        return classes["Index"](obj, nan_as_null=nan_as_null)
    if isinstance(obj, pd.CategoricalDtype):
        return CategoricalDtype.from_pandas(obj)
    if isinstance(obj, pd.IntervalDtype):
        return IntervalDtype(obj.subtype, obj.closed)
    raise TypeError(
        f"from_pandas only accepts Pandas Dataframes, Series, Index, RangeIndex and MultiIndex objects. Got {type(obj)}"
    )


def _matches(dtype: Any, kind: Any) -> bool:
    if isinstance(kind, str) and kind == "number" or kind is np.number:
        return (
            getattr(dtype, "kind", "") in "iufm"
            and not isinstance(dtype, CategoricalDtype)
            and isinstance(dtype, np.dtype)
        )
    if kind in ("category", CategoricalDtype) or isinstance(kind, (CategoricalDtype, pd.CategoricalDtype)):
        return isinstance(dtype, CategoricalDtype)
    if isinstance(kind, str) and kind in ("object", "str", "string") or kind in (str, object):
        return dtype == STR or dtype == np.dtype("object")
    if isinstance(kind, str) and kind in ("datetime", "datetime64"):
        return isinstance(dtype, np.dtype) and dtype.kind == "M"
    if isinstance(kind, str) and kind in ("timedelta", "timedelta64"):
        return isinstance(dtype, np.dtype) and dtype.kind == "m"
    if kind in (int, float) or isinstance(kind, str) and kind in ("int", "float"):
        wide = ("int32", "int64") if kind in (int, "int") else ("float32", "float64")
        return str(dtype) in wide
    if isinstance(kind, type) and issubclass(kind, (str, np.str_, bytes)) and kind is not str:
        raise TypeError("numpy string dtypes are not allowed, use 'str' or 'object' instead")
    if isinstance(kind, type) and issubclass(kind, np.generic):
        return isinstance(dtype, np.dtype) and issubclass(dtype.type, kind)
    if isinstance(kind, type) and hasattr(kind, "name"):
        return isinstance(dtype, kind)
    try:
        return cudf_dtype(kind) == dtype
    except TypeError:
        return False


def _summary(index: Any) -> str:
    p = index._p
    if len(p):
        ends = [str(p[0]), str(p[-1])]
        return f"{type(index).__name__}: {len(p)} entries, {ends[0]} to {ends[1]}"
    return f"{type(index).__name__}: 0 entries"


def _columns_table(p: pd.DataFrame, counts: bool) -> list[str]:
    rows = []
    for i, name in enumerate(p.columns):
        array = p.iloc[:, i].array
        kind = "category" if isinstance(array, pd.Categorical) else str(dtype_of(array.dtype))
        rows.append((str(i), str(name), f"{len(p) - int(isnull(array).sum())} non-null", kind))
    heads = [" # ", "Column", "Non-Null Count", "Dtype"] if counts else [" # ", "Column", "Dtype"]
    table = [(f" {r[0]}", r[1], r[2], r[3]) if counts else (f" {r[0]}", r[1], r[3]) for r in rows]
    widths = [max(len(h), *(len(r[i]) for r in table)) for i, h in enumerate(heads)]
    line = lambda cells: "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True))  # noqa: E731
    return [f"Data columns (total {len(rows)} columns):", line(heads),
            line(["-" * len(h.strip()) if h.strip() != "#" else "---" for h in heads]), *(line(r) for r in table)]  # fmt: skip
