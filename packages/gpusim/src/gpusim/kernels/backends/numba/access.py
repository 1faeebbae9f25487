"""Reading and writing array elements from compiled kernels: bounds checked, negative indices wrapped, accesses logged.

**Past the end of an array**, where kernels may go on as on a GPU: a GPU does not look where an address lies.  What lies
inside the same array (the next row, for an index past the end of this one) is what it would read or write, and is read and
written here too.  What lies outside belongs to something else there; here it reads as zero, and what is written is dropped.
A launch tells of its first such access; a trace that was asked to go on has all of them in its log, apart from the others.

**Whole arrays** are logged element by element: ``a[i] = 0`` of a row, ``a.fill(0)``, ``np.sum(a)``, ``for x in a``.  Numba
carries them out by loops of its own, in which nothing is logged, and races are found by nothing else.

**Fields of records** in an array, ``x[i].a`` and ``x[i]["a"]``, are logged as accesses of a part of the item.  A record that
a variable stands for, ``p = x[i]``, is the item itself, in its place: ``p.a`` reads memory as ``x[i].a`` does.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.extending import intrinsic
from numba.np import arrayobj

from ...faults import NOT_ONE
from ...sanitizer.records import FLAGGED_AXES, NEGATIVE, NEGATIVE_AXIS, OUTSIDE
from .llvm import WORD, beyond, cell, clear, fail, load, note, raised, tracing, unlikely
from .worker_state import SCRATCH_BYTES, Cell, Fault


def lenient(context, aryty: types.Type) -> bool:
    """Whether a kernel may leave arrays of this type: it goes on, and an item has room in the scratch."""
    if isinstance(aryty.dtype, types.Record):
        fits = aryty.dtype.size <= SCRATCH_BYTES
    else:
        fits = isinstance(aryty.dtype, types.Number | types.Boolean | types.NPDatetime | types.NPTimedelta)
    return context.compilation.beyond != "stop" and fits


def tells(context, aryty: types.Type) -> bool:
    """Whether a kernel may leave arrays of this type, and tells of it, but has no log of where it went."""
    return context.compilation.beyond == "tell" and lenient(context, aryty)


def past_the_end(context, builder, c, m, aryty, array, places, index, outside, axis, size, site) -> ir.Value:
    """The address of an element at some positions, of which `outside` says whether one is past the end.

    Parameters
    ----------
    places, index : sequence of ir.Value
        Position along each axis, negative ones wrapped once; and as the kernel gave it, for the report.
    axis, size : ir.Value
        The axis that is exceeded, and its length.
    """
    strides = [builder.extract_value(array.strides, k) for k in range(aryty.ndim)]
    offset = ir.Constant(WORD, 0)
    for place, stride in zip(places, strides, strict=True):
        offset = builder.add(offset, builder.mul(place, stride))
    # In an array with gaps, what lies inside cannot be told from what belongs to others.
    whole = builder.mul(array.nitems, array.itemsize) if aryty.layout in "CF" else ir.Constant(WORD, 0)
    gone = builder.and_(outside, builder.icmp_unsigned(">=", offset, whole))
    at = builder.add(builder.ptrtoint(array.data, WORD), offset)
    with builder.if_then(outside, likely=False):
        note(builder, c, m, site, axis, size, tuple(index))
        builder.store(builder.ptrtoint(array.data, WORD), cell(builder, m, Cell.OUTSIDE_ARRAY))
        builder.store(offset, cell(builder, m, Cell.OUTSIDE_OFFSET))
    scratch = load(builder, m, Cell.SCRATCH)
    with builder.if_then(gone, likely=False):
        clear(builder, scratch)
    return builder.inttoptr(builder.select(gone, scratch, at), array.data.type)


_LOG = ir.FunctionType(ir.VoidType(), [WORD] * 5)
STORED, PART = 1 << 32, 1 << 33
"""Flags, for the logging function only: a value was stored; a field of a record is touched, or an item of an array that is one."""


def _components(idxty: types.Type) -> list[types.Type]:
    return list(idxty.types) if isinstance(idxty, types.BaseTuple) else [idxty]


def is_element(aryty: types.Type, idxty: types.Type) -> bool:
    """Whether an index picks one element of an array, and not a view."""
    parts = _components(idxty)
    return (
        isinstance(aryty, types.Array)
        and len(parts) == aryty.ndim
        and all(isinstance(types.unliteral(part), types.Integer) for part in parts)
    )


def _values(builder, idxty: types.Type, index: ir.Value) -> list[ir.Value]:
    """An index's entries, as many as `_components`."""
    return cgutils.unpack_tuple(builder, index, len(idxty)) if isinstance(idxty, types.BaseTuple) else [index]


