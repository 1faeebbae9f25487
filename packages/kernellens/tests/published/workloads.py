"""Which kernel a measurement is of, and how it was launched."""

from __future__ import annotations

import functools
import importlib
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import kernellens
from gpusim.hardware import capabilities
from gpusim.hardware.gpus import GPU
from kernellens import times
from kernellens.times import Reuse, Work

from . import kernels
from .table import Row

STORED = Path(__file__).with_name("works.json")

LETTERS = {
    **{" ": 18.0, "e": 10.2, "t": 7.4, "a": 6.5, "o": 6.2, "n": 5.7, "i": 5.6, "s": 5.2, "r": 5.0, "h": 4.9, "d": 3.5},
    **{"l": 3.3, "u": 2.3, "c": 2.2, "m": 2.0, "f": 1.8, "w": 1.8, "g": 1.6, "p": 1.5, "y": 1.4, "b": 1.2, "v": 0.8},
    **{"k": 0.6, "\n": 1.6},
}
"""Percent of the characters of English prose, about; the text of the source is not kept here."""


def start() -> None:
    """Give the kernels the simulated `numba.cuda`, after `gpusim.activate`."""
    kernels.cuda = importlib.import_module("numba.cuda")


def traced(row: Row) -> Work | None:
    """What the kernel of a measurement does; None where its access pattern is not known, or nobody wrote a kernel."""
    found = kernel(row)
    return found and found[0](row, found[1])


def kernel(row: Row) -> tuple[Callable[[Row, re.Match], Work], re.Match] | None:
    """What makes the work of a measurement, and what its operation says of the launch."""
    if re.search(r"(best|slowest) of \d", row.operation):  # as tuned by the source
        return None
    for pattern, make in _MADE.items():
        if found := re.search(pattern, row.operation):
            return make, found
    return None


@functools.cache
def stored() -> dict[str, Work]:
    """The same by the measurement's id, as `ratios.trace` has written it: tracing takes minutes, the model none."""
    data = json.loads(STORED.read_text(encoding="utf-8"))
    works = [Work(**{**each, "reuse": _reuse(each["reuse"]), "notes": tuple(each["notes"])}) for each in data["works"]]
    return {name: works[number] for name, number in data["rows"].items()}


def _reuse(values: dict | None) -> Reuse | None:
    return values and Reuse(**{**values, "again": tuple(tuple(pair) for pair in values["again"])})


