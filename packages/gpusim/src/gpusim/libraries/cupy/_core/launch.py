"""How device arrays come to be and how work on them is launched.

Everything in the simulated library that touches data goes through here: :func:`empty` takes device memory, :func:`submit` puts
an operation on the queue, :func:`now` is for what has no queued form yet, :func:`upload` and :func:`download` cross
between host and device.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.device import activity, device, memory, pinned, queue, shapes

from .casting import convert

if TYPE_CHECKING:
    from .ndarray import ndarray

submit = queue.submit
IMPLICIT = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
)
MAX_NDIM = 64  # cupy/_core/include/cupy/carray.cuh

array_class: Any = None  # cupy.ndarray; set by ndarray.py, which imports this module
_pools: dict[int, memory.Pool] = {}


def default_pool(device_id: int | None = None) -> memory.Pool:
    """The default memory pool of a device (the current one)."""
    device_id = device.current() if device_id is None else device_id
    pool = _pools.get(device_id)
    if pool is None:
        pool = _pools.setdefault(device_id, memory.Pool(device_id))
    return pool


def _allocate(nbytes: int) -> memory.Block:
    return default_pool().malloc(nbytes)


def set_allocator(function: Callable[[int], memory.Block] | None) -> None:
    """Let device memory come from a function of its size in bytes; None for the default pools."""
    global allocate
    allocate = function or _first


def _first(nbytes: int) -> memory.Block:
    # Only now, not while CuPy is imported: as CUDA does, CUDA_VISIBLE_DEVICES is read when a device is first used, and a
    # worker of Dask-CUDA is told its device after its modules were imported.
    global allocate
    # With one device the pool's own method will do, one call less on the path of every operation.
    chosen = default_pool(0).malloc if device.count() == 1 else _allocate
    if allocate is _first:
        allocate = chosen
    return chosen(nbytes)


allocate: Callable[[int], memory.Block] = _first
"""Take device memory on the current device: ``launch.allocate(nbytes)``."""


def wrap(a: np.ndarray, block: memory.Block, base: ndarray | None = None) -> ndarray:
    """Make a device array of a view of a block's memory."""
    array = object.__new__(array_class)
    array._a = a
    array._block = block
    array.base = base
    return array


def empty(shape: tuple[int, ...], dtype: np.dtype, order: str = "C") -> ndarray:
    """Make an uninitialised device array; the arguments are already normal."""
    block = allocate(math.prod(shape) * dtype.itemsize)
    array = object.__new__(array_class)
    array._a = np.ndarray(shape, dtype, block.raw, order=order)
    array._block = block
    array.base = None
    return array


def like_order(a: np.ndarray, order: str) -> str:
    """Resolve ``K`` and ``A`` to ``C`` or ``F`` for a copy of ``a`` (strides in between are :func:`empty_keeping`'s)."""
    if order == "K" or order == "A":
        return "F" if a.flags.fnc else "C"
    return order


def axes_by_stride(a: np.ndarray) -> list[int]:
    """The axes from the slowest in memory to the fastest, as NumPy lays out a copy in ``K`` order."""
    strides = np.empty_like(a, dtype=np.int8, order="K").strides
    return sorted(range(a.ndim), key=lambda i: (-strides[i], i))


def empty_keeping(a: np.ndarray, dtype: np.dtype, order: str = "K", shape: tuple[int, ...] | None = None) -> ndarray:
    """Make an uninitialised device array laid out like ``a``; ``K`` keeps the order of its axes."""
    if shape is not None and len(shape) != a.ndim:
        return empty(shape, dtype, "C" if order == "K" else like_order(a, order))
    if order == "K" and not a.flags.forc:
        axes = axes_by_stride(a)
        full = a.shape if shape is None else shape
        packed = empty(tuple(full[i] for i in axes), dtype)
        packed._a = packed._a.transpose(np.argsort(axes))
        return packed
    return empty(a.shape if shape is None else shape, dtype, like_order(a, order))


def read(*operands: Any) -> int:
    """Bytes of the device arrays among some operands; one that stands there twice is read once."""
    arrays = {id(operand): operand for operand in operands if isinstance(operand, (np.ndarray, array_class))}
    return sum(array.nbytes for array in arrays.values())


def frozen(value: Any) -> Any:
    """What an operation keeps of an argument: the caller may change a list or a host array before it runs."""
    if isinstance(value, array_class):
        return value._a
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(frozen(item) for item in value)
    return value


def copy_into(destination: np.ndarray, source: np.ndarray, name: str = "cupy_copy") -> None:
    """Enqueue an elementwise copy with any conversion, as CuPy's ``elementwise_copy``."""
    if source.dtype.kind == "c" and destination.dtype.kind not in "cbV":
        from ..exceptions import ComplexWarning

        warnings.warn("Casting complex values to real discards the imaginary part", ComplexWarning, stacklevel=4)
        source = source.real
    if destination.size:
        function = convert if source.dtype.kind == "f" and destination.dtype.kind in "iu" else np.copyto
        submit(
            name,
            function,
            (destination, source, "unsafe"),
            (source,),
            (destination,),
            source.nbytes,
            destination.nbytes,
        )


