"""Devices, memory, streams and events of the simulated library."""

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from gpusim.device import queue

MIB = 2**20


def run(code, **environment):
    """Run code in a simulating process of its own: devices and their memory are fixed when it starts."""
    prelude = "import gpusim.importing as s; s.activate(); import numpy as np, cupy as cp\n"
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "CUDA", "CUPY"))
    }
    subprocess.run(
        [sys.executable, "-c", prelude + textwrap.dedent(code)], check=True, env=clean | environment, timeout=60
    )


def test_the_default_pool_counts_arrays(cp):
    pool = cp.get_default_memory_pool()
    queue.run()
    gc.collect()  # arrays in cycles of earlier tests
    pool.free_all_blocks()
    before, free, total = (
        pool.used_bytes(),
        pool.free_bytes(),
        pool.total_bytes(),
    )  # pieces beside what earlier tests hold
    x = cp.zeros((1000, 1000))
    assert pool.used_bytes() - before == 8_000_000
    view = x[::2]
    del x
    assert pool.used_bytes() - before == 8_000_000  # the view holds it
    del view
    assert pool.used_bytes() == before and pool.free_bytes() >= 8_000_000
    pool.free_all_blocks()
    assert pool.free_bytes() <= free and pool.total_bytes() <= total


def test_temporaries_are_freed_at_the_call_not_at_the_synchronisation(cp):
    pool = cp.get_default_memory_pool()
    x = cp.ones(MIB)
    queue.run()
    gc.collect()
    before = pool.used_bytes()
    y = (x + 1) * 2 - x
    assert queue.pending() and pool.used_bytes() - before == 8 * MIB
    assert float(y[0]) == 3.0


def test_a_limit_raises_at_the_call(cp):
    pool = cp.get_default_memory_pool()
    queue.run()
    pool.free_all_blocks()
    try:
        pool.set_limit(size=pool.total_bytes() + 10 * MIB)
        with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="Out of memory allocating 800,000,000 bytes"):
            cp.zeros(100_000_000)
        cp.zeros(1_000_000)
        pool.set_limit(fraction=0.5)
        assert pool.get_limit() == cp.cuda.Device().mem_info[1] // 2
        with pytest.raises(ValueError, match="fraction out of range"):
            pool.set_limit(fraction=2)
    finally:
        pool.set_limit(size=0)


def test_another_allocator(cp):
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.ones(1000)
    assert pool.used_bytes() == 8192
    assert float(x.sum()) == 1000
    del x
    assert pool.used_bytes() == 0
    pointer = cp.cuda.alloc(800)
    y = cp.ndarray((100,), "float64", pointer)
    y.fill(3)
    assert float(y.sum()) == 300


def test_memory_of_the_device():
    run(
        """
        free, total = cp.cuda.Device().mem_info
        assert total == 65 * 2**20 and cp.cuda.runtime.memGetInfo()[1] == total
        x = cp.zeros(4 * 2**20)
        assert cp.cuda.runtime.memGetInfo()[0] == 33 * 2**20
        try:
            cp.zeros(5 * 2**20)
        except cp.cuda.memory.OutOfMemoryError as error:
            assert str(error) == "Out of memory allocating 41,943,040 bytes (allocated so far: 33,554,432 bytes).", error
        else:
            raise SystemExit("no error")
        y = (x + 1).sum()  # fits: 32 + 32, and the sum
        assert float(y) == 4 * 2**20
        """,
        GPUSIM_GPU_MEMORY="65MiB",
    )


def test_two_devices():
    run(
        """
        import warnings
        assert cp.cuda.runtime.getDeviceCount() == 2
        x = cp.ones(5)
        with cp.cuda.Device(1):
            assert cp.cuda.runtime.getDevice() == 1
            y = cp.ones(5)
            assert y.device.id == 1 and x.device == cp.cuda.Device(0)
            assert cp.get_default_memory_pool().used_bytes() == 512
        assert cp.cuda.Device().id == 0
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            z = x + y
        assert z.device.id == 0 and z.tolist() == [2.0] * 5
        assert "Peer access has been activated automatically" in str(seen[0].message)
        moved = cp.asarray(y)
        assert moved.device.id == 0 and moved.tolist() == [1.0] * 5
        try:
            cp.cuda.Device(2).use()
        except cp.cuda.runtime.CUDARuntimeError as error:
            assert str(error) == "cudaErrorInvalidDevice: invalid device ordinal"
        else:
            raise SystemExit("no error")
        import threading
        ids = []
        def work():
            ids.append(cp.cuda.Device().id)
        with cp.cuda.Device(1):
            thread = threading.Thread(target=work); thread.start(); thread.join()
        assert ids == [0]  # the current device is the thread's own
        """,
        GPUSIM_GPUS="2",
    )


def test_visible_devices_are_a_part():
    run("assert cp.cuda.runtime.getDeviceCount() == 1", GPUSIM_GPUS="4", CUDA_VISIBLE_DEVICES="2")


def test_visible_devices_are_read_at_the_first_use_not_at_the_import():
    """As with CUDA: a worker of Dask-CUDA is told its device after its modules were imported."""
    run(
        """
        import os
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        assert cp.cuda.runtime.getDeviceCount() == 1
        assert cp.ones(3).sum() == 3
        """,
        GPUSIM_GPUS="2",
    )


