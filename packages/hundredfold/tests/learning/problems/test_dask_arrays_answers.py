"""Unit 10: answers that its problems have never seen, and what its judges count."""

import answers
import dask
import dask.array as da
import numpy as np
import pytest
from answers.dask_arrays import lean as known_lean
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems import graphs
from hundredfold.learning.problems.dask_arrays import once, plan, smooth, worth
from hundredfold.learning.problems.devices import cp

pytestmark = pytest.mark.usefixtures("device")
SECOND = Answers("dask-arrays")
wrong, right = SECOND.wrong, SECOND.right


# ---- port ----


@wrong("port", "eager")
def asks_if_any_is_zero(x):
    scale = x.std(axis=0)
    if bool((scale == 0).any()):
        scale = scale + (scale == 0)
    return (x - x.mean(axis=0)) / scale


@wrong("port", "eager")
def persists_first(x):
    x = x.persist()
    scale = x.std(axis=0)
    return (x - x.mean(axis=0)) / da.where(scale == 0, 1, scale)


@wrong("port", "host")
def sends_the_result_home(x):
    scale = x.std(axis=0)
    z = (x - x.mean(axis=0)) / da.where(scale == 0, 1, scale)
    return z.map_blocks(lambda tile: tile.get() if hasattr(tile, "get") else tile, dtype=z.dtype)


@wrong("port", "transfer")
def centres_on_the_host(x):
    def centre(tile, mean):
        return cp.asarray(cp.asnumpy(tile) - cp.asnumpy(mean)) if hasattr(tile, "get") else tile - mean

    away = x.map_blocks(lambda tile: tile.get() if hasattr(tile, "get") else tile, dtype=x.dtype, meta=np.empty((0, 0)))
    back = away.to_backend("cupy") if graphs.kind(x) == "cupy" else away
    scale = back.std(axis=0)
    return (back - back.mean(axis=0)) / da.where(scale == 0, 1, scale)


@wrong("port", "aliasing")
def sums_into_the_chunk(x):
    mean, scale = x.mean(axis=0), x.std(axis=0)
    centred = x.map_blocks(lambda tile, m: np.subtract(tile, m, out=tile), mean[None, :], dtype=x.dtype)
    return centred / da.where(scale == 0, 1, scale)


@wrong("port", "nan")
def without_a_thought_of_zero(x):
    mean = x.sum(axis=0) / x.shape[0]
    return (x - mean) / da.sqrt(((x - mean) ** 2).sum(axis=0) / x.shape[0])


@wrong("port", "axis")
def each_row(x):
    z = x.T - x.mean(axis=1)
    scale = x.std(axis=1)
    return (z / da.where(scale == 0, 1, scale)).T


@wrong("port", "ddof")
def unbiased(x):
    variance = x.var(axis=0, ddof=1)
    return (x - x.mean(axis=0)) / da.sqrt(da.where(variance == 0, 1, variance))


@wrong("port", "own-chunk")
def chunk_by_chunk(x):
    def block(tile):
        scale = tile.std(axis=0, keepdims=True)
        scale[scale == 0] = 1
        return (tile - tile.mean(axis=0, keepdims=True)) / scale

    return da.map_blocks(block, x, dtype=x.dtype, meta=x._meta)


@wrong("port", "chunk")
def columns_in_one_piece(x):
    def block(tile):
        scale = tile.std(axis=0)
        return (tile - tile.mean(axis=0)) / (scale + (scale == 0))

    return x.rechunk({0: -1}).map_blocks(block, dtype=x.dtype).rechunk(x.chunks)


@right("port")
def with_variances(x):
    variance = x.var(axis=0)
    return (x - x.mean(axis=0)) * da.where(variance > 0, 1 / da.sqrt(da.where(variance > 0, variance, 1)), 0)


@right("port")
def by_numpys_functions(x):
    scale = np.std(x, axis=0)
    return np.subtract(x, np.mean(x, axis=0)) / (scale + (scale == 0))


@wrong("port", "value")
def below_a_millionth_counts_as_zero(x):
    mean, scale = x.mean(axis=0), x.std(axis=0)
    return da.where(scale < 1e-6, 0, (x - mean) / da.maximum(scale, 1e-6))


# ---- smooth ----


