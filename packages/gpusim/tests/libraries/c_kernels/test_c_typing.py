"""Every rule of C for types and values, against this machine's compiler; and the same rules against NumPy, which is always there."""

import ctypes
import random
import shutil
import subprocess

import numpy as np
import pytest

PARAMS = (
    "signed char c, unsigned char d, short h, unsigned short g, int i, int j, unsigned int u, unsigned int v, "
    "long long l, long long m, unsigned long long q, float f, float e, double x, bool t"
)
TYPES = "i1 u1 i2 u2 i4 i4 u4 u4 i8 i8 u8 f4 f4 f8 b1".split()
VALUES = [
    (-7, 200, -300, 60000, -7, 3, 7, 4000000000, -(10**12), 77, 2**63 + 5, 1.5, -2.75, 1e10, True),
    (100, 3, 31000, 2, 2**31 - 1, -2, 0, 1, 2**62, -3, 1, 1.0e9, 0.1, -0.3, False),
]
EXPRESSIONS = {
    "promotion": "c + d; c * d; h * g; d - 201; -d; ~d; ~g; +c; d << 4; t + t; -t; !i; !f; c / 2; c % 3; (char)(d); h + 1u",
    "usual conversions": "i + u; i - u; i * l; u + l; u * m; i + q; l + q; i + f; f + x; u * f; l * f; q + x; c * f; i < u; l < q; c < u; "
    "i == u; f == e; t == i; u - v; j - u",
    "wrapping": "u * v; v + v; u - 8u; (unsigned int)(i) * 2654435761u; v << 3; q * 3; (unsigned char)(v); (short)(v); (int)(q); (unsigned)(l)",
    "division": "i / j; i % j; -7 / 2; -7 % 2; 7 / -2; 7 % -2; l / m; l % m; v / 7; v % 7; q / 10; q % 10; c / 3; i / 2; i / -2; i % -2",
    "shifts": "i >> 1; i >> 31; v >> 4; l >> 3; q >> 60; 1 << 5; 1u << 31; 1ll << 40; c << 1; (unsigned char)(d << 1); h >> 2",
    "bits": "i & 255; i | u; i ^ j; ~i; ~u; ~l; ~q; l & 0xFFFF; c & d; u & l; t & 1; i & 0x80000000",
    "literals": "1; 1u; 1l; 1ul; 0x7fffffff; 0x80000000; 4294967295; 2147483648; 017; 'a'; 1.0f; 1.0; 1e3f; .5; 1.f; 0xFFFFFFFFFFFFFFFF",
    "floats": "f * e; f / e; x / 3; f / 3; f * 0.1; f * 0.1f; (float)(x); (float)(l); (double)(f); (int)(e); (int)(x / 1e5); (unsigned char)(f); "
    "f - x; -f; f > e; f >= 1",
    "logic": "i && j; i || u; i && f; t || l; i < 0 && j > 0; !t + 1; (i > j) + (u > v); i > 0 == t",
    "choice": "t ? i : u; t ? 1 : 2.5f; i > 0 ? l : x; t ? c : d; t ? f : i; i ? 1 : 0; t ? (char)1 : (char)2",
    "casts": "(float)i / j; (int)f + e; (double)(u + v); (unsigned)-1; (char)300; (bool)i; (bool)0.5; (bool)f; (int)t; (long long)i * j; (int)(l >> 8)",
    "sizes": "sizeof(int); sizeof(i) * 2; sizeof(long long) - 9; sizeof(float); sizeof(unsigned char); sizeof(c + d); sizeof(bool)",
}


def _all():
    return {name: [e.strip() for e in group.split(";")] for name, group in EXPRESSIONS.items()}


def _random(count, seed):
    """Expressions made at random, of what cannot divide by zero or shift too far."""
    made = random.Random(seed)
    names = [p.split()[-1] for p in PARAMS.split(",")]
    whole = [n for n in names if n not in "fext"]

    def one(depth, only=None):
        if depth == 0 or made.random() < 0.15:
            return made.choice(only or names)
        kind = made.choice(("arith", "arith", "arith", "bits", "compare", "divide", "shift", "cast", "choose", "minus"))
        if only or kind in ("bits", "divide", "shift"):
            a, b = one(depth - 1, whole), one(depth - 1, whole)
            if kind == "divide":
                return f"({a} {made.choice('/%')} (({b}) % 50 + 99))"
            if kind == "shift":
                return f"({a} {made.choice(('<<', '>>'))} ({made.choice(whole)} & 7))"
            return f"({a} {made.choice('+-*&|^')} {b})"
        if kind == "cast":
            return f"(({made.choice(('signed char', 'unsigned short', 'int', 'unsigned', 'long long'))}){one(depth - 1, whole)})"
        if kind == "choose":
            return f"({one(depth - 1)} ? {one(depth - 1)} : {one(depth - 1)})"
        if kind == "minus":
            return f"({made.choice('-+!')}{one(depth - 1)})"
        operator = (
            made.choice("+-*") if kind == "arith" else made.choice(("<", "<=", ">", ">=", "==", "!=", "&&", "||"))
        )
        return f"({one(depth - 1)} {operator} {one(depth - 1)})"

    return [one(3) for _ in range(count)]


WHOLE = ("promotion", "wrapping", "division", "shifts", "bits", "logic", "sizes", "whole")
"""Groups whose values are whole numbers, and are compared as such."""


