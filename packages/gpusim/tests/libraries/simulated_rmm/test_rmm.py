"""RMM: resources over the simulated device's memory, counted, limited and given back."""

import os
import subprocess
import sys

import pytest

SETTINGS = {"GPUSIM_GPU_MEMORY": "256MiB"}
IMPORTS = """
import os, pickle, tempfile
import numpy as np
import pytest
import rmm, rmm.statistics
from rmm.pylibrmm.stream import DEFAULT_STREAM, Stream
MiB = 1 << 20
"""


@pytest.fixture
def rmm(simulating):
    yield simulating
    simulating("rmm.reinitialize()\nimport sys\nif 'cupy' in sys.modules: sys.modules['cupy'].cuda.set_allocator()")


def test_memory_is_taken_and_given_back(rmm):
    rmm("""
        free, total = rmm.mr.available_device_memory()
        assert total == 256 * MiB
        buffer = rmm.DeviceBuffer(size=10 * MiB)
        assert rmm.mr.available_device_memory()[0] == free - 10 * MiB
        del buffer
        assert rmm.mr.available_device_memory()[0] == free
    """)


def test_more_than_there_is_is_rmms_error(rmm):
    rmm("""
        with pytest.raises(MemoryError, match=r"^std::bad_alloc: out_of_memory: CUDA error \\(failed to allocate 536870912 "
                           r"bytes\\) at: .*: cudaErrorMemoryAllocation out of memory$"):
            rmm.DeviceBuffer(size=512 * MiB)
        held = [rmm.DeviceBuffer(size=100 * MiB) for _ in range(2)]
        with pytest.raises(MemoryError):
            rmm.DeviceBuffer(size=100 * MiB)
        del held[0]
        rmm.DeviceBuffer(size=100 * MiB)
    """)


def test_a_pool_begins_grows_and_ends(rmm):
    rmm("""
        rmm.reinitialize(pool_allocator=True, initial_pool_size="64MiB", maximum_pool_size="128MiB")
        pool = rmm.mr.get_current_device_resource()
        assert type(pool) is rmm.mr.PoolMemoryResource and pool.pool_size() == 64 * MiB
        assert rmm.mr.available_device_memory()[0] == 192 * MiB
        held = [rmm.DeviceBuffer(size=30 * MiB) for _ in range(3)]
        assert 94 * MiB <= pool.pool_size() <= 128 * MiB
        size = pool.pool_size()
        del held
        held = [rmm.DeviceBuffer(size=30 * MiB) for _ in range(3)]
        assert pool.pool_size() == size, "freed memory is used again"
        with pytest.raises(MemoryError, match="Maximum pool size exceeded .failed to allocate 60.000000 MiB"):
            rmm.DeviceBuffer(size=60 * MiB)
        del held, pool
        rmm.reinitialize()
        assert rmm.mr.available_device_memory()[0] == 256 * MiB
    """)


def test_half_of_what_is_free_is_a_pools_default_and_sizes_must_fit(rmm):
    rmm("""
        rmm.reinitialize(pool_allocator=True)
        assert rmm.mr.get_current_device_resource().pool_size() == 128 * MiB
        rmm.reinitialize()
        cuda = rmm.mr.CudaMemoryResource()
        with pytest.raises(RuntimeError, match="multiple of 256 bytes"):
            rmm.mr.PoolMemoryResource(cuda, 1000)
        with pytest.raises(ValueError, match="Could not parse 3 buckets as a byte specification"):
            rmm.mr.PoolMemoryResource(cuda, "3 buckets")
        with pytest.raises(MemoryError):
            rmm.mr.PoolMemoryResource(cuda, "1GiB")
    """)


def test_content_of_two_owners_of_a_pool_stays_apart(rmm):
    rmm("""
        rmm.reinitialize(pool_allocator=True, initial_pool_size="1MiB")
        buffers = [rmm.DeviceBuffer.to_device(bytes([i]) * (100 * i + 1)) for i in range(60)]
        assert all(b.tobytes() == bytes([i]) * (100 * i + 1) for i, b in enumerate(buffers))
        assert len({b.ptr for b in buffers}) == 60
    """)


