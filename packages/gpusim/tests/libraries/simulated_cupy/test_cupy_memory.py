"""Allocations, pools, allocators and hooks of the simulated library, and memory by its address."""

import io
import json

import numpy as np
import pytest

from gpusim.device import memory as engine


@pytest.fixture
def restored(cp):
    before = cp.cuda.get_allocator()
    yield
    cp.cuda.set_allocator(before)


def test_a_hook_hears_of_what_a_pool_does(cp):
    pool = cp.cuda.MemoryPool()
    file = io.StringIO()
    with cp.cuda.memory_hooks.DebugPrintHook(file=file):
        for _ in range(2):
            pointer = pool.malloc(1)
            address, number = pointer.ptr, id(pointer.mem)
            del pointer
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [line["hook"] for line in lines] == [
        "alloc",
        "malloc",
        "free",
        "malloc",
        "free",
    ]  # the second is reused memory
    assert lines[-1] == {"hook": "free", "device_id": 0, "mem_size": 512, "mem_ptr": address, "pmem_id": hex(number)}
    assert engine.watcher is None  # nobody listens any more


def test_a_hook_hears_of_arrays(cp):
    heard = []

    class Hook(cp.cuda.MemoryHook):
        name = "Listening"

        def malloc_preprocess(self, **kwargs):
            heard.append(kwargs["size"])

    with Hook() as hook, pytest.raises(KeyError, match="memory hook Listening already exists"):
        cp.zeros(100) + 1
        hook.__enter__()
    assert heard == [800, 800]
    cp.zeros(3)
    assert len(heard) == 2


def test_a_hook_hears_nothing_of_what_a_fused_kernel_keeps_in_registers(cp):
    heard = []

    class Hook(cp.cuda.MemoryHook):
        name = "Fused"

        def malloc_postprocess(self, **kwargs):
            heard.append((kwargs["size"], kwargs["pmem_id"]))

        def free_postprocess(self, **kwargs):
            heard.append((-kwargs["mem_size"], kwargs["pmem_id"]))

    fused = cp.fuse(kernel_name="fused")(lambda x: cp.sin(x) ** 2 + cp.cos(x) ** 2)
    x = cp.zeros(1024)
    with Hook():
        result = fused(x)
        del result
        cp.sin(x)
    assert [size for size, _ in heard] == [8192, -8192, 8192, -8192]  # the fused result; the plain one
    assert heard[0][1] == heard[1][1]


def test_memory_by_lines_of_the_program(cp):
    pool, hook, file = cp.cuda.MemoryPool(), cp.cuda.memory_hooks.LineProfileHook(), io.StringIO()
    kept = pool.malloc(1000)
    del kept
    with hook:
        first = pool.malloc(1000)
        second = pool.malloc(2000)
    hook.print_report(file)
    del first, second
    assert file.getvalue().startswith("_root (3.00KB, 2.00KB)")
    assert ":test_memory_by_lines_of_the_program (1.00KB, 0.00B)" in file.getvalue()


@pytest.mark.parametrize(
    "allocator", ["None", "MemoryPool(cuda.malloc_managed).malloc", "malloc_managed", "malloc_async", "MemoryAsyncPool().malloc"]
)  # fmt: skip
def test_allocators(cp, restored, allocator):
    cuda = cp.cuda
    cuda.set_allocator(None if allocator == "None" else eval(f"cuda.{allocator}"))
    used = cp.get_default_memory_pool().used_bytes()
    x = cp.arange(1000) + 1
    assert int(x.sum()) == 500500
    assert cp.get_default_memory_pool().used_bytes() == used


def _slab(cp):
    """An allocator that gives out one large allocation piece by piece."""
    whole, begin = cp.cuda.MemoryPool().malloc(1 << 16), iter(range(0, 1 << 16, 512))
    return lambda size: whole + next(begin)


@pytest.mark.parametrize("allocator", ["slab", "malloc_managed", "malloc_async", "functions", "a class of one's own"])
def test_an_array_lies_where_its_allocator_says(cp, restored, allocator):
    """ndarray.data is what the allocator returned (cupy/_core/core.pyx, _ndarray_base._init: self.data = memory.alloc(size))."""
    cuda, runtime, given = cp.cuda, cp.cuda.runtime, []

    class Own(cuda.BaseMemory):
        def __init__(self, size):
            self.ptr, self.size, self.device_id = runtime.malloc(size), size, 0

        def __del__(self):
            runtime.free(self.ptr)

    made = {
        "slab": _slab(cp),
        "functions": cuda.PythonFunctionAllocator(
            lambda size, on: runtime.malloc(size), lambda at, on: runtime.free(at)
        ).malloc,
        "a class of one's own": lambda size: cuda.MemoryPointer(Own(size), 0),
    }
    chosen = made.get(allocator) or getattr(cuda, allocator)

    def noting(size):
        given.append(chosen(size))
        return given[-1]

    cuda.set_allocator(noting)
    x, y = cp.full(4, 1.0), cp.full(4, 2.0)
    assert x.tolist() == [1.0] * 4 and y.tolist() == [2.0] * 4  # neither lies on the other
    assert [x.data.ptr, y.data.ptr] == [pointer.ptr for pointer in given[:2]]
    assert allocator == "slab" or (
        x.data.mem is given[0].mem and (x[2:].data.mem, x[2:].data.ptr - x.data.ptr) == (x.data.mem, 16)
    )


