"""Operations on two columns: which there are for which types."""

from __future__ import annotations

from typing import Any

from . import _answers

BinaryOperator: Any = _answers._enumerations["BinaryOperator"]


def is_supported_operation(out: Any, lhs: Any, rhs: Any, op: Any) -> bool:
    """Whether an operation takes columns of these types and can give one of the type `out`."""
    return (_answers.of(out), _answers.of(lhs), _answers.of(rhs)) in _answers.operations(BinaryOperator(op).name)
