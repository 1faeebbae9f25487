"""The cluster on which answers are judged: what it counts, that it is the same for each, that nothing is left of an answer."""

import functools
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from hundredfold.learning.problems import guard, pool, pool_record
from hundredfold.learning.problems.verdict import Refusal

distributed = pytest.importorskip("distributed")

from pool_runs import recorded  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def closed():
    yield
    pool.close()


def inc(x):
    return x + 1


def add(a, b):
    return a + b


def test_runs_are_counted_by_key_and_by_name():
    with pool.watch() as seen, recorded(seen) as runs:
        assert len(seen.workers) == pool.WORKERS
        futures = seen.client.map(inc, range(5))
        assert seen.client.gather(futures) == [1, 2, 3, 4, 5]
        first = futures[0].key
    assert runs.counts.total() == 5 and runs.named("inc") == 5 and runs.named("dec") == 0
    assert runs.counts[first] == 1 and runs.again == {}
    assert sorted(key for worker in seen.workers for key in runs.on(worker)) == sorted(runs.counts)


def test_a_task_that_fails_is_not_counted_as_run():
    with pool.watch() as seen, recorded(seen) as runs:
        assert isinstance(seen.client.submit(inc, "a").exception(), TypeError)
    assert runs.counts.total() == 0 and [outcome for _, _, outcome in runs.ended] == ["erred"]


def test_what_was_let_go_and_asked_for_again_ran_twice():
    with pool.watch() as seen, recorded(seen) as runs:
        for _ in range(2):
            future = seen.client.submit(inc, 7, key="again")
            assert future.result() == 8
            future.release()
            del future
            wait_until(lambda: not seen.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))
    assert runs.counts == {"again": 2} and runs.again == {"again": 2}


def test_bytes_are_counted_between_workers_to_the_client_and_in_the_graph():
    with pool.watch() as seen:
        one, other = seen.workers
        x = seen.client.submit(np.ones, 1000, workers=one, pure=False)
        total = seen.client.submit(np.sum, x, workers=other, pure=False)
        assert total.result() == 1000
    assert 8000 <= seen.between_workers < 9000
    assert 0 < seen.to_client < 1000
    small = seen.sent
    assert 0 < small < 8000
    with pool.watch() as seen:
        seen.client.submit(np.sum, np.ones(100_000)).result()
    assert seen.sent > 800_000 and seen.between_workers == 0
    with pool.watch() as seen:
        assert len(seen.client.submit(np.ones, 1000).result()) == 1000
    assert 8000 <= seen.to_client < 9000


def test_a_transfer_counts_whatever_its_worker_believes_of_the_schedulers_clock():
    sent = {"who": "tcp://other", "total": 8, "start": 100.5 - 3, "stop": 100.7 - 3, "middle": 100.6}
    before = sent | {"start": 99.1 + 3, "stop": 99.3 + 3, "middle": 99.2}
    worker = SimpleNamespace(transfer_outgoing_log=[before, sent], transfer_outgoing_count=0)
    assert pool_record.transfers(100.0, worker) == ([("tcp://other", 8)], 0)


def test_what_stands_in_the_arguments_of_many_tasks_is_shipped_with_each():
    table = np.ones(10_000)
    with pool.watch() as seen:
        seen.client.gather(seen.client.map(add, [table] * 6, range(6)))
    assert seen.sent < 2 * table.nbytes and seen.shipped > 6 * table.nbytes
    with pool.watch() as seen:
        there = seen.client.scatter(table, broadcast=True)
        seen.client.gather(seen.client.map(add, [there] * 6, range(6)))
    assert max(seen.sent, seen.shipped) < table.nbytes


def test_how_many_tasks_were_on_their_way_at_once():
    with pool.watch() as seen:
        for number in range(3):
            seen.client.submit(inc, number).result()
    assert seen.most == 1
    with pool.watch() as seen:
        seen.client.gather(seen.client.map(inc, range(5)))
    assert seen.most == 5


def test_it_is_the_current_client_inside_and_not_afterwards():
    import dask

    lazy = dask.delayed(inc)(1)
    with pool.watch() as seen, recorded(seen) as runs:
        assert lazy.compute() == 2
    assert runs.counts.total() == 1
    with pytest.raises(ValueError, match="No clients"):
        distributed.default_client()
    assert lazy.compute() == 2  # on threads again


