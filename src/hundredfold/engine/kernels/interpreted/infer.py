"""Types for every value of a graph, and for each the Python expression that computes it.

Numba's way: a fixpoint over the instructions; what flows together from several ways is unified.
"""

from __future__ import annotations

import numpy as np

from . import promotion, scalars
from .infer_arrays import ArrayTyping
from .infer_calls import CallTyping
from .infer_scalars import ScalarTyping
from .ir import Graph, Value
from .lanes import pick_lane, select_any
from .types import (
    BOOL,
    INT64,
    NONE,
    SLICE,
    Array,
    Iteration,
    Range,
    Record,
    Scalar,
    Thing,
    Time,
    Tuple,
    Type,
    TypingError,
    of_value,
    thing,
)

ROUNDS = 50


class NeedsBranch(Exception):
    """A choice that cannot be made lane by lane, only by parting the lanes; has the syntax node."""


class Inference(ScalarTyping, ArrayTyping, CallTyping):
    """Types a graph.

    Attributes
    ----------
    constants : dict
        Name → object that the generated code refers to.
    """

    def __init__(self, graph: Graph, debug: bool):
        self.graph, self.debug = graph, debug
        self.constants: dict[str, object] = {}
        self.allocations: dict[Value, tuple] = {}
        self._named: dict[int, str] = {}
        self._run()

    def _run(self) -> None:
        for _ in range(ROUNDS):
            changed = False
            for block in self.graph.blocks:
                for value in (*block.phis, *([block.sync] if block.sync else ()), *block.body):
                    changed |= self._type(value)
            if not changed:
                break
        for block in self.graph.blocks:
            for value in (*block.phis, *([block.sync] if block.sync else ()), *block.body):
                if value.type is None and value.op not in ("undefined", "phi"):
                    cause = next((a for a in value.args if a.op == "undefined"), value)
                    name = str(cause.extra).partition(".")[2]
                    raise value.place.function.error(
                        f"The variable {name} is used before anything is assigned to it."
                        if cause.op == "undefined"
                        else "The type of this cannot be found out.",
                        value.place.node,
                    )

    def _type(self, value: Value) -> bool:
        if value.op in ("undefined", "parameter"):
            return False
        before = value.type
        try:
            if value.op == "phi":
                value.type = self._phi(value)
            elif all(a.type is not None or (value.op == "select" and a.op == "undefined") for a in value.args):
                value.type = getattr(self, "op_" + value.op)(value)
        except TypingError as refused:
            name = str(value.extra).partition(".")[2]
            what = f"The variable {name} {refused}" if value.op == "phi" and name else f"{refused}"
            what = f"A value {what}" if what.startswith("is ") else what
            raise value.place.function.error(
                what if what.endswith((".", "?")) else what + ".", value.place.node
            ) from None
        return value.type != before

    def _phi(self, value: Value) -> Type | None:
        found = None
        for arg in value.args:
            try:
                found = promotion.unify(found, arg.type) if arg.type is not None else found
            except TypingError:
                places = [a.place for a in value.args if a.type is not None]
                value.place = max(places, key=lambda place: place.node.lineno)  # where it got another type
                raise
        return found

    # What the handlers use

    def k(self, thing_: object) -> str:
        """A name for an object in the generated code."""
        name = self._named.get(id(thing_))
        if name is None:
            name = self._named[id(thing_)] = f"K{len(self.constants)}"
            self.constants[name] = thing_
        return name

    def cast(self, expression: str, a: Type | None, b: Type) -> str:
        """The expression converted from one type to another.

        Raises
        ------
        TypingError
            If that is impossible.
        """
        if a == b:
            return expression
        if a is None:  # a variable that was never assigned on this way
            return self.zero(b)
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            if a.letter in "FD" and b.letter not in "FD?":
                raise TypingError(f"a complex number cannot become {b}")
            known = self.constants.get(expression)
            if isinstance(known, np.generic):  # converted now, not by each lane
                with np.errstate(all="ignore"):
                    return self.k(np.asarray(known).astype(b.dtype)[()])
            if b == BOOL:
                return f"({expression} != 0)"
            if a.letter in "efd" and b.letter in "bhBHIL":
                return f"{self.k(scalars.truncated)}({expression}, {self.k(b.dtype)})"
            return f"{expression}.astype({self.k(b.dtype)})"
        if isinstance(a, Time | Scalar) and isinstance(b, Time):
            return f"{expression}.astype({self.k(b.dtype)})"
        if isinstance(a, Time) and b == INT64:
            return f"{expression}.astype({self.k(b.dtype)})"
        if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
            items = [
                self.cast(f"{expression}[{k}]", x, y) for k, (x, y) in enumerate(zip(a.items, b.items, strict=True))
            ]
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if isinstance(a, Array) and isinstance(b, Array) and a.item == b.item and a.ndim == b.ndim:
            return expression
        raise TypingError(f"{a} cannot become {b}")

    def zero(self, t: Type) -> str:
        if isinstance(t, Scalar | Time):
            return self.k(np.zeros((), t.dtype)[()])
        if isinstance(t, Tuple):
            return f"({''.join(self.zero(i) + ', ' for i in t.items)})"
        if t == NONE:
            return "None"
        raise TypingError(f"is {t} on one way and not assigned on another")

    def constant(self, value: Value) -> object:
        """What a value is for all threads, known while compiling; else None."""
        if value.op == "const":
            return value.extra
        if value.op == "tuple":
            items = [self.constant(a) for a in value.args]
            return None if None in items else tuple(items)
        if value.op == "unary" and value.extra in ("neg", "pos"):
            inner = self.constant(value.args[0])
            return None if not _number(inner) else -inner if value.extra == "neg" else inner
        if value.op == "binary":
            a, b = map(self.constant, value.args)
            if _number(a) and _number(b):
                try:
                    return _FOLD[value.extra](a, b)
                except (KeyError, ZeroDivisionError):
                    return None
        if value.op == "call" and value.extra in (int, np.int32, np.int64) and len(value.args) == 1:
            inner = self.constant(value.args[0])
            return int(inner) if _number(inner) else None
        if value.op == "getitem":
            base, index = map(self.constant, value.args)
            if isinstance(base, tuple) and isinstance(index, int) and -len(base) <= index < len(base):
                return base[index]
        return None

    # Values that are not computed

    def op_const(self, v: Value) -> Type:
        value = v.extra
        if isinstance(value, str) or value is Ellipsis:
            v.emit = lambda _: self.k(value)
            return thing(value)
        try:
            t = of_value(value)
        except TypingError:
            if isinstance(value, list | dict | set):
                raise TypingError(
                    f"A kernel cannot use a {type(value).__name__} from outside: a GPU has none; use a tuple or an array."
                ) from None
            v.emit = lambda _: self.k(value)
            return thing(value)
        v.emit = lambda _: self.literal(value, t)
        return t

    def literal(self, value: object, t: Type) -> str:
        if isinstance(t, Scalar | Time):
            return self.k(np.array(value, t.dtype)[()])
        if isinstance(t, Tuple):
            items = "".join(self.literal(x, i) + ", " for x, i in zip(value, t.items, strict=True))
            return f"({items})"
        if isinstance(t, Array):
            from .arrays import wrap

            frozen = value.copy()
            frozen.flags.writeable = False
            return self.k(wrap(frozen, "a constant array", "const"))
        return "None"

    def op_tuple(self, v: Value) -> Type:
        v.emit = lambda n: f"({''.join(x + ', ' for x in n)})"
        return Tuple(tuple(a.type for a in v.args))

    def op_unpack(self, v: Value) -> Type:
        t, (k, count) = v.args[0].type, v.extra
        if isinstance(t, Array) and t.ndim:
            item, emit = self.element(t, self.access(v, v.args[0], "read"))
            v.emit = lambda n: emit(n[0], self.literal(k, INT64))
            return item
        if not isinstance(t, Tuple):
            raise TypingError(f"{t} cannot be unpacked: only a tuple can")
        if len(t.items) != count:
            raise TypingError(f"a tuple of {len(t.items)} cannot be unpacked into {count} names")
        v.emit = lambda n: f"{n[0]}[{k}]"
        return t.items[k]

    def op_slice(self, v: Value) -> Type:
        for a in v.args:
            if a.type != NONE and not (isinstance(a.type, Scalar) and a.type.letter in "?bhilBHIL"):
                raise TypingError(f"A slice needs integers, not {a.type}")
        v.emit = lambda n: f"slice({n[0]}, {n[1]}, {n[2]})"
        return SLICE

    def op_select(self, v: Value) -> Type:
        _, a, b = v.args
        t = promotion.unify(a.type, b.type)
        if isinstance(t, Array) and a is not b:
            raise NeedsBranch(v.place.node)  # lanes that go on with different arrays go on apart
        chooser = scalars.select if isinstance(t, Scalar | Time) else select_any
        v.emit = lambda n: f"{self.k(chooser)}({n[0]}, {self.cast(n[1], a.type, t)}, {self.cast(n[2], b.type, t)})"
        return t

    # Loops

    def op_bound(self, v: Value) -> Type:
        letter = self.range_letter(v.args)
        t = INT64 if letter == "i" else self.scalar(letter)
        default = {0: 0, 2: 1}
        args = {1: [None, 0, None], 2: [0, 1, None], 3: [0, 1, 2]}[len(v.args)]
        at = args[v.extra]
        if at is None:
            v.emit = lambda _: self.literal(default[v.extra], t)
        else:
            v.emit = lambda n: self.cast(n[at], v.args[at].type, t)
        return t

    def range_letter(self, args: list[Value]) -> str:
        letters = []
        for a in args:
            if not isinstance(a.type, Scalar) or a.type.letter not in "?bhilBHIL":
                raise TypingError(f"range needs integers, not {a.type}")
            letters.append(a.type.letter)
        letter = promotion.signature("builtins.range", letters[0])[1]
        for other in letters[1:]:
            letter = promotion.signature("builtins.range", letter, other)[1]
        return letter

    def _step(self, v: Value) -> int | None:
        """The step of a range, where it is written in the source."""
        bounds = v.args[2].args
        step = self.constant(bounds[2]) if len(bounds) == 3 else 1
        return step if isinstance(step, int) and step else None

    def op_range_more(self, v: Value) -> Type:
        step = self._step(v)
        if step:
            v.emit = lambda n: f"({n[0]} {'<' if step > 0 else '>'} {n[1]})"
        else:
            v.emit = lambda n: f"{self.k(_more)}({', '.join(n)})"
        return BOOL

    def op_range_item(self, v: Value) -> Type:
        letter = self.range_letter(v.args[1].args)
        v.emit = lambda n: self.cast(n[0], v.args[0].type, self.scalar(letter))
        return self.scalar(letter)

    def op_range_next(self, v: Value) -> Type:
        v.emit = lambda n: f"({n[0]} + {n[2]})"
        return v.args[0].type

    def op_index_more(self, v: Value) -> Type:
        v.emit = lambda n: f"({n[0]} < {n[2]})"
        return BOOL

    def op_index_next(self, v: Value) -> Type:
        v.emit = lambda n: f"({n[0]} + {self.literal(1, INT64)})"
        return INT64

    def op_iteration_length(self, v: Value) -> Type:
        v.emit = lambda n: self._length(v.args[0].type, n[0])
        self._length(v.args[0].type, "")
        return INT64

    def _length(self, t: Type, x: str) -> str:
        if isinstance(t, Array) and t.ndim:
            return f"{x}.dims()[0]"
        if isinstance(t, Tuple):
            return self.literal(len(t.items), INT64)
        if isinstance(t, Range):
            return f"{self.k(_count)}(*{x})"
        if isinstance(t, Iteration) and t.kind == "enumerate":
            return self._length(t.items[0], f"{x}[0]")
        if isinstance(t, Iteration):
            lengths = [self._length(item, f"{x}[{k}]") for k, item in enumerate(t.items)]
            return f"{self.k(_least)}({', '.join(lengths)})"
        raise TypingError(f"A kernel cannot loop over {t}")

    def op_index_item(self, v: Value) -> Type:
        at, iterable = v.args[:2]
        access = self.access(v, iterable, "read")
        t, emit = self._item(iterable.type, access)
        v.emit = lambda n: emit(n[1], n[0])
        return t

    def _item(self, t: Type, access):
        if isinstance(t, Array):
            return self.element(t, access)
        if isinstance(t, Tuple):
            if len(set(t.items)) != 1:
                raise TypingError("A kernel cannot loop over a tuple of different types")
            return t.items[0], lambda x, i: f"{self.k(pick_lane)}({x}, {i})"
        if isinstance(t, Range):
            item = self.scalar(t.letter)
            return item, lambda x, i: f"({x}[0] + {i} * {x}[2]).astype({self.k(item.dtype)})"
        if t.kind == "enumerate":
            inner, emit = self._item(t.items[0], access)
            return Tuple((INT64, inner)), lambda x, i: f"({i} + {x}[1], {emit(x + '[0]', i)})"
        parts = [self._item(item, access) for item in t.items]
        return (
            Tuple(tuple(p[0] for p in parts)),
            lambda x, i: "(" + "".join(p[1](f"{x}[{k}]", i) + ", " for k, p in enumerate(parts)) + ")",
        )


def _number(x: object) -> bool:
    return isinstance(x, int | float | np.integer | np.floating) and not isinstance(x, bool)


_FOLD = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "truediv": lambda a, b: a / b,
    "lshift": lambda a, b: a << b,
    "rshift": lambda a, b: a >> b,
    "pow": lambda a, b: a**b if b >= 0 else None,
}


def _more(at, stop, step):
    return np.where(step > 0, at < stop, (at > stop) & (step < 0))[()]


def _count(start, stop, step):
    up = (stop - start + step - 1) // step
    down = (stop - start + step + 1) // step
    return np.maximum(0, np.where(step > 0, up, down))[()]


def _least(*lengths):
    least = lengths[0]
    for n in lengths[1:]:
        least = np.minimum(least, n)
    return least


__all__ = ["Inference", "Record", "Thing"]
