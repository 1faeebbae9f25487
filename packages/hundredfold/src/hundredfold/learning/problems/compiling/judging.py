"""Judge functions that are to be compiled: on the host, after a rehearsal, and by how much was left to the interpreter."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher

from .. import guard, traffic
from ..cases import Case
from ..facts import Seen
from ..functions import FunctionJudge, Run
from ..guard import require_callable
from ..problem import Problem
from ..properties import all_cases
from ..verdict import Refusal, Verified, accept, attempted, in_case, refuse
from .rehearsal import Rehearsal, rehearse
from .work import several

SMALL = 3000
"""Elements up to which a case is rehearsed in the interpreter before it is run."""

PATIENCE = 10.0
"""Seconds for a rehearsal, which takes some hundredths."""

_RESULTS = {"value", "border", "nan", "order", "shifted", "factor", "offset", "sign", "transposed", "divisor"}


@dataclass(frozen=True)
class CompiledJudge(FunctionJudge):
    """Judge a function of host arrays that is to be machine code.

    Parameters
    ----------
    steps : Case or None
        A long case for which at most `LINES` lines may be left to the interpreter.
    threads : Case or None
        The work must be shared among several threads: a case in which each of them has something to do.
    watched : str
        What a verdict says where the source of the answer was watched in each small case, to its end.

    The others are `FunctionJudge`'s; arrays stay on the host.
    """

    result: str = "host"
    steps: Case | None = None
    threads: Case | None = None
    watched: str = ""

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        function = answers[0]
        require_callable(function, problem.answers[0])
        seen, watched = Seen(self.facts), True
        for number, case in enumerate(all_cases(self)):
            with in_case(case.name, case.hint):
                watched &= self._judge_case(problem, function, case, seen, first=number == 0)
        if self.steps is not None:
            compiled(problem, function, self.steps)
            self.compare_run(call(problem, function, self.steps))
        verified = "; ".join(said for said in (seen.said(self.verified), self.watched if watched else "") if said)
        return accept(self, problem, function, verified)

    def arguments(self, case: Case) -> tuple[Any, ...]:
        """What a case gives an answer."""
        return case.host()

    def _judge_case(self, problem: Problem, function: Any, case: Case, seen: Seen, *, first: bool) -> bool:
        """Judge a case; return whether its source was watched, or need not be."""
        rehearsal = _rehearsed(function, case)
        _safe(rehearsal)
        run = call(problem, function, case)
        attempted(run.got, run.printed, first=first)
        try:
            self.judge_run(function, run, seen, call)
        except Refusal as refusal:
            refusal.printed = refusal.printed or run.printed
            if rehearsal is not None and rehearsal.wrapped and refusal.reason in _RESULTS and not refusal.advice:
                refuse("wrapped", f"{refusal.why} Your code uses the index {rehearsal.wrapped}. {_OTHER_END}")
            raise
        if first and self.threads is not None:
            arguments = self.threads.host()
            _shared(rehearsal, lambda: guard.call(function, *arguments, limit=problem.time_limit))
        return _size(case) > SMALL or (rehearsal is not None and rehearsal.whole)


def _size(case: Case) -> int:
    return sum(each.size for each in case.host() if isinstance(each, np.ndarray))


def _shared(rehearsal: Rehearsal | None, action: Callable[[], Any]) -> None:
    """Refuse work that is not shared: as the rehearsal of a `prange` tells, or for other threads the time that each worked."""
    if rehearsal is not None and rehearsal.parallel and rehearsal.reads:
        if rehearsal.most > MOST:
            refuse(
                "serial",
                f"the result is right, but one iteration of the `prange`, or what stands outside of it, reads {rehearsal.most:.0%} of "
                "the values. The others have nothing to do.",
            )
    elif rehearsal is not None and rehearsal.whole and rehearsal.alone > MOST * sum(rehearsal.reads.values()):
        refuse("serial", _SERIAL)  # other threads may wait for work, which takes time of theirs as well
    elif not several(action):
        refuse("serial", _SERIAL)


_OTHER_END = "An index of -1 is no neighbour outside of the array: it is the other end, as everywhere in Python."
_SERIAL = (
    "the result is right, but it runs on one core: no second thread was seen at work. A `prange` takes effect in a function that was "
    "compiled with `parallel=True`."
)
MOST = 0.6
"""The share of the work that one iteration may do: two threads share it in halves."""
LINES = 1000


def _rehearsed(function: Any, case: Case) -> Rehearsal | None:
    host = case.host()
    if _size(case) > SMALL:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return guard.call(rehearse, function, host, limit=PATIENCE, wait=False).value
    except Refusal as refusal:
        if refusal.reason != "timeout":
            return None
        # No signal reaches into a compiled loop: run, it would never come back, and take the notebook with it.
        refuse(
            "timeout",
            f"run in the interpreter, your source had not ended after {PATIENCE:g} s, and there is little to do here. Is "
            "there a loop that never ends? Compiled, it could not even be interrupted.",
        )


def _safe(rehearsal: Rehearsal | None) -> None:
    """Refuse what must not even be run."""
    if rehearsal is None:
        return
    if rehearsal.outside:
        does = "writes" if rehearsal.outside.writes else "reads"
        harm = (
            "Compiled code does not check that: it writes into whatever lies there, which may end in a crash much later."
            if rehearsal.outside.writes
            else "Compiled code does not check that: it takes whatever lies there, so the answer depends on luck."
        )
        refuse("bounds", f"it {does} out of bounds: {rehearsal.outside}. {harm}")
    if rehearsal.race:
        race = rehearsal.race
        refuse(
            "race",
            f"a race: iterations {race.first} and {race.second} of the `prange` both touch the element "
            f"{race.access}, and at least one of them writes it. They may run at the same moment, and then one of them "
            "misses what the other has done. Whether you see it is luck.",
        )


def call(problem: Problem, function: Any, case: Case) -> Run:
    """Call the function with a case's arguments on the host, guarded; what Numba refuses to compile becomes a sentence."""
    host, arguments = case.host(), case.host()
    expected = problem.expected(*case.host())
    try:
        called = guard.call(function, *arguments, limit=problem.time_limit)
    except Refusal as refusal:
        if said := refused_by_numba(refusal.__cause__):
            refuse("typing", said, case=case.name)
        if types := _NO_VERSION.search(str(refusal.__cause__)):
            refuse("typing", f"the signature above your function leaves out {types[1]}.", case=case.name, advice=_ANY)
        raise
    return Run(problem, case, host, called.value, expected, traffic.Traffic(), called.printed, arguments)


