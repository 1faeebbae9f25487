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
import re

from ..faults import UncompilableError
from ..intrinsics import ATOMICS, BARRIERS, SYNCHRONISING, WARP
from ..resolve import FUNCTION_PREFIX, PREFIX, Function
from ..trace.log import Site
from .machine import Context, Yield

C, M = "_hf_c", "_hf_m"
HELPER = "_hf_do_"
"""What the names of helpers in the rewritten code begin with; :mod:`.helpers` has them."""

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
_MATH = ("popc", "brev", "clz", "ffs", "fma", "cbrt", "selp")
_FENCES = ("threadfence", "threadfence_block", "threadfence_system")


class CannotCompile(Exception):
    """The compiled way does not reach this kernel; the interpreter may."""


def waits(function: Function) -> bool:
    """Whether a thread of a kernel may have to wait for others: then it is compiled as a generator."""
    return bool(function.intrinsics & SYNCHRONISING) or _spins(function.node)


def only_barriers(function: Function) -> bool:
    """Whether the threads of a kernel that waits wait at ``syncthreads`` only."""
    return not function.intrinsics & (SYNCHRONISING - {"syncthreads"}) and not _spins(function.node)


def rewrite(function: Function, sites: list[Site], *, kernel: bool, debug: bool, generator: bool) -> ast.FunctionDef:
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
    node.body = rewriter.block(node.body)
    node.args.args = [ast.arg(C), ast.arg(M), *node.args.posonlyargs, *node.args.args]
    node.args.posonlyargs = []
    ast.increment_lineno(node, function.firstlineno - 1)
    return ast.fix_missing_locations(node)


def _spins(node: ast.AST) -> bool:
    """Whether a while loop may wait for what another thread writes."""
    for loop in ast.walk(node):
        if isinstance(loop, ast.While):
            for inner in ast.walk(loop):
                if isinstance(inner, ast.Name) and inner.id.startswith(f"{PREFIX}atomic__"):
                    return True
            if any(isinstance(inner, ast.Subscript) for inner in ast.walk(loop.test)) and not _writes(loop):
                return True
    return False


