"""``svd.chunks``: cut a Dask array so that a tall-skinny decomposition is possible, in chunks that fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .. import devices, graphs
from ..cases import normal
from ..devices import cp
from ..differences import pair
from ..guard import article, require_callable
from ..problem import Problem
from ..verdict import Refusal, Verified, attempted, in_case, refuse
from .gram import known


@dataclass(frozen=True)
class Case:
    """A matrix as it comes: numbers on the host, the chunks they are in, how many bytes a chunk may have, and whose chunks."""

    name: str
    make: Callable[[], np.ndarray]
    chunks: tuple[Any, Any]
    most: int
    device: bool = True
    sized: bool = False  # whether all blocks together are much larger than what is made of them on the way

    def array(self) -> Any:
        import dask.array as da

        x = da.from_array(self.make(), chunks=self.chunks)
        return x.map_blocks(cp.asarray, meta=cp.empty((0, 0), x.dtype)) if self.device else x


CASES = (
    Case("600 × 20 in chunks of 100 × 10", lambda: normal(600, 20), (100, 10), 100 * 20 * 8),
    Case("800 × 30 in chunks of 400 × 5", lambda: normal(800, 30, seed=1), (400, 5), 90 * 30 * 8),
    Case("640 × 16 in chunks of 8 × 16", lambda: normal(640, 16, seed=2), (8, 16), 64 * 16 * 8),
    Case("509 × 12 in chunks of no one size", lambda: normal(509, 12, seed=3), ((7, 300, 202), (5, 1, 6)), 100 * 12 * 8),
    Case("400 × 10 in float32", lambda: normal(400, 10, seed=4, dtype="float32"), (400, 2), 50 * 10 * 4),
    Case("300 × 9 of NumPy's", lambda: normal(300, 9, seed=5), (50, 3), 60 * 9 * 8, device=False),
    Case("50 × 1 number", lambda: normal(50, 1, seed=6), (10, 1), 20 * 8),
)  # fmt: skip


def _scaled(x: np.ndarray, octaves: int) -> np.ndarray:
    """Columns of sizes from 1 down to 2**-octaves."""
    return x * 0.5 ** np.round(np.linspace(0, octaves, x.shape[1]))


def _alike(x: np.ndarray) -> np.ndarray:
    """Its last column is its first, so that the smallest singular value is 0."""
    x[:, -1] = x[:, 0]
    return x


UNLISTED = (
    Case("a condition number of 2^40", lambda: known(40, 256, 16)[0], (64, 5), 40 * 16 * 8),
    Case("columns of very different sizes", lambda: _scaled(normal(200, 12, seed=7), 60), (30, 7), 40 * 12 * 8),
    Case("two columns that are one", lambda: _alike(normal(120, 6, seed=8)), (50, 4), 30 * 6 * 8),
    Case("room for n rows and no more", lambda: normal(90, 9, seed=9), (10, 9), 9 * 9 * 8 + 5),
    Case("room for all rows", lambda: normal(40, 7, seed=10), (11, 3), 10**6),
    Case("a last block of one row", lambda: normal(61, 4, seed=11), (61, 1), 20 * 4 * 8),
    Case("chunks of one row", lambda: normal(37, 5, seed=12), (1, 5), 12 * 5 * 8),
    Case("19 × 9, and room for n rows", lambda: normal(19, 9, seed=15), (5, 9), 9 * 9 * 8),
    Case("9 000 × 2, and room for all rows", lambda: normal(9000, 2, seed=16), (3000, 2), 10**6),
    Case("float32, and room for n rows", lambda: normal(50, 5, seed=13, dtype="float32"), (50, 5), 5 * 5 * 4),
    Case("3000 × 4 in chunks of 100 rows", lambda: normal(3000, 4, seed=14), (100, 4), 200 * 4 * 8, sized=True),
    Case("2800 × 4 in tall chunks of a column", lambda: normal(2800, 4, seed=17), (1000, 1), 200 * 4 * 8, sized=True),
)
_OTHER = Case("61 × 4 as before, with other numbers", lambda: normal(61, 4, seed=18), (61, 1), 20 * 4 * 8)


@threadpool_limits.wrap(limits=1)  # the matrices are small: threads would mostly wait for one another
def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Judge ``decompose(x, most)`` by what it computes while it is built, by its chunks, and by its numbers."""
    function = answers[0]
    require_callable(function, problem.answers[0])
    devices.need_cupy()
    for number, case in enumerate((*CASES, *UNLISTED)):
        with in_case(case.name):
            _judge(problem, function, case, first=number == 0)
    with in_case(_OTHER.name):
        try:
            _judge(problem, function, _OTHER, first=False)
        except Refusal as refusal:
            refuse("kept", f"{graphs.KEPT}: {refusal.why}")
    return Verified(
        f"{len(CASES)} matrices ({'; '.join(case.name for case in CASES)}): nothing computed early, no chunk larger than allowed, "
        "no block flatter than it is wide, U S Vᵀ is the matrix, the columns of U and the rows of Vᵀ are orthonormal, and the singular "
        "values are right to 1e-10 of the largest (1e-4 in float32)."
    )


