"""Hints around kernel arguments: what a host array is copied for, in, out or both."""

from __future__ import annotations

from typing import Any


class ArgHint:
    """A kernel argument with a hint.

    Attributes
    ----------
    value
        The argument.
    """

    copy_in = copy_out = True

    def __init__(self, value: Any):
        self.value = value

    def to_device(self, retr: list, stream: Any = 0) -> Any:
        """The argument on the device; what has to be done after the kernel is appended to ``retr``."""
        from . import _arguments

        return _arguments.to_device(self.value, stream, retr, self.copy_in, self.copy_out)

    @property
    def _numba_type_(self) -> Any:
        from . import _arguments

        return _arguments.typeof(self.value)


class In(ArgHint):
    """Copied to the device only."""

    copy_out = False


class Out(ArgHint):
    """Copied back only."""

    copy_in = False


class InOut(ArgHint):
    """Copied both ways."""


def wrap_arg(value: Any, default: type = InOut) -> ArgHint:
    """An argument with a hint; the default one if it has none."""
    return value if isinstance(value, ArgHint) else default(value)
