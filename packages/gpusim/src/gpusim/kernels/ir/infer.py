"""Types for every value of a graph, and for each the Python expression that computes it.

Numba's way: a fixpoint over the instructions; what flows together from several ways is unified.

Over 800 lines: it is one class, a walk over the instructions with a method ``op_…`` for each kind of them.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import enum
import math
import operator
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from ..faults import UncompilableError
from ..frontend import absent
from ..frontend.intrinsics import BARRIERS, VECTOR_BASES, VOTES
from ..frontend.python.resolve import is_written
from ..sanitizer.records import FROM_THE_END, of_a_copy
from . import promotion
from .graph import Access, Allocation, Graph, Value
from .types import (
    BOOL,
    COMPLEXES,
    FLOAT64,
    INT32,
    INT64,
    INTEGERS,
    NONE,
    SCALARS,
    SIGNED,
    SLICE,
    UINT32,
    UNSIGNED,
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
    dtype_of_thing,
    of_dtype,
    of_value,
    thing,
)

ROUNDS = 50


class NeedsBranch(Exception):
    """A choice that cannot be made lane by lane, only by parting the lanes; has the syntax node."""


SIGNS = {
    **{"add": "+", "sub": "-", "mul": "*", "and_": "&", "or_": "|", "xor": "^"},
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
}


WORDS = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "lshift": "<<"},
    **{"rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "neg": "-", "pos": "+", "invert": "~", "not_": "not"},
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "is": "is", "isnot": "is not"},
}


INPLACE = {
    "i" + name.rstrip("_"): name for name in WORDS if name not in ("is", "isnot", "not_", "neg", "pos", "invert")
}


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


AXES = {"threadIdx": 3, "blockIdx": 3, "blockDim": 3, "gridDim": 3}


def written(function, node: ast.AST) -> str:
    """An expression as its author wrote it."""
    return " ".join((ast.get_source_segment(function.source, node) or ast.unparse(node)).split())


_MAKERS = {
    "array",
    "arange",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
}


MODULES = {"math": math, "cmath": cmath, "np": np, "builtins": builtins, "operator": operator}


def _names() -> dict[Any, str]:
    unary, binary, _ = promotion._tables()
    found = {}
    for name in (*unary, *binary):
        family, _, function = name.partition(".")
        found.setdefault(getattr(MODULES[family], function), name)
    more = {getattr(cmath, n): f"cmath.{n}" for n in ("acosh", "atanh", "cosh", "sinh", "tanh", "log10")}
    return found | more | {np.abs: "np.absolute", np.round: "np.rint", math.remainder: "math.remainder"}


NAMES: dict[Any, str] = {}


class _Typed(NamedTuple):
    """Stands for a value of which only the type matters."""

    type: Scalar


SPECIAL = {f"{name}.{axis}" for name in ("threadIdx", "blockIdx", "blockDim", "gridDim") for axis in "xyz"} | {"laneid"}


ATOMIC_NUMBERS, ATOMIC_INTEGERS = "ilILfd", "ilIL"
WORDS_OF_MASKS = "ilIL"
"""What numba-cuda takes for the mask of a warp, and for a lane."""


ATOMIC_TYPES = {
    **dict.fromkeys(("add", "sub", "max", "min", "nanmax", "nanmin"), ATOMIC_NUMBERS),
    **dict.fromkeys(("and_", "or_", "xor", "exch", "cas", "compare_and_swap"), ATOMIC_INTEGERS),
    **dict.fromkeys(("inc", "dec"), "IL"),
}


WAIT_TYPES = {
    **{"syncthreads": NONE, "syncwarp": NONE, "grid.sync": NONE, "ballot_sync": INT32, "match_any_sync": INT32},
    **{"syncthreads_count": INT32, "syncthreads_and": INT32, "syncthreads_or": INT32},
    **{"all_sync": BOOL, "any_sync": BOOL, "eq_sync": BOOL, "match_all_sync": Tuple((INT32, BOOL))},
}


COUNTS = {
    "syncthreads": (0,), "syncthreads_count": (1,), "syncthreads_and": (1,), "syncthreads_or": (1,), "grid.sync": (1,),
    "syncwarp": (0, 1), "shfl_sync": (3,), "shfl_up_sync": (3,), "shfl_down_sync": (3,), "shfl_xor_sync": (3,),
}  # fmt: skip


def error_of(value: Value, refused: TypingError) -> UncompilableError:
    """What typing refuses, with the place of the instruction."""
    name = str(value.extra).partition(".")[2]
    what = f"The variable {name} {refused}" if value.op == "phi" and name else f"{refused}"
    what = f"A value {what}" if what.startswith("is ") else what
    error = value.place.function.error(what if what.endswith((".", "?")) else what + ".", value.place.node)
    error.numbas = refused.kind
    return error


class Inference:
    """Types a graph.

    Parameters
    ----------
    runtime : namespace
        The functions that the expressions call, in modules `arrays`, `atomics`, `bits`, `functions`, `lanes`, `scalars`, `warps`.

    Attributes
    ----------
    constants : dict
        Name → object that the generated code refers to.
    """

    def __init__(self, graph: Graph, debug: bool, runtime: SimpleNamespace):
        self.graph, self.debug = graph, debug
        self.arrays, self.scalars, self.functions = runtime.arrays, runtime.scalars, runtime.functions
        self.atomics, self.bits, self.lanes, self.warps = runtime.atomics, runtime.bits, runtime.lanes, runtime.warps
        self.constants: dict[str, Any] = {}
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
            raise error_of(value, refused) from None
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

    def k(self, thing_: Any) -> str:
        """A name for an object in the generated code."""
        name = self._named.get(id(thing_))
        if name is None:
            name = self._named[id(thing_)] = f"K{len(self.constants)}"
            self.constants[name] = thing_
        return name

    def cast(self, expression: str, a: Any, b: Any) -> str:
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
                return f"{self.k(self.scalars.truncated)}({expression}, {self.k(b.dtype)})"
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

    def constant(self, value: Value) -> Any:
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

    def _known(self, v: Value, value: Any) -> Type:
        """An instruction whose result is known now."""
        v.op, v.extra, v.args = "const", value, []
        return self.op_const(v)

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

    def literal(self, value: Any, t: Type) -> str:
        if isinstance(t, Scalar | Time):
            return self.k(np.array(value, t.dtype)[()])
        if isinstance(t, Tuple):
            items = "".join(self.literal(x, i) + ", " for x, i in zip(value, t.items, strict=True))
            return f"({items})"
        if isinstance(t, Array):
            frozen = value.copy()
            frozen.flags.writeable = False
            return self.k(self.arrays.wrap(frozen, "a constant array", "const"))
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
            if a.type != NONE and not (isinstance(a.type, Scalar) and a.type.letter in "?bhilBHILefd"):
                raise TypingError(f"A slice needs integers, not {a.type}")
        types = [a.type for a in v.args]  # Numba converts floats
        v.emit = lambda n: (
            "slice("
            + ", ".join(self.cast(x, t, INT64) if t in _REALS else x for x, t in zip(n, types, strict=True))
            + ")"
        )
        return SLICE

    def op_select(self, v: Value) -> Type:
        _, a, b = v.args
        t = promotion.unify(a.type, b.type)
        if isinstance(t, Array) and a is not b:
            raise NeedsBranch(v.place.node)  # lanes that go on with different arrays go on apart
        chooser = self.scalars.select if isinstance(t, Scalar | Time) else self.lanes.select_any
        v.emit = lambda n: f"{self.k(chooser)}({n[0]}, {self.cast(n[1], a.type, t)}, {self.cast(n[2], b.type, t)})"
        return t

    def op_contains(self, v: Value) -> Type:
        value, among = (a.type for a in v.args)
        text, whole = _text(value), _text(among)
        if text is not None and whole is not None:
            answer = self.k(np.bool_((text in whole) == v.extra))
            v.emit = lambda _: answer
        elif isinstance(among, Range) and isinstance(value, Scalar) and value.letter in INTEGERS:
            v.emit = lambda n: f"({self.k(_in_range)}({n[0]}, *{n[1]}) == {v.extra})"
        elif isinstance(among, Array) and isinstance(among.item, Scalar) and isinstance(value, Scalar):
            access = self.access(v, v.args[1], "read")._replace(place=v.place)
            v.emit = lambda n: f"({self.k(self.arrays.contains)}(g, {n[0]}, {n[1]}, {self.k(access)}) == {v.extra})"
        elif isinstance(among, Tuple) and among.items:
            same = [self._combined(v, "eq", "eq", value, item)[1] for item in among.items]
            each = lambda n: " | ".join(emit(n[0], f"{n[1]}[{k}]") for k, emit in enumerate(same))  # noqa: E731
            v.emit = lambda n: f"(({each(n)}) == {v.extra})"
        else:
            raise TypingError("A kernel cannot use `in` with this: compare with each element")
        return BOOL

    # Loops

    def op_bound(self, v: Value) -> Type:
        letter = self.range_letter(v.args)
        t = INT64 if letter == "i" else SCALARS[letter]
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
            if not isinstance(a.type, Scalar) or a.type.letter in COMPLEXES:
                raise TypingError(f"range needs integers, not {a.type}")
            letters.append("l" if a.type in _REALS else a.type.letter)  # Numba converts floats
        letter = promotion.result("builtins.range", letters[0])
        for other in letters[1:]:
            letter = promotion.result("builtins.range", letter, other)
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
        v.emit = lambda n: self.cast(n[0], v.args[0].type, SCALARS[letter])
        return SCALARS[letter]

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

    def _item(self, t: Any, access):
        if isinstance(t, Array):
            return self.element(t, access)
        if isinstance(t, Tuple):
            if len(set(t.items)) != 1:
                raise TypingError("A kernel cannot loop over a tuple of different types")
            return t.items[0], lambda x, i: f"{self.k(self.lanes.pick_lane)}({x}, {i})"
        if isinstance(t, Range):
            item = SCALARS[t.letter]
            return item, lambda x, i: f"({x}[0] + {i} * {x}[2]).astype({self.k(item.dtype)})"
        if t.kind == "enumerate":
            inner, emit = self._item(t.items[0], access)
            return Tuple((INT64, inner)), lambda x, i: f"({i} + {x}[1], {emit(x + '[0]', i)})"
        parts = [self._item(item, access) for item in t.items]
        return (
            Tuple(tuple(p[0] for p in parts)),
            lambda x, i: "(" + "".join(p[1](f"{x}[{k}]", i) + ", " for k, p in enumerate(parts)) + ")",
        )

    # Operators

    def op_binary(self, v: Value) -> Type:
        texts = [_text(a.type) for a in v.args]
        if v.extra in ("add", "mul") and texts != [None, None]:
            if any(isinstance(node, ast.Name) for node in ast.walk(v.place.node)) or None in texts:
                raise TypingError("Text cannot be joined or repeated in a kernel: do so outside of it")
            return self._known(v, "".join(map(str, texts)))  # which Python does before Numba sees it
        t, emit = self.binary(v, v.extra, v.args[0], v.args[1])
        v.emit = lambda n: emit(n[0], n[1])
        return t

    def binary(self, v: Value, name: str, left: Value, right: Value):
        """Result type and emitter of ``left <name> right``."""
        a, b = left.type, right.type
        plain = INPLACE.get(name, name)
        if plain in ("is", "isnot"):
            if a == b and isinstance(a, Scalar):  # of numbers Numba compares the values
                return self.binary(v, "eq" if plain == "is" else "ne", left, right)
            numbers = isinstance(a, Scalar) and isinstance(b, Scalar)  # of two types: never the same
            if NONE not in (a, b) and not numbers:
                raise TypingError("`is` compares objects, which a kernel has none of: use ==")
            answer = self.k(np.bool_((a == b) == (plain == "is")))
            return BOOL, lambda x, y: answer
        return self._combined(v, name, plain, a, b, self.constant(right))

    def _combined(self, v: Value, name: str, plain: str, a: Any, b: Any, constant: Any = None):
        """Result type and emitter of an operator on two types; `constant` is what the right operand is, where it is known."""
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            return self._numbers(v, name, plain, a, b, constant)
        if isinstance(a, Time) or isinstance(b, Time):
            return self._times(plain, a, b)
        if isinstance(a, Tuple) and isinstance(b, Tuple):
            if plain == "add":
                return Tuple(a.items + b.items), lambda x, y: f"({x} + {y})"
            if plain in ("eq", "ne"):
                return BOOL, self._tuples(v, plain, a, b)
        texts = [_text(t) for t in (a, b)]
        if None not in texts and plain in COMPARISONS:
            answer = self.k(np.bool_(getattr(operator, plain)(*texts)))
            return BOOL, lambda x, y: answer
        if NONE in (a, b) and plain in ("eq", "ne"):
            answer = self.k(np.bool_((a == b) == (plain == "eq")))
            return BOOL, lambda x, y: answer
        raise TypingError(_no_operation(plain, a, b))

    def _numbers(self, v, name, plain, a, b, constant):
        found = promotion.signature(f"operator.{name}", a.letter, b.letter)
        if found is None:
            raise TypingError(_no_operation(plain, a, b))
        (ca, cb), r = found
        result, ta, tb = SCALARS[r], SCALARS[ca], SCALARS[cb]
        if plain in COMPARISONS:
            sign = SIGNS[plain]
            return BOOL, lambda x, y: f"({self.cast(x, a, ta)} {sign} {self.cast(y, b, tb)})"
        if plain == "pow":
            return result, self._power(a, b, result, ta, tb, constant)
        to_result = lambda x, y: (self.cast(x, a, result), self.cast(y, b, result))  # noqa: E731
        if plain in SIGNS:
            sign = SIGNS[plain]
            return result, lambda x, y: f"({to_result(x, y)[0]} {sign} {to_result(x, y)[1]})"
        if plain in ("lshift", "rshift"):
            function = self.scalars.shift_left if plain == "lshift" else self.scalars.shift_right
        elif plain == "truediv":
            function = self.scalars.complex_div if r in COMPLEXES else None
        else:
            integers = r in INTEGERS
            function = {
                ("floordiv", True): self.scalars.floordiv_int,
                ("mod", True): self.scalars.mod_int,
                ("floordiv", False): self.scalars.floordiv_float,
                ("mod", False): self.scalars.mod_float,
            }[plain, integers]
        checked = self.debug and plain in ("truediv", "floordiv", "mod")

        def emit(x, y):
            x, y = to_result(x, y)
            if checked:
                y = f"g.divisor({y}, {self.k(v.place)})"
            return f"({x} / {y})" if function is None else f"{self.k(function)}({x}, {y})"

        return result, emit

    def _power(self, a, b, result, ta, tb, constant):
        whole = isinstance(constant, int | np.integer) and not isinstance(constant, bool)
        if whole and abs(constant) <= self.scalars.LIMIT and result.letter not in COMPLEXES:
            return lambda x, y: f"{self.k(self.scalars.pow_static)}({self.cast(x, a, result)}, {int(constant)})"
        if tb.letter in INTEGERS:
            return lambda x, y: (
                f"{self.k(self.scalars.pow_by_integer)}({self.cast(x, a, result)}, {self.cast(y, b, tb)})"
            )
        function = self.scalars.complex_pow if result.letter in COMPLEXES else self.scalars.pow_float
        return lambda x, y: f"{self.k(function)}({self.cast(x, a, result)}, {self.cast(y, b, result)})"

    def _times(self, plain, a, b):
        function: Any = {
            **{"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide},
            **{"floordiv": np.floor_divide, "mod": np.remainder, "eq": np.equal, "ne": np.not_equal},
            **{"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal},
        }.get(plain)
        try:
            dtype = function(np.ones(1, a.dtype), np.ones(1, b.dtype)).dtype
        except (TypeError, AttributeError):
            raise TypingError(_no_operation(plain, a, b)) from None
        result = of_dtype(dtype)
        return result, lambda x, y: f"{self.k(function)}({x}, {y})"

    def _tuples(self, v, plain, a, b):
        if len(a.items) != len(b.items):
            answer = self.k(np.bool_(plain == "ne"))
            return lambda x, y: answer
        parts = [self._combined(v, plain, plain, p, q)[1] for p, q in zip(a.items, b.items, strict=True)]
        sign = " & " if plain == "eq" else " | "
        return lambda x, y: "(" + sign.join(p(f"{x}[{k}]", f"{y}[{k}]") for k, p in enumerate(parts)) + ")"

    def op_unary(self, v: Value) -> Type:
        t = v.args[0].type
        if v.extra == "not_":
            truth = self._truth(t)
            v.emit = lambda n: f"({truth(n[0])} ^ True)"
            return BOOL
        if isinstance(t, Time) and v.extra in ("neg", "pos"):
            v.emit = lambda n: f"({WORDS[v.extra]}{n[0]})"
            return t
        found = isinstance(t, Scalar) and promotion.signature(f"operator.{v.extra}", t.letter)
        if not found:
            raise TypingError(f"{t} has no {WORDS.get(v.extra, v.extra)}")
        result = SCALARS[found[1]]
        # Numba negates in the operand's own type and widens then: -uint8(1) is 255.
        own = t if v.extra == "neg" and t != BOOL else result
        v.emit = lambda n: self.cast(f"({WORDS[v.extra]}{self.cast(n[0], t, own)})", own, result)
        return result

    def op_truth(self, v: Value) -> Type:
        truth = self._truth(v.args[0].type)
        v.emit = lambda n: truth(n[0])
        return BOOL

    def _truth(self, t: Any):
        if isinstance(t, Scalar | Time):
            return lambda x: self.cast(x, t, BOOL) if isinstance(t, Scalar) else f"({x} != 0)"
        if isinstance(t, Tuple) or t == NONE:
            answer = self.k(np.bool_(t != NONE and bool(t.items)))
            return lambda x: answer
        if (text := _text(t)) is not None:
            answer = self.k(np.bool_(text))
            return lambda x: answer
        raise TypingError(f"{t} is neither true nor false: compare its elements, or its length")

    def op_boolean(self, v: Value) -> Type:
        a, b = v.args
        if a.type == BOOL and b.type == BOOL:
            sign = "&" if v.extra == "and" else "|"
            v.emit = lambda n: f"({n[0]} {sign} {n[1]})"
            return BOOL
        t, truth = promotion.unify(a.type, b.type), self._truth(a.type)

        def emit(n):
            x, y = self.cast(n[0], a.type, t), self.cast(n[1], b.type, t)
            chosen = (y, x) if v.extra == "and" else (x, y)
            return f"{self.k(self.scalars.select)}({truth(n[0])}, {chosen[0]}, {chosen[1]})"

        v.emit = emit
        return t

    # Subscripts and attributes

    def access(self, v: Value, base: Value, kind: str, operation: str = "") -> Access:
        node: Any = v.place.node
        if v.op == "icall":
            node = node.args[0]
        elif isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        elif isinstance(node, ast.For):
            node = node.iter
        if v.op in ("getitem", "setitem") and self._from_the_end(v.args[1]):
            operation = FROM_THE_END
        elif kind == "read":
            operation = of_a_copy(v.place.node) or operation
        return Access(v.place, written(v.place.function, node), kind, operation)

    def _from_the_end(self, index: Value) -> bool:
        """Whether an index is a constant below zero, or has one."""
        parts = index.args if index.op == "tuple" else [index]
        return any(isinstance(at := self.constant(part), int | np.integer) and at < 0 for part in parts)

    def element(self, t: Array, access):
        """Type and emitter of one element, ``(array, index) -> expression``, along the first axis."""
        if t.ndim != 1:
            row = Array(t.item, t.ndim - 1)
            return row, lambda x, i: f"{self.k(self.arrays.view)}(g, {x}, ({i},), {self.k(access)})"
        if isinstance(t.item, Record):
            return t.item, lambda x, i: f"{self.k(self.arrays.item)}(g, {x}, ({i},), {self.k(access)})"
        return t.item, lambda x, i: f"{self.k(self.arrays.load)}(g, {x}, ({i},), {self.k(access)})"

    def _index(self, t: Array, index: Value, *, atomic: bool = False):
        """The parts of an index, and whether it denotes one element."""
        parts = index.type.items if isinstance(index.type, Tuple) else (index.type,)
        for part in parts:
            fine = part in (SLICE, NONE) or (isinstance(part, Thing) and part.value is Ellipsis)
            if part == BOOL and not atomic and is_written(index.place.function.pyfunc):
                raise TypingError("An index is an integer, not bool: write int(…)")
            if not fine and not (isinstance(part, Scalar) and part.letter in INTEGERS + "?"):
                if isinstance(part, Scalar):
                    raise TypingError(f"An index is an integer, not {part}: use int(…) or // where it is computed")
                raise TypingError(f"An array in a kernel cannot be indexed with {part}")
        count = sum(isinstance(p, Scalar) or p == SLICE for p in parts)
        if count > t.ndim:
            raise TypingError(f"{count} indices for an array of {t.ndim} dimension{'s' * (t.ndim != 1)}")
        whole = count == t.ndim and all(isinstance(p, Scalar) for p in parts)
        return parts, whole

    def _view_type(self, t: Array, parts) -> Array:
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
            v.emit = lambda n: f"{self.k(self.arrays.view)}(g, {n[0]}, {self._tupled(index, n[1])}, {self.k(access)})"
            return self._view_type(t, parts)
        function = self.arrays.item if isinstance(t.item, Record) else self.arrays.load
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
            signed = [a.args[0] if a.op == "unary" else a for a in index.args]
            if any(a.op != "const" for a in signed):
                raise TypingError("A part of a tuple needs bounds that are constants: loop over its items")
            bounds = [self.constant(a) for a in index.args]
            part = slice(*bounds)
            if part.step == 0:
                raise TypingError("slice step cannot be zero")
            v.emit = lambda n: f"{n[0]}[{bounds[0]}:{bounds[1]}:{bounds[2]}]"
            return Tuple(t.items[part])
        if not isinstance(index.type, Scalar) or index.type.letter not in INTEGERS:
            raise TypingError(f"A tuple cannot be indexed with {index.type}")
        if len(set(t.items)) != 1:
            raise TypingError("A tuple of different types can be indexed with a constant only")
        v.emit = lambda n: f"{self.k(self.lanes.pick_lane)}({n[0]}, {n[1]}, g, {self.k(v.place)})"
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
        parts, whole = self._index(t, index)
        access = self.access(v, base, "write")
        if not whole and isinstance(value.type, Tuple) and self._view_type(t, parts).ndim == 1:
            return self._set_part(v, access)
        if whole:
            stored = self._stored(t.item, value.type, v)
            v.emit = lambda n: (
                f"{self.k(self.arrays.store)}(g, {n[0]}, {self._tupled(index, n[1])}, {stored(n[2])}, {self.k(access)})"
            )
            return NONE
        if isinstance(value.type, Array) and is_written(v.place.function.pyfunc):
            raise TypingError(
                "An array cannot be assigned to a part of another in a kernel (NRT required but not enabled): write a loop",
                "NumbaRuntimeError",
            )
        stored = (lambda x: x) if isinstance(value.type, Array) else self._stored(t.item, value.type, v)
        v.emit = lambda n: (
            f"{self.k(self.arrays.fill)}(g, {self.k(self.arrays.view)}(g, {n[0]}, {self._tupled(index, n[1])}, {self.k(access)}), "
            f"{stored(n[2])}, {self.k(access)})"
        )
        return NONE

    def _set_part(self, v: Value, access: Access) -> Type:
        """Store the numbers of a tuple into a part of an array, which Numba takes where they have one type."""
        base, index, value = v.args
        kinds = set(value.type.items)
        if len(kinds) != 1:
            raise TypingError(f"{value.type} cannot be stored into a part of {base.type}: give its numbers one type")
        stored = self._stored(base.type.item, kinds.pop(), v)
        numbers = range(len(value.type.items))
        v.emit = lambda n: (
            f"{self.k(self.arrays.put)}(g, {self.k(self.arrays.view)}(g, {n[0]}, {self._tupled(index, n[1])}, {self.k(access)}), "
            f"({', '.join(stored(f'{n[2]}[{k}]') for k in numbers)},), {self.k(access)})"
        )
        return NONE

    def _stored(self, item: Type, t: Type, v: Value):
        """How a value of one type is stored into an item of another."""
        if isinstance(item, Record):
            if t != item:
                raise TypingError(f"{t} cannot be stored into an array of records")
            return lambda x: f"{self.k(self.arrays.load_item)}(g, {x}, {self.k(Access(v.place, '', 'read'))})"
        if not isinstance(t, Scalar | Time):
            raise TypingError(f"{t} cannot be stored into an element of type {item}")
        if item == BOOL and isinstance(t, Scalar) and t.letter in COMPLEXES:
            raise TypingError(f"{t} cannot be stored into an element of type {item}: compare it, x != 0")
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
                f"{self.k(self.arrays.fill)}(g, {self.k(self.arrays.field)}({n[0]}, {name!r}), {stored(n[at])}, {self.k(access)})"
            )
            return NONE
        stored = self._stored(t, value.type, v)
        v.emit = lambda n: (
            f"{self.k(self.arrays.store)}(g, {self.k(self.arrays.field)}({n[0]}, {name!r}), (), {stored(n[at])}, {self.k(access)})"
        )
        return NONE

    def _field_type(self, t: Any, name: Any) -> Type:
        dtype: Any = t.dtype if isinstance(t, Record) else t.item.dtype
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
            v.emit = lambda n: f"{self.k(self.arrays.field)}({n[0]}, {name!r})"
        else:
            v.emit = lambda n: (
                f"{self.k(self.arrays.load)}(g, {self.k(self.arrays.field)}({n[0]}, {name!r}), (), {self.k(access)})"
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
        if not known and type(value).__module__.partition(".")[0] not in ("numpy", "numba", "gpusim"):
            raise TypingError(
                f"A kernel cannot use an object of class {type(value).__name__} from outside: pass what it needs of it as "
                "arguments"
            )
        try:
            found = getattr(value, name)
        except AttributeError:
            raise TypingError(f"{value} has no {name}") from None
        return self._known(v, found)

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
            v.emit = lambda n: f"{self.k(self.arrays.transposed)}({n[0]})"
            return t
        if name == "dtype":
            v.emit = lambda n: "None"
            return thing(t.item)
        if name in ("real", "imag") and isinstance(t.item, Scalar) and t.item.letter in COMPLEXES:
            v.emit = lambda n: f"{self.k(self.arrays.part)}({n[0]}, {name!r})"
            return Array(SCALARS["f" if t.item.letter == "F" else "d"], t.ndim)
        if name == "real" and isinstance(t.item, Scalar):
            v.emit = lambda n: n[0]
            return t
        if name == "ctypes":
            v.emit = lambda n: "None"
            return thing("an array's ctypes")
        if name == "flat":
            access = self.access(v, v.args[0], "read")
            v.emit = lambda n: f"{self.k(self.arrays.reshaped)}(g, {n[0]}, (-1,), {self.k(access)})"
            return Array(t.item, 1)
        if isinstance(t.item, Record) and name in t.item.dtype.names:
            return self._field(v, v.args[0], name)
        raise TypingError(f"An array in a kernel has no {name}")

    # Methods

    def op_method(self, v: Value) -> Type:
        base, *args = v.args
        t, name = base.type, v.extra
        if isinstance(t, Array) and name in absent.METHODS and is_written(v.place.function.pyfunc):
            kind = "NotImplementedError" if name in absent.UNLOWERED else "TypingError"
            raise TypingError(absent.sentence(f"The method {name}", name), kind)
        if isinstance(t, Array) and name in _REDUCED and not args:
            t, emit = self._reduced(v, base, name)
            v.emit = lambda n: emit(n[0])
            return t
        if isinstance(t, Array) and name == "fill" and len(args) == 1:
            access = self.access(v, base, "write")._replace(place=v.place)
            stored = self._stored(t.item, args[0].type, v)
            v.emit = lambda n: f"{self.k(self.arrays.fill)}(g, {n[0]}, {stored(n[1])}, {self.k(access)})"
            return NONE
        if isinstance(t, Scalar) and name in ("conjugate", "conj") and not args:
            v.emit = lambda n: f"{n[0]}.conjugate()"
            return t
        if isinstance(t, Scalar) and name == "item" and not args:
            v.emit = lambda n: n[0]
            return t
        if isinstance(t, Array) and name in ("reshape", "ravel", "flatten", "transpose"):
            access = self.access(v, base, "read")._replace(place=v.place)
            if name == "transpose" and not args:
                v.emit = lambda n: f"{self.k(self.arrays.transposed)}({n[0]})"
                return t
            if name == "ravel" and not args:
                v.emit = lambda n: f"{self.k(self.arrays.reshaped)}(g, {n[0]}, (-1,), {self.k(access)})"
                return Array(t.item, 1)
            if name == "reshape" and args:
                shape = args[0].type.items if isinstance(args[0].type, Tuple) else tuple(a.type for a in args)
                given = isinstance(args[0].type, Tuple)
                if not all(isinstance(n, Scalar) and n.letter in INTEGERS for n in shape):
                    raise TypingError(f"reshape takes whole numbers, not {', '.join(map(str, shape))}")
                v.emit = lambda n: (
                    f"{self.k(self.arrays.reshaped)}(g, {n[0]}, {n[1] if given else '(' + ', '.join(n[1:]) + ',)'}, {self.k(access)})"
                )
                return Array(t.item, len(shape))
        if isinstance(t, Array) and name == "view" and len(args) == 1 and isinstance(args[0].type, Thing):
            item = dtype_of_thing(args[0].type.value)
            if not isinstance(item, Scalar | Record):
                raise TypingError("An array is viewed as numbers or records of another type only")
            access = self.access(v, base, "read")._replace(place=v.place)
            v.emit = lambda n: f"{self.k(self.arrays.viewed)}(g, {n[0]}, {self.k(item.dtype)}, {self.k(access)})"
            return Array(item, t.ndim)
        if isinstance(t, Scalar) and name == "view" and len(args) == 1 and isinstance(args[0].type, Thing):
            item = dtype_of_thing(args[0].type.value)
            if not isinstance(item, Scalar) or item.dtype.itemsize != t.dtype.itemsize:
                raise TypingError("A number is viewed as one of another type of the same size only")
            v.emit = lambda n: f"{n[0]}.view({self.k(item.dtype)})"
            return item
        if isinstance(t, Array) and name == "item" and not args:
            access = self.access(v, base, "read")._replace(place=v.place)
            v.emit = lambda n: f"{self.k(self.arrays.only)}(g, {n[0]}, {self.k(access)})"
            return t.item
        if isinstance(t, Thing):
            # `x.dtype` is the array's own type; its `type` is the class that makes a number of it.
            target = (
                t.value.dtype.type if name == "type" and isinstance(t.value, Scalar) else getattr(t.value, name, None)
            )
            if target is not None:
                return self.call(v, target, args, lambda n: n[1:])
        what = "An array in a kernel" if isinstance(t, Array) else str(t)
        raise TypingError(f"{what} has no method {name}: a GPU has no such thing; write the loop")

    def _reduced(self, v: Value, base: Value, name: str):
        """Result type and emitter of what Numba compiles to a loop over an array."""
        item = base.type.item
        if not isinstance(item, Scalar):
            raise TypingError(f"An array of {item} has no {name} in a kernel")
        letter = item.letter
        total = {"?": "l", **dict.fromkeys(SIGNED, "l"), **dict.fromkeys(UNSIGNED, "L")}.get(letter, letter)
        mean = {"f": "d", "F": "D"}.get(letter, letter) if letter in "fdFD" else "d"
        result = {"sum": total, "prod": total, "mean": mean, "std": "d", "var": "d", "all": "?", "any": "?"}.get(
            name, "l"
        )
        t = SCALARS[result]
        access = self.access(v, base, "read")._replace(place=v.place)
        return t, lambda x: f"{self.k(self.arrays.reduced)}(g, {x}, {name!r}, {self.k(t.dtype)}, {self.k(access)})"

    # Calls: Python's built-in functions, math, cmath, NumPy's functions of numbers

    def op_call(self, v: Value) -> Type:
        return self.call(v, v.extra, v.args, lambda n: n)

    def call(self, v: Value, function: Any, args: list[Value], pick) -> Type:
        """Type a call of a Python object; `pick` gives the argument expressions among all those of the instruction."""
        if not NAMES:
            NAMES.update(_names())
            NAMES[math.exp2] = "np.exp2"
        self._there(v, function)
        special = getattr(self, "c_" + getattr(function, "__name__", ""), None)
        hashable = getattr(function, "__hash__", None) is not None
        name = NAMES.get(function) if hashable else None
        named: Any = dtype_of_thing(getattr(args[0].type, "value", None)) if len(args) == 1 else None
        arrays_given = any(isinstance(a.type, Array) for a in args)
        reduced = (
            getattr(function, "__name__", "")
            if hashable and getattr(np, getattr(function, "__name__", ""), None) is function
            else ""
        )
        if name and name.startswith("np.") and arrays_given and promotion.known(name, max(len(args) - 1, 1)):
            t, emit = self._whole(v, name, args)
        elif reduced in _REDUCED and len(args) == 1 and arrays_given:
            t, emit = self._reduced(v, args[0], reduced)
            one, emit = emit, lambda n: one(n[0])
        elif function is np.dtype and named is not None:
            made = named.dtype
            t, emit = thing(made), lambda n: self.k(made)
        elif hashable and len(args) == {cmath.phase: 1, cmath.polar: 1, cmath.rect: 2, cmath.log: 2}.get(function):
            t, emit = self._polar(function, args)
        elif special is not None and getattr(builtins, function.__name__, None) is function:
            t, emit = special(v, args)
        elif getattr(function, "formats", False):
            t, emit = INT32, lambda n: f"g.printf({', '.join(n)})"
        elif name and len(args) in (1, 2) and promotion.known(name, len(args)):
            t, emit = self._tabled(v, name, args)
        elif isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
            t, emit = self._named_tuple(v, function, args)
        elif len(args) == 1 and (to := dtype_of_thing(function)) is not None and isinstance(to, Scalar | Time):
            t, emit = to, self._conversion(args[0], to)
        else:
            what = getattr(function, "__module__", None)
            text = f"{what}.{function.__name__}" if what and hasattr(function, "__name__") else str(function)
            if not callable(function) and not isinstance(function, Type):
                raise TypingError(f"{text} cannot be called")
            types = ", ".join(str(a.type) for a in args)
            made = getattr(function, "__name__", "")
            if what == "numpy" and made in _MAKERS:
                raise TypingError(
                    f"np.{made} makes a new array, which a kernel cannot: a GPU's threads have no memory to take "
                    "it from. Use cuda.local.array or cuda.shared.array, or pass an array in and write a loop."
                )
            raise TypingError(f"A kernel cannot call {text.removeprefix('builtins.')}({types})")
        if v.names and not (isinstance(function, type) and hasattr(function, "_fields")) and function is not enumerate:
            raise TypingError(f"{getattr(function, '__name__', function)} takes no named arguments in a kernel")
        v.emit = lambda n: emit(pick(n))
        return t

    def _there(self, v: Value, function: Any) -> None:
        """Refuse what NumPy has and numba-cuda has not."""
        if not is_written(v.place.function.pyfunc):
            return
        name = getattr(function, "__name__", "")
        if isinstance(function, np.ufunc) and name not in absent.UFUNCS:
            raise TypingError(absent.sentence(f"np.{name}", name), "KeyError" if name in absent.KEYS else "TypingError")
        if isinstance(function, np.ufunc) and any(a.type == SCALARS["e"] for a in v.args):
            raise TypingError(
                f"np.{name} does not take float16 in a kernel: convert it with np.float32(x), or use math and cuda.fp16"
            )
        if function in (cmath.phase, cmath.polar) and any(
            isinstance(a.type, Scalar) and a.type.letter not in COMPLEXES for a in v.args
        ):
            raise TypingError(f"cmath.{name} takes a complex number, not {v.args[0].type}: write complex(x)")
        if getattr(function, "__module__", None) == "numpy" and name in absent.FUNCTIONS:
            raise TypingError(absent.sentence(f"np.{name}", name))
        if function is math.gcd:
            raise TypingError(absent.sentence("math.gcd", name))

    def _conversion(self, a: Value, to: Type):
        if not isinstance(a.type, Scalar | Time):
            raise TypingError(f"{a.type} cannot become {to}")
        self.cast("", a.type, to)
        return lambda n: self.cast(n[0], a.type, to)

    def _named_tuple(self, v, cls, args):
        if len(args) != len(cls._fields):
            raise TypingError(f"{cls.__name__} takes {len(cls._fields)} values")
        order = list(range(len(args) - len(v.names))) + [cls._fields.index(name) for name in v.names]
        types: list = [None] * len(args)
        for position, a in zip(order, args, strict=True):
            types[position] = a.type
        return Tuple(
            tuple(types), cls, tuple(cls._fields)
        ), lambda n: "(" + "".join(n[order.index(k)] + ", " for k in range(len(args))) + ")"

    def _tabled(self, v, name, args):
        family, _, short = name.partition(".")
        if family == "operator" and len(args) == 2:
            t, two = self.binary(v, short, *args)
            return t, lambda n: two(*n)
        for a in args:
            if not isinstance(a.type, Scalar):
                if isinstance(a.type, Time) and family == "builtins" and short == "abs":
                    return a.type, lambda n: f"abs({n[0]})"
                raise TypingError(f"{name} takes numbers, not {a.type}" + self._hint(a.type))
        letters = [a.type.letter for a in args]
        found = promotion.signature(name, *letters)
        if found is None:
            raise TypingError(f"{name} does not take {', '.join(str(a.type) for a in args)}")
        operands, result = found
        if family == "np":
            return self._ufunc(short, args, operands, result)
        function = self.functions.MATH.get(name)
        if function is None:
            raise TypingError(f"{name} is not simulated in a kernel")
        converted = [SCALARS[c] for c in operands]
        t = Tuple(tuple(SCALARS[c] for c in result[1:-1])) if result[0] == "(" else SCALARS[result]
        exact = () if isinstance(t, Tuple) else (self.k(t.dtype),)

        def emit(n):
            n = [self.cast(x, a.type, c) for x, a, c in zip(n, args, converted, strict=True)]
            text = f"{self.k(function)}({', '.join(n)})"
            return f"{text}.astype({exact[0]}, copy=False)" if exact else text

        return t, emit

    def _hint(self, t):
        return ": give it one element, x[i]" if isinstance(t, Array) else ""

    def _ufunc(self, short, args, operands, result):
        function = self.functions.UFUNCS.get(short) or getattr(np, short)
        t = SCALARS[result]
        floats = t.letter in "fdFD" and not (short in ("absolute", "real", "imag") and operands[0] in COMPLEXES)
        loop = [t] * len(args) if floats and short != "ldexp" else None
        if short == "ldexp":
            loop = [t, SCALARS["i"]]
        if t.letter == "?" and operands[0] in "?" and short in ("ceil", "floor", "trunc"):
            return t, lambda n: n[0]

        def emit(n):
            if loop:
                n = [self.cast(x, a.type, c) for x, a, c in zip(n, args, loop, strict=True)]
            return f"{self.k(function)}({', '.join(n)}).astype({self.k(t.dtype)}, copy=False)"

        return t, emit

    def _whole(self, v, name, args):
        """``np.sin(x, out)``: a ufunc over whole arrays, by every thread that comes here."""
        *inputs, out = args
        if not isinstance(out.type, Array) or not isinstance(out.type.item, Scalar) or not inputs:
            raise TypingError(f"{name} of an array needs an array for the result: {name}(x, out)")
        types: list[Any] = [a.type.item if isinstance(a.type, Array) else a.type for a in inputs]
        if not all(isinstance(t, Scalar) for t in types):
            raise TypingError(f"{name} takes numbers, not {', '.join(map(str, types))}")
        found = promotion.signature(name, *(t.letter for t in types))
        if found is None:
            raise TypingError(f"{name} does not take {', '.join(map(str, types))}")
        result, one = self._ufunc(name[3:], [_Typed(t) for t in types], *found)
        names = [f"x{k}" for k in range(len(inputs))]
        text = f"lambda {', '.join(names)}: {self.cast(one(names), result, out.type.item)}"
        reads = [self.access(v, a, "read")._replace(array=f"argument {k}") for k, a in enumerate(inputs)]
        write = reads[0]._replace(kind="write", array="the result")
        return (
            NONE,
            lambda n: (
                f"{self.k(self.arrays.apply)}(g, {text}, ({', '.join(n[:-1])},), {n[-1]}, {self.k(reads)}, {self.k(write)})"
            ),
        )

    def _polar(self, function, args):
        """The functions of cmath whose result is no complex number, or that take two."""
        types = [a.type for a in args]
        if not all(isinstance(t, Scalar) for t in types):
            raise TypingError(f"cmath.{function.__name__} takes numbers")
        single = all(t.letter in "fF" for t in types)
        part, whole = SCALARS["f" if single else "d"], SCALARS["F" if single else "D"]
        to = part if function is cmath.rect else whole
        t = {cmath.phase: part, cmath.polar: Tuple((part, part))}.get(function, whole)
        compute = self.k(self.functions.POLAR[function])
        return t, lambda n: f"{compute}({', '.join(self.cast(x, a, to) for x, a in zip(n, types, strict=True))})"

    # Built-in functions that need more than a table

    def _extreme(self, v, args, function, name):
        if len(args) == 1 and isinstance(args[0].type, Tuple):
            types = args[0].type.items
            parts = lambda n: [f"{n[0]}[{k}]" for k in range(len(types))]  # noqa: E731
        else:
            types, parts = tuple(a.type for a in args), lambda n: n
        if len(args) == 1 and isinstance(args[0].type, Array) and args[0].type.ndim == 1:
            access = self.access(v, args[0], "read")._replace(place=v.place)
            item = args[0].type.item
            if isinstance(item, Scalar) and item.letter not in COMPLEXES:
                return (
                    item,
                    lambda n: (
                        f"{self.k(self.arrays.reduced)}(g, {n[0]}, {name!r}, {self.k(item.dtype)}, {self.k(access)})"
                    ),
                )
        if len(args) == 1 and not isinstance(args[0].type, Tuple) and is_written(v.place.function.pyfunc):
            raise TypingError(f"{name} takes two numbers, or a tuple, not {args[0].type}")
        if len(types) < 1 or not all(isinstance(t, Scalar | Time) for t in types):
            raise TypingError(f"{name} takes numbers, not {', '.join(map(str, types))}")
        if any(isinstance(t, Scalar) and t.letter in COMPLEXES for t in types):
            raise TypingError(f"{name} does not take complex numbers")
        result: Any = types[0]
        for t in types[1:]:
            letters = [n.letter for n in (result, t) if isinstance(n, Scalar)]
            if type(result) is not type(t) or (letters and not promotion.signature(f"builtins.{name}", *letters)):
                raise TypingError(f"{name} does not take {result} and {t}")
            result = promotion.unify(result, t)

        def emit(n):
            items = parts(n)
            text = self.cast(items[0], types[0], result)
            for item, t in zip(items[1:], types[1:], strict=True):
                text = f"{self.k(function)}({text}, {self.cast(item, t, result)})"
            return text

        return result, emit

    def c_min(self, v, args):
        return self._extreme(v, args, self.scalars.minimum_of_two if len(args) == 2 else self.scalars.minimum, "min")

    def c_max(self, v, args):
        return self._extreme(v, args, self.scalars.maximum_of_two if len(args) == 2 else self.scalars.maximum, "max")

    def c_sum(self, v, args):
        t = args[0].type if len(args) == 1 else None
        if not isinstance(t, Array) or t.ndim != 1 or not isinstance(t.item, Scalar):
            raise TypingError("sum takes an array of one dimension in a kernel: write a loop")
        result = SCALARS[promotion.result("operator.add", "l", t.item.letter)]
        access = self.access(v, args[0], "read")._replace(place=v.place)
        return (
            result,
            lambda n: f"{self.k(self.arrays.reduced)}(g, {n[0]}, 'sum', {self.k(result.dtype)}, {self.k(access)})",
        )

    def c_type(self, v, args):
        if len(args) != 1 or not isinstance(args[0].type, Scalar):
            raise TypingError("type takes a number in a kernel")
        kind = args[0].type.dtype.type
        return thing(kind), lambda n: self.k(kind)

    def c_isinstance(self, v, args):
        if len(args) != 2:
            raise TypingError("isinstance takes two arguments")
        t, wanted = args[0].type, args[1].type
        kinds = wanted.items if isinstance(wanted, Tuple) else (wanted,)
        answer = self.k(np.bool_(any(_is_of(t, getattr(kind, "value", None)) for kind in kinds)))
        return BOOL, lambda n: answer

    def c_hasattr(self, v, args):
        t, name = args[0].type, getattr(args[-1].type, "value", None)
        if len(args) != 2 or not isinstance(name, str):
            raise TypingError("hasattr takes the name of an attribute, as text")
        names = (
            _ATTRIBUTES
            if isinstance(t, Array)
            else getattr(t, "names", ()) or getattr(getattr(t, "dtype", None), "names", None) or ()
        )
        answer = self.k(np.bool_(name in names))
        return BOOL, lambda n: answer

    def c_slice(self, v, args):
        if not 1 <= len(args) <= 3 or not all(
            isinstance(a.type, Scalar) and a.type.letter in INTEGERS or a.type == NONE for a in args
        ):
            raise TypingError("slice takes one to three integers")
        return SLICE, lambda n: f"slice({', '.join(n)})"

    def c_len(self, v, args):
        if len(args) != 1:
            raise TypingError("len takes one argument")
        t = args[0].type
        if (text := _text(t)) is not None:
            return INT64, lambda n: self.literal(len(text), INT64)
        if isinstance(t, Scalar | Thing):
            raise TypingError(f"{t} has no length")
        self._length(t, "")
        return INT64, lambda n: self._length(t, n[0])

    def c_range(self, v, args):
        letter = self.range_letter(args)
        t = SCALARS[letter]
        zero, one = (lambda: self.literal(0, t)), (lambda: self.literal(1, t))

        def emit(n):
            n = [self.cast(x, a.type, t) for x, a in zip(n, args, strict=True)]
            start, stop, step = {1: (zero(), n[0], one()), 2: (*n, one())}.get(len(n), n)
            return f"({start}, {stop}, {step})"

        return Range(letter), emit

    def c_enumerate(self, v, args):
        start = (lambda n: n[1]) if len(args) == 2 else (lambda n: self.literal(0, INT64))
        return Iteration("enumerate", (args[0].type,)), lambda n: f"({n[0]}, {start(n)})"

    def c_zip(self, v, args):
        return Iteration("zip", tuple(a.type for a in args)), lambda n: "(" + "".join(x + ", " for x in n) + ")"

    def c_reversed(self, v, args):
        raise TypingError("A kernel cannot use reversed: loop over range(n - 1, -1, -1)")

    def c_pow(self, v, args):
        if len(args) == 2:
            t, emit = self.binary(v, "pow", *args)
            return t, lambda n: emit(*n)
        if len(args) != 3 or not all(isinstance(a.type, Scalar) and a.type.letter in "bhilBHIL" for a in args):
            raise TypingError("pow takes two numbers, or three integers")
        types = [a.type for a in args]
        return (
            INT64,
            lambda n: (
                f"{self.k(self.scalars.pow_modulo)}({', '.join(self.cast(x, t, INT64) for x, t in zip(n, types, strict=True))})"
            ),
        )

    def c_bool(self, v, args):
        truth = self._truth(args[0].type)
        return BOOL, lambda n: truth(n[0])

    def c_complex(self, v, args):
        types = [a.type for a in args]
        if not 1 <= len(args) <= 2 or not all(isinstance(t, Scalar) for t in types):
            raise TypingError("complex takes one or two numbers")
        wide = any(t.letter not in "fF" for t in types)
        result, part = (SCALARS["D"], FLOAT64) if wide else (SCALARS["F"], SCALARS["f"])
        if len(args) == 1:
            return result, lambda n: self.cast(n[0], types[0], result)
        return (
            result,
            lambda n: (
                f"{self.k(self.scalars.make_complex)}({self.cast(n[0], types[0], part)}, {self.cast(n[1], types[1], part)}, "
                f"{self.k(result.dtype)})"
            ),
        )

    def c_float(self, v, args):
        if len(args) != 1 or not isinstance(args[0].type, Scalar):
            raise TypingError("float takes a number")
        t = args[0].type
        found = promotion.signature("builtins.float", t.letter)
        if not found:
            raise TypingError(f"float does not take {t}")
        result = SCALARS[found[1]]
        return result, self._conversion(args[0], result)

    def c_int(self, v, args):
        if len(args) != 1 or not isinstance(args[0].type, Scalar | Time):
            raise TypingError("int takes a number")
        t = args[0].type
        found = promotion.signature("builtins.int", t.letter) if isinstance(t, Scalar) else ("", "l")
        if not found:
            raise TypingError(f"int does not take {t}")
        result = SCALARS[found[1]]
        return result, self._conversion(args[0], result)

    def c_print(self, v, args):
        for a in args:
            for t in a.type.items if isinstance(a.type, Tuple) else (a.type,):
                text = isinstance(getattr(t, "value", None), str) and t != thing("cuda.cg.this_grid()")
                if not isinstance(t, Scalar | Time) and not text:
                    said = f"print in a kernel prints numbers and constant text, not {a.type}"
                    raise TypingError(said, "NotImplementedError")
                if isinstance(t, Scalar) and t.letter in COMPLEXES:
                    said = "print in a kernel does not print complex numbers: print x.real and x.imag"
                    raise TypingError(said, "NotImplementedError")
        return NONE, lambda n: f"g.print({', '.join(n)})"

    def c_tuple(self, v, args):
        if len(args) == 1 and isinstance(args[0].type, Tuple):
            return Tuple(args[0].type.items), lambda n: n[0]
        raise TypingError("A kernel cannot make a tuple of this")

    def op_raise(self, v: Value) -> Type:
        v.emit = lambda n: f"g.raised({self.k(v.extra)}, {self.k(v.place)})"
        return NONE

    def op_returned(self, v: Value) -> Type:
        if v.args[0].type != NONE:
            raise TypingError(
                "A kernel cannot return a value: it runs in thousands of threads at once. Write the result into an array "
                "that is passed in"
            )
        v.emit = lambda n: "None"
        return NONE

    # What only a kernel can do: indices of threads, shared arrays, atomics, barriers, shuffles

    def op_intrinsic(self, v: Value) -> Type:
        name = v.extra
        if name in SPECIAL:
            v.emit = lambda _: f"g.special({name!r})"
            return INT32
        if name == "warpsize":
            v.emit = lambda _: self.literal(32, INT32)
            return INT32
        v.emit = lambda _: "None"
        return thing("cuda." + name)

    def op_icall(self, v: Value) -> Type:
        name, args = v.extra, v.args
        family, _, member = name.partition(".")
        if family == "atomic":
            return self._atomic(v, member)
        if family == "fp16":
            return self._half(v, member)
        base, _, width = name.rpartition("x")
        if base in VECTOR_BASES and width.isdigit():
            return self._vector(v, base, int(width))
        method = getattr(self, "i_" + name.replace(".", "_"), None)
        if method is None:
            raise TypingError(f"cuda.{name} is not simulated in the interpreted backend")
        return method(v, args)

    def _want(self, v: Value, *counts: int) -> None:
        if len(v.args) not in counts:
            raise TypingError(
                f"cuda.{v.extra} takes {' or '.join(map(str, counts))} arguments, not {len(v.args)}",
                absent.miscounted(v.extra),
            )

    def _axes(self, v: Value, name: str) -> Type:
        self._want(v, 1)
        n = self.constant(v.args[0])
        if n not in (1, 2, 3) or not isinstance(n, int | np.integer):
            raise TypingError(f"cuda.{name} takes 1, 2 or 3", "ValueError" if isinstance(n, int) else "TypingError")
        if n == 1:
            v.emit = lambda _: f"g.special('{name}.x')"
            return INT64
        v.emit = lambda _: "(" + ", ".join(f"g.special('{name}.{axis}')" for axis in "xyz"[:n]) + ")"
        return Tuple((INT64,) * n)

    def i_grid(self, v, args):
        return self._axes(v, "grid")

    def i_gridsize(self, v, args):
        return self._axes(v, "gridsize")

    # Memory

    def _allocation(self, v: Value, args):
        named = dict(zip(v.names, args[len(args) - len(v.names) :], strict=True))
        given = dict(zip(("shape", "dtype", "alignment"), args[: len(args) - len(v.names)], strict=False)) | named
        if "shape" not in given or "dtype" not in given:
            raise TypingError(f"cuda.{v.extra} takes a shape and a dtype")
        shape = self.constant(given["shape"])
        if isinstance(shape, int | np.integer) and not isinstance(shape, bool):
            shape = (shape,)
        least = 1 if v.extra == "local.array" else 0
        if isinstance(shape, tuple) and any(isinstance(n, int | np.integer) and n < least for n in shape):
            raise TypingError(f"The shape given to cuda.{v.extra} is {shape}: each size is at least {least}")
        if not isinstance(shape, tuple) or not all(isinstance(n, int | np.integer) for n in shape):
            raise TypingError(
                f"The shape given to cuda.{v.extra} is not a constant: it has to be known when the kernel is compiled, "
                "as a number in the source or a variable outside the kernel"
            )
        t = given["dtype"].type
        item = t.value if isinstance(t, Thing) and isinstance(t.value, Type) else None
        if isinstance(t, Thing) and t.value in (int, float, bool, complex) and is_written(v.place.function.pyfunc):
            raise TypingError(f"cuda.{v.extra} needs a type of NumPy's or Numba's, such as np.float64, not {t}")
        if item is None and isinstance(t, Thing) and not (isinstance(t.value, str) and t.value.startswith("cuda.")):
            item = dtype_of_thing(t.value)
        if not isinstance(item, Scalar | Record | Time):
            raise TypingError(f"cuda.{v.extra} needs a type such as np.float32, not {t}")
        return tuple(int(n) for n in shape), item

    def _allocate(self, v, args, method):
        shape, item = self._allocation(v, args)
        node = v.place.node
        # A device function that is called twice has one shared array, as in Numba.  Of translated C++ one place may have several.
        name = self._assigned_name(v)
        key = (v.place.function.pyfunc, node.lineno, node.col_offset, shape, str(item), name)
        info = Allocation(key, name, shape, item.dtype)
        self.allocations[v] = info
        v.emit = lambda _: f"g.{method}({self.k(info)})"
        return Array(item, len(shape))

    def _assigned_name(self, v: Value) -> str:
        for node in ast.walk(v.place.function.node):
            if isinstance(node, ast.Assign) and node.value is v.place.node:
                return ast.unparse(node.targets[0])
        return ast.unparse(v.place.node)

    def i_shared_array(self, v, args):
        return self._allocate(v, args, "shared")

    def i_local_array(self, v, args):
        return self._allocate(v, args, "local")

    def i_const_array_like(self, v, args):
        self._want(v, 1)
        if not isinstance(args[0].type, Array):
            raise TypingError("cuda.const.array_like takes an array from outside the kernel")
        v.emit = lambda n: n[0]
        return args[0].type

    def _atomic(self, v: Value, name: str) -> Type:
        args = v.args
        if name == "compare_and_swap":
            self._want(v, 3)
            base, index, operands = args[0], None, args[1:]
        else:
            self._want(v, 4 if name == "cas" else 3)
            base, index, operands = args[0], args[1], args[2:]
        t = base.type
        if not isinstance(t, Array) or not isinstance(t.item, Scalar):
            raise TypingError(f"cuda.atomic.{name} works on an element of an array, not on {t}")
        if t.item.letter not in ATOMIC_TYPES[name]:
            allowed = ", ".join(str(SCALARS[c]) for c in ATOMIC_TYPES[name])
            raise TypingError(f"cuda.atomic.{name} works on arrays of {allowed}, not of {t.item}")
        if index is not None and t.ndim == 1 and isinstance(index.type, Tuple) and len(index.type.items) == 1:
            raise TypingError(
                f"cuda.atomic.{name} wants a number as the index of an array of one dimension, not {index.type}"
            )
        real = index is not None and t.ndim == 1 and isinstance(index.type, Scalar) and index.type.letter in "efd"
        if index is not None and not real and not self._index(t, index, atomic=True)[1]:
            raise TypingError(f"cuda.atomic.{name} wants {t.ndim} whole number{'s' * (t.ndim != 1)} as the index")
        for operand in operands:
            if not isinstance(operand.type, Scalar) or operand.type.letter in COMPLEXES:
                raise TypingError(f"cuda.atomic.{name} does not take {operand.type}")
        access = self.access(v, base, "atomic", name)
        function = self.k(getattr(self.atomics, name.rstrip("_") + "_"))

        def emit(n):
            values = [self.cast(x, o.type, t.item) for x, o in zip(n[len(n) - len(operands) :], operands, strict=True)]
            at = self._tupled(index, n[1]) if index is not None else f"({'0, ' * t.ndim})"
            if index is not None and real:  # numba-cuda makes a whole number of it
                at = f"({self.cast(n[1], index.type, INT64)},)"
            return f"{function}(g, {n[0]}, {at}, {', '.join(values)}, {self.k(access)}, {v.uses > 0})"

        v.emit = emit
        return t.item

    # Waiting

    def op_wait(self, v: Value) -> Type:
        name, args = v.extra, v.args
        if name == "grid.sync":
            if args[0].type != thing("cuda.cg.this_grid()"):
                raise TypingError(f"{args[0].type} has no method sync: only cuda.cg.this_grid() has")
            return NONE
        if name in COUNTS and len(args) not in COUNTS[name]:
            raise TypingError(
                f"cuda.{name} takes {COUNTS[name][-1]} arguments, not {len(args)}", absent.miscounted(name)
            )
        if name not in COUNTS and len(args) != 2:
            raise TypingError(f"cuda.{name} takes a mask and a value", absent.miscounted(name))
        for a in args:
            if not isinstance(a.type, Scalar) or a.type.letter in COMPLEXES:
                raise TypingError(f"cuda.{name} does not take {a.type}")
        if is_written(v.place.function.pyfunc):
            self._exchanged(name, args)
        if name.startswith("shfl"):
            if args[1].type.letter not in "ilILfd":
                raise TypingError(
                    f"cuda.{name} only supports int32, int64, float32 and float64 values, not {args[1].type}"
                )
            return args[1].type
        return WAIT_TYPES[name]

    def _exchanged(self, name: str, args: list[Value]) -> None:
        """Refuse types that numba-cuda does."""
        letters = [a.type.letter for a in args]
        if name.startswith("shfl") or name in VOTES:
            for k, letter in enumerate(letters):
                if k != 1 and letter not in WORDS_OF_MASKS:
                    raise TypingError(
                        f"cuda.{name} takes whole numbers of 32 or 64 bits for masks and lanes, not {args[k].type}"
                    )
        if name.startswith("shfl") and letters[1] not in "ilfd":
            raise TypingError(
                f"cuda.{name} only supports int32, int64, float32 and float64 values, not {args[1].type}: convert it"
            )
        if name in VOTES and letters[1] not in INTEGERS + "?":
            raise TypingError(f"cuda.{name} takes a whole number or a comparison, not {args[1].type}: write x != 0")
        if name in BARRIERS and letters and letters[0] not in INTEGERS:
            raise TypingError(f"cuda.{name} takes a whole number, not {args[0].type}: write int(condition)")

    def i_activemask(self, v, args):
        self._want(v, 0)
        v.emit = lambda _: f"{self.k(self.warps.active)}(g)"
        return UINT32

    def i_lanemask_lt(self, v, args):
        self._want(v, 0)
        v.emit = lambda _: f"{self.k(self.warps.below)}(g)"
        return UINT32

    def _fence(self, v):
        self._want(v, 0)
        name = v.extra
        v.emit = lambda _: f"g.fence({self.k(v.place)}, {name!r})"
        return NONE

    def i_threadfence(self, v, args):
        return self._fence(v)

    i_threadfence_block = i_threadfence_system = i_threadfence

    def i_nanosleep(self, v, args):
        self._want(v, 1)
        if not isinstance(args[0].type, Scalar) or args[0].type.letter in COMPLEXES:
            raise TypingError(f"cuda.nanosleep takes a number of nanoseconds, not {args[0].type}")
        v.emit = lambda _: "None"
        return NONE

    # Arithmetic

    def _integer(self, v: Value, function, first: str, wider: str = "", result=None) -> Type:
        """A function of bits.  numba-cuda declares each for some types; what is none of them it converts to the first."""
        self._want(v, 1)
        t = v.args[0].type
        if not isinstance(t, Scalar) or t.letter in COMPLEXES:
            raise TypingError(f"cuda.{v.extra} takes a whole number, not {t}")
        wide = t if t.letter in INTEGERS else SCALARS[first]
        if wider:
            wide = SCALARS[wider[1] if t.letter == wider[1] else wider[0]]
        made = self.k((result or wide).dtype)
        v.emit = lambda n: f"{self.k(function)}({self.cast(n[0], t, wide)}).astype({made}, copy=False)"
        return result or wide

    def i_popc(self, v, args):
        return self._integer(v, self.bits.popc, "b")

    def i_clz(self, v, args):
        return self._integer(v, self.bits.clz, "b")

    def i_brev(self, v, args):
        return self._integer(v, self.bits.brev, "I", "IL")

    def i_ffs(self, v, args):
        if len(args) == 1 and isinstance(args[0].type, Scalar) and args[0].type.letter not in WORDS_OF_MASKS:
            raise TypingError(f"cuda.ffs takes a whole number of 32 bits or more, not {args[0].type}")
        return self._integer(v, self.bits.ffs, "i", result=UINT32)

    def i_cbrt(self, v, args):
        self._want(v, 1)
        t = args[0].type
        result = SCALARS["f"] if t == SCALARS["f"] else SCALARS["d"]
        v.emit = lambda n: f"{self.k(np.cbrt)}({self.cast(n[0], t, result)})"
        return result

    def i_fma(self, v, args):
        self._want(v, 3)
        result = SCALARS["f"] if all(a.type == SCALARS["f"] for a in args) else SCALARS["d"]
        types = [a.type for a in args]
        v.emit = lambda n: (
            f"{self.k(self.bits.fma)}({', '.join(self.cast(x, t, result) for x, t in zip(n, types, strict=True))})"
        )
        return result

    def i_selp(self, v, args):
        self._want(v, 3)
        test, a, b = args
        if test.type != BOOL:
            raise TypingError(f"cuda.selp takes a condition first, not {test.type}: write x != 0")
        if a.type != b.type or not isinstance(a.type, Scalar) or a.type.letter not in "hHilILfd":
            raise TypingError(f"cuda.selp takes two numbers of one type, of 16 bits or more, not {a.type} and {b.type}")
        v.emit = lambda n: f"{self.k(self.scalars.select)}({n[0]}, {n[1]}, {n[2]})"
        return a.type

    def _half(self, v: Value, name: str) -> Type:
        function, count = self.bits.HALF.get(name, (None, 0))
        if function is None:
            raise TypingError(f"cuda.fp16.{name} is not simulated in the interpreted backend")
        self._want(v, count)
        half, result = SCALARS["e"], BOOL if name in self.bits.HALF_COMPARISONS else SCALARS["e"]
        types = [a.type for a in v.args]
        v.emit = lambda n: (
            f"{self.k(function)}({', '.join(self.cast(x, t, half) for x, t in zip(n, types, strict=True))})"
        )
        return result

    def _vector(self, v: Value, base: str, width: int) -> Type:
        item = next(t for t in SCALARS.values() if str(t) == base)
        parts = []  # (argument, which of its items, type)
        for k, a in enumerate(v.args):
            if isinstance(a.type, Tuple):
                parts += [(k, j, t) for j, t in enumerate(a.type.items)]
            else:
                parts.append((k, None, a.type))
        if len(parts) == 1 and width > 1:
            parts *= width
        if len(parts) != width or not all(isinstance(t, Scalar) for _, _, t in parts):
            raise TypingError(f"{base}x{width} takes {width} numbers")

        def emit(n):
            texts = [self.cast(n[k] if j is None else f"{n[k]}[{j}]", t, item) for k, j, t in parts]
            return "(" + "".join(t + ", " for t in texts) + ")"

        v.emit = emit
        return Tuple((item,) * width, None, tuple("xyzw"[:width]))


_REALS = tuple(SCALARS[letter] for letter in "efd")
_REDUCED = ("sum", "prod", "mean", "std", "var", "all", "any", "argmax", "argmin")
_ATTRIBUTES = (
    "shape",
    "strides",
    "size",
    "ndim",
    "itemsize",
    "nbytes",
    "dtype",
    "T",
    "flat",
    "real",
    "imag",
    "ctypes",
    "flags",
)


def _is_of(t: Type, kind: Any) -> bool:
    """``isinstance`` of a value of a type."""
    letter = {int: "l", float: "d", complex: "D", bool: "?"}.get(kind)  # Numba's, of 64 bits each
    if isinstance(t, Scalar) and letter:
        return t.letter == letter
    if kind is tuple:
        return isinstance(t, Tuple)
    if kind is np.ndarray:
        return isinstance(t, Array)
    return kind is not None and dtype_of_thing(kind) == t


def _number(x: Any) -> bool:
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


def _text(t: Any) -> str | None:
    """The constant text that a type stands for."""
    text = getattr(t, "value", None)
    return text if isinstance(t, Thing) and isinstance(text, str) and t != thing("cuda.cg.this_grid()") else None


def _in_range(value, start, stop, step):
    within = np.where(step > 0, (start <= value) & (value < stop), (stop < value) & (value <= start))
    return (within & ((value - start) % step == 0))[()]


def _more(at, stop, step):
    return np.where(step > 0, at < stop, (at > stop) & (step < 0))[()]


def _count(start, stop, step):
    up = (stop - start + step - 1) // step
    down = (stop - start + step + 1) // step
    return np.maximum(0, np.where(step > 0, up, down))[()]


def _least(*lengths):
    least = lengths[0] if lengths else 0
    for n in lengths[1:]:
        least = np.minimum(least, n)
    return least


def _no_operation(name: str, a: Type, b: Type) -> str:
    text = f"There is no {a} {WORDS.get(name, name)} {b}"
    if isinstance(a, Array) or isinstance(b, Array):
        return text + ": a kernel computes with elements, x[i], not with whole arrays"
    return text


def _product(dims):
    result = np.int64(1)
    for n in dims:
        result = result * n
    return result
