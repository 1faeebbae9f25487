"""Windows that move over rows: which aggregations they have."""

from __future__ import annotations

from typing import Any

from . import _answers


class _Window:
    """How far a window reaches to one side."""

    def __init__(self, delta: Any = None) -> None:
        self.delta = delta


class BoundedClosed(_Window):
    """Up to a distance, with it."""


class BoundedOpen(_Window):
    """Up to a distance, without it."""


class CurrentRow(_Window):
    """Up to the rows of the same value."""


class Unbounded(_Window):
    """All rows."""


def is_valid_rolling_aggregation(source: Any, agg: Any) -> bool:
    """Whether a window's aggregation can be computed of a type."""
    return _answers.of(source) in _answers.names("rolling", agg.kind().name)
