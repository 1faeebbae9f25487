"""``learning.pagerank``: so many steps of a random walk along the links of a sparse matrix, near the limit of its bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from .. import counting, devices
from ..cases import Case
from ..differences import explain, same
from ..functions import FunctionJudge, Run, call, recognise
from ..guard import article
from ..problem import Mistake, Problem
from ..traffic import spell
from ..verdict import in_case, refuse

FOLLOW = 0.85
ALLOWED, LIMIT = 2.0, 1.0
"""Times the bytes of the links that a step may read: what passes, and what nobody can do with less than."""


def pagerank(links: Any, steps: int) -> np.ndarray:
    """The specification: links (n, n), how often each i is followed by each j; (n,) float64, where a walker is after
    `steps` steps who starts anywhere. In each step they follow a link of theirs with the probability 0.85, each as
    likely as it is frequent, or any node of the n; where there is no link, any node."""
    A = np.asarray(links.todense(), dtype=np.float64)
    return _walk(A, steps, FOLLOW)


def _walk(A: np.ndarray, steps: int, follow: float, *, lost: bool = False) -> np.ndarray:
    n, out = len(A), A.sum(axis=1)
    x = np.full(n, 1 / n)
    for _ in range(steps):
        share = np.divide(x, out, out=np.zeros(n), where=out > 0)
        stuck = 0.0 if lost else x[out == 0].sum()
        x = (1 - follow) / n + follow * (A.T @ share + stuck / n)
    return x


def network(n: int, links: int, seed: int = 0, stuck: int = 2) -> scipy.sparse.csr_matrix:
    """n nodes and about so many links, float64, some of them frequent, to popular nodes more often; the last `stuck` nodes have no link."""
    rng = np.random.default_rng(seed)
    i = rng.integers(0, max(n - stuck, 1), links)
    j = np.minimum((rng.random(links) ** 3 * n).astype(int), n - 1)
    return scipy.sparse.csr_matrix((rng.integers(1, 30, links).astype(float), (i, j)), shape=(n, n))


def _as_often(links: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """The same links, each of them followed once."""
    links.data[:] = 1
    return links


class _Links(Case):
    """Its matrix goes to the device as compressed rows."""

    def device(self) -> tuple[Any, ...]:
        from cupyx.scipy.sparse import csr_matrix

        links, steps = self.make()
        return csr_matrix(links), steps


_LARGE = _Links("3 000 nodes and 150 000 links, 30 steps", lambda: (network(3_000, 150_000, seed=9, stuck=50), 30))
FEW = 10
_FEWER = _Links("as large, 10 steps", lambda: (_LARGE.make()[0], FEW))


def _compare(run: Run) -> None:
    got, expected = run.got, run.expected
    if not devices.is_device(got):
        if isinstance(got, (np.ndarray, np.generic)):
            refuse("host", f"the result is on the host: {article(got)}. It should stay on the device, as a CuPy array.")
        refuse("type", f"the result should be a CuPy array; it is {article(got)}.")
    values = got.get()
    if values.shape != expected.shape:
        refuse(
            "shape", f"the result's shape is {values.shape}; it should be {expected.shape}, one number for each node."
        )
    if values.dtype != np.float64:
        refuse("dtype", f"the result's dtype is {values.dtype}; it should be float64.")
    if not same(values, expected, 1e-9, 1e-15):
        recognise(run, values, rtol=1e-9, atol=1e-15)
        if expected.size and not np.isclose(values.sum(), 1, rtol=1e-6):
            far = f"it adds up to {values.sum():.3g}; somewhere the walker must be, so it should be 1."
            refuse(
                "value",
                f"{far} Is everything that leaves a node counted once where it arrives?",
                advice=run.case.hint or "What leaves a node is its x, in parts: divide by how often it is left.",
            )
    explain(values, expected, rtol=1e-9, atol=1e-15)
    before, after = run.host[0], run.arguments[0].get()  # type: ignore[attr-defined]
    if not (np.array_equal(before.data, after.data) and np.array_equal(before.indices, after.indices)):
        refuse("aliasing", "the result is right, but `links` was changed by the call: it counts links no longer.")


def _bytes(problem: Problem, function: Any) -> str:
    """Judge what the steps of a large case read and send."""
    run = call(problem, function, _LARGE)
    with in_case(_LARGE.name):
        problem.judge.compare_run(run)
    links, steps = run.host
    n = links.shape[0]
    if run.traffic.bus > 64 * steps + 4096:
        refuse(
            "transfer",
            f"the result is right, but {spell(run.traffic.bus)} crossed the bus. Keep the walk on the device, and do not look at it "
            "on the way.",
            case=_LARGE.name,
        )
    least = _least(links)
    # Preparing may read and write the links a few times; what counts is a step.
    few = counting.of_run(call(problem, function, _FEWER), function).device
    step = (counting.of_run(run, function).device - few) / (steps - FEW)
    if step > ALLOWED * least:
        refuse(
            "traffic",
            f"the result is right, but each step moves {spell(step)} of device memory; {spell(ALLOWED * least)} are allowed, "
            f"and the limit is {spell(least)}: the links read once, with x in and out. What in your loop is the same in "
            "each step, or larger than the links?",
            case=_LARGE.name,
        )
    if few > (6 + FEW * ALLOWED) * least + 100 * n * 8:
        refuse(
            "traffic",
            f"the steps are lean, but {spell(few)} were moved to prepare them.",
            case=_LARGE.name,
        )
    return f"How near to the limit: {100 * least / max(step, least):.0f} % (the limit: in each step the links read once, and x in and out)."


def _least(links: Any) -> float:
    """Bytes that a step cannot do without: the links with their places, x in, x out."""
    return links.nnz * (8 + 4) + (links.shape[0] + 1) * 4 + 2 * links.shape[0] * 8


def _host_walk(**changed: Any) -> Any:
    def gives(links: Any, steps: int) -> np.ndarray:
        A = np.asarray(links.todense(), dtype=np.float64)
        return changed["of"](A, steps)

    return gives


def _jumping(A: np.ndarray, steps: int) -> np.ndarray:
    n, out = len(A), A.sum(axis=1)
    x = np.full(n, 1 / n)
    for _ in range(steps):
        share = np.divide(x, out, out=np.zeros(n), where=out > 0)
        x = 0.15 + 0.85 * (A.T @ share + x[out == 0].sum() / n)
    return x


def _ones(A: np.ndarray, steps: int) -> np.ndarray:
    n, out = len(A), A.sum(axis=1)
    x = np.ones(n)
    for _ in range(steps):
        share = np.divide(x, out, out=np.zeros(n), where=out > 0)
        x = 0.15 / n + 0.85 * (A.T @ share + x[out == 0].sum() / n)
    return x


def _back(A: np.ndarray, steps: int) -> np.ndarray:
    n, out, into = len(A), A.sum(axis=1), A.sum(axis=0)
    x = np.full(n, 1 / n)
    for _ in range(steps):
        share = np.divide(x, into, out=x.copy(), where=into > 0)
        x = 0.15 / n + 0.85 * (A @ share + x[out == 0].sum() / n)
    return x


_STUCK = "From a node without a link the walker goes anywhere: their share comes to all, evenly."

PAGERANK = Problem(
    id="learning.pagerank",
    title="PageRank, near its limit",
    kind="open",
    answers=("pagerank",),
    specification=pagerank,
    lines=8,
    judge=FunctionJudge(
        cases=(
            _Links("6 nodes, all with links", lambda: (network(6, 30, seed=1, stuck=0), 3)),
            _Links("6 nodes, one step", lambda: (network(6, 14, seed=2, stuck=0), 1)),
            _Links("7 nodes, two without a link", lambda: (network(7, 20, seed=3), 4), hint=_STUCK),
            _Links("101 nodes", lambda: (network(101, 700, seed=4, stuck=9), 50)),
            _Links("no step", lambda: (network(5, 9, seed=5), 0), hint="Without a step it is 1 / n everywhere."),
            _Links("one node that leads nowhere", lambda: (scipy.sparse.csr_matrix((1, 1)), 3)),
            _Links("no link at all", lambda: (scipy.sparse.csr_matrix((4, 4)), 2)),
            _Links("a node that leads to itself", lambda: (scipy.sparse.csr_matrix(np.diag([5.0, 0.0, 1.0])), 4)),
        ),
        unlisted=(
            _Links("other 6 nodes", lambda: (network(6, 30, seed=6, stuck=1), 3)),
            _Links(
                "two calls", lambda: (network(9, 40, seed=7), 3), again=lambda: (_as_often(network(9, 40, seed=7)), 3)
            ),
        ),
        compare=_compare,
        keeps=False,
        after=(_bytes,),
        verified="the walk stays on the device, and no step reads more than twice the bytes of the links",
    ),
    hints=(
        "The dense matrix has n² numbers, nearly all of them zero, and each step reads all of them. "
        "`links.T @ share` needs no dense matrix, where share is x divided by how often each node is left.",
        "What is the same in every step belongs before the loop: how often each node is left, which have no link, and the "
        "transposed matrix in rows, `links.T.tocsr()`.",
        "A node without a link keeps 1/n for everyone: 0.85 × (the sum of x over those nodes) / n. That is one number, on the "
        "device; do not fetch it.",
    ),
    advice={
        "traffic": "Keep it sparse: `links.T.tocsr() @ share`, with what is the same in each step before the loop.",
        "dtype": "`links` is float64 already.",
        "host": "Leave out `.get()`.",
        "transfer": "`cupyx.scipy.sparse` does on the device what SciPy does on the host.",
        "aliasing": "`links.data *= …` writes into the caller's matrix: work on a copy.",
    },
    mistakes={
        "dangling": Mistake(
            "dangling",
            "whoever comes to a node without a link is lost: it does not add up to 1 any more.",
            _host_walk(of=lambda A, s: _walk(A, s, FOLLOW, lost=True)),
            hint=_STUCK,
        ),
        "backwards": Mistake(
            "transposed",
            "the walker goes backwards along the links. What arrives at j comes from all i with a link to j: the transposed matrix.",
            _host_walk(of=_back),
            hint="`links.T @ …`.",
        ),
        "exchanged": Mistake(
            "operands",
            "0.85 and 0.15 are exchanged: a link is followed with the probability 0.85.",
            _host_walk(of=lambda A, s: _walk(A, s, 0.15)),
            hint="0.15 / n for everyone, 0.85 for what comes along the links.",
        ),
        "teleport": Mistake(
            "teleport",
            "0.15 goes to every node. It is shared by all of them: 0.15 / n each.",
            _host_walk(of=_jumping),
            hint="0.15 / n.",
        ),
        "from ones": Mistake(
            "teleport",
            "the walk begins with 1 at every node; there is one walker, so it begins with 1 / n at each.",
            _host_walk(of=_ones),
            hint="`cp.full(n, 1 / n)`.",
        ),
        "one less": Mistake(
            "recurrence",
            "that is one step too few.",
            _host_walk(of=lambda A, s: _walk(A, max(s - 1, 0), FOLLOW)),
            hint="`range(steps)`.",
        ),
        "one more": Mistake(
            "recurrence",
            "that is one step too many.",
            _host_walk(of=lambda A, s: _walk(A, s + 1, FOLLOW)),
            hint="`range(steps)`.",
        ),
        "unweighted": Mistake(
            "weights",
            "each link counts the same. One that is taken thirty times is thirty times as likely as one that is taken once.",
            _host_walk(of=lambda A, s: _walk((A > 0).astype(float), s, FOLLOW)),
            hint="Divide by the sum of the row, not by the number of its links.",
        ),
    },
)
