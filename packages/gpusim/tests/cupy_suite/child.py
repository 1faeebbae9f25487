"""Runs some files of CuPy's tests under the simulated library, in a process of its own: ``child.py CHECKOUT RESULTS FILE…``.

CHECKOUT holds ``cupy/testing`` and ``tests/cupy_tests``; FILEs are relative to the latter.  A line of JSON goes to RESULTS when
a test begins and when it is done, so that a crash loses nothing.

``cupy.testing`` is the checkout's own, put in place of the simulated library's: it runs each test with NumPy and with ``cupy`` and
compares values, types, shapes and errors.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import types
from pathlib import Path

import pytest

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


# Inner modules that test files import for a few of their tests: those are left out or fail, and the others can run.
INNER = {
    "cupyx.cusolver": {"check_availability": lambda name: True},
    "cupy.cublas": {"get_batched_gesv_limit": lambda: 0, "set_batched_gesv_limit": lambda limit: None},
    "cupy.cuda.cutensor": {"available": False},
    "cupy.cuda.curand": {},
    "cupy.cuda.cufft": {"get_current_plan": lambda: None},
    "cupy._core._cub_reduction": {
        "_CUB_REDUCE_SIZE_THRESHOLD": 512,
        "_SimpleCubReductionKernel_get_cached_function": None,
    },
}
# Modules of CuPy whose content the simulated library has elsewhere.
ELSEWHERE = {
    "cupy._indexing": "cupy",
    "cupy._indexing.generate": "cupy._searching",
    "cupy.random._distributions": "cupy.random",
    "cupy.random._bit_generator": "cupy.random._generator_api",
    "cupy.random._sample": "cupy.random",
    "cupy._core._routines_math": "cupy",
}


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
        if fullname in INNER and not self._owned(fullname):
            return importlib.machinery.ModuleSpec(fullname, self)
        if fullname in ELSEWHERE and not self._owned(fullname):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if fullname == "cupyx.scipy.sparse" and not self._owned(fullname):  # cupy.testing asks it about every result
            return importlib.machinery.ModuleSpec(fullname, self)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        if name in ELSEWHERE:
            there = importlib.import_module(ELSEWHERE[name])
            module.__getattr__ = lambda key: getattr(there, key)
        elif name in INNER:
            vars(module).update(INNER[name])
        else:
            module.issparse = lambda x: False

    @staticmethod
    def _owned(fullname: str) -> bool:
        """Whether the simulated library has a module of that name after all."""
        from gpusim.importing import finder

        try:
            return finder.SimulatedFinder().find_spec(fullname) is not None
        except ImportError:
            return False


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

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.when == "call" or (report.when == "setup" and not report.passed):
            signal.alarm(0)
            self._done(item, call, report)
        return report

    def _done(self, item, call, report) -> None:
        text = str(report.longrepr) if report.longrepr else ""
        if hasattr(report, "wasxfail"):
            outcome, text = "skip", "marked as an expected failure by CuPy"
        elif "XPASS(strict)" in text:
            outcome = "pass"  # what CuPy itself cannot do may be possible here
        elif report.skipped:
            outcome, text = "skip", str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)
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
    import gpusim

    gpusim.activate()
    sys.meta_path.insert(0, Finder(checkout))
    backends()
    import cupy
    import cupy._creation

    cupy._creation.from_data = cupy._creation  # CuPy has modules where the simulated library has one
    cupy.linalg._util = types.SimpleNamespace(
        stacked_identity=lambda lead, n, dtype: cupy.broadcast_to(cupy.eye(n, dtype=dtype), (*lead, n, n))
    )
    for name in ("_bit_generator", "_sample", "_distributions"):
        importlib.import_module(f"cupy.random.{name}")
    for name in ("_default_fft_func", "_fft", "_fftn"):
        setattr(cupy.fft._fft, name, None)
    cupy.fft._fft._size_last_transform_axis = lambda shape, s, axes: (s or [None])[-1] or shape[(axes or [-1])[-1]]
    mark_twins()
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
    """``cupy_backends``, from which some test files import: the simulated library's modules under those names."""
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
