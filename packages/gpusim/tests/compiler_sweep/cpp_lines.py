"""Kernels of CUDA C++ for which NVRTC and the simulator are asked whether they are C++: each is a few lines, and its parts before it.

Overloaded functions are asked with every type of number, and with each answer the type that the call has.  Nothing here says what
compiles.
"""

from __future__ import annotations

import itertools

NUMBERS = {
    "b": "bool", "c": "char", "d": "unsigned char", "h": "short", "i": "int", "u": "unsigned int", "l": "long",
    "w": "unsigned long", "j": "long long", "q": "unsigned long long", "f": "float", "x": "double",
}  # fmt: skip
"""The names and types of a kernel's parameters."""
PARAMETERS = ", ".join(f"{kind} {name}" for name, kind in NUMBERS.items())
ONE = (
    "sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sinpi cospi asin acos atan sinh cosh tanh asinh "
    "acosh atanh erf erfc erfinv erfcinv normcdf normcdfinv tgamma lgamma fabs floor ceil trunc rint nearbyint round lrint llrint "
    "lround llround isnan isinf isfinite signbit abs labs llabs sqrtf expf floorf fabsf lrintf __expf __sinf __saturatef __fsqrt_rn "
    "__float2int_rn __popc __clz"
).split()
TWO = (
    "pow atan2 fmod copysign hypot fmin fmax nextafter remainder fdim min max powf fminf fmodf __powf __fadd_rn __mul24 __umulhi"
).split()
THREE = ("fma", "fmaf", "__fmaf_rn")
PROBES = ("sizeof({0}) == 8", "sizeof({0}) == 8 ? sizeof(({0}) + 0.0f) == 8 : sizeof(({0}) + 0LL) == 4")
"""What is true of a call of a wide type, and of a floating one."""


def calls() -> list[str]:
    """Calls of functions with numbers of each type."""
    made = [f"{name}({a})" for name in ONE for a in NUMBERS]
    made += [f"{name}({a}, {b})" for name in TWO for a in NUMBERS for b in NUMBERS]
    made += [f"{name}({a}, 2)" for name in TWO for a in NUMBERS]
    made += [f"{name}({', '.join(each)})" for name in THREE for each in itertools.product("iujfx", repeat=3)]
    for kind in "ifx":
        made += [f"sincos({kind}, &{a}, &{b})" for a, b in itertools.product("ifx", repeat=2)]
        made += [f"{name}({kind}, &{a})" for name in ("modf", "modff") for a in "ifx"]
    return made


def typed(call: str, probe: str) -> str:
    """A line that is C++ if a probe is true of a call."""
    return f"char probe[({probe.format(call)}) ? 1 : -1]"


def kernel(number: int, line: str) -> str:
    """The kernel of a line, on one line."""
    return f'extern "C" __global__ void k{number}({PARAMETERS}) {{ {line}; }}'


