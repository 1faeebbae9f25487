"""``profiling.overlap``: blocks that are copied and worked on one after the other, although the device could do both at once."""

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

SHARE = 0.5
"""Of the kernels' time, but that of the last block, so much must run beside a copy."""
SLOWER = 1.5
"""Copies may take so many times as long as all from pinned memory: room for a small array from ordinary memory."""
_ORDINARY = "The host waits for copies to the device, as it does for ordinary memory. Copy the blocks as they come: they are pinned."


def largest(blocks: np.ndarray) -> np.ndarray:
    """The specification: for each block of blocks (n, m, m), float32 in pinned memory, the largest number in the product of the
    block with its transpose; (n,) float32 on the device."""
    found = np.empty(len(blocks), np.float32)
    for i, block in enumerate(blocks):
        found[i] = (block @ block.T).max()
    return found


def _look(timeline: Any, arguments: tuple) -> tuple[str, ...] | None:
    blocks = arguments[0]
    apart = joined(timeline)
    if apart:
        return apart
    seconds, least = sent(timeline)
    if not seconds:
        return "beside", *NOTHING_SENT
    slower = seconds / least
    possible = timeline.busy * (len(blocks) - 1) / len(blocks)
    if timeline.overlap < SHARE * possible:
        share = timeline.overlap / possible if possible else 0.0
        return (
            "beside",
            f"{share:.0%} of the kernels' time runs beside a copy. While one block is computed, the next one could be on its way.",
            _ORDINARY if slower > SLOWER else "",
        )
    if slower > SLOWER:
        return "beside", f"by its account the copies take {slower:.1f} times as long as from pinned memory.", _ORDINARY
    return None


def _sent_once(account: Account, arguments: tuple) -> str | None:
    if account.to_device is None or account.to_host is None:
        return None
    nbytes = arguments[0].nbytes
    if account.to_device < nbytes:
        return f"{spell(account.to_device)} went to the device for {spell(nbytes)} of data. The products are the device's work."
    if account.to_device > nbytes + 64 * (1 + len(arguments[0])):
        return f"{spell(account.to_device)} went to the device for {spell(nbytes)} of data."
    if account.to_host > 16:
        return f"{spell(account.to_host)} went to the host. The result is wanted on the device."
    return ""


def _normal(*shape: int, seed: int = 0) -> np.ndarray:
    return normal(*shape, seed=seed, dtype="float32")


_FOUR = Pinned("four blocks of 600 × 600 numbers", lambda: (_normal(4, 600, 600, seed=9),))

OVERLAP = Problem(
    id="profiling.overlap",
    title="The copy that could overlap",
    kind="write",
    answers=("largest",),
    specification=largest,
    lines=9,
    judge=FunctionJudge(
        cases=(
            Pinned("two blocks of 3 × 3 numbers", lambda: (_normal(2, 3, 3),)),
            Pinned("five blocks of 8 × 8 numbers", lambda: (_normal(5, 8, 8, seed=1),)),
            Pinned("one block", lambda: (_normal(1, 5, 5, seed=2),)),
            Pinned("blocks of one number", lambda: (_normal(3, 1, 1, seed=3),)),
            Pinned("no block", lambda: (np.empty((0, 4, 4), np.float32),)),
        ),
        unlisted=(Pinned("two other blocks of 3 × 3 numbers", lambda: (_normal(2, 3, 3, seed=4),)),),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal((size[0], size[1], size[1])).astype(np.float32),),
            (3, 5),
            sizes((2, 31), (7, 4), words="{0[0]} blocks of {0[1]} × {0[1]} numbers"),
            constants(),
            nans(),
            other_data(),
            second_call(),
            case=Pinned,
        ),
        facts=(
            Fact(
                "each block sent once",
                "transfer",
                _sent_once,
                "Send each block once, and keep the result on the device.",
            ),
        ),
        rtol=1e-4,
        atol=1e-6,
        after=(OnTimeline(_FOUR, _look),),
        verified="copies and kernels run side by side, and all streams are waited for",
    ),
    hints=(
        "Work of one stream runs in order: a copy waits for the kernel before it. How many streams does it take for two things at once?",
        "Make two streams with `non_blocking=True`, and give block `i` to stream `i % 2`: its copy and its kernels, in this order.",
        "`with streams[i % 2]:` around `x = cp.asarray(blocks[i])` and `found[i] = (x @ x.T).max()`. After the loop `synchronize` both streams.",
    ),
    advice={
        "beside": "Which stream does each copy go to, and what else is in it? A wait in the loop keeps the host from starting the next copy.",
        "unordered": "Copy and kernels of a block belong into the same stream, or an event between two.",
        "unjoined": "After the loop call `synchronize` of each stream.",
        "host": "Leave the result on the device.",
        "transfer": "Send each block once, and keep the result on the device.",
        "dtype": "The blocks are float32, and so is the result.",
    },
    mistakes={
        "not transposed": Mistake(
            "transposed",
            "that is the product of the block with itself; asked for: with its transpose.",
            gives=lambda blocks: np.array([(b @ b).max() for b in blocks], np.float32),
        ),
        "of all": Mistake(
            "per-element",
            "every block got the largest number of all blocks; asked for: its own.",
            gives=lambda blocks: np.full(len(blocks), max(((b @ b.T).max() for b in blocks), default=0), np.float32),
        ),
    },
)