def _judge(problem: Problem, function: Any, case: Case, *, first: bool) -> None:
    called, ran = graphs.build(function, case.array(), case.most, limit=problem.time_limit)
    got = called.value
    attempted(got, called.printed, first=first)
    graphs.require_unrun(ran)
    if not isinstance(got, (tuple, list)) or len(got) != 3:
        refuse(
            "type", f"it should return three things, U, S and Vᵀ, as `da.linalg.svd` does; it returned {article(got)}."
        )
    for each in got:
        graphs.require_lazy(each)
    u, s, vt = got
    host = case.make()
    _shapes(u, s, vt, host)
    _chunks(u, host, case.most)
    wanted = "cupy" if case.device else "numpy"
    value, ran = graphs.compute([u, s, vt], limit=problem.time_limit, optimize=not case.sized)
    if case.sized and ran.largest > 2 * case.most:
        task = max(ran.tasks, key=lambda task: task.nbytes)
        refuse(
            "chunk",
            f"a task (`{task.name}`) makes {task.nbytes} bytes at once on the way, and {case.most} are allowed for a block of rows.",
            advice="Cut rows and columns in one `rechunk`, before the matrix is decomposed.",
        )
    for name, each in zip(("U", "S", "Vᵀ"), value, strict=True):
        if devices.is_device(each) != case.device:
            side = "on the device" if devices.is_device(each) else "on the host"
            refuse(
                "host" if case.device else "device",
                f"{name} is {side}; the matrix has chunks of {wanted}'s, and so should {name}.",
            )
    _values(value, host)


def _shapes(u: Any, s: Any, vt: Any, host: np.ndarray) -> None:
    m, n = host.shape
    if u.shape == (m, n) and s.shape == (n,) and vt.shape == (n, n):
        return
    if u.shape[:1] == (n,) and vt.shape[1:] == (m,):
        refuse(
            "transposed", f"U has the shape {u.shape} and Vᵀ {vt.shape}: the matrix was decomposed lying on its side."
        )
    if u.shape[0] != m and u.shape[0] < m and u.shape[1:] == (n,):
        refuse(
            "dropped",
            f"U has {u.shape[0]} rows, and the matrix {m}: the rows that are left over when it is cut belong to it as well.",
        )
    if s.shape == (n, n):
        refuse(
            "shape",
            f"S has the shape {s.shape}; it should be ({n},): the singular values alone, as `da.linalg.svd` returns them.",
            advice="Leave S as it is: `u * s` scales the columns of U.",
        )
    refuse(
        "shape",
        f"the shapes are {u.shape}, {s.shape} and {vt.shape}; they should be {(m, n)}, {(n,)} and {(n, n)}: all singular values.",
    )


