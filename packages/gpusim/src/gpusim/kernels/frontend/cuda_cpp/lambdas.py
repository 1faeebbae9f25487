"""Lambdas: a function of the module for each, which is given what the lambda captures in front of its own arguments."""

from __future__ import annotations

import ast

from pycparser import c_ast

from . import cpp_to_c, structs
from .c_types import Array, Closure, Group, Pointer, Scalar, Struct
from .cpp_to_c import REFERENCE
from .scope import Variable
from .tokens import Token
from .values import Value, load, to

PREFIX = "_hf_lambda_"
"""What begins the name that stands for a lambda where it is written; its arguments are the variables that it changes."""


def made(f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Value:
    """A lambda where it is written: copies of what it captures by value, and the names of what it captures by reference."""
    number = int(name.removeprefix(PREFIX))
    written = f.module.unit.lambdas[number]
    changed = [each.name for each in given]
    captures: list[tuple[str, object, bool]] = []
    nodes: list[c_ast.Node] = []
    for each in written.names:
        variable = f.scope.find(each)
        if variable is None or each in f.globals or (each in f.module.constants and variable.const is not None):
            continue
        by_reference = each in written.references or (written.all_references and each not in written.copies)
        if not written.all and not by_reference and each not in written.copies:
            f.wrong(f'the enclosing-function local variable "{each}" is not in the capture list', node)
        kind = variable.type.to if variable.reference else variable.type
        if isinstance(kind, Array):
            if len(kind.shape) > 1:
                f.refuse("a lambda that captures an array of several dimensions", node)
            kind = Pointer(kind.of, variable.readonly)
        if not isinstance(kind, Scalar | Struct | Pointer | Group | Closure):
            f.refuse(f"a lambda that captures {kind}", node)
        captures.append((each, kind, each in changed))
        if by_reference or isinstance(kind, Group | Closure):
            nodes.append(c_ast.ID(each, node.coord))
        else:
            nodes.append(_copied(f, each, kind, node))
    closure = Closure(f"_hf_closure_{number}", number, tuple(captures))
    f.module.typedefs[closure.name] = closure
    f.module.unit.typenames.add(closure.name)
    return Value(closure, ast.Constant(None), captured=nodes)


def _copied(f, name: str, kind: object, node: c_ast.Node) -> c_ast.ID:
    """A copy of a variable, under a name that no source has."""
    f.count += 1
    copy = f"_hf_captured_{f.count}_{name}"
    value = f.value(c_ast.ID(name, node.coord))
    decl = c_ast.Decl(copy, ["const"], [], [], [], None, None, None, node.coord)
    if isinstance(kind, Struct):
        structs.declare(f, copy, kind, value, decl)
    elif isinstance(kind, Pointer):
        own = f.scope.own(copy)
        f.assign(f"{own}__at", to("i8", value.offset))
        variable = Variable(kind, own, array=value.node)
        if f.changes(value.node):
            f.assign(own, value.node)
            variable.array = None
        f.scope.declare(copy, variable)
    else:
        own = f.scope.own(copy)
        f.assign(own, value.node)
        f.scope.declare(copy, Variable(kind, own, const=value.const))
    return c_ast.ID(copy, node.coord)


def called(f, closure: Closure, captured: list[c_ast.Node], given: list[c_ast.Node], node: c_ast.Node) -> Value:
    """A call of a lambda."""
    written = f.module.unit.lambdas[closure.number]
    params = cpp_to_c.arguments(written.params)
    types = [f.type_of(each) for each in given] if any(t.text == "auto" for t in written.params) else []
    name = "__".join([f"lambda_{closure.number}", *("".join(c if c.isalnum() else "_" for c in str(k)) for k in types)])
    if name not in f.module.functions:
        line = node.coord.line if node.coord is not None else f.line
        made: list[Token] = list(written.returns) or [Token("auto", line, "name")]
        made += [Token(name, line, "name"), Token("(", line, "mark")]
        for k, (each, kind, changed) in enumerate(closure.captures):
            of = Pointer(kind) if changed else kind
            made += [Token(",", line, "mark")] * bool(k)
            made += _declared(of, REFERENCE + each if changed else each, line)
        for k, part in enumerate(params):
            made += [Token(",", line, "mark")] * bool(closure.captures or k)
            spelled = _declared(types[k], "", line) if types else []
            made += [t for token in part for t in (spelled if token.text == "auto" else [token])]
        made += [Token(")", line, "mark"), *written.body]
        f.module.read(cpp_to_c.body(made, f.module.unit))
    return f.module.called(f, name, [*captured, *given], node)


def _declared(kind: object, name: str, line: int) -> list[Token]:
    """The tokens of a type and a name."""
    if isinstance(kind, Pointer):
        words = [*(["const"] if kind.const else []), *_words(kind.to), "*"]
    else:
        words = _words(kind)
    return [
        Token(w, line, "name" if w[0].isalpha() or w[0] == "_" else "mark") for w in (*words, *([name] * bool(name)))
    ]


def _words(kind: object) -> list[str]:
    if isinstance(kind, Scalar) and kind.kind == "c":
        return [f"_hf_{kind.char}"]
    return (kind.name if isinstance(kind, Group | Closure) else str(kind)).split()


def parameter(f, own: str, closure: Closure, names: list[str], before: list[ast.stmt]) -> list[c_ast.Node]:
    """Declare what a lambda that is a parameter has captured; returns the nodes that mean it."""
    nodes: list[c_ast.Node] = []
    for each, kind, changed in closure.captures:
        hidden = f"_hf_captured_{own}_{each}"
        name = f.scope.own(hidden)
        if isinstance(kind, Struct) and not changed:
            names += structs.parameter(f, hidden, name, kind, True, before)
        elif changed or isinstance(kind, Pointer):
            names += [name, f"{name}__at"]
            of = Pointer(kind) if changed else kind
            f.scope.declare(hidden, Variable(of, name, reference=changed, array=load(name)))
        elif isinstance(kind, Closure):
            inner = parameter(f, name, kind, names, before)
            f.scope.declare(hidden, Variable(kind, name, captured=inner))
        elif isinstance(kind, Group):
            f.scope.declare(hidden, Variable(kind, name))
        else:
            names.append(name)
            f.scope.declare(hidden, Variable(kind, name))
        nodes.append(c_ast.ID(hidden))
    return nodes


def passed(f, closure: Closure, captured: list[c_ast.Node]) -> list[ast.expr]:
    """What a lambda has captured, as arguments of a call."""
    nodes: list[ast.expr] = []
    for (_, kind, changed), each in zip(closure.captures, captured, strict=True):
        if isinstance(kind, Group):
            continue
        value = f.address(c_ast.UnaryOp("&", each), bound=True) if changed else f.value(each)
        if isinstance(kind, Closure):
            nodes += passed(f, kind, value.captured)
        elif changed or isinstance(kind, Pointer):
            nodes += [value.node, to("i8", value.offset)]
        elif isinstance(kind, Struct):
            nodes += [part.node for part in value.parts]
        else:
            nodes.append(value.node)
    return nodes
