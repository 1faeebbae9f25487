"""Unit 11: second wrong answers, written differently from those the problems know, and what the predictions stand on."""

import collections
import pathlib
import tempfile
import threading
import types
import uuid

import numpy as np
import pytest
from answers.clusters import histogram as known_histogram
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems import pool
from hundredfold.learning.problems.clusters import foretell, histogram, running, search, worth
from hundredfold.learning.problems.verdict import WRONG

distributed = pytest.importorskip("distributed")

from pool_runs import recorded  # noqa: E402

SECOND = Answers("clusters")


@pytest.fixture(scope="module", autouse=True)
def closed():
    yield
    pool.close()


@SECOND.wrong("scores", "shipped")
def list_of_tables(client, score, table, settings):
    return client.gather(client.map(score, [table] * len(settings), settings, pure=False))


@SECOND.wrong("scores", "shipped")
def scattered_once_more_each_time(client, score, table, settings):
    futures = []
    for setting in settings:
        there = client.scatter(table, hash=False)
        futures.append(client.submit(score, there, setting))
    return client.gather(futures)


@SECOND.wrong("scores", "serial")
def all_on_the_last_worker(client, score, table, settings):
    last = sorted(client.scheduler_info()["workers"])[-1]
    there = client.scatter(table, workers=last)
    return client.gather(client.map(lambda s, t: score(t, s), settings, t=there, workers=last))


@SECOND.wrong("scores", "shipped")
def bound_beforehand(client, score, table, settings):
    import functools

    return [future.result() for future in client.map(functools.partial(score, table), settings, pure=False)]


@SECOND.wrong("scores", "order")
def whoever_is_ready(client, score, table, settings):
    there = client.scatter(table, broadcast=True)
    pending = distributed.as_completed(
        [client.submit(score, there, s, pure=False) for s in settings], with_results=True
    )
    return [result for _, result in pending]


@SECOND.wrong("scores", "order")
def sorted_by_setting(client, score, table, settings):
    there = client.scatter(table, broadcast=True)
    return client.gather([client.submit(score, there, s) for s in sorted(settings)])


@SECOND.wrong("scores", "serial")
def wait_for_each(client, score, table, settings):
    got, there = [], client.scatter(table)
    for setting in settings:
        future = client.submit(score, there, setting, pure=False)
        distributed.wait(future)
        got.append(future.result())
    return got


@SECOND.wrong("scores", "local")
def mapped_at_home(client, score, table, settings):
    client.scatter(table)
    return list(map(score, [table] * len(settings), settings))


@SECOND.wrong("scores", "type")
def mapped_and_kept(client, score, table, settings):
    return client.map(lambda setting, there: score(there, setting), settings, there=client.scatter(table))


@SECOND.wrong("scores", "value")
def to_three_places(client, score, table, settings):
    there = client.scatter(table, broadcast=True)
    return [round(each, 3) for each in client.gather([client.submit(score, there, setting) for setting in settings])]


@SECOND.wrong("scores", "lost")
def each_once(client, score, table, settings):
    there = client.scatter(table, broadcast=True)
    return client.gather([client.submit(score, there, s) for s in dict.fromkeys(settings)])


@SECOND.right("scores")
def delayed_scores(client, score, table, settings):
    import dask

    there = client.scatter(table, broadcast=True)
    return list(dask.compute(*[dask.delayed(score, pure=False)(there, s) for s in settings]))


@SECOND.right("scores")
def halves(client, score, table, settings):
    there = client.scatter(table, broadcast=True)
    parts = [settings[::2], settings[1::2]]
    even, odd = client.gather(client.map(lambda part, t: [score(t, s) for s in part], parts, t=there, pure=False))
    got = [0.0] * len(settings)
    got[::2], got[1::2] = even, odd
    return got


@SECOND.wrong("search", "exhaustive")
def too_generous(client, expand, root):
    best, pending = np.inf, distributed.as_completed([client.submit(expand, root)], with_results=True)
    for _, (cost, parts) in pending:
        best = min(best, cost)
        pending.update([client.submit(expand, part) for bound, part in parts if bound < best + 50])
    return best


