"""``profiling.reuse``: a loop that gives its memory back to the driver, and asks for it again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..facts import crossings
from ..functions import FunctionJudge
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, layouts, nans, other_data, second_call, sizes, tiny
from .watching import OnTimeline


def smooth(x: np.ndarray, times: int) -> np.ndarray:
    """The specification: `times` times each row of x (n, m) becomes the mean of itself and its two neighbours; the first and the
    last row stay."""
    x = x.copy()
    for _ in range(times):
        new = x.copy()
        new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        x = new
    return x


def _calls(timeline: Any) -> tuple[str, bool]:
    """How often the driver was called, and whether memory was given back to it."""
    names = [entry.name for entry in timeline.driver_calls]
    said = {name: spelled(names.count(name)) for name in ("cudaMalloc", "cudaFree")}
    return " and ".join(f"{name} {often}" for name, often in said.items()), "cudaFree" in names


def _look_first(timeline: Any, arguments: tuple) -> tuple[str, ...] | None:
    """The first call has to ask for the memory of a pass, and for no more."""
    times = arguments[1]
    if len(timeline.driver_calls) < times:
        return None
    said, given_back = _calls(timeline)
    return "driver-calls", f"{times} passes call {said}.", "" if given_back else _ASKED_ONLY


def _look(timeline: Any, arguments: tuple) -> tuple[str, ...] | None:
    if not timeline.driver_calls:
        return None
    said, given_back = _calls(timeline)
    return (
        "driver-calls",
        f"a second call with a matrix of the same size calls {said}. The first one has asked for this memory already.",
        "" if given_back else _ASKED_ONLY,
    )


def spelled(number: int) -> str:
    """How often something happens: "never", "once", "20 times"."""
    return {0: "never", 1: "once"}.get(number, f"{number} times")


_ASKED_ONLY = "Nothing is given back to the driver here, and yet it is asked again: are old arrays kept, or is the default pool not in use?"
_PASSES = Case("40 × 50 numbers, 20 times", lambda: (normal(40, 50, seed=9), 20))

REUSE = Problem(
    id="profiling.reuse",
    title="The allocation in the loop",
    kind="repair",
    answers=("smooth",),
    specification=smooth,
    lines=6,
    judge=FunctionJudge(
        cases=(
            Case("5 × 3 numbers, twice", lambda: (normal(5, 3), 2)),
            Case("17 × 9 numbers, five times", lambda: (normal(17, 9, seed=1), 5)),
            Case("three rows, once", lambda: (normal(3, 4, seed=2), 1)),
            Case("two rows", lambda: (normal(2, 4, seed=3), 3)),
            Case("one row", lambda: (normal(1, 4, seed=4), 3)),
            Case("not once", lambda: (normal(4, 4, seed=5), 0)),
            Case("a transposed matrix", lambda: (normal(6, 9, seed=6), 3), lambda a: a.T),
        ),
        unlisted=(Case("other 5 × 3 numbers, twice", lambda: (normal(5, 3, seed=7), 2)),),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal(size[:2]), size[2]),
            (9, 4, 3),
            sizes((31, 7, 4), (3, 257, 2), (1, 1, 1), words="{0[0]} × {0[1]} numbers, {0[2]} times"),
            constants(),
            nans(),
            tiny(rtol=1e-6),
            layouts(),
            other_data(),
            second_call(),
        ),
        facts=(crossings("the data never left the device"),),
        rtol=1e-9,
        atol=1e-14,
        fresh=True,
        after=(OnTimeline(_PASSES, _look, first=_look_first),),
        verified="what the first call asked the driver for is enough for the next one",
    ),
    hints=(
        "Take a timeline of one call. Which calls of the host are longest, and which line makes them?",
        "`free_all_blocks` gives unused memory to the driver, and waits for the device first. The next array has to ask the driver again.",
        "Leave out the call of `free_all_blocks`. The pool hands the old array's block to the next array.",
    ),
    advice={
        "driver-calls": "Which line gives the memory back to the driver? The pool would keep it for the next array, and for the next call.",
        "aliasing": "Work on a copy: the caller still needs `x`.",
        "view": "Without a pass the result has to be a copy, too.",
        "host": "Leave out `.get()`.",
        "transfer": "Leave out `.get()` and `cp.asnumpy`.",
    },
    mistakes={
        "in place": Mistake(
            "recurrence",
            "each row was averaged with the row before it as this pass had changed it already.",
            gives=lambda x, times: _one_after_the_other(x, times),
            hint="All rows of a pass are made from the old ones.",
        ),
        "circle": Mistake(
            "wrapped",
            "the first row was averaged with the last one: `roll` goes round. The first and the last row stay as they are.",
            gives=lambda x, times: _circle(x, times),
        ),
        "two": Mistake(
            "divisor",
            "the sum of three rows was divided by 2.",
            gives=lambda x, times: _divided(x, times, 2),
        ),
        "weighted": Mistake(
            "factor",
            "the row itself was counted twice; asked for: the mean of three rows.",
            gives=lambda x, times: _weighted(x, times),
        ),
    },
)


def _one_after_the_other(x: np.ndarray, times: int) -> np.ndarray:
    x = x.copy()
    for _ in range(times):
        for i in range(1, len(x) - 1):
            x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return x


def _circle(x: np.ndarray, times: int) -> np.ndarray:
    for _ in range(times):
        x = (np.roll(x, 1, 0) + x + np.roll(x, -1, 0)) / 3
    return x


def _divided(x: np.ndarray, times: int, by: float) -> np.ndarray:
    x = x.copy()
    for _ in range(times):
        x[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / by
    return x


def _weighted(x: np.ndarray, times: int) -> np.ndarray:
    x = x.copy()
    for _ in range(times):
        x[1:-1] = (x[:-2] + 2 * x[1:-1] + x[2:]) / 4
    return x