def store(out: np.ndarray, function: Any, args: tuple, kwargs: dict) -> None:
    """Run a function that has no ``out=`` and keep its result."""
    out[...] = function(*args, **kwargs)


def submit_into(name: str, out: ndarray, function: Any, *args: Any, **kwargs: Any) -> ndarray:
    """Enqueue ``out[...] = function(*args, **kwargs)`` on views; counts the arguments as read and ``out`` as written."""
    if isinstance(args[0], np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    given = tuple(views((*args, *kwargs.values())))
    arguments = (out._a, function, tuple(map(frozen, args)), {key: frozen(value) for key, value in kwargs.items()})
    submit(name, store, arguments, given, (out._a,))
    return out


def upload(host: np.ndarray, order: str = "C") -> ndarray:
    """Copy a host array to the device.  Ordinary memory may change as soon as this returns; pinned memory is read when the copy runs."""
    array = empty(host.shape, host.dtype, order)
    _sent(array, host)
    if shapes.on:
        return array
    if pinned.is_pinned(host):
        _in_turn(array, host)
    elif array._block.in_flight():  # operations of the memory's last owner still wait
        _in_turn(array, _staged(host))
    else:
        np.copyto(array._a, host)
    return array


def fill_from_host(array: ndarray, host: np.ndarray, stream: Any = None) -> None:
    """Copy host data over the content of an array that other operations may use, in stream order.

    With a stream, pinned memory is read when the copy runs: what is written into it before is what is sent.
    """
    _sent(array, host, stream)
    if shapes.on:
        return
    if stream is not None and pinned.is_pinned(host):
        _in_turn(array, host)
    elif queue.pending():
        _in_turn(array, _staged(host))
    else:
        np.copyto(array._a, host, "unsafe")


def _sent(array: ndarray, host: np.ndarray, stream: Any = None) -> None:
    stays = activity.watcher is not None and pinned.is_pinned(host)
    with activity.on(_handle(stream), waits=not stays, pinned=stays):
        queue.count("memcpy HtoD", 0, array._a.nbytes, "h2d", reads=(), writes=(array._a,))


def _handle(stream: Any) -> int | None:
    return None if stream is None else int(stream.ptr)


def _staged(host: np.ndarray) -> np.ndarray:
    """A copy, which CuPy keeps in pinned memory of its own until the transfer is done."""
    return host.copy(order="K")


def _in_turn(array: ndarray, host: np.ndarray) -> None:
    queue.submit_uncounted("memcpy HtoD", np.copyto, (array._a, host, "unsafe"))


def download(array: ndarray, stream: Any = None, *, waits: bool = True, into: np.ndarray | None = None) -> None:
    """Wait until an array can be read on the host and count the transfer.

    Parameters
    ----------
    array : ndarray
    stream : cupy.cuda.Stream, optional
        The one that copies; by default the current one.
    waits : bool
        Whether a GPU's host would wait for it.
    into : numpy.ndarray, optional
        Where it goes.
    """
    stays = activity.watcher is not None and into is not None and pinned.is_pinned(into)
    with activity.on(_handle(stream), waits=waits, pinned=stays):
        queue.count("memcpy DtoH", array.nbytes, 0, "d2h", reads=(array._a,), writes=())
        if waits:
            queue.synchronize()
        else:
            queue.run()


def now(name: str, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Run a host function on device arrays at once and bring its results to the device.

    For what has no queued form yet, or whose result's shape depends on data.  All that waits runs first.  Arrays
    may be nested in lists and tuples; results are converted likewise.  Counted as one kernel.
    """
    traffic = [0]
    if shapes.on:
        from .probing import probed

        return probed(name, function, args, kwargs)
    # The arrays themselves are held until the results are copied (`args`, `kwargs`): a function may return a view of its
    # argument, whose memory would otherwise have another owner by then.
    views = tuple(_to_host(a, traffic) for a in args)
    named = {key: _to_host(value, traffic) for key, value in kwargs.items()}
    queue.run()
    with np.errstate(all="ignore"):
        result = function(*views, **named)
    written = [0]
    result = _to_device(result, written)
    count_now(name, traffic[0], written[0], (*args, *kwargs.values()), result)
    return result


def count_now(name: str, read: int, written: int, arguments: Any, result: Any) -> None:
    """Enter a launch whose operands are the device arrays among some arguments, and that writes those of a result."""
    outs = tuple(views(result))
    queue.count(name, read, written, by=now, reads=tuple(views(arguments)), writes=outs)


def views(value: Any) -> Iterator[np.ndarray]:
    """The views of device memory among arguments or results, however nested in lists and tuples."""
    if isinstance(value, array_class):
        yield value._a
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from views(item)


def _to_host(value: Any, traffic: list[int]) -> Any:
    if isinstance(value, array_class):
        traffic[0] += value._a.nbytes
        return value._a
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_to_host(item, traffic) for item in value)
    return value


def _to_device(value: Any, traffic: list[int]) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        result = empty(value.shape, value.dtype, like_order(value, "K"))
        if result._block.in_flight():  # another thread's operations, submitted since
            queue.run()
        np.copyto(result._a, value)
        traffic[0] += value.nbytes
        return result
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_to_device(item, traffic) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_to_device(item, traffic) for item in value)
    return value
