"""What is recorded: a workload, and the ways of doing it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Way:
    """One way of doing a workload.

    Attributes
    ----------
    name : str
        The library and what is done, as a legend says it.
    device : {"cpu", "gpu"}
    prepare : callable
        Makes the data and returns the function that is timed, which takes nothing.
    needs : tuple of str
        Packages that must be there; a way whose packages are not is left out, and that is said.
    answer : callable, optional
        Makes of what the function returned a number that every way must agree on; by default the thing itself.
    """

    name: str
    device: Literal["cpu", "gpu"]
    prepare: Callable[[], Callable[[], Any]]
    needs: tuple[str, ...] = ()
    answer: Callable[[Any], float] = float


@dataclass(frozen=True)
class Workload:
    """Some work of a fixed size, done in several ways that must agree.

    Attributes
    ----------
    id : str
        That of the published row where the work is the same.
    what : str
        One line.
    ways : tuple of Way
        The naive way on a CPU first.
    n : int
        Elements or rows.
    bytes, least_bytes, flops : float or None
        Bytes that the naive code moves, bytes of inputs and outputs alone, and operations; as in `recordings/schema.json`.
    memory : float
        Bytes that the most demanding way has in use at once; where there is less, the workload is left out.
    tolerance : float
        How far the ways' answers may be apart, relatively.
    """

    id: str
    what: str
    ways: tuple[Way, ...]
    n: int
    memory: float
    shape: tuple[int, ...] | None = None
    dtype: str = "float64"
    bytes: float | None = None
    least_bytes: float | None = None
    flops: float | None = None
    kernels: int | None = None
    tolerance: float = 1e-9
    remark: str = ""


def numbers(shape: tuple[int, ...]) -> Any:
    """Random float64 in [0, 1) on the host, the same for each shape."""
    import numpy as np

    return np.random.default_rng(shape[0]).random(shape)


def on_both(
    shape: tuple[int, ...], work: Callable[[Any, Any], Any], answer: Callable[[Any], float] = float
) -> tuple[Way, Way]:
    """The same code by NumPy and by CuPy: ``work(xp, x)`` of an array of random numbers."""

    def on(module: str) -> Callable[[], Callable[[], Any]]:
        def prepare() -> Callable[[], Any]:
            xp = importlib.import_module(module)
            x = xp.asarray(numbers(shape))
            return lambda: work(xp, x)

        return prepare

    return Way("NumPy", "cpu", on("numpy"), answer=answer), Way("CuPy", "gpu", on("cupy"), ("cupy",), answer)
