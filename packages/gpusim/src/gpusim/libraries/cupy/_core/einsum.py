"""Einstein summation: the subscripts are read here, the sum is queued."""

from __future__ import annotations

import operator
import string
from collections.abc import Hashable
from typing import Any

import numpy as np

from . import launch
from .convert import array

_SYMBOLS = string.ascii_uppercase + string.ascii_lowercase
_DOTS = "@"


def einsum(*operands: Any, **kwargs: Any) -> Any:
    """Einstein summation.

    Parameters
    ----------
    *operands
        Subscripts and arrays, or arrays and lists of axis numbers in turn.
    dtype : optional
        To compute in.
    optimize : bool or str
        Whether the order of several products may be chosen.

    Returns
    -------
    cupy.ndarray
        Of one array whose axes are only permuted or taken along diagonals, a view.  There is no ``out=``.
    """
    terms, output, arrays = _parse(operands)
    dtype, optimize = kwargs.pop("dtype", None), kwargs.pop("optimize", False)
    if kwargs:
        raise TypeError(f"Did not understand the following kwargs: {list(kwargs)}")
    _check_optimize(optimize)
    result = np.result_type(*(a.dtype for a in arrays)) if dtype is None else np.dtype(dtype)
    sub = [_spell_out(term, a.ndim, number) for number, (term, a) in enumerate(zip(terms, arrays, strict=True))]
    sizes = _sizes(sub, arrays)
    output = _output(output, sub)
    for term, a in zip(sub, arrays, strict=True):
        _check_diagonals(term, a.shape)
    shape = tuple(sizes[label] for label in output)
    if len(arrays) == 1 and set(sub[0]) == set(output):
        return _view(arrays[0], sub[0], output, shape)
    numbers = {label: i for i, label in enumerate(sizes)}
    host: list[Any] = []
    for term, a in zip(sub, arrays, strict=True):
        host += [a._a, [numbers[label] for label in term]]
    out = launch.empty(shape, result)
    if out.size:
        arguments = (out._a, host, [numbers[label] for label in output], bool(optimize) or len(arrays) > 2)
        launch.submit("cupy_einsum", _run, arguments, reads=[a._a for a in arrays], writes=(out._a,))
    return out


def _run(out: np.ndarray, host: list, output: list, optimize: bool) -> None:
    kind = np.dtype(np.float32) if out.dtype.char == "e" else out.dtype  # halves are summed in single precision
    # Axes of length 1 stand for any length, in all operands: NumPy broadcasts them only where the label is not summed.
    host = [x.astype(kind) if isinstance(x, np.ndarray) else x for x in host]
    out[...] = np.einsum(*host, output, optimize=optimize).astype(out.dtype)


def _parse(operands: tuple) -> tuple[list, Any, list]:
    if not operands:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least one operand and its "
            "corresponding subscripts list"
        )
    if isinstance(operands[0], str):
        text, given = operands[0].replace("...", _DOTS).replace(" ", ""), list(operands[1:])
        for symbol in text.replace("->", ""):
            if symbol not in _SYMBOLS and symbol not in _DOTS + ",":
                raise ValueError(
                    f"invalid subscript {symbol!r} in einstein sum subscripts string, subscripts must be letters"
                )
        if text.count("->") > 1:
            raise ValueError("einstein sum subscript string does not contain proper '->' output specified")
        inputs, arrow, output = text.partition("->")
        terms, output = [list(t) for t in inputs.split(",")], list(output) if arrow else None
    else:
        given = list(operands[0 : len(operands) // 2 * 2 : 2])
        terms = [_numbers(t) for t in operands[1::2]]
        output = _numbers(operands[-1]) if len(operands) % 2 else None
    if len(terms) != len(given):
        more = "fewer" if len(terms) > len(given) else "more"
        raise ValueError(f"{more} operands provided to einstein sum function than specified in the subscripts string")
    for o in given:
        if isinstance(o, np.ndarray):
            raise TypeError(f"Unsupported type {np.ndarray}")
    return terms, output, [o if isinstance(o, launch.array_class) else array(o) for o in given]


def _numbers(term: Any) -> list:
    labels = []
    for item in term:
        if item is Ellipsis:
            labels.append(_DOTS)
            continue
        try:
            labels.append(_SYMBOLS[operator.index(item)])
        except TypeError:
            raise TypeError("For this input type lists must contain either int or Ellipsis") from None
    return labels


def _spell_out(term: list, ndim: int, number: int) -> list[Hashable]:
    """The labels of all axes; those behind an ellipsis are numbered from its end."""
    if term.count(_DOTS) > 1:
        raise ValueError("einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...')")
    if _DOTS not in term:
        if len(term) != ndim:
            raise ValueError(
                f"einstein sum subscripts string contains too {'many' if len(term) > ndim else 'few'} subscripts for "
                f"operand {number}"
            )
        return term
    at, hidden = term.index(_DOTS), ndim - len(term) + 1
    if hidden < 0:
        raise ValueError(f"einstein sum subscripts string contains too many subscripts for operand {number}")
    return [*term[:at], *range(-hidden, 0), *term[at + 1 :]]


def _sizes(sub: list, arrays: list) -> dict[Hashable, int]:
    sizes: dict[Hashable, int] = {}
    for number, (term, a) in enumerate(zip(sub, arrays, strict=True)):
        for label, n in zip(term, a.shape, strict=True):
            before = sizes.get(label, 1)
            if before == 1:
                sizes[label] = n
            elif n not in (1, before):
                raise ValueError(
                    f"Size of label {label!r} for operand {number} ({n}) does not match previous terms ({before})."
                )
    return sizes


def _check_diagonals(term: list, shape: tuple[int, ...]) -> None:
    seen: dict[Hashable, int] = {}
    for label, n in zip(term, shape, strict=True):
        if seen.setdefault(label, n) != n:
            raise ValueError(f"dimensions in operand for collapsing index {label!r} don't match ({seen[label]} != {n})")


def _output(output: list | None, sub: list) -> list:
    labels = [label for term in sub for label in term]
    hidden = sorted({label for label in labels if isinstance(label, int)})
    if output is None:
        return hidden + sorted({label for label in labels if isinstance(label, str) and labels.count(label) == 1})
    if hidden and _DOTS not in output:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast "
            "the extra dimensions."
        )
    if output.count(_DOTS) > 1:
        raise ValueError("einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...')")
    if _DOTS in output:
        at = output.index(_DOTS)
        output = [*output[:at], *hidden, *output[at + 1 :]]
    for label in output:
        if label not in labels:
            raise ValueError(
                f"einstein sum subscripts string included output subscript {label!r} which never appeared in an input"
            )
        if output.count(label) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript {label!r} multiple times")
    return output


def _view(a: Any, term: list, output: list, shape: tuple[int, ...]) -> Any:
    strides = tuple(sum(s for other, s in zip(term, a.strides, strict=True) if other == label) for label in output)
    if not a.size:
        return a._view(np.lib.stride_tricks.as_strided(a._a, shape, strides))
    raw = a._block.raw
    return a._view(np.ndarray(shape, a.dtype, raw, a._a.ctypes.data - raw.ctypes.data, strides))


def _check_optimize(optimize: Any) -> None:
    if isinstance(optimize, bool) or optimize in ("greedy", "optimal"):
        return
    if isinstance(optimize, (tuple, list)) and optimize and optimize[0] in ("greedy", "optimal", "einsum_path"):
        return
    raise TypeError(f"Did not understand the path (optimize): {optimize}")
