"""``protocols.send``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _cuda() -> Any:
    from numba import cuda

    return cuda


def _dumps(thing: Any) -> bytes:
    import cloudpickle

    return cloudpickle.dumps(thing)


def _pack(state):
    return _dumps({"field": state["field"].copy_to_host(), "window": state["window"], "rule": state["rule"]})


def _unpack(packed):
    state = pickle.loads(packed)
    state["field"] = _cuda().to_device(state["field"])
    return state | {"stream": cp.cuda.Stream(non_blocking=True)}


def _pack_by_cupy(state):
    return _dumps([cp.asarray(state["field"]), state["window"], state["rule"]])


def _unpack_by_cupy(packed):
    field, window, rule = pickle.loads(packed)
    return {"field": _cuda().as_cuda_array(field), "window": window, "rule": rule, "stream": cp.cuda.Stream()}


def _by_name(state):
    kept = _pack(state)
    return pickle.dumps(id(kept))


def _from_the_whole(state):
    return _dumps({**state, "field": state["field"].copy_to_host(), "window": state["window"].base, "stream": None})


def _tried_first(state):
    packable = {"field": state["field"].copy_to_host()}
    for key in ("window", "rule"):
        with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError):
            pickle.dumps(state[key])
        packable[key] = state[key]
    return _dumps(packable)


def _in_place(state):
    state["field"] = state["field"].copy_to_host()
    del state["stream"]
    return _dumps(state)


def _with_the_stream(state):
    return _dumps({**state, "field": state["field"].copy_to_host()})


def _keeps_the_stream(packed):
    state = pickle.loads(packed)
    return {**state, "field": _cuda().to_device(state["field"])}


def _as_lists(state):
    field = state["field"].copy_to_host().tolist()
    return _dumps({"field": field, "window": state["window"], "rule": state["rule"]})


def _unpack_lists(packed):
    state = pickle.loads(packed)
    state["field"] = _cuda().to_device(np.array(state["field"]))
    return state | {"stream": cp.cuda.Stream(non_blocking=True)}


def _in_the_order_of_memory(state):
    field = state["field"].copy_to_host()
    return _dumps((field.tobytes(order="A"), field.shape, field.dtype.str, state["window"], state["rule"]))


def _unpack_rows(packed):
    numbers, shape, dtype, window, rule = pickle.loads(packed)
    field = _cuda().to_device(np.frombuffer(numbers, dtype).reshape(shape).copy())
    return {"field": field, "window": window, "rule": rule, "stream": cp.cuda.Stream(non_blocking=True)}


def _changed(**how: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The right pair, with some of what arrives turned into something else."""

    def unpack(packed):
        state = _unpack(packed)
        return state | {key: change(state[key]) for key, change in how.items()}

    return _pack, unpack


WRONG = {
    "starter": Wrong((pickle.dumps, pickle.loads), "exception"),
    "cloudpickle": Wrong((_dumps, pickle.loads), "exception"),
    "no bytes": Wrong((dict, dict), "type"),
    "by name": Wrong((_by_name, pickle.loads), "crossing"),
    "whole": Wrong((_from_the_whole, _unpack), "view"),
    "tried": Wrong((_tried_first, _unpack), "transfer"),
    "in place": Wrong((_in_place, _unpack), "aliasing"),
    "stream": Wrong((_with_the_stream, _keeps_the_stream), "lifetime"),
    "default stream": Wrong(_changed(stream=lambda stream: cp.cuda.Stream.null), "value"),
    "no stream": Wrong((_pack, _keeps_the_stream), "labels"),
    "host": Wrong((_pack, lambda packed: pickle.loads(packed) | {"stream": cp.cuda.Stream()}), "host"),
    "cupy": Wrong(_changed(field=lambda field: cp.asarray(field)), "backend"),
    "lists": Wrong((_as_lists, _unpack_lists), "dtype"),
    "in the order of memory": Wrong((_in_the_order_of_memory, _unpack_rows), "order"),
    "text": Wrong(_changed(rule=repr), "callable"),
}
RIGHT = {"by the host": (_pack, _unpack), "by CuPy": (_pack_by_cupy, _unpack_by_cupy)}
