"""``numba_cuda_mlir``: the simulated ``numba.cuda`` under its successor's name, and what numba-cuda-mlir 0.6's source has otherwise."""

import importlib

import numpy as np
import pytest

from gpusim.importing.errors import NotSimulatedError, NotSimulatedImport


@pytest.fixture
def mlir(cuda):
    return importlib.import_module("numba_cuda_mlir.cuda")


def test_the_swap_of_one_import(mlir):
    """The program of its page on PyPI, with shared memory, random numbers and a device function."""
    from numba_cuda_mlir.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

    cuda = mlir

    @cuda.jit(device=True)
    def twice(a):
        return 2 * a

    @cuda.jit
    def vector_add(a, b, out, states):
        i = cuda.grid(1)
        shared = cuda.shared_array(32, cuda.float32)
        shared[cuda.threadIdx.x] = b[i]
        cuda.syncthreads()
        if i < out.shape[0]:
            out[i] = a[i] + twice(shared[31 - cuda.threadIdx.x]) + min(xoroshiro128p_uniform_float32(states, i), 0)

    a, out = np.arange(32, dtype=np.float32), np.zeros(32, dtype=np.float32)
    vector_add[1, 32](a, a, out, create_xoroshiro128p_states(32, seed=1))
    assert out.tolist() == [i + 2 * (31 - i) for i in range(32)]


def test_its_modules_are_those_of_numba_cuda(mlir):
    import numba_cuda_mlir
    from numba import cuda
    from numba.core import errors as numbas
    from numba_cuda_mlir import types
    from numba_cuda_mlir.cuda.cudadrv.driver import CudaAPIError
    from numba_cuda_mlir.numba_cuda import random
    from numba_cuda_mlir.numba_cuda.core import errors

    assert numba_cuda_mlir.__version__.startswith("0.6.0") and numba_cuda_mlir.cuda is mlir
    assert types is cuda.types and errors is numbas and random is cuda.random is mlir.random
    assert CudaAPIError is cuda.cudadrv.driver.CudaAPIError
    assert mlir.grid is cuda.grid and mlir.HAS_NUMBA is False


def test_annotations_are_the_signature(mlir):
    types = mlir.types

    def kernel(x: types.float32[:], n: types.int64):
        x[0] = n

    assert mlir.jit(kernel).signatures == [(types.float32[:], types.int64)]
    assert mlir.jit(opt_level=0)(kernel).signatures == [(types.float32[:], types.int64)]
    assert mlir.jit(annotations_as_signatures=False)(kernel).signatures == []
    with pytest.raises(TypeError, match="Conflicting signature sources for 'kernel'"):
        mlir.jit("void(float32[:], int64)")(kernel)

    def half(x: types.float32[:], n):
        x[0] = n

    def hinted(x: np.ndarray):
        x[0] = 1

    assert mlir.jit(half).signatures == mlir.jit(hinted).signatures == []
    assert mlir.jit("void(float32[:], int64)")(half).signatures == [(types.float32[:], types.int64)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"nonsense": 1}, "Got invalid options: nonsense"),
        ({"debug": True}, "debug=True requires opt_level=0"),
        ({"opt": False, "opt_level": 0}, "Cannot specify both opt and opt_level"),
        ({"opt_level": 4}, "between 0 and 3, got 4"),
    ],
)
def test_options_that_it_refuses(mlir, options, words):
    with pytest.raises(ValueError, match=words):
        mlir.jit(**options)


def test_options_of_its_compiler_are_taken(mlir):
    cuda = mlir

    @cuda.jit(chip="sm_90", opt_level=2, fast_math=True, lto=False, capi=True)
    def kernel(x):
        x[cuda.grid(1)] = 3

    x = np.zeros(4)
    kernel[1, 4](x)
    assert x.tolist() == [3, 3, 3, 3] and kernel.targetoptions["fastmath"] is True
    assert mlir.jit(debug=True, opt=False)(kernel.py_func).targetoptions["debug"] is True


def test_what_is_not_simulated_is_refused_by_name_and_what_it_lacks_as_it_does(mlir):
    with pytest.raises(NotImplementedError, match="vectorize is not implemented"):
        mlir.vectorize(["float64(float64)"])
    with pytest.raises(NotSimulatedError, match=r"\(dump_ptx=\)"):
        mlir.jit(dump_ptx=True)
    for name in ("compile_mlir", "inline_ptx", "tensor_map"):
        with pytest.raises(NotSimulatedError, match=f"numba_cuda_mlir.cuda.{name} needs a GPU"):
            getattr(mlir, name)
    for name in ("experimental", "intrin"):
        with pytest.raises(NotSimulatedImport, match=f"numba_cuda_mlir.cuda.{name}"):
            importlib.import_module(f"numba_cuda_mlir.cuda.{name}")
    assert not hasattr(mlir, "float8") and not hasattr(mlir, "cext")
    with pytest.raises(ModuleNotFoundError, match="No module named 'numba_cuda_mlir.nothing'"):
        importlib.import_module("numba_cuda_mlir.nothing")
