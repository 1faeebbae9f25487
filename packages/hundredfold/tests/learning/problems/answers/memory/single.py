"""``memory.single``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.memory.single import SQRT2

from ..edits import Wrong


def _starter(image):
    gain = np.sqrt(2)
    ramp = cp.linspace(0, 0.5, image.shape[1])
    return cp.minimum(image * gain + ramp, 1)


def _all_single(image):
    ramp = cp.linspace(0, 0.5, image.shape[1], dtype=cp.float32)
    return cp.minimum(image * float(np.sqrt(2)) + ramp, 1)


def _cast_scalar(image):
    gain = cp.float32(np.sqrt(2))
    ramp = cp.linspace(0, 0.5, image.shape[1]).astype(image.dtype)
    return (image * gain + ramp).clip(None, 1)


def _cast_result(image):
    return _starter(image).astype(cp.float32)


def _cast_first(image):
    return _starter(image.astype(cp.float64)).astype(cp.float32)


def _ramp_only(image):
    gain = np.sqrt(2)
    ramp = cp.linspace(0, 0.5, image.shape[1], dtype=cp.float32)
    return cp.minimum(image * gain + ramp, 1)


def _half(image):
    ramp = cp.linspace(0, 0.5, image.shape[1], dtype=cp.float16)
    return cp.minimum(image.astype(cp.float16) * float(np.sqrt(2)) + ramp, 1).astype(cp.float32)


def _in_place(image):
    image *= float(np.sqrt(2))
    image += cp.linspace(0, 0.5, image.shape[1], dtype=cp.float32)
    return cp.minimum(image, 1)


def _down(image):
    ramp = cp.linspace(0, 0.5, image.shape[0], dtype=cp.float32)[:, None]
    return cp.minimum(image * SQRT2 + ramp, 1)


def _uncut(image):
    return image * SQRT2 + cp.linspace(0, 0.5, image.shape[1], dtype=cp.float32)


def _open_end(image):
    ramp = cp.linspace(0, 0.5, image.shape[1], endpoint=False, dtype=cp.float32)
    return cp.minimum(image * SQRT2 + ramp, 1)


def _integer_gain(image):
    ramp = cp.linspace(0, 0.5, image.shape[1], dtype=cp.float32)
    return cp.minimum(image * int(np.sqrt(2)) + ramp, 1)


def _host(image):
    return _all_single(image).get()


def _numpy_ramp(image):
    return cp.minimum(image * SQRT2 + np.linspace(0, 0.5, image.shape[1], dtype=np.float32), 1)


def _double_ramp_added(image):
    out = image * float(np.sqrt(2))
    out += cp.linspace(0, 0.5, image.shape[1])
    return cp.minimum(out, 1, out=out)


def _double_inside(image):
    bright = cp.ElementwiseKernel(
        "float32 p, float32 r", "float32 q", "double v = p * 1.4142135623730951 + r; q = v > 1.0 ? 1.0 : v", "bright"
    )
    return bright(image, cp.linspace(0, 0.5, image.shape[1], dtype=cp.float32))


def _double_ramp_inside(image):
    bright = cp.ElementwiseKernel(
        "float32 p, float64 r", "float32 q", "double v = p * 1.4142135f + r; q = v > 1.0 ? 1.0 : v", "bright"
    )
    return bright(image, cp.linspace(0, 0.5, image.shape[1]))


def _one_kernel(image):
    bright = cp.ElementwiseKernel(
        "float32 p, float32 r", "float32 q", "float v = p * 1.4142135f + r; q = v > 1.0f ? 1.0f : v", "bright"
    )
    return bright(image, cp.linspace(0, 0.5, image.shape[1], dtype=cp.float32))


def _fused(image):
    @cp.fuse()
    def bright(image, ramp):
        return cp.minimum(image * 2**0.5 + ramp, 1)

    return bright(image, cp.linspace(0, 0.5, image.shape[1], dtype=cp.float32))


WRONG = {
    "dtype": Wrong(_starter, "dtype"),
    "dtype-gain": Wrong(_ramp_only, "dtype"),
    "traffic": Wrong(_cast_result, "traffic"),
    "traffic-first": Wrong(_cast_first, "traffic"),
    "a ramp of float64 added in place": Wrong(_double_ramp_added, "dtype"),
    "a double inside": Wrong(_double_inside, "dtype"),
    "a ramp of float64 inside": Wrong(_double_ramp_inside, "dtype"),
    "half": Wrong(_half, "dtype"),
    "aliasing": Wrong(_in_place, "aliasing"),
    "axis": Wrong(_down, "axis"),
    "uncut": Wrong(_uncut, "overflow"),
    "shifted": Wrong(_open_end, "border"),
    "integer": Wrong(_integer_gain, "integer"),
    "host": Wrong(_host, "host"),
    "exception": Wrong(_numpy_ramp, "exception"),
}
RIGHT = {"all single": _all_single, "cast at the source": _cast_scalar, "one kernel": _one_kernel, "fused": _fused}
