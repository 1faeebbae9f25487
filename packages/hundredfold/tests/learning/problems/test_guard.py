"""A learner's function is called so that it cannot hurt the check."""

import os
import signal
import subprocess
import sys
import time
import warnings

import answers
import numpy as np
import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems import guard
from hundredfold.learning.problems.verdict import UNJUDGED, Refusal


def refusal(function, *args, **options):
    with pytest.raises(Refusal) as refused:
        guard.call(function, *args, **options)
    return refused.value


def cell(source, name):
    """A function as a notebook cell would define it."""
    import linecache

    filename = "<ipython-input-7-abc>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space = {"np": np}
    exec(compile(source, filename, "exec"), space)
    return space[name]


def test_the_value_comes_back():
    assert guard.call(lambda a, b: a + b, 1, 2).value == 3


def test_an_exception_is_told_with_the_line_of_the_learners_code():
    f = cell("def f(x):\n    y = x + 1\n    return np.linalg.inv(y)\n", "f")
    refused = refusal(f, np.zeros(3))
    assert refused.reason == "exception"
    assert "LinAlgError" in refused.why
    assert "in line 3 of `f`: `return np.linalg.inv(y)`" in refused.why


def test_no_address_and_no_path_is_told():
    f = cell("def f():\n    raise ValueError(f'bad thing {object()}')\n", "f")
    why = refusal(f).why
    assert "0x…" in why and str(hex(id(f)))[:6] not in why
    assert "ipython-input" not in why and "/" not in why


def test_an_exception_without_words():
    assert refusal(cell("def f():\n    assert 1 == 2\n", "f")).why.startswith(
        "your code raised AssertionError, in line 2"
    )


def test_exit_does_not_leave():
    assert refusal(lambda: sys.exit(3)).reason == "exception"


class Theirs(BaseException):
    def __str__(self):
        raise RuntimeError("no words")


def test_nothing_but_ctrl_c_leaves():
    def fail():
        raise Theirs

    assert refusal(fail).reason == "exception"
    assert refusal(fail).why.startswith("your code raised Theirs, in line")


def test_what_has_done_no_work_is_refused_without_a_warning():
    async def later():
        return 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert refusal(later).reason == "type" and "async" in refusal(later).why
    assert "yield" in refusal(lambda: (n for n in range(3))).why


def test_a_function_that_cannot_be_called_is_told_with_what():
    why = refusal(lambda x, y: 1, 3).why
    assert why == (
        "your function cannot be called: test_a_function_that_cannot_be_called_is_told_with_what.<locals>.<lambda>() "
        "missing 1 required positional argument: 'y'. It is called with 1 argument."
    )
    # A mistake further in is their code's own.
    assert refusal(lambda: len(1, 2)).why.startswith("your code raised TypeError: len() takes")


def test_too_many_frames():
    assert "RecursionError" in refusal(cell("def f():\n    return f()\n", "f")).why


def test_memory():
    def greedy():
        raise MemoryError

    assert refusal(greedy).reason == "memory"


def test_what_cannot_be_simulated_is_told_apart():
    from gpusim.importing.errors import NotSimulatedError

    def far():
        raise NotSimulatedError("cupy.somewhere")

    assert refusal(far).reason == "not-simulated"


def test_a_loop_without_end_is_stopped():
    def forever():
        while True:
            pass

    assert refusal(forever, limit=0.1).reason == "timeout"


@pytest.mark.skipif(not guard._THREADS.exists(), reason="only Linux says how long a thread waits for a processor")
def test_time_in_which_others_had_the_processor_is_not_counted():
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]  # on the same processor
    try:

        def work():
            began, turned = time.thread_time(), 0
            while time.thread_time() - began < 0.15:  # a quarter of the limit, which lasts 1.4 s beside eight others
                turned += 1
            return turned

        began = time.monotonic()
        assert guard.call(work, limit=0.6, wait=False).value > 0
        assert time.monotonic() - began > 0.6, "the others left it alone: this test showed nothing"
    finally:
        os.sched_setaffinity(0, before)
        for other in others:
            other.kill()
            other.wait()


def test_a_loop_that_swallows_everything_is_stopped_too():
    def stubborn():
        tries = 0
        while tries < 2:
            try:
                while True:
                    pass
            except:  # noqa: E722
                tries += 1

    began = time.monotonic()
    guard.call(stubborn, limit=0.1)  # the limit strikes again and again; it is left at the second stroke
    assert time.monotonic() - began < 5


