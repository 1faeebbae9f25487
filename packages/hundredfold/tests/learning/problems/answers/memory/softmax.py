"""``memory.softmax``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.memory.softmax import softmax

from ..edits import Wrong


def _starter(x):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _fused_exp(x):
    @cp.fuse()
    def shifted(x, m):
        return cp.exp(x - m)

    e = shifted(x, x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _twice(x):
    add = cp.ReductionKernel("T x, T m", "T y", "exp(x - m)", "a + b", "y = a", "0", "add_exp")
    m = x.max(axis=1, keepdims=True)
    return cp.fuse(kernel_name="fused")(lambda x, m, s: cp.exp(x - m) / s)(x, m, add(x, m, axis=1, keepdims=True))


def _online(x):
    # The largest number and the sum in one pass: a pair (m, s) stands for s·exp(m), and two pairs can be joined.
    pair = cp.ReductionKernel(
        "T x",
        "complex128 y",
        "complex<double>(x, 1.0)",
        "join(a, b)",
        "y = a",
        "complex<double>(-1.0 / 0.0, 0.0)",
        "online",
        preamble=_JOIN,
    )
    both = pair(x, axis=1, keepdims=True)
    finish = cp.ElementwiseKernel("T x, T m, T s", "T y", "y = exp(x - m) / s", "finish")
    return finish(x, both.real, both.imag)


_JOIN = """
__device__ complex<double> join(complex<double> a, complex<double> b) {
    double m = a.real() > b.real() || a.real() != a.real() ? a.real() : b.real();
    double s = 0;
    if (a.imag() > 0) s += a.imag() * exp(a.real() - m);
    if (b.imag() > 0) s += b.imag() * exp(b.real() - m);
    return complex<double>(m, s);
}
"""


def _by_the_first(x):
    e = cp.fuse(kernel_name="fused")(lambda x, m: cp.exp(x - m))(x, x[:, :1])
    return e / e.sum(axis=1, keepdims=True)


def _plain(x):
    e = cp.exp(x)
    return e / e.sum(axis=1, keepdims=True)


def _one_maximum(x):
    if x.size == 0:
        return cp.empty_like(x)
    e = cp.fuse(kernel_name="fused")(lambda x, m: cp.exp(x - m))(x, x.max())
    return e / e.sum(axis=1, keepdims=True)


def _whole(x):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum()


def _down(x):
    if x.size == 0:
        return cp.empty_like(x)
    e = cp.exp(x - x.max(axis=0))
    return e / e.sum(axis=0)


def _in_place(x):
    if x.size == 0:
        return x.copy()
    x -= x.max(axis=1, keepdims=True)
    cp.exp(x, out=x)
    x /= x.sum(axis=1, keepdims=True)
    return x


def _out_of_place_once(x):
    e = x - x.max(axis=1, keepdims=True)
    cp.exp(e, out=e)
    e /= e.sum(axis=1, keepdims=True)
    return e


def _single(x):
    return _fused_exp(x.astype(cp.float32)).astype(cp.float64)


def _host(x):
    return _fused_exp(x).get()


def _round_trip(x):
    return cp.asarray(softmax(x.get()))


def _asked(x):
    e = _fused_exp(x)
    return e if bool(cp.isfinite(e).all()) else e


def _logarithm(x):
    m = x.max(axis=1, keepdims=True)
    return x - m - cp.log(cp.exp(x - m).sum(axis=1, keepdims=True))


WRONG = {
    "traffic": Wrong(_starter, "traffic"),
    "traffic-out": Wrong(_out_of_place_once, "traffic"),
    "keepdims under fuse": Wrong(lambda x: cp.fuse(kernel_name="fused")(_starter)(x), "exception"),
    "overflow": Wrong(_plain, "overflow"),
    "one-maximum": Wrong(_one_maximum, "axis"),
    "by the first": Wrong(_by_the_first, "value"),
    "whole": Wrong(_whole, "axis"),
    "down": Wrong(_down, "axis"),
    "aliasing": Wrong(_in_place, "aliasing"),
    "dtype": Wrong(_single, "dtype"),
    "host": Wrong(_host, "host"),
    "transfer": Wrong(_round_trip, "transfer"),
    "a bool": Wrong(_asked, "transfer"),
    "logarithm": Wrong(_logarithm, "value"),
}
RIGHT = {"fused exponential": _fused_exp, "computed twice": _twice, "one pass for both": _online}
