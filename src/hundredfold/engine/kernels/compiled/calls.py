"""Rewrite the names and calls of a kernel: where a thread is, barriers, shuffles, atomics, shared arrays."""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Iterator
from types import ModuleType

import numpy as np

from ..intrinsics import ATOMICS, BARRIERS, WARP
from ..resolve import FUNCTION_PREFIX, PREFIX, Function
from ..trace.log import Site
from . import wholes
from .machine import Context, Yield
from .syntax import C, M, at, item, load, readable
from .waiting import CannotCompile, waits

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
_EXTREMES = {"min": "minimum", "max": "maximum"}
_AS_ON_A_GPU = (math.fmod, math.modf, math.remainder, math.floor, math.ceil, math.trunc)
"""Functions that Numba knows on a GPU only, or types otherwise there: floor, ceil and trunc give floats."""
_MATH = ("popc", "brev", "clz", "ffs", "fma", "cbrt", "selp")
_FENCES = ("threadfence", "threadfence_block", "threadfence_system")


class Calls(ast.NodeTransformer):
    """The part of the rewriting that is about expressions only a kernel has."""

    def __init__(self, function: Function, sites: list[Site], kernel: bool, debug: bool, generator: bool):
        self.function, self.sites, self.kernel, self.debug = function, sites, kernel, debug
        self.generator = generator
        self.temporaries = 0

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
        if isinstance(function, ast.Name) and function.id in wholes.BUILTINS and self.builtin(function.id):
            node.args = [self.whole(a) for a in node.args]
            return node
        if not (isinstance(function, ast.Name) and function.id.startswith(PREFIX)):
            return self.generic_visit(node)
        name = function.id[len(PREFIX) :].replace("__", ".")
        made = self.intrinsic(name, node)
        return at(made, node)

    def method(self, node: ast.Call, function: ast.Attribute, known: object) -> ast.AST:
        """A call of an attribute: of a module's function, or of a method.  Some read or write all of an array."""
        base, place = function.value, node
        summing = known is None and function.attr in wholes.METHODS and wholes.may_be_array(base)
        filling = known is None and function.attr == "fill" and wholes.may_be_array(base)
        out = isinstance(known, np.ufunc) and len(node.args) == known.nin + 1 and wholes.may_be_array(node.args[-1])
        written = base if filling else node.args[-1] if out else None
        if written is not None:
            site = ast.Constant(self.site(place, "write", written))
            written = self.visit(copy.deepcopy(written))
        function.value = self.whole(base) if summing else self.visit(base)
        reading = node.args[: known.nin] if isinstance(known, np.ufunc) else node.args
        if wholes.reads_all(known):
            node.args = [*(self.whole(a) for a in reading), *(self.visit(a) for a in node.args[len(reading) :])]
        else:
            node.args = [self.visit(a) for a in node.args]
        node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return node if written is None else at(self.call("wrote_all", written, node, site), place)

    def whole(self, node: ast.expr) -> ast.expr:
        """An argument of what reads all of an array, if it is given one."""
        if not wholes.may_be_array(node):
            return self.visit(node)
        site = ast.Constant(self.site(node, "read", node))
        return at(self.call("read_all", self.visit(node), site), node)

    def builtin(self, name: str) -> bool:
        """Whether a name means Python's own function here."""
        stored = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in self.nodes())
        return name not in self.function.env and name not in self.function.params and not stored

    def value(self, node: ast.expr) -> object:
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
            return ast.Constant(0)  # there is one; its sync() is found by its name
        if name in _FENCES:
            return self.call("fence", ast.Constant(self.site(node, "fence", None, name)))
        if name == "nanosleep":
            return self.helper("drop", *arguments)
        if name in _MATH:
            return self.helper(name, *arguments)
        raise CannotCompile(f"cuda.{name}")

    def atomic(self, member: str, node: ast.Call, arguments: list, keywords: dict, array: str) -> ast.expr:
        names = {"compare_and_swap": ("ary", "old", "val"), "cas": ("ary", "idx", "old", "val")}
        values = self.arguments(f"atomic.{member}", node, arguments, keywords, names.get(member, ("ary", "idx", "val")))
        site = self.site(node, "atomic", array, member)
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
                return ast.BinOp(item(Context.BLOCK_DIM + k), ast.Mult(), item(Context.GRID_DIM + k))
            before = ast.BinOp(item(Context.BLOCK + k), ast.Mult(), item(Context.BLOCK_DIM + k))
            return ast.BinOp(before, ast.Add(), item(Context.THREAD + k))

        places = [along(k) for k in range(ndim.value)]
        return places[0] if ndim.value == 1 else ast.Tuple(places, ast.Load())

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
        # An inlined statement comes from another function, and says from where.
        owner, number = getattr(node, "origin", self.function), getattr(node, "origin_line", node.lineno)
        array = base if isinstance(base, str) else readable(base) if base is not None else ""
        text = owner.line(number)
        made = Site(number, node.col_offset, array, kind, owner.name, text, operation)
        if kind in ("shared", "local") and made in self.sites:
            return self.sites.index(made)  # inlined twice, and still one piece of memory
        self.sites.append(made)
        return len(self.sites) - 1

    def call(self, name: str, *args: ast.expr) -> ast.Call:
        return ast.Call(load(HELPER + name), [load(C), load(M), *args], [])

    def helper(self, name: str, *args: ast.expr) -> ast.Call:
        return ast.Call(load(HELPER + name), list(args), [])

    def temporary(self) -> str:
        self.temporaries += 1
        return f"_hf_t{self.temporaries}"
