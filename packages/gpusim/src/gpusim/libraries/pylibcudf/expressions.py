"""Expressions as trees, which a kernel evaluates row by row."""

from __future__ import annotations

from typing import Any

from . import _answers

ASTOperator: Any = _answers._enumerations["ASTOperator"]
TableReference: Any = _answers._enumerations["TableReference"]


class Expression:
    """A node of the tree."""


class Literal(Expression):
    """A value."""

    def __init__(self, value: Any) -> None:
        self.scalar = value


class ColumnReference(Expression):
    """A column, by its number."""

    def __init__(self, index: int, table_source: Any = TableReference.LEFT) -> None:
        self.index, self.table_source = index, table_source


class ColumnNameReference(Expression):
    """A column, by its name."""

    def __init__(self, name: str) -> None:
        self.name = name


class Operation(Expression):
    """An operation on one or two expressions."""

    def __init__(self, op: Any, left: Expression, right: Expression | None = None) -> None:
        self.op, self.left, self.right = ASTOperator(op), left, right
