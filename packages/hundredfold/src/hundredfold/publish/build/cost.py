"""What the notebooks and the rest of the suite cost: the lines that a run of the tests ends in.

Nothing here is judged. Times depend on the machine and on what else it does; they are printed so that whoever runs the
suite sees which notebook has grown.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LONGEST = 12  # files that are named because they take longest
EVERY = 0.1  # seconds between two looks at a kernel's memory
_PROC = Path("/proc")


def held(pid: int) -> int | None:
    """Bytes of memory that a process and all that it started hold together, files left out; None where nobody can tell.

    What Linux calls anonymous and shared memory: what a control group counts, too.
    """
    if not (_PROC / "self" / "status").exists():
        return None
    return sum(_own(each) for each in _family(pid))


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = [file.read_text() for file in (_PROC / str(pid) / "task").glob("*/children")]
    except OSError:  # it, or a thread of it, is gone
        return
    for child in " ".join(children).split():
        yield from _family(int(child))


def _own(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(("RssAnon:", "RssShmem:")))


class Memory:
    """The most that a process and its children hold, from now on; it is looked at ten times a second.

    Parameters
    ----------
    pid : int
    """

    def __init__(self, pid: int):
        self.pid = pid
        self.most = held(pid)
        if self.most is not None:
            threading.Thread(target=self._look, name="memory", daemon=True).start()

    def _look(self) -> None:
        while (now := held(self.pid)) and os.path.exists(_PROC / str(self.pid)):
            self.most = max(self.most, now)
            time.sleep(EVERY)


class Summary:
    """A plugin of pytest's that adds up what reports say, from all workers, and prints it at the end.

    A notebook's cells report ``("memory", bytes)`` among their user properties, tests marked ``counted`` report
    ``("counted", what)``; what a test records as ``said`` is a line of its own.
    """

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.tests: set[str] = set()
        self.serial = 0.0
        self.notebooks: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.counted: dict[str, Counter[str]] = defaultdict(Counter)
        self.files: Counter[str] = Counter()
        self.said: list[str] = []
        self.left_out: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.serial += report.duration
        self.tests.add(report.nodeid)
        told = dict(report.user_properties)
        file = report.nodeid.partition("::")[0]
        self.files[file] += report.duration
        if file.endswith(".ipynb"):
            cost = self.notebooks[file]
            cost[0] += report.duration
            cost[1] = max(cost[1], told.get("memory") or 0)
        if report.skipped and not hasattr(report, "wasxfail"):
            self.left_out[report.longrepr[2].removeprefix("Skipped: ")] += 1
        if "said" in told and report.when == "call":
            self.said.append(told["said"])
        if "counted" in told and report.when == "call" and report.passed:
            unit = re.search(r"\[([\w-]+)\.", report.nodeid)
            self.counted[told["counted"]][unit[1] if unit else "others"] += 1

    def pytest_terminal_summary(self, terminalreporter: Any, config: Any) -> None:
        workers = getattr(config.option, "numprocesses", None) or 0
        lines = [*self._of_notebooks(), *self.said, *self._of_counts()]
        lines += [
            f"{count} {'tests' if count > 1 else 'test'} left out: {reason}"
            for reason, count in self.left_out.most_common()
        ]
        if workers:
            longest = [f"{seconds:5.1f} s  {file}" for file, seconds in self.files.most_common(LONGEST)]
            lines += [f"\nof {len(self.files)} files these {len(longest)} took longest:", *longest, ""]
            lines += [*self._of_parts(), ""]
            lines.append(
                f"{len(self.tests)} tests: {_minutes(self.serial)} one after the other (the serial sum), "
                f"{_minutes(time.monotonic() - self.began)} on {workers} workers, {sum(os.times()[:4]):.0f} CPU-seconds"
            )
        if lines:
            terminalreporter.section("what it cost")
            terminalreporter.write("\n".join(lines) + "\n")

    def _of_notebooks(self) -> Iterator[str]:
        for file, (seconds, memory) in sorted(self.notebooks.items()):
            yield f"{seconds:5.1f} s  " + (f"{memory / 1e9:4.2f} GB  " if memory else "") + file
        if len(self.notebooks) > 1:
            seconds, memory = (max(each) for each in zip(*self.notebooks.values(), strict=True))
            yield f"{len(self.notebooks)} notebooks: at most {seconds:.1f} s and {memory / 1e9:.2f} GB, workers included\n"

    def _of_parts(self) -> Iterator[str]:
        tests = Counter(_part(test) for test in self.tests)
        seconds: Counter[str] = Counter()
        for file, took in self.files.items():
            seconds[_part(file)] += took
        for part, took in seconds.most_common():
            yield f"{took:6.1f} s  {tests[part]:5d} tests  {part}"

    def _of_counts(self) -> Iterator[str]:
        for what, units in self.counted.items():
            parts = f" ({', '.join(f'{unit} {n}' for unit, n in units.items())})" if len(units) > 1 else ""
            yield f"{what}: {units.total()}{parts}"


def _part(test: str) -> str:
    """The folder of notebooks or of tests that a test or its file is in: ``notebooks``, ``tests/hub``, ``gpusim/kernels``."""
    first, *others = test.partition("::")[0].split("/")
    if first == "packages" and len(others) > 2:  # packages/gpusim/tests/kernels/test_launch.py
        return f"{others[0]}/{others[2]}" if len(others) > 3 else others[0]
    return f"{first}/{others[0]}" if first == "tests" and len(others) > 1 else first


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s"
