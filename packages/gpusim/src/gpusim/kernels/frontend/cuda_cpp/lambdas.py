"""Lambdas: a function of the module for each, which is given what the lambda captures in front of its own arguments."""

from __future__ import annotations

import ast

from pycparser import c_ast

from . import structs
from .c_types import Array, Capture, Closure, Group, Pointer, Scalar, Struct
from .cpp_to_c import REFERENCE, WHOLE
from .scope import Variable
from .tokens import Token, arguments, written
from .values import Value, load, to


def made(f, name: str, number: int, node: c_ast.Node) -> Value:
    """A lambda where it is written: copies of what it captures by value, and other names for what it captures by reference.

    The names are its own, so that another variable of such a name, where it is called, is not taken for the one it captured.
    """
    module, written = f.module, f.module.unit.lambdas[number]
    found = module.captured(name)
    captures: list[Capture] = []
    nodes: list[c_ast.Node] = []
    members = dict(module.structs[f.owner].fields) if f.owner in module.structs else {}
    for each in found.names:
        variable = f.scope.find(each)
        if variable is None and (each in members or each in module.unit.methods.get(f.owner, ())):
            f.refuse("a lambda that uses a member of the struct around it", node, "a variable that has its value")
        if variable is None or f.scope.levels[0].get(each) is variable:
            continue
        by_value = each in written.copies or (written.rest == "=" and each not in written.references)
        kind = variable.type.to if variable.reference else variable.type
        if variable.const is not None:
            captures.append(Capture(each, kind, "constant", variable.const))
            continue
        if not variable.shared and not by_value and not written.rest and each not in written.references:
            f.wrong(f'the enclosing-function local variable "{each}" is not in the capture list', node)
        if not isinstance(kind, Scalar | Struct | Array | Pointer | Group | Closure):
            f.refuse(f"a lambda that captures {kind}", node)
        copied = by_value and not variable.shared and not isinstance(kind, Group | Closure)
        if copied and isinstance(kind, Array):
            f.refuse("a lambda that captures an array by value", node, f"[&{each}], or a pointer to its first element")
        if isinstance(kind, Pointer) and not copied and each in found.changed:
            f.refuse("a lambda that changes a pointer that it captures by reference", node, "an index that it changes")
        readonly = variable.readonly or (variable.reference and variable.type.const)
        changed = each in found.changed or (isinstance(kind, Struct) and each in found.reached)
        if isinstance(kind, Array):
            captures.append(Capture(each, kind, "array", readonly=readonly))
        elif not copied and isinstance(kind, Scalar | Struct) and (variable.boxed or variable.reference):
            captures.append(Capture(each, kind, "reference", readonly=readonly))
        elif not copied and changed and isinstance(kind, Scalar | Struct):
            f.refuse(f"a lambda that changes {each}", node, "a variable of the kernel's own")
        else:
            captures.append(Capture(each, kind, "value"))
        f.count += 1
        own = f"_hf_captured_{f.count}_{each}"
        if copied:
            _copy(f, each, own, kind, node)
        else:
            f.scope.declare(own, variable)
        nodes.append(c_ast.ID(own, node.coord))
    key = number, tuple(captures)
    if key not in module.closures:
        module.closures[key] = closure = Closure(f"_hf_closure_{len(module.closures)}", number, tuple(captures))
        module.typedefs[closure.name] = closure
        module.unit.typenames.add(closure.name)
    return Value(module.closures[key], ast.Constant(None), captured=nodes)


def _copy(f, name: str, own: str, kind: object, node: c_ast.Node) -> None:
    """Declare a copy of a variable under another name."""
    value = f.value(c_ast.ID(name, node.coord))
    decl = c_ast.Decl(own, ["const"], [], [], [], None, None, None, node.coord)
    if isinstance(kind, Struct):
        structs.declare(f, own, kind, value, decl)
        return
    python = f.scope.own(own)
    if isinstance(kind, Pointer):
        f.assign(f"{python}__at", to("i8", value.offset))
        variable = Variable(kind, python, array=value.node)
        if f.changes(value.node):
            f.assign(python, value.node)
            variable.array = None
        f.scope.declare(own, variable)
    else:
        f.assign(python, value.node)
        f.scope.declare(own, Variable(kind, python))


