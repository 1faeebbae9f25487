"""Unit 02: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

import re
from decimal import Decimal

import answers
import numpy as np
import pytest
from answers.second import Answers

from gpusim.hardware import gpus
from hundredfold.learning import problems
from hundredfold.learning.problems import device_memory
from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.memory import passes, worth

SECOND = Answers("memory")
wrong, right = SECOND.wrong, SECOND.right


pytestmark = pytest.mark.usefixtures("device")


KEPT = {}  # arrays that some answers write their results into, each time


# ---- memory.fuse ----


@wrong("memory.fuse", "traffic")
def parts_are_fused(x, y):
    square = cp.fuse(kernel_name="fused")(lambda a: a * a)
    return cp.sqrt(square(x - 1) + square(y + 2))


@wrong("memory.fuse", "traffic")
def by_complex_numbers(x, y):
    return cp.abs((x - 1) + 1j * (y + 2)).astype(x.dtype)


@wrong("memory.fuse", "traffic")
def doubles_before(x, y):
    return cp.fuse(kernel_name="fused")(lambda a, b: cp.sqrt((a - 1) ** 2 + (b + 2) ** 2))(
        x.astype("f8"), y.astype("f8")
    )


@wrong("memory.fuse", "dtype")
def singles_inside(x, y):
    code = "float a = x - 1, b = y + 2; d = sqrtf(a * a + b * b)"
    return cp.ElementwiseKernel("T x, T y", "T d", code, "distance_single")(x, y)


@wrong("memory.fuse", "exception")
def float32_only(x, y):
    code = "d = sqrtf((x - 1) * (x - 1) + (y + 2) * (y + 2))"
    return cp.ElementwiseKernel("float32 x, float32 y", "float32 d", code, "distance_float")(x, y)


@wrong("memory.fuse", "exception")
def python_power_in_c(x, y):
    return cp.ElementwiseKernel("T x, T y", "T d", "d = sqrt((x - 1)**2 + (y + 2)**2)", "distance_stars")(x, y)


@wrong("memory.fuse", "integer")
def root_by_a_fraction(x, y):
    code = "d = pow((x - 1) * (x - 1) + (y + 2) * (y + 2), T(1 / 2))"
    return cp.ElementwiseKernel("T x, T y", "T d", code, "distance_fraction")(x, y)


@wrong("memory.fuse", "squared")
def without_the_root(x, y):
    return cp.fuse(kernel_name="fused")(lambda x, y: cp.square(x - 1) + cp.square(y + 2))(x, y)


@wrong("memory.fuse", "operands")
def parameters_in_another_order(x, y):
    code = "d = sqrt((x - 1) * (x - 1) + (y + 2) * (y + 2))"
    return cp.ElementwiseKernel("T y, T x", "T d", code, "distance_order")(x, y)


@wrong("memory.fuse", "sign")
def adds_where_it_should_take(x, y):
    return cp.ElementwiseKernel("T x, T y", "T d", "d = hypot(x + T(1), y - T(2))", "distance_signs")(x, y)


@wrong("memory.fuse", "value")
def root_too_early(x, y):
    return cp.fuse(kernel_name="fused")(lambda x, y: cp.sqrt((x - 1) ** 2) + cp.sqrt((y + 2) ** 2))(x, y)


@wrong("memory.fuse", "aliasing")
def writes_over_y(x, y):
    y[...] = cp.fuse(kernel_name="fused")(lambda x, y: cp.sqrt((x - 1) ** 2 + (y + 2) ** 2))(x, y)
    return y.copy()


@wrong("memory.fuse", "host")
def asnumpy(x, y):
    return cp.asnumpy(cp.sqrt((x - 1) ** 2 + (y + 2) ** 2))


@right("memory.fuse")
def decorated(x, y):
    @cp.fuse()
    def inner(x, y):
        dx = x - 1
        dy = y + 2
        return cp.sqrt(dx * dx + dy * dy)

    return inner(x, y)


@right("memory.fuse")
def hypot_in_c(x, y):
    return cp.ElementwiseKernel("T x, T y", "T d", "d = hypot(x - T(1), y + T(2))", "distance_hypot")(x, y)


@right("memory.fuse")
def fused_hypot(x, y):
    return cp.fuse(kernel_name="fused")(lambda x, y: cp.hypot(x - 1, y + 2))(x, y)


# ---- memory.leak ----


@wrong("memory.leak", "held")
def a_list_of_pieces_first(x, rows):
    pieces = [cp.asarray(x[i : i + rows]) for i in range(0, len(x), rows)]
    return cp.concatenate([cp.empty(0), *(p[:, 0] / p.sum(axis=1) for p in pieces)])


@wrong("memory.leak", "held")
def ravelled_views(x, rows):
    """A reshape, a slice with a step: views of views keep the first base."""
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        p = cp.asarray(x[start : start + rows])
        p = p / p.sum(axis=1)[:, None]
        kept.append(p.reshape(-1)[:: p.shape[1]])
    return cp.concatenate(kept)


@wrong("memory.leak", "shape")
def counts_pieces_by_division(x, rows):
    if len(x) < rows:
        rows = max(len(x), 1)
    kept = [cp.empty(0)]
    for k in range(len(x) // rows):
        p = cp.asarray(x[k * rows : (k + 1) * rows])
        kept.append(p[:, 0] / p.sum(axis=1))
    return cp.concatenate(kept)


@wrong("memory.leak", "axis")
def sums_over_rows(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        p = cp.asarray(x[start : start + rows])
        kept.append(p[:, 0] / p.sum(axis=0)[0])
    return cp.concatenate(kept)


@wrong("memory.leak", "value")
def another_column(x, rows):
    out = cp.zeros(len(x))
    for start in range(0, len(x), rows):
        p = cp.asarray(x[start : start + rows])
        out[start : start + rows] = p[:, p.shape[1] - 1] / p.sum(axis=1)
    return out


@wrong("memory.leak", "transfer")
def results_collected_on_the_host(x, rows):
    out = np.empty(len(x))
    for start in range(0, len(x), rows):
        p = cp.asarray(x[start : start + rows])
        (p[:, 0] / p.sum(axis=1)).get(out=out[start : start + rows])
    return cp.asarray(out)


@wrong("memory.leak", "transfer")
def each_piece_twice(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        total = cp.asarray(x[start : start + rows]).sum(axis=1)
        out[start : start + rows] = cp.asarray(x[start : start + rows])[:, 0] / total
    return out


@wrong("memory.leak", "transfer")
def only_the_shares_are_sent(x, rows):
    return cp.concatenate(
        [cp.empty(0), *(cp.asarray(x[i : i + rows, 0] / x[i : i + rows].sum(axis=1)) for i in range(0, len(x), rows))]
    )


@wrong("memory.leak", "held")
def pieces_of_its_own_size(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), 500):
        piece = cp.asarray(x[start : start + 500])
        out[start : start + 500] = piece[:, 0] / piece.sum(axis=1)
    return out


@wrong("memory.leak", "host")
def all_on_the_host(x, rows):
    return x[:, 0] / x.sum(axis=1)


@wrong("memory.leak", "dtype")
def result_in_single(x, rows):
    out = cp.empty(len(x), dtype=cp.float32)
    for start in range(0, len(x), rows):
        p = cp.asarray(x[start : start + rows])
        out[start : start + rows] = p[:, 0] / p.sum(axis=1)
    return out


@wrong("memory.leak", "aliasing")
def normalises_in_place(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        x[start : start + rows] /= x[start : start + rows].sum(axis=1, keepdims=True)
        out[start : start + rows] = cp.asarray(x[start : start + rows, 0].copy())
    return out


@wrong("memory.leak", "type")
def a_tuple(x, rows):
    return (cp.asarray(x[:, 0] / x.sum(axis=1)),)


@right("memory.leak")
def divided_before_it_is_kept(x, rows):
    parts = [cp.zeros((0,))]
    for at in range(0, x.shape[0], rows):
        part = cp.asarray(x[at : at + rows])
        parts.append(part[:, 0] / part.sum(axis=1))
    return cp.hstack(parts)


@right("memory.leak")
def one_buffer(x, rows):
    out, buffer = cp.empty(len(x)), cp.empty((min(rows, len(x)), x.shape[1]))
    for at in range(0, len(x), rows):
        part = np.ascontiguousarray(x[at : at + rows])
        here = buffer[: len(part)]
        here.set(part)
        cp.divide(here[:, 0], here.sum(axis=1), out=out[at : at + rows])
    return out


# ---- memory.single ----


@wrong("memory.single", "dtype")
def arange_over_width(image):
    width = image.shape[1]
    ramp = cp.arange(width) * (0.5 / max(width - 1, 1))
    return cp.minimum(image * 2**0.5 + ramp, 1)


@wrong("memory.single", "dtype")
def halves_the_digits(image):
    half = image.astype("e") * cp.float16(2**0.5) + cp.linspace(0, 0.5, image.shape[1], dtype="e")
    return half.clip(None, 1).astype("f")


@wrong("memory.single", "traffic")
def cast_in_every_line(image):
    brighter = (image * np.sqrt(2)).astype(image.dtype)
    ramped = (brighter + cp.linspace(0, 0.5, image.shape[1])).astype(image.dtype)
    return cp.minimum(ramped, 1)


@wrong("memory.single", "traffic")
def float64_outside(image):
    wide = cp.asarray(image, dtype=float)
    wide *= 2**0.5
    wide += cp.linspace(0, 0.5, image.shape[1])
    return cp.minimum(wide, 1).astype("float32")


@wrong("memory.single", "aliasing")
def cuts_off_in_the_callers_image(image):
    image[...] = cp.minimum(image * 2**0.5 + cp.linspace(0, 0.5, image.shape[1], dtype="f"), 1)
    return image + 0


@wrong("memory.single", "axis")
def ramp_from_top_to_bottom(image):
    ramp = cp.linspace(0, 0.5, len(image), dtype="f").reshape(-1, 1)
    return (image * 2**0.5 + ramp).clip(None, 1)


@wrong("memory.single", "overflow")
def cut_off_too_early(image):
    """Cut off before the ramp is added: pixels over 1 come back."""
    return image * 2**0.5 + cp.linspace(0, 0.5, image.shape[1]).astype("f")


@wrong("memory.single", "border")
def divided_by_the_width(image):
    width = image.shape[1]
    ramp = cp.arange(width, dtype="f") / width * cp.float32(0.5)
    return cp.minimum(image * 2**0.5 + ramp, 1)


@wrong("memory.single", "integer")
def gain_of_an_integer_type(image):
    gain = cp.asarray(np.sqrt(2)).astype(cp.int8)
    return cp.minimum(image * gain + cp.linspace(0, 0.5, image.shape[1], dtype="f"), 1)


@wrong("memory.single", "host")
def numpy_all_the_way(image):
    host = image.get()
    return np.minimum(host * 2**0.5 + np.linspace(0, 0.5, host.shape[1], dtype="f"), 1)


@wrong("memory.single", "exception")
def numpy_minimum(image):
    return image + np.linspace(0, 0.5, image.shape[1])


@right("memory.single")
def fused(image):
    ramp = cp.linspace(0, 0.5, image.shape[1], dtype=image.dtype)
    return cp.fuse(kernel_name="fused")(lambda i, r: cp.minimum(i * 2**0.5 + r, 1))(image, ramp)


@right("memory.single")
def in_place_on_its_own(image):
    result = image * image.dtype.type(np.sqrt(2))
    result += cp.linspace(0, 0.5, image.shape[1], dtype=image.dtype)
    return cp.minimum(result, 1, out=result)


@right("memory.single")
def broadcast_ramp(image):
    ramp = cp.asarray(np.linspace(0, 0.5, image.shape[1]).astype("f"))
    return cp.clip(image * np.float32(2**0.5) + ramp, None, 1)


# ---- memory.softmax ----


@wrong("memory.softmax", "traffic")
def by_the_library(x):
    """One call, which launches five kernels."""
    from cupyx.scipy.special import softmax

    return softmax(x, axis=1) if x.size else x.copy()


@wrong("memory.softmax", "transfer")
def row_maxima_by_the_host(x):
    largest = np.array([float(row.max()) for row in x])
    e = cp.fuse(kernel_name="fused")(lambda x, m: cp.exp(x - m))(x, cp.asarray(largest)[:, None])
    return e / e.sum(axis=1, keepdims=True)


@wrong("memory.softmax", "reused")
def into_a_kept_array(x):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    return cp.divide(e, e.sum(axis=1, keepdims=True), out=KEPT.setdefault(x.shape, cp.empty(x.shape)))


@wrong("memory.softmax", "traffic")
def five_steps(x):
    top = cp.max(x, axis=1)[:, None]
    shifted = cp.subtract(x, top)
    powers = cp.exp(shifted)
    return cp.divide(powers, cp.sum(powers, axis=1)[:, None])


@wrong("memory.softmax", "overflow")
def nothing_taken_off(x):
    s = cp.fuse(kernel_name="fused")(lambda x: cp.exp(x))(x)
    return s * (1 / s.sum(axis=1, keepdims=True))


@wrong("memory.softmax", "axis")
def one_maximum_for_all(x):
    top = x.max() if x.size else cp.asarray(0.0)
    e = cp.ElementwiseKernel("T x, T m", "T y", "y = exp(x - m)", "exp_off")(x, top)
    return e / e.sum(1)[:, None]


@wrong("memory.softmax", "axis")
def transposed_there_not_back(x):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    return e / cp.sum(e)


@wrong("memory.softmax", "axis")
def along_the_columns(x):
    if not len(x):
        return x.copy()
    e = cp.exp(x - x.max(0))
    return e / e.sum(0)


@wrong("memory.softmax", "aliasing")
def in_the_callers_array(x):
    cp.subtract(x, x.max(axis=1, keepdims=True), out=x)
    e = cp.exp(x)
    return e / e.sum(axis=1, keepdims=True)


@wrong("memory.softmax", "dtype")
def sums_in_single(x):
    e = cp.exp((x - x.max(axis=1, keepdims=True)).astype("f"))
    return (e / e.sum(axis=1, keepdims=True)).astype("d")


@wrong("memory.softmax", "host")
def fetched(x):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    return cp.asnumpy(e / e.sum(axis=1, keepdims=True))


@wrong("memory.softmax", "transfer")
def sums_on_the_host(x):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    return e / cp.asarray(e.get().sum(axis=1, keepdims=True))


@wrong("memory.softmax", "value")
def log_softmax(x):
    from cupyx.scipy.special import log_softmax

    return log_softmax(x, axis=1)


@wrong("memory.softmax", "exception")
def as_given_under_fuse(x):
    @cp.fuse()
    def whole(x):
        e = cp.exp(x - cp.max(x, axis=1, keepdims=True))
        return e / cp.sum(e, axis=1, keepdims=True)

    return whole(x)


@right("memory.softmax")
def with_new_axes_under_fuse(x):
    @cp.fuse()
    def whole(x):
        e = cp.exp(x - cp.max(x, axis=1)[:, None])
        return e / cp.sum(e, axis=1)[:, None]

    return whole(x)


@right("memory.softmax")
def by_logsumexp(x):
    exp_sum = cp.ReductionKernel("T x, T m", "T y", "exp(x - m)", "a + b", "y = a", "0", "exp_sum")
    top = x.max(axis=1, keepdims=True)
    lse = top + cp.log(exp_sum(x, top, axis=1, keepdims=True))
    return cp.fuse(kernel_name="fused")(lambda x, off: cp.exp(x - off))(x, lse)


@right("memory.softmax")
def one_kernel_and_a_division_in_place(x):
    e = cp.ElementwiseKernel("T x, T m", "T y", "y = exp(x - m)", "shifted_exp")(x, x.max(axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
    return e


# ---- the numbers and the decisions ----

PREDICTIONS = [
    ("kernels", (3, ..., ..., ...)),
    ("kernels", (5.0, ..., ..., ...)),
    ("kernels", (1, ..., ..., ...)),
    ("item-size", (4, 7.2e9, ..., ...)),
    ("item-size", (..., ..., 1.6e9, ...)),
    ("item-size", (..., ..., ..., 2.4e9)),
    ("writes", (..., 2.4e9, ..., ...)),
    ("writes", (..., 4e9, ..., ...)),
    ("writes", (..., ..., ..., 1_600_000_000)),
    ("reads", (..., 3.2e9, ..., ...)),
    ("reads", (..., 2.8e9, ..., ...)),
    ("reads", (4, 3.6e9, 0.8e9, 4e8)),
    ("once", (4, 1.2e9, ..., ...)),
    ("lifetime", (4, 3.6e9, 1.2e9, ...)),
    ("lifetime", (..., ..., 400_000_000, ...)),
    ("residency", (..., ..., 2e9, ...)),
    ("per-element", (..., 36, ..., ...)),
    ("per-element", (..., ..., 8, ...)),
    ("unit", (..., 3.6, ..., ...)),
    ("unit", (..., ..., 0.745, ...)),
    ("unit", (..., ..., ..., 1200)),
    ("unit", (..., 8 * 3.6e9, ..., ...)),
    ("type", ("four", ..., ..., ...)),
    ("value", (0, ..., ..., ...)),
    ("value", (17, ..., ..., ...)),
]


@pytest.mark.parametrize(("reason", "answers"), PREDICTIONS, ids=lambda value: str(value)[:40])
def test_another_wrong_prediction_is_refused_for_its_reason(reason, answers):
    verdict = problems.judge("memory.passes", *answers)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize("answers", [(np.int64(4), 36e8, 2 * 4e8, 3 * 4e8), (Decimal(4), 3.61e9, 0.8e9, 1.21e9)])
def test_another_right_prediction_is_accepted(answers):
    assert problems.judge("memory.passes", *answers).right


def test_the_predictions_are_what_the_line_really_does(simulated):
    """The line itself, with a thousandth of the elements, as the engine counts it and as CuPy's hooks hear it."""
    from hundredfold.learning.problems import traffic

    share = 1000
    arrays = [cp.random.random(passes.ELEMENTS // share, dtype=cp.float32) for _ in range(3)]

    def line(x, y, w):
        return ((x - y) ** 2 * w).sum()

    with traffic.watch() as moved:
        _, most = device_memory.peak(line, *arrays)
    assert len(moved.launches) == passes.NKERNELS
    assert moved.device == pytest.approx(passes.NBYTES / share, rel=1e-4)
    assert most == pytest.approx(passes.PEAK / share, rel=1e-2)
    with traffic.watch() as moved:
        cp.fuse(kernel_name="fused")(lambda x, y, w: cp.sum((x - y) ** 2 * w))(*arrays)
    assert len(moved.launches) == 1 and moved.device == pytest.approx(passes.FUSED / share, rel=1e-4)


JOBS = ("matmul64", "matmul32", "stream", "sweeps", "tiny")
DECISIONS = [
    ("always-gpu", "gpu gpu gpu gpu gpu"),
    ("always-cpu", "cpu CPU cpu cpu cpu"),
    ("arithmetic", "gpu gpu cpu gpu cpu"),
    ("item-size", "cpu cpu cpu gpu cpu"),
    ("transfer", "cpu gpu gpu gpu cpu"),
    ("residency", "cpu gpu cpu cpu cpu"),
    ("launch", "cpu gpu cpu gpu gpu"),
    ("labels", "cpu gpu cpu gpu npu"),
]


@pytest.mark.parametrize(("reason", "labels"), DECISIONS)
def test_another_wrong_decision_is_refused_for_its_reason(reason, labels):
    verdict = problems.judge("memory.worth", dict(zip(JOBS, labels.split(), strict=True)))
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    ("reason", "decisions"),
    [("type", "cpu"), ("type", ("cpu",) * 5), ("labels", {}), ("labels", dict.fromkeys(JOBS, 1))],
)
def test_what_is_no_dict_of_decisions_is_refused(reason, decisions):
    verdict = problems.judge("memory.worth", decisions)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_another_right_set_of_decisions_is_accepted():
    assert problems.judge("memory.worth", {j: " CPU" if j in JOBS[::2] else "Gpu" for j in reversed(JOBS)}).right


def test_the_texts_say_what_is_reckoned():
    known = gpus.find(worth.GPU)
    assert (worth.BANDWIDTH, worth.FP64, worth.FP32, worth.LINK, worth.LAUNCH) == (
        known.bandwidth,
        known.fp64,
        known.fp32,
        known.link,
        known.launch,
    )
    assert worth.FP32 / worth.FP64 == pytest.approx(64, rel=0.01)
    for key, job in worth.JOBS.items():
        fast, slow = sorted((job.times["cpu"], job.times["gpu"]))
        assert slow > 1.5 * fast, f"{key} is clear by more than any rounding of the figures"
    assert sorted(worth.WORTH.judge.right.values()) == ["cpu", "cpu", "cpu", "gpu", "gpu"]


@right("memory.softmax")
def no_difference_for_the_largest(x):
    # A row with infinity is 1 there and 0 elsewhere, of which the text says nothing.
    e = cp.fuse(kernel_name="fused")(lambda x, m: cp.exp(cp.where(x == m, 0.0, x - m)))(x, x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# ---- the functions ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_how_near_to_the_limit_is_said(simulated):
    """48, 32 and 24 bytes per element beside 16: the engine counts, so this is exact."""
    known = answers.right(problems.find("memory.softmax"))
    said = [problems.judge("memory.softmax", answer).near.partition(" (")[0] for answer in known.values()]
    assert said == [f"How near to the limit: {share} %" for share in (33, 50, 67)]


def test_a_kernel_that_goes_on_after_a_reduction_gains_nothing_by_it(simulated):
    near = problems.judge("memory.softmax", with_new_axes_under_fuse).near
    assert near.startswith("How near to the limit: 33 %")  # 48 bytes: as many passes as with one fused exponential


def test_too_much_traffic_is_told_kernel_by_kernel(simulated):
    verdict = answers.judge("memory.softmax", answers.wrong(problems.find("memory.softmax"))["traffic"].answer)
    assert "64 bytes of device memory per element" in verdict.why
    assert "Kernel by kernel: cupy_max 8, cupy_subtract 16, cupy_exp 16, cupy_sum 8, cupy_true_divide 16" in verdict.why


def test_what_is_held_is_said_beside_what_is_enough():
    verdict = answers.judge("memory.leak", answers.wrong(problems.find("memory.leak"))["held"].answer)
    # 10 000 × 40 shares of 8 bytes are kept, and the last piece beside them; six pieces of 160 kB and 4 × 80 kB are enough.
    assert 3.2 < float(re.search(r"([\d.]+) MB of device memory", verdict.why)[1]) < 3.6
    assert "1.28 MB are enough" in verdict.why


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("memory.passes", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("memory.worth", "type", *(reason for reason, _ in DECISIONS))
    assert not SECOND.absent()
