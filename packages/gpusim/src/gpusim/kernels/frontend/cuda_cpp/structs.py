"""Structs: where their members lie, how they are declared, read, stored, handed on and returned.

In memory a struct is a record of NumPy's with C's layout.  A variable of a struct is one variable for each number in it, unless it
holds an array or something takes its address: then it is a record in local memory.
"""

from __future__ import annotations

import ast
import itertools
from typing import Any

from pycparser import c_ast

from . import methods
from .c_types import VOID, Array, Pointer, Scalar, Struct, format_of
from .cpp_to_c import CONSTRUCTOR
from .scope import Variable
from .values import Value, index, literal, load, wide

MOST = 64
"""Numbers of a struct that is copied."""


def resolved(f, module, node: c_ast.Struct) -> Struct:
    """The type that a definition or a name means."""
    if node.decls is None:
        if node.name not in module.structs:
            f.wrong(f'incomplete type "{node.name}" is not allowed', node)
        return module.structs[node.name]
    fields = []
    for decl in node.decls:
        if decl.bitsize is not None:
            f.refuse("a bit field", decl)
        kind = module.resolve(decl.type, f)
        if isinstance(kind, Pointer):
            f.refuse("a pointer in a struct", decl, "the array as a parameter of the kernel")
        if kind is VOID or not isinstance(kind, Scalar | Array | Struct):
            f.wrong(f'incomplete type "{kind}" is not allowed', decl)
        if isinstance(kind, Array) and not isinstance(kind.of, Scalar):
            f.refuse("an array of structs in a struct", decl)
        if decl.name in dict(fields):
            f.wrong(f'"{decl.name}" has already been declared in the current scope', decl)
        fields.append((decl.name, kind))
    union = node.name in module.unit.unions
    made = Struct(node.name, tuple(fields), module.unit.aligned.get(node.name, 1), union)
    module.structs[node.name] = made
    return made


def leaves(kind: Struct) -> list[tuple[tuple, Scalar]]:
    """The numbers in a struct, each with its way there: names, and the indices in an array as a tuple."""
    made: list[tuple[tuple, Scalar]] = []
    fields: Any = [whole(kind)] if kind.union else kind.fields
    for name, inner in fields:
        if isinstance(inner, Struct):
            made += [((name, *path), number) for path, number in leaves(inner)]
        elif isinstance(inner, Array):
            places = itertools.product(*(range(n) for n in inner.shape))
            made += [((name, place), inner.of) for place in places]
        else:
            made.append(((name,), inner))
    return made


def whole(kind: Struct) -> tuple[str, object]:
    """The member of a union that has all of its bytes."""
    return max(
        kind.fields, key=lambda field: (format_of(field[1]).itemsize, getattr(field[1], "kind", "") in ("i", "u"))
    )


def in_memory(kind: Struct) -> bool:
    """Whether a struct has an array, so that an index may choose among its members, or members that share their place."""
    return kind.union or any(
        isinstance(inner, Array) or (isinstance(inner, Struct) and in_memory(inner)) for _, inner in kind.fields
    )


def spelled(name: str, path: tuple) -> str:
    """The Python name of a member of a variable."""
    return "__".join([name, *(step if isinstance(step, str) else "_".join(map(str, step)) for step in path)])


