"""`account`: run a piece of array code here, or in a process of its own on shapes alone, and look at what it does."""

from __future__ import annotations

import ast
import linecache
import types
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from typing import Any

from gpusim.device import queue, shapes
from gpusim.hardware import gpus
from kernellens import target

from .account import Account
from .flow import flow
from .fusing import Group, groups
from .recording import Recorder
from .rewriting import block, code


def account(
    function: Callable,
    *args: Any,
    shapes: bool = False,
    fraction: float | None = None,
    gpu: str | gpus.GPU | None = None,
    **kwargs: Any,
) -> Account:
    """Call a function of array code and return what it does on the device: the array lens.

    Parameters
    ----------
    function : callable
        Called once.
    *args, **kwargs
        Its arguments: arrays, numbers, and what `lens.array` makes.
    shapes : bool
        Take the account of shapes alone, in a process of its own: nothing is calculated, no device memory is taken, and
        the arguments stay as they are.  So it always is where a GPU works, which is not touched.
    fraction : float, optional
        With `shapes`: the share of a mask's elements that is taken to be true, where a shape depends on that.
    gpu : str or GPU, optional
        Whose figures the times are made with; by default the chosen one (`lens.use_gpu`).

    Returns
    -------
    Account

    Raises
    ------
    ValuesNeededError
        With `shapes`, if the function asks for values that arrays hold; the message names the line.
    UnknownGpuError
        A KeyError that names the nearest known GPUs.
    """
    chosen_gpu = target.resolve(gpu)
    if not callable(function):
        raise TypeError(
            f"account takes a function and its arguments, as in account(f, x), not {type(function).__name__}: for an "
            "expression, account(lambda: ...)."
        )
    if shapes or not simulating():
        from .shape_process import call

        return call(function, args, kwargs, fraction, chosen_gpu)
    from .pickled import made_here

    return taken(function, made_here(args), made_here(kwargs), chosen_gpu)


def simulating() -> bool:
    """Whether this process has the simulated libraries, so that code can be run here to look at it."""
    from gpusim.importing import finder

    return finder.installed() is not None


def taken(function: Callable, args: tuple, kwargs: Mapping[str, Any], gpu: gpus.GPU) -> Account:
    """The account of a call, taken in this process."""
    inner = _python(function)
    if inner is None:
        with Recorder() as seen:
            result = function(*args, **kwargs)
        found = finish(seen, gpu, name=getattr(function, "__name__", "this"))
    else:
        filename = inner.__code__.co_filename
        with Recorder(filename) as seen:
            result = function(*args, **kwargs)
        source = {
            line: linecache.getline(filename, line, inner.__globals__).strip()
            for line in _lines(seen)
            if line is not None
        }
        tree = _tree(filename, inner.__globals__)
        plain = _plain({**inner.__globals__, **_closure(inner)})
        found = finish(seen, gpu, inner.__name__, source, tree, plain)
    del result
    if not shapes.on:
        queue.drain()
    return found


def _python(function: Callable) -> types.FunctionType | None:
    """The Python function behind what is called."""
    inner: Any = function
    for _ in range(8):
        if isinstance(inner, types.FunctionType):
            return inner
        inner = getattr(inner, "__func__", None) or getattr(inner, "func", None) or getattr(inner, "py_func", None)
    return None


def _closure(function: types.FunctionType) -> dict[str, Any]:
    cells = function.__closure__ or ()
    values = {}
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # not set yet
            continue
    return values


def _tree(filename: str, names: Mapping[str, Any]) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(filename, dict(names))))
    except SyntaxError:
        return None


def _plain(names: Mapping[str, Any]) -> set[str]:
    """Names that stand for no array."""
    return {name for name, value in names.items() if not hasattr(value, "__cuda_array_interface__")}


def _lines(seen: Recorder) -> set[int | None]:
    return {each.line for each in (*seen.events, *seen.allocations)}


def finish(
    seen: Recorder,
    gpu: gpus.GPU,
    name: str = "",
    source: Mapping[int, str] | None = None,
    tree: ast.Module | None = None,
    plain: set[str] | frozenset[str] = frozenset(),
    offset: int = 0,
) -> Account:
    """Make the account of what was recorded.

    Parameters
    ----------
    seen : Recorder
    gpu : GPU
    name : str
        What was accounted for.
    source : mapping of int to str, optional
        The named lines.
    tree : ast.Module, optional
        The code, to say how it could be fused.
    plain : set of str
        Names in it that stand for no array.
    offset : int
        The recorder's.
    """
    found = groups(seen.events, seen.allocations)
    module = next((n for n in ("cp", "cupy") if n in plain), "cupy")
    if tree is not None:
        found = _with_code(found, seen, tree, plain, module, offset)
    notes = []
    if any(event.numba for event in seen.events):
        kernels = ", ".join(sorted({event.name for event in seen.events if event.numba}))
        notes.append(
            f"{kernels}: a kernel's bytes are those of the arrays that its source reads and writes, each taken to be touched "
            "whole and once, or as far as there are threads; what its accesses move is what lens.trace shows."
        )
    return Account(
        *(seen.events, seen.allocations, seen.before, seen.peak, seen.peak_line),
        flow=flow(seen.events, seen.allocations),
        groups=found,
        source=dict(source or {}),
        name=name,
        shapes=shapes.on,
        assumed=list(shapes.assumed),
        notes=notes,
        gpu=gpu,
    )


def _with_code(
    groups: list[Group], seen: Recorder, tree: ast.Module, plain: Container[str], module: str, offset: int
) -> list[Group]:
    """The groups with their statements rewritten, where they are all that these do."""
    of_line = Counter(event.line for event in seen.events)
    of_kind: Counter[tuple] = Counter()
    for group in groups:
        of_kind[group.kind] += len(group.events)
    written: dict[tuple, str] = {}
    for group in groups:
        if group.kind not in written:
            lines = [line - offset for line in group.lines]
            whole = bool(lines) and sum(of_line[line] for line in group.lines) == of_kind[group.kind]
            rewrite = (
                code(tree, lines[0], plain, module)
                if len(lines) == 1
                else block(tree, lines, plain, module)
                if lines
                else ""
            )
            written[group.kind] = rewrite if whole else ""
    return [replace(group, code=written[group.kind]) for group in groups]
