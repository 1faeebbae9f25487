"""What judges of lazy code look at: graphs, and what runs when they are computed."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest

from hundredfold.learning.problems import graphs
from hundredfold.learning.problems.verdict import Refusal


def test_what_ran_is_counted_by_name():
    x = da.ones((4, 4), chunks=2) + 1
    with graphs.watch() as ran:
        assert not ran.computes
        assert x.sum().compute() == 32
    assert ran.computes == 1
    assert ran.count("sum-aggregate") == 1
    assert ran.tasks[-1].name == "sum-aggregate"


def test_without_fusion_each_task_and_its_size_is_seen():
    x = da.ones((4, 6), chunks=2) + 1
    value, ran = graphs.compute(x, optimize=False)
    assert value.sum() == 48
    assert ran.names == {"ones_like": 6, "add": 6}
    assert ran.largest == 2 * 2 * 8


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_a_compute_with_a_scheduler_of_its_own_is_seen(scheduler):
    with graphs.watch() as ran:
        da.ones(4, chunks=2).sum().compute(scheduler=scheduler)
        dask.persist(da.ones(4, chunks=2), scheduler=scheduler)
    assert ran.computes == 2 and not ran.sent


def test_what_goes_to_a_cluster_is_seen_and_the_client_is_put_back():
    distributed = pytest.importorskip("distributed")
    before = distributed.Client._graph_to_futures
    options = {"processes": False, "dashboard_address": None, "n_workers": 1, "threads_per_worker": 1}
    with distributed.Client(set_as_default=False, **options) as client:
        with graphs.watch() as ran:
            client.compute(da.ones(4, chunks=2).sum()).result(timeout=60)
            client.submit(len, "abc").result(timeout=60)
        assert (ran.computes, ran.sent) == (2, 2)
        with graphs.watch() as ran:
            pass
    assert not ran.computes
    assert distributed.Client._graph_to_futures is before


@pytest.mark.parametrize(
    "eager",
    [
        lambda x: x.sum().compute(),
        lambda x: float(x.sum()),
        lambda x: np.asarray(x),
        lambda x: x.persist(),
        lambda x: x[x > 0].compute_chunk_sizes(),
    ],
)
def test_building_says_what_was_computed_meanwhile(eager):
    _, ran = graphs.build(eager, da.ones(6, chunks=2))
    with pytest.raises(Refusal, match="made to compute once") as refused:
        graphs.require_unrun(ran)
    assert refused.value.reason == "eager"


def test_building_what_stays_lazy_computes_nothing():
    called, ran = graphs.build(lambda x: (x + 1).mean(), da.ones(6, chunks=2))
    graphs.require_unrun(ran)
    graphs.require_lazy(called.value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.ones(3), "eager"),
        (np.float64(1), "eager"),
        (1.0, "type"),
        (None, "type"),
        (dask.delayed(1), "type"),
    ],
)
def test_what_is_not_lazy_is_refused(value, reason):
    with pytest.raises(Refusal) as refused:
        graphs.require_lazy(value)
    assert refused.value.reason == reason


def test_what_a_task_raises_is_a_refusal():
    def broken(block):
        raise ZeroDivisionError("of mine")

    x = da.ones(4, chunks=2).map_blocks(broken, dtype=float, meta=np.empty(0))
    with pytest.raises(Refusal, match="ZeroDivisionError: of mine") as refused:
        graphs.compute(x)
    assert refused.value.reason == "exception"


def test_a_task_that_never_ends_is_stopped():
    def endless(block):
        while True:
            pass

    x = da.ones(4, chunks=2).map_blocks(endless, dtype=float, meta=np.empty(0))
    with pytest.raises(Refusal) as refused:
        graphs.compute(x, limit=0.2)
    assert refused.value.reason == "timeout"


def test_work_that_is_done_twice_is_named():
    x = da.ones(6, chunks=2)
    with graphs.watch() as ran:
        x.compute()
        x.compute()
    assert len(ran.twice) == 3
    with graphs.watch() as ran:
        dask.compute(x, x)
    assert not ran.twice


def test_a_graphs_size_before_and_after_optimisation():
    x = (da.ones(6, chunks=2) + 1)[:1]
    assert graphs.tasks(x, optimized=False) == 7
    assert graphs.tasks(x) == 1


def test_the_largest_chunk_of_the_result():
    x = da.ones((8, 8), chunks=(2, 2))
    assert graphs.largest_chunk(x) == 4 * 8
    assert graphs.largest_chunk(x[x > 0]) is None
    assert graphs.largest_chunk(x.rechunk((1, 8)).astype("f4")) == 8 * 4


def test_which_side_a_chunk_is_on(device):
    with dask.config.set({"array.backend": "cupy"}):
        x = da.ones((4, 4), chunks=2)
    assert graphs.kind(x) == "cupy"
    _, ran = graphs.compute(x + 1)
    assert not ran.on_host()
    assert sum(task.device for task in ran.tasks if task.name.endswith("add")) == 16

    there = (
        (x + 1)
        .map_blocks(device.asnumpy, dtype=x.dtype, meta=np.empty((0, 0)))
        .map_blocks(device.asarray, dtype=x.dtype)
    )
    _, ran = graphs.compute(there, optimize=False)
    assert {task.name for task in ran.on_host()} == {"asnumpy"}


def test_a_table_with_two_levels_of_names_is_counted_too(device):
    import cudf

    frame = cudf.DataFrame({"carrier": ["a", "b", "a"], "delay": [1.0, None, 3.0]})
    ((used, rows, there),) = graphs._sizes(frame.groupby("carrier").agg({"delay": ["count", "mean"]}))
    assert used >= 32 and rows == 2 and there


def test_frames_are_counted_by_rows():
    import dask.dataframe as dd

    table = dd.from_pandas(pd.DataFrame({"a": np.arange(10)}), npartitions=2)
    assert graphs.kind(table) == "pandas" and graphs.lazy(table)
    value, ran = graphs.compute(table.a + 1)
    assert len(value) == 10
    assert sum(task.host for task in ran.tasks) >= 10
    with pytest.raises(Refusal) as refused:
        graphs.require_lazy(table)
    assert refused.value.reason == "type"
