"""Shapes, axes, joining, splitting, repeating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._core import launch
from ._core.adapt import running, table, viewing
from ._core.checks import broadcast as common
from ._core.checks import check_array, check_devices
from ._core.convert import array, asarray
from ._core.joining import concatenate
from ._core.placeholders import fusible
from ._core.shaping import repeat
from ._core.sorting import normal_axis
from ._core.ufuncs import by_name

ndarray = launch.array_class

views = table(
    np,
    "transpose swapaxes moveaxis rollaxis squeeze expand_dims flip fliplr flipud rot90 broadcast_to array_split split "
    "hsplit vsplit dsplit matrix_transpose",
    viewing,
)
now = table(np, "append trim_zeros resize", running)


def packbits(a: Any, axis: int | None = None, bitorder: str = "big") -> ndarray:
    """Eight elements to a byte."""
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    _check_bits(axis, bitorder)
    out = launch.empty(((a.size + 7) // 8,), np.dtype(np.uint8))
    return launch.submit_into("cupy_packbits", out, np.packbits, a, None, bitorder)


def unpackbits(a: Any, axis: int | None = None, bitorder: str = "big") -> ndarray:
    """A byte to eight elements."""
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    _check_bits(axis, bitorder)
    out = launch.empty((a.size * 8,), np.dtype(np.uint8))
    return launch.submit_into("cupy_unpackbits", out, np.unpackbits, a, None, bitorder=bitorder)


def _check_bits(axis: int | None, bitorder: Any) -> None:
    if axis is not None:
        raise NotImplementedError("axis option is not supported yet")
    if bitorder not in ("big", "little"):
        raise ValueError("bitorder must be either 'big' or 'little'")


def reshape(a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None) -> ndarray:
    """The elements in another shape."""
    return a.reshape(shape if newshape is None else newshape, order=order, copy=copy)


def ravel(a: Any, order: str = "C") -> ndarray:
    """The elements in one row."""
    return a.ravel(order)


def permute_dims(a: Any, /, axes: Any = None) -> ndarray:
    """The axes permuted, a view."""
    return a.transpose() if axes is None else a.transpose(axes)


def shape(a: Any) -> tuple[int, ...]:
    """Lengths of the axes."""
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def ndim(a: Any) -> int:
    """Number of axes."""
    return a.ndim if isinstance(a, ndarray) else np.ndim(a)


def size(a: Any, axis: int | None = None) -> int:
    """Number of elements, or the length of an axis."""
    if not isinstance(a, ndarray):
        return np.size(a, axis)
    return a.size if axis is None else a.shape[axis]


def _at_least(n: int) -> Any:
    function = getattr(np, f"atleast_{n}d")

    def call(*arys: Any) -> Any:
        made = [asarray(a) for a in arys]
        made = [a._view(function(a._a)) if a.ndim < n else a for a in made]
        return made[0] if len(made) == 1 else tuple(made)

    call.__name__ = f"atleast_{n}d"
    call.__doc__ = f"Arrays with at least {n} axes."
    return call


atleast_1d, atleast_2d, atleast_3d = (_at_least(n) for n in (1, 2, 3))


def broadcast_arrays(*args: Any) -> tuple:
    """Views of arrays in their common shape."""
    shape = np.broadcast_shapes(*(a.shape for a in args))
    return tuple(views["broadcast_to"](a, shape) for a in args)


class broadcast:
    """The common shape of some arrays, and views of them in it."""

    def __init__(self, *arrays: Any):
        self.shape = common(*(a._a if isinstance(a, ndarray) else a for a in arrays))
        self.values = [a._view(np.broadcast_to(a._a, self.shape)) if isinstance(a, ndarray) else a for a in arrays]
        self.nd = len(self.shape)
        self.size = int(np.prod(self.shape))


concat = concatenate


def stack(tup: Sequence[Any], axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"):
    """Join arrays along a new axis."""
    for a in tup:
        check_array(a, "a")
    return concatenate([views["expand_dims"](a, axis) for a in tup], axis, out, dtype=dtype, casting=casting)


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> ndarray:
    """Join arrays along rows."""
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype, casting=casting)


def row_stack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> ndarray:
    """As :func:`vstack` (deprecated)."""
    import warnings

    warnings.warn("`row_stack` alias is deprecated. Use `cp.vstack` directly.", DeprecationWarning, stacklevel=2)
    return vstack(tup, dtype=dtype, casting=casting)


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> ndarray:
    """Join arrays along columns."""
    parts = [atleast_1d(a) for a in tup]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup: Sequence[Any]) -> ndarray:
    """Join arrays along the third axis."""
    return concatenate([atleast_3d(a) for a in tup], 2)


def column_stack(tup: Sequence[Any]) -> ndarray:
    """Join 1-d arrays as columns."""
    for a in tup:
        if not isinstance(a, ndarray):
            raise TypeError("Only cupy arrays can be column stacked")
    return concatenate([a if a.ndim > 1 else a.reshape(a.size, 1) for a in tup], 1)


def tile(A: Any, reps: Any) -> ndarray:
    """An array repeated like tiles."""
    reps = (reps,) if isinstance(reps, (int, np.integer)) else tuple(reps)
    A = A if isinstance(A, ndarray) else asarray(A)
    n = max(A.ndim, len(reps))
    whole = (1,) * (n - A.ndim) + A.shape
    times = (1,) * (n - len(reps)) + reps
    out = launch.empty(tuple(a * b for a, b in zip(whole, times, strict=True)), A.dtype)
    return launch.submit_into("cupy_tile", out, np.tile, A, reps)


def roll(a: Any, shift: Any, axis: Any = None) -> ndarray:
    """Elements shifted around an axis."""
    if isinstance(shift, str):
        shift = int(shift)
    if isinstance(shift, ndarray):
        return launch.now("cupy_roll", np.roll, a, shift, axis)
    if axis is not None:
        np.lib.array_utils.normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
        np.broadcast_shapes(np.shape(shift), np.shape(axis))  # raises a ValueError here and not later
    return launch.submit_into("cupy_roll", launch.empty(a.shape, a.dtype), np.roll, a, shift, axis)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> ndarray:
    """An array with a border."""
    if isinstance(pad_width, ndarray):
        pad_width = pad_width.tolist()
    if isinstance(array, np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    if not np.asarray(pad_width).dtype.kind == "i":
        raise TypeError("`pad_width` must be of integral type.")
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2))
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    if callable(mode):
        return _pad_by(array, widths, mode, kwargs)
    # What NumPy refuses (an empty axis that has no edge, an unknown mode) is refused here and not when the queue runs.
    np.pad(np.zeros([min(n, 1) for n in array.shape], array.dtype), np.minimum(pad_width, 1), mode)
    shape = tuple(n + int(before) + int(after) for n, (before, after) in zip(array.shape, widths, strict=True))
    return launch.submit_into("cupy_pad", launch.empty(shape, array.dtype), np.pad, array, pad_width, mode, **kwargs)


def _pad_by(a: ndarray, widths: np.ndarray, function: Any, kwargs: dict) -> ndarray:
    """Call the caller's function on each line of the padded array, in place."""
    from ._creation import zeros

    padded = zeros(tuple(n + int(w.sum()) for n, w in zip(a.shape, widths, strict=True)), a.dtype)
    padded[tuple(slice(int(w[0]), int(w[0]) + n) for n, w in zip(a.shape, widths, strict=True))] = a
    for axis in range(padded.ndim):
        view = padded._view(np.moveaxis(padded._a, axis, -1))
        for i in np.ndindex(view.shape[:-1]):
            function(view[i], tuple(int(w) for w in widths[axis]), axis, kwargs)
    return padded


