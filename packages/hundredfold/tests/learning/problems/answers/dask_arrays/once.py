"""``dask-arrays.once``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from ..edits import Wrong


def _together(x):
    import dask

    return tuple(float(each) for each in dask.compute(x.mean(), x.std(), x.max()))


def _from_moments(x):
    import dask

    variance, mean, largest = dask.compute(x.var(), x.mean(), x.max(), scheduler="synchronous")
    return float(mean), float(variance) ** 0.5, float(largest)


def _stacked(x):
    import dask.array as da

    return [float(each) for each in da.stack([x.mean(), x.std(), x.max()]).compute()]


def _apart(x):
    return float(x.mean().compute()), float(x.std().compute()), float(x.max().compute())


def _two_passes(x):
    import dask

    mean = float(x.mean())
    squares, largest = dask.compute(((x - mean) ** 2).mean(), x.max())
    return mean, float(squares) ** 0.5, float(largest)


def _persisted(x):
    x = x.persist()
    return _apart(x)


def _fetched(x):
    host = x.compute()
    return float(host.mean()), float(host.std()), float(host.max())


def _copies_kept(x):
    return _apart((x + 0).persist())


def _squares(x):
    import dask

    mean, squares, largest = dask.compute(x.mean(), (x**2).mean(), x.max())
    return float(mean), float(max(squares - mean**2, 0)) ** 0.5, float(largest)


def _means_of_chunks(x):
    import dask

    sizes = [part.mean() for part in x.blocks.ravel()]
    means, std, largest = dask.compute(sizes, x.std(), x.max())
    return sum(float(mean) for mean in means) / len(means), float(std), float(largest)


def _variance(x):
    import dask

    return tuple(float(each) for each in dask.compute(x.mean(), x.var(), x.max()))


def _lazy(x):
    return x.mean(), x.std(), x.max()


def _still_there(x):
    import dask

    return dask.compute(x.mean(), x.std(), x.max()) if hasattr(x._meta, "get") else _together(x)


def _n_minus_one(x):
    import dask

    return tuple(float(each) for each in dask.compute(x.mean(), x.std(ddof=1), x.max()))


def _mixed(x):
    mean, std, largest = _together(x)
    return largest, mean, std


def _known_only(x):
    import dask
    import dask.array as da

    return tuple(float(each) for each in dask.compute(da.nanmean(x), da.nanstd(x), da.nanmax(x)))


def _part(chunk):
    mean = float(chunk.mean())
    return chunk.size, mean, float(((chunk - mean) ** 2).sum()), float(chunk.max())


def _joined(one, other):
    count = one[0] + other[0]
    away = other[1] - one[1]
    mean = one[1] + away * other[0] / count
    squares = one[2] + other[2] + away**2 * one[0] * other[0] / count
    return count, mean, squares, float(np.maximum(one[3], other[3]))


def _chunk_by_chunk(x):
    import dask

    parts = dask.compute(*[dask.delayed(_part)(chunk) for chunk in x.to_delayed().ravel()])
    total = parts[0]
    for part in parts[1:]:
        total = _joined(total, part)
    count, mean, squares, largest = total
    return mean, (squares / count) ** 0.5, largest


def _one_after_the_other(x):
    total = None
    for rows in range(x.numblocks[0]):
        for columns in range(x.numblocks[1]):
            part = _part(x.blocks[rows, columns].compute())
            total = part if total is None else _joined(total, part)
    return total[1], (total[2] / total[0]) ** 0.5, total[3]


WRONG = {
    "one after the other": Wrong(_apart, "recomputed"),
    "two passes": Wrong(_two_passes, "recomputed"),
    "persisted": Wrong(_persisted, "held"),
    "fetched": Wrong(_fetched, "held"),
    "copies kept": Wrong(_copies_kept, "held"),
    "squares": Wrong(_squares, "cancellation"),
    "the mean of means": Wrong(_means_of_chunks, "own-chunk"),
    "the variance": Wrong(_variance, "squared"),
    "not computed": Wrong(_lazy, "type"),
    "on the device": Wrong(_still_there, "device"),
    "n - 1": Wrong(_n_minus_one, "ddof"),
    "another order": Wrong(_mixed, "order"),
    "NaN left out": Wrong(_known_only, "nan"),
}
RIGHT = {
    "together": _together,
    "variance, then its root": _from_moments,
    "stacked": _stacked,
    "chunk by chunk": _chunk_by_chunk,
    "one after the other": _one_after_the_other,
}
