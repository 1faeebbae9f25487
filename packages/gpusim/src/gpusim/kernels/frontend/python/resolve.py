"""Find out what the names in a kernel mean, once for both backends.

In the resolved tree whatever denotes an intrinsic is a name that begins with ``_hf__`` (``_hf__threadIdx__x``), and
whatever denotes a device function one that begins with ``_hf_fn_``.  So it does not matter how they were imported, or
whether they come from globals or from a closure.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from ... import real
from ...faults import UncompilableError
from ..intrinsics import BY_NAME, DIM3, Intrinsic
from . import nested
from . import source as sources
from .desugar import desugar

PREFIX = "_hf__"
FUNCTION_PREFIX = "_hf_fn_"
CONSTANT_PREFIX = "_hf_const_"
_MISSING = object()
VALUES = frozenset((*DIM3, *(f"{name}.{axis}" for name in DIM3 for axis in "xyz"), "laneid", "warpsize"))
"""Intrinsics that are values, where all others are functions."""


@dataclass
class Function:
    """A kernel or device function with its names resolved.

    Attributes
    ----------
    name : str
    pyfunc : function
    node : ast.FunctionDef
        Without decorators; line numbers are 1-based within `source`.
    source, filename, firstlineno
        See :class:`.source.Source`.
    params : tuple of str
    defaults : tuple
    env : dict
        The value of every free name that the body uses, builtins excepted.
    functions : dict
        The device functions that it calls, by the name they have in `node`.
    intrinsics : frozenset of str
        Dotted names of the intrinsics it uses, also through the functions it calls.
    """

    name: str
    pyfunc: Any
    node: ast.FunctionDef
    source: str
    filename: str
    firstlineno: int
    params: tuple[str, ...]
    defaults: tuple
    env: dict[str, object] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    intrinsics: frozenset[str] = frozenset()
    spread: int | None = None

    def __deepcopy__(self, memo: dict) -> Function:
        # Nodes that were put into another function say which one they come from; a copied tree says the same one.
        return self

    def line(self, number: int) -> str:
        """The text of a line of its source, stripped."""
        lines = self.source.splitlines()
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def error(
        self, sentence: str, node: ast.AST | None = None, kind: type[UncompilableError] = UncompilableError
    ) -> UncompilableError:
        """An error about a place in this function."""
        line = getattr(node, "lineno", 1)
        return kind(
            sentence,
            kernel=self.name,
            filename=self.filename,
            line=line,
            file_line=self.firstlineno + line - 1,
            source_line=self.line(line),
        )


def function(pyfunc: FunctionType) -> Function:
    """Resolve a kernel and all device functions that it calls.

    Raises
    ------
    UncompilableError
        If the source cannot be read, or the function calls itself, also through others.
    """
    return _resolve(pyfunc, (), {})


def device_function(value: object) -> FunctionType | None:
    """The Python function behind a value that a kernel may call: a ``cuda.jit`` or ``numba.njit`` function; else None."""
    python = getattr(value, "__gpusim_device__", None)
    if python is None and type(value).__module__.startswith(("numba.core.", "numba.cuda.")):
        python = getattr(value, "py_func", None)
    return python if isinstance(python, FunctionType) else None


def is_written(pyfunc: FunctionType) -> bool:
    """Whether a function was written for a GPU: CuPy's kernels in C and its jit come here as Python that was written for
    this compiler, and so do the device functions that libraries bring along."""
    module = getattr(pyfunc, "__module__", None) or ""
    ours = module.split(".")[0] in ("numba", "cupy", "cupyx", "gpusim")
    return not ours and (not hasattr(pyfunc, sources.TREE) or hasattr(pyfunc, nested.WRITTEN))


def _resolve(
    pyfunc: FunctionType, callers: tuple, known: dict, bound: dict[Any, Any] | None = None, spread: int = 0
) -> Function:
    """Resolve a function; `bound` are parameters that stand for a function, and so are known already, and `spread` is how
    many arguments its ``*args`` stand for."""
    bound = bound or {}
    key = (pyfunc, tuple((name, id(value)) for name, value in bound.items()), spread)
    if key in known:
        return known[key]
    source, node = sources.of(pyfunc)
    arguments = node.args
    made = Function(
        name=pyfunc.__name__,
        pyfunc=pyfunc,
        node=node,
        source=source.text,
        filename=source.filename,
        firstlineno=source.firstlineno,
        params=tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args)),
        defaults=pyfunc.__defaults__ or (),
    )
    if arguments.kwarg or arguments.kwonlyargs or (arguments.vararg and not callers):
        raise made.error("A kernel takes plain arguments only, no *args, no **kwargs and none after a star.", node)
    if arguments.vararg:
        _spread(made, spread)
    node.decorator_list = []
    node.returns = None
    for argument in (*arguments.posonlyargs, *arguments.args):
        argument.annotation = None
    for place in ("posonlyargs", "args"):
        setattr(arguments, place, [a for a in getattr(arguments, place) if a.arg not in bound])
    made.params = tuple(name for name in made.params if name not in bound)
    inner = nested.take_out(node, made.name, source, _scope(pyfunc), made.error)
    desugar(node, made.error)
    visitor = _Names(made, (*callers, pyfunc), known, bound)
    visitor.scope |= inner
    node.body = [visitor.visit(statement) for statement in node.body]
    made.intrinsics = frozenset(visitor.intrinsics)
    known[key] = made
    return made


def _spread(made: Function, count: int) -> None:
    """Put plain parameters in the place of ``*args``, which becomes a tuple of them."""
    node, starred = made.node, made.node.args.vararg
    name = starred.arg if starred is not None else ""
    each = [f"{name}_hf{k}" for k in range(count)]
    changed = any(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in ast.walk(node))
    for call in () if changed else ast.walk(node):
        if isinstance(call, ast.Call):
            call.args = [
                part
                for value in call.args
                for part in (
                    [ast.copy_location(ast.Name(one, ast.Load()), value) for one in each]
                    if isinstance(value, ast.Starred) and isinstance(value.value, ast.Name) and value.value.id == name
                    else [value]
                )
            ]
    node.args.args += [ast.arg(one) for one in each]
    node.args.vararg = None
    if count:
        node.args.defaults, made.defaults = [], ()
    whole = ast.Tuple([ast.Name(one, ast.Load()) for one in each], ast.Load())
    first = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], whole), node.body[0])
    node.body.insert(0, ast.fix_missing_locations(first))
    made.params, made.spread = (*made.params, *each), count


class _Names(ast.NodeTransformer):
    def __init__(self, made: Function, callers: tuple, known: dict, bound: dict[str, object]):
        self.made, self.callers, self.known = made, callers, known
        self.scope = _scope(made.pyfunc) | bound
        self.bound, self.written = bound, is_written(made.pyfunc)
        self.locals = _assigned(made.node)
        self.intrinsics: set[str] = set()
        self.denoted: dict[str, object] = {}  # what a name in the resolved tree stands for

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._static(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._static(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [part for value in node.args for part in self._spread(value)]
        self.generic_visit(node)
        callee = node.func
        if isinstance(callee, ast.Name) and callee.id in self.made.functions:
            function = self.made.functions[callee.id]
            if function.spread is not None:
                starred = next((a for a in node.args if isinstance(a, ast.Starred)), None)
                if starred is not None:
                    raise self.made.error(
                        f"{function.name} takes *args, and how many a tuple brings is not known here: write them one by one.",
                        starred,
                    )
                function = _resolve(
                    function.pyfunc, self.callers, self.known, spread=max(0, len(node.args) - len(function.params))
                )
                callee.id = self._name(function)
            self._bind(node, function)
        return node

    def _spread(self, value: ast.expr) -> list[ast.expr]:
        """The items of ``*t``, where the function makes the tuple t itself."""
        if not isinstance(value, ast.Starred) or not isinstance(value.value, ast.Name):
            return [value]
        name, made = value.value.id, []
        for inner in ast.walk(self.made.node):
            if isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Store | ast.Del):
                made.append(None)
            elif isinstance(inner, ast.Assign) and [getattr(t, "id", "") for t in inner.targets] == [name]:
                made.append(inner.value)
        tuples = [each for each in made if isinstance(each, ast.Tuple)]
        if len(made) != 2 or len(tuples) != 1 or name in self.made.params:  # the assignment, and the name in it
            return [value]
        items = [ast.Subscript(value.value, ast.Constant(k), ast.Load()) for k in range(len(tuples[0].elts))]
        return [ast.fix_missing_locations(ast.copy_location(item, value)) for item in items]

    def _bind(self, node: Any, callee: Function) -> None:
        """Functions among the arguments are not passed: the callee is resolved anew, with them in their places."""
        bound: dict[str | None, Any] = {}
        for name, value in zip(callee.params, node.args, strict=False):
            if isinstance(value, ast.Name) and value.id in self.denoted:
                bound[name] = self.denoted[value.id]
        for keyword in node.keywords:
            if isinstance(keyword.value, ast.Name) and keyword.value.id in self.denoted:
                bound[keyword.arg] = self.denoted[keyword.value.id]
        if not bound:
            return
        node.args = [a for a in node.args if not (isinstance(a, ast.Name) and a.id in self.denoted)]
        node.keywords = [k for k in node.keywords if k.arg not in bound]
        special = _resolve(callee.pyfunc, self.callers, self.known, bound, callee.spread or 0)
        self.intrinsics |= special.intrinsics
        node.func.id = self._name(special)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.copy_location(ast.Constant(None), node)
        return self.generic_visit(node)

    def _static(self, node: ast.AST) -> ast.AST:
        chain, root = [], node
        while isinstance(root, ast.Attribute):
            chain.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name):
            return self.generic_visit(node)
        if root.id in self.locals or not isinstance(getattr(node, "ctx", None), ast.Load):
            return node
        value = self.scope.get(root.id, _MISSING)
        if value is _MISSING:
            if not hasattr(builtins, root.id):
                error = self.made.error(f"Untyped global name '{root.id}': it is not defined.", node)
                error.numbas = "TypingError"
                raise error
            return node
        base, walked = value, []
        value = real.meaning(value)
        for attribute in chain:
            if not isinstance(value, ModuleType | Intrinsic):  # Numba knows no other namespaces either
                break
            inner = getattr(value, attribute, _MISSING)
            if inner is _MISSING:
                error = self.made.error(f"{'.'.join([root.id, *walked])} has no {attribute}.", node)
                error.numbas = (
                    "TypingError"
                    if walked[-1:] and walked[-1] in ("threadIdx", "blockIdx", "blockDim", "gridDim")
                    else "AttributeError"
                )
                raise error
            value = real.meaning(inner)
            walked.append(attribute)
        self._by_name(real.meaning(base), root)
        replaced: Any = self._replace(value, root, base)
        if replaced is None:
            self.made.env[root.id] = base
            return node
        for attribute in chain[len(walked) :]:
            replaced = ast.copy_location(ast.Attribute(replaced, attribute, ast.Load()), node)
        return ast.copy_location(replaced, node)

    def _by_name(self, value: object, root: ast.Name) -> None:
        """Refuse what numba-cuda's compiler knows only as an attribute of the module, where a module imported it, or a
        variable of an enclosing function stands for it.
        """
        if not isinstance(value, Intrinsic) or value.name in BY_NAME or root.id in self.bound or not self.written:
            return
        raise self.made.error(
            f"{root.id} was imported by its name, and Numba knows it only as cuda.{value.name}: write that, after "
            "`from numba import cuda`.",
            root,
        )

    def _replace(self, value: object, root: ast.Name, base: object) -> ast.AST | None:
        if isinstance(value, Intrinsic):
            self.intrinsics.add(value.name)
            name = PREFIX + value.name.replace(".", "__")
            if value.name not in VALUES:
                self.denoted[name] = value
            return ast.copy_location(ast.Name(name, ast.Load()), root)
        python = device_function(value)
        if python is not None:
            name = self._called(python, root)
            self.denoted[name] = value
            return ast.copy_location(ast.Name(name, ast.Load()), root)
        if value is not base and _is_ours(base):
            # Numba does not know the module it was reached through: hand it the value.
            name = f"{CONSTANT_PREFIX}{len(self.made.env)}"
            self.made.env[name] = value
            return ast.copy_location(ast.Name(name, ast.Load()), root)
        return None

    def _called(self, python: FunctionType, node: ast.AST) -> str:
        if python in self.callers:
            raise self.made.error(
                f"{python.__name__} calls itself: a kernel cannot recurse. Write it as a loop, with a local array as "
                "the stack if it needs one.",
                node,
            )
        callee = _resolve(python, self.callers, self.known)
        self.intrinsics |= callee.intrinsics
        return self._name(callee)

    def _name(self, callee: Function) -> str:
        for name, other in self.made.functions.items():
            if other is callee:
                return name
        name = f"{FUNCTION_PREFIX}{len(self.made.functions)}_{callee.node.name}"
        self.made.functions[name] = callee
        return name


def _is_ours(value: object) -> bool:
    name = getattr(value, "__name__", "") if isinstance(value, ModuleType) else ""
    return name in ("numba.cuda", "numba_cuda_mlir.cuda") or name.startswith("numba.cuda.")


def _scope(pyfunc: FunctionType) -> dict[str, object]:
    scope = dict(pyfunc.__globals__)
    for name, cell in zip(pyfunc.__code__.co_freevars, pyfunc.__closure__ or (), strict=True):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # not assigned yet: used before its definition
            scope.pop(name, None)
    return scope


def _assigned(node: ast.FunctionDef) -> set[str]:
    """Names that are local to a function: its parameters and whatever it assigns."""
    names = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store | ast.Del):
            names.add(inner.id)
        elif isinstance(inner, ast.FunctionDef) and inner is not node:
            names.add(inner.name)
        elif isinstance(inner, ast.arg):
            names.add(inner.arg)
    return names
