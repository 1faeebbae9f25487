"""Operations on one column: which casts there are."""

from __future__ import annotations

from typing import Any

from . import _answers

UnaryOperator: Any = _answers._enumerations["UnaryOperator"]


def is_supported_cast(from_: Any, to: Any) -> bool:
    """Whether libcudf casts one type to another."""
    return _answers.of(to) in _answers.names("casts", _answers.of(from_))
