"""Vector types, functions of structs, operators, and functions that share a name in CUDA C++.

What NVRTC takes of these is asked in `compiler_sweep`; here it is what they compute.
"""

import numpy as np
import pytest

from gpusim.importing.errors import NotSimulatedError


def run(cp, before, body, *args, threads=8, **options):
    cp.RawKernel(f'{before}\nextern "C" __global__ void k({body}', "k")((1,), (threads,), args, **options)


def test_an_array_of_vectors(cp, backend):
    x = cp.arange(32, dtype=cp.float32)
    y = cp.zeros_like(x)
    code = """const float4* x, float4* y) {
      int i = threadIdx.x;
      float4 v = x[i];
      v.w += v.x;
      y[i] = i == 3 ? make_float4(1, 2, 3, 4) : v;
    }"""
    run(cp, "", code, x, y)
    wanted = x.get().reshape(8, 4)
    wanted[:, 3] += wanted[:, 0]
    wanted[3] = [1, 2, 3, 4]
    assert (y.get().reshape(8, 4) == wanted).all()


@pytest.mark.parametrize("kind, n", [("int2", 2), ("float3", 3), ("uchar4", 4), ("double2", 2), ("longlong1", 1)])
def test_each_type_lies_as_in_c(cp, kind, n):
    dtype = {"int": "i4", "float": "f4", "uchar": "u1", "double": "f8", "longlong": "i8"}[kind[:-1]]
    x = cp.arange(5 * n).astype(dtype)
    size = cp.zeros(1, "i8")
    run(
        cp,
        "",
        f"{kind}* x, long long* size) {{ x[threadIdx.x].{'xyzw'[n - 1]} += 1; size[0] = sizeof({kind}); }}",
        x,
        size,
        threads=5,
    )
    wanted = np.arange(5 * n).reshape(5, n)
    wanted[:, -1] += 1
    assert x.get().tolist() == wanted.ravel().tolist() and size[0] == n * np.dtype(dtype).itemsize


def test_a_pointer_of_numbers_as_one_of_vectors(cp, backend):
    x = cp.arange(23, dtype=cp.float32)  # two and a half vectors from the fourth number on, and one number more
    y = cp.zeros(20, dtype=cp.float32)
    code = """const float* x, float* y) {
      int i = threadIdx.x;
      const float4* in = reinterpret_cast<const float4*>(x + 4);
      float4* out = (float4*)y;
      if (i < 4) out[i] = in[i];
      float3* three = reinterpret_cast<float3*>(y + 16);
      if (i == 5) three->y = 50;
    }"""
    run(cp, "", code, x, y)
    assert y.get().tolist() == [*range(4, 20), 0, 50, 0, 0]


def test_a_pointer_of_vectors_as_one_of_numbers(cp, backend):
    x = cp.arange(32, dtype=cp.float32)
    run(cp, "", "float4* x) { float* p = reinterpret_cast<float*>(x + 2); p[threadIdx.x] = -1; }", x)
    assert x.get().tolist() == [*range(8), *[-1] * 8, *range(16, 32)]


MISALIGNED = r"""
struct mixed { double d; float f; };
__device__ float first(float4 v) { return v.x; }
__device__ float square(float4 v) { return v.x * v.x + v.y * v.y; }
extern "C" {
__global__ void ends(const float4* p, float* o, int n) { if (n) { float4 v = p[threadIdx.x]; o[0] = v.x + v.w; } }
__global__ void pair(const float4* p, float* o, int n) { o[0] = p[0].x; o[1] = p[0].y; }
__global__ void store(float4* p, float* o, int n) { p[threadIdx.x] = make_float4(1, 2, 3, 4); }
__global__ void store_ends(float4* p, float* o, int n) { p[0].x = 1; p[0].w = 4; }
__global__ void member(const float4* p, float* o, int n) { o[0] = p[1].y; }
__global__ void cast(const float4* p, float* o, int n) { const float* q = reinterpret_cast<const float*>(p + 1); o[0] = q[threadIdx.x]; }
__global__ void address(const float4* p, float* o, int n) { o[0] = n ? 1 : 0; const float4* q = p + n; if (q == p) o[1] = 1; }
__global__ void single(const mixed* p, float* o, int n) { o[0] = p[0].f; }
__global__ void doubles(const mixed* p, float* o, int n) { o[0] = (float)p[0].d; }
__global__ void number(const double* p, float* o, int n) { if (n) o[0] = (float)p[0]; }
__global__ void one(const float4* p, float* o, int n) { float4 v = p[threadIdx.x]; o[0] = v.y; }
__global__ void none(const float4* p, float* o, int n) { float4 v = p[threadIdx.x]; o[0] = 1; }
__global__ void later(const float4* p, float* o, int n) { float4 v; v = p[threadIdx.x]; o[0] = v.z; }
__global__ void through(const float4* p, float* o, int n) { float4 v = p[threadIdx.x], w; w = v; o[0] = w.x; }
__global__ void two(const float4* p, float* o, int n) { float4 v = p[threadIdx.x]; if (n) o[0] = v.y; else o[0] = v.z; }
__global__ void handed(const float4* p, float* o, int n) { o[0] = first(p[threadIdx.x]); }
__global__ void squared(const float4* p, float* o, int n) { float4 v = p[threadIdx.x]; o[0] = square(v); }
__global__ void part(const mixed* p, float* o, int n) { mixed v = p[0]; o[0] = v.f; }
}
"""
"""NVRTC 13.0 and 13.5 make of these for compute_90: ld.global.v4.f32, ld.global.v2.f32, st.global.v4.f32, and one instruction a number."""


