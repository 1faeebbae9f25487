"""`CUDADispatcher`: what ``@cuda.jit`` makes of a function, and how it is launched."""

from __future__ import annotations

import functools
import math
import pickle
import sys
import threading
import types as pytypes
from typing import Any

from numba.core import serialize, sigutils, types

from gpusim.device import activity, device, queue
from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels import limits
from gpusim.kernels.driver_errors import LaunchError
from gpusim.kernels.frontend.python import source as sources

from . import _arguments, _generated, _streams, _warn
from .errors import missing_launch_config_msg, normalize_kernel_dimensions


def _for_each(name: str, doc: str) -> Any:
    """A method that asks compiled kernels for an attribute, or for what a method of theirs returns."""
    inspects = name.startswith("inspect_")

    def of(kernel: _Kernel) -> Any:
        return getattr(kernel, name)() if inspects else getattr(kernel, name)

    def method(self: CUDADispatcher, signature: Any = None) -> Any:
        if signature is not None:
            return of(self.overloads[tuple(getattr(signature, "args", signature))])
        if self.specialized and not inspects:
            return of(next(iter(self.overloads.values())))
        return {kinds: of(kernel) for kinds, kernel in self.overloads.items()}

    method.__name__ = name if inspects else f"get_{name}"
    method.__doc__ = f"{doc}, by argument types or for one signature."
    return method


