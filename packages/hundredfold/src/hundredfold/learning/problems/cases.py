"""Cases: the arguments a learner's function is tried with, chosen so that each awkward shape meets each mistake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import devices


@dataclass(frozen=True)
class Case:
    """One set of arguments.

    Parameters
    ----------
    name : str
        For the learner, after "with": ``"7 × 13 numbers"``.
    make : callable
        ``make() -> tuple`` of host arguments, the same at every call (seeded).
    view : callable, optional
        Applied to each array argument *after* it was brought to the device, to make it non-contiguous there:
        ``lambda a: a[:, ::2]``.
    rtol, atol : float or None
        Tolerances of this case; None takes the judge's.
    finite_only : bool
        Where the specification is not finite, whatever is not finite is right: NaN or infinity is a matter of the order of steps.
    hint : str
        The advice to an answer that is refused with this case, where the refusal has none of its own.
    again : callable, optional
        ``again() -> tuple``: other host arguments. The function is called with them too, and what it gave for `make` looked at
        once more after that. Then it is called with the other arguments again, in which those of `make` were written.
    traced : bool
        For a kernel: whether the lens looks at it, too. A launch alone costs little, so a case for it can be large.
    """

    name: str
    make: Callable[[], tuple[Any, ...]]
    view: Callable[[Any], Any] | None = None
    rtol: float | None = None
    atol: float | None = None
    finite_only: bool = False
    hint: str = ""
    again: Callable[[], tuple[Any, ...]] | None = None
    traced: bool = True

    def host(self) -> tuple[Any, ...]:
        """The arguments as host values."""
        return tuple(self._seen(value) for value in self.make())

    def device(self) -> tuple[Any, ...]:
        """The arguments with each array on the device."""
        return tuple(self._seen(devices.to_device(value)) for value in self.make())

    def second(self) -> Case:
        """The case of the second call, where there is one."""
        return replace(self, make=self.again, again=None)

    def _seen(self, value: Any) -> Any:
        return self.view(value) if self.view is not None and hasattr(value, "shape") else value


def normal(*shape: int, seed: int = 0, dtype: str = "float64", mean: float = 0.0, std: float = 1.0) -> np.ndarray:
    """Normally distributed numbers of a shape; the same numbers for the same arguments."""
    return (np.random.default_rng(seed).standard_normal(shape) * std + mean).astype(dtype)


def uniform(*shape: int, seed: int = 0, dtype: str = "float64") -> np.ndarray:
    """Uniformly distributed numbers in [0, 1) of a shape; the same numbers for the same arguments."""
    return np.random.default_rng(seed).random(shape).astype(dtype)
