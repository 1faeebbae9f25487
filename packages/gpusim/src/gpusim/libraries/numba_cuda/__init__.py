"""A simulated numba.cuda that runs kernels on the CPU and keeps the rules of numba-cuda and of a GPU.

Kernels are the engine's; the arrays lie in simulated device memory, and the work waits in the engine's queue until
something synchronises.  ``numba`` itself is the real one.  What numba-cuda has and this has not raises
``NotSimulatedError`` by name.
"""

# ruff: noqa: F401  (the names are this module's, listed in __all__ at the end)

from __future__ import annotations

import os as _os
import sys as _sys
import warnings as _warnings

from numba.core import config

from . import types
from .types import *  # noqa: F403

from ._device_names import top as _top, vectors as _vectors  # isort: skip  (after types: it has a `const` of its own)
from . import (
    api,
    args,
    cache_hints,
    cg,
    compiler,
    core,
    cuda_paths,
    cudadrv,
    decorators,
    deviceufunc,
    dispatcher,
    errors,
    fp16,
    intrinsics,
    kernels,
    libdevice,
    random,
    stubs,
    vector_types,
    vectorizers,
)
from ._vectorize import guvectorize, vectorize
from .api import (
    _auto_device,
    as_cuda_array,
    close,
    current_context,
    default_stream,
    defer_cleanup,
    detect,
    device_array,
    device_array_like,
    event,
    event_elapsed_time,
    external_stream,
    from_cuda_array_interface,
    get_current_device,
    gpus,
    is_bfloat16_supported,
    is_cuda_array,
    is_float16_supported,
    is_fp8_supported,
    legacy_default_stream,
    list_devices,
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    open_ipc_array,
    per_thread_default_stream,
    pinned,
    pinned_array,
    pinned_array_like,
    prepare_shape_strides_dtype,
    profile_start,
    profile_stop,
    profiling,
    require_context,
    select_device,
    stream,
    synchronize,
    to_device,
)
from .args import In, InOut, Out
from .compiler import compile, compile_all, compile_for_current_device, compile_ptx, compile_ptx_for_current_device
from .cudadrv import devicearray, devices, driver, nvvm
from .cudadrv.driver import (
    BaseCUDAMemoryManager,
    CudaSupportError,
    GetIpcHandleMixin,
    HostOnlyCUDAMemoryManager,
    IpcHandle,
    MappedMemory,
    MemoryInfo,
    MemoryPointer,
    PinnedMemory,
    set_memory_manager,
)
from .cudadrv.linkable_code import LTOIR, Archive, Cubin, CUSource, Fatbin, LinkableCode, Object, PTXSource
from .cudadrv.runtime import runtime
from .decorators import declare_device, jit
from .errors import KernelRuntimeError
from .kernels import reduction
from .kernels.reduction import Reduce
from .misc.special import literal_unroll
from .types import Dim3, GridGroup, dim3, grid_group

__version__ = "0.30.4+gpusim"
implementation = "NVIDIA (simulated by gpusim)"
HAS_NUMBA = True
reduce = Reduce

globals().update(_top | _vectors)
globals().update({name: getattr(cache_hints, name) for name in cache_hints.__all__})


def is_available() -> bool:
    """Whether there is a device: in simulation there always is."""
    return True


def is_supported_version() -> bool:
    """Whether this version of CUDA is known to work."""
    return True


def cuda_error() -> None:
    """There was no error in initialising the driver."""
    return None


if _os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
    _warnings.warn(
        "NUMBA_ENABLE_CUDASIM is set and ignored: gpusim simulates numba.cuda, with Numba's own arithmetic.",
        stacklevel=2,
    )
__all__ = sorted({name for name in globals() if not name.startswith("_") and name not in ("annotations",)})
_ = _auto_device

if hasattr(_cudf := _sys.modules.get("cudf"), "_use_rmm"):
    _cudf._use_rmm("numba.cuda")
