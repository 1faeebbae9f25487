"""CUDA's library of device functions, for kernels: the mathematical ones, the conversions and the bits.

Each is a device function in Python, made when it is first asked for.  What rounds or converts is exact.  The mathematical functions are
computed with the CPU's library: right to about as many digits as a GPU's, and the ``fast_`` ones to more.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from . import _generated
from ._device_names import top as _top
from ._libdevice_table import EXPRESSIONS as _EXPRESSIONS
from .decorators import jit

_HELPERS = ("clip_i4", "clip_u4", "clip_i8", "clip_u8", "central", "erfcinv", "erfinv", "normcdf", "sinpi", "cospi")
"""What CUDA C++ has too, in this order, since they call each other."""


def _signatures() -> dict[str, tuple[list[str], list[str]]]:
    """The types of each function's results and arguments."""
    found = {}
    for signature, names in json.loads(Path(__file__).with_name("libdevice.json").read_text()).items():
        results, _, arguments = signature.rstrip(")").partition("(")
        found |= dict.fromkeys(names.split(), (results.split(","), arguments.split(",")))
    return found


_SIGNATURES = _signatures()


@functools.cache
def _names() -> dict[str, Any]:
    """What the expressions use."""
    from numba.core import types

    from gpusim.kernels.frontend.cuda_cpp import device_library

    from . import _rounding, _special

    found: dict[str, Any] = {"math": math, "np": np} | {
        f"_{name}": _top[name] for name in ("popc", "clz", "ffs", "brev", "fma", "cbrt")
    }
    found |= {
        name: getattr(types, name) for name in ("float32", "float64", "int16", "int32", "int64", "uint32", "uint64")
    }
    found |= {
        f"_{name}": made
        for module in (_rounding, _special)
        for name, made in vars(module).items()
        if hasattr(made, "py_func")
    }
    for name in _HELPERS:
        text = inspect.getsource(getattr(device_library, name))
        found[f"_{name}"] = jit(_generated.function(f"_{name}", f"def _{text[4:]}", found), device=True)
    return found


def __getattr__(name: str) -> Any:
    if name not in _SIGNATURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    results, kinds = _SIGNATURES[name]
    arguments, text = "xyz"[: len(kinds)], _EXPRESSIONS[name]
    lines = [f"def {name}({', '.join(arguments)}):\n"]
    lines += [f"    {a} = {kind}({a})\n" for a, kind in zip(arguments, kinds, strict=True)]
    unsigned = [(a, kind) for a, kind in zip(arguments, kinds, strict=True) if re.search(rf"\b{a.upper()}\b", text)]
    lines += [f"    {a.upper()} = u{kind}({a})\n" for a, kind in unsigned]
    floats = [kind for kind in kinds if kind.startswith("float")]
    text = text.replace("T(", f"{floats[0]}(") if floats else text
    if len(results) == 2:
        lines += [f"    one, other = {text}\n", f"    return {results[0]}(one), {results[1]}(other)\n"]
    else:
        lines.append(f"    return {results[0]}({text})\n")
    made = jit(_generated.function(name, "".join(lines), _names()), device=True)
    made.__doc__ = f"``__nv_{name}`` of libdevice: {text}."
    return globals().setdefault(name, made)


def __dir__() -> list[str]:
    return sorted(_SIGNATURES)


__all__ = sorted(_SIGNATURES)