def says(name):
    """A task that talks while it runs, for which its worker makes a client of its own."""
    distributed.Queue(name).put(1)


def test_the_client_that_a_task_needed_is_not_the_learners_afterwards(capfd):
    """Dask makes it the default of this process, and closes it only with the last worker of the process."""
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, dashboard_address="127.0.0.1:0", protocol="tcp://", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as mine,
    ):
        for _ in range(2):
            with pool.watch() as seen:
                seen.client.gather([seen.client.submit(says, "said", workers=[one]) for one in seen.workers])
            assert distributed.default_client() is mine
        mine.submit(says, "mine").result()
        assert distributed.default_client() is mine and distributed.Queue("mine", client=mine).get(timeout=60) == 1
        theirs = [each for each in distributed.Worker._initialized_clients if each.status != "closed"]
        wait_until(lambda: not [each for each in theirs if each.scheduler.address != cluster.scheduler_address])
    with pytest.raises(ValueError, match="No clients"):
        distributed.default_client()
    assert capfd.readouterr().err == ""


def test_a_task_that_needed_a_client_leaves_no_scheduler_behind():
    """While it is open, Dask's settings name "dask.distributed" for all of the process, where nobody can be found then."""
    import dask

    before = dask.config.get("scheduler", None)
    with pool.watch() as seen:
        seen.client.gather([seen.client.submit(says, "left", workers=[one]) for one in seen.workers])
    assert dask.config.get("scheduler", None) == before
    assert dask.delayed(inc)(1).compute() == 2


def test_the_cluster_is_kept_and_clean():
    with pool.watch() as seen:
        first = seen.client
        assert first.submit(inc, 1).result() == 2
    with pool.watch() as seen, recorded(seen) as runs:
        assert seen.client is first
        assert seen.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0
    assert not runs.ended


@pytest.mark.parametrize("leave", ["queue", "variable", "event", "dataset", "task"])
def test_what_an_answer_leaves_behind_does_not_reach_the_next(leave):
    kept = []
    with pool.watch() as seen:
        client = seen.client
        if leave == "queue":
            distributed.Queue("work", client=client).put(1)
        elif leave == "variable":
            distributed.Variable("best", client=client).set(1)
        elif leave == "event":
            distributed.Event("stop", client=client).set()
        elif leave == "dataset":
            client.publish_dataset(seven=7)
        else:
            kept.append(client.submit(inc, 1))
    with pool.watch() as seen:
        assert seen.client is not client
        assert distributed.Queue("work", client=seen.client).qsize() == 0
        assert not distributed.Event("stop", client=seen.client).is_set()


def test_a_lost_worker_is_replaced_and_what_it_held_is_computed_again():
    with pool.watch() as seen, recorded(seen) as runs:
        one, other = seen.workers
        held = seen.client.map(inc, range(4), workers=[one], allow_other_workers=True)
        elsewhere = seen.client.submit(inc, 10, workers=[other])
        distributed.wait([*held, elsewhere])
        pool.lose(seen, one)
        assert seen.client.submit(sum, held).result() == 10
        seen.client.wait_for_workers(pool.WORKERS, timeout=60)
        assert elsewhere.result() == 11
        del held, elsewhere
    died = set(runs.on(one))
    assert died and set(runs.again) == died, "what the lost one held, and nothing else"
    with pool.watch() as seen:
        assert one not in seen.workers and len(seen.workers) == pool.WORKERS


def test_a_lost_worker_takes_nobody_elses_client_with_it():
    """The workers share this process; on two machines neither needs the other's client."""
    for first in range(pool.WORKERS):
        with pool.watch() as seen:
            lost, left = seen.workers[first], seen.workers[1 - first]
            queue = distributed.Queue("said", client=seen.client)
            for one in (lost, left):
                seen.client.submit(says, "said", workers=[one], pure=False).result()
            pool.lose(seen, lost)
            seen.client.submit(says, "said", workers=[left], pure=False).result()
            assert queue.qsize() == 3


