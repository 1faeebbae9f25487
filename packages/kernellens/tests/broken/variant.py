"""What a broken variant is, how its source is made, and how it is traced.

A variant is an edit of a right kernel's module: one fragment of one function gives way to another.  The edited module is
kept in `linecache` under a name of its own, so that the lines that findings name are lines of a text that exists.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

import numpy as np


@dataclass(frozen=True)
class Broken:
    """A kernel of the set with one thing wrong.

    Attributes
    ----------
    entry : str
        The right kernel's name in the set.
    breakage : str
        What is wrong with it, in words; with the entry's name it is the variant's.
    old, new : str
        The edit, made in `function`; `old` stands there once.
    kind, severity : str
        What the first finding has to be.
    at : str or None
        A fragment of the line it has to name, which stands once in `function` after the edit, or in `inside`; over several
        lines, the first counts.  None for a launch that is refused.
    function : str
        The function that is edited; empty for the entry's kernel.
    inside : str
        The function whose line is named, if another.
    case : str
        Label of the case it is launched with; the last one if left out.
    grid, block, shared
        Instead of the case's.
    args : callable, optional
        Makes the arguments from those of the case and from ``cuda``.
    whole : bool
        The edit is made in the whole module, for its constants.
    """

    entry: str
    breakage: str
    old: str
    new: str
    kind: str
    at: str | None
    severity: str = "error"
    function: str = ""
    inside: str = ""
    case: str = ""
    grid: int | tuple[int, ...] | None = None
    block: int | tuple[int, ...] | None = None
    shared: int | None = None
    args: Callable | None = None
    whole: bool = False

    @property
    def name(self) -> str:
        return f"{self.entry}: {self.breakage}"


@dataclass
class Made:
    """A variant's module after the edit."""

    names: dict[str, object]
    kernel: object
    text: str

    def line(self, function: str, fragment: str) -> int:
        """The line of a function's own source, 1-based, decorators included, in which a fragment begins."""
        source = _segment(self.text, function)
        if source.count(fragment) != 1:
            raise ValueError(f"{fragment!r} stands {source.count(fragment)} times in {function}")
        return source[: source.index(fragment)].count("\n") + 1


def make(broken: Broken, entry) -> Made:
    """Edit the module of an entry, and run it anew without its registrations.

    Raises
    ------
    ValueError
        If the fragment to replace is not there exactly once.
    """
    right = entry.kernel.py_func
    module = sys.modules[right.__module__]
    text = Path(module.__file__).read_text(encoding="utf-8")
    function = broken.function or right.__name__
    if broken.old != broken.new:
        part = text if broken.whole else _segment(text, function)
        if part.count(broken.old) != 1:
            raise ValueError(f"{broken.name}: {broken.old!r} stands {part.count(broken.old)} times in {function}")
        text = text.replace(part, part.replace(broken.old, broken.new))
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not _registers(node)]
    filename = f"{Path(module.__file__).name} ({broken.name})"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    names = {"__name__": f"{module.__name__}_broken", "__package__": module.__package__, "__file__": filename}
    exec(compile(tree, filename, "exec"), names)
    return Made(names, names[right.__name__], text)


def findings(broken: Broken, entry, made: Made, rng: np.random.Generator, cuda) -> list:
    """Trace a variant's launches up to the first in which something is found, and return that."""
    import kernellens

    cases = {case.label: case for case in entry.cases(rng)}
    case = cases[broken.case] if broken.case else list(cases.values())[-1]
    grid = case.grid if broken.grid is None else broken.grid
    block = case.block if broken.block is None else broken.block
    shared = case.shared if broken.shared is None else broken.shared
    args = case.args if broken.args is None else broken.args(cuda, *case.args)
    if entry.launch is None:
        return kernellens.trace(made.kernel, grid, block, *args, sharedmem=shared).errors
    launch = FunctionType(entry.launch.__code__, made.names)
    case = type(case)(case.label, grid, block, args, shared)
    with traced() as seen:
        with contextlib.suppress(Found):
            launch(cuda, case, [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args])
    return seen[-1].errors


class Found(Exception):
    """Something was found: the program need not go on."""


class OnDevice:
    """An array of the simulated device, as the engine is given it, in the shape in which `lens.trace` takes one."""

    def __init__(self, array: np.ndarray) -> None:
        self.dtype = array.dtype
        self.__cuda_array_interface__ = dict(array.__array_interface__)


@contextlib.contextmanager
def traced(stop: bool = True) -> Iterator[list]:
    """Every launch becomes a `lens.trace`, whose results the arguments take over."""
    import kernellens
    from gpusim.kernels import Kernel

    seen: list = []
    original = Kernel.launch

    def launch(self, griddim, blockdim, args, *, sharedmem=0, cooperative=False, trace=None) -> None:
        given = [OnDevice(value) if isinstance(value, np.ndarray) else value for value in args]
        seen.append(kernellens.trace(self.pyfunc, griddim, blockdim, *given, sharedmem=sharedmem))
        if stop and seen[-1].errors:
            raise Found
        for mine, result in zip(args, seen[-1].results, strict=False):
            if isinstance(mine, np.ndarray):
                mine[...] = result

    Kernel.launch = launch
    try:
        yield seen
    finally:
        Kernel.launch = original


def _segment(text: str, function: str) -> str:
    """The source of a function of a module, decorators included."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return "".join(text.splitlines(keepends=True)[first - 1 : node.end_lineno])
    raise ValueError(f"there is no function {function}")


def _registers(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "register"