class Entry(NamedTuple):
    """A whole number in an index, as 64-bit words: itself, its position counted from the start, the log's flags if it was negative."""

    given: ir.Value
    position: ir.Value
    negative: ir.Value


def _entry(context, builder, part: types.Type, value: ir.Value, size: ir.Value, axis: int) -> Entry:
    """An entry for an axis of some length."""
    zero = ir.Constant(WORD, 0)
    if not types.unliteral(part).signed:
        given = context.cast(builder, value, part, types.uint64)
        return Entry(given, given, zero)
    given = context.cast(builder, value, part, types.int64)
    below = builder.icmp_signed("<", given, zero)
    return Entry(given, builder.select(below, builder.add(given, size), given), _negative(builder, below, axis))


def _entries(context, builder, aryty, array, idxty, index) -> tuple[list[Entry], list[ir.Value], ir.Value]:
    """The entries of an index that picks one element, the lengths of the axes, and the log's flags of all entries."""
    shape = cgutils.unpack_tuple(builder, array.shape, aryty.ndim)
    given = zip(_components(idxty), _values(builder, idxty, index), shape, strict=True)
    made = [_entry(context, builder, *each, axis) for axis, each in enumerate(given)]
    return made, shape, functools.reduce(builder.or_, [each.negative for each in made], ir.Constant(WORD, 0))


def positions(context, builder, c, m, aryty, array, idxty, index, site) -> tuple[list[ir.Value], ir.Value]:
    """Return the position along each axis, checked and wrapped, and the flags that say which indices were negative."""
    values = _values(builder, idxty, index)
    shape = cgutils.unpack_tuple(builder, array.shape, aryty.ndim)
    entries = {
        axis: _entry(context, builder, part, value, shape[axis], axis)
        for axis, (part, value) in enumerate(zip(_components(idxty), values, strict=True))
        if isinstance(types.unliteral(part), types.Integer)
    }
    negative = ir.Constant(WORD, 0)
    for axis, entry in entries.items():
        negative = builder.or_(negative, entry.negative)
        outside = builder.icmp_unsigned(">=", entry.position, shape[axis])
        with unlikely(builder, outside):
            known = entries.values() if len(entries) == len(values) else [entry]
            index = tuple(each.given for each in known)
            fail(context, builder, c, m, Fault.OUT_OF_BOUNDS, site, axis, shape[axis], index)
        values[axis] = entry.position
    return values, negative


def _negative(builder, below: ir.Value, axis: int) -> ir.Value:
    """The log's flags for an index along an axis, if it was negative."""
    return _flagged(builder, below, NEGATIVE | (NEGATIVE_AXIS << axis if axis < FLAGGED_AXES else 0))


def _flagged(builder, condition: ir.Value, flags: int) -> ir.Value:
    return builder.select(condition, ir.Constant(WORD, flags), ir.Constant(WORD, 0))


def pointer(context, builder, c, m, aryty, array, idxty, index, site) -> tuple[ir.Value, ir.Value]:
    """Return a pointer to one element, and the flags that say which indices were negative."""
    if lenient(context, aryty):
        way = _anywhere if context.compilation.beyond == "log" else _mostly_inside
        return way(context, builder, c, m, aryty, array, idxty, index, site)
    places, negative = positions(context, builder, c, m, aryty, array, idxty, index, site)
    at = cgutils.get_item_pointer(context, builder, aryty, array, places, wraparound=False)
    return at, negative


def _mostly_inside(context, builder, c, m, aryty, array, idxty, index, site) -> tuple[ir.Value, ir.Value]:
    """As :func:`pointer`, and where an index is past the end, :func:`beyond` has the address."""
    return either(context, builder, c, m, aryty, array, idxty, index, site, lambda at, negative, _: (at, negative))


