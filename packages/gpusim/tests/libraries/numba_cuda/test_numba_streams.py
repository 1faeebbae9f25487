"""Streams, events, pinned memory, contexts and devices."""

import asyncio
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from gpusim.device import queue


def test_a_transfer_with_a_stream_waits_only_where_the_memory_is_not_pinned(cuda, counted):
    stream = cuda.stream()
    d = cuda.to_device(np.arange(4.0))
    counted()
    host = d.copy_to_host(stream=stream)
    assert counted().syncs == 1 and host.tolist() == [0, 1, 2, 3]
    pinned = cuda.pinned_array(4)
    pinned[:] = -1
    d.copy_to_host(pinned, stream=stream)
    did = counted()
    assert (did.syncs, did.d2h_count) == (0, 1) and pinned.tolist() == [-1] * 4 and queue.pending()
    stream.synchronize()
    assert pinned.tolist() == [0, 1, 2, 3] and counted().syncs == 1
    with cuda.pinned(host):
        d.copy_to_host(host, stream=stream)
        assert counted().syncs == 0
    d.copy_to_host(host, stream=stream)
    assert counted().syncs == 1


def test_host_memory_may_change_after_a_queued_transfer_unless_it_is_pinned(cuda):
    stream = cuda.stream()
    plain, pinned = np.ones(3), cuda.pinned_array(3)
    pinned[:] = 1
    first, second = cuda.to_device(plain, stream=stream), cuda.to_device(pinned, stream=stream)
    plain[:] = pinned[:] = 2
    stream.synchronize()
    assert first.copy_to_host().tolist() == [1] * 3
    assert second.copy_to_host().tolist() == [2] * 3  # the race that it is on a GPU, lost


def test_a_transfer_without_a_stream_comes_after_what_was_launched(cuda):
    d = cuda.to_device(np.zeros(3))
    d.setitem(slice(None), 1.0, stream=cuda.stream())
    assert queue.pending()
    cuda.to_device(np.zeros(1))
    assert not queue.pending()


def test_streams_say_what_they_are(cuda):
    assert repr(cuda.default_stream()) == "<Default CUDA stream>" and int(cuda.default_stream()) == 0
    assert repr(cuda.legacy_default_stream()) == "<Legacy default CUDA stream>"
    assert repr(cuda.per_thread_default_stream()) == "<Per-thread default CUDA stream>"
    assert repr(cuda.external_stream(77)) == "<External CUDA stream 77>"
    stream = cuda.stream()
    assert repr(stream) == f"<CUDA stream {int(stream)}>" and stream.__cuda_stream__() == (0, int(stream))
    with pytest.raises(TypeError, match="must be an int"):
        cuda.external_stream("7")
    with stream.auto_synchronize() as same:
        queue.submit("work", int, (), (), ())
        assert same is stream
    assert not queue.pending()


def test_callbacks_come_without_a_synchronisation_and_in_order(cuda):
    stream, seen, done = cuda.stream(), [], threading.Event()
    queue.submit("work", seen.append, ("work",), (), ())
    stream.add_callback(lambda s, status, arg: (seen.append((s is stream, status, arg)), done.set()), "mine")
    assert done.wait(30)
    assert seen == ["work", (True, 0, "mine")]


def test_a_callback_that_fails_warns_and_a_kernel_that_fails_before_it_is_raised_later(cuda):
    stream, done = cuda.stream(), threading.Event()
    queue.submit("bad", int, ("no number",), (), ())
    stream.add_callback(lambda *_: done.set())
    assert done.wait(30)
    with pytest.raises(ValueError, match="invalid literal"):
        for _ in range(1000):
            stream.synchronize()
    with pytest.warns(UserWarning, match="Exception in stream callback: 'x'"):
        queue.submit_uncounted("callback", sys.modules["numba.cuda._streams"]._call, (lambda *_: {}["x"], stream, None))
        queue.run()


def test_awaiting_a_stream(cuda):
    async def main():
        stream = cuda.stream()
        d = cuda.device_array(3)
        d.setitem(slice(None), 4.0, stream=stream)
        return await stream.async_done() is stream, d

    same, d = asyncio.run(asyncio.wait_for(main(), 30))
    assert same and d.copy_to_host().tolist() == [4] * 3


