"""``cupy.fuse``: a function of elementwise operations that counts as one kernel.

On a GPU the function becomes one kernel that reads its inputs and writes its outputs once.  Here its operations run
one by one as they would without it, so it is not faster; the account says what it saves, and memory hooks hear of the
results only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from hundredfold.engine import queue

from ..cuda import memory_hook
from . import launch


class Fusion:
    """A fused function.

    Parameters
    ----------
    func : callable
        Elementwise operations, at most one reduction.
    name : str, optional
        The kernel's name.
    """

    def __init__(self, func: Callable, name: str | None = None):
        self.func = func
        self.name = name or func.__name__
        functools.update_wrapper(self, func)

    def __repr__(self) -> str:
        return f"<Fusion '{self.name}'>"

    def __call__(self, *args: Any) -> Any:
        """Call the function; its operations are counted as one kernel."""
        if not any(isinstance(a, launch.array_class) for a in args):
            return self.func(*args)
        if not queue.counting():  # inside another fused function
            return self.func(*args)
        before = [id(a) for a in args]
        with queue.suspended_account(), memory_hook.unheard() as tell:
            result = self.func(*args)
        outputs = result if isinstance(result, (list, tuple)) else (result,)
        fresh = [o for o in outputs if isinstance(o, launch.array_class) and id(o) not in before]
        given = [o for o in outputs if isinstance(o, launch.array_class) and id(o) in before]
        tell(fresh)
        outs = tuple(launch.views(outputs))
        read, written = launch.read(*args), launch.read(*fresh, *given)
        queue.count(self.name, read, written, by=self, operands=(*launch.views(args), *outs), results=outs)
        return result

    def clear_cache(self) -> None:
        """Nothing is compiled."""


def fuse(*args: Any, **kwargs: Any) -> Any:
    """Decorator that fuses a function; takes ``kernel_name``."""
    name = kwargs.pop("kernel_name", None)
    if kwargs:
        raise TypeError(f"fuse() got an unexpected keyword argument {next(iter(kwargs))!r}")
    if len(args) == 1 and callable(args[0]):
        return Fusion(args[0], name)
    return lambda func: Fusion(func, name)
