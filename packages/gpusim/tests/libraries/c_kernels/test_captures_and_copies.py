"""What a lambda, a reference, a copy or a template's argument means in C++: changed there, or refused, and never lost.

`make test-all ARGS=ptx` runs the same kernels from the code that NVRTC makes of them.
"""

import numpy as np
import pytest

from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.faults import TraceError
from gpusim.kernels.frontend.cuda_cpp.errors import CompileException


def results(cp, before, body, count, threads=1):
    """What a kernel of these lines leaves in `out`; a finding would raise."""
    out, x = cp.full(count, -7.0), cp.arange(16, dtype="f4") + 0.5
    code = f'{before}\nextern "C" __global__ void k(double* out, const float* x, double small) {{ {body} }}'
    cp.RawKernel(code, "k")((1,), (threads,), (out, x, np.float64(1e-12)))
    return out.tolist()


BUMP = "__device__ void bump(int& v) { v += 2; }"
EACH = "template <typename F> __device__ void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }"
STRUCT = """
struct S {
  int a[2]; int b;
  __device__ void inc() { b++; }
  __device__ int& operator[](int i) { return a[i]; }
  __device__ void operator+=(int k) { a[1] += k; }
};"""


def test_a_lambda_changes_what_it_captures_by_reference_however_it_does_so(cp, backend):
    body = """
      int m = 1; auto f = [&]() { bump(m); int* p = &m; *p += 10; int& r = m; r += 100; }; f(); f(); out[0] = m;
      __shared__ int t; t = 1; auto g = [&]() { atomicAdd(&t, 2); }; g(); out[1] = t;
      S s; s.a[0] = s.a[1] = s.b = 0;
      auto h = [&]() { s.inc(); s.a[0] = 4; s[0] += 5; s += 3; }; h(); out[2] = s.b; out[3] = s.a[0]; out[4] = s.a[1];
      int a = 1, b = 2; auto swap2 = [](int& p, int& q) { int t = p; p = q; q = t; }; swap2(a, b); out[5] = 10 * a + b;
      int n = 0; auto inc = [&]() { n++; }; auto twice = [&]() { inc(); inc(); return n; }; out[6] = twice(); out[7] = n;
      int k = 3; out[8] = [&](int by) { k += by; return 2 * k; }(4); out[9] = k;
    """
    assert results(cp, BUMP + STRUCT, body, 10) == [225, 3, 1, 9, 3, 21, 2, 2, 14, 7]


def test_lambdas_in_lambdas_and_in_templates(cp, backend):
    body = """
      int m = 1, t = 100; auto f = [&](int a) { auto g = [&](int b) { m += a * b; }; g(2); int t = 3; g(t); return t; };
      out[0] = f(10); out[1] = m; out[2] = t;
      int s = 0; each(2, [&](int i) { each(3, [&](int j) { s += 10 * i + j; }); }); out[3] = s;
      float u = 0; int c = 0; each(4, [&](int i) { u += x[i]; c++; }); out[4] = u; out[5] = c;
      auto one = [](int v) { return v + 1; }; auto ten = [](int v) { return v * 10; };
      auto apply = [](auto g, int v) { return g(v); }; out[6] = apply(one, 3); out[7] = apply(ten, 3);
    """
    assert results(cp, EACH, body, 8) == [3, 51, 100, 36, 8, 4, 4, 30]


def test_a_lambda_means_the_variables_where_it_is_written(cp, backend):
    body = """
      int m = 1; auto f = [&]() { return m; }; { int m = 9; out[0] = f(); out[1] = m; }
      int a = 1, b = 2, c = 3; auto g = [&a, b, &c](int d) { a += b; c *= d; return a + c; }; b = 50;
      out[2] = g(2); out[3] = a; out[4] = c;
      out[5] = get(); auto h = [](int v) { return v + K; }; int K = 9; auto l = [=](int v) { return v + K; };
      out[6] = h(1); out[7] = l(1); out[8] = get();
      const int N = 3; auto o = [](int v) { int y[N]; y[0] = v; return y[0] * N; }; out[9] = o(4);
      int y[5] = {1, 2, 3, 4, 5}, w[2][3] = {{1, 2, 3}, {4, 5, 6}};
      auto p = [&]() { int s = 0; for (int i = 0; i < sizeof(y) / sizeof(y[0]); i++) s += y[i]; w[1][2] += s; }; p(); out[10] = w[1][2];
      int v = 1; auto q = [&]() { v += 1; { int v = 50; v++; } v += 1; }; q(); out[11] = v;
    """
    before = "__device__ int K = 4; __device__ int get() { return K; }"
    assert results(cp, before, body, 12) == [1, 9, 9, 3, 6, 4, 5, 10, 4, 12, 21, 3]


