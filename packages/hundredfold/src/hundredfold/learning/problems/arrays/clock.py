"""``arrays.clock``: repair a clock that lies about device work.

The function under the learner's clock is an `Instrument`: it puts *waiting* of a known length on the device's queue
(nothing computes, so a busy machine changes little), takes down how long each of its calls really took, and can be
slow once. What the clock says is compared with what the instrument took down in the same run, never with a time fixed
beforehand.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .. import devices, guard
from ..differences import FACTORS, number
from ..guard import article, require_callable
from ..problem import Problem
from ..verdict import Verified, refuse
from .instrument import Instrument, enqueue

CALL = 0.006  # s that an ordinary call keeps the device (or the host) busy
LEFTOVERS = 0.15  # s of work that is queued before the clock is asked
FIRST = 0.15  # s that a first call takes longer
SLOW = 0.18  # s that one later call takes longer
SHORT = 0.0002  # s that a call takes beside which a clock's own work would show
SLACK, STRETCH = 0.005, 1.6  # too long is more than STRETCH times what it took, plus SLACK seconds
OVERHEAD, TRIES = 0.0006, 6  # s that a clock may add to a short call, at its best of so many tries


def _ask(
    problem: Problem, clock: Any, instrument: Instrument, what: str, leftovers: float = 0.0, *, first: bool = False
) -> tuple[float, float]:
    """What the clock says of the instrument, in seconds, and the truth."""
    guard.call(devices.synchronize, limit=problem.time_limit, wait=False)
    if leftovers:
        enqueue(lambda: time.sleep(leftovers))
    try:
        got = guard.call(clock, instrument, limit=problem.time_limit, wait=False).value
    finally:
        instrument.live = False
        instrument.left = instrument.unfinished()
    guard.call(devices.synchronize, limit=problem.time_limit, wait=False)
    got = _seconds(got)
    if not instrument.calls and instrument.known:
        refuse("kept", "asked for the time of the same function again, it did not call it. It may take longer now.")
    if not instrument.calls and not first:
        refuse("kept", "asked for the time of another function than before, it did not call it.")
    if not instrument.calls:
        refuse("not-called", "fn was never called, so nothing was timed.")
    truth = instrument.truth()
    for factor, meaning in FACTORS.items():
        if factor >= 1e3 and 0.4 * factor < got / truth < 2.5 * factor:
            refuse("unit", f"for {what} it says a time that is {meaning} Asked for: seconds.")
    return got, truth


def _seconds(got: Any) -> float:
    if isinstance(got, (float, int, np.floating, np.integer)) and not isinstance(got, bool):
        if not np.isfinite(got) or got < 0:
            refuse("value", f"it says {number(got)}: a time is a number of seconds, not below 0.")
        return float(got)
    if got is None or got is ...:
        refuse("type", "it returns nothing: is a `return` missing? Asked for: the seconds, as a float.")
    more = " Its time in seconds is its attribute `median`." if hasattr(got, "median") and hasattr(got, "times") else ""
    refuse("type", f"it returns {article(got)}. Asked for: the seconds, as a float.{more}")


def _too_long(got: float, truth: float) -> bool:
    return got > STRETCH * truth + SLACK


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Situations, each of which catches one way in which a clock lies."""
    clock = answers[0]
    require_callable(clock, problem.answers[0])
    devices.need_cupy()

    plain = Instrument(device=CALL)
    got, truth = _ask(problem, clock, plain, "a function that only queues work for the device", first=True)
    if not plain.left and got < 0.5 * CALL:
        waited, _ = _ask(problem, clock, Instrument(host=CALL), "a function that works on the CPU")
        if waited < 0.5 * CALL:
            refuse("value", _STANDS)
    # What still waits when the clock has returned was not waited for, however long a busy machine made it seem.
    if plain.left or got < 0.5 * CALL:
        refuse(
            "not-synchronised",
            "the clock was stopped before the device had done the work: it says far less than the work takes. A call "
            "on the device returns once the work is queued.",
        )
    if _too_long(got, truth):
        # A few calls that were not waited for are warm-up; many are a batch that was not divided.
        if not plain.waited and plain.calls <= 3:
            refuse("leftovers", _LEFTOVERS)
        refuse(
            "too-long",
            "it says far more than one call takes. Was the time of several calls not divided by their number?",
        )

    def always_too_long(what: str, leftovers: float = 0.0, slow: dict[int, float] | None = None) -> bool:
        # What a busy machine does to one try it seldom does to the next.
        return all(
            _too_long(*_ask(problem, clock, Instrument(device=CALL, slow=slow), what, leftovers)) for _ in range(2)
        )

    if always_too_long("a function on a busy device", leftovers=LEFTOVERS):
        refuse("leftovers", _LEFTOVERS)

    if always_too_long("a function that compiles at its first call", slow={0: FIRST}):
        refuse(
            "first-call",
            "the first call was counted. It compiles kernels and fetches memory, once; asked for: what a call takes "
            "after it.",
        )

    aside = Instrument(device=CALL, aside=True)
    with aside.enqueue.waits():
        got, truth = _ask(problem, clock, aside, "a function that works in a stream of its own")
    if aside.left or got < 0.5 * CALL:
        refuse(
            "not-synchronised",
            "for a function that works in a stream of its own, the clock was stopped before the device had done the work: only "
            "the current stream was waited for.",
            advice="`cp.cuda.Device().synchronize()` waits for all streams.",
        )

    for call in _some(plain.calls):
        if always_too_long("a function with one slow call", slow={call: SLOW}):
            refuse(
                "outlier",
                f"one slow call (number {call + 1} of {plain.calls}) spoilt the result. On a shared machine some call always is "
                "slow.",
            )

    # Five times as long as the others: a number that was written down fits one of them.
    plain.again(host=5 * CALL)
    got, truth = _ask(problem, clock, plain, "a function that works on the CPU")
    if got < 0.5 * 5 * CALL or _too_long(got, truth):
        refuse(
            "value",
            "for a function that works on the CPU alone, without the device, it does not say what a call takes.",
        )

    _own_work(problem, clock)
    return Verified(
        "the device's work is in, of all streams; what was queued before it is not; nor is the first call; one slow call "
        "changes nothing; the clock's own work is not counted; CPU work is timed as well."
    )


