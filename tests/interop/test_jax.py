"""JAX's own arrays, on the host: what unit 03 says of them, and what its problems make of them."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems.protocols.anywhere import unit_rows
from hundredfold.learning.problems.protocols.frozen import Frozen

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "hundredfold" / "tests" / "learning" / "problems"))
import answers  # noqa: E402

jax.config.update("jax_enable_x64", True)

ROWS = np.array([[3.0, -4.0], [0.0, 0.0], [0.0, 2.0]])


@pytest.mark.parametrize("make", [Frozen, jnp.asarray], ids=["ours", "jax"])
def test_the_immutable_array_of_the_problems_is_as_strict_as_jaxs(make):
    x = make([1.0, 2.0])
    with pytest.raises(TypeError, match="immutable"):
        x[0] = 1
    assert type(np.sin(x)) is np.ndarray
    assert type(np.mean(x)) is not np.ndarray and type(np.ones(2) / x) is not np.ndarray
    assert not hasattr(x, "__array_function__") and not hasattr(x, "__array_ufunc__")
    assert x.__array_namespace__() is not np


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_the_check_accepts_runs_on_jax(cp, dtype):
    rows = ROWS.astype(dtype)
    for name, answer in answers.right(problems.find("protocols.anywhere")).items():
        got = answer(jnp.asarray(rows))
        assert isinstance(got, jax.Array) and got.dtype == dtype, name
        np.testing.assert_allclose(np.asarray(got), unit_rows(rows), rtol=2e-6)
    for name, answer in answers.right(problems.find("protocols.blend")).items():
        got = answer(jnp.asarray(rows), jnp.ones_like(rows), 0.25)
        assert isinstance(got, jax.Array) and got.dtype == dtype, name
        np.testing.assert_allclose(np.asarray(got), np.clip(0.75 * rows + 0.25, 0, 1), rtol=2e-6)


def test_what_the_check_refuses_cannot_be_traced_by_jax(cp):
    """Not because ours is stricter: these fetch the numbers or write them, and `jax.jit` allows neither."""
    x = jnp.asarray(ROWS)
    anywhere = problems.find("protocols.anywhere")
    for answer in answers.right(anywhere).values():
        np.testing.assert_allclose(np.asarray(jax.jit(answer)(x)), unit_rows(ROWS), rtol=1e-12)
    known = answers.wrong(anywhere)
    refused = [wrong for wrong in known.values() if wrong.reason in ("transfer", "exception", "eager")]
    refused.remove(known["computes"])  # that one asks for Dask's own method, which is not there
    assert len(refused) >= 5
    for wrong in refused:
        with pytest.raises((TypeError, jax.errors.JAXTypeError)):
            jax.jit(wrong.answer)(x)


def test_an_array_of_the_host_is_not_adopted(cp):
    with pytest.raises(TypeError, match="not on a device"):
        answers.right(problems.find("protocols.adopt"))["two doors"](jnp.arange(3.0))


def test_numpy_and_jax_share_memory_by_dlpack():
    x = jnp.arange(6.0)
    shown = np.from_dlpack(x)
    assert shown.ctypes.data == x.unsafe_buffer_pointer() and not shown.flags.writeable
