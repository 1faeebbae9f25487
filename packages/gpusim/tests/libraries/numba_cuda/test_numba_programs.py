"""From outside: whole programs as tutorials have them, run by ``python -m gpusim``."""

import os
import subprocess
import sys
import textwrap

import pytest


def run(tmp_path, program, *, check=True, env=(), command=("-m", "gpusim")):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "NUMBA_"))
    }
    environment |= {"GPUSIM_SIMULATE": "1", "PYTHONWARNINGS": "ignore::numba.NumbaPerformanceWarning", **dict(env)}
    done = subprocess.run(
        [sys.executable, *command, str(path)], capture_output=True, text=True, timeout=300, env=environment
    )
    assert not check or done.returncode == 0, done.stderr
    return done


def test_every_spelling_of_the_import_is_one_module(tmp_path):
    run(
        tmp_path,
        """
        import numba, sys
        from numba import cuda
        import numba.cuda as nc
        from numba.cuda import jit, grid, to_device, shared, atomic, float32, random
        from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
        import numba.cuda.cudadrv.driver
        from numba.cuda.cudadrv.driver import CudaAPIError, CudaDriverError
        from numba.cuda.cudadrv.error import CudaSupportError, NvvmSupportError
        from numba.cuda.cudadrv.devicearray import DeviceNDArray
        from numba.cuda.cudadrv import nvvm, devices
        from numba.cuda.core.errors import NumbaPerformanceWarning
        from numba.core.errors import NumbaPerformanceWarning as real
        from numba.cuda.cudadrv.driver import LinkerError
        from numba.cuda.kernels.reduction import Reduce
        from numba.cuda.args import In, Out
        assert nc is cuda is numba.cuda is sys.modules["numba.cuda"]
        assert jit is cuda.jit and grid is cuda.grid and NumbaPerformanceWarning is real
        assert issubclass(CudaAPIError, CudaDriverError) and Reduce is cuda.reduce is cuda.Reduce
        assert cuda.float32 is numba.float32 and cuda.types.Array is numba.types.Array
        assert cuda.float3 is cuda.float32x3 and cuda.gpus[0].name and cuda.is_available() and cuda.detect()
        """,
    )


def test_the_first_kernel_of_every_tutorial(tmp_path):
    done = run(
        tmp_path,
        """
        from numba import cuda
        import numpy as np

        @cuda.jit
        def increment_by_one(an_array):
            pos = cuda.grid(1)
            if pos < an_array.size:
                an_array[pos] += 1

        an_array = np.arange(1000)
        threadsperblock = 32
        blockspergrid = (an_array.size + (threadsperblock - 1)) // threadsperblock
        increment_by_one[blockspergrid, threadsperblock](an_array)
        print(an_array.sum(), an_array[:3])

        @cuda.jit
        def matmul(A, B, C):
            i, j = cuda.grid(2)
            if i < C.shape[0] and j < C.shape[1]:
                tmp = 0.
                for k in range(A.shape[1]):
                    tmp += A[i, k] * B[k, j]
                C[i, j] = tmp

        A, B = np.full((24, 12), 3, float), np.full((12, 22), 4, float)
        C_global_mem = cuda.device_array((24, 22))
        matmul[(2, 2), (16, 16)](cuda.to_device(A), cuda.to_device(B), C_global_mem)
        assert (C_global_mem.copy_to_host() == A @ B).all()
        """,
    )
    assert done.stdout.split("\n")[0] == "500500 [1 2 3]"


def test_a_kernel_in_a_program_that_imported_numba_before(tmp_path):
    run(
        tmp_path,
        """
        import sys
        import numba
        import gpusim
        gpusim.activate()
        from numba import cuda
        assert "numba_cuda" in cuda.__file__ and numba.cuda is cuda
        """,
        command=(),
    )


def test_the_numba_simulator_setting_is_ignored_in_a_line(tmp_path):
    done = run(tmp_path, "from numba import cuda\nprint(cuda.jit)\n", env={"NUMBA_ENABLE_CUDASIM": "1"})
    assert "NUMBA_ENABLE_CUDASIM is set and ignored" in done.stderr and "decorators.jit" not in done.stderr


