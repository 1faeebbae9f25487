"""``GPUSIM_SEED_SHIFT`` gives the generators of GPU libraries other seeds, and no other generator."""

import importlib

import numpy as np
import pytest

DRAWS = {
    "cupy.random.seed": "cupy.random.seed(5)\nfound = cupy.random.rand(3).get()",
    "cupy.random.RandomState": "found = cupy.random.RandomState(5).rand(3).get()",
    "cupy.random.default_rng": "found = cupy.random.default_rng(5).random(3).get()",
    "cuml.datasets": "from cuml.datasets import make_blobs\nfound = make_blobs(4, random_state=5)[0].get()",
    "cuml.model_selection": (
        "from cuml.model_selection import train_test_split\n"
        "found = train_test_split(cupy.arange(20), random_state=5)[0].get()"
    ),
    "an estimator of cuML": (
        "from cuml.random_projection import GaussianRandomProjection as Projection\n"
        "found = Projection(2, random_state=5).fit_transform(cupy.eye(9)).get()"
    ),
}


def drawn(code):
    scope = {"cupy": importlib.import_module("cupy"), "np": np}
    exec(code, scope)
    return scope["found"]


@pytest.mark.parametrize("what", DRAWS)
def test_another_seed_draws_otherwise_and_each_is_reproducible(simulated_libraries, monkeypatch, what):
    plain = drawn(DRAWS[what])
    np.testing.assert_array_equal(drawn(DRAWS[what]), plain)
    monkeypatch.setenv("GPUSIM_SEED_SHIFT", "1000")
    shifted = drawn(DRAWS[what])
    np.testing.assert_array_equal(drawn(DRAWS[what]), shifted)
    assert not np.array_equal(shifted, plain)


@pytest.mark.parametrize("what", ["cupy.random.seed", "cuml.datasets"])
def test_the_largest_seed_stays_one(simulated_libraries, monkeypatch, what):
    code = DRAWS[what].replace("(5)", "(2**32 - 1)").replace("state=5", "state=2**32 - 1")
    plain = drawn(code)
    monkeypatch.setenv("GPUSIM_SEED_SHIFT", "1000")
    assert not np.array_equal(drawn(code), plain)


def test_a_shift_that_is_no_whole_number_is_named(simulated_libraries, monkeypatch):
    monkeypatch.setenv("GPUSIM_SEED_SHIFT", "1e3")
    with pytest.raises(ValueError, match="GPUSIM_SEED_SHIFT must be a whole number, not '1e3'"):
        drawn(DRAWS["cupy.random.seed"])


def test_numpy_keeps_its_seed(simulated_libraries, monkeypatch):
    plain = drawn("np.random.seed(5)\nfound = np.random.rand(3)")
    monkeypatch.setenv("GPUSIM_SEED_SHIFT", "1000")
    np.testing.assert_array_equal(drawn("np.random.seed(5)\nfound = np.random.rand(3)"), plain)
