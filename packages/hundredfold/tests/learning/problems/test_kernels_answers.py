"""Unit 05: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are kernels as learners write them; `later` stands for ``@cuda.jit``, since these tests choose the device.
Interpreted kernels need no compiler, which takes half a second or more for each; the known answers, right and wrong, of
`test_known_answers` are compiled.
"""

import dataclasses

import answers
import numpy as np
import pytest
from answers.kernels import fastest as known_fastest
from answers.later import cuda, later
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.kernels import PROBLEMS, fastest, launch, worth
from hundredfold.learning.problems.kernels.smooth import nearest, pixels, smooth

SECOND = Answers("kernels")
wrong, right = SECOND.wrong, SECOND.right


# ---- kernels.guard ----


@wrong("guard", "bounds")
@later
def asks_for_the_blocks(x, gain, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < cuda.gridDim.x * cuda.blockDim.x:
        value = x[i] * gain
        out[i] = value if value < 1 else 1


@wrong("guard", "serial")
@later
def a_warp_for_its_block(x, gain, out):
    start = cuda.blockIdx.x * cuda.blockDim.x
    for i in range(start + 8 * cuda.threadIdx.x, min(start + 8 * cuda.threadIdx.x + 8, x.size)):
        if cuda.threadIdx.x < 16:
            out[i] = min(x[i] * gain, 1.0)


@wrong("guard", "remainder")
@later
def leaves_out_the_first(x, gain, out):
    i = cuda.grid(1) + 1
    if i >= x.size:
        return
    out[i] = min(x[i] * gain, 1.0)


@wrong("guard", "race")
@later
def number_of_the_block(x, gain, out):
    i = cuda.blockIdx.x
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


@wrong("guard", "aliasing")
@later
def clears_behind_itself(x, gain, out):
    i = cuda.grid(1)
    if i < len(x):
        out[i] = min(x[i] * gain, 1.0)
        x[i] = 0


@wrong("guard", "value")
@later
def forgets_the_limit(x, gain, out):
    start = cuda.grid(1)
    for i in range(start, x.size, cuda.gridsize(1)):
        out[i] = gain * x[i]


@wrong("guard", "typing")
@later
def gives_back_out(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)
    return out


@wrong("guard", "callable")
def numpy_expression(x, gain, out):
    out[:] = np.minimum(x * gain, 1)


@right("guard")
@later
def leaves_early(x, gain, out):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i >= out.shape[0]:
        return
    value = gain * x[i]
    if value > 1:
        value = 1.0
    out[i] = value


@right("guard")
@later
def goes_on_by_the_grid(x, gain, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    step = cuda.blockDim.x * cuda.gridDim.x
    while i < len(x):
        out[i] = x[i] * gain if x[i] * gain < 1 else 1
        i += step


# ---- kernels.smooth ----


@wrong("smooth", "bounds")
@later
def guards_with_the_threads_number(x, out):
    column, row = cuda.grid(2)
    total = count = 0
    for k in range(max(row - 1, 0), min(row + 2, x.shape[0])):
        for h in range(max(column - 1, 0), min(column + 2, x.shape[1])):
            total, count = total + x[k, h], count + 1
    if row <= x.shape[0] and column <= x.shape[1]:
        out[row, column] = total // max(count, 1)


@wrong("smooth", "wrapped")
@later
def lets_python_wrap(x, out):
    column, row = cuda.grid(2)
    rows, columns = x.shape
    if row < rows and column < columns:
        total = count = 0
        for k in (row - 1, row, row + 1):
            for h in (column - 1, column, column + 1):
                if k < rows and h < columns:
                    total += x[k, h]
                    count += 1
        out[row, column] = total // count


@wrong("smooth", "remainder")
@later
def border_is_left(x, out):
    j, i = cuda.grid(2)
    if i < 1 or j < 1 or i >= x.shape[0] - 1 or j >= x.shape[1] - 1:
        return
    total = x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
    total += x[i, j - 1] + x[i, j] + x[i, j + 1]
    total += x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
    out[i, j] = total // 9


@wrong("smooth", "border")
@later
def counts_nine_at_the_border(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                if 0 <= i + di < n and 0 <= j + dj < m:
                    total += x[i + di, j + dj]
        out[i, j] = total // 9


@wrong("smooth", "border")
@later
def row_by_row_as_in_the_lecture(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        left, right = max(0, j - 1), min(x.shape[1] - 1, j + 1)
        nine = 0
        for step in (-1, 0, 1):
            k = i + step
            if k == -1 or k == x.shape[0]:
                k = i
            nine = nine + x[k, left] + x[k, j] + x[k, right]
        out[i, j] = (nine - nine % 9) / 9


@wrong("smooth", "transposed")
@later
def rows_by_thread_x(x, out):
    row = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    column = cuda.threadIdx.y + cuda.blockIdx.y * cuda.blockDim.y
    if row >= x.shape[0] or column >= x.shape[1]:
        return
    total = count = 0
    for k in range(max(row - 1, 0), min(row + 2, x.shape[0])):
        for h in range(max(column - 1, 0), min(column + 2, x.shape[1])):
            total, count = total + x[k, h], count + 1
    out[row, column] = total // count


@wrong("smooth", "overflow")
@later
def narrow_row_by_row(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total, count = np.int8(0), 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            row = 0
            for h in range(max(j - 1, 0), min(j + 2, m)):
                row, count = row + x[k, h], count + 1
            total = np.int8(total + row)
        out[i, j] = total // count


@wrong("smooth", "rounding")
@later
def divides_the_amount(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(i - 1, i + 2):
            for h in range(j - 1, j + 2):
                if k >= 0 and h >= 0 and k < n and h < m:
                    total, count = total + x[k, h], count + 1
        out[i, j] = total // count if total >= 0 else -(-total // count)


@wrong("smooth", "race")
@later
def writes_into_the_picture(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(i - 1, i + 2):
            for h in range(j - 1, j + 2):
                if k >= 0 and h >= 0 and k < n and h < m:
                    total, count = total + x[k, h], count + 1
        x[i, j] = total // count


@wrong("smooth", "integer")
@later
def shares(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        rows, columns = min(i + 1, n - 1) - max(i - 1, 0) + 1, min(j + 1, m - 1) - max(j - 1, 0) + 1
        mean = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                mean += x[k, h] // (rows * columns)
        out[i, j] = mean


@wrong("smooth", "value")
@later
def without_itself(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                if k != i or h != j:
                    total, count = total + x[k, h], count + 1
        out[i, j] = total // max(count, 1)


@wrong("smooth", "traffic")
@later
def adds_up_in_out(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        out[i, j] = x[i, j]
        total = count = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total, count = total + x[k, h], count + 1
        out[i, j] = total // count


@right("smooth")
@later
def asks_at_each_pixel(x, out):
    column, row = cuda.grid(2)
    rows, columns = x.shape
    if row < rows and column < columns:
        total = count = 0
        for k in range(row - 1, row + 2):
            for h in range(column - 1, column + 2):
                if 0 <= k < rows and 0 <= h < columns:
                    total += x[k, h]
                    count += 1
        out[row, column] = total // count


@right("smooth")
@later
def row_by_row(x, out):
    j, i = cuda.grid(2)
    if i >= x.shape[0] or j >= x.shape[1]:
        return
    total = across = down = 0
    for k in (i - 1, i, i + 1):
        if k < 0 or k == x.shape[0]:
            continue
        down, across, total = down + 1, 1, total + x[k, j]
        if j > 0:
            across, total = across + 1, total + x[k, j - 1]
        if j < x.shape[1] - 1:
            across, total = across + 1, total + x[k, j + 1]
    count = down * across
    out[i, j] = (total - total % count) / count


# ---- kernels.histogram ----


@wrong("histogram", "race")
@later
def reads_then_writes(v, counts):
    i = cuda.grid(1)
    while i + 1 < v.size:
        before = counts[v[i], v[i + 1]]
        counts[v[i], v[i + 1]] = before + 1
        i += cuda.gridsize(1)


@wrong("histogram", "barrier")
@later
def waits_before_it_adds(v, counts):
    i = cuda.grid(1)
    while i < v.size - 1:
        cuda.syncthreads()
        counts[v[i], v[i + 1]] += 1
        i += cuda.gridsize(1)


@wrong("histogram", "remainder")
@later
def equal_parts(v, counts):
    each = v.size // cuda.gridsize(1)
    for i in range(cuda.grid(1) * each, (cuda.grid(1) + 1) * each):
        if i < v.size - 1:
            cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@wrong("histogram", "overlap")
@later
def every_block_all_values(v, counts):
    for i in range(cuda.threadIdx.x, v.size - 1, cuda.blockDim.x):
        cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@wrong("histogram", "bounds")
@later
def rounds_without_a_guard(v, counts):
    rounds = (v.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    for k in range(rounds):
        i = cuda.grid(1) + k * cuda.gridsize(1)
        cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@wrong("histogram", "value")
@later
def halves_the_values(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(counts, (v[i] // 2, v[i + 1] // 2), 1)


@wrong("histogram", "transposed")
@later
def looks_back(v, counts):
    i = cuda.grid(1) + 1
    while i < v.size:
        cuda.atomic.add(counts, (v[i], v[i - 1]), 1)
        i += cuda.gridsize(1)


@wrong("histogram", "uninitialised")
@later
def clears_half_of_them(v, counts):
    mine = cuda.shared.array(256, np.int32)
    for k in range(cuda.threadIdx.x, 128, cuda.blockDim.x):
        mine[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(mine, 16 * v[i] + v[i + 1], 1)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        cuda.atomic.add(counts, (k // 16, k % 16), mine[k])


@wrong("histogram", "serial")
@later
def first_of_each_block(v, counts):
    if cuda.threadIdx.x == 0:
        for i in range(cuda.blockIdx.x, v.size - 1, cuda.gridDim.x):
            cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@wrong("histogram", "serial")
@later
def half_of_each_block(v, counts):
    t = cuda.threadIdx.x
    if t % 2 == 0:
        for i in range(cuda.blockIdx.x * 32 + t // 2, v.size - 1, 128):
            cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@right("histogram")
@later
def contiguous_parts(v, counts):
    part, parts = cuda.grid(1), cuda.gridsize(1)
    for i in range(part * v.size // parts, (part + 1) * v.size // parts):
        if i > 0:
            cuda.atomic.add(counts, (v[i - 1], v[i]), 1)


@right("histogram")
@later
def four_neighbours_a_turn(v, counts):
    first = 4 * cuda.grid(1)
    while first + 1 < v.size:
        before = v[first]
        for i in range(first + 1, min(first + 5, v.size)):
            cuda.atomic.add(counts, (int(before), int(v[i])), np.int32(1))
            before = v[i]
        first += 4 * cuda.gridsize(1)


@wrong("histogram", "typing")
@later
def one_number_for_two(v, counts):
    i = cuda.grid(1)
    while i < v.size - 1:
        cuda.atomic.add(counts, v[i + 1] + (v[i] << 4), 1)
        i += cuda.gridsize(1)


# ---- kernels.fastest ----


def refused(reason, launch):
    """Decorate a kernel that must be refused for this reason when it is launched so."""

    def keep(kernel):
        wrong("fastest", reason)((kernel, launch))
        return kernel

    return keep


def accepted(launch):
    def keep(kernel):
        right("fastest")((kernel, launch))
        return kernel

    return keep


def by_rows(rows, columns):
    return ((rows + 31) // 32, (columns + 31) // 32), (32, 32)


def by_columns(rows, columns):
    return ((columns + 31) // 32, (rows + 31) // 32), (32, 32)


def strips_of_eight(rows, columns):
    return ((columns + 127) // 128, (rows + 7) // 8), (128, 1)


def without_the_last(rows, columns):
    return ((columns - 1) // 32 + 1, (rows + 1) // 32), (32, 32)


def in_words(rows, columns):
    return "32 blocks", "32 threads"


def huge(rows, columns):
    return ((columns + 1023) // 1024, (rows + 1) // 2), (1024, 2)


@refused("coalescing", by_rows)
@later
def row_first(x, out):
    row, column = cuda.grid(2)
    n, m = x.shape
    if row < n and column < m:
        total = 0
        for k in range(row - 1, row + 2):
            for h in range(column - 1, column + 2):
                total += x[max(0, min(k, n - 1)), max(0, min(h, m - 1))]
        out[row, column] = total // 9


def at_most_64_blocks_across(rows, columns):
    return (min((columns + 31) // 32, 64), (rows + 31) // 32), (32, 32)


@refused("value", at_most_64_blocks_across)
@refused("remainder", without_the_last)
@refused("type", in_words)
@refused("launch-limit", huge)
@refused("callable", (32, 8))
@accepted(by_columns)
@later
def column_first(x, out):
    column, row = cuda.grid(2)
    n, m = x.shape
    if row < n and column < m:
        total = 0
        for k in range(row - 1, row + 2):
            for h in range(column - 1, column + 2):
                total += x[max(0, min(k, n - 1)), max(0, min(h, m - 1))]
        out[row, column] = total // 9


def two_blocks(rows, columns):
    return (1, 2), (128, 8)


@refused("serial", two_blocks)
@refused("serial", strips_of_eight)
@later
def the_first_two_blocks_do_all(x, out):
    n, m = x.shape
    if cuda.blockIdx.x == 0 and cuda.blockIdx.y == 0:
        threads = cuda.blockDim.x * cuda.blockDim.y
        for k in range(cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x, n * m, threads):
            total = 0
            for h in range(9):
                total += x[min(max(k // m + h // 3 - 1, 0), n - 1), min(max(k % m + h % 3 - 1, 0), m - 1)]
            out[k // m, k % m] = total // 9


@refused("race", strips_of_eight)
@later
def one_row_above_too(x, out):
    j, strip = cuda.grid(2)
    n, m = x.shape
    if j < m:
        for row in range(max(strip * 8 - 1, 0), min(strip * 8 + 8, n)):
            total = 0
            for k in range(row - 1, row + 2):
                for h in range(j - 1, j + 2):
                    total += x[max(0, min(k, n - 1)), max(0, min(h, m - 1))]
            out[row, j] = total // 9


@refused("bounds", strips_of_eight)
@later
def always_eight_rows(x, out):
    j, strip = cuda.grid(2)
    n, m = x.shape
    if j < m:
        for row in range(strip * 8, strip * 8 + 8):
            total = 0
            for k in range(row - 1, row + 2):
                for h in range(j - 1, j + 2):
                    total += x[max(0, min(k, n - 1)), max(0, min(h, m - 1))]
            out[row, j] = total // 9


@accepted(strips_of_eight)
@later
def sums_are_kept(x, out):
    j, strip = cuda.grid(2)
    n, m = x.shape
    if j < m and strip * 8 < n:
        left, right = max(j - 1, 0), min(j + 1, m - 1)
        top = max(strip * 8 - 1, 0)
        a = x[top, left] + x[top, j] + x[top, right]
        b = x[strip * 8, left] + x[strip * 8, j] + x[strip * 8, right]
        for row in range(strip * 8, min(strip * 8 + 8, n)):
            low = min(row + 1, n - 1)
            c = x[low, left] + x[low, j] + x[low, right]
            out[row, j] = (a + b + c) // 9
            a, b = b, c


# ---- all of them ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests("interpreted")


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    for _, _, reason in PREDICTIONS:
        SECOND.also("launch", reason)
    SECOND.also("worth", *(job.reason for job in worth.JOBS.values()), "always-cpu", "always-gpu", "type", "labels")
    assert not SECOND.absent()


@pytest.mark.parametrize(("problem", "given"), [("guard", "bounds"), ("histogram", "race")])
def test_what_is_wrong_is_told_before_what_mends_it(interpreted, problem, given):
    """Who has changed nothing yet hears what the kernel does, not what to write; the last hint says that."""
    found = problems.find(f"kernels.{problem}")
    verdict = answers.judge(found.id, answers.wrong(found)[given].answer)
    repair = {"guard": ".size", "histogram": "cuda.atomic"}[problem]
    assert "the lens: " in verdict.why and "line " in verdict.why
    assert repair not in verdict.why + verdict.advice + found.hints[0]
    assert repair in found.hints[-1]


def test_a_race_in_which_all_write_the_same_is_not_called_right(interpreted):
    verdict = answers.judge("kernels.guard", number_of_the_block)
    assert verdict.reason == "race" and "the result is right" not in verdict.why
    assert "several threads" in verdict.why


PREDICTIONS = [
    (0, 750 // 32 * 1000 // 8, "remainder"),  # 2875
    (0, 32 * 94, "transposed"),  # x along the rows: 32 · 32 threads for 1000, 94 · 8 for 750
    (0, 768_000, "factor"),
    (0, 2930, "shape"),
    (1, 18, "per-element"),
    (1, 768_000, "count"),
    (2, 101, "transposed"),
    (2, 7, "offset"),
    (2, 647, "operands"),
    (3, 32, "coalescing"),
    (3, 128, "unit"),
    (4, 4, "coalescing"),
    (4, 33, "value"),
]


@pytest.mark.parametrize(("position", "value", "reason"), PREDICTIONS)
def test_a_mistake_in_a_prediction_is_recognised(position, value, reason):
    right = [3000, 18_000, np.int64(167), 4.0, 32]
    answers = [*right[:position], value, *right[position + 1 :]]
    assert problems.judge("kernels.launch", *answers).reason == reason
    assert problems.judge("kernels.launch", *right).outcome == "right"


def test_the_predictions_are_what_a_launch_does(device):
    """The numbers that are asked for, by a kernel of which each thread writes its own number."""
    import kernellens

    @later
    def along(x, out):
        j, i = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            out[i, j] = x[i, j]

    x = np.zeros((launch.ROWS, launch.COLUMNS), np.float32)
    blocks = (launch.ACROSS, launch.DOWN)
    seen = kernellens.trace(along.ready(), blocks, launch.THREADS, x, np.empty_like(x), blocks=[0])
    # One block of 8 warps at the picture's corner; a row's 3000 bytes are no multiple of 32, so some rows straddle.
    assert seen.traffic[0].requests == 8
    assert launch.SECTORS <= seen.traffic[0].per_request <= launch.SECTORS + 1


def test_the_jobs_are_decided_by_what_the_exercise_says():
    """By hand: 8192 B and 200 MB at 50, 900 and 12 GB/s; 10⁸ turns of 1 and 20 ns."""
    assert worth.JOBS["once"].times["cpu"] == pytest.approx(4e-3)
    assert worth.JOBS["once"].times["gpu"] > 2e8 / 12e9 > worth.JOBS["once"].times["cpu"]
    assert worth.JOBS["steps"].times["cpu"] == pytest.approx(4.0)
    assert worth.JOBS["steps"].times["gpu"] < 0.3
    assert worth.JOBS["follow"].times["gpu"] == pytest.approx(2.0, rel=0.01)
    assert worth.WORTH.judge.right == {"icon": "cpu", "once": "cpu", "steps": "gpu", "counts": "gpu", "follow": "cpu"}


@pytest.mark.parametrize("key", worth.JOBS)
def test_each_wrong_decision_has_its_reason(key):
    other = {"cpu": "gpu", "gpu": "cpu"}
    verdict = problems.judge("kernels.worth", {**worth.WORTH.judge.right, key: other[worth.WORTH.judge.right[key]]})
    assert (verdict.outcome, verdict.reason) == ("wrong", worth.JOBS[key].reason)


def test_the_specification_is_scipys_correlation():
    ndimage = pytest.importorskip("scipy.ndimage")
    ones = np.ones((3, 3), np.int16)
    for shape in ((9, 14), (1, 7), (7, 1), (1, 1), (2, 2)):
        x = pixels(*shape, seed=3).astype(np.int16)
        total, count = (ndimage.correlate(each, ones, mode="constant") for each in (x, np.ones_like(x)))
        np.testing.assert_array_equal(smooth(x.astype(np.int8)), total // count)
        total = ndimage.correlate(x, ones, mode="nearest")
        np.testing.assert_array_equal(nearest(x.astype(np.int8)), total // 9)


def test_what_the_lecture_has_is_known_as_that(interpreted):
    """Its border is another; so its kernel, copied, hears where the difference is, however it is written."""
    verdict = answers.judge("kernels.smooth", row_by_row_as_in_the_lecture)
    assert "as in the lecture" in verdict.why and "Let the loops" in verdict.advice


@later
def clamps_the_thread(x, gain, out):
    i = min(cuda.grid(1), x.size - 1)
    out[i] = min(x[i] * gain, 1.0)


@later
def begins_again(x, gain, out):
    i = cuda.grid(1) % x.size
    out[i] = min(x[i] * gain, 1.0)


@later
def lets_every_thread_in(x, out):
    j, i = cuda.grid(2)
    total = count = 0
    for k in range(max(i - 1, 0), min(i + 2, x.shape[0])):
        for h in range(max(j - 1, 0), min(j + 2, x.shape[1])):
            total, count = total + x[k, h], count + 1
    out[i, j] = total // max(count, 1)


@pytest.mark.parametrize(
    ("problem", "answer", "advice"),
    [
        ("guard", clamps_the_thread, "A thread without a number"),
        ("guard", begins_again, "A thread without a number"),
        ("guard", number_of_the_block, "Each thread needs an element of its own"),
        ("smooth", lets_every_thread_in, "Which threads have a pixel"),
        ("smooth", guards_with_the_threads_number, "Which threads have a pixel"),
        ("histogram", one_number_for_two, "is a tuple"),
    ],
)
def test_the_hint_is_about_the_thread_or_the_index_that_is_wrong(interpreted, problem, answer, advice):
    assert advice in answers.judge(f"kernels.{problem}", answer).advice


def test_a_barrier_is_explained_before_the_lens_speaks(interpreted):
    verdict = answers.judge("kernels.histogram", waits_before_it_adds)
    assert verdict.why.index("must be reached by all threads") < verdict.why.index("the lens: ")
    assert "`+=`" in verdict.advice


@pytest.mark.parametrize("position", range(5))
def test_the_hint_is_about_the_number_that_is_wrong(position):
    answers = [3000, 18_000, 167, 4, 32]
    answers[position] = 19
    verdict = problems.judge("kernels.launch", *answers)
    assert verdict.advice.startswith(f"`{launch.LAUNCH.answers[position]}`")


def test_what_moves_least_is_said_to(interpreted):
    """A thread that slides down a column reads 3 pixels for each, not 9: its requests move far fewer bytes."""
    problem = problems.find("kernels.fastest")
    one, strip = (
        fastest.moved(kernel.ready(), lambda x, shape=shape: shape(*x.shape), problem)
        for kernel, shape in ((known_fastest.clamped, known_fastest._usual), (sums_are_kept, strips_of_eight))
    )
    assert strip < one / 2
    assert one < fastest.MOST


def test_a_kernel_that_is_not_begun_is_not_judged(device):
    @later
    def nothing(x, out): ...

    assert answers.judge("kernels.smooth", nothing).outcome == "untouched"


@pytest.mark.parametrize(("answer", "reason"), [(3.0, "callable"), (np.zeros(3), "callable"), (len, "callable")])
def test_other_things_that_are_given(device, answer, reason):
    assert answers.judge("kernels.smooth", answer).reason == reason


@later
def never_moves_on(x, gain, out):
    i = cuda.grid(1)
    while i < x.size:
        out[i] = min(x[i] * gain, 1.0)


def test_a_kernel_that_never_ends_is_refused_and_not_launched(device, monkeypatch):
    monkeypatch.setenv("GPUSIM_THREAD_SECONDS", "0.5")
    verdict = answers.judge("kernels.guard", never_moves_on)
    assert (verdict.outcome, verdict.reason) == ("wrong", "timeout"), verdict.why


def test_a_launch_of_no_blocks_is_an_error_of_the_author_and_not_of_the_learner(interpreted):
    """No numbers need no blocks, so an author forgets them; the kernel is right."""
    guard = problems.find("kernels.guard")
    judge = dataclasses.replace(guard.judge, launch=lambda x, *_: (-(-x.size // 128), 128))
    right = next(iter(answers.right(guard).values()))
    with pytest.raises(ValueError, match="at least one"):
        problems._judge(dataclasses.replace(guard, judge=judge), answers.given(guard, right))


def test_each_known_answer_fits_its_problem():
    for problem in PROBLEMS:
        for answer in answers.right(problem).values():
            assert len(answers.given(problem, answer)) == len(problem.answers)
