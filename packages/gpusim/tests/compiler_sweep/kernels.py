"""One-line kernels over what a kernel may call, and over the types that it may be called with.

Each is ``def k(x, y, v, w, out): LINE``, with arrays `x` and `y` and numbers `v` and `w`. What a line may be made of is listed
here; nothing says which of them compile.
"""

from __future__ import annotations

import math
from typing import NamedTuple

NUMBERS = ("boolean", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64", "complex64")
EXCHANGED = (*NUMBERS, "int16", "uint16", "complex128")


OF_HALVES = (
    "bits",
    "selp",
    "fma",
    "shuffles",
    "votes",
    "atomics",
    "math",
    "ufuncs",
    "conversions",
    "operators",
    "stores",
    "print",
)
"""Groups of which each text is also asked with a float16."""


class Line(NamedTuple):
    """A kernel: what its line is, by the types of `v` (and of the items of `x`) and of `w` (and of `y`'s)."""

    group: str
    text: str
    v: str
    w: str = "int32"


def lines() -> list[Line]:
    """All of them, always in one order."""
    made: list[Line] = []

    def add(group: str, texts, vs=NUMBERS, ws=("int32",)) -> None:
        made.extend(Line(group, text, v, w) for text in texts for v in vs for w in ws)

    add("barriers", [f"out[0] = cuda.syncthreads_{kind}(v)" for kind in ("count", "and", "or")], EXCHANGED)
    shuffles = [("shfl_sync", "3"), ("shfl_up_sync", "1"), ("shfl_down_sync", "1"), ("shfl_xor_sync", "1")]
    add("shuffles", [f"y[0] = cuda.{name}(-1, v, {lane})" for name, lane in shuffles], EXCHANGED, ("float64",))
    add("shuffles", [f"y[0] = cuda.{name}(v, 1, {lane})" for name, lane in shuffles])
    add("shuffles", [f"y[0] = cuda.{name}(-1, 1, v)" for name, _ in shuffles])
    votes = ("all_sync", "any_sync", "eq_sync", "ballot_sync")
    add("votes", [f"out[0] = cuda.{name}(-1, v)" for name in votes])
    add("votes", [f"out[0] = cuda.{name}(v, True)" for name in votes])
    add("votes", ["out[0] = cuda.match_any_sync(-1, v)", "out[0] = cuda.match_all_sync(-1, v)[0]"], EXCHANGED)
    add("votes", ["out[0] = cuda.match_any_sync(v, 1)", "cuda.syncwarp(v)"])
    add("bits", [f"out[0] = cuda.{name}(v)" for name in ("popc", "brev", "clz", "ffs")], EXCHANGED)
    add("bits", ["y[0] = cuda.cbrt(v)", "cuda.nanosleep(v)"], ws=("float64",))
    add("selp", ["y[0] = cuda.selp(v, w, w)"], NUMBERS, ("int32", "float32", "float64", "boolean"))
    add("selp", ["y[0] = cuda.selp(v > 1, v, w)"], NUMBERS[1:-1], ("int32", "int64", "float32", "float64"))
    add("fma", ["y[0] = cuda.fma(v, v, v)", "y[0] = cuda.fma(v, 1.0, w)"], ws=("float64",))
    atomics = ("add", "sub", "and_", "or_", "xor", "inc", "dec", "exch", "max", "min", "nanmax", "nanmin")
    add("atomics", [f"cuda.atomic.{name}(x, 0, v)" for name in atomics], EXCHANGED)
    add(
        "atomics",
        [f"cuda.atomic.{name}(x, 0, w)" for name in atomics],
        ("int32", "uint64", "float32"),
        ("int32", "float64"),
    )
    add("atomics", ["cuda.atomic.compare_and_swap(x, v, v)", "cuda.atomic.cas(x, 0, v, v)"], EXCHANGED)
    add(
        "atomics",
        ["cuda.atomic.add(x, v, 1)", "cuda.atomic.add(x, (v,), 1)"],
        ("int32", "uint64", "float32", "boolean"),
    )
    functions = sorted(name for name in vars(math) if not name.startswith("_") and callable(getattr(math, name)))
    add(
        "math",
        [f"y[0] = math.{name}(v)" for name in functions],
        ("boolean", "int32", "uint64", "float32", "complex64"),
        ("float64",),
    )
    two = ("atan2", "copysign", "fmod", "hypot", "pow", "remainder", "ldexp", "gcd", "nextafter", "comb", "dist", "log")
    add("math", [f"y[0] = math.{name}(v, w)" for name in two], ("int32", "float32", "float64"), ("int64", "float64"))
    add(
        "cmath",
        [f"y[0] = abs(cmath.{name}(v))" for name in ("exp", "sqrt", "log", "sin", "phase", "polar")],
        ("float32", "complex64"),
        ("float64",),
    )
    ufuncs = (
        *(
            "add",
            "subtract",
            "multiply",
            "power",
            "floor_divide",
            "remainder",
            "maximum",
            "minimum",
            "hypot",
            "arctan2",
        ),
        *("bitwise_and", "left_shift", "logical_and", "greater", "equal", "copysign", "fmod", "true_divide"),
    )
    add(
        "ufuncs",
        [f"y[0] = np.{name}(v, v)" for name in ufuncs],
        ("boolean", "int32", "uint64", "float32"),
        ("float64",),
    )
    unary = (
        *(
            "sin",
            "sqrt",
            "exp",
            "log",
            "floor",
            "abs",
            "negative",
            "invert",
            "isnan",
            "isfinite",
            "sign",
            "square",
            "deg2rad",
        ),
        *(
            "logical_not",
            "conjugate",
            "log1p",
            "rint",
            "signbit",
            "cbrt",
            "tanh",
            "log2",
            "reciprocal",
            "exp2",
            "spacing",
        ),
    )
    add("ufuncs", [f"y[0] = np.{name}(v)" for name in unary], ("boolean", "int32", "float32", "float64"), ("float64",))
    numpys = (
        "sum(x)",
        "max(x)",
        "mean(x)",
        "dot(x, x)",
        "sort(x)",
        "zeros(3)[0]",
        "argmax(x)",
        "round(v)",
        "isclose(v, v)",
        "where(v, v, v)",
    )
    add("numpy", [f"y[0] = np.{name}" for name in numpys], ("int32", "float64"), ("float64",))
    add(
        "conversions",
        [f"y[0] = {name}(v)" for name in ("int", "float", "bool", "abs", "round", "complex", "len", "str")],
        ws=("float64",),
    )
    add(
        "conversions",
        [f"y[0] = np.{name}(v)" for name in ("int8", "uint32", "float32", "float64", "complex64", "bool_")],
        ws=("float64",),
    )
    binary = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@", "<", "==", "and", "in", "is")
    add(
        "operators",
        [f"y[0] = v {sign} w" for sign in binary],
        ("boolean", "int32", "uint64", "float32", "complex64"),
        ("int32", "float64"),
    )
    add("operators", ["y[0] = -v", "y[0] = ~v", "y[0] = not v", "y[0] = +v"], ws=("float64",))
    add(
        "operators",
        ["y[0] = max(v, w)", "y[0] = min(v, w)", "y[0] = pow(v, w)", "y[0] = divmod(v, w)[0]"],
        ("int32", "float32", "float64"),
        ("int32", "float64"),
    )
    methods = (
        *(
            "sum()",
            "sum(0)",
            "mean()",
            "min()",
            "max()",
            "argmax()",
            "argsort()",
            "sort()",
            "copy()",
            "ravel()",
            "flatten()",
        ),
        *(
            "reshape(2, 2)",
            "reshape((2, 2))",
            "astype(np.float32)",
            "view(np.int32)",
            "fill(0)",
            "item()",
            "item(0)",
            "tolist()",
        ),
        *(
            "nonzero()",
            "all()",
            "any()",
            "prod()",
            "std()",
            "cumsum()",
            "dot(x)",
            "transpose()",
            "conj()",
            "take(0)",
            "clip(0, 1)",
        ),
        *(
            "tobytes()",
            "squeeze()",
            "swapaxes(0, 0)",
            "repeat(2)",
            "round()",
            "diagonal()",
            "trace()",
            "searchsorted(0)",
        ),
    )
    add("methods", [f"x.{name}" for name in methods], ("int32", "float64"))
    attributes = (
        "shape",
        "size",
        "ndim",
        "dtype",
        "strides",
        "itemsize",
        "nbytes",
        "T",
        "flat",
        "flags",
        "real",
        "imag",
        "base",
        "data",
        "ctypes",
    )
    add("attributes", [f"z = x.{name}" for name in attributes], ("int32", "complex64"))
    add(
        "attributes",
        ["y[0] = v.real", "y[0] = v.imag", "y[0] = v.conjugate()", "y[0] = v.bit_length()", "y[0] = v.is_integer()"],
        ("int32", "float64", "complex64"),
        ("float64",),
    )
    add(
        "indices",
        ["out[0] = x[v] > 0", "x[v] = 1", "x[v] += 1", "x[v,] = 1", "x[v:] = 1", "y[0] = x[:v].size"],
        NUMBERS[:-1],
    )
    add(
        "indices",
        [
            "x[(0,)] = 1",
            "x[0, 0] = 1",
            "x[None] = 1",
            "x[...] = 1",
            "x[0][0] = 1",
            "x[[0]] = 1",
            "x['a'] = 1",
            "x[x] = 1",
            "x[-1] = 1",
            "x[::-1] = 1",
        ],
        ("int32", "float32"),
    )
    add("stores", ["y[0] = v"], NUMBERS, NUMBERS)
    add(
        "stores",
        [
            "y[0] = None",
            "y[0] = 'a'",
            "y[0] = (1,)",
            "y[0] = x",
            "y[:] = x",
            "y[:] = v",
            "y = x",
            "x.shape = 1",
            "y[0] = 1j",
        ],
        ("int32", "float32"),
        ("float32",),
    )
    spaces = ("shared", "local")
    dtypes = (
        "v",
        "np.float32",
        "np.float16",
        "np.bool_",
        "np.int8",
        "np.complex64",
        "int",
        "float",
        "'float32'",
        "np.dtype('f4')",
        "x.dtype",
        "float64",
    )
    add("arrays", [f"s = cuda.{space}.array(4, {dtype}); s[0] = 1" for space in spaces for dtype in dtypes], ("int32",))
    shapes = (
        "(4,)",
        "(2, 2)",
        "[4]",
        "v",
        "w",
        "x.size",
        "0",
        "-1",
        "(4, -1)",
        "4.0",
        "(4, 4.0)",
        "'4'",
        "None",
        "True",
    )
    add("arrays", [f"s = cuda.{space}.array({shape}, np.int32)" for space in spaces for shape in shapes], ("int32",))
    add("print", ["print(v)", "print(v, w)", "print('a', v)"])
    add(
        "print",
        [
            "print()",
            "print(x)",
            "print(x[0])",
            "print((v, w))",
            "print(v, sep='')",
            "print(None)",
            "print(x.shape)",
            "print('a' + 'b')",
            "print(f'{v}')",
            "print('%d' % v)",
        ],
        ("int32", "float32"),
    )
    add(
        "grid",
        [
            f"i = cuda.{text}"
            for text in (
                "grid(1)",
                "grid(2)",
                "grid(3)",
                "grid(4)",
                "grid(0)",
                "grid(v)",
                "grid(1.0)",
                "grid()",
                "gridsize(1)",
                "gridsize(v)",
            )
        ],
        ("int32",),
    )
    add(
        "grid",
        [
            f"i = cuda.{text}"
            for text in (
                "threadIdx.x",
                "threadIdx.w",
                "threadIdx[0]",
                "laneid",
                "laneid()",
                "warpsize",
                "warpsize()",
                "blockIdx.x + v",
                "blockDim.x / 2",
                "threadIdx",
                "activemask()",
                "lanemask_lt()",
                "syncthreads(1)",
                "syncthreads(v)",
                "threadfence(1)",
                "threadfence()",
                "foo()",
                "syncwarp(-1, 1)",
            )
        ],
        ("int32", "float32"),
    )
    statements = (
        *(
            "assert v",
            "raise ValueError",
            "raise ValueError('a')",
            "raise ValueError(1)",
            "raise ValueError(v)",
            "raise ValueError(x[0])",
            "raise E",
        ),
        *(
            "return v",
            "return None",
            "return",
            "pass",
            "del v",
            "del x[0]",
            "import os",
            "global g",
            "yield v",
            "lambda: v",
            "[v]",
            "[v, v][0]",
        ),
        *(
            "(v, v)[0]",
            "{v: v}",
            "{v}",
            "[i for i in range(3)]",
            "f'{v}'",
            "'a'",
            "b'a'",
            "v if w else w",
            "x if w else x",
            "with v: pass",
        ),
        *(
            "for i in range(v): pass",
            "for i in x: y[0] = i",
            "for i in (1, 2): pass",
            "for i in [1, 2]: pass",
            "for i in range(4.0): pass",
        ),
        *(
            "for i, j in enumerate(x): pass",
            "for i, j in zip(x, x): pass",
            "for i in v: pass",
            "while v: v = v - v",
            "a = b = v",
            "a, b = v, w",
            "a, b = x",
            "a, *b = v, w",
        ),
        *(
            "for i in range(0, v, 2): pass",
            "for i in reversed(x): pass",
            "sorted(x)",
            "sum(x)",
            "max(x)",
            "max(v, w, v)",
            "max((v, w))",
            "min(v)",
            "any(x)",
            "map(abs, x)",
            "len(x)",
            "len(v)",
            "type(v)",
            "isinstance(v, int)",
            "id(v)",
            "hash(v)",
            "open('a')",
            "hasattr(x, 'a')",
            "getattr(x, 'size')",
            "slice(0, 1)",
            "range(3)[1]",
            "tuple(x)",
            "list(x)",
            "np.arange(3)",
            "np.empty(3)",
            "np.array([1])",
            "np.random.rand()",
            "np.pi + v",
            "math.pi + v",
            "np.newaxis",
            "np.nan",
            "np.linalg.norm(x)",
        ),
    )
    add("statements", statements, ("int32", "float32"))
    halves = {(line.group, line.text): line._replace(v="float16") for line in made if line.group in OF_HALVES}
    return [*made, *halves.values()]


def module(chosen: list[Line]) -> str:
    """The text of a module that has them all, `k0` first."""
    head = "import cmath\nimport math\n\nimport numpy as np\nfrom numba import cuda, float64\n\n\nclass E(Exception):\n    pass\n\n\ng = 1\n"
    return head + "".join(f"\n\ndef k{n}(x, y, v, w, out):\n    {line.text}\n" for n, line in enumerate(chosen))
