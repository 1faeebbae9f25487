"""``@cuda.jit``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from warnings import warn

from numba.core import config, sigutils, types
from numba.core.errors import DeprecationError, NumbaInvalidConfigWarning

from gpusim.importing.errors import NotSimulatedError
from gpusim.importing.names import refused

from .dispatcher import CUDADispatcher

declare_device = refused("cuda.declare_device", "@cuda.jit(device=True)", "Functions in CUDA C++ are not simulated.")

_KERNEL_OPTIONS = frozenset(("fastmath", "extensions", "max_registers"))


def jit(
    func_or_sig: Any = None,
    device: bool = False,
    inline: Any = "never",
    forceinline: bool = False,
    link: Any = (),
    debug: bool | None = None,
    opt: bool | None = None,
    lineinfo: bool = False,
    cache: bool = False,
    launch_bounds: Any = None,
    lto: bool | None = None,
    shared_memory_carveout: Any = None,
    **kws: Any,
) -> Any:
    """Make a kernel or a device function of a Python function.

    Parameters
    ----------
    func_or_sig : function, or signature or list of signatures, optional
        With signatures the kernel is compiled for them at once and for nothing else.
    device : bool
        A device function, for kernels to call.
    debug : bool
        Exceptions in the kernel are raised, at its launch, and so is division by zero.
    launch_bounds : int or tuple of int
        The most threads that a block will have.
    link
        Refused: code in CUDA C++ is not simulated.
    inline, forceinline, opt, lineinfo, lto, cache, shared_memory_carveout, fastmath, max_registers
        Accepted; they do not change results here, and ``cache`` lasts as long as the process.

    Returns
    -------
    CUDADispatcher, or a function that makes one

    Raises
    ------
    TypeError
        If a kernel is declared to return something.
    """
    if kws.get("boundscheck"):
        raise NotImplementedError("bounds checking is not supported for CUDA")
    for name in ("argtypes", "restype", "bind"):
        if kws.get(name) is not None:
            raise DeprecationError(
                f"Deprecated keyword argument `{name}`. Signatures should be passed as the first positional argument."
            )
    if link:
        raise NotSimulatedError("linking a kernel with other code (link=)", "@cuda.jit(device=True)")
    if isinstance(launch_bounds, (tuple, list)) and len(launch_bounds) > 3:
        raise ValueError(
            f"Got {len(launch_bounds)} launch bounds: {launch_bounds}. A maximum of three are supported: "
            "(max_threads_per_block, min_blocks_per_sm, max_blocks_per_cluster)"
        )
    if shared_memory_carveout is not None:
        _check_carveout(shared_memory_carveout)
    unknown = sorted(set(kws) - _KERNEL_OPTIONS - {"boundscheck", "argtypes", "restype", "bind"})
    if unknown and not device:
        raise TypeError(
            f"_Kernel.__init__() got an unexpected keyword argument {unknown[0]!r}: cuda.jit takes device, inline, debug, "
            "opt, fastmath, lineinfo, max_registers, launch_bounds, cache, link, extensions and lto"
        )
    debug = config.CUDA_DEBUGINFO_DEFAULT if debug is None else debug
    opt = (config.OPT != 0) if opt is None else opt
    if debug and opt:
        warn(
            NumbaInvalidConfigWarning(
                "debug=True with opt=True is not supported by CUDA. This may result in a crash - set debug=False or opt=False."
            ),
            stacklevel=2,
        )
    if debug and lineinfo:
        warn(
            NumbaInvalidConfigWarning(
                "debug and lineinfo are mutually exclusive. Use debug to get full debug info (this disables some "
                "optimizations), or lineinfo for line info only with code generation unaffected."
            ),
            stacklevel=2,
        )
    options = {
        **kws, "debug": debug, "lineinfo": lineinfo, "opt": opt, "device": device, "inline": inline,
        "forceinline": forceinline, "fastmath": kws.get("fastmath", False), "extensions": kws.get("extensions", []),
        "launch_bounds": launch_bounds, "lto": lto, "shared_memory_carveout": shared_memory_carveout, "cache": cache,
    }  # fmt: skip
    if sigutils.is_signature(func_or_sig):
        return _declared([func_or_sig], options, specialized=True)
    if isinstance(func_or_sig, list):
        return _declared(func_or_sig, options, specialized=False)
    if func_or_sig is None:
        return lambda function: CUDADispatcher(_python(function), dict(options))
    return CUDADispatcher(_python(func_or_sig), options)


def _declared(signatures: list, options: dict, specialized: bool) -> Callable[[Any], CUDADispatcher]:
    def decorate(function: Any) -> CUDADispatcher:
        made = CUDADispatcher(_python(function), dict(options))
        for signature in signatures:
            kinds, restype = sigutils.normalize_signature(signature)
            if options["device"]:
                made.compile_device(kinds, restype)
                continue
            if restype and restype != types.void:
                raise TypeError("CUDA kernel must have void return type.")
            made.compile(tuple(kinds))
        made._specialized = specialized
        made.disable_compile()
        return made

    return decorate


def _python(function: Any) -> Any:
    """The Python function to compile."""
    if isinstance(function, CUDADispatcher):
        return function.py_func
    if not hasattr(function, "__code__"):
        raise TypeError(
            f"cuda.jit takes a Python function, not {type(function).__name__}: decorate a function with it, and give "
            "options by name, as in @cuda.jit(device=True)"
        )
    return function


def _check_carveout(carveout: Any) -> None:
    if isinstance(carveout, str):
        names = ["default", "maxl1", "maxshared"]
        if carveout.lower() not in names:
            raise ValueError(f"Invalid carveout value: {carveout}. Must be -1 to 100 or one of {names}")
    elif isinstance(carveout, int):
        if not -1 <= carveout <= 100:
            raise ValueError("Carveout must be between -1 and 100")
    else:
        raise TypeError(f"shared_memory_carveout must be str or int, got {type(carveout).__name__}")
