"""Templates of structs, classes, unions, enumerations, lambdas, and functions that return pointers, as NVRTC takes them."""

import pytest

from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.frontend.cuda_cpp.errors import CompileException


def results(cp, before, body, count, *args, dtype="f8", threads=1, declared="", names=None):
    """What a kernel of these lines leaves in `out`."""
    out = cp.zeros(count, dtype)
    kinds = {"f8": "double", "f4": "float", "i4": "int", "u4": "unsigned int"}
    code = f'{before}\nextern "C" __global__ void k({kinds[dtype]}* out{declared}) {{ {body} }}'
    cp.RawKernel(code, "k")((1,), (threads,), (out, *args))
    return out.tolist()


VECTOR = """
template <typename T, int N = 2>
class Vec {
    T v[N];
public:
    static constexpr int size = N;
    __device__ Vec() { for (int i = 0; i < N; i++) v[i] = T(0); }
    __device__ void set(int i, T x) { v[i] = x; }
    __device__ T get(int i) const { return v[i]; }
    __device__ T dot(const Vec& o) const { T s = 0; for (int i = 0; i < size; ++i) s += v[i] * o.v[i]; return s; }
    static __device__ int twice(int n) { return 2 * n; }
};
"""


def test_a_class_template_with_defaults_and_static_members(cp, backend):
    body = """
      Vec<float, 3> a, b; Vec<int> c;
      for (int i = 0; i < Vec<float, 3>::size; i++) { a.set(i, i); b.set(i, 2.0f); }
      c.set(1, 7);
      out[0] = a.dot(b); out[1] = c.get(1); out[2] = c.get(0); out[3] = Vec<int>::size + Vec<int>::twice(5);
      out[4] = a.twice(1);
    """
    assert results(cp, VECTOR, body, 5) == [6, 7, 0, 12, 2]


def test_private_members_are_private(cp):
    with pytest.raises(CompileException, match=r'member "Vec__int__2::v" is inaccessible'):
        results(cp, VECTOR, "Vec<int> c; out[0] = c.v[0];", 1)


def test_templates_of_structs_in_templates_of_functions(cp, backend):
    before = """
    template <typename T> struct Pair { T a, b; };
    template <typename T> struct Two { Pair<T> p; T scale; };
    template <typename T> __device__ Pair<T> turned(Pair<T> p) { return Pair<T>{p.b, p.a}; }
    template <typename T> __device__ T total(const Two<T>& t) { return (t.p.a + t.p.b) * t.scale; }
    """
    body = """
      Pair<float> p = {1.5f, 2.0f}; Pair<float> q = turned(p);
      Two<int> t{{3, 4}, 2};
      out[0] = q.a; out[1] = q.b; out[2] = total(t); out[3] = sizeof(Pair<double>);
    """
    assert results(cp, before, body, 4) == [2, 1.5, 14, 16]


FUNCTORS = """
template <typename T> struct Plus { __device__ T operator()(T a, T b) const { return a + b; } static __device__ T identity() { return T(0); } };
template <typename T> struct Larger { __device__ T operator()(T a, T b) const { return a > b ? a : b; } static __device__ T identity() { return T(-1e30); } };
template <typename T, typename Op> __global__ void fold(const T* x, T* out, int n) {
  Op op; T v = Op::identity();
  for (int i = 0; i < n; i++) v = op(v, x[i]);
  *out = Op()(v, T(1));
}
"""


def test_functors_by_name_expressions(cp, backend):
    names = ["fold<float, Plus<float>>", "fold<double, Larger<double> >"]
    module = cp.RawModule(code=FUNCTORS, name_expressions=names)
    out, x = cp.zeros(1, "f4"), cp.arange(10, dtype="f4")
    module.get_function(names[0])((1,), (1,), (x, out, 10))
    far = cp.zeros(1)
    module.get_function(names[1])((1,), (1,), (x.astype("f8"), far, 10))
    assert (out.item(), far.item()) == (46, 9)


