"""Functions of structs, operators, and functions that share a name: what their names mean, and which one a call means."""

from __future__ import annotations

import copy
from typing import Any

from pycparser import c_ast

from . import overloads
from .c_types import Array, Pointer, Scalar, Struct
from .cpp_to_c import CONSTRUCTOR, METHOD, OPERATOR, OPERATORS, REFERENCE, SEEN, THIS, bare
from .values import Value


def entered(module, function: c_ast.FuncDef) -> str:
    """The name under which a module keeps a function: another one where there is one of that name with other parameters."""
    owner = _owner(module, function)
    if owner is not None:
        _qualify(function, owner, module.unit.methods.get(owner.name, set()))
    name = function.decl.name
    if name not in module.functions:
        return name
    several = module.overloads.setdefault(name, [name])
    kinds = parameters(module, function)
    same = any(parameters(module, module.functions[each]) == kinds for each in several)
    if same and owner is not None:
        return ""  # the same for a struct that is constant
    if same:
        module.helper.wrong(f'function "{name}" has already been defined', function.decl)
    function.decl.name = f"{name}__{len(several) + 1}"
    several.append(function.decl.name)
    return function.decl.name


def parameters(module, function: c_ast.FuncDef) -> list[Any]:
    """The types of a function's parameters, a reference being what it refers to."""
    made = []
    params = function.decl.type.args.params if function.decl.type.args is not None else ()
    for param in params:
        if isinstance(param, c_ast.EllipsisParam):
            continue
        kind = module.resolve(param.type, module.helper)
        if isinstance(kind, Array):
            kind = Pointer(kind.of, "const" in param.quals, kind.shape[1:])
        if (param.name or "").startswith(REFERENCE):
            kind = kind.to
        if isinstance(kind, Scalar | Pointer | Struct):
            made.append(kind)
    return made


def _owner(module, function: c_ast.FuncDef) -> Struct | None:
    """The struct whose function it is."""
    if function.decl.name.startswith(CONSTRUCTOR):
        return module.structs.get(function.decl.name.removeprefix(CONSTRUCTOR))
    args = function.decl.type.args
    if args is None or getattr(args.params[0], "name", None) not in (THIS, REFERENCE + THIS, SEEN + THIS):
        return None
    kind = module.resolve(args.params[0].type, module.helper)
    return kind.to if isinstance(kind, Pointer) else kind


def owner(module, function: c_ast.FuncDef) -> str:
    """The name of the struct whose function it is, if it is one of a struct."""
    for name, own in module.unit.methods.items():
        if function.decl.name.startswith(tuple(f"{METHOD}{name}_{each}" for each in own) or ("\0",)):
            return name
    found = _owner(module, function)
    return found.name if found is not None else ""


def _qualify(function: c_ast.FuncDef, owner: Struct, methods: set[str]) -> None:
    """Write ``this`` before the members of its struct, where a function of a struct has no variable of that name."""
    levels: list[set[str]] = (
        [{bare(param.name) for param in function.decl.type.args.params}]
        if (function.decl.type.args is not None)
        else [set()]
    )
    fields = {name for name, _ in owner.fields}

    def member(node: c_ast.ID) -> c_ast.StructRef:
        return c_ast.StructRef(c_ast.ID(THIS, node.coord), ".", node, node.coord)

    def meant(name: str, names: set[str]) -> bool:
        return name in names and not any(name in level for level in levels)

    def changed(node):
        if isinstance(node, c_ast.ID):
            return member(node) if meant(node.name, fields) else node
        if isinstance(node, list):
            return [changed(each) for each in node]
        if not isinstance(node, c_ast.Node):
            return node
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            called = member(node.name) if meant(node.name.name, methods) else node.name
            return c_ast.FuncCall(called, changed(node.args), node.coord)
        opens = isinstance(node, c_ast.Compound | c_ast.For)
        if opens:
            levels.append(set())
        kept = {c_ast.StructRef: ("field", "type"), c_ast.NamedInitializer: ("name",)}.get(type(node), ())
        for slot in ("init", "cond", "next", "stmt") if isinstance(node, c_ast.For) else node.__slots__:
            if slot not in ("coord", "__weakref__", *kept):
                setattr(node, slot, changed(getattr(node, slot)))
        if opens:
            levels.pop()
        if isinstance(node, c_ast.Decl):
            levels[-1].add(bare(node.name))
        return node

    function.body = changed(function.body)


