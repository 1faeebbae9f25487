"""``dask-arrays.port``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _right(x):
    import dask.array as da

    centred, scale = x - x.mean(axis=0), x.std(axis=0)
    return centred / da.where(scale > 0, scale, 1)


def _by_where(x):
    import dask.array as da

    mean, std = x.mean(axis=0, keepdims=True), x.std(axis=0, keepdims=True)
    return da.where(std > 0, (x - mean) / std, x * 0)


def _by_blocks(x):
    mean, std = x.mean(axis=0, keepdims=True), x.std(axis=0, keepdims=True)
    return x.map_blocks(lambda tile, m, s: (tile - m) / (s + (s == 0)), mean, std, dtype=x.dtype)


def _computed(x):
    scale = x.std(axis=0).compute()
    return (x - x.mean(axis=0)) / (scale + (scale == 0))


def _at_once(x):
    return _right(x).compute()


def _on_host(x):
    return _right(x.map_blocks(cp.asnumpy, dtype=x.dtype)) if hasattr(x._meta, "get") else _right(x)


def _there_and_back(x):
    return _on_host(x).map_blocks(cp.asarray, dtype=x.dtype) if hasattr(x._meta, "get") else _right(x)


def _no_guard(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def _tolerance(x):
    scale = x.std(axis=0)
    return (x - x.mean(axis=0)) / (scale + 1e-12)


def _by_sum(x):
    import dask.array as da

    scale = x.std(axis=0)
    return (x - x.mean(axis=0)) / da.where((x.sum(axis=0) == 0) | (scale == 0), 1, scale)


def _rows(x):
    scale = x.std(axis=1, keepdims=True)
    return (x - x.mean(axis=1, keepdims=True)) / (scale + (scale == 0))


def _ddof(x):
    scale = x.std(axis=0, ddof=1)
    return (x - x.mean(axis=0)) / (scale + (scale == 0))


def _each_chunk(x):
    def block(tile):
        scale = tile.std(axis=0)
        return (tile - tile.mean(axis=0)) / (scale + (scale == 0))

    return x.map_blocks(block, dtype=x.dtype)


def _one_chunk(x):
    return _right(x.rechunk(x.shape)).rechunk(x.chunks)


def _whole_columns(x):
    return _right(x.rechunk({0: -1}))


def _in_place(x):
    """Each chunk is written over."""

    def block(tile, mean, std):
        tile -= mean
        tile /= std + (std == 0)
        return tile

    mean, std = x.mean(axis=0, keepdims=True), x.std(axis=0, keepdims=True)
    return x.map_blocks(block, mean, std, dtype=x.dtype)


WRONG = {
    "computes the deviations": Wrong(_computed, "eager"),
    "computes everything": Wrong(_at_once, "eager"),
    "on the host": Wrong(_on_host, "host"),
    "there and back": Wrong(_there_and_back, "transfer"),
    "divides by zero": Wrong(_no_guard, "nan"),
    "rows": Wrong(_rows, "axis"),
    "n - 1": Wrong(_ddof, "ddof"),
    "each chunk by itself": Wrong(_each_chunk, "own-chunk"),
    "one chunk": Wrong(_one_chunk, "chunk"),
    "whole columns": Wrong(_whole_columns, "chunk"),
    "a tolerance": Wrong(_tolerance, "value"),
    "by its sum": Wrong(_by_sum, "value"),
    "in place": Wrong(_in_place, "aliasing"),
}
RIGHT = {"where": _right, "where at the end": _by_where, "block by block, with all columns' numbers": _by_blocks}
