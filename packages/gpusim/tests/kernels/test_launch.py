"""What a launch checks, when it runs, and what its author hears when it goes wrong."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from numba import float32

from gpusim.device import queue
from gpusim.kernels import Kernel
from gpusim.kernels.driver_errors import LaunchError, LinkerError
from gpusim.kernels.faults import DeadlockError, EndlessError, OutOfBoundsError, TooLongError, TraceError


def run(code, **env):
    """Run a program of its own, with the intrinsics as ``cuda``."""
    head = """
        import numpy as np
        from types import ModuleType
        from gpusim.device import queue
        from gpusim.kernels import Kernel; from gpusim.kernels.frontend import intrinsics
        cuda = ModuleType("numba.cuda")
        vars(cuda).update(intrinsics.TOP)
    """
    return textwrap.dedent(head) + textwrap.dedent(code)


def start(tmp_path, code, **env):
    script = tmp_path / "script.py"
    script.write_text(run(code))
    return subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **env}
    )


def test_a_picture_of_one_row_is_no_other_type(launch, cuda):
    """It lies in both orders; Numba takes it for row by row, so nothing is compiled for it again."""

    def kernel(x):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] += 1

    pictures = [np.zeros(shape) for shape in ((4, 5), (1, 5), (5, 1), (1, 1), (0, 3))]
    k = launch(kernel, 1, (8, 8), pictures[0])
    for x in pictures[1:]:
        launch(k, 1, (8, 8), x)
    assert all((x == 1).all() for x in pictures) and len(k._compiled) == 1
    launch(k, 1, (8, 8), np.zeros((4, 5), order="F"))
    launch(k, 1, (8, 8), np.zeros((4, 10))[:, ::2])
    assert len(k._compiled) == 3


def test_a_launch_returns_before_the_kernel_has_run(launch, cuda):
    def kernel(x):
        x[cuda.grid(1)] += 1

    x = np.zeros(32)
    k = launch(kernel, 1, 32, x)
    assert (x == 1).all()
    k.launch(1, 32, (x,))
    assert (x == 1).all()
    assert queue.pending() == 1
    queue.synchronize()
    assert (x == 2).all()


def test_each_launch_is_one_kernel_in_the_account(launch, cuda):
    def kernel(x):
        x[cuda.grid(1)] += 1

    before = queue.counters()
    k = launch(kernel, 100, 32, np.zeros(3200))  # the first: a part is traced
    launch(k, 100, 32, np.zeros(3200))
    assert (queue.counters() - before).kernels == 2
    assert [entry.name for entry in list(queue.log)[-2:]] == ["kernel", "kernel"]


@pytest.mark.parametrize("blocks", [1, 63, 64, 65, 1000])
def test_the_traced_and_the_untraced_part_are_the_whole(launch, cuda, blocks):
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    x = np.zeros(blocks * 8)
    launch(kernel, blocks, 8, x)
    assert (x == 1).all()


def test_much_work_in_a_block_is_traced_on_fewer_blocks_and_still_done_once(launch, cuda, monkeypatch):
    from gpusim.kernels import launch as module

    monkeypatch.setattr(module, "ENOUGH", 1000)

    def kernel(x, hits):
        i = cuda.grid(1)
        for k in range(100):
            x[i] += k
        cuda.atomic.add(hits, 0, 1)

    x, hits = np.zeros(3200), np.zeros(1, np.int64)
    launch(kernel, 100, 32, x, hits)
    assert (x == 4950).all()
    assert hits[0] == 3200


def racy(cuda):
    def kernel(x):
        x[0] += 1

    return kernel


def test_the_first_launch_raises_what_it_finds(launch, cuda):
    x = np.zeros(1)
    with pytest.raises(TraceError, match="GPUSIM_TRACE=off") as caught:
        launch(racy(cuda), 1, 64, x)
    assert {finding.kind for finding in caught.value.findings} == {"race"}


def test_the_check_can_be_off_and_for_every_launch(launch, cuda, monkeypatch):
    monkeypatch.setenv("GPUSIM_TRACE", "off")
    k = launch(racy(cuda), 1, 64, np.zeros(1))
    monkeypatch.setenv("GPUSIM_TRACE", "first")
    launch(k, 1, 64, np.zeros(1))  # not the first
    monkeypatch.setenv("GPUSIM_TRACE", "all")
    with pytest.raises(TraceError):
        launch(k, 1, 64, np.zeros(1))


def test_a_check_that_does_not_exist(launch, cuda, monkeypatch):
    monkeypatch.setenv("GPUSIM_TRACE", "always")
    with pytest.raises(ValueError, match="warn, first, report, all or off"):
        launch(racy(cuda), 1, 64, np.zeros(1))


def test_other_argument_types_are_checked_anew(launch, cuda):
    def kernel(x, n):
        i = cuda.grid(1)
        x[i if n > 0 else 0] = i

    k = launch(kernel, 1, 32, np.zeros(32), 1)
    with pytest.raises(TraceError):
        launch(k, 1, 32, np.zeros(32, np.float32), 0)


def test_out_of_bounds_names_everything(launch, cuda):
    def kernel(image, value):
        i, j = cuda.grid(2)
        image[i, j + 1] = value

    x = np.zeros((4, 8))
    with pytest.raises(OutOfBoundsError) as caught:
        launch(kernel, (1, 2), (4, 4), x, 1.0, trace="off")
    fault = caught.value
    assert (fault.array, fault.index, fault.axis, fault.size, fault.writing) == ("image", (0, 8), 1, 8, True)
    assert (fault.thread, fault.block) == ((0, 3, 0), (0, 1, 0))
    assert fault.line == 3
    assert fault.source_line.strip() == "image[i, j + 1] = value"
    assert fault.file_line == kernel.__code__.co_firstlineno + 2
    assert isinstance(fault, IndexError)


def test_out_of_bounds_in_a_device_function_names_it(launch, cuda, device_function):
    @device_function
    def pick(values, k):
        return values[k]

    def kernel(x):
        x[0] = pick(x, 10)

    with pytest.raises(OutOfBoundsError) as caught:
        launch(kernel, 1, 1, np.zeros(4))
    assert (caught.value.function, caught.value.line, caught.value.array) == ("pick", 3, "values")


def test_out_of_bounds_in_shared_memory_and_slices(launch, cuda):
    def shared(x):
        s = cuda.shared.array(8, float32)
        s[cuda.threadIdx.x] = 1
        cuda.syncthreads()
        x[0] = s[0]

    with pytest.raises(OutOfBoundsError, match=r"s\[8\]"):
        launch(shared, 1, 9, np.zeros(1), trace="off")

    def partial(x):
        row = x[4]
        row[0] = 1

    with pytest.raises(OutOfBoundsError, match="x"):
        launch(partial, 1, 1, np.zeros((4, 4)))


def test_the_next_launch_is_unaffected_by_a_fault(launch, cuda):
    def kernel(x, n):
        for _ in range(n):
            x[cuda.grid(1)] += 1

    x = np.zeros(32)
    k = Kernel(kernel)
    with pytest.raises(OutOfBoundsError):
        launch(k, 1, 64, x, 1)
    x[:] = 0
    launch(k, 1, 32, x, 3)
    assert (x == 3).all()


def test_an_endless_thread_is_told_with_its_loop(launch, cuda, monkeypatch):
    monkeypatch.setenv("GPUSIM_THREAD_SECONDS", "0.3")

    def kernel(x):
        k = 0
        if cuda.grid(1) == 5:
            while x[0] == 0:
                k += 1

    with pytest.raises(EndlessError) as caught:
        launch(kernel, 1, 32, np.zeros(1))
    assert caught.value.line == 4
    assert caught.value.thread == (5, 0, 0)
    assert "GPUSIM_THREAD_SECONDS" in str(caught.value)


@pytest.mark.large
def test_work_that_is_only_long_goes_on(launch, cuda, monkeypatch):
    """The limit is for a thread, and not for a launch."""
    monkeypatch.setenv("GPUSIM_THREAD_SECONDS", "0.3")

    def kernel(x, turns):
        i = cuda.grid(1)
        for k in range(turns):
            x[i] += 1.0 / (k + 1)

    k = launch(kernel, 1, 32, np.zeros(3200), 2)
    began = time.monotonic()
    launch(k, 100, 32, np.zeros(3200), 200_000)
    assert time.monotonic() - began > 0.3  # else this test shows nothing


def test_threads_that_wait_for_what_never_comes(launch, cuda):
    def kernel(x):
        t = cuda.threadIdx.x
        if t < 16:
            x[t] = cuda.shfl_sync(0xFFFFFFFF, t, 0)
        else:
            cuda.syncthreads()

    with pytest.raises(DeadlockError) as caught:
        launch(kernel, (1, 2), 32, np.zeros(32), trace="off")
    assert caught.value.line == 4
    assert caught.value.thread[0] < 16
    assert caught.value.block[0] == 0


def test_a_grid_that_would_take_days(launch, cuda, monkeypatch):
    from gpusim.kernels.backends.numba import workers

    monkeypatch.setattr(workers, "_PACE", 0.3)

    def kernel(x):
        cuda.atomic.add(x, 0, 1)  # which no optimiser leaves out

    k = launch(kernel, 1, 1, np.zeros(1))
    with pytest.raises(TooLongError, match="2,147,483,647 blocks of 1,024 threads"):
        launch(k, 2**31 - 1, 1024, np.zeros(1))


@pytest.mark.parametrize(
    ("grid", "block"), [((1,), (2048,)), ((1,), (1, 1, 65)), ((1, 65536), (1,)), ((1,), (32, 32, 2))]
)
def test_the_device_s_limits(launch, cuda, grid, block):
    def kernel(x):
        x[0] = 1

    x = np.zeros(1)
    with pytest.raises(LaunchError, match="CUDA_ERROR_INVALID_VALUE"):
        launch(kernel, grid, block, x)
    assert x[0] == 0


def test_too_much_static_shared_memory(launch, cuda):
    def kernel(x):
        s = cuda.shared.array((128, 128), float32)
        s[0, 0] = x[0]

    with pytest.raises(LinkerError, match="0x10000 bytes, 0xc000 max"):
        launch(kernel, 1, 1, np.zeros(1))


def test_a_wrong_number_of_arguments(launch, cuda):
    def kernel(x, y, factor=2):
        x[0] = y[0] * factor

    x = np.zeros(1)
    launch(kernel, 1, 1, x, np.ones(1))
    assert x[0] == 2
    with pytest.raises(TypeError, match=r"takes 2 to 3 arguments \(x, y, factor\), 1 was given"):
        launch(kernel, 1, 1, x)


@pytest.mark.parametrize("setting", ["GPUSIM_THREAD_SECONDS", "GPUSIM_LAUNCH_SECONDS"])
def test_a_setting_that_is_no_number(launch, cuda, monkeypatch, setting):
    monkeypatch.setenv(setting, "soon")

    def kernel(x):
        for k in range(3):
            x[0] = k

    with pytest.raises(ValueError, match=setting):
        launch(kernel, 1, 1, np.zeros(1))


def test_several_threads_launch_at_once(cuda):
    def kernel(x, n):
        i = cuda.grid(1)
        s = cuda.shared.array(64, float32)
        s[cuda.threadIdx.x] = i
        cuda.syncthreads()
        for _ in range(n):
            x[i] += s[63 - cuda.threadIdx.x]

    k = Kernel(kernel)
    arrays = [np.zeros(640) for _ in range(8)]
    errors = []

    def work(x):
        try:
            for _ in range(20):
                k.launch(10, 64, (x, 3))
                queue.synchronize()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = 60 * (np.arange(640) // 64 * 64 + 63 - np.arange(640) % 64)
    assert not errors
    assert all(np.array_equal(x, wanted) for x in arrays)


@pytest.mark.large
def test_types_that_look_alike_are_compiled_apart(launch, cuda):
    """Integers beyond int64, arrays that are not aligned, times in other units: each with its own shared memory."""

    def kernel(x, value, out):
        s = cuda.shared.array(32, float32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        out[t] = s[31 - t] + (1 if value > 10 else 0)

    packed = np.zeros(32, np.dtype([("pad", np.int8), ("x", np.float32)]))
    packed["x"] = np.arange(32)
    k = Kernel(kernel)
    for x in (np.arange(32, dtype=np.float32), packed["x"]):
        for value in (5, 2**63 + 5):
            out = np.zeros(32)
            launch(k, 1, 32, x, value, out)
            assert np.array_equal(out, np.arange(32)[::-1] + (value > 10))


def test_the_whole_launch_traced(cuda):
    def kernel(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i - 1] + x[i]

    x, out = np.arange(100.0), np.zeros(100)
    log, fault = Kernel(kernel).trace(4, 32, (x, out))
    assert fault is None
    assert [array.name for array in log.arrays] == ["x", "out"]
    records = np.concatenate([chunk[0] for chunk in log.chunks])
    kinds = np.array([site.kind for site in log.sites])[records["site"]]
    assert (kinds == "read").sum() == 200
    assert (kinds == "write").sum() == 100
    writes = records[kinds == "write"]
    assert np.array_equal(writes["element"], np.arange(100))
    assert np.array_equal(writes["thread"], np.arange(100))
    values = np.concatenate([chunk[1] for chunk in log.chunks]).view(np.float64)
    assert np.array_equal(values, out)
    assert records.dtype.itemsize <= 32


def test_a_trace_keeps_what_came_before_a_fault(cuda):
    def kernel(x):
        x[cuda.grid(1)] = 1

    log, fault = Kernel(kernel).trace(1, 32, (np.zeros(8),))
    assert isinstance(fault, OutOfBoundsError)
    assert sum(len(chunk[0]) for chunk in log.chunks) == 8


def test_intervals_in_the_log(cuda):
    def kernel(x):
        s = cuda.shared.array(64, float32)
        t = cuda.threadIdx.x
        for k in range(3):
            s[t] = k
            cuda.syncthreads()
        cuda.syncwarp()
        x[cuda.grid(1)] = s[t]

    log, _ = Kernel(kernel).trace(2, 64, (np.zeros(128),))
    records = np.concatenate([chunk[0] for chunk in log.chunks])
    kinds = np.array([site.kind for site in log.sites])[records["site"]]
    names = np.array([array.name for array in log.arrays])[records["array"]]
    assert sorted(records["interval"][kinds == "write"].tolist()) == [0] * 128 + [1] * 128 + [2] * 128 + [3] * 128
    assert set(records["warp"][names == "x"]) == {1}
    assert set(records["warp"][(names == "s") & (kinds == "write")]) == {0}
    assert records["element"][names == "s"].max() == 63


def test_types_are_shown_line_by_line(cuda, capsys):
    def kernel(x, factor):
        value = x[0] * factor
        x[0] = value

    Kernel(kernel).inspect_types((np.zeros(1, np.float32), 2))
    shown = capsys.readouterr().out
    assert "# value :: float64" in shown
    assert "_hf" not in shown


def test_a_process_that_never_launches_pays_nothing():
    code = """
        import sys
        def kernel(x): x[0] = 1
        Kernel(kernel)
        loaded = [name for name in sys.modules if name.split(".")[0] in ("numba", "llvmlite")]
        assert not loaded, loaded
    """
    assert subprocess.run([sys.executable, "-c", run(code)], check=False).returncode == 0


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_stops_a_long_launch_and_the_next_one_runs(tmp_path):
    code = """
        import time
        def long(x):
            for k in range(10**9):
                x[cuda.grid(1)] += 1.0 / (k + 1)
        def short(x):
            x[cuda.grid(1)] = 7
        x = np.zeros(64)
        k = Kernel(long)
        k.compiled((x,))
        print("ready", flush=True)
        try:
            k.launch(2, 32, (x,), trace="off")
            queue.synchronize()
            print("not stopped")
        except KeyboardInterrupt:
            print("stopped")
        Kernel(short).launch(2, 32, (x,))
        queue.synchronize()
        print((x == 7).all())
    """
    process = start(tmp_path, code, GPUSIM_THREAD_SECONDS="60")
    assert process.stdout.readline().strip() == "ready"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert out.split() == ["stopped", "True"], err


UNWAITED = """
import multiprocessing
import numpy as np
from numba import cuda

@cuda.jit
def wait_for(x, n):
    while x[0] == n:
        pass

x = cuda.to_device(np.zeros(4))
wait_for[1, 32](x, 1.0)
cuda.synchronize()
wait_for[1, 32](x, 0.0)
{after}
"""
FORKED = "child = multiprocessing.get_context('fork').Process(target=print); child.start(); child.join()"


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
@pytest.mark.parametrize(
    ("after", "told", "status"),
    [("", 1, 0), ("wait_for[1, 32](x, 0.0)", 2, 0), (FORKED, 1, 0), ("cuda.synchronize()", 0, 1)],
)
def test_an_error_that_nobody_waited_for_is_told_at_the_end(way, after, told, status, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(UNWAITED.format(after=after))
    environ = {**os.environ, "GPUSIM_KERNELS": way, "GPUSIM_THREAD_SECONDS": "0.2"}
    ended = subprocess.run([sys.executable, "-m", "gpusim", str(program)], env=environ, capture_output=True, text=True)
    assert ended.returncode == status, ended.stderr
    assert ended.stderr.count("An error in wait_for, which the program did not wait for") == told
    assert ended.stderr.count("wait_for does not end") == max(told, 1)
