"""``clusters.histogram``: counted right although a worker dies, with next to nothing moved."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import devices, pool
from ..devices import cp
from ..guard import article, require_callable
from ..problem import Problem
from ..traffic import spell
from ..verdict import Refusal, Verified, in_case, refuse
from .running import Diary, again, note, on_workers, run, wait

ROWS, PARTS, BINS = 20_000, 12, 40
_WAIT = 20.0  # seconds for a worker to be lost; a busy machine is slow
_AFTER = 6.0  # seconds for all of it, where a worker dies: what waits for what it had waits for ever


class Load:
    """Make part `i`: values in [0, 1] on the device, the same at each call.

    With ``after``, the worker that begins so many parts waits in that one until a worker has been lost. With ``narrow`` all
    values lie close together, far from 0 and 1. With ``bins`` some lie on the edges between so many, and right beside them.
    """

    def __init__(
        self, diary: Diary, seed: int, rows: int = ROWS, after: int | None = None, narrow: bool = False, bins: int = 0
    ):
        self.number, self.seed, self.rows, self.after, self.narrow = diary.number, seed, rows, after, narrow
        self.bins = bins

    def host(self, part: int) -> np.ndarray:
        """The values of a part on the host."""
        values = np.random.default_rng((self.seed, part)).beta(2, 5, self.rows)
        if self.narrow:
            return 0.61 + 0.01 * values
        values[:3] = [0.0, 1.0, 0.5][: len(values)]
        if self.bins:
            edges = np.linspace(0, 1, self.bins + 1)[1:-1]
            near = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)])
            values[3 : 3 + len(near)] = near[: max(len(values) - 3, 0)]
        return values

    def __call__(self, part: int) -> Any:
        diary, where = note(self.number, part)
        if diary is not None and self.after is not None and where is not None:
            with diary.lock:
                first = diary.count_unlocked(where) > self.after and "victim" not in diary.found
                if first:
                    diary.found["victim"] = where
            if first:
                diary.event("reached").set()
                wait(diary, "lost", _WAIT)
        if diary is not None and "asked" in diary.found:
            wait(diary, "answered", _WAIT)  # what is made again is not there in time
        return cp.asarray(self.host(part))


def specification(load: Load, parts: list[int], bins: int) -> np.ndarray:
    """How many values lie in each of so many equal parts of [0, 1]; the last one includes 1."""
    every = [load.host(part) for part in parts]
    return np.histogram(np.concatenate(every) if every else [], bins, (0, 1))[0].astype(np.int64)


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    function = answers[0]
    require_callable(function, problem.answers[0])
    devices.need_cupy()
    parts = [7 * part + 3 for part in range(PARTS)]  # no places in a list
    moved = _judge(problem, function, f"{PARTS} parts of {ROWS} values", parts, BINS, seed=1, first=True)
    _judge(problem, function, "one part, one bin", [3], 1, seed=2)
    _judge(problem, function, "parts without values", [0, 1], 7, seed=3, rows=0)
    _judge(problem, function, "70 000 values in one bin of each part", [4, 1, 2], 9, seed=4, rows=70_000, narrow=True)
    # A count of each part fits into 8 and 16 bits, and their sum does not.
    _judge(problem, function, "100 values in one bin of each part", [1, 3, 2], 9, seed=8, rows=100, narrow=True)
    _judge(problem, function, "25 000 values in one bin of each part", [5, 1, 2], 9, seed=12, rows=25_000, narrow=True)
    for after in (1, 3):
        _judge(
            problem, function, f"a worker that dies in its part {after + 1}", parts, BINS, seed=4 + after, after=after
        )
    _judge(problem, function, "a worker that dies before it is asked for what it keeps", parts, BINS, seed=9, late=True)
    closed = Diary()
    closed.close()  # what the earlier call does is in none
    earlier = Load(closed, seed=10, rows=50)
    _judge(
        problem,
        again(function, earlier, [2, 3], 5),
        "a second call with the same client, one part twice",
        [3, 2, 3],
        5,
        seed=11,
    )
    least = 2 * BINS * 8
    return Verified(
        f"{PARTS} parts; one part; parts without values; all values in one bin; a worker that dies in its second part, and in its fourth: the "
        "counts are the same as if it had lived, and no part left the worker that made it.",
        f"Moved: {moved / least:.1f}× the least there is, one histogram from worker to worker and one to the notebook.",
    )


def _judge(
    problem: Problem,
    function: Callable[..., Any],
    name: str,
    parts: list[int],
    bins: int,
    seed: int,
    rows: int = ROWS,
    after: int | None = None,
    first: bool = False,
    narrow: bool = False,
    late: bool = False,
) -> int:
    dies = late or after is not None
    diary = Diary(held=0 if len(parts) > 1 else None)
    load = Load(diary, seed, rows, after, narrow, bins)
    with in_case(name), contextlib.closing(diary):
        if late:
            function = _dies_late(function, diary)
        during = None if after is None else lambda seen: _lose(seen, diary)
        try:
            limit = _AFTER if dies else None
            got, seen, printed = run(
                problem, function, load, list(parts), bins, first=first, during=during, limit=limit
            )
        except Refusal as refusal:
            if dies and refusal.reason in ("exception", "timeout"):
                refuse(
                    "state",
                    f"it is right as long as nobody dies. Then {refusal.why} What only one worker has (an actor, scattered data) is "
                    "gone with it, and no task says how to make it again.",
                )
            raise
        expected = specification(load, parts, bins)
        _counts(got, expected, dies, printed, near=3 * len(parts))
        if not dies:
            _where(diary, seen, len(parts), bins, rows)
        return seen.between_workers + seen.to_client + seen.scattered


def _dies_late(function: Callable[..., Any], diary: Diary) -> Callable[..., Any]:
    """The function, and a worker dies when all workers are asked for what they keep: what only it has is gone, and is made
    again after they have answered."""

    def watched(client: Any, *arguments: Any) -> Any:
        run = client.run

        def asked(*args: Any, **more: Any) -> Any:
            worker = next((where for _, where in diary.notes if where in client.scheduler_info()["workers"]), None)
            if worker is None:
                return run(*args, **more)
            diary.event("answered").clear()
            diary.found["asked"] = worker
            pool.lose(pool.Seen(client), worker)
            try:
                return run(*args, **more)
            finally:
                diary.event("answered").set()

        client.run = asked
        try:
            return function(client, *arguments)
        finally:
            del client.run

    return watched


def _lose(seen: pool.Seen, diary: Diary) -> None:
    """Beside the answer: wait until a worker is in the midst of it, and let it die, or the one where an actor lives."""
    if not diary.event("reached").wait(_WAIT) or "victim" not in diary.found:
        return
    actors = pool.on_scheduler(
        seen.client, lambda dask_scheduler: [each.address for each in dask_scheduler.workers.values() if each.actors]
    )
    try:
        pool.lose(seen, actors[0] if actors else diary.found["victim"])
    finally:
        diary.event("lost").set()


def _counts(got: Any, expected: np.ndarray, dies: bool, printed: str, near: int) -> None:
    """Refuse counts that are wrong; `near` is how many values lie on one edge and right beside it."""
    if devices.is_device(got):
        refuse("device", "the result is still on the device; the counts were asked for on the host, as a NumPy array.")
    if not isinstance(got, np.ndarray):
        refuse("type", f"the result should be a NumPy array of counts; it is {article(got)}.", printed=printed)
    if got.shape != expected.shape:
        refuse("shape", f"the result's shape is {got.shape}; it should be {expected.shape}, a count for each bin.")
    if got.dtype.kind not in "iu":
        refuse("dtype", f"the result's dtype is {got.dtype}: counts are whole numbers.")
    if np.array_equal(got, expected):
        return
    total, right = int(got.sum()), int(expected.sum())
    if dies and total > right:
        refuse(
            "repeated",
            f"{total} values were counted, and there are {right}. Parts that the lost worker had done were done again, as they "
            "must be, and what they had added to before was added to again. A task should return what it found, and change nothing.",
        )
    if dies and total < right:
        refuse(
            "state",
            f"{right - total} of {right} values are missing: what the lost worker had counted was lost with it.",
        )
    if total < right and np.array_equal(got[:-1], expected[:-1]):
        refuse("border", "values of exactly 1 are missing: they belong into the last bin.")
    wrong = int((got != expected).sum())
    if np.abs(got - expected).max() <= near and total in (right, right - near // 3):
        refuse(
            "border",
            f"{wrong} of {len(expected)} counts are wrong, by a few values each: those on the edge between two bins or right beside it are "
            "in the wrong one. `np.histogram` counts a value on an edge into the bin above, and a 1 into the last.",
            advice="`cp.histogram` compares with the edges. Times the bins and cut off is not the same, since the product is rounded.",
        )
    if total == right and np.count_nonzero(expected) < np.count_nonzero(got):
        refuse(
            "border",
            f"{wrong} of {len(expected)} counts are wrong: all values are there, but in other bins. The bins divide 0 … 1, "
            "wherever the values of a part lie.",
            advice="Say the range: `cp.histogram(part, bins, (0, 1))`.",
        )
    if np.iinfo(got.dtype).bits < 32 or ((expected - got) % 256 == 0).all():
        refuse(
            "overflow",
            f"{wrong} of {len(expected)} counts are wrong: a count of {expected.max()} does not fit into the type that it was kept in.",
        )
    refuse("value", f"{wrong} of {len(expected)} counts are wrong; their sum is {total}, and there are {right} values.")


def _where(diary: Diary, seen: pool.Seen, parts: int, bins: int, rows: int) -> None:
    if rows == 0:
        return
    if diary.local:
        on_workers(diary, seen, "`load`")
    part, histogram = rows * 8, bins * 8
    allowed = 2 * parts * histogram + 4096
    if seen.between_workers + seen.scattered > max(allowed, part / 2):
        refuse(
            "moved",
            f"the counts are right, but {spell(seen.between_workers + seen.scattered)} went from worker to worker; the histograms of all parts are "
            f"{spell(parts * histogram)}. Count a part where it is, and move the counts.",
        )
    if seen.to_client > max(allowed, part / 2):
        refuse(
            "fetched",
            f"the counts are right, but {spell(seen.to_client)} came to the notebook; the histograms of all parts are "
            f"{spell(parts * histogram)}. Count on the workers.",
        )
    on_workers(diary, seen, "`load`")


HISTOGRAM = Problem(
    id="clusters.histogram",
    title="Count once, even if a worker dies",
    kind="open",
    answers=("histogram",),
    lines=4,
    time_limit=12.0,
    judge=judge,
    specification=specification,
    hints=(
        "One task for a part: load it, count it on the device, return the counts. Counts are small; the parts stay where they are.",
        "Whatever a task changes outside of itself, a queue, a variable, an actor, is changed again when the task is run again. "
        "What it returns is kept once, however often it ran.",
        "Near the limit: add the counts up on the workers, two by two or all of one worker first, and fetch one histogram.",
    ),
)
