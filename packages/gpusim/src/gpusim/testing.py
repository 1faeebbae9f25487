"""The stand-ins under their real names for the tests that ask for them, and gone after them.

Activating would simulate for the rest of the test process and for its children; here only the finder is put in place, and
the modules of the libraries are kept between two test files, so that each is imported once in a process.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

_stash = {}


def _ours(name):
    from gpusim.importing import finder

    return finder.owner(name) is not None


@pytest.fixture(scope="module", autouse=True)
def no_standins_left():
    """A module that leaves them in place makes tests of other modules fail, in some orders only: say so where it happens."""
    yield
    finder = sys.modules.get("gpusim.importing.finder")
    assert finder is None or finder.installed() is None, "this module's tests left the stand-ins in place"


@pytest.fixture(scope="module")
def standins():
    """`import cupy`, `import cudf`, `from numba import cuda` … give the stand-ins while a module's tests run."""
    import numba

    from gpusim.device import device, queue
    from gpusim.importing import finder

    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
    attribute = vars(numba).pop("cuda", None)
    there = finder.installed()
    finder.install()
    sys.modules.update(_stash)
    if "cupy" in _stash:  # cuML lets CuPy allocate through RMM for good, when it is imported
        cupy = _stash["cupy"]
        cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)
    # As an attribute too: `import numba.cuda` sets it only the first time.
    if "numba.cuda" in _stash:
        numba.cuda = _stash["numba.cuda"]
    yield
    queue.run()
    device.use(0)
    _stash.update({name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)})
    sys.modules.update(before)
    vars(numba).pop("cuda", None)
    if attribute is not None:
        numba.cuda = attribute
    if there is None:
        sys.meta_path.remove(finder.installed())


@pytest.fixture(scope="session")
def _warm_python():
    """A program that runs what this Python would, in a fork of a process that has imported the libraries (`warm.py`)."""
    code = str(Path(__file__).with_name("warm.py"))
    with tempfile.TemporaryDirectory(prefix="warm-") as folder, contextlib.ExitStack() as stack:
        address, program = f"{folder}/socket", Path(folder, "python")
        program.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -I -S "{code}" start "{address}" "{sys.executable}" "{program}" "$@"\n'
        )
        program.chmod(0o755)
        environment = {name: value for name, value in os.environ.items() if name != "GPUSIM_SIMULATE"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        template = stack.enter_context(
            subprocess.Popen([sys.executable, code, "serve", address], env=environment, start_new_session=True, **pipes)
        )
        assert template.stdout.readline() == b"ready\n"
        yield str(program)
        template.stdin.close()


@pytest.fixture(scope="module")
def warm(_warm_python):
    """What a module's tests start as `sys.executable` starts warm. Tests of the start itself do not ask for this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", _warm_python)
        yield
