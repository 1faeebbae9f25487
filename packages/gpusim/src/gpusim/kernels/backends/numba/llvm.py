"""Small pieces of LLVM code that the helpers share: the machine's cells, faults, branches that are hardly ever taken."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llvmlite import ir
from numba import njit
from numba.core import cgutils

from gpusim.device.fingerprint import fingerprint

from .worker_state import MOST_AXES, SCRATCH_BYTES, Cell, Context, Fault

WORD = ir.IntType(64)
INNER = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Numba's options for functions that only compiled code calls: without the entries for Python they compile faster."""


def kept(function: Callable) -> Callable:
    """Compile a function that only compiled code calls, and keep the machine code on disk.

    Numba looks for a change in the function's own file only, and constants come from other files here; so the name that
    it is kept under changes with any file of the engine.
    """
    if stamp() is not None:
        function.__qualname__ += f"_{stamp()}"
        with contextlib.suppress(RuntimeError):  # nowhere to keep it
            return njit(cache=True, **INNER)(function)
    return njit(**INNER)(function)


@functools.cache
def stamp() -> str | None:
    """Changes with any file of the engine; None where these are not what this process runs."""
    engine = fingerprint()
    return engine and engine[:12]


class KernelFault(Exception):
    """Raised by compiled code; the machine's cells say what happened."""


def cell(builder: ir.IRBuilder, machine: ir.Value, which: int) -> ir.Value:
    """Pointer to one of the machine's cells."""
    base = builder.inttoptr(machine, ir.PointerType(WORD))
    return builder.gep(base, [ir.Constant(WORD, int(which))])


def load(builder: ir.IRBuilder, machine: ir.Value, which: Cell) -> ir.Value:
    """Value of one of the machine's cells."""
    return builder.load(cell(builder, machine, which))


def place(builder: ir.IRBuilder, context_tuple: ir.Value, which: int) -> ir.Value:
    """One of the int32 that tell a thread where it is."""
    return builder.extract_value(context_tuple, int(which))


def linear_thread(builder: ir.IRBuilder, c: ir.Value) -> ir.Value:
    """Number of the thread within its block, x fastest, as int64."""
    wide = [
        builder.zext(place(builder, c, k), WORD)
        for k in (Context.THREAD, Context.THREAD + 1, Context.THREAD + 2, Context.BLOCK_DIM, Context.BLOCK_DIM + 1)
    ]
    x, y, z, width, height = wide
    return builder.add(x, builder.mul(width, builder.add(y, builder.mul(height, z))))


@contextmanager
def unlikely(builder: ir.IRBuilder, condition: ir.Value) -> Iterator[None]:
    """A branch that the optimiser should keep out of the way."""
    with builder.if_then(condition, likely=False):
        yield


def tracing(builder: ir.IRBuilder, c: ir.Value) -> ir.Value:
    """Whether accesses are to be logged, as a bit."""
    flag = place(builder, c, Context.TRACING)
    return builder.icmp_unsigned("!=", flag, ir.Constant(flag.type, 0))


def fail(
    context,
    builder: ir.IRBuilder,
    c: ir.Value,
    machine: ir.Value,
    fault: Fault,
    site: ir.Value,
    axis: int = 0,
    size: ir.Value | None = None,
    index: tuple[ir.Value, ...] = (),
) -> None:
    """End the launch: note what is known and where the thread is, and raise."""
    numbers = (ir.Constant(WORD, int(fault)), site, ir.Constant(WORD, axis), size or ir.Constant(WORD, 0))
    _note(builder, c, machine, Cell.FAULT, *numbers, index)
    context.call_conv.return_user_exc(builder, KernelFault, ())


def clear(builder: ir.IRBuilder, scratch: ir.Value) -> None:
    """Set the memory that accesses past an end touch instead to zero."""
    start = builder.inttoptr(scratch, ir.PointerType(ir.IntType(8)))
    cgutils.memset(builder, start, ir.Constant(WORD, SCRATCH_BYTES), 0)


def raised(builder: ir.IRBuilder, c, machine, site) -> None:
    """Note where a thread is that raises an exception of the kernel's."""
    zero = ir.Constant(WORD, 0)
    _note(builder, c, machine, Cell.FAULT, ir.Constant(WORD, int(Fault.RAISED)), site, zero, zero, ())


def note(builder: ir.IRBuilder, c, machine, site, axis: ir.Value, size: ir.Value, index: tuple[ir.Value, ...]) -> None:
    """Count an access past the end of an array, and note where the first one is."""
    at = cell(builder, machine, Cell.BEYOND)
    times = builder.load(at)
    builder.store(builder.add(times, ir.Constant(WORD, 1)), at)
    with builder.if_then(builder.icmp_unsigned("==", times, ir.Constant(WORD, 0))):
        _note(builder, c, machine, Cell.BEYOND, ir.Constant(WORD, 1), site, axis, size, index)