def test_memory_lives_as_long_as_an_array_on_its_pointer(cp):
    runtime, freed = cp.cuda.runtime, []
    allocator = cp.cuda.PythonFunctionAllocator(lambda size, on: runtime.malloc(size), lambda at, on: freed.append(at))
    x = cp.ndarray((4,), float, allocator.malloc(32))
    view, address = x[1:], x.data.ptr
    del x
    assert not freed
    del view
    assert freed == [address]
    runtime.free(address)


def test_a_pointer_is_read_only_and_moves(cp):
    pointer = cp.cuda.alloc(1024)
    start = pointer.ptr
    for name in ("ptr", "mem", "device_id"):  # readonly in cupy/cuda/memory.pxd
        with pytest.raises(AttributeError):
            setattr(pointer, name, 0)
    pointer += 512
    assert (pointer.ptr, int(pointer - 512), (256 + pointer).ptr) == (start + 512, start, start + 768)


def test_unpooled_memory_goes_back_at_once(cp, restored):
    free, total = cp.cuda.runtime.memGetInfo()
    pointer = cp.cuda.memory.malloc_managed(2**20)
    assert isinstance(pointer.mem, cp.cuda.ManagedMemory) and cp.cuda.runtime.memGetInfo()[0] <= free - 2**20
    del pointer
    assert cp.cuda.runtime.memGetInfo() == (free, total)


def test_an_allocator_inside_a_with_is_the_threads_own(cp):
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.ones(1000)
        assert pool.used_bytes() == 8192
        with pytest.raises(ValueError, match="using_allocator"):
            cp.cuda.set_allocator(None)
    del x
    assert cp.ones(3).data.mem.device_id == 0 and pool.used_bytes() == 0


def test_the_error_is_cupys(cp):
    with pytest.raises(MemoryError) as caught:
        cp.zeros(10**14)
    assert f"{type(caught.value).__module__}.{type(caught.value).__name__}" == "cupy.cuda.memory.OutOfMemoryError"


def test_memory_is_freed_once(cp):
    pool = cp.cuda.MemoryPool()
    mem = pool.malloc(1).mem
    assert isinstance(mem, cp.cuda.memory.PooledMemory) and isinstance(mem, cp.cuda.BaseMemory)
    mem.free()
    mem.free()
    assert pool.n_free_blocks() == 1
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


def test_memory_by_its_address(cp):
    runtime = cp.cuda.runtime
    address = runtime.malloc(64)
    assert runtime.pointerGetAttributes(address).type == runtime.memoryTypeDevice
    host = np.arange(8.0)
    runtime.memcpy(address, host.ctypes.data, 64, runtime.memcpyHostToDevice)
    memory = cp.cuda.UnownedMemory(address, 64, owner=None)
    x = cp.ndarray((8,), float, cp.cuda.MemoryPointer(memory, 0))
    assert (x * 2).tolist() == (host * 2).tolist()
    runtime.free(address)
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalidValue: invalid argument"):
        runtime.free(address)


def test_a_pointer_does_not_reach_past_its_memory(cp):
    pointer = cp.cuda.alloc(512)
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        (pointer + 500).copy_to_host(np.empty(64, np.uint8).ctypes.data, 64)


def test_pinned_memory(cp):
    pool = cp.cuda.PinnedMemoryPool()
    pointer = pool.malloc(80)
    host = np.frombuffer(pointer, np.float64, 10)
    host[...] = np.arange(10)
    x = cp.empty(10)
    x.set(host)
    assert x.tolist() == list(range(10)) and pointer.size() == 512 and (pointer + 12).size() == 500
    assert isinstance(pointer.mem, cp.cuda.PinnedMemory)
    address = pointer.ptr
    del pointer, host
    assert pool.n_free_blocks() == 1 and pool.malloc(1).ptr == address


def _by_set(cp, host, stream):
    x = cp.empty(host.shape)
    x.set(host, stream=stream)
    return x


def _by_asarray(cp, host, stream):
    with stream:
        return cp.asarray(host)


def _by_address(cp, host, stream):
    x = cp.empty(host.shape)
    x.data.copy_from_host_async(host.ctypes.data, host.nbytes, stream)
    return x


@pytest.mark.parametrize("send", [_by_set, _by_asarray, _by_address])
@pytest.mark.parametrize("part", [slice(None), slice(3, 7)])
def test_a_copy_in_a_stream_reads_pinned_memory_in_its_turn(cp, send, part):
    """On a GPU it may be overwritten before it was sent; here it is, always. Of ordinary memory CuPy makes a copy first."""
    import cupyx

    pinned, pageable = cupyx.empty_pinned(10)[part], np.empty(10)[part]
    for host, arrives in ((pinned, 2), (pageable, 1)):
        host[...] = 1
        stream = cp.cuda.Stream(non_blocking=True)
        x = send(cp, host, stream)
        host[...] = 2
        stream.synchronize()
        assert float(x[0]) == arrives


def test_a_copy_without_a_stream_is_over_when_it_returns(cp):
    import cupyx

    host, x = cupyx.empty_pinned(10), cp.empty(10)
    host[...] = 1
    x.set(host)
    host[...] = 2
    assert float(x[0]) == 1


def test_dlpack(cp):
    x = cp.arange(6.0).reshape(2, 3).T
    y = cp.from_dlpack(x)
    y[0, 0] = 9
    assert x.__dlpack_device__() == (2, 0) and float(x[0, 0]) == 9 and y.strides == x.strides
    capsule = x.__dlpack__()
    del x
    z = cp.from_dlpack(capsule)
    assert z.tolist() == y.tolist()
    with pytest.raises(ValueError, match="consumed multiple times"):
        cp.from_dlpack(capsule)
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(z)
    with pytest.raises(TypeError, match="CPU arrays cannot be directly imported"):
        cp.from_dlpack(np.arange(3))