@fusible
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = None) -> None:
    """Copy values into an array, broadcasting."""

    scalar = not isinstance(src, ndarray)
    if type(src) in (bool, int, float, complex):
        np.copyto(np.empty((), dst.dtype), src, casting=casting)  # raises what NumPy raises
    else:
        if isinstance(src, np.ndarray):
            if src.size != 1:
                raise ValueError("non-scalar numpy.ndarray cannot be used for copyto")
            src = src.reshape(())[()]
        if not np.can_cast(src.dtype, dst.dtype, casting):
            raise TypeError(f"Cannot cast {src.dtype} to {dst.dtype} in {casting} casting mode")
    source = np.asarray(src).astype(dst.dtype) if scalar else src._a
    while source.ndim > dst.ndim and source.shape[0] == 1:
        source = source[0, ...]
    try:
        np.broadcast_to(source, dst.shape)
    except ValueError:
        raise ValueError(f"could not broadcast input array from shape {src.shape} into shape {dst.shape}") from None
    if where is None:
        if scalar:
            dst.fill(src)
        elif dst.size:
            launch.copy_into(dst._a, source)
        return
    if not isinstance(where, ndarray) and not isinstance(where, (bool, int, float, complex, np.generic)):
        raise TypeError(f"Unsupported type {type(where)}")
    mask = where if isinstance(where, ndarray) else array(bool(where))
    if mask.dtype != bool:
        if not isinstance(where, ndarray):
            mask = mask.astype(bool)
        else:
            raise TypeError(
                f"Cannot cast array data from {mask.dtype!r} to {np.dtype(bool)!r} according to the rule 'safe'"
            )
    check_devices([dst, src, mask])
    arguments = (dst._a, source, mask._a)
    launch.submit("cupy_copyto_where", _copy_where, arguments, reads=(source, mask._a), writes=(dst._a,))


