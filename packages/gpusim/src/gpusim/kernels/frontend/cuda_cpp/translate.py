"""The translation of a C function to a Python function whose source, for the engine, is the C code.

Statements, declarations and expressions become Python's; what must run before an expression is put in front of it.

Over 800 lines: it is one class, a walk over C's syntax tree with a method for each kind of node.
"""

from __future__ import annotations

import ast
import copy
import itertools
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, NoReturn, TypeVar

from pycparser import c_ast

from ..python import source as sources
from . import builtins_threads, c_types, headers, lambdas, methods, structs, unread, values
from .c_types import (
    BOOL,
    FLOAT16,
    HALF,
    INT,
    LONG,
    UINT,
    ULONG,
    VECTORS,
    VOID,
    Array,
    Carray,
    Closure,
    Group,
    Pointer,
    Scalar,
    Struct,
    common,
)
from .cpp_to_c import CONSTRUCTOR, INDICES, REFERENCE, SHARED, THIS, WHOLE, bare, readable
from .device_library import ENVIRONMENT
from .errors import Code, CompileException
from .scope import Scope, Usage, Variable, chain
from .values import (
    Value,
    added,
    binary,
    call,
    combined,
    convert,
    decayed,
    index,
    literal,
    load,
    negated,
    to,
    unary,
    wide,
)

_DIM3 = ("threadIdx", "blockIdx", "blockDim", "gridDim")

Node = TypeVar("Node", bound=ast.AST)


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
    params: list[tuple[str, Any]]
    returns: Any
    variables: list[str] = field(default_factory=list)
    shared: int = 0
    cooperative: bool = False


class Place:
    """Where something can be stored, unless it is constant: a variable, or an element."""

    def __init__(
        self,
        kind: Any,
        node: Any = None,
        at: Any = None,
        name: str = "",
        readonly: bool = False,
        member: bool = False,
    ):
        self.type, self.node, self.at, self.name, self.readonly, self.member = kind, node, at, name, readonly, member

    def target(self, context: ast.expr_context) -> ast.expr:
        if self.at is None:
            return ast.Name(self.name, context)
        place = self.at[0] if len(self.at) == 1 else ast.Tuple(list(self.at), ast.Load())
        return ast.Subscript(copy.deepcopy(self.node), copy.deepcopy(place), context)