class CUDADispatcher(serialize.ReduceMixin):
    """A kernel or device function.

    ``kernel[grid, block](…)`` launches it, also with a stream and bytes of dynamic shared memory after the block.

    Attributes
    ----------
    py_func : function
        The Python function.
    targetoptions : dict
        What `jit` was given.
    overloads : dict
        The compiled versions by their argument types.
    specialized : bool
        Whether there is exactly one, and will be.
    """

    def __init__(self, py_func: Any, targetoptions: dict):
        self.py_func = py_func
        self.targetoptions = targetoptions
        self.overloads: dict[tuple, _Kernel] = {}
        self.specializations: dict = {}
        self._specialized = False
        self._can_compile = True
        self._device_signatures: list = []
        self._casting: Any = None
        self._configurations: dict = {}
        self._engine_kernel: Any = None
        self._lock = threading.RLock()
        code = py_func.__code__
        self._arity = code.co_argcount
        sources.keep(py_func)
        functools.update_wrapper(self, py_func)

    @property
    def __gpusim_device__(self) -> Any:
        """What the engine puts in place of a call: the Python function, in its declared types if it has some."""
        if len(self._device_signatures) != 1:
            return self.py_func
        with self._lock:
            if self._casting is None:
                plain = CUDADispatcher(self.py_func, self.targetoptions)
                self._casting = _generated.casting(plain, *self._device_signatures[0]) or self.py_func
            return self._casting

    @property
    def _kernel(self) -> Any:
        """The engine's kernel, made when it is first needed."""
        with self._lock:
            if self._engine_kernel is None:
                from gpusim.kernels import Kernel

                options = self.targetoptions
                made = Kernel(
                    self.py_func,
                    debug=bool(options.get("debug")),
                    opt=bool(options.get("opt", True)),
                    fastmath=bool(options.get("fastmath")),
                    max_registers=options.get("max_registers"),
                    lineinfo=bool(options.get("lineinfo")),
                )
                _refuse_captured(made.function(), self.__name__)
                self._engine_kernel = made
            return self._engine_kernel

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.py_func})"

    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return self if obj is None else pytypes.MethodType(self, obj)

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self)

    @property
    def specialized(self) -> bool:
        return self._specialized

    @property
    def signatures(self) -> list[tuple]:
        """The argument types that it is compiled for."""
        return list(self.overloads)

    @property
    def nopython_signatures(self) -> list:
        """The signatures that it is compiled for."""
        return [types.void(*kinds) for kinds in self.overloads]

    @property
    def extensions(self) -> list:
        """Objects whose ``prepare_args(ty, val, stream, retr)`` each argument passes before it is launched."""
        return self.targetoptions.get("extensions")

    def disable_compile(self, val: bool = True) -> None:
        """Compile no more versions."""
        assert not val or self.overloads or self._device_signatures
        self._can_compile = not val

    def enable_caching(self) -> None:
        """Compiled kernels are kept for as long as the process lives, and no longer."""

    def configure(self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> _LaunchConfiguration:
        """The kernel with a launch configuration.

        Raises
        ------
        ValueError, TypeError
            If that is no configuration.
        """
        key = (
            *(tuple(dim) if isinstance(dim, list) else dim for dim in (griddim, blockdim)), stream, sharedmem,
        )  # fmt: skip
        try:
            found = self._configurations.get(key)
        except TypeError:  # an array, say: the check below says what is wrong with it
            found = None
        if found is None:
            griddim, blockdim = normalize_kernel_dimensions(griddim, blockdim)
            found = _LaunchConfiguration(self, griddim, blockdim, stream, sharedmem)
            if len(self._configurations) >= 128:
                self._configurations.clear()
            self._configurations[key] = found
        return found

    def __getitem__(self, args: Any) -> _LaunchConfiguration:
        if not isinstance(args, tuple) or len(args) not in (2, 3, 4):
            # Numba asks a lone number for its length, which is a TypeError.
            raise (ValueError if isinstance(args, tuple) else TypeError)(
                "must specify at least the griddim and blockdim: "
                f"{self.__name__}[blocks, threads_per_block](…), then a stream and bytes of dynamic shared memory"
            )
        return self.configure(*args)

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> ForAll:
        """The kernel for ``ntasks`` threads or a few more, in blocks of ``tpb`` (chosen by default)."""
        return ForAll(self, ntasks, tpb=tpb, stream=stream, sharedmem=sharedmem)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.targetoptions.get("device"):
            raise ValueError(
                f"{self.__name__} is a device function: it is called by kernels. To try it on the host, call "
                f"{self.__name__}.py_func(…).{missing_launch_config_msg}"
            )
        raise ValueError(missing_launch_config_msg)

    def typeof_pyval(self, val: Any) -> Any:
        """The Numba type of an argument."""
        return _arguments.typeof(val)

    def call(self, args: tuple, launch_config: _LaunchConfiguration) -> None:
        """Launch with some arguments: compile if necessary, copy host arrays in, queue the kernel, copy them out."""
        if len(args) != self._arity:
            which = "not enough" if len(args) < self._arity else "too many"
            raise TypeError(f"{which} arguments: expected {self._arity}, got {len(args)}")
        kinds = tuple(map(self.typeof_pyval, args))
        overload = self._choose(kinds)
        for callback in launch_config.pre_launch_callbacks:
            callback(overload, launch_config)
        overload.launch(
            args, launch_config.griddim, launch_config.blockdim, launch_config.stream, launch_config.sharedmem
        )
        self.overloads.setdefault(overload.argument_types, overload)

    def _choose(self, kinds: tuple) -> _Kernel:
        if self.targetoptions.get("device"):
            raise RuntimeError(
                f"Cannot compile a device function as a kernel: {self.__name__} was decorated with device=True, and a "
                "kernel has to call it"
            )
        found = self.overloads.get(kinds)
        if found is not None:
            return found
        if self._can_compile:
            _arguments.refuse_container(self.py_func, kinds)
            return _Kernel(self, kinds)
        from numba.core.registry import cpu_target
        from numba.core.typeconv.rules import default_type_manager

        declared = list(self.overloads)
        for each in declared:
            cpu_target.typing_context.install_possible_conversions(kinds, each)
        try:
            best = default_type_manager.select_overload(kinds, declared, True, False)
        except TypeError as error:
            if "mbiguous" in str(error):
                fitting = "\n".join(map(str, declared))
                raise TypeError(
                    f"Ambiguous overloading for {self.py_func} {kinds}:\n{fitting}\nConvert the arguments to one of these."
                ) from None
            best = None
        if best is None:
            known = "\n".join(f"  {'(' + ', '.join(map(str, each)) + ')'}" for each in declared)
            raise TypeError(
                f"No matching definition for argument type(s) {', '.join(map(str, kinds))}\n"
                f"{self.__name__} was declared for:\n{known}\nConvert the arguments, or leave the signature out."
            )
        return self.overloads[declared[best]]

    def compile(self, sig: Any) -> _Kernel:
        """Compile for a signature.

        Raises
        ------
        RuntimeError
            If there are signatures, and this is none of them.
        """
        kinds, restype = sigutils.normalize_signature(sig)
        assert restype is None or restype == types.none
        kinds = tuple(kinds)
        if self.specialized:
            return next(iter(self.overloads.values()))
        if kinds not in self.overloads:
            if not self._can_compile:
                raise RuntimeError("Compilation disabled")
            made = _Kernel(self, kinds)
            made.bind()
            self.overloads[kinds] = made
        return self.overloads[kinds]

    def compile_device(self, args: tuple, return_type: Any = None) -> None:
        """Note the types that a device function is declared with."""
        self._device_signatures.append((tuple(args), return_type))

    def specialize(self, *args: Any) -> CUDADispatcher:
        """A kernel for exactly the types of some arguments."""
        if self.specialized:
            raise RuntimeError("Dispatcher already specialized")
        kinds = tuple(a if isinstance(a, types.Type) else self.typeof_pyval(a) for a in args)
        key = device.COMPUTE_CAPABILITY, kinds
        if key not in self.specializations:
            made = CUDADispatcher(self.py_func, self.targetoptions)
            made.compile(key[1])
            made.disable_compile()
            made._specialized = True
            self.specializations[key] = made
        return self.specializations[key]

    def recompile(self) -> None:
        """Compile all versions anew."""
        with self._lock:
            kinds, self._engine_kernel = list(self.overloads), None
            self.overloads.clear()
            for each in kinds:
                self.overloads[each] = _Kernel(self, each)

    def _most_threads(self) -> int:
        bounds = self.targetoptions.get("launch_bounds")
        bounds = bounds[0] if isinstance(bounds, (tuple, list)) else bounds
        return int(bounds) if bounds else limits.DEVICE.threads

    get_regs_per_thread = _for_each("regs_per_thread", "Registers of a thread, of the real compiler")
    get_const_mem_size = _for_each("const_mem_size", "Bytes of constant memory")
    get_shared_mem_per_block = _for_each("shared_mem_per_block", "Bytes of static shared memory of a block")
    get_max_threads_per_block = _for_each("max_threads_per_block", "The largest block")
    get_local_mem_per_thread = _for_each(
        "local_mem_per_thread", "Bytes of local memory of a thread, of the real compiler"
    )
    inspect_llvm = _for_each("inspect_llvm", "LLVM code for a GPU, of the real compiler")
    inspect_asm = _for_each("inspect_asm", "PTX, of the real compiler")
    inspect_sass = _for_each("inspect_sass", "A GPU's machine code, of the real compiler")

    def inspect_sass_cfg(self, signature: Any = None) -> Any:
        """A GPU's machine code as a graph: not simulated."""
        raise NotSimulatedError("inspect_sass_cfg()", "inspect_sass()")

    def inspect_lto_ptx(self, signature: Any = None) -> Any:
        """PTX after link-time optimisation: not simulated."""
        raise NotSimulatedError("inspect_lto_ptx()", "inspect_asm()")

    def inspect_types(self, file: Any = None) -> None:
        """Print the source with the types that Numba found."""
        file = sys.stdout if file is None else file
        for overload in self.overloads.values():
            overload.inspect_types(file=file)

    @classmethod
    def _rebuild(cls, py_func: Any, targetoptions: dict, signatures: list, specialized: bool) -> CUDADispatcher:
        made = cls(py_func, targetoptions)
        if targetoptions.get("device"):
            made._device_signatures = signatures
        else:
            for kinds in signatures:
                made.overloads[kinds] = _Kernel(made, kinds)
            made._can_compile = not signatures
            made._specialized = specialized
        return made

    def _reduce_states(self) -> dict[str, Any]:
        sources.remember(self.py_func)  # a worker cannot read this process's notebook
        declared = [] if self._can_compile else list(self.overloads)
        if self.targetoptions.get("device"):
            declared = self._device_signatures
        return {
            "py_func": self.py_func,
            "targetoptions": self.targetoptions,
            "signatures": declared,
            "specialized": self._specialized,
        }


def _refuse_captured(function: Any, name: str) -> None:
    """Device arrays that a kernel takes from its surroundings would be taken for constants."""
    for variable, value in function.env.items():
        if hasattr(value, "__cuda_array_interface__"):
            raise NotSimulatedError(
                f"a kernel that uses a device array ({variable}) without taking it as an argument",
                f"{name}[…](…, {variable})",
            )
    for callee in function.functions.values():
        _refuse_captured(callee, name)


# A kernel together with how it is to be launched.


class ForAll:
    """A kernel to be launched on at least ``ntasks`` threads of a 1-d grid."""

    def __init__(self, dispatcher: Any, ntasks: int, tpb: int, stream: Any, sharedmem: int):
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        self.dispatcher, self.ntasks, self.thread_per_block = dispatcher, ntasks, tpb
        self.stream, self.sharedmem = stream, sharedmem

    def __call__(self, *args: Any) -> None:
        if self.ntasks == 0:
            return
        threads = self.thread_per_block or self.dispatcher._most_threads()
        blocks = (self.ntasks + threads - 1) // threads
        self.dispatcher[blocks, threads, self.stream, self.sharedmem](*args)


class _LaunchConfiguration:
    """A kernel with its grid, block, stream and dynamic shared memory: call it with the arguments.

    Attributes
    ----------
    griddim, blockdim : tuple of int
    stream : Stream or 0
    sharedmem : int
        Bytes.
    pre_launch_callbacks : list
        Called with ``(kernel, configuration)`` before each launch.
    """

    def __init__(self, dispatcher: Any, griddim: tuple, blockdim: tuple, stream: Any, sharedmem: int):
        self.dispatcher, self.griddim, self.blockdim = dispatcher, griddim, blockdim
        self.stream, self.sharedmem = _streams.of(stream), sharedmem
        self.pre_launch_callbacks: list = []
        blocks = griddim[0] * griddim[1] * griddim[2]
        if blocks < 128:
            _warn.performance_warning(
                "CUDA_LOW_OCCUPANCY_WARNINGS",
                f"Grid size {blocks} will likely result in GPU under-utilization due to low occupancy.",
            )

    def __call__(self, *args: Any) -> None:
        return self.dispatcher.call(args, self)

    def __getstate__(self) -> dict[str, Any]:
        if self.pre_launch_callbacks:
            raise pickle.PicklingError("Cannot pickle configured launches with pre-launch callbacks")
        return self.__dict__ | {"stream": int(self.stream)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.stream = _streams.Stream(state["stream"]) if state["stream"] else 0


# A kernel for one set of argument types.

_NEAREST = "inspect_types()"
_NOTE = "Kernels are compiled for this CPU, so there is no code for a GPU."
_BRINGS = "`pip install 'kernellens[compiler]'` brings NVIDIA's compiler, which needs no GPU."


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
        with activity.on(int(stream) if stream else None):
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

    @property
    def signature(self) -> Any:
        """Its signature."""
        from numba.core import types

        return types.void(*self.argument_types)

    @property
    def regs_per_thread(self) -> int:
        """Registers of a thread, of the real compiler."""
        return self._asked("registers", "the number of registers of a kernel", "get_shared_mem_per_block()")

    @property
    def shared_mem_per_block(self) -> int:
        """Bytes of static shared memory of a block."""
        self.bind()
        if self._compiled is None:
            raise NotSimulatedError("the shared memory of a kernel that is interpreted", None, "It is not compiled.")
        return int(self._compiled.shared.nbytes)

    @property
    def local_mem_per_thread(self) -> int:
        """Bytes of local memory of a thread, of the real compiler: it keeps some local arrays in registers, and spills others."""
        return self._asked("stack", "the local memory of a kernel", "get_shared_mem_per_block()")

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
        """LLVM code for a GPU, of the real compiler."""
        return self._code("llvm")

    def inspect_asm(self, cc: Any = None) -> str:
        """PTX, of the real compiler."""
        return self._code("asm", cc)

    def inspect_sass(self) -> str:
        """A GPU's machine code, of the real compiler."""
        return self._code("sass")

    def _code(self, what: str, cc: Any = None) -> str:
        return self._asked(what, f"inspect_{what}()", _NEAREST, cc)

    def _asked(self, what: str, name: str, nearest: str, cc: Any = None) -> Any:
        """What a package that brings the real compiler says of the kernel."""
        from importlib.metadata import entry_points

        compilers = entry_points(group="gpusim.compiler")
        if not compilers:
            raise NotSimulatedError(name, nearest, f"{_NOTE} {_BRINGS}")
        return next(iter(compilers)).load()(self._dispatcher, self.argument_types, what, cc)
