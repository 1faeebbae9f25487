"""What Series and DataFrame have in common."""

from __future__ import annotations

import copy as copying
from typing import Any

import numpy as np
import pandas as pd

from . import device
from .guard import guarded_class
from .index import ensure_index
from .indexing import AtLocator, IAtLocator, ILocator, Locator
from .wrap import frame_of, index_of, series_of, unwrap, wrap


class Flags:
    """``frame.flags``."""

    def __init__(self, allows_duplicate_labels: bool = True) -> None:
        self.allows_duplicate_labels = allows_duplicate_labels


@guarded_class
class Indexed:
    """Frames that have an index."""

    def abs(self) -> Any:
        """Absolute values."""
        return abs(self)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return object.__new__(cls)

    @property
    def _index(self) -> Any:
        return index_of(self._p.index)

    @property
    def index(self) -> Any:
        """Labels of the rows."""
        out = index_of(self._p.index)
        out._owner = self, self._p.index  # naming it names this object's
        return out

    @index.setter
    def index(self, value: Any) -> None:
        index = ensure_index(value)
        if len(index) != len(self._p) and (self._p.ndim == 1 or self._p.shape[1]):
            raise ValueError(
                f"Length mismatch: Expected axis has {len(self._p)} elements, new values have {len(index)} elements"
            )
        if self._p.ndim == 2 and not self._p.shape[1]:
            self._p = pd.DataFrame(index=index, columns=self._p.columns)
        else:
            self._p = self._p.set_axis(index)

    @property
    def loc(self) -> Any:
        """Selection by label."""
        return Locator(self)

    @property
    def iloc(self) -> Any:
        """Selection by position."""
        return ILocator(self)

    @property
    def at(self) -> Any:
        """One value by label."""
        return AtLocator(self)

    @property
    def iat(self) -> Any:
        """One value by position."""
        return IAtLocator(self)

    @property
    def attrs(self) -> dict:
        """Whatever the user attached."""
        found = self.__dict__.get("_attrs")
        if found is None:
            found = {}
            object.__setattr__(self, "_attrs", found)
        return found

    @attrs.setter
    def attrs(self, value: Any) -> None:
        object.__setattr__(self, "_attrs", dict(value))

    @property
    def flags(self) -> Flags:
        """``allows_duplicate_labels``."""
        if "_flags" not in self.__dict__:
            object.__setattr__(self, "_flags", Flags())
        return self.__dict__["_flags"]

    def set_flags(self, *, copy: bool = False, allows_duplicate_labels: Any = None) -> Any:
        """A copy with other flags."""
        out = self.copy(deep=copy)
        if allows_duplicate_labels is not None:
            if not allows_duplicate_labels and not self._p.index.is_unique:
                raise ValueError("Index has duplicates.")
            object.__setattr__(out, "_flags", Flags(allows_duplicate_labels))
        return out

    def copy(self, deep: bool = True) -> Any:
        """A copy; a shallow one shares memory until either is written to."""
        p = self._p.copy(deep=deep)
        out = series_of(p, type(self)) if p.ndim == 1 else frame_of(p, type(self))
        if self.__dict__.get("_attrs"):
            out.attrs = copying.deepcopy(self._attrs)
        return out

    def _rows(self, positions: Any) -> Any:
        return wrap(self._p.iloc[positions])

    def head(self, n: int = 5) -> Any:
        """The first rows."""
        return self._rows(slice(n))

    def tail(self, n: int = 5) -> Any:
        """The last rows."""
        return self._rows(slice(0, 0)) if n == 0 else self._rows(slice(-n, None))

    def take(self, indices: Any, axis: Any = 0) -> Any:
        """Rows by position."""
        if axis not in (0, "index"):
            raise NotImplementedError("Gather along column axis is not yet supported.")
        on_device = hasattr(indices, "__cuda_array_interface__") and hasattr(indices, "get")
        positions = device.of_cupy(indices) if on_device else np.asarray(unwrap(indices))
        if positions.dtype.kind not in "iub" and positions.size:
            raise ValueError("Gather map must be integer dtype.")
        positions = positions.astype(int)
        if positions.size and (positions.max() >= len(self._p) or positions.min() < -len(self._p)):
            raise IndexError("Gather map index is out of bounds.")
        return self._rows(positions)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """``func(self, …)``."""
        if isinstance(func, tuple):
            func, target = func
            if target in kwargs:
                raise ValueError(f"{target} is both the pipe target and a keyword argument")
            kwargs[target] = self
            return func(*args, **kwargs)
        return func(self, *args, **kwargs)

    def equals(self, other: Any) -> bool:
        """Whether values, types and labels are the same; nulls equal nulls."""
        if other is None or type(self) is not type(other) or self.shape != other.shape:
            return False
        return bool(self._p.equals(other._p)) and self._p.index.equals(other._p.index)

    def add_prefix(self, prefix: str, axis: Any = None) -> Any:
        """Labels with something in front."""
        if axis is not None:
            raise NotImplementedError("axis is currently not implemented.")
        return wrap(self._p.add_prefix(prefix))

    def add_suffix(self, suffix: str, axis: Any = None) -> Any:
        """Labels with something behind."""
        if axis is not None:
            raise NotImplementedError("axis is currently not implemented.")
        return wrap(self._p.add_suffix(suffix))

    def squeeze(self, axis: Any = None) -> Any:
        """Fewer axes where they have length 1."""
        found = self._p.squeeze(axis)
        return wrap(found)

    def tile(self, count: int) -> Any:
        """The rows several times, one after the other."""
        return self._rows(np.tile(np.arange(len(self._p)), count))

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        """Each row several times."""
        repeats = np.asarray(unwrap(repeats))
        if repeats.ndim and len(repeats) != len(self._p):
            raise ValueError("Invalid number of repeats")
        return self._rows(np.repeat(np.arange(len(self._p)), repeats))

    def truncate(self, before: Any = None, after: Any = None, axis: Any = 0, copy: bool = True) -> Any:
        """The rows between two labels."""
        if not copy:
            raise ValueError("Truncating with copy=False is not supported.")
        if not self._p.index.is_monotonic_increasing and not self._p.index.is_monotonic_decreasing:
            raise ValueError("truncate requires a sorted index")
        return wrap(self._p.truncate(before, after, axis))

    def resample(self, rule: Any, closed: Any = None, label: Any = None, convention: str = "start", on: Any = None,
                 level: Any = None, origin: Any = "start_day", offset: Any = None, group_keys: bool = False) -> Any:  # fmt: skip
        """Groups of rows by time."""
        from .resample import resample

        return resample(self, rule, closed, label, convention, on, level, origin, offset)

    def rolling(self, window: Any, min_periods: Any = None, center: bool = False, win_type: Any = None, on: Any = None,
                axis: Any = 0, closed: Any = None, step: Any = None, method: str = "single") -> Any:  # fmt: skip
        """Moving windows."""
        from .window import Rolling

        return Rolling(self, window, min_periods, center, win_type, on, axis, closed, step, method)

    def ewm(self, com: Any = None, span: Any = None, halflife: Any = None, alpha: Any = None, min_periods: Any = 0,
            adjust: bool = True, ignore_na: bool = False, axis: int = 0, times: Any = None) -> Any:  # fmt: skip
        """Exponentially weighted windows."""
        from .window import ExponentialMovingWindow

        return ExponentialMovingWindow(self, com, span, halflife, alpha, min_periods, adjust, ignore_na, axis, times)

    def hash_values(self, method: str = "murmur3", seed: Any = None) -> Any:
        """A hash of each row."""
        from .hashing import hash_values

        return hash_values(self, method, seed)

    def scale(self) -> Any:
        """Values between 0 and 1."""
        low, high = self.min(), self.max()
        return (self - low) / (high - low)
