"""Methods of DataFrame that change its shape or its labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .assign import with_column
from .cast import cast
from .column import dtype_of
from .delegate import mimic, no_default
from .dtypes import dtype as cudf_dtype
from .frame_joins import FrameJoins
from .guard import guarded_class
from .shared import Shared
from .wrap import classes, frame_of, make_frame, normal_frame, series_of, unwrap, wrap


@guarded_class
class FrameMethods(FrameJoins, Shared):
    """What a DataFrame can do to itself."""

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
        from .reshape_types import find_common_type

        p = self._p
        kinds = [dtype_of(d) for d in p.dtypes]
        if not p.shape[1]:
            return frame_of(pd.DataFrame(index=p.columns, columns=p.index))
        target = find_common_type(kinds) if len(set(map(str, kinds))) > 1 else kinds[0]
        from .dtypes import STR

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

    def query(self, expr: str, local_dict: Any = None, global_dict: Any = None, **kwargs: Any) -> Any:
        """The rows for which an expression is true; ``@name`` is a variable of the caller."""
        from .expressions import query

        return query(self, expr, local_dict, global_dict, kwargs)

    def eval(self, expr: str, inplace: bool = False, **kwargs: Any) -> Any:
        """The value of an expression of the columns, or the frame with the columns it assigns."""
        from .expressions import evaluate

        return evaluate(self, expr, inplace, kwargs)

    def isin(self, values: Any) -> Any:
        """Which values are among some others."""
        from .replace import isin_frame

        return isin_frame(self, values)

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
        import pyarrow as pa

        from .column import storage_of

        if not all(isinstance(c, str) for c in self._p.columns):
            import warnings

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


def _matches(dtype: Any, kind: Any) -> bool:
    from .dtypes import STR, CategoricalDtype

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
