"""`measure` from outside: what it returns, says and refuses."""

import dataclasses
import re
import subprocess
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import hundredfold
from gpusim.device import queue
from hundredfold.toolkit import Measurement, measure, where
from hundredfold.toolkit.timing import Sampler

SHAPE = re.compile(r"^[^:]+: \S+ (ns|µs|ms|s)( ± \S+ (ns|µs|ms|s))? \(median of \d+, first call \S+ (ns|µs|ms|s|min)\)")
QUICK = {"repeat": 3, "min_time": 0.001}


def test_a_measurement_holds_what_is_needed_to_judge_it():
    x = np.arange(1000.0)
    result = measure(np.sum, x, name="sum", **QUICK)
    assert result.value == x.sum()
    assert result.times.shape == (3,) and result.times.dtype == np.float64 and (result.times > 0).all()
    assert result.median == np.median(result.times) and result.spread >= 0 and result.first > 0
    assert result.device == "CPU" and result.mode in ("none", "gpu")
    assert set(result.versions) >= {"python", "numpy"}
    assert result.rate is None and result.limit is None and result.fraction is None and result.suspicious is None
    assert SHAPE.match(str(result)) and "(on this CPU)" in str(result) and repr(result) == str(result)


def test_rates_and_the_share_of_the_limit(rates):
    result = measure(lambda: np.zeros(10), bytes=8e9, name="lazy", **QUICK)
    assert result.rate == pytest.approx(8e9 / result.median)
    assert result.limit.seconds == pytest.approx(0.08) and result.fraction == pytest.approx(0.08 / result.median)
    assert result.suspicious == "faster than this CPU can move the bytes: not synchronised, cached, or not done"
    assert re.search(r"[kMGT]B/s, \S+ % of the limit \(on this CPU\) ⚠ faster than", str(result))
    honest = measure(lambda: np.zeros(10), bytes=8, flops=16, **QUICK)
    assert honest.suspicious is None and "faster than" not in str(honest)
    assert re.search(r"B/s, \S+ GFLOP/s, ", str(honest))


def test_the_name_is_the_functions_own():
    def smooth():
        pass

    assert measure(smooth, **QUICK).name == "smooth"
    assert measure(lambda: 1, **QUICK).name == "expression"
    assert measure(lambda: 1, name="mine", **QUICK).name == "mine"


def test_work_of_the_simulated_device_is_waited_for_and_said(monkeypatch):
    monkeypatch.setenv("GPUSIM_SIMULATE", "1")
    done = []

    def launch():
        queue.submit("test_kernel", lambda: done.append(1), (), (), ())
        return len(done)

    result = measure(launch, **QUICK)
    assert queue.pending() == 0 and len(done) >= 5
    assert result.device == "simulated GPU" and result.mode == "simulated"
    assert "(simulated on this CPU)" in str(result)
    on_host = measure(lambda: 1, **QUICK)
    assert on_host.device == "CPU" and "(on this CPU)" in str(on_host)


def test_what_waited_before_is_not_measured(monkeypatch):
    monkeypatch.setenv("GPUSIM_SIMULATE", "1")
    order = []
    queue.submit("before", lambda: order.append("before"), (), (), ())
    measure(lambda: order.append("measured"), **QUICK)
    assert order[0] == "before"


class FakeGpu:
    """A real GPU's CuPy, as far as measuring looks: its profiler says that each call takes two milliseconds of GPU time."""

    def __init__(self, monkeypatch) -> None:
        self.repeats, self.synchronized = [], []
        cupy = types.ModuleType("cupy")
        cupy.__version__ = "14.2.0"

        class Device:
            id = 0

            def __init__(device, index=0):
                device.index = index

            def synchronize(device):
                self.synchronized.append(device.index)

        properties = {"name": b"NVIDIA Test"}
        cupy.cuda = types.SimpleNamespace(
            Device=Device, runtime=types.SimpleNamespace(getDeviceProperties=lambda index: properties)
        )
        profiler = types.ModuleType("cupyx.profiler")
        profiler.benchmark = self.benchmark
        for name, module in (("cupy", cupy), ("cupyx", types.ModuleType("cupyx")), ("cupyx.profiler", profiler)):
            monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setattr(where, "active_devices", lambda: [0, 2])

    def benchmark(self, func, args=(), n_repeat=10000, n_warmup=10, devices=None):
        assert n_warmup == 0 and devices == (0, 2)
        self.repeats.append(n_repeat)
        for _ in range(n_repeat):
            func(*args)
        gpu_times = np.vstack([np.full(n_repeat, 1e-3), np.full(n_repeat, 2e-3)])  # the slower GPU counts
        return types.SimpleNamespace(gpu_times=gpu_times, cpu_times=np.full(n_repeat, 5e-6))


class OnGpu:
    __cuda_array_interface__ = {}


def test_on_a_real_gpu_cupys_own_profiler_measures(monkeypatch):
    gpu = FakeGpu(monkeypatch)
    result = measure(lambda: OnGpu(), repeat=3)
    assert result.device == "NVIDIA Test" and str(result).endswith("(on NVIDIA Test)")
    assert result.times == pytest.approx([2e-3] * 3) and result.host == pytest.approx(5e-6)
    assert sum(gpu.repeats) > 3 and 0 in gpu.synchronized and 1 not in gpu.synchronized
    assert result.versions["cupy"] == "14.2.0"


def test_beside_a_real_gpu_a_function_of_the_host_is_timed_on_the_host(monkeypatch):
    gpu = FakeGpu(monkeypatch)
    result = measure(lambda: 1, **QUICK)
    assert result.device == "CPU" and result.host is None and gpu.repeats == []


