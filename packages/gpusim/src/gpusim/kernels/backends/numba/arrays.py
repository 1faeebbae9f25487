"""Shared and local arrays: pieces of memory that the launch provides, laid out while the kernel is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from llvmlite import ir
from numba.core import types
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import TypingError
from numba.core.ir import FunctionIR
from numba.core.typing.npydecl import parse_dtype
from numba.core.untyped_passes import ReconstructSSA
from numba.extending import intrinsic
from numba.np import arrayobj

from ...sanitizer.log import Site
from .llvm import WORD, linear_thread, load
from .waiting import CannotCompile
from .worker_state import Cell

ALIGNMENT = 16


class Layout:
    """Where each array of a kernel lies in its block's shared, or its thread's local memory.

    Attributes
    ----------
    places : dict
        Allocation site to (offset, bytes, dtype, shape); a dynamic shared array has no bytes.
    nbytes : int
        Bytes in all.
    """

    def __init__(self) -> None:
        self.places: dict[int, tuple[int, int, object, tuple[int, ...]]] = {}
        self.nbytes = 0

    def place(self, site: int, nbytes: int, dtype: object, shape: tuple[int, ...], alignment: int) -> int:
        """Return the offset of an allocation site's array, the same whenever it is asked for."""
        if site not in self.places:
            offset = -(-self.nbytes // alignment) * alignment
            self.places[site] = (offset, nbytes, dtype, shape)
            self.nbytes = offset + nbytes
        return self.places[site][0]


Way = Literal["stop", "tell", "log"]


@register_pass(mutates_CFG=False, analysis_only=True)
class _Look(FunctionPass):
    """Shows a function to what `Compilation.pipeline` was given before its types are looked for."""

    _name = "gpusim_look"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> Any:
        if state.targetctx.look:
            state.targetctx.look(state.func_ir)
        return False


class Compilation:
    """What one kernel's functions share while they are compiled; the code that is generated finds it as ``context.compilation``.

    Attributes
    ----------
    sites : list of Site
        Of its accesses.
    beyond : str
        What it does at the end of an array: ``"stop"``, or go on and ``"tell"`` or ``"log"`` it.
    within : int
        If not 0, elements are known to be inside of their arrays: they are neither looked at nor logged.
    shared, local : Layout
    """

    def __init__(self, sites: list[Site], beyond: Way, within: int = 0):
        self.sites, self.beyond, self.within = sites, beyond, within
        self.shared, self.local = Layout(), Layout()

    def part(self, site: int, offset: int, nbytes: int) -> None:
        """Note that a site touches a part of an item only, in bytes."""
        self.sites[site] = self.sites[site]._replace(offset=offset, nbytes=nbytes)

    def pipeline(self, look: Callable[[FunctionIR], None] | None) -> type[Compiler]:
        """Numba's compiler for one of the kernel's functions, which `look` sees before types are looked for."""
        compilation = self

        class Pipeline(Compiler):
            def __init__(self, *args: object):
                super().__init__(*args)
                self.state.targetctx.compilation = compilation  # a copy, made for one function
                self.state.targetctx.look = look

            def define_pipelines(self) -> list[Any]:
                (passes,) = super().define_pipelines()
                passes.add_pass_after(_Look, ReconstructSSA)
                passes.finalize()
                return [passes]

        return Pipeline


def _shape(shape: types.Type) -> tuple[int, ...] | None:
    if isinstance(shape, types.IntegerLiteral):
        return (shape.literal_value,)
    if isinstance(shape, types.BaseTuple) and all(isinstance(part, types.IntegerLiteral) for part in shape.types):
        return tuple(part.literal_value for part in shape.types)
    return None


def _make(which: str):
    @intrinsic(prefer_literal=True)
    def array(typingctx, c, m, site, shape, dtype, alignment):
        extents, item = _shape(shape), parse_dtype(dtype)
        if not isinstance(site, types.IntegerLiteral):
            return None
        if extents is None:
            hint = (
                " For a size chosen at launch: cuda.shared.array(0, dtype), and kernel[blocks, threads, stream, nbytes]."
                if which == "shared"
                else ""
            )
            raise TypingError(
                f"the shape of cuda.{which}.array must be known when the kernel is compiled: numbers or global names, "
                f"not something computed in the kernel.{hint}"
            )
        if which == "local" and 0 in extents:
            raise TypingError("cuda.local.array wants a size of at least 1")
        if min(extents, default=1) < 0:
            raise TypingError(f"the shape of cuda.{which}.array has a negative size: {extents}")
        if item is None or isinstance(dtype, types.Function):
            raise TypingError(f"cuda.{which}.array(shape, dtype) wants a type such as numba.float32, not {dtype}")
        if item == types.float16:
            raise CannotCompile("float16, which Numba does not have on a CPU")
        kind = types.Array(item, len(extents), "C")
        dynamic = which == "shared" and extents == (0,)

        def codegen(context, builder, sig, args):
            mv = args[1]
            size = context.get_abi_sizeof(context.get_data_type(item))
            count = 1
            for extent in extents:
                count *= extent
            layout = getattr(context.compilation, which)
            align = alignment.literal_value if isinstance(alignment, types.IntegerLiteral) else ALIGNMENT
            offset = layout.place(site.literal_value, 0 if dynamic else count * size, item, extents, align)
            if dynamic:
                base = load(builder, mv, Cell.DYNAMIC)
                lengths = [builder.sdiv(load(builder, mv, Cell.DYNAMIC_BYTES), ir.Constant(WORD, size))]
            elif which == "shared":
                base = builder.add(load(builder, mv, Cell.SHARED), ir.Constant(WORD, offset))
                lengths = [ir.Constant(WORD, extent) for extent in extents]
            else:
                own = builder.mul(linear_thread(builder, args[0]), load(builder, mv, Cell.LOCAL_STRIDE))
                base = builder.add(builder.add(load(builder, mv, Cell.LOCAL), own), ir.Constant(WORD, offset))
                lengths = [ir.Constant(WORD, extent) for extent in extents]
            strides, step = [], size
            for extent in reversed(extents):
                strides.insert(0, ir.Constant(WORD, step))
                step *= extent
            made = context.make_array(kind)(context, builder)
            arrayobj.populate_array(
                made,
                data=builder.inttoptr(base, made.data.type),
                shape=lengths,
                strides=strides,
                itemsize=ir.Constant(WORD, size),
                meminfo=None,
            )
            return made._getvalue()

        return kind(c, m, site, shape, dtype, alignment), codegen

    return array


shared_array = _make("shared")
local_array = _make("local")
