"""Arrays as lanes see them: one memory, and for each lane or for all an offset, a shape and strides.

An array's memory is a one-dimensional NumPy array `flat` whose items lie `unit` bytes apart, the greatest common divisor of
the array's strides; so every layout, negative strides and fields of records included, is offset plus index times stride.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gpusim.device.indices import indices

from ...faults import NOT_ONE, KernelError, raised
from ...ir.graph import Access
from ...sanitizer.records import axis_flags
from .stores import store_shuffled

I64, U64 = np.int64, np.uint64
FAR = -(2**52)
"""The offset of a row or record that is not there, in a kernel that goes on."""
_MOST = 2**31


class Outside(Exception):
    """Some lanes of an access are outside of memory, in a kernel that goes on: which ones."""

    def __init__(self, gone: np.ndarray):
        self.gone = gone


class Memory:
    """What arrays are views of.

    Attributes
    ----------
    space : str
        ``"global"``, ``"const"``, ``"shared"`` (a copy per block) or ``"local"`` (one per thread).
    size : int
        Items of each block's copy (shared); ignored otherwise.
    lanes : int
        Threads among which the items are interleaved (local), else 1.
    shape : tuple of int
        Of each copy, as it was asked for.
    """

    def __init__(
        self, name: str, space: str, flat: np.ndarray, *, size: int = 0, lanes: int = 1, root=None, shape=None
    ):
        self.name, self.space, self.flat, self.size, self.lanes = name, space, flat, size, lanes
        self.shape = (size,) if shape is None else tuple(shape)
        self.root = root  # the array as it was passed, for the access log
        self.fields: dict = {}

    def field(self, key: Any, make) -> np.ndarray:
        """A view of the memory made once, so that the same view is always the same object."""
        if key not in self.fields:
            self.fields[key] = make()
        return self.fields[key]


class Arr:
    """An array, or with no axes a reference to one item.

    Attributes
    ----------
    flat : numpy.ndarray
        Items `unit` bytes apart.
    offset : int or numpy.ndarray
        Of the first item, in units; an array has one for each lane.
    shape : tuple of int or numpy.ndarray
    strides : tuple of int or numpy.ndarray
        In units.
    base : int
        Bytes from the start of an item of the memory to what `flat` shows of it (a field).
    """

    __slots__ = ("flat", "offset", "shape", "strides", "unit", "memory", "base", "readonly")

    def __init__(self, flat, offset, shape, strides, unit, memory, base=0, readonly=False):
        self.flat, self.offset, self.shape, self.strides = flat, offset, shape, strides
        self.unit, self.memory, self.base, self.readonly = unit, memory, base, readonly

    def like(self, offset, shape, strides) -> Arr:
        return Arr(self.flat, offset, shape, strides, self.unit, self.memory, self.base, self.readonly)

    def parts(self):
        return (self.offset, *self.shape, *self.strides)

    def uniform(self) -> bool:
        return not any(type(p) is np.ndarray for p in self.parts())

    def map(self, function) -> Arr:
        """The same with a function applied to whatever differs between lanes."""
        if self.uniform():
            return self
        change = lambda p: function(p) if type(p) is np.ndarray else p  # noqa: E731
        return self.like(change(self.offset), tuple(map(change, self.shape)), tuple(map(change, self.strides)))

    def same_memory(self, other: Arr) -> bool:
        return self.flat is other.flat and self.unit == other.unit and len(self.shape) == len(other.shape)

    def dims(self) -> tuple:
        return tuple(_i64(n) for n in self.shape)

    def times(self) -> int:
        """Units of an item of the memory: more than one in an array field of its records."""
        return self.memory.flat.dtype.itemsize // self.unit

    def byte_strides(self) -> tuple:
        return tuple(_i64(s * self.unit) for s in self.strides)


def _i64(value):
    return value if type(value) is np.ndarray else I64(value)


def wrap(array: np.ndarray, name: str, space: str = "global") -> Arr:
    """A NumPy array for use in a kernel; nothing is copied."""
    unit = math.gcd(*(abs(s) for s, n in zip(array.strides, array.shape, strict=True) if n > 1), 0) or array.itemsize
    strides = tuple(s // unit if n > 1 else 0 for s, n in zip(array.strides, array.shape, strict=True))
    if array.size == 0:
        flat, offset = np.empty(0, array.dtype), 0
    else:
        offset = sum(-s * (n - 1) for s, n in zip(strides, array.shape, strict=True) if s < 0)
        reach = sum(abs(s) * (n - 1) for s, n in zip(strides, array.shape, strict=True))
        lowest = array[
            tuple(
                slice(n - 1, None, None) if s < 0 else slice(0, None) for s, n in zip(strides, array.shape, strict=True)
            )
        ]
        flat = as_strided(lowest, (reach + 1,), (unit,))
    memory = Memory(name, space, flat, root=array)
    return Arr(flat, offset, tuple(array.shape), strides, unit, memory, readonly=not array.flags.writeable)


def wrap_record(record: np.void, name: str) -> Arr:
    item = wrap(np.asarray(record).reshape(1), name)  # shares the record's memory
    return item.like(0, (), ())


def c_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    return tuple(strides)


def address(g, a: Arr, index: tuple, access: Access):
    """Where elements lie in ``a.flat``: one number for each lane, or one for all.

    Raises
    ------
    OutOfBoundsError
        If an index is outside, after a negative one has been counted from the end.
    Outside
        Instead, in a kernel that goes on, where that is no place of the same array.
    """
    at, used, outside = a.offset, 0, None
    for axis, (i, n, s) in enumerate(zip(index, a.shape, a.strides, strict=True)):
        if type(i) is np.ndarray:
            i, negative, wrong = _checked(g, a, i, n, axis, index, access)
            used |= axis_flags(negative, axis)
        else:
            i, wrong = int(i), None
            if type(n) is np.ndarray:
                i, negative, wrong = _checked(g, a, np.full(len(n), i), n, axis, index, access)
                used |= axis_flags(negative, axis)
            elif i < 0:
                i += n
                used |= axis_flags(1, axis)
            if type(i) is int and not 0 <= i < n:
                g.out_of_bounds(a, index, axis, access, 0, g.n)
                i, wrong = min(max(i, -_MOST), _MOST), True
        if wrong is not None:
            outside = wrong if outside is None else outside | wrong
        if type(s) is np.ndarray or s != 1:
            i = i * s
        at = i if type(at) is int and at == 0 else at + i
    if outside is not None or g.chunk.run.row_outside:
        _inside(g, a, at, outside)
    memory = a.memory
    plain = at
    if memory.space == "shared":
        block = g.block_number()
        if type(block) is np.ndarray or block:
            at = at + block * memory.size * a.times()
    elif memory.space == "local":
        times = a.times()
        at = (at // times * memory.lanes + g.lanes) * times + at % times if times != 1 else at * memory.lanes + g.lanes
    if g.log is not None:
        g.trace(a, plain, access, used)
    return at


def _inside(g, a: Arr, at, outside) -> None:
    """What a GPU reaches past the end of a row is the next row: refuse what is not in the array at all."""
    gone = np.broadcast_to(np.asarray(a.offset) < FAR // 2, g.n)
    if outside is not None:
        count = math.prod(a.shape) if a.uniform() else 0
        whole = count > 0 and a.strides in (c_strides(a.shape), c_strides(a.shape[::-1])[::-1])
        place = np.asarray(at) - a.offset
        gone = gone | (outside & ~np.logical_and(whole, (place >= 0) & (place < count)))
    if gone.any():
        raise Outside(gone)


def without(g, gone: np.ndarray, operation, a: Arr, index: tuple, *values, result=None):
    """Carry out an operation for the lanes that are inside; the others get 0, or what is in `result`."""
    from .lanes import take

    at = np.flatnonzero(~gone)
    if result is None:
        result = np.zeros(g.n, a.flat.dtype)
    if len(at):
        run, noted = g.chunk.run, g.chunk.run.passed
        found = operation(g.part(at, (), g.at), take(a, at), take(tuple(index), at), *(take(v, at) for v in values))
        run.passed = noted  # all of them have been counted
        if found is not None:
            result[at] = found
    return result


def _checked(g, a, i, n, axis, index, access):
    if i.dtype != I64:
        if i.dtype == U64:
            i = np.minimum(i, U64(2**62))
        i = i.astype(I64)
    if type(n) is not np.ndarray and n and int(i.view(U64).max()) < n:
        return i, 0, None
    below = i < 0
    negative = below if below.any() else 0
    if negative is below:
        i = np.where(below, i + n, i)
    wrong = (i < 0) | (i >= n)
    if wrong.any():
        g.out_of_bounds(a, index, axis, access, int(np.argmax(wrong)), int(wrong.sum()))
        return np.clip(i, -_MOST, _MOST), negative, wrong
    return i, negative, None


def load(g, a: Arr, index: tuple, access: Access):
    try:
        at = address(g, a, index, access)
    except Outside as outside:
        return without(g, outside.gone, lambda *parts: load(*parts, access=access), a, index)
    flat = a.flat
    if type(at) is np.ndarray and flat.flags.c_contiguous:
        return flat.take(indices(at))
    return flat[at]


def store(g, a: Arr, index: tuple, value, access: Access) -> None:
    """Store; of several lanes that store to one element the last wins, or one that the order of the launch picks."""
    if a.readonly or a.memory.space == "const":
        g.read_only(a, access)
    try:
        at = address(g, a, index, access)
    except Outside as outside:
        without(g, outside.gone, lambda *parts: store(*parts, access=access), a, index, value)
        return
    if g.chunk.run.random is not None:
        store_shuffled(a.flat, at, value, g.chunk.run.random)
    elif type(at) is np.ndarray:
        a.flat[at] = value
    else:
        a.flat[at] = value[-1] if type(value) is np.ndarray else value
    if g.log is not None:
        g.trace_value(value)


def put(g, a: Arr, values: tuple, access: Access) -> None:
    """Store numbers into an array of so many elements.

    Raises
    ------
    ValueError
        If it has more or fewer.
    """
    if np.any(a.shape[0] != len(values)):
        shape = (int(np.max(a.shape[0])),)
        said = f"cannot assign slice of shape {shape} from input of shape {(len(values),)}"
        raise raised(ValueError(said), KernelError("", **g.where(access.place, 0)))
    for k, value in enumerate(values):
        store(g, a, (k,), value, access)


def item(g, a: Arr, index: tuple, access: Access) -> Arr:
    """A reference to one item of an array of records."""
    try:
        at = _place(g, a, index, access)
    except Outside as outside:
        g.chunk.run.row_outside = True
        far = np.full(g.n, FAR, I64)
        at = without(g, outside.gone, lambda *parts: _place(*parts, access=access), a, index, result=far)
    return a.like(at, (), ())


def _place(g, a: Arr, index: tuple, access: Access):
    log, g.log = g.log, None  # what is touched is traced where a field is
    try:
        at = address(g, a, index, access)
    finally:
        g.log = log
    memory = a.memory
    times = a.times()
    if memory.space == "shared":
        return at - g.block_number() * memory.size * times
    return (at // times - g.lanes) // memory.lanes * times + at % times if memory.space == "local" else at


def load_item(g, a: Arr, access: Access):
    return load(g, a, (), access)


def only(g, a: Arr, access: Access):
    """The element of an array that has one."""
    if any(np.any(n != 1) for n in a.shape):
        raise raised(ValueError(NOT_ONE), KernelError("", **g.where(access.place, 0)))
    return load(g, a, (0,) * len(a.shape), access)


def field(a: Arr, name: str) -> Arr:
    """A field of a record, or of all records of an array."""
    dtype, start = a.flat.dtype.fields[name][:2]
    memory = a.memory
    if dtype.subdtype is None:
        flat = memory.field((a.base, name, id(a.flat)), lambda: a.flat[name])
        return Arr(flat, a.offset, a.shape, a.strides, a.unit, memory, a.base + start, a.readonly)
    item_type, inner = dtype.subdtype
    inner_bytes = tuple(s * item_type.itemsize for s in c_strides(inner))
    unit = math.gcd(a.unit, *inner_bytes)
    times = a.unit // unit

    def make():
        whole = a.flat[name]
        if not whole.size:
            return np.empty(0, item_type)
        reach = (len(a.flat) - 1) * a.unit + sum(s * (n - 1) for s, n in zip(inner_bytes, inner, strict=True))
        return as_strided(whole, (reach // unit + 1,), (unit,))

    flat = memory.field((a.base, name, id(a.flat), unit), make)
    strides = tuple(s * times for s in a.strides) + tuple(b // unit for b in inner_bytes)
    return Arr(flat, a.offset * times, (*a.shape, *inner), strides, unit, memory, a.base + start, a.readonly)


def view(g, a: Arr, index: tuple, access: Access) -> Arr:
    """Part of an array: `index` has integers, slices, None for a new axis, and at most one Ellipsis."""
    given = sum(i is not None and i is not Ellipsis for i in index)
    if Ellipsis in [i for i in index if type(i) is not np.ndarray]:
        k = next(k for k, i in enumerate(index) if i is Ellipsis)
        index = (*index[:k], *[slice(None)] * (len(a.shape) - given), *index[k + 1 :])
    else:
        index = (*index, *[slice(None)] * (len(a.shape) - given))
    offset, shape, strides, axis = a.offset, [], [], 0
    for i in index:
        if i is None:
            shape.append(1)
            strides.append(0)
            continue
        n, s = a.shape[axis], a.strides[axis]
        if isinstance(i, slice):
            start, length, step = slice_bounds(i, n)
            offset = offset + start * s
            shape.append(length)
            strides.append(s * step)
        else:
            wrong = None
            if type(i) is np.ndarray or type(n) is np.ndarray:
                i, _, wrong = _checked(g, a, np.asarray(i) + 0 * np.asarray(n), n, axis, index, access)
            else:
                i = int(i)
                i += n if i < 0 else 0
                if not 0 <= i < n:
                    g.out_of_bounds(a, index, axis, access, 0, g.n)
                    wrong = np.ones(g.n, bool)
            offset = offset + i * s
            if wrong is not None:
                g.chunk.run.row_outside = True
                offset = np.where(wrong, FAR, offset)
        axis += 1
    return a.like(offset, tuple(shape), tuple(strides))


def slice_bounds(s: slice, n):
    """Start, length and step of a slice of an axis of n items, as Python has them."""
    parts = [None if p is None else p if type(p) is np.ndarray else int(p) for p in (s.start, s.stop, s.step)]
    if not any(type(p) is np.ndarray for p in (*parts, n)):
        start, stop, step = slice(*parts).indices(n)
        return start, len(range(start, stop, step)), step
    start, stop, step = parts
    step = 1 if step is None else step
    up = step > 0
    if start is None:
        start = np.where(up, 0, n - 1)
    else:
        start = np.where(start < 0, start + n, start)
        start = np.where(up, np.clip(start, 0, n), np.clip(start, -1, n - 1))
    if stop is None:
        stop = np.where(up, n, -1)
    else:
        stop = np.where(stop < 0, stop + n, stop)
        stop = np.where(up, np.clip(stop, 0, n), np.clip(stop, -1, n - 1))
    length = np.maximum(0, np.where(up, (stop - start + step - 1) // step, (stop - start + step + 1) // step))
    return np.where(length > 0, start, 0).astype(I64), length.astype(I64), step


def fill(g, a: Arr, value, access: Access) -> None:
    """Store one value into every element of a view, ``a[i:j] = 0``, or element by element from another array."""
    shape = [int(n.max()) if type(n) is np.ndarray else int(n) for n in a.shape]
    same = all(type(n) is not np.ndarray for n in a.shape)
    if not same:
        g.refuse("assigning to slices of different lengths", access)
    source = value if isinstance(value, Arr) else None
    for index in np.ndindex(*shape):
        if source is not None:
            extra = len(index) - len(source.shape)
            inner = tuple(0 if n == 1 else i for i, n in zip(index[extra:], source.shape, strict=True))
            store(g, a, index, load(g, source, inner, access._replace(kind="read")).astype(a.flat.dtype), access)
        else:
            store(g, a, index, value, access)


def transposed(a: Arr) -> Arr:
    return a.like(a.offset, a.shape[::-1], a.strides[::-1])


def part(a: Arr, name: str) -> Arr:
    """The real or imaginary parts of a complex array."""
    flat = a.memory.field((name, id(a.flat)), lambda: getattr(a.flat, name))
    base = a.base + (a.flat.dtype.itemsize // 2 if name == "imag" else 0)
    return Arr(flat, a.offset, a.shape, a.strides, a.unit, a.memory, base, a.readonly)


def viewed(g, a: Arr, dtype: np.dtype, access: Access) -> Arr:
    """The bytes of an array as items of another type."""
    old, new = a.flat.dtype.itemsize, dtype.itemsize
    n, s = (a.shape[-1], a.strides[-1]) if a.shape else (1, 1)
    plain = a.flat.flags.c_contiguous and a.unit == old and a.memory.space == "global"
    if not plain or type(s) is np.ndarray or (s != 1 and old != new) or np.any(n * old % new):
        g.refuse("viewing the items of this array as others", access)
    unit = math.gcd(old, new)
    bytes_ = a.flat.view(np.uint8)
    count = max(0, (len(bytes_) - new) // unit + 1)
    flat = a.memory.field(("view", dtype, id(a.flat)), lambda: np.ndarray((count,), dtype, bytes_, 0, (unit,)))
    strides = tuple(x * (old // unit) for x in a.strides[:-1]) + ((new // unit,) if a.shape else ())
    shape = (*a.shape[:-1], n * old // new) if a.shape else ()
    if old == new:
        strides = tuple(x * (old // unit) for x in a.strides)
    return Arr(flat, a.offset * (old // unit), shape, strides, unit, a.memory, a.base, a.readonly)


def reshaped(g, a: Arr, shape: tuple, access: Access) -> Arr:
    """The elements of a contiguous array under another shape; one length may be -1."""
    if not a.uniform() or a.strides != c_strides(a.shape):
        g.refuse("reshaping an array that is not contiguous", access)
    lengths = [int(n) for n in shape]
    if -1 in lengths:
        known = -math.prod(lengths)
        lengths[lengths.index(-1)] = math.prod(a.shape) // known if known else 0
    if math.prod(lengths) != math.prod(a.shape):
        g.refuse("reshaping to another number of elements", access)
    return a.like(a.offset, tuple(lengths), c_strides(tuple(lengths)))


def contains(g, value, a: Arr, access: Access):
    """For each lane, whether one of an array's elements is a number."""
    if any(type(n) is np.ndarray for n in a.shape):
        g.refuse("`in` of an array whose shape differs between threads", access)
    found = np.zeros(g.n, bool)
    for index in np.ndindex(*(int(n) for n in a.shape)):
        found |= np.broadcast_to(load(g, a, index, access) == value, g.n)
    return found


