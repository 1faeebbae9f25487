"""What CUDA gives every kernel: mathematics, atomics, shuffles, barriers, and the members of the few objects there are."""

from __future__ import annotations

import ast

from pycparser import c_ast

from . import builtins_complex, builtins_print, builtins_warp
from .builtins_math import (
    ARITHMETIC,
    CASTED,
    COMPLEX,
    CONVERTED,
    FAST,
    MATH,
    MATH2,
    NEAREST,
    OF_PYTHON,
    VECTORS,
    Mathematics,
)  # fmt: skip
from .kinds import (
    COMPLEX64,
    COMPLEX128,
    INT,
    LONG,
    UINT,
    VOID,
    Carray,
    Group,
    Pointer,
    Scalar,
    common,
)  # fmt: skip
from .values import Value, binary, call, convert, index, literal, load, real_of, to


class Builtins(Mathematics):
    """CUDA's functions, by the name they are called by."""

    def knows(self, name: str) -> bool:
        """Whether a name is one of CUDA's."""
        return self._find(name) is not None

    def _find(self, name: str):
        if name in ("min", "max", "abs", "labs", "llabs", "__ldg", "__ldcg", "__ldca", "isnan", "isinf", "isfinite", "signbit",
                    "assert", "printf", "sincos", "sincosf", "__sincosf", "modf", "modff", "fma", "fmaf", "__fmaf_rn", "__fma_rn",
                    "fdividef", "__fdividef", "rsqrt", "rsqrtf", "__frsqrt_rn", "exp10", "exp10f", "__saturatef", "real", "imag",
                    "norm", "arg", "atomicAdd_block", "clock", "clock64", "fdim", "fdimf", "sinpi", "sinpif", "cospi", "cospif",
                    "__mul24", "__umul24", "mul24", "__umulhi", "__mulhi", "frcp", "__frcp_rn", "swap"):  # fmt: skip
            return f"call_{name.strip('_')}"
        if name.startswith(("_hf_make", "_hf_limit", "_hf_grid_sync", "_hf_laneid")) or name in OF_PYTHON:
            return "call_hf"
        if name in FAST or name in ARITHMETIC or name in CASTED or name in CONVERTED or name in NEAREST:
            return "call_table"
        if name in MATH or name in MATH2 or (name.endswith("f") and (name[:-1] in MATH or name[:-1] in MATH2)):
            return "call_math"
        if name == "sync":
            return "call_sync"
        if name in builtins_complex.NAMES:
            return "call_cucomplex"
        if name in COMPLEX or name in ("lround", "llround", "lroundf", "llroundf"):
            return "call_other"
        if builtins_warp.knows(name):
            return "call_warp"
        if name in VECTORS or name.startswith(("cub", "curand", "tex", "surf", "__half", "__float2half", "__h")):
            return "call_refused"
        return None

    def call(self, f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Value:
        """A call of one of CUDA's functions.

        Raises
        ------
        CompileException, NotSimulatedError
        """
        method = self._find(name)
        return getattr(self, method, self.call_refused)(f, name, given, node)

    # Complex numbers, limits

    def call_hf(self, f, name, given, node):
        if name == "_hf_grid_sync":
            return Value(VOID, ast.Call(ast.Attribute(call("_c_cg.this_grid"), "sync", ast.Load()), [], []))
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
        import numpy as np

        kind = f.number(given[0]).type
        member = name[len("_hf_limit_") :]
        info = np.finfo(kind.dtype) if kind.kind == "f" else np.iinfo(kind.dtype)
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
            squares = [binary("*", p, p) for p in (self.part(a, "real"), self.part(a, "imag"))]
            return binary("+", *squares)
        if name == "arg":
            a = f.kept(a)
            return self.math(kind, "atan2", self.part(a, "imag"), self.part(a, "real"))
        return self.part(a, name)

    call_real = call_imag = call_norm = call_arg = _part

    def part(self, a: Value, name: str) -> Value:
        return Value(real_of(a.type), ast.Attribute(a.node, name, ast.Load()))

    def call_printf(self, f, name, given, node):
        return builtins_print.call_of(self, f, given, node)

    def call_cucomplex(self, f, name, given, node):
        return builtins_complex.call_of(self, f, name, given, node)

    # Others

    def _through(self, f, name, given, node):
        """``__ldg(&x[i])``."""
        if len(given) != 1:
            f.wrong("too few arguments in function call", node)
        return f.read(f.place(c_ast.UnaryOp("*", given[0], node.coord)))

    call_ldg = call_ldcg = call_ldca = _through

    def call_sync(self, f, name, given, node):
        """``cg::sync(group)``."""
        if len(given) != 1 or not isinstance(given[0], c_ast.ID):
            f.refuse("this sync()", node)
        variable = f.scope.find(given[0].name)
        if variable is None or not isinstance(variable.type, Group):
            f.wrong('no instance of overloaded function "sync" matches the argument list', node)
        return builtins_warp.group(self, f, variable.type, "sync", node)

    def call_warp(self, f, name, given, node):
        return builtins_warp.call_of(self, f, name, given, node)

    # Members

    def member(self, f, node: c_ast.FuncCall, subscripts: list[c_ast.Node]) -> Value:
        """``x.size()``, ``x.shape()[k]``, ``z.real()``, ``group.sync()``."""
        owner, name = node.name.name, node.name.field.name
        given = list(node.args.exprs) if node.args is not None else []
        variable = f.scope.find(owner.name) if isinstance(owner, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Carray):
            return self._of_carray(f, variable, name, subscripts, node)
        if variable is not None and isinstance(variable.type, Group):
            return builtins_warp.group(self, f, variable.type, name, node)
        made = f.value(owner)
        if isinstance(made.type, Scalar) and made.type.kind == "c" and name in ("real", "imag") and not given:
            return self.part(made, name)
        f.refuse(f".{name}() of {made.type}", node)

    def _of_carray(self, f, variable, name, subscripts, node) -> Value:
        if name == "size" and not subscripts:
            return Value(LONG, load(f"{variable.name}__size"))
        if name in ("shape", "strides") and len(subscripts) == 1:
            k = f.whole(subscripts[0])
            if k.const is not None and 0 <= k.const < variable.type.ndim:
                return Value(LONG, load(f"{variable.name}__{name}{k.const}"))
        f.refuse(f"this use of {name}() of a raw argument", node)

    def attribute(self, f, node: c_ast.StructRef) -> Value:
        """``x.ndim``; all else is a struct's member."""
        variable = f.scope.find(node.name.name) if isinstance(node.name, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Carray) and node.field.name == "ndim":
            return literal(INT, variable.type.ndim)
        f.refuse(f"a member .{node.field.name}", node)


__all__ = ["Builtins", "Pointer", "index"]
