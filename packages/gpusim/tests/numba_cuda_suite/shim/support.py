"""``numba.cuda.tests.support``, as far as the chosen tests use it: Numba's own helpers, on the simulated library's configuration."""

import contextlib
import io
import sys
import unittest

from numba.tests.support import (  # noqa: F401 (the tests import them from here)
    CheckWarningsMixin,
    MemoryLeakMixin,
    SerialMixin,
    TestCase,
    captured_stderr,
    captured_stdout,
    ignore_internal_warnings,
    import_dynamic,
    linux_only,
    run_in_subprocess,
    skip_unless_cffi,
    temp_directory,
    windows_only,
)

IS_NUMPY_2 = True
skip_on_standalone_numba_cuda = unittest.skipUnless(True, "")
skip_if_py314 = unittest.skipIf(sys.version_info[:2] == (3, 14), "Test unstable on 3.14")
skip_unless_py10 = unittest.skipIf(False, "")


class EnableNRTStatsMixin:
    """Counts references of a run-time that the simulated library has not."""


@contextlib.contextmanager
def override_config(name, value):
    """Set an option of Numba, and of the simulated library where it has it, for a block."""
    from numba.core import config as theirs
    from numba.cuda.core import config as ours

    places = {id(place): place for place in (theirs, ours)}.values()
    missing = object()
    before = [(place, getattr(place, name, missing)) for place in places]
    for place in places:
        setattr(place, name, value)
    try:
        yield
    finally:
        for place, old in before:
            if old is missing:
                delattr(place, name)
            else:
                setattr(place, name, old)


@contextlib.contextmanager
def override_env_config(name, value):
    import os

    old = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if old is None:
            del os.environ[name]
        else:
            os.environ[name] = old


def captured_output():
    return contextlib.redirect_stdout(io.StringIO())