class Translation:
    """The translation of one function.

    Attributes
    ----------
    returns
        The type that the function returns.
    owner : str
        The struct whose function it is.
    shared_bytes : int
        Of static shared memory, in this function and those it calls.
    called : dict
        What it calls, by the names that its Python has for them.
    globals : dict
        The module's variables that it uses, with their names in Python.
    """

    def __init__(self, module: Any, usage: Usage, raw: dict[str, Carray] | None = None):
        self.code: Code = module.code
        self.module, self.usage, self.raw = module, usage, raw or {}
        self.scope = Scope()
        self.out: Any = []
        self.first: list[ast.stmt] = []
        self.loops: list = []
        self.called: dict[str, Any] = {}
        self.globals: dict[str, str] = {}
        self.returns: Any = VOID
        self.owner = ""
        self.shared_bytes = 0
        self.line, self.column = 1, 0
        self.count = 0

    def find(self, name: str) -> Variable | None:
        """The variable that a name means, in this function or else in the module."""
        if (found := self.scope.find(name)) is not None:
            return found
        if name in self.module.constants:
            self.scope.levels[0][name] = self.module.constants[name]
        elif name in self.module.variables:
            kind, item = self.module.variables[name]
            if SHARED in item.storage:
                made = self.scope.own(name)
                self.scope.levels[0][name] = Variable(kind, made, shared=True)
                before, _ = self.apart(lambda: self.allocate(made, "shared", kind.of, (0,)))
                self.first += before
            else:
                self.global_name(name)
        return self.scope.find(name)

    def global_name(self, name: str) -> str:
        """The Python name of a variable of the module, which becomes a parameter."""
        if name not in self.globals:
            kind, item = self.module.variables[name]
            self.globals[name] = self.scope.own(name)
            self.scope.levels[0][name] = Variable(
                kind, self.globals[name], boxed=isinstance(kind, Scalar | Struct), readonly="const" in item.quals
            )
        return self.globals[name]

    def whole_function(self, node: c_ast.FuncDef, name: str, *, kernel: bool) -> Made:
        """Translate a function definition."""
        self.module.making.append(name)
        try:
            return self._function(node, name, kernel)
        finally:
            self.module.making.pop()

    def _function(self, node: c_ast.FuncDef, name: str, kernel: bool) -> Made:
        module = self.module
        self.line, self.column = node.decl.coord.line, 0
        kind = node.decl.type
        self.returns = module.resolve(kind.type, self)
        self.owner = methods.owner(module, node)
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
        for inner in node.body.block_items or ():  # in the scope of the parameters
            self.statement(inner)
        body = self.first + self.out
        self.returns = VOID if self.returns == "auto" else self.returns
        if self.returns is not VOID and not (body and isinstance(body[-1], ast.Return)):
            if isinstance(self.returns, Struct):
                body.append(self.stamp(ast.Return(structs.returned(structs.zeros(self.returns)))))
            elif isinstance(self.returns, Scalar):
                body.append(self.stamp(ast.Return(literal(self.returns, 0).node)))
        names += list(self.globals.values())
        made: Any = ast.FunctionDef(readable(name), ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, []), body or [
            ast.Pass()], [])  # fmt: skip
        if "type_params" in ast.FunctionDef._fields:
            made.type_params = []
        self.line, self.column = node.decl.coord.line, 0
        made = _unshared(self.stamp(made))
        nothing_uses = unread.mark(made, self.called)
        function = self.python(made)
        vars(function)["unread"] = nothing_uses
        return Made(function, params, self.returns, list(self.globals), self.shared_bytes)

    def parameter(self, param: c_ast.Decl, names: list[str], before: list[ast.stmt], kernel: bool) -> Any:
        """Declare a parameter; its Python names are added to `names`."""
        kind = self.module.resolve(param.type, self)
        if isinstance(kind, Array) and param.name.startswith(WHOLE):
            name = param.name.removeprefix(WHOLE)
            own = self.scope.own(name)
            names.append(own)
            self.scope.declare(name, Variable(kind, own, readonly="const" in param.quals))
            return kind
        if isinstance(kind, Array):
            kind = Pointer(kind.of, "const" in param.quals, kind.shape[1:])
        name, readonly = bare(param.name), _readonly(param)
        own = self.scope.own(name)
        if isinstance(kind, Closure):
            captured = lambdas.parameter(self, own, kind, names, before)
            self.scope.declare(name, Variable(kind, own, captured=captured))
            return kind
        if isinstance(group := kind.to if isinstance(kind, Pointer) else kind, Group):
            self.scope.declare(name, Variable(group, own))
            return group
        if isinstance(kind, Struct):
            names += structs.parameter(self, name, own, kind, readonly, before)
            return kind
        names.append(own)
        if name in self.raw:
            kind = self.raw[name]
            names += [f"{own}__size", *(f"{own}__{w}{k}" for w in ("shape", "strides") for k in range(kind.ndim))]
            self.scope.declare(name, Variable(kind, own, readonly="const" in param.quals))
        elif isinstance(kind, Pointer):
            if isinstance(kind.to, Pointer):
                self.refuse("a pointer to a pointer", param)
            reference = param.name.startswith(REFERENCE)
            moved = name in self.usage.assigned | self.usage.moved and not reference
            still = kernel and not moved
            array = load(own) if name not in self.usage.assigned or reference else None
            self.scope.declare(
                name, Variable(kind, own, reference=reference, array=array, still=still, readonly=readonly)
            )
            if not kernel:
                names.append(f"{own}__at")
            elif moved:
                made, _ = self.apart(lambda: self.assign(f"{own}__at", to("i8", ast.Constant(0))))
                before += made
        elif isinstance(kind, Scalar):
            if name in self.usage.addressed:
                box = self.scope.own(f"{name}__box")
                made, _ = self.apart(lambda: self.allocate(box, "local", kind, (1,)))
                place = Place(kind, load(box), [ast.Constant(0)])
                before += made + self.apart(lambda: self.store(place, Value(kind, load(own))))[0]
                self.scope.declare(name, Variable(kind, box, boxed=True, readonly=readonly))
            else:
                self.scope.declare(name, Variable(kind, own, readonly=readonly))
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

    def block(self, node: c_ast.Node | None) -> list[ast.stmt]:
        """The statements that a statement becomes, in a scope of their own."""
        self.scope.push()
        try:
            made, _ = self.apart(lambda: self.statement(node))
        finally:
            self.scope.pop()
        return made or [self.stamp(ast.Pass())]

    def statement(self, node: c_ast.Node | None) -> None:
        """Translate one statement, on to the end of those there are."""
        if node is None:
            return
        if node.coord is not None:
            self.line, self.column = node.coord.line, node.coord.column or 0
        method = getattr(self, f"do_{type(node).__name__}", None)
        if method is not None:
            method(node)
        else:
            self.run(node)

    def do_Compound(self, node: c_ast.Compound) -> None:
        self.scope.push()
        for inner in node.block_items or ():
            self.statement(inner)
        self.scope.pop()

    def do_EmptyStatement(self, node: c_ast.EmptyStatement) -> None:
        pass

    def do_Pragma(self, node: c_ast.Pragma) -> None:
        pass

    def do_Label(self, node: c_ast.Label) -> None:
        self.refuse("a label", node)

    def do_Typedef(self, node: c_ast.Typedef) -> None:
        self.module.typedefs[node.name] = self.module.resolve(node.type, self)
        self.module.own.add(node.name)

    def do_DeclList(self, node: c_ast.DeclList) -> None:
        for inner in node.decls:
            self.statement(inner)

    # Control

    def do_If(self, node: c_ast.If) -> None:
        test = self.truth(node.cond)
        if test.const is not None:  # also how `if constexpr` chooses
            self.out += self.block(node.iftrue if test.const else node.iffalse)
            return
        line = self.line, self.column
        body = self.block(node.iftrue)
        other = self.block(node.iffalse) if node.iffalse is not None else []
        self.line, self.column = line
        self.emit(ast.If(test.node, body, other))

    def do_While(self, node: c_ast.While) -> None:
        self.loop(node, None)

    def do_For(self, node: c_ast.For) -> None:
        self.scope.push()
        if isinstance(node.init, c_ast.DeclList):
            self.do_DeclList(node.init)
            counted = {each.name for each in node.init.decls}
            for inner in (node.stmt.block_items or ()) if isinstance(node.stmt, c_ast.Compound) else ():
                if isinstance(inner, c_ast.Decl) and inner.name in counted:
                    self.wrong(
                        f'"{inner.name}", declared in for-loop initialization, may not be redeclared in this scope',
                        inner,
                    )
        elif node.init is not None:
            self.run(node.init)
        self.loop(node, node.next)
        self.scope.pop()

    def loop(self, node: c_ast.Node, step: c_ast.Node | None) -> None:
        line = self.line, self.column
        before: list[ast.stmt] = []
        test: Any = None
        if node.cond is not None:
            before, test = self.apart(lambda: self.truth(node.cond))
        condition = test and test.node
        always = test is None or (test.const is not None and bool(test.const))
        self.loops.append(lambda: self.apart(lambda: self.run(step))[0] if step is not None else [])
        body = self.block(node.stmt)
        self.loops.pop()
        if not _leaves(body):
            body += self.apart(lambda: self.run(step))[0] if step is not None else []
        self.line, self.column = line
        if before:
            leave = ast.If(ast.UnaryOp(ast.Not(), condition), [ast.Break()], [])
            made = ast.While(ast.Constant(True), [*before, leave, *body], [])
        else:
            made = ast.While(ast.Constant(True) if always else condition, body, [])
        if step is not None and not before and _counts(node, step):
            vars(made)["counted"] = True
        self.emit(made)

    def do_DoWhile(self, node: c_ast.DoWhile) -> None:
        line = self.line, self.column

        def ending() -> list[ast.stmt]:
            before, test = self.apart(lambda: self.truth(node.cond))
            if test.const is not None and test.const:
                return before
            leave = ast.If(ast.UnaryOp(ast.Not(), test.node), [ast.Break()], [])
            return [*before, self.stamp(leave)]

        self.loops.append(ending)
        body = self.block(node.stmt)
        self.loops.pop()
        body += [] if _leaves(body) else ending()
        self.line, self.column = line
        made = ast.While(ast.Constant(True), body, [])
        if isinstance(node.cond, c_ast.Constant) and not any(isinstance(n, ast.Continue) for n in ast.walk(made)):
            if node.cond.value == "0":
                vars(made)["once"] = True
        self.emit(made)

    def do_Break(self, node: c_ast.Break) -> None:
        if not self.loops:
            self.wrong("a break statement may only be used within a loop or switch", node)
        if self.loops[-1] is None:
            self.refuse("a break inside an if of a switch", node)
        self.emit(ast.Break())

    def do_Continue(self, node: c_ast.Continue) -> None:
        around = [each for each in self.loops if each is not None]
        if not around:
            self.wrong("a continue statement may only be used within a loop", node)
        self.out += around[-1]()
        self.emit(ast.Continue())

    def do_Return(self, node: c_ast.Return) -> None:
        if self.returns == "auto":
            self.returns = VOID if node.expr is None else self.type_of(node.expr)
        if self.returns is VOID:
            if node.expr is not None:
                self.wrong("return value type does not match the function type", node)
            self.emit(ast.Return())
            return
        if node.expr is None:
            self.wrong("missing return value", node)
        made = self.value(node.expr)
        if isinstance(self.returns, Struct):
            self.emit(ast.Return(structs.returned(self.converted(made, self.returns, node.expr))))
            return
        if isinstance(self.returns, Pointer):
            if not self.points_as(made.type, self.returns):
                self.wrong("return value type does not match the function type", node)
            self.emit(ast.Return(ast.Tuple([made.node, to("i8", made.offset)], ast.Load())))
            return
        if not isinstance(self.returns, Scalar):
            self.refuse(f"a function that returns {self.returns}", node)
        self.emit(ast.Return(self.converted(made, self.returns, node.expr).node))

    def do_Switch(self, node: c_ast.Switch) -> None:
        """Each case as an if, with the statements it runs into copied behind it."""
        chosen = self.kept(self.whole(node.cond))
        items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else None
        if items is None:
            self.refuse("this switch", node)
        labels, bodies = [], []
        for item in items:
            if not isinstance(item, c_ast.Case | c_ast.Default):
                self.refuse("a statement in front of the cases of a switch", item)
            labels.append(item)
            bodies.append(list(item.stmts or ()))
        self.loops.append(None)
        branches: list[tuple[Any, list[ast.stmt]]] = []
        for k, label in enumerate(labels):
            run: list[c_ast.Node] = []
            for later in bodies[k:]:
                ended = next((j for j, s in enumerate(_flat(later)) if isinstance(s, c_ast.Break)), None)
                run += _flat(later)[:ended] if ended is not None else _flat(later)
                if ended is not None or (run and isinstance(run[-1], c_ast.Return | c_ast.Continue)):
                    break
            made = self.block(c_ast.Compound(run, label.coord))
            if isinstance(label, c_ast.Case):
                value = self.number(label.expr)
                branches.append((combined("==", chosen, convert(value, chosen.type)).node, made))
            else:
                branches.append((None, made))
        self.loops.pop()
        other: list[ast.stmt] = next((made for test, made in branches if test is None), [])
        for test, made in reversed([b for b in branches if b[0] is not None]):
            other = [self.stamp(ast.If(test, made, other))]
        self.out += other

    # Pieces

    def emit(self, statement: ast.stmt) -> None:
        self.out.append(self.stamp(statement))

    def stamp(self, node: Node) -> Node:
        """Give the nodes of a tree that have no line the one that is being translated."""
        inner: Any
        for inner in ast.walk(node):
            if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
                inner.lineno = inner.end_lineno = self.line
                inner.col_offset = inner.end_col_offset = self.column
        return node

    def assign(self, name: str, node: ast.expr) -> None:
        self.emit(ast.Assign([ast.Name(name, ast.Store())], node))

    def temporary(self, node: ast.expr | None = None) -> str:
        self.count += 1
        name = f"_c_t{self.count}"
        if node is not None:
            self.assign(name, node)
        return name

    def kept(self, value: Value) -> Value:
        """A value in a variable, unless it is one already."""
        if value.const is not None or isinstance(value.node, ast.Constant):
            return value
        return Value(value.type, load(self.temporary(value.node)))

    def apart(self, make: Any) -> tuple[list[ast.stmt], Any]:
        """What a piece of translation makes, and the statements it wants in front."""
        before, self.out = self.out, []
        try:
            made = make()
            return self.out, made
        finally:
            self.out = before

    def wrong(self, message: str, node: c_ast.Node | None = None, instead: str | None = None) -> NoReturn:
        self.code.wrong(message, self.at(node), instead)

    def refuse(self, what: str, node: c_ast.Node | None = None, nearest: str | None = None) -> NoReturn:
        self.code.refuse(what, self.at(node), nearest)

    def at(self, node: c_ast.Node | None) -> int:
        return node.coord.line if node is not None and node.coord is not None else self.line

    # Values

    def value(self, node: c_ast.Node) -> Value:
        """An expression's value; arrays as pointers."""
        before = self.line, self.column
        if node.coord is not None:
            self.line, self.column = node.coord.line, node.coord.column or 0
        try:
            made = getattr(self, f"value_{type(node).__name__}", self.unknown)(node)
            self.stamp(made.node)
            if made.offset is not None:
                self.stamp(made.offset)
            return made
        finally:
            self.line, self.column = before

    def type_of(self, node: c_ast.Node) -> Any:
        """The type of an expression, which is not evaluated."""
        shared = self.shared_bytes
        _, made = self.apart(lambda: self.value(node))
        self.shared_bytes = shared
        return made.type

    def number(self, node: c_ast.Node, what: str = "an expression") -> Value:
        """An expression's value, which must be a number."""
        made = self.value(node)
        if not isinstance(made.type, Scalar):
            self.wrong(f'{what} must have arithmetic type, not "{made.type}"', node)
        return made

    def truth(self, node: c_ast.Node) -> Value:
        """An expression as a condition."""
        made = self.value(node)
        if isinstance(made.type, Pointer):
            size = ast.Attribute(made.node, "size", ast.Load())
            return Value(BOOL, self.stamp(ast.Compare(size, [ast.NotEq()], [ast.Constant(0)])))
        if not isinstance(made.type, Scalar) or made.type.kind == "c":
            self.wrong(f'an expression of type "{made.type}" is no condition: it must be convertible to bool', node)
        made = convert(made, BOOL)
        self.stamp(made.node)
        return made

    def unknown(self, node: c_ast.Node) -> Value:
        what = {"CompoundLiteral": "a compound literal", "InitList": "a list of values", "StructRef": "a member"}
        self.refuse(what.get(type(node).__name__, f"this {type(node).__name__}"), node)

    def value_Constant(self, node: c_ast.Constant) -> Value:
        if node.type == "string":
            self.refuse("a string", node)
        return values.constant(node.value, node.type)

    def value_ID(self, node: c_ast.ID) -> Value:
        variable = self.find(node.name)
        if variable is None:
            if node.name in ("true", "false"):
                return literal(BOOL, node.name == "true")
            if node.name == "warpSize":
                return literal(INT, 32)
            variable = self.module.enums.get(node.name)
            if variable is not None:
                return literal(INT, variable)
            if node.name in _DIM3:
                parts = [self.value(c_ast.StructRef(node, ".", c_ast.ID(axis), node.coord)) for axis in "xyz"]
                named = self.module.structs.get("dim3") if node.name.endswith("Dim") else None
                return Value(named or VECTORS["uint3"], ast.Constant(None), parts=parts)
            self.wrong(f'identifier "{node.name}" is undefined', node, headers.instead(node.name))
        if variable.const is not None:
            return literal(variable.type, variable.const)
        if isinstance(variable.type, Closure):
            return Value(variable.type, ast.Constant(None), captured=variable.captured)
        if variable.reference or variable.boxed or isinstance(variable.type, Struct):
            return self.read(self.variable_place(variable))
        if isinstance(variable.type, Array):
            return decayed(Value(variable.type, load(variable.name)), variable.readonly)
        if isinstance(variable.type, Pointer):
            array = copy.deepcopy(variable.array) if variable.array is not None else load(variable.name)
            return Value(variable.type, array, ast.Constant(0) if variable.still else load(f"{variable.name}__at"))
        return Value(variable.type, load(variable.name))

    def read(self, place: Place) -> Value:
        if isinstance(place.type, Struct):
            return structs.read(self, place)
        if isinstance(place.type, Array):
            return structs.row(self, place)
        node = place.target(ast.Load())
        if place.type.char == "f2" and place.at is not None:
            node = call("_c_half_of_bits", node)
        return Value(place.type, self.stamp(node))

    def variable_place(self, variable: Variable) -> Place:
        if variable.reference:
            offset = ast.Constant(0) if variable.still else load(f"{variable.name}__at")
            array = variable.array if variable.array is not None else load(variable.name)
            return Place(variable.type.to, array, [index(offset)], readonly=variable.type.const)
        at: list[ast.expr] | None = [ast.Constant(0)] if variable.boxed else None
        return Place(variable.type, load(variable.name), at, variable.name, variable.readonly)

    def place(self, node: c_ast.Node) -> Place:
        """Where an expression's value lies."""
        if isinstance(node, c_ast.ID):
            variable = self.find(node.name)
            if variable is None:
                self.wrong(f'identifier "{node.name}" is undefined', node)
            if variable.const is not None or isinstance(variable.type, Array):
                self.wrong("expression must be a modifiable lvalue", node)
            return self.variable_place(variable)
        if isinstance(node, c_ast.ArrayRef):
            meant = methods.element(self, node)
            return self.element(node) if meant is None else self.place(meant)
        if isinstance(node, c_ast.FuncCall) and (meant := methods.member_place(self, node)) is not None:
            return self.place(meant)
        if isinstance(node, c_ast.StructRef):
            return structs.place_of(self, node)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            if isinstance(node.expr, c_ast.UnaryOp) and node.expr.op == "&":
                return self.place(node.expr.expr)
            made = self.value(node.expr)
            if not isinstance(made.type, Pointer):
                self.wrong('operand of "*" must be a pointer', node)
            return self.pointed(made, node)
        if isinstance(node, c_ast.FuncCall):
            self.refuse("a place that a function returns", node, "a statement for each call")
        if isinstance(node, c_ast.TernaryOp):
            self.refuse("a place that is one of two variables", node, "an if with a statement for each")
        self.wrong("expression must be an lvalue", node)

    def pointed(self, pointer: Value, node: c_ast.Node) -> Place:
        """Where a pointer points to."""
        readonly = pointer.type.const
        return Place(self.pointee(pointer, node), pointer.node, [index(pointer.offset)], readonly=readonly)

    def pointee(self, pointer: Value, node: c_ast.Node) -> Scalar | Struct:
        if pointer.type.row and not isinstance(node, c_ast.ArrayRef):
            self.refuse("an array that a pointer points to", node, "a[i][j]")
        if not isinstance(pointer.type.to, Scalar | Struct):
            self.wrong("expression must be a pointer to a complete object type", node)
        return pointer.type.to

    def element(self, node: c_ast.ArrayRef) -> Place:
        base, subscripts = chain(node)
        variable = self.find(base.name) if isinstance(base, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Carray):
            return self.carray_element(variable, subscripts, node)
        if variable is not None and isinstance(variable.type, Array):
            given = [self.whole(each) for each in subscripts]
            if len(given) != len(variable.type.shape):
                self.wrong("expression must be a modifiable lvalue", node)
            at = [index(wide(each)) for each in given]
            if variable.flat:
                at = [index(self.flattened(variable.type.shape, given))]
            return Place(variable.type.of, load(variable.name), at, readonly=variable.readonly)
        if isinstance(base, c_ast.StructRef) and isinstance((inside := self.place(base)).type, Array):
            return structs.elements(self, inside, subscripts, node)
        made = self.value(base)
        if not isinstance(made.type, Pointer):
            self.wrong("expression must have pointer-to-object type", node)
        row = made.type.row
        if len(subscripts) != len(row) + 1:
            self.wrong("expression must have pointer-to-object type", node)
        offset = added(made.offset, self.flattened((0, *row), [self.whole(each) for each in subscripts]))
        return Place(self.pointee(made, node), made.node, [index(offset)], readonly=made.type.const)

    def flattened(self, shape: tuple[int, ...], given: list[Value]) -> ast.expr:
        """The number of an element of an array of several dimensions, or of the first of a part of it."""
        total: ast.expr = ast.Constant(0)
        step = 1
        for n in shape[len(given) :]:
            step *= n
        for n, each in reversed(list(zip(shape, given, strict=False))):
            one: Any = wide(each)
            if isinstance(one, ast.Constant):
                value: Any = one.value
                one = ast.Constant(value * step)
            elif step != 1:
                one = ast.BinOp(one, ast.Mult(), ast.Constant(step))
            total = added(one, total)
            step *= n
        return total

    def carray_element(self, variable: Variable, subscripts: list[c_ast.Node], node: c_ast.Node) -> Place:
        kind = variable.type
        if kind.whole and len(subscripts) == max(kind.ndim, 1):
            places = [index(wide(self.whole(each))) for each in subscripts]
            return Place(kind.of, load(variable.name), places, readonly=variable.readonly)
        if len(subscripts) != 1 or kind.indexer:
            self.wrong(f'no operator "[]" matches these operands of {kind}', node)
        called: Any = subscripts[0].name if isinstance(subscripts[0], c_ast.FuncCall) else None
        if isinstance(called, c_ast.ID) and called.name == INDICES:
            given = [wide(self.whole(each)) for each in subscripts[0].args.exprs]
            if len(given) != kind.ndim:
                self.refuse(f"{len(given)} indices of {kind}", node)
            return Place(kind.of, load(variable.name), [index(self.along(variable, given))], readonly=variable.readonly)
        owner = (
            self.find(called.name.name)
            if isinstance(called, c_ast.StructRef) and isinstance(called.name, c_ast.ID)
            else None
        )
        if owner is not None and isinstance(owner.type, Carray) and owner.type.indexer and called.field.name == "get":
            if owner.type.ndim != kind.ndim:
                self.wrong(f'no operator "[]" of {kind} takes the indices of {owner.type}', node)
            offset = self.along(variable, self.module.builtins.indices(self, owner))
            return Place(kind.of, load(variable.name), [index(offset)], readonly=variable.readonly)
        given = self.value(subscripts[0])
        if isinstance(given.type, Pointer):
            if given.array is None or given.array.shape != (kind.ndim,):
                self.wrong(f'no operator "[]" matches these operands: {kind} [ {given.array or given.type} ]', node)
            places = [index(added(given.offset, ast.Constant(k))) for k in range(kind.ndim)]
            offset = self.along(
                variable, [to("i8", ast.Subscript(copy.deepcopy(given.node), at, ast.Load())) for at in places]
            )
        else:
            offset = wide(self.whole(subscripts[0]))
        return Place(kind.of, load(variable.name), [index(offset)], readonly=variable.readonly)

    def along(self, variable: Variable, indices: list[ast.expr]) -> ast.expr:
        """The number of the element of a raw argument that has these indices."""
        offset: ast.expr = ast.Constant(0)
        for k, one in enumerate(indices):
            length = load(f"{variable.name}__shape{k}")
            offset = added(ast.BinOp(offset, ast.Mult(), length) if k else offset, one)
        return offset

    def whole(self, node: c_ast.Node) -> Value:
        made = self.number(node)
        if made.type.kind not in "iub":
            self.wrong("expression must have integral or unscoped enum type", node)
        return convert(made, INT) if made.type.kind == "b" else made

    def value_ArrayRef(self, node: c_ast.ArrayRef) -> Value:
        if (meant := methods.element(self, node)) is not None:
            return self.value(meant)
        base, subscripts = chain(node)
        if isinstance(base, c_ast.FuncCall) and isinstance(base.name, c_ast.StructRef):
            return self.module.builtins.member(self, base, subscripts)
        variable = self.find(base.name) if isinstance(base, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Array) and len(subscripts) < len(variable.type.shape):
            given = [self.whole(each) for each in subscripts]
            offset = self.flattened(variable.type.shape, given)
            rest = variable.type.shape[len(given) :]
            return Value(Pointer(variable.type.of, variable.readonly, rest[1:]), load(variable.name), offset)
        if variable is not None and isinstance(variable.type, Pointer) and len(subscripts) <= len(variable.type.row):
            base_, row = self.value(base), variable.type.row
            offset = added(base_.offset, self.flattened((0, *row), [self.whole(each) for each in subscripts]))
            return Value(Pointer(variable.type.to, variable.type.const, row[len(subscripts) :]), base_.node, offset)
        return self.read(self.element(node))

    def value_StructRef(self, node: c_ast.StructRef) -> Value:
        if isinstance(node.name, c_ast.ID) and node.name.name in _DIM3 and self.find(node.name.name) is None:
            if node.field.name not in ("x", "y", "z"):
                self.wrong(f'"{node.name.name}" has no member "{node.field.name}"', node)
            member = ast.Attribute(load(f"_c_{node.name.name}"), node.field.name, ast.Load())
            return Value(UINT, to("u4", member))
        variable = self.find(node.name.name) if isinstance(node.name, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Carray):
            return self.module.builtins.attribute(self, node)
        if isinstance(node.name, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef | c_ast.UnaryOp) or node.type == "->":
            return self.read(structs.place_of(self, node))
        return structs.value_of(self, node)

    def value_CompoundLiteral(self, node: c_ast.CompoundLiteral) -> Value:
        kind = self.module.resolve(node.type, self)
        kind = self.returns if kind == "auto" else kind
        if isinstance(kind, Scalar) and len(node.init.exprs or ()) < 2:
            return self.converted(self.value(node.init.exprs[0]), kind, node) if node.init.exprs else literal(kind, 0)
        if not isinstance(kind, Struct):
            self.refuse(f"a list of values for {kind}", node)
        return structs.initial(self, kind, node.init)

    def value_Cast(self, node: c_ast.Cast) -> Value:
        kind = self.module.resolve(node.to_type, self)
        if kind is VOID:
            return Value(VOID, self.value(node.expr).node)
        made = self.value(node.expr)
        return self.cast(made, kind, node)

    def cast(self, made: Value, kind: Any, node: c_ast.Node) -> Value:
        if isinstance(kind, Pointer):
            return self.cast_pointer(made, kind, node)
        if isinstance(kind, Struct) and isinstance(node, c_ast.Cast):
            return self.converted(made, kind, node.expr)
        if isinstance(made.type, Pointer) or not isinstance(kind, Scalar) or not isinstance(made.type, Scalar):
            if isinstance(made.type, Pointer) and kind == BOOL:
                return self.truth(node.expr)
            self.refuse(f'a conversion of "{made.type}" to "{kind}"', node)
        return self.converted(made, kind, node)

    def converted(self, made: Value, kind: Any, node: c_ast.Node | None) -> Value:
        """A number as another type, as an assignment converts it; a struct as itself."""
        if isinstance(kind, Struct) and made.type == kind:
            return made
        if isinstance(kind, Struct) and isinstance(made.type, Struct) and (base := structs.inherited(self, made, kind)):
            return base
        if isinstance(kind, Struct) and kind.name in self.module.unit.constructors:
            if node is None or _works(node):
                self.refuse(f"an implicit conversion of {made.type} to {kind}", node, f"{kind}(…)")
            return self.module.called(self, CONSTRUCTOR + kind.name, [node], node)
        if isinstance(made.type, Struct) and (str(made.type), str(kind)) == ("dim3", "uint3"):
            return Value(kind, made.node, parts=made.parts)
        if not isinstance(made.type, Scalar) or not isinstance(kind, Scalar):
            if isinstance(made.type, Pointer) and kind == BOOL and node is not None:
                return self.truth(node)
            self.wrong(f'a value of type "{made.type}" cannot be used to initialize an entity of type "{kind}"', node)
        if made.type.kind == "c" and kind.kind not in "cb":
            self.wrong(f'no suitable conversion function from "{made.type}" to "{kind}" exists', node)
        return convert(made, kind)

    def cast_pointer(self, made: Value, kind: Pointer, node: c_ast.Node) -> Value:
        if not isinstance(made.type, Pointer):
            self.refuse(f'a conversion of "{made.type}" to "{kind}"', node)
        old, new = made.type.to, kind.to
        if (
            old == new
            or not isinstance(new, Scalar | Struct)
            or not isinstance(old, Scalar | Struct)
            or old.char == new.char
        ):
            if not isinstance(old, Scalar | Struct) and isinstance(new, Scalar | Struct):
                self.refuse(f'a conversion of "{made.type}" to "{kind}"', node)
            return Value(Pointer(new if isinstance(new, Scalar | Struct) else old, kind.const), made.node, made.offset)
        self.count += 1
        name = self.scope.own(getattr(made.node, "id", "view"))
        array, offset = made.node, made.offset
        times = max(old.size, new.size) // min(old.size, new.size)
        if times * min(old.size, new.size) != max(old.size, new.size):
            self.refuse(f'a conversion of "{made.type}" to "{kind}"', node)
        if new.size > old.size and (isinstance(new, Struct) or not isinstance(offset, ast.Constant)):
            # from there on, in whole items: what is left over at the end is not there
            start = self.temporary(offset)
            left = ast.BinOp(ast.Attribute(copy.deepcopy(array), "size", ast.Load()), ast.Sub(), load(start))
            whole = ast.BinOp(ast.BinOp(left, ast.FloorDiv(), ast.Constant(times)), ast.Mult(), ast.Constant(times))
            end = ast.BinOp(load(start), ast.Add(), whole)
            array, offset = ast.Subscript(array, ast.Slice(load(start), end), ast.Load()), ast.Constant(0)
        view = ast.Call(ast.Attribute(array, "view", ast.Load()), [self.dtype(new)], [])
        self.assign(name, view)
        if times != 1 and not (isinstance(offset, ast.Constant) and offset.value == 0):
            op = ast.Mult() if old.size > new.size else ast.FloorDiv()
            offset = ast.BinOp(offset, op, ast.Constant(times))
        return Value(kind, load(name), offset)

    def value_UnaryOp(self, node: c_ast.UnaryOp) -> Value:
        if node.op == "sizeof":
            return self.size_of(node)
        if node.op == "_Alignof":
            return literal(ULONG, c_types.alignment(self.module.resolve(node.expr, self)))
        if node.op == "&":
            return self.address(node)
        if node.op == "*":
            return self.read(self.place(node))
        if (made := methods.operated(self, node.op, [node.expr], node)) is not None:
            return made
        if node.op in ("++", "--", "p++", "p--"):
            return self.stepped(node)
        if node.op == "!":
            return negated(self.truth(node.expr))
        operand = self.number(node.expr, "operand")
        made = unary(node.op, operand)
        if made is None:
            self.wrong(f'operand of "{node.op}" cannot be "{operand.type}"', node)
        return made

    def size_of(self, node: c_ast.UnaryOp) -> Value:
        if isinstance(node.expr, c_ast.Typename):
            kind = self.module.resolve(node.expr, self)
        elif isinstance(node.expr, c_ast.ID) and (found := self.find(node.expr.name)) is not None:
            kind = found.type
        else:
            _, made = self.apart(lambda: self.value(node.expr))
            kind = made.array or made.type
        if isinstance(kind, Scalar | Struct):
            return literal(ULONG, kind.size)
        if isinstance(kind, Array):
            size = kind.of.size
            for n in kind.shape:
                size *= n
            return literal(ULONG, size)
        return literal(ULONG, 8)

    def address(self, node: c_ast.UnaryOp, bound: bool = False) -> Value:
        """``&a``; `bound` says that it is for a reference, which stays there."""
        inner = node.expr
        if isinstance(inner, c_ast.UnaryOp) and inner.op == "*":
            return self.value(inner.expr)
        if (part := self.part_of_array(inner)) is not None:
            return part
        place = self.place(inner)
        if isinstance(place.type, Pointer):
            self.refuse("a pointer to a pointer, or a reference to one", node)
        if place.member and not bound and not isinstance(place.type, Struct):
            self.refuse("a pointer to a member of a struct", node, "a pointer to the struct")
        if place.at is None or len(place.at) != 1:
            self.refuse("the address of this", node)
        return Value(Pointer(place.type, place.readonly), place.node, offset_of(place.at[0]))

    def part_of_array(self, node: c_ast.Node) -> Value | None:
        """The address of an array, or of one in an array of several dimensions; None of anything else."""
        base, subscripts = chain(node)
        variable = self.find(base.name) if isinstance(base, c_ast.ID) else None
        kind = variable.type if variable is not None else None
        shape = kind.shape if isinstance(kind, Array) else kind.row if isinstance(kind, Pointer) and subscripts else ()
        depth = len(subscripts) - isinstance(kind, Pointer)
        if not shape or depth >= len(shape):
            return None
        made = self.value(node)
        return Value(Pointer(made.type.to, made.type.const, shape[depth:]), made.node, made.offset)

    def readonly(self, node: c_ast.Node) -> bool:
        """Whether an expression is a place that is constant."""
        if isinstance(node, c_ast.ID):
            variable = self.find(node.name)
            return (
                variable is not None
                and variable.readonly
                or (variable is not None and variable.reference and variable.type.const)
            )
        whole = isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.UnaryOp) and node.op == "*")
        return whole and self.place(node).readonly

    def points_as(self, given: Any, kind: Any) -> bool:
        """Whether C++ makes a pointer of a type of what is given."""
        same = isinstance(given, Pointer) and given.to == kind.to and given.row == kind.row
        return same and (kind.const or not given.const)

    def check_bound(self, given: Any, kind: Pointer, node: c_ast.Node) -> None:
        """Refuse a reference to what is of another type, or constant."""
        if not isinstance(given, Pointer) or given.to != kind.to:
            of = given.to if isinstance(given, Pointer) else given
            if isinstance(of, Struct) and isinstance(kind.to, Struct) and structs.inherits(self, of, kind.to):
                self.refuse(
                    f"a reference to the {kind.to} in a {of}", node, f"a reference to a {of}, or a {kind.to} by value"
                )
            said = f'a reference of type "{kind.to} &" (not const-qualified) cannot be initialized with a value of type "{of}"'
            self.wrong(said, node, f"Declare it for {of}, or as const {kind.to} &.")
        if given.const and not kind.const:
            said = f'qualifiers dropped in binding reference of type "{kind.to} &" to initializer of type "const {kind.to}"'
            self.wrong(
                said, node, f"Declare the reference as const {kind.to} &, or copy the value into a variable first."
            )

    def check_changeable(self, readonly: bool) -> None:
        """Refuse to store into what is constant."""
        if readonly:
            self.wrong(
                "expression must be a modifiable lvalue", None, "It is const: leave that word out where it is declared."
            )

    def stepped(self, node: c_ast.UnaryOp) -> Value:
        step, late = (1 if "+" in node.op else -1), node.op.startswith("p")
        variable = self.find(node.expr.name) if isinstance(node.expr, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Pointer) and not variable.reference:
            self.check_changeable(variable.readonly)
            old = self.value(node.expr)
            if late:
                old = Value(old.type, old.node, load(self.temporary(old.offset)))
            self.assign(f"{variable.name}__at", ast.BinOp(load(f"{variable.name}__at"), ast.Add(), ast.Constant(step)))
            return old if late else self.value(node.expr)
        place = self.settled(self.place(node.expr))
        old = self.read(place)
        if not isinstance(old.type, Scalar) or old.type.kind == "c":
            self.wrong(f'operand of "{node.op}" cannot be "{old.type}"', node)
        if late:
            old = self.kept(old)
        if place.type == FLOAT16:
            self.wrong(f'operand of "{node.op}" cannot be "{old.type}"', node, "Write x += 1.")
        made = convert(combined("+", old, literal(HALF if place.type == HALF else INT, step)), place.type)
        return self.store(place, made) if not late else (self.store(place, made), old)[1]

    def settled(self, place: Place) -> Place:
        """A place whose index is computed once."""
        if place.at is not None:
            place.at = [e if _plain(e) else load(self.temporary(e)) for e in place.at]
        return place

    def store(self, place: Place, made: Value) -> Value:
        """Store a value; returns it as what the assignment is worth."""
        self.check_changeable(place.readonly)
        if isinstance(place.type, Struct):
            return structs.store(self, place, made)
        if place.type.char == "f2" and place.at is not None:
            made = self.kept(made)
            self.emit(ast.Assign([place.target(ast.Store())], call("_c_bits_of_half", made.node)))
            return made
        self.emit(ast.Assign([place.target(ast.Store())], made.node))
        if place.at is None:
            return Value(place.type, load(place.name))
        return self.stored(made)

    def stored(self, made: Value) -> Value:
        """What was stored, without reading it back: it was put into a variable first."""
        target = self.out[-1]
        if made.const is not None or isinstance(target.value, ast.Name | ast.Constant):
            return made
        name = self.temporary()
        self.out.insert(-1, self.stamp(ast.Assign([ast.Name(name, ast.Store())], target.value)))
        target.value = self.stamp(load(name))
        return Value(made.type, load(name))

    def value_Assignment(self, node: c_ast.Assignment) -> Value:
        variable = self.find(node.lvalue.name) if isinstance(node.lvalue, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Pointer) and not variable.reference:
            return self.assign_pointer(variable, node)
        if variable is not None and isinstance(variable.type, Group):
            self.refuse("assignment of a group", node)
        if node.op == "=":
            if isinstance(node.rvalue, c_ast.CompoundLiteral) and self.module.resolve(node.rvalue.type, self) == "auto":
                place = self.place(node.lvalue)
                if isinstance(place.type, Struct):
                    return self.store(place, structs.initial(self, place.type, node.rvalue.init))
            right = self.value(node.rvalue)
            place = self.place(node.lvalue)
            return self.store(place, self.converted(right, place.type, node.rvalue))
        if (made := methods.operated(self, node.op, [node.lvalue, node.rvalue], node)) is not None:
            return made
        right = self.number(node.rvalue)
        place = self.settled(self.place(node.lvalue))
        if isinstance(place.type, Scalar) and place.type.kind == "c":
            right = convert(right, place.type)
        made = None if isinstance(place.type, Struct) else binary(node.op[:-1], self.read(place), right)
        if made is None:
            self.wrong(f'no operator "{node.op}" for "{place.type}" and "{right.type}"', node)
        return self.store(place, self.converted(made, place.type, node))

    def assign_pointer(self, variable: Variable, node: c_ast.Assignment) -> Value:
        self.check_changeable(variable.readonly)
        right = self.value(node.rvalue)
        at = f"{variable.name}__at"
        if node.op == "=":
            if not isinstance(right.type, Pointer):
                self.refuse("a pointer made of a number", node)
            if not self.points_as(right.type, variable.type):
                said = f'a value of type "{right.type}" cannot be assigned to an entity of type "{variable.type}"'
                self.wrong(said, node)
            if variable.array is None:
                offset = self.temporary(right.offset)
                self.assign(variable.name, right.node)
                self.assign(at, load(offset))
            else:
                self.assign(at, right.offset)
        elif node.op in ("+=", "-="):
            operator = ast.Add() if node.op == "+=" else ast.Sub()
            self.assign(at, ast.BinOp(load(at), operator, wide(right)))
        else:
            self.wrong(f'no operator "{node.op}" for "{variable.type}"', node)
        return self.value(node.lvalue)

    def value_BinaryOp(self, node: c_ast.BinaryOp) -> Value:
        if node.op in ("&&", "||"):
            return self.shortened(node)
        if (made := methods.operated(self, node.op, [node.left, node.right], node)) is not None:
            return made
        a, b = self.value(node.left), self.value(node.right)
        if isinstance(a.type, Pointer) or isinstance(b.type, Pointer):
            return self.pointers(node, a, b)
        if not isinstance(a.type, Scalar) or not isinstance(b.type, Scalar):
            self.wrong(f'no operator "{node.op}" matches "{a.type}" and "{b.type}"', node)
        made = binary(node.op, a, b)
        if made is None and a.type == b.type and a.type.kind == "c" and node.op in values.COMPARISONS:
            self.refuse(f"{node.op} of complex numbers", node, "a comparison of their parts")
        if made is None:
            self.wrong(f'no operator "{node.op}" matches "{a.type}" and "{b.type}"', node)
        return made

    def pointers(self, node: c_ast.BinaryOp, a: Value, b: Value) -> Value:
        if (getattr(a.type, "row", ()) or getattr(b.type, "row", ())) and node.op in "+-":
            self.refuse("arithmetic with a pointer to an array", node, "a[i] with all its indices")
        if isinstance(a.type, Pointer) and isinstance(b.type, Pointer):
            if node.op == "-":
                return Value(LONG, ast.BinOp(a.offset, ast.Sub(), b.offset))
            if node.op in values.COMPARISONS:
                return combined(node.op, Value(LONG, a.offset), Value(LONG, b.offset))
        elif node.op in ("==", "!="):  # with a null pointer
            pointer = a if isinstance(a.type, Pointer) else b
            size = ast.Attribute(pointer.node, "size", ast.Load())
            return Value(BOOL, ast.Compare(size, [ast.Eq() if node.op == "==" else ast.NotEq()], [ast.Constant(0)]))
        elif node.op in ("+", "-"):
            pointer, number = (a, b) if isinstance(a.type, Pointer) else (b, a)
            if number.type.kind in "iub" and not (node.op == "-" and pointer is b):
                if node.op == "+":
                    return Value(pointer.type, pointer.node, added(pointer.offset, wide(number)))
                return Value(pointer.type, pointer.node, ast.BinOp(pointer.offset, ast.Sub(), wide(number)))
        self.wrong(f'no operator "{node.op}" matches "{a.type}" and "{b.type}"', node)

    def shortened(self, node: c_ast.BinaryOp) -> Value:
        left = self.truth(node.left)
        before, right = self.apart(lambda: self.truth(node.right))
        both = node.op == "&&"
        if left.const is not None:
            if bool(left.const) != both:
                return literal(BOOL, not both)
            self.out += before
            return right
        if not before:
            return Value(BOOL, ast.BoolOp(ast.And() if both else ast.Or(), [left.node, right.node]))
        name = self.temporary(left.node)
        test = load(name) if both else ast.UnaryOp(ast.Not(), load(name))
        self.emit(ast.If(test, [*before, self.stamp(ast.Assign([ast.Name(name, ast.Store())], right.node))], []))
        return Value(BOOL, load(name))

    def value_TernaryOp(self, node: c_ast.TernaryOp) -> Value:
        test = self.truth(node.cond)
        parts = [self.apart(lambda part=part: self.value(part)) for part in (node.iftrue, node.iffalse)]
        (first, a), (second, b) = parts
        if test.const is not None:
            before, chosen = parts[0] if test.const else parts[1]
            self.out += before
            if isinstance(a.type, Scalar) and isinstance(b.type, Scalar):
                return convert(chosen, a.type if a.type == b.type else common(a.type, b.type))
            return chosen
        if isinstance(a.type, Pointer) and isinstance(b.type, Pointer):
            array, at = self.temporary(), self.temporary()
            for before, part in parts:
                before += [
                    self.stamp(ast.Assign([ast.Name(array, ast.Store())], part.node)),
                    self.stamp(ast.Assign([ast.Name(at, ast.Store())], to("i8", part.offset))),
                ]
            self.emit(ast.If(test.node, first, second))
            return Value(Pointer(a.type.to, a.type.const or b.type.const), load(array), load(at))
        if a.type is VOID and b.type is VOID:
            self.emit(ast.If(test.node, [*first, *self.effect(a)], [*second, *self.effect(b)]))
            return Value(VOID, ast.Constant(None))
        if isinstance(a.type, Struct) and a.type == b.type:
            return structs.chosen(self, test.node, a.type, [(first, a), (second, b)])
        if not isinstance(a.type, Scalar) or not isinstance(b.type, Scalar):
            self.wrong(f'operand types are incompatible ("{a.type}" and "{b.type}")', node)
        kind = a.type if a.type.char == b.type.char else common(a.type, b.type)
        a, b = convert(a, kind), convert(b, kind)
        if not first and not second:
            return Value(kind, ast.IfExp(test.node, a.node, b.node))
        name = self.temporary()
        for before, part in ((first, a), (second, b)):
            before.append(self.stamp(ast.Assign([ast.Name(name, ast.Store())], part.node)))
        self.emit(ast.If(test.node, first, second))
        return Value(kind, load(name))

    def value_ExprList(self, node: c_ast.ExprList) -> Value:
        for inner in node.exprs[:-1]:
            self.run(inner)
        return self.value(node.exprs[-1])

    def run(self, node: c_ast.Node) -> None:
        """An expression for its effect only."""
        made = self.value(node)
        self.out += self.effect(made)

    def effect(self, made: Value) -> list[ast.stmt]:
        """The statements that evaluate something and drop it; none where that does nothing."""
        works = any(isinstance(inner, ast.Call | ast.Subscript) for inner in ast.walk(made.node))
        if not works or isinstance(made.type, Pointer | Array):
            return []
        return [self.stamp(ast.Expr(made.node))]

    def value_FuncCall(self, node: c_ast.FuncCall) -> Value:
        if isinstance(node.name, c_ast.StructRef):
            if (meant := methods.member_place(self, node)) is not None:
                return self.value(meant)
            return self.module.builtins.member(self, node, [])
        given = list(node.args.exprs) if node.args is not None else []
        if not isinstance(node.name, c_ast.ID):
            if isinstance(kind := self.type_of(node.name), Struct):
                return methods.applied(self, node.name, given, node)
            if isinstance(kind, Closure):
                return lambdas.called(self, kind, self.value(node.name).captured, given, node)
            self.refuse("a call of something that is no name", node)
        variable = self.scope.find(node.name.name)
        if (meant := methods.member_place(self, node)) is not None:
            return self.value(meant)
        if variable is not None and isinstance(variable.type, Struct):
            return methods.applied(self, node.name, given, node)
        if variable is not None and isinstance(variable.type, Closure):
            return lambdas.called(self, variable.type, variable.captured, given, node)
        return self.module.called(self, node.name.name, given, node)

    def do_Decl(self, node: c_ast.Decl) -> None:
        if node.name is None:
            if isinstance(node.type, c_ast.Enum):
                self.module.enumerate_all(node.type, self)
                return
            self.refuse("a union" if isinstance(node.type, c_ast.Union) else "this declaration", node)
        if isinstance(node.type, c_ast.FuncDecl):
            return
        if isinstance(node.type, c_ast.ArrayDecl):
            self.declare_array(node)
            return
        kind = self.module.resolve(node.type, self)
        if isinstance(kind, Array):
            self.declare_array(node)
            return
        name = node.name
        if name.startswith(REFERENCE):
            self.declare_reference(name[len(REFERENCE) :], kind, node)
            return
        self.check_initialized(node)
        if kind == "auto" or isinstance(kind, Group):
            self.declare_auto(name, kind, node)
        elif SHARED in node.storage:
            variable = Variable(kind, self.scope.own(name), boxed=True, shared=True)
            self.allocate(variable.name, "shared", kind, (1,))
            self.declared(name, variable, node)
        elif isinstance(kind, Pointer):
            self.declare_pointer(name, kind, self.value(node.init) if node.init is not None else None, node)
        elif isinstance(kind, Struct):
            constructed = kind.name in self.module.unit.constructors and name != THIS
            made = None
            if node.init is not None:
                made = structs.initial(self, kind, node.init)
            elif constructed:
                made = structs.made(self, kind, node)
            structs.declare(self, name, kind, made, node)
        elif isinstance(kind, Scalar):
            made = None
            if node.init is not None:
                init = node.init.exprs[0] if isinstance(node.init, c_ast.InitList) else node.init
                made = self.converted(self.value(init), kind, init)
            self.declare_number(name, kind, made, node)
        else:
            self.wrong("incomplete type is not allowed", node)

    def check_initialized(self, node: c_ast.Decl) -> None:
        """Refuse a constant without a value."""
        if _readonly(node) and node.init is None and "extern" not in node.storage:
            self.wrong(f'const variable "{node.name}" requires an initializer', node)

    def declare_number(self, name: str, kind: Any, made: Value | None, node: c_ast.Decl) -> None:
        changed = name in self.usage.assigned | self.usage.moved | self.usage.addressed
        if made is not None and made.const is not None and kind.kind in "iub" and "const" in node.quals and not changed:
            self.declared(name, Variable(kind, name, const=made.const, readonly=True), node)
            return
        variable = Variable(
            kind, self.scope.own(name), boxed=name in self.usage.addressed, readonly="const" in node.quals
        )
        if variable.boxed:
            self.allocate(variable.name, "local", kind, (1,))
            if made is not None:
                self.store(Place(kind, load(variable.name), [ast.Constant(0)]), made)
        else:
            self.assign(variable.name, (made or literal(kind, 0)).node)
        self.declared(name, variable, node)

    def declared(self, name: str, variable: Variable, node: c_ast.Decl) -> None:
        """Enter a variable, of whose name there is none yet in its block."""
        if name in self.scope.levels[-1]:
            self.wrong(f'"{name}" has already been declared in the current scope', node)
        self.scope.declare(name, variable)

    def declare_pointer(self, name: str, kind: Pointer, made: Value | None, node: c_ast.Decl) -> None:
        if made is not None and not isinstance(made.type, Pointer):
            self.refuse("a pointer made of a number", node)
        if made is not None and not self.points_as(made.type, kind):
            said = f'a value of type "{made.type}" cannot be used to initialize an entity of type "{kind}"'
            self.wrong(said, node)
        variable = Variable(kind, self.scope.own(name), readonly=_readonly(node))
        if made is not None:
            self.assign(f"{variable.name}__at", to("i8", made.offset))
            if name not in self.usage.assigned and not self.changes(made.node):
                variable.array = made.node
            else:
                self.assign(variable.name, made.node)
        self.declared(name, variable, node)

    def changes(self, array: ast.expr) -> bool:
        """Whether a pointer's array is that of another pointer, which may point elsewhere later."""
        named = array.id if isinstance(array, ast.Name) else None
        return any(
            v.name == named and isinstance(v.type, Pointer) and v.array is None
            for level in self.scope.levels
            for v in level.values()
        )

    def declare_reference(self, name: str, kind: Pointer, node: c_ast.Decl) -> None:
        if node.init is None:
            self.wrong(f'reference variable "{name}" requires an initializer', node)
        if kind.const and not self.refers(node.init, kind.to):
            made = self.value(node.init)
            kind = made.type if kind.to == "auto" else kind.to
            node = c_ast.Decl(name, ["const"], [], [], [], None, None, None, node.coord)
            if isinstance(kind, Struct):
                structs.declare(self, name, kind, self.converted(made, kind, None), node)
            else:
                self.declare_number(name, kind, self.converted(made, kind, None), node)
            return
        place = self.place(node.init)
        if place.at is None or len(place.at) != 1:
            self.refuse("a reference to a variable", node)
        if kind.to == "auto":
            kind = Pointer(place.type, place.readonly or kind.const)
        self.check_bound(Pointer(place.type, place.readonly), kind, node)
        variable = Variable(kind, self.scope.own(name), reference=True, array=place.node)
        if self.changes(place.node):
            self.assign(variable.name, place.node)
            variable.array = None
        self.assign(f"{variable.name}__at", offset_of(place.at[0]))
        self.declared(name, variable, node)

    def refers(self, node: c_ast.Node, kind: Any) -> bool:
        """Whether a reference of a type refers to an expression itself, and not to a value that is made of it."""
        if isinstance(node, c_ast.ID):
            variable = self.find(node.name)
            if variable is None or variable.const is not None:
                return False
        elif isinstance(node, c_ast.TernaryOp) and all(self.refers(e, kind) for e in (node.iftrue, node.iffalse)):
            self.refuse("a reference to one of two variables", node, "a copy of it, without the &")
        elif isinstance(node, c_ast.FuncCall):
            return methods.member_place(self, node) is not None
        elif not isinstance(node, c_ast.ArrayRef | c_ast.StructRef) and getattr(node, "op", "") != "*":
            return False
        try:
            place = self.apart(lambda: self.place(node))[1]
        except CompileException:  # a member of what a function returned
            return False
        return kind in ("auto", place.type) and isinstance(place.type, Scalar | Struct)

    def declare_auto(self, name: str, kind: Any, node: c_ast.Decl) -> None:
        group = builtins_threads.group_of(self, node.init) if node.init is not None else None
        if group is not None:
            self.declared(name, Variable(group, name), node)
            return
        if kind != "auto" or node.init is None:
            self.refuse("this use of a type without a name", node)
        made = self.value(node.init)
        if isinstance(made.type, Pointer):
            self.declare_pointer(name, made.type, made, node)
        elif isinstance(made.type, Struct):
            structs.declare(self, name, made.type, made, node)
        elif isinstance(made.type, Closure):
            self.declared(name, Variable(made.type, name, captured=made.captured), node)
        else:
            self.declare_number(name, made.type, made, node)

    def declare_array(self, node: c_ast.Decl) -> None:
        kind = self.module.resolve(node.type, self, node.init)
        if not isinstance(kind, Array):
            self.refuse(f"an array of {kind}", node)
        self.check_initialized(node)
        name = node.name
        flat = len(kind.shape) == 1 or name in self.usage.partly
        shared = SHARED in node.storage
        variable = Variable(kind, self.scope.own(name), flat=flat, readonly="const" in node.quals, shared=shared)
        if shared and "extern" in node.storage:
            self.allocate(variable.name, "shared", kind.of, (0,))
            kind = Array(kind.of, (0,))
        else:
            count = 1
            for n in kind.shape:
                count *= n
            self.allocate(variable.name, "shared" if shared else "local", kind.of, (count,) if flat else kind.shape)
        self.declared(name, variable, node)
        constructed = isinstance(kind.of, Struct) and kind.of.name in self.module.unit.constructors
        if constructed and node.init is None and not shared:
            self.fill(variable, kind, c_ast.InitList([]))
        if node.init is not None:
            if shared:
                self.wrong("initializer not allowed for __shared__ variable", node)
            self.fill(variable, kind, node.init)

    def allocate(self, name: str, where: str, kind: Any, shape: tuple[int, ...]) -> None:
        extents = ast.Constant(shape[0]) if len(shape) == 1 else ast.Tuple([ast.Constant(n) for n in shape], ast.Load())
        of = self.dtype(kind)
        if where == "shared":
            count = 1
            for n in shape:
                count *= n
            self.shared_bytes = -(-self.shared_bytes // 16) * 16 + count * kind.size
        self.assign(name, call(f"_c_{where}.array", extents, of))

    def dtype(self, kind: Scalar | Struct) -> ast.expr:
        """The Python name of a type of NumPy's."""
        if isinstance(kind, Struct):
            name = f"_c_struct_{kind.name}"
            self.called[name] = kind.dtype
            return load(name)
        return ast.Attribute(load("_c_np"), "bool_" if kind.kind == "b" else kind.dtype.name, ast.Load())

    def fill(self, variable: Variable, kind: Array, init: c_ast.Node) -> None:
        """Store an array's initial values; those not given are 0."""
        if not isinstance(init, c_ast.InitList):
            self.refuse("this initial value of an array", init)
        given: dict[tuple[int, ...], c_ast.Node] = {}
        spread(init, kind.shape, (), given, self)
        for place in itertools.product(*(range(n) for n in kind.shape)):
            node = given.get(place)
            if variable.flat:
                at: ast.expr = index(self.flattened(kind.shape, [literal(INT, k) for k in place]))
            else:
                at = ast.Tuple([ast.Constant(k) for k in place], ast.Load())
            if isinstance(kind.of, Struct):
                made = structs.initial(self, kind.of, node) if node is not None else structs.made(self, kind.of, init)
                structs.store(self, Place(kind.of, load(variable.name), [at]), made)
                continue
            made = self.converted(self.value(node), kind.of, node) if node is not None else literal(kind.of, 0)
            self.store(Place(kind.of, load(variable.name), list(at.elts) if isinstance(at, ast.Tuple) else [at]), made)


def _flat(statements: list[c_ast.Node]) -> list[c_ast.Node]:
    if (
        len(statements) >= 1
        and isinstance(statements[0], c_ast.Compound)
        and all(isinstance(s, c_ast.Break) for s in statements[1:])
    ):
        return [*(statements[0].block_items or ()), *statements[1:]]
    return statements


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Break | ast.Continue | ast.Return)