def _some(calls: int) -> list[int]:
    """Numbers of calls of which one is to be slow: each after the first, or some of many."""
    return sorted({1 + round(place) for place in np.linspace(0, max(calls - 2, 0), min(max(calls - 1, 1), 7))})


def _own_work(problem: Problem, clock: Any) -> None:
    """Refuse what the clock itself does between its start and its stop; the best of some tries, since machines are shared."""
    most = np.inf
    for _ in range(TRIES):
        short = Instrument(device=SHORT)
        got, _ = _ask(problem, clock, short, "a function with little to do")
        least = min(short.took)
        most = min(most, got - STRETCH * least)
        if most < OVERHEAD:
            return
    refuse(
        "too-long",
        f"for a function that takes {least * 1e3:.2g} ms it says at least {most * 1e3:.2g} ms more. What else happens between the "
        "start and the stop of the clock?",
        advice="Between the two readings of the clock stand `fn()` and the wait, and nothing else.",
    )


_STANDS = (
    "it says far less than a call takes, even where nothing is queued. Does your clock stand still while it waits, as "
    "`time.process_time` does? `time.perf_counter` goes on."
)
_LEFTOVERS = (
    "work that was queued before the clock started was counted: the device does first what came first. That may be an "
    "earlier cell's, or your own warm-up call."
)


CLOCK = Problem(
    id="arrays.clock",
    title="Repair the clock",
    kind="repair",
    answers=("seconds",),
    judge=judge,
    lines=9,
    hints=(
        "A call on the device returns at once. `cp.cuda.Device().synchronize()` waits until all queued work is done: "
        "where must the clock wait, and for what?",
        "Wait before you start the clock and before you stop it. Call fn once before all that, without the clock.",
        "Time several calls, each by itself, and return the median (`statistics.median`): one slow call cannot move "
        "it.",
    ),
    advice={
        "not-synchronised": "Synchronise before you stop the clock.",
        "leftovers": "Synchronise before you start the clock, too.",
        "first-call": "Call fn once, and wait for it, before you start the clock.",
        "outlier": "Time several calls, each by itself, and take the median.",
        "too-long": "Divide by the number of calls, or time each by itself.",
        "unit": "`time.perf_counter` is in seconds; events and many tools give milliseconds.",
        "kept": "Measure anew at each call: no cache.",
        "not-called": "`fn` is the function; `fn()` calls it.",
        "type": "Return one number, the seconds.",
    },
)
