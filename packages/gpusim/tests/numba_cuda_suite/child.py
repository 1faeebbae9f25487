"""Runs the tests of one file of the suite under the simulated library, in a process of its own: ``child.py TESTS FILE RESULTS``.

TESTS is the suite's ``tests`` folder, FILE one of its files without ``.py`` (``cudapy/test_atomics``), RESULTS where a line of
JSON goes for each test when it is done, so that a crash loses nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import io
import json
import re
import signal
import sys
import traceback
import unittest
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import selection  # noqa: E402

LIMIT = 60  # seconds for one test

# Inner modules of numba-cuda that tests take helpers from (a type's signature, a dtype's type): Numba's own, for the simulated library
# has no such insides.
NUMBAS = {
    "numba.cuda.np": "numba.np",
    "numba.cuda.np.numpy_support": "numba.np.numpy_support",
    "numba.cuda.typing": "numba.core.typing",
    "numba.cuda.typing.typeof": "numba.core.typing.typeof",
    "numba.cuda.utils": "numba.core.utils",
    "numba.cuda.extending": "numba.extending",
    "numba.cuda.core.controlflow": "numba.core.controlflow",
    "numba.cuda.core.bytecode": "numba.core.bytecode",
    "numba.cuda.core.typing": "numba.core.typing",
}
# What only tests that are left out use: their modules have to be importable for the others.
EMPTY = {
    "cuda": {},
    "cuda.core": {"Device": None},
    "cuda.core._utils": {},
    "cuda.core._utils.cuda_utils": {},
    "numba.cuda.launchconfig": {},
    "numba.cuda.libdevicefuncs": {"functions": {}, "create_signature": None},
    "numba.cuda.tests.cudapy.extensions_usecases": {"MyStruct": None, "struct_model_type": None},
}


class Finder:
    """Gives the suite's tests, and our helpers for theirs, under their names in ``numba.cuda``; first of all finders."""

    def __init__(self, tests: Path) -> None:
        self.tests = tests

    def find_spec(self, fullname, path=None, target=None):
        if fullname in EMPTY:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if fullname in NUMBAS and not self._owned(fullname):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if fullname == "numba.cuda.testing":
            return importlib.util.spec_from_file_location(fullname, HERE / "shim" / "testing.py")
        if fullname == "numba.cuda.tests.support":
            return importlib.util.spec_from_file_location(fullname, HERE / "shim" / "support.py")
        prefix = "numba.cuda.tests"
        if fullname == prefix or fullname.startswith(prefix + "."):
            place = self.tests.joinpath(*fullname[len(prefix) + 1 :].split(".")) if fullname != prefix else self.tests
            if place.is_dir():
                init = HERE / "shim" / "__init__.py"  # theirs only collect tests
                return importlib.util.spec_from_file_location(fullname, init, submodule_search_locations=[str(place)])
            file = place.with_suffix(".py")
            return importlib.util.spec_from_file_location(fullname, file) if file.exists() else None
        return None

    def _owned(self, fullname: str) -> bool:
        """Whether the simulated library has a module of that name after all."""
        from gpusim.importing import finder

        try:
            return finder.SimulatedFinder().find_spec(fullname) is not None
        except ImportError:
            return False

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        if name in NUMBAS:
            vars(module).update(vars(importlib.import_module(NUMBAS[name])), __name__=name)
            return
        vars(module).update(EMPTY[name])
        if name == "cuda.core._utils.cuda_utils":
            from gpusim.kernels.driver_errors import CUDAError

            module.CUDAError = CUDAError


class TimeOut(BaseException):
    pass


def _alarm(*_):
    raise TimeOut


def methods(module):
    """``(name, class or None, function)`` for everything in a module that is a test."""
    for name, thing in list(vars(module).items()):
        if getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(thing) and (issubclass(thing, unittest.TestCase) or name.startswith("Test")):
            for method in sorted(dir(thing)):
                if method.startswith("test") and callable(getattr(thing, method)):
                    yield f"{name}::{method}", thing, method
        elif inspect.isfunction(thing) and name.startswith("test"):
            yield name, None, name


def source_of(thing, method, module) -> str:
    function = inspect.unwrap(getattr(thing, method) if thing is not None else getattr(module, method))
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