def _copy_where(dst: np.ndarray, src: np.ndarray, mask: np.ndarray) -> None:
    np.copyto(dst, src, "unsafe", where=mask)


def delete(arr: Any, indices: Any, axis: int | None = None) -> ndarray:
    """An array without some of its elements along an axis; waits for the device."""
    if not isinstance(arr, ndarray):
        raise ValueError("delete(): arr must be a cupy.ndarray")
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normal_axis(axis, arr.ndim)
    size = arr.shape[axis]
    plain = isinstance(indices, (int, np.integer)) and not isinstance(indices, bool)
    if not isinstance(indices, slice) and not plain:
        listed = asarray(indices)
        if listed.dtype == np.bool_:
            if listed.ndim != 1 or listed.shape[0] != size:
                raise ValueError(
                    "boolean array argument indices to delete must be one dimensional and match the axis length of "
                    f"{size}"
                )
        if listed.size:
            indices = listed
    from ._creation import ones

    mask = ones(size, dtype=np.bool_)
    mask[(indices,)] = False
    return arr.compress(mask, axis=axis)


def astype(x: Any, dtype: Any, /, *, copy: bool = True) -> ndarray:
    """The elements as another dtype."""
    return x.astype(dtype, copy=copy)


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> ndarray:
    """As :func:`asarray`, and raises if anything is infinite or NaN; waits for the device."""

    a = asarray(a, dtype, order)
    if a.dtype.kind in "fc" and not by_name["isfinite"](a).all():
        raise ValueError("array must not contain Infs or NaNs")
    return a


made = {
    **views,
    **now,
    **{
        f.__name__: f
        for f in (
            reshape, ravel, permute_dims, shape, ndim, size, atleast_1d, atleast_2d, atleast_3d, broadcast_arrays,
            broadcast, concatenate, stack, vstack, hstack, dstack, column_stack, tile, roll, pad, copyto, astype,
            asarray_chkfinite, repeat, delete, packbits, unpackbits,
        )
    },
    "concat": concatenate,
    "row_stack": row_stack,
}  # fmt: skip
