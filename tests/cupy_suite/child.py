"""Runs some files of CuPy's tests under the stand-in, in a process of its own: ``child.py CHECKOUT RESULTS FILE…``.

CHECKOUT holds ``cupy/testing`` and ``tests/cupy_tests``; FILEs are relative to the latter.  A line of JSON goes to RESULTS when
a test begins and when it is done, so that a crash loses nothing.

``cupy.testing`` is the checkout's own, put in place of the stand-in's: it runs each test with NumPy and with ``cupy`` and
compares values, types, shapes and errors.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import types
from pathlib import Path

LIMIT = 60  # seconds for one test
sys.path.insert(0, str(Path(__file__).parent))
import selection  # noqa: E402

# What CuPy's own pytest settings say of warnings (pyproject.toml), so that a deprecation that is not CuPy's fails a test.
WARNINGS = [
    "always", "error::FutureWarning", r"ignore:.* is experimental\.:FutureWarning", "ignore::UserWarning",
    "error::DeprecationWarning", "error::PendingDeprecationWarning",
    "error::numpy.exceptions.VisibleDeprecationWarning", "error::numpy.exceptions.ComplexWarning",
    r"ignore::PendingDeprecationWarning:scipy\.sparse\.\w+",
    r"ignore::PendingDeprecationWarning:numpy\.matrixlib\.defmatrix",
]  # fmt: skip


class Finder:
    """Gives ``cupy.testing`` from the checkout; first of all finders."""

    def __init__(self, checkout: Path) -> None:
        self.folder = checkout / "cupy" / "testing"

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "cupy.testing":
            return importlib.util.spec_from_file_location(
                fullname, self.folder / "__init__.py", submodule_search_locations=[str(self.folder)]
            )
        if fullname.startswith("cupy.testing."):
            return importlib.util.spec_from_file_location(fullname, self.folder / f"{fullname.rpartition('.')[2]}.py")
        if fullname == "cupyx.scipy.sparse":  # cupy.testing asks it about every result
            from hundredfold.simulate import finder

            try:
                if finder.StandInFinder().find_spec(fullname) is not None:
                    return None
            except ImportError:
                pass
            return importlib.machinery.ModuleSpec(fullname, self)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.issparse = lambda x: False


def mark_twins() -> None:
    """Mark what ``numpy_cupy_*`` makes, so that a test can be told to compare with NumPy; wrappers carry the mark on."""
    import functools

    import cupy.testing
    from cupy.testing import _loops

    def marking(factory):
        @functools.wraps(factory)
        def make(*args, **kwargs):
            decorator = factory(*args, **kwargs)

            def decorate(function):
                made = decorator(function)
                made.has_twin = True
                return made

            return decorate

        return make

    plain = _loops._call_func_numpy_cupy

    def noting(*args):  # for tests that call a helper which compares
        Plugin.compared = True
        return plain(*args)

    _loops._call_func_numpy_cupy = noting
    for name in dir(_loops):
        if name.startswith("numpy_cupy_"):
            made = marking(getattr(_loops, name))
            setattr(_loops, name, made)
            setattr(cupy.testing, name, made)


class TimeOut(BaseException):
    pass


class Plugin:
    """Reports each test; gives each a limit of time."""

    compared = False  # whether the running test has compared with NumPy

    def __init__(self, out, tests: Path) -> None:
        self.out, self.tests = out, tests

    def write(self, nodeid: str, outcome: str, detail: str = "", **more) -> None:
        line = {"test": nodeid.removeprefix("cupy_tests/"), "outcome": outcome, "detail": detail[-6000:], **more}
        self.out.write(json.dumps(line) + "\n")
        self.out.flush()

    def tell(self, item, outcome, detail="", **more) -> None:
        self.write(item.nodeid, outcome, detail, **more)

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(report.nodeid, "unimportable", str(report.longrepr)[-3000:])

    def pytest_collection_modifyitems(self, session, config, items):
        kept = []
        for item in items:
            why = selection.reason(item.nodeid)
            if why is None and item.get_closest_marker("slow"):
                why = "marked slow by CuPy, which its own runs leave out too"
            if why is None:
                kept.append(item)
            else:
                self.tell(item, "left out", why, twin=self.twin(item))
        items[:] = kept

    @classmethod
    def twin(cls, item) -> bool:
        return cls.compared or bool(getattr(getattr(item, "function", None), "has_twin", False))

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(nodeid, "started")
        Plugin.compared = False
        signal.alarm(LIMIT)

    def pytest_runtest_makereport(self, item, call):
        from _pytest.runner import pytest_runtest_makereport as make

        report = make(item, call)
        if report.when == "call":
            if hasattr(report, "wasxfail") or item.get_closest_marker("xfail"):
                report = self._expected(item, call, report)
        if report.when == "call" or (report.when == "setup" and not report.passed):
            signal.alarm(0)
            self._done(item, call, report)
        return report

    @staticmethod
    def _expected(item, call, report):
        for mark in item.iter_markers("xfail"):
            if not mark.args or any(bool(a) for a in mark.args):
                report.expected = True
        return report

    def _done(self, item, call, report) -> None:
        text = str(report.longrepr) if report.longrepr else ""
        if report.skipped:
            outcome, text = "skip", str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)
        elif getattr(report, "expected", False):
            outcome, text = "pass", "an expected failure"  # what CuPy itself cannot do may be possible here
        elif report.passed:
            outcome = "pass"
        elif call.excinfo is not None and call.excinfo.errisinstance(TimeOut):
            outcome, text = "time-out", f"{LIMIT} s"
        elif "NotSimulated" in text:
            outcome = "not simulated"
        else:
            outcome = "fail"
        self.tell(item, outcome, text, twin=self.twin(item))


def _alarm(*_):
    raise TimeOut


def main() -> None:
    checkout, results = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    tests = checkout / "tests"
    files = [str(tests / "cupy_tests" / name) for name in sys.argv[3:]]
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGALRM, _alarm)
    from hundredfold import simulate

    simulate.activate()
    sys.meta_path.insert(0, Finder(checkout))
    backends()
    import cupy
    import cupy._creation

    cupy._creation.from_data = cupy._creation  # CuPy has modules where the stand-in has one
    mark_twins()
    import pytest

    os.chdir(tests)
    sys.path.insert(0, str(tests))
    arguments = [
        "-qq",
        "--continue-on-collection-errors",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-c",
        os.devnull,
        "--rootdir",
        str(tests),
    ]
    for warning in WARNINGS:
        arguments += ["-W", warning]
    markers = "markers=slow\n multi_gpu\n parallel_threads\n iterations\n thread_unsafe"
    with results.open("a", encoding="utf-8") as out:
        raise SystemExit(pytest.main([*arguments, "-o", markers, "--tb=short", *files], [Plugin(out, tests)]))


def backends() -> None:
    """``cupy_backends``, from which some test files import: the stand-in's modules under those names."""
    import importlib

    for name in ("cupy_backends", "cupy_backends.cuda", "cupy_backends.cuda.api", "cupy_backends.cuda.libs"):
        module = sys.modules[name] = types.ModuleType(name)
        module.__path__ = []

    def lazily(target):
        def __getattr__(name):
            return getattr(importlib.import_module(target), name)

        return __getattr__

    for name, target in {
        "cupy_backends.cuda.api.runtime": "cupy.cuda.runtime",
        "cupy_backends.cuda.stream": "cupy.cuda.stream",
        "cupy_backends.cuda.libs.nvrtc": "cupy.cuda.nvrtc",
        "cupy_backends.cuda.api.driver": "cupy.cuda.driver",
    }.items():
        module = sys.modules[name] = types.ModuleType(name)
        module.__getattr__ = lazily(target)
        parent, _, child = name.rpartition(".")
        setattr(sys.modules[parent], child, module)


if __name__ == "__main__":
    main()
