"""ReductionKernel: a reduction whose mapping and combining are written in C++."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from gpusim.device import activity, queue
from gpusim.importing.errors import NotSimulatedError

from . import launch, params
from .params import FLOAT16, Number, Operands, parsed

_BLOCK = 512  # CuPy's threads of a block
_THREADS = 128
_LOOP = re.compile(r"\b(for|while|do)\b")


class ReductionKernel:
    """A reduction written in C++; the parameters are CuPy's.

    Elements are combined as CuPy's own kernel does it: each of up to 512 threads takes every 512th element, then the threads'
    results are combined pairwise.
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: tuple = (),
    ):
        from ..cuda.compiler import is_valid_kernel_name

        if not is_valid_kernel_name(name):
            raise ValueError(f'Invalid kernel name: "{name}"')
        for given, what in ((in_params, "in_params"), (out_params, "out_params")):
            if not isinstance(given, str):
                raise TypeError(f"Argument '{what}' has incorrect type (expected str, got {type(given).__name__})")
        self.name = self.__name__ = name
        self.identity = "" if identity is None else str(identity)
        self.in_params, self.out_params = parsed(in_params, True), parsed(out_params, False)
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.reduce_type = self.out_params[0].ctype if reduce_type is None else reduce_type
        self.reduce_dims, self.preamble, self.options = reduce_dims, preamble, options
        self._made: dict[tuple, tuple] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Reduce over `axis` (all axes by default), into `out` if it is given; `keepdims` keeps axes of length 1."""
        out, axis = kwargs.pop("out", None), kwargs.pop("axis", None)
        keepdims, stream = kwargs.pop("keepdims", False), kwargs.pop("stream", None)
        if kwargs:
            raise TypeError(f"Wrong arguments {kwargs}")
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name}")
        outs = list(args[self.nin :])
        if out is not None:
            if self.nout != 1:
                raise NotImplementedError("")
            if outs:
                raise ValueError("cannot specify 'out' as both a positional and keyword argument")
            outs = [out]
        ins, outs = params.prepared(args[: self.nin]), params.prepared(tuple(outs))
        views, shape = params.broadcast(ins, self.in_params, False)
        types = [[None if isinstance(a, Number) else a.dtype for a in each] for each in (ins, outs)]
        in_types, out_types, found = params.decide(self.in_params, self.out_params, *types)
        reduced, kept = _axes(axis, len(shape))
        out_shape = (
            tuple(1 if k in reduced else n for k, n in enumerate(shape)) if keepdims else tuple(shape[k] for k in kept)
        )
        outs = params.outputs(outs, self.out_params, out_types, out_shape, False)
        if outs[0].size == 0:
            return outs[0]
        if self.identity == "" and 0 in shape:
            raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
        with activity.on(None if stream is None else int(stream.ptr)):
            self._launch(views, outs, in_types, found, shape, (reduced, kept))
        return outs[0]

    def _launch(self, ins: list, outs: list, in_types: list, found: dict, shape: tuple, axes: tuple) -> None:
        reduced, kept = axes
        permuted = (*kept, *reduced)
        moved = tuple(reduced) + tuple(kept) != tuple(range(len(shape)))
        if moved and any(p.raw for p in (*self.in_params, *self.out_params)):
            raise NotImplementedError("Illegal conditions")
        operands = Operands()
        firsts, lasts, kinds = [], [], []
        for a, p, dtype in zip(ins, self.in_params, in_types, strict=True):
            if isinstance(a, Number):
                firsts.append(np.float32(a.of(dtype)) if dtype == FLOAT16 else a.of(dtype))
                kinds.append(("number", dtype))
                continue
            view = a._a if p.raw else a.transpose(permuted)
            firsts.append(operands.taken(view))
            kinds.append(("raw" if p.raw else "in", dtype))
        for a in outs:
            lasts.append(operands.taken(a._a, read=False, written=True))
            kinds.append(("out", a.dtype))
        count = int(np.prod([shape[k] for k in kept], dtype=np.int64))
        length = int(np.prod([shape[k] for k in reduced], dtype=np.int64))
        lanes = _BLOCK // (1 << max((_BLOCK // max(length, 1)), 1).bit_length() - 1)
        key = tuple(kinds), tuple(found.items())
        both, part_type = self._compiled(key, params.unwatched())
        parts = np.empty(count * lanes, part_type)
        sizes = (np.int64(count), np.int64(length), np.int64(lanes))
        if both[0].within and both[0].compiled((*firsts, parts, *sizes)) is None:
            both, _ = self._compiled(key, False)  # interpreted, many threads are faster
        threads = count if both[0].within else count * lanes
        with queue.suspended_account():
            for kernel, total, values in (
                (both[0], threads, (*firsts, parts, *sizes)),
                (both[1], count, (*firsts, *lasts, parts, *sizes)),
            ):
                grid = -(-total // _THREADS)
                launch.launched(kernel, (grid, 1, 1), (min(_THREADS, total), 1, 1), values, 0, False)
            operands.put_back()
        operands.count(self)

    def _compiled(self, key: tuple, quick: bool) -> tuple:
        if (key, quick) not in self._made:
            text = self._code(key[0], dict(key[1]))
            said = " ".join((self.map_expr, self.reduce_expr, self.post_map_expr))
            raw = any(how == "raw" for how, _ in key[0])
            plain = quick and not (raw or self.options or _LOOP.search(said)) and params.plain(said, self.preamble)
            shown = text
            text = self._code(key[0], dict(key[1]), quick=True) if plain else text
            defines = tuple(o[2:] for o in self.options if o.startswith("-D"))
            self._made[key, quick] = *_compiled(text, self.name, defines, 3 if plain else 0), shown
        return self._made[key, quick][:2]

    def _code(self, kinds: tuple, found: dict[str, np.dtype], *, quick: bool = False) -> str:
        if any(dtype == FLOAT16 for _, dtype in kinds):
            params.refuse_half(found, self.map_expr, self.reduce_expr, self.preamble, self.reduce_type or "")
        declared, loads, outs, stores = [], [], [], []
        for p, (how, _) in zip((*self.in_params, *self.out_params), kinds, strict=True):
            if how == "number":
                declared.append(f"{p.ctype} {p.name}")
            elif how == "raw":
                declared.append(f"{p.ctype}* {p.name}")
            elif how == "in":
                declared.append(f"{p.ctype}* _raw_{p.name}")
                loads.append(f"const {p.ctype} {p.name} = _raw_{p.name}[_at];")
            else:
                outs.append(f"{p.ctype}* _raw_{p.name}")
                stores.append(f"{p.ctype} &{p.name} = _raw_{p.name}[_i];")
        tail = "_type_reduce* _part, long long _count, long long _length, long long _lanes"
        first, last = ", ".join([*declared, tail]), ", ".join([*declared, *outs, tail])
        each = "for (ptrdiff_t {0} = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; {0} < {1}; {0} += (ptrdiff_t)gridDim.x * blockDim.x) {{"
        mapped, reduce, end = map(_sized, (self.map_expr, f"({self.reduce_expr})", f"({self.post_map_expr})"))
        load = f"{chr(10).join(loads)}\n_type_reduce _a = static_cast<_type_reduce>({mapped});"
        # A thread for each partial result, and where nothing has to be checked, one for all of an element's, in the order of memory.
        parts = f"""{each.format("_t", "_count * _lanes")}
