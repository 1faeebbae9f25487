"""Expressions of C as Python expressions, with what must run before them put in front: names, elements, conversions."""

from __future__ import annotations

import ast
import copy

from pycparser import c_ast

from . import values
from .kinds import BOOL, INT, UINT, VOID, Array, Carray, Pointer, Scalar
from .scope import Scope, Usage, Variable, chain
from .values import Value, added, convert, decayed, index, literal, load, to, wide

_DIM3 = ("threadIdx", "blockIdx", "blockDim", "gridDim")


class Place:
    """Where something can be stored: a variable, or an element."""

    def __init__(self, kind: Scalar, node: ast.expr | None = None, at: list[ast.expr] | None = None, name: str = ""):
        self.type, self.node, self.at, self.name = kind, node, at, name

    def target(self, context: ast.expr_context) -> ast.expr:
        if self.at is None:
            return ast.Name(self.name, context)
        place = self.at[0] if len(self.at) == 1 else ast.Tuple(list(self.at), ast.Load())
        return ast.Subscript(copy.deepcopy(self.node), copy.deepcopy(place), context)


class Expressions:
    """The part of a function's translation that is about expressions.

    A subclass gives `module` (types and functions) and `code`.
    """

    def __init__(self, module: object, code: object, usage: Usage):
        self.module, self.code, self.usage = module, code, usage
        self.scope = Scope()
        self.out: list[ast.stmt] = []
        self.line, self.column = 1, 0
        self.count = 0

    # Pieces

    def emit(self, statement: ast.stmt) -> None:
        self.out.append(self.stamp(statement))

    def stamp(self, node: ast.AST) -> ast.AST:
        """Give the nodes of a tree that have no line the one that is being translated."""
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

    def apart(self, make: object) -> tuple[list[ast.stmt], object]:
        """What a piece of translation makes, and the statements it wants in front."""
        before, self.out = self.out, []
        try:
            made = make()
            return self.out, made
        finally:
            self.out = before

    def wrong(self, message: str, node: c_ast.Node | None = None):
        self.code.wrong(message, self.at(node))

    def refuse(self, what: str, node: c_ast.Node | None = None, nearest: str | None = None):
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
        if not isinstance(made.type, Scalar):
            self.wrong(f'an expression of type "{made.type}" is no condition', node)
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
        variable = self.scope.find(node.name)
        if variable is None:
            if node.name in ("true", "false"):
                return literal(BOOL, node.name == "true")
            if node.name == "warpSize":
                return literal(INT, 32)
            variable = self.module.enumerated(node.name)
            if variable is not None:
                return literal(INT, variable)
            if node.name in _DIM3:
                self.refuse(f"{node.name} as a whole", node, f"{node.name}.x")
            self.wrong(f'identifier "{node.name}" is undefined', node)
        if variable.const is not None:
            return literal(variable.type, variable.const)
        if variable.reference or variable.boxed:
            return self.read(self.variable_place(variable))
        if isinstance(variable.type, Array):
            return decayed(Value(variable.type, load(variable.name)))
        if isinstance(variable.type, Pointer):
            array = copy.deepcopy(variable.array) if variable.array is not None else load(variable.name)
            return Value(variable.type, array, ast.Constant(0) if variable.still else load(f"{variable.name}__at"))
        return Value(variable.type, load(variable.name))

    def read(self, place: Place) -> Value:
        return Value(place.type, self.stamp(place.target(ast.Load())))

    def variable_place(self, variable: Variable) -> Place:
        if variable.reference:
            offset = ast.Constant(0) if variable.still else load(f"{variable.name}__at")
            array = variable.array if variable.array is not None else load(variable.name)
            return Place(variable.type.to, array, [index(offset)])
        if variable.boxed:
            return Place(variable.type, load(variable.name), [ast.Constant(0)])
        return Place(variable.type, name=variable.name)

    def place(self, node: c_ast.Node) -> Place:
        """Where an expression's value lies."""
        if isinstance(node, c_ast.ID):
            variable = self.scope.find(node.name)
            if variable is None:
                self.wrong(f'identifier "{node.name}" is undefined', node)
            if variable.const is not None or isinstance(variable.type, Array):
                self.wrong("expression must be a modifiable lvalue", node)
            return self.variable_place(variable)
        if isinstance(node, c_ast.ArrayRef):
            return self.element(node)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            made = self.value(node.expr)
            if not isinstance(made.type, Pointer):
                self.wrong('operand of "*" must be a pointer', node)
            return Place(self.pointee(made, node), made.node, [index(made.offset)])
        self.wrong("expression must be an lvalue", node)

    def pointee(self, pointer: Value, node: c_ast.Node) -> Scalar:
        if not isinstance(pointer.type.to, Scalar):
            self.wrong("expression must be a pointer to a complete object type", node)
        return pointer.type.to

    def element(self, node: c_ast.ArrayRef) -> Place:
        base, subscripts = chain(node)
        variable = self.scope.find(base.name) if isinstance(base, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Carray):
            return self.carray_element(variable, subscripts, node)
        if variable is not None and isinstance(variable.type, Array):
            given = [self.whole(each) for each in subscripts]
            if len(given) != len(variable.type.shape):
                self.wrong("expression must be a modifiable lvalue", node)
            if not variable.flat:
                return Place(variable.type.of, load(variable.name), [index(wide(each)) for each in given])
            return Place(variable.type.of, load(variable.name), [index(self.flattened(variable.type.shape, given))])
        made = self.value(base)
        if not isinstance(made.type, Pointer):
            self.wrong("expression must have pointer-to-object type", node)
        if len(subscripts) > 1:
            self.wrong("expression must have pointer-to-object type", node)
        return Place(self.pointee(made, node), made.node, [index(added(made.offset, wide(self.whole(subscripts[0]))))])

    def flattened(self, shape: tuple[int, ...], given: list[Value]) -> ast.expr:
        """The number of an element of an array of several dimensions, or of the first of a part of it."""
        total: ast.expr = ast.Constant(0)
        step = 1
        for n in shape[len(given) :]:
            step *= n
        for n, each in reversed(list(zip(shape, given, strict=False))):
            one = wide(each)
            if isinstance(one, ast.Constant):
                one = ast.Constant(one.value * step)
            elif step != 1:
                one = ast.BinOp(one, ast.Mult(), ast.Constant(step))
            total = added(one, total)
            step *= n
        return total

    def carray_element(self, variable: Variable, subscripts: list[c_ast.Node], node: c_ast.Node) -> Place:
        kind = variable.type
        if kind.whole and len(subscripts) == max(kind.ndim, 1):
            places = [index(wide(self.whole(each))) for each in subscripts]
            return Place(kind.of, load(variable.name), places)
        if len(subscripts) != 1:
            self.wrong("a raw argument takes one index", node)
        given = self.value(subscripts[0])
        if isinstance(given.type, Pointer):
            offset: ast.expr = ast.Constant(0)
            for k in range(kind.ndim):
                one = ast.Subscript(copy.deepcopy(given.node), index(added(given.offset, ast.Constant(k))), ast.Load())
                length = load(f"{variable.name}__shape{k}")
                offset = added(ast.BinOp(offset, ast.Mult(), length) if k else offset, to("i8", one))
        else:
            offset = wide(self.whole(subscripts[0]))
        return Place(kind.of, load(variable.name), [index(offset)])

    def whole(self, node: c_ast.Node) -> Value:
        made = self.number(node)
        if made.type.kind not in "iub":
            self.wrong("expression must have integral or unscoped enum type", node)
        return convert(made, INT) if made.type.kind == "b" else made

    def value_ArrayRef(self, node: c_ast.ArrayRef) -> Value:
        base, subscripts = chain(node)
        if isinstance(base, c_ast.FuncCall) and isinstance(base.name, c_ast.StructRef):
            return self.module.builtins.member(self, base, subscripts)
        variable = self.scope.find(base.name) if isinstance(base, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Array) and len(subscripts) < len(variable.type.shape):
            given = [self.whole(each) for each in subscripts]
            offset = self.flattened(variable.type.shape, given)
            rest = variable.type.shape[len(given) :]
            if len(rest) > 1:
                self.refuse("a pointer to an array", node)
            return Value(Pointer(variable.type.of), load(variable.name), offset)
        return self.read(self.element(node))

    def value_StructRef(self, node: c_ast.StructRef) -> Value:
        if isinstance(node.name, c_ast.ID) and node.name.name in _DIM3 and self.scope.find(node.name.name) is None:
            if node.field.name not in ("x", "y", "z"):
                self.wrong(f'"{node.name.name}" has no member "{node.field.name}"', node)
            member = ast.Attribute(load(f"_c_{node.name.name}"), node.field.name, ast.Load())
            return Value(UINT, to("u4", member))
        return self.module.builtins.attribute(self, node)

    def value_Cast(self, node: c_ast.Cast) -> Value:
        kind = self.module.typename(node.to_type, self)
        if kind is VOID:
            return Value(VOID, self.value(node.expr).node)
        made = self.value(node.expr)
        return self.cast(made, kind, node)

    def cast(self, made: Value, kind: object, node: c_ast.Node) -> Value:
        if isinstance(kind, Pointer):
            return self.cast_pointer(made, kind, node)
        if isinstance(made.type, Pointer) or not isinstance(kind, Scalar) or not isinstance(made.type, Scalar):
            if isinstance(made.type, Pointer) and kind == BOOL:
                return self.truth(node.expr)
            self.refuse(f'a conversion of "{made.type}" to "{kind}"', node)
        return self.converted(made, kind, node)

    def converted(self, made: Value, kind: Scalar, node: c_ast.Node | None) -> Value:
        """A number as another type, as an assignment converts it."""
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
        if old == new or not isinstance(new, Scalar) or not isinstance(old, Scalar) or old.char == new.char:
            if not isinstance(old, Scalar) and isinstance(new, Scalar):
                self.refuse(f'a conversion of "{made.type}" to "{kind}"', node)
            return Value(Pointer(new if isinstance(new, Scalar) else old), made.node, made.offset)
        self.count += 1
        name = self.scope.own(getattr(made.node, "id", "view"))
        view = ast.Call(ast.Attribute(made.node, "view", ast.Load()), [ast.Attribute(
            load("_c_np"), new.dtype.name, ast.Load())], [])  # fmt: skip
        self.assign(name, view)
        offset = made.offset
        if not (isinstance(offset, ast.Constant) and offset.value == 0):
            if old.size >= new.size:
                offset = ast.BinOp(offset, ast.Mult(), ast.Constant(old.size // new.size))
            else:
                offset = ast.BinOp(offset, ast.FloorDiv(), ast.Constant(new.size // old.size))
        return Value(kind, load(name), offset)