@wrong("smooth", "seams")
def each_chunk_for_itself(image):
    def block(tile):
        rows, columns = tile.shape
        down = np.clip(np.arange(-2, rows + 2), 0, rows - 1)
        across = np.clip(np.arange(-2, columns + 2), 0, columns - 1)
        return smooth.five_by_five(tile[down][:, across])[2:-2, 2:-2]

    return image.map_blocks(block, dtype=image.dtype, meta=image._meta)


@wrong("smooth", "border")
def reflects(image):
    return da.map_overlap(
        smooth.five_by_five, image, depth={0: 2, 1: 2}, boundary={0: "nearest", 1: "reflect"}, dtype=image.dtype
    )


@wrong("smooth", "shape")
def keeps_the_margins(image):
    wide = da.overlap.overlap(image, depth=2, boundary="nearest")
    return wide.map_blocks(smooth.five_by_five, dtype=image.dtype)


@wrong("smooth", "aliasing")
def adds_rows_into_the_tile(image):
    def one(tile):
        rows = tile[:-4] + tile[1:-3] + tile[2:-2] + tile[3:-1] + tile[4:]
        means = rows[:, :-4] + rows[:, 1:-3] + rows[:, 2:-2] + rows[:, 3:-1] + rows[:, 4:]
        np.divide(means, 25, out=tile[2:-2, 2:-2])
        return tile

    return image.map_overlap(one, depth=2, boundary="nearest", dtype=image.dtype)


@wrong("smooth", "chunk")
def all_of_the_image(image):
    whole = image.rechunk(-1)
    return whole.map_overlap(smooth.five_by_five, depth=2, boundary="nearest", dtype=image.dtype).rechunk(image.chunks)


@wrong("smooth", "dtype")
def margins_of_another_dtype(image):
    wide = da.overlap.overlap(image, depth=2, boundary="nearest")
    return da.overlap.trim_internal(wide.map_blocks(smooth.five_by_five, dtype="f8"), {0: 2, 1: 2}, "nearest")


@wrong("smooth", "eager")
def smoothed_now(image):
    return image.map_overlap(smooth.five_by_five, depth=2, boundary="nearest", dtype=image.dtype).compute()


@wrong("smooth", "host")
def smoothed_at_home(image):
    def block(tile):
        return smooth.five_by_five(cp.asnumpy(tile))

    return image.map_overlap(block, depth=2, boundary="nearest", dtype=image.dtype)


@right("smooth")
def wider_margins(image):
    return image.map_overlap(smooth.five_by_five, depth=3, boundary="nearest", dtype=image.dtype)


@right("smooth")
def twenty_five_views(image):
    def block(tile):
        out = tile * 0
        inside = [slice(i, n) for n in [None] for i in [2]]
        out[inside[0].start : -2, 2:-2] = sum(
            tile[i : tile.shape[0] - 4 + i, j : tile.shape[1] - 4 + j] for i in range(5) for j in range(5)
        )
        return out / 25

    return da.map_overlap(block, image, depth=2, boundary="nearest", dtype=image.dtype, meta=image._meta)


# ---- once ----


@wrong("once", "recomputed")
def floats_one_by_one(x):
    return float(x.mean()), float(x.std()), float(x.max())


@wrong("once", "recomputed")
def the_root_of_a_second_pass(x):
    mean, largest = dask.compute(x.mean(), x.max())
    return float(mean), float(((x - float(mean)) ** 2).mean().compute()) ** 0.5, float(largest)


@wrong("once", "recomputed")
def one_delayed(x):
    """Each argument of a delayed function is optimised by itself, and what is fused shares no keys."""

    @dask.delayed
    def as_floats(*three):
        return tuple(float(each) for each in three)

    return as_floats(x.mean(), x.std(), x.max()).compute()


@wrong("once", "nan")
def the_largest_by_comparison(x):
    """What is compared with NaN is not larger."""
    tops = [block.max() for block in x.blocks.ravel()]
    mean, std, tops = dask.compute(x.mean(), x.std(), tops)
    largest = float("-inf")
    for top in tops:
        largest = float(top) if float(top) > largest else largest
    return float(mean), float(std), largest


@wrong("once", "held")
def persisted_by_dask(x):
    (kept,) = dask.persist(x)
    mean, std, largest = dask.compute(kept.mean(), kept.std(), kept.max())
    return float(mean), float(std), float(largest)


