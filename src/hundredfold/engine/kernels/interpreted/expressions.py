"""Lowering of expressions to :mod:`.ir`."""

from __future__ import annotations

import ast
import builtins
import enum
import math
import re
from types import ModuleType

import numpy as np

from ..intrinsics import SYNCHRONISING
from .ir import Place, Value

OPERATORS = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod"},
    **{ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_", ast.BitOr: "or_"},
    **{ast.BitXor: "xor", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"},
    **{ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not_", ast.Is: "is", ast.IsNot: "isnot"},
}
REFUSED = {
    ast.List: "a list",
    ast.ListComp: "a list comprehension",
    ast.SetComp: "a set comprehension",
    ast.DictComp: "a dictionary comprehension",
    ast.GeneratorExp: "a generator expression",
    ast.Dict: "a dictionary",
    ast.Set: "a set",
    ast.JoinedStr: "a formatted string",
    ast.Lambda: "a lambda",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Await: "await",
    ast.Starred: "an argument with a star",
}
WAITING = SYNCHRONISING - {"cg.this_grid", "activemask"}
PURE_BUILTINS = {"abs", "min", "max", "int", "float", "bool", "len", "round"}


class Expressions:
    """The half of the lowering that makes values; :class:`.lower.Lowering` has the statements."""

    def error(self, sentence: str, node: ast.AST) -> Exception:
        return self.frame.function.error(sentence, node)

    def place(self, node: ast.AST) -> Place:
        return Place(self.frame.function, node)

    def make(self, op: str, args: list, node: ast.AST, extra: object = None, names=()) -> Value:
        return self.graph.value(op, args, extra, self.place(node), names)

    def const(self, value: object, node: ast.AST) -> Value:
        return self.make("const", [], node, value)

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression, in the current block."""
        method = getattr(self, "x_" + type(node).__name__, None)
        if method is None:
            what = REFUSED.get(type(node), f"{type(node).__name__} (this expression)")
            raise self.error(f"A kernel cannot use {what}: there is no such thing on a GPU.", node)
        return method(node)

    def x_Constant(self, node):
        if isinstance(node.value, bytes):
            raise self.error("A kernel cannot use bytes: there is no such thing on a GPU.", node)
        return self.const(node.value, node)

    def x_Name(self, node):
        name = node.id
        if name.startswith("_hf__"):
            return self.make("intrinsic", [], node, name[5:].replace("__", "."))
        if name.startswith("_hf_fn_"):
            return self.const(self.frame.function.functions[name], node)
        if name in self.frame.locals:
            return self.graph.read(self.frame.prefix + name, self.place(node))
        if name in self.frame.function.env:
            return self.const(self.frame.function.env[name], node)
        if hasattr(builtins, name):
            return self.const(getattr(builtins, name), node)
        raise self.error(f"The name {name!r} is not defined.", node)

    def x_Attribute(self, node):
        base = self.expression(node.value)
        if base.op == "const" and isinstance(base.extra, ModuleType | type):
            try:
                value = getattr(base.extra, node.attr)
            except AttributeError:
                raise self.error(f"{ast.unparse(node.value)} has no {node.attr}.", node) from None
            return self.const(value.value if isinstance(value, enum.Enum) else value, node)
        return self.make("getattr", [base], node, node.attr)

    def x_BinOp(self, node):
        left, right = self.expression(node.left), self.expression(node.right)
        if isinstance(node.op, ast.MatMult):
            raise self.error("A kernel cannot use @: write the loops, or use CuPy outside the kernel.", node)
        return self.make("binary", [left, right], node, OPERATORS[type(node.op)])

    def x_UnaryOp(self, node):
        return self.make("unary", [self.expression(node.operand)], node, OPERATORS[type(node.op)])

    def x_BoolOp(self, node):
        word = "and" if isinstance(node.op, ast.And) else "or"
        result = self.expression(node.values[0])
        for operand in node.values[1:]:
            result = self._short_circuit(word, result, operand, lambda node=operand: self.expression(node), node)
        return result

    def _short_circuit(self, word, left, operand, lower, node):
        if self.harmless(operand):
            return self.make("boolean", [left, lower()], node, word)
        more, done, side = self.graph.block(), self.graph.block(), self.graph.block()
        name = self.temporary()
        self.graph.write(name, left)
        test = self.make("truth", [left], node)
        self.graph.branch(test, *((more, side) if word == "and" else (side, more)))
        self.graph.start(more)
        self.graph.write(name, lower())
        self.graph.jump(done)
        self.graph.start(side)
        self.graph.jump(done)
        self.graph.start(done)
        return self.graph.read(name, self.place(node))

    def x_Compare(self, node):
        left = self.expression(node.left)
        result = None
        for operator, operand in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                raise self.error("A kernel cannot use `in`: compare with each element.", node)
            name = OPERATORS[type(operator)]
            if result is None:
                right = self.expression(operand)
                result = self.make("binary", [left, right], node, name)
            else:
                kept = []  # the operand is computed inside the short circuit, and the next comparison wants it too

                def lower(left=left, operand=operand, name=name, kept=kept):
                    kept.append(self.expression(operand))
                    return self.make("binary", [left, kept[0]], node, name)

                if not self.harmless(operand) and operand is not node.comparators[-1]:
                    raise self.error("Split this comparison: its middle part reads memory.", node)
                result = self._short_circuit("and", result, operand, lower, node)
                right = kept[0]
            left = right
        return result

    def x_IfExp(self, node):
        test = self.make("truth", [self.expression(node.test)], node)
        if node not in self.parting and self.harmless(node.body) and self.harmless(node.orelse):
            return self.make("select", [test, self.expression(node.body), self.expression(node.orelse)], node)
        yes, no, done = self.graph.block(), self.graph.block(), self.graph.block()
        name = self.temporary()
        self.graph.branch(test, yes, no)
        for block, part in ((yes, node.body), (no, node.orelse)):
            self.graph.start(block)
            self.graph.write(name, self.expression(part))
            self.graph.jump(done)
        self.graph.start(done)
        return self.graph.read(name, self.place(node))

    def x_Tuple(self, node):
        return self.make("tuple", [self.expression(item) for item in node.elts], node)

    def x_NamedExpr(self, node):
        value = self.expression(node.value)
        self.graph.write(self.frame.prefix + node.target.id, value)
        return value

    def x_Slice(self, node):
        parts = (node.lower, node.upper, node.step)
        return self.make("slice", [self.const(None, node) if p is None else self.expression(p) for p in parts], node)

    def x_Subscript(self, node):
        base, index = self.expression(node.value), self.expression(node.slice)
        kinds = base.extra if base.op == "const" else None
        if isinstance(kinds, type) and issubclass(kinds, enum.Enum) and isinstance(index.extra, str):
            return self.const(kinds[index.extra].value, node)
        return self.make("getitem", [base, index], node)

    # Calls

    def x_Call(self, node):
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise self.error("A kernel cannot use * or ** in a call: name the arguments.", node)
        callee = None
        if isinstance(node.func, ast.Attribute) and not (callee := self._static(node.func)):
            base = self.expression(node.func.value)
            if node.func.attr == "sync" and not node.args:  # nothing but a grid has it
                return self.wait("grid.sync", [base], node)
            if base.op != "const" or not isinstance(base.extra, ModuleType | type):
                args, names = self._arguments(node)
                return self.make("method", [base, *args], node, node.func.attr, names)
        callee = callee or self.expression(node.func)
        if callee.op == "intrinsic":
            return self._intrinsic(callee.extra, node)
        if callee.op != "const":
            name = re.sub(r"\b_hf_(fn_\d+_|_)", "", ast.unparse(node.func))
            raise self.error(f"{name} is no function that can be called in a kernel.", node)
        args, names = self._arguments(node)
        if hasattr(callee.extra, "params") and hasattr(callee.extra, "pyfunc"):
            return self.inline(callee.extra, args, names, node)
        return self.make("call", args, node, callee.extra, names)

    def _static(self, node: ast.Attribute) -> Value | None:
        """A callee such as ``math.sin``, reached through modules only."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self.frame.locals:
            return None
        if not isinstance(self.frame.function.env.get(root.id), ModuleType | type):
            return None
        return self.expression(node)

    def _arguments(self, node):
        args = [self.expression(a) for a in node.args] + [self.expression(k.value) for k in node.keywords]
        return args, tuple(k.arg for k in node.keywords)

    def _intrinsic(self, name, node):
        args, names = self._arguments(node)
        if name == "cg.this_grid":
            return self.make("intrinsic", [], node, "cg.this_grid()")
        if name in WAITING:
            return self.wait(name, args, node, names)
        return self.make("icall", args, node, name, names)

    def wait(self, name, args, node, names=()):
        """Begin a block whose lanes wait for others first."""
        block = self.graph.block()
        self.graph.jump(block)
        self.graph.start(block)
        made = self.make("wait", args, node, name, names)
        block.body.remove(made)
        block.sync = made
        return made

    # What may be computed though its result may not be wanted

    def harmless(self, node: ast.AST) -> bool:
        """Whether an expression reads no memory, waits for nobody, and cannot fail."""
        if isinstance(node, ast.Constant | ast.Name):
            return True
        if isinstance(node, ast.BinOp):
            divides = isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod | ast.Pow)
            return not (divides and self.debug) and self.harmless(node.left) and self.harmless(node.right)
        if isinstance(node, ast.UnaryOp):
            return self.harmless(node.operand)
        if isinstance(node, ast.Compare):
            return all(map(self.harmless, (node.left, *node.comparators)))
        if isinstance(node, ast.BoolOp):
            return all(map(self.harmless, node.values))
        if isinstance(node, ast.IfExp):
            return all(map(self.harmless, (node.test, node.body, node.orelse)))
        if isinstance(node, ast.Attribute):
            return node.attr in ("shape", "size", "x", "y", "z") and isinstance(node.value, ast.Name)
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and self.harmless(node.slice)
        if isinstance(node, ast.Call):
            return not node.keywords and self._harmless_call(node) and all(map(self.harmless, node.args))
        return False

    def _harmless_call(self, node):
        function = node.func
        if isinstance(function, ast.Name):
            if function.id in ("_hf__grid", "_hf__gridsize"):
                return True
            value = self.frame.function.env.get(function.id, getattr(builtins, function.id, None))
            if function.id in self.frame.locals:
                return False
            return (
                (function.id in PURE_BUILTINS and value is getattr(builtins, function.id))
                or getattr(value, "__module__", None) == "math"
                or (isinstance(value, type) and issubclass(value, np.generic))
            )
        root = function.value
        if isinstance(root, ast.Name) and root.id not in self.frame.locals:
            base = self.frame.function.env.get(root.id)
            return base is math or base is np
        return False