def test_managed_memory_may_be_more_than_the_device_has(rmm):
    rmm("""
        rmm.reinitialize(managed_memory=True)
        buffer = rmm.DeviceBuffer(size=512 * MiB)
        assert buffer.size == 512 * MiB
    """)


def test_a_buffer_copies_to_and_fro(rmm):
    rmm("""
        buffer = rmm.DeviceBuffer.to_device(b"abcdef")
        assert bytes(buffer) == b"abcdef" and len(buffer) == buffer.nbytes == 6
        into = bytearray(8)
        assert buffer.copy_to_host(into) is into and into == b"abcdef\\0\\0"
        with pytest.raises(ValueError, match="Argument `ary` is too small. Need space for 6 bytes."):
            buffer.copy_to_host(bytearray(5))
        with pytest.raises(ValueError, match="Argument `ary` is too large. Need space for 7 bytes."):
            buffer.copy_from_host(b"1234567")
        buffer.copy_from_host(b"XY")
        other = buffer.copy()
        assert other.ptr != buffer.ptr and other.tobytes() == b"XYcdef"
        other.copy_from_device(rmm.DeviceBuffer.to_device(b"12"))
        assert other.tobytes() == b"12cdef" and buffer.tobytes() == b"XYcdef"
        other.resize(10)
        assert other.size == 10 and other.tobytes()[:6] == b"12cdef" and other.capacity() >= 10
        assert pickle.loads(pickle.dumps(buffer)).tobytes() == b"XYcdef"
        with pytest.raises(TypeError, match="expected bytes-like, got NoneType"):
            rmm.DeviceBuffer.to_device(None)
        assert rmm.DeviceBuffer().ptr == 0 == rmm.DeviceBuffer().size
    """)


def test_what_goes_over_the_bus_is_counted(rmm):
    rmm("""
        from gpusim.device import queue
        before = queue.counters()
        buffer = rmm.DeviceBuffer.to_device(bytes(1000))
        buffer.copy()
        buffer.copy_to_host()
        moved = queue.counters() - before
        assert (moved.h2d_bytes, moved.d2h_bytes) == (1000, 1000), moved
    """)


def test_others_read_a_buffer_through_its_interface(rmm):
    rmm("""
        import cupy, numba.cuda
        buffer = rmm.DeviceBuffer.to_device(b"abc")
        assert buffer.__cuda_array_interface__["data"] == (buffer.ptr, False)
        assert cupy.asarray(buffer).tolist() == [97, 98, 99]
        assert numba.cuda.as_cuda_array(buffer).copy_to_host().tolist() == [97, 98, 99]
    """)


def test_cupy_takes_its_memory_from_rmm(rmm):
    rmm("""
        import cupy
        from rmm.allocators.cupy import rmm_cupy_allocator
        counting = rmm.mr.StatisticsResourceAdaptor(rmm.mr.CudaMemoryResource())
        rmm.mr.set_current_device_resource(counting)
        cupy.cuda.set_allocator(rmm_cupy_allocator)
        x = cupy.arange(1000.0)
        y = x + x
        assert counting.allocation_counts.current_bytes == 16_000 and counting.allocation_counts.current_count == 2
        assert float(y.sum()) == 999_000
        del x, y
        counts = counting.allocation_counts
        assert counts.current_bytes == 0 and counts.peak_bytes >= 16_000 and counts.total_count >= 2
        with pytest.raises(MemoryError, match="^std::bad_alloc: out_of_memory"):
            cupy.zeros(100_000_000)
    """)


def test_a_resource_does_not_give_memory_out_twice(rmm):
    """rmm_cupy_allocator's DeviceBuffer is the owner of the UnownedMemory that the pointer keeps (rmm/allocators/cupy.py)."""
    rmm("""
        import cupy
        from rmm.allocators.cupy import rmm_cupy_allocator
        rmm.mr.set_current_device_resource(rmm.mr.FixedSizeMemoryResource(rmm.mr.CudaMemoryResource(), 1024, 4))
        cupy.cuda.set_allocator(rmm_cupy_allocator)
        first = cupy.ndarray((4,), float, cupy.cuda.alloc(32))
        first[...] = 1
        second = cupy.full(4, 2.0)
        assert first.tolist() == [1.0] * 4 and first.data.ptr != second.data.ptr
        pointer = rmm_cupy_allocator(0)
        assert (pointer.ptr, pointer.mem.size) == (0, 0)
    """)


