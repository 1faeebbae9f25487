"""Shapes and strides of device arrays: indexing and reshaping without data.

The rules are those of numba-cuda's ``dummyarray``, which allows less than NumPy.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np


def contiguity(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> dict[str, bool]:
    """The flags; an array with a stride of 0 is never contiguous."""
    if not shape or 0 in shape:
        return {"C_CONTIGUOUS": True, "F_CONTIGUOUS": True}
    if 0 in strides:
        return {"C_CONTIGUOUS": False, "F_CONTIGUOUS": False}

    def packed(axes: list[tuple[int, int]]) -> bool:
        step = itemsize
        for length, stride in axes:
            if length != 1:
                if stride != step:
                    return False
                step *= length
        return True

    axes = list(zip(shape, strides, strict=True))
    return {"C_CONTIGUOUS": packed(axes[::-1]), "F_CONTIGUOUS": packed(axes)}


def packed_strides(shape: tuple[int, ...], itemsize: int, order: str = "C") -> tuple[int, ...]:
    """The strides of a contiguous array."""
    if order not in ("C", "F"):
        raise ValueError("must be either C/F order")
    strides, step = [], itemsize
    for length in shape if order == "F" else shape[::-1]:
        strides.append(step)
        step *= length
    return tuple(strides if order == "F" else strides[::-1])


def index(shape: tuple[int, ...], strides: tuple[int, ...], item: Any) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Index by integers and slices; returns the offset in bytes and the new shape and strides.

    Raises
    ------
    IndexError
        For too many indices, or one that does not exist.
    TypeError
        For an index that is neither an integer nor a slice.
    """
    items = list(item) if isinstance(item, tuple) else [item]
    if len(items) > len(shape):
        raise IndexError(f"{len(items) - len(shape)} extra indices given")
    items += [slice(None)] * (len(shape) - len(items))
    offset, lengths, steps = 0, [], []
    for axis, (one, length, stride) in enumerate(zip(items, shape, strides, strict=True)):
        if isinstance(one, slice):
            start, stop, step = one.indices(length)
            count = len(range(start, stop, step))
            offset += start * stride if count else 0
            lengths.append(count)
            steps.append(stride * step)
            continue
        try:
            at = operator.index(one)
        except TypeError:
            raise TypeError(
                f"a device array is indexed by integers and slices only, not by {type(one).__name__}: "
                "use a kernel, or copy_to_host() first"
            ) from None
        if not -length <= at < length:
            raise IndexError(f"index {at} is out of bounds for axis {axis} with size {length}")
        offset += (at + length if at < 0 else at) * stride
    return offset, tuple(lengths), tuple(steps)


def whole_shape(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Work out a -1 in a new shape and check that it fits."""
    shape = tuple(operator.index(length) for length in shape)
    unknown = [axis for axis, length in enumerate(shape) if length < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        known = math.prod(length for length in shape if length >= 0)
        if known == 0 or size % known:
            raise ValueError("cannot infer valid shape for unknown dimension")
        shape = (*shape[: unknown[0]], size // known, *shape[unknown[0] + 1 :])
    if math.prod(shape) != size:
        raise ValueError("reshape changes the size of the array")
    return shape


def reshaped(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, new: tuple[int, ...], order: str = "C"
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Reshape without a copy; a contiguous array's elements are taken as they lie in memory.

    Raises
    ------
    NotImplementedError
        If it would need a copy.
    """
    if order not in ("C", "F", "A"):
        raise ValueError("order not C|F|A")
    new = whole_shape(new, math.prod(shape))
    flags = contiguity(shape, strides, itemsize)
    if order == "A":
        order = "F" if flags["F_CONTIGUOUS"] else "C"
    if any(flags.values()):
        return new, packed_strides(new, itemsize, order)
    # NumPy knows whether a view will do; the array is never read.
    reach = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    first = -sum(r for r in reach if r < 0)
    empty = np.empty(sum(map(abs, reach)) + itemsize, np.uint8)
    view = np.ndarray(shape, np.dtype((np.void, itemsize)), empty, first, strides)
    try:
        return new, view.reshape(new, order=order, copy=False).strides
    except ValueError:
        raise NotImplementedError("reshape would require copy") from None


def raveled(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, order: str = "C") -> tuple:
    """One axis instead of all; only for an array that lies in the order asked for."""
    if order not in ("C", "F", "A"):
        raise ValueError("order not C|F|A")
    flags = contiguity(shape, strides, itemsize)
    if (order in "CA" and flags["C_CONTIGUOUS"]) or (order in "FA" and flags["F_CONTIGUOUS"]):
        return (math.prod(shape),), (itemsize,)
    raise NotImplementedError("ravel on non-contiguous array")


def squeezed(shape: tuple[int, ...], strides: tuple[int, ...], axis: Any) -> tuple:
    """Without axes of length 1."""
    if axis is None:
        gone = {i for i, length in enumerate(shape) if length == 1}
    else:
        gone = set(axis if isinstance(axis, tuple) else (axis,))
        if any(shape[i] != 1 for i in gone):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        gone = {i % len(shape) for i in gone}
    kept = [i for i in range(len(shape)) if i not in gone]
    return tuple(shape[i] for i in kept), tuple(strides[i] for i in kept)
