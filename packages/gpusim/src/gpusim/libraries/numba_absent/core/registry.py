"""Where Numba keeps what it knows of a CPU; the simulated ``numba.cuda`` tells it of the types that it is about to compare."""

from __future__ import annotations

from typing import Any


class _Context:
    def install_possible_conversions(self, actual: Any, formal: Any) -> int:
        """Nothing is to be learned: :mod:`.typeconv.rules` looks at the types themselves."""
        return 0


class _Target:
    typing_context = _Context()


cpu_target = _Target()
