"""Interpolation: what CuPy checks, and OpenCV's convention, which SciPy has not."""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np
from cupy._core import launch
from cupyx._bridge import functions, takes

from gpusim.importing.errors import NotSimulatedError

from . import _filters

_MODULE = "cupyx.scipy.ndimage"
_MODES = {
    "constant", "grid-constant", "nearest", "mirror", "reflect", "grid-mirror", "wrap", "grid-wrap", "opencv",
    "_opencv_edge",
}  # fmt: skip


def _checked(name: str) -> Any:
    def before(given: dict) -> None:
        _filters.image(given)
        if not 0 <= given["order"] <= 5:
            raise ValueError("spline order is not supported")
        if given["mode"] not in _MODES:
            raise ValueError(f"boundary mode ({given['mode']}) is not supported")
        if given["mode"] == "constant" and _filters.integer_output(given) and not np.isfinite(given["cval"]):
            raise NotImplementedError("Non-finite cval is not supported for outputs with integer dtype.")
        out = given.get("output")
        if given["input"].dtype.kind == "c":
            if isinstance(out, launch.array_class) and out.dtype.kind != "c":
                raise RuntimeError("output must have complex dtype")

    before.__name__ = name
    return before


rules = {name: {"before": _checked(name)} for name in "map_coordinates affine_transform rotate shift zoom".split()}
rules["affine_transform"]["ignored"] = ("texture_memory", "float64_coords")


_plain = functions(_MODULE, _filters.halves, rules, **rules)
_edt = functions(
    _MODULE,
    _filters.halves,
    ["distance_transform_edt"],
    distance_transform_edt={"before": _filters.distance, "ignored": ("block_params", "float64_distances")},
)["distance_transform_edt"]


@takes(_MODULE)
def map_coordinates(input: Any, coordinates: Any, output: Any, order: int, mode: str, cval: float, prefilter: bool):
    """Values of the input at coordinates; ``mode="opencv"`` fades into the border as OpenCV does."""
    if isinstance(coordinates, launch.array_class) and coordinates.dtype.kind not in "fiu":
        raise ValueError("coordinates should have floating point dtype")
    if mode in ("opencv", "_opencv_edge"):
        input = cupy.pad(input, [(1, 1)] * input.ndim, "constant", constant_values=cval)
        coordinates, mode = coordinates + 1, "constant"
    return _plain["map_coordinates"](input, coordinates, output, order, mode, cval, prefilter)


@takes(_MODULE)
def affine_transform(
    input: Any, matrix: Any, offset: Any, output_shape: Any, output: Any, order: int, mode: str, cval: float,
    prefilter: bool, *, texture_memory: bool, float64_coords: bool,
) -> Any:  # fmt: skip
    """An affine map of the input."""
    if texture_memory:
        raise NotSimulatedError("cupyx.scipy.ndimage.affine_transform(texture_memory=True)", "texture_memory=False")
    if mode not in ("opencv", "_opencv_edge"):
        return _plain["affine_transform"](input, matrix, offset, output_shape, output, order, mode, cval, prefilter)
    ndim = input.ndim
    full = np.eye(ndim + 1)
    host = matrix.get()
    if host.ndim == 1:
        host = np.diag(host)
    full[: host.shape[0], : host.shape[1]] = host
    if host.shape == (ndim, ndim):
        full[:-1, -1] = offset.get() if isinstance(offset, launch.array_class) else offset
    if mode == "opencv":
        # OpenCV's matrix goes from input to output and counts columns first.
        full = np.linalg.inv(full)
        full[:2] = np.roll(full[:2], 1, axis=0)
        full[:2, :2] = np.roll(full[:2, :2], 1, axis=1)
    shape = input.shape if output_shape is None else tuple(output_shape)
    places = np.indices(shape).reshape(ndim, -1)
    places = cupy.asarray(full[:-1, :-1] @ places + full[:-1, -1:])
    dtype = output.dtype if isinstance(output, launch.array_class) else output
    result = map_coordinates(input, places, dtype, order, mode, cval, prefilter).reshape(shape)
    if isinstance(output, launch.array_class):
        output[...] = result
        return output
    return result


@takes(_MODULE)
def rotate(
    input: Any, angle: float, axes: Any, reshape: bool, output: Any, order: int, mode: str, cval: float, prefilter: bool
) -> Any:
    """The input turned in a plane."""
    if mode != "opencv":
        return _plain["rotate"](input, angle, axes, reshape, output, order, mode, cval, prefilter)
    first, second = sorted(i % input.ndim for i in axes)
    cos, sin = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    turn = np.array([[cos, sin], [-sin, cos]])
    shape = np.array(input.shape)
    plane = shape[[first, second]]
    if reshape:
        corners = turn @ [[0, 0, plane[0], plane[0]], [0, plane[1], 0, plane[1]]]
        shape[[first, second]] = (np.ptp(corners, axis=1) + 0.5).astype(int)
    matrix, offset = np.eye(input.ndim), np.zeros(input.ndim)
    matrix[np.ix_([first, second], [first, second])] = turn
    offset[[first, second]] = (plane - 1) / 2 - turn @ ((shape[[first, second]] - 1) / 2)
    return affine_transform(
        input, cupy.asarray(matrix), cupy.asarray(offset), tuple(shape), output, order, "_opencv_edge", cval, prefilter
    )


