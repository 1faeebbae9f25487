"""ElementwiseKernel: an operation in C++ on each element."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from gpusim.device import activity, queue
from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.frontend.cuda_cpp.c_types import OF_DTYPE, Carray, Scalar

from . import launch, params
from .params import FLOAT16, Number, Operands, parsed

CHUNK = 8192
"""Elements of a thread where all of them are plain."""
_ALL = (
    "for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _gpusim_n; "
    "i += (ptrdiff_t)gridDim.x * blockDim.x) {"
)
_SOME = (
    f"const ptrdiff_t _end = (ptrdiff_t)(blockIdx.x + 1) * {CHUNK} < _gpusim_n ? (ptrdiff_t)(blockIdx.x + 1) * {CHUNK} : _gpusim_n;\n"
    f"for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * {CHUNK}; i < _end; ++i) {{"
)
ATOMICS = {"Add": frozenset(("i8",)), "Max": frozenset(("f4", "f8")), "Min": frozenset(("f4", "f8"))}
"""Types that CuPy's own header adds to CUDA's atomics."""


class ElementwiseKernel:
    """An operation on each element, written in C++; the parameters are CuPy's.

    The operation sees its parameters by name and the number of the element as ``i``; what is declared ``raw`` is indexed by
    the operation itself.
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        **kwargs: Any,
    ):
        from ..cuda.compiler import is_valid_kernel_name

        if not is_valid_kernel_name(name):
            raise ValueError(f'Invalid kernel name: "{name}"')
        unknown = set(kwargs) - {"loop_prep", "after_loop", "options"}
        if unknown:
            raise TypeError(f"ElementwiseKernel() got an unexpected keyword argument '{sorted(unknown)[0]}'")
        self.in_params, self.out_params = parsed(in_params, True), parsed(out_params, False)
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.params = self.in_params + self.out_params
        self.operation, self.name, self.preamble = operation, name, preamble
        self.reduce_dims, self.no_return, self.return_tuple, self.kwargs = reduce_dims, no_return, return_tuple, kwargs
        if "i" in [p.name for p in self.params]:
            raise ValueError("Can not use 'i' as a parameter name")
        self.__name__ = name
        self._made: dict[tuple, tuple] = {}
        self._made_quick: dict[tuple, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run over the broadcast of the arguments.

        Parameters
        ----------
        *args
            Arrays and numbers for the inputs, then, if wanted, arrays for the outputs.
        size : int
            How many elements, where all arrays are raw.
        block_size : int
            Threads of a block.
        """
        size, stream = kwargs.pop("size", -1), kwargs.pop("stream", None)
        block_size = kwargs.pop("block_size", 128)
        if kwargs:
            raise TypeError(f"Wrong arguments {kwargs}")
        if block_size <= 0:
            raise ValueError("block_size must be greater than zero")
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or {self.nargs} (with outputs), "
                f"but given {len(args)}."
            )
        for arg in args:
            if hasattr(arg, "__cupy_override_elementwise_kernel__"):
                return arg.__cupy_override_elementwise_kernel__(self, *args, **kwargs)
        given = params.prepared(args)
        views, shape = params.broadcast(given, self.params, size != -1)
        outs = given[self.nin :]
        in_types = [None if isinstance(a, Number) else a.dtype for a in given[: self.nin]]
        in_types, out_types, found = params.decide(self.in_params, self.out_params, in_types, [a.dtype for a in outs])
        if size != -1:
            shape = (int(size),)
        outs = params.outputs(outs, self.out_params, out_types, shape, size != -1)
        result = None if self.no_return else outs[0] if self.nout == 1 and not self.return_tuple else tuple(outs)
        if 0 in shape:
            return result
        with activity.on(None if stream is None else int(stream.ptr)):
            self._launch(views[: self.nin], outs, in_types, found, shape, block_size)
        return result

    def _launch(self, ins: list, outs: list, in_types: list, found: dict, shape: tuple, block_size: int) -> None:
        operands, values = Operands(), []
        kinds: list[tuple] = []
        writes = [o._a for o in outs]
        for a, p, dtype in zip([*ins, *outs], self.params, [*in_types, *(o.dtype for o in outs)], strict=True):
            if isinstance(a, Number):
                half = dtype == FLOAT16
                values.append(np.float32(a.of(dtype)) if half else a.of(dtype))
                kinds.append(("number", dtype, 0))
                continue
            view = a if isinstance(a, np.ndarray) else a._a
            out = p in self.out_params
            memory = operands.taken(view, read=not out or p.raw, written=not p.is_const)
            values.append(memory)
            if p.raw:
                contiguous = np.empty(view.shape, np.int8).strides
                values += [np.int64(view.size), *map(np.int64, view.shape)]
                values += [np.int64(s * view.dtype.itemsize) for s in contiguous]
                kinds.append(("raw", dtype, view.ndim))
            else:
                aliased = not out and any(np.may_share_memory(view, w) for w in writes)
                kinds.append(("out" if out else "alias" if aliased else "in", dtype, 0))
        total = int(np.prod(shape, dtype=np.int64))
        values.append(np.int64(total))
        key = tuple(kinds), tuple(found.items()), len(shape)
        if "_ind" in self.operation:
            values += [np.empty(0, np.int32), np.int64(total), *map(np.int64, shape), *map(np.int64, shape)]
        kernel = self._quick(key) if total >= CHUNK and params.unwatched() else None
        if kernel is not None and kernel.compiled(tuple(values)) is None:
            kernel = None  # interpreted, a thread for each element is faster
        grid, block = (-(-total // block_size), 1, 1), (min(block_size, total), 1, 1)
        if kernel is not None:
            grid, block = (-(-total // CHUNK), 1, 1), (1, 1, 1)
        with queue.suspended_account():
            launch.launched(kernel or self._compiled(key), grid, block, tuple(values), 0, False)
            operands.put_back()
        operands.count(self)

    def _compiled(self, key: tuple) -> Any:
        if key not in self._made:
            kinds, found, ndim = key
            text, raw = self._code(kinds, dict(found), ndim)
            defines = tuple(o[2:] for o in self.kwargs.get("options", ()) if o.startswith("-D"))
            self._made[key] = _compiled(text, self.name, defines, tuple(raw.items())), text
        return self._made[key][0]

    def _quick(self, key: tuple) -> Any:
        """A kernel whose threads take many elements each, which the compiler makes vector code of; None for what is not plain.

        Each element is at its place in all arrays, so nothing can go past an end and no two threads meet.
        """
        if key not in self._made_quick:
            kinds, found, ndim = key
            plain = not any(how == "raw" for how, _, _ in kinds) and not self.kwargs
            made = None
            if plain and params.plain(self.operation, self.preamble):
                text, _ = self._code(kinds, dict(found), ndim, _SOME)
                made = _compiled(text, self.name, (), (), 1)
            self._made_quick[key] = made
        return self._made_quick[key]

    def _code(
        self, kinds: tuple, found: dict[str, np.dtype], ndim: int, loop: str = _ALL
    ) -> tuple[str, dict[str, Carray]]:
        declared, first, raw = [], [], {}
        for p, (how, dtype, n) in zip(self.params, kinds, strict=True):
            ctype = "float" if dtype == FLOAT16 else p.ctype  # the copy of an array of float16
            const = "const " if p.is_const else ""  # as CuPy declares them
            if how == "number":
                declared.append(f"{const}{p.ctype} {p.name}")
            elif how == "raw":
                declared.append(f"{const}{ctype}* {p.name}")
                raw[p.name] = Carray(_scalar(dtype), n, p.name)
            else:
                declared.append(f"{ctype}* _raw_{p.name}")
                reference = "&" if how in ("out", "alias") else ""
                kind = ctype if reference else f"const {p.ctype}"
                first.append(f"{kind} {reference}{p.name} = _raw_{p.name}[i];")
        declared.append("long long _gpusim_n")
        if "_ind" in self.operation:
            declared.append("int* _ind")
            raw["_ind"] = Carray(_scalar(np.dtype(np.int32)), ndim, "_ind", indexer=True)
        text = (
            f"{params.typedefs(found, 'float16')}{self.preamble}\n"
            f'extern "C" __global__ void {self.name}({", ".join(declared)}) {{\n'
            f"{self.kwargs.get('loop_prep', '')};\n{loop}\n{chr(10).join(first)}\n{self.operation};\n}}\n"
            f"{self.kwargs.get('after_loop', '')};\n}}\n"
        )
        return text, raw

    @property
    def _cached_codes(self) -> dict[tuple, str]:
        return {tuple(t for how, t, _ in key[0] if how != "number"): text for key, (_, text) in self._made.items()}

    @property
    def cached_codes(self) -> dict[tuple, str]:
        """The C++ code by the types of the arrays it was made for."""
        if not self._made:
            warnings.warn(
                "No codes are cached because compilation is deferred until the first function call.", stacklevel=2
            )
        return self._cached_codes

    @property
    def cached_code(self) -> str:
        """One of the `cached_codes`."""
        codes = self.cached_codes
        if len(codes) > 1:
            warnings.warn(
                "The input types of the kernel could not be inferred. Please use `.cached_codes` instead.", stacklevel=2
            )
        return next(iter(codes.values()))


@functools.lru_cache(maxsize=512)
def _compiled(
    text: str, name: str, defines: tuple[str, ...], raw: tuple[tuple[str, Carray], ...], within: int = 0
) -> Any:
    """The engine's kernel for some C++: the same one for every object that says the same."""
    from gpusim.kernels import Kernel

    made = launch.translated(params.code(text, name), defines, ATOMICS).kernel(name, dict(raw))
    if made.variables:
        raise NotSimulatedError("a variable outside of functions in an elementwise kernel")
    return Kernel(made.python, name=name, within=within)


def _scalar(dtype: np.dtype) -> Scalar:
    return OF_DTYPE[np.dtype(np.float32) if dtype == FLOAT16 else dtype]


ElementwiseKernel.__module__ = "cupy._core._kernel"
