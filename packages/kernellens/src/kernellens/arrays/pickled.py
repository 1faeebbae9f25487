"""Code and the arrays that it uses, on their way to a process that simulates.

Functions and classes of the notebook go by value, modules by name, host arrays and numbers as they are.  Arrays on a device go
as what they are called there: which piece of memory, where in it, of what shape and type.  Their data is copied from the device
only where it is asked for.  All this serves the real libraries, too: what they keep in a module that the simulated one has not
is found by the name that users call it by.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import linecache
import pickle
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gpusim.device import queue, shapes
from gpusim.importing import finder
from gpusim.own import is_own

MOST = 2 << 30
"""Bytes of data that are taken along."""


class array:  # noqa: N801 - reads like a function's result, which it stands for
    """A device array that is not there: its shape and dtype, for an account.

    >>> import kernellens as lens
    >>> lens.array((10_000, 10_000), "float32")
    lens.array((10000, 10000), 'float32')

    Parameters
    ----------
    shape : int or tuple of int
    dtype
        As NumPy takes it.
    order : {'C', 'F'}
    """

    def __init__(self, shape: int | tuple[int, ...], dtype: Any = float, order: str = "C"):
        self.shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)
        self.dtype = np.dtype(dtype)
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C' or 'F', not {order!r}.")
        if any(n < 0 for n in self.shape):
            raise ValueError(f"A shape has no negative lengths: {self.shape}.")
        if self.dtype.hasobject or self.dtype.kind in "USMm":
            raise ValueError(f"Device arrays hold numbers, not {self.dtype}.")
        self.order = order

    def __repr__(self) -> str:
        order = "" if self.order == "C" else ", order='F'"
        return f"lens.array({self.shape!r}, '{self.dtype}'{order})"


class CannotShipError(TypeError):
    """Something cannot be taken along to another process."""


class Packing:
    """Things that go along together.  They share the bytes that are taken along."""

    def __init__(self) -> None:
        self._room = MOST
        self._kept: list[Any] = []

    def pack(self, value: Any, data: bool = False) -> bytes:
        """Anything as bytes that `unpack` reads in the other process.

        Parameters
        ----------
        data : bool
            Copy what arrays on a device hold, too.

        Raises
        ------
        CannotShipError
            With the reason, the end of a sentence that begins with what it is.
        """
        buffer = io.BytesIO()
        try:
            with _by_value(value):
                _pickler()(buffer, data, self._kept).dump(value)
        except CannotShipError:
            raise
        except Exception as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise CannotShipError(f"is a {type(value).__name__}, which cannot be taken along ({said})") from error
        if buffer.tell() > self._room:
            raise CannotShipError(
                f"holds {buffer.tell() / 1e9:.3g} GB{'' if data else ' on the host'}: more than 2 GB in all would be taken along"
            )
        self._room -= buffer.tell()
        return buffer.getvalue()


def unpack(data: bytes) -> Any:
    """What was packed, in the other process."""
    return _Unpickler(io.BytesIO(data)).load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class
        try:
            return found(module, name)
        except (ImportError, AttributeError):
            for parent in _parents(module):
                with contextlib.suppress(ImportError, AttributeError):
                    return found(parent, name)
            raise


def _parents(module: str) -> Iterator[str]:
    """The packages around a module of a simulated library, the nearest first."""
    library = finder.owner(module)
    while library in finder.SIMULATED and module != library:
        module = module.rpartition(".")[0]
        yield module


@contextlib.contextmanager
def _by_value(value: Any) -> Iterator[None]:
    """Let functions of the learner's own files go by value: the other process may not be able to import them."""
    import cloudpickle

    module = sys.modules.get(getattr(value, "__module__", None) or "")
    file = getattr(module, "__file__", None) or ""
    if module is None or not file or "site-packages" in file or is_own(module.__name__):
        yield
        return
    if module.__name__ == "__main__" or file.startswith((sys.prefix, sys.base_prefix)):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _pickler() -> type:
    import cloudpickle

    class Pickler(cloudpickle.Pickler):
        def __init__(self, buffer: io.BytesIO, data: bool, kept: list[Any]):
            super().__init__(buffer, protocol=5)
            self.data, self.kept = data, kept

        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, types.CodeType):
                # From 3.1.3 on cloudpickle drops the file, by which a kernel's source and an account's lines are found.
                return _code, (obj.co_filename, *self.dispatch_table[types.CodeType](obj))
            found = _reduced(obj, self.data)
            if found is not None and found[0] in (_view, _numba_array):
                self.kept.append(obj)  # its id and its memory's address are its name there: no other array may get them
            return found if found is not None else super().reducer_override(obj)

    return Pickler


