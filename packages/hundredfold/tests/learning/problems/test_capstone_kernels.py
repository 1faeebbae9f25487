"""Unit 15, the kernels of both tracks: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be accepted. Interpreted kernels
need no compiler; the known answers of `test_known_answers` are compiled.
"""

import numpy as np
import pytest
from answers.later import cuda, later
from answers.second import Answers

from hundredfold.learning.problems.capstone import median as medians
from hundredfold.learning.problems.capstone import propagate

SECOND = Answers("capstone")
wrong, right = SECOND.wrong, SECOND.right
HERE = ("propagate", "median")
pytestmark = pytest.mark.usefixtures("interpreted")


# ---- capstone.propagate ----


@right("propagate")
@later
def from_behind(first, buffer, own, late):
    s, c = cuda.grid(2)
    if s >= own.shape[1] or c >= first.size - 1:
        return
    end, i = first[c + 1], first[c]
    lateness = np.float32(-1e9)
    while i < end:
        left = lateness - buffer[i]
        lateness = own[i, s] + left if i > first[c] and left > 0 else own[i, s]
        late[i, s] = lateness
        i += 1


@wrong("propagate", "serial")
@later
def one_block_for_all(first, buffer, own, late):
    if cuda.blockIdx.x == 0 and cuda.blockIdx.y == 0:
        for s in range(cuda.threadIdx.x, own.shape[1], cuda.blockDim.x):
            for c in range(cuda.threadIdx.y, first.size - 1, cuda.blockDim.y):
                lateness = np.float32(0)
                for i in range(first[c], first[c + 1]):
                    lateness = own[i, s] + (max(lateness - buffer[i], np.float32(0)) if i > first[c] else np.float32(0))
                    late[i, s] = lateness


@right("propagate")
@later
def plane_by_plane(first, buffer, own, late):
    """A thread strides over planes as well."""
    s, c = cuda.grid(2)
    while c < first.size - 1:
        if s < own.shape[1]:
            carried = np.float32(0)
            for i in range(first[c], first[c + 1]):
                here = own[i, s] + carried
                late[i, s] = here
                if i + 1 < first[c + 1]:
                    carried = max(np.float32(0), here - buffer[i + 1])
        c += cuda.blockDim.y * cuda.gridDim.y


