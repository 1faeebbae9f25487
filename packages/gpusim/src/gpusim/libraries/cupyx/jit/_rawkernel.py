"""Kernels written in Python and typed by CuPy's rules."""

from __future__ import annotations

import functools
import inspect
import warnings
from typing import Any

import numpy as np

from gpusim.device import activity
from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.frontend.cuda_cpp.c_types import OF_DTYPE, Carray
from gpusim.kernels.frontend.cuda_cpp.errors import Code
from gpusim.kernels.frontend.python import source as sources

from . import _types
from ._objects import Array, Number


class JitRawKernel:
    """A kernel, or with ``device=True`` a function for kernels, that ``rawkernel`` made of a Python function.

    ``kernel(grid, block, args)`` or ``kernel[grid, block](*args)`` launches it.
    """

    def __init__(self, func: Any, mode: str, device: bool):
        sources.keep(func)
        self._func, self._mode, self._device = func, mode, device
        self._made: dict[tuple, Any] = {}
        self._kernels: dict[tuple, Any] = {}
        self._codes: dict[tuple, str] = {}
        self._making: set[tuple] = set()

    def __call__(self, grid: tuple, block: tuple, args: Any, shared_mem: int = 0, stream: Any = None) -> None:
        """Launch over a grid of blocks, with bytes of dynamic shared memory."""
        from cupy import ndarray
        from cupy._c_kernels import launch

        kinds = []
        for arg in args:
            if isinstance(arg, ndarray):
                kinds.append(("array", arg.dtype, arg.ndim))
            elif np.isscalar(arg):
                kinds.append(("number", _types.constant_type(self._mode, arg), 0))
            else:
                raise TypeError(f"{type(arg)} is not supported for RawKernel")
        key = tuple(kinds)
        if key not in self._kernels:
            from gpusim.kernels import Kernel

            made, _, cooperative = self._translated(key, kernel=True)
            self._kernels[key] = Kernel(made.python, name=self._func.__name__), cooperative
        kernel, cooperative = self._kernels[key]
        passed: list[Any] = []
        for arg, (how, dtype, ndim) in zip(args, kinds, strict=True):
            if how == "number":
                passed.append(dtype.type(arg))
                continue
            view = arg._a
            passed += [view if ndim else view.reshape(1), np.int64(view.size)]
            passed += [*map(np.int64, view.shape), *map(np.int64, view.strides)]
        dims = []
        for given in (grid, block):
            given = given if isinstance(given, tuple) else (given,)
            dims.append(tuple(max(1, int(n)) for n in (*given, 1, 1)[:3]))
        with activity.on(None if stream is None else int(stream.ptr)):
            launch.launched(kernel, *dims, tuple(passed), int(shared_mem), cooperative)

    def __getitem__(self, grid_and_block: Any) -> Any:
        """``kernel[grid, block]``, to be called with the arguments."""
        grid, block = (d if isinstance(d, tuple) else (d, 1, 1) for d in grid_and_block)
        return lambda *args, **kwargs: self(grid, block, args, **kwargs)

    def _translated(self, kinds: tuple, *, kernel: bool) -> tuple[Any, Any, bool]:
        """The function for arguments of some kinds: for the engine, with the dtype it returns and whether it syncs the grid."""
        key = kinds, kernel
        if key in self._making:
            raise ValueError("Recursive function is not supported.")
        if key not in self._made:
            self._making.add(key)
            try:
                self._made[key] = self._translate(kinds, kernel)
            finally:
                self._making.discard(key)
        return self._made[key]

    def _translate(self, kinds: tuple, kernel: bool) -> tuple[Any, Any, bool]:
        from gpusim.kernels.frontend.cuda_cpp.module import Module

        from ._transpile import JitError, Transpiler

        source, tree = sources.of(self._func)
        _check(tree, kinds)
        names = [a.arg for a in tree.args.args]
        params: dict[str, Any] = {}
        declared, raw = [], {}
        for name, (how, dtype, ndim) in zip(names, kinds, strict=True):
            if how == "array":
                params[name] = Array(name, dtype, ndim)
                declared.append(f"{_types.ctype(dtype)}* {name}")
                raw[name] = Carray(OF_DTYPE[dtype], ndim, name, True)
            else:
                params[name] = Number(name, dtype)
                declared.append(f"{_types.ctype(dtype)} {name}")
        found = inspect.getclosurevars(self._func)
        scope = {**found.builtins, **found.globals, **found.nonlocals}
        transpiler = Transpiler(tree, self._mode, scope, params, _device)
        head = 'extern "C" __global__' if kernel else "__device__"
        error = None
        try:
            text = transpiler.text(tree.name, head, declared)
        except JitError as wrong:
            error = wrong.reraised(source.text)
        if error is not None:
            raise error
        code = Code(text, tree.name, source.filename, source.text)
        module = Module(code, place=source)
        module.externals.update(transpiler.externals)
        self._codes[kinds] = text
        made = module.kernel(tree.name, raw) if kernel else module.device(tree.name, module.helper, None, raw)
        cooperative = transpiler.cooperative or any(m.cooperative for m in transpiler.externals.values())
        made.cooperative = cooperative
        return made, transpiler.returns, cooperative

    @property
    def cached_codes(self) -> dict[tuple, str]:
        """The C++ code by the types of the arguments it was made for."""
        if not self._codes:
            warnings.warn(
                "No codes are cached because compilation is deferred until the first function call.", stacklevel=2
            )
        return dict(self._codes)

    @property
    def cached_code(self) -> str:
        """One of the `cached_codes`."""
        codes = self.cached_codes
        if len(codes) > 1:
            warnings.warn(
                "The input types of the kernel could not be inferred. Please use `.cached_codes` instead.", stacklevel=2
            )
        return next(iter(codes.values()))


