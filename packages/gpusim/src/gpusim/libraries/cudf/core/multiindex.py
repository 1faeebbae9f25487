"""MultiIndex: labels of several levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default

from gpusim.importing.names import member_refuser

from . import device
from .guard import guarded_class
from .index import Index
from .wrap import classes, frame_of, index_of, normal_frame, unwrap


@guarded_class
class MultiIndex(Index):
    """Labels of several levels: ``MultiIndex(levels, codes, sortorder, names, copy, name, verify_integrity)``."""

    __getattr__ = member_refuser("cudf.MultiIndex")

    def __new__(
        cls,
        levels: Any = None,
        codes: Any = None,
        sortorder: Any = None,
        names: Any = None,
        dtype: Any = None,
        copy: bool = False,
        name: Any = None,
        verify_integrity: bool = True,
        nan_as_null: Any = no_default,
    ) -> Any:
        if sortorder is not None:
            raise NotImplementedError("sortorder is not yet supported")
        if name is not None:
            raise NotImplementedError("Use `names`, `name` is not yet supported")
        if levels is None or codes is None or not len(levels):
            raise ValueError("Must pass non-zero length sequences of levels and codes")
        if len(codes) != len(levels):
            raise ValueError(
                f"MultiIndex has unequal number of levels and codes and is inconsistent with each other: "
                f"{len(codes)} != {len(levels)}"
            )
        levels = [Index(level)._p for level in levels]
        codes = [np.asarray(unwrap(code)) for code in codes]
        return index_of(pd.MultiIndex(levels, codes, names=names, verify_integrity=verify_integrity))

    @classmethod
    def from_arrays(cls, arrays: Any, sortorder: Any = None, names: Any = None) -> Any:
        """Of one array for each level."""
        arrays = list(arrays)
        if names is None:
            names = [getattr(a, "name", None) for a in arrays]
        return index_of(pd.MultiIndex.from_arrays([Index(a)._p for a in arrays], names=names))

    @classmethod
    def from_tuples(cls, tuples: Any, sortorder: Any = None, names: Any = None) -> Any:
        """Of one tuple for each row."""
        return index_of(pd.MultiIndex.from_tuples(unwrap(tuples), names=names))

    @classmethod
    def from_product(cls, iterables: Any, sortorder: Any = None, names: Any = None) -> Any:
        """Of every combination of the levels' values."""
        if names is None:
            names = [getattr(a, "name", None) for a in iterables]
        parts = [Index(a)._p if not isinstance(a, range) else a for a in iterables]
        return index_of(pd.MultiIndex.from_product(parts, names=names))

    @classmethod
    def from_frame(cls, df: Any, sortorder: Any = None, names: Any = None) -> Any:
        """Of a DataFrame's columns."""
        host = df._p if hasattr(df, "_p") else df
        return index_of(pd.MultiIndex.from_frame(host, names=names))

    @classmethod
    def from_arrow(cls, obj: Any) -> Any:
        """Of an Arrow table."""
        return frame_of(normal_frame(obj.to_pandas())).set_index(obj.column_names).index

    @property
    def levels(self) -> list:
        """The different labels of each level."""
        return [index_of(level) for level in self._p.levels]

    @property
    def codes(self) -> Any:
        """The place of each label in its level."""
        return self._p.codes

    @property
    def dtypes(self) -> Any:
        """Type of each level."""
        return pd.Series(
            [index_of(self._p.get_level_values(i)).dtype for i in range(self._p.nlevels)],
            index=pd.Index([n if n is not None else f"level_{i}" for i, n in enumerate(self._p.names)]),
        )

    @property
    def dtype(self) -> np.dtype:
        """object, as pandas'."""
        return np.dtype("O")

    @property
    def values(self) -> Any:
        """The labels as a matrix on the device."""
        return self.to_frame(index=False).values

    def to_numpy(self, dtype: Any = None, copy: bool = True, na_value: Any = no_default) -> np.ndarray:
        """The labels as a matrix on the host."""
        return self.to_frame(index=False).to_numpy(copy=copy)

    def to_pandas(self, *, nullable: bool = False, arrow_type: bool = False) -> pd.MultiIndex:
        """The same on the host."""
        return self._p.copy()

    def to_arrow(self) -> Any:
        """The levels as an Arrow table."""
        return self.to_frame(index=False).to_arrow()

    def to_flat_index(self) -> Any:
        """Not in cuDF."""
        raise NotImplementedError("to_flat_index is not currently supported.")

    def rename(self, names: Any, inplace: bool = False) -> Any:
        """The same with other names of its levels."""
        return self.set_names(names, level=None, inplace=inplace)

    def copy(self, names: Any = None, deep: bool = False, name: Any = None) -> Any:
        """A copy, with other names if some are given."""
        p = self._p.copy(deep=deep)
        if names is not None:
            if len(names) != p.nlevels:
                raise ValueError("Length of names must match number of levels in MultiIndex.")
            p = p.set_names(list(names))
        return index_of(p)

    def __eq__(self, other: Any) -> Any:
        return device.as_cupy(np.asarray(self._p == unwrap(other)))

    def __ne__(self, other: Any) -> Any:
        return device.as_cupy(np.asarray(self._p != unwrap(other)))

    __hash__ = None

    def to_series(self, index: Any = None, name: Any = None) -> Any:
        """Not in cuDF."""
        raise NotImplementedError("MultiIndex.to_series isn't implemented yet.")

    def droplevel(self, level: Any = -1) -> Any:
        """The labels without some of the levels."""
        return index_of(self._p.droplevel(level))

    def swaplevel(self, i: Any = -2, j: Any = -1) -> Any:
        """The labels with two levels exchanged."""
        return index_of(self._p.swaplevel(i, j))

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Only object is possible."""
        if np.dtype(dtype) != object:
            raise TypeError("Setting a MultiIndex dtype to anything other than object is not supported")
        return self

    def fillna(self, value: Any) -> Any:
        """Nulls replaced by a value."""
        frame = self.to_frame(index=False)
        frame.columns = range(self._p.nlevels)
        return index_of(pd.MultiIndex.from_frame(frame.fillna(value)._p, names=self._p.names))

    def __repr__(self) -> str:
        return repr(self._p)


classes["MultiIndex"] = MultiIndex
