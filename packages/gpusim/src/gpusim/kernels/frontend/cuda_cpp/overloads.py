"""CUDA's overloaded functions of numbers, and the choice that C++ makes among them.

NVRTC declares each of these functions without a header, for the types listed here.  A call that several of them fit equally well is
ambiguous, so ``sqrt(n)`` of an int is no C++ there, nor is ``max(x, 0)`` of a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycparser import c_ast

from .c_types import DOUBLE, FLOAT, INT, LLONG, LONG, UINT, ULLONG, ULONG, Pointer, Scalar, promoted

_ONE = (
    "sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sinpi cospi asin acos atan sinh cosh tanh asinh acosh "
    "atanh erf erfc erfinv erfcinv normcdf normcdfinv tgamma lgamma fabs floor ceil trunc rint nearbyint round lrint llrint lround llround "
    "isnan isinf isfinite signbit"
).split()
_TWO = "atan2 fmod hypot fmin fmax nextafter remainder fdim".split()
_WHOLE = ((INT, UINT), (LONG, ULONG), (LLONG, ULLONG))
_EITHER = [(a, b) for kinds in (*_WHOLE, (FLOAT, DOUBLE)) for a in kinds for b in kinds]

STANDARD = "_hf_std_"
"""What begins the name of a function that is called as one of ``std``, which takes integers as doubles."""
DECLARED: dict[str, Sequence[tuple[Any, ...]]] = {
    **{name: [(DOUBLE,), (FLOAT,)] for name in _ONE},
    **{name: [(DOUBLE, DOUBLE), (FLOAT, FLOAT)] for name in _TWO},
    "pow": [(DOUBLE, DOUBLE), (FLOAT, FLOAT), (FLOAT, INT), (DOUBLE, INT)],
    "copysign": [(a, b) for a in (DOUBLE, FLOAT) for b in (DOUBLE, FLOAT)],
    "fma": [(DOUBLE,) * 3, (FLOAT,) * 3],
    "abs": [(INT,), (LLONG,), (LONG,), (FLOAT,), (DOUBLE,)],
    "min": _EITHER,
    "max": _EITHER,
    "modf": [(kind, Pointer(kind)) for kind in (DOUBLE, FLOAT)],
    "sincos": [(kind, Pointer(kind), Pointer(kind)) for kind in (DOUBLE, FLOAT)],
}
"""The parameters of each function, once for each declaration."""


def as_standard(f, name: str, given: list[c_ast.Node]) -> list[c_ast.Node]:
    """The arguments of a function of ``std``: integers become doubles, and floats beside them, too."""
    if name in ("min", "max", "abs", "modf", "sincos"):
        return given
    types = [f.apart(lambda each=each: f.value(each).type)[1] for each in given]
    if not all(isinstance(kind, Scalar) and kind.kind in "iubf" for kind in types) or all(t == FLOAT for t in types):
        return given
    double = c_ast.Typename(None, [], None, c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(["double"])))
    return [c_ast.Cast(double, each, each.coord) for each in given]


def chosen(f, name: str, given: Sequence[Any], node) -> Any:
    """The parameters of the declaration that a call means.

    Raises
    ------
    CompileException
        If no declaration fits, or several fit equally well.
    """
    known = DECLARED[name]
    fitting = [each for each in known if len(each) == len(given) and None not in _ranks(given, each)]
    best = [each for each in fitting if all(_no_worse(given, each, other) for other in fitting)]
    if len(best) == 1:
        return best[0]
    types = ", ".join(map(str, given))
    several = "more than one" if fitting else "no"
    listed = "".join(f'\n            function "{name}({", ".join(map(str, each))})"' for each in fitting)
    said = f'{several} instance of overloaded function "{name}" matches the argument list:{listed}\n            '
    f.wrong(f"{said}argument types are: ({types})", node, _instead(name, given, fitting))


def _instead(name: str, given: Sequence[Any], fitting: Sequence[tuple]) -> str | None:
    """What to write for a call that is ambiguous."""
    numbers = [each for each in given if isinstance(each, Scalar)]
    if not fitting or len(numbers) != len(given):
        return None
    widest = max(numbers, key=lambda kind: (kind.kind == "f", kind.size, kind.kind == "u"))
    found = next((each for each in fitting if all(kind == widest for kind in each)), None)
    kind = found[0] if found else DOUBLE
    said = f"C++ cannot choose a {name}() for ({', '.join(map(str, given))})."
    if len(given) == 1:
        return f"{said} Convert its argument, as in {name}((float)x) or {name}((double)x)."
    call = ", ".join(f"({kind}){letter}" for letter in "xyz"[: len(given)])
    return f"{said} Convert its arguments to one type, as in {name}({call})."


def _ranks(given: Sequence[Any], params: Sequence[Any]) -> list[Any]:
    return [rank(a, b) for a, b in zip(given, params, strict=True)]


def rank(given: Any, param: Any) -> int | None:
    """How far a conversion goes: 0 not at all, 1 a promotion, 2 any other of numbers; None if there is none."""
    if given == param:
        return 0
    if not isinstance(given, Scalar) or not isinstance(param, Scalar):
        return None
    if given.char == "f2":
        return 1 if param == FLOAT else 2
    return 1 if promoted(given) == param or (given == FLOAT and param == DOUBLE) else 2


def _no_worse(given: Sequence[Any], one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether each argument fits one declaration at least as well as another, and some better."""
    pairs = list(zip(_ranks(given, one), _ranks(given, other), strict=True))
    return one == other or (all(a <= b for a, b in pairs) and any(a < b for a, b in pairs))