@pytest.mark.parametrize("order", ["cudf cupy numba.cuda", "cupy numba.cuda cudf", "numba.cuda cudf cupy"])
def test_with_cudf_cupy_and_numba_take_their_memory_from_rmm(order):
    """cudf/__init__.py of 26.10 sets both allocators, so CuPy's own pool stays empty on a GPU."""
    code = f"""
import importlib
for name in {order.split()}:
    importlib.import_module(name)
import cupy, rmm
from numba import cuda
counting = rmm.mr.StatisticsResourceAdaptor(rmm.mr.CudaMemoryResource())
rmm.mr.set_current_device_resource(counting)
x = cupy.zeros(1000)
assert cupy.get_default_memory_pool().used_bytes() == 0
assert counting.allocation_counts.current_bytes == 8000
y = cuda.device_array(500)
assert counting.allocation_counts.current_bytes == 12_000
pool = cupy.cuda.MemoryPool()
cupy.cuda.set_allocator(pool.malloc)  # who sets another one has it
import cudf
z = cupy.zeros(1000)
assert pool.used_bytes() == 8192
"""
    environment = os.environ | {"GPUSIM_SIMULATE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


def test_limits_trackers_and_callbacks(rmm):
    rmm("""
        cuda = rmm.mr.CudaMemoryResource()
        limited = rmm.mr.LimitingResourceAdaptor(cuda, 1000)
        ptr = limited.allocate(300)
        assert limited.get_allocated_bytes() == 512 and limited.get_allocation_limit() == 1000  # steps of 256
        with pytest.raises(MemoryError, match="Exceeded memory limit .failed to allocate 600.000000 B"):
            limited.allocate(600)
        limited.deallocate(ptr, 300)
        assert limited.get_allocated_bytes() == 0
        with pytest.raises(ValueError, match="was not allocated from this"):
            limited.deallocate(ptr, 300)

        tracking = rmm.mr.TrackingResourceAdaptor(cuda, capture_stacks=True)
        buffer = rmm.DeviceBuffer(size=100, mr=tracking)
        assert tracking.get_allocated_bytes() == 100 and hex(buffer.ptr) in tracking.get_outstanding_allocations_str()
        del buffer
        assert tracking.get_allocated_bytes() == 0 == len(tracking.get_outstanding_allocations_str())

        asked = []
        patient = rmm.mr.FailureCallbackResourceAdaptor(cuda, lambda n: asked.append(n) or len(asked) < 3)
        with pytest.raises(MemoryError):
            patient.allocate(1 << 40)
        assert asked == [1 << 40] * 3

        took = []
        mine = rmm.mr.CallbackMemoryResource(
            lambda n, stream: took.append(n) or cuda.allocate(n, stream), lambda p, n, stream: cuda.deallocate(p, n, stream)
        )
        assert rmm.DeviceBuffer(size=77, mr=mine).size == 77 and took == [77]

        with pytest.raises(Exception, match="Argument `upstream_mr` must not be None"):
            rmm.mr.TrackingResourceAdaptor(None)
        with pytest.raises(TypeError, match="Argument 'mr' has incorrect type .*DeviceMemoryResource, got int"):
            rmm.mr.set_current_device_resource(3)
    """)


def test_bins_and_blocks_of_one_size(rmm):
    rmm("""
        fixed = rmm.mr.FixedSizeMemoryResource(rmm.mr.CudaMemoryResource(), 1 << 16, 4)
        places = [fixed.allocate(100) for _ in range(6)]
        assert len(set(places)) == 6
        with pytest.raises(MemoryError):
            fixed.allocate((1 << 16) + 1)
        for place in places: fixed.deallocate(place, 100)
        upstream = rmm.mr.StatisticsResourceAdaptor(rmm.mr.CudaMemoryResource())
        bins = rmm.mr.BinningMemoryResource(upstream, 10, 12)
        before = upstream.allocation_counts.total_count
        small = [bins.allocate(n) for n in (10, 1024, 4096)]
        assert upstream.allocation_counts.total_count == before, "they come from the bins"
        bins.allocate(5000)
        assert upstream.allocation_counts.total_count == before + 1
    """)


def test_the_log_is_csv(rmm):
    rmm("""
        with tempfile.TemporaryDirectory() as folder:
            rmm.enable_logging(os.path.join(folder, "log.csv"))
            name = rmm.get_log_filenames()[0]
            assert os.path.basename(name) == "log.dev0.csv"
            buffer = rmm.DeviceBuffer(size=10)
            ptr = hex(buffer.ptr)
            del buffer
            rmm.disable_logging()
            lines = [line.split(",") for line in open(name).read().splitlines()]
            assert lines[0] == ["Thread", "Time", "Action", "Pointer", "Size", "Stream"]
            assert [line[2:5] for line in lines[1:]] == [["allocate", ptr, "10"], ["free", ptr, "10"]]
        with pytest.raises(ValueError, match="RMM log file must be specified"):
            rmm.enable_logging()
    """)


def test_statistics_and_the_profiler(rmm):
    rmm("""
        assert rmm.statistics.get_statistics() is None
        with rmm.statistics.statistics():
            first = rmm.DeviceBuffer(size=100)
            rmm.statistics.push_statistics()
            second = rmm.DeviceBuffer(size=50)
            del second
            inner = rmm.statistics.pop_statistics()
            assert (inner.current_bytes, inner.peak_bytes, inner.total_bytes) == (0, 50, 50)
            outer = rmm.statistics.get_statistics()
            assert (outer.current_bytes, outer.peak_bytes, outer.total_bytes) == (100, 150, 150)
        assert rmm.statistics.get_statistics() is None

        records = rmm.statistics.ProfilerRecords()
        rmm.statistics.enable_statistics()
        with rmm.statistics.profiler(records=records, name="block"):
            rmm.DeviceBuffer(size=30); rmm.DeviceBuffer(size=20)
        assert records.records["block"] == rmm.statistics.ProfilerRecords.MemoryRecord(1, 50, 30)
        assert "block" in records.report()
        with pytest.raises(ValueError, match="a name must be provided"):
            with rmm.statistics.profiler(): pass
    """)


def test_hooks_and_streams(rmm):
    rmm("""
        seen = []
        rmm.register_reinitialize_hook(seen.append, 1)
        rmm.register_reinitialize_hook(seen.append, 2)
        rmm.reinitialize()
        assert seen == [2, 1] and rmm.is_initialized()
        rmm.unregister_reinitialize_hook(seen.append)
        rmm.reinitialize()
        assert seen == [2, 1]
        import cupy
        stream = cupy.cuda.Stream()
        assert Stream(stream).__cuda_stream__() == (0, stream.ptr) and DEFAULT_STREAM.is_default()
        with pytest.raises(TypeError, match="Cannot create stream from <class 'int'>"):
            Stream(3)
    """)


def test_a_size_that_is_none_is_refused(rmm):
    """`size_t` in Cython's signatures."""
    rmm("""
        with pytest.raises(OverflowError, match="can't convert negative value to size_t"):
            rmm.DeviceBuffer(size=-1)
        with pytest.raises(OverflowError):
            rmm.DeviceBuffer(size=8).resize(-1)
        with pytest.raises(TypeError):
            rmm.DeviceBuffer(size=1.5)
    """)


def test_numbas_arrays_come_from_rmm_once_it_is_their_manager(rmm):
    rmm("""
        from numba import cuda
        from rmm.allocators.numba import RMMNumbaManager
        with pytest.raises(Exception, match="another manager than RMM's"):
            cuda.set_memory_manager(object)
        cuda.set_memory_manager(RMMNumbaManager)
        rmm.mr.set_current_device_resource(rmm.mr.TrackingResourceAdaptor(rmm.mr.CudaMemoryResource()))
        tracking = rmm.mr.get_current_device_resource()
        array = cuda.to_device(np.arange(1000.0))
        assert tracking.get_allocated_bytes() == 8000
        assert array.copy_to_host().sum() == 499500
        other = cuda.device_array(10, "f4")
        other[:] = 3
        assert other.copy_to_host().tolist() == [3.0] * 10
        del array, other
        assert tracking.get_allocated_bytes() == 0
        with pytest.raises(MemoryError, match="^std::bad_alloc: out_of_memory"):
            cuda.device_array(1 << 30)
    """)
