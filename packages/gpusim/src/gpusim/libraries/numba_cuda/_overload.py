"""A kernel for one set of argument types."""

from __future__ import annotations

import math
from typing import Any

from gpusim.device import queue
from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels import limits
from gpusim.kernels.driver_errors import LaunchError

from . import _arguments

_NEAREST = "inspect_types()"
_NOTE = "Kernels are compiled for this CPU, so there is no code for a GPU."


class _Kernel:
    """A kernel for one set of argument types.

    Attributes
    ----------
    argument_types : tuple of numba types
    """

    objectmode = False

    def __init__(self, dispatcher: Any, argument_types: tuple):
        self._dispatcher = dispatcher
        self.argument_types = argument_types
        self.entry_name = dispatcher.py_func.__name__
        self._compiled: Any = None

    def __repr__(self) -> str:
        return f"<kernel {self.entry_name}({', '.join(map(str, self.argument_types))})>"

    def launch(self, args: tuple, griddim: tuple, blockdim: tuple, stream: Any = 0, sharedmem: int = 0) -> None:
        """Copy host arrays in, queue the kernel, copy them out."""
        options = self._dispatcher.targetoptions
        self._check_bounds(options.get("launch_bounds"), blockdim)
        retr: list = []
        values = []
        for kind, value in zip(self.argument_types, args, strict=True):
            for extension in reversed(options.get("extensions") or ()):
                kind, value = extension.prepare_args(kind, value, stream=stream, retr=retr)
            values.append(_arguments.prepare(kind, value, stream, retr))
        self._dispatcher._kernel.launch(griddim, blockdim, tuple(values), sharedmem=int(sharedmem))
        if options.get("debug"):
            queue.synchronize()  # numba-cuda reads the error code after each launch
        for copy_back in retr:
            copy_back()

    def _check_bounds(self, bounds: Any, blockdim: tuple) -> None:
        most = bounds[0] if isinstance(bounds, (tuple, list)) else bounds
        if most and math.prod(blockdim) > most:
            raise LaunchError(
                code=limits.INVALID_VALUE[0],
                error=limits.INVALID_VALUE[1],
                call="cuLaunchKernel",
                reason=f"The kernel was declared with launch_bounds={bounds!r}: a block has at most {most} threads.",
                kernel=self.entry_name,
            )

    def bind(self) -> None:
        """Compile."""
        if self._compiled is None:
            self._compiled = self._dispatcher._kernel.compiled(tuple(map(_arguments.example, self.argument_types)))

    def _layout(self, name: str) -> int:
        self.bind()
        if self._compiled is None:
            raise NotSimulatedError(f"the {name} memory of a kernel that is interpreted", None, "It is not compiled.")
        return int(getattr(self._compiled, name).nbytes)

    @property
    def signature(self) -> Any:
        """Its signature."""
        from numba.core import types

        return types.void(*self.argument_types)

    @property
    def regs_per_thread(self) -> int:
        """Registers of a thread: not simulated."""
        raise NotSimulatedError("the number of registers of a kernel", "get_shared_mem_per_block()", _NOTE)

    @property
    def shared_mem_per_block(self) -> int:
        """Bytes of static shared memory of a block."""
        return self._layout("shared")

    @property
    def local_mem_per_thread(self) -> int:
        """Bytes of local memory of a thread."""
        return self._layout("local")

    @property
    def const_mem_size(self) -> int:
        """Bytes of constant memory: not simulated for kernels that have any."""
        if "const.array_like" in self._dispatcher._kernel.function().intrinsics:
            raise NotSimulatedError("the constant memory of a kernel", "get_shared_mem_per_block()", _NOTE)
        return 0

    @property
    def max_threads_per_block(self) -> int:
        """The largest block it can be launched with."""
        return self._dispatcher._most_threads()

    def max_cooperative_grid_blocks(self, blockdim: Any, dynsmemsize: int = 0) -> int:
        """Blocks that are on the device at once, by threads and shared memory (registers are not simulated)."""
        threads = math.prod(blockdim) if isinstance(blockdim, (tuple, list)) else int(blockdim)
        return limits.resident_blocks(threads, dynsmemsize + self.shared_mem_per_block)

    def inspect_types(self, file: Any = None) -> None:
        """Print the source with the types that Numba found."""
        examples = tuple(map(_arguments.example, self.argument_types))
        self._dispatcher._kernel.inspect_types(examples, file=file)

    def inspect_llvm(self) -> str:
        """LLVM code for a GPU: not simulated."""
        raise NotSimulatedError("inspect_llvm()", _NEAREST, _NOTE)

    def inspect_asm(self, cc: Any = None) -> str:
        """PTX: not simulated."""
        raise NotSimulatedError("inspect_asm()", _NEAREST, _NOTE)

    def inspect_sass(self) -> str:
        """A GPU's machine code: not simulated."""
        raise NotSimulatedError("inspect_sass()", _NEAREST, _NOTE)

    inspect_sass_cfg = inspect_lto_ptx = inspect_asm
