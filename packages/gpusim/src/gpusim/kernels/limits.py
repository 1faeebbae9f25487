"""What a launch may ask of a device, refused in the words of numba-cuda, cuda-core and the driver.

The messages are those of numba-cuda 0.30 with cuda-core 1.2 and of ptxas 13.0; each has a sentence more that says what
to do.  The figures are those of the table "Technical Specifications per Compute Capability" in NVIDIA's CUDA C++
Programming Guide.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

from gpusim.device import device as simulated

from .driver_errors import LaunchError, LinkerError
from .faults import KernelError

INVALID_VALUE = (1, "CUDA_ERROR_INVALID_VALUE")
OUT_OF_RESOURCES = (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")

MISSING = """
Kernel launch configuration was not specified. Use the syntax:

kernel_function[blockspergrid, threadsperblock](arg0, arg1, ..., argn)

See https://numba.readthedocs.io/en/stable/cuda/kernels.html#kernel-invocation for help.

"""
"""What numba-cuda says to a kernel that is called without square brackets."""


@dataclass(frozen=True)
class Limits:
    """What one device allows; the defaults are those of compute capability 9.0.

    Attributes
    ----------
    threads : int
        In a block.
    block, grid : tuple of int
        Along x, y and z.
    shared : int
        Bytes of shared memory of a block, static and dynamic together, unless the driver is asked for more, which
        Numba never does.
    registers : int
        32-bit registers of a multiprocessor, and of a block.
    multiprocessors : int
    resident_threads, resident_blocks, resident_shared : int
        Of one multiprocessor.
    """

    threads: int = 1024
    block: tuple[int, int, int] = (1024, 1024, 64)
    grid: tuple[int, int, int] = (2**31 - 1, 65535, 65535)
    shared: int = 48 * 1024
    registers: int = 65536
    multiprocessors: int = simulated.MULTIPROCESSORS
    resident_threads: int = 2048
    resident_blocks: int = 32
    resident_shared: int = 228 * 1024


DEVICE = Limits()


class GridTooLargeError(KernelError, ValueError):
    """A cooperative launch whose blocks do not all fit on the device at once; cuda-core raises a ValueError."""


class EmptyLaunchError(KernelError, ValueError):
    """A grid or block without a thread; cuda-core raises a ValueError."""


def normalize(griddim: Any, blockdim: Any) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The launch configuration as ``(x, y, z)`` of the grid and of a block.

    Parameters
    ----------
    griddim, blockdim : int or sequence of one to three int

    Raises
    ------
    ValueError
        If one is missing, or has more than three numbers.
    TypeError
        If something in it is no whole number.
    """
    if griddim is None or blockdim is None:
        raise ValueError(MISSING)
    return _dim(griddim, "griddim"), _dim(blockdim, "blockdim")


