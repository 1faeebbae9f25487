"""``profiling.waits``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong, edit


def _starter(x, steps):
    found = []
    for _ in range(steps):
        new = (x + cp.roll(x, 1)) / 2
        found.append(float(cp.abs(new - x).max()))
        x = new
    return cp.asnumpy(cp.array(found))


def _into_one(x, steps):
    found = cp.empty(steps)
    for k in range(steps):
        new = (x + cp.roll(x, 1)) / 2
        found[k] = cp.abs(new - x).max()
        x = new
    return cp.asnumpy(found)


def _stacked(x, steps):
    kept = []
    for _ in range(steps):
        new = (x + cp.roll(x, 1)) / 2
        kept.append(cp.abs(new - x).max())
        x = new
    return cp.stack(kept).get() if kept else cp.empty(0).get()


def _all_steps(x, steps):
    rows = [x]
    for _ in range(steps):
        rows.append((rows[-1] + cp.roll(rows[-1], 1)) / 2)
    return cp.abs(cp.diff(cp.stack(rows), axis=0)).max(axis=1).get()


def _stops_to_look(x, steps):
    found = cp.empty(steps)
    for k in range(steps):
        new = (x + cp.roll(x, 1)) / 2
        found[k] = cp.abs(new - x).max()
        x = new
        cp.cuda.get_current_stream().synchronize()
    return cp.asnumpy(found)


def _in_place(x, steps):
    found = cp.empty(steps)
    for k in range(steps):
        old = x.copy()
        x += cp.roll(x, 1)
        x /= 2
        found[k] = cp.abs(x - old).max()
    return cp.asnumpy(found)


def _on_the_host(x, steps):
    import numpy as np

    x, found = cp.asnumpy(x), np.empty(steps)
    for k in range(steps):
        new = (x + np.roll(x, 1)) / 2
        found[k] = np.abs(new - x).max()
        x = new
    return found


def _beside_the_host(x, steps):
    import cupyx
    import numpy as np

    host = cupyx.empty_pinned(steps, np.float64)
    kept = []
    for _ in range(steps):
        new = (x + cp.roll(x, 1)) / 2
        kept.append(cp.abs(new - x).max())
        x = new
    if kept:
        cp.stack(kept).get(out=host, blocking=False)
    cp.cuda.get_current_stream().synchronize()
    return host


WRONG = {
    "starter": Wrong(_starter, "serialised"),
    "synchronize": Wrong(_stops_to_look, "serialised"),
    "on the device": edit(_into_one, ("cp.asnumpy(found)", "found"), reason="device"),
    "float32": edit(_into_one, ("cp.empty(steps)", "cp.empty(steps, dtype='f4')"), reason="dtype"),
    "signed": edit(_into_one, ("cp.abs(new - x)", "(new - x)"), reason="sign"),
    "mean": edit(_into_one, (".max()", ".mean()"), reason="quantity"),
    "from the first": edit(
        _into_one,
        ("cp.abs(new - x)", "cp.abs(new - first)"),
        ("cp.empty(steps)", "cp.empty(steps)\n    first = x"),
        reason="recurrence",
    ),
    "in place": Wrong(_in_place, "aliasing"),
    "computed on the host": Wrong(_on_the_host, "transfer"),
    "nobody waits for the copy": edit(
        _beside_the_host, drop="cp.cuda.get_current_stream().synchronize()", reason="unjoined"
    ),
}
RIGHT = {"into one array": _into_one, "stacked": _stacked, "all steps at once": _all_steps}
