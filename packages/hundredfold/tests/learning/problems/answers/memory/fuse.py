"""``memory.fuse``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _starter(x, y):
    return cp.sqrt((x - 1) ** 2 + (y + 2) ** 2)


def _fused(x, y):
    return cp.fuse(kernel_name="distance")(_starter)(x, y)


def _kernel(x, y):
    kernel = cp.ElementwiseKernel("T x, T y", "T d", "T a = x - 1, b = y + 2; d = sqrt(a * a + b * b)", "distance")
    return kernel(x, y)


def _sides(x, y):
    a = x - 1
    b = y + 2
    return cp.sqrt(a * a + b * b)


def _fused_sides(x, y):
    fused = cp.fuse(_sides)
    return fused(x, y)


def _given_out(x, y):
    kernel = cp.ElementwiseKernel(
        "T x, T y, T left, T below",
        "T d",
        "d = sqrt((x - left) * (x - left) + (y - below) * (y - below))",
        "from_point",
    )
    return kernel(x, y, 1, -2, cp.empty_like(x))


def _hypot(x, y):
    return cp.hypot(x - 1, y + 2)


def _in_place(x, y):
    d = x - 1
    d *= d
    e = y + 2
    e *= e
    d += e
    return cp.sqrt(d, out=d)


def _always_double(x, y):
    kernel = cp.ElementwiseKernel(
        "T x, T y", "float64 d", "d = sqrt((x - 1) * (x - 1) + (y + 2) * (y + 2))", "distance"
    )
    return kernel(x, y)


def _only_double(x, y):
    kernel = cp.ElementwiseKernel(
        "float64 x, float64 y", "float64 d", "d = sqrt((x - 1) * (x - 1) + (y + 2) * (y + 2))", "distance"
    )
    return kernel(x, y)


def _half_power(x, y):
    kernel = cp.ElementwiseKernel(
        "T x, T y", "T d", "d = pow((x - 1) * (x - 1) + (y + 2) * (y + 2), (T)(1 / 2))", "distance"
    )
    return kernel(x, y)


def _squares(x, y):
    kernel = cp.ElementwiseKernel("T x, T y", "T d", "d = (x - 1) * (x - 1) + (y + 2) * (y + 2)", "distance")
    return kernel(x, y)


def _exchanged(x, y):
    return _fused(y, x)


def _sign(x, y):
    return cp.fuse(kernel_name="fused")(lambda x, y: cp.sqrt((x + 1) ** 2 + (y - 2) ** 2))(x, y)


def _into_x(x, y):
    kernel = cp.ElementwiseKernel("T x, T y", "T d", "d = sqrt((x - 1) * (x - 1) + (y + 2) * (y + 2))", "distance")
    return kernel(x, y, x)


def _host(x, y):
    return _fused(x, y).get()


def _caret(x, y):
    kernel = cp.ElementwiseKernel("T x, T y", "T d", "d = sqrt((x - 1)^2 + (y + 2)^2)", "distance")
    return kernel(x, y)


def _sums(x, y):
    return cp.fuse(kernel_name="fused")(lambda x, y: cp.abs(x - 1) + cp.abs(y + 2))(x, y)


def _floor(x, y):
    return cp.fuse(kernel_name="fused")(lambda x, y: cp.sqrt(cp.maximum((x - 1) ** 2 + (y + 2) ** 2, 1e-12)))(x, y)


def _multiplied_out(x, y):
    return cp.fuse(kernel_name="fused")(lambda x, y: cp.sqrt(cp.abs(x * x - 2 * x + y * y + 4 * y + 5)))(x, y)


WRONG = {
    "traffic": Wrong(_starter, "traffic"),
    "traffic-hypot": Wrong(_hypot, "traffic"),
    "traffic-in-place": Wrong(_in_place, "traffic"),
    "dtype": Wrong(_always_double, "dtype"),
    "only-double": Wrong(_only_double, "exception"),
    "caret": Wrong(_caret, "exception"),
    "integer": Wrong(_half_power, "integer"),
    "squared": Wrong(_squares, "squared"),
    "operands": Wrong(_exchanged, "operands"),
    "sign": Wrong(_sign, "sign"),
    "city-blocks": Wrong(_sums, "value"),
    "aliasing": Wrong(_into_x, "aliasing"),
    "floor": Wrong(_floor, "value"),
    "multiplied out": Wrong(_multiplied_out, "value"),
    "host": Wrong(_host, "host"),
}
RIGHT = {"fuse": _fused, "kernel": _kernel, "fused sides": _fused_sides, "given out": _given_out}