@pytest.mark.large
def test_the_real_warnings_stand_at_the_line_that_causes_them_and_can_be_switched_off(tmp_path):
    program = """
    import numpy as np
    from numba import cuda
    @cuda.jit
    def k(x):
        x[cuda.grid(1)] = 1
    x = np.zeros(32)
    k[1, 32](x)
    """
    plain = {"PYTHONWARNINGS": "default"}
    said = run(tmp_path, program, env=plain).stderr
    assert "program.py:8: NumbaPerformanceWarning: Grid size 1 will likely result in GPU under-utilization" in said
    assert "Host array used in CUDA kernel will incur copy overhead to/from device." in said
    quiet = {"NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0", "NUMBA_CUDA_WARN_ON_IMPLICIT_COPY": "0"}
    assert "Warning" not in run(tmp_path, program, env=plain | quiet).stderr
    assert "Warning" not in run(tmp_path, program, env=plain | {"NUMBA_DISABLE_PERFORMANCE_WARNINGS": "1"}).stderr


@pytest.mark.large
def test_dask_sends_kernels_and_device_arrays(tmp_path):
    done = run(
        tmp_path,
        """
        import numpy as np
        from dask.distributed import Client, LocalCluster
        from numba import cuda

        def main():
            @cuda.jit(device=True)
            def square(x):
                return x * x

            @cuda.jit
            def squares(x, y):
                i = cuda.grid(1)
                if i < x.size:
                    y[i] = square(x[i])

            def work(n):
                x = cuda.to_device(np.arange(n, dtype=np.float64))
                y = cuda.device_array_like(x)
                squares[(n + 127) // 128, 128](x, y)
                return y

            with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster, Client(cluster) as client:
                futures = client.map(work, range(1, 6))
                sums = client.map(lambda y: float(y.copy_to_host().sum()), futures)
                print(client.gather(sums))
                array = client.gather(futures[4])  # through pickle's buffers, into this process
                print(type(array).__name__, array.copy_to_host().tolist())
                back = client.submit(lambda a: float(a.copy_to_host()[-1]), client.scatter(array))
                print(back.result())

        if __name__ == "__main__":
            main()
        """,
    )
    assert done.stdout.splitlines() == [
        "[0.0, 1.0, 5.0, 14.0, 30.0]",
        "DeviceNDArray [0.0, 1.0, 4.0, 9.0, 16.0]",
        "16.0",
    ], done.stderr


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_vectorize_reduce_and_random_in_both_ways(tmp_path, way):
    run(
        tmp_path,
        """
        import math
        import numpy as np
        from numba import cuda, vectorize
        from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

        @vectorize(["float32(float32, float32)"], target="cuda")
        def add(a, b):
            return a + b

        a = np.arange(300, dtype=np.float32)
        assert (add(a, a) == 2 * a).all()

        @cuda.reduce
        def total(a, b):
            return a + b

        assert total(np.arange(300.0)) == 44850.0

        @cuda.jit
        def draw(states, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = xoroshiro128p_uniform_float32(states, i)

        out = np.zeros(4, np.float32)
        draw[1, 4](create_xoroshiro128p_states(4, seed=1), out)
        print([float(v).hex() for v in out])
        """,
        env={"GPUSIM_KERNELS": way},
    )


def test_kernels_in_a_text_for_exec(tmp_path):
    """The text's own imports compile hundreds of other texts before its kernels are decorated."""
    run(
        tmp_path,
        '''
        exec("""
        from numba import cuda, vectorize
        from cupyx import jit
        import cupy as cp
        import numpy as np

        @vectorize(["float64(float64)"], target="cuda")
        def plus(a):
            return a + 1

        @cuda.reduce
        def add(a, b):
            return a + b

        @jit.rawkernel()
        def threes(x):
            x[jit.threadIdx.x] = 3

        @cuda.jit(device=True)
        def twice(a):
            return a * 2

        @cuda.jit
        def kernel(x):
            x[cuda.grid(1)] = twice(2)

        assert plus(np.zeros(3)).tolist() == [1, 1, 1] and add(np.ones(30)) == 30
        x = cp.zeros(4)
        threes[1, 4](x)
        assert x.tolist() == [3, 3, 3, 3]
        kernel[1, 4](x)
        assert x.tolist() == [4, 4, 4, 4]
        """)
        ''',
    )
