"""cuFFT's plans: what a transform checks of one, and which one a ``with`` has put in place.

A plan here holds no work area; it remembers what it was made for, and a transform that does not fit is refused.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from cupy._core import launch

_active: list[Any] = []


class Plan:
    """A plan; as a context manager it is used by the transforms inside that name none."""

    def __init__(self, shape: tuple, axes: tuple, kind: str, dtype: np.dtype) -> None:
        self.shape, self.axes, self.kind, self.dtype = shape, axes, kind, dtype

    def __enter__(self) -> Plan:
        _active.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _active.pop()


class Plan1d(Plan):
    """A plan for one axis: length and number of transforms count."""

    def __init__(self, shape: tuple, axes: tuple, kind: str, dtype: np.dtype, length: int) -> None:
        super().__init__(shape, axes, kind, dtype)
        self.nx = length
        self.batch = math.prod(shape) // shape[axes[0]]


class PlanNd(Plan):
    """A plan for two or three axes."""


def _output(dtype: np.dtype, kind: str) -> np.dtype:
    single = dtype.char in "efF"
    if kind == "C2R":
        return np.dtype(np.float32 if single else np.float64)
    return np.dtype(np.complex64 if single else np.complex128)


def get_fft_plan(a: Any, shape: Any = None, axes: Any = None, value_type: str = "C2C") -> Plan:
    """Make a plan for the transform of an array.

    Parameters
    ----------
    a : cupy.ndarray
        Contiguous, in C or Fortran order.
    shape, axes : tuple of int, optional
        Of the transform; one to three axes.
    value_type : {'C2C', 'R2C', 'C2R'}
        Which kind of transform.
    """
    if not a.flags.forc:
        raise ValueError("Input array a must be contiguous")
    shape = (shape,) if isinstance(shape, int) else shape
    axes = (axes,) if isinstance(axes, int) else axes
    if shape is not None and axes is not None and len(shape) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if axes is None:
        n = a.ndim if shape is None else len(shape)
        axes = tuple(range(-n, 0))
    else:
        n = len(axes)
        if n == 1 and not -a.ndim <= axes[0] < a.ndim:
            raise ValueError(f"The chosen axis ({axes[0]}) exceeds the number of dimensions of a ({a.ndim})")
        if n > 3:
            raise ValueError("Only up to three axes is supported")
    full = list(a.shape)
    for size, axis in zip(shape or (), axes, strict=False):
        if size is not None:
            full[axis] = size // 2 + 1 if axis == axes[-1] and value_type == "C2R" else size
    if value_type not in ("C2C", "R2C", "C2R"):
        raise ValueError
    dtype = _output(a.dtype, value_type)
    if n > 1 and value_type != "C2C" and a.flags.f_contiguous:
        raise ValueError("C2R/R2C PlanNd for F-order arrays is not supported")
    made_axes = tuple(i % a.ndim for i in axes)
    if n > 1:
        return PlanNd(tuple(full), made_axes, value_type, dtype)
    length = full[axes[0]]
    if value_type == "C2R":
        length = shape[-1] if shape is not None and shape[-1] is not None else 2 * (length - 1)
    return Plan1d(tuple(full), made_axes, value_type, dtype, length)


def check(x: Any, sizes: Any, axes: Any, plan: Any, kind: str) -> None:
    """Refuse a plan (the one given or the one in place) that was not made for this transform."""
    if plan is not None and _active:
        raise RuntimeError("Use the cuFFT plan either as a context manager or as an argument.")
    plan = plan if plan is not None else (_active[-1] if _active else None)
    if plan is None:
        return
    if not isinstance(plan, Plan):
        raise ValueError("expected plan to have type cufft.Plan1d")
    if axes is None:
        n = x.ndim if sizes is None else len(sizes)
        axes = tuple(range(-n, 0))
    axes = tuple(i % x.ndim for i in axes)
    if len(axes) == 1:
        _check_one(x, sizes, axes[0], plan, kind)
        return
    if not isinstance(plan, PlanNd):
        raise ValueError("expected plan to have type cufft.PlanNd")
    full = list(x.shape)
    for size, axis in zip(sizes or (), axes, strict=False):
        if size is not None:
            full[axis] = size // 2 + 1 if axis == axes[-1] and kind == "C2R" else size
    if tuple(full) != plan.shape:
        raise ValueError(f"The cuFFT plan and a.shape do not match: plan.shape = {plan.shape}, expected shape={tuple(full)}")  # fmt: skip
    if kind != plan.kind or _output(x.dtype, kind) != plan.dtype:
        raise ValueError("cuFFT plan dtype mismatch")
    if sorted(axes) != sorted(plan.axes):
        raise ValueError("The cuFFT plan and axes do not match")


def _check_one(x: Any, sizes: Any, axis: int, plan: Plan, kind: str) -> None:
    if not isinstance(plan, Plan1d):
        raise ValueError("expected plan to have type cufft.Plan1d")
    length = None if sizes is None else sizes[-1]
    if kind != plan.kind or _output(x.dtype, kind) != plan.dtype:
        raise ValueError("cuFFT plan dtype mismatch.")
    if length is None:
        length = x.shape[axis] if kind != "C2R" else 2 * (x.shape[axis] - 1)
    if length != plan.nx:
        raise ValueError("Target array size does not match the plan.", length, plan.nx)
    if x.size and x.size // x.shape[axis] != plan.batch:
        raise ValueError("Batch size does not match the plan.")


def is_device(x: Any) -> bool:
    """Whether an argument is a device array."""
    return isinstance(x, launch.array_class)
