"""The streams that the functions of ``cupy.random`` draw from, one for each device."""

from __future__ import annotations

import threading

from gpusim.device import device

from ._state import RandomState

_random_states: dict[int, RandomState] = {}
_lock = threading.Lock()


def get_random_state() -> RandomState:
    """The stream of the current device that this module's functions draw from."""
    here = device.current()
    with _lock:
        if here not in _random_states:
            _random_states[here] = RandomState()
        return _random_states[here]


def set_random_state(rs: RandomState) -> None:
    """Draw from another stream."""
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _random_states[device.current()] = rs


def reset_states() -> None:
    """Forget the streams; new ones are seeded by the system."""
    global _random_states
    _random_states = {}