def test_the_alarm_is_put_back():
    before = signal.getsignal(signal.SIGALRM)
    guard.call(lambda: None, limit=5)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_outer_alarm_still_comes():
    struck = []
    before = signal.signal(signal.SIGALRM, lambda *_: struck.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        guard.call(lambda: None, limit=5)
        deadline = time.monotonic() + 5
        while not struck and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert struck


def test_ctrl_c_passes():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guard.call(interrupted)


def test_it_works_in_another_thread():
    import threading

    found = []
    thread = threading.Thread(target=lambda: found.append(guard.call(lambda: 5, limit=1).value))
    thread.start()
    thread.join()
    assert found == [5]


def test_printing_and_warnings_are_kept_from_the_notebook(capfd):
    def noisy():
        print("here", file=sys.stdout)
        print("there", file=sys.stderr)
        warnings.warn("beware", stacklevel=2)
        return np.float64(1) / np.float64(0)

    called = guard.call(noisy)
    assert capfd.readouterr() == ("", "")
    assert "here" in called.printed and "there" in called.printed


def test_printing_without_end_does_not_fill_the_memory():
    def chatty():
        for _ in range(100_000):
            print("x" * 100)

    assert len(guard.call(chatty).printed) < 20_000


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.zeros((2, 3)), "a NumPy array of shape (2, 3) and dtype float64"),
        ("gpu", "the text 'gpu'"),
        (3, "an int"),
        ([1], "a list"),
    ],
)
def test_things_are_named(value, said):
    assert guard.article(value) == said


def test_what_is_not_a_function_is_refused():
    with pytest.raises(Refusal) as refused:
        guard.require_callable(np.zeros(3), "standardise")
    assert refused.value.reason == "callable"
    assert "`standardise`" in refused.value.why


def test_a_function_that_dask_tried_on_nothing_is_told_so():
    import dask.array as da

    x = da.ones((48, 3), chunks=(24, 3))
    said = refusal(lambda: x.map_blocks(lambda part: part.reshape(-1, 24, 3).max(axis=1), chunks=(1, 3)))
    assert said.reason == "exception" and "dtype=x.dtype" in said.advice


@pytest.mark.parametrize(
    ("fused", "way"),
    [
        ("cp.fuse(lambda x: x + 1)", "kernel_name="),
        ("cp.fuse(kernel_name='f')(lambda x: cp.sum(x > 0))", "x.dtype"),
    ],
)
def test_what_cupy_cannot_fuse_is_told_in_place_of_the_problems_hint(device, fused, way):
    import cupy as cp

    f = eval(fused, {"cp": cp})
    said = problems.judge("protocols.blend", lambda a, b, t: f(cp.arange(1000.0)))
    assert said.reason == "exception" and "CompileException" in said.why
    assert way in said.advice and "Numba" not in said.advice


def broken():
    raise IndexError("own[4] does not exist")


def test_what_a_refused_answer_has_queued_is_not_the_next_ones(simulated):
    from gpusim.device import queue

    def leaves_failing_kernels(x):
        for _ in range(3):
            queue.submit_uncounted("broken", broken, ())
        return x

    port = problems.find("arrays.port")
    assert problems.judge(port.id, leaves_failing_kernels).reason == "exception"
    assert queue.pending() == 0
    assert problems.judge(port.id, next(iter(answers.right(port).values()))).right
    simulated.arange(3).get()  # an innocent cell


def test_what_an_answer_leaves_is_not_waited_for_without_end(simulated, monkeypatch):
    from gpusim.device import queue
    from hundredfold.learning.problems import judging

    def leaves_much(x):
        for _ in range(50):
            queue.submit_uncounted("slow", time.sleep, (0.1,))
        raise ValueError

    monkeypatch.setattr(judging, "_LEFT", 0.3)
    assert problems.judge("arrays.port", leaves_much).reason == "exception"
    assert queue.pending() == 0


def test_what_an_earlier_cell_has_queued_is_not_the_answers_mistake(simulated):
    from gpusim.device import queue

    port = problems.find("arrays.port")
    queue.submit_uncounted("broken", broken, ())
    queue.submit_uncounted("broken", broken, ())
    right = next(iter(answers.right(port).values()))
    earlier = problems.judge(port.id, right)
    assert earlier.outcome == UNJUDGED and "own[4] does not exist" in earlier.why
    assert problems.judge(port.id, right).right


def test_what_belongs_to_the_whole_process_is_put_back(tmp_path):
    def careless():
        np.seterr(all="raise")
        os.chdir(tmp_path)
        sys.setrecursionlimit(5000)
        sys.stdout.close()

    before = np.geterr(), os.getcwd(), sys.getrecursionlimit()
    guard.call(careless)
    assert (np.geterr(), os.getcwd(), sys.getrecursionlimit()) == before
    print("still open")


def test_an_answer_is_judged_where_the_working_folder_is_gone(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert guard.call(lambda: 3).value == 3


def test_a_child_that_an_answer_forks_does_not_come_back(tmp_path):
    kept = tmp_path / "came back"
    parent, seen = os.getpid(), []

    def forks():
        child = os.fork()
        if child:
            seen.append(child)
            os.waitpid(child, 0)

    guard.call(forks)
    if os.getpid() != parent:
        kept.touch()
        os._exit(1)
    assert seen and not kept.exists()


def test_a_result_that_raises_when_it_is_looked_at_is_refused(device):
    class Sulking:
        def __getattr__(self, name):
            raise RuntimeError("leave me alone")

    for name in ("arrays.port", "arrays.count", "arrays.clock"):
        verdict = problems.judge(name, lambda *given: Sulking())
        assert verdict.outcome == "wrong" and "\n" not in verdict.why
