"""What CUDA gives every kernel: mathematics, complex numbers, `printf`, and the members of the few objects there are."""

from __future__ import annotations

import ast
import copy
import functools
import math
import re
from typing import Any

import numpy as np
from pycparser import c_ast, c_generator

from . import builtins_threads, headers, methods, overloads
from .c_types import (
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    USHORT,
    VECTORS,
    VOID,
    Carray,
    Pointer,
    Scalar,
    common,
)
from .cpp_to_c import GROUP_OPERATORS, MUTABLE
from .values import Value, call, combined, convert, literal, load, real_of, to, unary

MATH = {
    "sqrt": "sqrt", "exp": "exp", "log": "log", "log2": "_c_np.log2", "log10": "log10", "exp2": "_c_np.exp2", "expm1": "expm1",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "erf": "erf", "erfc": "erfc",
    "tgamma": "gamma", "lgamma": "lgamma", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "fabs": "fabs",
    "rint": "_c_np.rint", "nearbyint": "_c_np.rint", "round": "_c_rounded", "cbrt": "_c_cbrt",
    "rcbrt": "_c_rcbrt", "sinpi": "_c_sinpi", "cospi": "_c_cospi",
    "erfinv": "_c_erfinv", "erfcinv": "_c_erfcinv", "normcdf": "_c_normcdf", "normcdfinv": "_c_normcdfinv",
}  # fmt: skip


MATH2 = {
    "pow": "pow",
    "atan2": "atan2",
    "fmod": "fmod",
    "copysign": "copysign",
    "hypot": "hypot",
    "fmin": "min",
    "fmax": "max",
    "nextafter": "_c_np.nextafter",
    "remainder": "remainder",
    "fdim": "_c_fdim",
}


FAST = {
    "__expf": "exp", "__logf": "log", "__sinf": "sin", "__cosf": "cos", "__tanf": "tan", "__log2f": "log2",
    "__log10f": "log10", "__powf": "pow", "__fsqrt_rn": "sqrt", "__dsqrt_rn": "sqrt", "__exp10f": "exp10",
}  # fmt: skip


ARITHMETIC = {
    f"__{letter}{name}_rn": (kind, op)
    for letter, kind in (("f", FLOAT), ("d", DOUBLE))
    for name, op in (("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/"))
}


COMPLEX = {"exp": "exp", "log": "log", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "conj": "conj", "abs": "abs", "tan": "tan",
            "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
            "acosh": "arccosh", "atanh": "arctanh", "log10": "log10"}  # fmt: skip


CASTED = {
    "__float_as_int": (FLOAT, INT), "__int_as_float": (INT, FLOAT), "__float_as_uint": (FLOAT, UINT),
    "__uint_as_float": (UINT, FLOAT), "__double_as_longlong": (DOUBLE, LLONG), "__longlong_as_double": (LLONG, DOUBLE),
}  # fmt: skip


CONVERTED = {
    "__float2int_rz": (FLOAT, INT), "__double2int_rz": (DOUBLE, INT), "__int2float_rn": (INT, FLOAT),
    "__uint2float_rn": (UINT, FLOAT), "__int2double_rn": (INT, DOUBLE), "__float2uint_rz": (FLOAT, UINT),
    "__double2float_rn": (DOUBLE, FLOAT), "__ll2double_rn": (LLONG, DOUBLE), "__ll2float_rn": (LLONG, FLOAT),
}  # fmt: skip


NEAREST = {"__float2int_rn": (FLOAT, INT), "__double2int_rn": (DOUBLE, INT), "lrint": (None, LONG), "lrintf": (FLOAT, LONG),
            "llrint": (None, LLONG), "llrintf": (FLOAT, LLONG)}  # fmt: skip