def either(context, builder, c, m, aryty, array, idxty, index, site, act: Callable, *, traced: bool = False) -> tuple:
    """Emit an access to an element twice: for an index that is inside, and out of the way for all that is rare.

    Parameters
    ----------
    act : callable
        ``act(at, negative, rare) -> tuple of ir.Value``: emits the access and returns its values.
    traced : bool
        Whether accesses of a traced launch are among the rare ones: a single branch for both then.

    Returns
    -------
    tuple of ir.Value
        What `act` returned, of the one that was taken.
    """
    entries, shape, negative = _entries(context, builder, aryty, array, idxty, index)
    places = [entry.position for entry in entries]
    past = [builder.icmp_unsigned(">=", at, size) for at, size in zip(places, shape, strict=True)]
    signs = sum(types.unliteral(part).signed << axis for axis, part in enumerate(_components(idxty)))
    # Before the branches, so that LLVM shares the arithmetic among accesses.
    here = cgutils.get_item_pointer(context, builder, aryty, array, places, wraparound=False)
    outside, joined = (builder.append_basic_block(name) for name in ("outside", "joined"))
    for condition in (*past, *([tracing(builder, c)] if traced else [])):
        inside = builder.append_basic_block("inside")
        builder.cbranch(condition, outside, inside).set_weights([1, 2000])
        builder.position_at_end(inside)
    usual = act(here, negative, False)
    last = builder.block
    builder.branch(joined)
    builder.position_at_end(outside)
    # In an array with gaps, what lies inside cannot be told from what belongs to others.
    whole = builder.mul(array.nitems, array.itemsize) if aryty.layout in "CF" else ir.Constant(WORD, 0)
    strides = cgutils.unpack_tuple(builder, array.strides, aryty.ndim)
    data = builder.ptrtoint(array.data, WORD)
    given = [entry.given for entry in entries]
    there = builder.inttoptr(beyond(builder, c, m, site, data, whole, signs, given, shape, strides), here.type)
    seldom = act(there, negative, True)
    other = builder.block
    builder.branch(joined)
    builder.position_at_end(joined)
    made = []
    for one, two in zip(usual, seldom, strict=True):
        made.append(builder.phi(one.type))
        made[-1].add_incoming(one, last)
        made[-1].add_incoming(two, other)
    return tuple(made)


def _known(context, builder, aryty, array, idxty, index) -> ir.Value:
    """The address of an element that is known to be inside of its array."""
    given = zip(_values(builder, idxty, index), _components(idxty), strict=True)
    places = [context.cast(builder, v, k, types.intp) for v, k in given]
    return cgutils.get_item_pointer(context, builder, aryty, array, places, wraparound=False)


def _anywhere(context, builder, c, m, aryty, array, idxty, index, site) -> tuple[ir.Value, ir.Value]:
    """As :func:`pointer`, but past the end of an array too, with what the log has of it."""
    entries, shape, negative = _entries(context, builder, aryty, array, idxty, index)
    exceeded, outside = ir.Constant(WORD, OUTSIDE), ir.Constant(ir.IntType(1), 0)
    at_axis, size = ir.Constant(WORD, 0), ir.Constant(WORD, 0)
    for axis, (part, entry) in enumerate(zip(_components(idxty), entries, strict=True)):
        wrong = builder.icmp_unsigned(">=", entry.position, shape[axis])
        outside = builder.or_(outside, wrong)
        exceeded = builder.or_(exceeded, _flagged(builder, wrong, NEGATIVE_AXIS << axis))
        if types.unliteral(part).signed:
            before = builder.icmp_signed("<", entry.position, ir.Constant(WORD, 0))
            exceeded = builder.or_(exceeded, _flagged(builder, before, NEGATIVE))
        at_axis = builder.select(wrong, ir.Constant(WORD, axis), at_axis)
        size = builder.select(wrong, shape[axis], size)
    places, wide = [entry.position for entry in entries], [entry.given for entry in entries]
    at = past_the_end(context, builder, c, m, aryty, array, places, wide, outside, at_axis, size, site)
    return at, builder.select(outside, exceeded, negative)


def log(builder, c, m, at: ir.Value, site: ir.Value, negative: ir.Value, value: ir.Value | None = None, part=0) -> None:
    """Enter an access in the log, if this launch is traced; with the stored value's bits if it is a write."""
    with unlikely(builder, tracing(builder, c)):
        enter(builder, m, at, site, negative, value, part)


def enter(builder, m, at: ir.Value, site: ir.Value, negative: ir.Value, value: ir.Value | None = None, part=0) -> None:
    """Enter an access in the log."""
    function = builder.inttoptr(load(builder, m, Cell.LOG_FUNCTION), ir.PointerType(_LOG))
    flags = builder.or_(builder.zext(negative, WORD), ir.Constant(WORD, part | (STORED if value is not None else 0)))
    builder.call(function, [m, builder.ptrtoint(at, WORD), site, flags, value or ir.Constant(WORD, 0)])


