"""6a. Dask on the GPU in full: LocalCUDACluster, the tall SVD, and the sum over 2 TB of random numbers with its three terms.

One GPU: what several would do is published or modelled elsewhere, and never called recorded.  Two workers on one GPU are shown as that.
"""

from __future__ import annotations

import time

from .. import rows
from .record import seconds

TITLE = "Dask"
WORKERS = 1

#: The published problem: a square of float64 of that side, in chunks; 2019's chunks, and those that one large GPU wants.
SIDE, PUBLISHED, LARGE = 500_000, 10_000, 20_000
DRY_SIDE, DRY_CHUNK = 1_000, 250
ROWS, COLUMNS, HIGH = 1_000_000, 1_000, 10_000

#: Parts whose time becomes one of the recording: the published workload, and how it was done.
RECORDED = {
    "sum, 2 TB, chunks of 20 000": ("dask-arrays.sum", "Dask and CuPy, single-threaded, chunks of 20 000 × 20 000"),
    "sum, 2 TB, chunks of 10 000": ("dask-arrays.sum", "Dask and CuPy, single-threaded, chunks of 10 000 × 10 000"),
    "svd, one process": ("svd.tall", "Dask and CuPy, single-threaded"),
    "svd, cluster": ("svd.tall", "Dask and CuPy, a cluster of one worker"),
}


def parts(about):
    need = ["dask", "distributed", *([] if about["dry"] else ["cupy"])]
    cuda = [*need, *([] if about["dry"] else ["dask_cuda"])]
    names = {
        "sum, 2 TB, chunks of 20 000": (20, 300, need),
        "sum, its terms, chunks of 20 000": (20, 300, need),
        "svd, one process": (20, 300, need),
        "cluster of one worker": (30, 300, cuda),
        "sum, 2 TB, chunks of 10 000": (60, 400, need),
        "sum, its terms, chunks of 10 000": (20, 300, need),
        "svd, cluster": (40, 400, cuda),
        "two workers on one GPU": (40, 400, cuda),
    }
    return [
        {"name": name, "takes": takes, "patience": patience, "needs": needs, "alone": True}
        for name, (takes, patience, needs) in names.items()
    ]


def do(part, about):
    import dask

    from .probe import real

    real(about)
    chunk = LARGE if "20 000" in part else PUBLISHED
    side = DRY_SIDE if about["dry"] else SIDE
    chunk = DRY_CHUNK if about["dry"] else chunk
    with dask.config.set(
        {"array.backend": "cupy", "distributed.dashboard.link": "", "distributed.logging.distributed": "error"}
    ):
        found = _found(part, about["dry"], side, chunk)
    if part in RECORDED:
        workload, way = RECORDED[part]
        found["recorded"] = rows.keep_row(about["folder"], workload, way, found, "One GPU, one run.", about["dry"])
    return found


def _found(part, dry, side, chunk):
    if part.startswith("sum, 2 TB"):
        return whole_sum(side, chunk)
    if part.startswith("sum, its terms"):
        return terms(side, chunk)
    shape = (4_000, 50, 1_000) if dry else (ROWS, COLUMNS, HIGH)
    if part.startswith("svd"):
        return on_cluster(lambda: svd(*shape), workers=1) if "cluster" in part else svd(*shape)
    return on_cluster(lambda: transposed(1_000 if dry else 40_000), workers=2 if part.startswith("two") else 1)