HALF_UNARY = {
    "hsqrt": "sqrt", "hexp": "exp", "hexp2": "exp2", "hexp10": "exp10", "hlog": "log", "hlog2": "log2", "hlog10": "log10",
    "hsin": "sin", "hcos": "cos", "hfloor": "floor", "hceil": "ceil", "htrunc": "trunc", "hrint": "rint", "__habs": "fabs",
}  # fmt: skip
HALF_BINARY = {
    "__hadd": "+", "__hsub": "-", "__hmul": "*", "__hdiv": "/", "__hgt": ">", "__hlt": "<", "__hge": ">=", "__hle": "<=",
    "__heq": "==", "__hne": "!=", "__hadd_rn": "+", "__hsub_rn": "-", "__hmul_rn": "*",
}  # fmt: skip
HALF_CONVERTED = {
    "__float2half": (FLOAT, HALF), "__float2half_rn": (FLOAT, HALF), "__half2float": (HALF, FLOAT), "__double2half": (DOUBLE, HALF),
    "__int2half_rn": (INT, HALF), "__uint2half_rn": (UINT, HALF), "__half2int_rz": (HALF, INT), "__half2uint_rz": (HALF, UINT),
}  # fmt: skip
HALF_OTHERS = ("__hfma", "__hneg", "__hmax", "__hmin", "__hisnan", "__hisinf", "hrcp", "hrsqrt", "__half2int_rn",
               "__half_as_ushort", "__ushort_as_half")  # fmt: skip


CU_BINARY = {"cuCadd": "+", "cuCsub": "-", "cuCmul": "*", "cuCdiv": "/"}
CU_PARTS = {"cuCreal": "real", "cuCimag": "imag"}
CU_UNARY = {"cuConj": "conj", "cuCabs": "abs"}
CU_MADE = {"make_cuDoubleComplex": "_hf_make16", "make_cuFloatComplex": "_hf_make8", "make_cuComplex": "_hf_make8"}
CU_CONVERTED = {"cuComplexDoubleToFloat": COMPLEX64, "cuComplexFloatToDouble": COMPLEX128}
CU_COMPLEX = frozenset(
    name + end for name in (*CU_BINARY, *CU_PARTS, *CU_UNARY, "cuCfma") for end in ("", "f")
) | frozenset((*CU_MADE, *CU_CONVERTED))  # fmt: skip
"""The functions of ``cuComplex.h``; with an f after the operation's name, in single precision."""


_SPECIFIER = re.compile(r"%[-+ #0]*(?:\d+)?(?:\.\d+)?(hh|h|ll|l|z|t|j)?(.)", re.S)

OF_PYTHON = ("_hf_minimum", "_hf_maximum", "_hf_power", "_hf_floordiv", "_hf_pymod")


