"""``arrays.port``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.arrays.port import standardise
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong, edit
from ..kept import by_place, kept


def _guarded(x):
    deviation = x.std(axis=0)
    deviation[deviation == 0] = 1
    return (x - x.mean(axis=0)) / deviation


def _asked(x):
    deviation = x.std(axis=0)
    if (deviation == 0).any():  # one bool goes to the host
        deviation = deviation + (deviation == 0)
    return (x - x.mean(axis=0)) / deviation


def _where(x):
    centred = x - cp.mean(x, axis=0, keepdims=True)
    deviation = cp.sqrt(cp.mean(cp.square(centred), axis=0, keepdims=True))
    return cp.where(deviation == 0, 0, centred / cp.where(deviation == 0, 1, deviation)).astype(x.dtype)


def _element_by_element(x):
    rows = [[float(x[i, j]) for j in range(x.shape[1])] for i in range(x.shape[0])]
    return cp.asarray(standardise(np.array(rows, x.dtype).reshape(x.shape)))


def _through_the_host(x):
    return cp.asarray(standardise(x.get()))


WRONG = {
    "host": edit(_guarded, ("/ deviation", "/ deviation).get()"), ("return (", "return (("), reason="host"),
    "axis": edit(_guarded, every=("axis=0", "axis=1, keepdims=True"), reason="axis"),
    # Along the rows without keepdims: NumPy lines the row means up with the columns. Only a square lets that pass.
    "axis-broadcast": edit(_guarded, drop="deviation[deviation == 0] = 1", every=("axis=0", "axis=1"), reason="axis"),
    "whole": edit(_guarded, drop="deviation[deviation == 0] = 1", every=("axis=0", ""), reason="axis"),
    "ddof": edit(_guarded, ("std(axis=0)", "std(axis=0, ddof=1)"), reason="ddof"),
    "dtype": edit(_guarded, ("x.std", "x.astype(cp.float64).std"), reason="dtype"),
    "aliasing": edit(
        _guarded,
        ("return (x - x.mean(axis=0)) / deviation", "x -= x.mean(axis=0)\n    x /= deviation\n    return x"),
        reason="aliasing",
    ),
    "nan": edit(_guarded, drop="deviation[deviation == 0] = 1", reason="nan"),
    "nan-hidden": edit(_where, ("deviation == 0, 0, ", "~(deviation > 0), 0, "), reason="nan"),
    "all-zeros": edit(  # one constant column, and everything becomes zeros
        _where, ("(deviation == 0, 0, ", "((deviation == 0).any(), 0, "), reason="value"
    ),
    "kept by its address": Wrong(kept(_guarded, by_place), "kept"),
    "epsilon": edit(_guarded, ("deviation[deviation == 0] = 1", "deviation += 1e-12"), reason="value"),
    "not below the dtype's epsilon": edit(
        _guarded,
        ("deviation[deviation == 0] = 1", "deviation = cp.maximum(deviation, cp.finfo(x.dtype).eps)"),
        reason="value",
    ),
    "not below a number that is 0 in float32": edit(
        _guarded,
        ("deviation[deviation == 0] = 1", "deviation = cp.maximum(deviation, x.dtype.type(1e-300))"),
        reason="nan",
    ),
    "element by element": Wrong(_element_by_element, "transfer"),
    "transfer": Wrong(_through_the_host, "transfer"),
}
RIGHT = {"guarded": _guarded, "where": _where, "asked first": _asked}