def bits(builder: ir.IRBuilder, at: ir.Value, nbytes: int) -> ir.Value:
    """The first (at most) 64 bits that lie at an address."""
    width = 8 * (1 << (min(nbytes, 8).bit_length() - 1))
    value = builder.load(builder.bitcast(at, ir.PointerType(ir.IntType(width))))
    return builder.zext(value, WORD) if width < 64 else value


def itemsize(context, aryty: types.Array) -> int:
    return context.get_abi_sizeof(context.get_data_type(aryty.dtype))


@intrinsic(prefer_literal=True)
def get(typingctx, c, m, base, index, site):
    """``base[index]``, checked."""
    if isinstance(base, types.BaseTuple) and isinstance(index, types.IntegerLiteral):
        return _tuple_item(c, m, base, index, site)
    if isinstance(base, types.Record) and isinstance(index, types.IntegerLiteral):
        return _field(c, m, base, index, site)
    plain = types.unliteral(index)
    chosen = typingctx.resolve_function_type(operator.getitem, (base, plain), {})
    if chosen is None:
        return None
    signature = chosen.return_type(c, m, base, index, site)

    def codegen(context, builder, sig, args):
        cv, mv, array_value, index_value, site_value = args
        if not isinstance(base, types.Array):
            value = context.cast(builder, index_value, index, chosen.args[1])
            array_value = context.cast(builder, array_value, base, chosen.args[0])
            if isinstance(base, types.BaseTuple) and isinstance(chosen.args[1], types.Integer):
                at = context.cast(builder, value, chosen.args[1], types.intp)
                _check_item(context, builder, cv, mv, len(base), at, site_value)
            return context.get_function(operator.getitem, chosen)(builder, (array_value, value))
        array = context.make_array(base)(context, builder, array_value)
        if is_element(base, index) and context.compilation.within:
            return arrayobj.load_item(context, builder, base, _known(context, builder, base, array, index, index_value))
        if is_element(base, index) and isinstance(base.dtype, types.Record) and lenient(context, base):
            at, _ = pointer(context, builder, cv, mv, base, array, index, index_value, site_value)
            return arrayobj.load_item(context, builder, base, at)  # its place: what is read of it is read later
        if is_element(base, index) and tells(context, base):

            def read(at, negative, rare):
                value = arrayobj.load_item(context, builder, base, at)
                if rare:
                    log(builder, cv, mv, at, site_value, negative)
                return (value,)

            return either(*(context, builder, cv, mv, base, array, index, index_value, site_value, read), traced=True)[
                0
            ]
        if is_element(base, index) and not isinstance(base.dtype, types.Record | types.NestedArray):
            at, negative = pointer(context, builder, cv, mv, base, array, index, index_value, site_value)
            value = arrayobj.load_item(context, builder, base, at)
            log(builder, cv, mv, at, site_value, negative)
            return value
        outside = None
        if is_element(base, index):
            pointer(context, builder, cv, mv, base, array, index, index_value, site_value)
        else:
            _, index_value, outside = check_view(context, builder, cv, mv, base, array, index, index_value, site_value)
        value = context.cast(builder, index_value, index, chosen.args[1])
        made = context.get_function(operator.getitem, chosen)(builder, (array_value, value))
        return made if outside is None else _emptied(context, builder, chosen.return_type, made, outside)

    return signature, codegen


def _check_item(context, builder, c, m, count: int, at: ir.Value, site) -> None:
    """End the launch where a tuple has no item of a number."""
    size = ir.Constant(WORD, count)
    wrapped = builder.select(builder.icmp_signed("<", at, ir.Constant(WORD, 0)), builder.add(at, size), at)
    with builder.if_then(builder.icmp_unsigned(">=", wrapped, size), likely=False):
        fail(context, builder, c, m, Fault.OUT_OF_BOUNDS, site, 0, size, (at,))


@intrinsic
def only(typingctx, c, m, base, site):
    """An array whose ``item()`` is asked for: it has one element."""

    def codegen(context, builder, sig, args):
        cv, mv, value, site_value = args
        if isinstance(base, types.Array):
            array = context.make_array(base)(context, builder, value)
            with builder.if_then(builder.icmp_unsigned("!=", array.nitems, ir.Constant(WORD, 1)), likely=False):
                raised(builder, cv, mv, site_value)
                context.call_conv.return_user_exc(builder, ValueError, (NOT_ONE,))
        if context.enable_nrt:
            context.nrt.incref(builder, base, value)
        return value

    return base(c, m, base, site), codegen


