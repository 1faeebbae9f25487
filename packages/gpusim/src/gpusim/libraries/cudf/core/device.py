"""The device's side of a column: memory that is counted, launches and transfers that are entered in the account."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pandas as pd

from gpusim.device import device as engine_device
from gpusim.device import memory, queue, regions, unowned

from . import guard

_LARGE = 1 << 24  # bytes; what is smaller fits, or is refused when it is there
_NO_MEMORY = (
    "std::bad_alloc: out_of_memory: CUDA error (failed to allocate {} bytes) at: "
    "rmm/mr/device/cuda_memory_resource.hpp: cudaErrorMemoryAllocation out of memory"
)
_held: dict[int, Any] = {}  # id of the object that owns a column's buffer → its device memory


def hold(nbytes: int) -> Any:
    """Take device memory; it is given back when the result dies.

    Raises
    ------
    MemoryError
        In the words of rmm, which allocates for cuDF.
    """
    from cupy._core import launch

    try:
        return launch.allocate(nbytes)
    except MemoryError as error:
        if "std::bad_alloc" in str(error):
            raise
        raise MemoryError(_NO_MEMORY.format(nbytes)) from None


def require_memory(nbytes: int) -> None:
    """Look, before work whose result or input is large, whether the device has memory for it.

    Without this, a machine with less memory than the work takes would end the process before anything could be told.

    Raises
    ------
    MemoryError
        In the words of rmm, which allocates for cuDF.
    """
    if nbytes >= _LARGE and nbytes > engine_device.memory() - memory.in_use():
        raise MemoryError(_NO_MEMORY.format(nbytes))


def count(name: str, bytes_read: int, bytes_written: int, reads: Any, writes: Any) -> None:
    """Enter a launch in the engine's account; `reads` and `writes` are what :func:`views` takes.

    Columns do not change: what is made and lies in memory that was read is a view of it, and not written.
    """
    if queue.watcher is None:  # nobody asks, and a launch is not to take longer for it
        reads = writes = ()
    else:
        reads, writes = views(reads), views(writes, made=True)
        there = {view.ctypes.data for view in reads}
        writes = [view for view in writes if view.ctypes.data not in there]
    queue.count(name, int(bytes_read), int(bytes_written), reads=reads, writes=writes)


def uploaded(nbytes: int, writes: Any) -> None:
    """Enter a transfer from the host."""
    writes = () if queue.watcher is None else views(writes, made=True)
    queue.count("memcpy HtoD", 0, int(nbytes), "h2d", reads=(), writes=writes)


def downloaded(nbytes: int, reads: Any) -> None:
    """Enter a transfer to the host, which waits for the device."""
    reads = () if queue.watcher is None else views(reads)
    queue.count("memcpy DtoH", int(nbytes), 0, "d2h", reads=reads, writes=())
    queue.synchronize()


def views(touched: Any, made: bool = False) -> list[np.ndarray]:
    """The device memory that stands for columns, each buffer once; those that `account` leaves out have none.

    Parameters
    ----------
    touched
        An object of cuDF's or pandas', a storage array, its values, a CuPy array, a block of memory, or a list of these; all
        else has no device memory.
    made : bool
        Whether all of it was made for columns, also what is no column yet.
    """
    import cupy

    found: dict[int, np.ndarray] = {}
    waiting = [touched]
    while waiting:
        one = waiting.pop()
        one = getattr(one, "_p", one)
        if isinstance(one, (list, tuple)):
            waiting += one
        elif isinstance(one, cupy.ndarray):
            found[id(one)] = one._a
        elif isinstance(one, memory.Block):
            found[id(one)] = one.raw
        elif isinstance(one, (pd.DataFrame, pd.Series)):
            arrays = storages(one) if one.ndim == 2 else [one.array]
            for array in arrays:
                account(array)
            waiting += arrays
        elif isinstance(one, (np.ndarray, pd.api.extensions.ExtensionArray)):
            if made:
                account(one)
            owner, nbytes = _owner(one)
            if isinstance(owner, np.ndarray) and isinstance(owner.base, Lent):
                found[id(owner)] = owner.base.array._a
            elif id(owner) in _held:
                found[id(owner)] = _held[id(owner)].raw[:nbytes]
    return list(found.values())


def storages(p: pd.DataFrame) -> list[Any]:
    """The storage arrays of a frame's columns."""
    if hasattr(p, "_get_column_array"):
        return [p._get_column_array(position) for position in range(p.shape[1])]
    return [p.iloc[:, position].array for position in range(p.shape[1])]


