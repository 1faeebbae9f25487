"""Seeded random numbers in a test."""

from __future__ import annotations

import functools
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..random import _generator, reset_states, seed

_before: list[tuple] = []


def _set_up() -> None:
    _before.append((random.getstate(), np.random.get_state(), _generator._random_states))
    if len(_before) == 1:
        reset_states()
        random.seed(99)
        np.random.seed(100)
        seed(101)


def _tear_down() -> None:
    python, host, ours = _before.pop()
    if not _before:
        random.setstate(python)
        np.random.set_state(host)
        _generator._random_states = ours


def generate_seed() -> int:
    """A seed, inside a test of :func:`fix_random`."""
    assert _before, "random is not set up"
    return np.random.randint(0x7FFFFFFF)


def fix_random() -> Callable:
    """Decorator of a test or of a ``TestCase``: Python's, NumPy's and CuPy's streams are seeded, and as before afterwards."""

    def decorate(test: Any) -> Any:
        if isinstance(test, types.FunctionType):

            @functools.wraps(test)
            def run(*args: Any, **kwargs: Any) -> Any:
                _set_up()
                try:
                    return test(*args, **kwargs)
                finally:
                    _tear_down()

            return run
        set_up, tear_down = test.setUp, test.tearDown

        def begin(self: Any) -> None:
            _set_up()
            set_up(self)

        def end(self: Any) -> None:
            try:
                tear_down(self)
            finally:
                _tear_down()

        test.setUp, test.tearDown = begin, end
        return test

    return decorate