@takes(_MODULE)
def shift(input: Any, shift: Any, output: Any, order: int, mode: str, cval: float, prefilter: bool) -> Any:
    """The input moved along its axes."""
    if mode != "opencv":
        return _plain["shift"](input, shift, output, order, mode, cval, prefilter)
    steps = [shift] * input.ndim if np.isscalar(shift) else list(shift)
    offset = cupy.asarray([-float(s) for s in steps])
    return affine_transform(input, cupy.ones(input.ndim), offset, None, output, order, "_opencv_edge", cval, prefilter)


@takes(_MODULE)
def zoom(
    input: Any, zoom: Any, output: Any, order: int, mode: str, cval: float, prefilter: bool, *, grid_mode: bool
) -> Any:
    """The input made larger or smaller."""
    if mode != "opencv":
        return _plain["zoom"](input, zoom, output, order, mode, cval, prefilter, grid_mode=grid_mode)
    factors = [zoom] * input.ndim if np.isscalar(zoom) else list(zoom)
    shape = tuple(int(round(n * f)) for n, f in zip(input.shape, factors, strict=True))
    scale = [n / m if m > 0 else 0.0 for n, m in zip(input.shape, shape, strict=True)]
    offset = [(s - 1) / 2 if m > 0 else 0.0 for s, m in zip(scale, shape, strict=True)]
    return affine_transform(input, cupy.asarray(scale), offset, shape, output, order, "nearest", cval, prefilter)


@takes(_MODULE)
def distance_transform_edt(
    image: Any, sampling: Any, return_distances: bool, return_indices: bool, distances: Any, indices: Any, *,
    block_params: Any, float64_distances: bool,
) -> Any:  # fmt: skip
    """Distances to the nearest background element, in two or three dimensions."""
    _filters.distance({"image": image})
    if block_params is not None:
        _check_blocks(image, block_params)
    for wanted, given, what in ((return_distances, distances, "distances"), (return_indices, indices, "indices")):
        if given is not None and not wanted:
            raise RuntimeError(f"{what} must be None when return_{what} is False")
    if not return_distances and not return_indices:
        raise RuntimeError("at least one of return_distances/return_indices must be True")
    dtype = np.float64 if float64_distances else np.float32
    number = np.int16 if image.ndim == 2 and max(image.shape) <= 1 << 15 else np.int32
    result = _edt(image, sampling, return_distances, return_indices)
    results = list(result) if isinstance(result, tuple) else [result]
    if return_distances:
        results[0] = _into(distances, results[0].astype(dtype), "distances")
    if return_indices:
        results[-1] = _into(indices, results[-1].astype(number), "indices")
    return tuple(results) if len(results) > 1 else results[0]


def _check_blocks(image: Any, params: tuple) -> None:
    """The parallel algorithm's parameters decide nothing here; the real one refuses some."""
    if any(p < 1 for p in params):
        raise ValueError("(m1, m2, m3) in blockparams must be >= 1")
    if image.ndim != 2:
        return
    m1, m2, m3 = params
    if math.log2(m2) % 1 > 1e-5:
        raise ValueError("m2 must be a power of 2")
    block = 32  # a warp
    multiple = math.lcm(block, m1, m2, m3)
    padded = math.ceil(max(image.shape) / multiple) * multiple
    for name, m in zip(("m1", "m2", "m3"), params, strict=True):
        if m > padded // block:
            raise ValueError(f"{name} too large. must be <= padded arr.shape[{0 if name == 'm1' else 1}] // {block}")


def _into(out: Any, value: Any, what: str) -> Any:
    if out is None:
        return value
    if out.shape != value.shape:
        raise RuntimeError(f"{what} array has wrong shape")
    if what == "distances" and out.dtype != value.dtype:
        raise RuntimeError(f"{what} array must have dtype: {value.dtype.type}")
    if what == "indices" and (out.dtype.kind not in "iu" or out.dtype.itemsize < value.dtype.itemsize):
        raise RuntimeError(f"indices array must have an integer dtype of at least {value.dtype.itemsize * 8} bits")
    out[...] = value
    return out


made = {f.__name__: f for f in (map_coordinates, affine_transform, rotate, shift, zoom, distance_transform_edt)}