BEFORE = """__device__ void change(float &a) { a += 1; }
__device__ void change_int(int &a) { a += 1; }
__device__ void change_long(long &a) { a += 1; }
__device__ void put(float* p) { p[0] = 1; }
__device__ void put_schar(signed char* p) { p[0] = 1; }
__device__ float look(const float* p) { return p[0]; }
__device__ float twice(const float &a) { return a * 2; }
template <typename T> __device__ void raise(T &a) { a += 1; }
template <typename T> __device__ float seen(T &a) { return a + 1; }
template <typename T> __device__ float first(T* p) { return p[0]; }
template <typename T> __device__ float first_const(const T* p) { return p[0]; }
template <typename T> __device__ void set(T* p) { p[0] = 1; }
__device__ const int K = 3;
__constant__ float C[3];
"""
QUALIFIED = """
change_int(3) | const int n = 3; change_int(n) | const int n = i; change_int(n) | const float v = x[i]; change(v) | change(c[i])
change(x[i]) | float v = x[i]; change(v) | change(x[i] + 1) | int n = i; change(n) | long long v = 3; change_long(v) | long v = 3; change_long(v)
float &r = c[i]; x[i] = r | const float &r = c[i]; x[i] = r | const float &r = 3.0f; x[i] = r | float &r = x[i]; r = 1 | float &r; r = 1
const float &r = x[i]; r = 1 | float v = 1; const float &r = v; x[i] = r
const int n = i; n = 3 | const int n = 3; n = 4 | const int n = i; n++ | const int n = i; --n | const float v = x[i]; v += 1
int n = i; n = 3 | const int n; x[i] = n | const auto v = x[i]; v = 2 | auto v = x[i]; v = 2 | int const n = 3; n = 4
c[i] = 1 | *c = 1 | c[i] += 1 | c[i]++ | x[i] = 1 | *x = 1 | x[i] += c[i] | (c + 1)[0] = 1 | *(c + 1) = 1
atomicAdd(&c[0], 1.0f) | atomicAdd(c, 1.0f) | atomicAdd(x, 1.0f) | atomicAdd(&x[i], c[i]) | atomicExch(&c[i], 1.0f)
float* p = c; x[i] = p[i] | const float* p = x; x[i] = p[i] | const float* p = c; p++; x[i] = p[i] | const float* p = c; p = x; x[i] = p[0]
float* p = x; p = c; p[0] = 1 | float const* p = c; p[0] = 1 | float const* p = c; x[i] = p[0] | float* const p = x; p[i] = 1 | float* const p = x; p++
float* p = (float*)c; p[0] = 1 | float* p = const_cast<float*>(c); p[0] = 1 | int* p = (int*)c; p[0] = 1 | const int* p = (const int*)c; p[0] = 1
put(c) | put(x) | put(x + 1) | put(c + 1) | x[i] = look(c) | x[i] = look(x) | const float v = 1; put(&v) | const float v = 1; x[i] = look(&v)
float v = 1; put(&v) | signed char v = 3; put_schar(&v) | char v = 3; put_schar(&v) | put(i ? x : c) | x[i] = look(i ? x : c)
x[i] = twice(3) | x[i] = twice(i) | x[i] = twice(c[i]) | const float v = 2; x[i] = twice(v)
const float v = x[i]; raise(v) | float v = x[i]; raise(v) | const float v = x[i]; x[i] = seen(v) | raise(x[i]) | x[i] = seen(c[i])
x[i] = first(c) | x[i] = first(x) | x[i] = first_const(c) | x[i] = first_const(x) | set(x) | set(c) | set<float>(x) | x[i] = first<const float>(c)
const float t[2] = {1, 2}; t[0] = 3 | const float t[2] = {1, 2}; x[i] = t[1] | float t[2] = {1, 2}; t[0] = 3
const float t[2] = {1, 2}; put(t) | const float t[2] = {1, 2}; x[i] = look(t) | float t[2]; put(t) | const float t[2] = {1, 2}; float* p = t
K = 4 | x[i] = K | C[0] = 4 | x[i] = C[0] | put(C) | n = 3 | for (const int k = 0; k < 3; k++) x[k] = 1 | threadIdx.x = 1
const float v = 1; const float* p = &v; x[i] = *p | const float v = 1; float* p = &v; *p = 1 | float v = 1; const float* p = &v; *p = 1
__shared__ float s[4]; const float* p = s; p[0] = 1 | __shared__ float s[4]; put(s) | __shared__ float s[4]; change(s[0]) | __shared__ const float s[4]; s[0] = 1
float m; x[i] = modff(c[i], &m) | x[i] = modff(c[i], &c[1]) | sincosf(c[i], &x[0], &c[1]) | const float m = 0; x[i] = modff(c[i], &m)
float m; sincosf(c[i], &m, &x[1]) | x[i] = c[i] > 0 ? c[i] : x[i] | const int n = 2; float t[n]; x[i] = t[0] | const unsigned long long k = 5; x[i] = k
"""


def qualified() -> list[str]:
    """Lines about what is constant, and about references."""
    return [each.strip() for line in QUALIFIED.strip().splitlines() for each in line.split(" | ")]


