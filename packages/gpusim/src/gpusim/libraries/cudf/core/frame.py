"""What Series, DataFrame and Index have in common."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default

from gpusim.importing.removed_names import Named

from . import device, guard, host
from .cast import cast
from .column import arrow_of, dtype_of, isnull, masked, nans_to_nulls, normal, public_arrow
from .dtypes import dtype as cudf_dtype
from .guard import Later, guarded_class
from .operators import mapped
from .wrap import frame_of, index_of, series_of


class NotIterable:
    """cuDF does not iterate over device memory."""

    def __iter__(self) -> None:
        raise TypeError(
            f"{type(self).__name__} object is not iterable. Consider using `.to_arrow()`, `.to_pandas()` or "
            "`.to_numpy()` if you wish to iterate over the values."
        )


@guarded_class
class Frame(metaclass=Named):
    """A pandas object ``_p`` in storage dtypes behind cuDF's interface."""

    _p: Any
    __array_priority__ = 1000

    def __len__(self) -> int:
        return len(self._p)

    def __bool__(self) -> None:
        raise ValueError(
            f"The truth value of a {type(self).__name__} is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or "
            "a.all()."
        )

    __hash__ = None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "Implicit conversion to a host NumPy array via __array__ is not allowed, To explicitly construct a GPU "
            "matrix, consider using .to_cupy()\nTo explicitly construct a host matrix, consider using .to_numpy()."
        )

    def __arrow_array__(self, type: Any = None) -> Any:
        raise TypeError(
            "Implicit conversion to a host PyArrow object via __arrow_array__ is not allowed. Consider using .to_arrow()"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .ufuncs import array_ufunc

        return array_ufunc(self, ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        from .ufuncs import array_function

        return array_function(self, func, types, args, kwargs)

    @property
    def _constructor(self) -> type:
        # Dask asks.
        return type(self)

    @property
    def shape(self) -> tuple:
        """Lengths of the axes."""
        return self._p.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._p.ndim

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self._p.shape))

    @property
    def empty(self) -> bool:
        """Whether an axis has length 0."""
        return self.size == 0

    def isna(self) -> Any:
        """Which values are null; NaN is not, unless it became null on construction."""
        return mapped(self, lambda a: masked(_missing(a)))

    isnull = isna

    def notna(self) -> Any:
        """Which values are not null."""
        return mapped(self, lambda a: masked(~_missing(a)))

    notnull = notna

    def nans_to_nulls(self) -> Any:
        """Make nulls of NaN."""
        return mapped(self, nans_to_nulls)

    def __round__(self, digits: int = 0) -> Any:
        return self.round(decimals=digits)

    def __copy__(self) -> Any:
        return self.copy(deep=False)

    def __deepcopy__(self, memo: Any = None) -> Any:
        return self.copy(deep=True)

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self._p, getattr(self, "_attrs", None))

    def serialize(self) -> tuple[dict, list]:
        """Header and buffers, as Dask moves them."""
        return {"type-serialized-name": type(self).__name__, "frame_count": 1}, [pickle.dumps(self)]

    host_serialize = device_serialize = serialize

    @classmethod
    def deserialize(cls, header: dict, frames: list) -> Any:
        """From what :meth:`serialize` gave."""
        return pickle.loads(bytes(frames[0]))

    host_deserialize = device_deserialize = deserialize

    def __dir__(self) -> list[str]:
        extra = [c for c in self._p.columns if isinstance(c, str) and c.isidentifier()] if self.ndim == 2 else []
        return sorted({*object.__dir__(self), *extra})


def _missing(array: Any) -> np.ndarray:
    from pandas.core.arrays.masked import BaseMaskedArray

    null = isnull(array)
    if isinstance(array, BaseMaskedArray) and array._data.dtype.kind == "f":
        return null | np.isnan(array._data)
    return null.copy()


def _rebuild(cls: type, p: Any, attrs: Any = None) -> Any:
    if isinstance(p, pd.Index):
        return index_of(p)
    out = series_of(p, cls) if isinstance(p, pd.Series) else frame_of(p, cls)
    if attrs:
        out.attrs = attrs
    return out