def _tuple_item(c, m, base, index, site):
    number = index.literal_value
    if not -len(base) <= number < len(base):
        return None
    kind = base[number]

    def codegen(context, builder, sig, args):
        value = builder.extract_value(args[2], number % len(base))
        if context.enable_nrt:
            context.nrt.incref(builder, kind, value)
        return value

    return kind(c, m, base, index, site), codegen


def _field(c, m, base, index, site):
    names = list(base.fields)
    number = index.literal_value
    if not 0 <= number < len(names):
        return None
    name = names[number]

    def codegen(context, builder, sig, args):
        return context.get_getattr(base, name)(context, builder, base, args[2], name)

    return base.typeof(name)(c, m, base, index, site), codegen


def check_view(context, builder, c, m, base, array, idxty, index, site) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Check the whole numbers in an index that also has slices, or fewer entries than axes.

    Returns
    -------
    flags : ir.Value
        Of negative ones.
    index : ir.Value
        With 0 for what is outside, in a kernel that goes on.
    outside : ir.Value
        Whether something is.
    """
    parts, inside = _components(idxty), ir.Constant(ir.IntType(1), 0)
    if not all(isinstance(types.unliteral(part), types.Integer | types.SliceType) for part in parts):
        return (
            ir.Constant(WORD, 0),
            index,
            inside,
        )  # an ellipsis or a new axis: Numba's own code, which wraps but does not check
    if context.compilation.beyond == "stop":
        return positions(context, builder, c, m, base, array, idxty, index, site)[1], index, inside
    values = _values(builder, idxty, index)
    shape = cgutils.unpack_tuple(builder, array.shape, base.ndim)
    negative, outside = ir.Constant(WORD, 0), inside
    for axis, part in enumerate(parts):
        if not isinstance(types.unliteral(part), types.Integer):
            continue
        entry = _entry(context, builder, part, values[axis], shape[axis], axis)
        negative = builder.or_(negative, entry.negative)
        wrong = builder.icmp_unsigned(">=", entry.position, shape[axis])
        with unlikely(builder, wrong):
            note(builder, c, m, site, ir.Constant(WORD, axis), shape[axis], (entry.given,))
        outside = builder.or_(outside, wrong)
        values[axis] = builder.select(wrong, ir.Constant(values[axis].type, 0), values[axis])
    if isinstance(idxty, types.BaseTuple):
        return negative, context.make_tuple(builder, idxty, values), outside
    return negative, values[0], outside


def _emptied(context, builder, kind: types.Type, value: ir.Value, outside: ir.Value) -> ir.Value:
    """A view without elements, where it would be one of what is not there: what is read of it is outside, too."""
    if not isinstance(kind, types.Array) or context.compilation.beyond == "stop":
        return value
    array = context.make_array(kind)(context, builder, value)
    zero = ir.Constant(WORD, 0)
    shape = [builder.select(outside, zero, n) for n in cgutils.unpack_tuple(builder, array.shape, kind.ndim)]
    array.shape = cgutils.pack_array(builder, shape)
    array.nitems = builder.select(outside, zero, array.nitems)
    return array._getvalue()


WRITE_A_LOOP = (
    "an array cannot be assigned to a part of another in a kernel (NRT required but not enabled): write a loop."
)


@intrinsic
def set(typingctx, c, m, base, index, value, site):
    """``base[index] = value``, checked."""
    if isinstance(base, types.Array) and isinstance(value, types.Array) and not is_element(base, index):
        # Numba's code for it needs its runtime, which there is none of on a GPU ("NRT required but not enabled").
        raise errors.TypingError(WRITE_A_LOOP)
    if isinstance(base, types.Array):
        chosen = typingctx.resolve_setitem(base, index, value)
    else:
        chosen = typingctx.resolve_function_type(operator.setitem, (base, index, value), {})
    if chosen is None:
        return None

    def codegen(context, builder, sig, args):
        cv, mv, array_value, index_value, item, site_value = args
        operands = (
            context.cast(builder, array_value, base, chosen.args[0]),
            context.cast(builder, index_value, index, chosen.args[1]),
            context.cast(builder, item, value, chosen.args[2]),
        )
        element = is_element(base, index)
        if element and context.compilation.within:
            array = context.make_array(base)(context, builder, array_value)
            stored = context.cast(builder, item, value, base.dtype)
            at = _known(context, builder, base, array, index, index_value)
            arrayobj.store_item(context, builder, base, stored, at)
            return context.get_dummy_value()
        if element and isinstance(base, types.Array) and tells(context, base):
            array = context.make_array(base)(context, builder, array_value)
            stored = context.cast(builder, item, value, base.dtype)

            def write(at, negative, rare):
                arrayobj.store_item(context, builder, base, stored, at)
                if rare:
                    with unlikely(builder, tracing(builder, cv)):
                        found = bits(builder, at, itemsize(context, base))
                        whole = PART if isinstance(base.dtype, types.Record) else 0
                        enter(builder, mv, at, site_value, negative, found, whole)
                return ()

            either(*(context, builder, cv, mv, base, array, index, index_value, site_value, write), traced=True)
            return context.get_dummy_value()
        at: Any = None
        negative: Any = None
        if isinstance(base, types.Array):
            array = context.make_array(base)(context, builder, array_value)
            if element:
                at, negative = pointer(context, builder, cv, mv, base, array, index, index_value, site_value)
            else:
                negative, safe, outside = check_view(
                    context, builder, cv, mv, base, array, index, index_value, site_value
                )
                operands = (operands[0], context.cast(builder, safe, index, chosen.args[1]), operands[2])
                with builder.if_then(builder.not_(outside)):
                    context.get_function(operator.setitem, chosen)(builder, operands)
                    whole_part(
                        *(typingctx, context, builder, cv, mv, base, operands[0], index, safe, site_value, negative)
                    )
                return context.get_dummy_value()
        if element and isinstance(base, types.Array) and lenient(context, base):
            stored = context.cast(builder, item, value, base.dtype)
            arrayobj.store_item(context, builder, base, stored, at)
        else:
            context.get_function(operator.setitem, chosen)(builder, operands)
        if element:
            with unlikely(builder, tracing(builder, cv)):
                whole = PART if isinstance(base, types.Array) and isinstance(base.dtype, types.Record) else 0
                enter(builder, mv, at, site_value, negative, bits(builder, at, itemsize(context, base)), whole)
        return context.get_dummy_value()

    return types.void(c, m, base, index, value, site), codegen


@intrinsic
def step(typingctx, c, m, site):
    """A turn of a loop: end the launch if it was stopped from outside."""

    def codegen(context, builder, sig, args):
        cv, mv, site_value = args
        at = cell(builder, mv, Cell.STOP)
        # Atomic, so that LLVM looks at every turn: a plain load leaves a loop that writes nothing (llvmlite has no volatile).
        flag = builder.load_atomic(at, "monotonic", 8)
        stopped = builder.icmp_unsigned("!=", flag, ir.Constant(WORD, 0))
        with unlikely(builder, stopped):
            fail(context, builder, cv, mv, Fault.STOPPED, site_value)
        return context.get_dummy_value()

    return types.void(c, m, site), codegen


@intrinsic
def raising(typingctx, c, m, site):
    """A thread raises an exception of the kernel's own: note which one, and where."""

    def codegen(context, builder, sig, args):
        raised(builder, args[0], args[1], args[2])
        return context.get_dummy_value()

    return types.void(c, m, site), codegen


