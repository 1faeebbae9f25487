"""Printing, saving, and telling host and device apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._c_kernels.elementwise import ElementwiseKernel
from ._c_kernels.raw import RawKernel, RawModule
from ._c_kernels.reduction import ReductionKernel
from ._core import launch
from ._core.adapt import hosting, table
from ._core.convert import asarray, from_like
from ._core.dlpack import from_dlpack, fromDlpack
from .cuda import memory, pinned_memory

ndarray = launch.array_class


def asnumpy(a: Any, stream: Any = None, order: str = "C", out: Any = None, *, blocking: bool = True) -> np.ndarray:
    """The array on the host; waits for the device."""
    a = from_like(a)
    if isinstance(a, ndarray):
        return a.get(stream=stream, order=order, out=out, blocking=blocking)
    if out is not None:
        np.copyto(out, np.asarray(a, order=order))
        return out
    return np.asarray(a, order=order)


def get_array_module(*args: Any) -> Any:
    """This module if any argument is a device array or a sparse matrix on the device, else NumPy."""
    import cupy

    return cupy if any(isinstance(a, ndarray) or hasattr(a, "_part_names") for a in args) else np


def is_available() -> bool:
    """Whether there is a device: in simulation there always is."""
    return True


def get_default_memory_pool() -> Any:
    """The pool that arrays are allocated from."""
    return memory.default_pool


def get_default_pinned_memory_pool() -> Any:
    """The pool of host memory for transfers."""
    return pinned_memory.default_pool


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """The type that arrays, dtypes and numbers are promoted to."""
    return np.result_type(*(a.dtype if isinstance(a, ndarray) else a for a in arrays_and_dtypes))


def common_type(*arrays: Any) -> Any:
    """The inexact type common to arrays."""
    if not arrays:
        return np.float16
    types = [np.dtype(np.float64) if a.dtype.kind in "iu" else a.dtype for a in arrays]
    if any(t.kind not in "fc" for t in types):
        raise TypeError("can't get common type for non-numeric array")
    return np.result_type(*types).type


def min_scalar_type(a: Any) -> np.dtype:
    """The smallest type that holds a number; an array's own."""
    return a.dtype if isinstance(a, ndarray) else np.min_scalar_type(a)


def load(file: Any, mmap_mode: Any = None, allow_pickle: Any = None) -> Any:
    """Read arrays from a ``.npy`` or ``.npz`` file."""
    made = np.load(file, mmap_mode, allow_pickle=bool(allow_pickle))
    return NpzFile(made) if isinstance(made, np.lib.npyio.NpzFile) else asarray(made)


class NpzFile:
    """Arrays of a ``.npz`` file, sent to the device as they are read."""

    def __init__(self, npz: Any):
        self.npz_file = npz
        self.files = npz.files

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __getitem__(self, key: str) -> Any:
        return asarray(self.npz_file[key])

    def __contains__(self, key: str) -> bool:
        return key in self.files

    def __iter__(self):
        return iter(self.files)

    def close(self) -> None:
        """Close the file."""
        self.npz_file.close()


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of 1-d arrays along an axis, one call for each."""
    from ._manipulation import stack

    at = np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    moved = arr._view(np.moveaxis(arr._a, at, -1))
    results = [asarray(func1d(moved[i], *args, **kwargs)) for i in np.ndindex(moved.shape[:-1])]
    if not results:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    joined = stack(results).reshape(moved.shape[:-1] + results[0].shape)
    n = results[0].ndim
    return (
        joined
        if n == 0
        else joined._view(np.moveaxis(joined._a, list(range(joined.ndim - n, joined.ndim)), list(range(at, at + n))))
    )


def show_config(*, _full: bool = False) -> None:
    """Print what this is."""
    import cupy

    print(f"CuPy Version          : {cupy.__version__} (a simulated library that computes on this CPU)")
    print(f"NumPy Version         : {np.__version__}")


def make_aligned_dtype(dtype: Any, *args: Any, alignment: int | None = None, recurse: bool = True) -> np.dtype:
    """A structured dtype whose fields lie as a GPU needs them: each at a multiple of its size (complex numbers too)."""
    dtype = np.dtype(dtype)
    if dtype.names is None:
        raise ValueError("make_aligned_dtype() only supports structured dtypes.")
    made, _ = _aligned(dtype, recurse)
    return made


def _aligned(dtype: np.dtype, recurse: bool) -> tuple[np.dtype, int]:
    offset, whole, names, formats, offsets = 0, 1, [], [], []
    for name in dtype.names:
        kind = dtype.fields[name][0]
        base, shape = kind.subdtype or (kind, ())
        if base.names is not None and recurse:
            base, need = _aligned(base, recurse)
            kind = np.dtype((base, shape)) if shape else base
        else:
            need = base.itemsize if base.kind != "V" else base.alignment
        offset = -(-offset // need) * need
        names.append(name)
        formats.append(kind)
        offsets.append(offset)
        offset += kind.itemsize
        whole = max(whole, need)
    size = -(-offset // whole) * whole
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size}), whole


made = {
    f.__name__: f
    for f in (
        asnumpy, get_array_module, is_available, get_default_memory_pool, get_default_pinned_memory_pool, result_type,
        common_type, min_scalar_type, load, from_dlpack, fromDlpack, apply_along_axis, show_config, make_aligned_dtype,
    )
}  # fmt: skip
made |= {c.__name__: c for c in (ElementwiseKernel, ReductionKernel, RawKernel, RawModule)}
made |= table(np, "array2string array_repr array_str save savez savez_compressed savetxt", hosting)