def whole(number: int, line: str) -> str:
    """The kernel of one of these lines, on one line."""
    return f'extern "C" __global__ void k{number}(float* x, const float* c, int n) {{ int i = threadIdx.x; {line}; }}'


STRUCTS = """struct Point { float x, y; };
struct Body { float x, y; double mass; int id; };
typedef struct { signed char tag; Point place; float v[3]; long long n; } Nested;
struct __align__(16) Wide { float x; };
__device__ double energy(Body b) { b.mass *= 2; return b.mass * b.x; }
__device__ Body moved(const Body& b, float by) { Body r = b; r.x += by; return r; }
__device__ void marked(Body& b, int id) { b.id = id; }
__device__ void heavier(Body* b) { b->mass += 1; }
__device__ Point point(float x) { return {x, x + 1}; }
__device__ Point other(float x) { return Point{x, 2 * x}; }
__device__ void raised(float& x) { x += 1; }
template <class T> __device__ T first(const T* p) { return p[0]; }
template <typename T> __device__ void swapped(T& a, T& b) { T t = a; a = b; b = t; }
__constant__ Point origin;
__device__ Body table[3];
"""
OF_STRUCTS = """
b[i].x += 1 | b[i].z = 1 | (b + i)->id-- | (*b).y = 2 | b.x = 1 | b->x = 1 | b[0] = 1 | b[0] = b[1] | b[0] + b[1] | if (b[0]) b[0].x = 1
n[0].place.y = n[0].place.x | n[0].v[1] = 2 | n[0].v = 2 | n[0].v[0][0] = 2 | n[0].place = 3 | n[0].place.z = 3 | Point q = n[0].place; b[0].x = q.y
Body a = b[i]; b[0] = a | Body a = {1, 2, 3, 4}; b[0] = a | Body a = {1, 2, 3, 4, 5} | Body a{1}; b[0] = a | Body a = {}; b[0] = a | Body a; a.x = 1; b[0] = a
Point a = b[0] | Point a = {1}; b[0] = a | float f = b[0] | b[0].x = energy(b[1]) | b[0].x = energy(n[0]) | b[0] = moved(b[1], 2) | b[0].x = moved(b[1], 2).y
marked(b[0], 3) | marked(moved(b[0], 1), 3) | Body a = b[0]; marked(a, 1) | const Body a = b[0]; marked(a, 1) | heavier(b + 1) | heavier(&b[1]) | heavier(b[1])
heavier(n) | Body a = b[0]; heavier(&a) | const Body a = b[0]; heavier(&a) | b[0].x = point(1).y | b[0].x = other(2).x + point(1).x | raised(b[0].y) | raised(b[0].mass)
b[0] = first(b) | n[0] = first(n) | b[0] = first(n) | swapped(b[0], b[1]) | swapped(b[0], n[0]) | b[0] = i ? b[1] : b[2] | n[0] = i ? b[1] : n[2]
const Body* c = b; b[0].x = c[1].x | const Body* c = b; c[0].x = 1 | const Body* c = b; b[0] = *c | const Body* c = b; c->id++ | const Body a = b[0]; a.x = 1 | const Body a
__shared__ Body s[4]; s[0] = b[0] | __shared__ Body s; s.x = 1 | extern __shared__ Body s[]; s[i] = b[i] | Body t[2] = {{1, 2}, {3}}; b[0] = t[1] | Body t[2]; t[1].id = 3
atomicAdd(&b[0].id, 1) | atomicAdd(&b->x, 1.0f) | atomicAdd(&b[0], 1) | b[0].x = origin.x | origin.x = 1 | table[1] = b[0] | table[1].q = 1 | auto a = b[0]; a.id = 1
char probe[sizeof(Body) == 24 ? 1 : -1] | char probe[sizeof(Nested) == 32 ? 1 : -1] | char probe[sizeof(Wide) == 16 ? 1 : -1] | char probe[sizeof(n[0].v) == 12 ? 1 : -1]
struct Own { int a; }; Own o = {3}; b[0].id = o.a | Missing m | struct Body a; a.id = 1; b[0] = a | Body& r = b[0]; r.x = 1 | const Body& r = b[0]; r.x = 1 | Point& r = n[0].place; r.x = 1
"""


