"""Functions of the user: compiled by Numba first, as cuDF compiles them, and refused where that fails.

Rows without nulls run compiled.  A row with a null runs in Python with :data:`NULL` in its place, which behaves as cuDF's
masked values do: arithmetic with it gives null, a comparison gives null, and null is false.
"""

from __future__ import annotations

import dis
import itertools
import types
from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from .. import device
from ..binary import family
from ..column import isnull, masked, nans_to_nulls
from ..dtypes import STR
from ..wrap import frame_of, make_frame, series_of

FAILED = "user defined function compilation failed."
_STR_METHODS = frozenset(["startswith", "endswith", "find", "rfind", "count", "upper", "lower", "strip", "lstrip", "rstrip",
                          "replace", "isalpha", "isdigit", "isdecimal", "isalnum", "isspace", "islower", "isupper",
                          "isnumeric", "istitle"])  # fmt: skip


class Null:
    """A null inside a function."""

    def _null(self, *args: Any) -> Null:
        return self

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "<NA>"

    __hash__ = object.__hash__


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "radd", "rsub", "rmul", "rtruediv",
              "rfloordiv", "rmod", "rpow", "rand", "ror", "rxor", "eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs",
              "invert"):  # fmt: skip
    setattr(Null, f"__{_name}__", Null._null)
for _name in _STR_METHODS:
    setattr(Null, _name, Null._null)
NULL = Null()


class Text(str):
    """A string inside a function: it has the methods that cuDF's compiler knows."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name not in _STR_METHODS:
            raise TypeError(f"str.{name} is not supported in user defined functions")
        return str.__getattribute__(self, name)


class _NullAware:
    """A module whose functions give null for null."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if name == "NA":
            return NULL
        if not callable(found) or isinstance(found, type):
            return found
        return lambda *args, **kwargs: NULL if any(a is NULL for a in args) else found(*args, **kwargs)


def _null_aware(function: Any) -> Any:
    return lambda *args: NULL if args and args[0] is NULL else function(*args)


def _rebuilt(func: Any, swap: Any) -> Any:
    """The function with other globals."""
    world = {name: swap(value) for name, value in func.__globals__.items()}
    if swap is _for_python:
        # Python's len must give an integer; of a null it gives a null here.
        for builtin in (len, int, float, abs, round):
            world.setdefault(builtin.__name__, _null_aware(builtin))
    cells = func.__closure__
    if cells:
        cells = tuple(types.CellType(swap(c.cell_contents)) for c in cells)
    return types.FunctionType(func.__code__, world, func.__name__, func.__defaults__, cells)


def _for_python(value: Any) -> Any:
    if value is pd.NA:
        return NULL
    if isinstance(value, types.ModuleType) and (value.__name__ in ("math", "numpy", "pandas", "cudf", "operator")):
        return _NullAware(value)
    return value


def _for_numba(value: Any) -> Any:
    if value is pd.NA:
        return None
    if isinstance(value, types.ModuleType) and value.__name__ in ("cudf", "pandas"):
        module = types.ModuleType(value.__name__)
        module.NA = None
        return module
    return value


def _plain(func: Any) -> Any:
    return getattr(func, "py_func", func)


def _compile(func: Any, kinds: tuple) -> tuple[Any, Any]:
    """The function compiled for argument types, and its return type."""
    import numba

    if "isinstance" in _plain(func).__code__.co_names:  # cuDF's compiler has types of its own, which it does not know
        raise TypeError("isinstance() does not support the values of a column")
    target = _rebuilt(_plain(func), _for_numba)
    compiled = numba.njit(error_model="numpy")(target)
    compiled.compile(kinds)
    return compiled, compiled.overloads[next(iter(compiled.overloads))].signature.return_type


def _returned(kind: Any, func: Any) -> np.dtype:
    """The dtype of a column of a function's Numba return type.

    Raises
    ------
    TypeError
        For types that no column holds, and for functions that end without a value: None is none, unlike `cudf.NA`.
    """
    from numba.core import types as nb
    from numba.np import numpy_support

    if isinstance(kind, nb.Optional) and not _gives_nothing(_plain(func).__code__):
        kind = kind.type
    if isinstance(kind, nb.Literal):
        kind = kind.literal_type
    if isinstance(kind, (nb.Integer, nb.Float, nb.Boolean, nb.NPDatetime, nb.NPTimedelta)):
        return numpy_support.as_dtype(kind)
    if isinstance(kind, nb.UnicodeType):
        return np.dtype("object")
    raise TypeError(f"a function may not return {kind}")


def _gives_nothing(code: Any) -> bool:
    """Whether a function may end in `return None`, written out or not."""
    steps = list(dis.get_instructions(code))
    ends = [step for step in steps if step.opname == "RETURN_CONST"]  # from Python 3.12 to 3.13
    ends += [a for a, b in itertools.pairwise(steps) if b.opname == "RETURN_VALUE" and a.opname == "LOAD_CONST"]
    return any(step.argval is None for step in ends)


