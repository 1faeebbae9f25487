"""The finder: whose names are ours, what a simulated library's modules look like, and what is refused."""

import importlib
import importlib.machinery
import importlib.util
import os
import pickle
import subprocess
import sys

import pytest

from gpusim.importing import NotSimulatedAttribute, NotSimulatedError, NotSimulatedImport, finder


@pytest.fixture
def stub(tmp_path, monkeypatch):
    """A library `stub` with a package, a module and an attribute that it refuses, found by a finder of the test's own."""
    package = tmp_path / "simulated" / "stub"
    (package / "cuda").mkdir(parents=True)
    (package / "__init__.py").write_text(
        "from gpusim import NotSimulatedAttribute\n"
        "value = 1\n"
        "def __getattr__(name):\n"
        "    if name == 'spline':\n"
        "        raise NotSimulatedAttribute('stub.spline', nearest='stub.cuda')\n"
        "    raise AttributeError(f'no {name}')\n"
    )
    (package / "cuda" / "__init__.py").write_text("from . import stream\n")
    (package / "cuda" / "stream.py").write_text("from ..cuda import __name__ as parent\n")
    # The "really installed" one, which must never show through.
    real = tmp_path / "installed" / "stub"
    real.mkdir(parents=True)
    (real / "__init__.py").write_text("value = 'real'\n")
    (real / "only_real.py").write_text("")
    (tmp_path / "installed" / "later").mkdir()
    (tmp_path / "installed" / "later" / "__init__.py").write_text("value = 'real'\n")
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))
    monkeypatch.setitem(finder.SIMULATED, "stub", str(package))
    monkeypatch.setitem(finder.REFUSED, "later", "Use pandas until then.")
    monkeypatch.setattr(sys, "meta_path", [finder.SimulatedFinder(), *sys.meta_path])
    yield package
    for name in [name for name in sys.modules if name.split(".")[0] in ("stub", "later")]:
        del sys.modules[name]


def test_a_simulated_library_has_the_real_name_and_a_real_spec(stub):
    module = importlib.import_module("stub")
    assert module.value == 1 and module.__name__ == "stub"
    assert module.__spec__.name == "stub" and module.__spec__.parent == "stub"
    assert module.__spec__.origin == module.__file__ == str(stub / "__init__.py")
    assert module.__spec__.submodule_search_locations == module.__path__ == [str(stub)]
    assert module.__spec__.has_location
    assert finder.is_simulated(module) and not finder.is_simulated(pytest)


def test_submodules_are_found_by_name_and_by_relative_import(stub):
    module = importlib.import_module("stub.cuda.stream")
    assert module.__name__ == "stub.cuda.stream" and module.parent == "stub.cuda"
    assert sys.modules["stub"].cuda.stream is module
    assert module.__spec__.submodule_search_locations is None


def test_asking_for_a_spec_imports_nothing(stub):
    spec = importlib.util.find_spec("stub")
    assert spec.origin == str(stub / "__init__.py")
    assert "stub" not in sys.modules


def test_reload_runs_the_simulated_library_anew_in_the_same_module(stub):
    module = importlib.import_module("stub")
    module.value = 2
    assert importlib.reload(module) is module and module.value == 1
    assert importlib.reload(importlib.import_module("stub.cuda")).__file__.startswith(str(stub))


def test_an_edited_simulated_library_is_read_anew(stub):
    module = importlib.import_module("stub")
    (stub / "__init__.py").write_text("value = 12345\n")
    assert importlib.reload(module).value == 12345


def test_an_unknown_submodule_is_refused_though_the_real_library_has_it(stub):
    with pytest.raises(NotSimulatedImport, match=r"stub\.only_real needs a GPU: it is not simulated\.$") as caught:
        importlib.import_module("stub.only_real")
    assert isinstance(caught.value, ImportError) and isinstance(caught.value, NotSimulatedError)
    assert isinstance(caught.value, NotImplementedError)
    with pytest.raises(NotSimulatedImport, match=r"Nearest simulated: stub\.cuda\.stream\."):
        importlib.import_module("stub.cuda.streams")


def test_from_import_of_what_is_not_simulated_raises_what_the_library_raises(stub):
    with pytest.raises(NotSimulatedImport, match=r"stub\.spline needs a GPU.*Nearest simulated: stub\.cuda\.$"):
        exec("from stub import spline", {})


