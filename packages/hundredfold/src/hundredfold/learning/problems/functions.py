"""Judge a function: call it with each case and compare what comes back with the specification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import counting, devices, guard, traffic
from .case_judge import CaseJudge
from .cases import Case
from .differences import explain, same
from .facts import Seen, of_call
from .guard import article
from .problem import Mistake, Problem
from .properties import cases_before
from .verdict import NONE_HERE, Refusal, attempted, in_case, refuse, with_printed


@dataclass(frozen=True)
class Run:
    """One call of the learner's function, for the judges that look at more than its result.

    Parameters
    ----------
    problem, case
        What was judged, and with what.
    host : tuple
        The arguments as host values, untouched by the call.
    got, expected : object
        The result as it came back, and what the specification gives on the host.
    traffic : Traffic
        What the call moved.
    printed : str
        What it printed.
    arguments : tuple
        The arguments that it was called with, as it left them.
    """

    problem: Problem
    case: Case
    host: tuple[Any, ...]
    got: Any
    expected: Any
    traffic: traffic.Traffic
    printed: str = ""
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class FunctionJudge(CaseJudge):
    """Judge a function of arrays by cases.

    Parameters
    ----------
    result : {"device", "host", "float"}
        What must come back: a CuPy array, a NumPy array, or a Python float.
    rtol, atol : float
        An element is right within ``atol + rtol * |expected|``.
    dtype : bool
        For arrays: the dtype must be the specification's too.
    keeps : bool
        The arguments must be unchanged after the call.
    fresh : bool
        The result must not share memory with an argument.
    compare : callable, optional
        ``compare(run)`` replaces the comparison of values; it refuses or returns.
    invoke : callable, optional
        ``invoke(function, arguments)`` calls the function where that is not ``function(*arguments)``: a kernel that is
        launched on a grid and writes into an array that `invoke` makes and returns.

    The others are those of `CaseJudge`.
    """

    result: str = "device"
    rtol: float = 1e-7
    atol: float = 0.0
    dtype: bool = True
    keeps: bool = True
    fresh: bool = False
    compare: Callable[[Run], None] | None = None
    invoke: Callable[[Any, tuple[Any, ...]], Any] | None = None

    def rest(self, problem: Problem, function: Any, seen: Seen, cases: Sequence[Case]) -> None:
        counting.rest(seen, problem, function, cases)

    def judge(self, problem: Problem, function: Any, case: Case, seen: Seen, *, first: bool) -> None:
        run = call(problem, function, case)
        attempted(run.got, run.printed, first=first)
        with with_printed(run.printed):
            self.judge_run(function, run, seen, call)

    def judge_run(self, function: Any, run: Run, seen: Seen, call: Callable[..., Run]) -> None:
        """Refuse a call that is not right in all that is asked for, or a second one by `call`, where the case has one."""
        self.compare_run(run)
        self._arguments(run)
        seen.look(of_call(run.traffic), run.host)
        if run.case.again is not None:
            second = call(run.problem, function, run.case.second())
            self.compare_again(run, second)
            self._overwritten(run.problem, function, run, second)

    def _overwritten(self, problem: Problem, function: Any, run: Run, second: Run) -> None:
        """Call with the second call's arguments once more, the first one's numbers in them: what is kept of an array by its
        identity or address does not fit any more."""
        if not overwrite(second.arguments, run.host):
            return
        called = guard.call(function, *second.arguments, limit=problem.time_limit)
        try:
            self.compare_run(replace(run, got=called.value, printed=called.printed))
        except Refusal as refusal:
            refuse("kept", f"{OVERWRITTEN}: {refusal.why}")

    def compare_again(self, run: Run, second: Run) -> None:
        """Refuse a second call that is wrong, and a first result that it has changed."""
        self.compare_run(second)
        try:
            self.compare_run(run)
        except Refusal as refusal:
            refuse("reused", f"the first call's result was right, until the second call wrote over it: {refusal.why}")

    def called(self, function: Any) -> Any:
        return function if self.invoke is None else lambda *arguments: self.invoke(function, arguments)

    def compare_run(self, run: Run) -> None:
        """Refuse what a call returned if it is not what was asked for."""
        if run.got is None:
            refuse("type", NONE_HERE)
        if self.compare is not None:
            self.compare(run)
            return
        (is_float if self.result == "float" else self._is_array)(run.got)
        rtol = self.rtol if run.case.rtol is None else run.case.rtol
        atol = self.atol if run.case.atol is None else run.case.atol
        got, expected = np.asarray(devices.to_host(run.got)), np.asarray(run.expected)
        if run.case.finite_only and got.shape == expected.shape and got.dtype.kind == "f":
            got = np.where(np.isfinite(got) | np.isfinite(expected), got, expected).astype(got.dtype)
        if not same(got, expected, rtol, atol):
            recognise(run, got)
            if got.shape != expected.shape:
                _shape(got.shape, expected.shape)
        if self.dtype and self.result != "float" and got.dtype != expected.dtype:
            refuse("dtype", f"the result's dtype is {got.dtype}; it should be {expected.dtype}.")
        explain(got, expected, rtol=rtol, atol=atol)

    def _is_array(self, got: Any) -> None:
        if self.result == "device" and not devices.is_device(got):
            if isinstance(got, (np.ndarray, np.generic)):
                refuse(
                    "host", f"the result is on the host: {article(got)}. It should stay on the device, as a CuPy array."
                )
            refuse("type", f"the result should be a CuPy array; it is {article(got)}.")
        if self.result == "host" and not isinstance(got, np.ndarray):
            if devices.is_device(got):
                refuse("device", "the result is still on the device; it should be a NumPy array, on the host.")
            refuse("type", f"the result should be a NumPy array; it is {article(got)}.")

    def _arguments(self, run: Run) -> None:
        if self.keeps:
            for number, (before, after) in enumerate(zip(run.host, run.arguments, strict=True), start=1):
                if isinstance(before, np.ndarray) and not np.array_equal(
                    before, devices.to_host(after), equal_nan=before.dtype.kind in "fc"
                ):
                    which = "its argument" if len(run.host) == 1 else f"argument {number}"
                    refuse(
                        "aliasing",
                        f"the result is right, but {which} was changed by the call: whoever still needs it finds other "
                        "numbers in it now.",
                    )
        if self.fresh and any(_shares(run.got, argument) for argument in run.arguments):
            refuse("view", "the result shares memory with the argument: changing one would change the other.")


def call(problem: Problem, function: Any, case: Case) -> Run:
    """Call the function with a case's arguments on the device, guarded and watched."""
    host = case.host()
    expected = problem.expected(*case.host())
    arguments = case.device()
    with in_case(case.name), traffic.watch() as moved:
        called = guard.call(function, *arguments, limit=problem.time_limit)
    return Run(problem, case, host, called.value, expected, moved, called.printed, arguments)


