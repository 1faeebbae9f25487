"""RawKernel and RawModule: CuPy's documented kernels, and what a GPU would get wrong in silence."""

import gc
import pickle

import numpy as np
import pytest

from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.faults import KernelError, OutOfBoundsError, TraceError

ADD = r"""
extern "C" __global__
void my_add(const float* x1, const float* x2, float* y) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    y[tid] = x1[tid] + x2[tid];
}
"""


def test_one_kernel(cp):
    add = cp.RawKernel(ADD, "my_add")
    x = cp.arange(25, dtype=cp.float32).reshape(5, 5)
    y = cp.zeros((5, 5), dtype=cp.float32)
    add((5,), (5,), (x, x, y))
    assert (y == 2 * x).all()
    copy = pickle.loads(pickle.dumps(add))
    copy((5,), (5,), (y, x, y.copy()))
    with pytest.raises(OutOfBoundsError, match=r"x1\[25\] does not exist.*\n.*line 5 of my_add"):
        copy((5,), (6,), (x, x, y))
        y.get()


def test_it_runs_in_stream_order_and_is_counted(cp):
    from gpusim.device import queue

    add = cp.RawKernel(ADD, "my_add")
    x, y = cp.ones(8, "f4"), cp.zeros(8, "f4")
    add((1,), (8,), (x, x, y))
    before = queue.counters()
    x += 1
    add((1,), (8,), (x, x, y))
    assert queue.pending() and queue.counters().kernels == before.kernels + 2
    assert (y.get() == 4).all()


@pytest.mark.large
def test_shared_memory_templates_references_and_shuffles(cp):
    code = r"""
    #define FULL 0xffffffff
    template <typename T> __device__ __forceinline__ T warp_sum(T v) {
      #pragma unroll
      for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(FULL, v, o);
      return v;
    }
    __device__ void swap2(float &a, float &b) { float t = a; a = b; b = t; }
    extern "C" __global__ void sum(const float* __restrict__ x, float* out, const int n) {
      __shared__ float part[32];
      float v = 0.f;
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
      v = warp_sum(v);
      const int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
      if (lane == 0) part[wid] = v;
      __syncthreads();
      v = (threadIdx.x < blockDim.x / warpSize) ? part[lane] : 0.f;
      if (wid == 0) v = warp_sum<float>(v);
      if (threadIdx.x == 0) atomicAdd(out, v);
      float a = 1, b = 2;
      swap2(a, b);
      if (threadIdx.x == 0 && blockIdx.x == 0) out[1] = a;
    }"""
    x = cp.arange(5000, dtype="f4")
    out = cp.zeros(2, "f4")
    kernel = cp.RawKernel(code, "sum")
    kernel((4,), (128,), (x, out, 5000))
    assert out.get().tolist() == [float(x.sum()), 2.0]
    assert kernel.attributes["shared_size_bytes"] == 128


def test_dynamic_shared_memory_of_two_types(cp):
    code = r"""extern "C" __global__ void k(const int* x, float* y, int n) {
      extern __shared__ char buf[];
      int* si = (int*)buf; float* sf = reinterpret_cast<float*>(si + n);
      int t = threadIdx.x;
      si[t] = x[t]; sf[t] = x[t] * 0.5f;
      __syncthreads();
      y[t] = si[n - 1 - t] + sf[t];
    }"""
    x, y = cp.arange(32, dtype="i4"), cp.zeros(32, "f4")
    kernel = cp.RawKernel(code, "k")
    kernel((1,), (32,), (x, y, 32), shared_mem=256)
    assert (y == cp.arange(31, -1, -1) + x * 0.5).all()
    with pytest.raises(OutOfBoundsError):
        kernel((1,), (32,), (x, y, 32), shared_mem=252)
        y.get()
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_INVALID_VALUE: invalid argument"):
        kernel((1,), (32,), (x, y, 32), shared_mem=50000)
    kernel.max_dynamic_shared_size_bytes = 60000
    kernel((1,), (32,), (x, y, 32), shared_mem=50000)
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_INVALID_VALUE"):
        kernel.max_dynamic_shared_size_bytes = 300_000