def of_structs() -> list[str]:
    """Lines about structs."""
    return [each.strip() for line in OF_STRUCTS.strip().splitlines() for each in line.split(" | ")]


def with_structs(number: int, line: str) -> str:
    """The kernel of one of these lines, on one line."""
    return f'extern "C" __global__ void k{number}(Body* b, Nested* n) {{ int i = threadIdx.x; {line}; }}'


VECTORS = """struct Particle { float4 at; float3 v; int2 cell; };
__device__ float3 crossed(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__device__ float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __device__ float4 operator*(float4 a, float b) { return make_float4(a.x * b, a.y * b, a.z * b, a.w * b); }
inline __device__ float4 operator*(float a, float4 b) { return b * a; }
inline __device__ void operator+=(float4 &a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline __device__ float4 operator-(const float4 &a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
inline __device__ bool operator==(float4 a, float4 b) { return a.x == b.x && a.w == b.w; }
struct Vec {
  float x, y;
  __device__ Vec() : x(0), y(0) {}
  __device__ Vec(float x, float y) : x(x), y(y) {}
  __device__ float dot(const Vec& o) const { return x * o.x + y * o.y; }
  __device__ float norm() const { return sqrtf(dot(*this)); }
  __device__ void scale(float f) { x *= f; this->y *= f; }
  __device__ Vec operator+(const Vec& o) const { return Vec(x + o.x, y + o.y); }
  __device__ Vec& operator*=(float f) { scale(f); return *this; }
  __device__ bool operator<(Vec o) const { return norm() < o.norm(); }
};
__device__ int chosen(int a) { return 1; }
__device__ int chosen(float a) { return 2; }
__device__ int chosen(const float* a) { return 3; }
__device__ int chosen(int a, int b) { return 4; }
"""
OF_VECTORS = """
v[i].x = 1 | v[i].z = v[i].w | v[i].q = 1 | q[i].z = 1 | v[i] = c[i] | v[i] = q[i] | c[i].x = 1 | v[i] = 1.0f | v[i] = make_float4(1, 2, 3, 4) | v[i] = make_float4(1, 2, 3) | v[i] = make_int4(1, 2, 3, 4)
v[i] = {1, 2, 3, 4} | v[i] = {1.0f, 2.0f} | float4 a = {1.0f, 2.0f}; v[i] = a | float4 a = {1, 2, 3, 4, 5} | float4 a; a.x = i; v[i] = a | float4 a{}; v[i] = a | float4 a = make_float4(x[0], i, 0, 0); v[i] = a | const float4 a = v[0]; a.x = 1
v[i] = float4{1, 2, 3, 4} | v[i] = float4(1, 2, 3, 4) | float4 a(1, 2, 3, 4) | v[i] = (float4){1, 2, 3, 4} | float4 a = v[0]; a.x += 1; v[i] = a | v[i] = v[0] + c[0] | v[i] = v[0] - c[0] | v[i] = v[0] * 2 | v[i] = 2 * v[0] | v[i] = 2.0 * v[0]
v[i] = v[0] * v[1] | v[i] += c[0] | v[i] -= c[0] | v[i] += 1 | v[i] = -c[0] | v[i] = ~v[0] | if (v[0] == c[0]) x[0] = 1 | if (v[0] != c[0]) x[0] = 1 | if (v[0]) x[0] = 1 | if (v[0] < c[0]) x[0] = 1 | v[i] = i ? v[0] : c[0] | v[i] = v[0] + c[0] * 2 + -c[1]
float4 a = v[0]; a += c[0]; v[i] = a | float4 a[2]; a[0] = v[0]; v[i] = a[0] | __shared__ float4 s[8]; s[i] = v[i] | __shared__ float3 s; s.x = 1 | extern __shared__ float4 s[]; s[i] = v[i] | x[i] = dot(make_float2(1, 2), make_float2(3, 4)) | x[i] = dot(v[0], v[1])
x[i] = dot(make_float3(1, 2, 3), crossed(make_float3(1, 2, 3), make_float3(0, 0, 1))) | x[i] = dot(make_float2(1, 2), make_float3(1, 2, 3)) | x[i] = crossed(make_float3(1, 2, 3), make_float3(0, 0, 1)).y | x[i] = make_int2(1, 2).y | x[i] = make_float2(i, 1.5).x
float4* p = reinterpret_cast<float4*>(x); v[i] = p[i] | float4* p = (float4*)x; p[i].y = 1 | float4* p = x | const float4* p = reinterpret_cast<const float4*>(x + 4); v[i] = *p | float4* p = reinterpret_cast<float4*>(c) | float* p = reinterpret_cast<float*>(v); p[i] = 1 | int4* p = (int4*)v; p[0].x = 1
v[i] = __ldg(&c[i]) | v[i] = __ldg(c + i) | float2 a = {x[0], x[1]}; x[i] = a.x * a.y | uchar4 a = make_uchar4(1, 2, 3, 255); x[i] = a.w | double2 a = make_double2(1, 2); x[i] = a.y | longlong2 a = make_longlong2(1, 2); x[i] = a.y | ulong4 a; a.x = 1 | short3 a = make_short3(1, 2, 3); x[0] = a.z
float5 a | int1 a = make_int1(3); x[0] = a.x | bool2 a | half2 a | float4 a = v[0]; float b = a.x + a.r | uint3 t = threadIdx; x[t.x] = t.y | uint3 t = blockDim; x[0] = t.z | threadIdx = make_uint3(1, 2, 3) | Particle p; p.at = v[0]; p.v = make_float3(1, 2, 3); p.cell = q[0]; x[0] = p.at.w + p.v.z + p.cell.y
Particle p = {v[0], {1, 2, 3}, {4, 5}}; x[0] = p.cell.x | p.at = 3 | atomicAdd(&v[0].x, 1.0f) | atomicAdd(&q[0].y, 1) | char probe[sizeof(float4) == 16 ? 1 : -1] | char probe[sizeof(float3) == 12 ? 1 : -1] | char probe[sizeof(Particle) == 48 ? 1 : -1] | char probe[sizeof(uchar4) == 4 ? 1 : -1]
char probe[alignof(float4) == 16 ? 1 : -1] | char probe[sizeof(double4) == 32 ? 1 : -1] | char probe[sizeof(longlong3) == 24 ? 1 : -1] | float4 a = *v; v[1] = a | float4 a = v->x | x[0] = v->x + (v + 1)->y | x[0] = (*v).z | v[0].x++ | ++q[0].y | float& r = v[0].y; r = 3 | float4& r = v[1]; r.x = 3 | const float4& r = c[1]; r.x = 3
Vec a; x[0] = a.x | Vec a(1, 2); x[0] = a.y | Vec a{1, 2}; x[0] = a.y | Vec a = {1, 2}; x[0] = a.y | Vec a(1) | Vec a(1, 2, 3) | Vec a = Vec(1, 2); x[0] = a.dot(a) | x[0] = Vec(1, 2).dot(Vec(3, 4)) | x[0] = Vec(1, 2).norm() | Vec a(1, 2); a.scale(3); x[0] = a.x | const Vec a(1, 2); a.scale(3) | const Vec a(1, 2); x[0] = a.norm()
Vec a(1, 2); a.missing() | Vec a(1, 2); x[0] = a.dot() | Vec a(1, 2); x[0] = a.dot(a, a) | Vec a(1, 2); x[0] = a.dot(3) | Vec a(1, 2); Vec b = a + a; x[0] = b.y | Vec a(1, 2); Vec b = a - a | Vec a(1, 2); a *= 2; x[0] = a.x | Vec a(1, 2); a += a | Vec a(1, 2), b(3, 4); if (a < b) x[0] = 1 | Vec a(1, 2), b(3, 4); if (a > b) x[0] = 1
Vec a(1, 2); Vec* p = &a; p->scale(2); x[0] = p->norm() | Vec a(1, 2); x[0] = a->x | Vec a[2]; a[1].scale(2); x[0] = a[1].x | Vec a = 3 | Vec a = c[0] | auto a = Vec(1, 2) + Vec(3, 4); x[0] = a.norm() | x[0] = (Vec(1, 2) + Vec(3, 4)).norm() | Vec a; a = {1, 2}; x[0] = a.x | norm() | dot(Vec(), Vec()) | x[0] = Vec().x
x[0] = chosen(1) | x[0] = chosen(1.0f) | x[0] = chosen(1.0) | x[0] = chosen(x) | x[0] = chosen(c) | x[0] = chosen(1, 2) | x[0] = chosen(1u) | x[0] = chosen((short)1) | x[0] = chosen(1LL) | x[0] = chosen('a') | x[0] = chosen(true) | x[0] = chosen(1, 2, 3) | x[0] = chosen() | x[0] = chosen(v[0]) | char probe[chosen(1) ? 1 : -1]
"""