def _check(func: Any, args: tuple, kwargs: dict) -> None:
    if kwargs:
        raise ValueError("UDFs using **kwargs are not yet supported.")
    if not callable(func):
        raise TypeError(f"'{type(func).__name__}' object is not callable")
    if only_on_a_cpu(_plain(func)):
        raise ValueError(FAILED)


def _values(array: Any) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(array, BaseMaskedArray):
        return array._data, array._mask
    if isinstance(array.dtype, np.dtype) and array.dtype.kind in "Mm":
        return np.asarray(array), isnull(array)
    raise TypeError(f"columns of {array.dtype} may not be used in a user defined function")


def _result(values: list, dtype: np.dtype, index: pd.Index) -> Any:
    null = np.array([v is None or v is NULL for v in values], dtype=bool)
    if dtype.kind == "O":
        return series_of(
            pd.Series(
                pd.array([None if n else str(v) for v, n in zip(values, null, strict=True)], dtype=STR), index=index
            )
        )
    if dtype.kind in "Mm":
        plain = np.array([np.datetime64("NaT") if n else v for v, n in zip(values, null, strict=True)], dtype=dtype)
        return series_of(pd.Series(pd.array(plain), index=index))
    plain = np.array([0 if n else v for v, n in zip(values, null, strict=True)])
    return series_of(pd.Series(masked(plain.astype(dtype), null), index=index))


def _run(func: Any, compiled: Any, arguments: list, null_rows: np.ndarray, python_arguments: Any, args: tuple) -> list:
    python = _rebuilt(_plain(func), _for_python)
    out = []
    for i in range(len(null_rows)):
        if null_rows[i]:
            out.append(python(python_arguments(i), *args))
        else:
            out.append(compiled(arguments[i], *args))
    return out


def apply_series(self: Any, func: Any, args: tuple, kwargs: dict) -> Any:
    """``Series.apply``: the function of each value."""
    _check(func, args, kwargs)
    array = self._storage
    index = self._p.index
    try:
        import numba

        if not all(pd.api.types.is_scalar(a) for a in args):
            raise TypeError("only scalar valued args are supported by apply")
        extra = tuple(numba.typeof(a) for a in args)
        if family(array) in ("text", "null"):
            compiled, kind = _compile(func, (numba.types.unicode_type, *extra))
            dtype = _returned(kind, func)
            values, null = np.asarray(array, dtype=object), isnull(array)
            _check_text(func, args)
        else:
            values, null = _values(array)
            compiled, kind = _compile(func, (numba.typeof(values[:0].copy()).dtype, *extra))
            dtype = _returned(kind, func)
    except Exception as error:
        raise ValueError(FAILED) from error
    plain = list(values)
    found = _run(func, compiled, plain, null, lambda i: NULL, args)
    out = _result(found, dtype, index)
    out.name = self.name
    device.count("cudf_apply", array.nbytes, array.nbytes, reads=array, writes=out)
    return out


def _check_text(func: Any, args: tuple) -> None:
    """Run once on a string that knows only what cuDF's compiler knows."""
    probe = _rebuilt(_plain(func), _for_python)
    probe(Text("a"), *args)


