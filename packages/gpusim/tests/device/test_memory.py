"""Device memory: counting, rounding, reuse, limits."""

import gc
import os
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from gpusim.device import device, memory, queue

MIB = 2**20


@pytest.fixture
def pool():
    queue.run()
    return memory.Pool(0)


def test_sizes_are_rounded_and_aligned(pool):
    block = pool.malloc(1)
    assert block.size == 512 and block.ptr % 512 == 0
    assert (pool.used_bytes(), pool.total_bytes(), pool.free_bytes()) == (512, 512, 0)


def test_no_bytes_take_no_memory(pool):
    assert pool.malloc(0).ptr == 0
    assert pool.total_bytes() == 0


def test_a_freed_block_is_kept_and_given_out_again(pool):
    block = pool.malloc(MIB)
    place = block.ptr
    del block
    assert (pool.used_bytes(), pool.free_bytes(), pool.n_free_blocks()) == (0, MIB, 1)
    assert pool.malloc(MIB).ptr == place
    assert pool.total_bytes() == MIB


def test_the_block_freed_last_is_given_out_first(pool):
    blocks = [pool.malloc(MIB) for _ in range(3)]
    last = blocks[1].ptr
    del blocks[0], blocks[1]  # 0, then what was 2
    del blocks[0]
    assert pool.malloc(MIB).ptr == last


def test_a_larger_block_is_split_and_joined_again(pool):
    whole = pool.malloc(4 * MIB)
    place = whole.ptr
    del whole
    first, second = pool.malloc(MIB), pool.malloc(MIB)
    assert pool.total_bytes() == 4 * MIB and pool.used_bytes() == 2 * MIB
    assert {first.ptr, second.ptr} == {place, place + MIB}
    first.raw[:] = 1
    second.raw[:] = 2
    assert (first.raw == 1).all()
    del first
    pool.free_all_blocks()  # a part is still in use: nothing can go
    assert pool.total_bytes() == 4 * MIB
    del second
    assert pool.n_free_blocks() == 1
    assert pool.malloc(4 * MIB).ptr == place


def test_free_all_blocks_gives_back_what_is_unused(pool):
    kept, dropped = pool.malloc(MIB), pool.malloc(2 * MIB)
    del dropped
    pool.free_all_blocks()
    assert (pool.total_bytes(), pool.free_bytes(), pool.used_bytes()) == (MIB, 0, MIB)
    del kept


def test_the_limit_raises_at_the_allocation_with_cupys_words(pool):
    pool.limit = 3 * MIB
    kept = pool.malloc(2 * MIB)
    with pytest.raises(memory.OutOfMemoryError) as caught:
        pool.malloc(2 * MIB)
    assert str(caught.value) == (
        "Out of memory allocating 2,097,152 bytes (allocated so far: 2,097,152 bytes, limit set to: 3,145,728 bytes)."
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    del kept
    assert pool.malloc(3 * MIB).size == 3 * MIB  # what is unused is given back first


def test_without_a_limit_the_device_is_one(pool):
    total = device.memory()
    with pytest.raises(memory.OutOfMemoryError, match="Out of memory allocating .* so far: 0 bytes"):
        pool.malloc(total + 1)
    free, whole = memory.information(0)
    block = pool.malloc(MIB)
    assert whole == total and memory.information(0)[0] == free - MIB
    del block


def test_memory_held_by_a_cycle_is_found_before_giving_up(pool):
    pool.limit = MIB
    gc.disable()
    try:
        cycle = [pool.malloc(MIB)]
        cycle.append(cycle)
        del cycle
        assert pool.malloc(MIB).size == MIB
    finally:
        gc.enable()


def test_a_block_knows_whether_an_older_operation_may_still_use_it(pool):
    block = pool.malloc(MIB)
    queue.submit("zero", np.ndarray.fill, (block.raw, 0), (), ())
    del block
    block = pool.malloc(MIB)
    assert block.in_flight()
    queue.run()
    assert not block.in_flight()


def test_threads_never_share_a_block(pool):
    wrong = []

    def work(number):
        for i in range(300):
            blocks = [pool.malloc(512 * (1 + (i + k) % 5)) for k in range(4)]
            for block in blocks:
                block.raw[:] = number
            wrong.extend(block for block in blocks if (block.raw != number).any())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert pool.used_bytes() == 0


def test_freeing_inside_an_allocation_does_not_lock_up(pool):
    # The collector may run in the middle of `malloc` and free blocks there.
    for _ in range(200):
        cycle = [pool.malloc(512)]
        cycle.append(cycle)
        del cycle
        gc.collect(0)
        pool.malloc(1024)
    gc.collect()
    assert pool.used_bytes() == 0


@pytest.mark.parametrize(
    ("text", "size"), [("1000", 1000), ("2GB", 2 * 10**9), ("1.5GiB", 3 * 2**29), ("8G", 2**33), ("512 MiB", 2**29)]
)
def test_sizes_are_read_as_written(text, size):
    assert device._bytes(text) == size


def test_a_size_that_is_none_is_refused():
    with pytest.raises(ValueError, match="GPUSIM_GPU_MEMORY must be a size such as 8GiB"):
        device._bytes("plenty")


def test_sorting_in_survives_another_thread_that_takes_the_last_block(pool):
    class Emptied(type(pool._returned)):
        def __bool__(self):
            return True

    pool._returned = Emptied()
    assert pool.free_bytes() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_fork_waits_for_a_thread_inside_a_pool():
    """Else the child would wait for ever for a lock whose holder it does not have."""
    code = """
        import os, signal, threading
        from gpusim.device import memory
        pool, inside, go = memory.Pool(0), threading.Event(), threading.Event()
        def hold():
            with pool._lock:
                inside.set()
                go.wait(10)
        threading.Thread(target=hold).start()
        inside.wait(10)
        threading.Timer(0.2, go.set).start()
        child = os.fork()
        if not child:
            signal.alarm(10)
            os._exit(0 if pool.malloc(100).size == 512 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert pool.malloc(100).size == 512
    """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=30)