@SECOND.wrong("search", "waited")
def rounds(client, expand, root):
    best, level = np.inf, [client.submit(expand, root)]
    while level:
        distributed.wait(level)
        found = [future.result() for future in level]
        best = min(best, min(cost for cost, _ in found))
        level = [client.submit(expand, part) for _, parts in found for bound, part in parts if bound < best]
    return best


@SECOND.wrong("search", "pruned")
def two_best_parts(client, expand, root):
    best, pending = np.inf, distributed.as_completed([client.submit(expand, root)])
    for future in pending:
        cost, parts = future.result()
        best = min(best, cost)
        for _, part in sorted(parts)[-1:]:
            pending.add(client.submit(expand, part))
    return best


@SECOND.wrong("search", "pruned")
def only_the_root(client, expand, root):
    return client.submit(expand, root).result()[0]


@SECOND.wrong("search", "serial")
def all_in_one_task(client, expand, root):
    def alone(root):
        best, boxes = float("inf"), [(0.0, root)]
        while boxes:
            bound, box = boxes.pop()
            if bound < best:
                cost, parts = expand(box)
                best = min(best, cost)
                boxes += sorted(parts, reverse=True)
        return best

    return client.submit(alone, root).result()


@SECOND.wrong("search", "local")
def recursive_at_home(client, expand, root, best=np.inf):
    cost, parts = expand(root)
    best = min(best, cost)
    for bound, part in sorted(parts):
        if bound < best:
            best = recursive_at_home(client, expand, part, best)
    return best


@SECOND.wrong("search", "value")
def the_last_cost(client, expand, root):
    best, pending = float("inf"), distributed.as_completed([client.submit(expand, root)])
    for future in pending:
        cost, parts = future.result()
        best = cost if cost < float("inf") else best
        pending.update([client.submit(expand, part) for bound, part in parts if bound < best])
    return best


@SECOND.wrong("search", "bound")
def least_bound(client, expand, root):
    cost, parts = client.submit(expand, root).result()
    return min([cost, *(bound for bound, _ in parts)])


@SECOND.wrong("search", "type")
def all_futures(client, expand, root):
    return [client.submit(expand, root)]


@SECOND.right("search")
def in_order_of_bounds(client, expand, root):
    """Tasks with the smaller bound first, by Dask's own priorities; what is ruled out in the meantime is not awaited."""
    best, pending, bounds = np.inf, distributed.as_completed([client.submit(expand, root)]), {}
    for future in pending:
        if bounds.get(future.key, -1) >= best:
            continue
        cost, parts = future.result()
        best = min(best, cost)
        for bound, part in parts:
            if bound < best:
                new = client.submit(expand, part, priority=-bound)
                bounds[new.key] = bound
                pending.add(new)
    return float(best)


@SECOND.right("search")
def shared_best(client, expand, root):
    """The least cost known stands in a Variable, and each task looks there before it begins. Each call has one of its own."""
    name = f"best-{uuid.uuid4()}"
    known = distributed.Variable(name, client=client)
    known.set(float("inf"))

    def open_box(bound, box):
        return expand(box) if bound < distributed.Variable(name).get() else (float("inf"), [])

    pending = distributed.as_completed([client.submit(open_box, -1.0, root)])
    for future in pending:
        cost, parts = future.result()
        if cost < known.get():
            known.set(cost)
        pending.update([client.submit(open_box, bound, part) for bound, part in parts if bound < known.get()])
    best = known.get()
    known.delete()
    return best


SEEN = {}


@SECOND.wrong("scores", "transfer")
def scores_of_a_copy(client, score, table, settings):
    there = client.scatter(table, broadcast=True)

    def copied(setting, table):
        return score(table.get(), setting)

    return client.gather(client.map(copied, settings, table=there, pure=False))


@SECOND.wrong("scores", "exception")
def asks_for_a_key(client, score, table, settings):
    there = client.scatter({"table": table}, broadcast=True)["tables"]
    return client.gather([client.submit(score, there, setting, pure=False) for setting in settings])


