"""RawKernel and RawModule: kernels from CUDA C++ source, launched as they are on a GPU."""

from __future__ import annotations

import dataclasses
import functools
import os
import threading
from typing import Any

import numpy as np

from gpusim.device import activity, queue
from gpusim.importing.errors import NotSimulatedAttribute, NotSimulatedError
from gpusim.importing.names import extension_type
from gpusim.kernels import limits
from gpusim.kernels.frontend.cuda_cpp.c_types import Pointer, Struct
from gpusim.kernels.frontend.cuda_cpp.errors import Code, CompileException

from . import launch

_MOST = 227 * 1024  # bytes of shared memory of a block of compute capability 9.0
_DYNAMIC = 48 * 1024  # bytes of shared memory that a launch may ask for without being allowed more
_ATTRIBUTES = (
    "max_threads_per_block", "shared_size_bytes", "const_size_bytes", "local_size_bytes", "num_regs", "ptx_version",
    "binary_version", "cache_mode_ca", "max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout",
)  # fmt: skip


class Loaded:
    """A compiled source: its kernels by name and the memory of its variables.

    Parameters
    ----------
    code : str
    options : tuple of str
    name_expressions : tuple of str or None
    name : str
        For messages.
    host : bool
        Whether the host's headers are there: ``nvcc`` and Jitify have them.
    """

    def __init__(self, code: str, options: tuple, name_expressions: tuple | None, name: str, host: bool = False):
        defines = []
        for k, option in enumerate(options):
            if option.startswith("-D") and len(option) > 2:
                defines.append(option[2:])
            elif option in ("-D", "--define-macro"):
                defines.append(options[k + 1])
            elif option.startswith("--define-macro="):
                defines.append(option.partition("=")[2])
        source = Code(code, name)
        source.bare = not host
        source.separate = any(
            o in ("-dc", "--device-c", "-rdc=true", "--relocatable-device-code=true") for o in options
        )
        self.module = launch.translated(source, tuple(defines))
        self.mapping: dict[str, str] = {}
        for expression in name_expressions or ():
            self.mapping[expression] = self.module.named(expression)
        self._variables: dict[str, Any] = {}
        self._kernels: dict[str, Any] = {}
        self._lock = threading.RLock()

    def compiled(self, name: str) -> Any:
        """The engine's kernel and what it takes.

        Raises
        ------
        CUDADriverError
            If there is no kernel of that name: also one without ``extern "C"``, whose name is mangled.
        """
        with self._lock:
            if name not in self._kernels:
                from gpusim.kernels import Kernel

                module = self.module
                known = module.unit.linked | set(self.mapping.values())
                if name not in known:
                    from ..cuda._errors import CUDADriverError

                    error = CUDADriverError(500)
                    if name in module.kernels or name in module.unit.templates:
                        error.add_note(
                            f'{name} has a mangled name: declare it extern "C", or ask for it by name_expressions'
                        )
                    raise error
                made = module.kernel(name)
                if made.shared > limits.DEVICE.shared:
                    said = f"ptxas error   : Entry function '{name}' uses too much shared data ({made.shared:#x} bytes, {limits.DEVICE.shared:#x} max)"
                    raise CompileException(said, module.code.text, name, ())
                self._kernels[name] = Kernel(made.python, name=name), made
            return self._kernels[name]

    def variable(self, name: str) -> Any:
        """The device memory of a variable of the source, as a flat array."""
        with self._lock:
            if name not in self._variables:
                from .._core import launch as core
                from ..cuda.memory import Memory

                if name not in self.module.variables:
                    from ..cuda._errors import CUDADriverError

                    raise CUDADriverError(500)
                values = self.module.initial(name)
                # A variable is part of its module and comes from no pool: a pool's used bytes and free blocks are the program's.
                block = Memory(values.nbytes)
                made = core.wrap(np.ndarray(values.shape, values.dtype, block.raw), block)
                # In its turn, as all work of the device.
                queue.submit_uncounted("module load", np.copyto, (made._a, values))
                self._variables[name] = made
            return self._variables[name]


