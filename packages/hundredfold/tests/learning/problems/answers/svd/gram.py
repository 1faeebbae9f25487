"""``svd.gram``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _starter(blocks):
    gram = 0
    for block in blocks:
        gram = gram + block.T @ block
    return cp.sqrt(cp.linalg.eigvalsh(gram)[::-1])


def _clipped(blocks):
    gram = sum(block.T @ block for block in blocks)
    return cp.sqrt(cp.maximum(cp.linalg.eigvalsh(gram)[::-1], 0))


def _squares(blocks):
    gram = sum(block.T @ block for block in blocks)
    return cp.linalg.eigvalsh(gram)[::-1]


def _streamed(blocks):
    r = None
    for block in blocks:
        r = cp.linalg.qr(block if r is None else cp.concatenate([r, block]), mode="r")
    return cp.linalg.svd(r, compute_uv=False)


def _upside_down(blocks):
    return _streamed(blocks)[::-1]


def _stacked(blocks):
    return cp.linalg.svd(cp.concatenate([cp.linalg.qr(block, mode="r") for block in blocks]), compute_uv=False)


def _by_svd(blocks):
    parts = []
    for block in blocks:
        if len(block):
            _, s, vt = cp.linalg.svd(block, full_matrices=False)
            parts.append(s[:, None] * vt)
    return cp.linalg.svd(cp.concatenate(parts), compute_uv=False)


def _all_at_once(blocks):
    return cp.linalg.svd(cp.concatenate(list(blocks)), compute_uv=False)


def _on_host(blocks):
    return _streamed(blocks).get()


def _through_host(blocks):
    return cp.asarray(np.linalg.svd(np.concatenate([block.get() for block in blocks]), compute_uv=False))


def _single(blocks):
    return _streamed(blocks).astype(cp.float32)


def _by_diagonal(blocks):
    r = None
    for block in blocks:
        r = cp.linalg.qr(block if r is None else cp.concatenate([r, block]), mode="r")
    return cp.sort(cp.abs(cp.diag(r)))[::-1]


def _block_by_block(blocks):
    total = 0
    for block in blocks:
        total = total + cp.linalg.svd(block, compute_uv=False) ** 2
    return cp.sqrt(total)


def _last(blocks):
    for block in blocks:
        r = cp.linalg.qr(block, mode="r")
    return cp.linalg.svd(r, compute_uv=False)


def _with_u(blocks):
    return cp.linalg.svd(cp.concatenate([cp.linalg.qr(block, mode="r") for block in blocks]))


def _in_a_tree(blocks):
    """At most one triangle for each power of two of the blocks so far."""
    triangles = []
    for block in blocks:
        size, r = 1, cp.linalg.qr(block, mode="r")
        while triangles and triangles[-1][0] == size:
            r = cp.linalg.qr(cp.concatenate([triangles.pop()[1], r]), mode="r")
            size *= 2
        triangles.append((size, r))
    return cp.linalg.svd(cp.concatenate([r for _, r in triangles]), compute_uv=False)


def _values_and_vectors(blocks):
    kept = None
    for block in blocks:
        rows = block if kept is None else cp.vstack((kept, block))
        if rows.shape[0] >= rows.shape[1]:
            _, s, vt = cp.linalg.svd(rows, full_matrices=False)
            rows = s.reshape(-1, 1) * vt
        kept = rows
    return cp.linalg.svd(kept, compute_uv=False)


def _from_below(blocks):
    n, r = None, None
    for block in blocks:
        if n is None:
            n = block.shape[1]
            r = cp.zeros((n, n))
        if block.shape[0] > 0:
            r = cp.linalg.qr(cp.vstack([block, r]), mode="r")
    return cp.linalg.svd(r[:n], compute_uv=False)


WRONG = {
    "starter": Wrong(_starter, "nan"),
    "clipped": Wrong(_clipped, "cancellation"),
    "squares": Wrong(_squares, "squared"),
    "upside down": Wrong(_upside_down, "order"),
    "all at once": Wrong(_all_at_once, "held"),
    "on the host": Wrong(_on_host, "host"),
    "through the host": Wrong(_through_host, "transfer"),
    "single": Wrong(_single, "dtype"),
    "diagonal": Wrong(_by_diagonal, "diagonal"),
    "block by block": Wrong(_block_by_block, "local"),
    "last": Wrong(_last, "dropped"),
    "U as well": Wrong(_with_u, "type"),
}
RIGHT = {
    "streamed": _streamed,
    "triangles stacked": _stacked,
    "by the SVD of each": _by_svd,
    "in a tree": _in_a_tree,
    "values and vectors": _values_and_vectors,
    "over zeros": _from_below,
}
