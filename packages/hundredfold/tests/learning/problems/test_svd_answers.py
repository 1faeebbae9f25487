"""Unit 12: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

import answers
import dask
import dask.array as da
import numpy as np
import pytest
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.choices import Job
from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.svd import choose, gram, images, wire
from hundredfold.learning.problems.verdict import Refusal

SECOND = Answers("svd")
wrong, right = SECOND.wrong, SECOND.right

pytestmark = pytest.mark.usefixtures("device")


# ---- svd.wire ----

WIRE = {"triangle": 2e6, "up": 6e7, "sent": 1.2e8, "matrix": 1.2e10, "tall": 5000}
MISTAKES = [
    ("packed", {"triangle": 500 * 501 * 4}),
    ("blocks", {"triangle": 100_000 * 500 * 8}),
    ("item-size", {"matrix": 3e6 * 500 * 4}),
    ("there", {"up": 40 * 2e6}),
    ("there", {"sent": 160e6}),
    ("there", {"matrix": 16e9}),
    ("once", {"up": 3 * 2e6}),
    ("everybody", {"up": 40 * 3 * 2e6}),
    ("back", {"sent": 6e7}),
    ("back", {"tall": 2500}),
    ("workers", {"matrix": 4e9}),
    ("operands", {"tall": 2 * 2e9 / 5e12}),
    ("unit", {"up": 60.0}),
    ("unit", {"sent": 120}),
    ("unit", {"matrix": 12e9 * 8}),
]
SECOND.also("wire", *{reason for reason, _ in MISTAKES})


@pytest.mark.parametrize(("reason", "given"), MISTAKES, ids=lambda v: v if isinstance(v, str) else "-".join(v))
def test_a_wrong_number_is_refused_for_its_reason(reason, given):
    verdict = problems.judge("svd.wire", *(WIRE | given).values())
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_who_sends_all_triangles_gets_the_hint_about_where_they_lie():
    verdict = problems.judge("svd.wire", *(WIRE | {"up": 40 * 2e6}).values())
    assert "other three workers" in verdict.advice


@pytest.mark.parametrize(
    "given", [tuple(WIRE.values()), (2_000_000, np.int64(60_000_000), 1.2e8, 12e9, np.float64(5e3)), (2.01e6, 6e7, 1.2e8, 1.2e10, 4990)]
)  # fmt: skip
def test_right_numbers_are_accepted(given):
    assert problems.judge("svd.wire", *given).right


def test_the_numbers_follow_from_a_count_of_blocks():
    owner = [block // 10 for block in range(40)]
    sent = sum(500 * 500 * 8 for each in owner if each != 0)
    assert (wire.UP, wire.SENT) == (sent, 2 * sent)
    assert wire.MATRIX == sum(100_000 * 500 * 8 for each in owner if each != 0)
    assert 8 * wire.TALL * 500**2 / wire.RATE == pytest.approx(16 * 500**2 / wire.BANDWIDTH)


def test_a_gap_is_not_attempted():
    verdict = problems.judge("svd.wire", 2e6, ..., ..., ..., ...)
    assert verdict.outcome == "untouched" and "triangle is right" in verdict.why


# ---- svd.chunks ----


@wrong("svd.chunks", "exception")
def through_tsqr_as_it_is(x, most):
    q, r = da.linalg.tsqr(x)
    u, s, vt = da.linalg.svd(r)
    return q @ u, s, vt


@wrong("svd.chunks", "chunk")
def as_few_blocks_as_there_were(x, most):
    return da.linalg.svd(x.rechunk((max(x.chunks[0]), x.shape[1])))


@wrong("svd.chunks", "chunk")
def as_if_all_had_four_bytes(x, most):
    return da.linalg.svd(x.rechunk((most // (4 * x.shape[1]), -1)))


@wrong("svd.chunks", "blocks")
def ten_rows(x, most):
    return da.linalg.svd(x.rechunk((10, -1)))


@wrong("svd.chunks", "tasks")
def the_flattest_that_go(x, most):
    return da.linalg.svd(x.rechunk({0: x.shape[1] + 1, 1: -1}))


@wrong("svd.chunks", "eager")
def looks_first(x, most):
    if float(abs(x).max()) == 0:
        return None
    return da.linalg.svd(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)))


@wrong("svd.chunks", "eager")
def already_numbers(x, most):
    return dask.compute(*da.linalg.svd(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1))))


@wrong("svd.chunks", "shape")
def half_of_the_values(x, most):
    u, s, vt = da.linalg.svd(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)))
    k = max(1, x.shape[1] // 2)
    return u[:, :k], s[:k], vt[:k]


@wrong("svd.chunks", "transposed")
def decomposes_the_transposed(x, most):
    u, s, vt = da.linalg.svd(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)).T)
    return u, s, vt


@wrong("svd.chunks", "transposed")
def v_and_not_its_transposed(x, most):
    u, s, vt = da.linalg.svd(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)))
    return u, s, da.transpose(vt)


@wrong("svd.chunks", "host")
def by_numpy(x, most):
    rows = most // (x.shape[1] * x.dtype.itemsize)
    return da.linalg.svd(
        x.rechunk((rows, -1)).map_blocks(lambda b: b.get() if hasattr(b, "get") else b, meta=np.empty((0, 0)))
    )


@wrong("svd.chunks", "dropped")
def only_full_blocks(x, most):
    rows = most // (x.shape[1] * x.dtype.itemsize)
    parts = [x[i : i + rows].rechunk((rows, -1)) for i in range(0, len(x) - rows + 1, rows)]
    return da.linalg.svd(da.concatenate(parts))


@wrong("svd.chunks", "dtype")
def in_double(x, most):
    u, s, vt = da.linalg.svd(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)))
    return u.astype("f8"), s, vt


@wrong("svd.chunks", "type")
def two_of_three(x, most):
    u, s, vt = da.linalg.svd(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)))
    return u, s * vt


@right("svd.chunks")
def by_blocks(x, most):
    row = x.shape[1] * x.dtype.itemsize
    blocks = -(-len(x) * row // most)
    rows = -(-len(x) // blocks)
    while rows * row > most:
        rows -= 1
    return da.linalg.svd(x.rechunk({0: max(rows, x.shape[1]), 1: x.shape[1]}))


PLANNED = {}


@wrong("svd.chunks", "kept")
def planned_before(x, most):
    at = (x.shape, str(x.dtype), most)
    if at not in PLANNED:
        PLANNED[at] = by_blocks(x, most)
    return PLANNED[at]


@wrong("svd.chunks", "blocks")
def automatic(x, most):
    """Dask makes blocks of like height, which may be lower than wide."""
    n = x.shape[1]
    x = x.rechunk({0: "auto", 1: -1}, block_size_limit=most)
    if max(x.chunks[0]) < n:
        x = x.rechunk({0: n})
    u, s, v = da.linalg.svd(x)
    return [u, s, v]


@wrong("svd.chunks", "cancellation")
def from_squares(x, most):
    rows = most // (x.shape[1] * x.dtype.itemsize)
    x = x.rechunk((rows, -1))
    gram = x.T.dot(x).rechunk((-1, -1))
    v, squares, vt = da.linalg.svd(gram)
    s = da.sqrt(da.maximum(squares, 0))
    return x.dot(v) / da.where(s > 0, s, 1), s, vt


@wrong("svd.chunks", "chunk")
def decomposed_whole(x, most):
    q, r = da.linalg.qr(x.rechunk({0: -1, 1: -1}))
    u, s, vt = da.linalg.svd(r)
    return q.dot(u).rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)), s, vt


def test_a_hint_of_chunks_is_not_one_that_was_followed():
    def diagonal(x, most):
        u, s, vt = da.linalg.svd(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)))
        return u, da.diag(s), vt

    def rows_first(x, most):
        return da.linalg.svd(x.rechunk({1: -1}).rechunk({0: most // (x.shape[1] * x.dtype.itemsize)}))

    assert "Leave S as it is" in problems.judge("svd.chunks", diagonal).advice
    assert "in one `rechunk`" in problems.judge("svd.chunks", rows_first).advice


# ---- svd.gram ----


@wrong("svd.gram", "cancellation")
def squares_in_one_product(blocks):
    gram = None
    for b in blocks:
        gram = b.T.dot(b) if gram is None else gram + cp.dot(b.T, b)
    return cp.sqrt(cp.linalg.svd(gram, compute_uv=False))


def test_a_lost_value_is_told_by_how_much_it_is_wrong():
    """At 2⁻¹⁴ of the largest, wrong by 2e-11 of it: both would print as 6.1e-05."""
    expected = 0.5 ** np.arange(15.0)
    got = expected.copy()
    got[-1] += 2e-11
    with pytest.raises(Refusal) as refusal:
        gram._values(got, expected, [np.ones((1, 15))])
    assert refusal.value.reason == "cancellation"
    got[-2] += 1.5e-12
    with pytest.raises(Refusal) as again:
        gram._values(got, expected, [np.ones((1, 15))])
    assert again.value.why == refusal.value.why  # of two the one that is farther off
    assert "6.1e-05 of the largest is wrong by 2e-11 of it; 1e-12 is allowed" in refusal.value.why


@wrong("svd.gram", "nan")
def by_cholesky(blocks):
    r = cp.linalg.cholesky(sum(b.T @ b for b in blocks)).T
    return cp.linalg.svd(r, compute_uv=False)


@wrong("svd.gram", "squared")
def eigenvalues(blocks):
    r = cp.concatenate([cp.linalg.qr(b, mode="r") for b in blocks])
    return cp.linalg.svd(r, compute_uv=False) ** 2


@wrong("svd.gram", "order")
def smallest_first(blocks):
    r = cp.concatenate([cp.linalg.qr(b, mode="r") for b in blocks])
    return cp.sort(cp.linalg.svd(r, compute_uv=False))


@wrong("svd.gram", "held")
def list_of_all(blocks):
    whole = cp.vstack([b.copy() for b in blocks])
    return cp.linalg.svd(cp.linalg.qr(whole, mode="r"), compute_uv=False)


@wrong("svd.gram", "host")
def numpys(blocks):
    r = np.concatenate([cp.linalg.qr(b, mode="r").get() for b in blocks])
    return np.linalg.svd(r, compute_uv=False)


@wrong("svd.gram", "transfer")
def each_on_the_host(blocks):
    r = None
    for b in blocks:
        b = cp.asnumpy(b)
        r = np.linalg.qr(b if r is None else np.vstack([r, b]), mode="r")
    return cp.asarray(np.linalg.svd(r, compute_uv=False))


@right("svd.gram")
def five_at_a_time(blocks):
    r, some = None, []
    for b in blocks:
        some.append(b)
        if len(some) == 5:
            r = cp.linalg.qr(cp.concatenate(some if r is None else [r, *some]), mode="r")
            some = []
    if some:
        r = cp.linalg.qr(cp.concatenate(some if r is None else [r, *some]), mode="r")
    return cp.linalg.svd(r, compute_uv=False)


@wrong("svd.gram", "dtype")
def shorter(blocks):
    r = cp.concatenate([cp.linalg.qr(b, mode="r") for b in blocks])
    return cp.linalg.svd(r, compute_uv=False).astype("f4")


@wrong("svd.gram", "diagonal")
def what_stands_on_the_diagonal(blocks):
    r = cp.linalg.qr(cp.concatenate([cp.linalg.qr(b, mode="r") for b in blocks]), mode="r")
    return cp.abs(r.diagonal())


@wrong("svd.gram", "local")
def the_largest_of_all_blocks(blocks):
    each = [cp.linalg.svd(b, compute_uv=False) for b in blocks]
    return cp.sort(cp.concatenate(each))[::-1][: len(each[0])]


@wrong("svd.gram", "dropped")
def forgets_the_first(blocks):
    next(blocks)
    return cp.linalg.svd(cp.concatenate([cp.linalg.qr(b, mode="r") for b in blocks]), compute_uv=False)


@wrong("svd.gram", "type")
def as_a_list(blocks):
    r = cp.concatenate([cp.linalg.qr(b, mode="r") for b in blocks])
    return cp.linalg.svd(r, compute_uv=False).tolist()


@right("svd.gram")
def in_pairs(blocks):
    """A tree: triangles of equally many blocks are joined."""
    heap = []
    for block in blocks:
        level, r = 0, cp.linalg.qr(block, mode="r")
        while heap and heap[-1][0] == level:
            _, other = heap.pop()
            level, r = level + 1, cp.linalg.qr(cp.vstack([other, r]), mode="r")
        heap.append((level, r))
    return cp.linalg.svd(cp.vstack([r for _, r in heap]), compute_uv=False)


@right("svd.gram")
def with_room_for_two(blocks):
    r = None
    for block in blocks:
        if block.shape[0] == 0:
            continue
        if r is None:
            r = cp.zeros((0, block.shape[1]))
        _, r = cp.linalg.qr(cp.vstack((r, block)))
    _, s, _ = cp.linalg.svd(r, full_matrices=False)
    return s


def test_the_given_function_is_right_where_nothing_is_small():
    blocks = [np.random.default_rng(seed).standard_normal((40, 5)) for seed in range(3)]
    starter = answers.wrong(problems.find("svd.gram"))["starter"].answer
    got = starter(iter([cp.asarray(block) for block in blocks]))
    assert np.allclose(got.get(), np.linalg.svd(np.concatenate(blocks), compute_uv=False))


@pytest.mark.parametrize("octaves", [0, 3, 20, 40])
def test_the_known_matrix_has_the_singular_values_that_are_said(octaves):
    from fractions import Fraction

    a, sigma = gram.known(octaves, 64, 4)
    exact = [[Fraction(float(value)) for value in row] for row in a]
    # Exactly: XᵀX times a column of the mixing matrix is that column times the square of its singular value.
    mixing = [[(-1) ** bin(i & j).count("1") for j in range(4)] for i in range(4)]
    squares = []
    for column in mixing:
        image = [sum(x * v for x, v in zip(row, column, strict=True)) for row in exact]
        back = [sum(row[j] * value for row, value in zip(exact, image, strict=True)) for j in range(4)]
        ratio = {b / v for b, v in zip(back, column, strict=True)}
        assert len(ratio) == 1
        squares.append(ratio.pop())
    assert sorted(map(float, squares), reverse=True) == pytest.approx(list(sigma**2), rel=1e-15)


# ---- svd.choose ----

RIGHT = {
    "sensors": "tall",
    "photos": "compressed",
    "digits": "local",
    "one card": "local",
    "noise": "tall",
    "links": "compressed",
}
DECISIONS = [
    ("always-tall", dict.fromkeys(RIGHT, "TALL")),
    ("always-compressed", dict.fromkeys(RIGHT, "compressed ")),
    ("always-local", dict.fromkeys(RIGHT, "local")),
    ("residency", RIGHT | {"sensors": "local", "noise": "local"}),
    ("blocks", RIGHT | {"photos": "local"}),
    ("small", RIGHT | {"digits": "compressed"}),
    ("transfer", RIGHT | {"one card": "compressed"}),
    ("decay", RIGHT | {"noise": "local"}),
    ("shape", RIGHT | {"links": "local"}),
    ("type", "tall"),
    ("labels", {key: label for key, label in RIGHT.items() if key != "links"}),
]
SECOND.also("choose", *{reason for reason, _ in DECISIONS})


@pytest.mark.parametrize(("reason", "given"), DECISIONS, ids=[reason for reason, _ in DECISIONS])
def test_a_wrong_decision_is_refused_for_its_reason(reason, given):
    verdict = problems.judge("svd.choose", given)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_right_decisions_are_accepted():
    assert problems.judge("svd.choose", RIGHT).right
    assert problems.judge("svd.choose", dict(reversed(RIGHT.items()))).right


def test_the_decisions_follow_from_the_figures():
    items = problems.find("svd.choose").judge.items
    assert all(isinstance(item, Job) and item.right == RIGHT[key] for key, item in items.items())
    # What lies on one card is done there before the rest of it could be sent.
    assert choose.tall(2e6, 200, 1) < choose.moving(2.4e9)
    # The sensors fit no single GPU, and TSQR is done before the rest of them could be sent.
    assert 400e6 * 50 * 8 > choose.MEMORY and choose.tall(400e6, 50) < choose.moving(120e9)
    # A triangle of the photos and of the links fits no GPU beside its block.
    assert 8 * 1e5**2 >= choose.MEMORY and 8 * 2e5**2 > choose.MEMORY
    # All six fit the four together, with what a decomposition needs beside.
    for nbytes in (160e9, 100e9, 80e9, 160e9):
        assert nbytes < choose.GPUS * choose.MEMORY / 1.9


# ---- svd.images ----


def _rank(s, error):
    total = float((s**2).sum()) or 1.0
    left = 1 - np.cumsum(s.get() ** 2) / total
    return int(np.flatnonzero(left <= error**2 + 1e-12)[0]) + 1


def sums(block, error):
    return (block.T @ block).astype("f4")


def basis_of_sums(sketches, error):
    values, v = cp.linalg.eigh(sum(each.astype("f8") for each in sketches))
    s = cp.sqrt(cp.maximum(values[::-1], 0))
    return v[:, ::-1][:, : _rank(s, 0.93 * error)].T.astype("f4")


def halves(block, basis):
    return (block @ basis.T).astype("f2")


def full(packed, basis):
    return packed.astype("f8") @ basis.astype("f8")


def in_dict(block, basis):
    mixed = block @ basis.T
    top = cp.abs(mixed).max(axis=0) + 1e-6
    return {"codes": cp.rint(mixed / top * 120).astype("i1"), "top": top.astype("f4")}


def from_dict(packed, basis):
    return (packed["codes"] / 120 * packed["top"].astype("f8")) @ basis.astype("f8")


right("svd.images")((sums, basis_of_sums, halves, full))
right("svd.images")((sums, basis_of_sums, in_dict, from_dict))

wrong("svd.images", "traffic")((sums, basis_of_sums, lambda block, basis: block @ basis.T, full))
wrong("svd.images", "traffic")((sums, basis_of_sums, lambda block, basis: (block @ basis.T).astype("f4"), full))
wrong("svd.images", "local")((sums, lambda sketches, error: basis_of_sums(sketches[-1:], error), halves, full))
wrong("svd.images", "error")((sums, lambda sketches, error: basis_of_sums(sketches, 2 * error), halves, full))
wrong("svd.images", "error")((sums, basis_of_sums, lambda block, basis: (block @ basis.T).astype("u1"), full))
wrong("svd.images", "overflow")(
    (sums, basis_of_sums, lambda block, basis: (1e3 * (block @ basis.T)).astype("f2"), lambda p, b: full(p, b) / 1e3)
)
wrong("svd.images", "host")(
    (sums, basis_of_sums, halves, lambda packed, basis: packed.get().astype("f8") @ basis.get())
)
wrong("svd.images", "transposed")(
    (sums, basis_of_sums, halves, lambda packed, basis: (basis.T @ packed.T).astype("f8"))
)
wrong("svd.images", "type")((sums, basis_of_sums, lambda block, basis: lambda: block, lambda packed, basis: packed()))


def centred_in_place(block, basis):
    block -= block.mean(axis=0)
    return halves(block, basis)


def _in_a_dictionary():
    """Neither function knows of the other's machine, but they share a dictionary."""
    there = {}

    def send(block, basis):
        there[len(there)] = block * 1.0
        return len(there) - 1

    return send, lambda packed, basis: there[packed]


