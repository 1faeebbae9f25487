"""The lists of differences: each is one, on the GPU's side and on the host's."""

import importlib.util
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("conformance_outcome", HERE / "outcome.py")
_outcome = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_outcome)
outcome, matches = _outcome.outcome, _outcome.matches

# List → the names that a case's code uses, as (GPU, host), and the fewest cases that it has to have.
LISTS = {
    "cupy": ({"xp": ("cupy", "numpy")}, 150),
    "cupyx": ({"xp": ("cupy", "numpy"), "scp": ("cupyx.scipy", "scipy")}, 30),
    "cudf": ({"xd": ("cudf", "pandas"), "xp": ("cupy", "numpy")}, 60),
}
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the first takes a tenth of a second, the second one
CASES = {name: yaml.load((HERE / f"{name}.yaml").read_text(), LOADER) for name in LISTS}
EACH = [pytest.param(name, case, id=f"{name}-{case['id']}") for name, cases in CASES.items() for case in cases]


def scope(which, side):
    import numpy as np

    names = {short: importlib.import_module(pair[side]) for short, pair in LISTS[which][0].items()}
    if "scp" in names:
        for part in (
            "fft",
            "interpolate",
            "linalg",
            "ndimage",
            "signal",
            "sparse.linalg",
            "spatial.distance",
            "special",
            "stats",
        ):
            importlib.import_module(f"{names['scp'].__name__}.{part}")
    return {**names, "np": np}


@pytest.mark.parametrize("which, case", EACH)
def test_the_gpu_library_does_as_listed(libraries, which, case):
    if libraries == "real":
        for package in case.get("needs", ()):
            pytest.importorskip(package, reason="the real library asks for it here")
    got = outcome(case["code"], scope(which, 0))
    assert matches(got, case["gpu"]), f"{case['code']}\n{libraries}: {got}\nlisted: {case['gpu']}\n{case['source']}"


@pytest.mark.parametrize("which, case", EACH)
def test_the_host_library_does_as_listed(libraries, which, case):
    got = outcome(case["code"], scope(which, 1))
    assert matches(got, case["host"]), f"{case['code']}\n{got}"
    assert not matches(got, case["gpu"]), "this is no difference"


@pytest.mark.parametrize("which", LISTS)
def test_the_lists_are_long_and_each_entry_is_cited(which):
    cases = CASES[which]
    assert len({case["id"] for case in cases}) == len(cases) >= LISTS[which][1]
    assert len({case["code"] for case in cases}) == len(cases)
    for case in cases:
        assert set(case) - {"needs"} == {"id", "topic", "code", "gpu", "host", "source"}, case["id"]
        sources = ("docs:", "names:", "cupy/", "cupyx/", "cudf/", "run:", "measured on an H200, ")
        assert case["source"].startswith(sources), case["id"]