@wrong("propagate", "bounds")
@later
def one_plane_too_many(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size and s < own.shape[1]:
        carried = np.float32(0)
        for i in range(first[c], first[c + 1]):
            carried = own[i, s] + (max(carried - buffer[i], np.float32(0)) if i > first[c] else np.float32(0))
            late[i, s] = carried


@wrong("propagate", "overlap")
@later
def all_in_a_row(first, buffer, own, late):
    s, c = cuda.grid(2)
    if s < own.shape[1] and c < 1 and own.shape[0] > 0:
        carried = own[0, s]
        late[0, s] = carried
        for i in range(1, own.shape[0]):
            carried = own[i, s] + (carried - buffer[i] if carried > buffer[i] else np.float32(0))
            late[i, s] = carried


@wrong("propagate", "sign")
@later
def leaves_early(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c + 1 < first.size and s < own.shape[1]:
        carried = np.float32(0)
        for i in range(first[c], first[c + 1]):
            carried = own[i, s] + (carried - buffer[i] if i != first[c] else np.float32(0))
            late[i, s] = carried


@wrong("propagate", "recurrence")
@later
def forgets(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c + 1 < first.size and s < own.shape[1]:
        before = np.float32(-1e9)
        for i in range(first[c], first[c + 1]):
            mine = own[i, s]
            late[i, s] = mine + max(before - buffer[i], np.float32(0))
            before = mine


@wrong("propagate", "shifted")
@later
def old_buffer(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c + 1 < first.size and s < own.shape[1]:
        carried = np.float32(0)
        for i in range(first[c], first[c + 1]):
            carried += own[i, s]
            late[i, s] = carried
            carried = max(carried - buffer[i], np.float32(0))


@wrong("propagate", "race")
@later
def a_thread_for_a_flight(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c + 1 < first.size and s < own.shape[1]:
        for i in range(first[c] + c % 2, first[c + 1]):
            late[i, s] = own[i, s]
        for i in range(first[c + 1], min(first[c + 1] + 1, own.shape[0])):
            late[i, s] = own[i, s] + max(late[i - 1, s] - buffer[i], np.float32(0))


@wrong("propagate", "remainder")
@later
def not_the_last_plane(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 2 and s < own.shape[1]:
        carried = np.float32(0)
        for i in range(first[c], first[c + 1]):
            carried = own[i, s] + (max(carried - buffer[i], np.float32(0)) if i > first[c] else np.float32(0))
            late[i, s] = carried


@wrong("propagate", "coalescing")
@later
def futures_along_y(first, buffer, own, late):
    x, y = cuda.grid(2)
    wide, high = cuda.gridDim.x * cuda.blockDim.x, cuda.gridDim.y * cuda.blockDim.y
    for c in range(x, first.size - 1, wide):
        for s in range(y, own.shape[1], high):
            carried = np.float32(0)
            for i in range(first[c], first[c + 1]):
                carried = own[i, s] + (max(carried - buffer[i], np.float32(0)) if i > first[c] else np.float32(0))
                late[i, s] = carried


@wrong("propagate", "operands")
@later
def planes_first(first, buffer, own, late):
    plane, future = cuda.grid(2)
    if plane >= first.size - 1 or future >= own.shape[1]:
        return
    for i in range(first[plane], first[plane + 1]):
        late[i, future] = own[i, future]
        if i > first[plane]:
            late[i, future] += max(np.float32(0), late[i - 1, future] - buffer[i])


@wrong("propagate", "traffic")
@later
def adds_up_in_place(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        for i in range(first[c], first[c + 1]):
            late[i, s] = np.float32(0)
            if i > first[c]:
                late[i, s] = max(late[i - 1, s] - buffer[i], np.float32(0))
            late[i, s] += own[i, s]


@wrong("propagate", "aliasing")
@later
def clears(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        carried = np.float32(0)
        for i in range(first[c], first[c + 1]):
            carried = own[i, s] + (max(carried - buffer[i], np.float32(0)) if i > first[c] else np.float32(0))
            late[i, s], own[i, s] = carried, np.float32(0)


wrong("propagate", "callable")("propagate")


def test_the_recurrence_is_lindleys():
    """With interarrival times for buffers and service times for own delays it is a queue with one server: what is late is who waits."""
    rng = np.random.default_rng(3)
    service, between = rng.exponential(8, 50).astype("f4"), rng.exponential(10, 50).astype("f4")
    late = propagate.propagate(np.array([0, 50], "i4"), between, service[:, None])[:, 0]
    arrived, free, sojourn = 0.0, 0.0, []
    for took, after in zip(service, between, strict=True):
        arrived += after
        free = max(arrived, free) + took
        sojourn.append(free - arrived)
    np.testing.assert_allclose(late, sojourn, rtol=1e-4)


# ---- capstone.median ----


@right("median")
@later
def three_columns(x, out):
    """Each column of three is put in order; the median is that of the largest least, the middle middle and the least largest."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if i >= n or j >= m:
        return
    low, middle, high = np.float32(-np.inf), cuda.local.array(3, np.float32), np.float32(np.inf)
    for k in range(3):
        column = min(max(j + k - 1, 0), m - 1)
        a, b, c = x[max(i - 1, 0), column], x[i, column], x[min(i + 1, n - 1), column]
        low, high = max(low, min(a, min(b, c))), min(high, max(a, max(b, c)))
        middle[k] = max(min(a, b), min(max(a, b), c))
    centre = max(min(middle[0], middle[1]), min(max(middle[0], middle[1]), middle[2]))
    out[i, j] = max(min(low, centre), min(max(low, centre), high))


@right("median")
@later
def least_is_taken_out(x, out):
    """Five times the least of what is left."""
    column, row = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        left = cuda.local.array(9, np.float32)
        for k in range(9):
            r, c = row - 1 + k // 3, column - 1 + k % 3
            r = 0 if r < 0 else x.shape[0] - 1 if r == x.shape[0] else r
            c = 0 if c < 0 else x.shape[1] - 1 if c == x.shape[1] else c
            left[k] = x[r, c]
        least = np.float32(0)
        for _ in range(5):
            best = 0
            for k in range(1, 9):
                if left[k] < left[best]:
                    best = k
            least, left[best] = left[best], np.float32(np.inf)
        out[row, column] = least


@wrong("median", "serial")
@later
def a_thread_for_four_rows(x, out):
    j, n, m = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, x.shape[0], x.shape[1]
    top = cuda.blockIdx.y * cuda.blockDim.y
    if cuda.threadIdx.y == 0 and j < m:
        for i in range(top, min(top + cuda.blockDim.y, n)):
            near = cuda.local.array(9, np.float32)
            for k in range(9):
                near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
            for a in range(5):
                for b in range(a + 1, 9):
                    if near[b] < near[a]:
                        near[a], near[b] = near[b], near[a]
            out[i, j] = near[4]


@wrong("median", "bounds")
@later
def only_the_upper_border(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            value, place = x[max(i + k // 3 - 1, 0), max(j + k % 3 - 1, 0)], k
            while place > 0 and near[place - 1] > value:
                near[place] = near[place - 1]
                place -= 1
            near[place] = value
        out[i, j] = near[4]


@wrong("median", "wrapped")
@later
def round_the_back(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            r, c = i + k // 3 - 1, j + k % 3 - 1
            value, place = x[r if r < n else 0, c if c < m else 0] if r >= 0 and c >= 0 else x[r % n, c % m], k
            while place > 0 and near[place - 1] > value:
                near[place] = near[place - 1]
                place -= 1
            near[place] = value
        out[i, j] = near[4]


@wrong("median", "border")
@later
def nothing_outside(x, out):
    j, i = cuda.grid(2)
    if i >= x.shape[0] or j >= x.shape[1]:
        return
    near = cuda.local.array(9, np.float32)
    for k in range(9):
        near[k] = 0
    for r in range(max(i - 1, 0), min(i + 2, x.shape[0])):
        for c in range(max(j - 1, 0), min(j + 2, x.shape[1])):
            near[3 * (r - i + 1) + c - j + 1] = x[r, c]
    for a in range(9):
        for b in range(8 - a):
            if near[b] > near[b + 1]:
                near[b], near[b + 1] = near[b + 1], near[b]
    out[i, j] = near[4]


@wrong("median", "value")
@later
def as_they_come(x, out):
    """The fifth of the nine as they are read is the pixel itself."""
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = x[i, j]


@wrong("median", "shifted")
@later
def number_five(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            value, place = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)], k
            while place > 0 and near[place - 1] > value:
                near[place] = near[place - 1]
                place -= 1
            near[place] = value
        out[i, j] = near[5]


@wrong("median", "averaged")
@later
def blurs(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        mean = np.float32(0)
        for r in range(i - 1, i + 2):
            for c in range(j - 1, j + 2):
                mean += x[min(max(r, 0), n - 1), min(max(c, 0), m - 1)] / np.float32(9)
        out[i, j] = mean


@wrong("median", "reach")
@later
def crosswise(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(5, np.float32)
        for k in range(5):
            r, c = i + (k == 1) - (k == 2), j + (k == 3) - (k == 4)
            value, place = x[min(max(r, 0), n - 1), min(max(c, 0), m - 1)], k
            while place > 0 and near[place - 1] > value:
                near[place] = near[place - 1]
                place -= 1
            near[place] = value
        out[i, j] = near[2]


@wrong("median", "remainder")
@later
def border_as_it_was(x, out):
    j, i = cuda.grid(2)
    if i + 1 < x.shape[0] and j + 1 < x.shape[1]:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            value, place = x[max(i + k // 3 - 1, 0), max(j + k % 3 - 1, 0)], k
            while place > 0 and near[place - 1] > value:
                near[place] = near[place - 1]
                place -= 1
            near[place] = value
        out[i, j] = near[4]


@wrong("median", "race")
@later
def pixel_of_the_block(x, out):
    """Threads that would be outside clean the last pixel once more."""
    j, i = cuda.grid(2)
    n, m = x.shape
    near = cuda.local.array(9, np.float32)
    for k in range(9):
        value, place = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)], k
        while place > 0 and near[place - 1] > value:
            near[place] = near[place - 1]
            place -= 1
        near[place] = value
    out[min(i, n - 1), min(j, m - 1)] = near[4] if i < n and j < m else np.float32(0)


@wrong("median", "traffic")
@later
def sorts_in_the_result(x, out):
    """It counts for each of the nine anew how many are less."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        out[i, j] = x[i, j]
        for a in range(9):
            less = equal = 0
            mine = x[min(max(i + a // 3 - 1, 0), n - 1), min(max(j + a % 3 - 1, 0), m - 1)]
            for b in range(9):
                other = x[min(max(i + b // 3 - 1, 0), n - 1), min(max(j + b % 3 - 1, 0), m - 1)]
                less += other < mine
                equal += other == mine
            if less <= 4 < less + equal:
                out[i, j] = mine


@wrong("median", "coalescing")
@later
def rows_along_x(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    while i < n:
        c = j
        while c < m:
            near = cuda.local.array(9, np.float32)
            for k in range(9):
                value, place = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(c + k % 3 - 1, 0), m - 1)], k
                while place > 0 and near[place - 1] > value:
                    near[place] = near[place - 1]
                    place -= 1
                near[place] = value
            out[i, c] = near[4]
            c += cuda.blockDim.y * cuda.gridDim.y
        i += cuda.blockDim.x * cuda.gridDim.x


wrong("median", "callable")(np.zeros((3, 3), "f4"))


def test_the_specification_is_the_median_of_the_nine():
    x = medians.noisy(7, 5, 9)
    wide = np.pad(x, 1, mode="edge")
    nine = np.lib.stride_tricks.sliding_window_view(wide, (3, 3)).reshape(7, 5, 9)
    assert np.array_equal(medians.median(x), np.median(nine, axis=2))


# ---- all ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_each_reason_is_met_by_a_second_answer():
    assert not {(problem, reason) for problem, reason in SECOND.absent() if problem.partition(".")[2] in HERE}