def each(context, builder, c, m, kind: types.Type, value: ir.Value, site: ir.Value, flags: ir.Value, *, stored: bool):
    """Enter every element of an array in the log, if this launch is traced."""
    if not isinstance(kind, types.Array) or isinstance(kind.dtype, types.Record | types.NestedArray):
        return
    with unlikely(builder, tracing(builder, c)):
        array = context.make_array(kind)(context, builder, value)
        shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
        with cgutils.loop_nest(builder, shape, WORD) as index:
            at = cgutils.get_item_pointer(context, builder, kind, array, list(index), wraparound=False)
            value = bits(builder, at, itemsize(context, kind)) if stored else None
            enter(builder, m, at, site, flags, value)


def whole_part(typingctx, context, builder, c, m, base, array, kind, index, site, flags) -> None:
    """Enter every element of the part of an array that an index stands for: all were written."""
    if isinstance(types.unliteral(kind), types.EllipsisType):  # all of it; Numba can store there, but not read
        each(context, builder, c, m, base, array, site, flags, stored=True)
        return
    signature = typingctx.resolve_function_type(operator.getitem, (base, types.unliteral(kind)), {})
    if signature is None or not isinstance(signature.return_type, types.Array):
        return
    with unlikely(builder, tracing(builder, c)):
        index = context.cast(builder, index, kind, signature.args[1])
        made = context.get_function(operator.getitem, signature)(builder, (array, index))
        each(context, builder, c, m, signature.return_type, made, site, flags, stored=True)
        if context.enable_nrt:  # no variable holds it
            context.nrt.decref(builder, signature.return_type, made)


