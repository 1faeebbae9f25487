"""How much cuML logs; the simulation logs nothing, the level is kept."""

from __future__ import annotations

from contextlib import contextmanager
from enum import IntEnum
from typing import Any


class level_enum(IntEnum):
    """How much is logged."""

    trace = 0
    debug = 1
    info = 2
    warn = 3
    error = 4
    critical = 5
    off = 6


_level = level_enum.info


def set_level(level: Any) -> Any:
    """Set the level; in a ``with``, for its block."""
    global _level
    before, _level = _level, level_enum(level)

    @contextmanager
    def block() -> Any:
        try:
            yield
        finally:
            set_level(before)

    return block()


def get_level() -> level_enum:
    """The level."""
    return _level


def should_log_for(level: Any) -> bool:
    """Whether a message of this level would be logged."""
    return level_enum(level) >= _level


def _log(*args: Any) -> None:
    """Nothing is logged."""


trace = debug = info = warn = error = critical = _log
