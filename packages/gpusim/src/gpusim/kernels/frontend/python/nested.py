"""Functions that are defined in a kernel, and lambdas that a variable of it stands for: device functions like others.

Numba puts such a function in the place of its calls.  Here it is taken out of the kernel, with what it uses of the
kernel's variables as further parameters; they are passed where it is called, so it sees what they are then, as in Python.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from types import FunctionType
from typing import Any

from . import source as sources
from .source import Source

WRITTEN = "__gpusim_written__"
"""Says of a function whose tree was made that the learner wrote it all the same."""

_NAMED = "lambda_hf"
"""What the names of lambdas begin with that are called where they stand."""
_OUTSIDE = "Define it outside of the kernel, with @cuda.jit(device=True)."


def take_out(
    node: ast.FunctionDef,
    name: str,
    source: Source,
    scope: dict[str, Any],
    error: Callable[[str, ast.AST], Exception],
) -> dict[str, FunctionType]:
    """Take the functions that are defined in a function out of its tree.

    Parameters
    ----------
    node : ast.FunctionDef
        Changed in place.
    name : str
        Of the function; those in it go by it, as their lines are lines of its source.
    source : Source
    scope : dict
        What its free names mean.
    error : callable
        Makes the exception for a sentence and a place.

    Returns
    -------
    dict
        What was taken out, by name: device functions.

    Raises
    ------
    UncompilableError
        For one that cannot be: which of several is meant depends on a branch, or it is not only called.
    """
    immediate = _Immediate()
    node.body = [immediate.visit(statement) for statement in node.body]
    node.body = [*immediate.made, *node.body]
    found = _Definitions(node)
    if not found.made:
        return {}
    local = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)} | found.stored.keys()
    taken: dict[str, FunctionType] = {}
    captured: dict[str, list[str]] = {}
    for label, definition in found.made.items():
        where = found.places[label]
        called = "A lambda" if label.startswith(_NAMED) else label
        if found.stored[label] > 1 or label in {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}:
            raise error(f"{label} is a function here and something else elsewhere in this kernel. {_OUTSIDE}", where)
        arguments = definition.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or definition.decorator_list:
            raise error(f"{called} takes more than plain arguments, or has a decorator. {_OUTSIDE}", where)
        if not all(isinstance(value, ast.Constant) for value in arguments.defaults):
            raise error(f"A default value of {called.replace('A ', 'a ')} is no plain constant. {_OUTSIDE}", where)
        if label in _free(definition):
            raise error(
                f"{label} calls itself: a kernel cannot recurse. Write it as a loop, with a local array as the stack if it "
                "needs one.",
                where,
            )
        _Calls(captured, error).visit(definition)
        free = sorted((_free(definition) & local) - captured.keys())
        captured[label] = free
        # In front, since what has a default must come last.
        arguments.args = [*(ast.arg(each) for each in free), *arguments.posonlyargs, *arguments.args]
        arguments.posonlyargs = []
        taken[label] = _function(definition, label, name, source, {**scope, **taken})
    removed = _Removed(found.places.values())
    removed.visit(node)
    _Calls(captured, error).visit(node)
    ast.fix_missing_locations(node)
    return taken


class _Immediate(ast.NodeTransformer):
    """Gives names to the lambdas that are called where they stand."""

    def __init__(self):
        self.made: list[ast.stmt] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Lambda):
            name = f"{_NAMED}{len(self.made)}"
            made = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], node.func), node.func)
            self.made.append(ast.fix_missing_locations(made))
            node.func = ast.copy_location(ast.Name(name, ast.Load()), node.func)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: Any) -> Any:
        """Is resolved by itself, as a lambda is."""
        return node

    visit_Lambda = visit_FunctionDef


class _Definitions(ast.NodeVisitor):
    """The functions that a function's own statements define, and how often each of its names is set."""

    def __init__(self, node: ast.FunctionDef):
        self.made: dict[str, ast.FunctionDef] = {}
        self.places: dict[str, ast.stmt] = {}
        self.stored: dict[str, int] = {}
        for statement in node.body:
            self.visit(statement)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._add(node.name, copy.deepcopy(node), node)
        self.stored[node.name] = self.stored.get(node.name, 0) + 1

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(node.value, ast.Lambda) and len(node.targets) == 1 and isinstance(target, ast.Name):
            inner = node.value
            body = ast.copy_location(ast.Return(copy.deepcopy(inner.body)), inner.body)
            made: Any = ast.FunctionDef(target.id, copy.deepcopy(inner.args), [body], [])
            if "type_params" in ast.FunctionDef._fields:
                made.type_params = []
            self._add(target.id, ast.fix_missing_locations(ast.copy_location(made, node)), node)
            self.stored[target.id] = self.stored.get(target.id, 0) + 1
            return
        self.generic_visit(node)

    def _add(self, name: str, made: ast.FunctionDef, place: ast.stmt) -> None:
        self.made.setdefault(name, made)
        self.places.setdefault(name, place)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Has names of its own; one that no variable stands for is refused later."""

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store | ast.Del):
            self.stored[node.id] = self.stored.get(node.id, 0) + 1


class _Calls(ast.NodeTransformer):
    """Passes the kernel's variables on where a function that was in it is called."""

    def __init__(self, captured: dict[str, list[str]], error: Callable[[str, ast.AST], Exception]):
        self.captured, self.error = captured, error

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in self.captured:
            node.args = [
                *(ast.copy_location(ast.Name(each, ast.Load()), node) for each in self.captured[node.func.id]),
                *(self.visit(each) for each in node.args),
            ]
            node.keywords = [self.visit(each) for each in node.keywords]
            return node
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if self.captured.get(node.id):  # as a value it would have to bring its variables along
            raise self.error(f"{node.id} uses variables of the kernel and is more than called. {_OUTSIDE}", node)
        return node


class _Removed(ast.NodeTransformer):
    def __init__(self, statements):
        self.statements = {id(each) for each in statements}

    def visit(self, node: ast.AST) -> ast.AST:
        if id(node) in self.statements:
            return ast.copy_location(ast.Pass(), node)
        return super().visit(node)


def _free(node: ast.FunctionDef) -> set[str]:
    """Names that a function uses and does not set; those that it says are not its own are free, too."""
    own = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    used, others = set(), set()
    for statement in node.body:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Name):
                (own if isinstance(inner.ctx, ast.Store | ast.Del) else used).add(inner.id)
            elif isinstance(inner, ast.FunctionDef):
                own.add(inner.name)
            elif isinstance(inner, ast.arg):
                own.add(inner.arg)
            elif isinstance(inner, ast.Nonlocal):
                others |= set(inner.names)
    return (used - own) | others


def _function(node: ast.FunctionDef, label: str, name: str, source: Source, scope: dict[str, Any]) -> FunctionType:
    """The device function that a definition is: Python's, with the source of what it stood in."""
    bare = copy.deepcopy(node)
    # Only its code's names and defaults are looked at; the tree is what is compiled.
    bare.body = [ast.copy_location(ast.Pass(), node)]
    ast.increment_lineno(bare, source.firstlineno - 1)
    module = ast.fix_missing_locations(ast.Module([bare], []))
    space = dict(scope)
    exec(compile(module, source.filename, "exec"), space)
    made = space[label]
    made.__name__ = name
    made.__gpusim_device__ = made
    setattr(made, WRITTEN, True)
    sources.translated(made, source, node)
    return made
