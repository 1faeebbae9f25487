"""Run what a learner wrote, and say what came of it: printed text, pictures of launches, an error in a sentence."""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import json
import linecache
import os
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import gpusim
from gpusim.importing import finder
from kernellens.plot import quantities

MOST_PICTURES = 3
"""Launches of a run that are drawn: those with findings, of each kernel the first, then others; or what the last line shows."""
MOST_KEPT = 12
"""Launches of a run that pictures are chosen from."""
_number = itertools.count(1)


class _Written(io.TextIOBase):
    """Where `print` writes to: the page."""

    def __init__(self, write: Callable[[str], Any]) -> None:
        self._write = write

    def writable(self) -> bool:
        """Whether it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Hand text on at once, so that a program which never ends has shown what it printed."""
        self._write(text)
        return len(text)


class _Seen(NamedTuple):
    """A launch of a run; its trace is made when it is asked for."""

    kernel: str
    wrong: bool
    trace: Callable[[], Any]


class Session:
    """A process that runs one program after the other, each in a namespace of its own."""

    def __init__(self) -> None:
        ready()
        # Here, while the page says that it loads, and not at the learner's first run.
        import numba.cuda  # noqa: F401

        from gpusim.kernels import reported
        from kernellens import tracing

        os.environ.setdefault("GPUSIM_TRACE", "first")  # the picture shows where a kernel was stopped
        self._seen: list[_Seen] = []
        reported.watchers.append(self._note)
        reported.stopped.append(self._note)
        tracing.watchers.append(lambda trace: self._keep(_Seen(trace.kernel, bool(trace.errors), lambda: trace)))

    def _note(self, run: Any, log: Any, found: list) -> None:
        self._keep(_Seen(run.kernel.name, bool(found), lambda: _traced(run, log, found)))

    def _keep(self, launch: _Seen) -> None:
        if len(self._seen) < MOST_KEPT:
            self._seen.append(launch)
        elif launch.wrong:
            self._seen[-1] = launch

    def run(self, code: str, write: Callable[[str], Any]) -> str:
        """Run a program; what it prints is handed on while it runs.

        Parameters
        ----------
        code : str
            A last line that is an expression is shown, as in a notebook.
        write : function
            Is called with each piece of printed text.

        Returns
        -------
        str
            JSON: ``{"error": null or {"kind", "sentence", "line"}, "pictures": [...], "account": [sentence, ...]}``, see
            :func:`hundredfold.publish.browser.drawing.drawn`.
        """
        from gpusim.device import queue
        from gpusim.kernels.frontend.python import source

        from .drawing import drawn

        self._seen.clear()
        before = _totals()
        name = f"<your program {next(_number)}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        source.whole.add(name)  # a line is the editor's, and not the kernel's own
        written, shown, error = _Written(write), None, None
        with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written), warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = lambda message, kind, *_: write(f"{kind.__name__}: {message}\n")
            try:
                shown = _executed(code, name)
                queue.run()
            except BaseException as raised:
                error = _told(raised, name, bool(self._seen and self._seen[-1].wrong))
                with contextlib.suppress(BaseException):
                    queue.run()  # what else waits: the next program begins with nothing of this one
        trace = _trace_of(shown)
        pictures = [drawn(each) for each in ([trace] if trace is not None else self._chosen())]
        if trace is None and shown is not None and error is None:
            write(f"{shown!r}\n")
        return json.dumps({"error": error, "pictures": pictures, "account": _account(before)}, default=int)

    def _chosen(self) -> list[Any]:
        """The traces of the launches that are drawn, in their order."""
        kernels = [each.kernel for each in self._seen]
        order = sorted(
            range(len(kernels)), key=lambda at: (not self._seen[at].wrong, kernels.index(kernels[at]) != at, at)
        )
        return [self._seen[at].trace() for at in sorted(order[:MOST_PICTURES])]


def _traced(run: Any, log: Any, found: list) -> Any:
    """A launch that was checked, as the lens has one that it traces."""
    from kernellens.banks import conflicts
    from kernellens.result import Trace
    from kernellens.traffic import traffic

    launch = (run.kernel.name, run.griddim, run.blockdim, list(found))
    return Trace(*launch, traffic=traffic(log), conflicts=conflicts(log), log=log, function=run.function)


def _executed(code: str, name: str) -> Any:
    """Run a program and return the value of its last line, None where that is no expression."""
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(tree, name, "exec"), space)
    return None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), space)


def _trace_of(shown: Any) -> Any:
    """The trace that a value is or shows; None for any other value."""
    plain = getattr(shown, "plain", None)
    if isinstance(plain, dict) and plain.get("kind") == "show":
        return plain["trace"]
    return shown if hasattr(shown, "log") and hasattr(shown, "griddim") else None


def _told(raised: BaseException, name: str, found: bool) -> dict[str, Any]:
    """An error as a sentence, with the line of the program that it came through last.

    `found` says whether the launch before it has findings, which are shown beside its picture.
    """
    from gpusim.kernels.faults import KernelError

    line = None
    if isinstance(raised, SyntaxError) and raised.filename == name:
        return {"kind": type(raised).__name__, "sentence": f"{raised.msg}.", "line": raised.lineno}
    for frame in traceback.extract_tb(raised.__traceback__):
        if frame.filename == name:
            line = frame.lineno
    if getattr(raised, "file_line", None) and getattr(raised, "filename", None) == name:
        line = raised.file_line
    if found and isinstance(raised, KernelError):
        # All that is known of it stands in the picture's list; the exception's own text repeats the first.
        return {"kind": "finding", "sentence": "The lens found something wrong: see below.", "line": line}
    kind = type(raised).__name__
    sentence = str(raised).strip() or kind
    if isinstance(raised, ModuleNotFoundError):
        absent = (getattr(raised, "what", None) or raised.name or "This module").partition(".")[0]
        sentence = f"{absent} is not on this page, which has NumPy, CuPy and numba.cuda. The lab on a computer has all of the course."
    if isinstance(raised, MemoryError):
        sentence = f"{sentence} (a browser gives this page little memory: use smaller arrays)"
    return {"kind": kind, "sentence": sentence, "line": line}


def _totals() -> Any:
    from gpusim.device import counters

    return counters.Counters(*counters.totals)


def _account(before: Any) -> list[str]:
    """What the device was asked to do: launches, and what was carried across."""
    did = _totals() - before
    said = []
    if did.kernels:
        said.append(f"{did.kernels} kernel{'s' * (did.kernels != 1)} launched")
    for count, size, way in (
        (did.h2d_count, did.h2d_bytes, "to the device"),
        (did.d2h_count, did.d2h_bytes, "back to the host"),
    ):
        if count:
            said.append(f"{quantities.size(size)} {way} in {count} cop{'ies' if count != 1 else 'y'}")
    return said


# Get a Python without Numba's compiler ready: Pyodide's, in a browser.

#: What would stand on pandas, SciPy or Dask, which the page's Python lacks.
ABSENT = ("cudf", "cuml", "cupyx", "dask_cuda", "dask_cudf", "pylibcudf", "rmm")
_SETTINGS = {
    "GPUSIM_SIMULATE": "1",
    "GPUSIM_KERNELS": "interpreted",
    # A browser gives a page some two gigabytes in all, and says neither how many nor when it is enough.
    "GPUSIM_GPU_MEMORY": "512MB",
}


def ready() -> None:
    """Put the simulated libraries in place, and one for Numba itself; for the whole process."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    for name in ABSENT:
        finder.SIMULATED.pop(name, None)
        finder.REFUSED[name] = "It is not on this page; the lab on a computer has it."
    finder.without_numba()
    gpusim.activate()