def test_a_learners_own_cluster_is_let_be():
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, dashboard_address=":0", protocol="tcp://", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as mine,
    ):
        with pool.watch() as seen:
            assert seen.client is not mine and seen.client.submit(inc, 2).result() == 3
        assert mine.submit(inc, 1).result() == 2


def test_an_answer_that_never_ends_is_stopped_and_the_next_is_judged():
    stop = threading.Event()

    def forever(client):
        return client.submit(stop_when_told, pure=False).result()

    STOPS.append(stop)
    try:
        with pytest.raises(Refusal, match="not ended"), pool.watch() as seen:
            guard.call(forever, seen.client, limit=1.0)
        with pool.watch() as seen:
            assert seen.client.submit(inc, 1).result() == 2
    finally:
        stop.set()


STOPS = []


def stop_when_told():
    return STOPS[-1].wait(120)


def test_an_object_that_cannot_be_pickled_fails_as_between_machines():
    with pool.watch() as seen:
        with pytest.raises(Exception, match="(?i)pickle|serialize"):
            seen.client.submit(functools.partial(add, threading.Lock()), 1).result()
        assert seen.client.submit(inc, 1).result() == 2


def test_nothing_is_said_on_stderr(capfd):
    with pool.watch() as seen:
        seen.client.submit(inc, "a").exception()
        pool.lose(seen, seen.workers[0])
        assert seen.client.submit(inc, 1).result() == 2
    pool.close()
    assert capfd.readouterr() == ("", "")


def test_nothing_is_said_of_what_tasks_left_open_either():
    """In a process as a notebook's is: here, pytest holds what Dask's loggers write to."""
    said = subprocess.run([sys.executable, "-c", LEFT_OPEN], capture_output=True, text=True, timeout=300)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


LEFT_OPEN = """
import time
import distributed
from hundredfold.learning.problems import pool

def says(turn):
    distributed.Queue("said").put(turn)

for turn in range(5):
    with pool.watch() as seen:
        queue = distributed.Queue("said", client=seen.client)
        for worker in seen.workers:
            seen.client.submit(says, turn, workers=[worker]).result()
        pool.lose(seen, seen.workers[turn % 2])
    pool.close()
    time.sleep(0.2)
"""


def test_arrays_on_the_device_cross_between_workers(device):
    """Serialised as between processes, and counted as leaving the device and coming back."""
    with pool.watch() as seen:
        one, other = seen.workers
        x = seen.client.submit(device.ones, 1000, workers=one, pure=False)
        total = seen.client.submit(twice, x, workers=other, pure=False).result()
        assert type(total) is device.ndarray and float(total.sum()) == 2000
    assert 8000 <= seen.between_workers < 9000 and 8000 <= seen.to_client < 9000


def twice(x):
    return x * 2


def wait_until(what, patience=60):
    until = time.monotonic() + patience
    while not what():
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.01)


@pytest.mark.large
def test_a_cluster_that_answers_no_more_holds_nobody_up(monkeypatch):
    stands_still = threading.Event()
    with monkeypatch.context() as hurry:
        with pool.watch() as seen:
            hurry.setattr(pool, "_PATIENCE", 0.5)
            seen.client.loop.add_callback(stands_still.wait, 100)
        assert seen.sent == 0
    try:
        with pool.watch() as again:
            assert again.client is not seen.client and again.client.submit(inc, 1).result(timeout=60) == 2
    finally:
        stands_still.set()


@pytest.mark.large
def test_one_that_stands_still_between_two_answers_is_made_anew(monkeypatch):
    stands_still = threading.Event()
    with pool.watch() as seen:
        pass
    seen.client.loop.add_callback(stands_still.wait, 100)
    patience = pool._PATIENCE
    monkeypatch.setattr(pool, "_PATIENCE", 0.5)
    made = pool._private

    def private():
        if pool._kept is None:
            monkeypatch.setattr(pool, "_PATIENCE", patience)  # only the dead one is in a hurry
        return made()

    monkeypatch.setattr(pool, "_private", private)
    try:
        with pool.watch() as again:
            assert again.client is not seen.client and again.client.submit(inc, 1).result(timeout=60) == 2
    finally:
        stands_still.set()
