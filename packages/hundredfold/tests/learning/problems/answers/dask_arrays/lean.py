"""``dask-arrays.lean``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.dask_arrays.lean import HOURS
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _daily(x, function=None):
    days = tuple(rows // HOURS for rows in x.chunks[0])
    return x.map_blocks(
        lambda part: part.reshape(-1, HOURS, part.shape[1]).max(axis=1), chunks=(days, x.chunks[1]), dtype=x.dtype
    )


def _starter(x):
    import dask.array as da

    days = [x[start : start + HOURS].max(axis=0) for start in range(0, x.shape[0], HOURS)]
    return da.stack(days).mean(axis=0)


def _lean(x):
    return _daily(x).mean(axis=0, split_every=32)


def _coarsened(x):
    import dask.array as da

    return da.coarsen(np.max, x, {0: HOURS}).mean(axis=0, split_every=64)


def _sum_and_divide(x):
    return _daily(x).sum(axis=0, split_every=50) / (x.shape[0] // HOURS)


def _whole(x):
    whole = x.rechunk(x.shape)
    return whole.map_blocks(
        lambda part: part.reshape(-1, HOURS, part.shape[1]).max(axis=1).mean(axis=0), drop_axis=0, dtype=x.dtype
    )


def _contracted(x):
    import dask.array as da

    def all_days(every):
        return every.reshape(-1, HOURS, every.shape[1]).max(axis=1).mean(axis=0)

    return da.blockwise(all_days, "j", x, "ij", concatenate=True, dtype=x.dtype)


def _at_once(x):
    return _lean(x).compute()


def _each_file(x):
    ones = (1,) * len(x.chunks[0])
    return x.map_blocks(lambda part: part.max(axis=0, keepdims=True), chunks=(ones, x.chunks[1]), dtype=x.dtype).mean(
        axis=0
    )


def _largest_mean(x):
    days = tuple(rows // HOURS for rows in x.chunks[0])
    means = x.map_blocks(
        lambda part: part.reshape(-1, HOURS, part.shape[1]).mean(axis=1), chunks=(days, x.chunks[1]), dtype=x.dtype
    )
    return means.max(axis=0)


def _of_all(x):
    return x.max(axis=0)


def _host(x):
    def day(part):
        return cp.asnumpy(part).reshape(-1, HOURS, part.shape[1]).max(axis=1)

    days = tuple(rows // HOURS for rows in x.chunks[0])
    return (
        x.map_blocks(day, chunks=(days, x.chunks[1]), dtype=x.dtype).mean(axis=0)
        if hasattr(x._meta, "get")
        else _lean(x)
    )


def _known_only(x):
    import dask.array as da

    return da.coarsen(np.nanmax, x, {0: HOURS}).mean(axis=0, split_every=64)


WRONG = {
    "as given": Wrong(_starter, "tasks"),
    "one chunk": Wrong(_whole, "chunk"),
    "all files into one task": Wrong(_contracted, "chunk"),
    "computed": Wrong(_at_once, "eager"),
    "each file a day": Wrong(_each_file, "boundary"),
    "the largest mean": Wrong(_largest_mean, "operands"),
    "the largest of all": Wrong(_of_all, "own-chunk"),
    "on the host": Wrong(_host, "host"),
    "NaN left out": Wrong(_known_only, "nan"),
}
RIGHT = {"map_blocks and a flat tree": _lean, "coarsened": _coarsened, "summed, then divided": _sum_and_divide}