def beyond(builder, c, machine, site, data, whole, signs: int, index: list, shape: list, strides: list) -> ir.Value:
    """Note an access if it goes past the end of an array; the address that it touches, as a word.

    Parameters
    ----------
    data, whole : ir.Value
        Address of the first item; bytes of the array, 0 if it has gaps.
    signs : int
        A bit for each axis whose index may be negative.
    index, shape, strides : list of ir.Value
        For each axis, as words.
    """
    axes = len(index)
    where = [place(builder, c, k) for k in range(6)]
    numbers = [machine, site, data, whole, ir.Constant(WORD, signs), *index, *shape, *strides]
    kind = ir.FunctionType(WORD, [WORD] * len(numbers) + [ir.IntType(32)] * 6)
    function = cgutils.get_or_insert_function(builder.module, kind, f"gpusim_past_the_end_{axes}")
    if not function.blocks:
        _past_the_end(function, axes)
    return builder.call(function, [*numbers, *where])


def _past_the_end(function: ir.Function, axes: int) -> None:
    function.linkage = "linkonce_odr"
    function.attributes.add("noinline")
    function.attributes.add("cold")
    builder = ir.IRBuilder(function.append_basic_block())
    machine, site, data, whole, signs, *rest = function.args
    index, shape, strides = rest[:axes], rest[axes : 2 * axes], rest[2 * axes : 3 * axes]
    zero = ir.Constant(WORD, 0)
    offset = at_axis = size = zero
    outside = ir.Constant(ir.IntType(1), 0)
    for axis, (given, length, stride) in enumerate(zip(index, shape, strides, strict=True)):
        signed = builder.icmp_unsigned("!=", builder.and_(signs, ir.Constant(WORD, 1 << axis)), zero)
        below = builder.and_(signed, builder.icmp_signed("<", given, zero))
        position = builder.select(below, builder.add(given, length), given)
        wrong = builder.icmp_unsigned(">=", position, length)
        at_axis = builder.select(wrong, ir.Constant(WORD, axis), at_axis)
        size = builder.select(wrong, length, size)
        outside = builder.or_(outside, wrong)
        offset = builder.add(offset, builder.mul(position, stride))
    at = cell(builder, machine, Cell.BEYOND)
    times = builder.load(at)
    builder.store(builder.add(times, builder.zext(outside, WORD)), at)
    with builder.if_then(builder.and_(outside, builder.icmp_unsigned("==", times, zero))):
        numbers = [
            ir.Constant(WORD, 1),
            site,
            at_axis,
            size,
            ir.Constant(WORD, min(axes, MOST_AXES)),
            *index[:MOST_AXES],
        ]
        told = _fault_function(builder.module, Cell.BEYOND, min(axes, MOST_AXES))
        builder.call(told, [machine, *numbers, *function.args[-6:]])
    gone = builder.and_(outside, builder.icmp_unsigned(">=", offset, whole))
    scratch = load(builder, machine, Cell.SCRATCH)
    with builder.if_then(gone):
        clear(builder, scratch)
    builder.ret(builder.select(gone, scratch, builder.add(data, offset)))


def _note(builder, c, machine, cause: Cell, value, site, axis, size, index: tuple[ir.Value, ...]) -> None:
    index = index[:MOST_AXES]
    numbers = [value, site, axis, size, ir.Constant(WORD, len(index)), *index]
    where = [place(builder, c, k) for k in range(6)]
    builder.call(_fault_function(builder.module, cause, len(index)), [machine, *numbers, *where])


def _fault_function(module: ir.Module, cause: Cell, rank: int) -> ir.Function:
    """A function of its own, so that each of the many checks costs its caller one call."""
    cells = [cause, Cell.FAULT_SITE, Cell.FAULT_AXIS, Cell.FAULT_SIZE, Cell.FAULT_RANK]
    cells += [Cell.FAULT_INDEX + k for k in range(rank)]
    kind = ir.FunctionType(ir.VoidType(), [WORD] * (1 + len(cells)) + [ir.IntType(32)] * 6)
    function = cgutils.get_or_insert_function(module, kind, f"gpusim_{cause.name.lower()}_{rank}")
    if function.blocks:
        return function
    function.linkage = "linkonce_odr"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    machine, *values = function.args
    cells += [Cell.FAULT_THREAD + k for k in range(6)]
    for which, value in zip(cells, values, strict=True):
        wide = value if value.type == WORD else builder.zext(value, WORD)
        builder.store(wide, cell(builder, machine, which))
    builder.ret_void()
    return function


def word(builder: ir.IRBuilder, value: ir.Value) -> ir.Value | None:
    """The bits of a number as a word; None for what is no number."""
    if isinstance(value.type, ir.DoubleType):
        return builder.bitcast(value, WORD)
    if isinstance(value.type, ir.FloatType):
        return builder.zext(builder.bitcast(value, ir.IntType(32)), WORD)
    if isinstance(value.type, ir.IntType):
        return value if value.type.width == 64 else builder.zext(value, WORD)
    return None
