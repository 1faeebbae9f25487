"""``svd.gram``: singular values of blocks that come one after the other, by a Gram matrix that loses the small ones: repair."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .. import devices, guard, traffic
from ..cases import normal
from ..devices import cp
from ..differences import pair
from ..guard import article, require_callable
from ..problem import Problem
from ..traffic import spell
from ..verdict import Verified, attempted, in_case, refuse

NEAR = 1e-12
"""How far from right a singular value may be, as a share of the largest: TSQR and LAPACK reach 1e-15."""
AT_ONCE = 20  # of 60 blocks may be held at once: some that came, what a decomposition makes of them, and triangles


def known(octaves: int, m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A matrix (m, n) of float64, m and n powers of two, and its n singular values, exactly: sqrt(m n) · 2**-e, e from 0 to
    `octaves`. Columns of a Hadamard matrix scaled by powers of two and mixed by another one; no element is rounded."""
    exponents = np.round(np.linspace(0, octaves, n)).astype(int)
    i, j = np.arange(m)[:, None], np.arange(n)
    tall = 1.0 - 2 * (np.bitwise_count(i & j) % 2)
    square = 1.0 - 2 * (np.bitwise_count(j[:, None] & j) % 2)
    rng = np.random.default_rng(octaves)
    mixed = (tall * 0.5**exponents) @ square
    return mixed[rng.permutation(m)] * rng.choice([-1.0, 1.0], (m, 1)), np.sqrt(m * n) * 0.5**exponents


