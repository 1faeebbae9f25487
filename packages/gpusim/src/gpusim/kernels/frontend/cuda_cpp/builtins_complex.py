"""The functions of ``cuComplex.h``, on complex numbers."""

from __future__ import annotations

from pycparser import c_ast

from .c_types import COMPLEX64, COMPLEX128, Scalar
from .values import Value, binary, convert

_BINARY = {"cuCadd": "+", "cuCsub": "-", "cuCmul": "*", "cuCdiv": "/"}
_PARTS = {"cuCreal": "real", "cuCimag": "imag"}
_UNARY = {"cuConj": "conj", "cuCabs": "abs"}
_MADE = {"make_cuDoubleComplex": "_hf_make16", "make_cuFloatComplex": "_hf_make8", "make_cuComplex": "_hf_make8"}
_CONVERTED = {"cuComplexDoubleToFloat": COMPLEX64, "cuComplexFloatToDouble": COMPLEX128}
NAMES = frozenset(
    name + end for name in (*_BINARY, *_PARTS, *_UNARY, "cuCfma") for end in ("", "f")
) | frozenset((*_MADE, *_CONVERTED))  # fmt: skip


def call_of(b, f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Value:
    """A call of one of these functions; with a real type after the operation's name, in single precision."""
    if name in _MADE:
        return b.call_hf(f, _MADE[name], given, node)
    if name in _CONVERTED:
        return convert(b.numbers(f, name, given, 1, node)[0], _CONVERTED[name])
    base = name.removesuffix("f") if name.removesuffix("f") in (*_BINARY, *_PARTS, *_UNARY, "cuCfma") else name
    count = 3 if base == "cuCfma" else 2 if base in _BINARY else 1
    args = b.numbers(f, name, given, count, node)
    kind: Scalar = COMPLEX64 if all(a.type == COMPLEX64 for a in args) else COMPLEX128
    args = [f.kept(convert(a, kind)) for a in args]
    if base in _BINARY:
        return binary(_BINARY[base], *args)
    if base == "cuCfma":
        return binary("+", binary("*", args[0], args[1]), args[2])
    if base in _PARTS:
        return b.part(args[0], _PARTS[base])
    return b.complex_function(args[0], _UNARY[base])