def marked(function) -> str:
    """What pytest's own marks say: "skip", "xfail" or nothing."""
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "skip" or (mark.name == "skipif" and any(mark.args)):
            return "skip"
        if mark.name == "xfail" and (not mark.args or any(mark.args)):
            return "xfail"
    return ""


def run(thing, method, module) -> tuple[str, object]:
    """Outcome ("pass", "fail", "skip", "time-out", "excluded") and what went wrong, or why it is left out."""
    function = getattr(thing, method) if thing is not None else getattr(module, method)
    mark = marked(function)
    if mark == "skip":
        return "skip", "marked"
    result = unittest.TestResult()
    if thing is not None and issubclass(thing, unittest.TestCase):
        suite = unittest.TestSuite([thing(method)])
    else:
        body = getattr(thing(), method) if thing is not None else function
        suite = unittest.TestSuite([unittest.FunctionTestCase(body)])
    output = io.StringIO()
    signal.alarm(LIMIT)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output), warnings.catch_warnings():
            suite.run(result)
    except TimeOut:
        return "time-out", f"{LIMIT} s"
    finally:
        signal.alarm(0)
    if result.skipped:
        return "skip", result.skipped[0][1]
    problems = [text for _, text in (*result.failures, *result.errors)]
    if mark == "xfail" or result.expectedFailures:
        return "pass", "an expected failure"
    if result.unexpectedSuccesses:
        # They mark what a GPU cannot do; what can be done here and not there is for us to know.
        return "fail", "expected to fail, and passed"
    if problems:
        for pattern, why in selection.ENDINGS:
            if re.search(pattern, problems[0]):
                return "excluded", why
        return "fail", problems[0]
    return "pass", ""


def prepare() -> None:
    """What some modules do when imported, made harmless: sources in CUDA C++ for tests that link them, kernels by exec.

    Kernels that a test makes with ``exec`` have no source that Python would keep, and the simulated library needs one (it says so).
    Here exec keeps the text, as IPython does for its cells, so that what such kernels compute is tested too.
    """
    import builtins
    import itertools
    import linecache
    import subprocess
    import tempfile

    from numba import cuda

    cuda.CUSource = lambda *args, **kwargs: None
    # Numba-CUDA's own options, which Numba's configuration does not have.
    from numba.core import config

    config.CUDA_ENABLE_NRT = getattr(config, "CUDA_ENABLE_NRT", False)
    plain, number = builtins.exec, itertools.count(1)

    def keeping(code, *scopes):
        if isinstance(code, str) and "def " in code:
            name = f"<exec {next(number)}>"
            linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
            code = compile(code, name, "exec")
        if not scopes:
            frame = sys._getframe(1)
            scopes = (frame.f_globals, frame.f_locals)
        return plain(code, *scopes)

    builtins.exec = keeping
    # The same for programs that a test gives to ``python -c``.
    start, folder = subprocess.run, tempfile.mkdtemp()

    def with_source(command, *args, **kwargs):
        if isinstance(command, list) and command[1:2] == ["-c"]:
            file = Path(folder) / f"program{next(number)}.py"
            file.write_text(command[2], encoding="utf-8")
            command = [command[0], str(file), *command[3:]]
        return start(command, *args, **kwargs)

    subprocess.run = with_source


def main() -> None:
    tests, file, results = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    signal.signal(signal.SIGALRM, _alarm)
    import gpusim

    gpusim.activate()
    sys.meta_path.insert(0, Finder(tests))
    with results.open("a", encoding="utf-8") as out:

        def tell(name, outcome, detail="", category=""):
            line = {"test": f"{file}::{name}", "outcome": outcome, "detail": detail, "category": category}
            out.write(json.dumps(line) + "\n")
            out.flush()

        prepare()
        try:
            module = importlib.import_module("numba.cuda.tests." + file.replace("/", "."))
        except unittest.SkipTest as skipped:
            tell("(module)", "skip", str(skipped))
            return
        except BaseException:
            tell("(module)", "unimportable", traceback.format_exc())
            return
        for name, thing, method in methods(module):
            why = selection.reason(file, name, source_of(thing, method, module))
            if why is not None:
                tell(name, "excluded", why[1], why[0])
                continue
            tell(name, "started")
            outcome, detail = run(thing, method, module)
            if outcome == "excluded":
                tell(name, outcome, detail[1], detail[0])
            else:
                tell(name, outcome, detail)


if __name__ == "__main__":
    main()
