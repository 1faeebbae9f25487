"""DataFrame: named columns with one index."""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from hundredfold.simulate.names import member_refuser

from . import device, host
from .column import arrow_of, dtype_of, storage_of
from .delegate import no_default
from .frame import Frame
from .frame_methods import FrameMethods
from .frame_output import FrameOutput
from .frame_reductions import FrameReductions
from .guard import guarded_class
from .index import ensure_index
from .indexed import Indexed
from .operators import Unary, add_operators
from .wrap import classes, frame_of, make_frame, series_of

_refuse = member_refuser("cudf.DataFrame")


@guarded_class
class DataFrame(FrameMethods, FrameReductions, FrameOutput, Indexed, Frame, Unary):
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
        for position in range(p.shape[1]):
            device.account(p.iloc[:, position].array)

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
        device.uploaded(data.nbytes)
        return frame_of(of_table(data))

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
        from .indexing import frame_getitem

        return frame_getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .assign import frame_setitem

        frame_setitem(self, key, value)

    def __delitem__(self, name: Any) -> None:
        if name not in self._p.columns:
            raise KeyError(name)
        self._p = self._p.drop(columns=[name])

    def __repr__(self) -> str:
        return self._text()


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
        return _dtypes().CategoricalDtype.from_pandas(obj)
    if isinstance(obj, pd.IntervalDtype):
        return _dtypes().IntervalDtype(obj.subtype, obj.closed)
    raise TypeError(
        f"from_pandas only accepts Pandas Dataframes, Series, Index, RangeIndex and MultiIndex objects. Got {type(obj)}"
    )


def _dtypes() -> Any:
    from . import dtypes

    return dtypes