@guarded_class
class SingleColumn(Frame, NotIterable):
    """What Series and Index have in common: one column."""

    @property
    def _storage(self) -> Any:
        """The storage array."""

        p = self._p
        return p.array if isinstance(p, pd.Series) else normal(p.array)

    @property
    def _arrow(self) -> Any:
        """The column as one Arrow array with real nulls (no transfer is counted)."""
        return arrow_of(self._storage)

    @property
    def dtype(self) -> Any:
        """The column's dtype."""

        return dtype_of(self._storage.dtype)

    @property
    def name(self) -> Any:
        """Its name."""
        return self._p.name

    @name.setter
    def name(self, value: Any) -> None:
        self._p = self._p.rename(value)
        name_owner(self)

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self._p)

    @property
    def hasnans(self) -> bool:
        """Whether there are nulls or NaN."""
        return bool(_missing(self._storage).any())

    @property
    def is_unique(self) -> bool:
        """Whether no value stands there twice."""
        return bool(self._p.is_unique)

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether the values ascend."""
        return bool(self._p.is_monotonic_increasing)

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether the values descend."""
        return bool(self._p.is_monotonic_decreasing)

    @property
    def values(self) -> Any:
        """The values as a CuPy array: the column's own memory where it has no nulls."""
        shown = self._shown()
        return device.as_cupy(host.values_array(self._storage)) if shown is None else shown

    def _shown(self) -> Any:
        """A CuPy array over the column's own memory; None where that cannot be: nulls, no numbers, an index."""
        array = self._storage
        if not (isinstance(self._p, pd.Series) and hasattr(array, "_mask") and len(array)) or array._mask.any():
            return None
        return self._exposed().view()

    @property
    def __cuda_array_interface__(self) -> dict:
        from pandas.core.arrays.masked import BaseMaskedArray

        array = self._storage
        if not isinstance(array, BaseMaskedArray) and array.dtype.kind not in "Mm":
            # cuDF's columns raise NotImplementedError, and its series make an AttributeError of it: hasattr is False.
            raise AttributeError(f"dtype {self.dtype} is not supported via `__cuda_array_interface__`")
        shown = self._exposed().__cuda_array_interface__
        if isinstance(array, BaseMaskedArray) and array._mask.any():
            # As cuDF shows it, and for CuPy and Numba to refuse in their own words.
            bits = np.packbits(~array._mask, bitorder="little")
            shown = {**shown, "mask": device.Shown(bits, typestr="<t1", shape=array.shape)}
        return shown

    def _exposed(self) -> Any:
        """A CuPy array that shares the column's memory from now on."""

        array = self._storage
        values = array._data if hasattr(array, "_mask") else np.asarray(array).view("i8")
        found = self.__dict__.get("_exposed_array")
        if found is not None and found[0].data.ptr == values.ctypes.data and found[0].size == values.size:
            return found[0]
        exposed = device.shared(values)  # a frame that the column was taken from sees what a kernel writes to it
        if exposed is None:
            exposed = device.as_cupy(values)
            if hasattr(array, "_mask") and isinstance(self._p, pd.Series):
                column = masked(exposed._a, array._mask)
                self._p = pd.Series(column, index=self._p.index, name=self._p.name, copy=False)
        self.__dict__["_exposed_array"] = (exposed, values)
        guard.exposed = True
        return exposed

    def to_cupy(self, dtype: Any = None, copy: bool = False, na_value: Any = None) -> Any:
        """The values as a CuPy array; nulls become ``na_value``, by default NaN.

        It shares the column's memory where nothing has to be changed, unless ``copy``.
        """
        shown = None if copy else self._shown()
        if shown is not None and (dtype is None or np.dtype(dtype) == shown.dtype):
            return shown
        return device.as_cupy(self._numbers(dtype, no_default if na_value is None else na_value))

    def _numbers(self, dtype: Any, na_value: Any) -> np.ndarray:
        array = self._storage
        null = isnull(array).any()
        if null and dtype is not None and na_value is no_default and np.dtype(dtype).kind not in "OU":
            raise ValueError(
                f"cannot convert to '{dtype}'-dtype NumPy array with missing values. Specify an appropriate 'na_value' "
                "for this dtype."
            )
        if na_value is not no_default and null:
            from .missing import fill_array

            array = fill_array(array, na_value)
        if isinstance(array, pd.Categorical):
            array = normal(array.categories.array.take(array.codes, allow_fill=True))
        if dtype is not None and np.dtype(dtype).kind not in "OU":
            array = cast(array, cudf_dtype(dtype))
        return host.values_array(array)

    def to_numpy(self, dtype: Any = None, copy: bool = True, na_value: Any = no_default) -> np.ndarray:
        """The values as a NumPy array on the host; nulls become ``na_value``, by default NaN."""
        host.must_copy(copy)
        array = self._storage
        device.downloaded(device.size(array), reads=array)
        if isinstance(array, pd.Categorical):
            array = normal(array.categories.array.take(array.codes, allow_fill=True))
        if hasattr(array, "_mask"):
            return np.array(self._numbers(dtype, na_value), dtype=dtype)
        if na_value is not no_default and isnull(array).any():
            from .missing import fill_array

            array = fill_array(array, na_value)
        values = np.asarray(host.to_host(array))
        if values.dtype.kind not in "Mm":
            values = values.astype(object)
        return values if dtype is None else values.astype(dtype)

    def to_arrow(self) -> Any:
        """The column as an Arrow array on the host."""
        device.downloaded(device.size(self._storage), reads=self)
        return public_arrow(self._arrow)

    def tolist(self) -> None:
        """Refused: it would bring device memory to the host unseen."""
        raise TypeError(
            "cuDF does not support conversion to host memory via the `tolist()` method. Consider using "
            "`.to_arrow().to_pylist()` to construct a Python list."
        )

    to_list = tolist

    def to_pylibcudf(self) -> tuple[Any, dict]:
        """The column for pylibcudf, and what that does not keep."""
        import pylibcudf

        return pylibcudf.Column.from_arrow(self._arrow), {"name": self.name, "index": getattr(self, "index", None)}

    to_dlpack = Later("cudf.io.dlpack")

    def __float__(self) -> float:
        return self._one(float)

    def __int__(self) -> int:
        return self._one(int)

    def _one(self, kind: type) -> Any:
        if len(self) != 1:
            raise TypeError(f"cannot convert the series to {kind}")
        return kind(host.element(self._storage, 0))

    def __matmul__(self, other: Any) -> Any:
        from .linear import dot

        return dot(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        from .linear import dot

        return dot(self, other, reflect=True)


def name_owner(index: Any) -> None:
    """Give the names that an index was given to the Series or the DataFrame it is of."""
    owner, was = getattr(index, "__dict__", {}).get("_owner", (None, None))
    if owner is not None and owner._p.index is was:
        owner._p = owner._p.set_axis(index._p)
        index._owner = owner, owner._p.index