def test_statements(cp):
    code = r"""
    enum Op { ADD, MUL = 5, NEG };
    __device__ double add_double(double* address, double val) {
      unsigned long long int* bits = (unsigned long long int*)address;
      unsigned long long int old = *bits, assumed;
      do { assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
      } while (assumed != old);
      return __longlong_as_double(old);
    }
    extern "C" __global__ void k(double* s, int* out, const int* p, int op) {
      add_double(s, 1.5);
      int t = threadIdx.x, r = 0;
      switch (op + t % 4) {
        case ADD: r = 10; break;
        case 1: case 2: r = 20;
        case 3: r += 1; break;
        default: { r = -1; break; }
      }
      int c = 0, n = 0, k = 9;
      do { c++; if (c == 3) continue; n += c; } while (c < 5);
      while (k --> 0) { if (k == 4) break; n += k; }
      const int table[] = {3, 1, 4};
      int grid[2][3] = {{1, 2, 3}, {4, 5}};
      const int* q = p + 2;
      n += *q++ + *q-- + q[1] + table[t % 3] + grid[1][2] + grid[t % 2][1];
      out[t] = (r == 10 ? n : 0) + (c == 5 && NEG == 6 ? 1000 : 0), r++;
    }"""
    s, out, p = cp.zeros(1), cp.zeros(8, "i4"), cp.arange(8, dtype="i4")
    cp.RawKernel(code, "k")((1,), (8,), (s, out, p, 0))
    assert s[0] == 12.0
    n = (1 + 2 + 4 + 5) + (8 + 7 + 6 + 5) + 2 + 3 + 3
    grid = [[1, 2, 3], [4, 5, 0]]
    wanted = [(n + [3, 1, 4][t % 3] + grid[t % 2][1] if t % 4 == 0 else 0) + 1000 for t in range(8)]
    assert out.get().tolist() == wanted


def test_module(cp):
    code = r"""
    #include <cupy/complex.cuh>
    __constant__ float factors[4];
    __device__ int calls = 3;
    template<typename T> __global__ void square(T* x, int n) {
      unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) { x[i] *= x[i]; }
    }
    extern "C" {
    __global__ void scale(float* x) { x[threadIdx.x] *= factors[threadIdx.x]; if (threadIdx.x == 0) calls += 1; }
    }
    """
    names = ("square<int>", "square<float>", "square<complex<double>>")
    module = cp.RawModule(code=code, options=("-std=c++17",), name_expressions=names)
    for name, dtype in zip(names, ("i4", "f4", "c16"), strict=True):
        x = cp.arange(6).astype(dtype) + np.dtype(dtype).type(1)
        wanted = x**2
        module.get_function(name)((1,), (6,), (x, 6))
        assert (x == wanted).all()
    factors = cp.ndarray((4,), cp.float32, module.get_global("factors"))
    factors[...] = cp.arange(4, dtype="f4")
    x = cp.ones(4, "f4")
    module.get_function("scale")((1,), (4,), (x,))
    assert x.get().tolist() == [0, 1, 2, 3]
    assert cp.ndarray((1,), cp.int32, module.get_global("calls")).get()[0] == 4
    for name in ("square<double>", "square", "nothing"):
        with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_NOT_FOUND: named symbol not found"):
            module.get_function(name)


def test_variables_of_a_module_come_from_no_pool(cp):
    code = """
    __constant__ float weights[3]; __device__ int calls;
    extern "C" __global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; atomicAdd(&calls, 1); }
    """
    pool = cp.get_default_memory_pool()
    gc.collect()  # arrays of the tests before
    pool.free_all_blocks()
    before = pool.used_bytes(), pool.total_bytes()
    module = cp.RawModule(code=code)
    cp.ndarray((3,), cp.float32, module.get_global("weights")).set(np.arange(3, dtype="f4"))
    x = cp.ones(3, "f4")
    module.get_function("weigh")((1,), (3,), (x,))
    assert x.get().tolist() == [0, 1, 2]
    assert cp.ndarray((1,), cp.int32, module.get_global("calls")).get()[0] == 3
    del x
    pool.free_all_blocks()
    assert (pool.used_bytes(), pool.total_bytes()) == before


