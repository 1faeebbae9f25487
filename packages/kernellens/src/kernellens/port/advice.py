"""What to write instead, and what is known of single functions."""

from __future__ import annotations

import dis
import functools
import json
import types
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MEMORY = "Work on a part at a time, or in float32; keep fewer temporaries alive (out=, in-place operators, del)."
_SIDE_EFFECTS = {"STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "YIELD_VALUE"}
_TELLTALE = {"print", "open", "input", "append", "extend", "write", "add", "update", "pop", "random", "time"}


class SideEffects(TypeError):
    """A function that cannot be run a second time to see what a GPU would say."""


def library(what: str) -> str:
    """Whose rule it is."""
    if what.startswith(("numpy", "array", "ndarray", "scipy")):
        return "CuPy"
    return "cuDF"


@functools.cache
def _table() -> dict:
    return json.loads(Path(__file__).with_name("advice.json").read_text(encoding="utf-8"))


def instead(what: str) -> str:
    """What to write instead of something that is refused."""
    table = _table()
    for key in (what, what.rpartition(".")[2], what.partition(".")[0]):
        if key in table["instead"]:
            return table["instead"][key]
    return table["otherwise"][library(what)]


def handed(name: str) -> str:
    """What to write where an array is handed to another library."""
    table = _table()
    return table["handed"].get(name, table["handed"]["*"])


def plain_frame(value: Any) -> Any:
    """A frame or series as pandas' own class, which cuDF takes."""
    return pd.DataFrame(value) if isinstance(value, pd.DataFrame) else pd.Series(value)


def check_function(function: Any) -> None:
    """Refuse to run a function of the program's twice if that would show.

    Raises
    ------
    SideEffects
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return
    done = {instruction.opname for instruction in dis.get_instructions(code)}
    if done & _SIDE_EFFECTS or set(code.co_names) & _TELLTALE:
        raise SideEffects(
            f"{function.__name__} does more than return a value: cuDF compiles such functions for the GPU, and "
            "refuses what is no arithmetic"
        )


def flops(what: str, operands: tuple) -> float:
    """Floating-point operations of matrix products and factorisations; 0 for all else, which memory bounds."""
    name = what.rpartition(".")[2]
    arrays = [value for value in operands if isinstance(value, np.ndarray) and value.ndim >= 1]
    if name in ("matmul", "dot", "inner") and len(arrays) >= 2:
        a, b = arrays[:2]
        return 2.0 * a.size * (b.shape[-1] if b.ndim > 1 else 1)
    if "linalg" not in what or not arrays or arrays[0].ndim != 2:
        return 0.0
    m, n = sorted(arrays[0].shape, reverse=True)
    return {
        "solve": 2 / 3 * n**3,
        "inv": 2.0 * n**3,
        "det": 2 / 3 * n**3,
        "cholesky": n**3 / 3,
        "qr": 2.0 * m * n**2 - 2 / 3 * n**3,
        "svd": 4.0 * m * n**2 + 8.0 * n**3,
        "eigh": 9.0 * n**3,
        "eigvalsh": 4 / 3 * n**3,
        "lstsq": 4.0 * m * n**2 + 8.0 * n**3,
        "pinv": 4.0 * m * n**2 + 8.0 * n**3,
    }.get(name, 0.0)
