"""The kernel set's registry: what an entry is, how it is launched, and how its result is judged.

An entry is a kernel in plain ``numba.cuda`` code, the arguments to try it on, and what it should compute, in NumPy.  The
modules of ``own/`` and ``public/`` register theirs when imported, in any process where ``from numba import cuda`` works:
under the simulated library, under Numba's own simulator, or on a GPU.  This module needs only NumPy.
"""

from __future__ import annotations

import ast
import importlib
import math
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FOLDERS = ("own", "public")


@dataclass(frozen=True)
class Case:
    """One launch: its configuration and its arguments (NumPy arrays and scalars, or what already lies on the device)."""

    label: str
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    args: tuple
    shared: int = 0  # bytes of dynamic shared memory


@dataclass(frozen=True)
class Source:
    """Where a kernel was taken from, unchanged: repository, path in it, version or commit, licence (SPDX)."""

    repository: str
    path: str
    version: str
    licence: str


@dataclass(frozen=True)
class Entry:
    """A kernel with its cases and its specification; see `register`."""

    name: str
    family: str
    kernel: object
    cases: Callable[[np.random.Generator], Iterable[Case]]
    expect: Callable[..., dict[int, object]]
    source: Source | None = None
    functions: tuple = ()
    rtol: float = 0.0
    atol: float = 0.0
    same_bits: bool = True
    canonical: Callable[[list], list] | None = None
    launch: Callable | None = None
    traced: str = ""
    simulator: str = ""

    def rules(self) -> Rules:
        """What a process that has only the results needs to know."""
        return Rules(self.source.repository if self.source else "", self.same_bits, self.rtol, self.atol, self.traced)


@dataclass(frozen=True)
class Rules:
    """How the results of two ways of running an entry are held together; it travels between processes."""

    source: str
    same_bits: bool
    rtol: float
    atol: float
    traced: str = ""


ENTRIES: dict[str, Entry] = {}


def register(name, kernel, cases, expect, **options) -> Entry:
    """Enter a kernel into the set.

    Parameters
    ----------
    name : str
        Unique; written as a literal, because the tests list the names without importing anything.
    kernel : object
        What ``@cuda.jit`` returned (for an entry with several kernels, the main one).
    cases : callable
        Given a seeded generator, yields `Case` objects.
    expect : callable
        Given host copies of a case's arguments (as they were before the launch), returns ``{position: value}`` for every
        argument that the launch changes.  All others must come back untouched.
    source : Source, optional
        For a kernel of somebody else's, unchanged.
    functions : tuple
        Further published functions that the kernel uses, also unchanged.
    rtol, atol : float
        Tolerances against the specification; zero (the default) asks for equal values.  Where they are not zero a comment
        says why: another order of summation, or another libm.
    same_bits : bool
        Whether the ways of running it must agree to the last bit.  False for float atomics and libm calls, which are held
        to the tolerances instead.
    canonical : callable, optional
        Brings results whose order is left open by the kernel into one order; applied to both sides.
    launch : callable, optional
        ``launch(cuda, case, arguments)`` instead of one plain launch.
    traced : str
        The kind of finding ("race") that the kernel really deserves in at least one of its cases, when it deserves one.
    simulator : str
        Why Numba's own simulator fails at it, if it does.
    """
    if name in ENTRIES:
        raise ValueError(f"two entries are called {name!r}")
    family = sys._getframe(1).f_globals["__name__"].rpartition(".")[2]
    made = ENTRIES[name] = Entry(name, family, kernel, cases, expect, **options)
    return made


def modules() -> list[Path]:
    """The files that hold entries."""
    return sorted(path for folder in FOLDERS for path in (HERE / folder).glob("*.py") if path.name != "__init__.py")


def names() -> list[str]:
    """The names of all entries, read from the sources: nothing is imported."""
    return [name for path in modules() for name in _registered(path)]


def module_of(name: str) -> str:
    """The module that an entry is in, read from the sources."""
    return next(path.stem for path in modules() if name in _registered(path))


@cache
def _registered(path: Path) -> list[str]:
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return [call.args[0].value for call in calls if isinstance(call.func, ast.Name) and call.func.id == "register"]


def one(name: str) -> Entry:
    """Import the module that holds an entry, and no other, and return the entry.

    Raises
    ------
    KeyError
        If there is no entry of that name.
    """
    for path in modules() if name not in ENTRIES else ():
        if name in _registered(path):
            _import(path)
    return ENTRIES[name]


def load() -> dict[str, Entry]:
    """Import every module of the set, and return the entries by name."""
    for path in modules():
        _import(path)
    return ENTRIES


