"""Sorting as a stable sort does it, by NumPy's other kinds, which are several times as fast for numbers.

What can be seen of a sort's stability is repaired afterwards: zeros of both signs, bits of NaNs, and in `argsort` the order of equals.
"""

from __future__ import annotations

import numpy as np

_SMALL = 4096
"""Elements below which nothing is gained."""


def sort(a: np.ndarray, axis: int = -1) -> None:
    """Sort an array in place, with the result of ``a.sort(axis, kind="stable")``."""
    if a.dtype.kind in "iub":
        a.sort(axis)
    elif a.dtype.kind != "f" or a.size < _SMALL or not (a.ndim == 1 or _plain(a)):
        a.sort(axis, kind="stable")
    else:
        zeros, nans = (a[a == 0], a[np.isnan(a)]) if a.ndim == 1 else (a[:0], a[:0])
        a.sort(axis)
        if np.signbit(zeros).any():
            first = np.searchsorted(a, 0)
            a[first : first + len(zeros)] = zeros
        if len(nans):  # NumPy's fast kinds write NaNs of one kind in the place of all
            a[-len(nans) :] = nans


def _plain(a: np.ndarray) -> bool:
    """Whether equal elements of an array of floats have equal bits, and those of NaNs are NumPy's own."""
    odd = np.isnan(a)
    bits = a.view(f"u{a.itemsize}")
    if (bits[odd] != np.array(np.nan, a.dtype).view(bits.dtype)).any():
        return False
    return not np.signbit(a[a == 0]).any()


def argsort(a: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the result of ``np.argsort(a, axis, kind="stable")``."""
    if a.dtype.kind not in "iuf" or a.dtype.itemsize < 4 or a.size < _SMALL:
        return np.argsort(a, axis, kind="stable")
    lanes = np.moveaxis(a, axis, -1)
    if a.dtype.kind in "iu" and (keys := _numbered(lanes)) is not None:
        return np.moveaxis(keys, -1, axis)
    order = np.argsort(lanes, -1)
    values = np.take_along_axis(lanes, order, -1)
    equal = np.zeros(values.shape, bool)  # whether it is one of a run of equals, and not the first
    np.equal(values[..., 1:], values[..., :-1], out=equal[..., 1:])
    if a.dtype.kind == "f":
        nan = np.isnan(values)
        equal[..., 1:] |= nan[..., 1:] & nan[..., :-1]
    if equal.any():
        runs = equal.reshape(-1)
        first = ~runs
        runs[:-1] |= runs[1:]  # and the first of each run
        flat = order.reshape(-1)
        number = np.cumsum(first)[runs]
        keys = number * lanes.shape[-1] + flat[runs]
        keys.sort()
        flat[runs] = keys - number * lanes.shape[-1]
    return np.moveaxis(order, -1, axis)


def _numbered(lanes: np.ndarray) -> np.ndarray | None:
    """Positions that sort integers along the last axis; None where a value and a position do not fit into 64 bits.

    Equal values keep their order, since the position is the lower part of what is sorted, and sorting numbers is faster than sorting positions.
    """
    low, bits = lanes.min(), (lanes.shape[-1] - 1).bit_length()
    if int(lanes.max()) - int(low) >= 1 << (63 - bits):
        return None
    keys = (lanes - low).view(f"u{lanes.itemsize}").astype(np.int64, order="C")  # the difference may wrap around
    keys <<= bits
    keys |= np.arange(lanes.shape[-1])
    keys.sort(-1)
    keys &= (1 << bits) - 1
    return keys
