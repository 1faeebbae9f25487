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

from ..resolve import Function
from ..trace.log import Site
from . import wholes
from .calls import Calls
from .machine import Yield
from .syntax import REFUSED, C, M, at, field_of_element, is_field, items, load, readable, store
from .waiting import spins


def rewrite(
    function: Function,
    sites: list[Site],
    *,
    kernel: bool,
    debug: bool,
    generator: bool,
    branches: bool = False,
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
    rewriter.items = items(node)
    node.body = rewriter.block(node.body)
    node.args.args = [ast.arg(C), ast.arg(M), *node.args.posonlyargs, *node.args.args]
    node.args.posonlyargs = []
    ast.increment_lineno(node, function.firstlineno - 1)
    return ast.fix_missing_locations(node)


class _Rewriter(Calls):
    """The part of the rewriting that is about statements, and about elements of arrays."""

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
            return at(ast.If(test, [ast.Return()], []), node)
        return at(ast.Pass(), node)

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        if all(isinstance(target, ast.Name) for target in node.targets):
            return at(ast.Pass(), node)
        return self.refuse(node)

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            node.value.name_of_array = readable(node.targets[0])
        node.item = self.item_of(node.value)
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self.assign(node.targets[0], value, node)
        name = self.temporary()
        done = [at(ast.Assign([store(name)], value), node)]
        for target in node.targets:
            done += self.assign(target, load(name), node)
        return done

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        return self.assign(node.target, self.visit(node.value), node) if node.value is not None else []

    def assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
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
                before = [at(ast.Assign([store(name)], value), node)]
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
            done = [at(ast.Assign([unpacked], value), node)]
            for inner, name in zip(target.elts, names, strict=True):
                done += self.assign(inner, load(name), node)
            return done
        return [self.refuse(node)]

    def assign_field(self, target: ast.Attribute | ast.Subscript, value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """``x[i].a = value`` and ``x[i]["a"] = value``."""
        element, name = target.value, ast.Constant(field_of_element(target))
        site = ast.Constant(self.site(target, "write", element.value))
        kept = self.temporary()
        call = self.call("set_field", self.visit(element.value), self.visit(element.slice), name, load(kept), site)
        return [at(ast.Assign([store(kept)], value), node), at(ast.Expr(call), node)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        target = node.target
        if isinstance(target, ast.Name):
            node.value = self.visit(node.value)
            return [node]
        if field_of_element(target) is not None:
            return self.augment_field(target, node)
        if self.of_item(target):
            read = self.visit(ast.copy_location(ast.Attribute(load(target.value.id), target.attr, ast.Load()), target))
            return self.assign(target, ast.BinOp(read, node.op, self.visit(node.value)), node)
        base = self.temporary()
        done = [at(ast.Assign([store(base)], self.visit(target.value)), node)]
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

    def augment_field(self, target: ast.Attribute | ast.Subscript, node: ast.AugAssign) -> list[ast.stmt]:
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
        if wholes.may_be_array(node.iter):
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
        done = [at(ast.Expr(self.call("step", ast.Constant(site))), loop)]
        if spinning and self.kernel:
            done.append(at(ast.Expr(self.wait(Yield.SPIN, loop)), loop))
        return done

    # Expressions

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
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

    def field(self, node: ast.Attribute | ast.Subscript) -> ast.AST:
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
        site = self.site(node, "read", node.value)
        return at(self.call("get", self.visit(node.value), self.visit(node.slice), ast.Constant(site)), node)

    # What a GPU refuses

    def refuse(self, node: ast.AST) -> ast.AST:
        what = REFUSED.get(type(node), f"This use of {type(node).__name__.lower()}")
        raise self.function.error(f"{what} cannot be used in a kernel.", node)

    visit_Try = visit_TryStar = visit_With = visit_Global = visit_Nonlocal = visit_ClassDef = refuse
    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = refuse
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = refuse
    visit_Yield = visit_YieldFrom = visit_Await = visit_AsyncFor = visit_AsyncWith = refuse
    visit_JoinedStr = visit_Dict = visit_Set = visit_Import = visit_ImportFrom = visit_Match = refuse

    def visit_List(self, node: ast.List) -> ast.AST:
        return self.refuse(node) if isinstance(node.ctx, ast.Load) else self.generic_visit(node)
