"""Operations of CuPy's elementwise and reduction kernels, for which NVRTC, given CuPy's own headers, and the simulator are asked
whether they are C++.  Nothing here says what compiles.
"""

from __future__ import annotations

import itertools

NUMBERS = {
    "b": ("bool", "bool"), "c": ("int8", "signed char"), "d": ("uint8", "unsigned char"), "s": ("int16", "short"), "k": ("int32", "int"),
    "u": ("uint32", "unsigned int"), "j": ("int64", "long long"), "q": ("uint64", "unsigned long long"), "x": ("float32", "float"),
    "g": ("float64", "double"), "z": ("complex64", "complex<float>"), "w": ("complex128", "complex<double>"),
}  # fmt: skip
"""The elements that an operation has: their types to NumPy and to C."""
RAW = {"r": ("float32", "float", 1), "m": ("float64", "double", 2), "p": ("int32", "int", 1)}
"""The raw arguments, with their dimensions; `y`, `o` and `v` are float, long long and complex<float> and may be written."""
OUT = {"y": ("float32", "float"), "o": ("int64", "long long"), "v": ("complex64", "complex<float>")}

ONE = "sqrt exp log log10 log2 log1p expm1 sin cos tan sinh tanh asin acos atan asinh abs fabs floor rint isnan isinf isfinite signbit conj real imag arg norm".split()
TWO = "min max pow fmin fmax atan2 fmod copysign".split()
ATOMICS = "Add Sub Max Min Exch CAS And Or Xor Inc".split()
KINDS = "b c k u j q x g z w".split()
OTHERS = """
y = i | y = n | y = _n | y = size | y = _ind.size() | y = _ind.get()[0] | y = _ind.ndim | y = _ind[0] | y = _ind.shape()[0] | i = 3 | i += 1 | y = _i | y = _j | y = threadIdx.x
y = r[i] | y = r[0] | y = r[i + 1] | y = r[_ind.get()] | y = m[_ind.get()] | y = m[i] | y = r.size() | y = r.shape()[0] | y = m.shape()[1] | y = m.strides()[0] | y = r.ndim
y = m.ndim | y = r.c_contiguous | y = r.shape(0) | y = r.shape[0] | y = r.data | y = r.dtype | y = r.size | y = *r | y = r->size() | y = r(0) | y = m[0][1] | y = m(0, 1)
ptrdiff_t at[] = {0, 1}; y = m[at] | int at[] = {0, 1}; y = m[at] | ptrdiff_t at[] = {0}; y = m[at] | y = m[{0, 1}] | y = r[{0}] | const float* a = &r[0]; y = a[1] | float* a = &r[0]; y = a[1]
r[i] = 1 | m[i] = 1 | x = 1 | k++ | y = x; y += 1 | y += 1 | o = 1; o++ | v = z | v = x | y = z | y = z.real() | y = w.imag() | v = complex<float>(x, g) | v = complex<float>(1) | v = T(1)
v = complex<double>(1, 2) | w = 1 | v = z + x | v = z * g | v = z + w | v = z + 1 | v = z * 2.0 | v = z / k | v = z + j | y = z > v | y = z == v | y = z != 0 | y = z ? 1 : 2 | v = -z | v = !z
v = z * z + conj(z) | v += z | v *= x | v -= 1 | v += w | v = exp(z) * x | v = pow(z, 2) | v = pow(z, z) | v = pow(x, z) | v = sqrt(z) | v = log(z) | v = polar(x, x) | v = z.conj() | z.real(1) | v.real(x) | v.imag(x)
v = min(z, z) | v = max(z, v) | y = abs(z) | y = norm(z) | y = arg(z) | v = proj(z) | v = sinh(z) | v = tanh(z) | v = atan(z) | v = log10(z) | v = rint(z) | v = expm1(z) | y = isnan(z) | y = isinf(w)
y = M_PI | y = INFINITY | y = NAN | y = CUDART_INF | y = CUDART_INF_F | y = CUDART_NAN | y = CUDART_PI | y = INT_MAX | y = FLT_MAX | y = DBL_MAX | y = FLT_EPSILON | y = M_E | y = LLONG_MAX | y = UINT_MAX | y = CHAR_BIT
int32_t a = 1; y = a | uint8_t a = 1; y = a | int64_t a = 1; y = a | size_t a = 1; y = a | ptrdiff_t a = 1; y = a | uintptr_t a = 1; y = a | ssize_t a = 1; y = a | intptr_t a = 1; y = a
half a = 1.0f; y = a | __half a = 1.0f; y = a | float16 a = float16(x); y = a | bfloat16 a = bfloat16(x); y = a | y = float16(x) + float16(1) | y = __half2float(__float2half(x)) | y = nan("")
assert(x > 0); y = x | assert(i < 3 && x > 0); y = x | assert(x); y = x | assert(); y = x | printf("%d", k); y = x | printf("%f", x) | y = printf("a") | std::max(k, k) | y = std::max(k, k) | y = std::sqrt(x)
y = thrust::max(x, x) | y = thrust::abs(z) | v = thrust::exp(z) | v = thrust::complex<float>(1, 2) | y = cupy::max(x, x) | y = numeric_limits<float>::max() | y = std::numeric_limits<float>::max() | y = cuda::std::max(x, x)
y = __fdividef(x, x) | y = __expf(x) | y = __popc(k) | y = __ldg(&x) | y = __ldg(&r[i]) | y = rsqrtf(x) | y = rsqrt(x) | y = sinf(x) | y = powf(x, 2) | y = erf(x) | y = tgamma(x) | y = hypot(x, g) | y = fma(x, x, x)
return | break | continue | if (x > 0) { y = 1; } else { y = 2; } | if (x > 0) y = 1 | for (int a = 0; a < 3; ++a) y += a | while (y < 3) y += 1 | y = x > 0 ? x : 0 | y = x > 0 ? x : k | int i = 3; y = i | float x = 3; y = x | auto a = x; y = a
__shared__ float t[32]; y = t[0] | __syncthreads() | static_assert(sizeof(x) == 4, ""); y = x | y = sizeof(z) | y = (float)k | y = float(k) | y = static_cast<float>(k) | y = int(x) / 2 | y = x % 2 | o = k % 2 | o = x | o = z | y = "a" | y = x y = k | y == x
float2 a = make_float2(x, 1); y = a.x | float4 a; y = a.w | y = IndexT(3) | y = _raw_x[i] | y = _raw_y[i] | y = x_raw | y = bool(x) | y = b + b | y = b & b | o = ~k | o = !k | o = k << 2 | o = x << 2 | o = j >> k | y = ~x
"""
REDUCED = """
x | x * x | z | k | x > 0 | abs(x) | x + i | x + _J | x + _j | x + _i | r[_J] | r[_j] | r[i] | _in_ind.size() | _out_ind.size() | blockDim.x | y | x + n | min(x, k) | max(x, 0) | fmaxf(x, 0)
x ; a + b | x ; a * b | x ; max(a, b) | x ; min(a, b) | x ; fmaxf(a, b) | x ; a < b ? a : b | x ; a - | x ; a + x | x ; c | x ; max(a, 0) | x ; a + 1 | x ; a && b | x ; a % b
x ; a + b ; y = a | x ; a + b ; y = sqrt(a) | x ; a + b ; y = a / _in_ind.size() | x ; a + b ; y = a / n | x ; a + b ; y = a / (_in_ind.size() / _out_ind.size()) | x ; a + b ; y = b | x ; a + b ; y = a + x | x ; a + b ; a = y
x ; a + b ; y = _s | x ; a + b ; y = a; if (y < 0) y = 0 | x ; a + b ; y = a > 0 ? a : 0 | x ; a + b ; y = z | x ; a + b ; y = r[0] | x ; a + b ; y = i | x ; a + b ; y = _i | x ; a + b ; y = r.size()
"""
"""Of reductions: what is done to an element, to two results and to the last one, the rest being ``a + b`` and ``y = a``."""