def of_vectors() -> list[str]:
    """Lines about vector types, functions of structs, operators, and functions that share a name."""
    return [each.strip() for line in OF_VECTORS.strip().splitlines() for each in line.split(" | ")]


def with_vectors(number: int, line: str) -> str:
    """The kernel of one of these lines, on one line."""
    return f'extern "C" __global__ void k{number}(float4* v, const float4* c, int2* q, float* x) {{ int i = threadIdx.x; {line}; }}'


HEADERS = (
    "cuda/std/cmath cuda/std/limits cuda/std/climits cuda/std/cfloat cuda/std/cstdint cuda/std/type_traits cuda/std/utility "
    "cuda/std/complex cuda/std/cstddef math_constants.h cuComplex.h cuda_fp16.h cooperative_groups.h cuda_runtime.h math.h cmath "
    "stdint.h stdio.h cstdlib limits.h float.h assert.h algorithm type_traits windows.h"
).split()
BEHIND_HEADERS = """
int32_t n = 1; y[0] = n | uint8_t n = 1; y[0] = n | size_t n = 1; y[0] = n | y[0] = INFINITY | y[0] = NAN | y[0] = M_PI | y[0] = INT_MAX | y[0] = UINT_MAX
y[0] = LLONG_MAX | y[0] = CHAR_BIT | y[0] = FLT_MAX | y[0] = DBL_MAX | y[0] = FLT_EPSILON | y[0] = CUDART_PI_F | y[0] = CUDART_INF_F | y[0] = sqrtf(y[0])
y[0] = std::sqrt(y[0]) | y[0] = std::max(i, i) | std::size_t n = 1; y[0] = n | y[0] = std::numeric_limits<float>::max() | printf("%d", i)
"""