def test_what_is_seen_by_reference_is_seen_as_it_is_changed(cp, backend):
    before = """
    struct A { int k; __device__ int by(A& o) const { o.k = 9; return k; } };
    struct V { float x, y; __device__ V& operator-=(const V& o) { x -= o.x; y -= o.x; return *this; } };
    __device__ int both(const int& a, int& b) { b = 60; return a; }
    __device__ void divided(float* v, const float& s) { for (int i = 0; i < 3; i++) v[i] /= s; }
    """
    body = """
      A a{1}, b{2}; out[0] = a.by(a); out[1] = a.by(b);
      V u{3, 5}, w{1, 1}; u -= u; out[2] = u.x + u.y; u -= V{1, 1}; out[3] = u.y; u -= w; out[4] = u.y;
      int m = 1, n = 2; out[5] = both(m, m); out[6] = both(2, n); int& r = n; out[7] = both(n, r);
      float v[3] = {2, 4, 6}; divided(v, v[0]); out[8] = v[2]; divided(v, 2); out[9] = v[2];
      const int& c = m; m = 5; out[10] = c; float z[2][2] = {{1, 2}, {3, 4}}; const float& e = z[1][0]; z[1][0] = 9; out[11] = e;
      const double& d = m; m = 6; out[12] = d; const int& t = 7; out[13] = t; const A& s = a; a.k = 4; out[14] = s.k;
      auto f = [&](const int& x) { m = 50; return x; }; out[15] = f(m);
    """
    want = [9, 9, 5, 4, 3, 60, 2, 60, 6, 3, 5, 9, 5, 7, 4, 50]
    assert results(cp, before, body, 16) == want


def test_members_are_hidden_where_a_variable_of_their_name_is(cp, backend):
    before = """
    __device__ int k = 1000;
    struct A { int k;
      __device__ int f(int k) { this->k += k; return k; }
      __device__ int g() { int s = k; { int k = 100; s += k; } for (int k = 0; k < 2; k++) s += k; return s + k; } };
    """
    assert results(cp, before, "A a{2}; out[0] = a.f(5); out[1] = a.k; out[2] = a.g();", 3) == [5, 7, 115]


def test_a_variable_of_the_source_is_not_overwritten_by_work_that_waits(cp):
    code = '__device__ int K = 4; extern "C" __global__ void k(double* out) { out[0] = K; }'
    kernel = cp.RawKernel(code, "k")
    waits = cp.arange(16, dtype="f4") + 0.5  # in the memory of its first part the variable comes to lie
    out = cp.empty(1)
    kernel((1,), (1,), (out,))
    assert out.item() == 4 and waits[0] == 0.5


def test_shared_memory_is_captured_without_a_list_and_read_when_it_is_used(cp, backend):
    body = """
      __shared__ int s[4]; __shared__ int t; s[threadIdx.x] = threadIdx.x;
      if (threadIdx.x == 0) t = 0;
      __syncthreads();
      auto add = [](int i) { atomicAdd(&t, s[i]); }; add(threadIdx.x);
      auto get = [=]() { __syncthreads(); return t; }; out[threadIdx.x] = get();
    """
    assert results(cp, "", body, 4, threads=4) == [6] * 4


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("int a[2] = {1, 2}; auto f = [=]() { return a[0]; }; out[0] = f();", "captures an array by value.*&a"),
        ("int k = 1; auto f = [k]() mutable { return ++k; }; out[0] = f();", "a mutable lambda"),
        ("const float* p = x; auto f = [&]() { return *p++; }; out[0] = f();", "changes a pointer that it captures"),
        ("int k = 1; auto f = [&]() -> int& { return k; }; f() = 2; out[0] = k;", "returns a reference"),
        ("auto f = [](int v = 3) { return v; }; out[0] = f();", "default value"),
        ("int a = 1, b = 5; bump(out[0] ? a : b);", "one of two variables"),
        ("M m; out[0] = m.get();", "a mutable member"),
        ("L l{1}; out[0] = l.run(2);", "a member of the struct around it"),
        ("int K = 9; out[0] = given() + K;", "default value that names K"),
    ],
)
def test_what_is_not_simulated_is_refused_and_never_wrong(cp, body, said):
    before = "__device__ const int K = 5; __device__ int given(int a = K) { return a; }" + BUMP
    if "M m" in body:
        before += "struct M { mutable int n; __device__ int get() const { return n++; } };"
    if "L l" in body:
        before += (
            "struct L { int k; __device__ int run(int v) { auto f = [&](int w) { return w + k; }; return f(v); } };"
        )
    with pytest.raises(NotSimulatedError, match=said):
        results(cp, before, body, 1)