@intrinsic
def read_all(typingctx, c, m, value, site):
    """A value that is passed to what reads all of it, if it is an array."""

    def codegen(context, builder, sig, args):
        cv, mv, given, site_value = args
        each(context, builder, cv, mv, value, given, site_value, ir.Constant(WORD, 0), stored=False)
        if context.enable_nrt:
            context.nrt.incref(builder, value, given)
        return given

    return value(c, m, value, site), codegen


@intrinsic
def wrote_all(typingctx, c, m, value, result, site):
    """An array of which all was written, by what gave the result."""

    def codegen(context, builder, sig, args):
        cv, mv, given, made, site_value = args
        each(context, builder, cv, mv, value, given, site_value, ir.Constant(WORD, 0), stored=True)
        if context.enable_nrt:
            context.nrt.incref(builder, result, made)
        return made

    return result(c, m, value, result, site), codegen


@intrinsic
def turned(typingctx, c, m, value, position, site):
    """A turn of a loop over the elements of an array."""

    def codegen(context, builder, sig, args):
        cv, mv, given, position_value, site_value = args
        if isinstance(value, types.Array) and value.ndim == 1 and not isinstance(value.dtype, types.Record):
            with unlikely(builder, tracing(builder, cv)):
                array = context.make_array(value)(context, builder, given)
                at = cgutils.get_item_pointer(context, builder, value, array, [position_value], wraparound=False)
                enter(builder, mv, at, site_value, ir.Constant(WORD, 0))
        return context.get_dummy_value()

    return types.void(c, m, value, position, site), codegen


def _is_record(base: types.Type, index: types.Type, name: types.Type) -> bool:
    return (
        isinstance(base, types.Array)
        and isinstance(base.dtype, types.Record)
        and is_element(base, index)
        and isinstance(name, types.StringLiteral)
        and name.literal_value in base.dtype.fields
    )


def _place(context, builder, record: types.Record, name: str, at: ir.Value, site: types.Type) -> ir.Value:
    """Pointer to a field of the record that lies at a place; the site learns which part of the item it touches."""
    offset = record.offset(name)
    size = context.get_abi_sizeof(context.get_data_type(record.typeof(name)))
    context.compilation.part(site.literal_value, offset, size)
    start = builder.bitcast(at, ir.PointerType(ir.IntType(8)))
    return builder.gep(start, [ir.Constant(WORD, offset)])


@intrinsic(prefer_literal=True)
def part(typingctx, c, m, base, index, low, high, step, site):
    """``base[low:high:step]``, which of a tuple is another tuple, if the bounds are constants; `index` is the slice."""
    if not isinstance(base, types.BaseTuple):
        made = get._defn(typingctx, c, m, base, index, site)
        if made is None:
            return None
        signature, inner = made

        def of_array(context, builder, sig, args):
            return inner(context, builder, signature, [*args[:4], args[7]])

        return signature.return_type(c, m, base, index, low, high, step, site), of_array
    if not all(bound == types.none or isinstance(bound, types.IntegerLiteral) for bound in (low, high, step)):
        raise errors.TypingError("A part of a tuple needs bounds that are constants: loop over its items")
    bounds = [None if bound == types.none else bound.literal_value for bound in (low, high, step)]
    picked = range(len(base))[slice(*bounds)]
    kind = types.BaseTuple.from_types([base.types[k] for k in picked])

    def codegen(context, builder, sig, args):
        made = context.make_tuple(builder, kind, [builder.extract_value(args[2], k) for k in picked])
        if context.enable_nrt:
            context.nrt.incref(builder, kind, made)
        return made

    return kind(c, m, base, index, low, high, step, site), codegen


