"""Arrays that tell who touches them, and a NumPy and a Numba that make such arrays: what a rehearsal plays with."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

_OURS = {str(Path(__file__).with_name(name)) for name in ("watching.py", "rehearsal.py")}


@dataclass(frozen=True)
class Access:
    """One access to an element: the index, the array's shape, and the line of the source that did it."""

    index: tuple[int, ...]
    shape: tuple[int, ...]
    line: str
    number: int
    writes: bool = False

    def __str__(self) -> str:
        where = f"line {self.number}: `{self.line}`" if self.line else f"line {self.number}"
        return f"[{', '.join(map(str, self.index))}] of an array of shape {self.shape}, in {where}"


class Watched(np.ndarray):
    """An array that tells its stage of each element that is read or written."""

    stage: Any = None
    part = False  # a view that an index made

    def __array_finalize__(self, parent: Any) -> None:
        self.stage = getattr(parent, "stage", None)
        if self.stage is not None:
            self.stage.kept.append(self)

    def __getitem__(self, key: Any) -> Any:
        if self.stage is not None and self.stage.indexed(self, key, writes=False):
            return super().__getitem__(key).item()
        got = super().__getitem__(key)
        if isinstance(got, Watched):
            got.part = True
            return got
        return got.item() if isinstance(got, np.generic) else got

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.stage is not None and not self.stage.indexed(self, key, writes=True):
            self.stage.whole(super().__getitem__(key), writes=True)
        if isinstance(value, int) and self.dtype.kind in "iu":
            value = np.array(value).astype(self.dtype)  # stored as machine code stores it, not refused
        super().__setitem__(key, value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def _in_place(self, operation: str, other: Any) -> Any:
        # `total += row` on a whole array is a reduction, which Numba makes safe; on a slice of one it is not.
        if self.part and self.stage is not None:
            self.stage.whole(self, writes=True)
        return getattr(super(), operation)(other)

    def __iadd__(self, other: Any) -> Any:
        return self._in_place("__iadd__", other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place("__isub__", other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place("__imul__", other)


class WatchingNumpy:
    """NumPy whose arrays watch, and whose scalar types give Python numbers."""

    def __init__(self, stage: Any):
        self._stage = stage

    def __getattr__(self, name: str) -> Any:
        value = getattr(np, name)
        if isinstance(value, type) and issubclass(value, np.number):
            return _Scalar(value)
        return self._giving(value) if callable(value) and not isinstance(value, type) else value

    def _giving(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            plain = [each.kind if isinstance(each, _Scalar) else each for each in args]
            named = {key: each.kind if isinstance(each, _Scalar) else each for key, each in kwargs.items()}
            for each in plain:
                self._stage.handed(each)
            got = function(*plain, **named)
            if isinstance(got, np.generic):
                return got.item()
            return self._stage.watched(got) if type(got) is np.ndarray else got

        return call


class _Scalar:
    """A NumPy scalar type: as a dtype it is itself, called it gives the converted Python number."""

    def __init__(self, kind: type):
        self.kind = kind
        self.dtype = np.dtype(kind)  # NumPy asks for it wherever a dtype is wanted

    def __call__(self, value: Any = 0) -> Any:
        return np.asarray(value).astype(self.kind).item()


class RehearsalNumba:
    """Numba whose `prange` and thread numbers are the rehearsal's."""

    def __init__(self, intrinsics: dict[Any, Any]):
        self._ours = {getattr(real, "__name__", ""): ours for real, ours in intrinsics.items()}

    def __getattr__(self, name: str) -> Any:
        if name in self._ours:
            return self._ours[name]
        value = getattr(numba, name)
        return _Scalar(np.dtype(name).type) if name in _TYPES else value


_TYPES = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"}


def address(array: np.ndarray, index: tuple[int, ...]) -> int:
    return array.ctypes.data + sum(i * s for i, s in zip(index, array.strides, strict=True))


def access(array: np.ndarray, index: tuple[int, ...], writes: bool) -> Access:
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in _OURS:
        frame = frame.f_back
    if frame is None:
        return Access(index, array.shape, "", 0, writes)
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return Access(index, array.shape, line, frame.f_lineno, writes)