_NUMBAS = re.compile(r"[/\\]numba[/\\]")
_NO_VERSION = re.compile(r"^No matching definition for argument type\(s\) (.+)$", re.MULTILINE)
_ANY = "Leave the signature out: Numba compiles a version for each type that it meets."


def refused_by_numba(error: BaseException | None) -> str:
    """What Numba says when it cannot compile, in one sentence; empty for any other error."""
    from numba.core.errors import NumbaError

    if not isinstance(error, NumbaError):
        return ""
    lines = [line.strip() for line in str(error).splitlines()]
    first = next((line for line in lines if line and not line.startswith(("Failed in nopython", "During:"))), "")
    first = re.sub(r"<function (\w+) at 0x\w+>", r"\1", first)
    theirs = [line for line in lines if line.startswith("File ") and not _NUMBAS.search(line)]
    places = [line.rpartition(", line ")[2].rstrip(":") for line in theirs]
    where = f" (line {places[0]})" if places and places[0].isdigit() else ""
    return f"Numba cannot compile it{where}: {first.rstrip('.:')}."


def compiled(problem: Problem, function: Any, case: Case) -> None:
    """Refuse a function that leaves the work to the interpreter, as counted in lines of Python that it runs."""
    arguments = case.host()
    lines = interpreted(lambda: guard.call(function, *arguments, limit=problem.time_limit))
    size = max((each.size for each in arguments if isinstance(each, np.ndarray)), default=0)
    if lines > LINES:
        refuse(
            "interpreted",
            f"the result is right, but Python's interpreter does the work: for {size} elements it ran {_about(lines)} "
            "lines of Python. In compiled code it runs none.",
            case=case.name,
        )
    if in_object_mode(function):
        refuse(
            "interpreted",
            "the result is right, but Numba compiled it in object mode: each step is a call of Python's interpreter, as before.",
            case=case.name,
            advice="Leave out `forceobj=True`, or write `@numba.njit`.",
        )


def in_object_mode(function: Any) -> bool:
    """Whether Numba compiled a function, or one that it calls by name, to calls of the interpreter, without a loop that it lifted out."""
    names = getattr(getattr(function, "py_func", function), "__globals__", {})
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    called = [names.get(name) for name in code.co_names] if code is not None else []
    compiled = [each for each in (function, *called) if isinstance(each, CPUDispatcher)]
    return any(made.objectmode and not made.lifted for each in compiled for made in each.overloads.values())


def _about(lines: int) -> str:
    return f"about {float(f'{lines:.1g}'):.0f}"


_NOT_THEIRS = {*sys.stdlib_module_names, "numba", "llvmlite", "numpy", "scipy", "cupy", "pandas"} - {"__main__"}


def interpreted(action: Callable[[], Any]) -> int:
    """How many lines of Python run in an action, those of the standard library, NumPy and Numba left out."""
    count = 0

    def line(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def entered(frame: Any, event: str, argument: Any) -> Any:
        top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        return None if top in _NOT_THEIRS else line

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


__all__: Sequence[str] = ["CompiledJudge", "call", "compiled", "interpreted", "refused_by_numba"]
