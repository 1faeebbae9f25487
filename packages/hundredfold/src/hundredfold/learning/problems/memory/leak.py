"""``memory.leak``: a view keeps the whole array alive, and a program that works in pieces holds all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, uniform
from ..device_memory import Held, keeping_digits
from ..facts import Account, Fact
from ..functions import FunctionJudge
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, constants, nans, other_data, second_call, sizes, tiny
from ..traffic import spell

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


def _arguments(rng: np.random.Generator, size: tuple[int, int, int]) -> tuple[np.ndarray, int]:
    n, m, rows = size
    return rng.random((n, m)) + 0.1, rows


def _no_sum(rng: np.random.Generator, arguments: tuple[np.ndarray, int]) -> tuple[np.ndarray, int]:
    x, rows = arguments
    x[2] = 0
    x[3], x[3, 0] = 0, -1
    return x, rows


_WIDE = _FromHost("2 000 × 200 numbers, 10 rows at a time", lambda: (_positive(2_000, 200, seed=10), 10))
_ROW_BY_ROW = _FromHost("50 × 4 000 numbers, one row at a time", lambda: (_positive(50, 4_000, seed=11), 1))
_LARGE = _FromHost("10 000 × 40 numbers, 500 rows at a time", lambda: (_positive(10_000, 40, seed=9), 500))


def _allowed(x: np.ndarray, rows: int) -> float:
    """Bytes; a pool gives out 512 at least, so what is kept of a piece counts as so much."""
    return PIECES * x[:rows].nbytes + 4 * x[:, 0].nbytes


def _nothing_back(account: Account, arguments: tuple[Any, ...]) -> str | None:
    if account.to_host is None:
        return None
    if account.to_host > 0:
        return f"{spell(account.to_host)} went from the device to the host. The result is wanted on the device, and nothing else is."
    return ""


def _sent_once(account: Account, arguments: tuple[Any, ...]) -> str | None:
    if account.to_device is None:
        return None
    x, rows = arguments
    if account.to_device < x.nbytes:
        return f"only {spell(account.to_device)} went to the device for {spell(x.nbytes)} of data. The rows are to be sent."
    # A few more for what is made on the host and goes along: an empty array, a number for each piece.
    if account.to_device > x.nbytes + 16 * (1 + -(-len(x) // rows)):
        return f"{spell(account.to_device)} went to the device for {spell(x.nbytes)} of data."
    return ""


def _by_pieces(x: np.ndarray, rows: int, of: Any) -> np.ndarray:
    return np.concatenate([np.empty(0), *(of(x[start : start + rows]) for start in range(0, len(x), rows))])


_KEPT = "Something keeps each piece alive after its turn, or more than `rows` rows are sent at once."

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
        drawn=Drawn(
            _arguments,
            (9, 4, 2),
            sizes(
                (2, 3, 1), (31, 7, 5), (30, 5, 15), (257, 3, 64), words="{0[0]} × {0[1]} numbers, {0[2]} rows at a time"
            ),
            constants(),
            nans(),
            tiny(1e-30),
            Property((Strategy("rows of zeros", change=_no_sum),), "0 / 0 is NaN, as NumPy has it."),
            other_data(),
            second_call(),
            case=_FromHost,
        ),
        facts=(
            Fact("", "transfer", _nothing_back, "Keep the results on the device, and join them there."),
            Fact(
                "each number sent once",
                "transfer",
                _sent_once,
                "Send each piece once, and find its shares on the device.",
            ),
        ),
        compare=keeping_digits(1e-12, advice=_FEWER),
        fresh=True,
        after=(Held(_LARGE, _allowed, _KEPT), Held(_WIDE, _allowed, _KEPT), Held(_ROW_BY_ROW, _allowed, _KEPT)),
        verified="no more than a few pieces on the device at the same time",
    ),
    hints=(
        "`shares[:, 0]` is a view: it has no memory of its own, it shows a part of `shares`. What does a list of such "
        "views keep alive?",
        "An array's memory goes back to the pool when nothing refers to it any more, and a view refers to its whole base. "
        "Neither `del` nor `free_all_blocks` can take what a view still needs.",
        "Keep something of its own: `shares[:, 0].copy()`, or write the piece's result into one array made beforehand: "
        "`out[start : start + rows] = …`.",
    ),
    advice={
        "held": "What does each thing in your list keep alive? `shares[:, 0]` has no memory of its own. And how many rows are sent at a time?",
        "shape": "The result has one axis, with one share for each row. How many rows has the last piece? A slice that goes over the end gives what there is.",
        "transfer": "Keep the results on the device, and join them there.",
        "host": "Leave out `cp.asnumpy`.",
        "dtype": _FEWER,
        "aliasing": "`x /= …` writes into the caller's array.",
        "type": "`cp.concatenate` joins a list of arrays.",
    },
    mistakes={
        "axis": Mistake(
            "axis",
            "the sums were taken down the columns; asked for: the sum of each row.",
            lambda x, rows: _by_pieces(x, rows, lambda p: (p / p.sum(axis=0))[:, 0]),
            hint="`axis=1` goes along the rows and leaves one number for each.",
        ),
        "total": Mistake(
            "axis",
            "each number was divided by the sum of its whole piece; asked for: the sum of its row.",
            lambda x, rows: _by_pieces(x, rows, lambda p: p[:, 0] / p.sum()),
        ),
        "column": Mistake(
            "value",
            "that is the share of each row's last number; asked for: its first.",
            lambda x, rows: x[:, -1] / x.sum(axis=1),
        ),
    },
)
