"""Values of many lanes: choosing between them, parting and joining."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import Arr


class Unmergeable(Exception):
    """Two lanes hold views of different memories in one variable: they cannot go on as one group."""


def take(value, at: np.ndarray) -> Any:
    """The value for some of the lanes."""
    kind = type(value)
    if kind is np.ndarray:
        return value.take(at)
    if kind is Arr:
        return value.map(lambda p: p.take(at))
    if kind is tuple:
        return tuple(take(item, at) for item in value)
    if kind is slice:
        return slice(take(value.start, at), take(value.stop, at), take(value.step, at))
    return value


def join(values: list, sizes: list[int], order: np.ndarray | None):
    """The value of lanes that come from several groups.

    Raises
    ------
    Unmergeable
        If they hold views of different memories.
    """
    first = values[0]
    if all(v is first for v in values):
        if type(first) is not np.ndarray:
            return first
    kind = type(first)
    if kind is tuple:
        return tuple(join(list(items), sizes, order) for items in zip(*values, strict=True))
    if kind is Arr:
        return _join_arrays(values, sizes, order)
    if kind is slice:
        return slice(*(join([getattr(v, n) for v in values], sizes, order) for n in ("start", "stop", "step")))
    if first is None or isinstance(first, str):
        return first
    if not any(type(v) is np.ndarray for v in values) and all(v == first for v in values[1:]):
        return first
    dtype = first.dtype if hasattr(first, "dtype") else np.int64
    out, at = np.empty(sum(sizes), dtype), 0
    for value, n in zip(values, sizes, strict=True):
        out[at : at + n] = value
        at += n
    return out if order is None else out.take(order)


def _join_arrays(values, sizes, order):
    first = values[0]
    if not all(first.same_memory(v) for v in values):
        raise Unmergeable
    parts = [join(list(p), sizes, order) for p in zip(*(v.parts() for v in values), strict=True)]
    n = len(first.shape)
    return first.like(parts[0], tuple(parts[1 : 1 + n]), tuple(parts[1 + n :]))


def select_any(condition, a, b):
    """One of two tuples or arrays of one type, lane by lane."""
    if type(condition) is not np.ndarray:
        return a if condition else b
    if isinstance(a, tuple):
        return tuple(select_any(condition, x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Arr):
        if a is b:
            return a
        if not a.same_memory(b):
            raise Unmergeable
        parts = [x if x is y else np.where(condition, x, y) for x, y in zip(a.parts(), b.parts(), strict=True)]
        n = len(a.shape)
        return a.like(parts[0], tuple(parts[1 : 1 + n]), tuple(parts[1 + n :]))
    return np.where(condition, a, b) if a is not b else a


def pick_lane(items: tuple, index, g: Any = None, place=None):
    """An item of a tuple whose index is only known at run time."""
    n = len(items)
    if type(index) is not np.ndarray:
        at = int(index)
        at += n if at < 0 else 0
        if not 0 <= at < n:
            g.out_of_tuple(n, index, place, 0)
        return items[at]
    index = np.where(index < 0, index + n, index)
    wrong = (index < 0) | (index >= n)
    if wrong.any():
        g.out_of_tuple(n, index, place, int(np.argmax(wrong)))
    result = items[0]
    for k in range(1, n):
        result = select_any(index == k, items[k], result)
    return result
