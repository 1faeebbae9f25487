"""``svd.chunks``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

import numpy as np

from hundredfold.learning.problems import devices

from ..edits import Wrong
from ..kept import by_shape, kept


def _da() -> Any:
    import dask.array as da

    return da


def _by_rows(x, most):
    rows = most // (x.shape[1] * x.dtype.itemsize)
    return _da().linalg.svd(x.rechunk((rows, -1)))


def _by_name(x, most):
    n = x.shape[1]
    return _da().linalg.svd(x.rechunk({1: -1, 0: max(n, most // (8 * n)) if x.dtype == "f8" else most // (4 * n)}))


def _by_qr(x, most):
    da = _da()
    q, r = da.linalg.tsqr(x.rechunk((most // (x.shape[1] * x.dtype.itemsize), x.shape[1])))
    u, s, vt = da.linalg.svd(r)
    return q.dot(u), s, vt


def _starter(x, most):
    return _da().linalg.svd(x)


def _columns_alone(x, most):
    return _da().linalg.svd(x.rechunk({1: -1}))


def _one_chunk(x, most):
    return _da().linalg.svd(x.rechunk(-1))


def _elements(x, most):
    return _da().linalg.svd(x.rechunk((most // x.shape[1], -1)))


def _flat(x, most):
    return _da().linalg.svd(x.rechunk((max(1, x.shape[1] // 2), -1)))


def _square(x, most):
    return _da().linalg.svd(x.rechunk((x.shape[1], -1)))


def _computed(x, most):
    return np.linalg.svd(devices.to_host(x.compute()), full_matrices=False)


def _persisted(x, most):
    return _by_rows(x.persist(), most)


def _first_ten(x, most):
    return _da().linalg.svd_compressed(x, min(10, x.shape[1]))


def _on_its_side(x, most):
    u, s, vt = _by_rows(x, most)
    return vt.T, s, u.T


def _without_transposition(x, most):
    u, s, vt = _by_rows(x, most)
    return u, s, vt.T


def _with_s_as_matrix(x, most):
    u, s, vt = _by_rows(x, most)
    return u, _da().diag(s), vt


def _fetched(x, most):
    return _by_rows(x.map_blocks(devices.to_host, meta=np.empty((0, 0), x.dtype)), most)


def _whole_blocks(x, most):
    rows = most // (x.shape[1] * x.dtype.itemsize)
    return _by_rows(x[: len(x) // rows * rows], most)


def _double(x, most):
    return _by_rows(x.astype("float64"), 2 * most if x.dtype == "float32" else most)


def _by_gram(x, most):
    x = x.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1))
    _, squares, vt = _da().linalg.svd((x.T @ x).rechunk(-1))
    s = _da().sqrt(squares)
    return x @ (vt.T / s), s, vt


def _cut_after(x, most):
    u, s, vt = _da().linalg.svd(x.rechunk(-1))
    return u.rechunk((most // (x.shape[1] * x.dtype.itemsize), -1)), s, vt


def _values_alone(x, most):
    return _by_rows(x, most)[1]


def _of_like_height(x, most):
    m, n = x.shape
    blocks = -(-m // (most // (n * x.dtype.itemsize)))
    return _da().linalg.svd(x.rechunk((-(-m // blocks), -1)))


def _a_thousand_rows(x, most):
    rows = min(1000, most // (x.shape[1] * x.dtype.itemsize))
    return _da().linalg.svd(x.rechunk((rows, -1)))


def _whole_rows_first(x, most):
    return _by_rows(x.rechunk({1: -1}), most)


WRONG = {
    "starter": Wrong(_starter, "exception"),
    "columns alone": Wrong(_columns_alone, "chunk"),
    "one chunk": Wrong(_one_chunk, "chunk"),
    "elements": Wrong(_elements, "chunk"),
    "flat": Wrong(_flat, "blocks"),
    "square": Wrong(_square, "tasks"),
    "computed": Wrong(_computed, "eager"),
    "persisted": Wrong(_persisted, "eager"),
    "first ten": Wrong(_first_ten, "shape"),
    "on its side": Wrong(_on_its_side, "transposed"),
    "S as a matrix": Wrong(_with_s_as_matrix, "shape"),
    "V": Wrong(_without_transposition, "transposed"),
    "fetched": Wrong(_fetched, "host"),
    "whole blocks": Wrong(_whole_blocks, "dropped"),
    "double": Wrong(_double, "dtype"),
    "by the Gram matrix": Wrong(_by_gram, "cancellation"),
    "cut after": Wrong(_cut_after, "chunk"),
    "values alone": Wrong(_values_alone, "type"),
    "of like height": Wrong(_of_like_height, "blocks"),
    "a thousand rows": Wrong(_a_thousand_rows, "tasks"),
    "whole rows first": Wrong(_whole_rows_first, "chunk"),
    "kept by shape": Wrong(kept(_by_rows, by_shape), "kept"),
}
RIGHT = {"by rows": _by_rows, "by names of axes": _by_name, "by QR": _by_qr}