def test_what_a_function_names_tells_where_it_works(monkeypatch):
    here = OnGpu()
    for name in ("cupy", "numba.cuda"):  # another test may have imported the simulated library
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert where.uses_gpu(lambda: here, (), None) is False  # no GPU library is imported at all


@pytest.mark.parametrize("names", ["argument", "result", "closure"])
def test_each_sign_of_a_gpu_is_seen(monkeypatch, names):
    FakeGpu(monkeypatch)
    here = OnGpu()
    if names == "argument":
        assert where.uses_gpu(len, (here,), None)
    elif names == "result":
        assert where.uses_gpu(len, (), here)
    else:
        assert where.uses_gpu(lambda: here, (), None)
    assert not where.uses_gpu(lambda: np.zeros, (1,), 2)


def test_its_own_error_comes_out():
    class Odd(Exception):
        pass

    def broken():
        raise Odd("mine")

    with pytest.raises(Odd, match="mine"):
        measure(broken)


@pytest.mark.parametrize("value", [3.0, np.zeros(3), None, "x.sum()"])
def test_a_result_in_place_of_a_function_is_explained(value):
    with pytest.raises(TypeError, match=rf"got its result, of type {type(value).__name__}\. Write measure\(f, x\)"):
        measure(value)


def test_a_generator_function_is_refused():
    def numbers():
        yield 1

    with pytest.raises(TypeError, match="does none of its work"):
        measure(numbers)


@pytest.mark.parametrize(
    "wrong",
    [{"bytes": -1}, {"bytes": "8"}, {"flops": 0}, {"repeat": 0}, {"repeat": 1.5}, {"min_time": 3, "max_time": 2}],
)
def test_numbers_without_meaning_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        measure(lambda: 1, **wrong)


def steady(times):
    return Measurement("f", times[0], np.array(times), load=2.5)


@pytest.mark.parametrize("lazy", [lambda: (n for n in range(3)), lambda: later()], ids=["generator", "coroutine"])
def test_what_has_done_no_work_is_refused_without_a_warning(lazy):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="none of its work"):
            measure(lazy, **QUICK)


async def later():
    return 1


@pytest.mark.parametrize(
    "wrong", [{"dtype": "int8", "flops": 1}, {"min_time": "long"}, {"setup": 3}, {"bytes": True}], ids=str
)
def test_a_mistake_costs_no_call(wrong):
    calls = []
    with pytest.raises((TypeError, ValueError), match="must be|are known for"):
        measure(lambda: calls.append(1), **wrong)
    assert not calls


def test_a_name_stays_on_one_line():
    assert str(measure(len, "", name="two\nlines", **QUICK)).startswith("two lines: ")


def test_work_that_no_cache_can_do_is_found_out_though_it_fits_there(rates):
    rates.now = rates.again = dataclasses.replace(rates.now, bandwidth=1e9)
    assert measure(lambda: None, bytes=1.9e6, **QUICK).suspicious


def test_ctrl_c_while_the_machine_is_measured_keeps_what_was_measured(monkeypatch):
    from hundredfold.toolkit import MeasurementInterrupted, calibrate

    def interrupted(again=False):
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrate, "cpu_rates", interrupted)
    with pytest.raises(MeasurementInterrupted) as stopped:
        measure(len, "", bytes=1e6, **QUICK)
    assert len(stopped.value.partial.times) == 3


def test_a_noisy_measurement_says_so(monkeypatch):
    assert steady([1.0, 1.01, 1.0, 0.99, 1.0]).noisy is None
    assert "samples differ by 50 %" in steady([1.0, 2.0, 3.0]).noisy
    assert "2.5 times the work" in steady([1.0, 2.0, 3.0]).noisy
    assert steady([0.232e-3] * 6 + [3.83e-3]).noisy.startswith("distrust this time")  # the published 746 µs ± 1.26 ms
    assert steady([1.0]).noisy is None and np.isnan(steady([1.0]).spread)
    assert "±" not in str(steady([1.0]))

    def noisy(sampler, **more):
        sampler.samples.times = [0.1, 0.1, 0.1, 5.0]

    monkeypatch.setattr(Sampler, "run", noisy)
    assert "(on this CPU) ⚠ distrust this time" in str(measure(lambda: 1, name="f"))


def test_the_names_are_functions_whatever_was_imported_before():
    # This file imported the package that holds them.
    for name in ("measure", "limit", "compare", "check", "hint", "report"):
        assert isinstance(getattr(hundredfold, name), types.FunctionType)
    code = (
        "import hundredfold.toolkit.timing, hundredfold.learning.checking, hundredfold.learning.reporting.making\n"
        "import inspect, hundredfold\nfrom hundredfold import check, measure, report\n"
        "assert all(map(inspect.isfunction, (check, measure, report))) and hundredfold.measure is measure\n"
        "print(measure(len, 'abc', repeat=1, min_time=0.001).value)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "3"


def test_no_module_has_the_name_of_a_function_of_the_package():
    """The import system would put the module in the function's place."""
    files = Path(hundredfold.__file__).parent.iterdir()
    modules = {path.stem for path in files if path.suffix == ".py" or (path / "__init__.py").exists()}
    functions = {name for name in hundredfold.__all__ if callable(getattr(hundredfold, name))}
    assert "measure" in functions and not modules & functions


def test_importing_it_is_light():
    code = (
        "import sys; from hundredfold import measure, limit, compare;"
        "print([m for m in ('numba', 'bokeh', 'cupy', 'IPython', 'scipy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