def _works(node: c_ast.Node) -> bool:
    """Whether an expression does something, so that it may be evaluated only once."""
    if isinstance(node, c_ast.FuncCall | c_ast.Assignment):
        return True
    if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        return True
    return any(_works(inner) for _, inner in node.children())


def _counts(node: c_ast.For, step: c_ast.Node) -> bool:
    """Whether a loop only counts: its condition reads variables, of which its step changes one."""
    if node.cond is None:
        return False
    read: set[str] = set()
    plain = True

    class Reads(c_ast.NodeVisitor):
        def visit_ID(self, inner):
            read.add(inner.name)

        def generic_visit(self, inner):
            nonlocal plain
            if isinstance(inner, c_ast.ArrayRef | c_ast.FuncCall | c_ast.Assignment | c_ast.StructRef) or (
                isinstance(inner, c_ast.UnaryOp) and inner.op == "*"
            ):
                plain = False
            super().generic_visit(inner)

    Reads().visit(node.cond)
    changed: set[str] = set()

    class Changes(c_ast.NodeVisitor):
        def visit_Assignment(self, inner):
            changed.add(getattr(inner.lvalue, "name", ""))

        def visit_UnaryOp(self, inner):
            changed.add(getattr(inner.expr, "name", ""))

    Changes().visit(step)
    return plain and bool(read & changed)