def work(row: Row, gpu: GPU) -> Work | None:
    """The stored work of a measurement, with as many blocks on an SM as were let there."""
    made, found = stored().get(row.id), re.search(r"(\d+) blocks/SM", row.operation)
    if made is None or found is None:
        return made
    limit = capabilities.of(gpu.cc)
    shared = limit.shared_per_sm // int(found[1]) - limit.shared_reserved
    return replace(made, sharedmem=shared // limit.shared_unit * limit.shared_unit)


WHY_NOT = {
    r"cuDF|cudf|groupby|group-by|sort|libcudf": "a library's call of many kernels",
    r"CUDA graph": "launched as a graph, which the model does not have",
    r"pointer chase|L2 read": "a figure of gpus.json itself",
    r"merge|read_csv|\bUCX\b": "several GPUs, a network or a disk",
    r"cudaMemcpy": "a transfer",
    r"tile|best of|slowest of|dedispersion|cumsum|axis=1|pack|half2|fast|Warptiling|Autotuning|Vectorized|Buffering"
    r"|Bank Conflicts": "a kernel that the source tunes, and nobody wrote again",
    r"float2|float4|own kernel|cub\b|CuPy|RawKernel|pair counting|ONE thread|CUB": "a kernel that nobody wrote again",
}


def why_not(row: Row) -> str:
    """Why a measurement has no estimate."""
    return next((why for pattern, why in WHY_NOT.items() if re.search(pattern, row.operation)), "not written")


def counted(row: Row) -> Work | None:
    """The least that an operation must do, from the bytes and operations counted at the source; None where nobody counted."""
    if not row.bytes and not row.flops or re.search("pointer chase|L2 read|cudaMemcpy", row.operation):
        return None
    nbytes, flops = (row.bytes or 0) / 2, row.flops or 0
    if "matmul" in row.operation or "SGEMM" in row.operation:
        return Work(row.operation, nbytes, nbytes, products={"tf32" if "TF32" in row.dtype else "float32": flops})
    kind = next((each for each in ("float64", "float32") if each in row.dtype), None)
    return Work(row.operation, nbytes, nbytes, {kind: flops} if kind and flops else {})


# Launches


@functools.cache
def _trace(name: str, griddim, blockdim, make: Callable[..., tuple], *numbers, blocks=None, sharedmem: int = 0):
    kernel = getattr(kernels, name)
    return kernellens.trace(kernel, griddim, blockdim, *make(*numbers), blocks=blocks, sharedmem=sharedmem)


def _vectors(count: int, n: int, dtype: str) -> tuple:
    return tuple(np.ones(n, dtype) for _ in range(count))


def _wide(name: str, count: int, block: int, total: int, dtype: str) -> Work:
    """A kernel with an element for each thread: 21 blocks of it stand for all."""
    trace = _trace(name, 21, block, _vectors, count, 21 * block, dtype)
    return times.work_of(trace, math.ceil(total / block))


def _stream(row: Row, found: re.Match) -> Work:
    name = {"stencil 3pt 1-D": "stencil3", "stencil 5pt 1-D": "stencil5"}.get(found[1], found[1])
    return _wide(name, 3, int(found[2]), int(row.size), "float64")


def _small(row: Row, found: re.Match) -> Work:
    return _wide("scale", 3, 256, int(row.size), "float64")


def _elementwise(name: str):
    def make(row: Row, found: re.Match) -> Work:
        return _wide(name, 3, 256, int(row.size), row.dtype)

    return make


def _copy_torch(row: Row, found: re.Match) -> Work:
    return Work("copy", row.bytes / 2, row.bytes / 2)


def _matmul(row: Row, found: re.Match) -> Work:
    n = (row.flops / 2) ** (1 / 3)
    kind = "tf32" if "TF32" in row.dtype else "float32"
    return Work("matmul", 8 * n * n, 4 * n * n, products={kind: row.flops})


def _roofline_args(n: int, each: int, pairs: int) -> tuple:
    return (*_vectors(2, n * each, "float32"), np.zeros(1, np.float32), each, pairs, np.float32(0.5))


def _roofline(row: Row, found: re.Match) -> Work:
    """16 elements for each thread, where the source has 4 000 and fewer blocks."""
    trace = _trace("roofline", 5, 256, _roofline_args, 5 * 256, 16, int(found[1]))
    return times.work_of(trace, int(row.size) // (256 * 16))


def _mixbench_args(n: int, pairs: int, dtype: str) -> tuple:
    return np.ones(8 * n, dtype), np.zeros(1, dtype), pairs, np.dtype(dtype).type(0.5)


def _mixbench(row: Row, found: re.Match) -> Work:
    trace = _trace("mixbench", 3, 256, _mixbench_args, 3 * 256, int(found[1]), row.dtype)
    elements = row.bytes / np.dtype(row.dtype).itemsize
    return times.work_of(trace, round(elements / (256 * 8)))


def _atan(row: Row, found: re.Match) -> Work:
    return _wide("atan", 2, 256, int(row.size), "float32")


def _atan_stride(row: Row, found: re.Match) -> Work:
    trace = _trace("atan_stride", 21, 256, _vectors, 2, 21 * 256 * 20, "float32")
    return times.work_of(trace, 50_000)


def _image(high: int, wide: int) -> tuple:
    x = np.ones((high + 14, wide + 14), np.float32)
    return x, np.zeros((high, wide), np.float32)


def _convolution(row: Row, found: re.Match) -> Work:
    """Three by three blocks of an image stand for 4 096 by 4 096; the source keeps the filter in constant memory."""
    numbers = [int(n) for n in found[1].split(",")]
    wide, high, shared = numbers[0], numbers[1], numbers[6]
    name, nbytes = ("convolve_shared", 4 * (wide + 14) * (high + 14)) if shared else ("convolve", 0)
    trace = _trace(name, (3, 3), (wide, high), _image, 3 * high, 3 * wide, sharedmem=nbytes)
    return times.work_of(trace, (4096 // wide, 4096 // high), sharedmem=nbytes)


LADDER = {
    "baseline": ("reduce_remainder", 256, ()),
    "v1": ("reduce_interleaved", 256, ()),
    "v2": ("reduce_sequential", 256, ()),
    "v3": ("reduce_two", 512, ()),
    "v4": ("reduce_last_warp", 512, ()),
    "v5": ("reduce_last_warp", 512, ()),
    "v6": ("reduce_many", 256 * 128, (128,)),
    "v7": ("reduce_many", 256 * 128, (128,)),
    "v8": ("reduce_many", 256 * 128, (128,)),
}


def _sums(n: int, blocks: int, dtype: str, *more) -> tuple:
    return (np.ones(n, dtype), np.zeros(blocks, dtype), *more)


def _reduction(row: Row, found: re.Match) -> Work:
    name, each, more = LADDER[found[1]]
    trace = _trace(name, 5, 256, _sums, 5 * each, 5, "float32", *more)
    return times.work_of(trace, int(row.size) // each)


def _best_sum(row: Row, found: re.Match) -> Work:
    trace = _trace("reduce_many", 5, 256, _sums, 5 * 256 * 32, 5, row.dtype, 32)
    return times.work_of(trace, int(row.size) // (256 * 32))


def _matrices(n: int, inner: int) -> tuple:
    shapes = (n, inner), (inner, n), (n, n)
    return tuple(np.ones(shape, np.float32) for shape in shapes)


GEMMS = {
    1: ("gemm_naive", (32, 32), 32, 64),
    2: ("gemm_coalesced", 1024, 32, 64),
    3: ("gemm_shared", 1024, 32, 64),
    4: ("gemm_column", 512, 64, 32),
    5: ("gemm_square", 256, 128, 16),
}
"""Kernel, block, rows and columns of the result that a block makes, and how many of the 4 096 products that make an element of it
are traced.  The sources also add to what the result was before, once."""


def _gemm(row: Row, found: re.Match) -> Work:
    name, block, tile, inner = GEMMS[int(found[1])]
    trace = _trace(name, (3, 3), block, _matrices, 3 * tile, inner)
    return longer(times.work_of(trace, (4096 // tile, 4096 // tile)), 4096 // inner)


def longer(made: Work, turns: int) -> Work:
    """The work of a kernel whose loop makes so many times the turns, and reads so many times as much."""
    reuse = made.reuse
    if reuse is not None:
        again = tuple((between * turns, nbytes * turns) for between, nbytes in reuse.again)
        each = {name: getattr(reuse, name) * turns for name in ("by_block", "by_warp", "by_request", "block", "warp")}
        reuse = replace(reuse, again=again, **each)
    names = ("read", "requests", "wavefronts", "shared", "instructions", "rounds", "cycles")
    counts = {
        name: {kind: n * turns for kind, n in (getattr(made, name) or {}).items()}
        for name in ("operations", "certain", "slots")
    }
    return replace(made, reuse=reuse, **{name: getattr(made, name) * turns for name in names}, **counts)


def _copies(n: int, each: int) -> tuple:
    return np.arange(n), np.zeros(n, np.int64), each


def _copy(row: Row, found: re.Match) -> Work:
    name = {"blocked": "copy_blocked", "optimized": "copy_striped"}[found[1]]
    trace = _trace(name, 5, 256, _copies, 5 * 256 * 64, 64)
    return times.work_of(trace, int(row.size) // (256 * 64))


def _text(n: int, each: int) -> tuple:
    odds = np.array([*LETTERS.values()])
    letters = np.array([ord(letter) for letter in LETTERS], np.uint8)
    values = np.random.default_rng(0).choice(letters, n, p=odds / odds.sum())
    return values, np.zeros(256, np.int32), each


def _histogram(row: Row, found: re.Match) -> Work:
    name, each = {"global": ("histogram_global", 8), "localized": ("histogram_shared", 32)}[found[1]]
    trace = _trace(name, 16, 512, _text, 16 * 512 * each, each)
    return times.work_of(trace, int(row.size) // (512 * each))


def _dot(row: Row, found: re.Match) -> Work:
    """The source's numbers are of 16 bits; Numba's atomics begin at 32."""
    trace = _trace("dot_one_address", 16, 256, _vectors, 3, 16 * 256, "float32")
    made = times.work_of(trace, int(row.size) // 256)
    return replace(made, read=made.read / 2)


def _gemv_args(rows: int, columns: int) -> tuple:
    return np.ones((rows, columns), np.float32), np.ones(columns, np.float32), np.zeros(rows, np.float32)


def _gemv(row: Row, found: re.Match) -> Work:
    rows, columns = (int(n) for n in row.size.split("x"))
    trace = _trace("gemv", 21, 128, _gemv_args, 21 * 4, columns)
    return times.work_of(trace, rows // 4)


_MADE: dict[str, Callable[[Row, re.Match], Work]] = {
    r"^(init|read|scale|triad|stencil 3pt 1-D|stencil 5pt 1-D), block (\d+), (\d+) blocks/SM": _stream,
    r"^scale A=B\*0.25, block 256, back to back, one stream": _small,
    r"^2 streams \+ (\d+) dependent FMA": _roofline,
    r"^read-only mixbench, (\d+) FMA": _mixbench,
    r"^15x15 convolution; .* = ([\d,]+)": _convolution,
    r"^sum reduction ladder .*: reduce_(baseline|v\d)": _reduction,
    r"^sum reduction, best|^sum, (own kernel|cub)": _best_sum,
    r"^SGEMM kernel ([1-5]):": _gemm,
    r"^SGEMM kernel 0: cuBLAS|^torch matmul|^matmul, CUPY_TF32": _matmul,
    r"^torch copy_": _copy_torch,
    r"^z=x\*y naive": _elementwise("product"),
    r"^c=a\+b, float, ": _elementwise("addition"),
    r"^gpu_atan, ": _atan,
    r"^gpu_atan_stride, 50000": _atan_stride,
    r"^copy_(blocked|optimized)": _copy,
    r"^histogram_(global|localized)": _histogram,
    r"^dot, one half atomicAdd per thread": _dot,
    r"^sgemv": _gemv,
}
