"""``learning.same``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _pairs(a, b):
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    return len(cp.unique(a * len(names_b) + b)) == len(names_a) == len(names_b)


def _table(a, b):
    if a.size == 0:
        return True
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    table = cp.zeros((len(names_a), len(names_b)), dtype=cp.int32)
    table[a, b] = 1
    return bool((table.sum(axis=0) == 1).all() & (table.sum(axis=1) == 1).all())


def _first_seen(a, b):
    """Each point's group is named by its first point."""

    def canonical(labels):
        _, first, inverse = cp.unique(labels, return_index=True, return_inverse=True)
        return first[inverse]

    return bool((canonical(a) == canonical(b)).all())


def _equal(a, b):
    return bool((a == b).all())


def _sizes(a, b):
    counts = [cp.sort(cp.unique(labels, return_counts=True)[1]) for labels in (a, b)]
    return counts[0].shape == counts[1].shape and bool((counts[0] == counts[1]).all())


def _one_way(a, b):
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    return len(cp.unique(a * len(names_b) + b)) == len(names_a)


def _other_way(a, b):
    return _one_way(b, a)


def _how_many(a, b):
    return len(cp.unique(a)) == len(cp.unique(b))


def _nearly(a, b):
    if a.size == 0:
        return True
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    table = cp.bincount(a * len(names_b) + b, minlength=len(names_a) * len(names_b)).reshape(len(names_a), -1)
    return bool(table.max(axis=1).sum() > 0.99 * a.size and table.max(axis=0).sum() > 0.99 * a.size)


def _on_device(a, b):
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    pairs = cp.unique(a * len(names_b) + b)
    return cp.asarray(len(pairs) == len(names_a) == len(names_b))


def _by_the_host(a, b):
    a, b = a.get(), b.get()
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


def _index(a, b):
    if a.size == 0:
        return 1.0
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    table = cp.bincount(a * len(names_b) + b, minlength=len(names_a) * len(names_b)).reshape(len(names_a), -1)
    return float((table.astype(float) ** 2).sum() / (table.sum(axis=1).astype(float) ** 2).sum())


def _counts_places(a, b):
    if a.size == 0:
        return True
    table = cp.bincount(a * (b.max() + 1) + b)
    return int((table > 0).sum()) == len(cp.unique(a)) == len(cp.unique(b))


def _in_place(a, b):
    for number_, name in enumerate(cp.unique(a).tolist()):
        a[a == name] = -1 - number_
    for number_, name in enumerate(cp.unique(b).tolist()):
        b[b == name] = -1 - number_
    return _pairs(a, b)


def _of_numpy(a, b):
    import numpy as np

    return np.bool_(_pairs(a, b))


def _pairs_meet(a, b):
    """One too few in the product: two pairs give the same number."""
    if a.size == 0:
        return True
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    return len(cp.unique(a * (len(names_b) - 1) + b)) == len(names_a) == len(names_b)


def _sums(a, b):
    """The sums of the names in place of the pairs: two pairs may have the same sum."""
    return len(cp.unique(a + b)) == len(cp.unique(a)) == len(cp.unique(b))


WRONG = {
    "names": Wrong(_equal, "names"),
    "nearly": Wrong(_nearly, "tolerance"),
    "sizes": Wrong(_sizes, "sizes"),
    "how many": Wrong(_how_many, "count"),
    "one way": Wrong(_one_way, "merged"),
    "other way": Wrong(_other_way, "split"),
    "places": Wrong(_counts_places, "exception"),
    "device": Wrong(_on_device, "device"),
    "index": Wrong(_index, "type"),
    "a bool of NumPy": Wrong(_of_numpy, "type"),
    "sums": Wrong(_sums, "value"),
    "pairs meet": Wrong(_pairs_meet, "value"),
    "transfer": Wrong(_by_the_host, "transfer"),
    "aliasing": Wrong(_in_place, "aliasing"),
}
RIGHT = {"pairs": _pairs, "a table": _table, "named by the first point": _first_seen}
