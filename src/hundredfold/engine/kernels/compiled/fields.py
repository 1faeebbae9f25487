"""Fields of records in an array, ``x[i].a`` and ``x[i]["a"]``: logged as accesses of a part of the item.

A record that a variable stands for, ``p = x[i]``, is the item itself, in its place: ``p.a`` reads memory as ``x[i].a`` does.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .access import PART, bits, enter, get, is_element, log, pointer
from .arrays import Layouts
from .low import WORD, tracing, unlikely


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
    Layouts.part(site.literal_value, offset, size)
    start = builder.bitcast(at, ir.PointerType(ir.IntType(8)))
    return builder.gep(start, [ir.Constant(WORD, offset)])


@intrinsic(prefer_literal=True)
def get_field(typingctx, c, m, base, index, name, site):
    """``base[index].name``."""
    if not isinstance(name, types.StringLiteral):
        return None
    label = name.literal_value
    if _is_record(base, index, name):
        kind = base.dtype.typeof(label)
        item = base.dtype
    else:
        found, inner = get._defn(typingctx, c, m, base, index, site) or (None, None)
        item = found.return_type if found is not None else None
        kind = typingctx.resolve_getattr(item, label) if item is not None else None
        if isinstance(item, types.Record) and kind is None:
            kind = item.typeof(label) if label in item.fields else None
        if kind is None:
            return None

    def codegen(context, builder, sig, args):
        cv, mv, array_value, index_value, _, site_value = args
        if not _is_record(base, index, name):
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
