"""Modules that are a line in a table: to whoever imports, reads, lists or pickles them they are modules like any other."""

import json
import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from gpusim.importing import finder, removed_names

TABLES = sorted(Path(finder.HERE).glob("*/reexports.json"))
LINES = {name: entry for table in TABLES for name, entry in json.loads(table.read_text(encoding="utf-8")).items()}
SETTINGS = {"GPUSIM_GPU_MEMORY": "64MiB"}
IMPORTS = """
import importlib, inspect, io, linecache, pickle, pkgutil, pydoc, sys, traceback, warnings
import cuml, cupy, gpusim, rmm
from importlib import resources
warnings.simplefilter("ignore", FutureWarning)
"""


def test_no_module_is_both_a_line_and_a_file():
    for name, entry in LINES.items():
        library = finder.owner(name)
        place = Path(finder.HERE, finder.SIMULATED[library], *name[len(library) :].split(".")[1:])
        assert not place.with_suffix(".py").exists() and not (place / "__init__.py").exists(), name
        assert set(entry) <= {"doc", "from", "as", "package", "refused", "note", "is", "unlisted"}, name


def test_the_real_libraries_have_these_modules():
    for name in LINES:
        assert not removed_names.modules(name.partition(".")[0]) or name in removed_names.modules(
            name.partition(".")[0]
        ), name


def test_each_is_imported_with_the_names_of_its_home(simulating):
    simulating(f"""
        for name, entry in {LINES!r}.items():
            module = importlib.import_module(name)
            if "is" in entry:
                assert module is importlib.import_module(entry["is"])
                continue
            homes = {{one: home for home, names in entry.get("from", {{}}).items() for one in names.split()}}
            for one, home in homes.items():
                home = importlib.import_module(home)
                there = getattr(home, one, None)
                assert getattr(module, one) is (importlib.import_module(f"{{home.__name__}}.{{one}}") if there is None else there), (name, one)
            for home, names in entry.get("unlisted", {{}}).items():
                assert all(hasattr(module, one) and one not in module.__all__ for one in names.split()), name
            for one, same in entry.get("as", {{}}).items():
                assert getattr(module, one) is getattr(module, same), (name, one)
            assert sorted(vars(module).get("__all__", [])) == sorted([*homes, *entry.get("as", {{}}), *entry.get("refused", {{}})]), name
            for one in entry.get("refused", {{}}):
                try:
                    getattr(module, one)()
                except gpusim.NotSimulatedError as error:
                    assert str(error).startswith(f"{{name}}.{{one}} "), error
                else:
                    raise AssertionError(f"{{name}}.{{one}} is not refused")
            assert hasattr(module, "__path__") == entry.get("package", False) and module.__doc__
            assert module.__spec__.origin == module.__file__ and module.__spec__.has_location
    """)


@pytest.mark.large
@pytest.mark.parametrize(
    "name", ["cuml.dask.cluster.kmeans", "cupy.polynomial", "cupy._core.flags", "rmm.mr.experimental"]
)
def test_each_can_be_the_first_thing_imported(name):
    command = [sys.executable, "-c", f"import {name}, sys; print(sys.modules[{name!r}].__name__)"]
    done = subprocess.run(command, capture_output=True, text=True, env={"GPUSIM_SIMULATE": "1", "PATH": ""})
    assert done.stdout == f"{name}\n", done.stderr


def test_source_help_and_tracebacks_are_those_of_a_file(simulating):
    simulating("""
        import cuml.cluster.dbscan as module
        entropy = importlib.import_module("cuml.metrics.cluster.entropy")
        source = inspect.getsource(module)
        assert source.splitlines() == ['\"""DBSCAN.\"""', "", "from cuml.cluster._classes import DBSCAN", "__all__ = ['DBSCAN']"]
        assert "cython_entropy = entropy" in inspect.getsource(entropy)
        assert "DBSCAN" in pydoc.render_doc(module) and inspect.getdoc(module) == "DBSCAN."
        assert "class DBSCAN" in inspect.getsource(module.DBSCAN)
        linecache.checkcache()
        assert linecache.getline(module.__file__, 3, vars(module)) == "from cuml.cluster._classes import DBSCAN\\n"
        assert importlib.reload(module) is module and module.DBSCAN is cuml.DBSCAN
        import pytest
        with pytest.raises(ModuleNotFoundError):
            import cuml.cluster.dbscann
    """)