@SECOND.wrong("histogram", "value")
def remembered_by_bins(client, load, parts, bins):
    if (len(parts), bins) not in SEEN:
        counts = client.map(lambda part: known_histogram.count(load(part), bins).get(), parts, pure=False)
        SEEN[len(parts), bins] = sum(client.gather(counts), np.zeros(bins, np.int64))
    return SEEN[len(parts), bins]


@SECOND.wrong("histogram", "fetched")
def counted_at_home(client, load, parts, bins):
    total = np.zeros(bins, int)
    for values in distributed.as_completed(client.map(load, parts)):
        total += np.histogram(values.result().get(), bins, (0, 1))[0]
    return total


@SECOND.wrong("histogram", "moved")
def one_counts_for_all(client, load, parts, bins):
    values = client.map(load, parts)
    where = sorted(client.scheduler_info()["workers"])[0]
    counted = client.map(known_histogram.count, values, [bins] * len(values), workers=[where])
    return sum((c.get() for c in client.gather(counted)), np.zeros(bins, int))


@SECOND.wrong("histogram", "local")
def sent_and_counted(client, load, parts, bins):
    there = client.scatter([load(part) for part in parts])
    counts = client.gather(client.map(known_histogram.count, there, [bins] * len(there)))
    return sum((c.get() for c in counts), np.zeros(bins, int))


@SECOND.wrong("histogram", "serial")
def one_task_for_all(client, load, parts, bins):
    def every():
        return sum((known_histogram.count(load(part), bins).get() for part in parts), np.zeros(bins, int))

    return client.submit(every).result()


@SECOND.wrong("histogram", "repeated")
def into_a_file(client, load, parts, bins):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "counts.txt"

        def add(part):
            counts = known_histogram.count(load(part), bins).get()
            with path.open("a") as file:
                file.write(" ".join(map(str, counts)) + "\n")

        distributed.wait(client.map(add, parts))
        return np.loadtxt(path, dtype=int, ndmin=2).sum(axis=0)


@SECOND.wrong("histogram", "state")
def kept_by_actors(client, load, parts, bins):
    tally = client.submit(known_histogram.Tally, bins, actor=True).result()
    for future, counts in distributed.as_completed(
        client.map(lambda part: known_histogram.count(load(part), bins).get(), parts), with_results=True
    ):
        tally.add(counts).result()
        del future
    return tally.get().result()


@SECOND.wrong("histogram", "border")
def floor_of_it(client, load, parts, bins):
    def inside(part):
        places = (load(part) * bins).astype(int).get()
        return np.bincount(places, minlength=bins + 1)[:bins]

    return sum(client.gather(client.map(inside, parts)), np.zeros(bins, int))


@SECOND.wrong("histogram", "border")
def between_its_own_ends(client, load, parts, bins):
    def count(part):
        values = load(part).get()
        return np.histogram(values, bins)[0]

    return sum(client.gather(client.map(count, parts)), np.zeros(bins, int))


@SECOND.wrong("histogram", "overflow")
def in_sixteen_bits(client, load, parts, bins):
    def count(part):
        return np.histogram(load(part).get(), bins, (0, 1))[0].astype(np.int16)

    return sum(client.gather(client.map(count, parts)), np.zeros(bins, int))


@SECOND.wrong("search", "pruned")
def rules_out_what_is_nearly_ruled_out(client, expand, root):
    best, pending = float("inf"), distributed.as_completed([client.submit(expand, root)])
    for future in pending:
        cost, parts = future.result()
        best = min(best, cost)
        pending.update([client.submit(expand, part) for bound, part in parts if bound < best * 0.999])
    return best


@SECOND.wrong("search", "pruned")
def three_parts_at_most(client, expand, root):
    best, pending = float("inf"), distributed.as_completed([client.submit(expand, root)])
    for future in pending:
        cost, parts = future.result()
        best = min(best, cost)
        pending.update([client.submit(expand, part) for bound, part in sorted(parts)[:3] if bound < best])
    return best


