"""Arguments of C kernels: device memory as flat arrays, numbers in the types that the kernel declares."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from gpusim.device import regions, shapes
from gpusim.kernels.driver_errors import LaunchError
from gpusim.kernels.faults import TRACE_SETTING, KernelError
from gpusim.kernels.frontend.cuda_cpp.c_types import Pointer, Scalar, Struct

Crooked = list[tuple[np.ndarray, str, Pointer]]
"""Arguments that are misaligned: their memory, names and types."""


class ArgumentFault(KernelError, TypeError):
    """An argument that a kernel would read as something else: a GPU says nothing and goes on with garbage."""


def translated(code: Any, *given: Any) -> Any:
    """A source as a :class:`~gpusim.kernels.frontend.cuda_cpp.module.Module`, whose failed assertions are CUDA's errors."""
    from gpusim.kernels.frontend.cuda_cpp.module import Module

    from ..cuda._errors import DeviceAssertion

    Module.builtins.assertion = DeviceAssertion
    return Module(code, *given)


def array_class() -> type:
    """``cupy.ndarray``."""
    from .._core import launch

    return launch.array_class


def flat(view: np.ndarray) -> np.ndarray:
    """The memory of a device array as a kernel sees it, in one dimension from its first element on."""
    if view.flags.c_contiguous:
        return view.reshape(-1)
    if not view.size:
        return np.empty(0, view.dtype)
    reach = sum((n - 1) * stride for n, stride in zip(view.shape, view.strides, strict=True) if stride > 0)
    count = reach // view.itemsize + 1
    return np.lib.stride_tricks.as_strided(view, (count,), (view.itemsize,))


def pointer(value: Any, kind: Pointer, name: str, kernel: str) -> np.ndarray:
    """An argument for a pointer.

    Raises
    ------
    ArgumentFault
        If what lies there is of another type than the kernel reads.
    TypeError
        As CuPy raises it.
    """
    wanted = kind.to.dtype
    if value is None:
        return np.empty(0, wanted)
    if isinstance(value, array_class()):
        memory = flat(value._a)
    elif hasattr(value, "mem") and hasattr(value, "_offset"):
        memory = value.mem.raw[value._offset :]
    elif isinstance(value, np.ndarray) and value.size != 1:
        raise TypeError(_host(value))
    elif isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value):
        memory = _at_address(int(value), name, kernel)
    else:
        _check_passed(value)
        raise ArgumentFault(
            f"{name} is a pointer ({kind}), and {value!r} of type {type(value).__name__} is none: pass a cupy.ndarray. A GPU "
            "would take the number for an address.",
            kernel=kernel,
        )
    if isinstance(kind.to, Struct) and memory.dtype.names is not None:
        _check_layout(memory.dtype, kind.to, name, kernel)
        return memory.view(wanted)
    if getattr(kind.to, "char", "") == "f2" and memory.dtype == np.float16:
        return memory.view(wanted)
    if memory.dtype == wanted or not memory.size:
        return memory if memory.dtype == wanted else np.empty(0, wanted)
    _check_read_as(memory.dtype, kind, name, kernel)
    whole = memory.nbytes // wanted.itemsize * wanted.itemsize
    return memory.view(np.uint8)[:whole].view(wanted)


def misaligned(memory: np.ndarray, kind: Pointer) -> bool:
    """Whether an argument for a pointer lies where a GPU cannot load at once what it points to: a ``float4`` is at a multiple of 16."""
    if not memory.size:
        return False
    return memory.ctypes.data % kind.to.alignment > 0 if isinstance(kind.to, Struct) else not memory.flags.aligned


def layout(dtype: np.dtype, start: int = 0) -> list[tuple]:
    """Where the numbers of a record lie, and of which type they are: a half by its bits, as `Scalar.dtype` has it."""
    if dtype.names is None:
        return [(start, np.dtype("u2") if dtype.base == np.float16 else dtype.base, dtype.shape)]
    return [each for name in dtype.names for each in layout(dtype.fields[name][0], start + dtype.fields[name][1])]


def _check_layout(given: np.dtype, kind: Struct, name: str, kernel: str) -> None:
    """Refuse records that lie otherwise than a struct does."""
    if layout(given) == layout(kind.dtype) and given.itemsize == kind.size:
        return
    raise ArgumentFault(
        f"{name} is of the struct {kind}, {kind.size} bytes: {_told(kind.dtype)}. The records have {given.itemsize}: {_told(given)}. "
        "A GPU would read the bytes as they lie, without a word. Give the dtype, and those in it, the same types and align=True.",
        kernel=kernel,
    )


def _told(dtype: np.dtype) -> str:
    return ", ".join(f"{base}{list(shape) if shape else ''} at {start}" for start, base, shape in layout(dtype))


def members(value: Any, kind: Struct, name: str, kernel: str) -> list[Any]:
    """An argument for a struct that is passed by value: its numbers.

    Raises
    ------
    ArgumentFault
        If it is of another layout.
    TypeError
        If CuPy cannot pass it.
    """
    from gpusim.kernels.frontend.cuda_cpp import structs

    if isinstance(value, np.ndarray) and value.size != 1:
        raise TypeError(_host(value))
    if not isinstance(value, np.ndarray | np.void) or value.dtype.names is None:
        if not isinstance(value, array_class()):
            _check_passed(value)
        raise ArgumentFault(
            f"{name} is of the struct {kind}, and {type(value).__name__} is no record: pass a NumPy scalar of a structured dtype.",
            kernel=kernel,
        )
    _check_layout(value.dtype, kind, name, kernel)
    record = np.asarray(value).reshape(-1).view(kind.dtype)[0]
    made = []
    for path, _ in structs.leaves(kind):
        found = record
        for step in path:
            found = found[step]
        made.append(found)
    return made


