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


def _fused(x):
    @cp.fuse()
    def squares(x, mean):
        return cp.sum((x - mean) ** 2)

    return float(cp.sqrt(squares(x, x.mean()) / x.size))


def _in_pieces(x):
    count, mean, squares = 0, 0.0, 0.0
    for start in range(0, x.size, 20_000):
        piece = x[start : start + 20_000]
        away = float(piece.mean()) - mean
        squares += float(piece.var()) * piece.size + away**2 * count * piece.size / (count + piece.size)
        count += piece.size
        mean += away * piece.size / count
    return (squares / count) ** 0.5


def _corrected(x):
    # The sum of the differences would be 0 if the mean were exact.
    @cp.fuse()
    def differences(x, near):
        return cp.sum(x - near)

    @cp.fuse()
    def squares(x, near):
        return cp.sum((x - near) * (x - near))

    near = x[:1].mean()
    rest = differences(x, near) / x.size
    return float(cp.sqrt(squares(x, near + rest) / x.size))


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
RIGHT = {
    "std": _std,
    "var": _var,
    "one pass": _one_pass,
    "fused": _fused,
    "in pieces": _in_pieces,
    "corrected": _corrected,
}