@pytest.mark.parametrize(
    "name, n, stopped_at",
    [
        ("ends", 1, (4, 8, 12)), ("ends", 0, ()), ("pair", 1, (4, 12)), ("store", 1, (4, 8, 12)), ("store_ends", 1, ()),
        ("member", 1, ()), ("cast", 1, ()), ("address", 1, ()), ("single", 1, ()), ("doubles", 1, (4, 12)), ("number", 1, (4, 12)),
        ("number", 0, ()), ("one", 1, ()), ("none", 1, ()), ("later", 1, ()), ("through", 1, ()), ("two", 1, (4, 8, 12)),
        ("handed", 1, ()), ("squared", 1, (4, 8, 12)), ("part", 1, ()),
    ],
)  # fmt: skip
def test_a_misaligned_address_stops_the_kernel_that_touches_it(cp, backend, name, n, stopped_at):
    kernel = cp.RawModule(code=MISALIGNED).get_function(name)
    held, out = cp.zeros(128, cp.uint8), cp.zeros(32, cp.float32)
    for start in (0, 4, 8, 12):
        memory = cp.cuda.UnownedMemory(held.data.ptr + start, 96, held)
        pointer = cp.cuda.MemoryPointer(memory, 0)
        for given in (pointer, cp.ndarray((96,), cp.uint8, pointer), memory.ptr):
            kernel((1,), (1,), (given, out, np.int32(n)))
            if start in stopped_at:
                with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorMisalignedAddress"):
                    cp.cuda.runtime.deviceSynchronize()
            else:
                cp.cuda.runtime.deviceSynchronize()


def test_a_kernel_tried_out_for_its_address_runs_once(cp, backend, capfd):
    x = cp.zeros(9, dtype=cp.float32)
    run(cp, "", 'float4* p) { p[threadIdx.x].y += 1; if (!threadIdx.x) printf("once\\n"); }', x[1:], threads=2)
    assert x.tolist() == [0, 0, 1, 0, 0, 0, 1, 0, 0] and capfd.readouterr().out.count("once") == 1


def test_vectors_in_shared_memory_and_by_value(cp, backend):
    x = cp.arange(16, dtype=cp.int32)
    given = np.zeros((), np.dtype([("x", "i4"), ("y", "i4")]))
    given["y"] = 100
    code = """int2* x, int2 by) {
      __shared__ int2 s[8];
      int i = threadIdx.x;
      s[i] = x[i];
      __syncthreads();
      x[i] = make_int2(s[7 - i].y + by.y, s[7 - i].x);
    }"""
    run(cp, "", code, x, given)
    wanted = np.arange(16).reshape(8, 2)[::-1, ::-1].copy()
    wanted[:, 0] += 100
    assert (x.get().reshape(8, 2) == wanted).all()


def test_past_the_end_is_found(cp, monkeypatch):
    monkeypatch.setenv("GPUSIM_TRACE", "first")
    x = cp.zeros(8, dtype=cp.float32)
    with pytest.raises(IndexError):
        run(cp, "", "float4* x) { x[threadIdx.x].x = 1; }", x)
    with pytest.raises(IndexError):
        run(cp, "", "float* x) { reinterpret_cast<float4*>(x)[threadIdx.x].x = 1; }", x)


OPERATORS = """
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 operator*(float4 a, float b) { return make_float4(a.x * b, a.y * b, a.z * b, a.w * b); }
__device__ float4 operator*(float a, float4 b) { return b * a; }
__device__ void operator-=(float4 &a, float4 b) { a = a + -1.0f * b; }
__device__ bool operator==(float4 a, float4 b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
__device__ float4 operator-(float4 a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
"""