@wrong("once", "held")
def fetched_whole(x):
    whole = x.compute()
    return float(whole.mean()), float(whole.std()), float(whole.max())


@wrong("once", "own-chunk")
def averages_of_averages(x):
    parts = [part.mean() for part in x.blocks.ravel()]
    mean, std, largest = dask.compute(da.stack(parts).mean(), x.std(), x.max())
    return float(mean), float(std), float(largest)


@wrong("once", "squared")
def no_root(x):
    n = x.size
    total, squares, largest = dask.compute(x.sum(), (x**2).sum(), x.max())
    mean = float(total) / n
    return mean, float(squares) / n - mean**2, float(largest)


@wrong("once", "type")
def a_dictionary(x):
    mean, std, largest = dask.compute(x.mean(), x.std(), x.max())
    return {"mean": float(mean), "std": float(std), "max": float(largest)}


@wrong("once", "device")
def an_array_among_them(x):
    mean, std, largest = dask.compute(x.mean(), x.std(), x.max())
    return float(mean), std, float(largest)


@wrong("once", "ddof")
def of_a_sample(x):
    mean, std, largest = dask.compute(x.mean(), x.std(ddof=1), x.max())
    return float(mean), float(std), float(largest)


@wrong("once", "order")
def deviation_first(x):
    mean, std, largest = dask.compute(x.mean(), x.std(), x.max())
    return float(std), float(mean), float(largest)


@right("once")
def by_threads(x):
    return tuple(map(float, dask.compute(x.mean(), x.std(), x.max(), scheduler="threads", num_workers=2)))


@right("once")
def in_a_dictionary(x):
    (told,) = dask.compute({"mean": x.mean(), "std": x.std(), "largest": x.max()})
    return float(told["mean"]), float(told["std"]), float(told["largest"])


def test_what_the_device_has_not_done_yet_is_not_held_by_the_answer():
    describe = answers.right(problems.find("dask-arrays.once"))["together"]
    _, make, chunks, _ = once._LARGE
    storage = once.Storage(make(), device=True)
    with once._traced(True):
        describe(da.from_array(storage, chunks=chunks, asarray=False, name=False, meta=cp.empty((0, 0))))
    assert storage.memory < 0.25 * np.prod(storage.shape) * 8


@wrong("once", "cancellation")
def sums_and_sums_of_squares(x):
    n = x.size
    total, squares, top = dask.compute(x.sum(), (x * x).sum(), x.max())
    return float(total) / n, float(max(squares / n - (total / n) ** 2, 0)) ** 0.5, float(top)


@wrong("once", "held")
def keeps_what_it_has_read_on_the_host(x):
    parts = [np.asarray(part.compute().tolist()) for part in x.blocks.ravel()]
    every = np.concatenate([part.ravel() for part in parts])
    return float(every.mean()), float(every.std()), float(every.max())


# ---- lean ----