def behind_headers() -> list[str]:
    """Lines about what is declared in some header."""
    return [each.strip() for line in BEHIND_HEADERS.strip().splitlines() for each in line.split(" | ")]


def with_header(number: int, line: str) -> str:
    """The kernel of one of these lines, on one line."""
    return f'extern "C" __global__ void k{number}(double* y) {{ int i = threadIdx.x; {line}; }}'


CAPTURED = """__device__ void bump(int& v) { v += 2; }
__device__ void put(int* p) { *p = 1; }
__device__ int seen(const int& v) { return v; }
struct S { int a, b; __device__ void inc() { a++; } __device__ int get() const { return a; } __device__ void operator+=(int k) { a += k; } };
template <typename T> __device__ T larger(T a, T b) { return a > b ? a : b; }
template <typename F> __device__ int applied(F f, int v) { return f(v); }
template <int N> __device__ int times(int v) { return v * N; }
__device__ int rows(int (*p)[3]) { return p[1][2]; }
__device__ int flat(int* p) { return p[1]; }
"""
OF_CAPTURES = """
auto f = [&]() { k = 3; }; f() | auto f = [=]() { k = 3; }; f() | auto f = [k]() { k++; }; f() | auto f = [&k]() { k++; }; f() | auto f = []() { return k; }; x[0] = f() | auto f = [&k]() { return k + m; }; x[0] = f()
auto f = [&]() { bump(k); }; f() | auto f = [=]() { bump(k); }; f() | auto f = [&]() { put(&k); }; f() | auto f = [=]() { put(&k); }; f() | auto f = [=]() { return seen(k); }; x[0] = f() | auto f = [=]() { int& r = k; r = 1; }; f() | auto f = [=]() { const int& r = k; return r; }; x[0] = f()
auto f = [&]() { s.inc(); }; f() | auto f = [=]() { s.inc(); }; f() | auto f = [=]() { return s.get(); }; x[0] = f() | auto f = [=]() { s.a = 1; }; f() | auto f = [&]() { s.a = 1; }; f() | auto f = [=]() { s += 1; }; f() | auto f = [&]() { s += 1; }; f()
auto f = [=]() { return *p++; }; x[0] = f() | auto f = [=]() { p[0] = 1; }; f() | auto f = [=]() { return p[1]; }; x[0] = f() | auto f = [=](int q) { q++; return q; }; x[0] = f(1) | auto f = [](int& q) { q++; }; f(k) | auto f = [](int& q) { q++; }; f(3) | auto f = [](const int& q) { return q; }; x[0] = f(3)
const int c = 2; auto f = [](int v) { return v * c; }; x[0] = f(1) | const int c = 2; auto f = [&]() { c = 1; }; f() | const int c = k; auto f = [](int v) { return v * c; }; x[0] = f(1) | __shared__ int t; auto f = []() { t = 1; }; f() | __shared__ int t[4]; auto f = [](int v) { return t[v]; }; x[0] = f(1)
x[0] = applied([&](int v) { return v + k; }, 2) | x[0] = applied([](int v) { return v + k; }, 2) | x[0] = applied([&](int v, int w) { return v + k; }, 2) | auto f = [&](int v) { return v; }; x[0] = f() | auto f = [&](auto v) { return v; }; x[0] = f(1) + f(2.5f) | auto f = [&](int v) { return v; }; x[0] = f(1, 2)
x[0] = larger(1, 2) | x[0] = larger(1, 2.5) | x[0] = larger(threadIdx.x, 5) | x[0] = larger(threadIdx.x, 5u) | x[0] = larger<float>(1, 2.5) | x[0] = larger(k, m) | x[0] = larger(true, k) | x[0] = times<3>(k) | x[0] = times<2 + 1>(k) | x[0] = times<k>(m) | const int c = 2; x[0] = times<c>(m) | x[0] = times<2.5>(k)
int w[2][3] = {{1, 2, 3}, {4, 5, 6}}; x[0] = rows(w) | int w[2][3] = {{1, 2, 3}, {4, 5, 6}}; x[0] = rows(&w[0]) | int w[2][3] = {{1, 2, 3}, {4, 5, 6}}; x[0] = flat(&w[0]) | int w[2][3] = {{1, 2, 3}, {4, 5, 6}}; x[0] = flat(w[0]) | int w[2][3] = {{1, 2, 3}, {4, 5, 6}}; x[0] = flat(w)
int w[2][4]; x[0] = rows(w) | const int& r = k; r = 1 | const int& r = k; x[0] = r | const float& r = k; x[0] = r | int& r = 3 | const int& r = 3; x[0] = r | auto& r = k; r = 3 | const auto& r = k; r = 3 | int& r = m; bump(r) | const int& r = m; bump(r) | float& r = k
"""


def of_captures() -> list[str]:
    """Lines about what lambdas capture, references, arguments of templates, and addresses of arrays."""
    return [each.strip() for line in OF_CAPTURES.strip().splitlines() for each in line.split(" | ")]


def with_captures(number: int, line: str) -> str:
    """The kernel of one of these lines, on one line."""
    return f'extern "C" __global__ void k{number}(float* x, int* p) {{ int k = 1, m = 2; S s = {{1, 2}}; {line}; }}'