def _reduced(value: Any, data: bool) -> tuple | None:
    if isinstance(value, array):
        return _made, (value.shape, value.dtype, value.order)
    if isinstance(value, types.ModuleType):
        return (_module, (value.__name__,)) if finder.owner(value.__name__) in finder.SIMULATED else None
    if isinstance(value, type):
        return None
    if type(value) is np.ndarray and _is_pinned(value):
        order = "F" if value.flags.fnc else "C"
        held: Any = np.ascontiguousarray(value.ravel(order))
        return _pinned, (value.shape, value.dtype, order, pickle.PickleBuffer(held))
    kind = _library_class(type(value))
    root, _, rest = kind.__module__.partition(".")
    if root in ("torch", "jax", "jaxlib", "tensorflow"):
        raise CannotShipError(f"is a {root} object, and {root} is not simulated")
    if root in ("cudf", "dask_cudf", "pylibcudf", "cuml"):
        raise CannotShipError(
            f"is a {root} object, and of those only the data could be taken along: make it in the code itself"
        )
    if root == "cupyx":
        raise CannotShipError(
            f"is a {type(value).__name__}, of which only the data could be taken along: make it in the code itself"
        )
    if root == "cupy":
        return _of_cupy(value, data)
    if root == "numba" and rest.startswith("cuda"):
        return _of_numba(value, data)
    return None


def _is_pinned(host: np.ndarray) -> bool:
    """Whether a host array lies in pinned memory, by CuPy, real or simulated."""
    if not host.nbytes or host.dtype.hasobject or not {"cupy", "numba.cuda"} & sys.modules.keys():
        return False
    try:
        memory = importlib.import_module("cupy.cuda.pinned_memory")
        return bool(memory.is_memory_pinned(host.ctypes.data))
    except Exception:  # no CuPy beside Numba, or no driver: to be told apart only by what CuPy raises
        return False


def _library_class(kind: type) -> type:
    """The class itself, or the library's that it is made from."""
    for each in kind.__mro__:
        if (
            each.__module__.partition(".")[0] in ("cupy", "cupyx", "cudf", "numba", "torch")
            and each.__name__ != "object"
        ):
            return each
    return kind


def _of_cupy(value: Any, data: bool) -> tuple | None:
    kind = type(value).__name__
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "data"):
        memory = value.data.mem if value.size else None
        if memory is None:
            return _made, (value.shape, np.dtype(value.dtype), "C")
        return _view, (
            *(int(memory.ptr), int(memory.size), int(value.data.ptr) - int(memory.ptr)),
            *(tuple(value.shape), np.dtype(value.dtype), tuple(value.strides), id(value)),
            value.get() if data else None,
        )
    if kind in _ANEW:
        return _anew, (_ANEW[kind],)
    if kind == "ufunc":
        return _named, (value.name,)
    if kind == "Fusion":
        return _fusion, (value.func, value.name)
    if kind == "vectorize":
        return _vectorized, (value.pyfunc,)
    if kind == "RawKernel":
        if value.code is None:
            raise CannotShipError(
                "is a kernel of a RawModule, without its code: call `get_function` in the code itself"
            )
        return _raw, (value.code, value.name, tuple(value.options or ()))
    if kind == "RawModule" and value.code is not None and not value.name_expressions:
        return _raw_module, (value.code, tuple(value.options or ()))
    if kind in ("ElementwiseKernel", "ReductionKernel"):
        return _cxx, (kind, _parameters(value.in_params), _parameters(value.out_params), _attributes(value, kind))
    return None


