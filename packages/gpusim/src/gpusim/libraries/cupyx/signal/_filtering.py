"""FIR filters, and convolutions of higher order."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.signal as _scipy
from cupyx._bridge import takes
from cupyx._bridge.convert import call

_MODULE = "cupyx.signal"


@takes(_MODULE)
def firfilter(b: Any, x: Any, axis: int, zi: Any) -> Any:
    """Filter along an axis; with ``zi`` the filter's final state is given too."""
    from cupyx.scipy.signal import lfilter

    return lfilter(b, cupy.ones((1,)), x, axis, zi)


@takes(_MODULE)
def firfilter_zi(b: Any) -> Any:
    """The state of a filter that has seen a step for ever."""

    def run(b: np.ndarray) -> np.ndarray:
        return np.cumsum(b[:0:-1])[::-1].astype(np.result_type(b, np.float32))

    return call("firfilter_zi", run, (b,), {})


@takes(_MODULE)
def firfilter2(b: Any, x: Any, axis: int, padtype: Any, padlen: Any, method: str, irlen: Any) -> Any:
    """Filter forwards and backwards, so that phases stay."""
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    if method == "gust":
        raise NotImplementedError("gust method not supported yet")
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype.  padtype must be 'even', 'odd', 'constant', or None."
        )
    edge = 0 if padtype is None else 3 * len(b) if padlen is None else padlen
    if x.shape[axis] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    one = np.ones(1)
    return call("firfilter2", lambda b, x: _scipy.filtfilt(b, one, x, axis, padtype, edge), (cupy.atleast_1d(b), x), {})


@takes(_MODULE)
def freq_shift(x: Any, freq: float, fs: float) -> Any:
    """The signal with its frequencies shifted, complex."""
    x = cupy.asarray(x)
    return x * cupy.exp(-2j * np.pi * freq / fs * cupy.arange(x.size))


def _valid(in1: Any, in2: Any, mode: str, method: str, axes: int) -> None:
    if in1.ndim != 1:
        raise ValueError("in1 should have one dimension")
    if in2.ndim != axes:
        raise ValueError("in2 should have three dimension")
    if mode in ("same", "full"):
        raise NotImplementedError(f"Mode == {mode} not implemented")
    if method != "direct":
        raise NotImplementedError("Only Direct method implemented")


def _convolve(in1: Any, in2: Any) -> Any:
    def run(x: np.ndarray, kernel: np.ndarray) -> np.ndarray:
        # in1 in each axis' window, the kernel's indices counted backwards
        count = x.shape[0] - max(kernel.shape) + 1
        windows = [np.lib.stride_tricks.sliding_window_view(x, n)[:count, ::-1] for n in kernel.shape]
        letters = "abc"[: kernel.ndim]
        terms = ",".join(f"z{c}" for c in letters)
        return np.einsum(f"{terms},{letters}->z", *windows, kernel).astype(np.result_type(x, kernel))

    return call("convolve1dno", run, (in1, in2), {})


@takes(_MODULE)
def convolve1d2o(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """A Volterra filter of second order, where it fits."""
    _valid(in1, in2, mode, method, 2)
    return _convolve(in1, in2)


@takes(_MODULE)
def convolve1d3o(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """A Volterra filter of third order, where it fits."""
    _valid(in1, in2, mode, method, 3)
    return _convolve(in1, in2)


@takes(_MODULE)
def channelize_poly(x: Any, h: Any, n_chans: int) -> Any:
    """A polyphase channeliser: channels by samples, complex."""
    dtype = np.promote_types(x.dtype, h.dtype)
    taps = int(len(h) / n_chans)
    if taps > 32:
        raise NotImplementedError(
            f"The number of calculated taps ({taps}) in each filter is currently capped at 32. Please reduce filter "
            "length or number of channels"
        )
    if dtype.char not in "fdFD":
        raise NotImplementedError(f"Data type ({dtype}) not allowed.")

    def run(x: np.ndarray, h: np.ndarray) -> np.ndarray:
        filters = h[: taps * n_chans].reshape(taps, n_chans)
        count = int(len(x) / n_chans)
        blocks = x[: count * n_chans].reshape(count, n_chans)[:, ::-1]
        y = np.zeros((count, n_chans), np.promote_types(dtype, np.complex64))
        for t in range(min(taps, count)):
            y[t:] += np.conj(blocks[: count - t] * filters[t])
        return np.conj(np.fft.fft(y)).T.astype(y.dtype)

    return call("channelize_poly", run, (x.astype(dtype), h.astype(dtype)), {})