@wrong("lean", "nan")
def the_largest_that_is_known(x):
    days = tuple(rows // 24 for rows in x.chunks[0])

    def largest(part):
        known = np.where(np.isnan(part), -np.inf, part)
        return known.reshape(-1, 24, part.shape[1]).max(axis=1)

    return x.map_blocks(largest, chunks=(days, x.chunks[1]), dtype=x.dtype).mean(axis=0, split_every=40)


@wrong("lean", "tasks")
def day_by_day(x):
    parts = [x[24 * day : 24 * (day + 1)].max(axis=0) for day in range(x.shape[0] // 24)]
    return sum(parts) / len(parts)


@wrong("lean", "chunk")
def all_files_in_one(x):
    whole = x.rechunk({0: -1})

    def block(part):
        return part.reshape(-1, 24, part.shape[1]).max(axis=1).mean(axis=0)

    return whole.map_blocks(block, drop_axis=0, dtype=x.dtype)


@wrong("lean", "eager")
def known_beforehand(x):
    return np.asarray([float(each) for each in da.coarsen(np.max, x, {0: 24}).mean(axis=0)])


@wrong("lean", "boundary")
def a_file_a_day(x):
    tops = [part.max(axis=0) for part in x.blocks.ravel()] if x.numblocks[1] == 1 else None
    return da.stack(tops).mean(axis=0) if tops else da.coarsen(np.max, x, {0: 24}).mean(axis=0)


@wrong("lean", "operands")
def highest_of_means(x):
    return da.coarsen(np.mean, x, {0: 24}).max(axis=0)


@wrong("lean", "own-chunk")
def record_of_all(x):
    return da.coarsen(np.max, x, {0: 24}).max(axis=0)


@wrong("lean", "host")
def maxima_at_home(x):
    daily = da.coarsen(np.max, x, {0: 24})
    return daily.mean(axis=0).map_blocks(lambda part: part.get() if hasattr(part, "get") else part, dtype=x.dtype)


@right("lean")
def several_files_at_once(x):
    def block(part):
        return part.reshape(-1, 24, part.shape[1]).max(axis=1)

    days = tuple(rows // 24 for rows in x.chunks[0])
    return x.map_blocks(block, chunks=(days, x.chunks[1]), dtype=x.dtype).sum(axis=0, split_every=20) / sum(days)


@right("lean")
def reduced_by_hand(x):
    def of_a_file(part, axis, keepdims):
        return part.reshape(-1, 24, part.shape[1]).max(axis=1).sum(axis=0, keepdims=True)

    def added(parts, axis, keepdims):
        return parts.sum(axis=axis, keepdims=keepdims)

    total = da.reduction(x, of_a_file, added, axis=0, dtype=x.dtype, split_every=16, meta=x._meta.sum(axis=0))
    return total / (x.shape[0] // 24)


# ---- the functions ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


@pytest.mark.parametrize("name", ["port", "smooth", "once", "lean"])
def test_a_gap_that_returns_nothing_is_not_attempted(name):
    def gap(x):
        x + 1

    assert problems.judge(f"dask-arrays.{name}", gap).outcome == "untouched"


@pytest.mark.parametrize("name", ["port", "smooth", "once", "lean"])
@pytest.mark.parametrize(
    ("answer", "reason"), [(3, "callable"), (lambda x: 1 / 0, "exception"), (lambda x: "x", "type")]
)
def test_what_is_no_answer_is_refused(name, answer, reason):
    verdict = problems.judge(f"dask-arrays.{name}", answer)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_what_a_task_raises_is_told_with_the_learners_line():
    def standardise(x):
        return x.map_blocks(lambda tile: tile / None, dtype=x.dtype, meta=x._meta)

    verdict = problems.judge("dask-arrays.port", standardise)
    assert verdict.reason == "exception" and "tile / None" in verdict.why


def test_tasks_are_told_by_name_and_beside_the_limit():
    verdict = answers.judge("dask-arrays.lean", answers.wrong(problems.find("dask-arrays.lean"))["as given"].answer)
    assert "8.0 for each; 2.1 pass, and the limit is 1" in verdict.why and "mean_chunk 450" in verdict.why
    assert (
        problems.judge("dask-arrays.lean", known_lean._lean).near
        == "How near to the limit: 96 % (156 tasks for 150 files)."
    )


def test_storage_counts_what_is_read_and_what_is_alive():
    storage = once.Storage(np.arange(12.0).reshape(4, 3), device=False)
    first = storage[0:2]
    second = storage[2:4]
    assert (storage.reads, storage.elements, storage.most) == (2, 12, 12)
    del first, second
    third = storage[0:1]
    assert (storage.most, third.tolist()) == (12, [[0, 1, 2]])
    assert storage._alive == 3


# ---- the numbers and the decisions ----

PREDICTIONS = [
    ("chunks", (26.0, ..., ..., ..., ...)),
    ("chunks", (10, ..., ..., ..., ...)),
    ("lifetime", (..., 800_000_000, ..., ..., ...)),
    ("lifetime", (..., 32e9, ..., ..., ...)),
    ("workers", (..., 2e8, ..., ..., ...)),
    ("workers", (160, 1.6e9, 0.04, ..., ...)),
    ("fused", (..., ..., 0.96, ..., ...)),
    ("fused", (..., ..., 160 * 2 * 2e-3, ..., ...)),
    ("unit", (..., ..., 320, ..., ...)),
    ("unit", (..., 1.6, ..., ..., ...)),
    ("unit", (..., ..., ..., 3.2, ...)),
    ("rechunk", (..., ..., ..., 5_000**2 * 8, ...)),
    ("axis", (..., ..., ..., 50_000 * 5_000 * 8, ...)),
    ("item-size", (..., ..., ..., 80_000 * 5_000 * 4, ...)),
    ("item-size", (..., ..., ..., 6.4e9, ...)),
    ("border", (..., ..., ..., ..., 40_000)),
    ("transfer", (..., ..., ..., ..., 8e8)),
    ("per-element", (..., ..., ..., ..., 20_004)),
    ("per-element", (..., ..., ..., ..., 20_000)),
    ("type", ("many", ..., ..., ..., ...)),
    ("value", (161, ..., ..., ..., ...)),
]


@pytest.mark.parametrize(("reason", "answers"), PREDICTIONS, ids=lambda value: str(value)[:40])
def test_another_wrong_prediction_is_refused_for_its_reason(reason, answers):
    verdict = problems.judge("dask-arrays.plan", *answers)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_another_right_prediction_is_accepted():
    assert problems.judge("dask-arrays.plan", np.int64(160), 16e8, 0.32, 32e8, 80_016).right


def test_the_predictions_are_what_dask_does():
    """The same plan with a thousandth of the side: as many chunks, and tasks."""
    side = plan.CHUNK // 1000
    x = da.zeros((80, 50), chunks=side, dtype="f4") + 1
    assert x.npartitions == plan.NCHUNKS
    doubled = (x * 2).sum()
    _, ran = graphs.compute(doubled)
    per_chunk = [name for name, count in ran.names.items() if count == plan.NCHUNKS]
    assert len(per_chunk) == 1, "one fused task for each chunk"
    spectrum = da.fft.fft(x.rechunk({0: -1}), axis=0)
    assert spectrum.dtype == np.complex64
    assert graphs.largest_chunk(spectrum) == plan.COLUMN / 1000**2
    seen = []
    x.map_overlap(lambda tile: seen.append(tile.nbytes) or tile, depth=1, boundary="none", dtype="f4").compute(
        scheduler="synchronous"
    )
    assert max(seen) - side * side * 4 == ((side + 2) ** 2 - side**2) * 4


DECISIONS = [
    ("always-one", "numpy numpy numpy numpy numpy"),
    ("always-threads", "threads Threads threads threads threads"),
    ("always-gpu", "gpus gpus gpus gpus gpus"),
    ("small", "gpus threads gpus threads numpy"),
    ("transfer", "numpy numpy gpus threads numpy"),
    ("arithmetic", "numpy threads numpy threads numpy"),
    ("scheduler", "numpy threads gpus numpy numpy"),
    ("recurrence", "numpy threads gpus threads threads"),
    ("labels", "numpy threads gpus threads cluster"),
]


@pytest.mark.parametrize(("reason", "labels"), DECISIONS)
def test_another_wrong_decision_is_refused_for_its_reason(reason, labels):
    verdict = problems.judge("dask-arrays.worth", dict(zip(worth.JOBS, labels.split(), strict=True)))
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_another_right_set_of_decisions_is_accepted():
    assert problems.judge(
        "dask-arrays.worth", {job: f" {label.title()}" for job, label in worth.WORTH.judge.right.items()}
    ).right


def test_each_decision_is_clear_and_each_way_is_right_somewhere():
    for key, job in worth.JOBS.items():
        first, second, _ = sorted(job.times.values())
        assert second > 1.5 * first, key
    assert set(worth.WORTH.judge.right.values()) == set(worth.WORTH.judge.labels)


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("dask-arrays.plan", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("dask-arrays.worth", "type", *(reason for reason, _ in DECISIONS))
    assert problems.judge("dask-arrays.worth", "numpy").reason == "type"
    assert not SECOND.absent()


@pytest.mark.parametrize("position", range(5))
def test_a_hint_of_the_plan_is_about_the_number_that_is_wrong(position):
    right = [quantity.value for quantity in plan.PLAN.judge.quantities]
    right[position] *= 1.37
    verdict = problems.judge("dask-arrays.plan", *right)
    assert verdict.advice.startswith(f"`{plan.PLAN.answers[position]}`")


def test_one_core_reads_while_it_draws():
    """As the exercise says: what takes longer counts, on the processor too. By hand: 2.5·10¹¹ at 8 ns; 7 TB at 10 GB/s."""
    assert worth.JOBS["drawn"].times["numpy"] == pytest.approx(2000)
