"""The level of RMM's debug log. The simulation writes none; the level is kept."""

from __future__ import annotations

import warnings
from enum import IntEnum


class level_enum(IntEnum):
    """How much is logged."""

    trace = 0
    debug = 1
    info = 2
    warn = 3
    error = 4
    critical = 5
    off = 6
    n_levels = 7


_LOGGED = level_enum.info  # what the published builds are compiled with
_levels = {"logging": level_enum.info, "flush": level_enum.off}


def _checked(level: level_enum) -> level_enum:
    if not isinstance(level, level_enum):
        raise TypeError("level must be an instance of the level_enum enum")
    return level


def should_log(level: level_enum) -> bool:
    """Whether a message of this level would be logged."""
    return _checked(level) >= max(_levels["logging"], _LOGGED)


def set_logging_level(level: level_enum) -> None:
    """Set the level."""
    _levels["logging"] = _checked(level)
    if level < _LOGGED:
        warnings.warn(f"RMM will not log logging_level.{level.name.upper()}.", stacklevel=2)


def get_logging_level() -> level_enum:
    """The level."""
    return _levels["logging"]


def flush_logger() -> None:
    """Nothing waits."""


def set_flush_level(level: level_enum) -> None:
    """Set the level from which each message is written at once."""
    _levels["flush"] = _checked(level)


def get_flush_level() -> level_enum:
    """That level."""
    return _levels["flush"]
