"""What an array's copy on the host is, where arrays have only shapes: it crossed the bus, and nobody may look at it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.device import queue, shapes

from . import launch


class Unread:
    """A host array of which only the shape and the type are known.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype):
        self.shape, self.dtype = shape, dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self) -> str:
        size = " × ".join(map(str, self.shape)) or "one value"
        return f"<{size}, {self.dtype}: only the shape is known>"

    def __format__(self, _: str) -> str:
        return repr(self)

    def __cupy_get_ndarray__(self) -> Any:
        """Send it to the device again."""
        made = launch.empty(self.shape, self.dtype)
        launch.fill_from_host(made, made._a)  # of which only the transfer is counted
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise shapes.refuse()


def _refused(self: Any, *_: Any, **__: Any) -> Any:
    raise shapes.refuse()


for _name in (
    "array getitem setitem iter contains bool int float complex index add radd sub rsub mul rmul truediv rtruediv floordiv "
    "rfloordiv mod rmod pow rpow matmul rmatmul and rand or ror xor rxor neg pos abs invert eq ne lt le gt ge round"
).split():
    setattr(Unread, f"__{_name}__", _refused)
Unread.__hash__ = object.__hash__


def fetched(array: Any, out: Any) -> Any:
    """What copying a device array to the host gives: the transfer is counted; a given host array stays as it is."""
    queue.count("memcpy DtoH", array.nbytes, 0, "d2h", reads=(array._a,), writes=(), unread=True)
    queue.synchronize()
    if out is not None:
        raise shapes.refuse("A host array is to be filled with values")
    return Unread(array.shape, array.dtype)
