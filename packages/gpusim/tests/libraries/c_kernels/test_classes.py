"""Structs as C++ has them: bases, first values of members, functions that are defined outside, specialised templates.

NVRTC 13.0 takes each of the sources that is run here, and refuses each of the others in the words that stand beside it.
"""

import pytest

from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.frontend.cuda_cpp.errors import CompileException


def results(cp, before, body, count=4):
    """What four threads of a kernel of these lines leave in `out`."""
    out = cp.zeros(count, cp.int32)
    code = f'{before}\nextern "C" __global__ void k(int* out) {{ int t = threadIdx.x; {body} }}'
    cp.RawKernel(code, "k")((1,), (4,), (out,))
    return out.tolist()


COUNTER = """
struct Counter {
    int step = 3, n = 0;
    float w[3] = {1, 2};
    __device__ void next();
    __device__ int get(int k = 2) const;
};
__device__ void Counter::next() { n += step; }
__device__ int Counter::get(int times) const { return n * times; }
"""


def test_first_values_and_functions_outside(cp, backend):
    body = "Counter c; for (int i = 0; i <= t; ++i) c.next(); out[t] = 100 * c.get() + 10 * c.get(1) + (int)(c.w[1] + c.w[2]);"
    assert results(cp, COUNTER, body) == [632, 1262, 1892, 2522]


def test_a_list_of_values_names_the_first_members(cp):
    body = "Counter a{5}; a.next(); Counter b = {1, 100}; Counter c = Counter{7, 8}; out[0] = a.n; out[1] = b.n; out[2] = c.get(1); out[3] = Counter{}.step;"
    assert results(cp, COUNTER, body) == [5, 100, 8, 3]


def test_a_template_s_functions_outside_by_another_name_of_its_parameter(cp):
    before = """
    template <typename T> struct Mean { T total = 0; int n{0}; __device__ Mean() = default; __device__ void add(T v); __device__ T get() const; };
    template <typename T> __device__ void Mean<T>::add(T v) { total += v; n++; }
    template <typename U> __device__ U Mean<U>::get() const { return total / n; }
    """
    assert results(cp, before, "Mean<float> m; m.add(1); m.add(t * 2); out[t] = (int)(10 * m.get());") == [
        5,
        15,
        25,
        35,
    ]


def test_constructors_and_operators_outside_in_a_namespace(cp):
    before = """
    namespace geo {
    struct V { float x, y; __device__ V(float x, float y = 1); __device__ V operator+(const V& o) const; };
    __device__ V::V(float x_, float y_) : x(x_), y(y_) {}
    __device__ V V::operator+(const V& o) const { return V(x + o.x, y + o.y); }
    }
    """
    body = "geo::V c = geo::V(1, 2) + geo::V(t); out[t] = (int)(c.x * 10 + c.y);"
    assert results(cp, before, body) == [13, 23, 33, 43]


BASES = """
class Shape {
protected:
    float w, h;
public:
    __device__ Shape(float w_, float h_) : w(w_), h(h_) {}
    __device__ float area() const { return w * h; }
    __device__ float twice() const { return 2 * area(); }
};
class Square : public Shape {
    int id = 100;
public:
    __device__ Square(float s) : Shape(s, s) {}
    __device__ float area() const { return Shape::area() + 1; }
    __device__ int tag() const { return id * 1000 + (int)area() * 10 + (int)twice(); }
};
struct Base { int a; __device__ Base() : a(1) {} __device__ Base(int v, int w = 2) : a(v + w) {} __device__ int who() const { return 1; } };
struct Mid : Base { int b = 4; using Base::Base; __device__ int who() const { return 2; } };
struct Top : Mid { int c; __device__ Top(int v) : c(v), Mid(v + 1) {} __device__ int all() const { return 1000 * a + 100 * b + 10 * c + who() + Base::who(); } };
__device__ int taken(Base x) { return x.a; }
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("Square s(t); out[t] = s.tag();", [100010, 100022, 100058, 100118]),
        ("Mid m; Mid n(t); Mid o(t, t); out[t] = 1000 * m.a + 100 * n.a + 10 * o.a + n.b;", [1204, 1324, 1444, 1564]),
        ("Top x(t); out[t] = x.all();", [3403, 4413, 5423, 6433]),
        ("Mid n(t); Base b = n; out[t] = 10 * b.a + taken(n);", [22, 33, 44, 55]),
    ],
)
def test_bases(cp, backend, body, wanted):
    assert results(cp, BASES, body) == wanted


SPECIAL = """
template <typename T> struct Bits { static constexpr int count = 1; T v; __device__ int f() { return 1; } };
template <> struct Bits<float> { static constexpr int count = 32; int q = 3; __device__ Bits() {} __device__ int f() { return q; } };
template <> struct Bits<unsigned int> { static constexpr int count = 64; };
template <typename T> __device__ int kind(T x) { return 1; }
template <> __device__ int kind<float>(float x) { return 2; }
template <> __device__ int kind(double x) { return 3; }
template <typename T> __device__ int of(const T* x, int n) { return 4; }
template <> __device__ int of(const int* x, int n) { return 5; }
template <typename T, int N> __device__ T power(T x) { return x * power<T, N - 1>(x); }
template <> __device__ int power<int, 0>(int x) { return 1; }
template <typename T> __global__ void unused(T* x) {}
template __global__ void unused<float>(float* x);
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("Bits<int> a; Bits<float> b; out[0] = a.f(); out[1] = b.f(); out[2] = Bits<float>::count; out[3] = Bits<unsigned int>::count;", [1, 3, 32, 64]),
        ("out[0] = kind(1); out[1] = kind(1.0f); out[2] = kind(1.0); out[3] = kind<float>(1);", [1, 2, 3, 2]),
        ("float x = 1; out[0] = of(out, 1); out[1] = of(&x, 1); out[2] = power<int, 3>(2);", [5, 4, 8, 0]),
    ],
)  # fmt: skip
def test_specialised_templates(cp, body, wanted):
    assert results(cp, SPECIAL, f"if (t == 0) {{ {body} }}") == wanted


