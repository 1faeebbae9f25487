"""What the lens says of one launch, beside what the driver and the clock say of it."""

from __future__ import annotations

from typing import Any

#: A launch that takes less than so many seconds is timed so many at once: the GPU waits some 10 µs for Python to make a single one.
SHORT, TOGETHER = 2e-3, 20


def examine(
    kernel: Any, griddim: Any, blockdim: Any, args: tuple, sharedmem: int = 0, what: str = ""
) -> dict[str, Any]:
    """Bound, estimate and measured time of a launch; registers, shared memory and occupancy by the lens and by the driver.

    The kernel is launched many times on these very arguments.  What the lens or the driver does not say is left out, with its reason.
    """
    from dataclasses import replace

    import kernellens
    from hundredfold import measure
    from kernellens.times.launches import work_of_launch

    found: dict[str, Any] = {"kernel": what or kernel.py_func.__name__, "grid": griddim, "block": blockdim, "why": {}}
    try:
        # The reckoning first: what the launch leaves behind in its arguments must not change it. One trace serves both times.
        work = work_of_launch(kernel, (griddim, blockdim, *args), None, sharedmem, None, 0)
        compiled = _compiled(kernel, args, blockdim, sharedmem, found)
        registers = (compiled.registers if compiled is not None and compiled.available else 0) or 0
        bound, estimate = kernellens.bound(work), kernellens.estimate(replace(work, registers=registers))
        found["bytes"] = work.read + work.written
        found |= {"gpu": bound.gpu.name, "bound": bound.seconds, "bound binds": bound.binds}
        found |= {"estimate": estimate.seconds, "estimate binds": estimate.binds, "calibrated": estimate.calibrated}
        if registers:
            found["lens"] = {"registers": registers, "shared": compiled.shared}
            held = kernellens.occupancy(registers, compiled.shared + sharedmem, blockdim)
            found["lens"] |= {"blocks an SM": held.blocks_per_sm, "occupancy": held.share}
    except Exception as error:
        found["why"]["lens"] = f"{type(error).__name__}: {error}"[:400]

    args = _on_device(args)
    on_device = next((each for each in args if hasattr(each, "__cuda_array_interface__")), None)
    configured = kernel[griddim, blockdim, 0, sharedmem]

    def launch(times=1):
        for _ in range(times):
            configured(*args)
        return on_device  # by which `measure` knows that the GPU's own clock is wanted

    done, times = measure(launch, name=found["kernel"], max_time=2.0), 1
    if done.median < SHORT and done.device not in ("CPU", "simulated GPU"):
        found["alone"], times = done.median, TOGETHER
        done = measure(launch, times, name=found["kernel"], max_time=2.0)
    found |= {"measured": done.median / times, "spread": done.spread / times, "noisy": done.noisy or ""}
    found["driver"] = _driver(kernel, blockdim, sharedmem, found)
    if "bound" in found:
        found["bound holds"] = found["bound"] <= found["measured"]
        found["estimate / measured"] = found["estimate"] / found["measured"]
    return found


def _on_device(args: tuple) -> tuple:
    """The arguments with host arrays copied to the device once: a launch would copy them each time, and its time would be the copies'."""
    import numpy as np

    if not any(isinstance(each, np.ndarray) for each in args):
        return args
    from numba import cuda

    return tuple(cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in args)


def _compiled(kernel, args, blockdim, sharedmem, found):
    import kernellens

    try:
        compiled = kernellens.compile(kernel, *args, blockdim=blockdim, sharedmem=sharedmem)
    except Exception as error:
        found["why"]["compile"] = f"{type(error).__name__}: {error}"[:400]
        return None
    if not compiled.available:
        found["why"]["compile"] = str(compiled.missing or compiled.errors)[:400]
    return compiled


def _driver(kernel, blockdim, sharedmem, found) -> dict[str, Any]:
    """Registers and blocks of the version that was launched last."""
    try:
        last = list(kernel.overloads.values())[-1]
        said = {
            "registers": int(last.regs_per_thread),
            "shared": int(last.shared_mem_per_block),
            "local": int(last.local_mem_per_thread),
        }
        from numba import cuda

        sms = cuda.get_current_device().MULTIPROCESSOR_COUNT
        said["blocks an SM"] = int(last.max_cooperative_grid_blocks(blockdim, sharedmem)) // sms
        return said
    except Exception as error:  # a simulated device has no registers to tell of
        found["why"]["driver"] = f"{type(error).__name__}: {error}"[:300]
        return {}


class Harvest:
    """Within it, each launch of a Numba kernel is noted: of each kernel and types of arguments the one with the most threads."""

    def __init__(self) -> None:
        self.launches: dict[tuple, tuple] = {}

    def __enter__(self) -> Harvest:
        from numba import cuda

        @cuda.jit
        def nothing():
            pass

        self._class, self._call = type(nothing), type(nothing).call
        harvest, original = self, self._call

        def call(dispatcher, args, configuration):
            harvest.note(dispatcher, args, configuration)
            return original(dispatcher, args, configuration)

        self._class.call = call
        return self

    def __exit__(self, *_) -> None:
        self._class.call = self._call

    def note(self, dispatcher, args, configuration) -> None:
        code = dispatcher.py_func.__code__
        kinds = tuple(
            str(getattr(value, "dtype", type(value).__name__)) + str(getattr(value, "ndim", "")) for value in args
        )
        key = (code.co_name, code.co_firstlineno, code.co_code, kinds)
        threads = 1
        for size in (*_dims(configuration.griddim), *_dims(configuration.blockdim)):
            threads *= size
        if threads > self.launches.get(key, (0,))[0]:
            shared = getattr(configuration, "sharedmem", 0)
            self.launches[key] = (threads, dispatcher, configuration.griddim, configuration.blockdim, args, shared)


def _dims(dim) -> tuple:
    return tuple(dim) if hasattr(dim, "__iter__") else (dim,)
