"""Tests on several workers: what takes longest comes first, and every so often it is said how much is left.

Both go by what each test took in the last run, which pytest's cache keeps; without it notebooks come first.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any

RECORD = "hundredfold/seconds"
EVERY = 20.0  # seconds between two lines


class Scopes(OrderedDict):
    """xdist's queue of files that no worker has yet: the longest is given away first.

    Parameters
    ----------
    seconds : dict of str to float
        What each test took, by its name.
    """

    def __init__(self, seconds: dict[str, float]):
        super().__init__()
        self.seconds = seconds

    def popitem(self, last: bool = True) -> tuple[str, dict[str, bool]]:
        scope = max(self, key=self._length)
        return scope, self.pop(scope)

    def _length(self, scope: str) -> tuple[float, bool, int]:
        return sum(self.seconds.get(test, 0) for test in self[scope]), scope.endswith(".ipynb"), len(self[scope])


class Dealing:
    """A plugin of pytest's for the process that deals tests to workers."""

    def __init__(self, config: Any):
        self.config = config
        self.before: dict[str, float] = config.cache.get(RECORD, {})
        self.took: dict[str, float] = {}
        self.expected: dict[str, float] = {}
        """What each test that is not done yet may take."""

    def pytest_xdist_make_scheduler(self, config: Any, log: Any) -> Any:
        from xdist.scheduler import LoadGroupScheduling, LoadScopeScheduling

        kind = {"loadscope": LoadScopeScheduling, "loadgroup": LoadGroupScheduling}.get(config.option.dist)
        if kind is None:
            return None
        scheduler = kind(config, log)
        scheduler.workqueue = Scopes(self.before)
        return scheduler

    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        if not self.expected:
            known = [self.before[test] for test in ids if test in self.before]
            mean = sum(known) / len(known) if known else 0.0
            self.expected = {test: self.before.get(test, mean) for test in ids}
            self.all, self.work, self.work_done = len(ids), sum(self.expected.values()), 0.0
            self.foreseen = 2 * len(known) > len(ids)
            self.began = self.told = time.monotonic()

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """No dot for a test that passes: the lines below count them."""
        plain = report.passed and report.when == "call" and not hasattr(report, "wasxfail")
        return ("passed", "", "PASSED") if plain else None

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.took[report.nodeid] = self.took.get(report.nodeid, 0.0) + report.duration
        if report.when == "teardown":
            self.work_done += self.expected.pop(report.nodeid, 0.0)
        if time.monotonic() - self.told > EVERY:
            self.told = time.monotonic()
            self.config.pluginmanager.get_plugin("terminalreporter").write_line(self.line(self.told - self.began))

    def line(self, elapsed: float) -> str:
        """What is done after so many seconds, and what is left."""
        said = f"{clock(elapsed)}  {self.all - len(self.expected)} of {self.all} tests"
        if not self.foreseen or not self.work_done:
            return said
        return f"{said}, about {clock(elapsed * (self.work - self.work_done) / self.work_done)} left"

    def pytest_sessionfinish(self) -> None:
        took = {test: round(seconds, 3) for test, seconds in self.took.items()}
        self.config.cache.set(RECORD, {**self.before, **took})


def clock(seconds: float) -> str:
    """Minutes and seconds: ``4:05``."""
    return f"{int(seconds) // 60:2d}:{int(seconds) % 60:02d}"
