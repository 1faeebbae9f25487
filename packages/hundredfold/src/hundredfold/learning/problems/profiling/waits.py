"""``profiling.waits``: a number that is fetched in every step, for which the host waits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..facts import Account, Fact
from ..functions import FunctionJudge
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, layouts, nans, other_data, second_call, sizes, tiny
from ..traffic import spell
from .watching import OnTimeline, joined, waits_before_the_end


def relax(x: np.ndarray, steps: int) -> np.ndarray:
    """The specification: `steps` times each element of x (n,) becomes the mean of itself and the one before it, in a circle; the
    largest change of each step, (steps,) float64 on the host."""
    found = np.empty(steps)
    for k in range(steps):
        new = (x + np.roll(x, 1)) / 2
        found[k] = np.abs(new - x).max()
        x = new
    return found


def _few_bytes(account: Account, arguments: tuple) -> str | None:
    if account.to_host is None:
        return None
    _, steps = arguments
    allowed = 16 * steps + 64
    if account.to_host > allowed:
        return f"{spell(account.to_host)} went to the host for {steps} numbers."
    return ""


def _look(timeline: Any, arguments: tuple) -> tuple[str, ...] | None:
    apart = joined(timeline)
    if apart:
        return apart
    waits, steps = waits_before_the_end(timeline), arguments[1]
    if waits:
        return (
            "serialised",
            f"the host waits for the device {'once before the last step' if waits == 1 else f'{waits} times in {steps} steps'}, and launches nothing meanwhile. One wait at the end is enough.",
        )
    return None


_STEPS = Case("100 numbers, 20 steps", lambda: (normal(100, seed=8), 20))

WAITS = Problem(
    id="profiling.waits",
    title="The synchronisation that serialises",
    kind="repair",
    answers=("relax",),
    specification=relax,
    lines=7,
    judge=FunctionJudge(
        cases=(
            Case("5 numbers, 3 steps", lambda: (normal(5), 3)),
            Case("100 numbers, 7 steps", lambda: (normal(100, seed=1), 7)),
            Case("one number", lambda: (normal(1, seed=2), 4)),
            Case("one step", lambda: (normal(6, seed=3), 1)),
            Case("no step", lambda: (normal(6, seed=4), 0)),
            Case("every other number", lambda: (normal(40, seed=5), 5), lambda a: a[::2]),
        ),
        unlisted=(Case("other 5 numbers, 3 steps", lambda: (normal(5, seed=6), 3)),),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal(size[0]), size[1]),
            (9, 4),
            sizes((2, 3), (31, 9), (257, 2), words="{0[0]} numbers, {0[1]} steps"),
            constants(),
            nans(),
            tiny(rtol=1e-6),
            layouts(),
            other_data(),
            second_call(),
        ),
        facts=(Fact("", "transfer", _few_bytes, "Only one number of each step is wanted on the host."),),
        result="host",
        rtol=1e-9,
        atol=1e-14,
        after=(OnTimeline(_STEPS, _look),),
        verified="the host waits once, at the end",
    ),
    hints=(
        "Which line of the loop brings a number to the host? `float`, `int`, `.item()` and an `if` on an array do.",
        "The largest change may stay on the device until the loop is over. Where could 20 of them be kept there?",
        "Make `found = cp.empty(steps)` before the loop, write `found[k] = cp.abs(new - x).max()` in it, and return `cp.asnumpy(found)`.",
    ),
    advice={
        "serialised": "Keep the changes on the device, in an array of `steps` numbers, and fetch that once. In the loop there is no `float`, no `.get()` and no `synchronize`.",
        "device": "One copy at the end brings it to the host: `cp.asnumpy`.",
        "unjoined": "`blocking=False` returns before the copy is done: call `synchronize` of its stream before you return.",
        "aliasing": "`x += …` and `x[…] = …` write into the caller's array.",
        "transfer": "Only one number of each step is wanted on the host.",
    },
    mistakes={
        "signed": Mistake(
            "sign",
            "the largest change was taken with its sign: a change of -3 is larger than one of 1.",
            gives=lambda x, steps: _changes(x, steps, lambda new, old: (new - old).max()),
            hint="`cp.abs` first, then `max`.",
        ),
        "mean": Mistake(
            "quantity",
            "that is the mean change of each step; asked for: the largest.",
            gives=lambda x, steps: _changes(x, steps, lambda new, old: np.abs(new - old).mean()),
        ),
        "from the first": Mistake(
            "recurrence",
            "each step was compared with the array of the beginning; asked for: with the step before.",
            gives=lambda x, steps: _from_the_first(x, steps),
        ),
    },
)


def _changes(x: np.ndarray, steps: int, change) -> np.ndarray:
    found = np.empty(steps)
    for k in range(steps):
        new = (x + np.roll(x, 1)) / 2
        found[k] = change(new, x)
        x = new
    return found


def _from_the_first(x: np.ndarray, steps: int) -> np.ndarray:
    found, first = np.empty(steps), x
    for k in range(steps):
        x = (x + np.roll(x, 1)) / 2
        found[k] = np.abs(x - first).max()
    return found