_ANEW = {
    **{
        "RandomState": "random.RandomState",
        "Generator": "random.default_rng",
        "Stream": "cuda.Stream",
        "Event": "cuda.Event",
    },
    **{"ExternalStream": "cuda.Stream"},
}
"""What another one of its kind can stand for, and what makes it."""


def _parameters(params: Any) -> str:
    """The parameters of a kernel as they are written."""
    return ", ".join(
        f"{'raw ' if p.raw else ''}{np.dtype(p.dtype).name if p.dtype is not None else p.ctype} {p.name}"
        for p in params
    )


def _attributes(value: Any, kind: str) -> dict[str, Any]:
    names = {
        "ElementwiseKernel": ("operation", "name", "reduce_dims", "preamble", "no_return", "return_tuple"),
        "ReductionKernel": (
            "map_expr",
            "reduce_expr",
            "post_map_expr",
            "identity",
            "name",
            "reduce_type",
            "reduce_dims",
            "preamble",
        ),
    }[kind]
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def _of_numba(value: Any, data: bool) -> tuple | None:
    if hasattr(value, "py_func"):
        options = getattr(value, "targetoptions", None) or {}
        kept = {name: options[name] for name in ("debug", "opt", "fastmath", "device") if options.get(name) is not None}
        return _kernel, (value.py_func, kept)
    if hasattr(value, "__cuda_array_interface__"):
        held = value.copy_to_host() if data else None
        return _numba_array, (tuple(value.shape), np.dtype(value.dtype), tuple(value.strides), held)
    return None


def pool() -> int:
    """Bytes that CuPy's pool keeps for reuse in this process."""
    cupy = sys.modules.get("cupy")
    with contextlib.suppress(Exception):  # a GPU that has just failed, say
        return int(cupy.get_default_memory_pool().free_bytes()) if cupy is not None else 0
    return 0


# What follows runs in the other process.


def fill_pool(nbytes: int) -> None:
    """Let CuPy's pool keep some bytes for reuse, as it did where the program came from; in one piece, if there is as much."""
    if nbytes:
        import cupy

        with contextlib.suppress(MemoryError):
            cupy.cuda.alloc(nbytes)


def _code(filename: str, make: Any, args: tuple) -> types.CodeType:
    return make(*args).replace(co_filename=filename)


_memories: dict[tuple[int, int], Any] = {}
"""The pieces of memory that arrays lie in, by what they were called: two views of one stay views of one."""


def _made(shape: tuple[int, ...], dtype: np.dtype, order: str) -> Any:
    import cupy

    return (cupy.empty if shapes.on else cupy.zeros)(shape, dtype, order)


