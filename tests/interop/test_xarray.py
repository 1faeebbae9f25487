"""Xarray around the simulated library's arrays: the numbers stay on the device, the names go along."""

import numpy as np
import pytest
import xarray as xr


@pytest.fixture
def temperatures(cp):
    values = cp.asarray(np.arange(12.0).reshape(3, 4))
    return xr.DataArray(values, dims=("hour", "station"), coords={"station": list("abcd")})


def test_arithmetic_and_reductions_stay_on_the_device(cp, temperatures):
    for made, expected in (
        (temperatures - temperatures.mean("hour"), np.repeat([[-4.0], [0.0], [4.0]], 4, axis=1)),
        (np.sqrt(temperatures).max("station"), np.sqrt([3.0, 7.0, 11.0])),
        (temperatures.where(temperatures > 5, 0).sum("hour"), np.array([8.0, 9.0, 16.0, 18.0])),
        (temperatures.sel(station="b"), np.array([1.0, 5.0, 9.0])),
        (temperatures.transpose("station", "hour"), np.arange(12.0).reshape(3, 4).T),
    ):
        assert isinstance(made.data, cp.ndarray)
        np.testing.assert_allclose(made.data.get(), expected)


def test_nothing_is_fetched_without_being_told(temperatures):
    with pytest.raises(TypeError, match="Implicit conversion"):
        _ = temperatures.values
    assert temperatures.as_numpy().values.sum() == 66


def test_two_arrays_are_joined_by_their_names(cp, temperatures):
    other = temperatures.isel(station=[1, 2]).copy()
    both = temperatures + other
    assert both.station.values.tolist() == ["b", "c"] and isinstance(both.data, cp.ndarray)
    np.testing.assert_allclose(both.data.get(), 2 * np.arange(12.0).reshape(3, 4)[:, 1:3])


def test_pieces_by_dask_are_arrays_of_the_device(cp, temperatures):
    import dask

    lazy = temperatures.chunk({"hour": 2}).mean("hour")
    assert lazy.chunks is not None
    with dask.config.set(scheduler="synchronous"):
        done = lazy.compute()
    assert isinstance(done.data, cp.ndarray)
    np.testing.assert_allclose(done.data.get(), [4.0, 5.0, 6.0, 7.0])
