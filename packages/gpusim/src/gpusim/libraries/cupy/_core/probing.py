"""What shapes a function of NumPy's would give, where arrays have only shapes.

The function is called on small arrays in place of the large ones, four times with other lengths, and each length of its
result is explained by those of its arguments: the same, one more, the double, the sum, the product.  What can be explained in
no way, or in two that differ, is refused.  Called on other values it must give the same shapes, or they depend on data.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gpusim.device import shapes

from . import launch

SMALL = 8
"""Lengths up to this stay as they are: they mean something, such as three coordinates."""
LARGE = 1000
"""Numbers among the arguments from here on are taken for lengths."""
STEPS = ((11, 6, 13, 9, 21), (17, 14, 5, 19, 8), (29, 7, 23, 11, 17), (13, 18, 9, 26, 5))
"""Of each trial, the smallest length and the steps from one to the next: so that no length is a multiple or a sum of others in
all of them unless it is so on the large arrays."""

_SELECTING = {np.nonzero, np.argwhere, np.flatnonzero, np.unique, np.extract, np.compress}
_ANY_VALUES = {np.linalg.lstsq}  # their usual shape is that of values without pattern


def probed(name: str, function: Callable, args: tuple, kwargs: dict, *, once: bool = False) -> Any:
    """The result of `launch.now` without data, counted as that counts it: an array that is given twice is read twice, or `once`.

    Raises
    ------
    ValuesNeededError
        Where its shape depends on values, or on shapes in a way that is not seen.
    """
    given = list(_arrays((*args, *kwargs.values())))
    read = sum(a.nbytes for a in ({id(a): a for a in given}.values() if once else given))
    if function in _SELECTING:
        result = _selected(name, function, given)
    else:
        lengths = sorted({n for a in given for n in a.shape if n > SMALL} | set(_numbers((*args, *kwargs.values()))))
        trials = [_values(lengths, steps) for steps in STEPS]
        results = [_call(name, function, args, kwargs, trial, 0) for trial in trials]
        _same_for_other_values(name, function, args, kwargs, trials[0], results[0])
        result = _made(name, results, _known(lengths, given, trials))
    written = sum(a.nbytes for a in _arrays((result,)))
    launch.count_now(name, read, written, (*args, *kwargs.values()), result)
    return result


def _selected(name: str, function: Callable, given: list) -> Any:
    a = given[-1]
    n = shapes.selected(given[0].size, name)
    if function is np.nonzero:
        return tuple(launch.empty((n,), np.dtype(np.int64)) for _ in a.shape)
    if function is np.argwhere:
        return launch.empty((n, a.ndim), np.dtype(np.int64))
    return launch.empty((n,), np.dtype(np.int64) if function is np.flatnonzero else a.dtype)


def _arrays(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, launch.array_class):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _arrays(value)


def _numbers(values: Any) -> Iterator[int]:
    for value in values:
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= LARGE:
            yield int(value)
        elif isinstance(value, (list, tuple)):
            yield from _numbers(value)


def _values(lengths: list[int], steps: tuple[int, ...]) -> dict[int, int]:
    """A small length for each: in the same order, and near where they are near."""
    values: dict[int, int] = {}
    small, taken = 0, 0
    for last, n in itertools.pairwise([None, *lengths]):
        if last is not None and n - last <= SMALL:
            small += n - last
        else:
            small += steps[taken % len(steps)] + taken // len(steps)
            taken += 1
        values[n] = small
    return values


def _call(name: str, function: Callable, args: tuple, kwargs: dict, trial: dict, values: int) -> Any:
    rng = np.random.default_rng(0)

    def small(value: Any) -> Any:
        if isinstance(value, launch.array_class):
            shape = tuple(trial.get(n, n) for n in value.shape)
            if math.prod(shape) > 1 << 22:
                raise shapes.refuse(f"The shape of what {name} gives is not known beforehand")
            made = np.sort(rng.random(shape) if shape else rng.random((1,))[0], axis=-1 if shape else None)
            if value.dtype.kind in "biu":
                made = made * 4
            return np.zeros(shape, value.dtype) if values else np.asarray(made).astype(value.dtype)
        if isinstance(value, np.ndarray):
            raise TypeError(f"Unsupported type {np.ndarray}")
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return type(value)(small(item) for item in value)
        if isinstance(value, int) and value in trial and not isinstance(value, bool):
            return trial[value]
        return value

    with np.errstate(all="ignore"):
        return function(*map(small, args), **{key: small(value) for key, value in kwargs.items()})


def _same_for_other_values(name: str, function: Callable, args: tuple, kwargs: dict, trial: dict, first: Any) -> None:
    if function in _ANY_VALUES:
        return
    try:
        other = _call(name, function, args, kwargs, trial, 1)
    except Exception:  # zeros may be refused: a singular matrix
        return
    if _shape(first) != _shape(other):
        raise shapes.refuse(f"How large the result of {name} is depends on values")


def _shape(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.shape
    if isinstance(value, (list, tuple)):
        return [_shape(item) for item in value]
    return value


def _made(name: str, results: list, known: list[Known]) -> Any:
    """The device's result of the small ones."""
    first = results[0]
    if isinstance(first, (np.ndarray, np.generic)):
        first = np.asarray(first)
        if len({np.ndim(r) for r in results}) > 1:
            raise shapes.refuse(f"How large the result of {name} is depends on values")
        each = zip(*(np.shape(r) for r in results), strict=True)
        shape = tuple(_length(name, seen, known) for seen in each)
        return launch.empty(shape, first.dtype, launch.like_order(first, "K"))
    if isinstance(first, (list, tuple)):
        items = [_made(name, list(each), known) for each in zip(*results, strict=True)]
        return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    if first is not None and any(result != first for result in results):
        raise shapes.refuse(f"{name} gives a number that depends on values")
    return first