def _import(path: Path) -> None:
    if str(HERE.parent) not in sys.path:
        sys.path.insert(0, str(HERE.parent))
    importlib.import_module(f"kernels_set.{path.parent.name}.{path.stem}")


def along(n: int, block: int) -> int:
    """Blocks that cover n threads; one, where there is nothing to do."""
    return max(1, math.ceil(n / block))


def line(make, sizes=(0, 1, 31, 256, 1009), block=128) -> Callable:
    """Cases for a one-dimensional kernel: ``make(rng, n)`` gives the arguments for each size."""

    def cases(rng: np.random.Generator) -> Iterator[Case]:
        for n in sizes:
            yield Case(f"n={n}", along(n, block), block, make(rng, n))

    return cases


def plane(make, shapes=((1, 1), (16, 16), (7, 61), (130, 33)), block=(16, 8)) -> Callable:
    """Cases for a two-dimensional kernel whose ``cuda.grid(2)`` gives (row, column)."""

    def cases(rng: np.random.Generator) -> Iterator[Case]:
        for shape in shapes:
            grid = tuple(along(n, b) for n, b in zip(shape, block, strict=True))
            yield Case("x".join(map(str, shape)), grid, block, make(rng, *shape))

    return cases


def seeded(name: str) -> np.random.Generator:
    """The same arguments for an entry, in every process."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def _host(value):
    return value.copy_to_host() if hasattr(value, "copy_to_host") else value


def run(entry: Entry, case: Case) -> tuple[list, dict[int, object]]:
    """Launch a case; return its arguments afterwards and what was expected of them."""
    from numba import cuda

    before = [_host(value) for value in case.args]
    arguments = [cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in case.args]
    if entry.launch is not None:
        entry.launch(cuda, case, arguments)
    else:
        entry.kernel[case.grid, case.block, 0, case.shared](*arguments)
    cuda.synchronize()
    after = [_host(value) for value in arguments]
    copies = [value.copy() if isinstance(value, np.ndarray) else value for value in before]
    with np.errstate(all="ignore"):
        wanted = entry.expect(*copies)
    wanted = [wanted.get(position, value) for position, value in enumerate(before)]
    if entry.canonical is not None:
        after, wanted = entry.canonical(after), entry.canonical(wanted)
    return after, wanted


def judge(entry: Entry, after: list, wanted: list) -> str:
    """Return what is wrong with a result, or an empty string."""
    for position, (mine, right) in enumerate(zip(after, wanted, strict=True)):
        if not isinstance(mine, np.ndarray):
            continue  # a scalar: passed by value
        right = np.asarray(right)
        if mine.shape != right.shape:
            return f"argument {position} has shape {mine.shape}, not {right.shape}"
        problem = differ(mine, right.astype(mine.dtype), entry.rtol, entry.atol)
        if problem:
            return f"argument {position}: {problem}"
    return ""


def differ(mine: np.ndarray, right: np.ndarray, rtol: float, atol: float) -> str:
    """Say where two arrays of one shape and dtype differ, or nothing."""
    if mine.dtype.names:
        return next(
            (
                f"field {name}: {said}"
                for name in mine.dtype.names
                if (said := differ(mine[name], right[name], rtol, atol))
            ),
            "",
        )
    inexact = mine.dtype.kind in "fc"
    with np.errstate(all="ignore"):
        if inexact:
            wrong = ~np.isclose(mine, right, rtol=rtol, atol=atol, equal_nan=True)
        elif mine.dtype.kind in "mM":
            wrong = mine.view("i8") != right.view("i8")
        else:
            wrong = mine != right
    if not wrong.any():
        return ""
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {mine.size} values are wrong; first [{first}]: {mine[first]!r}, not {right[first]!r}"


def same(entry: Entry | Rules, mine: list, other: list) -> str:
    """Say how the results of two ways of running a case differ, or nothing."""
    for position, (a, b) in enumerate(zip(mine, other, strict=True)):
        if not isinstance(a, np.ndarray):
            continue
        if entry.same_bits:
            if a.dtype.fields is not None:  # what lies between the fields may be anything
                if said := differ(a, b, 0, 0):
                    return f"argument {position}: {said}"
            elif not np.array_equal(_bits(a), _bits(b)):
                return f"argument {position}: {differ(a, b, 0, 0) or 'the bits differ (signs of zero)'}"
        elif said := differ(a, b, entry.rtol, entry.atol):
            return f"argument {position}: {said}"
    return ""


def _bits(values: np.ndarray) -> np.ndarray:
    # One NaN is as good as another: which payload comes out is the processor's affair.
    values = np.ascontiguousarray(values)
    if values.dtype.kind in "fc":
        values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values)
    return values.reshape(-1).view("u1")
