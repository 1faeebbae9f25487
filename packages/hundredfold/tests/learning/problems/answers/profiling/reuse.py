"""``profiling.reuse``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong, edit


def _plain(x, times):
    x = x.copy()
    for _ in range(times):
        new = x.copy()
        new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        x = new
    return x


def _starter(x, times):
    pool = cp.get_default_memory_pool()
    x = x.copy()
    for _ in range(times):
        new = x.copy()
        new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        x = new
        pool.free_all_blocks()
    return x


def _two_arrays(x, times):
    x, new = x.copy(), x.copy()
    for _ in range(times):
        cp.add(x[:-2], x[1:-1], out=new[1:-1])
        new[1:-1] += x[2:]
        new[1:-1] /= 3
        x, new = new, x
    return x


def _a_pool_of_each_pass(x, times):
    x = x.copy()
    for _ in range(times):
        with cp.cuda.using_allocator(cp.cuda.MemoryPool().malloc):
            new = x.copy()
            new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
            x = new
    return x


def _a_pool_of_each_call(x, times):
    with cp.cuda.using_allocator(cp.cuda.MemoryPool().malloc):
        x = x.copy()
        for _ in range(times):
            new = x.copy()
            new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
            x = new
    return x


def _all_are_kept(x, times):
    kept = [x.copy()]
    for _ in range(times):
        x = kept[-1]
        new = x.copy()
        new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        kept.append(new)
    return kept[-1]


def _circle(x, times):
    x = x.copy()
    for _ in range(times):
        x = (cp.roll(x, 1, 0) + x + cp.roll(x, -1, 0)) / 3
    return x


def _one_after_the_other(x, times):
    x = x.copy()
    for _ in range(times):
        for i in range(1, len(x) - 1):
            x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return x


def _by_way_of_the_host(x, times):
    for _ in range(times):
        new = x.get()
        old = new.copy()
        new[1:-1] = (old[:-2] + old[1:-1] + old[2:]) / 3
        x = cp.asarray(new)
    return x.copy()


WRONG = {
    "starter": Wrong(_starter, "driver-calls"),
    "a pool of each pass": Wrong(_a_pool_of_each_pass, "driver-calls"),
    "a pool of each call": Wrong(_a_pool_of_each_call, "driver-calls"),
    "all are kept": Wrong(_all_are_kept, "driver-calls"),
    "emptied now and then": edit(
        _starter,
        ("pool.free_all_blocks()", "if k % 10 == 0:\n            pool.free_all_blocks()"),
        ("for _ in", "for k in"),
        reason="driver-calls",
    ),
    "emptied before the loop": edit(
        _plain,
        ("x = x.copy()\n    for", "cp.get_default_memory_pool().free_all_blocks()\n    x = x.copy()\n    for"),
        reason="driver-calls",
    ),
    "circle": Wrong(_circle, "wrapped"),
    "in place": Wrong(_one_after_the_other, "recurrence"),
    "two": edit(_plain, ("/ 3", "/ 2"), reason="divisor"),
    "weighted": edit(_plain, ("x[1:-1] + x[2:]) / 3", "2 * x[1:-1] + x[2:]) / 4"), reason="factor"),
    "float32": edit(_plain, ("return x", "return x.astype('f4')"), reason="dtype"),
    "the caller's": edit(
        _plain, ("new = x.copy()", "new, x = x, x.copy()"), drop_first="x = x.copy()", reason="aliasing"
    ),
    "not a copy": edit(_plain, drop_first="x = x.copy()", reason="view"),
    "fetched": edit(_plain, ("return x", "return x.get()"), reason="host"),
    "by way of the host": Wrong(_by_way_of_the_host, "transfer"),
}
RIGHT = {"plain": _plain, "two arrays": _two_arrays}