def test_operators(cp, backend):
    x = cp.arange(32, dtype=cp.float32)
    y = cp.zeros(8, dtype=cp.int32)
    code = """float4* x, int* y) {
      int i = threadIdx.x;
      float4 a = x[i] * 2 + 3.0f * x[0];
      a -= make_float4(0, 0, 0, 1);
      x[i] -= make_float4(0, 0, 0, 1);
      y[i] = (a == -a) + 2 * (a == a);
      x[i] = a;
    }"""
    run(cp, OPERATORS, code, x, y, threads=1)
    assert x.get()[:4].tolist() == [0, 5, 10, 14] and y.get()[0] == 2


VEC = """
struct Vec {
  float x, y;
  __device__ Vec() : x(0), y(7) {}
  __host__ __device__ Vec(float x, float y) : x(x), y(y) {}
  __device__ __forceinline__ float dot(const Vec& o) const { return x * o.x + y * o.y; }
  __device__ float norm2() const { return dot(*this); }
  __device__ void scale(float f) { x *= f; this->y *= f; }
  __device__ Vec operator+(const Vec& o) const { return Vec(x + o.x, y + o.y); }
  __device__ Vec& operator*=(float f) { scale(f); return *this; }
  __device__ bool operator<(Vec o) const { return norm2() < o.norm2(); }
  friend __device__ Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
};
"""


def test_functions_of_structs(cp, backend):
    p = cp.arange(16, dtype=cp.float32)
    out = cp.zeros(8, dtype=cp.float32)
    code = """Vec* p, float* out) {
      int i = threadIdx.x;
      Vec zero, a(1, 2), b{3, 4}, c = {5, 6}, d{7, 8};
      a.scale(2);
      b *= 2;
      Vec* q = &c;
      q->scale(10);
      p[i].scale(3);
      out[0] = zero.y; out[1] = a.dot(b); out[2] = (a + b).norm2(); out[3] = c.x;
      out[4] = (b - a).y; out[5] = a < b; out[6] = Vec(1, 1).dot(p[1]); out[7] = Vec().norm2();
    }"""
    run(cp, VEC, code, p, out, threads=1)
    assert p.get()[:3].tolist() == [0, 3, 2]
    assert out.get().tolist() == [7, 2 * 6 + 4 * 8, 8**2 + 12**2, 50, 4, 1, 2 + 3, 49]


def test_a_variable_hides_a_member(cp):
    out = cp.zeros(2, dtype=cp.float32)
    struct = "struct S { float x; float v[2]; __device__ float f(float x) const { float y = x; return y + this->x + v[1]; } };"
    run(cp, struct, "float* out) { S s = {1, {2, 3}}; out[0] = s.f(10); }", out, threads=1)
    assert out[0] == 14


def test_functions_that_share_a_name(cp, backend):
    out = cp.zeros(6, dtype=cp.int32)
    before = """
    __device__ int which(int a) { return 1; }
    __device__ int which(float a) { return 2; }
    __device__ int which(const int* a) { return 3; }
    __device__ int which(int a, float b) { return 4; }
    __device__ int which(float2 a) { return 5; }
    """
    code = "int* out) { out[0] = which(1); out[1] = which(1.0f); out[2] = which(out); out[3] = which(1, 2); out[4] = which(make_float2(1, 2)); out[5] = which(true); }"
    run(cp, before, code, out, threads=1)
    assert out.get().tolist() == [1, 2, 3, 4, 5, 1]


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_thread_indices_as_a_whole(cp, monkeypatch, way):
    monkeypatch.setenv("GPUSIM_KERNELS", way)
    out = cp.zeros(8, dtype=cp.int32)
    run(cp, "", "int* out) { uint3 t = threadIdx; out[t.x] = t.x + t.y + 1; }", out)
    assert out.get().tolist() == [*range(1, 9)]


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("struct P { float x; __device__ operator float() const { return x; } };", "a conversion operator"),
        ("struct P { float x; __device__ ~P() {} };", "a destructor"),
        ("struct P { float x; __device__ float& at() { x = 1; return x; } };", "returns a reference"),
    ],
)
def test_what_is_not_simulated_is_refused_by_name(cp, code, what):
    with pytest.raises(NotSimulatedError, match=what):
        cp.RawKernel(f'{code}\nextern "C" __global__ void k(float* x) {{ }}', "k").compile()


def test_a_comparison_among_the_values_of_a_constructor(cp, backend):
    out = cp.zeros(1, cp.complex64)
    code = "int n, complex<float>* out) { out[0] = complex<float>(n < 3, 2.0f); }"
    run(cp, "#include <cupy/complex.cuh>", code, cp.int32(2), out)
    assert out.tolist() == [1 + 2j]