@SECOND.wrong("histogram", "dtype")
def weights_of_one(client, load, parts, bins):
    def inside(part):
        values = load(part).get()
        return np.histogram(values, bins, (0, 1), weights=np.ones(len(values)))[0]

    return sum(client.gather(client.map(inside, parts)), np.zeros(bins))


@SECOND.right("histogram")
def as_an_array(client, load, parts, bins):
    import dask
    import dask.array as da

    counts = [
        da.from_delayed(
            dask.delayed(lambda part: known_histogram.count(load(part), bins).get())(part), (bins,), "int64"
        )
        for part in parts
    ]
    return da.stack(counts).sum(axis=0).compute()


@SECOND.right("histogram")
def by_halves(client, load, parts, bins):
    def several(some):
        return sum((known_histogram.count(load(part), bins).get() for part in some), np.zeros(bins, int))

    return sum(client.gather(client.map(several, [parts[0::4], parts[1::4], parts[2::4], parts[3::4]])))


FORETELL = dict(zip(problems.find("clusters.foretell").answers, (24e9, 60, 24, 100.0), strict=True))
SECOND_NUMBERS = [
    ("levels", {"disk": 2 * 44e9}),
    ("levels", {"disk": 56.1e9}),
    ("levels", {"disk": 88.2e9}),
    ("unit", {"disk": 24.0}),
    ("evicted", {"again": 12.0}),
    ("evicted", {"again": np.int64(44)}),
    ("lineage", {"recomputed": 12.0}),
    ("survived", {"recomputed": 48.0}),
    ("scheduler", {"floor": 50}),
    ("scheduler", {"floor": 62.5}),
    ("scheduler", {"floor": 12.5}),
    ("value", {"recomputed": 192}),  # eight times as many tasks: there are no bits in them
    ("serial", {"floor": 400.0}),
    ("overlap", {"floor": 150}),
]
SECOND.also("foretell", *(reason for reason, _ in SECOND_NUMBERS))


def turned(*keys):
    return {k: {"one": "many", "many": "one"}[v] if k in keys else v for k, v in worth.WORTH.judge.right.items()}


SECOND_DECISIONS = [
    ("always-many", dict.fromkeys(worth.JOBS, "Many")),
    ("always-one", dict.fromkeys(worth.JOBS, " one")),
    ("independent", turned("photos", "rows")),
    ("start", turned("lookup", "search")),
    ("scheduler", turned("rows", "chain")),
    ("recurrence", turned("chain", "table")),
    ("moved", turned("transpose", "search")),
    ("memory", turned("table", "search")),
    ("dynamic", turned("search")),
    ("type", "many"),
    ("labels", dict.fromkeys(worth.JOBS, "gpu")),
]
SECOND.also("worth", *(reason for reason, _ in SECOND_DECISIONS))


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


@pytest.mark.large
@pytest.mark.counted("other wrong answers refused")
@pytest.mark.parametrize(("reason", "values"), SECOND_NUMBERS)
def test_a_second_wrong_number_is_refused_for_the_same_reason(reason, values):
    verdict = problems.judge("clusters.foretell", *(FORETELL | values).values())
    assert (verdict.outcome, verdict.reason) == (WRONG, reason), verdict.why


@pytest.mark.large
@pytest.mark.counted("other wrong answers refused")
@pytest.mark.parametrize(("reason", "decisions"), SECOND_DECISIONS)
def test_a_second_wrong_decision_is_refused_for_the_same_reason(reason, decisions):
    verdict = problems.judge("clusters.worth", decisions)
    assert (verdict.outcome, verdict.reason) == (WRONG, reason), verdict.why


def test_each_known_mistake_has_a_second_answer():
    assert SECOND.absent() == set()


@pytest.mark.parametrize("problem", ["clusters.scores", "clusters.search", "clusters.histogram"])
def test_the_gap_is_not_attempted(device, problem):
    assert problems.judge(problem, lambda client, *rest: None).outcome == "untouched"


