"""Typing of operators."""

from __future__ import annotations

import numpy as np

from . import promotion, scalars
from .ir import Value
from .types import BOOL, COMPLEXES, INT64, INTEGERS, NONE, SCALARS, Scalar, Time, Tuple, Type, TypingError, of_dtype

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


class ScalarTyping:
    """Handlers of arithmetic; mixed into :class:`.infer.Inference`."""

    def scalar(self, letter: str) -> Scalar:
        return SCALARS[letter]

    def op_binary(self, v: Value) -> Type:
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
            if NONE not in (a, b):
                raise TypingError("`is` compares objects, which a kernel has none of: use ==")
            answer = self.k(np.bool_((a == b) == (plain == "is")))
            return BOOL, lambda x, y: answer
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            return self._numbers(v, name, plain, a, b, self.constant(right))
        if isinstance(a, Time) or isinstance(b, Time):
            return self._times(plain, a, b)
        if isinstance(a, Tuple) and isinstance(b, Tuple):
            if plain == "add":
                return Tuple(a.items + b.items), lambda x, y: f"({x} + {y})"
            if plain in ("eq", "ne"):
                return BOOL, self._tuples(v, plain, a, b)
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
            function = scalars.shift_left if plain == "lshift" else scalars.shift_right
        elif plain == "truediv":
            function = scalars.complex_div if r in COMPLEXES else None
        else:
            integers = r in INTEGERS
            function = {
                ("floordiv", True): scalars.floordiv_int,
                ("mod", True): scalars.mod_int,
                ("floordiv", False): scalars.floordiv_float,
                ("mod", False): scalars.mod_float,
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
        if whole and abs(constant) <= scalars.LIMIT and result.letter not in COMPLEXES:
            return lambda x, y: f"{self.k(scalars.pow_static)}({self.cast(x, a, result)}, {int(constant)})"
        if tb.letter in INTEGERS:
            return lambda x, y: f"{self.k(scalars.pow_by_integer)}({self.cast(x, a, result)}, {self.cast(y, b, tb)})"
        function = scalars.complex_pow if result.letter in COMPLEXES else scalars.pow_float
        return lambda x, y: f"{self.k(function)}({self.cast(x, a, result)}, {self.cast(y, b, result)})"

    def _times(self, plain, a, b):
        function = {
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
        parts = [self._numbers(v, plain, plain, p, q, None)[1] for p, q in zip(a.items, b.items, strict=True)]
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

    def _truth(self, t: Type):
        if isinstance(t, Scalar | Time):
            return lambda x: self.cast(x, t, BOOL) if isinstance(t, Scalar) else f"({x} != 0)"
        if isinstance(t, Tuple) or t == NONE:
            answer = self.k(np.bool_(t != NONE and bool(t.items)))
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
            return f"{self.k(scalars.select)}({truth(n[0])}, {chosen[0]}, {chosen[1]})"

        v.emit = emit
        return t


def _no_operation(name: str, a: Type, b: Type) -> str:
    from .types import Array

    text = f"There is no {a} {WORDS.get(name, name)} {b}"
    if isinstance(a, Array) or isinstance(b, Array):
        return text + ": a kernel computes with elements, x[i], not with whole arrays"
    return text


__all__ = ["INT64", "ScalarTyping"]