def test_events_measure_this_cpu_and_say_so(cuda):
    start, end = cuda.event(), cuda.event()
    start.record()
    queue.submit("work", sum, (range(100_000),), (), ())
    end.record(cuda.stream())
    end.wait()
    end.synchronize()
    elapsed = cuda.event_elapsed_time(start, end)
    assert elapsed > 0 and end.query() and str(elapsed).endswith("ms (simulated on this CPU)".removeprefix("ms "))
    assert f"{elapsed:.0f}".isdigit() and start.elapsed_time(end) == elapsed
    from numba.cuda.cudadrv.driver import CudaAPIError

    with pytest.raises(CudaAPIError, match="CUDA_ERROR_INVALID_HANDLE.*never recorded"):
        cuda.event_elapsed_time(start, cuda.event())
    untimed = cuda.event(timing=False)
    untimed.record()
    with pytest.raises(CudaAPIError, match="timing=False"):
        start.elapsed_time(untimed)
    with pytest.raises(TypeError, match="Expected a Stream object or 0"):
        start.record(5)


def test_the_device_says_what_kernels_and_courses_ask(cuda):
    device = cuda.get_current_device()
    assert device.compute_capability == (9, 0) and device.WARP_SIZE == 32 and device.MAX_THREADS_PER_BLOCK == 1024
    assert device.MULTIPROCESSOR_COUNT == 132 and device.MAX_SHARED_MEMORY_PER_BLOCK == 49152
    assert "imulated" in device.name and device.id == 0 and repr(device).startswith("<CUDA device 0 ")
    assert device.get_device_identity()["pci_device_id"] == 0 and device.supports_float16
    with pytest.raises(NotImplementedError, match="MEMORY_CLOCK_RATE"):
        _ = device.MEMORY_CLOCK_RATE
    with pytest.raises(AttributeError, match="NONSENSE"):
        _ = device.NONSENSE
    device.reset()
    assert cuda.current_context().device is device and cuda.current_context() == device.get_primary_context()
    with pytest.raises(IndexError, match="there is 1 simulated device"):
        cuda.select_device(1)
    assert str(cuda.gpus) == "<Managed Device 0>" and len(cuda.list_devices()) == 1 and cuda.gpus.current.id == 0
    assert cuda.is_supported_version() and cuda.cuda_error() is None and cuda.runtime.get_version() >= (12, 0)
    with cuda.defer_cleanup(), cuda.profiling():
        pass


SEVERAL = """
import threading, numpy as np, warnings
warnings.simplefilter("ignore")
from numba import cuda
from numba.cuda.cudadrv.driver import CudaAPIError

@cuda.jit
def one(x):
    x[cuda.grid(1)] = 1

first = cuda.to_device(np.zeros(32))
free = [cuda.gpus[i].get_primary_context().get_memory_info().free for i in (0, 1)]
with cuda.gpus[1]:
    assert cuda.get_current_device().id == 1
    second = cuda.device_array(2**20)
    one[1, 32](second)
    try:
        one[1, 32](first)
    except CudaAPIError as error:
        assert error.code == 700 and "device 0" in str(error)
    else:
        raise SystemExit("memory of another device was used")
    cuda.current_context().enable_peer_access(cuda.gpus[0].get_primary_context())
    one[1, 32](first)
assert cuda.get_current_device().id == 0
after = [cuda.gpus[i].get_primary_context().get_memory_info().free for i in (0, 1)]
assert after[0] == free[0] and after[1] <= free[1] - 2**23, (free, after)
seen = []
def work():
    cuda.select_device(1)
    seen.append(cuda.get_current_device().id)
    cuda.close()
thread = threading.Thread(target=work); thread.start(); thread.join()
assert seen == [1] and cuda.get_current_device().id == 0
assert cuda.current_context().can_access_peer(1) and str(cuda.gpus) == "<Managed Device 0>, <Managed Device 1>"
"""


def test_several_devices_are_apart(tmp_path):
    path = tmp_path / "several.py"
    path.write_text(SEVERAL)
    env = os.environ | {"GPUSIM_SIMULATE": "1", "GPUSIM_GPUS": "2"}
    done = subprocess.run(
        [sys.executable, "-m", "gpusim", str(path)], capture_output=True, text=True, timeout=120, env=env
    )
    assert done.returncode == 0, done.stderr