def test_a_name_without_extern_c_is_not_found(cp):
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_NOT_FOUND") as raised:
        cp.RawKernel("__global__ void f(int* x) { x[0] = 1; }", "f").compile()
    assert 'extern "C"' in raised.value.__notes__[0]


def test_macros_from_options(cp):
    code = 'extern "C" __global__ void f(int* x) { x[0] = N OP 2; }'
    x = cp.zeros(1, "i4")
    cp.RawKernel(code, "f", ("-DN=5", "-D", "OP=*"))((1,), (1,), (x,))
    assert x[0] == 10


def test_a_branch_of_the_preprocessor_that_is_left_out(cp):
    code = """
    #if N == 1
    #define TYPE float
    #elif N == 2
    #define TYPE int
    #else
    #error no such N
    #endif
    extern "C" __global__ void f(TYPE* x) { x[0] = 5 / 2.0; }
    """
    from cupy.cuda.compiler import CompileException

    for n, dtype, wanted in ((1, "f4", 2.5), (2, "i4", 2)):
        x = cp.zeros(1, dtype)
        cp.RawKernel(code, "f", (f"-DN={n}",))((1,), (1,), (x,))
        assert x[0] == wanted
    with pytest.raises(CompileException, match="no such N"):
        cp.RawKernel(code, "f", ("-DN=3",)).compile()


def test_arguments_that_a_gpu_reads_as_garbage(cp):
    kernel = cp.RawKernel('extern "C" __global__ void f(float* x, float y, int n, long long m) { x[n] = y + m; }', "f")
    x = cp.zeros(4, "f4")
    kernel((1,), (1,), (x, np.float32(1.5), 3, 7))
    assert x[3] == 8.5
    for args, said in (
        (
            (x, 1.5, 3, 7),
            r"y is declared as float, and the Python float 1.5 is passed as float64.*numpy.float32\(1.5\)",
        ),
        ((x, np.float32(1.5), 3, np.int32(7)), "m is declared as long long"),
        ((x, np.float32(1.5), 3.0, 7), "n is declared as int"),
        ((x.astype("f8"), np.float32(1.5), 3, 7), "x is declared as float.*holds float64"),
        ((3, np.float32(1.5), 3, 7), "x is a pointer"),
        ((x, x, 3, 7), "y is declared as float, and a cupy.ndarray was given"),
        ((x, np.float32(1.5), 3), "takes 4 arguments"),
    ):
        with pytest.raises(KernelError, match=said):
            kernel((1,), (1,), args)
    with pytest.raises(TypeError, match="You are trying to pass a numpy.ndarray of shape"):
        kernel((1,), (1,), (np.zeros(4, "f4"), np.float32(1.5), 3, 7))


def test_a_race_is_found(cp):
    kernel = cp.RawKernel('extern "C" __global__ void f(float* x) {\n  x[0] += threadIdx.x;\n}', "f")
    with pytest.raises(TraceError, match="read, changed and written back") as raised:
        kernel((1,), (32,), (cp.zeros(1, "f4"),))
    assert raised.value.findings[0].line == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("int k = 0\n x[0] = k;", r'\(3\): error: expected a ";"'),
        ("x[0] = nothing;", 'identifier "nothing" is undefined'),
        ("x[0] = x;", "cannot be used to initialize"),
        ("x[0.5] = 1;", "integral"),
        ("1 = x[0];", "lvalue"),
        ("return 1;", "return value type"),
        ("int n = threadIdx.x; float a[n];", "constant value"),
        ("x[0] = sqrtf(1.0f, 2.0f);", "too many arguments"),
        ("long long* y = (long long*)x; atomicAdd(y, 1);", "no instance of overloaded function"),
        ("__syncthreads(1);", "too many arguments"),
        ("break;", "break statement"),
        ("#error no\n", "catastrophic error: #error directive: no"),
        ("#include <windows.h>\n", 'catastrophic error: cannot open source file "windows.h"'),
        ("x[0] = 1.5f % 2;", 'no operator "%"'),
        ("int n = 4; x[0] = sqrt(n);", 'more than one instance of overloaded function "sqrt"'),
        ("x[0] = max(x[0], 0);", r"argument types are: \(float, int\)"),
        ("int d; x[0] = modf(x[0], &d);", 'no instance of overloaded function "modf"'),
        ("const float* y = x; y[0] = 1;", "modifiable lvalue"),
        ("const float* y = x; float* z = y;", r'value of type "const float \*" cannot be used to initialize'),
        ("const int n = threadIdx.x; int &m = n;", 'qualifiers dropped in binding reference of type "int &"'),
        ("const int n;", "requires an initializer"),
        ("int n = 1; int n = 2;", "already been declared in the current scope"),
    ],
)
def test_what_the_compiler_refuses(cp, body, said):
    from cupy.cuda.compiler import CompileException

    code = f'extern "C" __global__ void f(float* x) {{\n {body}\n}}'
    with pytest.raises(CompileException, match=said) as raised:
        cp.RawKernel(code, "f").compile()
    raised.value.dump(open("/dev/null", "w"))