def root(node: ast.expr | None) -> str:
    """The array that a place lies in; nothing of a variable that lies in none."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def member(f, place, name: str, node: c_ast.Node | None):
    """The place of a member."""
    kind = dict(place.type.fields).get(name) if isinstance(place.type, Struct) else None
    if kind is not None and node is not None:
        methods.check_access(f, place.type, name, node)
    if kind is None:
        what = (
            f'"{place.type}" has no member' if isinstance(place.type, Struct) else "expression must have class type for"
        )
        f.wrong(f'{what} "{name}"', node)
    if place.at is None:
        return type(place)(kind, name=spelled(place.name, (name,)), readonly=place.readonly)
    array = ast.Subscript(place.node, ast.Constant(name), ast.Load())
    return type(place)(kind, array, place.at, readonly=place.readonly, member=True)


def at(f, place, path: tuple):
    """The place of one of the numbers in a struct."""
    for step in path:
        if isinstance(step, str):
            place = member(f, place, step, None)
        else:
            places = [*place.at, *(ast.Constant(k) for k in step)]
            place = type(place)(place.type.of, place.node, places, readonly=place.readonly, member=True)
    return place


def place_of(f, node: c_ast.StructRef):
    """Where ``a.x`` and ``p->x`` lie."""
    if node.type == "->":
        made = f.value(node.name)
        if not isinstance(made.type, Pointer):
            f.wrong(f'operator -> must have a pointer to a struct, not "{made.type}"', node)
        base = f.pointed(made, node)
    else:
        base = f.place(node.name)
    return member(f, base, node.field.name, node)


def value_of(f, node: c_ast.StructRef) -> Value:
    """A member of a struct that is no variable, such as what a function returned."""
    made = f.value(node.name)
    name = node.field.name
    if not isinstance(made.type, Struct):
        return f.module.builtins.attribute(f, node)
    kind = dict(made.type.fields).get(name)
    if kind is None:
        f.wrong(f'"{made.type}" has no member "{name}"', node)
    parts = [part for (path, _), part in zip(leaves(made.type), made.parts, strict=True) if path[0] == name]
    if isinstance(kind, Array):
        f.refuse("an array in a struct that is no variable", node)
    return Value(kind, ast.Constant(None), parts=parts) if isinstance(kind, Struct) else parts[0]


def row(f, place) -> Value:
    """An array in a struct, as a pointer to its first number."""
    if len(place.type.shape) > 1:
        f.refuse("a pointer to an array")
    one = ast.Tuple(list(place.at), ast.Load()) if len(place.at) > 1 else place.at[0]
    start = ast.Subscript(place.node, one, ast.Load())
    return Value(Pointer(place.type.of, place.readonly), start, ast.Constant(0), array=place.type)


def read(f, place) -> Value:
    """All numbers of a struct that lies somewhere."""
    found = leaves(place.type)
    if len(found) > MOST:
        f.refuse(f"a copy of a struct of {len(found)} numbers", None, "copies of its members")
    parts = [f.read(at(f, place, path)) for path, _ in found]
    for part in parts:
        f.count += place.type.aligned == 1 or part is parts[0]
        for node in ast.walk(part.node):
            vars(node)["copied"] = 1 + f.count  # the load that it is a part of, some of which may never have been set
    return Value(place.type, ast.Constant(None), parts=parts)


def store(f, place, made: Value) -> Value:
    """Store a struct, all of it read before."""
    parts = [f.kept(part) for part in made.parts]
    for (path, _), part in zip(leaves(place.type), parts, strict=True):
        f.store(at(f, place, path), part)
    return Value(place.type, ast.Constant(None), parts=parts)


def initial(f, kind: Struct, init: c_ast.Node) -> Value:
    """What a struct is declared with: a list of values, those that are missing being 0, or another struct."""
    if not isinstance(init, c_ast.InitList):
        return f.converted(f.value(init), kind, init)
    aggregate = f.module.unit.aggregate(kind.name)
    if init.exprs and kind.name in f.module.unit.constructors and not aggregate:
        return f.module.called(f, CONSTRUCTOR + kind.name, list(init.exprs), init)
    given: dict[str, c_ast.Node] = {}
    names = [name for name, _ in kind.fields]
    for k, each in enumerate(init.exprs or ()):
        name = ""
        if isinstance(each, c_ast.NamedInitializer):
            name, each = each.name[0].name, each.expr
        elif k >= len(names):
            f.wrong("too many initializer values", init)
        else:
            name = names[k]
        if name not in names:
            f.wrong(f'"{kind}" has no member "{name}"', init)
        given[name] = each
    parts: list[Value] = []
    first = made(f, kind, init).parts if aggregate else []
    for name, inner in kind.fields:
        each = given.get(name)
        if first and each is None:
            parts += [part for (path, _), part in zip(leaves(kind), first, strict=True) if path[0] == name]
        elif isinstance(inner, Struct):
            parts += initial(f, inner, each or c_ast.InitList([])).parts
        elif isinstance(inner, Array):
            parts += _numbers(f, inner, each)
        else:
            parts.append(f.kept(f.converted(f.value(each), inner, each)) if each is not None else literal(inner, 0))
    return Value(kind, ast.Constant(None), parts=parts)


def _numbers(f, kind: Array, init: c_ast.Node | None) -> list[Value]:
    from .translate import spread

    given: dict[tuple[int, ...], c_ast.Node] = {}
    if init is not None:
        if not isinstance(init, c_ast.InitList):
            f.refuse("this initial value of an array", init)
        spread(init, kind.shape, (), given, f)
    made = []
    for place in itertools.product(*(range(n) for n in kind.shape)):
        each = given.get(place)
        made.append(f.kept(f.converted(f.value(each), kind.of, each)) if each is not None else literal(kind.of, 0))
    return made


def declare(f, name: str, kind: Struct, made: Value | None, node: c_ast.Decl) -> None:
    """Declare a variable."""
    variable = Variable(
        kind, f.scope.own(name), boxed=in_memory(kind) or name in f.usage.addressed, readonly="const" in node.quals
    )
    if variable.boxed:
        f.allocate(variable.name, "local", kind, (1,))
    if kind.union and isinstance(node.init, c_ast.InitList):
        f.declared(name, variable, node)
        for (field, inner), each in zip(kind.fields, node.init.exprs or (), strict=False):
            place = member(f, f.variable_place(variable), field, node)
            f.store(place, f.converted(f.value(each), inner, each))
        return
    if made is not None or not variable.boxed:
        parts = made.parts if made is not None else [literal(number, 0) for _, number in leaves(kind)]
        _fill(f, variable, parts)
    f.declared(name, variable, node)


def parameter(f, name: str, own: str, kind: Struct, readonly: bool, before: list[ast.stmt]) -> list[str]:
    """Declare a parameter; returns the names of its numbers."""
    found = leaves(kind)
    names = [spelled(own, path) for path, _ in found]
    if not in_memory(kind) and name not in f.usage.addressed:
        f.scope.declare(name, Variable(kind, own, readonly=readonly))
        return names
    variable = Variable(kind, f.scope.own(f"{name}__box"), boxed=True, readonly=readonly)

    def box() -> None:
        f.allocate(variable.name, "local", kind, (1,))
        _fill(f, variable, [Value(number, load(each)) for each, (_, number) in zip(names, found, strict=True)])

    before += f.apart(box)[0]
    f.scope.declare(name, variable)
    return names


def _fill(f, variable: Variable, parts: list[Value]) -> None:
    """Give a variable its first value, also where it is constant."""
    place = f.variable_place(variable)
    place.readonly = False
    parts = [f.kept(part) for part in parts]
    for (path, _), part in zip(leaves(variable.type), parts, strict=True):
        f.store(at(f, place, path), part)


def returned(made: Value) -> ast.expr:
    """A struct as what a Python function returns."""
    return ast.Tuple([part.node for part in made.parts], ast.Load())


def of_call(f, kind: Struct, call: ast.expr) -> Value:
    """The struct that a Python function has returned."""
    name = f.temporary(call)
    parts = [
        Value(number, ast.Subscript(load(name), ast.Constant(k), ast.Load()))
        for k, (_, number) in enumerate(leaves(kind))
    ]
    return Value(kind, ast.Constant(None), parts=parts)


def inherits(f, kind: Struct, base: Struct) -> bool:
    """Whether a struct inherits from another."""
    names = f.module.unit.bases.get(kind.name, ())
    return base.name in names or any(inherits(f, f.module.structs[name], base) for name in names)


def inherited(f, made: Value, kind: Struct) -> Value | None:
    """The part of a struct that it has of a base; None where that is no base of it."""
    if not inherits(f, made.type, kind):
        return None
    own = {name for name, _ in kind.fields}
    parts = [part for (path, _), part in zip(leaves(made.type), made.parts, strict=True) if path[0] in own]
    return Value(kind, ast.Constant(None), parts=parts)


def zeros(kind: Struct) -> Value:
    return Value(kind, ast.Constant(None), parts=[literal(number, 0) for _, number in leaves(kind)])


def made(f, kind: Struct, node: c_ast.Node) -> Value:
    """A struct of which nothing is said: by its own constructor, where it has one."""
    if kind.name not in f.module.unit.constructors:
        return zeros(kind)
    return f.module.called(
        f, CONSTRUCTOR + kind.name, [], c_ast.FuncCall(c_ast.ID(CONSTRUCTOR + kind.name), None, node.coord)
    )


def chosen(f, test: ast.expr, kind: Struct, sides: list[tuple[list[ast.stmt], Value]]) -> Value:
    """One of two structs."""
    names = [f.temporary() for _ in leaves(kind)]
    bodies = []
    for before, side in sides:
        stores = [
            f.stamp(ast.Assign([ast.Name(name, ast.Store())], part.node))
            for name, part in zip(names, side.parts, strict=True)
        ]
        bodies.append([*before, *stores])
    f.emit(ast.If(test, *bodies))
    parts = [Value(number, load(name)) for name, (_, number) in zip(names, leaves(kind), strict=True)]
    return Value(kind, ast.Constant(None), parts=parts)


def elements(f, place, subscripts: list[c_ast.Node], node: c_ast.Node):
    """An element of an array in a struct."""
    given = [f.whole(each) for each in subscripts]
    if len(given) != len(place.type.shape):
        f.wrong("expression must be a modifiable lvalue", node)
    places = [*place.at, *(index(wide(each)) for each in given)]
    return type(place)(place.type.of, place.node, places, readonly=place.readonly, member=True)
