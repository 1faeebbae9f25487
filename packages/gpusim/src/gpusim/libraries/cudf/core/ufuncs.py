"""NumPy's functions on frames: operators where there are some, CuPy's functions otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from . import device
from .column import isnull, masked
from .wrap import classes, frame_of, index_of, make_frame, series_of

_OPERATORS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv",
    "floor_divide": "floordiv", "remainder": "mod", "mod": "mod", "power": "pow", "float_power": "pow",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "equal": "eq", "not_equal": "ne", "less": "lt",
    "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}  # fmt: skip
_MIRROR = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def array_ufunc(self: Any, ufunc: Any, method: str, inputs: tuple, kwargs: dict) -> Any:
    """``np.sin(frame)`` and the like."""
    if method != "__call__" or kwargs and kwargs.get("out") is None and set(kwargs) - {"out"}:
        return NotImplemented
    name = ufunc.__name__
    op = _OPERATORS.get(name)
    if op:
        first = inputs[0] is self or isinstance(inputs[0], type(self))
        if name == "float_power":
            inputs = tuple(x.astype("float64") if hasattr(x, "astype") else x for x in inputs)
        left = inputs[0] if first else inputs[1]
        other = inputs[1] if first else inputs[0]
        attribute = f"__{op}__" if first else f"__{_MIRROR[op]}__" if op in _MIRROR else f"__r{op}__"
        return getattr(left, attribute)(other)
    if name == "invert":
        return ~self
    if name in ("absolute", "fabs"):
        return abs(self)
    if name == "negative":
        return -self
    if name == "positive":
        return +self
    import cupy

    function = getattr(cupy, name, None)
    if function is None:
        return NotImplemented
    return _by_column(function, ufunc, inputs)


def _by_column(function: Any, ufunc: Any, inputs: tuple) -> Any:
    first = next(x for x in inputs if hasattr(x, "_p"))
    p = first._p
    aligned = []
    for x in inputs:
        if hasattr(x, "_p") and x is not first and isinstance(p, (pd.Series, pd.DataFrame)):
            q = x._p
            if isinstance(q, (pd.Series, pd.DataFrame)) and not q.index.equals(p.index):
                p, q = p.align(q, join="outer")
            aligned.append(q)
        else:
            aligned.append(x._p if hasattr(x, "_p") else x)
    aligned = [p if x is first else a for x, a in zip(inputs, aligned, strict=True)]
    n = p.shape[1] if p.ndim == 2 else 1
    results = []
    for i in range(n):
        operands, null = [], np.zeros(len(p), bool)
        for a in aligned:
            if isinstance(a, pd.DataFrame):
                a = a.iloc[:, i].array
            elif isinstance(a, pd.Series):
                a = a.array
            elif isinstance(a, pd.Index):
                a = index_of(a)._storage
            if hasattr(a, "_mask"):
                null = null | a._mask
                a = a._data
            elif isinstance(a, pd.api.extensions.ExtensionArray):
                raise TypeError(f"ufunc {ufunc.__name__} is not supported for dtype {a.dtype}")
            operands.append(a)

        found = function(*(device.as_cupy(o) if isinstance(o, np.ndarray) else o for o in operands))
        found = found if isinstance(found, tuple) else (found,)
        results.append([masked(f.get().copy(), null.copy()) for f in found])
    outputs = []
    for k in range(len(results[0])):
        if p.ndim == 2:
            outputs.append(frame_of(make_frame({i: r[k] for i, r in enumerate(results)}, p.index, p.columns)))
        elif isinstance(p, pd.Series):
            outputs.append(series_of(pd.Series(results[0][k], index=p.index, name=p.name)))
        else:
            outputs.append(index_of(pd.Index(results[0][k], name=p.name)))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def array_function(self: Any, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
    """``np.mean(frame)`` and the like: the method or function of the same name, CuPy's otherwise."""
    import cudf

    if "out" in kwargs or any(t is np.ndarray for t in types):
        return NotImplemented
    name = func.__name__
    module = cudf
    for part in func.__module__.split(".")[1:]:
        module = getattr(module, part, None)
        if module is None:
            break
    for place in (type(self), module):
        if place is None:
            continue
        found = getattr(place, name, None)
        if found is not None and found is not func and callable(found):
            return found(*args, **kwargs)
    import cupy

    module = cupy
    for part in func.__module__.split(".")[1:]:
        module = getattr(module, part, None)
        if module is None:
            return NotImplemented
    found = getattr(module, name, None)
    if found is None:
        return NotImplemented
    converted = tuple(_device(a) for a in args)
    result = found(*converted, **{k: _device(v) for k, v in kwargs.items()})
    if isinstance(result, cupy.ndarray) and result.ndim == 1 and self.ndim == 1:
        if len(result) == len(self) and isinstance(self, classes["Series"]):
            return series_of(pd.Series(masked(result.get().copy()), index=self._p.index))
        return series_of(pd.Series(masked(result.get().copy())))
    if isinstance(result, cupy.ndarray) and result.ndim == 0:
        return result.item()
    return result


def _device(value: Any) -> Any:
    if hasattr(value, "_p"):
        if isnull(value._storage).any() if value.ndim == 1 else False:
            raise ValueError("CuPy does not support nulls")
        return value.values
    if isinstance(value, (list, tuple)):
        return type(value)(_device(v) for v in value)
    return value
