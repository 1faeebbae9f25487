"""Every public name of the real libraries: there, or refused by name; and none that they have not."""

import importlib
import sys
import types
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]  # those of gpusim
LIBRARIES = ["cupy", "cupyx", "cudf", "dask_cudf", "pylibcudf", "cuml", "rmm", "dask_cuda", "numba_cuda"]
# Namespaces of which nearly everything has to be simulated (issue 4).
WHOLE = {"cupy": ["cupy", "cupy.linalg", "cupy.random", "cupy.fft"], "cupyx": ["cupyx.scipy.ndimage"]}
# Modules whose names are held exactly: what the real one has not, ours must not have either.
EXACT = [
    "cupy",
    "cupy.linalg",
    "cupy.fft",
    "cupy.random",
    "cupy.testing",
    "cupyx",
    "cupyx.scipy.ndimage",
    "cupyx.scipy.special",
]
EXACT += [
    "cupyx.scipy.signal",
    "cupyx.scipy.sparse",
    "cupyx.scipy.sparse.linalg",
    "cudf",
    "cudf.DataFrame",
    "cudf.Series",
    "cudf.Index",
]
EXACT += ["cudf.MultiIndex", "rmm", "rmm.mr", "dask_cuda", "dask_cudf", "cuml", "cuml.metrics", "cuml.preprocessing"]


@pytest.fixture(scope="module")
def spaces(libraries):
    if libraries == "real":
        pytest.skip("the names were read from the real libraries")
    pytest.importorskip("hundredfold", reason="the course's own part in it")
    from hundredfold.publish.pages import coverage

    return {library: coverage.namespaces(library, TESTS) for library in LIBRARIES}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_module_is_there_or_refused_by_name(spaces, library):
    lost = {s.name: s.missing for s in spaces[library] if s.missing and not s.is_class}
    assert sum(map(len, spaces[library]))
    assert not lost


@pytest.mark.parametrize("library", WHOLE)
def test_nearly_all_of_the_main_namespaces_is_simulated(spaces, library):
    shares = {space.name: (space.share, space.refused) for space in spaces[library] if space.name in WHOLE[library]}
    assert len(shares) == len(WHOLE[library])
    assert all(share >= 0.95 for share, _ in shares.values()), shares


@pytest.mark.parametrize("name", EXACT)
def test_no_name_is_offered_that_the_real_library_has_not(libraries, name):
    pytest.importorskip("hundredfold", reason="the course's own part in it")
    if libraries == "real":
        pytest.importorskip(name.partition(".")[0], reason="the real library is not installed here")
    from hundredfold.publish.pages import coverage

    real = coverage.real_names(name.partition(".")[0])[name]
    module, _, last = name.rpartition(".")
    owner = (
        getattr(importlib.import_module(module), last)
        if module and last[0].isupper()
        else importlib.import_module(name)
    )
    ours = set(getattr(owner, "__all__", None) or public(owner))
    extra = sorted(short for short in ours - real if not short.startswith("_") and not foreign(owner, short))
    assert not extra, f"{name} has no {', '.join(extra)}"


def public(owner):
    return {short for short in [*vars(owner), *dir(owner)] if not short.startswith("_")}


def foreign(owner, short):
    """Whether a name is only there because a module needed it: another module, or something of Python's or of ours."""
    value = getattr(owner, short, None)
    of = str(getattr(value, "__module__", "")).split(".")[0]
    return (
        isinstance(value, types.ModuleType)
        or type(value).__module__ == "__future__"
        or of in {*sys.stdlib_module_names, "hundredfold"} - {"builtins"}
    )
