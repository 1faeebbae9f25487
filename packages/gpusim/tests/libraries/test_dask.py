"""Dask over the simulated library: threads, processes, and the arrays that travel between them."""

import subprocess
import sys

import pytest

IMPORTS = "import dask, dask.array as da, numpy as np, cupy as cp"

ARRAYS = {
    "contiguous": "cp.arange(12.0).reshape(3, 4)",
    "Fortran order": "cp.asfortranarray(cp.arange(12.0).reshape(3, 4))",
    "strided": "cp.arange(24, dtype='i4').reshape(4, 6)[1::2, ::-2]",
    "transposed": "cp.arange(6, dtype='f4').reshape(2, 3).T",
    "0-d": "cp.array(3.5)",
    "empty": "cp.zeros((0, 3), dtype='u1')",
    "bool": "cp.arange(5) > 2",
    "complex": "cp.arange(4, dtype='c16') * 1j",
    "large": "cp.arange(300_000)",
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_an_array_travels_whole(kind, simulating):
    simulating(f"""
        from distributed.protocol import deserialize, serialize
        x = {ARRAYS[kind]}
        header, frames = serialize(x, serializers=["dask"])
        assert header["serializer"] == "dask"
        y = deserialize(header, [bytes(frame) for frame in frames])
        assert type(y) is cp.ndarray and y is not x
        assert y.shape == x.shape and y.dtype == x.dtype
        assert cp.asnumpy(y).tobytes() == cp.asnumpy(x).tobytes()
        assert sum(memoryview(frame).nbytes for frame in frames) == x.nbytes
        if x.flags.f_contiguous and not x.flags.c_contiguous:
            assert y.flags.f_contiguous
        y += y.dtype.type(1)  # it is its own, writable memory
    """)


def test_what_travels_is_counted_as_going_through_the_host(simulating):
    simulating("""
        from distributed.protocol import deserialize, serialize
        from gpusim.device import queue
        x = cp.ones(1000)
        before = queue.counters()
        header, frames = serialize(x)
        sent = queue.counters() - before
        assert (sent.d2h_bytes, sent.h2d_bytes) == (8000, 0), sent
        deserialize(header, frames)
        came = queue.counters() - before - sent
        assert (came.d2h_bytes, came.h2d_bytes) == (0, 8000), came
    """)


def test_dask_knows_the_size_of_an_array(simulating):
    simulating("""
        from dask.sizeof import sizeof
        assert sizeof(cp.zeros((100, 100))) == 80_000
        assert sizeof([cp.zeros(100_000)]) > 800_000
    """)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_blocks_stay_on_the_device_and_the_answer_is_right(scheduler, simulating):
    simulating(f"""
        host = np.arange(4000.0).reshape(40, 100)
        with dask.config.set(scheduler={scheduler!r}):
            x = da.from_array(cp.asarray(host), chunks=(10, 25))
            assert type(x._meta) is cp.ndarray
            for of in (
                lambda a: (2 * a + 1).sum(),
                lambda a: a.T @ a,
                lambda a: a.mean(axis=0),
                lambda a: (a - a.mean()).std(),
                lambda a: a.T[::3, 1:],
                lambda a: a.max(axis=1),
            ):
                got = of(x).compute()
                assert type(got) is cp.ndarray, type(got)
                np.testing.assert_allclose(cp.asnumpy(got), of(host), rtol=1e-12)
    """)


def test_dasks_own_lookups_find_cupys_functions(simulating):
    simulating("""
        a, b = np.arange(600.0).reshape(20, 30), np.arange(900.0).reshape(30, 30)
        x, y = (da.from_array(cp.asarray(h), chunks=10) for h in (a, b))
        for name, got, want in (
            ("concatenate", da.concatenate([x, y]), np.concatenate([a, b])),
            ("stack", da.stack([x, x]), np.stack([a, a])),
            ("tensordot", da.tensordot(x, y, axes=([1], [0])), np.tensordot(a, b, axes=([1], [0]))),
            ("matmul", x @ y, a @ b),
            ("einsum", da.einsum("ij,jk->ik", x, y), np.einsum("ij,jk->ik", a, b)),
            ("take", da.take(x, [3, 1, 2], axis=0), np.take(a, [3, 1, 2], axis=0)),
            ("index", x[[5, 1]], a[[5, 1]]),
            ("where", da.where(x > 5, x, 0), np.where(a > 5, a, 0)),
            ("rechunk", x.rechunk((7, 11)), a),
        ):
            result = got.compute()
            assert type(result) is cp.ndarray, (name, type(result))
            np.testing.assert_allclose(cp.asnumpy(result), want, rtol=1e-12, err_msg=name)
    """)


def test_the_array_backend_makes_arrays_of_cupy(simulating):
    simulating("""
        with dask.config.set({"array.backend": "cupy"}):
            made = {
                "ones": da.ones((6, 4), chunks=3), "zeros": da.zeros((6, 4), chunks=3), "full": da.full((6, 4), 7.0, chunks=3),
                "arange": da.arange(24, chunks=6), "random": da.random.default_rng(1).random((6, 4), chunks=3),
                "state": da.random.RandomState(1).normal(size=(6, 4), chunks=3),
            }
            for name, array in made.items():
                assert type(array._meta) is cp.ndarray, name
                block = array.compute()
                assert type(block) is cp.ndarray and block.size == 24, name
            assert float(made["ones"].sum().compute()) == 24 and float(made["arange"].sum().compute()) == 276
            assert 0 < float(made["random"].mean().compute()) < 1
    """)


def test_to_backend_moves_down_and_up(simulating):
    simulating("""
        x = da.arange(10, chunks=5)
        up = x.to_backend("cupy")
        assert type(up.compute()) is cp.ndarray
        down = (up + 1).to_backend("numpy").compute()
        assert type(down) is np.ndarray and down.tolist() == list(range(1, 11))
    """)


def test_a_cluster_of_processes(simulating):
    simulating("""
        import distributed
        dask.config.set({"distributed.dashboard.link": ""})

        def make(n):
            import cupy, os
            return cupy.arange(n, dtype="f8"), os.getpid(), cupy.__file__

        def add(a, b):
            import os
            return a[0] + b[0], os.getpid()

        def ask_too_much():
            import cupy.cuda.jitify

        with distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                first, second = sorted(client.scheduler_info()["workers"])
                a = client.submit(make, 1000, workers=first)
                b = client.submit(make, 1000, workers=second, pure=False)
                total, where = client.submit(add, a, b, workers=second).result()   # `a` goes from worker to worker
                assert type(total) is cp.ndarray and float(total.sum()) == 999_000
                assert where == b.result()[1] != a.result()[1]
                assert a.result()[2] == cp.__file__
                there = client.scatter(cp.ones(500))
                assert float(client.submit(lambda v: v.sum(), there).result()) == 500
                x = da.from_array(cp.arange(10_000.0), chunks=1000)
                assert float((x * 2).sum().compute()) == 99_990_000
                y = da.map_blocks(lambda b: b + 1, x, meta=cp.zeros(0)).persist()
                distributed.wait(y)
                assert type(y.compute()) is cp.ndarray
                with dask.config.set({"array.backend": "cupy"}):
                    z = da.random.default_rng(1).random((40, 40), chunks=20)
                    assert float((z @ z.T).sum().compute()) == float((z @ z.T).sum().compute()) > 0
                from gpusim import NotSimulatedImport
                error = client.submit(ask_too_much).exception()
                assert type(error) is NotSimulatedImport and "cupy.cuda.jitify" in str(error), repr(error)
    """)


def test_dask_that_was_imported_before_the_simulation_knows_cupys_arrays_as_chunks():
    code = (
        "import dask.array as da\n"
        "from gpusim import activate\n"
        "activate()\n"
        "import cupy as cp\n"
        "quotient = da.from_array(cp.ones((4, 2)), chunks=2) / cp.asarray([1.0, 2.0])\n"
        "print(quotient.compute().sum())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.strip() == "6.0", done.stderr