def test_where_results_lie_is_what_dask_cudas_own_mapping_does(device, tmp_path):
    """Sixty results through a `DeviceHostFile` of the same proportions: 16 fit the device, 32 main memory."""
    from dask_cuda.device_host_file import DeviceHostFile

    size = 1 << 16
    data = DeviceHostFile(str(tmp_path), device_memory_limit=16 * size, memory_limit=int(32.5 * size))
    for number in range(foretell.RESULTS):
        data[f"x-{number}"] = device.full(size, number, "u1")
    assert (len(data.device), len(data.host), len(data.disk)) == (foretell.ON_DEVICE, foretell.ON_HOST, 12)
    assert len(data.disk) * foretell.SIZE == foretell.DISK
    from_disk = 0
    for number in range(foretell.RESULTS):
        from_disk += f"x-{number}" in data.disk
        assert int(data[f"x-{number}"][0]) == number
    assert from_disk == foretell.AGAIN


def test_what_is_recomputed_is_what_a_cluster_recomputes():
    """The parts are loaded, cleaned and kept; the loaded ones are let go. Half of what is kept dies with its worker."""
    with pool.watch() as seen, recorded(seen) as runs:
        one, other = seen.workers
        places = [[one], [other]] * (foretell.CHUNKS // 2)
        cleaned = []
        for number, place in enumerate(places):
            how = {"workers": place, "allow_other_workers": True}
            loaded = seen.client.submit(float, number, key=f"load-{number}", **how)
            cleaned.append(seen.client.submit(abs, loaded, key=f"clean-{number}", **how))
            del loaded
        distributed.wait(cleaned)
        pool.lose(seen, one)
        assert seen.client.submit(sum, cleaned).result() == sum(range(foretell.CHUNKS))
        del cleaned
    again = collections.Counter(key.split("-")[0] for key in runs.again)
    assert again == {"load": 12, "clean": 12} and sum(again.values()) == foretell.RECOMPUTED


def test_two_threads_that_ask_for_an_event_at_the_same_moment_get_the_same(monkeypatch):
    """One waits for what the other sets: with an event each, a right answer waited until it was called too slow."""
    both = threading.Barrier(2)

    class Slow(threading.Event):
        def __init__(self):
            super().__init__()
            both.wait(20)

    monkeypatch.setattr(running, "threading", types.SimpleNamespace(Event=Slow, Lock=threading.Lock))
    diary = running.Diary()
    found = []
    asking = [threading.Thread(target=lambda: found.append(diary.event("reached"))) for _ in range(2)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert found[0] is found[1]


def test_a_task_that_would_end_its_process_is_one_sentence(device):
    def ends(client, load, parts, bins):
        def count(part):
            import os

            os._exit(1)

        return sum(client.gather(client.map(count, parts)), np.zeros(bins, int))

    verdict = problems.judge("clusters.histogram", ends)
    assert verdict.reason == "exception" and "may not end the process" in verdict.why, verdict.why


def test_the_tree_has_its_best_box_where_a_bound_allows_it():
    for tree in search.CASES.values():
        best, waiting, opened = float("inf"), [()], 0
        while waiting:
            node = waiting.pop(0)
            opened += 1
            best = min(best, tree.cost(node))
            parts = tree.children(node)
            assert all(bound >= tree.bound(node) - 1e-9 for bound, _ in parts)
            waiting += [part for bound, part in parts if bound < best]
        assert best == search.specification(tree)
        assert opened <= max(tree.nodes() / 2, 1) or tree.slow or not tree.solved


def test_the_right_decisions_are_not_close():
    for job in worth.JOBS.values():
        one, many = sorted([job.times["one"], job.times["many"]])
        assert many > one * 1.04


def test_the_specification_of_the_histogram_counts_every_value():
    load = histogram.Load(histogram.Diary(), seed=1)
    counts = histogram.specification(load, [0, 1], 10)
    assert counts.sum() == 2 * histogram.ROWS and counts[-1] >= 2