def reduced(g, a: Arr, name: str, dtype: np.dtype, access: Access):
    """A sum, a mean and the like of a whole array, for each lane, element by element as a kernel's loop has it."""
    if any(type(n) is np.ndarray for n in a.shape):
        g.refuse(f"{name} of an array whose shape differs between threads", access)
    shape = tuple(int(n) for n in a.shape)
    items = [load(g, a, index, access) for index in np.ndindex(*shape)]
    if name in ("argmax", "argmin", "max", "min") and not items:
        g.refuse(f"{name} of an array without elements", access)
    column = np.stack([np.broadcast_to(item, g.n) for item in items]) if items else np.zeros((0, g.n), a.flat.dtype)
    if name in ("sum", "prod"):
        step = np.add if name == "sum" else np.multiply
        result = np.full(g.n, name == "prod", dtype)
        for row in column.astype(dtype):
            result = step(result, row)
        return result
    if name == "mean":
        if not items:
            return np.full(g.n, np.nan, dtype)
        own = column if column.dtype.kind in "fc" else column.astype(np.int64)  # Numba adds up in the items' own floats
        return np.add.accumulate(own, axis=0)[-1].astype(dtype) / len(items)
    wide = column.astype(dtype) if name in ("std", "var") else column
    return getattr(np, name)(wide, axis=0).astype(dtype, copy=False)


def apply(g, function, inputs, out: Arr, reads, write) -> None:
    """A function of whole arrays, element by element, broadcast to the shape of the result."""
    if not out.uniform():
        g.refuse("a function of an array whose shape differs between threads", write)
    for index in np.ndindex(*(int(n) for n in out.shape)):
        values = []
        for x, access in zip(inputs, reads, strict=True):
            if isinstance(x, Arr):
                inner = index[len(index) - len(x.shape) :]
                x = load(g, x, tuple(0 if n == 1 else i for i, n in zip(inner, x.shape, strict=True)), access)
            values.append(x)
        store(g, out, index, function(*values), write)
