"""Filters that take a kernel of the user's: SciPy gathers the neighbourhoods, the kernel runs over all of them."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.ndimage as _scipy
from cupy._core import launch
from cupyx._bridge import takes

from gpusim.device import queue

_MODULE = "cupyx.scipy.ndimage"


def _output(output: Any, x: Any) -> Any:
    if isinstance(output, launch.array_class):
        if output.shape != x.shape:
            raise RuntimeError("output shape not correct")
        return output
    return cupy.empty(x.shape, x.dtype if output is None else output)


@takes(_MODULE)
def generic_filter(
    input: Any, function: Any, size: Any, footprint: Any, output: Any, mode: str, cval: float, origin: Any, *, axes: Any
) -> Any:
    """Filter with a ReductionKernel, or with a RawKernel ``(const double* values, int n, double* result)``."""
    if isinstance(function, cupy.ElementwiseKernel):
        raise TypeError("only ReductionKernel allowed (not ElementwiseKernel)")
    if not isinstance(function, (cupy.RawKernel, cupy.ReductionKernel)):
        raise TypeError("bad function type")
    if isinstance(function, cupy.ReductionKernel) and (function.nin != 1 or function.nout != 1):
        raise TypeError("ReductionKernel must have 1 input and output")
    if footprint is None and size is None:
        raise RuntimeError("no footprint or filter size provided")
    shape = footprint.get() if isinstance(footprint, launch.array_class) else footprint
    out = _output(output, input)
    gathered: list[np.ndarray] = []

    def gather(values: np.ndarray) -> float:
        gathered.append(values.copy())
        return 0.0

    queue.run()
    host = input._a.astype(np.float64)
    _scipy.generic_filter(host, gather, size, shape, None, mode, cval, origin, axes=axes)
    if not gathered:
        return out
    windows = cupy.asarray(np.array(gathered))
    if isinstance(function, cupy.ReductionKernel):
        results = cupy.empty(len(gathered), out.dtype)
        out[...] = function(windows.astype(input.dtype), results, axis=1).reshape(input.shape)
    else:
        results = cupy.empty(len(gathered))
        _each(function, "values, width", "results + i")(windows, windows.shape[1], results, len(gathered))
        _store(out, results.reshape(input.shape))
    return out


def _each(function: Any, given: str, result: str) -> Any:
    """A launcher of the user's function for each row of an array of doubles."""
    call = f"{function.name}({given.replace('values', 'values + (long long)i * width')}, {result});"
    code = (
        function.code.replace("__global__", "__device__")
        + '\nextern "C" __global__ void hundredfold_each(const double* values, int width, double* results, int count) {\n'
        + "    int i = blockDim.x * blockIdx.x + threadIdx.x;\n"
        + f"    if (i < count) {{ {call} }}\n}}\n"
    )
    kernel = cupy.RawKernel(code, "hundredfold_each", getattr(function, "options", ()))

    def launch_all(values: Any, width: int, results: Any, count: int) -> None:
        arguments = (values, np.int32(width), results, np.int32(count))
        kernel(((count + 127) // 128,), (128,), arguments)

    return launch_all


def _store(out: Any, values: Any) -> None:
    # As the kernel's cast: a negative value becomes an unsigned integer by way of its magnitude.
    out[...] = values if out.dtype.kind != "u" else cupy.where(values >= 0, values, -values)


@takes(_MODULE)
def generic_filter1d(
    input: Any, function: Any, filter_size: int, axis: int, output: Any, mode: str, cval: float, origin: int
) -> Any:
    """Filter lines with a RawKernel ``(const double* line, ptrdiff_t n, double* result, ptrdiff_t m)``."""
    if input.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    if not isinstance(function, cupy.RawKernel):
        raise TypeError("bad function type")
    if filter_size < 1:
        raise RuntimeError("invalid filter size")
    axis = np.lib.array_utils.normalize_axis_index(axis, input.ndim)
    out = _output(output, input)
    lines: list[np.ndarray] = []
    queue.run()
    host = input._a.astype(np.float64)
    arguments = (filter_size, axis, None, mode, cval, origin)
    _scipy.generic_filter1d(host, lambda line, result: lines.append(line.copy()), *arguments)
    if not lines:
        return out
    length = input.shape[axis]
    results = cupy.empty((len(lines), length))
    run = _each(function, "values, width", f"results + (long long)i * {length}, {length}")
    run(cupy.asarray(np.array(lines)), lines[0].size, results, len(lines))
    queue.run()
    rows = iter(results._a)

    def fill(line: np.ndarray, result: np.ndarray) -> None:
        result[:] = next(rows)

    _store(out, cupy.asarray(_scipy.generic_filter1d(host, fill, *arguments)))
    return out


made = {"generic_filter": generic_filter, "generic_filter1d": generic_filter1d}
