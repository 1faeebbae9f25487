"""``arrays.count``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.arrays.count import share_of_ones
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _mean(x):
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).mean())


def _counted(x):
    s, c = cp.sin(x), cp.cos(x)
    return int(cp.count_nonzero(s * s + c * c == 1)) / x.size


def _in_steps(x):
    total = cp.square(cp.sin(x))
    total += cp.square(cp.cos(x))
    ones = cp.where(total == 1, 1.0, 0.0)
    return ones.sum().item() / len(x)


def _not_others(x):
    others = (cp.sin(x) ** 2 + cp.cos(x) ** 2) != 1
    return 1 - int(others.sum()) / x.shape[0]


def _all(x):
    return (cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).all()


def _float_all(x):
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).all())


def _floor(x):
    return float(cp.count_nonzero(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1) // x.size)


def _left(x):
    return (cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).mean()


def _fetched(x):
    return share_of_ones(x.get())


def _fetched_mask(x):
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).get().mean())


def _two_numbers(x):
    ones = cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1
    return int(ones.sum()) / int(cp.ones_like(x).sum())


def _number(x):
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).sum())


def _isclose(x):
    return float(cp.isclose(cp.sin(x) ** 2 + cp.cos(x) ** 2, 1).mean())


def _single(x):
    return _mean(x.astype(cp.float32))


def _zero_dimensional(x):
    return (cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).mean().get()


def _percent(x):
    return 100 * _mean(x)


WRONG = {
    "all": Wrong(_all, "all"),
    "all-float": Wrong(_float_all, "all"),
    "floor": Wrong(_floor, "all"),
    "device": Wrong(_left, "device"),
    "type": Wrong(_zero_dimensional, "type"),
    "transfer": Wrong(_fetched, "transfer"),
    "transfer-two": Wrong(_two_numbers, "transfer"),
    "transfer-mask": Wrong(_fetched_mask, "transfer"),
    "count": Wrong(_number, "count"),
    "tolerance": Wrong(_isclose, "tolerance"),
    "dtype": Wrong(_single, "dtype"),
    "unit": Wrong(_percent, "unit"),
}
RIGHT = {"mean": _mean, "count_nonzero": _counted, "in steps": _in_steps, "the others": _not_others}
