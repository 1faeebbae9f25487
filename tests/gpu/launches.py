"""The course's kernels at the published sizes: by name, what makes a launch (kernel, grid, block, arguments).

The kernels are those of `packages/gpusim/tests/kernels_set`, which are the course's own and published ones, and the stencil as it was published in 2019.
"""

from __future__ import annotations

import math
from typing import Any

#: Bytes or elements are cut by this in a dry run, where a CPU does it.
SMALL = 64


def make(name: str, dry: bool) -> tuple[Any, Any, Any, tuple]:
    """(kernel, grid, block, arguments on the device)."""
    from numba import cuda

    kernel, grid, block, args = MAKERS[name](dry)
    return (
        kernel,
        grid,
        block,
        tuple(cuda.to_device(value) if hasattr(value, "shape") and value.shape else value for value in args),
    )


def _entry(name):
    from kernels_set import registry

    return registry.one(name).kernel


def _rng():
    import numpy as np

    return np.random.default_rng(10)


def _line(name, arrays, block=256, million=100, each=1):
    """A thread for `each` elements: `arrays(rng, n)` gives the arguments."""

    def make(dry):
        n = (million * 10**6) // (SMALL**2 if dry else 1)
        return _entry(name), math.ceil(n / (block * each)), block, arrays(_rng(), n)

    return make


def _plane(name, arrays, block, side=10_000, tile=None):
    def make(dry):
        n = side // SMALL if dry else side
        grid = tuple(math.ceil(n / each) for each in (tile or block))
        kernel = name if callable(name) else _entry(name)
        return kernel() if callable(name) else kernel, grid, block, arrays(_rng(), n)

    return make


def _smooth(in_order):
    def kernel():
        from hundredfold.toolkit.record.workloads import stencils

        return stencils.kernel(in_order)

    return kernel


def _image(dtype):
    def arrays(rng, n):
        import numpy as np

        return rng.integers(0, 14, (n, n)).astype(dtype), np.zeros((n, n), dtype)

    return arrays


def _square(dtype, count=3):
    def arrays(rng, n):
        import numpy as np

        return *(rng.integers(-9, 9, (n, n)).astype(dtype) for _ in range(count - 1)), np.zeros((n, n), dtype)

    return arrays


def _vectors(dtype, count, scalar=None):
    def arrays(rng, n):
        import numpy as np

        given = [rng.integers(-9, 9, n).astype(dtype) for _ in range(count - 1)]
        return (*(() if scalar is None else (np.dtype(dtype).type(scalar),)), *given, np.zeros(n, dtype))

    return arrays


def _sums(dtype, block=128):
    def arrays(rng, n):
        import numpy as np

        return rng.integers(-9, 9, n).astype(dtype), np.zeros(math.ceil(n / block), dtype)

    return arrays


def _bins(rng, n):
    import numpy as np

    return rng.integers(0, 64, n).astype("u1"), np.zeros(64, "i4")


MAKERS = {
    "stencil int8, as published": _plane(_smooth(False), _image("i1"), (16, 16)),
    "stencil int8, in order": _plane(_smooth(True), _image("i1"), (32, 8)),
    "stencil float32, in order": _plane(_smooth(True), _image("f4"), (32, 8)),
    "saxpy float32": _line("saxpy", _vectors("f4", 3, 2.5)),
    "increment": _line("increment", lambda rng, n: (rng.integers(0, 9, n).astype("f8"),)),
    "transpose, naive": _plane("transpose_naive", _square("f4", 2), (16, 8)),
    "transpose, shared": _plane("transpose_shared", _square("f8", 2), (16, 16)),
    "transpose, padded": _plane("transpose_padded", _square("f4", 2), (32, 8), tile=(32, 32)),
    "transpose, unsigned": _plane("transpose_unsigned", _square("f4", 2), (32, 8), tile=(32, 32)),
    "tree sum of four": _line("tree_sum_of_four", _sums("i8", 512), block=128, each=4),
    "tree sum": _line("tree_sum", _sums("i8"), block=128),
    "tree sum, interleaved": _line("tree_sum_interleaved", _sums("i8"), block=128),
    "histogram, global": _line("histogram_global", _bins),
    "histogram, shared": _line("histogram_shared_private", _bins, block=96),
    "matmul, naive": _plane("matmul_naive", _square("f8"), (8, 4), side=2048),
    "matmul, tiled": _plane("matmul_tiled", _square("f4"), (16, 16), side=4096),
    "matmul, tiled, complex": _plane("matmul_complex64", _square("c8"), (8, 8), side=2048),
}