def test_functions_of_a_struct_that_is_no_variable(cp, backend):
    before = """
    struct cuComplex { float r; float i;
      __device__ cuComplex(float a, float b) : r(a), i(b) {}
      __device__ float magnitude2(void) { return r * r + i * i; }
      __device__ cuComplex operator*(const cuComplex& a) { return cuComplex(r * a.r - i * a.i, i * a.r + r * a.i); }
      __device__ cuComplex operator+(const cuComplex& a) { return cuComplex(r + a.r, i + a.i); } };
    """
    body = "cuComplex a(1, 2), c(3, -1); a = a * a + c; out[0] = a.r; out[1] = a.i; out[2] = (a + c).magnitude2();"
    assert results(cp, before, body, 3) == [0, 3, 13]


def test_arguments_that_a_declaration_gives(cp, backend):
    before = """
    __device__ float scaled(float x, float s = 3.0f, int n = 1) { return x * s + n; }
    struct P { float x, y; __device__ P(float x, float y = 2) : x(x), y(y) {} __device__ float f(float k = 10) const { return k * x + y; } };
    """
    body = (
        "P p(1); out[0] = scaled(2); out[1] = scaled(1, 1); out[2] = scaled(1, 1, 5); out[3] = p.f(); out[4] = p.f(2);"
    )
    assert results(cp, before, body, 5) == [7, 2, 6, 12, 4]


def test_a_constructor_converts(cp, backend):
    before = """
    struct C { float r, i; __device__ C(float r) : r(r), i(0) {} __device__ C(float r, float i) : r(r), i(i) {} };
    __device__ float sum(C c) { return c.r + c.i; }
    __device__ C one() { return 1.0f; }
    """
    body = "C a = 3.0f; a = 4.0f; out[0] = a.r; out[1] = sum(5.0f); out[2] = one().r;"
    assert results(cp, before, body, 3) == [4, 5, 1]


def test_unions_share_their_bytes(cp, backend):
    before = "union Bits { float f; unsigned int u; }; union Wide { double d; unsigned int half[2]; };"
    body = """
      Bits b; b.f = 1.0f; out[0] = b.u; b.u ^= 0x80000000u; out[1] = b.f == -1.0f;
      Bits c = {2.0f}; Bits d = c; out[2] = d.u;
      union { int i; float f; } e; e.f = 1.0f; out[3] = e.i; out[4] = sizeof(Wide);
    """
    assert results(cp, before, body, 5) == [0x3F800000, 1, 0x40000000, 0x3F800000, 8]


def test_enumerations(cp, backend):
    before = """
    enum Color { RED, GREEN = 5, BLUE };
    enum class Op : unsigned char { Add, Mul = 7 };
    __device__ int apply(Op op, int x) { switch (op) { case Op::Add: return x + 1; case Op::Mul: return 2 * x; default: return 0; } }
    """
    body = """Color c = BLUE; out[0] = c; out[1] = Color::GREEN; out[2] = apply(Op::Add, 4); out[3] = apply(Op::Mul, 4);
      out[4] = static_cast<int>(Op::Mul); out[5] = sizeof(Op);"""
    assert results(cp, before, body, 6, dtype="i4") == [6, 5, 5, 8, 7, 1]


def test_lambdas_called_and_passed_on(cp, backend):
    before = """
    template <typename F> __device__ void each(int n, F f) { for (int i = threadIdx.x; i < n; i += blockDim.x) f(i); }
    template <typename F> __device__ double twice(F f, double x) { return f(f(x)); }
    """
    body = """
      auto poly = [a](double v) -> double { return a * v * v + 1; };
      each(4, [=](int i) { out[i] = poly(x[i]) + twice([](double v) { return v + 1; }, 0); });
    """
    x = cp.arange(4.0)
    told = results(cp, before, body, 4, x, 3.0, declared=", const double* x, double a", threads=2)
    assert told == [3 * v * v + 3 for v in range(4)]


def test_lambdas_that_change_what_they_capture(cp, backend):
    body = """
      float total = 0; int n = 0;
      auto add = [&](float x, float y) { total += x * y; n++; };
      add(2, 3); add(1, 1);
      int k = 5; auto copied = [k]() { return k; }; auto seen = [&k] { return k; }; k = 9;
      auto largest = [](auto x, auto y) { return x > y ? x : y; };
      out[0] = total; out[1] = n; out[2] = copied(); out[3] = seen(); out[4] = largest(2, 3) + largest(1.5, 0.5);
    """
    assert results(cp, "", body, 5) == [7, 2, 5, 9, 4.5]