def operations() -> list[str]:
    """Operations of elementwise kernels."""
    made = [each.strip() for line in OTHERS.strip().splitlines() for each in line.split(" | ")]
    made += [f"y = sizeof({name}({a}))" for name in ONE for a in KINDS]
    pairs = [*itertools.product(KINDS, KINDS), *itertools.product(KINDS, ("0", "0.0", "0.0f"))]
    for name, (a, b) in itertools.product(TWO, pairs):
        of_complex = name == "pow" and {a, b} & {"z", "w"}
        made.append(f"w = pow({a}, {b})" if of_complex else f"y = sizeof({name}({a}, {b}))")
    for name, (array, value) in itertools.product(ATOMICS, itertools.product("rmp", "kxg")):
        made.append(f"atomic{name}(&{array}[0], {'k, ' * (name == 'CAS')}{value})")
    made += [f"atomic{name}(&{out}, {'1, ' * (name == 'CAS')}{a})" for name in ATOMICS for out in "yo" for a in "kjx"]
    return made


def reductions() -> list[tuple[str, str, str]]:
    """What reductions do to an element, to two results and to the last one."""
    made = []
    for line in REDUCED.strip().splitlines():
        for each in line.split(" | "):
            parts = [part.strip() for part in each.split(" ; ")]
            made.append((*parts, *("x", "a + b", "y = a")[len(parts) :]))
    return made