def _module(name: str) -> types.ModuleType:
    """A module of a simulated library, or the nearest package around it: what users call is there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        for parent in _parents(name):
            with contextlib.suppress(ImportError):
                return importlib.import_module(parent)
        raise


def _pinned(shape: tuple[int, ...], dtype: np.dtype, order: Any, data: bytes) -> np.ndarray:
    import cupyx

    made = cupyx.empty_pinned(shape, dtype, order)
    made[...] = np.frombuffer(data, dtype).reshape(shape, order=order)
    return made


_arrays: dict[int, Any] = {}
"""The arrays, by what they were: one that comes twice, by two names, is one."""


def _view(
    piece: int,
    size: int,
    offset: int,
    shape: tuple,
    dtype: np.dtype,
    strides: tuple,
    identity: int,
    data: np.ndarray | None = None,
) -> Any:
    if identity not in _arrays:
        _arrays[identity] = _viewed(piece, size, offset, shape, dtype, strides, data)
    return _arrays[identity]


def _viewed(
    piece: int, size: int, offset: int, shape: tuple, dtype: np.dtype, strides: tuple, data: np.ndarray | None
) -> Any:
    import cupy

    if (piece, size) not in _memories:
        _memories[piece, size] = cupy.empty(size, np.uint8)
    memory = _memories[piece, size]
    low = sum((n - 1) * step for n, step in zip(shape, strides, strict=True) if step < 0)
    first = cupy.ndarray((1,), dtype, memory.data + (offset + low))
    whole = first._a if low == 0 else cupy.ndarray((1,), dtype, memory.data + offset)._a
    laid = np.lib.stride_tricks.as_strided(whole, shape, strides)
    if data is not None and not shapes.on:
        laid[...] = data
    view = memory._view(laid)
    return view if view._a.flags.writeable else cupy.asarray(view)


def _numba_array(shape: tuple, dtype: np.dtype, strides: tuple, data: np.ndarray | None = None) -> Any:
    from numba import cuda

    made = cuda.device_array(shape, dtype, strides=strides)
    if data is not None and not shapes.on:
        import cupy

        cupy.asarray(made)[...] = cupy.asarray(data)
        queue.run()
    return made


def _anew(name: str) -> Any:
    import cupy

    made: Any = cupy
    for part in name.split("."):
        made = getattr(made, part)
    return made()


def _named(name: str) -> Any:
    """The ufunc whose kernel has this name: it does not say where it stands."""
    from cupy._core import ufuncs

    if name in ufuncs.by_kernel:
        return ufuncs.by_kernel[name]
    for where in ("cupy", "cupyx", "cupyx.scipy.special"):
        for each in vars(importlib.import_module(where)).values():
            if type(each).__name__ == "ufunc" and getattr(each, "name", None) == name:
                return each
    raise AttributeError(f"the ufunc {name} is not simulated")


def _fusion(function: Any, name: str) -> Any:
    import cupy

    return cupy.fuse(kernel_name=name)(function)


def _raw(code: str, name: str, options: tuple) -> Any:
    import cupy

    return cupy.RawKernel(code, name, options)


def _vectorized(function: Any) -> Any:
    import cupy

    return cupy.vectorize(function)


def _raw_module(code: str, options: tuple) -> Any:
    import cupy

    return cupy.RawModule(code=code, options=options)


def _cxx(kind: str, ins: str, outs: str, attributes: dict) -> Any:
    import cupy

    return getattr(cupy, kind)(ins, outs, **attributes)


def _kernel(function: Any, options: dict) -> Any:
    from numba import cuda

    return cuda.jit(**options)(function)


def made_here(value: Any) -> Any:
    """Arguments with real arrays, of zeros, in the places of `array`."""
    if isinstance(value, array):
        return _made(value.shape, value.dtype, value.order)
    if type(value) in (list, tuple):
        return type(value)(made_here(item) for item in value)
    if type(value) is dict:
        return {key: made_here(item) for key, item in value.items()}
    return value


def sources() -> dict[str, tuple]:
    """The text of this process's cells: a kernel's source has to be readable where it runs."""
    return {
        name: (len(entry[2]), None, list(entry[2]), name)
        for name, entry in list(linecache.cache.items())
        if len(entry) == 4 and entry[1] is None
    }


def used(code: types.CodeType, names: Mapping[str, Any]) -> dict[str, Any]:
    """What code takes from the names around it."""
    wanted, waiting = {}, [code]
    while waiting:
        each = waiting.pop()
        wanted |= {name: names[name] for name in each.co_names if name in names}
        waiting += [constant for constant in each.co_consts if isinstance(constant, types.CodeType)]
    return wanted
