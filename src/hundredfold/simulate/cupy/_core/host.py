"""Crossing from device to host: every one of these waits for the device, and is counted as a transfer."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np

from hundredfold.engine import shapes

from . import launch, unread
from .base import normal_order


class Host:
    """Methods of the device array that read it on the host."""

    __slots__ = ()

    def get(self, stream: Any = None, order: str = "C", out: np.ndarray | None = None, blocking: bool = True):
        """Copy the array to the host.

        Parameters
        ----------
        stream : cupy.cuda.Stream, optional
            Accepted; there is one queue for all streams.
        order : {'C', 'F', 'A'}
            Layout of the result.
        out : numpy.ndarray, optional
            Where to copy to, of the same shape and dtype.
        blocking : bool
            Accepted; the copy is always done on return.

        Returns
        -------
        numpy.ndarray
        """
        if out is not None:
            self._check_out(out)
        else:
            order = normal_order(order, "CFA")
        if shapes.on:
            return unread.fetched(self, out)
        launch.download(self)
        if out is None:
            return self._a.copy(order=order)
        np.copyto(out, self._a)
        return out

    def _check_out(self, out: Any) -> None:
        if not isinstance(out, np.ndarray):
            raise TypeError("Only numpy.ndarray can be obtained fromcupy.ndarray")  # CuPy's own missing space
        if self.dtype != out.dtype:
            raise TypeError(f"{out.dtype} array cannot be obtained from {self.dtype} array")
        if self.shape != out.shape:
            raise ValueError(f"Shape mismatch. Expected shape: {self.shape}, actual shape: {out.shape}")
        if not out.flags.forc:
            raise RuntimeError("`out` cannot be specified when copying to non-contiguous ndarray")

    def set(self, arr: np.ndarray, stream: Any = None) -> None:
        """Copy a host array of the same shape and dtype into this array."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if self.dtype != arr.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if self.shape != arr.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        if not self._a.flags.forc:
            raise RuntimeError("Cannot set to non-contiguous array")
        launch.fill_from_host(self, arr)

    def item(self) -> Any:
        """The only element, as a Python scalar."""
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.get().item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python scalars."""
        return self.get().tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """The elements as bytes."""
        return self.get().tobytes(order)

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the elements to a file."""
        self.get().tofile(fid, sep, format)

    def dump(self, file: Any) -> None:
        """Pickle the array into an open file."""
        pickle.dump(self, file, -1)

    def dumps(self) -> bytes:
        """Pickle the array."""
        return pickle.dumps(self, -1)

    def __array__(self, dtype: Any = None, copy: Any = None):
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    def __reduce__(self):
        from .convert import array

        return array, (self.get(order="A"),)

    def __bool__(self) -> bool:
        if self.size == 0:
            warnings.warn(
                "The truth value of an empty array is ambiguous. Returning False, but in future this will result in "
                "an error. Use `array.size > 0` to check that an array is not empty.",
                DeprecationWarning,
                stacklevel=2,
            )
            return False
        if self.size == 1:
            return bool(self.get())
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())

    def __complex__(self) -> complex:
        return complex(self.get())

    def __bytes__(self) -> bytes:
        return bytes(self.get())

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __format__(self, spec: str) -> str:
        return format(self.get(), spec)
