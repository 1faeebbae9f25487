"""``memory.leak``: a view keeps the whole array alive, and a program that works in pieces holds all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, uniform
from ..devices import cp
from ..functions import FunctionJudge, call
from ..problem import Problem, Wrong
from ..traffic import spell
from ..verdict import refuse
from .account import Held, keeping_digits

_FEWER = "Not smaller numbers, but fewer of them at a time: stay in float64."
PIECES = 6  # as many pieces of device memory may be alive at once: a piece, its shares, and room for a careless line


def first_share(x: np.ndarray, rows: int) -> np.ndarray:
    """The specification: of x (n, m), float64 on the host, the share that each row's first number has in the row's sum,
    (n,) float64 on the device; `rows` rows at a time are sent."""
    return x[:, 0] / x.sum(axis=1)


class _FromHost(Case):
    """Its arrays stay on the host when the function is called."""

    def device(self) -> tuple[Any, ...]:
        return self.host()


def _positive(*shape: int, seed: int = 0) -> np.ndarray:
    return uniform(*shape, seed=seed) + 0.1


_LARGE = _FromHost("10 000 × 40 numbers, 500 rows at a time", lambda: (_positive(10_000, 40, seed=9), 500))


def _allowed(x: np.ndarray, rows: int) -> float:
    return PIECES * x[:rows].nbytes + 4 * x[:, 0].nbytes


def _bus(problem: Problem, function: Any) -> None:
    run = call(problem, function, _LARGE)
    size, moved = run.host[0].nbytes, run.traffic
    if moved.to_host > 256:
        refuse(
            "transfer",
            f"the result is right, but {spell(moved.to_host)} went from the device to the host. The result is wanted on the "
            "device, and nothing else is.",
            case=_LARGE.name,
        )
    if moved.to_device > 1.1 * size:
        refuse(
            "transfer",
            f"the result is right, but {spell(moved.to_device)} went to the device for {spell(size)} of data.",
            case=_LARGE.name,
        )


# Written as a learner would. All are called with a NumPy array.


def _starter(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        shares = piece / piece.sum(axis=1, keepdims=True)
        kept.append(shares[:, 0])
    return cp.concatenate(kept)


def _copied(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        shares = piece / piece.sum(axis=1, keepdims=True)
        kept.append(shares[:, 0].copy())
    return cp.concatenate(kept)


def _into_one(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        out[start : start + rows] = piece[:, 0] / piece.sum(axis=1)
    return out


def _free_all_blocks(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        shares = piece / piece.sum(axis=1, keepdims=True)
        kept.append(shares[:, 0])
        del piece, shares
        cp.get_default_memory_pool().free_all_blocks()
    return cp.concatenate(kept)


def _whole(x, rows):
    whole = cp.asarray(x)
    return whole[:, 0] / whole.sum(axis=1)


def _whole_pieces(x, rows):
    if rows > len(x) // 2:
        return _copied(x, rows)
    rest = len(x) // rows * rows
    return _copied(x[:rest], rows)


def _columns(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        out[start : start + rows] = (piece / piece.sum(axis=0))[:, 0]
    return out


def _total(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        out[start : start + rows] = piece[:, 0] / piece.sum()
    return out


def _last_column(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        out[start : start + rows] = piece[:, -1] / piece.sum(axis=1)
    return out


def _by_way_of_the_host(x, rows):
    kept = [np.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        kept.append(cp.asnumpy(piece[:, 0] / piece.sum(axis=1)))
    return cp.asarray(np.concatenate(kept))


def _on_the_host(x, rows):
    return cp.asnumpy(_copied(x, rows))


def _single(x, rows):
    return _copied(x.astype(np.float32), rows)


def _in_place(x, rows):
    x /= x.sum(axis=1, keepdims=True)
    return _copied(x, rows)


def _list(x, rows):
    kept = []
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        kept.append((piece / piece.sum(axis=1, keepdims=True))[:, 0].copy())
    return kept


def _by_pieces(x: np.ndarray, rows: int, of: Any) -> np.ndarray:
    return np.concatenate([np.empty(0), *(of(x[start : start + rows]) for start in range(0, len(x), rows))])


LEAK = Problem(
    id="memory.leak",
    title="A program that works in pieces and holds them all",
    kind="repair",
    answers=("first_share",),
    specification=first_share,
    lines=7,
    judge=FunctionJudge(
        cases=(
            _FromHost("6 × 3 numbers, two rows at a time", lambda: (_positive(6, 3), 2)),
            _FromHost("4 × 4 numbers, two rows at a time", lambda: (_positive(4, 4, seed=1), 2)),
            _FromHost("101 rows, ten at a time", lambda: (_positive(101, 5, seed=2), 10)),
            _FromHost("one row", lambda: (_positive(1, 4, seed=3), 8)),
            _FromHost("one column", lambda: (_positive(7, 1, seed=4), 3)),
            _FromHost("fewer rows than a piece", lambda: (_positive(5, 4, seed=5), 100)),
            _FromHost("every other column of a wider matrix", lambda: (_positive(9, 8, seed=6)[:, ::2], 4)),
            _FromHost("no rows", lambda: (np.empty((0, 4)), 8)),
        ),
        unlisted=(_FromHost("other 6 × 3 numbers, two rows at a time", lambda: (_positive(6, 3, seed=7), 2)),),
        compare=keeping_digits(1e-12, advice=_FEWER),
        fresh=True,
        after=(
            Held(
                _LARGE,
                _allowed,
                "Something keeps each piece alive after its turn, or all of them are sent at once.",
            ),
            _bus,
        ),
        verified="no more than a few pieces on the device at the same time, and each number sent once",
    ),
    hints=(
        "`shares[:, 0]` is a view: it has no memory of its own, it shows a part of `shares`. What does a list of such "
        "views keep alive?",
        "An array's memory goes back to the pool when nothing refers to it any more, and a view refers to its whole base. "
        "Neither `del` nor `free_all_blocks` can take what a view still needs.",
        "Keep something of its own: `shares[:, 0].copy()`, or write the piece's result into one array made beforehand: "
        "`out[start : start + rows] = …`.",
    ),
    wrong={
        "held": Wrong(
            _starter,
            "held",
            hint="What does each thing in your list keep alive? `shares[:, 0]` has no memory of its own.",
        ),
        "free-all-blocks": Wrong(_free_all_blocks, "held"),
        "whole": Wrong(_whole, "held"),
        "shape": Wrong(
            _whole_pieces,
            "shape",
            hint="How many rows has the last piece? A slice that goes over the end gives what there is.",
        ),
        "axis": Wrong(
            _columns,
            "axis",
            lambda x, rows: _by_pieces(x, rows, lambda p: (p / p.sum(axis=0))[:, 0]),
            "the sums were taken down the columns; asked for: the sum of each row.",
            "`axis=1` goes along the rows and leaves one number for each.",
        ),
        "total": Wrong(
            _total,
            "axis",
            lambda x, rows: _by_pieces(x, rows, lambda p: p[:, 0] / p.sum()),
            "each number was divided by the sum of its whole piece; asked for: the sum of its row.",
        ),
        "column": Wrong(
            _last_column,
            "value",
            lambda x, rows: x[:, -1] / x.sum(axis=1),
            "that is the share of each row's last number; asked for: its first.",
        ),
        "transfer": Wrong(_by_way_of_the_host, "transfer", hint="Keep the results on the device, and join them there."),
        "host": Wrong(_on_the_host, "host", hint="Leave out `cp.asnumpy`."),
        "dtype": Wrong(_single, "dtype", hint=_FEWER),
        "aliasing": Wrong(_in_place, "aliasing", hint="`x /= …` writes into the caller's array."),
        "type": Wrong(_list, "type", hint="`cp.concatenate` joins a list of arrays."),
    },
    right={"copied": _copied, "into one array": _into_one},
)
