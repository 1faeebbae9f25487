"""Functions of structs, operators, and functions that share a name: what their names mean, and which one a call means."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from . import overloads
from .c_types import Array, Pointer, Scalar, Struct
from .cpp_to_c import CONSTRUCTOR, METHOD, OPERATOR, OPERATORS, REFERENCE, THIS
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
    if any(parameters(module, module.functions[each]) == kinds for each in several):
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
            kind = Pointer(kind.of, "const" in param.quals)
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
    if args is None or getattr(args.params[0], "name", None) not in (THIS, REFERENCE + THIS):
        return None
    kind = module.resolve(args.params[0].type, module.helper)
    return kind.to if isinstance(kind, Pointer) else kind


def _qualify(function: c_ast.FuncDef, owner: Struct, methods: set[str]) -> None:
    """Write ``this`` before the members of its struct, where a function of a struct has no variable of that name."""
    declared: set[str] = set()

    class Declared(c_ast.NodeVisitor):
        def visit_Decl(self, node: c_ast.Decl) -> None:
            declared.add((node.name or "").removeprefix(REFERENCE))
            self.generic_visit(node)

    Declared().visit(function.decl.type)
    Declared().visit(function.body)
    names = {name for name, _ in owner.fields} - declared

    def member(node: c_ast.ID) -> c_ast.StructRef:
        return c_ast.StructRef(c_ast.ID(THIS, node.coord), ".", node, node.coord)

    def changed(node):
        if isinstance(node, c_ast.ID):
            return member(node) if node.name in names else node
        if isinstance(node, list):
            return [changed(each) for each in node]
        if not isinstance(node, c_ast.Node):
            return node
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            own = node.name.name in methods - declared
            return c_ast.FuncCall(member(node.name) if own else node.name, changed(node.args), node.coord)
        kept = {c_ast.StructRef: ("field", "type"), c_ast.NamedInitializer: ("name",)}.get(type(node), ())
        for slot in node.__slots__:
            if slot not in ("coord", "__weakref__", *kept):
                setattr(node, slot, changed(getattr(node, slot)))
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
        if len(wanted) == len(types):
            found = [_rank(a, b) for a, b in zip(types, wanted, strict=True)]
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
    return f.module.called(f, f"{METHOD}{kind.name}_{name}", [owner, *given], node)


def operated(f, op: str, given: list[c_ast.Node], node: c_ast.Node) -> Value | None:
    """An operator that the source defines for a struct; None where it is none of these."""
    name = OPERATOR + OPERATORS.get(op, "")
    if name not in f.module.functions or not any(isinstance(f.type_of(each), Struct) for each in given):
        return None
    return f.module.called(f, name, given, node)
