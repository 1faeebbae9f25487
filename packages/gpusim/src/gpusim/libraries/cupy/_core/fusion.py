"""``cupy.fuse``: a function of elementwise operations that counts as one kernel.

The function is called with placeholders.  On a GPU it becomes one kernel that reads its inputs and writes its outputs once.  Here its operations run
one by one as they would without it, so it is not faster; the account says what it saves, and memory hooks hear of the
results only.  A kernel that goes on after a reduction goes through its arrays again, and through those that it keeps
between its passes in device memory (CuPy's ``new_fusion``): each pass is counted.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.device import queue

from ..cuda import memory_hook
from ..cuda.compiler import CompileException, is_valid_kernel_name
from . import launch, placeholders

_thread = threading.local()
_TAKEN = (launch.array_class, np.ndarray, np.generic, int, float, complex, type(None))


def refuse_keepdims(kernel: str) -> None:
    """Raise, inside a fused function, what CuPy raises for a reduction with ``keepdims=True``.

    [cupy/_math/sumprod.py and its like: "does not support `keepdims` in fusion yet"]  ``x.sum(axis)[:, None]`` is supported.
    """
    if getattr(_thread, "fusing", False):
        name = kernel.removeprefix("cupy_").removesuffix("_with_dtype")
        name = {"max": "amax", "min": "amin"}.get(name, name)
        raise NotImplementedError(f"cupy.{name} does not support `keepdims` in fusion yet.")


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
        if not all(isinstance(a, _TAKEN) for a in args):
            raise TypeError(f"Invalid argument type for '{self.name}': ({', '.join(repr(type(a)) for a in args)})")
        before = [id(a) for a in args]
        with queue.suspended_account() as inside, memory_hook.unheard() as tell:
            trace = placeholders.Trace(args)
            _thread.fusing = True
            try:
                result = placeholders.content(self.func(*map(trace.placeholder, args)))
            finally:
                _thread.fusing = False
        # The name first: without a valid one, CuPy fuses in its second way, which has no trouble with the types.
        refused = trace.refused(result) if is_valid_kernel_name(self.name) else "error: expected an identifier"
        if refused:
            raise CompileException(refused, "", self.name, ())
        outputs = result if isinstance(result, tuple) else (result,)
        fresh = [o for o in outputs if isinstance(o, launch.array_class) and id(o) not in before]
        tell(fresh)
        operands = list(launch.views(args))
        reads = [view for view in operands if _touched(view, inside.reads)]
        # What the function returns; and what it changes in place, which it need not return.
        writes = [view for view in operands if _touched(view, inside.writes)]
        writes += launch.views([o for o in fresh if not any(o._a is view for view in writes)])
        read, written = _passes(inside.launches) or (queue.nbytes(reads), queue.nbytes(writes))
        queue.count(self.name, read, written, by=self, reads=reads, writes=writes)
        return result

    def clear_cache(self) -> None:
        """Nothing is compiled."""


def _touched(view: np.ndarray, declared: list[np.ndarray]) -> bool:
    return any(np.may_share_memory(view, other) for other in declared)


_REDUCTIONS = frozenset(f"cupy_{name}" for name in ("sum", "prod", "max", "min", "all", "any", "mean"))


def _passes(launches: list[tuple[str, int, int]]) -> tuple[int, int] | None:
    """Bytes that a kernel reads and writes in its passes; None where it is one pass, with a reduction at its end or none."""
    large = max((read for _, read, _ in launches), default=0) // 16
    launches = [each for each in launches if sum(each[1:]) > large]  # what follows on reduced numbers costs nothing
    reductions = [name.removesuffix("_with_dtype") in _REDUCTIONS for name, _, _ in launches]
    if not any(reductions[:-1]):
        return None
    total, group = [0, 0], []
    for (_, read, written), reduces in zip(launches, reductions, strict=True):
        if reduces:
            _add(total, group)
            group = []
        group.append((read, written))
        if reduces:
            _add(total, group)
            group = []
    _add(total, group)
    return total[0], total[1]


def _add(total: list[int], group: list) -> None:
    """Add a pass: it reads what its operations do not hand to each other, and writes what the last of them does."""
    if group:
        total[0] += sum(read for read, _ in group) - sum(written for _, written in group[:-1])
        total[1] += group[-1][1]


def fuse(*args: Any, **kwargs: Any) -> Any:
    """Decorator that fuses a function; takes ``kernel_name``, and then no function beside it, as in CuPy."""

    def wrapper(function: Callable, kernel_name: str | None = None) -> Fusion:
        return Fusion(function, kernel_name)

    if len(args) == 1 and not kwargs and callable(args[0]):
        return wrapper(args[0])
    return lambda function: wrapper(function, *args, **kwargs)
