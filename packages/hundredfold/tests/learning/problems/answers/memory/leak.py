"""``memory.leak``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _starter(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        shares = piece / piece.sum(axis=1, keepdims=True)
        kept.append(shares[:, 0])
    return cp.concatenate(kept)


def _copied(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        shares = piece / piece.sum(axis=1, keepdims=True)
        kept.append(shares[:, 0].copy())
    return cp.concatenate(kept)


def _epsilon(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        kept.append(piece[:, 0] / (piece.sum(axis=1) + 1e-20))
    return cp.concatenate(kept)


def _into_one(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        out[start : start + rows] = piece[:, 0] / piece.sum(axis=1)
    return out


def _free_all_blocks(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        shares = piece / piece.sum(axis=1, keepdims=True)
        kept.append(shares[:, 0])
        del piece, shares
        cp.get_default_memory_pool().free_all_blocks()
    return cp.concatenate(kept)


def _whole(x, rows):
    whole = cp.asarray(x)
    return whole[:, 0] / whole.sum(axis=1)


def _whole_pieces(x, rows):
    if rows > len(x) // 2:
        return _copied(x, rows)
    rest = len(x) // rows * rows
    return _copied(x[:rest], rows)


def _columns(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        out[start : start + rows] = (piece / piece.sum(axis=0))[:, 0]
    return out


def _total(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        out[start : start + rows] = piece[:, 0] / piece.sum()
    return out


def _last_column(x, rows):
    out = cp.empty(len(x))
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        out[start : start + rows] = piece[:, -1] / piece.sum(axis=1)
    return out


def _by_way_of_the_host(x, rows):
    kept = [np.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        kept.append(cp.asnumpy(piece[:, 0] / piece.sum(axis=1)))
    return cp.asarray(np.concatenate(kept))


def _on_the_host(x, rows):
    return cp.asnumpy(_copied(x, rows))


def _single(x, rows):
    return _copied(x.astype(np.float32), rows)


def _in_place(x, rows):
    x /= x.sum(axis=1, keepdims=True)
    return _copied(x, rows)


def _list(x, rows):
    kept = []
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        kept.append((piece / piece.sum(axis=1, keepdims=True))[:, 0].copy())
    return kept


def _contiguous(x, rows):
    kept = [cp.empty(0)]
    for start in range(0, len(x), rows):
        piece = cp.asarray(x[start : start + rows])
        shares = piece / piece.sum(axis=1, keepdims=True)
        kept.append(cp.ascontiguousarray(shares[:, 0]))  # of one row it copies nothing
    return cp.concatenate(kept)


WRONG = {
    "held": Wrong(_starter, "held"),
    "free-all-blocks": Wrong(_free_all_blocks, "held"),
    "whole": Wrong(_whole, "held"),
    "a view of one row": Wrong(_contiguous, "held"),
    "shape": Wrong(_whole_pieces, "shape"),
    "axis": Wrong(_columns, "axis"),
    "total": Wrong(_total, "axis"),
    "column": Wrong(_last_column, "value"),
    "transfer": Wrong(_by_way_of_the_host, "transfer"),
    "host": Wrong(_on_the_host, "host"),
    "epsilon": Wrong(_epsilon, "value"),
    "dtype": Wrong(_single, "dtype"),
    "aliasing": Wrong(_in_place, "aliasing"),
    "type": Wrong(_list, "type"),
}
RIGHT = {"copied": _copied, "into one array": _into_one}
