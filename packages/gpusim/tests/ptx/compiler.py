"""NVIDIA's compilers, asked for the PTX of a kernel: they run in an environment of their own and need no GPU."""

from __future__ import annotations

import functools
import os
import pickle
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from kernellens.compiling import argument_types
from kernellens.compiling.helper import Helper
from kernellens.compiling.kernel_data import Carried

CHILD = Path(__file__).with_name("child")
CC = (9, 0)
"""The compute capability that kernels are compiled for."""


class Refused(Exception):
    """The compiler does not take a kernel: what it says."""


class Compiled(NamedTuple):
    """PTX, the name of the kernel in it, and PTX that is linked to it."""

    ptx: str
    entry: str
    linked: tuple[str, ...] = ()


def there() -> bool:
    """Whether this process knows a Python that has the compilers."""
    return bool(os.environ.get("KERNELLENS_COMPILER"))


@functools.cache
def _helper() -> Helper:
    return Helper(child=CHILD)


@functools.lru_cache(maxsize=4096)
def _answer(data: bytes) -> dict:
    return _helper().ask(pickle.loads(data), "a kernel")


def compiled(request: dict, *, fma: bool = True) -> Compiled:
    """PTX of a kernel.

    Parameters
    ----------
    request : dict
        A Python kernel: `kind` is ``"python"``, `functions`, `kernel`, `arguments` and `options` as `kernellens.compiling`
        sends them.  CUDA C++: `kind` is ``"cpp"``, with `code`, `name`, `options`, and `names`, the expressions that name
        an instance of a template.
    fma : bool
        Whether the compiler may contract a product and a sum.

    Raises
    ------
    Refused
    """
    answer = _answer(pickle.dumps(request | {"cc": CC, "fma": fma}))
    if not answer["ok"]:
        raise Refused(answer["text"])
    if request["kind"] == "python":
        return Compiled(answer["ptx"], answer["entry"], tuple(answer["linked"]))
    return Compiled(
        answer["ptx"], answer["names"].get(*request["names"], request["name"]) if request["names"] else request["name"]
    )


def of_python(function: FunctionType, *args: Any, **options: Any) -> dict:
    """The request for a Python kernel and some arguments, or their types."""
    return {
        "kind": "python",
        "functions": Carried(function).functions,
        "kernel": 0,
        "arguments": tuple(map(argument_types.describe, args)),
        "options": {"device": False} | options,
        "name": function.__name__,
    }


def of_cpp(code: str, name: str, *options: str) -> dict:
    """The request for a kernel of CUDA C++."""
    return {"kind": "cpp", "code": code, "name": name, "options": list(options), "names": []}