def as_cupy(values: Any) -> Any:
    """Values of a column as a CuPy array: made on the device from what lies there, so no transfer."""
    import cupy

    with queue.suspended_account():
        made = cupy.asarray(values)
    count("cudf_copy", made.nbytes, made.nbytes, reads=values, writes=made)
    return made


class Shown:
    """What lies at an address, for whoever asks as CUDA's libraries ask each other."""

    def __init__(self, values: np.ndarray, typestr: str | None = None, shape: tuple[int, ...] | None = None) -> None:
        self.values = values  # alive for as long as it is shown
        self.__cuda_array_interface__ = {
            "shape": values.shape if shape is None else shape,
            "typestr": typestr or values.dtype.str,
            "data": (values.ctypes.data, False),
            "strides": None,
            "version": 3,
        }


class Lent:
    """The memory of a CuPy array, which lives for as long as a column lies on it."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__array_interface__ = array._a.__array_interface__


def on_cupy(array: Any) -> np.ndarray:
    """A column's values on the memory of a CuPy array, as `from_cuda_array_interface` of cuDF's columns: what is written to
    either is seen in both. An array that is not contiguous is copied."""
    if array.ndim != 1 or not array.size or not array.flags.c_contiguous:
        return of_cupy(array)
    queue.run()
    guard.exposed = True
    return np.asarray(Lent(array))


def shared(values: np.ndarray) -> Any:
    """A CuPy array over a column's own memory, which becomes the device's; None for memory that is not to be written to."""
    import cupy

    root = values
    while isinstance(root.base, np.ndarray):
        root = root.base
    flags = values.flags
    if isinstance(root.base, Lent):
        return cupy.asarray(Shown(values)) if flags.c_contiguous and values.size else None
    if root.base is not None or not (flags.c_contiguous and flags.writeable and root.flags.forc) or not values.size:
        return None
    if unowned.device_of(values.ctypes.data) is None:
        regions.note(root, engine_device.current())
    return cupy.asarray(Shown(values))


def of_cupy(array: Any) -> np.ndarray:
    """What a column is to hold of a CuPy array: copied on the device, so no transfer."""
    import cupy

    with queue.suspended_account():
        values = cupy.asnumpy(array).copy()
    count("cudf_copy", values.nbytes, values.nbytes, reads=array, writes=values)
    return values


def _owner(array: Any) -> tuple[Any, int]:
    """The object that owns a storage array's buffer, and how many bytes it has."""
    if isinstance(array, np.ndarray):
        while isinstance(array.base, np.ndarray):
            array = array.base
        return array, array.nbytes
    values = getattr(array, "_data", None)  # masked arrays
    if isinstance(values, np.ndarray):
        owner, nbytes = _owner(values)
        mask = array._mask
        return owner, nbytes + (mask.size // 8 if mask.any() else 0)
    for name in ("_pa_array", "_ndarray", "_codes"):
        inner = getattr(array, name, None)
        if isinstance(inner, np.ndarray):
            return _owner(inner)
        if inner is not None:
            return inner, inner.nbytes
    return None, 0


def size(array: Any) -> int:
    """Bytes of a storage array as they cross the bus: a null costs a bit and not the byte it takes here."""
    values = getattr(array, "_data", None)
    return (
        values.nbytes + (len(values) + 7) // 8 * bool(array._mask.any())
        if isinstance(values, np.ndarray)
        else array.nbytes
    )


def account(array: Any) -> None:
    """Count a storage array's buffer as device memory, once, for as long as anything refers to it."""
    owner, nbytes = _owner(array)
    if owner is None or nbytes < 512 or id(owner) in _held:
        return
    if isinstance(owner, np.ndarray) and isinstance(owner.base, Lent):  # CuPy's already
        return
    key = id(owner)
    try:
        weakref.finalize(owner, _held.pop, key, None).atexit = False
    except TypeError:
        return
    _held[key] = hold(nbytes)