def _check_passed(value: Any) -> None:
    """Refuse what CuPy passes to no kernel: what is neither an array nor a number of Python's or NumPy's."""
    if not isinstance(value, int | float | complex | np.generic | np.ndarray | None):
        raise TypeError(f"Unsupported type {type(value)}")


def _host(value: np.ndarray) -> str:
    return (
        f"You are trying to pass a numpy.ndarray of shape {value.shape} as a kernel parameter. Only numpy.ndarrays of size one "
        "can be passed by value. If you meant to pass a pointer to __global__ memory, you need to pass a cupy.ndarray "
        "instead."
    )


def _at_address(address: int, name: str, kernel: str) -> np.ndarray:
    """The device memory at an address, as bytes, to the end of what was allocated with it."""

    for raw, _ in regions.alive():
        if 0 <= (start := address - raw.ctypes.data) < raw.size:
            return raw[start:]
    raise ArgumentFault(
        f"{name} is a pointer, and {address} is no address of device memory: pass a cupy.ndarray. A GPU would take the number "
        "for an address.",
        kernel=kernel,
    )


def _check_read_as(given: np.dtype, kind: Pointer, name: str, kernel: str) -> None:
    wanted = kind.to.dtype
    bits = np.dtype("u2") if given == np.float16 else given
    if isinstance(kind.to, Struct) and all(base == bits for _, base, _ in layout(wanted)):
        return  # a vector of its numbers, as float4 of float32
    same_bits = given.kind in "iub" and wanted.kind in "iub" and given.itemsize == wanted.itemsize
    part = given.kind == "c" and wanted.kind == "f" and wanted.itemsize * 2 == given.itemsize
    raw = given.itemsize == 1 and given.kind in "iu" or wanted.itemsize == 1 or given.kind == "V"
    if same_bits or part or raw or os.environ.get(TRACE_SETTING) == "off":
        return
    raise ArgumentFault(
        f"{name} is declared as {kind}, and the array holds {given}: a GPU would read its bits as {kind.to}, "
        f"without a word. Convert it, as with .astype(cupy.{wanted}), or declare the parameter for {given}.",
        kernel=kernel,
    )


def number(value: Any, kind: Scalar, name: str, kernel: str) -> Any:
    """An argument for a number: its bytes are read as the parameter's type, and nothing converts them.

    Raises
    ------
    ArgumentFault
        If those bytes mean something else.
    TypeError
        If CuPy cannot pass it.
    """
    if isinstance(value, array_class()):
        raise ArgumentFault(
            f"{name} is declared as {kind}, and a cupy.ndarray was given: the kernel would read an address. "
            f"Pass a number, or declare {name} as a pointer.",
            kernel=kernel,
        )
    if value is None:
        given: Any = np.int64(0)
    elif isinstance(value, np.ndarray):
        if value.size != 1:
            raise TypeError(_host(value))
        given = value.reshape(-1)[0]
    elif type(value) is bool:
        given = np.bool_(value)
    elif type(value) is int:
        given = np.int64(value) if value < 2**63 else np.uint64(value)
    elif type(value) is float:
        given = np.float64(value)
    elif type(value) is complex:
        given = np.complex128(value)
    elif isinstance(value, np.generic):
        given = value
    else:
        raise TypeError(f"Unsupported type {type(value)}")
    had, wanted = given.dtype, kind.dtype
    if kind.char == "f2" and had == np.float16:
        return np.float32(given)  # as a half is in a variable
    if had == wanted and kind.char != "f2":
        return given
    if kind.char == "f2":
        wanted = np.dtype(np.float16)
    whole = had.kind in "iub" and wanted.kind in "iub"
    if whole and had.itemsize >= wanted.itemsize:
        return np.frombuffer(given.tobytes()[: wanted.itemsize], wanted)[0]
    said = f"numpy.{wanted}({value!r})" if not isinstance(value, np.generic) else f"numpy.{wanted}(…)"
    came = f"the Python {type(value).__name__} {value!r} is passed as {had}" if type(value) in (int, float, complex) else (
        f"{value!r} is a {had}"
    )  # fmt: skip
    raise ArgumentFault(
        f"{name} is declared as {kind}, and {came}: a kernel reads the bytes as they are, so a GPU would go on with garbage, "
        f"without a word. Pass {said}.",
        kernel=kernel,
    )


def launched(
    kernel: Any,
    grid: tuple,
    block: tuple,
    args: tuple,
    shared_mem: int,
    cooperative: bool,
    crooked: Crooked | None = None,
) -> None:
    """Launch an engine's kernel; what the driver refuses is raised as CuPy raises it."""
    from ..cuda._errors import CUDADriverError

    try:
        if crooked and not shapes.on:
            from .misaligned import launch  # for start-up time: hardly a program needs it

            launch(kernel, grid, block, args, shared_mem, cooperative, crooked)
        else:
            kernel.launch(grid, block, args, sharedmem=shared_mem, cooperative=cooperative)
    except LaunchError as error:
        raised = CUDADriverError(int(error.code))
        if error.reason:
            raised.add_note(error.reason)
        raise raised from error