def test_a_typing_error_in_from_import_ends_as_everywhere(stub):
    with pytest.raises(ImportError, match=r"^cannot import name 'valeu' from 'stub'") as caught:
        exec("from stub import valeu", {})
    assert not isinstance(caught.value, NotSimulatedError)


def test_a_planned_library_is_refused_on_import_and_not_on_asking(stub):
    assert importlib.util.find_spec("later") is not None
    with pytest.raises(NotSimulatedImport, match=r"^later needs a GPU: it is not simulated\. Use pandas until then\.$"):
        importlib.import_module("later")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("later.part")
    assert "later" not in sys.modules


def test_names_that_only_begin_alike_are_not_ours(stub):
    assert finder.owner("stub.cuda.stream") == "stub"
    assert finder.owner("stubborn") is None and finder.owner("numba") is None and finder.owner("numba.core") is None
    assert finder.owner("numba.cuda") == finder.owner("numba.cuda.random") == "numba.cuda"
    assert finder.owner("distributed") is None and finder.owner("distributed.protocol.numpy") is None
    assert finder.owner("distributed.protocol.cupy") == "distributed.protocol.cupy"
    assert finder.SimulatedFinder().find_spec("json") is None


def test_installed_once_and_first(monkeypatch):
    ours = (finder.SimulatedFinder, finder._DaskWatcher)
    others = [one for one in sys.meta_path if not isinstance(one, ours)]
    monkeypatch.setattr(sys, "meta_path", list(others))
    monkeypatch.delitem(sys.modules, "distributed", raising=False)
    finder.install()
    finder.install()
    assert isinstance(sys.meta_path[0], finder.SimulatedFinder)
    assert [one for one in sys.meta_path if not isinstance(one, ours)] == others
    watching = [isinstance(one, finder._DaskWatcher) for one in sys.meta_path]
    assert sum(watching) == 1 and watching.index(True) < sys.meta_path.index(importlib.machinery.PathFinder)
    sys.meta_path.insert(0, sys.meta_path.pop())  # another tool comes in before us
    finder.install()
    assert isinstance(sys.meta_path[0], finder.SimulatedFinder) and len(sys.meta_path) == len(others) + 2


@pytest.mark.parametrize("kind", [NotSimulatedError, NotSimulatedAttribute, NotSimulatedImport])
def test_the_errors_say_what_and_what_is_nearest_and_cross_processes(kind):
    error = kind("cupy.spam", nearest="cupy.eggs", note="See there.")
    assert str(error) == "cupy.spam needs a GPU: it is not simulated. Nearest simulated: cupy.eggs. See there."
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind and str(copy) == str(error) and copy.nearest == "cupy.eggs"
    assert isinstance(error, NotImplementedError)


def test_hasattr_answers_no_for_what_is_not_simulated(stub):
    assert not hasattr(importlib.import_module("stub"), "spline")


def test_numba_stays_real_and_compiles_with_the_finder_in_place_and_numba_cuda_is_ours():
    program = """
import importlib.util, sys
import gpusim
gpusim.activate()
import numba, numba.cuda, numpy as np
from dask.sizeof import sizeof

@numba.njit
def twice(x):
    return 2 * x

assert twice(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]
assert 0 < sizeof(twice) < 10_000, sizeof(twice)
assert sizeof(np.zeros(1000)) == 8000
assert "gpusim" not in numba.__file__
assert "numba_cuda" in numba.cuda.__file__ and importlib.util.find_spec("numba.cuda").origin == numba.cuda.__file__
importlib.reload(sys.modules["numba.cuda.args"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_activating_too_late_names_what_was_imported(tmp_path):
    (tmp_path / "cupy.py").write_text("")
    program = "import cupy, os\nimport gpusim\ntry:\n    gpusim.activate()\nexcept gpusim.TooLateError as e:\n"
    program += "    print(e, e.names, gpusim.active(), 'GPUSIM_SIMULATE' in os.environ)\n"
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env={**environment, "PYTHONPATH": str(tmp_path)},
    )
    assert "cupy was imported before the simulated libraries were in place: restart Python" in done.stdout, done.stderr
    assert done.stdout.rstrip().endswith("['cupy'] False False")
