"""``protocols.adopt``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.protocols.adopt import _numba

from ..edits import Wrong


def _starter(thing):
    if hasattr(thing, "copy_to_host"):
        thing = thing.copy_to_host()
    return cp.array(thing)


def _right(thing):
    if hasattr(thing, "__cuda_array_interface__"):
        return cp.asarray(thing)
    if hasattr(thing, "__dlpack__") and thing.__dlpack_device__()[0] == 2:
        return cp.from_dlpack(thing)
    raise TypeError("not on a device")


def _capsule_first(thing):
    where = thing.__dlpack_device__()[0] if hasattr(thing, "__dlpack_device__") else None
    if where == 2:
        return cp.from_dlpack(thing)
    if where is None and hasattr(thing, "__cuda_array_interface__"):
        return cp.array(thing, copy=None)
    raise TypeError("lies on the host")


def _sent_first(thing):
    if hasattr(thing, "__dlpack__") and thing.__dlpack_device__()[0] == 2:
        return cp.from_dlpack(thing)
    try:
        taken = cp.asarray(thing)
    except ValueError:
        raise TypeError("lies on the host") from None
    if not hasattr(thing, "__cuda_array_interface__"):
        raise TypeError("lay on the host")
    return taken


def _numpy_is_the_host(thing):
    if isinstance(thing, (np.ndarray, list)):
        raise TypeError("lies on the host")
    return cp.asarray(thing) if not hasattr(thing, "__dlpack__") else cp.from_dlpack(thing)


def _copies(thing):
    return cp.array(thing) if hasattr(thing, "__cuda_array_interface__") else cp.from_dlpack(thing)


def _interface_only(thing):
    if not hasattr(thing, "__cuda_array_interface__"):
        raise TypeError("no interface")
    return cp.asarray(thing)


def _capsule_only(thing):
    return cp.from_dlpack(thing)


def _anything(thing):
    return cp.from_dlpack(thing) if hasattr(thing, "__dlpack__") else cp.asarray(thing)


def _pointer(thing, owner, strides=True, dtype=None):
    if not hasattr(thing, "__cuda_array_interface__"):
        return _right(thing)
    told = thing.__cuda_array_interface__
    shape, dtype = told["shape"], np.dtype(dtype or told["typestr"])
    steps = told.get("strides")
    if not strides or steps is None:
        steps = np.empty(shape, dtype).strides
    size = max(1, sum((n - 1) * s for n, s in zip(shape, steps, strict=True)) + dtype.itemsize)
    memory = cp.cuda.UnownedMemory(told["data"][0], size, thing if owner else None)
    return cp.ndarray(shape, dtype, cp.cuda.MemoryPointer(memory, 0), strides=steps)


def _no_owner(thing):
    return _pointer(thing, owner=False)


def _no_strides(thing):
    return _pointer(thing, owner=True, strides=False)


def _always_double(thing):
    return _pointer(thing, owner=True, dtype="float64")


def _flat(thing):
    return _right(thing).ravel()


def _fetched(thing):
    return _right(thing).get()


def _to_numba(thing):
    return _numba(_right(thing))


def _by_address():
    known = {}

    def as_cupy(thing):
        if not hasattr(thing, "__cuda_array_interface__"):
            return _right(thing)
        where = thing.__cuda_array_interface__["data"][0]
        if where not in known:
            known[where] = cp.asarray(thing)
        return known[where]

    return as_cupy


def _on_the_host(thing):
    return hasattr(thing, "__dlpack_device__") and thing.__dlpack_device__()[0] != 2


def _in_turn(thing):
    for method, adopt in (("__cuda_array_interface__", cp.asarray), ("__dlpack__", cp.from_dlpack)):
        if hasattr(thing, method) and not _on_the_host(thing):
            return adopt(thing)
    raise TypeError(f"a {type(thing).__name__} is on the host")


def _where_first(thing):
    described = hasattr(thing, "__cuda_array_interface__")
    if hasattr(thing, "__dlpack_device__"):
        kind, _ = thing.__dlpack_device__()
        if kind != 2:
            raise TypeError("on the host, by DLPack")
    elif not described:
        raise TypeError("on the host")
    return cp.asarray(thing) if described else cp.from_dlpack(thing)


WRONG = {
    "starter": Wrong(_starter, "copied"),
    "transfer": Wrong(
        lambda thing: cp.asarray(thing.copy_to_host()) if hasattr(thing, "copy_to_host") else _right(thing), "transfer"
    ),
    "sent first": Wrong(_sent_first, "transfer"),
    "copies": Wrong(_copies, "copied"),
    "interface": Wrong(_interface_only, "exception"),
    "capsule": Wrong(_capsule_only, "exception"),
    "anything": Wrong(_anything, "backend"),
    "numpy is the host": Wrong(_numpy_is_the_host, "backend"),
    "lifetime": Wrong(_no_owner, "lifetime"),
    "strides": Wrong(_no_strides, "strides"),
    "by the address": Wrong(_by_address(), "kept"),
    "dtype": Wrong(_always_double, "dtype"),
    "shape": Wrong(_flat, "shape"),
    "host": Wrong(_fetched, "host"),
    "type": Wrong(_to_numba, "type"),
}
RIGHT = {"two doors": _right, "capsule first": _capsule_first, "in turn": _in_turn, "where, first": _where_first}
