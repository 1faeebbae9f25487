"""Rewrite a resolved kernel into a function that Numba compiles for the CPU.

Every function gets two more parameters: ``_hf_c``, a tuple that tells where the thread is (:class:`.machine.Context`), and
``_hf_m``, the address of the machine's cells.  Array accesses become calls that check bounds and log; loops begin their
turns with a look at the stop flag; what waits for other threads becomes a ``yield``, so that Numba makes the kernel a
generator, which a scheduler resumes when the wait is over.  Line numbers stay those of the learner's file, so Numba's own
errors point there.
"""

from __future__ import annotations

import ast
import copy
import math
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from ...faults import PYTHONS, DeviceFailure, UncompilableError
from ...frontend.absent import miscounted, numbas_error
from ...frontend.intrinsics import ATOMICS, BARRIERS, VOTES, WARP
from ...frontend.python.desugar import at
from ...frontend.python.resolve import FUNCTION_PREFIX, PREFIX, Function, is_written
from ...sanitizer.log import Site
from ...sanitizer.records import FROM_THE_END, of_a_copy
from .diagnostics import NumbaRuntimeError, TypingError, UnsupportedBytecodeError
from .waiting import CannotCompile, spins, waits
from .worker_state import Context, Yield

C, M = "_hf_c", "_hf_m"
"""The two parameters that every rewritten function gets."""

REFUSED = {
    ast.Try: "try and except",
    ast.With: "with",
    ast.ListComp: "A list comprehension",
    ast.List: "A list",
    ast.Dict: "A dictionary",
    ast.Set: "A set",
    ast.DictComp: "A dictionary",
    ast.SetComp: "A set",
    ast.GeneratorExp: "A generator expression",
    ast.JoinedStr: "An f-string",
    ast.Lambda: "A lambda",
    ast.FunctionDef: "A function definition",
    ast.ClassDef: "A class definition",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.Match: "match",
    ast.Delete: "del of an element",
}

_KINDS = {**PYTHONS, **{kind.__name__: kind for kind in (NumbaRuntimeError, TypingError, UnsupportedBytecodeError)}}