def elementwise(number: int, operation: str) -> str:
    """The kernel that CuPy writes around an operation, on one line (`_get_simple_elementwise_kernel_code`)."""
    params = [f"const CArray<{kind}, 1, 1, 1> _raw_{name}" for name, (_, kind) in NUMBERS.items()]
    params += [f"const CArray<{kind}, {ndim}, 1, 1> {name}" for name, (_, kind, ndim) in RAW.items() if name != "m"]
    params += [
        f"CArray<double, 2, 1, 1> m, {', '.join(f'CArray<{kind}, 1, 1, 1> _raw_{name}' for name, (_, kind) in OUT.items())}"
    ]
    first = [f"const {kind} &{name} = _raw_{name}[_ind.get()];" for name, (_, kind) in NUMBERS.items()]
    first += [f"{kind} &{name} = _raw_{name}[_ind.get()];" for name, (_, kind) in OUT.items()]
    body = f"CUPY_FOR(i, _ind.size()) {{ _ind.set(i); {' '.join(first)} {operation}; }}"
    return f'extern "C" __global__ void k{number}({", ".join(params)}, CIndexer<1, 1> _ind) {{ ; {body} ; }}'


def reduction(number: int, parts: tuple[str, str, str]) -> str:
    """The kernel that CuPy writes around a reduction, on one line (`_create_reduction_function_code`)."""
    mapped, reduced, last = parts
    params = "const CArray<float, 1, 1, 1> _raw_x, const CArray<int, 1, 1, 1> _raw_k, const CArray<complex<float>, 1, 1, 1> _raw_z, "
    params += "const CArray<float, 1, 1, 1> r, CArray<float, 1, 1, 1> _raw_y, CIndexer<1, 1> _in_ind, CIndexer<1, 1> _out_ind, const int _block_stride"
    loads = "const float x = _raw_x[_in_ind.get()]; const int k = _raw_k[_in_ind.get()]; const complex<float> z = _raw_z[_in_ind.get()];"
    return (
        f'extern "C" __global__ void k{number}({params}) {{ typedef int IndexT; typedef float _type_reduce; '
        "__shared__ char _sdata_raw[512 * sizeof(_type_reduce)]; _type_reduce *_sdata = reinterpret_cast<_type_reduce*>(_sdata_raw); "
        "unsigned int _tid = threadIdx.x; IndexT _J_offset = _tid >> __popc(_block_stride - 1); "
        "ptrdiff_t _j_offset = (ptrdiff_t)_J_offset * _out_ind.size(); IndexT _J_stride = 512 >> __popc(_block_stride - 1); "
        "ptrdiff_t _j_stride = (ptrdiff_t)_J_stride * _out_ind.size(); "
        "for (ptrdiff_t _i_base = (ptrdiff_t)blockIdx.x * _block_stride; _i_base < _out_ind.size(); "
        "_i_base += (ptrdiff_t)gridDim.x * _block_stride) { _type_reduce _s = _type_reduce(0); "
        "ptrdiff_t _i = _i_base + (_tid & (_block_stride - 1)); IndexT _J = _J_offset; "
        "for (ptrdiff_t _j = _i + _j_offset; _j < _in_ind.size(); _j += _j_stride, _J += _J_stride) { _in_ind.set(_j); "
        f"{loads} _type_reduce _a = static_cast<_type_reduce>({mapped}); {{ _type_reduce a = _s, b = _a; _s = ({reduced}); }} }} "
        f"{{ _type_reduce a = _sdata[_tid], b = _sdata[_tid + 1]; _sdata[_tid] = ({reduced}); }} "
        "__syncthreads(); if (_tid < _block_stride && _i < _out_ind.size()) { _out_ind.set(static_cast<ptrdiff_t>(_i)); "
        f"float &y = _raw_y[_out_ind.get()]; {{ _type_reduce &a = _s; ({last}); }} }} }} }}"
    )
