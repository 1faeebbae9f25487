"""The translation of one function to a Python function whose source, for the engine, is the C code."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from pycparser import c_ast

from ..python import source as sources
from .c_types import VOID, Array, Carray, Pointer, Scalar
from .cpp_to_c import REFERENCE, SHARED
from .environment import ENVIRONMENT
from .scope import Usage, Variable
from .statements import Statements
from .values import Value, literal, load, to


@dataclass
class Made:
    """A translated function.

    Attributes
    ----------
    python : function
    params : list of (str, type)
        As C declares them.
    returns
        The type it returns.
    variables : list of str
        The module's variables that it uses, each another array behind its parameters.
    shared : int
        Bytes of static shared memory.
    """

    python: FunctionType
    params: list[tuple[str, object]]
    returns: object
    variables: list[str] = field(default_factory=list)
    shared: int = 0
    cooperative: bool = False


class Translation(Statements):
    """The translation of one function."""

    def __init__(self, module: Any, usage: Usage, raw: dict[str, Carray] | None = None):
        super().__init__(module, module.code, usage)
        self.loops: list = []
        self.called: dict[str, object] = {}
        self.globals: dict[str, str] = {}
        self.raw = raw or {}

    def value_ID(self, node: c_ast.ID) -> Value:
        self.find_global(node.name)
        return super().value_ID(node)

    def place(self, node: c_ast.Node):
        if isinstance(node, c_ast.ID):
            self.find_global(node.name)
        return super().place(node)

    def element(self, node: c_ast.ArrayRef):
        base = node
        while isinstance(base, c_ast.ArrayRef):
            base = base.name
        if isinstance(base, c_ast.ID):
            self.find_global(base.name)
        return super().element(node)

    def value_ArrayRef(self, node: c_ast.ArrayRef) -> Value:
        base = node
        while isinstance(base, c_ast.ArrayRef):
            base = base.name
        if isinstance(base, c_ast.ID):
            self.find_global(base.name)
        return super().value_ArrayRef(node)

    def find_global(self, name: str) -> None:
        """Let a variable of the module be found, if that is what a name means."""
        if self.scope.find(name) is not None:
            return
        if name in self.module.constants:
            self.scope.levels[0][name] = self.module.constants[name]
        elif name in self.module.variables:
            kind, item = self.module.variables[name]
            if SHARED in item.storage:
                made = self.scope.own(name)
                self.scope.levels[0][name] = Variable(kind, made)
                before, _ = self.apart(lambda: self.allocate(made, "shared", kind.of, (0,)))
                self.first += before
            else:
                self.global_name(name)

    first: list

    def global_name(self, name: str) -> str:
        """The Python name of a variable of the module, which becomes a parameter."""
        if name not in self.globals:
            kind, _ = self.module.variables[name]
            self.globals[name] = self.scope.own(name)
            self.scope.levels[0][name] = Variable(kind, self.globals[name], boxed=isinstance(kind, Scalar))
        return self.globals[name]

    def whole_function(self, node: c_ast.FuncDef, name: str, *, kernel: bool) -> Made:
        """Translate a function definition."""
        module = self.module
        self.first = []
        module.making.append(name)
        self.line, self.column = node.decl.coord.line, 0
        kind = node.decl.type
        self.returns = module.resolve(kind.type, self)
        if kernel and self.returns is not VOID:
            self.wrong("a __global__ function must have a void return type", node.decl)
        params, names, before = [], [], []
        for param in kind.args.params if kind.args is not None else ():
            if isinstance(param, c_ast.Typename):
                if module.resolve(param.type, self) is VOID:
                    continue
                self.refuse("a parameter without a name", node.decl)
            if isinstance(param, c_ast.EllipsisParam):
                self.refuse("a variadic function", node.decl)
            params.append((param.name, self.parameter(param, names, before, kernel)))
        self.out = before
        self.statement(node.body)
        body = self.first + self.out
        if self.returns is not VOID and not (body and isinstance(body[-1], ast.Return)):
            body.append(self.stamp(ast.Return(literal(self.returns, 0).node)))
        module.making.pop()
        names += list(self.globals.values())
        made = ast.FunctionDef(name, ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, []), body or [
            ast.Pass()], [])  # fmt: skip
        if "type_params" in ast.FunctionDef._fields:
            made.type_params = []
        self.line, self.column = node.decl.coord.line, 0
        made = _unshared(self.stamp(made))
        return Made(self.python(made), params, self.returns, list(self.globals), self.shared_bytes)

    def parameter(self, param: c_ast.Decl, names: list[str], before: list[ast.stmt], kernel: bool) -> object:
        """Declare a parameter; its Python names are added to `names`."""
        kind = self.module.resolve(param.type, self)
        if isinstance(kind, Array):
            kind = Pointer(kind.of)
        name = param.name.removeprefix(REFERENCE)
        own = self.scope.own(name)
        names.append(own)
        if name in self.raw:
            kind = self.raw[name]
            names += [f"{own}__size", *(f"{own}__{w}{k}" for w in ("shape", "strides") for k in range(kind.ndim))]
            self.scope.declare(name, Variable(kind, own))
        elif isinstance(kind, Pointer):
            if isinstance(kind.to, Pointer):
                self.refuse("a pointer to a pointer", param)
            reference = param.name.startswith(REFERENCE)
            moved = name in self.usage.assigned | self.usage.moved and not reference
            still = kernel and not moved
            array = load(own) if name not in self.usage.assigned or reference else None
            self.scope.declare(name, Variable(kind, own, reference=reference, array=array, still=still))
            if not kernel:
                names.append(f"{own}__at")
            elif moved:
                made, _ = self.apart(lambda: self.assign(f"{own}__at", to("i8", ast.Constant(0))))
                before += made
        elif isinstance(kind, Scalar):
            if name in self.usage.addressed:
                box = self.scope.own(f"{name}__box")
                made, _ = self.apart(lambda: self.allocate(box, "local", kind, (1,)))
                target = ast.Subscript(load(box), ast.Constant(0), ast.Store())
                before += [*made, self.stamp(ast.Assign([target], load(own)))]
                self.scope.declare(name, Variable(kind, box, boxed=True))
            else:
                self.scope.declare(name, Variable(kind, own))
        else:
            self.refuse(f"a parameter of type {kind}", param)
        return kind

    def python(self, node: ast.FunctionDef) -> FunctionType:
        """A function whose source, for the engine, is the C code."""
        scope = dict(ENVIRONMENT) | self.called
        exec(compile(ast.Module([node], []), self.code.filename, "exec"), scope)
        function = scope[node.name]
        function.__module__ = __name__
        sources.translated(function, self.module.place, node)
        return function


def _unshared(node: ast.AST) -> ast.AST:
    """A copy of a tree in which no node stands twice: the engine changes nodes in place."""
    made = type(node)()
    for name, value in vars(node).items():
        if isinstance(value, ast.AST):
            value = _unshared(value)
        elif isinstance(value, list):
            value = [_unshared(item) if isinstance(item, ast.AST) else item for item in value]
        setattr(made, name, value)
    return made
