"""Operators between columns, with cuDF's dtype rules: null with anything is null, integers wrap, NaN compares as NaN."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.core.arrays.masked import BaseMaskedArray

from ..options import get_option
from .column import arrow_of, dtype_of, isnull, masked, normal, storage_of
from .dtypes import Decimal32Dtype, Decimal64Dtype, Decimal128Dtype

COMPARISONS = frozenset(["eq", "ne", "lt", "le", "gt", "ge"])
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "** or pow()",
    "and": "&", "or": "|", "xor": "^", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
_CLASSES = {
    "number": "NumericalColumn", "text": "StringColumn", "category": "CategoricalColumn", "M": "DatetimeColumn",
    "m": "TimedeltaColumn", "tz": "DatetimeTZColumn", "decimal": "DecimalColumn", "list": "ListColumn",
    "struct": "StructColumn", "null": "StringColumn", "interval": "IntervalColumn",
}  # fmt: skip
_FLOAT_OF = {"b1": "f4", "i1": "f4", "i2": "f4", "i4": "f4", "i8": "f8", "u1": "f4", "u2": "f4", "u4": "f8", "u8": "f8"}


def family(array: Any) -> str:
    """Which of cuDF's column classes a storage array stands for."""
    if isinstance(array, BaseMaskedArray):
        return "number"
    dtype = array.dtype
    if isinstance(dtype, pd.StringDtype):
        return "text"
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    if isinstance(dtype, pd.IntervalDtype):
        return "interval"
    if isinstance(dtype, pd.DatetimeTZDtype):
        return "tz"
    if isinstance(dtype, np.dtype):
        return dtype.kind
    kind = dtype.pyarrow_dtype
    for name, test in (("decimal", pa.types.is_decimal), ("struct", pa.types.is_struct), ("null", pa.types.is_null)):
        if test(kind):
            return name
    return "list"


def is_array(value: Any) -> bool:
    """Whether an operand is a storage array and not a scalar."""
    return isinstance(value, pd.api.extensions.ExtensionArray)