def _length(name: str, seen: tuple[int, ...], known: list[Known]) -> int:
    """The length that was seen on small arrays, on the large ones."""
    if len(set(seen)) == 1:
        return seen[0]
    for explain in (_sum(1), _times, _sum(2), _product(2), _product(3), _product(4), _sum(3)):
        found = set(explain(seen, known))
        if len(found) == 1:
            return found.pop()
        if found:  # more than one way to see it
            break
    raise shapes.refuse(f"The shape of what {name} gives is not known beforehand")


class Known(NamedTuple):
    """A length, or an array's size, among the arguments: what it is, and what it was in each trial."""

    large: int
    small: tuple[int, ...]


def _known(lengths: list[int], given: list, trials: list[dict]) -> list[Known]:
    known = [Known(n, tuple(trial[n] for trial in trials)) for n in lengths]
    for a in given:
        if a.ndim > 1:
            known.append(Known(a.size, tuple(math.prod(trial.get(n, n) for n in a.shape) for trial in trials)))
    return list(dict.fromkeys(known))


def _sum(n: int) -> Callable:
    return lambda *given: _combined(sum, n, *given)


def _product(n: int) -> Callable:
    return lambda *given: _combined(math.prod, n, *given)


def _combined(combine: Callable, n: int, seen: tuple, known: list[Known]) -> Iterator[int]:
    """Some lengths together, and so many more."""
    for chosen in itertools.combinations_with_replacement(known, n):
        beside = {d - combine(each) for d, each in zip(seen, zip(*(k.small for k in chosen), strict=True), strict=True)}
        if len(beside) == 1:
            yield combine(k.large for k in chosen) + beside.pop()


def _times(seen: tuple, known: list[Known]) -> Iterator[int]:
    """A multiple of one length, or its part, and so many more; the triangle of its pairs."""
    for large, small in known:
        for times in range(2, 9):
            beside = {d - times * n for d, n in zip(seen, small, strict=True)}
            if len(beside) == 1:
                yield times * large + beside.pop()
            for up in (0, times - 1):
                beside = {d - (n + up) // times for d, n in zip(seen, small, strict=True)}
                if len(beside) == 1:
                    yield (large + up) // times + beside.pop()
        for off in (-1, 0, 1):
            if all(d == n * (n + off) // 2 for d, n in zip(seen, small, strict=True)):
                yield large * (large + off) // 2