@pytest.mark.parametrize(
    "body",
    [
        "int k = 1; auto f = [=]() { k = 3; return k; }; out[0] = f();",
        "int k = 1; auto f = [k]() { bump(k); }; f();",
        "const float* p = x; auto f = [=]() { return *p++; }; out[0] = f();",
        "int k = 1; auto f = []() { return k; }; out[0] = f();",
        "out[0] = larger(1, 2.5);",
        "out[0] = larger(threadIdx.x, 5);",
    ],
)
def test_what_the_compiler_refuses(cp, body):
    before = BUMP + "template <typename T> __device__ T larger(T a, T b) { return a > b ? a : b; }"
    with pytest.raises(CompileException):
        results(cp, before, body, 1)


def test_arguments_of_templates_are_values(cp, backend):
    before = """
    template <int N> __device__ int twice() { return N * 2; }
    template <typename T, int N> struct V { T v[N * 2]; __device__ int size() const { return sizeof(v) / sizeof(T); } };
    template <int N = 3, typename T = float> __device__ T half(T x = N) { return x / 2; }
    """
    body = """
      out[0] = twice<3 + 1>(); out[1] = twice<3 - 1>();
      V<float, 2 + 1> a; V<float, 2 - 1> b; out[2] = a.size(); out[3] = b.size();
      out[4] = half(); out[5] = half<5>(); out[6] = half<5, int>(); out[7] = half(7); out[8] = half<2>(9.0);
    """
    assert results(cp, before, body, 9) == [8, 4, 6, 2, 1.5, 2.5, 2, 3, 4.5]


def test_addresses_of_rows(cp, backend):
    before = "__device__ int last(int (*p)[3]) { return p[1][2]; } __device__ int fifth(int* p) { return p[4]; }"
    body = """
      int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; int (*q)[3] = &m[1]; int (*r)[3] = m;
      out[0] = last(&m[0]); out[1] = last(m); out[2] = q[0][1]; out[3] = last(&r[0]); out[4] = fifth(&m[0][0]);
    """
    assert results(cp, before, body, 5) == [6, 6, 5, 6, 5]
    with pytest.raises(CompileException, match="incompatible with parameter"):
        results(cp, before, "int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; out[0] = fifth(&m[0]);", 1)


def test_copies_of_what_is_set_in_part_are_no_mistake(cp, backend):
    before = """
    struct A { int v[4]; int k; __device__ int first() { return v[0]; } __device__ int last() const { return v[3]; } };
    __device__ int seen(const A& a) { return a.v[0]; }
    __device__ int given(A a) { return a.v[0]; }
    union W { double d; unsigned int h[2]; unsigned char c; };
    __device__ int low(W w) { return w.c; }
    """
    body = """
      A a; a.v[0] = 3; out[0] = a.first() + seen(a) + given(a); a.v[3] = 4; A b = a; out[1] = b.last();
      W w; w.c = 7; W v = w; out[2] = low(w) + v.c; w.h[0] = 5; out[3] = w.h[0];
    """
    assert results(cp, before, body, 4) == [9, 4, 14, 5]
    with pytest.raises(TraceError, match="never writes"):
        results(cp, before, "A a; out[0] = a.v[1];", 1)


def test_two_structs_of_one_type_as_parameters_are_two(cp, backend):
    before = """struct V { float v[2];
      __device__ float dot(const V& o) const { return v[0] * o.v[0] + v[1] * o.v[1]; } };
    __device__ float less(V a, V b) { a.v[0] -= b.v[0]; return a.v[0] + b.v[1]; }"""
    body = "V a{{1, 2}}, b{{3, 5}}; out[0] = a.dot(b); out[1] = less(b, a);"
    assert results(cp, before, body, 2) == [13, 4]


HALF = "#include <cuda_fp16.h>\n"


def test_halves_are_rounded_once(cp, backend):
    """Each number lies just above the middle of two halves, and as a float on it."""
    body = """
      double d = 2049 + 4096 * small; __half h = d; out[0] = __half2float(h); out[1] = __half2float(__double2half(d)); out[2] = (float)(__half)d;
      h = 1.0; h = -d; out[3] = __half2float(h); out[4] = __half2float(__half(2.98023223876953125e-08 + 1e-8 * small));
      __half a = 1.5f, b = 0.6669921875f, c = 5.9604645e-8f; out[5] = __half2float(__hfma(a, b, c));
      h = 1.5f; h++; --h; ++h; out[6] = __half2float(h);
    """
    assert results(cp, HALF, body, 7) == [2050, 2050, 2050, -2050, 2**-24, 1.0009765625, 2.5]


GROUPS = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n"


@pytest.mark.parametrize("call", ["1.0f, cg::bit_and<float>()", "threadIdx.x, cg::plus<int>()", "1, cg::plus<float>()"])
def test_a_reduction_by_an_operator_of_another_type_is_refused(cp, call):
    body = f"auto t = cg::tiled_partition<32>(cg::this_thread_block()); out[0] = cg::reduce(t, {call});"
    with pytest.raises(CompileException):
        results(cp, GROUPS, body, 1, threads=32)
