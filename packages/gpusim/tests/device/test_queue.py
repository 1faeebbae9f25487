"""The queue of the simulated device: order, limit, errors, interrupts, threads, forks, the account."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from gpusim.device import counters, interrupt, queue


@pytest.fixture(autouse=True)
def empty_queue():
    queue.run()
    yield
    queue.run()


def test_nothing_runs_before_a_synchronisation():
    done = []
    queue.submit("append", done.append, (1,), (), ())
    assert done == [] and queue.pending() == 1
    queue.synchronize()
    assert done == [1] and queue.pending() == 0


def test_operations_run_in_the_order_of_submission_and_once():
    done = []
    for i in range(100):
        queue.submit("append", done.append, (i,), (), ())
    queue.run()
    queue.run()
    assert done == list(range(100))


def test_the_operation_that_fills_the_queue_runs_it():
    done = []
    for i in range(queue.LIMIT - 1):
        queue.submit("append", done.append, (i,), (), ())
    assert done == []
    queue.submit("append", done.append, (-1,), (), ())
    assert len(done) == queue.LIMIT and queue.pending() == 0


def test_who_submits_says_what_is_read_and_written():
    a, b = np.zeros(4), np.zeros(2)
    with pytest.raises(TypeError, match="reads"):
        queue.submit("copy", np.copyto, (a, b))
    before = queue.counters()
    queue.submit("both", list, (), reads=(a, b, a), writes=(a,))
    queue.submit("part", list, (), reads=(a, b), writes=(a,), bytes_read=3, bytes_written=0)
    queue.run()
    now = queue.counters() - before
    assert (now.bytes_read, now.bytes_written) == (a.nbytes + b.nbytes + 3, a.nbytes)


def test_an_error_names_the_operation_and_leaves_the_queue_usable():
    done = []
    queue.submit("append", done.append, (1,), (), ())
    queue.submit("cupy_wrong", lambda: 1 / 0, (), (), ())
    queue.submit("append", done.append, (2,), (), ())
    with pytest.raises(ZeroDivisionError) as caught:
        queue.synchronize()
    assert "cupy_wrong" in caught.value.__notes__[0]
    assert done == [1] and queue.pending() == 1
    queue.synchronize()
    assert done == [1, 2]


def test_an_operation_that_synchronises_does_not_run_what_is_behind_it():
    done = []
    queue.submit("outer", lambda: (queue.synchronize(), done.append("outer")), (), (), ())
    queue.submit("append", done.append, ("behind",), (), ())
    queue.synchronize()
    assert done == ["outer", "behind"]


def test_an_interrupt_waits_for_the_operation_and_loses_none():
    done = []

    def interrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("whole")  # would be missing if the signal tore the operation

    queue.submit("interrupted", interrupted, (), (), ())
    for i in range(5):
        queue.submit("append", done.append, (i,), (), ())
    with pytest.raises(KeyboardInterrupt):
        queue.synchronize()
    assert done == ["whole"] and queue.pending() == 5
    queue.synchronize()
    assert done == ["whole", 0, 1, 2, 3, 4]


def test_an_interrupt_reaches_the_handler_that_was_there():
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        queue.submit("interrupted", signal.raise_signal, (signal.SIGINT,), (), ())
        queue.synchronize()
        assert seen == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT).__name__ == "<lambda>"
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_that_does_not_raise_leaves_nothing_waiting():
    """As asyncio's and a training loop's own: a read of device memory must not return before the work is done."""
    done, seen = [], []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        queue.submit("kill", os.kill, (os.getpid(), signal.SIGINT), (), ())
        for i in range(5):
            queue.submit("append", done.append, (i,), (), ())
        queue.synchronize()
        assert seen == [signal.SIGINT] and done == [0, 1, 2, 3, 4]
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_second_interrupt_does_not_stop_the_queue_for_good(monkeypatch):
    put_back = interrupt.set_signal

    def interrupted(number, handler):
        put_back(number, handler)
        if handler is signal.default_int_handler:
            raise KeyboardInterrupt

    done = []
    monkeypatch.setattr(interrupt, "set_signal", interrupted)
    queue.submit("kill", os.kill, (os.getpid(), signal.SIGINT), (), ())
    queue.submit("append", done.append, (1,), (), ())
    with pytest.raises(KeyboardInterrupt):
        queue.run()
    monkeypatch.undo()
    queue.run()
    assert done == [1]


def test_an_interrupted_submission_is_waited_for(monkeypatch):
    """Ctrl-C arrives when the call of append returns, before anything else of the submission."""

    class Interrupted(list):
        def append(self, entry):
            raise KeyboardInterrupt

    done = []
    monkeypatch.setattr(queue, "log", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        queue.submit("append", done.append, (1,), (), ())
    monkeypatch.undo()

    class AfterAppend(type(queue._waiting)):
        def append(self, entry):
            super().append(entry)
            raise KeyboardInterrupt

    queue.run()
    monkeypatch.setattr(queue, "_waiting", AfterAppend())
    with pytest.raises(KeyboardInterrupt):
        queue.submit("append", done.append, (2,), (), ())
    queue.run()
    assert done == [1, 2]


def test_a_signal_handler_may_submit_in_the_middle_of_a_submission(monkeypatch):
    """So may a finaliser that the garbage collector runs there; a lock that is not reentrant would wait for itself."""
    done = []

    class Submitting(list):
        def append(self, entry):
            if not done:
                done.append("handler")
                queue.submit_uncounted("append", done.append, ("submitted by it",))

    monkeypatch.setattr(queue, "log", Submitting())
    worker = threading.Thread(target=queue.submit, args=("append", done.append, ("first",), (), ()), daemon=True)
    worker.start()
    worker.join(10)
    assert not worker.is_alive()
    queue.run()
    assert done == ["handler", "first", "submitted by it"]


def test_threads_keep_their_own_order_and_lose_nothing():
    done = [[] for _ in range(8)]
    start = threading.Barrier(8)

    def work(mine):
        start.wait()
        for i in range(2000):
            queue.submit("append", mine.append, (i,), (), ())
            if i % 97 == 0:
                queue.synchronize()
        queue.synchronize()
        assert mine == list(range(2000))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in done]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [list(range(2000))] * 8


def test_the_account_grows_at_submission_and_can_be_subtracted():
    before = queue.counters()
    queue.submit("cupy_add", lambda: None, (), (), (), 16, 8)
    queue.count("memcpy HtoD", 0, 100, "h2d", reads=(), writes=())
    queue.count("memcpy DtoH", 50, 0, "d2h", reads=(), writes=())
    queue.synchronize()
    assert queue.counters() - before == counters.Counters(1, 16, 8, 100, 1, 50, 1, 1)
    assert queue.log[-3] == counters.Launch("cupy_add", 16, 8, "kernel")


def test_the_log_is_bounded():
    for _ in range(counters.LOG_LENGTH + 10):
        queue.count("x", 1, 1, reads=(), writes=())
    assert len(queue.log) == counters.LOG_LENGTH


def test_a_suspended_account_counts_nothing_but_runs_everything():
    before, done = queue.counters(), []
    with queue.suspended_account():
        queue.submit("append", done.append, (1,), (), (), 8, 8)
        other = threading.Thread(target=queue.submit, args=("append", done.append, (2,), (), (), 5, 5))
        other.start()
        other.join()
    queue.run()
    assert done == [1, 2]
    assert (queue.counters() - before)[:3] == (1, 5, 5)  # the other thread's


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_forked_child_goes_on_with_its_copy():
    code = """
        import os, threading, time
        from gpusim.device import queue
        done = []
        queue.submit("append", done.append, (1,), (), ())
        slow = threading.Event()
        queue.submit("slow", lambda: (slow.set(), time.sleep(0.3), done.append(2)), (), (), ())
        queue.submit("append", done.append, (3,), (), ())
        threading.Thread(target=queue.synchronize).start()
        slow.wait()
        child = os.fork()  # while another thread stands inside an operation
        if child == 0:
            queue.submit("append", done.append, (4,), (), ())
            queue.synchronize()
            os._exit(0 if done == [1, 2, 3, 4] else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        queue.synchronize()
        assert done == [1, 2, 3], done
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=30)