def chosen(module, f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> str:
    """The name of the function that a call means, among those that the source gives one name.

    Raises
    ------
    CompileException
        If none fits, or several fit equally well.
    """
    several = module.overloads.get(name)
    if several is None:
        return name
    types = [f.type_of(each) for each in given]
    ranks = {}
    for each in several:
        wanted = parameters(module, module.functions[each])
        known = len(module.unit.defaults.get((name, len(wanted)), ()))
        if len(wanted) - known <= len(types) <= len(wanted):
            found = [_rank(a, b) for a, b in zip(types, wanted, strict=False)]
            if None not in found:
                ranks[each] = found
    best = [a for a in ranks if all(_no_worse(ranks[a], ranks[b]) for b in ranks if b != a)]
    if len(best) != 1:
        said = (
            f'{"more than one" if ranks else "no"} instance of overloaded function "{name}" matches the argument list'
        )
        f.wrong(f"{said}\n            argument types are: ({', '.join(map(str, types))})", node)
    return best[0]


def _rank(given: Any, wanted: Any) -> int | None:
    if isinstance(given, Pointer) and isinstance(wanted, Pointer):
        return int(wanted.const != given.const) if given.to == wanted.to and wanted.const >= given.const else None
    return overloads.rank(given, wanted)


def _no_worse(one: list, other: list) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def called(f, node: c_ast.FuncCall) -> Value | None:
    """A call of a function of a struct, ``a.f(x)``; None where it is none."""
    owner, name = node.name.name, node.name.field.name
    known = f.module.unit.methods
    if not any(name in each for each in known.values()):
        return None
    if node.name.type == "->":
        owner = c_ast.UnaryOp("*", owner, node.coord)
    kind = f.type_of(owner)
    if not isinstance(kind, Struct) or name not in known.get(kind.name, ()):
        return None
    given = list(node.args.exprs) if node.args is not None else []
    function = f"{METHOD}{kind.name}_{name}"
    check_access(f, kind, name, node)
    return f.module.called(f, function, given if function in f.module.unit.static else [owner, *given], node)


def check_access(f, kind: Struct, name: str, node: c_ast.Node | None) -> None:
    """Refuse a private member outside of the struct's own functions."""
    if name in f.module.unit.private.get(kind.name, ()) and f.owner != kind.name:
        f.wrong(f'member "{kind.name}::{name}" is inaccessible', node, "It is private: put it behind public:.")


def place(f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> c_ast.Node | None:
    """What a function returns a reference to, in terms of a call's arguments; None where it returns none."""
    if name not in f.module.unit.places:
        return None
    function = f.module.functions[chosen(f.module, f, name, given, node)]
    params = [bare(p.name) for p in function.decl.type.args.params]
    if len(params) != len(given):
        f.wrong(f"too {'few' if len(given) < len(params) else 'many'} arguments in function call", node)
    meant = dict(zip(params, given, strict=True))

    def changed(each):
        if isinstance(each, c_ast.ID):
            return meant.get(each.name, each)
        made = copy.copy(each)
        for slot in each.__slots__:
            inner = getattr(each, slot) if slot not in ("coord", "__weakref__", "field", "type") else None
            if isinstance(inner, c_ast.Node):
                setattr(made, slot, changed(inner))
            elif isinstance(inner, list):
                setattr(made, slot, [changed(one) if isinstance(one, c_ast.Node) else one for one in inner])
        return made

    return changed(function.body.block_items[0].expr)


def element(f, node: c_ast.ArrayRef) -> c_ast.Node | None:
    """``a[i]`` of a struct that has an ``operator[]``: the call, or what that returns a reference to; None of anything else."""
    name = OPERATOR + OPERATORS["[]"]
    if name not in f.module.functions or not isinstance(f.type_of(node.name), Struct):
        return None
    given = [node.name, node.subscript]
    return place(f, name, given, node) or c_ast.FuncCall(c_ast.ID(name), c_ast.ExprList(given), node.coord)


def member_place(f, node: c_ast.FuncCall) -> c_ast.Node | None:
    """What ``a.at(i)``, or ``a(i)`` of a struct, is a reference to; None where it is none."""
    if not isinstance(node.name, c_ast.StructRef):
        name = OPERATOR + OPERATORS["()"]
        if name not in f.module.unit.places or not isinstance(node.name, c_ast.ID):
            return None
        variable = f.scope.find(node.name.name)
        given = [node.name, *(node.args.exprs if node.args is not None else ())]
        return place(f, name, given, node) if variable is not None and isinstance(variable.type, Struct) else None
    owner = node.name.name if node.name.type == "." else c_ast.UnaryOp("*", node.name.name, node.coord)
    names = [each for each in f.module.unit.places if each.endswith(f"_{node.name.field.name}")]
    kind = f.type_of(owner) if names else None
    name = f"{METHOD}{kind}_{node.name.field.name}"
    given = list(node.args.exprs) if node.args is not None else []
    return place(f, name, [owner, *given], node) if name in names else None


def applied(f, owner: c_ast.Node, given: list[c_ast.Node], node: c_ast.Node) -> Value:
    """A call of a struct's ``operator()``."""
    return f.module.called(f, OPERATOR + OPERATORS["()"], [owner, *given], node)


def operated(f, op: str, given: list[c_ast.Node], node: c_ast.Node) -> Value | None:
    """An operator that the source defines for a struct; None where it is none of these."""
    name = OPERATOR + OPERATORS.get(op, "")
    if name not in f.module.functions or not any(isinstance(f.type_of(each), Struct) for each in given):
        return None
    return f.module.called(f, name, given, node)