def _writes(loop: ast.While) -> bool:
    """Whether a loop's body assigns anything its own test may depend on (else it waits for somebody else)."""
    read = {n.id for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
    for statement in loop.body:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and inner.id in read:
                return True
            if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
                return True
            if isinstance(inner, ast.Break | ast.Return):
                return True
    return False


class _Rewriter(ast.NodeTransformer):
    def __init__(self, function: Function, sites: list[Site], kernel: bool, debug: bool, generator: bool):
        self.function, self.sites, self.kernel, self.debug = function, sites, kernel, debug
        self.generator = generator
        self.temporaries = 0

    # Statements

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            done.extend(made if isinstance(made, list) else [made])
        return done

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if self.kernel and node.value is not None:
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                raise self.function.error(
                    "CUDA kernel must have void return type: a kernel returns nothing. Write the result into an array "
                    "that is passed to it.",
                    node,
                )
            node.value = None
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        # Without debug=True a thread that raises ends, and the host hears nothing of it.
        return self.generic_visit(node) if self.debug or not self.kernel else ast.copy_location(ast.Return(), node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        if self.debug:
            return self.generic_visit(node)
        if self.kernel:
            test = ast.UnaryOp(ast.Not(), self.visit(node.test))
            return _at(ast.If(test, [ast.Return()], []), node)
        return _at(ast.Pass(), node)

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        if all(isinstance(target, ast.Name) for target in node.targets):
            return _at(ast.Pass(), node)
        return self.refuse(node)

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            node.value.name_of_array = node.targets[0].id
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self.assign(node.targets[0], value, node)
        name = self.temporary()
        done = [_at(ast.Assign([_store(name)], value), node)]
        for target in node.targets:
            done += self.assign(target, _load(name), node)
        return done

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        return self.assign(node.target, self.visit(node.value), node) if node.value is not None else []

    def assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(target, ast.Name):
            return [_at(ast.Assign([target], value), node)]
        if isinstance(target, ast.Attribute):
            target.value = self.visit(target.value)
            return [_at(ast.Assign([target], value), node)]
        if isinstance(target, ast.Subscript):
            if _is_field(target):
                target.value = self.visit(target.value)
                return [_at(ast.Assign([target], value), node)]
            site = self.site(target, "write", target.value)
            # Python evaluates the value first, then the array and the index.
            if not isinstance(value, ast.Constant | ast.Name):
                name = self.temporary()
                before = [_at(ast.Assign([_store(name)], value), node)]
                value = _load(name)
            else:
                before = []
            call = self.call("set", self.visit(target.value), self.visit(target.slice), value, ast.Constant(site))
            return [*before, _at(ast.Expr(call), node)]
        if isinstance(target, ast.Tuple | ast.List):
            if not any(isinstance(inner, ast.Subscript | ast.Attribute | ast.Starred) for inner in ast.walk(target)):
                return [_at(ast.Assign([target], value), node)]
            names = [self.temporary() for _ in target.elts]
            unpacked = ast.Tuple([_store(name) for name in names], ast.Store())
            done = [_at(ast.Assign([unpacked], value), node)]
            for inner, name in zip(target.elts, names, strict=True):
                done += self.assign(inner, _load(name), node)
            return done
        return [self.refuse(node)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        target = node.target
        if isinstance(target, ast.Name):
            node.value = self.visit(node.value)
            return [node]
        base = self.temporary()
        done = [_at(ast.Assign([_store(base)], self.visit(target.value)), node)]
        if isinstance(target, ast.Attribute) or _is_field(target):
            if isinstance(target, ast.Attribute):
                places = [ast.Attribute(_load(base), target.attr, ctx) for ctx in (ast.Load(), ast.Store())]
            else:
                places = [ast.Subscript(_load(base), target.slice, ctx) for ctx in (ast.Load(), ast.Store())]
            value = ast.BinOp(places[0], node.op, self.visit(node.value))
            return [*done, _at(ast.Assign([places[1]], value), node)]
        index = self.visit(target.slice)
        if not isinstance(index, ast.Constant):
            name = self.temporary()
            done.append(_at(ast.Assign([_store(name)], index), node))
            index = _load(name)
        read = self.call("get", _load(base), index, ast.Constant(self.site(target, "read", target.value)))
        value = self.temporary()
        done.append(_at(ast.Assign([_store(value)], ast.BinOp(read, node.op, self.visit(node.value))), node))
        site = self.site(target, "write", target.value)
        done.append(_at(ast.Expr(self.call("set", _load(base), index, _load(value), ast.Constant(site))), node))
        return done

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self.visit(node.test)
        node.body = self.block(node.body)
        node.orelse = self.block(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        spins = self.generator and _spins(node)
        node.test = self.visit(node.test)
        node.body = [*self.turn(node, spins), *self.block(node.body)]
        node.orelse = self.block(node.orelse)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        if not isinstance(node.target, ast.Name | ast.Tuple):
            return self.refuse(node)
        node.iter = self.visit(node.iter)
        node.body = [*self.turn(node, False), *self.block(node.body)]
        node.orelse = self.block(node.orelse)
        return node

    def turn(self, loop: ast.stmt, spins: bool) -> list[ast.stmt]:
        """What every turn of a loop begins with: the look at the stop flag, and letting others go on in a spin."""
        site = self.site(loop, "loop", None)
        done = [_at(ast.Expr(self.call("step", ast.Constant(site))), loop)]
        if spins and self.kernel:
            done.append(_at(ast.Expr(self.wait(Yield.SPIN, loop)), loop))
        return done

    # Expressions

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return self.refuse(node)
        if _is_field(node) or (isinstance(node.value, ast.Attribute) and node.value.attr in ("shape", "strides")):
            return self.generic_visit(node)
        site = self.site(node, "read", node.value)
        return _at(self.call("get", self.visit(node.value), self.visit(node.slice), ast.Constant(site)), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not node.id.startswith(PREFIX):
            return node
        name = node.id[len(PREFIX) :].replace("__", ".")
        root, _, member = name.partition(".")
        if root in _DIM3:
            first = _DIM3[root]
            if member:
                return _at(_item(first + "xyz".index(member)), node)
            return _at(ast.Call(_load(HELPER + "dim3"), [_item(first + k) for k in range(3)], []), node)
        if name == "laneid":
            return _at(ast.Call(_load(HELPER + "laneid"), [_load(C)], []), node)
        if name == "warpsize":
            return _at(_load(HELPER + "warpsize"), node)
        raise self.function.error(f"cuda.{name} must be called, here it is used as a value.", node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id.startswith(FUNCTION_PREFIX):
            callee = self.function.functions[function.id]
            if waits(callee):
                raise CannotCompile(f"{callee.name} waits for other threads inside a device function")
            node.args = [_load(C), _load(M), *(self.visit(a) for a in node.args)]
            node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
            return node
        if isinstance(function, ast.Attribute) and function.attr == "sync" and not node.args:
            if "cg.this_grid" in self.function.intrinsics:
                return _at(self.wait(Yield.GRID, node), node)
        if not (isinstance(function, ast.Name) and function.id.startswith(PREFIX)):
            return self.generic_visit(node)
        name = function.id[len(PREFIX) :].replace("__", ".")
        made = self.intrinsic(name, node)
        return _at(made, node)

    def intrinsic(self, name: str, node: ast.Call) -> ast.expr:
        if name in ("grid", "gridsize"):
            return self.grid(name, node)
        arguments = [self.visit(a) for a in node.args]
        keywords = {k.arg: self.visit(k.value) for k in node.keywords}
        root, _, member = name.partition(".")
        if name == "syncthreads":
            return self.wait(Yield.BARRIER, node)
        if name in BARRIERS:
            (predicate,) = self.arguments(name, node, arguments, keywords, ("predicate",))
            return self.exchange(name, [ast.Constant(0), predicate, ast.Constant(0)], node)
        if name == "syncwarp":
            mask = self.arguments(name, node, arguments, keywords, ("mask",), (ast.Constant(0xFFFFFFFF),))
            posted = self.call("post", *mask, ast.Constant(0), ast.Constant(0))
            return self.helper("drop", posted, self.wait(Yield.SYNCWARP, node))
        if name == "activemask":
            posted = self.call("post", ast.Constant(0), ast.Constant(0), ast.Constant(0))
            return self.call("take_mask", posted, self.wait(Yield.ACTIVEMASK, node))
        if name == "lanemask_lt":
            return ast.Call(_load(HELPER + "lanemask_lt"), [_load(C)], [])
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
            return self.atomic(member, node, arguments, keywords)
        if name == "cg.this_grid":
            return ast.Constant(0)  # there is one; its sync() is found by its name
        if name in _FENCES:
            return self.call("fence", ast.Constant(self.site(node, "fence", None)))
        if name == "nanosleep":
            return self.helper("drop", *arguments)
        if name in _MATH:
            return self.helper(name, *arguments)
        raise CannotCompile(f"cuda.{name}")

    def atomic(self, member: str, node: ast.Call, arguments: list, keywords: dict) -> ast.expr:
        names = {"compare_and_swap": ("ary", "old", "val"), "cas": ("ary", "idx", "old", "val")}
        values = self.arguments(f"atomic.{member}", node, arguments, keywords, names.get(member, ("ary", "idx", "val")))
        base = node.args[0] if node.args else None
        site = self.site(node, "atomic", base, member)
        if member == "compare_and_swap":
            member, values = "cas", [values[0], ast.Constant(0), *values[1:]]
        return self.call(f"atomic_{member}", *values, ast.Constant(site))

    def grid(self, name: str, node: ast.Call) -> ast.expr:
        values = [*node.args, *(k.value for k in node.keywords)]
        ndim = values[0] if len(values) == 1 else None
        if isinstance(ndim, ast.Name) and isinstance(self.function.env.get(ndim.id), int):
            ndim = ast.Constant(self.function.env[ndim.id])
        if not isinstance(ndim, ast.Constant) or ndim.value not in (1, 2, 3):
            raise self.function.error(f"cuda.{name}(ndim) takes one constant: 1, 2 or 3.", node)

        def along(k: int) -> ast.expr:
            if name == "gridsize":
                return ast.BinOp(_item(Context.BLOCK_DIM + k), ast.Mult(), _item(Context.GRID_DIM + k))
            before = ast.BinOp(_item(Context.BLOCK + k), ast.Mult(), _item(Context.BLOCK_DIM + k))
            return ast.BinOp(before, ast.Add(), _item(Context.THREAD + k))

        places = [along(k) for k in range(ndim.value)]
        return places[0] if ndim.value == 1 else ast.Tuple(places, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self.generic_visit(node)

    # What a GPU refuses

    def refuse(self, node: ast.AST) -> ast.AST:
        what = _REFUSED.get(type(node), f"This use of {type(node).__name__.lower()}")
        raise self.function.error(f"{what} cannot be used in a kernel.", node)

    visit_Try = visit_TryStar = visit_With = visit_Global = visit_Nonlocal = visit_ClassDef = refuse
    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = refuse
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = refuse
    visit_Yield = visit_YieldFrom = visit_Await = visit_AsyncFor = visit_AsyncWith = refuse
    visit_JoinedStr = visit_Dict = visit_Set = visit_Import = visit_ImportFrom = visit_Match = refuse

    def visit_List(self, node: ast.List) -> ast.AST:
        return self.refuse(node) if isinstance(node.ctx, ast.Load) else self.generic_visit(node)

    # Pieces

    def wait(self, kind: Yield, node: ast.AST) -> ast.expr:
        if not self.kernel:
            raise CannotCompile("a device function that waits for other threads")
        site = self.site(node, "sync", None)
        return ast.Yield(ast.Constant(int(kind) | site << 8))

    def exchange(self, name: str, values: list[ast.expr], node: ast.AST) -> ast.expr:
        kind = _WAITS[name]
        posted = self.call("post", *values)
        if name.startswith("shfl"):
            take = "take_value"
        elif name == "match_all_sync":
            take = "take_pair"
        elif name in ("all_sync", "any_sync", "eq_sync"):
            take = "take_bool"
        else:
            take = "take_mask"
        return self.call(take, posted, self.wait(kind, node))

    def arguments(
        self, name: str, node: ast.Call, given: list, keywords: dict, names: tuple, defaults: tuple = ()
    ) -> list[ast.expr]:
        values = dict(zip(names, given, strict=False))
        if len(given) > len(names) or set(keywords) - set(names) or set(keywords) & set(values):
            raise self.function.error(f"cuda.{name} takes ({', '.join(names)}).", node)
        values |= keywords
        for missing, default in zip(reversed(names), reversed(defaults), strict=False):
            values.setdefault(missing, default)
        if len(values) != len(names):
            raise self.function.error(f"cuda.{name} takes ({', '.join(names)}).", node)
        return [values[n] for n in names]

    def site(self, node: ast.AST, kind: str, base: ast.AST | str | None, operation: str = "") -> int:
        array = base if isinstance(base, str) else readable(base) if base is not None else ""
        line = self.function.line(node.lineno)
        text = line if isinstance(node, ast.stmt) else readable(node)
        place = (node.lineno, node.col_offset, array, kind, self.function.name, text, operation)
        self.sites.append(Site(*place))
        return len(self.sites) - 1

    def call(self, name: str, *args: ast.expr) -> ast.Call:
        return ast.Call(_load(HELPER + name), [_load(C), _load(M), *args], [])

    def helper(self, name: str, *args: ast.expr) -> ast.Call:
        return ast.Call(_load(HELPER + name), list(args), [])

    def temporary(self) -> str:
        self.temporaries += 1
        return f"_hf_t{self.temporaries}"


_REFUSED = {
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


def _is_field(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def readable(node: ast.AST) -> str:
    """An expression of a resolved kernel as its author wrote it."""
    text = re.sub(rf"{PREFIX}(\w+)", lambda match: "cuda." + match[1].replace("__", "."), ast.unparse(node))
    return re.sub(rf"{FUNCTION_PREFIX}\d+_", "", text)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _item(index: int) -> ast.expr:
    return ast.Subscript(_load(C), ast.Constant(int(index)), ast.Load())


def _at(made: ast.AST, node: ast.AST) -> ast.AST:
    """Give new nodes the place of the one they stand for."""
    for inner in ast.walk(made):
        if not hasattr(inner, "lineno") and "lineno" in inner._attributes:
            ast.copy_location(inner, node)
    return made


__all__ = ["CannotCompile", "UncompilableError", "rewrite", "waits"]