def test_a_lambda_names_what_it_captures(cp):
    with pytest.raises(CompileException, match='"k" is not in the capture list'):
        results(cp, "", "int k = 5; auto f = [](int x) { return x + k; }; out[0] = f(1);", 1)


def test_functions_that_return_pointers(cp, backend):
    before = """
    __device__ const int* lower(const int* first, const int* last, int value) {
      while (first < last) { const int* mid = first + (last - first) / 2; if (*mid < value) first = mid + 1; else last = mid; }
      return first;
    }
    """
    body = "const int* p = lower(s, s + 6, 7); out[0] = p - s; out[1] = *p; out[2] = *lower(s, s + 6, 2); out[3] = lower(s, s + 6, 99) == s + 6;"
    s = cp.array([1, 3, 5, 7, 11, 13], "i4")
    assert results(cp, before, body, 4, s, dtype="i4", declared=", const int* s") == [3, 7, 3, 1]


def test_arrays_of_arrays_as_parameters(cp, backend):
    before = """
    typedef double mat3[3][3];
    __device__ void transpose(double (*a)[3], mat3 t) { for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) t[j][i] = a[i][j]; }
    __device__ double row(const double a[][3], int i) { double s = 0; for (int j = 0; j < 3; j++) s += a[i][j]; return s; }
    __device__ double sum(const double* r) { return r[0] + r[1] + r[2]; }
    """
    body = """
      double a[3][3]; mat3 t;
      for (int i = 0; i < 9; i++) a[i / 3][i % 3] = i;
      transpose(a, t);
      out[0] = t[0][1]; out[1] = t[2][0]; out[2] = row(t, 1); out[3] = sum(a[2]);
    """
    assert results(cp, before, body, 4) == [3, 2, 12, 21]


def test_dim3_and_uint3(cp, backend):
    before = "__device__ unsigned int flat(uint3 i, dim3 d) { return (i.z * d.y + i.y) * d.x + i.x; }"
    body = """
      dim3 half(blockDim.x, 2); dim3 one; uint3 t = threadIdx; dim3 b = blockIdx;
      if (flat(t, blockDim) == 3) { out[0] = half.x; out[1] = half.y; out[2] = half.z; out[3] = one.x + one.y + one.z; out[4] = b.x; out[5] = flat(blockIdx, gridDim); }
    """
    assert results(cp, before, body, 6, dtype="u4", threads=4) == [4, 2, 1, 3, 0, 0]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("template <typename T> struct P { T a; }; template <typename T> struct P<T*> { T* b; };", "specialisation"),
        ("struct A { int x; }; struct B : A { int y; __device__ B() : A{1}, y(2) {} };", "which has no constructor"),
    ],
)
def test_what_is_not_simulated_is_named(cp, code, said):
    with pytest.raises(NotSimulatedError, match=said):
        results(cp, code, "out[0] = 1;", 1)


def test_functions_that_return_references(cp, backend):
    before = """
    template <typename T> struct Mat {
      T v[4];
      __device__ T& operator()(int i, int j) { return v[2 * i + j]; }
      __device__ const T& operator()(int i, int j) const { return v[2 * i + j]; }
      __device__ T& operator[](int i) { return v[i]; }
      __device__ T& at(int i) { return this->v[i]; }
    };
    struct Span { float x, y; __device__ float& first() { return x; } };
    """
    body = """
      Mat<float> m;
      for (int i = 0; i < 4; i++) m[i] = i;
      m(1, 0) += 10; m.at(3) *= 5; m[0]++;
      Span s = {1, 2}; s.first() = 7; s.first() += 1;
      for (int i = 0; i < 4; i++) out[i] = m[i];
      out[4] = m(1, 1) + m.at(0); out[5] = s.x;
    """
    assert results(cp, before, body, 6) == [1, 1, 12, 15, 16, 8]