@pytest.mark.parametrize(
    ("body", "instead"),
    [
        ("int n = 4; x[0] = sqrt(n);", "Convert its argument, as in sqrt((float)x) or sqrt((double)x)."),
        ("x[0] = max(x[0], 0);", "Convert its arguments to one type, as in max((float)x, (float)y)."),
        ("long long n = 4; x[0] = min(threadIdx.x, n);", "as in min((long long)x, (long long)y)."),
        ("x[0] = M_PI;", "Write #define M_PI 3.14159265358979323846"),
        ("int32_t n = 1;", "behind #include <cuda/std/cstdint>"),
        ("x[0] = INFINITY;", "behind #include <cuda/std/cmath>"),
        ("x[0] = std::sqrt(x[0]);", "Write sqrt without it"),
        ("x[0] = std::numeric_limits<float>::max();", "Write cuda::std::numeric_limits, behind its header"),
        ("#include <math.h>\n", "leave the line out"),
        ("const float v = 1; float &r = v; r = 2;", "or copy the value into a variable first"),
        ("const float* y = x; y[0] = 1;", "leave that word out where it is declared"),
    ],
)
def test_what_is_refused_comes_with_what_works(cp, body, instead):
    from cupy.cuda.compiler import CompileException

    code = f'extern "C" __global__ void f(float* x) {{\n {body}\n}}'
    with pytest.raises(CompileException) as raised:
        cp.RawKernel(code, "f").compile()
    assert instead in "\n".join(raised.value.__notes__)


@pytest.mark.parametrize("more", [{"backend": "nvcc"}, {"jitify": True}])
def test_nvcc_and_jitify_have_the_headers_of_the_host(cp, more):
    code = """#include <cmath>
    #include <limits>
    extern "C" __global__ void f(double* x, int n) { x[0] = std::sqrt(n); x[1] = std::numeric_limits<short>::max(); x[2] = M_PI; int32_t k = 7; x[3] = k; }
    """
    x = cp.zeros(4)
    cp.RawKernel(code, "f", **more)((1,), (1,), (x, np.int32(16)))
    assert x.get().tolist() == [4, 2**15 - 1, np.pi, 7]


def test_cuda_std_takes_integers_as_doubles(cp):
    code = """#include <cuda/std/cmath>
    typedef unsigned short uint16_t;
    extern "C" __global__ void f(double* x, int n) { x[0] = cuda::std::sqrt(n); x[1] = cuda::std::pow(n, 0.5f); x[2] = INFINITY; uint16_t k = 70000; x[3] = k; }
    """
    x = cp.zeros(4)
    cp.RawKernel(code, "f")((1,), (1,), (x, np.int32(16)))
    assert x.get().tolist() == [4, 4, np.inf, 70000 - 2**16]
    own = 'typedef unsigned char uint8_t;\n#define M_PI 3\nextern "C" __global__ void f(double* x) { uint8_t k = 256 + 5; x[0] = k + M_PI; }'
    cp.RawKernel(own, "f")((1,), (1,), (x,))
    assert x.get()[0] == 8


def test_a_name_is_that_of_its_block(cp):
    body = "int n = 1; { int n = 2; x[0] = n; } for (int n = 5; n < 6; ++n) { int k = n; x[1] = k; } x[2] = n;"
    x = cp.zeros(3, "f4")
    cp.RawKernel(f'extern "C" __global__ void f(float* x) {{ {body} }}', "f")((1,), (1,), (x,))
    assert x.get().tolist() == [2, 5, 1]


