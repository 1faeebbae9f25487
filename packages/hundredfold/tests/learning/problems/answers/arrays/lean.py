"""``arrays.lean``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _std(x):
    return float(x.std())


def _var(x):
    return float(cp.var(x)) ** 0.5


def _one_pass(x):
    # Both sums in one complex number: a fused kernel may end in one reduction only.
    @cp.fuse()
    def sums(x, c):
        return cp.sum((x - c) + 1j * ((x - c) * (x - c)))

    total = complex(sums(x, x[0])) / x.size
    return max(total.imag - total.real**2, 0.0) ** 0.5 if total == total else float("nan")


def _starter(x):
    m = x.mean()
    d = x - m
    return float(cp.sqrt((d**2).sum() / x.size))


def _squares(x):
    return float(cp.sqrt((x * x).mean() - x.mean() ** 2))


def _dot_squares(x):
    return float(cp.sqrt(x.dot(x) / x.size - x.mean() ** 2))


def _host(x):
    return float(x.get().std())


def _sample(x):
    return float(x.std(ddof=1))


def _single(x):
    return float(x.astype(cp.float32).std())


def _left(x):
    return x.std()


def _variance(x):
    return float(x.var())


WRONG = {
    "traffic": Wrong(_starter, "traffic"),
    "cancellation": Wrong(_squares, "cancellation"),
    "cancellation-dot": Wrong(_dot_squares, "cancellation"),
    "transfer": Wrong(_host, "transfer"),
    "ddof": Wrong(_sample, "ddof"),
    "dtype": Wrong(_single, "dtype"),
    "device": Wrong(_left, "device"),
    "squared": Wrong(_variance, "squared"),
}
RIGHT = {"std": _std, "var": _var, "one pass": _one_pass}