def test_what_is_missing_is_refused_as_in_a_file(simulating):
    simulating("""
        import pytest
        from gpusim import NotSimulatedError
        import cuml.solvers.cd as module
        with pytest.raises(AttributeError, match="module 'cuml.solvers.cd' has no attribute 'CDD'"):
            module.CDD
        with pytest.raises(NotSimulatedError, match="cuml.solvers.cd.fit_cd needs a GPU"):
            module.fit_cd
    """)


def test_models_made_through_it_are_pickled(simulating):
    simulating("""
        import cloudpickle
        from cuml.linear_model.ridge import Ridge
        copy = pickle.loads(pickle.dumps(Ridge(alpha=2.0)))
        assert type(copy) is cuml.Ridge and copy.alpha == 2.0
        import cuml.dask.linear_model.ridge as module
        assert cloudpickle.loads(cloudpickle.dumps(lambda: module))() is module
    """)


def test_walking_a_package_meets_lines_and_files(simulating):
    simulating(f"""
        for library in ("cuml", "rmm", "cupy"):
            package = importlib.import_module(library)
            found = {{each.name: each.ispkg for each in pkgutil.walk_packages(package.__path__, library + ".", onerror=lambda name: None)}}
            expected = {{name: entry.get("package", False) for name, entry in {LINES!r}.items() if name.startswith(library + ".")}}
            assert {{name: found.get(name) for name in expected}} == expected
        assert "cuml.cluster._classes" in {{each.name for each in pkgutil.iter_modules(cuml.cluster.__path__, "cuml.cluster.")}}
        importlib.invalidate_caches()
        assert "dbscan" in {{each.name for each in pkgutil.iter_modules(cuml.cluster.__path__)}}
    """)


def test_resources_are_found_in_packages_with_a_folder_and_without(simulating):
    simulating("""
        import cuml.dask.cluster, cupy.lib
        files = resources.files(cuml.dask.cluster)
        assert files.is_dir() and {each.name for each in files.iterdir()} == {"__init__.py", "dbscan.py", "kmeans.py"}
        assert files.joinpath("kmeans.py").read_text() == inspect.getsource(importlib.import_module("cuml.dask.cluster.kmeans"))
        with resources.as_file(files / "__init__.py") as path:
            assert path.read_text() == inspect.getsource(cuml.dask.cluster)
        assert not (files / "none.txt").is_file()
        assert (resources.files("cupy.lib") / "stride_tricks.py").is_file()
    """)


def test_a_misspelt_module_is_answered_with_the_nearest_line(tmp_path, monkeypatch):
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / "__init__.py").write_text("value = 1\n")
    (tmp_path / "stub" / "reexports.json").write_text('{"stub.streams": {"from": {"stub": "value"}}}')
    monkeypatch.setitem(finder.SIMULATED, "stub", str(tmp_path / "stub"))
    monkeypatch.setattr(finder, "_tables", {})  # another test's library of this name had no table
    monkeypatch.setattr(sys, "meta_path", [finder.SimulatedFinder(), *sys.meta_path])
    try:
        with pytest.raises(finder.NotSimulatedImport, match=re.escape("Nearest simulated: stub.streams.")):
            __import__("stub.stream")
        assert sys.modules["stub"].__name__ == "stub" and __import__("stub.streams").streams.value == 1
        assert isinstance(sys.modules["stub.streams"].__loader__, SourceFileLoader)
        assert finder.is_simulated(sys.modules["stub.streams"])
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "stub"]:
            del sys.modules[name]


def test_a_star_gives_the_names_of_the_real_module_and_no_others(simulating):
    simulating("""
        from gpusim.importing.names import real_names
        import cupyx.lapack, cupy.cuda.nvtx, rmm.statistics
        for module in (cupyx.lapack, cupy.cuda.nvtx, rmm.statistics):
            space = {}
            exec(f"from {module.__name__} import *", space)
            given = set(space) - {"__builtins__"}
            assert "__all__" not in vars(module) and given and given <= real_names(module.__name__.partition(".")[0])[module.__name__], given
    """)


def test_a_submodule_that_is_there_and_not_imported_is_not_called_missing(simulating):
    simulating("""
        import pytest
        from gpusim import NotSimulatedError
        import cudf.comm, cudf.core
        for package, name in ((cudf.comm, "serialize"), (cudf.core, "tokenize_vocabulary")):
            with pytest.raises(AttributeError) as caught:
                getattr(package, name)
            assert not isinstance(caught.value, NotSimulatedError)
            assert importlib.import_module(f"{package.__name__}.{name}") is getattr(package, name)
    """)
