"""Write ``promotion.json`` of the interpreted backend: what Numba's own typing says of every operator and function.

Run it with a Python that has numba 0.64 and numba-cuda (no GPU is needed)::

    python packages/gpusim/tests/kernels/interpreted/make_promotion.py packages/gpusim/src/gpusim/kernels/ir/promotion.json

Numba's CPU typing context is asked, because the compiled backend goes by it.  What it does not know (float16, ``math.modf``)
is filled in from numba-cuda's.  A cell names, for operand types in the order of ``types``, the types that the operands are
converted to and the type of the result, one letter a type (NumPy's characters); ``.`` where Numba has no such operation.
"""

import builtins
import cmath
import json
import math
import operator
import sys
from pathlib import Path

import numpy as np

LETTERS = "?bhilBHILefdFD"
NAMES = dict(
    zip(
        LETTERS,
        "boolean int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split(),
        strict=True,
    )
)
BINARY = {
    "operator": "add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor eq ne lt le gt ge "
    "iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor",
    "math": "atan2 copysign fmod gcd hypot ldexp pow nextafter",
    "builtins": "min max pow divmod round range complex",
    "np": "add subtract multiply divide true_divide floor_divide remainder mod fmod power arctan2 hypot copysign nextafter "
    "logaddexp logaddexp2 maximum minimum fmax fmin ldexp gcd lcm bitwise_and bitwise_or bitwise_xor left_shift "
    "right_shift logical_and logical_or logical_xor equal not_equal less less_equal greater greater_equal",
}
UNARY = {
    "operator": "neg pos invert not_",
    "math": "acos acosh asin asinh atan atanh ceil cos cosh degrees erf erfc exp expm1 fabs floor gamma isfinite isinf isnan "
    "lgamma log log10 log1p log2 radians sin sinh sqrt tan tanh trunc frexp modf",
    "cmath": "acos acosh asin asinh atan atanh cos cosh exp isfinite isinf isnan log log10 phase sin sinh sqrt tan tanh",
    "builtins": "abs round int float bool complex range",
    "np": "absolute negative positive sign rint sqrt square cbrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan "
    "arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg degrees radians fabs ceil floor trunc "
    "isnan isinf isfinite signbit spacing invert logical_not conjugate real imag angle",
}
ON_A_GPU = ("math.ceil", "math.floor", "math.trunc")
"""Where numba-cuda's typing goes before the CPU's, here and in the compiled backend: they give floats on a GPU."""
MODULES = {"operator": operator, "math": math, "cmath": cmath, "builtins": builtins, "np": np}


class Asked:
    """One of Numba's typing contexts."""

    def __init__(self, types, typing):
        self.types, self.typing = types, typing
        typing.refresh()
        self.of = {letter: getattr(types, name) for letter, name in NAMES.items()}
        self.letter = {str(t): letter for letter, t in self.of.items()}

    def letters(self, t):
        text = str(t).removeprefix("range_state_")
        if text in self.letter:
            return self.letter[text]
        if isinstance(t, self.types.BaseTuple):
            return "(" + "".join(self.letters(x) for x in t.types) + ")"
        raise KeyError(text)

    def cell(self, function, *operands):
        try:
            sig = self.typing.resolve_function_type(function, tuple(self.of[x] for x in operands), {})
            return "".join(self.letters(t) for t in (*sig.args, sig.return_type))
        except Exception:  # a TypingError, or None for no signature
            return "."

    def unify(self, a, b):
        try:
            return self.letters(self.typing.unify_pairs(self.of[a], self.of[b]))
        except Exception:
            return "."

    def table(self, function, n):
        if n == 1:
            return [self.cell(function, a) for a in LETTERS]
        return [self.cell(function, a, b) for a in LETTERS for b in LETTERS]


def contexts():
    from numba import types
    from numba.core.registry import cpu_target

    cpu_target.target_context  # noqa: B018 - registers the implementations
    yield Asked(types, cpu_target.typing_context)
    from numba.cuda import types as cuda_types
    from numba.cuda.descriptor import cuda_target

    yield Asked(cuda_types, cuda_target.typing_context)


def main(path):
    cpu, gpu = contexts()
    operands = {1: [(a,) for a in LETTERS], 2: [(a, b) for a in LETTERS for b in LETTERS]}
    out = {"types": LETTERS, "unify": ["".join(cpu.unify(a, b) for b in LETTERS) for a in LETTERS]}
    for kind, n, families in (("unary", 1, UNARY), ("binary", 2, BINARY)):
        same = {}
        for family, names in families.items():
            for name in names.split():
                function = getattr(MODULES[family], name)
                mine, theirs = cpu.table(function, n), gpu.table(function, n)
                nothing = all(c == "." for c in mine)
                cells = [
                    other if nothing or "e" in types or f"{family}.{name}" in ON_A_GPU else own
                    for own, other, types in zip(mine, theirs, operands[n], strict=True)
                ]
                width = len(LETTERS)
                rows = [" ".join(cells[k : k + width]) for k in range(0, len(cells), width)]
                if any(c != "." for c in cells):
                    same.setdefault(tuple(rows), []).append(f"{family}.{name}")
        out[kind] = {" ".join(names): list(rows) for rows, names in same.items()}
    Path(path).write_text(json.dumps(out, indent=0) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
