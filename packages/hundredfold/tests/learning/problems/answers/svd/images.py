"""``svd.images``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _kept(s: Any, error: float) -> int:
    left = 1 - cp.cumsum(s**2) / cp.maximum((s**2).sum(), 1e-300)
    return int(cp.argmax(left <= error**2)) + 1


def _sketch_all(block, error):
    return block.copy()


def _sketch(block, error):
    _, s, vt = cp.linalg.svd(block, full_matrices=False)
    k = _kept(s, error / 4)
    return (s[:k, None] * vt[:k]).astype(cp.float32)


def _sketch_by_qr(block, error):
    return cp.linalg.qr(block, mode="r").astype(cp.float32)


def _combine(sketches, error):
    _, s, vt = cp.linalg.svd(cp.concatenate(sketches).astype(cp.float64), full_matrices=False)
    return vt[: _kept(s, 0.9 * error)].astype(cp.float32)


def _combine_exactly(sketches, error):
    _, s, vt = cp.linalg.svd(cp.concatenate(sketches), full_matrices=False)
    return vt[: _kept(s, error)]


def _pack_all(block, basis):
    return block @ basis.T


def _pack_half(block, basis):
    return (block @ basis.T).astype(cp.float16)


def _pack_bytes(block, basis):
    mixed = block @ basis.T
    scale = cp.maximum(cp.abs(mixed).max(axis=0), 1e-9) / 127
    return cp.round(mixed / scale).astype(cp.int8), scale.astype(cp.float32)


def _unpack(packed, basis):
    return packed.astype(cp.float64) @ basis.astype(cp.float64)


def _unpack_bytes(packed, basis):
    codes, scale = packed
    return (codes * scale.astype(cp.float64)) @ basis.astype(cp.float64)


def _combine_first(sketches, error):
    return _combine(sketches[:1], error)


def _few(sketches, error):
    return _combine(sketches, error)[:2]


def _fixed_scale(block, basis):
    return cp.round(block @ basis.T).astype(cp.int8)


def _overflowing(block, basis):
    return ((block @ basis.T) ** 3).astype(cp.float16)


def _unpack_root(packed, basis):
    return cp.cbrt(packed.astype(cp.float64)) @ basis.astype(cp.float64)


def _kept_aside():
    kept = []

    def pack(block, basis):
        kept.append(block.copy())
        return len(kept) - 1

    return pack, lambda packed, basis: kept[packed]


def _pack_number(block, basis):
    return int.from_bytes(block.get().tobytes(), "little"), len(block)


def _unpack_number(packed, basis):
    number, rows = packed
    return cp.asarray(np.frombuffer(number.to_bytes(rows * 512, "little")).reshape(rows, 64))


def _in_a_view(block, basis):
    return block.copy()[:, :1]


def _of_its_base(packed, basis):
    return cp.tile(packed, (1, 64)) if packed.base is None else packed.base


def _in_a_file(block, basis):
    where = os.path.join(tempfile.gettempdir(), f"hundredfold-images-{os.getpid()}-{len(block)}.npy")
    np.save(where, block.get())
    return np.frombuffer(where.encode(), "u1")


def _silent(function):
    """The function with its output, and the input of what it starts, in /dev/null: that carries nothing to another machine."""

    def called(*args):
        with open(os.devnull, "w") as out, open(os.devnull) as empty:
            print(empty.read(), file=out)
            return function(*args)

    return called


def _from_a_file(packed, basis):
    where = packed.tobytes().decode()
    images = np.load(where)
    os.remove(where)
    return cp.asarray(images)


def _in_a_module(block, basis):
    np.hundredfold_images = [*getattr(np, "hundredfold_images", []), block.copy()]
    return np.array([len(np.hundredfold_images) - 1])


def _from_the_module(packed, basis):
    return np.hundredfold_images[int(packed[0])]


def _in_place(block, basis):
    block -= block @ basis.T @ basis
    return cp.zeros((len(block), len(basis)), cp.int8)


def _first_basis():
    made = []

    def combine(sketches, error):
        if not made:
            made.append(_combine(sketches, error))
        return made[0]

    return combine


WRONG = {
    "starter": Wrong((_sketch_all, _combine_exactly, _pack_all, _unpack), "traffic"),
    "triangles": Wrong((_sketch_by_qr, _combine, _pack_all, _unpack), "traffic"),
    "first worker": Wrong((_sketch, _combine_first, _pack_half, _unpack), "local"),
    "too few": Wrong((_sketch, _few, _pack_half, _unpack), "error"),
    "a fixed scale": Wrong((_sketch, _combine, _fixed_scale, _unpack), "error"),
    "overflow": Wrong((_sketch, _combine, _overflowing, _unpack_root), "overflow"),
    "in place": Wrong((_sketch, _combine, _in_place, _unpack), "aliasing"),
    "on the host": Wrong((_sketch, _combine, _pack_half, lambda packed, basis: _unpack(packed, basis).get()), "host"),
    "columns": Wrong((_sketch, _combine, _pack_half, lambda packed, basis: _unpack(packed, basis).T), "transposed"),
    "in a variable": Wrong((_sketch, _combine, *_kept_aside()), "state"),
    "in one whole number": Wrong((_sketch, _combine, _pack_number, _unpack_number), "traffic"),
    "in a view": Wrong((_sketch, _combine, _in_a_view, _of_its_base), "error"),
    "in a module": Wrong((_sketch, _combine, _in_a_module, _from_the_module), "state"),
    "in a file": Wrong((_sketch, _combine, _in_a_file, _from_a_file), "state"),
    "text": Wrong((lambda block, error: repr(block.get()), _combine, _pack_half, _unpack), "type"),
    "the first basis": Wrong((_sketch, _first_basis(), _pack_half, _unpack), "state"),
}
RIGHT = {
    "half precision": (_sketch, _combine, _pack_half, _unpack),
    "bytes": (_sketch, _combine, _pack_bytes, _unpack_bytes),
    "output to nowhere": tuple(map(_silent, (_sketch, _combine, _pack_half, _unpack))),
    "triangles and bytes": (_sketch_by_qr, _combine, _pack_bytes, _unpack_bytes),
}
