"""``x.flat``."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import launch
from .convert import asarray


class flatiter:
    """A flat iterator over a device array; CuPy supports indexing with a single integer or slice."""

    def __init__(self, a: Any):
        self._base = a
        self._index = 0

    @property
    def base(self) -> Any:
        """The array this iterates over."""
        return self._base

    def _index_of(self, index: Any) -> slice | int:
        if index is Ellipsis:
            return slice(None)
        if not isinstance(index, (bool, tuple)):
            if isinstance(index, slice):
                return index
            if np.isscalar(index):
                index = int(index)
                if not -len(self) <= index < len(self):
                    raise IndexError(f"Index {index} is out of bounds for axis 0 with size {len(self)}")
                return index
        raise IndexError("unsupported iterator index")

    def __getitem__(self, index: Any) -> Any:
        index = self._index_of(index)
        return self._base.ravel()[index].copy()

    def __setitem__(self, index: Any, value: Any) -> None:
        index = self._index_of(index)
        base = self._base
        if isinstance(index, int):
            base[np.unravel_index(index % len(self), base.shape)] = value
            return
        value = asarray(value, dtype=base.dtype)
        positions = range(*index.indices(base.size))
        if not len(positions):
            return
        written = len(positions) * base.itemsize
        launch.submit(
            "cupy_flatiter_setitem_slice",
            _assign,
            (base._a, value._a, index, len(positions)),
            reads=(value._a,),
            writes=(base._a,),
            bytes_read=min(value.size, len(positions)) * value.itemsize,
            bytes_written=written,
        )

    def __iter__(self) -> flatiter:
        return self

    def __next__(self) -> Any:
        if self._index == len(self):
            raise StopIteration
        self._index += 1
        return self[self._index - 1]

    def __len__(self) -> int:
        return self._base.size

    def copy(self) -> Any:
        """A copy as a 1-d array."""
        return self._base.flatten()


def _assign(a: np.ndarray, values: np.ndarray, index: slice, number: int) -> None:
    # Values that are too few begin anew.  NumPy's own flat iterator writes through any strides.
    flat = values.ravel()
    a.flat[index] = flat if flat.size == number else np.resize(flat, number)