def test_the_type_of_a_power_is_that_of_its_base(cp):
    x = cp.asarray([1.1], "f4")
    out = cp.zeros(2, "f8")
    cp.RawKernel(
        'extern "C" __global__ void f(float* x, double* y) { y[0] = pow(x[0], 3); y[1] = sizeof(isnan(x[0])); }', "f"
    )((1,), (1,), (x, out))
    assert out.get()[0] == float(np.float32(out.get()[0])) and out.get()[1] == 4


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("f<<<1, 1>>>(x);", "separate compilation mode"),
        ("float** y; y[0] = x;", "pointer"),
        ("goto end;", "goto"),
    ],
)
def test_what_is_not_simulated(cp, body, what):
    from cupy.cuda.compiler import CompileException

    code = f'extern "C" __global__ void f(float* x) {{\n {body}\n}}'
    with pytest.raises((NotSimulatedError, CompileException), match=what):
        cp.RawKernel(code, "f").compile()


def test_an_address_will_do(cp):
    kernel = cp.RawKernel('extern "C" __global__ void f(float* x) { x[1] = 2; }', "f")
    x = cp.zeros(4, "f4")
    kernel((1,), (1,), (x.data.ptr,))
    kernel((1,), (1,), (x[1:].data,))
    assert x.get().tolist() == [0, 2, 2, 0]


def test_printf(cp, capfd, backend):
    from cupy.cuda.compiler import CompileException

    code = r"""extern "C" __global__ void f(float x, long long n) {
      printf("thread %d of %u: %5.2f, %lld%%\n", threadIdx.x, blockDim.x, x, n);
    }"""
    cp.RawKernel(code, "f")((1,), (2,), (np.float32(1.5), 2**40))
    cp.cuda.Device().synchronize()
    assert sorted(capfd.readouterr().out.splitlines()) == [f"thread {k} of 2:  1.50, 1099511627776%" for k in range(2)]
    with pytest.raises(CompileException, match="incompatible with the format %d"):
        cp.RawKernel(code.replace("threadIdx.x,", "x,"), "f").compile()
    code = (
        r"""extern "C" __global__ void f(int* n) { n[0] = printf("%c%x %hhd %-3lu%%|%8.3e", 65, 255, -3, 4ul, 1.5); }"""
    )
    n = cp.zeros(1, "i4")
    cp.RawKernel(code, "f")((1,), (1,), (n,))
    assert n[0] == 5  # arguments, not characters
    assert capfd.readouterr().out == "Aff -3 4  %|1.500e+00"


def test_pointers_that_change_places(cp):
    code = """extern "C" __global__ void f(float* a, float* b, int n) {
      for (int k = 0; k < n; ++k) {
        a[threadIdx.x] = b[threadIdx.x] + 1;
        float* t = a;
        a = b;
        b = t;
      }
      float& first = *a;
      a = b;
      if (threadIdx.x == 0) first = -1;
    }"""
    a, b = cp.zeros(4, "f4"), cp.zeros(4, "f4")
    cp.RawKernel(code, "f")((1,), (4,), (a, b, 3))
    assert a.get().tolist() == [3, 3, 3, 3] and b.get().tolist() == [-1, 2, 2, 2]


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
@pytest.mark.parametrize("trace", ["first", "off"])
def test_a_failed_assertion_ends_the_kernel(cp, monkeypatch, way, trace):
    monkeypatch.setenv("GPUSIM_KERNELS", way)
    monkeypatch.setenv("GPUSIM_TRACE", trace)
    code = 'extern "C" __global__ void k(int* x) { assert(x[threadIdx.x] < 3); x[threadIdx.x] += 10; }'
    kernel, x = cp.RawKernel(code, "k"), cp.arange(3, dtype=cp.int32)
    kernel((1,), (3,), (x,))
    assert x.get().tolist() == [10, 11, 12]
    with pytest.raises(
        cp.cuda.runtime.CUDARuntimeError, match="cudaErrorAssert.*\n.*Assertion `x.threadIdx.x. < 3` failed"
    ):
        kernel((1,), (3,), (x,))
        cp.cuda.Device().synchronize()