def _chunks(u: Any, host: np.ndarray, most: int) -> None:
    n = host.shape[1]
    if len(u.chunks[1]) != 1:
        refuse("rechunk", f"U is cut into {len(u.chunks[1])} columns of chunks; each block should have whole rows.")
    rows = u.chunks[0]
    largest = max(rows) * n * host.dtype.itemsize
    if largest > most:
        refuse(
            "chunk",
            f"a block has {max(rows)} × {n} numbers of {host.dtype.itemsize} bytes: {largest} bytes, and {most} are allowed.",
        )
    flat = [size for size in rows[:-1] if size < n]
    if flat:
        refuse(
            "blocks",
            f"there is a block of {flat[0]} × {n}: flatter than it is wide. Its R is as large as the block, so that nothing is gained. "
            f"{most} bytes have room for {most // (n * host.dtype.itemsize)} rows.",
        )
    least = -(-host.nbytes // most)
    if len(rows) > 2 * least + 1:
        refuse(
            "tasks",
            f"it makes {len(rows)} blocks, where {least} would do: each block is several tasks, and each has an R to be sent.",
        )


def _values(value: list[Any], host: np.ndarray) -> None:
    u, s, vt = (np.asarray(devices.to_host(each)) for each in value)
    if u.dtype != host.dtype:
        refuse("dtype", f"U's dtype is {u.dtype}; the matrix's is {host.dtype}.")
    expected = np.linalg.svd(host, compute_uv=False)
    near = 1e-10 if host.dtype == np.float64 else 1e-4
    finest = 1e-12 if host.dtype == np.float64 else 1e-5

    def right(values: np.ndarray) -> bool:
        return np.allclose(s, values, rtol=near, atol=finest * expected[0])

    if not right(expected):
        if right(expected[::-1]):
            refuse("order", "the singular values stand in the wrong order: the largest comes first.")
        wrong = int(np.argmax(np.nan_to_num(abs(s - expected), nan=np.inf)))
        large = expected > 1e-3 * expected[0]
        if np.isfinite(s[large]).all() and np.allclose(s[large], expected[large], rtol=near) and not large.all():
            refuse(
                "cancellation",
                f"the large singular values are right, but one that should be {expected[wrong] / expected[0]:.2g} of the largest is "
                f"{s[wrong] / expected[0]:.2g} of it. XᵀX has their squares, and the small ones are lost in its rounding.",
            )
        got, want = pair(s[wrong], expected[wrong])
        refuse("value", f"a singular value is {got}; it should be {want}.", diagnosed=False)
    if not np.allclose(u * s @ vt, host, atol=near * expected[0]):
        if np.allclose(u * s @ vt.T, host, atol=near * expected[0]):
            refuse("transposed", "the third of them is V; asked for, as `da.linalg.svd` has it: Vᵀ.")
        refuse("value", "S is right, but U S Vᵀ is not the matrix: do U and Vᵀ belong together?")
    for name, product in (("the columns of U", u.T @ u), ("the rows of Vᵀ", vt @ vt.T)):
        if not np.allclose(product, np.eye(len(expected)), atol=1e3 * finest):
            refuse("value", f"U S Vᵀ is the matrix, but {name} are not orthonormal.")


CHUNKS = Problem(
    id="svd.chunks",
    title="Cut it so that it can be decomposed",
    kind="write",
    answers=("decompose",),
    lines=2,
    judge=judge,
    hints=(
        "`da.linalg.svd` wants whole rows in each block: one chunk along axis 1. What does that make of the size of a block that was tall already?",
        "How many rows of n numbers, of `x.dtype.itemsize` bytes each, go into `most` bytes? `x.rechunk((rows, -1))` makes blocks of so many whole rows.",
        "rows = most // (x.shape[1] * x.dtype.itemsize), then `da.linalg.svd(x.rechunk((rows, -1)))`. Nothing is computed by that.",
    ),
    advice={
        "exception": "The blocks must have whole rows: `x.rechunk({1: -1})` is half of it.",
        "chunk": "Whole rows make tall blocks larger. How many of them go into `most` bytes, rounded down?",
        "blocks": "The taller the blocks, the less is sent: take as many rows as are allowed.",
        "eager": "Return what Dask has planned; whoever wants it computes it.",
        "shape": "Compressed finds the first few. Asked for: all.",
        "host": "Rechunking works on the device's chunks as they are.",
        "kept": "Plan anew at each call.",
        "dropped": "`rechunk` leaves a shorter last block by itself.",
        "dtype": "Leave the numbers as they are.",
        "cancellation": "Do not form XᵀX: a QR decomposition of each block keeps small singular values.",
    },
)  # fmt: skip
