"""The levels of RMM's log."""

from rmm.pylibrmm.logger import level_enum

__all__ = ["level_enum"]
