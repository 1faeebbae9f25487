"""Lowering of a resolved function to :mod:`.graph`, the device functions that it calls put in place of their calls."""

from __future__ import annotations

import ast
import builtins
import enum
import math
import re
from types import ModuleType
from typing import Any

import numpy as np

from ..frontend.absent import numbas_error
from ..frontend.intrinsics import SYNCHRONISING
from .graph import Graph, Loop, Place, Value
from .types import NONE, Type

REFUSED_STATEMENTS = {
    ast.Try: "try",
    ast.With: "with",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Import: "import: import outside the kernel",
    ast.ImportFrom: "import: import outside the kernel",
    ast.FunctionDef: "a function defined in it: define it outside, with @cuda.jit(device=True)",
    ast.AsyncFunctionDef: "async",
    ast.ClassDef: "class",
    ast.Match: "match: use if and elif",
}


SELECTS = 4  # branches of at most so many assignments are computed for all lanes instead of branching


class Frame:
    """One call of a function, while it is lowered."""

    def __init__(self, function, prefix: str, done, caller):
        self.function, self.prefix, self.done, self.caller = function, prefix, done, caller
        self.locals = set(function.params)
        for node in ast.walk(function.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                self.locals.add(node.id)
        self.loops: list[tuple] = []  # (where continue goes, where break goes, the loop)


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


class Lowering:
    """Makes the graph of a kernel for arguments of given types."""

    def __init__(self, function, argtypes: tuple[Type, ...], debug: bool, parting: set):
        self.graph = Graph()
        self.debug, self.parting = debug, parting
        self.count = 0
        self.waits = False
        self.frame = Frame(function, "0.", None, None)
        self.parameters: list[Value] = []
        for name, t in zip(function.params, argtypes, strict=True):
            value = self.const(None, function.node) if t == NONE else self.make("parameter", [], function.node, name)
            if t != NONE:
                value.type = t
            self.parameters.append(value)
            self.graph.write("0." + name, value)
        self.statements(function.node.body)
        self.graph.leave()
        self.graph.finish()

    def temporary(self) -> str:
        self.count += 1
        return f"{self.count}:"

    def statements(self, body: list[ast.stmt]) -> None:
        for node in body:
            if self.graph.current.ended:  # after return, break or continue
                return
            method = getattr(self, "s_" + type(node).__name__, None)
            if method is None:
                what = REFUSED_STATEMENTS.get(type(node), type(node).__name__)
                error: Any = self.error(f"A kernel cannot use {what}. There is no such thing on a GPU.", node)
                error.numbas = numbas_error(node, self.frame.function.node)
                raise error
            method(node)

    def s_Pass(self, node):
        pass

    def s_Expr(self, node):
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.expression(node.value)

    def s_Assign(self, node):
        value = self.expression(node.value)
        for target in node.targets:
            self.assign(target, value)

    def s_AnnAssign(self, node):
        if node.value is not None:
            self.assign(node.target, self.expression(node.value))

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.graph.write(self.frame.prefix + target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            for k, part in enumerate(target.elts):
                if isinstance(part, ast.Starred):
                    raise self.error("A kernel cannot unpack into a name with a star.", part)
                self.assign(part, self.make("unpack", [value], target, (k, len(target.elts))))
        elif isinstance(target, ast.Subscript):
            self.make("setitem", [self.expression(target.value), self.expression(target.slice), value], target)
        elif isinstance(target, ast.Attribute):
            self.make("setattr", [self.expression(target.value), value], target, target.attr)
        else:
            raise self.error("A kernel cannot assign to this.", target)

    def s_AugAssign(self, node):
        if isinstance(node.op, ast.MatMult):
            raise self.error("A kernel cannot use @=: write the loops.", node)
        target: Any = node.target
        name = "i" + OPERATORS[type(node.op)].rstrip("_")
        if isinstance(target, ast.Name):
            load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            value = self.make("binary", [self.expression(load), self.expression(node.value)], node, name)
            self.graph.write(self.frame.prefix + target.id, value)
            return
        base = self.expression(target.value)
        index = [self.expression(target.slice)] if isinstance(target, ast.Subscript) else []
        kind, extra = ("item", None) if index else ("attr", getattr(target, "attr", ""))
        old = self.make("get" + kind, [base, *index], target, extra)
        new = self.make("binary", [old, self.expression(node.value)], node, name)
        self.make("set" + kind, [base, *index, new], target, extra)

    def s_Delete(self, node):
        for target in node.targets:
            if not isinstance(target, ast.Name):
                raise self.error("A kernel cannot delete an element of an array.", node)

    # Control flow

    def s_If(self, node):
        test = self.expression(node.test)
        known = self.decided(test)
        if known is not None:  # Numba does not look at what can never run either
            return self.statements(node.body if known else node.orelse)
        test = self.make("truth", [test], node)
        if node not in self.parting and self._selectable(node.body) and self._selectable(node.orelse):
            return self._select(node, test)
        yes, no, done = self.graph.block(), self.graph.block(), self.graph.block()
        self.graph.branch(test, yes, no)
        for block, body in ((yes, node.body), (no, node.orelse)):
            self.graph.start(block)
            self.statements(body)
            self.graph.jump(done)
        self.graph.start(done)
        if not done.predecessors:
            done.ended = True

    def decided(self, test: Value) -> bool | None:
        """A condition that is known before anything runs: of constants, or whether an argument is None."""
        if test.op == "const" and not hasattr(test.extra, "shape"):
            return bool(test.extra)
        if test.op == "unary" and test.extra == "not_":
            inner = self.decided(test.args[0])
            return None if inner is None else not inner
        if test.op == "binary" and test.extra in ("is", "isnot"):
            none = [a.op == "const" and a.extra is None for a in test.args]
            if any(none) and (all(none) or test.args[none.index(False)].op in ("parameter", "const")):
                return all(none) == (test.extra == "is")
        return None

    def _selectable(self, body: list[ast.stmt]) -> bool:
        if len(body) > SELECTS:
            return False
        for node in body:
            if isinstance(node, ast.Pass):
                continue
            if not isinstance(node, ast.Assign | ast.AugAssign) or not self.harmless(node.value):
                return False
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if not all(isinstance(t, ast.Name) for t in targets):
                return False
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.MatMult):
                return False
        return True

    def _select(self, node, test):
        """Both branches for all lanes, and then each lane's choice: cheaper than parting them for so little."""
        before = dict(self.graph.current.defs)
        results = []
        for body in (node.body, node.orelse):
            self.graph.current.defs = dict(before)
            self.statements(body)
            results.append({k: v for k, v in self.graph.current.defs.items() if before.get(k) is not v})
        self.graph.current.defs = before
        assigned = {
            self.frame.prefix + getattr(t, "id", "")
            for body in (node.body, node.orelse)
            for s in body
            if not isinstance(s, ast.Pass)
            for t in (s.targets if isinstance(s, ast.Assign) else [s.target])
        }
        for name in sorted(assigned):
            sides = [r[name] if name in r else self.graph.read(name, self.place(node)) for r in results]
            self.graph.write(name, self.make("select", [test, *sides], node))

    def s_While(self, node):
        loop = Loop(self.place(node), counted=False)
        head, body, other, done = (self.graph.block() for _ in range(4))
        self.graph.jump(head)
        self.graph.start(head, seal=False)
        test = self.expression(node.test)
        if self.decided(test):
            self.graph.jump(body)
        else:
            self.graph.branch(self.make("truth", [test], node), body, other)
        self._loop(node, loop, head, body, other, done, lambda: None)

    def _loop(self, node, loop, head, body, other, done, advance):
        first = head.number
        latch = self.graph.block()
        self.graph.start(body)
        self.frame.loops.append((latch, done, loop))
        self.statements(node.body)
        self.frame.loops.pop()
        self.graph.jump(latch)
        self.graph.start(latch)
        if latch.predecessors:
            advance()
            self.graph.jump(head, loop)
        self.graph.current.ended = True
        self.graph.seal(head)
        loop.waits = any(
            v.op in ("getitem", "icall", "getattr", "method") for b in self.graph.blocks[first:] for v in b.body
        )
        self.graph.start(other)
        if other.predecessors:
            self.statements(node.orelse)
            self.graph.jump(done)
        self.graph.current.ended = True
        self.graph.start(done)
        if not done.predecessors:
            done.ended = True

    def s_For(self, node):
        loop = Loop(self.place(node), counted=True)
        name, place = self.temporary(), self.place(node)
        head, body, other, done = (self.graph.block() for _ in range(4))
        call = node.iter
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and self._is_range(call):
            args = [self.expression(a) for a in call.args]
            if not 1 <= len(args) <= 3:
                raise self.error("range takes one to three arguments.", node)
            start, stop, step = (self.make("bound", args, node, k) for k in range(3))
            begin, more, item, onward = start, "range_more", "range_item", "range_next"
            fixed = [stop, step]
        else:
            iterable = self.expression(call)
            begin, more, item, onward = self.const(0, node), "index_more", "index_item", "index_next"
            fixed = [iterable, self.make("iteration_length", [iterable], node)]
        self.graph.write(name, begin)
        self.graph.jump(head)
        self.graph.start(head, seal=False)
        at = self.graph.read(name, place)
        self.graph.branch(self.make(more, [at, *fixed], node), body, other)

        def advance():
            self.graph.write(name, self.make(onward, [self.graph.read(name, place), *fixed], node))

        statements = node.body
        node = ast.copy_location(
            ast.For(
                node.target,
                node.iter,
                [
                    _Bind(node.target, lambda: self.make(item, [self.graph.read(name, place), *fixed], node)),
                    *statements,
                ],
                node.orelse,
            ),
            node,
        )
        self._loop(node, loop, head, body, other, done, advance)

    def s__Bind(self, node):
        self.assign(node.target, node.value())

    def _is_range(self, call):
        name = call.func.id
        return (
            name == "range"
            and name not in self.frame.locals
            and name not in self.frame.function.env
            and not call.keywords
        )

    def s_Break(self, node):
        self.graph.jump(self.frame.loops[-1][1])

    def s_Continue(self, node):
        self.graph.jump(self.frame.loops[-1][0])

    def early(self) -> str:
        return "looped" if self.frame.loops else "early"

    def s_Return(self, node):
        if self.frame.caller is None:
            if node.value is not None:
                self.make("returned", [self.expression(node.value)], node)
            return self.graph.leave(self.early() if node is not self.frame.function.node.body[-1] else "")
        value = self.const(None, node) if node.value is None else self.expression(node.value)
        self.graph.write(self.frame.prefix + "=", value)
        self.graph.jump(self.frame.done)

    def s_Assert(self, node):
        test = self.make("truth", [self.expression(node.test)], node)
        fine, wrong = self.graph.block(), self.graph.block()
        self.graph.branch(test, fine, wrong)
        self.graph.start(wrong)
        message = node.msg.value if isinstance(node.msg, ast.Constant) else None
        self.make("raise", [], node, (AssertionError, (message,) if message else ()))
        self.graph.leave(self.early())
        self.graph.start(fine)

    def s_Raise(self, node):
        cls, args = None, ()
        call: Any = node.exc
        if isinstance(call, ast.Call):
            if not all(isinstance(a, ast.Constant) for a in call.args) or call.keywords:
                raise self.error("An exception in a kernel takes constants only.", node)
            args, call = tuple(getattr(a, "value", None) for a in call.args), call.func
        if call is not None:
            value = self.expression(call)
            cls = value.extra if value.op == "const" else None
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise self.error("A kernel can raise an exception class with constants only, e.g. ValueError('x').", node)
        self.make("raise", [], node, (cls, args))
        self.graph.leave(self.early())

    # Device functions

    def inline(self, function, args, names, node):
        values = dict(zip(function.params, args[: len(args) - len(names)], strict=False))
        if len(args) - len(names) > len(function.params):
            error: Any = self.error(f"{function.name} takes {len(function.params)} arguments, not {len(args)}.", node)
            error.numbas = "TypingError"
            raise error
        for name, value in zip(names, args[len(args) - len(names) :], strict=True):
            if name not in function.params or name in values:
                raise self.error(f"{function.name} cannot take the argument {name}.", node)
            values[name] = value
        rest = function.params[len(function.params) - len(function.defaults) :] if function.defaults else ()
        for name, default in zip(rest, function.defaults, strict=True):
            if name not in values:
                values[name] = self.const(default, node)
        missing = [name for name in function.params if name not in values]
        if missing:
            raise self.error(f"{function.name} is called without {', '.join(missing)}.", node)
        caller, done = self.frame, self.graph.block()
        self.count += 1
        self.frame = Frame(function, f"{self.count}.", done, caller)
        for name, value in values.items():
            self.graph.write(self.frame.prefix + name, value)
        self.statements(function.node.body)
        if not self.graph.current.ended:
            self.graph.write(self.frame.prefix + "=", self.const(None, function.node))
            self.graph.jump(done)
        result, self.frame = self.frame.prefix + "=", caller
        self.graph.start(done)
        if not done.predecessors:
            done.ended = True
            return self.const(None, node)
        return self.graph.read(result, self.place(node))

    # Expressions

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
            error: Any = self.error(f"A kernel cannot use {what}: there is no such thing on a GPU.", node)
            error.numbas = numbas_error(node, self.frame.function.node)
            raise error
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
                if isinstance(operand, ast.Set):
                    self.expression(operand)  # refuses it
                wanted = isinstance(operator, ast.In)
                if len(node.ops) > 1 or isinstance(operand, ast.Tuple) and not operand.elts:
                    raise self.error("A kernel cannot use `in` like this: compare with each element.", node)
                if isinstance(operand, ast.Tuple):
                    return self._among(left, operand.elts, wanted, node)
                return self.make("contains", [left, self.expression(operand)], node, wanted)
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

    def _among(self, value, items, wanted, node):
        """``value in (a, b)``: a comparison with each."""
        result = None
        for item in items:
            same = self.make("binary", [value, self.expression(item)], node, "eq")
            result = same if result is None else self.make("boolean", [result, same], node, "or")
        return result if wanted else self.make("unary", [result], node, "not_")

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
            if args:
                raise self.error("cuda.cg.this_grid takes no arguments.", node)
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


class _Bind(ast.Pass):
    """The assignment of a loop's variable, at the head of its body."""

    def __init__(self, target, value):
        super().__init__()
        self.target, self.value = target, value