class Builtins:
    """CUDA's functions, by the name they are called by.

    Attributes
    ----------
    assertion : type or None
        The exception that a failed ``assert()`` is.
    """

    assertion: type | None = None

    def knows(self, name: str) -> bool:
        """Whether a name is one of CUDA's."""
        return self._find(name.removeprefix(overloads.STANDARD)) is not None

    def _find(self, name: str):
        if name in ("min", "max", "abs", "labs", "llabs", "__ldg", "__ldcg", "__ldca", "isnan", "isinf", "isfinite", "signbit",
                    "assert", "printf", "nan", "nanf", "sincos", "sincosf", "__sincosf", "modf", "modff", "fma", "fmaf", "__fmaf_rn", "__fma_rn",
                    "fdividef", "__fdividef", "rsqrt", "rsqrtf", "__frsqrt_rn", "exp10", "exp10f", "__saturatef", "real", "imag",
                    "norm", "arg", "atomicAdd_block", "clock", "clock64",
                    "__mul24", "__umul24", "mul24", "__umulhi", "__mulhi", "frcp", "__frcp_rn", "swap"):  # fmt: skip
            return f"call_{name.strip('_')}"
        if (
            name.startswith(("_hf_make", "_hf_limit", "_hf_grid_sync", "_hf_laneid", "_hf_nan", MUTABLE))
            or name in OF_PYTHON
        ):
            return "call_hf"
        if name in FAST or name in ARITHMETIC or name in CASTED or name in CONVERTED or name in NEAREST:
            return "call_table"
        if name in MATH or name in MATH2 or (name.endswith("f") and (name[:-1] in MATH or name[:-1] in MATH2)):
            return "call_math"
        if name in ("sync", "reduce"):
            return f"call_{name}"
        if name in CU_COMPLEX:
            return "call_cucomplex"
        if name in COMPLEX or name in ("lround", "llround", "lroundf", "llroundf"):
            return "call_other"
        if builtins_threads.knows(name):
            return "call_warp"
        if name.startswith("make_") and name[5:] in VECTORS:
            return "call_vector"
        if name in HALF_UNARY or name in HALF_BINARY or name in HALF_CONVERTED or name in HALF_OTHERS:
            return "call_half"
        if name.startswith(("cub", "curand", "tex", "surf", "__half", "__float2half", "__h")):
            return "call_refused"
        return None

    def call(self, f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Any:
        """A call of one of CUDA's functions.

        Raises
        ------
        CompileException, NotSimulatedError
        """
        if (
            name in ("nan", "nanf")
            and len(given) == 1
            and isinstance(given[0], c_ast.Constant)
            and given[0].type == "string"
        ):
            name = f"_hf_{name}"
        if name.startswith(overloads.STANDARD):
            name = name.removeprefix(overloads.STANDARD)
            given = overloads.as_standard(f, name, given)
        method: Any = self._find(name)
        return getattr(self, method, self.call_refused)(f, name, given, node)

    # Complex numbers, limits

    def call_hf(self, f, name, given, node):
        if name == "_hf_grid_sync":
            return Value(VOID, ast.Call(ast.Attribute(call("_c_cg.this_grid"), "sync", ast.Load()), [], []))
        if name in ("_hf_nan", "_hf_nanf"):
            return literal(FLOAT if name == "_hf_nanf" else DOUBLE, float("nan"))
        if name == MUTABLE:
            made = f.value(given[0])
            if isinstance(made.type, Pointer) and made.type.const:
                f.wrong(
                    "reinterpret_cast cannot cast away const or other type qualifiers",
                    node,
                    "Cast to a pointer to const.",
                )
            return made
        if name == "_hf_laneid":
            return Value(UINT, to("u4", load("_c_laneid")))
        if name in OF_PYTHON:
            a, b = self.numbers(f, name, given, 2, node)
            kind = common(a.type, b.type) if a.type.char != b.type.char else a.type
            return self.of_python(f, name, kind, f.kept(convert(a, kind)), f.kept(convert(b, kind)))
        if name.startswith("_hf_make"):
            kind = COMPLEX64 if name == "_hf_make8" else COMPLEX128
            a, b = (f.converted(v, real_of(kind), node) for v in self.numbers(f, name, given, 2, node))
            return Value(kind, to(kind.char, call("complex", a.node, b.node)))
        kind = f.number(given[0]).type
        member = name[len("_hf_limit_") :]
        info: Any = np.finfo(kind.dtype) if kind.kind == "f" else np.iinfo(kind.dtype)
        values = {"max": info.max, "lowest": info.min, "min": getattr(info, "tiny", info.min)}
        if kind.kind == "f":
            values |= {
                "epsilon": info.eps,
                "infinity": np.inf,
                "quiet_NaN": np.nan,
                "denorm_min": info.smallest_subnormal,
            }
        if member not in values:
            f.refuse(f"numeric_limits::{member}", node)
        return literal(kind, values[member])

    def of_python(self, f, name: str, kind: Scalar, a: Value, b: Value) -> Value:
        """Operators that CuPy's JIT defines as Python does: floors, remainders with the divisor's sign, powers."""
        if name in ("_hf_minimum", "_hf_maximum"):
            least = "min" if name == "_hf_minimum" else "max"
            if kind.kind != "f":
                return Value(kind, to(kind.char, call(least, a.node, b.node)))
            return Value(kind, to(kind.char, call(f"_c_np.{name[4:]}", a.node, b.node)))
        if name == "_hf_power":
            if kind.kind == "f":
                return self.math(kind, "pow", a, b)
            return Value(kind, to(kind.char, call("_c_whole_power" if kind.kind in "iu" else "pow", a.node, b.node)))
        whole = "_c_floor_quotient" if name == "_hf_floordiv" else "_c_floor_remainder"
        if kind.kind == "f":
            whole = f"_c_np.{'floor_divide' if name == '_hf_floordiv' else 'remainder'}"
        return Value(kind, to(kind.char, call(whole, a.node, b.node)))

    def _part(self, f, name, given, node):
        (a,) = self.numbers(f, name, given, 1, node)
        kind = real_of(a.type)
        if a.type.kind != "c":
            f.wrong(f'no instance of overloaded function "{name}" matches the argument list', node)
        if name == "norm":
            a = f.kept(a)
            squares = [combined("*", p, p) for p in (self.part(a, "real"), self.part(a, "imag"))]
            return combined("+", *squares)
        if name == "arg":
            a = f.kept(a)
            return self.math(kind, "atan2", self.part(a, "imag"), self.part(a, "real"))
        return self.part(a, name)

    call_real = call_imag = call_norm = call_arg = _part

    def part(self, a: Value, name: str) -> Value:
        return Value(real_of(a.type), ast.Attribute(a.node, name, ast.Load()))

    def call_assert(self, f, name, given, node):
        if self.assertion is None:
            f.refuse("assert()", node)
        if len(given) != 1:
            f.wrong(f'macro "assert" passed {len(given)} arguments, but takes just 1', node)
        text = c_generator.CGenerator().visit(given[0])
        test = f.truth(given[0])
        f.called["_c_assertion"] = self.assertion
        failed = ast.Raise(call("_c_assertion", ast.Constant(f"Assertion `{text}` failed.")), None)
        f.emit(ast.If(ast.UnaryOp(ast.Not(), test.node), [failed], []))
        return Value(VOID, ast.Constant(None))

    def call_printf(self, f, name, given, node):
        """C's own, with the types that its format names; what it prints appears in whatever order the threads come.

        Its value is the number of arguments, not of characters [CUDA C++ Programming Guide, Formatted Output].
        """
        if not given or not isinstance(given[0], c_ast.Constant) or given[0].type != "string":
            f.refuse("printf() without a format that is written there", node)
        text = given[0].value[1:-1].encode().decode("unicode_escape")
        values, rest = [], list(given[1:])
        for size, letter in _SPECIFIER.findall(text):
            if letter == "%":
                continue
            if letter not in "diuxXocfFeEgG":
                f.refuse(f"printf() of %{size}{letter}", node)
            if not rest:
                f.wrong("the format string requires additional arguments", node)
            made = f.number(rest.pop(0))
            whole = letter in "diuxXoc"
            if made.type.kind == "c" or whole != (made.type.kind in "iub"):
                f.wrong(f'argument of type "{made.type}" is incompatible with the format %{size}{letter}', node)
            long = size in ("l", "ll", "z", "t", "j")
            kind = DOUBLE if not whole else (LLONG if long else INT) if letter in "dic" else (ULLONG if long else UINT)
            values.append(convert(made, kind).node)
        f.called["_c_printf"] = _printf()
        return Value(INT, ast.Call(load("_c_printf"), [ast.Constant(text), ast.Tuple(values, ast.Load())], []))

    def call_cucomplex(self, f, name, given, node):
        """One of the functions of ``cuComplex.h``."""
        if name in CU_MADE:
            return self.call_hf(f, CU_MADE[name], given, node)
        if name in CU_CONVERTED:
            return convert(self.numbers(f, name, given, 1, node)[0], CU_CONVERTED[name])
        base = (
            name.removesuffix("f") if name.removesuffix("f") in (*CU_BINARY, *CU_PARTS, *CU_UNARY, "cuCfma") else name
        )
        count = 3 if base == "cuCfma" else 2 if base in CU_BINARY else 1
        args = self.numbers(f, name, given, count, node)
        kind: Scalar = COMPLEX64 if all(a.type == COMPLEX64 for a in args) else COMPLEX128
        args = [f.kept(convert(a, kind)) for a in args]
        if base in CU_BINARY:
            return combined(CU_BINARY[base], *args)
        if base == "cuCfma":
            return combined("+", combined("*", args[0], args[1]), args[2])
        if base in CU_PARTS:
            return self.part(args[0], CU_PARTS[base])
        return self.complex_function(args[0], CU_UNARY[base])

    # Others

    def _through(self, f, name, given, node):
        """``__ldg(&x[i])``."""
        if len(given) != 1:
            f.wrong("too few arguments in function call", node)
        return f.read(f.place(c_ast.UnaryOp("*", given[0], node.coord)))

    call_ldg = call_ldcg = call_ldca = _through

    def call_sync(self, f, name, given, node):
        """``cg::sync(group)``."""
        kind = builtins_threads.group_of(f, given[0]) if len(given) == 1 else None
        if kind is None:
            f.wrong('no instance of overloaded function "sync" matches the argument list', node)
        return builtins_threads.group(self, f, kind, "sync", [], node)

    def call_reduce(self, f, name, given, node):
        """``cg::reduce(tile, value, cg::plus<float>())``."""
        kind = builtins_threads.group_of(f, given[0]) if len(given) == 3 else None
        called = given[2].name.name if len(given) == 3 and isinstance(given[2], c_ast.FuncCall) else ""
        if kind is None or not kind.size or not isinstance(called, str) or not called.startswith("_hf_group_"):
            f.refuse("this reduce()", node, "a reduction by shuffles")
        return builtins_threads.reduced(
            self,
            f,
            kind,
            given[1],
            GROUP_OPERATORS[called.removeprefix("_hf_group_")],
            f.number(given[2].args.exprs[0]).type,
            node,
        )

    def call_warp(self, f, name, given, node):
        return builtins_threads.call_of(self, f, name, given, node)

    # Members

    def member(self, f, node: c_ast.FuncCall, subscripts: list[c_ast.Node]) -> Any:
        """``x.size()``, ``x.shape()[k]``, ``z.real()``, ``group.sync()``."""
        owner, name = node.name.name, node.name.field.name
        given = list(node.args.exprs) if node.args is not None else []
        variable = f.scope.find(owner.name) if isinstance(owner, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Carray):
            if node.name.type == "->":
                f.wrong(f'operator -> applied to "{variable.type}" instead of to a pointer type', node)
            return self._of_carray(f, variable, name, subscripts, node)
        if (kind := builtins_threads.group_of(f, owner)) is not None:
            return builtins_threads.group(self, f, kind, name, given, node)
        found = methods.called(f, node)
        if found is not None:
            return found
        made = f.value(owner)
        if isinstance(made.type, Scalar) and made.type.kind == "c" and name in ("real", "imag") and not given:
            return self.part(made, name)
        if isinstance(made.type, Scalar) and made.type.kind == "c" and name in ("real", "imag") and len(given) == 1:
            place = f.settled(f.place(owner))
            parts = {part: self.part(f.read(place), part) for part in ("real", "imag")}
            parts[name] = f.converted(f.value(given[0]), real_of(made.type), node)
            f.store(
                place, Value(made.type, to(made.type.char, call("complex", parts["real"].node, parts["imag"].node)))
            )
            return Value(VOID, ast.Constant(None))
        f.refuse(f".{name}() of {made.type}", node)

    def _of_carray(self, f, variable, name, subscripts, node) -> Any:
        kind = variable.type
        if name == "size" and not subscripts:
            return Value(LONG, load(f"{variable.name}__size"))
        if name not in (("size", "get") if kind.indexer else ("size", "shape", "strides")):
            f.wrong(f'class "{kind}" has no member "{name}"', node)
        if name != "size" and len(subscripts) == 1:
            parts = (
                self.indices(f, variable)
                if name == "get"
                else [load(f"{variable.name}__{name}{k}") for k in range(kind.ndim)]
            )
            k = f.whole(subscripts[0])
            if k.const is not None and 0 <= k.const < kind.ndim:
                return Value(LONG, parts[k.const])
        f.refuse(f"this use of {name}() of a raw argument", node)

    def indices(self, f, variable) -> list[ast.expr]:
        """What ``_ind.get()`` has: the element's index along each dimension."""
        rest: ast.expr = load(f.find("i").name)
        made: list[ast.expr] = []
        for k in range(variable.type.ndim - 1, 0, -1):
            length = load(f"{variable.name}__shape{k}")
            made.insert(0, ast.BinOp(rest, ast.Mod(), length))
            rest = ast.BinOp(copy.deepcopy(rest), ast.FloorDiv(), load(length.id))
        return [rest, *made]

    def attribute(self, f, node: c_ast.StructRef) -> Any:
        """``x.ndim``; all else is a struct's member."""
        variable = f.scope.find(node.name.name) if isinstance(node.name, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Carray) and node.field.name == "ndim":
            return literal(INT, variable.type.ndim)
        f.refuse(f"a member .{node.field.name}", node)

    def numbers(self, f, name: str, given: list[c_ast.Node], count: int, node: c_ast.Node) -> list[Value]:
        if len(given) != count:
            few = "too few arguments in function call" if len(given) < count else "too many arguments in function call"
            f.wrong(f"{few}: {name}", node)
        return [f.number(each, f"an argument of {name}") for each in given]

    def call_half(self, f, name, given, node):
        """The functions of ``cuda_fp16.h``."""
        if not headers.known("half", f.code.included):
            f.wrong(f'identifier "{name}" is undefined', node, headers.instead("half"))
        count = 3 if name == "__hfma" else 2 if name in HALF_BINARY or name in ("__hmax", "__hmin") else 1
        args = self.numbers(f, name, given, count, node)
        if name in HALF_CONVERTED:
            first, kind = HALF_CONVERTED[name]
            return convert(f.converted(args[0], first, node), kind)
        if name == "__ushort_as_half":
            return Value(HALF, call("_c_half_of_bits", convert(args[0], USHORT).node))
        args = [f.kept(f.converted(each, HALF, node)) for each in args]
        if name in HALF_BINARY:
            return combined(HALF_BINARY[name], *args)
        if name == "__half_as_ushort":
            return Value(USHORT, call("_c_bits_of_half", args[0].node))
        wide = [convert(each, FLOAT) for each in args]
        if name in HALF_UNARY:
            return convert(self.math(FLOAT, HALF_UNARY[name], *wide), HALF)
        if name == "__hneg":
            return unary("-", args[0])
        if name == "__hfma":
            a, b, c = (convert(each, DOUBLE) for each in wide)
            return convert(combined("+", combined("*", a, b), c), HALF)  # a double holds the sum, and is rounded once
        if name in ("__hmax", "__hmin"):
            return convert(self.math(FLOAT, "fmax" if name == "__hmax" else "fmin", *wide), HALF)
        if name in ("__hisnan", "__hisinf"):
            return Value(BOOL, call(f"_c_math.{name[3:]}", wide[0].node))
        if name == "__half2int_rn":
            return convert(self.math(FLOAT, "rint", *wide), INT)
        root = wide[0] if name == "hrcp" else self.math(FLOAT, "sqrt", wide[0])
        return convert(combined("/", literal(FLOAT, 1.0), root), HALF)

    def call_refused(self, f, name, given, node):
        f.refuse(f"{name}()", node)

    def call_vector(self, f, name, given, node):
        """``make_float4(x, y, z, w)``."""
        kind = VECTORS[name[5:]]
        numbers = self.numbers(f, name, given, len(kind.fields), node)
        parts = [f.kept(f.converted(a, of, node)) for a, (_, of) in zip(numbers, kind.fields, strict=True)]
        return Value(kind, ast.Constant(None), parts=parts)

    def math(self, kind: Scalar, name: str, *args: Value) -> Value:
        """One of C's functions of floats, in a float's type."""
        python = MATH.get(name) or MATH2.get(name) or ""
        if name == "exp10":
            made = call("_c_math.pow", literal(kind, 10.0).node, args[0].node)
            return Value(kind, to(kind.char, made))
        if not python.startswith("_c_") and python not in ("min", "max"):
            python = f"_c_math.{python}"
        return Value(kind, to(kind.char, call(python, *(a.node for a in args))))

    def call_math(self, f, name, given, node):
        short = name.endswith("f") and (name[:-1] in MATH or name[:-1] in MATH2) and name not in MATH
        base = name[:-1] if short else name
        args = self.numbers(f, name, given, 2 if base in MATH2 else 1, node)
        if any(a.type.kind == "c" for a in args):
            if short:
                f.wrong(f'no suitable conversion function from "{args[0].type}" to "float" exists', node)
            if base in COMPLEX:
                return self.call_other(f, name, given, node)
            if base == "pow":
                real, other = sorted((real_of(a.type) for a in args), key=lambda kind: kind.kind != "f")
                if other.kind in "iub" and other.size >= real.size:
                    f.wrong(f'no instance of function "pow" for ({", ".join(str(a.type) for a in args)}): it is made for integers', node,
                            f"Convert the exponent: pow(z, {real}(n)).")  # fmt: skip
                kind = COMPLEX128 if any(a.type.char in ("c16", "f8") for a in args) else COMPLEX64
                powered = ast.BinOp(convert(args[0], kind).node, ast.Pow(), convert(args[1], kind).node)
                return Value(kind, to(kind.char, powered))
            if base in ("log2", "log1p", "expm1", "rint"):
                return self._of_complex(f, base, f.kept(args[0]))
            f.refuse(f"{name}() of complex numbers", node)
        kind = FLOAT
        if not short:
            params = self.chosen(f, name, args, node)
            kind = DOUBLE if base == "copysign" and DOUBLE in params else params[0]
        return self.math(kind, base, *(f.converted(a, kind, node) for a in args))

    def chosen(self, f, name: str, args: list[Value], node) -> tuple[Scalar, ...]:
        """The types of the parameters of an overloaded function, as C++ chooses it."""
        return overloads.chosen(f, name, [a.type for a in args], node)

    def call_table(self, f, name, given, node):
        if name in FAST:
            kind = DOUBLE if name == "__dsqrt_rn" else FLOAT
            args = self.numbers(f, name, given, 2 if name == "__powf" else 1, node)
            return self.math(kind, FAST[name], *(convert(a, kind) for a in args))
        if name in ARITHMETIC:
            kind, op = ARITHMETIC[name]
            return combined(op, *(convert(a, kind) for a in self.numbers(f, name, given, 2, node)))
        (a,) = self.numbers(f, name, given, 1, node)
        if name in NEAREST:
            first, kind = NEAREST[name]
            first = first or self.chosen(f, name, [a], node)[0]
            return convert(self.math(first, "rint", convert(a, first)), kind)
        if name in CONVERTED:
            first, kind = CONVERTED[name]
            return convert(convert(a, first), kind)
        first, kind = CASTED[name]
        # Numba asks that it stands there: np.<type>(…).view(…).
        view = ast.Attribute(call(f"_c_np.{first.dtype.name}", convert(a, first).node), "view", ast.Load())
        return Value(kind, ast.Call(view, [ast.Attribute(load("_c_np"), kind.dtype.name, ast.Load())], []))

    def call_other(self, f, name, given, node):
        (a,) = self.numbers(f, name, given, 1, node)
        if name in ("lround", "llround", "lroundf", "llroundf"):
            first = FLOAT if name.endswith("f") else self.chosen(f, name, [a], node)[0]
            return convert(self.math(first, "round", convert(a, first)), LLONG if name.startswith("ll") else LONG)
        if a.type.kind != "c":
            if name == "conj":
                f.refuse("conj() of a real number", node)
            return self.call_math(f, name, given, node)
        return self.complex_function(a, name)

    def _of_complex(self, f, name: str, a: Value) -> Value:
        """A function of complex numbers that CuPy's header makes of others."""
        kind = real_of(a.type)
        one = convert(literal(kind, 1), a.type)
        if name == "rint":
            parts = (self.math(kind, "rint", self.part(a, part)).node for part in ("real", "imag"))
            return Value(a.type, to(a.type.char, call("complex", *parts)))
        if name == "expm1":
            return combined("-", self.complex_function(a, "exp"), one)
        if name == "log1p":
            return self.complex_function(combined("+", a, one), "log")
        return combined("/", self.complex_function(a, "log"), convert(literal(kind, math.log(2)), a.type))

    def complex_function(self, a: Value, name: str) -> Value:
        """A function of a complex number."""
        if name == "abs":
            kind = real_of(a.type)
            return Value(kind, to(kind.char, call("abs", a.node)))
        return Value(a.type, to(a.type.char, call(f"_c_np.{COMPLEX[name]}", a.node)))

    def _extreme(self, f, name, given, node):
        a, b = self.numbers(f, name, given, 2, node)
        if a.type.kind == "c" and a.type == b.type:
            f.refuse(f"{name}() of complex numbers", node)
        if "c" in (a.type.kind, b.type.kind):
            f.wrong(f'no instance of overloaded function "{name}" matches the argument list', node)
        kind = common(*self.chosen(f, name, [a, b], node))
        return Value(kind, to(kind.char, call(name, convert(a, kind).node, convert(b, kind).node)))

    call_min = call_max = _extreme

    def call_abs(self, f, name, given, node):
        (a,) = self.numbers(f, name, given, 1, node)
        if a.type.kind == "c":
            return self.call_other(f, "abs", given, node)
        kind = {"labs": LONG, "llabs": LLONG}.get(name) or self.chosen(f, name, [a], node)[0]
        if kind.kind == "f":
            return self.math(kind, "fabs", a)
        a = f.kept(convert(a, kind))
        return Value(kind, to(kind.char, call("abs", a.node)))

    call_labs = call_llabs = call_abs

    def _classified(self, f, name, given, node):
        (a,) = self.numbers(f, name, given, 1, node)
        if a.type.kind == "c" and name != "signbit":
            a = f.kept(a)
            parts: list[ast.expr] = [call(f"_c_math.{name}", self.part(a, part).node) for part in ("real", "imag")]
            return Value(BOOL, ast.BoolOp(ast.And() if name == "isfinite" else ast.Or(), parts))
        self.chosen(f, name, [a], node)
        tested = call("_c_sign_bit" if name == "signbit" else f"_c_math.{name}", a.node)
        return convert(Value(BOOL, tested), INT)

    call_isnan = call_isinf = call_isfinite = call_signbit = _classified

    def _fused(self, f, name, given, node):
        args = self.numbers(f, name, given, 3, node)
        kind = self.chosen(f, name, args, node)[0] if name == "fma" else DOUBLE if name == "__fma_rn" else FLOAT
        return Value(kind, to(kind.char, call("_c_fma", *(convert(a, kind).node for a in args))))

    call_fma = call_fmaf = call_fmaf_rn = call_fma_rn = _fused

    def _divided(self, f, name, given, node):
        return combined("/", *(convert(a, FLOAT) for a in self.numbers(f, name, given, 2, node)))

    call_fdividef = _divided

    def _reciprocal(self, f, name, given, node):
        (a,) = self.numbers(f, name, given, 1, node)
        kind = self.chosen(f, name, [a], node)[0] if name == "rsqrt" else FLOAT
        a = convert(a, kind)
        root = a if name == "__frcp_rn" else self.math(kind, "sqrt", a)
        return combined("/", literal(kind, 1.0), root)

    call_rsqrt = call_rsqrtf = call_frsqrt_rn = call_frcp_rn = _reciprocal

    def _exp10(self, f, name, given, node):
        (a,) = self.numbers(f, name, given, 1, node)
        kind = FLOAT if name == "exp10f" else self.chosen(f, name, [a], node)[0]
        return self.math(kind, "exp10", convert(a, kind))

    call_exp10 = call_exp10f = _exp10

    def call_saturatef(self, f, name, given, node):
        (a,) = self.numbers(f, name, given, 1, node)
        low = call("max", convert(a, FLOAT).node, literal(FLOAT, 0).node)
        return Value(FLOAT, to("f4", call("min", low, literal(FLOAT, 1).node)))

    def _short_product(self, f, name, given, node):
        kind = UINT if "u" in name[:3] else INT
        return combined("*", *(convert(a, kind) for a in self.numbers(f, name, given, 2, node)))

    call_mul24 = call_umul24 = _short_product

    def _high_product(self, f, name, given, node):
        kind, double = (UINT, ULLONG) if name == "__umulhi" else (INT, LLONG)
        made = combined("*", *(convert(convert(a, kind), double) for a in self.numbers(f, name, given, 2, node)))
        return convert(combined(">>", made, literal(INT, 32)), kind)

    call_umulhi = call_mulhi = _high_product

    def _both(self, f, name, given, node):
        """``sincosf(x, &s, &c)``."""
        if len(given) != 3:
            f.wrong("too few arguments in function call", node)
        a, kind, places = self._with_places(f, name, given, FLOAT if name != "sincos" else None, node)
        for place, function in zip(places, ("sin", "cos"), strict=True):
            f.store(place, self.math(kind, function, a))
        return Value(VOID, ast.Constant(None))

    call_sincos = call_sincosf = _both

    def _parts(self, f, name, given, node):
        """``modf(x, &whole)``."""
        if len(given) != 2:
            f.wrong("too few arguments in function call", node)
        a, kind, (place,) = self._with_places(f, name, given, FLOAT if name == "modff" else None, node)
        whole = f.kept(self.math(kind, "trunc", a))
        f.store(place, whole)
        return combined("-", a, whole)

    def _with_places(self, f, name: str, given: list, kind: Any, node) -> tuple[Value, Scalar, list]:
        """A number, in the type of the function, and where its results are stored."""
        a = f.number(given[0])
        places = [f.place(c_ast.UnaryOp("*", each, node.coord)) for each in given[1:]]
        pointers = [Pointer(each.type, each.readonly) for each in places]
        if kind is None:
            kind = overloads.chosen(f, name, [a.type, *pointers], node)[0]
        for each in pointers:
            if each != Pointer(kind):
                f.wrong(f'argument of type "{each}" is incompatible with parameter of type "{Pointer(kind)}"', node)
        return f.kept(convert(a, kind)), kind, places

    call_modf = call_modff = _parts


@functools.cache
def _printf() -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic(prefer_literal=True)
    def printf(typingctx, text, values):
        if not isinstance(text, types.StringLiteral):
            return None

        def codegen(context, builder, signature, args):
            given = cgutils.unpack_tuple(builder, args[1], len(values.types))
            cgutils.printf(builder, text.literal_value, *given)
            nothing = ir.IntType(8).as_pointer()
            flush = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), [nothing]), "fflush")
            builder.call(flush, [ir.Constant(nothing, None)])
            return ir.Constant(ir.IntType(32), len(given))

        return types.int32(text, values), codegen

    printf.formats = True  # for the interpreter, which prints by Python's operator %
    return printf
