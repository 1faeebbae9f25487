"""Filters with a state.  CuPy's is not SciPy's: it holds the last inputs and then the last outputs, oldest first."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.signal as _scipy
from cupyx._bridge import takes
from cupyx._bridge.convert import call

_MODULE = "cupyx.scipy.signal"


def _delays(b: np.ndarray, a: np.ndarray, state: np.ndarray) -> np.ndarray:
    """SciPy's state (of the transposed direct form) for CuPy's, both along the last axis."""
    size = max(len(a), len(b))
    b, a = (np.pad(c / a[0], (0, size - len(c))) for c in (b, a))
    inputs, outputs = state
    out = np.zeros((*inputs.shape[:-1], size - 1), np.result_type(b, a, inputs, outputs))
    for m in range(size - 1):
        for k in range(size - 1 - m):
            if k < inputs.shape[-1]:
                out[..., m] += b[k + m + 1] * inputs[..., -1 - k]
            if k < outputs.shape[-1]:
                out[..., m] -= a[k + m + 1] * outputs[..., -1 - k]
    return out


def _filter(b: np.ndarray, a: np.ndarray, x: np.ndarray, axis: int, zi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nb, na = len(b) - 1, len(a) - 1
    moved = np.moveaxis(x, axis, -1)
    state = np.moveaxis(np.atleast_1d(zi), axis, -1)
    inputs, outputs = state[..., :nb], state[..., state.shape[-1] - na :]
    size = max(nb, na)
    history = _delays(b, a, (inputs, outputs)) if size else None
    if history is None:
        y = _scipy.lfilter(b, a, moved)
    else:
        history = np.broadcast_to(history, (*moved.shape[:-1], size))
        y, _ = _scipy.lfilter(b, a, moved, zi=history)
    n = moved.shape[-1]
    last = np.empty((*moved.shape[:-1], state.shape[-1]), y.dtype)
    if nb:
        last[..., :nb] = moved[..., max(n - nb, 0) :][..., -nb:] if n >= nb else np.concatenate(
            [np.broadcast_to(inputs, (*moved.shape[:-1], nb))[..., n:], moved], -1)  # fmt: skip
    if na:
        last[..., state.shape[-1] - na :] = y[..., n - na :] if n >= na else np.concatenate(
            [np.broadcast_to(outputs, (*moved.shape[:-1], na))[..., n:], y], -1)  # fmt: skip
    return np.moveaxis(y, -1, axis), np.moveaxis(last, -1, axis)


@takes(_MODULE)
def lfilter(b: Any, a: Any, x: Any, axis: int, zi: Any) -> Any:
    """Filter along an axis; with ``zi``, ``len(b) + len(a) - 2`` along the axis, gives the final state too."""
    if zi is None:
        return call("cupyx_lfilter", _scipy.lfilter, (b, a, x, axis), {})
    return call("cupyx_lfilter", _filter, (b, a, x, axis, cupy.asarray(zi)), {})


@takes(_MODULE)
def lfiltic(b: Any, a: Any, y: Any, x: Any) -> Any:
    """The state for given past outputs and inputs, newest first."""
    if y is None and x is None:
        return None
    parts = []
    for values, count in ((x, b.size - 1), (y, a.size - 1)):
        if values is not None and count > 0:
            padded = cupy.concatenate((values, cupy.zeros(max(count - values.shape[-1], 0))), axis=-1)
            parts.append(cupy.flip(padded[..., :count], -1))
    return cupy.concatenate(parts, axis=-1) if parts else cupy.empty(0)


def _level(b: np.ndarray, a: np.ndarray) -> Any:
    """The output that a constant input of one ends in; CuPy gives 0 where there is none."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.sum(b) / np.sum(a), nan=0, posinf=np.inf, neginf=-np.inf)


@takes(_MODULE)
def lfilter_zi(b: Any, a: Any) -> Any:
    """The state of a filter that has seen a step for ever."""

    def run(b: np.ndarray, a: np.ndarray) -> np.ndarray:
        return np.concatenate([np.ones(len(b) - 1), np.full(len(a) - 1, _level(b, a))])

    return call("cupyx_lfilter_zi", run, (b, a), {})


@takes(_MODULE)
def sosfilt(sos: Any, x: Any, axis: int, zi: Any) -> Any:
    """Filter by sections; ``zi`` has four numbers a section along the axis: two inputs and two outputs."""
    if zi is None:
        return call("cupyx_sosfilt", _scipy.sosfilt, (sos, x, axis), {})

    def run(sos: np.ndarray, x: np.ndarray, zi: np.ndarray) -> tuple:
        at = axis % x.ndim
        dtype = np.result_type(x.dtype, sos.dtype)
        y, last = x.astype(dtype), []
        for section, state in zip(sos.astype(dtype), zi.astype(dtype), strict=True):
            y, final = _filter(section[:3], section[3:], y, at, state)
            last.append(final)
        return y.astype(dtype), np.stack(last).astype(dtype)

    return call("cupyx_sosfilt", run, (sos, x, zi), {})


@takes(_MODULE)
def sosfilt_zi(sos: Any) -> Any:
    """The state of sections that have seen a step for ever: sections by four."""

    def run(sos: np.ndarray) -> np.ndarray:
        out, level = np.zeros((len(sos), 4), sos.dtype), 1.0
        for i, section in enumerate(sos):
            out[i, :2] = level
            level = level * _level(section[:3], section[3:])
            out[i, 2:] = level
        return out

    return call("cupyx_sosfilt_zi", run, (sos,), {})


made = {f.__name__: f for f in (lfilter, lfiltic, lfilter_zi, sosfilt, sosfilt_zi)}
