"""``capstone.light``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.capstone.light import WEIGHTS, _lit
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _on_device(photo):
    v = photo.astype(cp.float32) / cp.float32(255)
    v = cp.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    return (0.2126 * v[..., 0] + 0.7152 * v[..., 1] + 0.0722 * v[..., 2]).astype(cp.float32)


def _looked_up(photo):
    """256 different numbers: a table of their light."""
    v = cp.arange(256) / 255
    table = cp.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    return (table[photo] @ cp.asarray(WEIGHTS)).astype("float32")


def _starter(photo):
    grey = (photo[..., 0] + photo[..., 1] + photo[..., 2]) / 3
    v = grey / 255
    return ((v + 0.055) / 1.055) ** 2.4


def _through(**options):
    return lambda photo: cp.asarray(_lit(photo.get(), **options))


def _double(photo):
    return cp.asarray(_lit(photo.get()).astype(np.float64))


def _on_host(photo):
    return _lit(photo.get())


def _with_an_axis(photo):
    return _on_device(photo)[..., None]


def _in_place(photo):
    out = _on_device(photo)
    photo[...] = 0
    return out


WRONG = {
    "as given": Wrong(_starter, "overflow"),
    "wraps": Wrong(_through(wraps=True), "overflow"),
    "curve-after": Wrong(_through(curve="after"), "nonlinear"),
    "no-curve": Wrong(_through(curve="none"), "nonlinear"),
    "one-branch": Wrong(_through(low=False), "border"),
    "even-weights": Wrong(_through(weights=(1 / 3, 1 / 3, 1 / 3)), "weights"),
    "blue-first": Wrong(_through(weights=WEIGHTS[::-1]), "order"),
    "by-256": Wrong(_through(top=256.0), "divisor"),
    "double": Wrong(_double, "dtype"),
    "host": Wrong(_on_host, "host"),
    "with-an-axis": Wrong(_with_an_axis, "shape"),
    "aliasing": Wrong(_in_place, "aliasing"),
}
RIGHT = {"branches": _on_device, "a table": _looked_up}
