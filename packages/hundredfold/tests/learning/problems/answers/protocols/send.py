"""``protocols.send``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import contextlib
import io
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


def _pack_raw(state):
    field = state["field"].copy_to_host()
    window = state["window"].get()
    return _dumps([field.tobytes(), field.shape, field.dtype.str, window, state["rule"]])


def _unpack_raw(packed):
    raw, shape, dtype, window, rule = pickle.loads(packed)
    field = np.frombuffer(raw, dtype).reshape(shape)
    return {
        "field": _cuda().to_device(field.copy()),
        "window": cp.asarray(window),
        "rule": rule,
        "stream": cp.cuda.Stream(),
    }


def _pack_with_length(state):
    numbers = pickle.dumps((state["field"].copy_to_host(), cp.asnumpy(state["window"])))
    return len(numbers).to_bytes(8, "little") + numbers + _dumps(state["rule"])


def _unpack_with_length(packed):
    end = 8 + int.from_bytes(packed[:8], "little")
    field, window = pickle.loads(packed[8:end])
    rule = pickle.loads(packed[end:])
    stream = cp.cuda.Stream(non_blocking=True)
    return {"field": _cuda().to_device(field), "window": cp.array(window), "rule": rule, "stream": stream}


def _pack_in_a_file(state):
    file = io.BytesIO()
    np.save(file, state["field"].copy_to_host())
    np.save(file, state["window"].get())
    file.write(_dumps(state["rule"]))
    return file.getvalue()


def _unpack_a_file(packed):
    file = io.BytesIO(packed)
    state = {"field": _cuda().to_device(np.load(file))}
    state["window"] = cp.asarray(np.load(file))
    state["rule"] = pickle.load(file)
    state["stream"] = cp.cuda.Stream()
    return state


def _pack_by_kind(state):
    plain = {}
    for key, value in state.items():
        if isinstance(value, cp.cuda.Stream):
            plain[key] = "stream", None
        elif isinstance(value, cp.ndarray):
            plain[key] = "cupy", value.get()
        elif hasattr(value, "copy_to_host"):
            plain[key] = "numba", value.copy_to_host()
        else:
            plain[key] = "python", value
    return _dumps(plain)


def _unpack_by_kind(packed):
    state = {}
    for key, (kind, value) in pickle.loads(packed).items():
        if kind == "stream":
            value = cp.cuda.Stream(non_blocking=True)
        elif kind == "cupy":
            value = cp.asarray(value)
        elif kind == "numba":
            value = _cuda().to_device(value)
        state[key] = value
    return state


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
RIGHT = {
    "by the host": (_pack, _unpack),
    "by CuPy": (_pack_by_cupy, _unpack_by_cupy),
    "raw": (_pack_raw, _unpack_raw),
    "with its length": (_pack_with_length, _unpack_with_length),
    "in a file": (_pack_in_a_file, _unpack_a_file),
    "by kind": (_pack_by_kind, _unpack_by_kind),
}