def _is_na(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT


def binop(op: str, left: Any, right: Any) -> Any:
    """Apply an operator (``"add"``, ``"lt"`` …) to two storage arrays of one length, or to one and a scalar.

    Raises
    ------
    TypeError
        Where the columns' types do not go together, as Python words it for cuDF's columns.
    """
    if isinstance(right, np.ndarray) and right.ndim == 0:
        right = right[()]
    if isinstance(left, np.ndarray) and left.ndim == 0:
        left = left[()]
    array = left if is_array(left) else right
    kinds = {family(x) for x in (left, right) if is_array(x)}
    other = right if array is left else left
    result = NotImplemented
    if "category" in kinds:
        result = _category(op, left, right)
    elif kinds & {"text", "null"}:
        result = _text(op, left, right)
    elif kinds & {"decimal"}:
        result = _decimal(op, left, right)
    elif kinds == {"number"} and not isinstance(other, (np.datetime64, np.timedelta64, pd.Timestamp, pd.Timedelta)):
        result = _number(op, left, right)
    elif kinds & {"M", "m", "tz"} or kinds == {"number"}:
        result = _time(op, left, right)
    elif kinds == {"interval"} and op in COMPARISONS:
        result = normal(getattr(operator, op)(pd.Series(left), right).array)
    elif kinds <= {"list", "struct"} and op in ("eq", "ne"):
        result = _elements(op, left, right)
    if result is not NotImplemented:
        if op in COMPARISONS and get_option("mode.pandas_compatible") and isinstance(result, BaseMaskedArray):
            return masked(np.where(result._mask, op == "ne", result._data))
        return result
    if op in ("eq", "ne") and not _is_na(other):
        null = isnull(array) | (isnull(other) if is_array(other) else False)
        return masked(np.full(len(array), op == "ne"), null.copy())
    names = [_CLASSES[family(x)] if is_array(x) else type(x).__name__ for x in (left, right)]
    if op in COMPARISONS:
        raise TypeError(f"'{_SYMBOLS[op]}' not supported between instances of '{names[0]}' and '{names[1]}'")
    raise TypeError(f"unsupported operand type(s) for {_SYMBOLS[op]}: '{names[0]}' and '{names[1]}'")


def _elements(op: str, left: Any, right: Any) -> Any:
    if not (is_array(left) and is_array(right)) or family(left) != family(right):
        return NotImplemented
    a, b = arrow_of(left).to_pylist(), arrow_of(right).to_pylist()
    null = isnull(left) | isnull(right)
    same = np.array([x == y for x, y in zip(a, b, strict=True)], dtype=bool)
    return masked(same if op == "eq" else ~same, null)


def _split(value: Any) -> tuple[Any, Any]:
    """Values and mask of a numeric operand; a scalar that is not a number gives None."""
    if is_array(value):
        return value._data, value._mask
    if isinstance(value, (bool, np.bool_)):
        return bool(value), False
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return value, False
    values = np.asarray(value)
    if values.dtype.kind in "iufb" and values.ndim == 0:
        return values.item(), False
    return None, None


def _number(op: str, left: Any, right: Any) -> Any:
    array = left if is_array(left) else right
    if any(_is_na(x) for x in (left, right)):
        if left is pd.NaT or right is pd.NaT:
            return NotImplemented
        dtype = np.dtype(bool) if op in COMPARISONS else array._data.dtype
        if op == "truediv" and dtype.kind != "f":
            dtype = np.dtype(_FLOAT_OF[dtype.str[1:]])
        return masked(np.zeros(len(array), dtype), np.ones(len(array), bool))
    (a, a_null), (b, b_null) = _split(left), _split(right)
    if a is None or b is None:
        return NotImplemented
    null = np.array(np.broadcast_to(a_null | b_null, len(array)))
    with np.errstate(all="ignore"):
        return masked(_values(op, a, b, array._data.dtype, is_array(left), is_array(right)), null)


def _values(op: str, a: Any, b: Any, dtype: np.dtype, left_is: bool, right_is: bool) -> np.ndarray:
    if op in COMPARISONS:
        return np.asarray(getattr(operator, op)(a, b))
    if not (left_is and right_is):
        scalar = b if left_is else a
        common = np.result_type(dtype, scalar)
        if dtype.kind == "b" and not isinstance(scalar, bool):
            common = next(np.dtype(t) for t in ("i1", "i2", "i4", "i8") if abs(scalar) <= np.iinfo(t).max)
        scalar = pa.scalar(scalar, pa.from_numpy_dtype(common)).as_py()
        scalar = common.type(scalar)
        a, b = (a, scalar) if left_is else (scalar, b)
    if op == "truediv":
        wide = dict.fromkeys(_FLOAT_OF, "f8") if get_option("mode.pandas_compatible") else _FLOAT_OF
        first = a if left_is else b
        if first.dtype.kind != "f":
            # The column's type decides: an int32 column divides in float32.
            target = np.dtype(wide[first.dtype.str[1:]])
            if left_is and right_is:
                target = np.result_type(target, b.dtype)
            a, b = a.astype(target), b.astype(target) if b.dtype.kind != "f" or not left_is or not right_is else b
        return np.asarray(np.true_divide(a, b))
    out = np.result_type(a.dtype, b.dtype)
    if op in ("and", "or", "xor"):
        if a.dtype.kind == "f" or b.dtype.kind == "f":
            raise TypeError(
                f"Operation 'bitwise {op}' not supported between {a.dtype.type.__name__} and {b.dtype.type.__name__}"
            )
        return np.asarray(getattr(np, f"bitwise_{op}")(a, b))
    if op in ("mod", "floordiv") and b.dtype.kind in "iu" and np.any(b == 0):
        out = np.dtype("f8")
    if op == "pow":
        return _power(a.astype(out), b.astype(out))
    if out.kind == "b":
        # Bool arithmetic is integer arithmetic whose result is a bool again.
        small = getattr(operator, op)(a.astype("i1"), b.astype("i1")) if op != "mod" else np.zeros(np.shape(a), "i1")
        return np.asarray(small).astype(bool)
    if op == "floordiv":
        return np.asarray(np.floor_divide(a.astype(out), b.astype(out)) if out.kind != "f" else _floor(a, b, out))
    return np.asarray(getattr(operator, op)(a.astype(out), b.astype(out)))


def _floor(a: Any, b: Any, out: np.dtype) -> Any:
    return np.floor(np.true_divide(a.astype(out), b.astype(out)))


def _power(a: Any, b: Any) -> Any:
    if a.dtype.kind in "iu" and np.any(b < 0):
        exact = np.power(a, np.maximum(b, 0))
        inverse = np.where(a == 1, 1, np.where(a == -1, np.where(b % 2, -1, 1), 0))
        return np.where(b < 0, inverse, exact).astype(a.dtype)
    return np.asarray(np.power(a, b)) if a.dtype.kind != "b" else np.power(a.astype("i1"), b.astype("i1")).astype(bool)


def _text(op: str, left: Any, right: Any) -> Any:
    array = left if is_array(left) and family(left) in ("text", "null") else right
    other = right if array is left else left
    if isnull(array).all():
        if op in ("add", "sub", "mul", "mod", "pow", "truediv", "floordiv"):
            return array
        if op in COMPARISONS:
            return masked(np.full(len(array), op == "ne"))
    if is_array(other):
        if family(other) == "null":
            return _text(op, other, array)
        if family(other) != "text":
            return NotImplemented
    elif not _is_na(other) and not isinstance(other, str):
        return masked(np.full(len(array), op == "ne"), isnull(array).copy()) if op in ("eq", "ne") else NotImplemented
    a, b = (
        arrow_of(x) if is_array(x) else pa.scalar(None if _is_na(x) else str(x), pa.string()) for x in (left, right)
    )
    if op == "add":
        return storage_of(pc.binary_join_element_wise(a, b, ""))
    name = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
    return storage_of(getattr(pc, name[op])(a, b)) if op in name else NotImplemented


def _category(op: str, left: Any, right: Any) -> Any:
    array = left if is_array(left) and family(left) == "category" else right
    other = right if array is left else left
    if is_array(other) and family(other) == "category":
        same = set(array.categories) == set(other.categories) and bool(array.ordered) == bool(other.ordered)
        if not same or array.categories.dtype != other.categories.dtype:
            raise TypeError("Categoricals can only compare with the same type")
        other = other.set_categories(array.categories)
    if not array.ordered and op not in ("eq", "ne"):
        raise TypeError(
            "The only binary operations supported by unordered categorical columns are equality and inequality."
        )
    if is_array(other) and family(other) != "category":
        if op not in ("eq", "ne"):
            raise TypeError(
                f"Cannot compare a Categorical for op __{op}__ with a non-categorical type. If you want to compare "
                "values, decategorize the Categorical first."
            )
        values = normal(array.categories.array.take(array.codes, allow_fill=True))
        return binop(op, values, other)
    null = isnull(array)
    if is_array(other):
        codes, null = np.asarray(other.codes), null | isnull(other)
    elif _is_na(other):
        codes, null = -1, np.ones(len(array), bool)
    else:
        found = array.categories.get_indexer([other])[0]
        codes = found if found >= 0 else len(array.categories)  # cuDF encodes an unknown value as the largest code
    mine = np.asarray(array.codes).astype(np.int64)
    result = getattr(operator, op)(mine, codes) if array is left else getattr(operator, op)(codes, mine)
    return masked(np.asarray(result), null.copy())


def _time(op: str, left: Any, right: Any) -> Any:
    arrays = [x for x in (left, right) if is_array(x)]
    n = len(arrays[0])
    null = np.zeros(n, bool)
    plain = []
    for x in (left, right):
        if is_array(x):
            null |= isnull(x)
            if isinstance(x, BaseMaskedArray):
                if x._data.dtype.kind == "b":
                    return NotImplemented
                x = np.where(x._mask, 0, x._data)
            plain.append(pd.Series(x))
        else:
            if _is_na(x) or isinstance(x, (np.datetime64, np.timedelta64)) and np.isnat(x):
                null[:] = True
                x = pd.NaT
            plain.append(x)
    try:
        result = getattr(operator, f"{op}_" if op in ("and", "or") else op)(*plain)
    except TypeError as error:
        if op in ("eq", "ne"):
            return NotImplemented
        if op in COMPARISONS or "tz" in str(error) or "categor" in str(error):
            raise
        return NotImplemented
    array = normal(result.array)
    if isinstance(array, BaseMaskedArray):
        if op == "floordiv" and array._data.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                array = masked(np.where(array._mask, 0, array._data).astype(np.int64), array._mask)
        if op in COMPARISONS:
            # Times compare as pandas': nothing equals a null, and every ordering with it is false.
            return masked(np.where(null, op == "ne", array._data))
        return masked(array._data, array._mask | null)
    return pd.Series(array).mask(null).array if null.any() else array


def _decimal(op: str, left: Any, right: Any) -> Any:
    first = left if is_array(left) and family(left) == "decimal" else right
    values, sizes = [], [dtype_of(first.dtype).itemsize]
    for x in (left, right):
        if is_array(x):
            a = arrow_of(x)
            if pa.types.is_floating(a.type) and op in COMPARISONS | {"add", "sub", "mul", "truediv"}:
                raise TypeError(f"Operator {op} not supported between decimal and {a.type}")
            if pa.types.is_integer(a.type):
                a = a.cast(pa.decimal128(20 if a.type.bit_width == 64 else 10, 0))
            elif not pa.types.is_decimal(a.type):
                return NotImplemented
            else:
                sizes.append(a.type.byte_width)
                a = a.cast(pa.decimal128(a.type.precision, a.type.scale))
            values.append(a)
        elif _is_na(x):
            values.append(pa.scalar(None, pa.decimal128(1, 0)))
        elif isinstance(x, (float, np.floating, str, bool)):
            return NotImplemented
        else:
            import decimal

            values.append(pa.scalar(decimal.Decimal(int(x)) if not isinstance(x, decimal.Decimal) else x))
    names = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "eq": "equal", "ne": "not_equal",
             "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}  # fmt: skip
    if op not in names:
        return NotImplemented
    result = getattr(pc, names[op])(*values)
    if op in COMPARISONS:
        return storage_of(result)
    precision, scale = result.type.precision, result.type.scale
    for kind in (Decimal32Dtype, Decimal64Dtype, Decimal128Dtype):
        if kind.itemsize >= max(sizes) and precision <= kind.MAX_PRECISION:
            return storage_of(result.cast(kind(precision, scale).to_arrow()))
    return storage_of(result)


def negate(array: Any) -> Any:
    """``-column``."""
    if isinstance(array, BaseMaskedArray):
        if array._data.dtype.kind == "b":
            raise TypeError("Bitwise not is not supported for bool; use ~")
        with np.errstate(all="ignore"):
            return masked(-array._data, array._mask)
    return normal((-pd.Series(array)).array)


def invert(array: Any) -> Any:
    """``~column``: not of bools, the complement of integers."""
    if isinstance(array, BaseMaskedArray) and array._data.dtype.kind in "biu":
        return masked(~array._data, array._mask)
    raise TypeError(f"Operation `~` not supported on {dtype_of(array.dtype).type.__name__}")
