"""Typing of calls: Python's built-in functions, math, cmath, NumPy's functions of numbers."""

from __future__ import annotations

import builtins
import cmath
import math
import operator
from typing import NamedTuple

import numpy as np

from . import arrays, promotion, scalars
from .functions import MATH, POLAR, UFUNCS
from .infer_intrinsics import IntrinsicTyping
from .ir import Value
from .types import (
    BOOL,
    COMPLEXES,
    FLOAT64,
    INT64,
    NONE,
    SCALARS,
    Array,
    Iteration,
    Range,
    Scalar,
    Thing,
    Time,
    Tuple,
    Type,
    TypingError,
    dtype_of_thing,
)

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


def _names() -> dict[object, str]:
    unary, binary, _ = promotion._tables()
    found = {}
    for name in (*unary, *binary):
        family, _, function = name.partition(".")
        found.setdefault(getattr(MODULES[family], function), name)
    more = {getattr(cmath, n): f"cmath.{n}" for n in ("acosh", "atanh", "cosh", "sinh", "tanh", "log10")}
    return found | more | {np.abs: "np.absolute", np.round: "np.rint", math.remainder: "math.remainder"}


NAMES: dict[object, str] = {}


class _Typed(NamedTuple):
    """Stands for a value of which only the type matters."""

    type: Scalar


class CallTyping(IntrinsicTyping):
    """Handlers of calls; mixed into :class:`.infer.Inference`."""

    def op_call(self, v: Value) -> Type:
        return self.call(v, v.extra, v.args, lambda n: n)

    def call(self, v: Value, function: object, args: list[Value], pick) -> Type:
        """Type a call of a Python object; `pick` gives the argument expressions among all those of the instruction."""
        if not NAMES:
            NAMES.update(_names())
        special = getattr(self, "c_" + getattr(function, "__name__", ""), None)
        hashable = getattr(function, "__hash__", None) is not None
        name = NAMES.get(function) if hashable else None
        arrays_given = any(isinstance(a.type, Array) for a in args)
        if name and name.startswith("np.") and arrays_given and promotion.known(name, max(len(args) - 1, 1)):
            t, emit = self._whole(v, name, args)
        elif hashable and len(args) == {cmath.phase: 1, cmath.polar: 1, cmath.rect: 2, cmath.log: 2}.get(function):
            t, emit = self._polar(function, args)
        elif special is not None and getattr(builtins, function.__name__, None) is function:
            t, emit = special(v, args)
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
            if what == "numpy" and function.__name__ in _MAKERS:
                raise TypingError(
                    f"np.{function.__name__} makes a new array, which a kernel cannot: a GPU's threads have no memory to take "
                    "it from. Use cuda.local.array or cuda.shared.array, or pass an array in and write a loop."
                )
            raise TypingError(f"A kernel cannot call {text.removeprefix('builtins.')}({types})")
        if v.names and not (isinstance(function, type) and hasattr(function, "_fields")) and function is not enumerate:
            raise TypingError(f"{getattr(function, '__name__', function)} takes no named arguments in a kernel")
        v.emit = lambda n: emit(pick(n))
        return t

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
            t, emit = self.binary(v, short, *args)
            return t, lambda n: emit(*n)
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
        function = MATH.get(name)
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
        function = UFUNCS.get(short) or getattr(np, short)
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
        types = [a.type.item if isinstance(a.type, Array) else a.type for a in inputs]
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
                f"{self.k(arrays.apply)}(g, {text}, ({', '.join(n[:-1])},), {n[-1]}, {self.k(reads)}, {self.k(write)})"
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
        compute = self.k(POLAR[function])
        return t, lambda n: f"{compute}({', '.join(self.cast(x, a, to) for x, a in zip(n, types, strict=True))})"

    # Built-in functions that need more than a table

    def _extreme(self, v, args, function, name):
        if len(args) == 1 and isinstance(args[0].type, Tuple):
            types = args[0].type.items
            parts = lambda n: [f"{n[0]}[{k}]" for k in range(len(types))]  # noqa: E731
        else:
            types, parts = tuple(a.type for a in args), lambda n: n
        if len(types) < 1 or not all(isinstance(t, Scalar | Time) for t in types):
            raise TypingError(f"{name} takes numbers, not {', '.join(map(str, types))}")
        if any(isinstance(t, Scalar) and t.letter in COMPLEXES for t in types):
            raise TypingError(f"{name} does not take complex numbers")
        result = types[0]
        for t in types[1:]:
            if isinstance(t, Scalar) and not promotion.signature(f"builtins.{name}", result.letter, t.letter):
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
        return self._extreme(v, args, scalars.minimum_of_two if len(args) == 2 else scalars.minimum, "min")

    def c_max(self, v, args):
        return self._extreme(v, args, scalars.maximum_of_two if len(args) == 2 else scalars.maximum, "max")

    def c_len(self, v, args):
        if len(args) != 1:
            raise TypingError("len takes one argument")
        t = args[0].type
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
                f"{self.k(scalars.pow_modulo)}({', '.join(self.cast(x, t, INT64) for x, t in zip(n, types, strict=True))})"
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
                f"{self.k(scalars.make_complex)}({self.cast(n[0], types[0], part)}, {self.cast(n[1], types[1], part)}, "
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
            if not isinstance(a.type, Scalar | Time) and not isinstance(getattr(a.type, "value", None), str):
                raise TypingError(f"print in a kernel prints numbers and constant text, not {a.type}")
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