def whole_sum(side, chunk):
    """(normal(10, 1) + 1)[::2, ::2].sum(), chunk after chunk in this process as in 2019; after one chunk that is not counted."""
    import dask.array as da

    def summed(size, seed):
        x = da.random.RandomState(seed=seed).normal(10, 1, size=(size, size), chunks=(chunk, chunk))
        return (x + 1)[::2, ::2].sum()

    summed(chunk, 1).compute(scheduler="single-threaded")  # compiles the kernels, and fills the pool of memory
    start = time.perf_counter()
    total = summed(side, 10)
    built = time.perf_counter() - start
    value = float(total.compute(scheduler="single-threaded"))
    took = time.perf_counter() - start
    kept = (-(-side // 2)) ** 2
    assert abs(value / kept - 11) < 10 / kept**0.5, value / kept  # ten standard errors
    return {
        "seconds": took,
        "building": built,
        "mean": value / kept,
        "chunks": (-(-side // chunk)) ** 2,
        "bytes": 8.0 * side * side,
        "chunk": chunk,
    }


def terms(side, chunk):
    """The generator, the bytes and the scheduler, each alone: what the sum takes is at most all three, and about that where nothing overlaps.

    A chunk is added up as Dask does it, with `axis` and `keepdims`: without them CuPy's sum of a strided array is another kernel.
    """
    import cupy as cp
    import dask.array as da

    from hundredfold import measure

    chunks = (-(-side // chunk)) ** 2

    def generate():
        return cp.random.RandomState(10).normal(10, 1, (chunk, chunk))

    generator = measure(generate, name="generator", max_time=3.0).median * chunks
    moved = measure(added, generate(), name="bytes", max_time=3.0).median * chunks
    across = -(-side // chunk)
    tiny = da.random.RandomState(seed=10).normal(10, 1, size=(2 * across, 2 * across), chunks=(2, 2))
    start = time.perf_counter()
    (tiny + 1)[::2, ::2].sum().compute(scheduler="single-threaded")
    scheduler = time.perf_counter() - start
    return {
        "generator": generator,
        "bytes": moved,
        "scheduler": scheduler,
        "sum": generator + moved + scheduler,
        "chunk": chunk,
    }


def added(x):
    """What Dask does with a chunk of the sum."""
    return (x + 1)[::2, ::2].sum(axis=(0, 1), keepdims=True)


def svd(rows, columns, high):
    """Singular values of a tall matrix, block by block; held to what their squares must add up to."""
    import dask
    import dask.array as da

    scheduler = None if _client() else "single-threaded"
    x = (
        da.random.RandomState(seed=12)
        .random_sample((rows, columns), chunks=(high, columns))
        .persist(scheduler=scheduler)
    )
    _wait(x)
    start = time.perf_counter()
    u, s, v = dask.persist(*da.linalg.svd(x), scheduler=scheduler)
    _wait(u, s, v)
    took = time.perf_counter() - start
    norm = float((x * x).sum().compute(scheduler=scheduler))
    squares = float((s * s).sum().compute(scheduler=scheduler))
    assert abs(squares / norm - 1) < 1e-9, (squares, norm)
    return {"seconds": took, "rows": rows, "columns": columns, "squares": squares / norm}


def transposed(side):
    """x + x.T over a square: chunks cross between workers where there are several."""
    import dask.array as da

    scheduler = None if _client() else "single-threaded"
    x = (
        da.random.RandomState(seed=3)
        .random_sample((side, side), chunks=(side // 4, side // 4))
        .persist(scheduler=scheduler)
    )
    _wait(x)
    start = time.perf_counter()
    value = float((x + x.T).sum().compute(scheduler=scheduler))
    took = time.perf_counter() - start
    assert abs(value / side**2 - 1) < 0.02, value / side**2
    return {"seconds": took, "side": side, "bytes": 8.0 * side * side}


def on_cluster(work, workers):
    """A cluster of so many workers on GPU 0, started for this alone; with what it took to start.

    Dask-CUDA gives each GPU one worker and refuses more, so that two on one GPU are two of Dask's plain workers.
    """
    from dask.distributed import Client, LocalCluster
    from dask_cuda import LocalCUDACluster

    start = time.perf_counter()
    if workers == 1:
        cluster = LocalCUDACluster(CUDA_VISIBLE_DEVICES=[0], dashboard_address="127.0.0.1:0")
    else:
        cluster = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0")
    with cluster, Client(cluster) as client:
        client.wait_for_workers(workers, timeout=120)
        ready = time.perf_counter() - start
        first = work()
        found = work()  # the first brings contexts, libraries and compiled kernels to the workers
        there = len(client.scheduler_info(n_workers=-1)["workers"])
        return {**found, "first": first["seconds"], "starting": ready, "workers": there, "gpus": 1}


def _client():
    from distributed.client import default_client

    try:
        return default_client()
    except ValueError:
        return None


def _wait(*collections):
    from distributed import wait

    if _client():
        wait(list(collections), timeout=300)
    else:
        from hundredfold.toolkit import where

        where.synchronize()


def report(results):
    lines = ["| what | time | remark |", "|---|---:|---|"]
    for part, line in results.items():
        found = line.get("result")
        if found is None:
            lines.append(f"| {part} | {line['status']} | {' '.join(line.get('why', '').split())[:200]} |")
        elif "sum" in found:
            remark = f"generator {seconds(found['generator'])}, bytes {seconds(found['bytes'])}, scheduler {seconds(found['scheduler'])}"
            lines.append(f"| {part} | {seconds(found['sum'])} | {remark} |")
        else:
            remarks = [
                f"{found['chunks']} chunks" if "chunks" in found else "",
                f"first {seconds(found['first'])}" if "first" in found else "",
            ]
            remarks += [f"{found['workers']} workers on one GPU" if found.get("workers", 1) > 1 else ""]
            lines.append(f"| {part} | {seconds(found['seconds'])} | {', '.join(filter(None, remarks))} |")
    for chunk in ("20 000", "10 000"):
        took = (results.get(f"sum, 2 TB, chunks of {chunk}") or {}).get("result")
        told = (results.get(f"sum, its terms, chunks of {chunk}") or {}).get("result")
        if took and told:
            lines.append(f"\nChunks of {chunk}: the three terms are {told['sum'] / took['seconds']:.2f} of the time.")
    return lines if len(lines) > 2 else []
