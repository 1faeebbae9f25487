"""Radar: pulses, detection at a constant rate of false alarms, beams."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from cupyx._bridge import takes
from cupyx._bridge.convert import call

_MODULE = "cupyx.signal"


def _prepared(x: Any, normalize: bool, window: Any) -> Any:
    if window is not None:
        n = x.shape[-1]
        if callable(window):
            weights = window(cupy.fft.fftfreq(n).astype(x.dtype))
        elif isinstance(window, cupy.ndarray):
            if window.shape != (n,):
                raise ValueError("window must have the same length as data")
            weights = window
        else:
            from cupyx.scipy.signal.windows import get_window

            weights = get_window(window, n, False).astype(x.dtype)
        x = x * weights
    return x / cupy.linalg.norm(x) if normalize else x


@takes(_MODULE)
def pulse_compression(x: Any, template: Any, normalize: bool, window: Any, nfft: Any) -> Any:
    """Correlate each pulse (a row) with a template."""
    nfft = x.shape[1] if nfft is None else nfft
    product = cupy.fft.fft(x, nfft) * cupy.fft.fft(_prepared(template, normalize, window), nfft).conj()
    out = cupy.fft.ifft(product, nfft)
    return out if np.result_type(x.dtype, template.dtype).kind == "c" else out.real


@takes(_MODULE)
def pulse_doppler(x: Any, window: Any, nfft: Any) -> Any:
    """Transform over the pulses, for each sample."""
    nfft = x.shape[0] if nfft is None else nfft
    return cupy.fft.fft(_prepared(x.T, False, window), nfft).T


@takes(_MODULE)
def cfar_alpha(pfa: float, N: int) -> float:
    """The factor over the mean of N cells that gives a probability of false alarms."""
    return N * (pfa ** (-1.0 / N) - 1)


def _areas(x: np.ndarray, inner: tuple, outer: tuple) -> np.ndarray:
    """Sums over the outer box less those over the inner one, where the outer box fits."""
    total = x.astype(np.float64)
    for axis in range(x.ndim):
        total = np.cumsum(total, axis=axis)
    total = np.pad(total, [(1, 0)] * x.ndim)

    def boxes(half: tuple) -> np.ndarray:
        made = total
        for axis, (h, o) in enumerate(zip(half, outer, strict=True)):
            count = x.shape[axis] - 2 * o
            first = np.take(made, range(o - h, o - h + count), axis)
            made = np.take(made, range(o + h + 1, o + h + 1 + count), axis) - first
        return made

    return boxes(outer) - boxes(inner)


@takes(_MODULE)
def ca_cfar(array: Any, guard_cells: Any, reference_cells: Any, pfa: float) -> tuple[Any, Any]:
    """Thresholds from the mean of the cells around, and where the array exceeds them; one or two axes."""
    if array.ndim > 2:
        raise TypeError("Only 1D and 2D arrays are currently supported.")
    if array.ndim == 1:
        if len(array) <= 2 * guard_cells + 2 * reference_cells:
            raise ValueError("Array too small for given parameters")
        guards, references = (guard_cells,), (reference_cells,)
        cells = 2 * reference_cells
    else:
        if len(guard_cells) != 2 or len(reference_cells) != 2:
            raise TypeError("Guard and reference cells must be two dimensional.")
        guards, references = tuple(guard_cells), tuple(reference_cells)
        for name, n, g, r in zip(("first", "second"), array.shape, guards, references, strict=True):
            if n - 2 * g - 2 * r <= 0:
                raise ValueError(f"Array {name} dimension too small for given parameters.")
        cells = 2 * references[0] * (2 * references[1] + 2 * guards[1] + 1) + 2 * (2 * guards[0] + 1) * references[1]
    alpha = np.float32(cfar_alpha(pfa, cells))
    outer = tuple(g + r for g, r in zip(guards, references, strict=True))

    def run(x: np.ndarray) -> np.ndarray:
        mask = np.zeros(x.shape, np.float32)
        mask[tuple(slice(o, n - o) for o, n in zip(outer, x.shape, strict=True))] = (
            alpha / cells * _areas(x, guards, outer)
        )
        return mask

    mask = call("_ca_cfar_kernel", run, (array,), {})
    return mask, array - mask > 0


@takes(_MODULE)
def mvdr(x: Any, sv: Any, calc_cov: bool) -> Any:
    """Weights of the beam with least variance and no distortion; rows are sensors."""
    if x.shape[0] > x.shape[1]:
        raise ValueError(
            "Matrix has more sensors than samples. Consider             transposing and remember cuSignal is row-major, "
            "unlike MATLAB"
        )
    if x.shape[0] != sv.shape[0]:
        raise ValueError("Steering Vector and input data do not align")
    if calc_cov:
        x = cupy.cov(x, dtype=x.dtype)
    weights = cupy.linalg.inv(x).dot(sv)
    return weights / sv.conj().dot(weights)