OVERWRITTEN = "an argument of an earlier call came again with other numbers in it, and the result fits the old ones"


def overwrite(arguments: tuple[Any, ...], host: tuple[Any, ...]) -> bool:
    """Write other numbers into the arrays among some arguments; return whether they fit, and all else is the same."""
    pairs = [pair for pairs in zip(arguments, host, strict=True) for pair in _parts(*pairs)]
    arrays = [(array, numbers) for array, numbers in pairs if isinstance(numbers, np.ndarray)]
    if not arrays or any((array.shape, array.dtype) != (numbers.shape, numbers.dtype) for array, numbers in arrays):
        return False
    if any(a is not b and a != b for a, b in pairs if not isinstance(b, np.ndarray)):
        return False
    for array, numbers in arrays:
        array[...] = devices.to_device(numbers) if devices.is_device(array) else numbers
    return True


def _parts(argument: Any, host: Any) -> list[tuple[Any, Any]]:
    """An argument and its numbers; of a sparse matrix the arrays that it is made of."""
    if not hasattr(host, "indptr"):
        return [(argument, host)]
    return [(getattr(argument, name), getattr(host, name)) for name in ("data", "indices", "indptr")]


def recognise(run: Run, got: Any, rtol: float = 1e-6, atol: float = 1e-12) -> None:
    """Refuse a result that is the one of a known mistake, with that mistake's reason."""

    def is_theirs(theirs: Any) -> bool:
        loose = 1e-3 if np.asarray(theirs).dtype == np.float32 else rtol
        return same(got, theirs, loose, atol) and not same(run.expected, theirs, loose, atol)

    run.problem.recognise(
        lambda mistake: mistake.computes(*run.case.host()),
        is_theirs,
        lambda mistake: _excluded(run, mistake, rtol, atol),
    )


def _excluded(run: Run, mistake: Mistake, rtol: float, atol: float) -> bool:
    """Whether a mistake gets a case wrong that the answer has passed, by more than the judge lets pass."""
    judge = run.problem.judge
    if not isinstance(judge, FunctionJudge):
        return False
    for case in cases_before(judge, run.case):
        expected, theirs = run.problem.expected(*case.host()), mistake.computes(*case.host())
        if expected is None or theirs is None:
            continue
        # What a comparison of the problem's own lets pass is not known.
        loose = 1e-3 if judge.compare is not None or np.asarray(theirs).dtype == np.float32 else 0.0
        scale = float(np.abs(np.nan_to_num(expected)).max(initial=0.0)) if loose else 0.0
        near, far = (
            max(rtol, loose, judge.rtol, case.rtol or 0.0),
            max(atol, judge.atol, case.atol or 0.0, loose * scale),
        )
        if not same(expected, theirs, near, far):
            return True
    return False


def is_float(got: Any) -> None:
    """Refuse what is not a Python float (a NumPy float64 is one), saying what it is."""
    if isinstance(got, float):
        return
    if devices.is_device(got):
        refuse("device", f"the result is still on the device: {article(got)}. A Python float was asked for.")
    refuse("type", f"the result is {article(got)}. A Python float was asked for.")


def _shape(got: tuple[int, ...], expected: tuple[int, ...]) -> None:
    more = ""
    if len(got) == 2 and got[::-1] == expected:
        more = " Rows and columns are exchanged."
    elif np.prod(got, dtype=int) == np.prod(expected, dtype=int) and len(got) != len(expected):
        more = " It has as many elements, but another number of axes."
    elif len(got) < len(expected):
        more = " Was an axis summed away? `keepdims=True` keeps it."
    refuse("shape", f"the result's shape is {got}; it should be {expected}.{more}")


def _shares(got: Any, argument: Any) -> bool:
    if devices.is_device(got) and devices.is_device(argument):
        return bool(devices.cp.may_share_memory(got, argument))
    return isinstance(got, np.ndarray) and isinstance(argument, np.ndarray) and np.may_share_memory(got, argument)