@functools.lru_cache(maxsize=256)
def load(code: str, options: tuple, name_expressions: tuple | None, host: bool = False) -> Loaded:
    """A source compiled, once for each set of options: who asks again gets the same variables."""
    return Loaded(code, options, name_expressions, "the C++ source", host)


@extension_type("cupy._core.raw")
class RawKernel:
    """A kernel of CUDA C++.

    Parameters
    ----------
    code : str
    name : str
        The kernel's, declared ``extern "C"``.
    options : tuple of str
        ``-DNAME=value`` is heeded, the rest has no meaning here.
    backend : str
    translate_cucomplex, enable_cooperative_groups, jitify
        As CuPy has them.
    """

    raw_ver = 2

    def __init__(
        self,
        code: str,
        name: str,
        options: tuple = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: Any = None,
    ):
        for given, what, kind in ((code, "code", str), (name, "name", str), (options, "options", tuple)):
            if not isinstance(given, kind) and not (what == "code" and given is None):
                raise TypeError(
                    f"Argument '{what}' has incorrect type (expected {kind.__name__}, got {type(given).__name__})"
                )
        self.code, self.name, self.options, self.backend = code, name, options, backend
        self.translate_cucomplex, self.jitify = translate_cucomplex, jitify
        self.enable_cooperative_groups = enable_cooperative_groups
        self.file_path = self.name_expressions = None
        self.__name__ = name
        self._dynamic, self._carveout = _DYNAMIC, -1

    def _loaded(self) -> Loaded:
        return load(self.code, self.options, self.name_expressions, bool(self.jitify) or self.backend == "nvcc")

    @property
    def kernel(self) -> Any:
        """The compiled function; here it can be told from others, and no more."""
        return self._loaded().compiled(self.name)[0]

    def __call__(self, grid: tuple, block: tuple, args: Any, *, shared_mem: int = 0, stream: Any = None) -> None:
        """Launch over a grid of blocks."""
        for given, what in ((grid, "grid"), (block, "block")):
            if not isinstance(given, tuple):
                raise TypeError(f"Argument '{what}' has incorrect type (expected tuple, got {type(given).__name__})")
        loaded = self._loaded()
        kernel, made = loaded.compiled(self.name)
        args = tuple(args)
        if len(args) != len(made.params):
            listed = ", ".join(f"{kind} {name}" for name, kind in made.params)
            raise launch.ArgumentFault(
                f"{self.name} takes {len(made.params)} arguments ({listed}), {len(args)} were given: a GPU would "
                + ("read what lies behind them." if len(args) < len(made.params) else "leave out the last."),
                kernel=self.name,
            )
        passed: list[Any] = []
        crooked: launch.Crooked = []
        for value, (name, kind) in zip(args, made.params, strict=True):
            if isinstance(kind, Pointer):
                memory = launch.pointer(value, kind, name, self.name)
                if launch.misaligned(memory, kind):
                    crooked.append((memory, name, kind))
                passed.append(memory)
            elif isinstance(kind, Struct):
                passed += launch.members(value, kind, name, self.name)
            else:
                passed.append(launch.number(value, kind, name, self.name))
        passed += [loaded.variable(name)._a for name in made.variables]
        dims = [tuple(max(1, int(n)) for n in (tuple(d) + (1, 1))[:3]) for d in (grid, block)]
        if shared_mem > self._dynamic:
            from ..cuda._errors import CUDADriverError

            error = CUDADriverError(1)
            error.add_note(
                f"{shared_mem} bytes of dynamic shared memory: more than {self._dynamic} must be allowed by setting "
                f"max_dynamic_shared_size_bytes of the kernel first"
            )
            raise error
        kernel.limits = dataclasses.replace(
            limits.DEVICE, shared=max(limits.DEVICE.shared, self._dynamic + made.shared)
        )
        with activity.on(None if stream is None else int(stream.ptr)):
            launch.launched(
                kernel, *dims, tuple(passed), int(shared_mem), bool(self.enable_cooperative_groups), crooked
            )

    def compile(self, log_stream: Any = None) -> None:
        """Compile now, and not when it is first launched."""
        self._loaded().compiled(self.name)

    @property
    def attributes(self) -> dict[str, int]:
        """What the driver knows of the kernel; -1 for what is not simulated."""
        return {name: self._attribute(name) for name in _ATTRIBUTES}

    def _attribute(self, name: str) -> int:
        self.compile()
        known = {
            "max_threads_per_block": 1024,
            "shared_size_bytes": self._loaded().compiled(self.name)[1].shared,
            "max_dynamic_shared_size_bytes": self._dynamic,
            "preferred_shared_memory_carveout": self._carveout,
            "cache_mode_ca": 0,
        }
        return known.get(name, -1)

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Bytes of dynamic shared memory that a launch may ask for."""
        return self._attribute("max_dynamic_shared_size_bytes")

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: int) -> None:
        if not 0 <= value <= _MOST - self._attribute("shared_size_bytes"):
            from ..cuda._errors import CUDADriverError

            raise CUDADriverError(1)
        self._dynamic = int(value)

    @property
    def preferred_shared_memory_carveout(self) -> int:
        """How much of the cache shared memory should get, in percent."""
        return self._attribute("preferred_shared_memory_carveout")

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, value: int) -> None:
        self._carveout = int(value)

    def __getattr__(self, name: str) -> Any:
        if name in ("max_threads_per_block", "shared_size_bytes", "cache_mode_ca"):
            return self._attribute(name)
        if name in _ATTRIBUTES:
            raise NotSimulatedAttribute(f"cupy.RawKernel.{name}")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __getstate__(self) -> dict[str, Any]:
        names = (
            "code", "name", "options", "backend", "translate_cucomplex", "file_path", "name_expressions",
            "enable_cooperative_groups", "jitify", "raw_ver",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("raw_ver") != self.raw_ver:
            import pickle

            raise pickle.UnpicklingError(
                "The pickled RawKernel object is not supported by the current CuPy version. It should not be used. Please "
                "recompile."
            )
        self.__init__(
            state["code"], state["name"], state["options"], state["backend"],
            translate_cucomplex=state["translate_cucomplex"], jitify=state["jitify"],
            enable_cooperative_groups=state["enable_cooperative_groups"],
        )  # fmt: skip
        self.file_path, self.name_expressions = state["file_path"], state["name_expressions"]


@extension_type("cupy._core.raw")
class RawModule:
    """Kernels and variables of one CUDA C++ source; all parameters are CuPy's."""

    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | None = None,
        options: tuple = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Any = None,
        jitify: Any = None,
    ):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        self.name_expressions = None
        if name_expressions is not None:
            if code is None:
                raise ValueError("need CUDA C++ code for the requested kernels")
            if backend != "nvrtc":
                raise ValueError("only nvrtc supports retrieving the mangled names for the given name expressions")
            self.name_expressions = tuple(name_expressions)
        if jitify:
            if code is None:
                raise ValueError("Jitify does not support precompiled objects")
            if backend != "nvrtc":
                raise ValueError("Jitify only supports NVRTC")
        if path is not None and os.path.exists(path):
            raise NotSimulatedError("cupy.RawModule of compiled code (cubin, ptx)", "cupy.RawModule(code=…)")
        self.code, self.file_path, self.options, self.backend = code, path, options, backend
        self.translate_cucomplex, self.jitify = translate_cucomplex, jitify
        self.enable_cooperative_groups = enable_cooperative_groups

    @property
    def module(self) -> Any:
        """The compiled module: its ``mapping`` has the names of the name expressions."""
        if self.code is None:
            from ..cuda._errors import CUDADriverError

            raise CUDADriverError(301)
        return load(self.code, self.options, self.name_expressions, bool(self.jitify) or self.backend == "nvcc")

    def compile(self, log_stream: Any = None) -> None:
        """Compile now, and not when a kernel is first asked for."""
        self.module  # noqa: B018

    def get_function(self, name: str) -> RawKernel:
        """A kernel by its name, or by one of the name expressions."""
        mapped = self.module.mapping.get(name, name)
        made = RawKernel(
            self.code, mapped, self.options, self.backend, jitify=self.jitify or None,
            enable_cooperative_groups=self.enable_cooperative_groups,
        )  # fmt: skip
        made.name_expressions = self.name_expressions
        made.compile()
        return made

    def get_global(self, name: str) -> Any:
        """A pointer to a variable of the source."""
        return self.module.variable(name).data
