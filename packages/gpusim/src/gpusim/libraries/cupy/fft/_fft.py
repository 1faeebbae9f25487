"""Fourier transforms: cuFFT on a GPU, pocketfft here.  Single precision stays single; all of it is queued."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import launch
from .._core.convert import asarray

ndarray = launch.array_class


def _complex(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.complex64) if dtype.char in "efF" else np.dtype(np.complex128)


def _operand(a: Any) -> Any:
    if not isinstance(a, ndarray):
        raise TypeError("The input array a must be a cupy.ndarray")
    return a


def _transform(name: str, one: bool, two: bool = False) -> Callable:
    real_in, real_out = name.startswith(("rfft", "ihfft")), name.startswith(("irfft", "hfft"))

    def enqueue(a: Any, sizes: Any, axes: Any, norm: Any) -> Any:
        a = _operand(a)
        if norm not in (None, "backward", "ortho", "forward"):
            raise ValueError(f'Invalid norm value {norm}, should be "backward", "ortho", or "forward".')
        if axes is not None and not one and len(axes) == 0:
            if real_in or real_out:
                raise IndexError("list index out of range")
            return a
        shape, sizes, axes = _shape(a, sizes, axes)
        dtype = _complex(a.dtype)
        if real_out:
            dtype = np.dtype(dtype.char.lower())
            if a.dtype.char == "e" and len(axes) == 1 and name in ("irfft", "hfft", "irfftn", "irfft2"):
                dtype = a.dtype  # CuPy casts the result of one axis back (`_compat_caster` in cupy/fft/_fft.py)
        kwargs = {"n": sizes[0], "axis": axes[0]} if one else {"s": sizes, "axes": axes}
        out = launch.empty(shape, dtype)
        return launch.submit_into("cufft_" + name, out, _run, name, a, norm=norm, **kwargs)

    def _shape(a: Any, sizes: Any, axes: Any) -> tuple:
        if axes is None:
            axes = tuple(range(a.ndim)) if sizes is None else tuple(range(a.ndim - len(sizes), a.ndim))
        axes = tuple(np.lib.array_utils.normalize_axis_index(i, a.ndim) for i in axes)
        lengths = [a.shape[i] for i in axes]
        if sizes is not None:
            lengths = [n if n is not None else m for n, m in zip(sizes, lengths, strict=True)]
        elif real_out:
            lengths[-1] = 2 * (lengths[-1] - 1)
        if any(n < 1 for n in lengths):
            raise ValueError(f"Invalid number of FFT data points ({min(lengths)}) specified.")
        shape = list(a.shape)
        for i, n in zip(axes, lengths, strict=True):
            shape[i] = n
        if real_in:
            shape[axes[-1]] = lengths[-1] // 2 + 1
        return tuple(shape), lengths, axes

    if one:

        def call(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
            return enqueue(a, None if n is None else (n,), (axis,), norm)
    elif two:

        def call(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
            return enqueue(a, s, axes, norm)
    else:

        def call(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
            return enqueue(a, s, axes, norm)

    call.__name__ = name
    call.__doc__ = f"As ``numpy.fft.{name}``, on device arrays."
    return call


def _run(name: str, a: np.ndarray, **kwargs: Any) -> np.ndarray:
    from scipy import fft  # when it is needed: it takes longer to import than all of this package

    # SciPy has no loop for halves; they are transformed in single precision.
    return getattr(fft, name)(a.astype(np.float32) if a.dtype.char == "e" else a, **kwargs)


_made = {name: _transform(name, True) for name in "fft ifft rfft irfft hfft ihfft".split()}
_made |= {name: _transform(name.removesuffix("2") + "n", False, True) for name in "fft2 ifft2 rfft2 irfft2".split()}
_made |= {name: _transform(name, False) for name in "fftn ifftn rfftn irfftn".split()}


def _shifting(function: Callable) -> Callable:
    def call(x: Any, axes: Any = None) -> Any:
        x = x if isinstance(x, ndarray) else asarray(x)
        return launch.submit_into("cupy_roll", launch.empty(x.shape, x.dtype), function, x, axes)

    call.__name__ = function.__name__
    return call


def fftfreq(n: int, d: float = 1.0) -> Any:
    """Sample frequencies of a transform."""
    return asarray(np.fft.fftfreq(n, d))


def rfftfreq(n: int, d: float = 1.0) -> Any:
    """Sample frequencies of a real transform."""
    return asarray(np.fft.rfftfreq(n, d))


_made |= {"fftshift": _shifting(np.fft.fftshift), "ifftshift": _shifting(np.fft.ifftshift)}
globals().update(_made)
__all__ = [*_made, "fftfreq", "rfftfreq"]