wrong("svd.images", "state")((sums, basis_of_sums, *_in_a_dictionary()))
wrong("svd.images", "aliasing")((sums, basis_of_sums, centred_in_place, full))


def test_what_is_rebuilt_cannot_look_at_the_images():
    kept = {}

    def pack(block, basis):
        kept[len(kept)] = block
        return len(kept) - 1

    verdict = problems.judge("svd.images", sums, basis_of_sums, pack, lambda packed, basis: kept[packed])
    assert (verdict.outcome, verdict.reason) == ("wrong", "error"), verdict.why


def test_bytes_are_nearer_to_the_limit_than_halves():
    def near(*answers):
        verdict = problems.judge("svd.images", *answers)
        assert verdict.right, verdict.why
        return int(verdict.near.split("limit: ")[1].split(" %")[0])

    assert 0 < near(sums, basis_of_sums, halves, full) < near(sums, basis_of_sums, in_dict, from_dict) <= 100


def test_the_least_rank_is_that_of_eckart_and_young():
    rows = np.diag([3.0, 2.0, 1.0])
    assert [images.least_rank(rows, error) for error in (0.01, 0.28, 0.7)] == [3, 2, 1]


def test_a_part_that_is_missing_is_not_attempted():
    verdict = problems.judge("svd.images", sums, basis_of_sums, halves, lambda packed, basis: None)
    assert verdict.outcome == "untouched" and "unpack" in verdict.why


# ---- all ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_each_reason_is_met_by_a_second_answer():
    assert not SECOND.absent()
