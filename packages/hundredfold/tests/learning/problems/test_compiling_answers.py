"""Unit 04: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from answers.second import Answers
from numba import jit, njit, prange

from hundredfold.learning import problems
from hundredfold.learning.problems.compiling import judging, types, worth
from hundredfold.learning.problems.compiling import steps as mean_step

SECOND = Answers("compiling")
wrong, right = SECOND.wrong, SECOND.right


# ---- compiling.follow ----


@wrong("follow", "interpreted")
def appended_in_python(x, a):
    y = []
    for value in x:
        y.append(value if not y else (1 - a) * y[-1] + a * value)
    return np.array(y, dtype=float)


@njit
def one_step(level, value, a):
    return level + a * (value - level)


@wrong("follow", "interpreted")
def only_the_step_is_compiled(x, a):
    y = np.array(x, dtype=np.float64)
    for i in range(1, len(x)):
        y[i] = one_step(y[i - 1], x[i], a)
    return y


@wrong("follow", "dtype")
@njit
def half_the_digits(x, a):
    y = np.zeros(x.size, dtype=np.float32)
    level = 0.0
    for i in range(x.size):
        level = x[i] if i == 0 else (1 - a) * level + a * x[i]
        y[i] = level
    return y


@wrong("follow", "aliasing")
@njit
def writes_back(x, a):
    y = np.empty(x.size)
    for i in range(x.size):
        if i > 0:
            x[i] = a * x[i] + (1 - a) * x[i - 1]
        y[i] = x[i]
    return y


@wrong("follow", "value")
@njit
def a_zero_before_the_first(x, a):
    y = np.zeros(x.size + 1)
    for i in range(x.size):
        y[i + 1] = (1 - a) * y[i] + a * x[i]
    return y[1:].copy()


@wrong("follow", "value")
@njit
def inertia(x, a):
    y = x.astype(np.float64)
    for i in range(1, y.size):
        y[i] = a * y[i - 1] + (1 - a) * y[i]
    return y


@wrong("follow", "recurrence")
def shifted_arrays(x, a):
    y = np.array(x, dtype=np.float64)
    y[1:] = x[:-1] + a * (x[1:] - x[:-1])
    return y


@wrong("follow", "bounds")
@njit
def one_too_many(x, a):
    y = x.astype(np.float64)
    for i in range(x.size):
        y[i + 1] = y[i] + a * (x[i + 1] - y[i])
    return y


@wrong("follow", "typing")
@njit
def says_that_it_is_empty(x, a):
    if len(x) == 0:
        return "empty"
    y = np.empty(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])
    return y


@wrong("follow", "type")
def a_plain_list(x, a):
    return list(kept_in_an_array(x, a))


@wrong("follow", "race")
@jit(nopython=True, parallel=True)
def level_in_an_array(x, a):
    y = np.empty(x.size)
    level = np.zeros(1)
    for i in prange(x.size):
        level[0] = x[i] if i == 0 else (1 - a) * level[0] + a * x[i]
        y[i] = level[0]
    return y


@wrong("follow", "interpreted")
@jit(forceobj=True, looplift=False)
def in_object_mode(x, a):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] if i == 0 else y[i - 1] + a * (x[i] - y[i - 1])
    return y


@wrong("follow", "value")
@njit
def differences_in_the_type_of_x(x, a):
    y = np.empty(x.size)
    if x.size:
        y[0] = x[0]
    steps = x[1:] - x[:-1]
    for i in range(1, x.size):
        y[i] = y[i - 1] + a * (steps[i - 1] + (x[i - 1] - y[i - 1]))
    return y


@wrong("follow", "nan")
def in_closed_form(x, a):
    if len(x) == 0 or a == 1:
        return x.astype(float)
    weights = (1 - a) ** -np.arange(len(x), dtype=float)
    return np.cumsum(np.concatenate([x[:1], a * x[1:] * weights[1:]])) / weights


@right("follow")
@njit
def kept_in_an_array(x, a):
    y = x.astype(np.float64)
    for i in range(1, y.size):
        y[i] = (1 - a) * y[i - 1] + a * y[i]
    return y


@right("follow")
def scipys_filter(x, a):
    from scipy.signal import lfilter

    x = np.asarray(x, dtype=np.float64)
    return lfilter([a], [1, a - 1], x, zi=x[:1] * (1 - a))[0] if x.size else x.copy()


@right("follow")
@njit
def by_a_compiled_step(x, a):
    y = np.empty(len(x), np.float64)
    for i, value in enumerate(x):
        y[i] = value if i == 0 else one_step(y[i - 1], value, a)
    return y


# ---- compiling.edges ----


@wrong("edges", "bounds")
@njit
def last_row_and_column(x):
    n, m = x.shape
    out = np.zeros((n, m), np.int8)
    for i in range(n):
        for j in range(m):
            total, count = 0, 0
            for k in range(max(0, i - 1), i + 2):
                for h in range(max(0, j - 1), j + 2):
                    total += x[k, h]
                    count += 1
            out[i, j] = total // count
    return out


@wrong("edges", "bounds")
@njit
def columns_first(x):
    columns, rows = x.shape
    out = np.zeros_like(x)
    for i in range(rows):
        for j in range(columns):
            total, count = 0, 0
            for k in (i - 1, i, i + 1):
                for h in (j - 1, j, j + 1):
                    if k >= 0 and k < rows and h >= 0 and h < columns:
                        total += x[k, h]
                        count += 1
            out[i, j] = total // count
    return out


@wrong("edges", "wrapped")
@njit
def rolls_over_the_top(x):
    n, m = x.shape
    out = np.empty_like(x)
    for i in range(n):
        below = i + 1 if i + 1 < n else i - n + 1
        for j in range(m):
            right = j + 1 if j + 1 < m else j - m + 1
            total = 0
            for k in (i - 1, i, below):
                for h in (j - 1, j, right):
                    total += x[k, h]
            out[i, j] = total // 9
    return out


@wrong("edges", "border")
def zeros_at_the_edges(x):
    out = np.zeros(x.shape, np.int8)
    wide = x.astype(np.int16)
    n, m = x.shape
    if n > 2 and m > 2:
        out[1:-1, 1:-1] = sum(wide[i : i + n - 2, j : j + m - 2] for i in range(3) for j in range(3)) // 9
    return out


def padded_sums(x, dtype):
    n, m = x.shape
    wide, ones = np.pad(x.astype(dtype), 1), np.pad(np.ones(x.shape, np.int64), 1)
    windows = [(slice(i, i + n), slice(j, j + m)) for i in range(3) for j in range(3)]
    total = np.zeros(x.shape, dtype)
    for window in windows:
        total += wide[window]
    return total, sum(ones[window] for window in windows)


@wrong("edges", "divisor")
def padded_with_zeros(x):
    return (padded_sums(x, np.int64)[0] // 9).astype(np.int8)


@wrong("edges", "rounding")
def astype_cuts_off(x):
    total, count = padded_sums(x, np.int64)
    return (total / count).astype(np.int8)


@wrong("edges", "overflow")
def added_in_int8(x):
    total, count = padded_sums(x, np.int8)
    return (total // count).astype(np.int8)


@wrong("edges", "aliasing")
@njit
def reads_what_it_wrote(x):
    y = x.copy()
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            part = y[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
            total = 0
            for value in part.ravel():
                total += value
            y[i, j] = total // part.size
    return y


@wrong("edges", "dtype")
def stays_wide(x):
    total, count = padded_sums(x, np.int16)
    return total // count.astype(np.int16)


@wrong("edges", "interpreted")
def pixel_by_pixel(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            part = x[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
            out[i, j] = part.sum() // part.size
    return out


@right("edges")
def padded(x):
    total, count = padded_sums(x, np.int64)
    return (total // count).astype(np.int8)


@right("edges")
@njit(parallel=True)
def rows_in_threads(x):
    n, m = x.shape
    out = np.empty_like(x)
    for i in prange(n):
        for j in range(m):
            part = x[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
            out[i, j] = part.sum() // part.size
    return out


# ---- compiling.types and compiling.worth ----

EXACT = (11, 40, 900_000_000, 0.004)


PREDICTIONS = [
    (0, 40.0, "promotion"),
    (0, 104, "divisor"),
    (0, np.int8(14), "saturation"),
    (1, 11, "overflow"),
    (1, 360.0, "divisor"),
    (2, 2e8, "item-size"),
    (2, 8e8, "reads"),
    (2, 17e8, "cache"),
    (2, 9 * 9_998**2, "border"),
    (2, 9, "per-element"),
    (2, 900, "unit"),
    (2, 0.9, "unit"),
    (3, 0.002, "writes"),
    (3, 0.018, "item-size"),
    (3, 4.0, "unit"),
    (3, "4 ms", "type"),
]


@pytest.mark.parametrize(("place", "value", "reason"), PREDICTIONS)
def test_wrong_predictions(place, value, reason):
    answer = [*EXACT]
    answer[place] = value
    verdict = problems.judge("compiling.types", *answer)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    ("place", "name"), list(enumerate(("numpy_mean", "numba_mean", "stencil_bytes", "loop_seconds")))
)
def test_the_hint_is_about_the_number_that_is_wrong(place, name):
    given = [value * 3.3 if at == place else value for at, value in enumerate(EXACT)]
    assert problems.judge("compiling.types", *given).advice.startswith(f"`{name}`")


@pytest.mark.parametrize("answer", [EXACT, (11.0, np.int64(40), 9e8, 4e-3), (1 + 10, 40, 9 * 10**8, 2e8 / 50e9)])
def test_right_predictions(answer):
    assert problems.judge("compiling.types", *answer).outcome == "right"


def test_what_the_predictions_are_made_of():
    """By hand: 9 · 40 = 360 = 256 + 104."""
    nine = [np.array([40], np.int8)] * 9
    with np.errstate(over="ignore"):
        assert sum(nine[1:], nine[0])[0] == 104 == types.WRAPPED
    assert (types.NUMPY_MEAN, types.NUMBA_MEAN) == (104 // 9, 40) == (11, 40)

    @njit
    def mean(x):
        total = 0
        for value in x:
            total += value
        return total // 9

    assert mean(np.full(9, 40, np.int8)) == 40


DECISIONS = [
    (dict.fromkeys(worth.JOBS, "GPU"), "always-gpu"),
    (dict.fromkeys(worth.JOBS, " compile "), "always-compile"),
    (dict.fromkeys(worth.JOBS, "Leave"), "always-leave"),
    ({"settings": "gpu"}, "compiling"),
    ({"sum": "gpu"}, "nothing-to-compile"),
    ({"recurrence": "leave"}, "recurrence"),
    ({"pictures": "leave"}, "transfer"),
    ({"steps": "leave"}, "residency"),
    ({"steps": 3}, "labels"),
    ({"pictures": "cpu"}, "labels"),
]


@pytest.mark.parametrize(("changed", "reason"), DECISIONS)
def test_wrong_decisions(changed, reason):
    verdict = problems.judge("compiling.worth", {**worth.WORTH.judge.right, **changed})
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_each_decision_is_clear_by_more_than_any_rounding_of_the_figures():
    for key, job in worth.JOBS.items():
        best, second, _ = sorted(job.times.values())
        assert second > 2 * best, key
    assert list(worth.WORTH.judge.right.values()) == ["leave", "leave", "compile", "compile", "gpu"]


def test_a_decision_that_is_open_is_no_mistake():
    verdict = problems.judge("compiling.worth", {**worth.WORTH.judge.right, "steps": ...})
    assert verdict.outcome == "untouched" and "steps" in verdict.why


# ---- compiling.histogram ----


@wrong("histogram", "race")
@njit(parallel=True)
def grey_values_in_a_helper(v):
    counts = np.zeros(256, dtype=np.int64)
    for i in prange(len(v)):
        add_one(counts, v[i])
    return counts


@njit
def add_one(counts, k):
    counts[k] = counts[k] + 1


@wrong("histogram", "race")
@njit(parallel=True)
def parts_that_share_a_row(v):
    counts = np.zeros((2, 256), dtype=np.int64)
    for t in prange(8):
        for i in range(t, v.size, 8):
            counts[t // 4, v[i]] += 1
    return counts[0] + counts[1]


@wrong("histogram", "serial")
@njit
def parts_without_threads(v):
    counts = np.zeros((4, 256), dtype=np.int64)
    for t in range(4):
        for i in range(t, v.size, 4):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@wrong("histogram", "serial")
def numpys_histogram(v):
    return np.histogram(v, bins=np.arange(257))[0]


@wrong("histogram", "remainder")
@njit
def whole_parts_only(v):
    counts = np.zeros((16, 256), dtype=np.int64)
    step = len(v) // 16
    for t in prange(16):
        for value in v[t * step : t * step + step]:
            counts[t, value] += 1
    return counts.sum(axis=0)


@wrong("histogram", "overlap")
@njit
def each_part_counts_all(v):
    counts = np.zeros((4, 256), dtype=np.int64)
    for t in prange(4):
        for i in range(v.size):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@wrong("histogram", "shape")
@njit(parallel=True)
def as_many_as_there_are(v):
    top = 0
    for value in v:
        top = max(top, value)
    counts = np.zeros((4, top + 1), dtype=np.int64)
    for t in prange(4):
        for i in range(t, v.size, 4):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@wrong("histogram", "dtype")
@njit
def small_counts(v):
    counts = np.zeros((4, 256), dtype=np.int32)
    for t in prange(4):
        for i in range(t, v.size, 4):
            counts[t, v[i]] += 1
    return (counts[0] + counts[1] + counts[2] + counts[3]).astype(np.int32)


@wrong("histogram", "bounds")
@njit(parallel=True)
def one_bin_too_few(v):
    counts = np.zeros((4, 255), dtype=np.int64)
    for t in prange(4):
        for i in range(t, v.size, 4):
            counts[t, v[i]] += 1
    return counts.sum(axis=0)


@wrong("histogram", "serial")
@njit(parallel=True)
def all_by_the_first(v):
    counts = np.zeros((4, 256), np.int64)
    for t in prange(4):
        if t == 0:
            for value in v:
                counts[t, value] += 1
    return counts.sum(axis=0)


@wrong("histogram", "overflow")
@njit(parallel=True)
def counts_up_to_65535(v):
    counts = np.zeros((2, 256), np.uint16)
    for t in prange(2):
        for i in range(t * v.size // 2, (t + 1) * v.size // 2):
            counts[t, v[i]] += 1
    return counts.astype(np.int64).sum(axis=0)


@njit(nogil=True)
def count_alone(v):
    counts = np.zeros(256, np.int64)
    for i in range(v.size):
        counts[v[i]] += 1
    return counts


@wrong("histogram", "serial")
def a_pool_of_one(v):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(count_alone, v).result()


@right("histogram")
def a_pool_of_threads(v):
    with ThreadPoolExecutor(4) as pool:
        return sum(pool.map(count_alone, np.array_split(v, 4)), np.zeros(256, np.int64))


@right("histogram")
@njit(parallel=True)
def a_thread_for_each_value(v):
    counts = np.zeros(256, np.int64)
    for value in prange(256):
        for i in range(v.size):
            if v[i] == value:
                counts[value] += 1
    return counts


@right("histogram")
@njit(parallel=True)
def one_bin_after_the_other(v):
    counts = np.zeros(256, dtype=np.int64)
    for k in prange(256):
        found = 0
        for value in v:
            found += value == k
        counts[k] = found
    return counts


@njit
def of_a_part(v, counts):
    for value in v:
        counts[value] += 1


@right("histogram")
@njit(parallel=True)
def a_helper_for_each_part(v):
    parts = numba.get_num_threads()
    ends = np.arange(parts + 1) * v.size // parts
    counts = np.zeros((parts, 256), dtype=np.int64)
    for t in prange(parts):
        of_a_part(v[ends[t] : ends[t + 1]], counts[t])
    return counts.sum(axis=0)


# ---- compiling.steps ----


def test_a_loop_that_was_kept_waiting_is_no_limit(monkeypatch):
    """On a busy machine the loop that only reads took longer than the answer, and any answer came to 100 %."""
    monkeypatch.setattr(mean_step, "_timed", lambda *_: (0.008, 0.012))
    monkeypatch.setattr(mean_step, "_at_best", lambda nbytes: 0.002)
    assert mean_step._near(None, None).startswith("How near to the limit: 25 %")
    monkeypatch.setattr(mean_step, "_timed", lambda *_: (0.008, 0.006))
    monkeypatch.setattr(mean_step, "_at_best", lambda nbytes: 0.1)  # kept of a bad day
    assert mean_step._near(None, None).startswith("How near to the limit: 75 %")


@wrong("steps", "temporaries")
def slices(x):
    return float(np.mean(abs(x[1:] - x[:-1]))) if len(x) >= 2 else 0.0


@wrong("steps", "temporaries")
@njit
def compiled_slices(x):
    if x.size < 2:
        return 0.0
    differences = np.abs(x[1:] - x[:-1])
    return differences.sum() / differences.size


@wrong("steps", "interpreted")
def with_zip(x):
    return float(sum(abs(b - a) for a, b in zip(x[:-1], x[1:], strict=True)) / max(len(x) - 1, 1))


@wrong("steps", "wrapped")
@njit
def steps_backwards(x):
    total = 0.0
    for i in range(x.size - 1, -1, -1):
        total += abs(x[i] - x[i - 1])
    return total / max(x.size - 1, 1)


@wrong("steps", "bounds")
@njit(parallel=True)
def threads_past_the_end(x):
    total = 0.0
    for i in prange(x.size):
        total += abs(x[i + 1] - x[i])
    return total / max(x.size - 1, 1)


@wrong("steps", "sign")
def telescope(x):
    return float(np.mean(np.diff(x))) if x.size > 1 else 0.0


@wrong("steps", "divisor")
def mean_of_all(x):
    return float(np.abs(np.diff(x)).sum() / len(x)) if len(x) else 0.0


@wrong("steps", "squared")
def root_mean_square(x):
    return float(np.linalg.norm(np.diff(x)) / (x.size - 1) ** 0.5) if x.size > 1 else 0.0


@wrong("steps", "race")
@njit(parallel=True)
def kept_in_an_element(x):
    if x.size < 2:
        return 0.0
    out = np.zeros(2)
    for i in prange(x.size - 1):
        out[1] = out[1] + abs(x[i + 1] - x[i])
    return out[1] / (x.size - 1)


@wrong("steps", "dtype")
def half_precision_of_the_difference(x):
    return float(np.abs(np.diff(x.astype(np.float32))).mean(dtype=np.float64)) if x.size > 1 else 0.0


@wrong("steps", "type")
def zero_dimensional(x):
    return np.asarray(float(np.abs(np.diff(x)).mean()) if x.size > 1 else 0.0)


@wrong("steps", "exception")
def empty_mean(x):
    return float(np.abs(np.diff(x)).sum() / [x.size - 1 for _ in range(1) if x.size > 1][0])


@wrong("steps", "value")
def in_pieces_of_a_million(x):
    if x.size < 2:
        return 0.0
    pieces = (x[i : i + 1_000_000] for i in range(0, x.size, 1_000_000))
    return float(sum(total_alone(piece) for piece in pieces) / (x.size - 1))


@njit
def total_alone(x):
    total = 0.0
    for i in range(1, x.size):
        total += abs(x[i] - x[i - 1])
    return total


@wrong("steps", "temporaries")
@njit
def in_two_halves(x):
    if x.size < 2:
        return 0.0
    h = x.size // 2
    return (np.abs(x[1 : h + 1] - x[:h]).sum() + np.abs(x[h + 1 :] - x[h:-1]).sum()) / (x.size - 1)


@right("steps")
@njit(parallel=True)
def fused_by_numba(x):
    return np.sum(np.abs(x[1:] - x[:-1])) / (x.size - 1) if x.size > 1 else 0.0


@right("steps")
@njit(parallel=True, fastmath={"reassoc"})
def parts_with_their_own_sum(x):
    parts = numba.get_num_threads()
    sums = np.zeros(parts)
    steps = max(x.size - 1, 0)
    for t in prange(parts):
        mine = 0.0
        for i in range(t * steps // parts, (t + 1) * steps // parts):
            mine += abs(x[i + 1] - x[i])
        sums[t] = mine
    return sums.sum() / max(steps, 1)


@right("steps")
@njit
def in_order(x):
    total, before = 0.0, 0.0
    for i, value in enumerate(x):
        if i > 0:
            total += abs(value - before)
        before = value
    return total / max(x.size - 1, 1)


@njit
def forgets_to_count(x, a):
    i = 0
    y = np.empty(x.size)
    while i < x.size:
        y[i] = x[i]
    return y


def test_a_compiled_loop_that_never_ends_is_not_even_begun(monkeypatch):
    """No signal stops it: were it run, this test would never end."""
    monkeypatch.setattr(judging, "PATIENCE", 1.0)
    verdict = problems.judge("compiling.follow", forgets_to_count)
    assert (verdict.outcome, verdict.reason) == ("wrong", "timeout"), verdict.why
    assert not forgets_to_count.signatures, "it was not compiled"


@numba.vectorize
def of_one_number(x, a):
    return x * a


@pytest.mark.parametrize(
    ("problem", "answer", "reason"),
    [
        ("follow", 3.0, "callable"),
        ("follow", np.zeros(3), "callable"),
        ("follow", of_one_number, "value"),
        ("follow", lambda x: x, "exception"),
        ("edges", njit(lambda x: x), "value"),
        ("edges", njit(lambda x: x.mean()), "type"),
        ("histogram", lambda v: v[:0], "shape"),
        ("steps", njit(lambda x: None), None),
        ("worth", "leave", "type"),
    ],
)
def test_other_things_that_are_given(problem, answer, reason):
    verdict = problems.judge(f"compiling.{problem}", answer)
    assert verdict.reason == reason, verdict.why
    assert verdict.outcome == ("wrong" if reason else "untouched")


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("types", *(reason for _, _, reason in PREDICTIONS))
    SECOND.also("worth", "type", *(reason for _, reason in DECISIONS))
    assert not SECOND.absent()


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()