def _code(groups):
    """A kernel that gives a number for each group, made of the bits of its expressions' values and of their types' sizes."""
    lines = [f'extern "C" __global__ void k({PARAMS}, long long* o) {{', "unsigned long long s;"]
    for k, (name, expressions) in enumerate(groups.items()):
        lines.append("s = 1;")
        for e in expressions:
            kind = "long long" if name in WHOLE else "double"
            bits = f"({kind})({e})" if name in WHOLE else f"__double_as_longlong((double)({e}))"
            lines.append(f"s = s * 1000003 + (unsigned long long)({bits}) * 16 + sizeof({e});")
        lines.append(f"o[{k}] = (long long)s;")
    return "\n".join(lines) + "\n}\n"


@pytest.fixture(scope="module")
def compiler():
    found = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if not found:
        pytest.skip("this machine has no C++ compiler; the rules are tested against NumPy below")
    return found


PRELUDE = """#include <cstring>
#define __global__
static long long __double_as_longlong(double x) { long long b; memcpy(&b, &x, 8); return b; }
"""


def _by_compiler(compiler, folder, groups, values):
    source, library = folder / "k.cpp", folder / "k.so"
    source.write_text(PRELUDE + _code(groups))
    options = ["-O1", "-fwrapv", "-ffp-contract=off", "-w", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, "-o", library, source], check=True)
    out = np.zeros(len(groups), "i8")
    kinds = {"i": [ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64], "f": [None, None, ctypes.c_float, ctypes.c_double],
             "u": [ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64], "b": [ctypes.c_bool]}  # fmt: skip
    given = [kinds[t[0]]["1248".index(t[1])](v) for t, v in zip(TYPES, values, strict=True)]
    ctypes.CDLL(str(library)).k(*given, ctypes.c_void_p(out.ctypes.data))
    return out


def _by_kernel(cp, groups, values):
    out = cp.zeros(len(groups), "i8")
    given = [np.dtype(t).type(v) for t, v in zip(TYPES, values, strict=True)]
    cp.RawKernel(_code(groups), "k")((1,), (1,), (*given, out))
    return out.get()


def _different(cp, compiler, folder, groups, values):
    got, wanted = _by_kernel(cp, groups, values), _by_compiler(compiler, folder, groups, values)
    return [name for name, a, b in zip(groups, got, wanted, strict=True) if a != b]


@pytest.mark.large
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_rules_agree_with_a_compiler(cp, compiler, tmp_path, name):
    groups = {name: _all()[name]}
    for k, values in enumerate(VALUES):
        folder = tmp_path / str(k)
        folder.mkdir()
        assert _different(cp, compiler, folder, groups, values) == []


@pytest.mark.large
def test_random_expressions_agree_with_a_compiler(cp, compiler, tmp_path):
    groups = {e: [e] for e in _random(16, 1)}
    assert _different(cp, compiler, tmp_path, groups, VALUES[0]) == []


def test_a_wrong_type_shows(cp, compiler, tmp_path):
    mine, theirs = {"whole": ["i + u"]}, {"whole": ["(long long)i + u"]}
    assert _by_kernel(cp, mine, VALUES[0]) != _by_compiler(compiler, tmp_path, theirs, VALUES[0])


def test_the_rules_agree_with_numpy(cp):
    i, u, m, c, d = np.int32(2**31 - 1), np.uint32(4000000000), np.int64(-(10**12)), np.int8(-7), np.uint8(200)
    cases = {
        "i + 1": (i.astype("i8") + 1).astype("i4"),
        "u * 2": np.uint32(u.astype("u8") * 2 % 2**32),
        "i * u": np.uint32(int(i) * int(u) % 2**32),
        "i + u > 0": True,
        "c < u": False,  # -7 becomes 4294967289
        "c * d": np.int32(-1400),
        "m / 7": np.int64(-142857142857),
        "m % 7": np.int64(int(m) + 142857142857 * 7),
        "i + 0.5f": np.float32(i) + np.float32(0.5),
        "(int)3e9f": 2**31 - 1,
        "(int)-3e9f": -(2**31),
        "(unsigned)-1.5f": 0,
        "(unsigned char)300": 44,
    }
    code = 'extern "C" __global__ void k(int i, unsigned int u, long long m, signed char c, unsigned char d, double* o) {\n'
    code += "\n".join(f"o[{k}] = {e};" for k, e in enumerate(cases)) + "}"
    out = cp.zeros(len(cases))
    cp.RawKernel(code, "k")((1,), (1,), (i, u, m, c, d, out))
    assert dict(zip(cases, out.get(), strict=True)) == {e: float(v) for e, v in cases.items()}


def test_a_constant_converts_as_a_variable_does(cp):
    """What the compiler computes beforehand is what the kernel would: here of floats that fit no integer."""
    types = (
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
        "long long",
        "unsigned long long",
    )
    values = {"quiet_NaN": np.nan, "infinity": np.inf, "max": np.finfo("f4").max, "lowest": np.finfo("f4").min}
    for name, value in values.items():
        stores = "\n".join(
            f"y[{k}] = (long long)({kind})cuda::std::numeric_limits<float>::{name}(); z[{k}] = (long long)({kind})x[0];"
            for k, kind in enumerate(types)
        )
        code = f'#include <cuda/std/limits>\nextern "C" __global__ void f(const float* x, long long* y, long long* z) {{\n{stores}\n}}'
        y, z = cp.zeros((2, len(types)), np.int64)
        cp.RawKernel(code, "f")((1,), (1,), (cp.array([value], np.float32), y, z))
        assert y.tolist() == z.tolist(), name
