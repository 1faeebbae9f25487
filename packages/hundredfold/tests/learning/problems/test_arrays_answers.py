"""Unit 01: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

import statistics
import time
import types
from decimal import Decimal
from fractions import Fraction

import answers
import numpy as np
import pytest
from answers.arrays import port as known_port
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.devices import cp

SECOND = Answers("arrays")
wrong, right = SECOND.wrong, SECOND.right


pytestmark = pytest.mark.usefixtures("device")


# ---- arrays.port ----


@wrong("arrays.port", "host")
def asnumpy_at_the_end(x):
    sd = cp.std(x, axis=0)
    return cp.asnumpy((x - cp.mean(x, axis=0)) / cp.where(sd == 0, 1, sd))


@wrong("arrays.port", "axis")
def row_by_row(x):
    rows = []
    for row in x:
        sd = row.std()
        rows.append((row - row.mean()) / (sd if sd > 0 else 1))
    return cp.stack(rows)


@wrong("arrays.port", "axis")
def over_everything(x):
    return (x - cp.mean(x)) / cp.std(x)


@wrong("arrays.port", "ddof")
def bessel(x):
    centred = x - x.mean(axis=0)
    sd = cp.sqrt((centred**2).sum(axis=0) / (len(x) - 1))
    return centred / cp.where(sd == 0, 1, sd)


@wrong("arrays.port", "dtype")
def double_on_the_way(x):
    sd = x.std(axis=0, dtype="float64")
    return (x - x.mean(axis=0, dtype="float64")) / cp.where(sd == 0, 1.0, sd)


@wrong("arrays.port", "kept")
def remembered(x, done=[]):  # noqa: B006
    for array, result in done:
        if array is x:
            return result
    sd = x.std(axis=0)
    done.append((x, (x - x.mean(axis=0)) / (sd + (sd == 0))))
    return done[-1][1]


@wrong("arrays.port", "aliasing")
def writes_into_x(x):
    sd = x.std(axis=0)
    x[...] = (x - x.mean(axis=0)) / cp.where(sd == 0, 1, sd)
    return x.copy()


@wrong("arrays.port", "nan")
def inverse_deviation(x):
    return (x - cp.average(x, axis=0)) * (1 / cp.sqrt(x.var(axis=0)))


@wrong("arrays.port", "nan")
def all_nan_to_zero(x):
    return cp.nan_to_num((x - x.mean(axis=0)) / x.std(axis=0))


@wrong("arrays.port", "value")
def nothing_where_a_column_is_constant(x):
    spread = cp.sqrt(x.var(axis=0))
    return (x - x.mean(axis=0)) / cp.where(spread == 0, 1, spread) if spread.all() else x * 0


@wrong("arrays.port", "value")
def something_in_every_denominator(x):
    return (x - x.mean(axis=0)) / cp.sqrt(x.var(axis=0) + 1e-16)


@wrong("arrays.port", "transfer")
def column_statistics_on_the_host(x):
    h = cp.asnumpy(x)
    sd = h.std(axis=0)
    sd[sd == 0] = 1
    return cp.array((h - h.mean(axis=0)) / sd, dtype=x.dtype)


@wrong("arrays.port", "exception")
def mixes_host_and_device(x):
    return x - np.zeros(x.shape)


@wrong("arrays.port", "exception")
def numpy_column_by_column(x):
    """The exercise's starter: NumPy's own array cannot take in what is on the device."""
    out = np.zeros(x.shape, dtype=x.dtype)
    for j in range(x.shape[1]):
        column = x[:, j]
        deviation = column.std()
        if deviation != 0:
            out[:, j] = (column - column.mean()) / deviation
    return out


@wrong("arrays.port", "type")
def gives_a_list(x):
    return [x]


@wrong("arrays.port", "shape")
def one_column_short(x):
    return (x[:, 1:] - x[:, 1:].mean(axis=0)) / x[:, 1:].std(axis=0)


@right("arrays.port")
def column_by_column(x):
    out = cp.zeros_like(x)
    for j in range(x.shape[1]):
        column = x[:, j] - x[:, j].mean() if len(x) else x[:, j]
        sd = cp.sqrt((column * column).mean()) if len(x) else 1
        out[:, j] = cp.where(sd == 0, 0, column / sd)
    return out


@right("arrays.port")
def starter_with_cupys_zeros(x):
    out = cp.zeros(x.shape, dtype=x.dtype)
    for j in range(x.shape[1]):
        column = x[:, j]
        deviation = column.std()
        if deviation != 0:
            out[:, j] = (column - column.mean()) / deviation
    return out


@right("arrays.port")
def numpy_names_dispatch(x):
    sd = np.std(x, axis=0)
    return np.subtract(x, np.mean(x, axis=0)) / np.where(sd == 0, np.ones_like(sd), sd)


@right("arrays.port")
def guarded_by_the_maximum(x):
    centred = x - x.mean(axis=0)
    return centred / cp.maximum(x.std(axis=0), cp.finfo(x.dtype).tiny)


# ---- arrays.count ----


@wrong("arrays.count", "all")
def truth(x):
    return bool(cp.all(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1))


@wrong("arrays.count", "all")
def minimum_of_the_mask(x):
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).min())


@wrong("arrays.count", "device")
def divided_on_the_device(x):
    return cp.sum(cp.square(cp.sin(x)) + cp.square(cp.cos(x)) == 1) / x.size


@wrong("arrays.count", "type")
def asnumpy_scalar(x):
    return cp.asnumpy(cp.mean(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1))


@wrong("arrays.count", "transfer")
def sum_in_numpy(x):
    h = cp.asnumpy(cp.sin(x) ** 2 + cp.cos(x) ** 2)
    return float(np.count_nonzero(h == 1) / h.size)


@wrong("arrays.count", "count")
def count_as_float(x):
    return float(cp.count_nonzero(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1))


@wrong("arrays.count", "tolerance")
def within_a_picounit(x):
    return float((abs(cp.sin(x) ** 2 + cp.cos(x) ** 2 - 1) < 1e-12).mean())


@wrong("arrays.count", "dtype")
def half_the_bytes(x):
    y = cp.asarray(x, dtype="f4")
    s, c = cp.sin(y), cp.cos(y)
    return float((s * s + c * c == 1).sum()) / x.size


@wrong("arrays.count", "unit")
def in_per_cent(x):
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).sum()) / x.size * 100.0


@right("arrays.count")
def item(x):
    return (cp.square(cp.sin(x)) + cp.square(cp.cos(x)) == 1).mean().item()


@right("arrays.count")
def summed(x):
    is_one = cp.equal(cp.cos(x) * cp.cos(x) + cp.sin(x) * cp.sin(x), 1.0)
    return float(is_one.sum() / len(is_one))


@right("arrays.count")
def numpy_float(x):
    return np.float64(cp.count_nonzero((np.sin(x) ** 2 + np.cos(x) ** 2) == 1).get() / x.size)


@wrong("arrays.count", "value")
def of_a_sample(x):
    x = x[: 1 << 16]
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).mean())


@wrong("arrays.count", "value")
def in_seven_digits(x):
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).astype("f4").mean())


@wrong("arrays.count", "tolerance")
def to_one_rounding(x):
    return float((abs(cp.sin(x) ** 2 + cp.cos(x) ** 2 - 1) < 2e-16).mean())


# ---- arrays.clock ----


def sync():
    cp.cuda.runtime.deviceSynchronize()


@wrong("arrays.clock", "not-synchronised")
def median_of_launches(fn):
    fn()
    sync()
    times = []
    for _ in range(5):
        start = time.time()
        fn()
        times.append(time.time() - start)
    return statistics.median(times)


@wrong("arrays.clock", "leftovers")
def warm_up_not_waited_for(fn):
    fn()
    fn()
    start = time.perf_counter_ns()
    fn()
    cp.cuda.get_current_stream().synchronize()
    return (time.perf_counter_ns() - start) * 1e-9


@wrong("arrays.clock", "first-call")
def mean_with_the_first(fn):
    sync()
    start = time.perf_counter()
    for _ in range(3):
        fn()
        sync()
    return (time.perf_counter() - start) / 3


@wrong("arrays.clock", "outlier")
def one_good_look(fn):
    fn()
    sync()
    start = time.perf_counter()
    fn()
    sync()
    return time.perf_counter() - start


@wrong("arrays.clock", "outlier")
def numpy_mean(fn):
    fn()
    times = []
    for _ in range(6):
        sync()
        start = time.perf_counter()
        fn()
        sync()
        times.append(time.perf_counter() - start)
    return float(np.mean(times))


@wrong("arrays.clock", "too-long")
def total(fn):
    fn()
    spent = 0.0
    for _ in range(5):
        sync()
        start = time.perf_counter()
        fn()
        sync()
        spent += time.perf_counter() - start
    return spent


@wrong("arrays.clock", "unit")
def event_milliseconds(fn):
    fn()
    times = []
    for _ in range(5):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        fn()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end))
    return statistics.median(times)


@wrong("arrays.clock", "unit")
def microseconds(fn):
    return steady(fn) * 1e6


@wrong("arrays.clock", "kept")
def measured_before(fn, times={}):  # noqa: B006
    if id(fn) not in times:
        times[id(fn)] = fn, steady(fn)
    return times[id(fn)][1]


@wrong("arrays.clock", "not-called")
def times_nothing(fn):
    sync()
    start = time.perf_counter()
    time.sleep(0.001)
    return time.perf_counter() - start


@wrong("arrays.clock", "type")
def forgets_to_return(fn):
    fn()
    sync()


@wrong("arrays.clock", "type")
def gives_a_measurement(fn):
    took = steady(fn)
    return types.SimpleNamespace(median=took, times=[took])


@wrong("arrays.clock", "value")
def backwards(fn):
    fn()
    sync()
    start = time.perf_counter()
    fn()
    sync()
    return start - time.perf_counter()


def steady(fn):
    fn()
    times = np.empty(6)
    for i in range(6):
        sync()
        start = time.perf_counter()
        fn()
        sync()
        times[i] = time.perf_counter() - start
    return float(np.median(times))


right("arrays.clock")(steady)


@wrong("arrays.clock", "not-synchronised")
def by_events(fn):
    """Of the current stream: what the function does in another one is missed."""
    fn()
    times = []
    for _ in range(7):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        fn()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end) * 1e-3)
    return float(np.median(times))


@wrong("arrays.clock", "not-synchronised")
def by_cupys_own_benchmark(fn):
    """Its times are those between two events in the current stream."""
    from cupyx.profiler import benchmark

    return float(np.median(benchmark(fn, (), n_repeat=7, n_warmup=1).gpu_times))


@right("arrays.clock")
def by_measure(fn):
    from hundredfold import measure

    return measure(fn, repeat=5, min_time=0.01).median


@right("arrays.clock")
def third_best_of_nine(fn):
    fn()
    times = []
    for _ in range(9):
        cp.cuda.Device().synchronize()
        start = time.time()
        fn()
        cp.cuda.Device().synchronize()
        times.append(time.time() - start)
    return sorted(times)[2]


@wrong("arrays.clock", "outlier")
def the_first_that_is_timed(fn):
    fn()
    times = []
    for _ in range(5):
        sync()
        start = time.perf_counter()
        fn()
        sync()
        times.append(time.perf_counter() - start)
    return times[0]


@wrong("arrays.clock", "too-long")
def collects_in_between(fn):
    fn()
    times = []
    for _ in range(7):
        sync()
        start = time.perf_counter()
        fn()
        sync()
        cp.get_default_memory_pool().free_all_blocks()
        time.sleep(0.0015)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


# ---- arrays.lean ----


@wrong("arrays.lean", "cancellation")
def two_moments(x):
    n = len(x)
    s, q = float(x.sum()), float((x * x).sum())
    return abs(q / n - (s / n) ** 2) ** 0.5


@wrong("arrays.lean", "transfer")
def host_all_the_way(x):
    return float(np.std(cp.asnumpy(x)))


@wrong("arrays.lean", "ddof")
def bessel_from_std(x):
    n = x.size
    return float(x.std()) * (n / (n - 1)) ** 0.5 if n > 1 else 0.0


@wrong("arrays.lean", "dtype")
def single_precision(x):
    return float(cp.std(cp.asarray(x, dtype=cp.float32)))


@wrong("arrays.lean", "device")
def zero_dimensional(x):
    return cp.sqrt(cp.var(x))


@wrong("arrays.lean", "squared")
def mean_of_squares(x):
    return float(cp.mean(cp.square(x - x.mean())))


@wrong("arrays.lean", "traffic")
def five_passes(x):
    centred = x - cp.mean(x)
    return float(cp.sqrt(cp.mean(centred * centred)))


@wrong("arrays.lean", "value")
def with_an_epsilon(x):
    return float(cp.sqrt(x.var() + 1e-20))


@right("arrays.lean")
def deviation(x):
    return cp.std(x).item()


@right("arrays.lean")
def fused_sum_of_squares(x):
    @cp.fuse()
    def squares(x, m):
        return cp.sum((x - m) ** 2)

    return float(cp.sqrt(squares(x, x.mean()) / x.size))


@right("arrays.lean")
def root_of_variance(x):
    return float(np.sqrt(x.var().get()))


# ---- answers that only fit the judge ----


@wrong("arrays.port", "value")
def kept_for_each_shape(x, kept={}):  # noqa: B006
    return kept.setdefault((x.shape, str(x.dtype)), known_port._guarded(x))


@wrong("arrays.port", "value")
def right_for_small_ones_only(x):
    return known_port._guarded(x) if x.size < 100_000 else x + 0


@wrong("arrays.port", "value")
def a_little_in_the_denominator(x):
    return (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-8)


@right("arrays.port")
def as_the_notebook_solves_it(x):
    std = x.std(axis=0)
    return (x - x.mean(axis=0)) / cp.where(std > 0, std, 1)


@right("arrays.port")
def spreads_as_single_numbers(x):
    out = cp.empty_like(x)
    for j in range(x.shape[1]):
        column = x[:, j]
        deviation = float(column.std())  # a single number
        out[:, j] = (column - column.mean()) / (deviation or 1)
    return out


@wrong("arrays.port", "value")
def hardly_anything_in_the_denominator(x):
    return (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-15)


@wrong("arrays.count", "value")
def small_share(x):
    return float((cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1).mean()) if x.size < 1_000_000 else 0.5


@wrong("arrays.lean", "value")
def small_spread(x):
    return float(x.std()) if x.size < 1_000_000 else 1.0


@wrong("arrays.clock", "value")
def ten_milliseconds(fn):
    fn()
    cp.cuda.Device().synchronize()
    return 0.010


@wrong("arrays.clock", "value")
def process_time(fn):
    fn()
    times = []
    for _ in range(7):
        cp.cuda.Device().synchronize()
        start = time.process_time()
        fn()
        cp.cuda.Device().synchronize()
        times.append(time.process_time() - start)
    return statistics.median(times)


# ---- the numbers and the decisions ----

PREDICTIONS = [
    ("writes", (2.91e9, ..., ...)),
    ("item-size", (5.6e9, 0.0062, 0.000444)),
    ("item-size", (9.82e9, ..., ...)),  # the lecture's, of float64
    ("item-size", (4.9e9, ..., ...)),  # half of it
    ("item-size", (..., 0.0109, ...)),
    ("item-size", (..., ..., 0.00089)),
    ("once", (400_000_000, ..., ...)),
    ("reads", (np.float64(4.6e9), 0.0051, 0.000444)),
    ("per-element", (50, ..., ...)),
    ("unit", (40e9, ..., ...)),
    ("unit", (4.66, ..., ...)),
    ("unit", (5000.0, ..., ...)),
    ("unit", (5, ..., ...)),
    ("unit", (..., 5.56, ...)),
    ("unit", (..., ..., 0.444)),
    ("unit", (..., ..., 444)),
    ("unit", (..., 5e9 / 900, ...)),
    ("published", (5e9, 0.000746, ...)),
    ("published", (5e9, 0.0056, 7.46e-4)),
    ("residency", (5e9, 0.4167, ...)),
    ("type", ("5e9", ..., ...)),
    ("type", (True, ..., ...)),
    ("type", (5e9, [0.0056], ...)),
    ("value", (-5e9, ..., ...)),
    ("value", (float("nan"), ..., ...)),
    ("value", (10**400, ..., ...)),
    ("value", (0, ..., ...)),
    ("value", (98, ..., ...)),  # of another answer, per element: no unit explains it
    ("value", (5e9, 0.0135, ...)),
]


@pytest.mark.parametrize(("reason", "answers"), PREDICTIONS, ids=lambda value: str(value)[:30])
def test_another_wrong_prediction_is_refused_for_its_reason(reason, answers):
    verdict = problems.judge("arrays.possible", *answers)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    "answers",
    [
        (5.04e9, 5.4e-3, 0.45e-3),
        (np.int64(5_000_000_000), np.float64(0.00556), 4 / 9e3),
        (Decimal(5_000_000_000), Fraction(5, 900), 0.00044),
    ],
)
def test_another_right_prediction_is_accepted(answers):
    assert problems.judge("arrays.possible", *answers).right


DECISIONS = [
    ("always-gpu", "gpu gpu gpu gpu"),
    ("always-cpu", "CPU CPU CPU CPU"),
    ("transfer", "cpu gpu gpu gpu"),
    ("launch", "gpu cpu gpu gpu"),
    ("residency", "cpu cpu cpu gpu"),
    ("arithmetic", "cpu cpu gpu cpu"),
    ("labels", "cpu cpu gpu tpu"),
]
JOBS = ("small_sum", "large_sum", "fused_count", "matmul")


@pytest.mark.parametrize(("reason", "labels"), DECISIONS)
def test_another_wrong_decision_is_refused_for_its_reason(reason, labels):
    verdict = problems.judge("arrays.worth", dict(zip(JOBS, labels.split(), strict=True)))
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    ("reason", "decisions"),
    [
        ("type", ("cpu", "cpu", "gpu", "gpu")),
        ("type", "gpu"),
        ("labels", {}),
        ("labels", {"small_sum": "cpu"}),
        ("labels", dict.fromkeys(JOBS, 1)),
        ("labels", dict.fromkeys(JOBS, ["cpu"])),
        ("labels", dict.fromkeys(JOBS, np.array(["cpu", "gpu"]))),
    ],
)
def test_what_is_no_dict_of_decisions_is_refused(reason, decisions):
    verdict = problems.judge("arrays.worth", decisions)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_gaps_among_the_decisions_are_not_attempted():
    untouched = problems.judge("arrays.worth", dict.fromkeys(JOBS, ...))
    assert (untouched.outcome, untouched.why) == ("untouched", "")
    partly = problems.judge("arrays.worth", {**dict.fromkeys(JOBS, ...), "matmul": "gpu"})
    assert partly.outcome == "untouched" and partly.why.endswith("(matmul is right)")


@pytest.mark.parametrize(
    "decisions",
    [
        types.MappingProxyType(dict(zip(JOBS, ("cpu", "cpu", "gpu", "gpu"), strict=True))),
        {job: " Gpu " if job in ("matmul", "fused_count") else "cpu" for job in reversed(JOBS)},
    ],
)
def test_another_right_set_of_decisions_is_accepted(decisions):
    assert problems.judge("arrays.worth", decisions).right


# ---- the functions ----


def test_how_near_to_the_limit_is_said(simulated):
    """`x.std()` reads x twice, the one-pass answer once: the engine counts, so this is exact."""
    known = answers.right(problems.find("arrays.lean"))
    said = {name: problems.judge("arrays.lean", answer).near for name, answer in known.items()}
    assert "50 % (" in said["std"]
    assert "100 % (" in said["one pass"]


def test_too_much_traffic_is_told_kernel_by_kernel(simulated):
    verdict = answers.judge("arrays.lean", answers.wrong(problems.find("arrays.lean"))["traffic"].answer)
    assert "48 bytes of device memory per element" in verdict.why
    assert "Kernel by kernel: cupy_mean 8, cupy_subtract 16" in verdict.why


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_the_time_of_the_first_function_for_all_of_them_is_named():
    times = []

    def seconds(fn):
        if not times:
            fn()
            for _ in range(5):
                cp.cuda.Device().synchronize()
                start = time.perf_counter()
                fn()
                cp.cuda.Device().synchronize()
                times.append(time.perf_counter() - start)
        return statistics.median(times)

    assert problems.judge("arrays.clock", seconds).reason == "kept"


@pytest.mark.parametrize("problem", ["arrays.port", "arrays.count", "arrays.lean"])
def test_a_function_that_returns_nothing_yet_is_not_attempted(problem):
    def tried(x):
        x.mean()

    assert problems.judge(problem, tried).outcome == "untouched"


@pytest.mark.parametrize("problem", ["arrays.port", "arrays.count", "arrays.lean"])
def test_a_function_that_prints_its_answer_is_told_to_return_it(problem):
    verdict = problems.judge(problem, lambda x: print(float(x.sum())))
    assert (verdict.outcome, verdict.reason) == ("wrong", "type")
    assert "returned" in verdict.why and verdict.printed


@pytest.mark.parametrize("problem", ["arrays.port", "arrays.count", "arrays.clock", "arrays.lean"])
@pytest.mark.parametrize("answer", [3.5, "text", np.zeros(3), {}])
def test_what_is_no_function_is_refused(problem, answer):
    assert problems.judge(problem, answer).reason == "callable"


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("arrays.possible", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("arrays.worth", "type", *(reason for reason, _ in DECISIONS))
    assert not SECOND.absent()
