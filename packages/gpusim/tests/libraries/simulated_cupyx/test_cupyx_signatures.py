"""Names and parameters are the real library's, as ``signatures.json`` lists them."""

import importlib
import inspect
import sys

import pytest

MODULES = (
    "cupyx cupyx.lapack cupyx.linalg cupyx.optimizing cupyx.profiler cupyx.signal cupyx.time cupyx.scipy cupyx.scipy.fft "
    "cupyx.scipy.fftpack cupyx.scipy.interpolate cupyx.scipy.linalg cupyx.scipy.ndimage cupyx.scipy.signal "
    "cupyx.scipy.signal.windows cupyx.scipy.sparse cupyx.scipy.sparse.linalg cupyx.scipy.sparse.csgraph "
    "cupyx.scipy.spatial cupyx.scipy.spatial.distance cupyx.scipy.special cupyx.scipy.stats"
).split()
MISSING = {  # refused by name
    "cupyx.scipy.spatial.distance": {"MetricInfo"},
}


def tables():
    import cupyx._bridge

    return sys.modules[cupyx._bridge.__name__ + ".functions"]


@pytest.mark.parametrize("name", MODULES)
def test_every_name_of_the_real_module_is_there(name):
    module = importlib.import_module(name)
    missing = {n for n in tables().names(name) if n not in vars(module)}
    assert missing == MISSING.get(name, set())


@pytest.mark.parametrize("name", MODULES)
def test_every_parameter_goes_somewhere(name):
    module = importlib.import_module(name)
    for function in vars(module).values():
        if hasattr(function, "plan"):
            assert function.plan.unknown == [], function.__name__


@pytest.mark.parametrize("name", MODULES)
def test_parameters_are_the_real_ones(name):
    module = importlib.import_module(name)
    checked = 0
    for public, entry in tables().names(name).items():
        there = vars(module).get(public)
        if not isinstance(entry, str) or entry in ("ufunc", "value") or there is None:
            continue
        signature = getattr(there, "__signature__", None)
        if signature is None and inspect.isfunction(there):
            signature = inspect.signature(there)
        if signature is None:
            continue
        assert list(signature.parameters) == list(tables().parameters(name, public).parameters), public
        checked += 1
    assert checked or name in ("cupyx.scipy.sparse.csgraph", "cupyx.scipy")


@pytest.mark.parametrize(
    "path", ["ndimage.gaussian_filter", "signal.resample", "signal.detrend", "sparse.diags", "stats.zmap"]
)
def test_an_argument_that_cupy_lacks_is_refused(path):

    module, _, name = path.partition(".")
    function = getattr(importlib.import_module(f"cupyx.scipy.{module}"), name)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'workers'"):
        function(None, None, workers=2)


def test_scipys_newer_arguments_are_refused(cp):
    from cupyx.scipy import signal, stats

    with pytest.raises(TypeError, match="keepdims"):
        stats.trim_mean(cp.arange(5.0), 0.1, keepdims=True)
    with pytest.raises(TypeError, match="nan_policy"):
        stats.entropy(cp.arange(5.0), nan_policy="omit")
    with pytest.raises(TypeError, match="weights"):
        signal.lombscargle(cp.arange(5.0), cp.arange(5.0), cp.arange(1.0, 5.0), weights=cp.ones(5))


def test_what_is_not_simulated_is_refused_by_name():
    import cupyx.distributed
    import cupyx.distributed.array

    from gpusim.importing.errors import NotSimulatedAttribute, NotSimulatedError

    with pytest.raises(NotSimulatedError, match="init_process_group"):
        cupyx.distributed.init_process_group(2, 0)
    with pytest.raises(ValueError, match="Invalid number of rank"):
        cupyx.distributed.init_process_group(2, 2)
    with pytest.raises(NotSimulatedAttribute, match=r"cupyx\.distributed\.array\.distributed_array"):
        _ = cupyx.distributed.array.distributed_array
    with pytest.raises(AttributeError):
        _ = cupyx.scipy.nothing_of_the_sort
