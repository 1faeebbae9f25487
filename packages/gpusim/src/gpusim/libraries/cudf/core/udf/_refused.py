"""What a user's function may not do on a GPU although Numba compiles it for a CPU."""

from __future__ import annotations

import dis
import types
from typing import Any


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