def _check(tree: Any, kinds: tuple) -> None:
    """Refuse what CuPy refuses of a function's parameters."""
    given = tree.args
    if given.vararg is not None:
        raise NotImplementedError("`*args` is not supported currently.")
    if given.kwonlyargs:
        raise NotImplementedError("keyword only arguments are not supported currently .")
    if given.kwarg is not None:
        raise NotImplementedError("`**kwargs` is not supported currently.")
    if given.defaults:
        raise NotImplementedError("Default values are not supported currently.")
    if len(given.args) != len(kinds):
        raise TypeError(f"{tree.name}() takes {len(given.args)} positional arguments but {len(kinds)} were given.")


def _device(transpiler: Any, called: JitRawKernel, args: list) -> Any:
    """A call of a device function from a kernel."""
    if not called._device:
        raise TypeError(f"Calling __global__ function {called._func.__name__} from __global__ function is not allowed.")
    kinds, codes = [], []
    for arg in args:
        if isinstance(arg, Array):
            if arg.indices:
                raise NotSimulatedError("a part of an array as an argument of a device function in a JIT kernel")
            kinds.append(("array", arg.dtype, arg.ndim))
            codes.append(arg.name)
        else:
            number = transpiler.number(arg)
            kinds.append(("number", number.dtype, 0))
            codes.append(number.code)
    made, returns, cooperative = called._translated(tuple(kinds), kernel=False)
    name = f"{called._func.__name__}_{abs(hash((id(called), tuple(kinds)))) % 10**8}"
    transpiler.externals[name] = made
    transpiler.cooperative |= cooperative
    return Number(f"{name}({', '.join(codes)})", np.int32 if returns is None else returns)


def rawkernel(*, mode: str = "cuda", device: bool = False) -> Any:
    """A decorator that makes a kernel of a Python function.

    Parameters
    ----------
    mode : str
        ``"cuda"``: Python's ints are int32 and floats float32, and types are promoted as CUDA does; ``"numpy"``: as NumPy.
    device : bool
        Whether it is a function for kernels.
    """
    warnings.warn(
        "cupyx.jit.rawkernel is experimental. The interface can change in the future.", FutureWarning, stacklevel=2
    )

    def wrapper(func: Any) -> JitRawKernel:
        return functools.update_wrapper(JitRawKernel(func, mode, device), func)

    return wrapper
