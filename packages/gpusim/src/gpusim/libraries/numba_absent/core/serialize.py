"""How Numba's objects are pickled."""

from __future__ import annotations

from typing import Any


def _rebuilt(cls: type, states: dict[str, Any]) -> Any:
    return cls._rebuild(**states)


class ReduceMixin:
    """Pickles what `_reduce_states` returns, and is made again by `_rebuild`."""

    def __reduce__(self) -> tuple:
        return _rebuilt, (type(self), self._reduce_states())