def test_a_specialised_kernel_by_its_name(cp):
    code = """
    template <typename T> __global__ void k(T* out) { out[threadIdx.x] = 1; }
    template <> __global__ void k<int>(int* out) { out[threadIdx.x] = 2; }
    """
    module = cp.RawModule(code=code, name_expressions=["k<int>", "k<float>"])
    for name, dtype, wanted in (("k<int>", "i4", 2), ("k<float>", "f4", 1)):
        out = cp.zeros(1, dtype)
        module.get_function(name)((1,), (1,), (out,))
        assert out.tolist() == [wanted]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("struct P { int a; __device__ void f(); }; __device__ void P::g() { a = 1; }", 'class "P" has no member "g"'),
        ("struct P : Q { int a; };", "not a class or struct name"),
        ("template <> __device__ int f(int x) { return x; }", "f is not a template"),
        ("struct P { int a; }\n__device__ int f() { return 1; }", 'expected a ";"'),
    ],
)
def test_what_the_compiler_refuses(cp, before, said):
    with pytest.raises(CompileException, match=said):
        results(cp, before, "out[0] = 1;")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("int i = 3\n out[i] = 2;", 'expected a ";"'),
        ("out[0] = 2", 'expected a ";"'),
        ("int i = (3 + 4;", 'expected a "\\)"'),
        ("out[0 = 2;", 'expected a "\\]"'),
        ("out[0] = 1 +;", "expected an expression"),
        ("if (t) { out[0] = 1; } } {", "expected a declaration"),
        ("flaot y = 3;", 'identifier "flaot" is undefined'),
        ("out[0] = 1; else out[1] = 2;", "expected a statement"),
    ],
)
def test_mistakes_in_writing_in_the_compiler_s_words(cp, body, said):
    with pytest.raises(CompileException, match=said):
        results(cp, "", body)


def test_a_reference_to_a_base_is_refused_by_name(cp):
    with pytest.raises(NotSimulatedError, match="a reference to the Base in a Mid"):
        results(cp, BASES + "__device__ void add(Base& x) { x.a += 1; }", "Mid m; add(m); out[0] = m.a;")


def test_two_halves(cp, backend):
    code = r"""
    #include <cuda_fp16.h>
    extern "C" __global__ void k(const __half* x, __half* y, float* out, float a) {
        int i = threadIdx.x;
        const half2* x2 = reinterpret_cast<const half2*>(x);
        half2* y2 = reinterpret_cast<half2*>(y);
        y2[i] = __hfma2(__float2half2_rn(a), x2[i], y2[i]);
        __half2 s = __halves2half2(__float2half(0.f), __float2half(1.f));
        s += x2[i] * x2[i];
        float2 f = __half22float2(s);
        out[i] = f.x + 100 * f.y + __low2float(__hadd2(s, s));
    }
    """
    x, y, out = cp.arange(8, dtype=cp.float16), cp.ones(8, cp.float16), cp.zeros(4, cp.float32)
    cp.RawKernel(code, "k")((1,), (4,), (x, y, out, cp.float32(2)))
    assert y.tolist() == [1, 3, 5, 7, 9, 11, 13, 15] and out.tolist() == [200, 1012, 2648, 5108]


def test_a_kernel_may_take_two_halves(cp):
    code = (
        '#include <cuda_fp16.h>\nextern "C" __global__ void k(__half2* x) { x[threadIdx.x] = __hneg2(x[threadIdx.x]); }'
    )
    x = cp.arange(4, dtype=cp.float16)
    cp.RawKernel(code, "k")((1,), (2,), (x,))
    assert x.tolist() == [0, -1, -2, -3]


def test_more_static_shared_memory_than_a_block_has(cp):
    body = "__shared__ float big[20000]; big[t] = t; __syncthreads(); out[t] = big[3 - t];"
    with pytest.raises(CompileException, match="uses too much shared data .0x13880 bytes, 0xc000 max"):
        results(cp, "", body)


@pytest.mark.parametrize("given", [[1.0], (1, 2), "x", {"a": 1}], ids=str)
def test_what_no_kernel_takes(cp, given):
    kernel = cp.RawKernel('extern "C" __global__ void k(float* x) { x[0] = 1; }', "k")
    with pytest.raises(TypeError, match="Unsupported type <class"):
        kernel((1,), (1,), (given,))