def called(f, closure: Closure, captured: list[c_ast.Node], given: list[c_ast.Node], node: c_ast.Node) -> Value:
    """A call of a lambda."""
    taken = f.module.unit.lambdas[closure.number]
    params = arguments(taken.params)
    generic = [any(t.text == "_hf_auto" for t in part) for part in params]
    types = [f.type_of(each) if auto else None for each, auto in zip(given, generic, strict=False)]
    if len(given) != len(params):
        f.wrong(f"too {'few' if len(given) < len(params) else 'many'} arguments in function call", node)
    name = f.module.unused(closure.name + "_called", tuple(types))
    if name not in f.module.functions:
        line = node.coord.line if node.coord is not None else f.line
        first: list[str] = []
        declared: list[str | list[Token]] = []
        for each in closure.captures:
            if each.by == "constant":
                first.append(f"const {_words(each.kind)} {each.name} = ({int(each.const)});")
            else:
                declared += [_declared(each), ","]
        for part, kind in zip(params, types, strict=True):
            declared += [_words(kind) if token.text == "_hf_auto" else [token] for token in part]
            declared.append(",")
        head = written(line, taken.returns or "_hf_auto", f"{name}(", *declared[:-1], ") {")
        f.module.read(written(line, head, *first, taken.body, "}"))
    return f.module.called(f, name, [*captured, *given], node)


def _declared(capture: Capture) -> str:
    """A parameter for what a lambda captures: it cannot change what it is given a copy of."""
    readonly = "const " * capture.readonly
    if capture.by == "array":
        extents = "".join(f"[{n}]" for n in capture.kind.shape)
        return f"{readonly}{_words(capture.kind.of)} {WHOLE}{capture.name}{extents}"
    if capture.by == "reference":
        return f"{readonly}{_words(capture.kind)} *{REFERENCE}{capture.name}"
    if isinstance(capture.kind, Pointer):
        return _pointer(capture.kind, f"const {capture.name}")
    const = "const " * isinstance(capture.kind, Scalar | Struct)
    return f"{const}{_words(capture.kind)} {capture.name}"


def _words(kind: object) -> str:
    if isinstance(kind, Pointer):
        return _pointer(kind, "")
    if isinstance(kind, Scalar) and kind.kind == "c":
        return f"_hf_{kind.char}"
    return kind.name if isinstance(kind, Group | Closure) else str(kind)


def _pointer(kind: Pointer, after: str) -> str:
    of = f"{'const ' * kind.const}{_words(kind.to)}"
    if not kind.row:
        return f"{of} *{after}"
    return f"{of} (*{after}){''.join(f'[{n}]' for n in kind.row)}"


def parameter(f, own: str, closure: Closure, names: list[str], before: list[ast.stmt]) -> list[c_ast.Node]:
    """Declare what a lambda that is a parameter has captured; returns the nodes that mean it."""
    nodes: list[c_ast.Node] = []
    for each in closure.captures:
        if each.by == "constant":
            continue
        hidden = f"_hf_captured_{own}_{each.name}"
        name, kind = f.scope.own(hidden), each.kind
        if each.by == "reference":
            names += [name, f"{name}__at"]
            of = Pointer(kind, each.readonly)
            f.scope.declare(hidden, Variable(of, name, reference=True, array=load(name)))
        elif isinstance(kind, Struct):
            names += structs.parameter(f, hidden, name, kind, True, before)
        elif isinstance(kind, Pointer):
            names += [name, f"{name}__at"]
            f.scope.declare(hidden, Variable(kind, name, array=load(name)))
        elif isinstance(kind, Closure):
            f.scope.declare(hidden, Variable(kind, name, captured=parameter(f, name, kind, names, before)))
        else:
            names += [name] * (not isinstance(kind, Group))
            f.scope.declare(hidden, Variable(kind, name, readonly=each.readonly))
        nodes.append(c_ast.ID(hidden))
    return nodes


def passed(f, closure: Closure, captured: list[c_ast.Node]) -> list[ast.expr]:
    """What a lambda has captured, as arguments of a call."""
    nodes: list[ast.expr] = []
    given = [each for each in closure.captures if each.by != "constant"]
    for each, meant in zip(given, captured, strict=True):
        if isinstance(each.kind, Group):
            continue
        by_reference = each.by == "reference"
        value = f.address(c_ast.UnaryOp("&", meant), bound=True) if by_reference else f.value(meant)
        if isinstance(each.kind, Closure):
            nodes += passed(f, each.kind, value.captured)
        elif by_reference or isinstance(each.kind, Pointer):
            nodes += [value.node, to("i8", value.offset)]
        elif isinstance(each.kind, Struct):
            nodes += [part.node for part in value.parts]
        else:
            nodes.append(value.node)
    return nodes
