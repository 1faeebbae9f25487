"""Where a function does its work, and how to wait until it is done there.

Three places: this CPU, the simulated GPU (whose queue counts what is launched), a real GPU. Libraries are looked up among
those already imported: measuring a NumPy function imports no GPU library and makes no context.
"""

from __future__ import annotations

import ctypes
import inspect
import platform
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

_QUEUE = "gpusim.device.queue"
_GPU_LIBRARIES = {"cupy", "cupyx", "cudf", "cuml", "dask_cudf", "cugraph"}
_LIBRARIES_WITH_CONTEXTS = {"cupy", "numba.cuda"}
_VERSIONED = ("numpy", "cupy", "numba", "cudf", "pandas", "polars", "dask", "jax", "torch")


def simulating() -> bool:
    """Whether a GPU stands simulated in this process."""
    from gpusim import hardware

    return hardware.mode() == "simulated"


def synchronize() -> None:
    """Wait until every device in use has done all that was asked of it; on a machine without one, return at once."""
    queue = sys.modules.get(_QUEUE)
    if queue is not None:
        queue.synchronize()  # one queue serves all simulated devices
        if simulating():
            return
    # A GPU library that is installed but has made no context has ordered nothing.
    devices = active_devices()
    cupy, numba_cuda = sys.modules.get("cupy"), sys.modules.get("numba.cuda")
    if cupy is not None:
        for index in devices:
            cupy.cuda.Device(index).synchronize()
    elif numba_cuda is not None and devices:
        numba_cuda.synchronize()


@cache
def _driver() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def active_devices() -> list[int]:
    """Return the real GPUs that this process already uses. Asking another one to synchronise would make a context there."""
    cuda = _driver() if _LIBRARIES_WITH_CONTEXTS & sys.modules.keys() else None
    if cuda is None:
        return []
    count, flags, active = ctypes.c_int(), ctypes.c_uint(), ctypes.c_int()
    if cuda.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []  # nobody in this process has initialised the driver
    found = []
    for index in range(count.value):
        state = cuda.cuDevicePrimaryCtxGetState(index, ctypes.byref(flags), ctypes.byref(active))
        if state == 0 and active.value:
            found.append(index)
    return found


def launches() -> int:
    """Return how many kernels and transfers the simulated devices were ever asked for; 0 where none is simulated."""
    queue = sys.modules.get(_QUEUE)
    if queue is None:
        return 0
    counters = queue.counters()
    return counters.kernels + counters.h2d_count + counters.d2h_count


def uses_gpu(fn: Callable[..., Any], args: tuple[Any, ...], value: Any) -> bool:
    """Whether a function seems to work on a real GPU: its arguments, its result or the variables it names live there."""
    if "cupy" not in sys.modules and "numba.cuda" not in sys.modules:
        return False
    try:
        named = inspect.getclosurevars(fn)
        around = [*named.nonlocals.values(), *named.globals.values()]
    except (TypeError, ValueError):  # a built-in or an object with __call__
        around = []
    return any(_on_gpu(thing) for thing in (*args, value, *around))


def _on_gpu(thing: Any) -> bool:
    if inspect.ismodule(thing):
        return thing.__name__.partition(".")[0] in _GPU_LIBRARIES
    if hasattr(type(thing), "__cuda_array_interface__"):
        return True
    return (type(thing).__module__ or "").partition(".")[0] in _GPU_LIBRARIES


def gpu_name() -> str:
    """Return the name of the current real GPU, as the driver gives it."""
    import cupy  # whoever used the GPU through Numba alone has it installed too

    name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"]
    return name.decode() if isinstance(name, bytes) else name


def versions() -> dict[str, str]:
    """Return the versions of Python and of the array libraries in use."""
    found = {"python": platform.python_version()}
    for name in _VERSIONED:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            found[name] = str(version)
    return found
