"""Typing of everything with an index or an attribute."""

from __future__ import annotations

import ast
import enum
from types import ModuleType

import numpy as np

from . import arrays
from .ir import Value
from .lanes import pick_lane
from .scalars import make_complex
from .types import (
    COMPLEXES,
    INT32,
    INT64,
    INTEGERS,
    NONE,
    SCALARS,
    SLICE,
    Array,
    Record,
    Scalar,
    Thing,
    Time,
    Tuple,
    Type,
    TypingError,
    dtype_of_thing,
    of_dtype,
    thing,
)

AXES = {"threadIdx": 3, "blockIdx": 3, "blockDim": 3, "gridDim": 3}


def written(function, node: ast.AST) -> str:
    """An expression as its author wrote it."""
    return " ".join((ast.get_source_segment(function.source, node) or ast.unparse(node)).split())


class ArrayTyping:
    """Handlers of subscripts and attributes; mixed into :class:`.infer.Inference`."""

    def access(self, v: Value, base: Value, kind: str, operation: str = "") -> arrays.Access:
        node = v.place.node
        if v.op == "icall":
            node = node.args[0]
        elif isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        elif isinstance(node, ast.For):
            node = node.iter
        return arrays.Access(v.place, written(v.place.function, node), kind, operation)

    def element(self, t: Array, access):
        """Type and emitter of one element, ``(array, index) -> expression``, along the first axis."""
        if t.ndim != 1:
            return Array(t.item, t.ndim - 1), lambda x, i: f"{self.k(arrays.view)}(g, {x}, ({i},), {self.k(access)})"
        if isinstance(t.item, Record):
            return t.item, lambda x, i: f"{self.k(arrays.item)}(g, {x}, ({i},), {self.k(access)})"
        return t.item, lambda x, i: f"{self.k(arrays.load)}(g, {x}, ({i},), {self.k(access)})"

    def _index(self, t: Array, index: Value):
        """The parts of an index, and whether it denotes one element."""
        parts = index.type.items if isinstance(index.type, Tuple) else (index.type,)
        for part in parts:
            fine = part in (SLICE, NONE) or (isinstance(part, Thing) and part.value is Ellipsis)
            if not fine and not (isinstance(part, Scalar) and part.letter in INTEGERS + "?"):
                if isinstance(part, Scalar):
                    raise TypingError(f"An index is an integer, not {part}: use int(…) or // where it is computed")
                raise TypingError(f"An array in a kernel cannot be indexed with {part}")
        count = sum(isinstance(p, Scalar) or p == SLICE for p in parts)
        if count > t.ndim:
            raise TypingError(f"{count} indices for an array of {t.ndim} dimension{'s' * (t.ndim != 1)}")
        whole = count == t.ndim and all(isinstance(p, Scalar) for p in parts)
        return parts, whole

    def _view_type(self, t: Array, parts) -> Type:
        taken = sum(isinstance(p, Scalar) for p in parts)
        added = sum(p == NONE for p in parts)
        return Array(t.item, t.ndim - taken + added)

    def _tupled(self, index: Value, text: str) -> str:
        return text if isinstance(index.type, Tuple) else f"({text},)"

    def op_getitem(self, v: Value) -> Type:
        base, index = v.args
        t = base.type
        if isinstance(t, Tuple):
            return self._tuple_item(v, t, index)
        if isinstance(t, Record) or (
            isinstance(t, Array) and isinstance(index.type, Thing) and isinstance(t.item, Record)
        ):
            at = self.constant(index)
            if isinstance(t, Record) and isinstance(at, int) and 0 <= at < len(t.dtype.names):
                return self._field(v, base, t.dtype.names[at])
            if not isinstance(index.type, Thing) or not isinstance(index.type.value, str):
                raise TypingError("A record is indexed with the name of a field")
            return self._field(v, base, index.type.value)
        if not isinstance(t, Array):
            raise TypingError(f"{t} cannot be indexed")
        parts, whole = self._index(t, index)
        access = self.access(v, base, "read")
        if not whole:
            v.emit = lambda n: f"{self.k(arrays.view)}(g, {n[0]}, {self._tupled(index, n[1])}, {self.k(access)})"
            return self._view_type(t, parts)
        function = arrays.item if isinstance(t.item, Record) else arrays.load
        v.emit = lambda n: f"{self.k(function)}(g, {n[0]}, {self._tupled(index, n[1])}, {self.k(access)})"
        return t.item

    def _tuple_item(self, v, t, index):
        at = self.constant(index)
        if isinstance(at, int | np.integer):
            if not -len(t.items) <= at < len(t.items):
                raise TypingError(f"A tuple of {len(t.items)} has no item {at}")
            v.emit = lambda n: f"{n[0]}[{int(at)}]"
            return t.items[at]
        if index.type == SLICE and index.op == "slice":
            bounds = [self.constant(a) for a in index.args]
            part = slice(*bounds)
            v.emit = lambda n: f"{n[0]}[{bounds[0]}:{bounds[1]}:{bounds[2]}]"
            return Tuple(t.items[part])
        if not isinstance(index.type, Scalar) or index.type.letter not in INTEGERS:
            raise TypingError(f"A tuple cannot be indexed with {index.type}")
        if len(set(t.items)) != 1:
            raise TypingError("A tuple of different types can be indexed with a constant only")
        v.emit = lambda n: f"{self.k(pick_lane)}({n[0]}, {n[1]}, g, {self.k(v.place)})"
        return t.items[0]

    def op_setitem(self, v: Value) -> Type:
        base, index, value = v.args
        t = base.type
        if isinstance(t, Record) or (
            isinstance(t, Array) and isinstance(index.type, Thing) and isinstance(t.item, Record)
        ):
            return self._set_field(v, base, getattr(index.type, "value", None), value, 2)
        if isinstance(t, Tuple):
            raise TypingError("A tuple cannot be changed")
        if not isinstance(t, Array):
            raise TypingError(f"{t} has no elements to assign to")
        _, whole = self._index(t, index)
        access = self.access(v, base, "write")
        if whole:
            stored = self._stored(t.item, value.type, v)
            v.emit = lambda n: (
                f"{self.k(arrays.store)}(g, {n[0]}, {self._tupled(index, n[1])}, {stored(n[2])}, {self.k(access)})"
            )
            return NONE
        stored = (lambda x: x) if isinstance(value.type, Array) else self._stored(t.item, value.type, v)
        v.emit = lambda n: (
            f"{self.k(arrays.fill)}(g, {self.k(arrays.view)}(g, {n[0]}, {self._tupled(index, n[1])}, {self.k(access)}), "
            f"{stored(n[2])}, {self.k(access)})"
        )
        return NONE

    def _stored(self, item: Type, t: Type, v: Value):
        """How a value of one type is stored into an item of another."""
        if isinstance(item, Record):
            if t != item:
                raise TypingError(f"{t} cannot be stored into an array of records")
            return lambda x: f"{self.k(arrays.load_item)}(g, {x}, {self.k(arrays.Access(v.place, '', 'read'))})"
        if not isinstance(t, Scalar | Time):
            raise TypingError(f"{t} cannot be stored into an element of type {item}")
        self.cast("", t, item)
        return lambda x: self.cast(x, t, item)

    # Attributes

    def op_setattr(self, v: Value) -> Type:
        if not isinstance(v.args[0].type, Record):
            raise TypingError(f"{v.args[0].type} has no attribute that could be assigned to")
        return self._set_field(v, v.args[0], v.extra, v.args[1], 1)

    def _set_field(self, v, base, name, value, at):
        t = self._field_type(base.type, name)
        access = self.access(v, base, "write")
        if isinstance(t, Array):
            given = value.type
            stored = (lambda x: x) if isinstance(given, Array) else self._stored(t.item, given, v)
            v.emit = lambda n: (
                f"{self.k(arrays.fill)}(g, {self.k(arrays.field)}({n[0]}, {name!r}), {stored(n[at])}, {self.k(access)})"
            )
            return NONE
        stored = self._stored(t, value.type, v)
        v.emit = lambda n: (
            f"{self.k(arrays.store)}(g, {self.k(arrays.field)}({n[0]}, {name!r}), (), {stored(n[at])}, {self.k(access)})"
        )
        return NONE

    def _field_type(self, t: Type, name: object) -> Type:
        dtype = t.dtype if isinstance(t, Record) else t.item.dtype
        if not isinstance(name, str) or name not in dtype.names:
            raise TypingError(f"A record has no field {name}: its fields are {', '.join(dtype.names)}")
        inner = dtype.fields[name][0]
        ndim = 0 if isinstance(t, Record) else t.ndim
        if inner.subdtype is not None:
            return Array(of_dtype(inner.subdtype[0]), ndim + len(inner.subdtype[1]))
        return Array(of_dtype(inner), ndim) if ndim else of_dtype(inner)

    def _field(self, v, base, name):
        t = self._field_type(base.type, name)
        access = self.access(v, base, "read")
        if isinstance(t, Array | Record):
            v.emit = lambda n: f"{self.k(arrays.field)}({n[0]}, {name!r})"
        else:
            v.emit = lambda n: (
                f"{self.k(arrays.load)}(g, {self.k(arrays.field)}({n[0]}, {name!r}), (), {self.k(access)})"
            )
        return t

    def op_getattr(self, v: Value) -> Type:
        base, name = v.args[0], v.extra
        t = base.type
        if isinstance(t, Array):
            return self._array_attribute(v, t, name)
        if isinstance(t, Record):
            return self._field(v, base, name)
        if isinstance(t, Tuple) and name in t.names:
            k = t.names.index(name)
            v.emit = lambda n: f"{n[0]}[{k}]"
            return t.items[k]
        if isinstance(t, Scalar) and name in ("real", "imag"):
            return self._part(v, t, name)
        if isinstance(t, Thing):
            return self._thing_attribute(v, t.value, name)
        raise TypingError(f"{t} has no attribute {name}")

    def _part(self, v, t, name):
        if t.letter in COMPLEXES:
            v.emit = lambda n: f"{n[0]}.{name}"
            return SCALARS["f" if t.letter == "F" else "d"]
        v.emit = (lambda n: n[0]) if name == "real" else (lambda n: self.zero(t))
        return t

    def _thing_attribute(self, v, value, name):
        if isinstance(value, str) and value.startswith("cuda."):
            dotted = f"{value[5:]}.{name}"
            if value[5:] in AXES and name in "xyz":
                v.emit = lambda _: f"g.special({dotted!r})"
                return INT32
            v.emit = lambda _: "None"
            return thing("cuda." + dotted)
        known = isinstance(value, ModuleType | type | enum.Enum)
        if not known and type(value).__module__.partition(".")[0] not in ("numpy", "numba", "hundredfold"):
            raise TypingError(
                f"A kernel cannot use an object of class {type(value).__name__} from outside: pass what it needs of it as "
                "arguments"
            )
        try:
            found = getattr(value, name)
        except AttributeError:
            raise TypingError(f"{value} has no {name}") from None
        v.op, v.extra, v.args = "const", found, []
        return self.op_const(v)

    def _array_attribute(self, v, t, name):
        if name in ("shape", "strides"):
            method = "dims" if name == "shape" else "byte_strides"
            v.emit = lambda n: f"{n[0]}.{method}()"
            return Tuple((INT64,) * t.ndim)
        if name == "size":
            v.emit = lambda n: f"{self.k(_product)}({n[0]}.dims())"
            return INT64
        if name in ("ndim", "itemsize"):
            number = np.int64(t.ndim if name == "ndim" else t.item.dtype.itemsize)
            v.emit = lambda n: self.k(number)
            return INT64
        if name == "nbytes":
            number = np.int64(t.item.dtype.itemsize)
            v.emit = lambda n: f"({self.k(_product)}({n[0]}.dims()) * {self.k(number)})"
            return INT64
        if name == "T":
            v.emit = lambda n: f"{self.k(arrays.transposed)}({n[0]})"
            return t
        if name == "dtype":
            v.emit = lambda n: "None"
            return thing(t.item)
        if name in ("real", "imag") and isinstance(t.item, Scalar) and t.item.letter in COMPLEXES:
            v.emit = lambda n: f"{self.k(arrays.part)}({n[0]}, {name!r})"
            return Array(SCALARS["f" if t.item.letter == "F" else "d"], t.ndim)
        if name == "flat":
            access = self.access(v, v.args[0], "read")
            v.emit = lambda n: f"{self.k(arrays.reshaped)}(g, {n[0]}, (-1,), {self.k(access)})"
            return Array(t.item, 1)
        if isinstance(t.item, Record) and name in t.item.dtype.names:
            return self._field(v, v.args[0], name)
        raise TypingError(f"An array in a kernel has no {name}")

    # Methods

    def op_method(self, v: Value) -> Type:
        base, *args = v.args
        t, name = base.type, v.extra
        if isinstance(t, Scalar) and name in ("conjugate", "conj") and not args:
            v.emit = lambda n: f"{n[0]}.conjugate()"
            return t
        if isinstance(t, Scalar) and name == "item" and not args:
            v.emit = lambda n: n[0]
            return t
        if isinstance(t, Array) and name in ("reshape", "ravel", "flatten", "transpose"):
            access = self.access(v, base, "read")._replace(place=v.place)
            if name == "transpose" and not args:
                v.emit = lambda n: f"{self.k(arrays.transposed)}({n[0]})"
                return t
            if name == "ravel" and not args:
                v.emit = lambda n: f"{self.k(arrays.reshaped)}(g, {n[0]}, (-1,), {self.k(access)})"
                return Array(t.item, 1)
            if name == "reshape":
                shape = args[0].type.items if isinstance(args[0].type, Tuple) else tuple(a.type for a in args)
                given = isinstance(args[0].type, Tuple)
                v.emit = lambda n: (
                    f"{self.k(arrays.reshaped)}(g, {n[0]}, {n[1] if given else '(' + ', '.join(n[1:]) + ',)'}, {self.k(access)})"
                )
                return Array(t.item, len(shape))
        if isinstance(t, Array) and name == "view" and len(args) == 1 and isinstance(args[0].type, Thing):
            item = dtype_of_thing(args[0].type.value)
            if not isinstance(item, Scalar):
                raise TypingError("An array is viewed as numbers of another type only")
            access = self.access(v, base, "read")._replace(place=v.place)
            v.emit = lambda n: f"{self.k(arrays.viewed)}(g, {n[0]}, {self.k(item.dtype)}, {self.k(access)})"
            return Array(item, t.ndim)
        if isinstance(t, Array) and name == "item" and not args and t.ndim == 0:
            access = self.access(v, base, "read")
            v.emit = lambda n: f"{self.k(arrays.load)}(g, {n[0]}, (), {self.k(access)})"
            return t.item
        if isinstance(t, Thing):
            target = getattr(t.value, name, None)
            if target is not None:
                return self.call(v, target, args, lambda n: n[1:])
        what = "An array in a kernel" if isinstance(t, Array) else str(t)
        raise TypingError(f"{what} has no method {name}: a GPU has no such thing; write the loop")


def _product(dims):
    result = np.int64(1)
    for n in dims:
        result = result * n
    return result


__all__ = ["ArrayTyping", "make_complex"]