def is_field(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def field_of_element(node: ast.AST) -> Any:
    """The name of the field in ``x[i].a`` and ``x[i]["a"]``; None for anything else."""
    if not isinstance(node, ast.Attribute | ast.Subscript) or not isinstance(node.value, ast.Subscript):
        return None
    if is_field(node.value) or isinstance(node.value.value, ast.Attribute):
        return None
    if isinstance(node, ast.Attribute):
        return node.attr
    return getattr(node.slice, "value", None) if is_field(node) else None


def items(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """The variables that a function sets to an item of an array, ``p = x[i]``, each with the array."""
    found: dict[str, ast.expr] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign) and len(inner.targets) == 1:
            target, value = inner.targets[0], inner.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                pairs = list(zip(target.elts, value.elts, strict=True))
            for name, item_ in pairs:
                if isinstance(name, ast.Name) and isinstance(item_, ast.Subscript) and not is_field(item_):
                    found.setdefault(name.id, copy.deepcopy(item_.value))
    return found


def readable(node: ast.AST) -> str:
    """An expression of a resolved kernel as its author wrote it."""
    text = re.sub(rf"{PREFIX}(\w+)", lambda match: "cuda." + match[1].replace("__", "."), ast.unparse(node))
    return re.sub(rf"{FUNCTION_PREFIX}\d+_|_hf_i\d+_(g_)?", "", text)


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def item(index: int) -> ast.expr:
    return ast.Subscript(load(C), ast.Constant(int(index)), ast.Load())


# What reads whole arrays
_SUMMING = (
    *("sum", "prod", "mean", "std", "var", "argmin", "argmax", "any", "all", "min", "max"),
    *("nansum", "nanprod", "nanmean", "nanstd", "nanvar", "count_nonzero", "cumsum", "cumprod"),
)

METHODS = frozenset(name for name in _SUMMING if not name.startswith(("nan", "count", "cum")))
"""Methods of an array that read all of it."""

BUILTINS = frozenset(("sum", "min", "max", "any", "all", "sorted", "enumerate", "zip"))
"""Functions of Python that do, given an array."""

_FUNCTIONS = frozenset(getattr(np, name) for name in _SUMMING)


def reads_all(function: Any) -> bool:
    """Whether a function of NumPy reads all of the arrays that it is given."""
    return isinstance(function, np.ufunc) or (
        getattr(function, "__hash__", None) is not None and function in _FUNCTIONS
    )


def may_be_array(node: ast.expr) -> bool:
    """Whether an expression may stand for an array; calls make none in a kernel."""
    return isinstance(node, ast.Name | ast.Subscript) or (
        isinstance(node, ast.Attribute) and node.attr in ("T", "real", "imag")
    )


HELPER = "_hf_do_"
"""What the names of helpers in the rewritten code begin with; :mod:`.compile` has them."""

_WAITS = {
    "syncthreads_count": Yield.BARRIER_COUNT,
    "syncthreads_and": Yield.BARRIER_AND,
    "syncthreads_or": Yield.BARRIER_OR,
    "shfl_sync": Yield.SHFL,
    "shfl_up_sync": Yield.SHFL_UP,
    "shfl_down_sync": Yield.SHFL_DOWN,
    "shfl_xor_sync": Yield.SHFL_XOR,
    "all_sync": Yield.ALL,
    "any_sync": Yield.ANY,
    "eq_sync": Yield.EQ,
    "ballot_sync": Yield.BALLOT,
    "match_any_sync": Yield.MATCH_ANY,
    "match_all_sync": Yield.MATCH_ALL,
}


_DIM3 = {
    "threadIdx": Context.THREAD,
    "blockIdx": Context.BLOCK,
    "blockDim": Context.BLOCK_DIM,
    "gridDim": Context.GRID_DIM,
}

_EXTREMES = {"min": "minimum", "max": "maximum"}

_AS_ON_A_GPU = (math.fmod, math.modf, math.remainder, math.floor, math.ceil, math.trunc, math.exp2)
"""Functions that Numba knows on a GPU only, or types otherwise there: floor, ceil and trunc give floats."""

_MATH = {
    **dict.fromkeys(("popc", "brev", "clz", "ffs", "cbrt"), ("value",)), "fma": ("a", "b", "c"), "selp": ("cond", "a", "b")
}  # fmt: skip

_FENCES = ("threadfence", "threadfence_block", "threadfence_system")


def rewrite(
    function: Function,
    sites: list[Site],
    *,
    kernel: bool,
    debug: bool,
    generator: bool,
    branches: bool = False,
    own: int = 0,
) -> ast.FunctionDef:
    """Return the definition that Numba is to compile; accesses and loops are entered in `sites`.

    Raises
    ------
    UncompilableError
        For what a kernel may not do.
    CannotCompile
        For what only the interpreter can do.
    """
    node = copy.deepcopy(function.node)
    rewriter = _Rewriter(function, sites, kernel, debug, generator)
    rewriter.branches = branches
    rewriter.own(node.body, own)
    rewriter.items, rewriter.last = items(node), node.body[-1]
    loops = [inner for inner in ast.walk(node) if isinstance(inner, ast.For | ast.While)]
    rewriter.looped = {id(inner) for loop in loops for inner in ast.walk(loop)}
    node.body = rewriter.block(node.body)
    node.args.args = [ast.arg(C), ast.arg(M), *node.args.posonlyargs, *node.args.args]
    node.args.posonlyargs = []
    ast.increment_lineno(node, function.firstlineno - 1)
    return ast.fix_missing_locations(node)


class _Rewriter(ast.NodeTransformer):
    """Rewrites the statements of a function, the elements of its arrays, and its calls."""

    def __init__(self, function: Function, sites: list[Site], kernel: bool, debug: bool, generator: bool):
        self.function, self.sites, self.kernel, self.debug = function, sites, kernel, debug
        self.generator = generator
        self.temporaries = 0
        self.branches = False
        self.items: dict[str, Any] = {}
        self.last: ast.stmt | None = None
        self.looped: set[int] = set()

    # Statements

    def own(self, statements: list[ast.stmt], levels: int) -> None:
        """Loops of so many levels are the simulator's own: they end, and no turn looks at the stop flag."""
        for statement in statements if levels else ():
            if isinstance(statement, ast.For | ast.While):
                vars(statement)["once"] = True
                self.own(statement.body, levels - 1)

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            done.extend(made if isinstance(made, list) else [made])
        return done

    def visit_Return(self, node: ast.Return) -> Any:
        if self.kernel and node.value is not None:
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                raise self.function.error(
                    "CUDA kernel must have void return type: a kernel returns nothing. Write the result into an array "
                    "that is passed to it.",
                    node,
                    TypingError,
                )
            node.value = None
        return self.leave(node) if self.kernel else self.generic_visit(node)

    def leave(self, node: ast.stmt) -> list[ast.stmt]:
        """The end of a thread. Who waits for it may want to know that it did not go past them to the end of the kernel."""
        done: list[ast.stmt] = [ast.copy_location(ast.Return(), node)]
        if self.generator and node is not self.last:
            done.insert(0, at(ast.Expr(self.call("left", ast.Constant(id(node) in self.looped))), node))
        return done

    def visit_Raise(self, node: ast.Raise) -> Any:
        given = [*node.exc.args, *(k.value for k in node.exc.keywords)] if isinstance(node.exc, ast.Call) else []
        if not all(self.is_constant(each) for each in given):
            raise self.function.error("An exception in a kernel takes constants only, e.g. ValueError('x').", node)
        # Without debug=True a thread that raises ends, and the host hears nothing of it.
        if not self.debug and not self.is_failure(node.exc):
            return self.generic_visit(node) if not self.kernel else self.leave(node)
        return [self.raising(node), self.generic_visit(node)]

    def is_failure(self, raised: ast.expr | None) -> bool:
        """Whether an exception is told in any case."""
        called = raised.func if isinstance(raised, ast.Call) else raised
        kind = self.function.env.get(called.id) if isinstance(called, ast.Name) else None
        return isinstance(kind, type) and issubclass(kind, DeviceFailure)

    def raising(self, node: ast.stmt) -> ast.stmt:
        return at(ast.Expr(self.call("raising", ast.Constant(self.site(node, "raise", None)))), node)

    def is_constant(self, node: ast.expr) -> bool:
        """Whether this is a constant, a negative one, or the name of one outside of the kernel, in a module or not."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self.is_constant(node.operand)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return isinstance(getattr(self.function.env.get(node.value.id), node.attr, None), str | int | float)
        return isinstance(node, ast.Constant) or (
            isinstance(node, ast.Name) and isinstance(self.function.env.get(node.id), str | int | float)
        )

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        if self.debug:
            failed = ast.Call(load("AssertionError"), [] if node.msg is None else [node.msg], [])
            body = [self.raising(node), at(ast.Raise(failed), node)]
            return at(ast.If(ast.UnaryOp(ast.Not(), self.visit(node.test)), body, []), node)
        if self.kernel:
            test = ast.UnaryOp(ast.Not(), self.visit(node.test))
            return at(ast.If(test, self.leave(node), []), node)
        return at(ast.Pass(), node)

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        if all(isinstance(target, ast.Name) for target in node.targets):
            return at(ast.Pass(), node)
        return self.refuse(node)

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            vars(node.value)["name_of_array"] = readable(node.targets[0])
        vars(node)["item"] = self.item_of(node.value)
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self.assign(node.targets[0], value, node)
        name = self.temporary()
        done: list[ast.stmt] = [at(ast.Assign([store(name)], value), node)]
        for target in node.targets:
            done += self.assign(target, load(name), node)
        return done

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        return self.assign(node.target, self.visit(node.value), node) if node.value is not None else []

    def assign(self, target: Any, value: ast.expr, node: Any) -> list[ast.stmt]:
        if isinstance(target, ast.Name):
            return [at(ast.Assign([target], value), node)]
        if field_of_element(target) is not None:
            return self.assign_field(target, value, node)
        if self.of_item(target):
            site = ast.Constant(self.site(target, "write", self.items[target.value.id]))
            kept = self.temporary()
            call = self.call("set_own", load(target.value.id), ast.Constant(target.attr), load(kept), site)
            return [at(ast.Assign([store(kept)], value), node), at(ast.Expr(call), node)]
        if isinstance(target, ast.Attribute):
            target.value = self.visit(target.value)
            return [at(ast.Assign([target], value), node)]
        if isinstance(target, ast.Subscript):
            if is_field(target):
                target.value = self.visit(target.value)
                return [at(ast.Assign([target], value), node)]
            site = self.site(target, "write", target.value)
            # Python evaluates the value first, then the array and the index.
            if not isinstance(value, ast.Constant | ast.Name):
                name = self.temporary()
                before: list[ast.stmt] = [at(ast.Assign([store(name)], value), node)]
                value = load(name)
            else:
                before = []
            array = getattr(node, "item", None)
            if array is not None and len(node.targets) == 1 and isinstance(value, ast.Name):
                read = ast.Constant(self.site(node.value, "read", array))
                before.append(at(ast.Expr(self.call("copied", load(value.id), read)), node))
            call = self.call("set", self.visit(target.value), self.visit(target.slice), value, ast.Constant(site))
            return [*before, at(ast.Expr(call), node)]
        if isinstance(target, ast.Tuple | ast.List):
            if not any(isinstance(inner, ast.Subscript | ast.Attribute | ast.Starred) for inner in ast.walk(target)):
                return [at(ast.Assign([target], value), node)]
            names = [self.temporary() for _ in target.elts]
            unpacked = ast.Tuple([store(name) for name in names], ast.Store())
            done: list[ast.stmt] = [at(ast.Assign([unpacked], value), node)]
            for inner, name in zip(target.elts, names, strict=True):
                done += self.assign(inner, load(name), node)
            return done
        return [self.refuse(node)]

    def assign_field(self, target: Any, value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """``x[i].a = value`` and ``x[i]["a"] = value``."""
        element, name = target.value, ast.Constant(field_of_element(target))
        site = ast.Constant(self.site(target, "write", element.value))
        kept = self.temporary()
        call = self.call("set_field", self.visit(element.value), self.visit(element.slice), name, load(kept), site)
        return [at(ast.Assign([store(kept)], value), node), at(ast.Expr(call), node)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        target: Any = node.target
        if isinstance(target, ast.Name):
            node.value = self.visit(node.value)
            return [node]
        if field_of_element(target) is not None:
            return self.augment_field(target, node)
        if self.of_item(target):
            read = self.visit(ast.copy_location(ast.Attribute(load(target.value.id), target.attr, ast.Load()), target))
            return self.assign(target, ast.BinOp(read, node.op, self.visit(node.value)), node)
        base = self.temporary()
        done: list[ast.stmt] = [at(ast.Assign([store(base)], self.visit(target.value)), node)]
        if isinstance(target, ast.Attribute) or is_field(target):
            if isinstance(target, ast.Attribute):
                places = [ast.Attribute(load(base), target.attr, ctx) for ctx in (ast.Load(), ast.Store())]
            else:
                places = [ast.Subscript(load(base), target.slice, ctx) for ctx in (ast.Load(), ast.Store())]
            value = ast.BinOp(places[0], node.op, self.visit(node.value))
            return [*done, at(ast.Assign([places[1]], value), node)]
        index = self.visit(target.slice)
        if not isinstance(index, ast.Constant):
            name = self.temporary()
            done.append(at(ast.Assign([store(name)], index), node))
            index = load(name)
        read = self.call("get", load(base), index, ast.Constant(self.site(target, "read", target.value)))
        value = self.temporary()
        done.append(at(ast.Assign([store(value)], ast.BinOp(read, node.op, self.visit(node.value))), node))
        site = self.site(target, "write", target.value)
        done.append(at(ast.Expr(self.call("set", load(base), index, load(value), ast.Constant(site))), node))
        return done

    def augment_field(self, target: Any, node: ast.AugAssign) -> list[ast.stmt]:
        """``x[i].a += value``."""
        element, name = target.value, ast.Constant(field_of_element(target))
        base, index, kept = self.temporary(), self.temporary(), self.temporary()
        reading = ast.Constant(self.site(target, "read", element.value))
        writing = ast.Constant(self.site(target, "write", element.value))
        places = [load(base), load(index), name]
        value = ast.BinOp(self.call("get_field", *places, reading), node.op, self.visit(node.value))
        return [
            at(ast.Assign([store(base)], self.visit(element.value)), node),
            at(ast.Assign([store(index)], self.visit(element.slice)), node),
            at(ast.Assign([store(kept)], value), node),
            at(ast.Expr(self.call("set_field", *places, load(kept), writing)), node),
        ]

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self.visit(node.test)
        node.body = [*self.way("taken", node), *self.block(node.body)]
        node.orelse = [*self.way("passed", node), *self.block(node.orelse)]
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        spinning = self.generator and spins(node)
        node.test = self.visit(node.test)
        if spinning:  # which way a wait goes is no branch of the kernel's
            node.body, node.orelse = [*self.turn(node, True), *self.block(node.body)], self.block(node.orelse)
            return node
        node.body = [*self.turn(node, False), *self.way("taken", node), *self.block(node.body)]
        node.orelse = [*self.way("passed", node), *self.block(node.orelse)]
        return node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        if not isinstance(node.target, ast.Name | ast.Tuple):
            return self.refuse(node)
        before, turned = [], []
        if may_be_array(node.iter):
            array, position = self.temporary(), self.temporary()
            site = ast.Constant(self.site(node.iter, "read", node.iter))
            before = [
                at(ast.Assign([store(array)], self.visit(node.iter)), node),
                at(ast.Assign([store(position)], ast.Constant(0)), node),
            ]
            node.iter = at(load(array), node)
            turned = [
                at(ast.Expr(self.call("turned", load(array), load(position), site)), node),
                at(ast.AugAssign(store(position), ast.Add(), ast.Constant(1)), node),
            ]
        node.iter = node.iter if before else self.visit(node.iter)
        node.body = [*self.turn(node, False), *turned, *self.way("taken", node), *self.block(node.body)]
        node.orelse = [*self.way("passed", node), *self.block(node.orelse)]
        return [*before, node]

    def way(self, kind: str, node: ast.stmt) -> list[ast.stmt]:
        """Log which way a thread goes at a conditional or the end of a loop's turn, where that is asked for."""
        if not self.branches or hasattr(node, "once"):
            return []
        return [at(ast.Expr(self.call("way", ast.Constant(self.site(node, kind, None)))), node)]

    def turn(self, loop: ast.stmt, spinning: bool) -> list[ast.stmt]:
        """What every turn of a loop begins with: the look at the stop flag, and letting others go on in a spin."""
        if hasattr(loop, "once"):
            return []
        site = self.site(loop, "loop", None)
        done: list[ast.stmt] = [at(ast.Expr(self.call("step", ast.Constant(site))), loop)]
        if spinning and self.kernel:
            done.append(at(ast.Expr(self.wait(Yield.SPIN, loop)), loop))
        return done

    # Expressions

    def visit_Attribute(self, node: Any) -> ast.AST:
        if field_of_element(node) is not None:
            return self.field(node)
        if self.of_item(node):
            site = ast.Constant(self.site(node, "read", self.items[node.value.id]))
            return at(self.call("get_own", load(node.value.id), ast.Constant(node.attr), site), node)
        return self.generic_visit(node)

    def item_of(self, node: ast.expr) -> ast.expr | None:
        """The array of ``x[i]``, or of a variable that was set to that; the item may be a record."""
        if isinstance(node, ast.Subscript) and not is_field(node) and field_of_element(node) is None:
            return copy.deepcopy(node.value)
        return self.items.get(node.id) if isinstance(node, ast.Name) else None

    def of_item(self, node: ast.AST) -> bool:
        """Whether this is ``p.a`` where p was, somewhere, set to an item of an array, which may be a record."""
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.items

    def field(self, node: Any) -> ast.AST:
        """``x[i].a`` and ``x[i]["a"]``, where x may turn out to be no array of records."""
        element, name = node.value, ast.Constant(field_of_element(node))
        site = ast.Constant(self.site(node, "read", element.value))
        return at(self.call("get_field", self.visit(element.value), self.visit(element.slice), name, site), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return self.refuse(node)
        if field_of_element(node) is not None:
            return self.field(node)
        if is_field(node) or (isinstance(node.value, ast.Attribute) and node.value.attr in ("shape", "strides")):
            return self.generic_visit(node)
        if (
            isinstance(node.value, ast.Name)
            and node.value.id.removeprefix(PREFIX) in _DIM3
            and node.value.id.startswith(PREFIX)
        ):
            name = node.value.id.removeprefix(PREFIX)
            what = f"cuda.{name} has no elements: it is cuda.{name}.x, .y and .z."
            raise self.function.error(what, node, TypingError)
        site = self.site(node, "read", node.value)
        base, index = self.visit(node.value), self.visit(node.slice)
        if isinstance(index, ast.Slice):
            bounds = [ast.Constant(None) if part is None else part for part in (index.lower, index.upper, index.step)]
            if isinstance(bounds[2], ast.Constant) and bounds[2].value == 0:
                raise self.function.error("slice step cannot be zero", node)
            if all(
                isinstance(part.operand if isinstance(part, ast.UnaryOp) else part, ast.Constant | ast.Name)
                for part in bounds
            ):
                return at(self.call("part", base, index, *copy.deepcopy(bounds), ast.Constant(site)), node)
        return at(self.call("get", base, index, ast.Constant(site)), node)

    # What a GPU refuses

    def refuse(self, node: ast.AST) -> Any:
        what = REFUSED.get(type(node), f"This use of {type(node).__name__.lower()}")
        kind = _KINDS.get(numbas_error(node, self.function.node), UncompilableError)
        raise self.function.error(f"{what} cannot be used in a kernel.", node, kind)

    visit_Try = visit_TryStar = visit_With = visit_Global = visit_Nonlocal = visit_ClassDef = refuse
    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = refuse
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = refuse
    visit_Yield = visit_YieldFrom = visit_Await = visit_AsyncFor = visit_AsyncWith = refuse
    visit_JoinedStr = visit_Dict = visit_Set = visit_Import = visit_ImportFrom = visit_Match = refuse

    def visit_List(self, node: ast.List) -> ast.AST:
        return self.refuse(node) if isinstance(node.ctx, ast.Load) else self.generic_visit(node)

    # Names and calls: where a thread is, barriers, shuffles, atomics, shared arrays

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not node.id.startswith(PREFIX):
            return node
        name = node.id[len(PREFIX) :].replace("__", ".")
        root, _, member = name.partition(".")
        if root in _DIM3:
            first = _DIM3[root]
            if member:
                return at(item(first + "xyz".index(member)), node)
            return at(ast.Call(load(HELPER + "dim3"), [item(first + k) for k in range(3)], []), node)
        if name == "laneid":
            return at(ast.Call(load(HELPER + "laneid"), [load(C)], []), node)
        if name == "warpsize":
            return at(load(HELPER + "warpsize"), node)
        raise self.function.error(f"cuda.{name} must be called, here it is used as a value.", node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id.startswith(FUNCTION_PREFIX):
            callee = self.function.functions[function.id]
            if waits(callee):
                raise CannotCompile(f"{callee.name} waits for other threads inside a device function")
            node.args = [load(C), load(M), *(self.visit(a) for a in node.args)]
            node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
            return node
        if isinstance(function, ast.Attribute) and function.attr == "sync" and not node.args:
            if "cg.this_grid" in self.function.intrinsics:
                return at(self.wait(Yield.GRID, node), node)
        known = self.value(function)
        if known in _AS_ON_A_GPU:
            return at(self.helper(f"math_{known.__name__}", *(self.visit(a) for a in node.args)), node)
        if isinstance(function, ast.Name) and function.id in _EXTREMES and self.builtin(function.id):
            if len(node.args) == 2 and not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args):
                return at(self.helper(_EXTREMES[function.id], *(self.visit(a) for a in node.args)), node)
        if isinstance(function, ast.Attribute):  # a method: what it is called on is an expression, and no field
            return self.method(node, function, known)
        if isinstance(function, ast.Name) and function.id == "print" and self.builtin("print"):
            shown = [self.visit(a) for a in node.args]
            node.args = [
                a if isinstance(a, ast.Constant) and isinstance(a.value, str) else self.helper("printed", a)
                for a in shown
            ]
            node.keywords = [self.visit(k) for k in node.keywords]
            return node
        if isinstance(function, ast.Name) and function.id in ("map", "getattr") and self.builtin(function.id):
            raise self.function.error(f"{function.id} cannot be used in a kernel.", node)
        if isinstance(function, ast.Name) and function.id in BUILTINS and self.builtin(function.id):
            node.args = [self.whole(a) for a in node.args]
            return node
        if not (isinstance(function, ast.Name) and function.id.startswith(PREFIX)):
            return self.generic_visit(node)
        name = function.id[len(PREFIX) :].replace("__", ".")
        made = self.intrinsic(name, node)
        return at(made, node)

    def method(self, node: ast.Call, function: ast.Attribute, known: Any) -> ast.AST:
        """A call of an attribute: of a module's function, or of a method.  Some read or write all of an array."""
        base, place = function.value, node
        summing = known is None and function.attr in METHODS and may_be_array(base)
        filling = known is None and function.attr == "fill" and may_be_array(base)
        out = isinstance(known, np.ufunc) and len(node.args) == known.nin + 1 and may_be_array(node.args[-1])
        written: Any = base if filling else node.args[-1] if out else None
        writing = None
        if written is not None:
            writing = ast.Constant(self.site(place, "write", written))
            written = self.visit(copy.deepcopy(written))
        if known is None and function.attr == "item" and not node.args and may_be_array(base):
            site = ast.Constant(self.site(place, "read", base))
            function.value = at(self.call("only", self.visit(base), site), place)
            return node
        function.value = self.whole(base) if summing else self.visit(base)
        reading = node.args[: known.nin] if isinstance(known, np.ufunc) else node.args
        if reads_all(known):
            node.args = [*(self.whole(a) for a in reading), *(self.visit(a) for a in node.args[len(reading) :])]
        else:
            node.args = [self.visit(a) for a in node.args]
        node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return node if writing is None or written is None else at(self.call("wrote_all", written, node, writing), place)

    def whole(self, node: ast.expr) -> ast.expr:
        """An argument of what reads all of an array, if it is given one."""
        if not may_be_array(node):
            return self.visit(node)
        site = ast.Constant(self.site(node, "read", node))
        return at(self.call("read_all", self.visit(node), site), node)

    def builtin(self, name: str) -> bool:
        """Whether a name means Python's own function here."""
        stored = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in self.nodes())
        return name not in self.function.env and name not in self.function.params and not stored

    def value(self, node: ast.expr) -> Any:
        """What a global name, or an attribute of a module, stands for; None for anything else."""
        if isinstance(node, ast.Name):
            value = self.function.env.get(node.id)
            return value if callable(value) else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = self.function.env.get(node.value.id)
            return getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
        return None

    def nodes(self) -> Iterator[ast.AST]:
        """All nodes of the function as it was resolved."""
        return ast.walk(self.function.node)

    def intrinsic(self, name: str, node: ast.Call) -> ast.expr:
        if name in ("grid", "gridsize"):
            return self.grid(name, node)
        array = readable(node.args[0]) if node.args else ""  # before what is in it is rewritten
        arguments = [self.visit(a) for a in node.args]
        keywords = {k.arg: self.visit(k.value) for k in node.keywords}
        root, _, member = name.partition(".")
        if name in ("syncthreads", "activemask", "lanemask_lt", "cg.this_grid", *_FENCES):
            self.arguments(name, node, arguments, keywords, ())
        if name == "syncthreads":
            return self.wait(Yield.BARRIER, node)
        if name in BARRIERS:
            (predicate,) = self.arguments(name, node, arguments, keywords, ("predicate",))
            return self.exchange(name, [ast.Constant(0), predicate, ast.Constant(0)], node)
        if name == "syncwarp":
            mask = self.arguments(name, node, arguments, keywords, ("mask",), (ast.Constant(0xFFFFFFFF),))
            posted = self.call("post", *mask, ast.Constant(0), ast.Constant(0))
            return self.helper("drop", posted, self.wait(Yield.SYNCWARP, node, name))
        if name == "activemask":
            posted = self.call("post", ast.Constant(0), ast.Constant(0), ast.Constant(0))
            return self.call("take_mask", posted, self.wait(Yield.ACTIVEMASK, node))
        if name == "lanemask_lt":
            return ast.Call(load(HELPER + "lanemask_lt"), [load(C)], [])
        if name in WARP:
            third = {"shfl_sync": "src_lane", "shfl_xor_sync": "lane_mask"}.get(name, "delta")
            names = ("mask", "value", third) if name.startswith("shfl") else ("mask", "value")
            values = self.arguments(name, node, arguments, keywords, names)
            return self.exchange(name, values if len(values) == 3 else [*values, ast.Constant(0)], node)
        if root in ("shared", "local") and member == "array":
            names = ("shape", "dtype", "alignment")
            values = self.arguments(name, node, arguments, keywords, names, (ast.Constant(None),))
            site = self.site(node, root, getattr(node, "name_of_array", root))
            return self.call(f"{root}_array", ast.Constant(site), *values)
        if name == "const.array_like":
            return self.arguments(name, node, arguments, keywords, ("ndarray",))[0]
        if root == "atomic" and member in ATOMICS:
            return self.atomic(member, node, arguments, keywords, array)
        if name == "cg.this_grid":
            return self.helper("this_grid")  # there is one; its sync() is found by its name
        if name in _FENCES:
            return self.call("fence", ast.Constant(self.site(node, "fence", None, name)))
        if name == "nanosleep":
            return self.helper("nanosleep", *self.arguments(name, node, arguments, keywords, ("ns",)))
        if name in _MATH:
            return self.helper(name, *self.arguments(name, node, arguments, keywords, _MATH[name]))
        raise CannotCompile(f"cuda.{name}")

    def atomic(self, member: str, node: ast.Call, arguments: list, keywords: dict, array: str) -> ast.expr:
        names = {"compare_and_swap": ("ary", "old", "val"), "cas": ("ary", "idx", "old", "val")}
        values = self.arguments(f"atomic.{member}", node, arguments, keywords, names.get(member, ("ary", "idx", "val")))
        site = self.site(node, "atomic", array, member)
        if member == "compare_and_swap":
            member, values = "cas", [values[0], ast.Constant(0), *values[1:]]
        return self.call(f"atomic_{member}", *values, ast.Constant(site))

    def grid(self, name: str, node: ast.Call) -> ast.expr:
        values: list[Any] = [*node.args, *(k.value for k in node.keywords)]
        ndim: Any = values[0] if len(values) == 1 else None
        if isinstance(ndim, ast.Name) and isinstance(self.function.env.get(ndim.id), int):
            given: Any = self.function.env[ndim.id]
            ndim = ast.Constant(given)
        if not isinstance(ndim, ast.Constant) or type(ndim.value) is not int or ndim.value not in (1, 2, 3):
            kind = "ValueError" if isinstance(ndim, ast.Constant) and type(ndim.value) is int else "TypingError"
            kind = kind if len(values) == 1 else miscounted(name)
            raise self.function.error(f"cuda.{name}(ndim) takes one constant: 1, 2 or 3.", node, _KINDS[kind])

        def along(k: int) -> ast.expr:
            if name == "gridsize":
                return ast.BinOp(item(Context.BLOCK_DIM + k), ast.Mult(), item(Context.GRID_DIM + k))
            before = ast.BinOp(item(Context.BLOCK + k), ast.Mult(), item(Context.BLOCK_DIM + k))
            return ast.BinOp(before, ast.Add(), item(Context.THREAD + k))

        places = [along(k) for k in range(ndim.value)]
        return places[0] if ndim.value == 1 else ast.Tuple(places, ast.Load())

    # Pieces

    def wait(self, kind: Yield, node: ast.AST, operation: str = "") -> ast.expr:
        if not self.kernel:
            raise CannotCompile("a device function that waits for other threads")
        site = self.site(node, "sync", None, operation)
        return ast.Yield(ast.Constant(int(kind) | site << 8))

    def exchange(self, name: str, values: list[ast.expr], node: ast.AST) -> ast.expr:
        kind = _WAITS[name]
        posted = self.call(self.posting(name, node), *values)
        if name.startswith("shfl"):
            take = "take_value"
        elif name == "match_all_sync":
            take = "take_pair"
        elif name in VOTES and name != "ballot_sync":
            take = "take_bool"
        else:
            take = "take_mask"
        return self.call(take, posted, self.wait(kind, node, name if take == "take_value" else ""))

    def posting(self, name: str, node: ast.AST) -> str:
        """What checks the types that an exchange is given: those of numba-cuda, for who writes for that."""
        if not is_written(getattr(node, "origin", self.function).pyfunc):
            return "post"
        kinds = {"shuffle": name.startswith("shfl"), "predicate": name in BARRIERS, "vote": name in VOTES}
        family = next((kind for kind, found in kinds.items() if found), "")
        return f"post_{family}" if family else "post"

    def arguments(
        self, name: str, node: ast.Call, given: list, keywords: dict, names: tuple, defaults: tuple = ()
    ) -> list[ast.expr]:
        values = dict(zip(names, given, strict=False))
        if len(given) > len(names) or set(keywords) - set(names) or set(keywords) & set(values):
            raise self.function.error(f"cuda.{name} takes ({', '.join(names)}).", node, _KINDS[miscounted(name)])
        values |= keywords
        for missing, default in zip(reversed(names), reversed(defaults), strict=False):
            values.setdefault(missing, default)
        if len(values) != len(names):
            raise self.function.error(f"cuda.{name} takes ({', '.join(names)}).", node, _KINDS[miscounted(name)])
        return [values[n] for n in names]

    def site(self, node: Any, kind: str, base: ast.AST | str | None, operation: str = "") -> int:
        # An inlined statement comes from another function, and says from where.
        owner, number = getattr(node, "origin", self.function), getattr(node, "origin_line", node.lineno)
        array = base if isinstance(base, str) else readable(base) if base is not None else ""
        operation = kind == "read" and of_a_copy(node) or operation
        if kind in ("read", "write") and self.from_the_end(node):
            operation = FROM_THE_END
        made = Site(number, node.col_offset, array, kind, owner.name, owner.line(number), operation)
        if kind in ("shared", "local") and made in self.sites:
            return self.sites.index(made)  # inlined twice, and still one piece of memory
        self.sites.append(made)
        return len(self.sites) - 1

    def from_the_end(self, node: Any) -> bool:
        """Whether an element is asked for by a constant below zero: written as a number, or the name of one."""
        element = node.value if field_of_element(node) is not None else node
        if not isinstance(element, ast.Subscript):
            return False
        for index in element.slice.elts if isinstance(element.slice, ast.Tuple) else [element.slice]:
            if (
                isinstance(index, ast.UnaryOp)
                and isinstance(index.op, ast.USub)
                and isinstance(index.operand, ast.Constant)
            ):
                return True
            value = self.function.env.get(index.id) if isinstance(index, ast.Name) else None
            if isinstance(value, int) and value < 0:
                return True
        return False

    def call(self, name: str, *args: ast.expr) -> ast.Call:
        return ast.Call(load(HELPER + name), [load(C), load(M), *args], [])

    def helper(self, name: str, *args: ast.expr) -> ast.Call:
        return ast.Call(load(HELPER + name), list(args), [])

    def temporary(self) -> str:
        self.temporaries += 1
        return f"_hf_t{self.temporaries}"