@dataclass(frozen=True)
class Case:
    """Blocks of rows, on the host, and how the sentence calls them."""

    name: str
    make: Callable[[], Sequence[np.ndarray]]
    exact: Callable[[], np.ndarray] | None = None

    def expected(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        return np.linalg.svd(np.concatenate(blocks), compute_uv=False) if self.exact is None else self.exact()


def _known(octaves: int) -> Case:
    return Case(
        f"a condition number of 2^{octaves}",
        lambda: np.split(known(octaves, 1024, 32)[0], 8),
        lambda: known(octaves, 1024, 32)[1],
    )


CASES = (
    Case("3 blocks of 40 × 5", lambda: [normal(40, 5, seed=seed) for seed in range(3)]),
    Case("blocks of 30, 7 and 101 rows", lambda: [normal(rows, 6, seed=rows) for rows in (30, 7, 101)]),
    _known(3),
    _known(40),
    _known(20),
    Case("blocks flatter than wide", lambda: [normal(3, 8, seed=seed) for seed in range(5)]),
    Case("a block without rows", lambda: [normal(20, 4), normal(0, 4), normal(9, 4, seed=1)]),
    Case("two columns that are one", lambda: [np.repeat(normal(30, 1, seed=seed), 2, axis=1) for seed in range(4)]),
    Case("a single block of one column", lambda: [normal(50, 1, seed=9)]),
)
UNLISTED = (
    Case(
        "a first block without rows", lambda: [normal(0, 4), normal(2, 4, seed=1), normal(9, 4, seed=2), normal(0, 4)]
    ),
    Case("numbers of about 1e-200", lambda: [1e-200 * normal(20, 4, seed=seed) for seed in range(3)]),
    Case("numbers of about 1e200", lambda: [1e200 * normal(20, 4, seed=seed) for seed in range(3)]),
    Case("as many rows as columns", lambda: [normal(1, 7, seed=seed) for seed in range(7)]),
    Case("a column of zeros", lambda: [normal(12, 3, seed=seed) * [1.0, 0.0, 2.0] for seed in range(4)]),
    Case(
        "the last block the largest", lambda: [normal(4, 5, seed=1), normal(3, 5, seed=2), 1e6 * normal(90, 5, seed=3)]
    ),
)
_MANY = Case("60 blocks of 256 × 32", lambda: [normal(256, 32, seed=seed) for seed in range(60)])


@threadpool_limits.wrap(limits=1)  # the matrices are small: threads would mostly wait for one another
def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Judge ``singular_values(blocks)`` by its numbers and by how many blocks it holds at once."""
    function = answers[0]
    require_callable(function, problem.answers[0])
    devices.need_cupy()
    gc.collect()  # what an answer before left in cycles would be freed meanwhile, and count as if this one had freed it
    for number, case in enumerate((*CASES, *UNLISTED, _MANY)):
        with in_case(case.name):
            _judge(problem, function, case, first=number == 0)
    return Verified(
        f"{len(CASES) + 1} matrices ({'; '.join(case.name for case in (*CASES, _MANY))}): every singular value to {NEAR:g} of the "
        "largest, and never more than a few blocks held."
    )


class _Blocks:
    """The blocks, one at a time, and the most device memory that was in use whenever one was asked for."""

    def __init__(self, blocks: Sequence[np.ndarray]):
        self._blocks = blocks
        self.most = 0
        self._before = self._used()

    @staticmethod
    def _used() -> int:
        devices.synchronize()
        return int(cp.get_default_memory_pool().used_bytes())

    def each(self) -> Iterator[Any]:
        for block in self._blocks:
            self.most = max(self.most, self._used() - self._before)
            yield cp.asarray(block)
        self.most = max(self.most, self._used() - self._before)


def _judge(problem: Problem, function: Any, case: Case, *, first: bool) -> None:
    blocks = case.make()
    with devices.pooled():
        given = _Blocks(blocks)
        with traffic.watch() as bus:
            called = guard.call(function, given.each(), limit=problem.time_limit)
    attempted(got := called.value, called.printed, first=first)
    if isinstance(got, np.ndarray):
        refuse("host", "the singular values are on the host; they should stay on the device, as a CuPy array.")
    if not devices.is_device(got):
        refuse("type", f"the singular values should be a CuPy array; it is {article(got)}.")
    _values(np.asarray(got.get()), case.expected(blocks), blocks)
    if case is _MANY and bus.to_host is not None and bus.to_host > blocks[0].nbytes:
        refuse(
            "transfer",
            f"the values are right, but {spell(bus.to_host)} went to the host. The blocks lie on the device, and are to stay there.",
        )
    if case is _MANY and given.most > AT_ONCE * blocks[0].nbytes:
        refuse(
            "held",
            f"the values are right, but while the blocks came up to {given.most / blocks[0].nbytes:.0f} times the bytes of a block were held on "
            "the device. There may be thousands of blocks: keep of each only its triangle.",
        )


def _values(got: np.ndarray, expected: np.ndarray, blocks: Sequence[np.ndarray]) -> None:
    n = len(expected)
    if got.shape != (n,):
        refuse("shape", f"the result's shape is {got.shape}; it should be ({n},), one singular value for each column.")
    if got.dtype != np.float64:
        refuse("dtype", f"the result's dtype is {got.dtype}; it should be float64.")
    if np.allclose(got, expected, rtol=1e-6, atol=1e-6 * expected[0]) and not np.allclose(
        got, expected, rtol=1e-9, atol=1e-9 * expected[0]
    ):
        single = got.astype(np.float32) == got
        if single.all():
            refuse("dtype", "the values have the digits of float32 only: somewhere on the way they were float32.")
    largest = expected[0]
    wrong = ~(abs(got - expected) <= NEAR * largest)
    if not wrong.any():
        return
    if np.isnan(got).any():
        refuse(
            "nan",
            f"{np.isnan(got).sum()} of {n} singular values are NaN. Rounding made an eigenvalue that should be tiny and positive negative: "
            "its root does not exist, and a Cholesky decomposition does not either.",
            advice="Do not form XᵀX at all.",
        )
    _other(got, expected, blocks)
    small = expected < 1e-3 * largest
    if small.any() and not wrong[~small].any():
        where = int(np.argmax(abs(got - expected)))
        if not got[wrong].any():
            refuse(
                "value",
                f"the one that should be {expected[where] / largest:.2g} of the largest is 0. Small singular values are asked for, too: "
                "nothing is to be cut off.",
            )
        refuse(
            "cancellation",
            f"the large ones are right, but the one that should be {expected[where] / largest:.2g} of the largest is wrong by "
            f"{abs(got[where] - expected[where]) / largest:.2g} of it; {NEAR:.0e} is allowed. Was XᵀX formed? It has their squares, and what is below 1e-16 of the largest square is lost in its rounding.",
            advice="A QR decomposition of each block keeps them; the R's can be stacked and decomposed again.",
        )
    if not got.any():
        refuse(
            "value",
            f"all singular values are 0; the largest should be {expected[0]:.6g}. An iterator that was gone through once has no block left.",
            advice="Do all with a block while you have it.",
        )
    where = int(np.argmax(wrong))
    a, b = pair(got[where], expected[where])
    refuse(
        "value",
        f"number {where} is {a}; it should be {b}. It is off by {abs(got[where] - expected[where]) / largest:.1e} of the largest, "
        f"and {NEAR:g} is allowed.",
    )


def _other(got: np.ndarray, expected: np.ndarray, blocks: Sequence[np.ndarray]) -> None:
    """Refuse what is recognised as something else that was computed right."""
    largest = expected[0]

    def like(other: np.ndarray, near: float = 1e-6) -> bool:
        return other.shape == got.shape and bool((abs(got - other) <= near * max(abs(other).max(), 1e-300)).all())

    if like(expected[::-1]):
        refuse("order", "the right values, but the smallest comes first. Asked for: the largest first.")
    if like(expected**2):
        refuse("squared", "these are the squares: the eigenvalues of XᵀX. The singular values are their roots.")
    filled = [block for block in blocks if len(block)]
    each = [np.linalg.svd(block, compute_uv=False) for block in filled]
    if len(each) > 1:
        whole = [values for values in each if len(values) == len(expected)]
        if len(whole) == len(each) and (
            like(np.sqrt(sum(values**2 for values in each)))
            or like(sum(each) / len(each))
            or like(np.sort(np.concatenate(each))[::-1][: len(expected)])
        ):
            refuse(
                "local",
                "each block was decomposed by itself. Its directions are other ones than its neighbours': values of blocks cannot be put together.",
            )
        for some in (filled[1:], filled[:-1], filled[-1:], filled[:1]):
            rows = np.concatenate(some)
            if len(rows) >= len(expected) and like(np.linalg.svd(rows, compute_uv=False)):
                refuse(
                    "dropped",
                    f"these are the singular values of {len(some)} of the {len(filled)} blocks: the others were left out.",
                )
    diagonal = abs(np.diag(np.linalg.qr(np.concatenate(filled))[1]))
    if largest and (like(diagonal) or like(np.sort(diagonal)[::-1])):
        refuse(
            "diagonal",
            "these are the diagonal of R. Its singular values are other numbers: R is a triangle, not a diagonal matrix.",
        )


GRAM = Problem(
    id="svd.gram",
    title="Small singular values that were lost",
    kind="repair",
    answers=("singular_values",),
    lines=4,
    judge=judge,
    hints=(
        "Try the given function with `known(40)` of the lecture. Which line loses the small ones: the sum, the eigenvalues, or the root?",
        "`block.T @ block` has the squares of the singular values. A QR decomposition has the singular values themselves, and `cp.linalg.qr(a, mode='r')` gives the triangle alone.",
        "Keep one triangle. With each block: `r = cp.linalg.qr(cp.concatenate([r, block]), mode='r')`, the first time of the block alone. At the end the singular values of `r`.",
    ),
    advice={
        "cancellation": "A zero instead of a NaN is not right either. Do not form XᵀX at all.",
        "order": "`cp.linalg.svd` gives the largest first, `eigvalsh` the smallest.",
        "held": "Of a block only its triangle is needed later on.",
        "host": "Leave out `.get()`.",
        "transfer": "`cp.linalg` does on the device what `np.linalg` does on the host.",
        "diagonal": "R is small: let `cp.linalg.svd` have it.",
        "local": "The triangles can be stacked; the values cannot.",
        "dropped": "Each block's triangle has to meet those before it.",
        "type": "`compute_uv=False` gives the singular values alone.",
    },
)  # fmt: skip
