"""Kernel arguments: their Numba types, and their way to the device and back."""

from __future__ import annotations

import dis
import itertools
from typing import Any

import numpy as np
from numba.core import types
from numba.core.errors import NumbaRuntimeError, TypingError
from numba.core.typing.typeof import Purpose
from numba.core.typing.typeof import typeof as _typeof

from gpusim.device import device
from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.driver_errors import CudaAPIError

from . import _memory
from ._context import get_context
from .api import from_cuda_array_interface
from .args import ArgHint
from .cudadrv import devicearray

_WHAT_INSTEAD = {
    list: "A list cannot be passed to a kernel: pass numpy.asarray(x), or once and for all cuda.to_device(numpy.asarray(x)).",
    set: "A set cannot be passed to a kernel: pass an array, numpy.array(sorted(x)).",
    dict: "A dict cannot be passed to a kernel: pass its values as arrays or numbers, or a NumPy record.",
    str: "Text cannot be passed to a kernel: pass a number that stands for it, or an array of its bytes.",
    bytes: "Bytes cannot be passed to a kernel: pass numpy.frombuffer(x, numpy.uint8).",
    type(None): "None cannot be passed to a kernel: pass a number or an array, and another kernel where there is none.",
    range: "A range cannot be passed to a kernel: pass its start, stop and step as numbers.",
}
_OTHER = "A kernel takes arrays, numbers, tuples of them and NumPy records."


def typeof(value: Any) -> Any:
    """The Numba type of an argument.

    Raises
    ------
    ValueError
        If it has none, or its dtype is none that a kernel can use.
    """
    kind = type(value)
    if kind is float:
        return types.float64
    if kind is bool:
        return types.boolean
    if kind is int and -(2**63) <= value < 2**63:
        return types.int64
    own = getattr(value, "_numba_type_", None)
    if own is not None:
        return own
    if isinstance(value, tuple):
        return types.BaseTuple.from_types([typeof(item) for item in value], kind)
    view = _simulated_view(value)
    if view is None and hasattr(value, "__cuda_array_interface__"):
        interface = value.__cuda_array_interface__
        view = from_cuda_array_interface(interface, owner=value, sync=False)._a
    if view is not None or isinstance(value, np.ndarray):
        return _array_type(value if view is None else view)
    if isinstance(value, np.float16):
        return types.float16
    try:
        return _typeof(value, Purpose.argument)
    except ValueError as error:
        advice = next((text for known, text in _WHAT_INSTEAD.items() if isinstance(value, known)), _OTHER)
        raise type(error)(f"{error}\n{advice}") from None


def _array_type(array: np.ndarray) -> Any:
    if array.dtype != np.float16:  # which Numba knows and cannot tell from a value
        return _typeof(array, Purpose.argument)
    flags = array.flags
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return types.Array(types.float16, array.ndim, layout, readonly=not flags.writeable)


def _simulated_view(value: Any) -> np.ndarray | None:
    """The memory of a device array of another simulated library (CuPy's), as it is; None if there is none."""
    view = getattr(value, "_a", None)
    if isinstance(view, np.ndarray) and hasattr(value, "_block"):
        return view
    return None


def to_device(value: Any, stream: Any, retr: list, copy_in: bool = True, copy_out: bool = True) -> np.ndarray:
    """An array argument as a view of device memory.  A host array is copied, and copied back by what goes to ``retr``.

    Raises
    ------
    ValueError
        For a host array that is not contiguous.
    CudaAPIError
        For memory of another device.
    """
    view = _device_view(value)
    if view is not None:
        return view
    if isinstance(value, np.void):
        return _record_to_device(value, stream, retr, copy_in, copy_out)
    host = np.asarray(value)
    devicearray.sentry_contiguous(host)
    made = devicearray.from_array_like(host, stream=stream)
    retr.append(lambda: made)  # its memory is given back with it: not before the kernel has run
    if copy_in:
        devicearray.warn_of_implicit_copy()
        made.copy_to_device(host, stream=stream)
    if not host.flags.writeable:
        made._a.flags.writeable = False  # a kernel that writes to it is refused when it is compiled, as on a GPU
    elif copy_out and host.size:
        retr.append(lambda: _memory.copy_to_host(host, made._a, made.alloc_size, stream))
    return made._a


def _device_view(value: Any) -> np.ndarray | None:
    if isinstance(value, devicearray._HostVisible):
        return value._a if getattr(value, "gpu_data", None) is not None else None
    view = _simulated_view(value)
    if view is not None:
        _check_device(value._block.device_id)
        return view
    if hasattr(value, "__cuda_array_interface__"):
        return from_cuda_array_interface(value.__cuda_array_interface__, owner=value)._a
    if hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic)):
        raise NotSimulatedError(f"a kernel argument of {type(value)}", "cuda.to_device(numpy.asarray(x))")
    return None


def _check_device(device_id: int) -> None:
    here = device.current()
    if device_id != here and device_id not in get_context().peers:
        raise CudaAPIError(
            700,
            f"Call to cuLaunchKernel results in CUDA_ERROR_ILLEGAL_ADDRESS: an argument lies on device {device_id} and the "
            f"kernel runs on device {here}. Select the device with `with cuda.gpus[{device_id}]:` around the launch, or "
            "copy the array by way of the host",
        )


def _record_to_device(value: np.void, stream: Any, retr: list, copy_in: bool, copy_out: bool) -> np.ndarray:
    made = devicearray.from_record_like(value, stream=stream)
    retr.append(lambda: made)  # as for an array
    size = made.dtype.itemsize
    if copy_in:
        _memory.copy_from_host(made._a, np.array(value, dtype=value.dtype), size, stream)
    if copy_out:

        def copy_back() -> None:
            host = np.empty((), value.dtype)
            _memory.copy_to_host(host, made._a, size, stream)
            for (
                name
            ) in value.dtype.names:  # the record is a view of its array, which its buffer does not let us write to
                value[name] = host[name]

        retr.append(copy_back)
    return made._a


