"""``capstone.propagate``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.capstone.propagate import propagate

from ..edits import Wrong
from ..later import cuda, later


@later
def _carries(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before


@later
def _strides(first, buffer, own, late):
    """A grid that is smaller than the futures would do as well."""
    c = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if c >= first.size - 1:
        return
    for s in range(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, own.shape[1], cuda.gridsize(2)[0]):
        i = first[c]
        if i < first[c + 1]:
            x = own[i, s]
            late[i, s] = x
            i += 1
            while i < first[c + 1]:
                x = own[i, s] + (x - buffer[i] if x > buffer[i] else np.float32(0))
                late[i, s] = x
                i += 1


@later
def _unguarded(first, buffer, own, late):
    s, c = cuda.grid(2)
    before = np.float32(0)
    for i in range(first[c], first[c + 1]):
        if i > first[c]:
            before = max(before - buffer[i], np.float32(0))
        before += own[i, s]
        late[i, s] = before


@later
def _first_read_twice(first, buffer, own, late):
    """For the first flight of a plane alone: once to write it, and once to go on."""
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1] and first[c] < first[c + 1]:
        late[first[c], s] = own[first[c], s]
        before = own[first[c], s]
        for i in range(first[c] + 1, first[c + 1]):
            before = own[i, s] + max(before - buffer[i], np.float32(0))
            late[i, s] = before


@later
def _through_planes(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c == 0 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(own.shape[0]):
            if i > 0:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before


@later
def _negative_too(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before -= buffer[i]
            before += own[i, s]
            late[i, s] = before


@later
def _own_before(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        for i in range(first[c], first[c + 1]):
            late[i, s] = own[i, s]
            if i > first[c]:
                late[i, s] += max(own[i - 1, s] - buffer[i], np.float32(0))


@later
def _each_flight(first, buffer, own, late):
    """A thread for each flight: it reads what another thread may not have written yet."""
    s, c = cuda.grid(2)
    if s < own.shape[1] and c < first.size - 1:
        for i in range(c, own.shape[0], first.size - 1):
            fresh = False
            for k in range(first.size - 1):
                fresh = fresh or first[k] == i
            late[i, s] = own[i, s]
            if not fresh and i > 0:
                late[i, s] = own[i, s] + max(late[i - 1, s] - buffer[i], np.float32(0))


@later
def _last_left_out(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1] - 1):
            if i > first[c]:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before


@later
def _planes_along_x(first, buffer, own, late):
    c, s = cuda.grid(2)
    while c < first.size - 1:
        k = s
        while k < own.shape[1]:
            before = np.float32(0)
            for i in range(first[c], first[c + 1]):
                if i > first[c]:
                    before = max(before - buffer[i], np.float32(0))
                before += own[i, k]
                late[i, k] = before
            k += cuda.blockDim.y * cuda.gridDim.y
        c += cuda.blockDim.x * cuda.gridDim.x


@later
def _x_for_planes(first, buffer, own, late):
    c, s = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before


@later
def _reads_again(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        for i in range(first[c], first[c + 1]):
            late[i, s] = own[i, s]
            if i > first[c] and late[i - 1, s] > buffer[i]:
                late[i, s] += late[i - 1, s] - buffer[i]


@later
def _in_place(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                own[i, s] += max(own[i - 1, s] - buffer[i], np.float32(0))
            late[i, s] = own[i, s]


@later
def _all_planes(first, buffer, own, late):
    """One thread for each future does all planes; those further down have nothing to do."""
    s, c = cuda.grid(2)
    if c == 0 and s < own.shape[1]:
        for plane in range(first.size - 1):
            before = np.float32(0)
            for i in range(first[plane], first[plane + 1]):
                if i > first[plane]:
                    before = max(before - buffer[i], np.float32(0))
                before += own[i, s]
                late[i, s] = before


@later
def _wrong_buffer(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before = max(before - buffer[i - 1], np.float32(0))
            before += own[i, s]
            late[i, s] = before


WRONG = {
    "first flights read twice": Wrong(_first_read_twice, "traffic"),
    "unguarded": Wrong(_unguarded, "bounds"),
    "through-planes": Wrong(_through_planes, "overlap"),
    "negative-too": Wrong(_negative_too, "sign"),
    "own-before": Wrong(_own_before, "recurrence"),
    "wrong-buffer": Wrong(_wrong_buffer, "shifted"),
    "each-flight": Wrong(_each_flight, "race"),
    "last-left-out": Wrong(_last_left_out, "remainder"),
    "planes-along-x": Wrong(_planes_along_x, "coalescing"),
    "x-for-planes": Wrong(_x_for_planes, "operands"),
    "reads-again": Wrong(_reads_again, "traffic"),
    "in-place": Wrong(_in_place, "aliasing"),
    "all planes": Wrong(_all_planes, "serial"),
    "host": Wrong(propagate, "callable"),
}
RIGHT = {"in a register": _carries, "striding": _strides}