def _plain(node: ast.expr) -> bool:
    """Whether a node may be evaluated twice."""
    return isinstance(node, ast.Constant | ast.Name)


def offset_of(node: ast.expr) -> ast.expr:
    """The offset that an index was made of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_c_u8":
        return node.args[0]
    return node if isinstance(node, ast.Constant) else to("i8", node)


def _readonly(node: c_ast.Decl) -> bool:
    """Whether a declaration's variable is const itself; of a pointer, not what it points to."""
    return "const" in ((node.type.quals or ()) if isinstance(node.type, c_ast.PtrDecl) else node.quals)


def spread(init: c_ast.InitList, shape: Any, at: tuple[int, ...], given: dict, f: Translation) -> None:
    """Enter an array's initial values by their places."""
    exprs = list(init.exprs or ())
    nested = any(isinstance(e, c_ast.InitList) for e in exprs)
    if len(shape) > 1 and not nested:
        places = itertools.product(*(range(n) for n in shape))
        for place, each in zip(places, exprs, strict=False):
            given[at + place] = each
        return
    if len(exprs) > shape[0]:
        f.wrong("too many initializer values", init)
    for k, each in enumerate(exprs):
        if isinstance(each, c_ast.InitList) and len(shape) > 1:
            spread(each, shape[1:], (*at, k), given, f)
        elif isinstance(each, c_ast.NamedInitializer):
            f.refuse("a designated initial value", init)
        else:
            given[(*at, k)] = each


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