def check(
    griddim: Any,
    blockdim: Any,
    sharedmem: int = 0,
    static_shared: int = 0,
    device: Limits = DEVICE,
    *,
    cooperative: bool = False,
    registers: int | None = None,
    kernel: str = "kernel",
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Refuse a launch that the device would refuse.

    Parameters
    ----------
    griddim, blockdim : int or sequence of one to three int
    sharedmem, static_shared : int
        Bytes of dynamic and static shared memory of a block.
    device : Limits
    cooperative : bool
        Whether the blocks synchronise, and so all have to be on the device at once.
    registers : int, optional
        Of a thread, if known.
    kernel : str
        Its name.

    Returns
    -------
    griddim, blockdim : tuple of int
        ``(x, y, z)`` each.

    Raises
    ------
    LinkerError
        If static shared memory is more than a block can have.
    ValueError
        If there is no thread, or a cooperative launch has more blocks than fit on the device at once.
    LaunchError
        If the driver would refuse; a ``CudaAPIError`` with the driver's code.
    """
    grid, block = normalize(griddim, blockdim)
    check_static(static_shared, device, kernel=kernel)
    for name, dim, what in (("grid", grid, "blocks"), ("block", block, "threads")):
        if min(dim) < 1:
            raise EmptyLaunchError(
                f"LaunchConfig.{name} values must be >= 1 (got {dim})\n"
                f"A launch of no {what} runs nothing: skip it when there is nothing to do, and round the number of blocks "
                "up, as in `(n + threads - 1) // threads`.",
                kernel=kernel,
            )
    threads = block[0] * block[1] * block[2]
    if cooperative:
        _cooperative(grid, threads, sharedmem + static_shared, device, registers, kernel)
    _block(block, threads, device, kernel)
    for axis, n, most in zip("xyz", grid, device.grid, strict=True):
        if n > most:
            put = "put the long axis along x, or " if axis != "x" else ""
            _refuse(
                INVALID_VALUE,
                kernel,
                f"The grid has {n} blocks along {axis}; {most} is the most. To do more, {put}let each thread do several "
                "elements in a loop that steps by cuda.gridsize.",
            )
    _dynamic(sharedmem, static_shared, device, kernel)
    if registers is not None and threads * registers > device.registers:
        _refuse(
            OUT_OF_RESOURCES,
            kernel,
            f"{threads} threads of {registers} registers each need {threads * registers}; a block has "
            f"{device.registers}. Use at most {device.registers // registers // 32 * 32} threads in a block, or "
            f"@cuda.jit(max_registers={device.registers // threads}).",
        )
    return grid, block


def resident_blocks(threads: int, shared: int = 0, registers: int | None = None, device: Limits = DEVICE) -> int:
    """How many blocks the device holds at once, by threads, shared memory and registers.

    Parameters
    ----------
    threads : int
        In a block.
    shared : int
        Bytes, static and dynamic, of a block.
    registers : int, optional
        Of a thread.
    """
    warps = -(-threads // 32)
    fit = [device.resident_blocks, device.resident_threads // (32 * warps)]
    if shared:
        fit.append(device.resident_shared // (shared + 1024))  # the driver keeps 1 KiB of each block for itself
    if registers:
        fit.append(device.registers // (warps * _up(32 * registers, 256)))
    return max(min(fit), 0) * device.multiprocessors


def _dim(dim: Any, name: str) -> tuple[int, int, int]:
    # Each launch passes here, some of them several times, and an abstract class takes a microsecond to recognise a number.
    if type(dim) is tuple and len(dim) == 3 and type(dim[0]) is type(dim[1]) is type(dim[2]) is int:
        return dim
    dim = list(dim) if isinstance(dim, tuple | list) else [dim]
    if len(dim) > 3:
        raise ValueError(f"{name} must be a sequence of 1, 2 or 3 integers, got {dim!r}")
    for v in dim:
        if type(v) is not int and not isinstance(v, numbers.Integral):
            hint = ""
            if isinstance(v, numbers.Real):
                hint = ". A division with / gives a float: round up with `(n + threads - 1) // threads`"
            raise TypeError(f"{name} must be a sequence of integers, got {dim!r}{hint}")
    return three(dim)


def three(dim: Any) -> tuple[int, int, int]:
    """One to three numbers as three, those left out as 1."""
    x, y, z = (*(int(n) for n in (dim if hasattr(dim, "__iter__") else (dim,))), 1, 1)[:3]
    return x, y, z


def check_static(nbytes: int, device: Limits = DEVICE, *, kernel: str) -> None:
    """Refuse more static shared memory than a block can have, in ptxas's words (`LinkerError`)."""
    if nbytes > device.shared:
        raise LinkerError(
            f"ptxas error   : Entry function '{kernel}' uses too much shared data ({nbytes:#x} bytes, {device.shared:#x} "
            f"max)\nIts cuda.shared.array calls ask for {nbytes} bytes, and a block can have {device.shared}: make the "
            "tile smaller or its dtype narrower.",
            kernel=kernel,
        )


def _block(block: tuple[int, int, int], threads: int, device: Limits, kernel: str) -> None:
    if threads > device.threads:
        _refuse(
            INVALID_VALUE,
            kernel,
            f"A block of {_by(block)} has {threads} threads; {device.threads} is the most. Use smaller blocks and more of "
            "them.",
        )
    for axis, n, most in zip("xyz", block, device.block, strict=True):
        if n > most:
            _refuse(
                INVALID_VALUE,
                kernel,
                f"A block has {n} threads along {axis}; {most} is the most there. Put more of them along x.",
            )


def _dynamic(sharedmem: int, static_shared: int, device: Limits, kernel: str) -> None:
    if sharedmem < 0:
        _refuse(INVALID_VALUE, kernel, f"Dynamic shared memory of {sharedmem} bytes: it cannot be less than none.")
    if sharedmem + static_shared > device.shared:
        besides = f", besides {static_shared} of static shared memory" if static_shared else ""
        _refuse(
            INVALID_VALUE,
            kernel,
            f"The launch asks for {sharedmem} bytes of dynamic shared memory{besides}; a block can have {device.shared} in "
            "all. Use smaller blocks or tiles.",
        )


def _cooperative(grid, threads, shared, device, registers, kernel) -> None:
    most = resident_blocks(threads, shared, registers, device)
    if grid[0] * grid[1] * grid[2] > most:
        x, y, z = grid
        raise GridTooLargeError(
            f"The specified grid size ({x} * {y} * {z}) exceeds the limit ({most})\n"
            "Blocks that wait for each other must all be on the GPU at once: launch at most that many, and let each thread "
            "do several elements.",
            kernel=kernel,
        )


def _refuse(error: tuple[int, str], kernel: str, reason: str) -> None:
    raise LaunchError(code=error[0], error=error[1], call="cuLaunchKernel", reason=reason, kernel=kernel)


def _by(block: tuple[int, int, int]) -> str:
    return " × ".join(str(n) for n in block)


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
