"""Which error numba-cuda raises for a kernel that it refuses: asked of numba-cuda 0.30.4 with `cuda.compile_ptx`."""

import linecache

import numpy as np
import pytest

LISTS = {
    "NumbaRuntimeError": (
        *(
            "a = [1.0, 2.0]; x[0] = a[0]",
            "a = [x[0], x[1]]; x[0] = len(a)",
            "x[0] = [1, 2, 3][1]",
            "a = [1, 2]; a[0] = 5",
        ),
        *("a = [[1, 2], [3, 4]]; x[0] = a[0][1]", "a, b = [1, 2]", "x[0] = len([1, 2])", "a = [1, 2]; x[0] = 1 in a"),
        *("a = [1, 2]; b = a[:1]", "a = [1, 2] if x[0] > 0 else [3]; x[0] = a[0]"),
    ),
    "TypingError": (
        *(
            "a = []; a.append(x[0])",
            "a = []; x[0] = len(a)",
            "a = [1.0]; a.append(2.0)",
            "a = [0.0] * 4",
            "a = [1] + [2]",
        ),
        *("x[0] = max([x[0], x[1]])", "a = [1, 2]; x[0] = sum(a)", "a = sorted([3, 1])", "a = [1, 2]; b = a * 2"),
        *("a = [1, 2]; a.sort()", "x[0] = [1, 2] == [1, 2]", "a = np.array([1, 2])", "a = [v for v in range(3)]"),
        *("a = {1, 2, 3}", "a = set(); a.add(1)", "a = dict(a=1)", "a = {'k': 1}"),
    ),
    "AttributeError": ("a = {1, 2}; x[0] = 1 in a", "a = {x[0], x[1]}", "x[0] = 1 in {1, 2}"),
    "": (
        *("x[0] = 3 in [1, 2, 3]", "if x[0] not in [1, 2]: x[0] = 1", "if x[0] in (1.0, 2.0): x[0] = 1"),
        "for v in [1, 2]: x[v] = v",
    ),
}
CALLS = {
    "ValueError": (
        *(
            "cuda.atomic.add(x[0], 1)",
            "cuda.atomic.add(x, 0, 1, 2)",
            "cuda.atomic.cas(x, 0, 1)",
            "cuda.atomic.max(x, 0)",
        ),
        *("cuda.atomic.compare_and_swap(x, 1)", "cuda.grid(4)", "x[0] = cuda.selp(True, 1)"),
    ),
    "TypeError": (
        *("cuda.syncthreads(1)", "cuda.syncthreads_count()", "i = cuda.grid()", "i = cuda.gridsize()"),
        *("cuda.shfl_sync(0xFFFFFFFF, x[0])", "cuda.shfl_down_sync(x[0], 1)", "cuda.ballot_sync(True)"),
    ),
    "TypingError": (
        *(
            "i = cuda.grid(x[0])",
            "cuda.shared.array(8)",
            "cuda.local.array(8)",
            "cuda.threadfence(1)",
            "cuda.nanosleep()",
        ),
        *(
            "i = cuda.threadIdx.w",
            "i = cuda.threadIdx[0]",
            "i = cuda.popc()",
            "cuda.fma(1.0, 2.0)",
            "i = cuda.lanemask_lt(1)",
        ),
    ),
    "AttributeError": (
        "cuda.nothing(1)",
        "cuda.atomic.nothing(x, 0, 1)",
        "cuda.shared.nothing(8)",
        "math.nothing(1)",
        "np.nothing(1)",
    ),
}
TEXTS = {
    "NotImplementedError": (
        *(
            "x.sort()",
            "x[:4].sort()",
            "print(x)",
            "print(x[:2])",
            "print(x[0], x)",
            "print(None)",
            "print(1j)",
            "print((x, 1))",
        ),
        *("print(range(3))", "print(slice(1))", "print(np.float32)", "print(x.dtype)"),
    ),
    "TypingError": (
        *(
            "s = N + 'b'",
            "x[0] = N + 'b' == 'fastb'",
            "s = N; s += 'b'",
            "s = N * 2",
            "s = 2 * N",
            "x[0] = len(N + 'b')",
            "s = chr(97)",
        ),
        *(
            "x[0] = N.startswith('f')",
            "s = N.upper()",
            "s = N.strip()",
            "for c in N: x[0] += 1",
            "x[0] = N[0] == 'f'",
            "s = N[1:]",
        ),
    ),
    "": (
        *(
            "x[0] = len('abc')",
            "x[0] = 'a' in 'abc'",
            "x[0] = 'z' not in N",
            "x[0] = N == 'fast'",
            "x[0] = N != 'slow'",
        ),
        *(
            "x[0] = N in ('fast', 'slow')",
            "x[0] = 1 if N else 2",
            "s = 'a' + 'b'; x[0] = len(s)",
        ),
        *(
            "x[0] = 1 in x",
            "x[0] = x[0] not in x",
            "x[0] = 3 in x[:2]",
            "x[0] = 2 in range(3)",
            "print('a' + 'b')",
        ),
    ),
}