def test_events_time_simulated_work_and_say_so(cp):
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    x = cp.ones(200_000)
    start.record()
    for _ in range(10):
        x = cp.sin(x)
    stop.record()
    stop.synchronize()
    elapsed = cp.cuda.get_elapsed_time(start, stop)
    assert isinstance(elapsed, float) and elapsed > 0.1
    assert repr(elapsed).endswith("(simulated on this CPU)") and str(elapsed).endswith("(simulated on this CPU)")
    assert "simulated" not in f"{elapsed:.3f}" and elapsed + 1 > 1
    with pytest.raises(RuntimeError, match="cudaErrorInvalidResourceHandle"):
        cp.cuda.get_elapsed_time(start, cp.cuda.Event())


def test_streams_order_work(cp):
    first, second = cp.cuda.Stream(), cp.cuda.Stream(non_blocking=True)
    seen = []
    with first:
        assert cp.cuda.get_current_stream() == first
        x = cp.ones(10) * 2
        done = first.record()
        first.launch_host_func(seen.append, "called")
    with second:
        second.wait_event(done)
        y = x + 1
    second.synchronize()
    assert y.tolist() == [3.0] * 10 and seen == ["called"]
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null and second.done


def test_benchmark_is_cupys(cp):
    from cupyx.profiler import benchmark, time_range

    x = cp.ones(100_000)
    result = benchmark(cp.sin, (x,), n_repeat=5, n_warmup=1)
    assert result.name == "cupy_sin" and result.cpu_times.shape == (5,) and result.gpu_times.shape == (1, 5)
    assert (result.gpu_times[0] > result.cpu_times).all()  # the call returns before the work
    assert str(result).endswith("us (simulated on this CPU)") and "CPU:" in repr(result) and "GPU-0:" in repr(result)
    assert benchmark(cp.sin, (x,), n_repeat=1000, max_duration=0.01).cpu_times.size < 1000
    with pytest.raises(ValueError, match="`args` should be of tuple type"):
        benchmark(cp.sin, [x])
    with time_range("part", sync=True):
        cp.sin(x)


def test_properties_of_the_device(cp):
    properties = cp.cuda.runtime.getDeviceProperties(0)
    assert properties["name"] == b"Simulated GPU" and (properties["major"], properties["minor"]) == (9, 0)
    assert cp.cuda.Device(0).compute_capability == "90" and cp.cuda.runtime.driverGetVersion() >= 12000
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.runtime.getDeviceProperties(5)


def test_pinned_memory(cp):
    cp.get_default_pinned_memory_pool().free_all_blocks()
    memory = cp.cuda.alloc_pinned_memory(80)
    host = np.frombuffer(memory, np.float64, 10)
    host[:] = 4
    assert float(cp.asarray(host).sum()) == 40
    assert cp.get_default_pinned_memory_pool().n_free_blocks() == 0


def test_the_array_interface_is_that_of_a_device(cp):
    x = cp.arange(6.0).reshape(2, 3)
    interface = x.__cuda_array_interface__
    assert interface["shape"] == (2, 3) and interface["typestr"] == "<f8" and interface["strides"] is None
    assert interface["data"] == (x.data.ptr, False) and x.T.__cuda_array_interface__["strides"] == (8, 24)
    assert x[1:].data.ptr - x.data.ptr == 24


def test_the_memory_of_an_object_with_an_array_interface_is_shared(cp):
    class Wrapper:
        def __init__(self, array):
            self.array = array

        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    x = cp.arange(12.0).reshape(3, 4)
    for view in (x, x.T, x[::-1, 1::2]):
        shared = cp.asarray(Wrapper(view))
        assert shared.data.ptr == view.data.ptr and (shared == view).all()
    shared[...] = -1
    assert float(x[0, 1]) == -1
    copied = cp.array(Wrapper(x))
    copied[...] = 5
    assert float(x[0, 1]) == -1


def test_an_ufunc_writes_to_an_object_with_an_array_interface(cp):
    """[cupy/_core/_kernel.pyx, ufunc.__call__: _preprocess_optional_args(dev_id, out_args)]"""
    x, out, mask = cp.arange(3.0), cp.zeros(3), cp.array([True, False, True])

    class Wrapper:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    class Pretender:
        @property
        def __cuda_array_interface__(self):
            raise AttributeError("the column is on the host")

    made = cp.add(x, 1, out=Wrapper(out), _where=Wrapper(mask))
    assert type(made) is cp.ndarray and out.tolist() == made.tolist() == [1, 0, 3]
    for call in (cp.negative, lambda it: cp.add(x, it), lambda it: cp.add(1, it), lambda it: cp.add(x, 1, out=it),
                 lambda it: cp.add(x, 1, _where=it), lambda it: x.__iadd__(it), lambda it: cp.concatenate([x, it]), lambda it: x.round(out=it)):  # fmt: skip
        with pytest.raises(TypeError, match="Unsupported type <class '.*Pretender'>") as raised:
            call(Pretender())
        assert raised.type is TypeError


def test_memory_that_is_not_ours_is_refused(cp):
    class Foreign:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (4096, False), "version": 3}

    with pytest.raises(NotImplementedError, match="taking over the device memory"):
        cp.asarray(Foreign())
