"""The seed that scikit-learn gets for a ``random_state`` of cuML."""

from __future__ import annotations

from typing import Any

from gpusim.device.seeds import shifted


def host_seed(random_state: Any) -> Any:
    """What scikit-learn takes: a stream of CuPy gives a number, a seed is shifted where that is asked for."""
    if type(random_state).__module__.startswith("cupy"):
        return int(random_state.randint(0, 2**31 - 1))
    return shifted(random_state)
