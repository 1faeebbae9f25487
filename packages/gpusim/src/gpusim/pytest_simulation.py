"""What ``pytest --gpusim`` does for each test: its work is finished, and what is not simulated is listed."""

from __future__ import annotations

import contextlib
import re
import sys
from collections import Counter
from collections.abc import Generator, Iterator

import pytest

NOTE = "gpusim_not_simulated"
"""The attribute of a report that lists what is not simulated, as text, so that it passes between processes."""


class Simulation:
    """What is done for each test while libraries are simulated."""

    def __init__(self, line: str, trace: str) -> None:
        self.line, self.trace = line, trace
        self.refused: Counter[str] = Counter()

    def pytest_report_header(self) -> list[str]:
        """Say what is simulated, and what a finding does to a test."""
        return [self.line, f"gpusim: GPUSIM_TRACE is {self.trace}"]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        """Finish the work that a test's fixtures have left in the queue, so that its errors are that test's and not the next one's."""
        return (yield from _finished())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Likewise, the test itself."""
        return (yield from _finished())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Likewise, its fixtures at their end."""
        return (yield from _finished())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> Generator[None, object, object]:
        """Note in the report what a test asked for that is not simulated, also where it then skipped itself."""
        if not item.config.getoption("fulltrace"):
            _cut(call)
        return _noted((yield), call)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, object, object]:
        """Likewise, what a test module asked for when it was imported."""
        report = yield
        return _noted(report, getattr(report, "call", None))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count them; xdist's workers send their reports here as well."""
        self.refused.update(getattr(report, NOTE, ()))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Likewise, of modules."""
        self.refused.update(getattr(report, NOTE, ()))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List what is not simulated, the most frequent first."""
        if self.refused:
            terminalreporter.section("not simulated by gpusim")
            for what, times in self.refused.most_common():
                terminalreporter.line(f"{what}: met {times} time{'s' * (times != 1)}")


def _finished() -> Generator[None, object, object]:
    try:
        result = yield
    except BaseException:
        with contextlib.suppress(Exception):  # what the test says comes first
            _run_queue()
        raise
    _run_queue()
    return result


def _run_queue() -> None:
    queue = sys.modules.get("gpusim.device.queue")
    if queue is not None:
        queue.run()


def _noted(report: object, call: pytest.CallInfo | None) -> object:
    for error in _chain(call):
        # By its text: `pytest.importorskip` keeps nothing else of an error.
        try:
            said = str(error)
        except Exception:  # an error of the program's own that cannot say what it is
            continue
        if found := re.search(r"(\S+) needs a GPU: it is not simulated", said):
            setattr(report, NOTE, [found[1]])
            break
    return report


def _chain(call: pytest.CallInfo | None) -> Iterator[BaseException]:
    """An error and those that led to it."""
    error, seen = call.excinfo.value if call and call.excinfo else None, set()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        error = error.__cause__ or error.__context__


def _cut(call: pytest.CallInfo) -> None:
    """Let the traceback of a finding or a refusal end in the program's own line: below it is the simulator."""
    from gpusim.importing import NotSimulatedError
    from gpusim.own import folders

    faults = sys.modules.get("gpusim.kernels.faults")
    kinds = (NotSimulatedError,) if faults is None else (NotSimulatedError, faults.KernelError)
    for error in _chain(call):
        step = last = error.__traceback__ if isinstance(error, kinds) else None
        while step is not None:
            if not step.tb_frame.f_code.co_filename.startswith((*folders(), "<frozen importlib")):
                last = step
            step = step.tb_next
        if last is not None:
            last.tb_next = None
