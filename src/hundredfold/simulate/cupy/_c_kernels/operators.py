"""Operators of C: assignments, steps, choices, and what has an effect."""

from __future__ import annotations

import ast

from pycparser import c_ast

from . import values
from .expressions import Expressions, Place
from .kinds import BOOL, INT, LONG, ULONG, VOID, Array, Group, Pointer, Scalar, common
from .scope import Variable
from .values import Value, added, binary, convert, literal, load, to, unary, wide


class Operators(Expressions):
    """The part of a function's translation that is about operators."""

    def value_UnaryOp(self, node: c_ast.UnaryOp) -> Value:
        if node.op == "sizeof":
            return self.size_of(node)
        if node.op == "&":
            return self.address(node)
        if node.op == "*":
            return self.read(self.place(node))
        if node.op in ("++", "--", "p++", "p--"):
            return self.stepped(node)
        if node.op == "!":
            return unary("!", self.truth(node.expr))
        operand = self.number(node.expr, "operand")
        made = unary(node.op, operand)
        if made is None:
            self.wrong(f'operand of "{node.op}" cannot be "{operand.type}"', node)
        return made

    def size_of(self, node: c_ast.UnaryOp) -> Value:
        if isinstance(node.expr, c_ast.Typename):
            kind = self.module.typename(node.expr, self)
        elif isinstance(node.expr, c_ast.ID) and (found := self.scope.find(node.expr.name)) is not None:
            kind = found.type
        else:
            _, made = self.apart(lambda: self.value(node.expr))
            kind = made.type
        if isinstance(kind, Scalar):
            return literal(ULONG, kind.size)
        if isinstance(kind, Array):
            size = kind.of.size
            for n in kind.shape:
                size *= n
            return literal(ULONG, size)
        return literal(ULONG, 8)

    def address(self, node: c_ast.UnaryOp) -> Value:
        inner = node.expr
        if isinstance(inner, c_ast.UnaryOp) and inner.op == "*":
            return self.value(inner.expr)
        place = self.place(inner)
        if place.at is None or len(place.at) != 1:
            self.refuse("the address of this", node)
        return Value(Pointer(place.type), place.node, offset_of(place.at[0]))

    def stepped(self, node: c_ast.UnaryOp) -> Value:
        step, late = (1 if "+" in node.op else -1), node.op.startswith("p")
        variable = self.scope.find(node.expr.name) if isinstance(node.expr, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Pointer) and not variable.reference:
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
        made = convert(binary("+", old, literal(INT, step)), place.type)
        return self.store(place, made) if not late else (self.store(place, made), old)[1]

    def settled(self, place: Place) -> Place:
        """A place whose index is computed once."""
        if place.at is not None:
            place.at = [e if _plain(e) else load(self.temporary(e)) for e in place.at]
        return place

    def store(self, place: Place, made: Value) -> Value:
        """Store a value; returns it as what the assignment is worth."""
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
        variable = self.scope.find(node.lvalue.name) if isinstance(node.lvalue, c_ast.ID) else None
        if variable is not None and isinstance(variable.type, Pointer) and not variable.reference:
            return self.assign_pointer(variable, node)
        if variable is not None and isinstance(variable.type, Group):
            self.refuse("assignment of a group", node)
        if node.op == "=":
            right = self.value(node.rvalue)
            place = self.place(node.lvalue)
            return self.store(place, self.converted(right, place.type, node))
        right = self.number(node.rvalue)
        place = self.settled(self.place(node.lvalue))
        made = binary(node.op[:-1], self.read(place), right)
        if made is None:
            self.wrong(f'no operator "{node.op}" for "{place.type}" and "{right.type}"', node)
        return self.store(place, self.converted(made, place.type, node))

    def assign_pointer(self, variable: Variable, node: c_ast.Assignment) -> Value:
        right = self.value(node.rvalue)
        at = f"{variable.name}__at"
        if node.op == "=":
            if not isinstance(right.type, Pointer):
                self.refuse("a pointer made of a number", node)
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
        a, b = self.value(node.left), self.value(node.right)
        if isinstance(a.type, Pointer) or isinstance(b.type, Pointer):
            return self.pointers(node, a, b)
        if not isinstance(a.type, Scalar) or not isinstance(b.type, Scalar):
            self.wrong(f'no operator "{node.op}" matches "{a.type}" and "{b.type}"', node)
        made = binary(node.op, a, b)
        if made is None:
            self.wrong(f'no operator "{node.op}" matches "{a.type}" and "{b.type}"', node)
        return made

    def pointers(self, node: c_ast.BinaryOp, a: Value, b: Value) -> Value:
        if isinstance(a.type, Pointer) and isinstance(b.type, Pointer):
            if node.op == "-":
                return Value(LONG, ast.BinOp(a.offset, ast.Sub(), b.offset))
            if node.op in values.COMPARISONS:
                return binary(node.op, Value(LONG, a.offset), Value(LONG, b.offset))
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
            return Value(a.type, load(array), load(at))
        if a.type is VOID and b.type is VOID:
            self.emit(ast.If(test.node, [*first, *_run(self, a)], [*second, *_run(self, b)]))
            return Value(VOID, ast.Constant(None))
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
        for statement in _run(self, made):
            self.out.append(statement)

    def value_FuncCall(self, node: c_ast.FuncCall) -> Value:
        if isinstance(node.name, c_ast.StructRef):
            return self.module.builtins.member(self, node, [])
        if not isinstance(node.name, c_ast.ID):
            self.refuse("a call of something that is no name", node)
        given = list(node.args.exprs) if node.args is not None else []
        return self.module.called(self, node.name.name, given, node)


def _run(self: Expressions, made: Value) -> list[ast.stmt]:
    """The statements that evaluate something and drop it; none where that does nothing."""
    if any(isinstance(inner, ast.Call | ast.Subscript) for inner in ast.walk(made.node)):
        if isinstance(made.type, Pointer | Array):
            return []
        return [self.stamp(ast.Expr(made.node))]
    return []


def _plain(node: ast.expr) -> bool:
    """Whether a node may be evaluated twice."""
    return isinstance(node, ast.Constant | ast.Name)


def offset_of(node: ast.expr) -> ast.expr:
    """The offset that an index was made of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_c_u8":
        return node.args[0]
    return node if isinstance(node, ast.Constant) else to("i8", node)