def apply_frame(self: Any, func: Any, axis: Any = 1, raw: bool = False, result_type: Any = None, args: tuple = (),
              by_row: Any = "compat", engine: str = "python", engine_kwargs: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """``DataFrame.apply``: the function of each row."""
    if axis != 1:
        raise NotImplementedError("DataFrame.apply currently only supports row wise ops")  # fmt: skip
    if raw:
        raise NotImplementedError("The `raw` kwarg is not yet supported.")
    if result_type is not None:
        raise NotImplementedError("The `result_type` kwarg is not yet supported.")
    if by_row != "compat":
        raise NotImplementedError("by_row is currently not supported.")
    if engine != "python":
        raise NotImplementedError("engine is currently not supported.")
    if engine_kwargs is not None:
        raise NotImplementedError("engine_kwargs is currently not supported.")
    _check(func, args, kwargs)
    p = self._p
    names = _used(func, list(p.columns))
    try:
        import numba

        if not all(pd.api.types.is_scalar(a) for a in args):
            raise TypeError("only scalar valued args are supported by apply")
        extra = tuple(numba.typeof(a) for a in args)
        text = [n for n in names if family(p[n].array) in ("text", "null")]
        if text:
            return _applied(p, _text_rows(func, p, names, args))
        columns = {n: _values(p[n].array) for n in names}
        kind = np.dtype([(n, v.dtype) for n, (v, _) in columns.items()])
        rows = np.zeros(len(p), kind)
        null = np.zeros(len(p), bool)
        for n, (v, m) in columns.items():
            rows[n] = v
            null |= m
        if not names:
            rows = np.zeros(len(p), [("_", "i1")])
        compiled, returned = _compile(func, (numba.from_dtype(rows.dtype), *extra))
        dtype = _returned(returned, func)
    except Exception as error:
        raise ValueError(FAILED) from error

    def one(i: int) -> dict:
        return {n: NULL if m[i] else v[i].item() if v.dtype.kind not in "Mm" else v[i] for n, (v, m) in columns.items()}

    found = _run(func, compiled, rows, null, one, args)
    return _applied(p, _result(found, dtype, p.index))


def _applied(p: Any, made: Any) -> Any:
    device.count("cudf_apply", p.size * 8, len(p) * 8, reads=p, writes=made)
    return made


def _used(func: Any, columns: list) -> list:
    """The columns that a function names: only their types matter."""
    constants = set()

    def collect(code: Any) -> None:
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                collect(constant)
            elif isinstance(constant, str):
                constants.add(constant)
        constants.update(code.co_names)

    try:
        collect(_plain(func).__code__)
    except AttributeError:
        return columns
    world = {**getattr(_plain(func), "__globals__", {})}
    for cell in getattr(_plain(func), "__closure__", None) or ():
        if isinstance(cell.cell_contents, str):
            constants.add(cell.cell_contents)
    constants |= {v for k, v in world.items() if k in constants and isinstance(v, str)}
    return [c for c in columns if c in constants]


def _text_rows(func: Any, p: pd.DataFrame, names: list, args: tuple) -> Any:
    """Rows with strings in them: every row runs in Python, on strings that know only what cuDF's compiler knows."""
    python = _rebuilt(_plain(func), _for_python)
    columns = {}
    for n in names:
        array = p[n].array
        null = isnull(array)
        if family(array) in ("text", "null"):
            columns[n] = [NULL if m else Text(v) for v, m in zip(np.asarray(array, dtype=object), null, strict=True)]
        else:
            values, null = _values(array)
            columns[n] = [
                NULL if m else v
                for v, m in zip(values.tolist() if values.dtype.kind not in "Mm" else values, null, strict=True)
            ]
    found = [python({n: c[i] for n, c in columns.items()}, *args) for i in range(len(p))]
    solid = [v for v in found if v is not NULL and v is not None]
    kinds = {
        str
        if isinstance(v, str)
        else bool
        if isinstance(v, (bool, np.bool_))
        else float
        if isinstance(v, float)
        else int
        for v in solid
    }
    if str in kinds and len(kinds) > 1:
        raise TypeError("the function returns strings and numbers")
    dtype = (
        np.dtype("object")
        if kinds == {str}
        else np.dtype("float64")
        if float in kinds
        else np.dtype("bool")
        if kinds == {bool}
        else np.dtype("int64")
    )
    return _result(found, dtype, p.index)


def map_frame(self: Any, func: Any, na_action: Any = None, **kwargs: Any) -> Any:
    """``DataFrame.map``: the function of each value."""
    if kwargs:
        raise NotImplementedError("DataFrame.map does not yet support **kwargs.")
    if na_action not in {"ignore", None}:
        raise ValueError(f"na_action must be 'ignore' or None. Got {na_action!r}")
    p = self._p
    arrays = {}
    for i, name in enumerate(p.columns):
        column = series_of(p[name])
        if na_action == "ignore":
            plain = nans_to_nulls(column._storage)
            column = series_of(pd.Series(plain, index=p.index))
        arrays[i] = apply_series(column, func, (), {})._p.array
    return frame_of(make_frame(arrays, p.index, p.columns))


def apply_window(values: np.ndarray, func: Any) -> Any:
    """A function of an array, compiled."""
    import numba

    compiled = numba.njit(error_model="numpy")(_plain(func))
    compiled.compile((numba.types.Array(numba.typeof(values).dtype, 1, "C"),))
    return compiled


# What a user's function may not do on a GPU although Numba compiles it for a CPU.


def only_on_a_cpu(func: Any) -> bool:
    """Whether a function makes or uses what no GPU's compiler knows."""
    return isinstance(func, types.FunctionType) and (_does(func.__code__) or _holds(func))


# What Numba compiles for a CPU and not for a GPU, where nothing can be allocated and nothing caught: dicts, lists, sets,
# texts put together, `try` and `with`. By the names of bytecodes from Python 3.11 to 3.13.
_CPU_ONLY = frozenset(["BUILD_MAP", "BUILD_CONST_KEY_MAP", "MAP_ADD", "DICT_UPDATE", "DICT_MERGE", "BUILD_LIST",
                       "LIST_APPEND", "LIST_EXTEND", "BUILD_SET", "SET_ADD", "FORMAT_VALUE", "FORMAT_SIMPLE",
                       "FORMAT_WITH_SPEC", "BUILD_STRING", "PUSH_EXC_INFO"])  # fmt: skip


def _does(code: Any) -> bool:
    """Whether code, or that of a function inside it, does one of them."""
    if code is None:
        return False
    inside = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return any(step.opname in _CPU_ONLY for step in dis.get_instructions(code)) or any(map(_does, inside))


def _holds(func: Any) -> bool:
    """Whether a function uses a dict, list or set from outside of it: no GPU's compiler knows their types."""
    names = {step.argval for step in dis.get_instructions(func.__code__) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    used = [func.__globals__.get(name) for name in names]
    for cell in func.__closure__ or ():
        try:
            used.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    return any(isinstance(value, (dict, list, set)) for value in used)
