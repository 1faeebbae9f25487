"""Programs that are wrong, as learners write them: a name, the program, what the error must be and must say."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """\
import math
import numpy as np
from numba import cuda, float32, float64, int32

x = cuda.to_device(np.arange(100.0))
y = cuda.to_device(np.zeros(100))
"""


@dataclass(frozen=True)
class Wrong:
    """A wrong program.

    Attributes
    ----------
    body : str
        Follows `HEAD`; the line that the error must show ends in ``# HERE``.
    says : tuple of str
        Pieces of what the error says, in any order and case; `` || `` between what either way of running may say.
    gaps : tuple of str
        The ways of running that do not refuse it yet; the test then expects just that, and fails when they do.
    """

    name: str
    body: str
    says: tuple[str, ...]
    gaps: tuple[str, ...] = ()


def kernel(body: str, launch: str = "kernel[1, 32](x, y)", parameters: str = "x, y", before: str = "") -> str:
    """A kernel with that body, its launch and a synchronisation."""
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return f"{before}\n@cuda.jit\ndef kernel({parameters}):\n    i = cuda.grid(1)\n{lines}\n\n\n{launch}\ncuda.synchronize()\n"


WRONG = [
    Wrong("never ends", kernel("while x[0] == 0:  # HERE\n    y[i] += 1"), ("while",)),
    Wrong("counts the wrong way", kernel("k = 1\nwhile k > 0:  # HERE\n    k += 1"), ("while",)),
    Wrong(
        "waits for a thread behind a barrier",
        kernel(
            "flag = cuda.shared.array(1, int32)\nif i == 0:\n    flag[0] = 0\ncuda.syncthreads()\n"
            "if i == 0:\n    while cuda.atomic.add(flag, 0, 0) == 0:  # HERE\n        pass\n"
            "cuda.syncthreads()\nif i == 1:\n    flag[0] = 1"
        ),
        ("while",),
    ),
    Wrong(
        "a lock that is never given back",
        kernel("while cuda.atomic.cas(y, 0, 0.0, 1.0) != 0.0:  # HERE\n    pass\nx[i] = 1"),
        ("while",),
    ),
    Wrong(
        "recursion",
        kernel(
            "y[i] = factorial(i)",
            before="@cuda.jit(device=True)\ndef factorial(n):\n    return n * factorial(n - 1) if n > 1 else 1  # HERE\n",
        ),
        ("recurs",),
    ),
    Wrong(
        "recursion through another",
        kernel(
            "y[i] = even(i)",
            before="@cuda.jit(device=True)\ndef even(n):\n    return True if n == 0 else odd(n - 1)\n\n"
            "@cuda.jit(device=True)\ndef odd(n):\n    return False if n == 0 else even(n - 1)  # HERE\n",
        ),
        ("recurs",),
    ),
    Wrong("returns a value", kernel("return x[i] + 1  # HERE"), ("return",)),
    Wrong("a list", kernel("values = []\nvalues.append(x[i])\ny[i] = values[0]"), ("list",)),
    Wrong("a list of numbers", kernel("values = [1.0, 2.0, x[i]]  # HERE\ny[i] = values[0]"), ("list",)),
    Wrong("a comprehension", kernel("y[i] = sum([v for v in x])  # HERE"), ("comprehension",)),
    Wrong("a dictionary", kernel("d = {}  # HERE\nd[i] = x[i]"), ("dict",)),
    Wrong("a set", kernel("s = {1, 2, 3}  # HERE\ny[i] = len(s)"), ("set",)),
    Wrong(
        "try and except", kernel("try:  # HERE\n    y[i] = 1 / x[i]\nexcept ZeroDivisionError:\n    y[i] = 0"), ("try",)
    ),
    Wrong("a with statement", kernel("with open('f') as f:  # HERE\n    y[i] = 1"), ("with",)),
    Wrong("yield", kernel("yield x[i]  # HERE"), ("yield",)),
    Wrong("a lambda in a list", kernel("f = [lambda v: v + 1]  # HERE\ny[i] = f[0](x[i])"), ("lambda",)),
    Wrong("a class inside", kernel("class Point:  # HERE\n    pass\ny[i] = 1"), ("class",)),
    Wrong("an import inside", kernel("import math  # HERE\ny[i] = math.sin(x[i])"), ("import",)),
    Wrong("a formatted string", kernel("s = f'{i}'  # HERE\ny[i] = len(s)"), ("string",)),
    Wrong("global assignment", kernel("global total  # HERE\ntotal = x[i]", before="total = 0\n"), ("global",)),
    Wrong("prints an object", kernel("print(table)  # HERE", before="table = {'a': 1}\n"), ("print",)),
    Wrong("np.zeros", kernel("row = np.zeros(10)  # HERE\ny[i] = row[0]"), ("np.zeros", "cuda.local.array")),
    Wrong("np.array", kernel("row = np.array([1.0, 2.0])  # HERE\ny[i] = row[0]"), ("array",)),
    Wrong("a name that is not there", kernel("y[i] = x[i] * fcator  # HERE"), ("fcator",)),
    Wrong("an attribute that is not there", kernel("y[i] = cuda.threadIndex.x  # HERE"), ("threadIndex",)),
    Wrong("a method that is not there", kernel("y[i] = x.median()  # HERE"), ("median",)),
    Wrong(
        "a Python function", kernel("y[i] = helper(x[i])  # HERE", before="def helper(v):\n    return v\n"), ("helper",)
    ),
    Wrong(
        "an object from outside",
        kernel("y[i] = settings.gain  # HERE", before="class S:\n    gain = 2\nsettings = S()\n"),
        ("settings || class S",),
    ),
    Wrong("number and text", kernel("v = 1\nif x[i] > 3:\n    v = 'three'\ny[i] = v"), ("unify || on another",)),
    Wrong("one place for two", kernel("a, b = cuda.grid(1)  # HERE\ny[a] = b"), ("grid",)),
    Wrong(
        "two places for one", kernel("k = cuda.grid(2)\ny[k] = 1  # HERE"), ("y[k]", "UniTuple(int64 x 2) || 2 indices")
    ),
    Wrong("grid of four dimensions", kernel("k = cuda.grid(4)  # HERE\ny[0] = 1"), ("grid", "1, 2 or 3")),
    Wrong("too many indices", kernel("y[i, i] = 1  # HERE"), ("UniTuple(int64 x 2) || 2 indices", "1d || 1 dimension")),
    Wrong("an index that is no number", kernel("y[x[i]] = 1  # HERE"), ("float64",)),
    Wrong(
        "out of bounds",
        kernel("y[i] = x[i + 1]  # HERE", "kernel[1, 128](x, y)"),
        ("does not exist", "100 items", "numbered 0 to 99"),
    ),
    Wrong(
        "writes out of bounds",
        kernel("y[i] = 1  # HERE", "kernel[4, 32](x, y)"),
        ("does not exist", "100 items", "numbered 0 to 99"),
    ),
    Wrong(
        "shared out of bounds",
        kernel("s = cuda.shared.array(16, float64)\ns[i] = x[i]  # HERE\ncuda.syncthreads()\ny[i] = s[i]"),
        ("16",),
    ),
    Wrong("below the first", kernel("y[i - 200] = 1  # HERE"), ("does not exist", "y[-200]")),
    Wrong("a race", kernel("y[0] = x[i]", "kernel[2, 32](x, y)"), ("y[0] is written", "line 4")),
    Wrong(
        "a missing barrier",
        kernel("s = cuda.shared.array(32, float64)\ns[i] = x[i]\ny[i] = s[31 - i]"),
        ("s[0]", "between line 5 and line 6", "syncthreads"),
    ),
    Wrong(
        "shape known too late",
        kernel("s = cuda.shared.array(x.shape[0], float64)  # HERE\ns[i] = 1"),
        ("shape", "compile"),
    ),
    Wrong(
        "too much shared memory",
        kernel("s = cuda.shared.array((100, 100), float64)\ns[i, 0] = x[i]"),
        ("shared", "80000"),
    ),
    Wrong(
        "too much dynamic shared memory",
        kernel("y[i] = 1", "kernel[1, 32, 0, 60_000](x, y)  # HERE"),
        ("shared", "60000"),
    ),
    Wrong("a block of 2048", kernel("y[0] = 1", "kernel[1, 2048](x, y)  # HERE"), ("1024",)),
    Wrong("a block of 64 x 32", kernel("y[0] = 1", "kernel[1, (64, 32)](x, y)  # HERE"), ("1024", "2048")),
    Wrong("a block of depth 65", kernel("y[0] = 1", "kernel[1, (1, 1, 65)](x, y)  # HERE"), ("64",)),
    Wrong(
        "no configuration",
        kernel("y[i] = 1", "kernel(x, y)  # HERE"),
        ("configuration", "[blockspergrid, threadsperblock]"),
    ),
    Wrong("half a configuration", kernel("y[i] = 1", "kernel[32](x, y)  # HERE"), ("griddim", "blockdim")),
    Wrong("no block", kernel("y[i] = 1", "kernel[0, 32](x, y)  # HERE"), ("grid",)),
    Wrong("a negative grid", kernel("y[i] = 1", "kernel[-1, 32](x, y)  # HERE"), ("grid",)),
    Wrong("a fraction of a block", kernel("y[i] = 1", "kernel[100 / 32, 32](x, y)  # HERE"), ("integer",)),
    Wrong("a grid of four dimensions", kernel("y[i] = 1", "kernel[(1, 1, 1, 1), 32](x, y)  # HERE"), ("grid", "3")),
    Wrong("a grid that is too long", kernel("y[0] = 1", "kernel[2**31, 32](x, y)  # HERE"), ("2147483647",)),
    Wrong("a grid that is too high", kernel("y[0] = 1", "kernel[(1, 70_000), 32](x, y)  # HERE"), ("65535",)),
    Wrong("a list as an argument", kernel("y[i] = x[i]", "kernel[1, 2]([1.0, 2.0], y)  # HERE"), ("list",)),
    Wrong("text as an argument", kernel("y[i] = 1", "kernel[1, 32]('x', y)  # HERE"), ("x",)),
    Wrong("a dictionary as an argument", kernel("y[i] = 1", "kernel[1, 32]({}, y)  # HERE"), ("dict",)),
    Wrong(
        "a pandas column as an argument",
        kernel("y[i] = 1", "import pandas as pd\nkernel[1, 32](pd.Series([1.0]), y)  # HERE"),
        ("Series",),
    ),
    Wrong("an array of objects", kernel("y[i] = 1", "kernel[1, 32](np.array([None]), y)  # HERE"), ("object",)),
    Wrong(
        "a number that is too large",
        kernel("y[i] = k", "kernel[1, 32](2**70, y)  # HERE", "k, y"),
        ("too large", "1180591620717411303424"),
    ),
    Wrong(
        "a literal that is too large",
        kernel("y[i] = 1180591620717411303424  # HERE"),
        ("too large || cannot be stored",),
    ),
    Wrong("too few arguments", kernel("y[i] = 1", "kernel[1, 32](x)  # HERE"), ("argument",)),
    Wrong("too many arguments", kernel("y[i] = 1", "kernel[1, 32](x, y, y)  # HERE"), ("argument",)),
    Wrong("keyword arguments", kernel("y[i] = 1", "kernel[1, 32](x, y=y)  # HERE"), ("keyword",)),
    Wrong(
        "a device function launched",
        "@cuda.jit(device=True)\ndef helper(v):\n    return v\n\n\nhelper[1, 32](x)  # HERE\n",
        ("device",),
    ),
    Wrong(
        "a kernel called by a kernel",
        kernel("other[1, 1](x)  # HERE", before="@cuda.jit\ndef other(x):\n    x[0] = 1\n"),
        ("other",),
    ),
    Wrong(
        "a signature that does not fit",
        "@cuda.jit('void(int32[:])')\ndef kernel(x):\n    x[0] = 1\n\n\nkernel[1, 1](np.zeros(3, complex))  # HERE\n",
        ("int32",),
    ),
    Wrong("intrinsics on the host", "i = cuda.grid(1)  # HERE\n", ("grid",)),
    Wrong("a barrier on the host", "cuda.syncthreads()  # HERE\n", ("kernel",)),
    Wrong(
        "a vote of truth",
        kernel("y[i] = cuda.syncthreads_count(x[i] > 3)  # HERE"),
        ("syncthreads_count", "bool"),
        ("compiled", "interpreted"),
    ),
]