STATEMENTS = {
    "NumbaRuntimeError": ("x[:] = x[1:]", "x[0:2] = x[1:3]", "x[...] = x", "x[1:] = x"),
    "UnsupportedBytecodeError": (
        *("global N; N = 1", "global N; N += 1", "global N; del N", "import math as m", "from math import sin"),
        "class C: pass",
    ),
    "TypingError": ("del x[0]", "x[:2] = x[2:4] + 1", "return x[0]"),
    "": ("x[:] = 0", "global N; x[0] = len(N)"),
}
UFUNCS = {
    "KeyError": (
        *("x[0] = np.sqrt(x[1])", "x[0] = np.exp(x[1])", "x[0] = np.abs(x[1])", "x[0] = np.floor(x[1])"),
        *(
            "x[0] = np.power(x[1], 2)",
            "x[0] = np.copysign(x[0], x[1])",
            "x[0] = np.isfinite(x[0])",
            "x[0] = np.pow(x[0], 2)",
        ),
    ),
    "TypingError": ("x[0] = np.modf(x[1])[0]", "x[0] = np.heaviside(x[0], x[1])", "x[0] = np.divmod(x[0], x[1])[0]"),
    "": ("x[0] = np.sin(x[1])", "x[0] = np.maximum(x[0], x[1])", "x[0] = np.hypot(x[0], x[1])"),
}


def refused(cuda, code):
    """The names of the classes of what a kernel of some lines ends in."""
    code = "def k(x):\n" + "".join(f"    {line}\n" for line in code.split("; "))
    scope = {"cuda": cuda, "np": np, "math": __import__("math"), "N": "fast", "__name__": "swept"}
    linecache.cache["<swept>"] = (len(code), None, code.splitlines(keepends=True), "<swept>")
    exec(compile(code, "<swept>", "exec"), scope)
    try:
        cuda.jit(scope["k"])[1, 1](np.ones(8, np.float32))
    except Exception as error:
        return [kind.__name__ for kind in type(error).__mro__]
    return [""]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (name, code)
        for asked in (LISTS, CALLS, TEXTS, STATEMENTS, UFUNCS)
        for name, codes in asked.items()
        for code in codes
    ],
)
def test_a_refused_kernel_ends_in_the_real_compilers_error(cuda_module, backend, name, code):
    names = refused(cuda_module, code)
    assert name in names, names


def test_membership_in_a_tuple(cuda_module, backend):
    def among(x, out):
        i = cuda_module.grid(1)
        if i < x.size:
            out[i] = (x[i] in (2, 3, x[0])) + 10 * (x[i] not in [1, 2])

    linecache.checkcache()
    x, out = np.arange(6), np.zeros(6, np.int64)
    cuda_module.jit(among)[1, 8](x, out)
    assert out.tolist() == [(v in (2, 3, 0)) + 10 * (v not in (1, 2)) for v in range(6)]


def test_membership_in_arrays_ranges_and_text(cuda_module, backend):
    mode = "fast,wide"
    table = (2, 5)

    def among(x, y, out):
        i = cuda_module.grid(1)
        if i < x.size:
            out[i] = (x[i] in y) + 10 * (i in range(1, 6, 2)) + 100 * (x[i] not in y[:1]) + 1000 * (i in table)
            if "wide" in mode and len(mode) == 9:
                out[i] += 10000

    linecache.checkcache()
    x, y, out = np.arange(6.0), np.array([1, 4]), np.zeros(6, np.int64)
    cuda_module.jit(among)[1, 8](x, y, out)
    assert out.tolist() == [
        (v in (1, 4)) + 10 * (v in (1, 3, 5)) + 100 * (v != 1) + 1000 * (v in table) + 10000 for v in range(6)
    ]
