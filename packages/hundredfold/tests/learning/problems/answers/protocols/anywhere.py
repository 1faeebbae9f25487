"""``protocols.anywhere``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems import devices
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _space(x):
    return x.__array_namespace__() if hasattr(x, "__array_namespace__") else np


def _right(x):
    xp = _space(x)
    length = xp.sqrt(xp.sum(x * x, axis=1, keepdims=True))
    return x / xp.where(length == 0, 1, length)


def _operators(x):
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    return x / (length + (length == 0).astype(x.dtype))


def _numpy(x):
    length = np.sqrt(np.sum(x * x, axis=1, keepdims=True))
    return x / np.where(length == 0, 1, length)


def _cupy(x):
    length = cp.sqrt(cp.sum(x * x, axis=1, keepdims=True))
    return x / cp.where(length == 0, 1, length)


def _module_of(x):
    xp = cp.get_array_module(x)
    length = xp.sqrt(xp.sum(x * x, axis=1, keepdims=True))
    return x / xp.where(length == 0, 1, length)


def _writes(x):
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    length[length == 0] = 1
    return x / length


def _asks(x):
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    if (length == 0).any():
        length = length + (length == 0).astype(x.dtype)
    return x / length


def _fetches(x):
    return _right(cp.asnumpy(x) if devices.is_device(x) else x)


def _uploads(x):
    return _right(cp.asarray(x))


def _computes(x):
    return _operators(x.compute() if hasattr(x, "compute") else x)


def _no_guard(x):
    return x / (x * x).sum(axis=1, keepdims=True) ** 0.5


def _columns(x):
    xp = _space(x)
    length = xp.sqrt(xp.sum(x * x, axis=0, keepdims=True))
    return x / xp.where(length == 0, 1, length)


def _whole(x):
    xp = _space(x)
    length = xp.sqrt(xp.sum(x * x))
    return x / xp.where(length == 0, 1, length)


def _no_root(x):
    xp = _space(x)
    square = xp.sum(x * x, axis=1, keepdims=True)
    return x / xp.where(square == 0, 1, square)


def _in_place(x):
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    x /= length + (length == 0).astype(x.dtype)
    return x


def _double(x):
    return _operators(x.astype("float64"))


def _by_reciprocal(x):
    xp = _space(x)
    squares = (x * x).sum(axis=1, keepdims=True)
    return x * (1 / xp.sqrt(xp.where(squares == 0, 1, squares)))


def _chosen_last(x):
    xp = _space(x)
    length = xp.sqrt((x**2).sum(axis=-1, keepdims=True))
    empty = length == 0
    return xp.where(empty, x, x / (length + empty.astype(x.dtype)))


WRONG = {
    "numpy": Wrong(_numpy, "transfer"),
    "module": Wrong(_module_of, "transfer"),
    "cupy": Wrong(_cupy, "exception"),
    "writes": Wrong(_writes, "exception"),
    "asks": Wrong(_asks, "eager"),
    "computes": Wrong(_computes, "eager"),
    "host": Wrong(_fetches, "host"),
    "uploads": Wrong(_uploads, "backend"),
    "nan": Wrong(_no_guard, "nan"),
    "axis": Wrong(_columns, "axis"),
    "whole": Wrong(_whole, "axis"),
    "squared": Wrong(_no_root, "squared"),
    "aliasing": Wrong(_in_place, "aliasing"),
    "dtype": Wrong(_double, "dtype"),
}
RIGHT = {
    "with a namespace": _right,
    "with operators": _operators,
    "by the reciprocal": _by_reciprocal,
    "chosen last": _chosen_last,
}