ptrdiff_t _i = _t / _lanes;
_type_reduce _s = _type_reduce({self.identity});
for (ptrdiff_t _J = _t % _lanes; _J < _length; _J += _lanes) {{
ptrdiff_t _at = _i * _length + _J;
ptrdiff_t _j = _J * _count + _i;
{load}
_s = REDUCE(_s, _a);
}}
_part[_t] = _s;
}}"""
        if quick:
            parts = f"""{each.format("_i", "_count")}
for (ptrdiff_t _k = 0; _k < _lanes; ++_k) {{
_part[_i * _lanes + _k] = _type_reduce({self.identity});
}}
for (ptrdiff_t _first = 0; _first < _length; _first += _lanes) {{
const ptrdiff_t _some = _length - _first < _lanes ? _length - _first : _lanes;
for (ptrdiff_t _k = 0; _k < _some; ++_k) {{
ptrdiff_t _J = _first + _k;
ptrdiff_t _at = _i * _length + _J;
ptrdiff_t _j = _J * _count + _i;
{load}
_type_reduce _s = _part[_i * _lanes + _k];
_part[_i * _lanes + _k] = REDUCE(_s, _a);
}}
}}
}}"""
        return f"""{params.typedefs(found)}typedef long long IndexT;
{self.preamble}
typedef {self.reduce_type} _type_reduce;
#define REDUCE(a, b) {_one_line(reduce)}
extern "C" __global__ void {self.name}_parts({first}) {{
{parts}
}}
extern "C" __global__ void {self.name}({last}) {{
{each.format("_i", "_count")}
for (ptrdiff_t _block = _lanes / 2; _block >= 1; _block >>= 1) {{
for (ptrdiff_t _k = 0; _k < _block; ++_k) {{
_type_reduce _a = _part[_i * _lanes + _k], _b = _part[_i * _lanes + _k + _block];
_part[_i * _lanes + _k] = REDUCE(_a, _b);
}}
}}
_type_reduce _s = _part[_i * _lanes];
{chr(10).join(stores)}
#define POST_MAP(a) {_one_line(end)}
POST_MAP(_s);
}}
}}
"""

    @property
    def cached_codes(self) -> dict[tuple, str]:
        """The C++ code by the types of the arrays it was made for."""
        return {tuple(t.char for how, t in key[0] if how != "number"): made[2] for (key, _), made in self._made.items()}

    @property
    def cached_code(self) -> str:
        """One of the `cached_codes`."""
        return next(iter(self.cached_codes.values()))


@functools.lru_cache(maxsize=256)
def _compiled(text: str, name: str, defines: tuple[str, ...], within: int) -> tuple[tuple, np.dtype]:
    """The engine's two kernels for some C++, and the type of what is between them."""
    from gpusim.kernels import Kernel

    module = launch.translated(params.code(text, name), defines)
    made = [module.kernel(f"{name}{end}") for end in ("_parts", "")]
    if any(m.variables for m in made):
        raise NotSimulatedError("a variable outside of functions in a reduction kernel")
    return tuple(Kernel(m.python, name=name, within=within) for m in made), module.typedefs["_type_reduce"].dtype


def _sized(text: str) -> str:
    """An expression in which CuPy's ``_in_ind.size()`` and ``_out_ind.size()`` are the numbers that our kernel has for them."""
    return re.sub(r"\b_out_ind\.size\(\)", "_count", re.sub(r"\b_in_ind\.size\(\)", "(_count * _length)", text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _axes(axis: Any, ndim: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if axis is None:
        return tuple(range(ndim)), ()
    given = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    reduced = tuple(sorted(np.lib.array_utils.normalize_axis_index(k, ndim) for k in given))
    kept = tuple(k for k in range(ndim) if k not in reduced)
    if len(reduced) + len(kept) != ndim:
        raise ValueError("duplicate value in 'axis'")
    return reduced, kept


ReductionKernel.__module__ = "cupy._core._reduction"