def prepare(kind: Any, value: Any, stream: Any, retr: list) -> Any:
    """An argument as the engine takes it: a view of device memory, or a scalar of the declared type.

    Parameters
    ----------
    kind : numba type
        What the kernel is compiled for.
    value
        The argument.
    stream : Stream or 0
    retr : list
        Functions without arguments, to be called after the launch, are appended.
    """
    if isinstance(kind, types.Array):
        return value.to_device(retr, stream) if isinstance(value, ArgHint) else to_device(value, stream, retr)
    if isinstance(kind, types.Record):
        view = value.to_device(retr, stream) if isinstance(value, ArgHint) else to_device(value, stream, retr)
        return view.reshape(1)[0]  # a view of the memory, as np.void
    if isinstance(kind, types.BaseTuple):
        inner = value.value if isinstance(value, ArgHint) else value
        items = [prepare(t, v, stream, retr) for t, v in zip(kind, inner, strict=True)]
        return type(inner)(*items) if hasattr(inner, "_fields") else tuple(items)
    if isinstance(value, ArgHint):
        value = value.value
    if isinstance(kind, types.EnumMember):
        return value
    if isinstance(kind, (types.Integer, types.Float, types.Complex, types.Boolean)):
        return _scalar(kind, value)
    if isinstance(kind, (types.NPDatetime, types.NPTimedelta)):
        return value
    raise _unusable(kind, value)


_METHODS = frozenset("append clear copy count extend index insert pop remove reverse sort add discard update".split())


def refuse_container(function: Any, kinds: tuple) -> None:
    """Refuse a list or a set that a kernel uses, as numba-cuda's compiler does; one that it does not use, the launch refuses.

    Raises
    ------
    NumbaRuntimeError
        They want Numba's runtime, which a kernel does not have.
    TypingError
        For an attribute that they do not have.
    """
    params = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = {name: kind for name, kind in zip(params, kinds, strict=False) if isinstance(kind, types.List | types.Set)}
    if not given:
        return
    used: str | None = None
    for each, after in itertools.pairwise(dis.get_instructions(function)):
        names = each.argval if isinstance(each.argval, tuple) else (each.argval,)
        if not each.opname.startswith("LOAD_FAST") or names[-1] not in given:
            used = used or next((name for name in names if each.opname.startswith("LOAD_FAST") and name in given), None)
            continue
        used = used or names[-1]
        if after.opname in ("LOAD_ATTR", "LOAD_METHOD") and after.argval not in _METHODS:
            advice = _WHAT_INSTEAD[set if isinstance(given[names[-1]], types.Set) else list]
            raise TypingError(f"Unknown attribute '{after.argval}' of type {given[names[-1]]}\n{advice}")
    if used is not None:
        advice = _WHAT_INSTEAD[set if isinstance(given[used], types.Set) else list]
        raise NumbaRuntimeError(f"NRT required but not enabled, for {used}, a {given[used]}\n{advice}")


def _unusable(kind: Any, value: Any) -> NotImplementedError:
    advice = next((text for known, text in _WHAT_INSTEAD.items() if isinstance(value, known)), _OTHER)
    shown = repr(value)
    return NotImplementedError(f"({kind}, {shown if len(shown) < 80 else shown[:77] + '...'})\n{advice}")


def _scalar(kind: Any, value: Any) -> Any:
    """A number as the declared type, wrapped around as C does."""
    if isinstance(kind, types.Boolean):
        return bool(value)
    if isinstance(kind, types.Integer):
        if not hasattr(value, "__index__") and not isinstance(value, np.bool_):
            raise TypeError(
                f"'{type(value).__name__}' object cannot be interpreted as an integer: the kernel is declared to take "
                f"{kind} there, and {value!r} was given"
            )
        bits, value = kind.bitwidth, int(value)
        value &= (1 << bits) - 1
        if kind.signed and value >> (bits - 1):
            value -= 1 << bits
        return value if kind == types.int64 else np.dtype(kind.name).type(value)
    if kind == types.float64:
        return float(value)
    return np.dtype(kind.name).type(value)


def example(kind: Any) -> Any:
    """A value of a Numba type, to compile a kernel for it before it is launched.

    Raises
    ------
    NotImplementedError
        If a kernel takes no arguments of the type.
    """
    from numba.np.numpy_support import as_dtype

    if isinstance(kind, types.Array):
        shape = (2,) * kind.ndim
        # float32[:] means any layout, and C is what will come.
        made = np.zeros(shape, as_dtype(kind.dtype), order="F" if kind.layout == "F" else "C")
        made.flags.writeable = kind.mutable
        return made
    if isinstance(kind, types.Record):
        return np.zeros(1, as_dtype(kind))[0]
    if isinstance(kind, types.BaseNamedTuple):
        return kind.instance_class(*map(example, kind))
    if isinstance(kind, types.BaseTuple):
        return tuple(map(example, kind))
    if isinstance(kind, types.EnumMember):
        return next(iter(kind.instance_class))
    if isinstance(kind, (types.NPDatetime, types.NPTimedelta)):
        return as_dtype(kind).type(0)
    if isinstance(kind, (types.Integer, types.Float, types.Complex, types.Boolean)):
        return _scalar(kind, 1)
    if isinstance(kind, types.CPointer):
        raise NotSimulatedError(f"a pointer ({kind}) as a kernel argument", "the array itself")
    raise NotImplementedError(f"({kind})\n{_OTHER}")