@intrinsic(prefer_literal=True)
def get_field(typingctx, c, m, base, index, name, site):
    """``base[index].name``."""
    if not isinstance(name, types.StringLiteral):
        return None
    label = name.literal_value
    if _is_record(base, index, name):
        kind = base.dtype.typeof(label)
        item, found, inner = base.dtype, None, None
    else:
        found, inner = get._defn(typingctx, c, m, base, index, site) or (None, None)
        item: Any = found.return_type if found is not None else None
        kind = typingctx.resolve_getattr(item, label) if item is not None else None
        if item is not None and kind is None and isinstance(item, types.Record):
            kind = item.typeof(label) if label in item.fields else None
        if kind is None:
            return None

    def codegen(context, builder, sig, args):
        cv, mv, array_value, index_value, _, site_value = args
        if inner is not None:
            value = inner(context, builder, found, [cv, mv, array_value, index_value, site_value])
            return context.get_getattr(item, label)(context, builder, item, value, label)
        array = context.make_array(base)(context, builder, array_value)
        at, negative = pointer(context, builder, cv, mv, base, array, index, index_value, site_value)
        if not isinstance(kind, types.NestedArray | types.Record):  # those are views: nothing is read yet
            log(builder, cv, mv, _place(context, builder, item, label, at, site), site_value, negative, part=PART)
        return context.get_getattr(item, label)(context, builder, item, at, label)

    return kind(c, m, base, index, name, site), codegen


@intrinsic(prefer_literal=True)
def set_field(typingctx, c, m, base, index, name, value, site):
    """``base[index].name = value``."""
    if not _is_record(base, index, name):
        return None
    label, item = name.literal_value, base.dtype
    kind = item.typeof(label)
    if not typingctx.can_convert(value, kind):
        return None

    def codegen(context, builder, sig, args):
        cv, mv, array_value, index_value, _, given, site_value = args
        array = context.make_array(base)(context, builder, array_value)
        at, negative = pointer(context, builder, cv, mv, base, array, index, index_value, site_value)
        chosen = types.void(item, kind)
        store = context.get_setattr(label, chosen)
        store(builder, (at, context.cast(builder, given, value, kind)))
        place = _place(context, builder, item, label, at, site)
        with unlikely(builder, tracing(builder, cv)):
            size = context.get_abi_sizeof(context.get_data_type(kind))
            enter(builder, mv, place, site_value, negative, bits(builder, place, size), PART)
        return context.get_dummy_value()

    return types.void(c, m, base, index, name, value, site), codegen


@intrinsic
def copied(typingctx, c, m, value, site):
    """A value that is stored in an array: if it is a record of another, all of that is read."""

    def codegen(context, builder, sig, args):
        cv, mv, item, site_value = args
        if isinstance(value, types.Record):
            log(builder, cv, mv, item, site_value, ir.Constant(WORD, 0), part=PART)
        return context.get_dummy_value()

    return types.void(c, m, value, site), codegen


@intrinsic(prefer_literal=True)
def get_own(typingctx, c, m, base, name, site):
    """``base.name``, where base may be a record that lies in an array."""
    if not isinstance(name, types.StringLiteral):
        return None
    label = name.literal_value
    record = isinstance(base, types.Record) and label in base.fields
    kind = base.typeof(label) if record else typingctx.resolve_getattr(base, label)
    if kind is None:
        return None

    def codegen(context, builder, sig, args):
        cv, mv, value, _, site_value = args
        if record and not isinstance(kind, types.NestedArray | types.Record):
            no = ir.Constant(WORD, 0)
            log(builder, cv, mv, _place(context, builder, base, label, value, site), site_value, no, part=PART)
        return context.get_getattr(base, label)(context, builder, base, value, label)

    return kind(c, m, base, name, site), codegen


@intrinsic(prefer_literal=True)
def set_own(typingctx, c, m, base, name, value, site):
    """``base.name = value``, where base may be a record that lies in an array."""
    if not isinstance(name, types.StringLiteral) or not isinstance(base, types.Record):
        return None
    label = name.literal_value
    kind = base.typeof(label) if label in base.fields else None
    if kind is None or not typingctx.can_convert(value, kind):
        return None

    def codegen(context, builder, sig, args):
        cv, mv, record, _, given, site_value = args
        context.get_setattr(label, types.void(base, kind))(builder, (record, context.cast(builder, given, value, kind)))
        place = _place(context, builder, base, label, record, site)
        with unlikely(builder, tracing(builder, cv)):
            size = context.get_abi_sizeof(context.get_data_type(kind))
            no = ir.Constant(WORD, 0)
            enter(builder, mv, place, site_value, no, bits(builder, place, size), PART)
        return context.get_dummy_value()

    return types.void(c, m, base, name, value, site), codegen
