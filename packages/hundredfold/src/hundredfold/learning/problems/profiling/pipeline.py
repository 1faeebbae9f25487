"""``profiling.pipeline``: a program with all the faults of the unit. Open-ended: judged against its copies alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import normal
from ..facts import Account, Fact
from ..functions import FunctionJudge
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, nans, other_data, second_call, sizes
from ..traffic import spell
from .watching import NOTHING_SENT, OnTimeline, Pinned, joined, sent

ALLOWED = 1.25
"""The account's estimate may be so many times the copies' alone."""


def spectrum(blocks: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """The specification: from each row of blocks (n, rows, m), float32 in pinned memory, its mean is taken off; the rest, times basis
    (m, k), is squared and added over all rows of all blocks: (k,) float32 on the host."""
    total = np.zeros(basis.shape[1], np.float64)
    for block in blocks:
        rows = (block - block.mean(axis=1, keepdims=True, dtype=np.float64)) @ basis
        total += (rows * rows).sum(axis=0)
    return total.astype(np.float32)


def _look(timeline: Any, arguments: tuple) -> tuple[str, ...] | str:
    apart = joined(timeline)
    if apart:
        return apart
    seconds, least = sent(timeline)
    if not seconds:
        return "serialised", *NOTHING_SENT
    times = timeline.seconds / least
    if times > ALLOWED:
        return (
            "serialised",
            f"by its account it takes {times:.2f} times as long as its copies alone on an H200; {ALLOWED} times are allowed. "
            f"Waits of the host: {len(timeline.waits)}; calls for memory: {len(timeline.driver_calls)}; "
            f"of the kernels' time without a copy beside it: {1 - timeline.overlap / timeline.busy:.0%}.",
        )
    return f"How near to the limit: {100 / times:.0f} % (the limit: the copies to the device alone, from pinned memory, by the account, on an H200)."


def _bytes(account: Account, arguments: tuple) -> str | None:
    if account.to_device is None or account.to_host is None:
        return None
    blocks, basis = arguments
    if account.to_device < blocks.nbytes:
        return f"{spell(account.to_device)} went to the device for {spell(blocks.nbytes)} of blocks. The device is to do the work."
    if account.to_device > blocks.nbytes + basis.nbytes + 64 * (1 + len(blocks)):
        return f"{spell(account.to_device)} went to the device for {spell(blocks.nbytes)} of blocks. The basis goes there once."
    if account.to_host > 32 * basis.shape[1] + 64:
        return f"{spell(account.to_host)} went to the host. Only the sums are wanted there."
    return ""


def _arguments(rng: np.random.Generator, size: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    return rng.standard_normal(size).astype(np.float32), rng.standard_normal((size[2], 3)).astype(np.float32)


def _drawn(n: int, rows: int, m: int, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return normal(n, rows, m, seed=seed, dtype="float32"), normal(m, k, seed=seed + 1, dtype="float32")


_EIGHT = Pinned("eight blocks of 800 × 800 numbers", lambda: _drawn(8, 800, 800, 800, seed=9))


def _each(blocks: np.ndarray, basis: np.ndarray, rows: Any) -> np.ndarray:
    total = np.zeros(basis.shape[1])
    for block in blocks:
        total += rows(block.astype(np.float64), basis)
    return total.astype(np.float32)


PIPELINE = Problem(
    id="profiling.pipeline",
    title="A pipeline as fast as its copies",
    kind="open",
    answers=("spectrum",),
    specification=spectrum,
    lines=14,
    judge=FunctionJudge(
        cases=(
            Pinned("two blocks of 3 × 4 numbers", lambda: _drawn(2, 3, 4)),
            Pinned("five blocks of 7 × 5 numbers", lambda: _drawn(5, 7, 5, seed=1)),
            Pinned("one block", lambda: _drawn(1, 6, 4, seed=2)),
            Pinned("blocks of one row", lambda: _drawn(3, 1, 5, seed=3)),
            Pinned("blocks of one column", lambda: _drawn(3, 5, 1, seed=4)),
            Pinned("no block", lambda: (np.empty((0, 3, 4), np.float32), np.ones((4, 2), np.float32))),
        ),
        unlisted=(Pinned("two other blocks of 3 × 4 numbers", lambda: _drawn(2, 3, 4, seed=5)),),
        drawn=Drawn(
            _arguments,
            (3, 5, 4),
            sizes((2, 31, 7), (7, 4, 33), words="{0[0]} blocks of {0[1]} × {0[2]} numbers"),
            constants(),
            nans(),
            other_data(),
            second_call(),
            case=Pinned,
        ),
        facts=(
            Fact("each number sent once", "transfer", _bytes, "What stays the same is sent once, before the loop."),
        ),
        result="host",
        rtol=1e-3,
        atol=1e-4,
        after=(OnTimeline(_EIGHT, _look),),
        verified="all streams are waited for, also by each other",
    ),
    hints=(
        "Take a timeline of the function with eight blocks of 800 × 800 numbers. Which rows are busy, and who waits for whom?",
        "Three things are done in each pass that could be done once: the basis is sent, the sums are fetched, the pool is emptied.",
        "Then two streams, and an array of sums for each of them: `with streams[i % 2]:` the copy, the kernels, and `sums[i % 2] += …`. "
        "After the loop wait for both, add the sums, and fetch them.",
    ),
    advice={
        "serialised": "Which of the three is largest? Begin with it.",
        "transfer": "What stays the same is sent once, before the loop; what is added up is fetched once, behind it.",
        "unordered": "Streams that do not block wait neither for each other nor for the default stream: wait before the loop and behind it, and give each stream an array of sums of its own.",
        "device": "`cp.asnumpy` at the end.",
        "unjoined": "`blocking=False` returns before the copy is done: call `synchronize` of its stream before you return.",
        "dtype": "The result is float32.",
    },
    mistakes={
        "no mean": Mistake(
            "quantity",
            "the mean of each row was not taken off.",
            gives=lambda blocks, basis: _each(blocks, basis, lambda b, w: ((b @ w) ** 2).sum(axis=0)),
        ),
        "columns": Mistake(
            "axis",
            "the mean of each column was taken off; asked for: of each row.",
            gives=lambda blocks, basis: _each(
                blocks, basis, lambda b, w: (((b - b.mean(axis=0)) @ w) ** 2).sum(axis=0)
            ),
            hint="`axis=1` goes along the rows.",
        ),
        "projected first": Mistake(
            "order",
            "the basis came before the mean; asked for: the mean first.",
            gives=lambda blocks, basis: _each(
                blocks, basis, lambda b, w: ((b @ w - (b @ w).mean(axis=1, keepdims=True)) ** 2).sum(axis=0)
            ),
        ),
        "unsquared": Mistake(
            "squared",
            "the numbers were added without being squared.",
            gives=lambda blocks, basis: _each(
                blocks, basis, lambda b, w: ((b - b.mean(axis=1, keepdims=True)) @ w).sum(axis=0)
            ),
        ),
        "mean of blocks": Mistake(
            "factor",
            "that is the mean of the blocks; asked for: their sum.",
            gives=lambda blocks, basis: (spectrum(blocks, basis) / max(1, len(blocks))).astype(np.float32),
        ),
        "last": Mistake(
            "partial",
            "only the last block was counted.",
            gives=lambda blocks, basis: spectrum(blocks[-1:], basis),
        ),
    },
)
