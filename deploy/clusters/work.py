"""The work that every cluster of this folder is given: the SVD of a tall matrix. It is the same function everywhere; only
the client differs.

    python work.py tls://10.0.0.1:8786 --tls certificates     # on a cluster that is already there
"""

import argparse
import pathlib
import sys
import time

import cloudpickle
import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, Security, wait
from distributed.client import CancelledError

# Scheduler and workers have no copy of this file, so its functions travel whole and not by name: by cloudpickle, which Dask takes
# for a graph only where pickle fails. On a function without a name it does: that is what the lambda in `run` is for.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def block(number, rows, columns, backend="numpy", pause=0.0):
    """Rows `number * rows` and following of the matrix: the same numbers on every host, made where they are needed."""
    time.sleep(pause)
    numbers = np.random.default_rng((14, number)).standard_normal((rows, columns))
    if backend == "cupy":
        import cupy

        numbers = cupy.asarray(numbers)
    return numbers


def run(
    client, rows=2_000, columns=16, blocks=8, backend="numpy", workers=1, timeout=300, pause=0.0, why=None, matrix=None
):
    """The singular values of a matrix of `blocks` blocks of `rows` × `columns` float64, computed on the client's workers;
    or those of `matrix`, an array of yours with more rows than columns, which is then sent to them in such blocks.

    It waits until there are `workers`, for `timeout` seconds at most, as it waits for the result; what `why()` says of the
    cluster stands in the error of the end, and what it raises ends the waiting. Each block takes `pause` seconds longer than
    it needs, for whoever wants to break something meanwhile. Returns a dict: `values` (in descending order), `error` (the
    largest relative difference from LAPACK's on one machine), `workers`, `hosts`, `seconds`.
    """
    came = f"{workers} worker(s) did not come"
    _wait(lambda s: client.wait_for_workers(workers, timeout=s), timeout, came, client, why)
    present = client.scheduler_info(n_workers=-1)["workers"].values()
    if matrix is None:
        make = dask.delayed(lambda number: block(number, rows, columns, backend, pause))
        pieces = [make(number) for number in range(blocks)]
        meta = block(0, 0, columns, backend) if backend == "numpy" else None
        spread = da.concatenate([da.from_delayed(p, (rows, columns), dtype="f8", meta=meta) for p in pieces])
    else:
        spread = da.from_array(matrix, chunks=(rows, -1))
    start = time.perf_counter()
    _, values, _ = da.linalg.svd(spread)
    try:
        future = client.compute(values.map_blocks(_to_host, dtype="f8"))
        _wait(lambda s: wait(future, timeout=s), timeout, "The workers did not finish", client, why)
        values = future.result()
    except TypeError as error:
        if "serialize" not in str(error):
            raise
        raise TypeError(
            f"{type(matrix).__name__}: this array cannot be sent to the workers, since it cannot be pickled (an open file or a lock is in it): "
            "read it into a NumPy array first, or let each worker open it and make its own block, as `block` does."
        ) from error
    except CancelledError as error:
        raise ConnectionError(
            "The connection to the scheduler was lost in the middle of the work, and the results with it: look whether it still "
            "runs, start it again if not, and run this again."
        ) from error
    seconds = time.perf_counter() - start
    whole = [block(i, rows, columns) for i in range(blocks)] if matrix is None else [np.asarray(matrix[:])]
    exact = np.linalg.svd(np.concatenate(whole), compute_uv=False)
    hosts = {worker["host"] for worker in present}
    error = float(np.max(np.abs(values - exact) / exact))
    return {"values": values, "error": error, "workers": len(present), "hosts": len(hosts), "seconds": seconds}


def _wait(step, timeout, what, client, why, every=5):
    """`step(seconds)` until it ends before its seconds do, for `timeout` in all; in between the cluster is asked how it is."""
    end = time.monotonic() + timeout
    while True:
        left = end - time.monotonic()
        try:
            return step(max(0.1, min(every, left)))
        except TimeoutError:
            said = why() if why else "Their logs say more, and those of the scheduler."
            if left <= every:
                there = len(client.scheduler_info(n_workers=-1)["workers"])
                raise TimeoutError(f"{what} within {timeout:g} s; there are {there} now. {said}") from None


def _to_host(values):
    return values.get() if hasattr(values, "get") else values


def say(result):
    """One line on what `run` returned."""
    print("{workers} workers on {hosts} hosts, {seconds:.1f} s, LAPACK differs by {error:.0e}".format(**result))


def tls(folder):
    """The certificates in a folder (ca.pem, cert.pem, key.pem), for a client, a scheduler or a worker."""
    folder = pathlib.Path(folder).resolve()
    names = {"tls_ca_file": "ca.pem", "tls_client_cert": "cert.pem", "tls_client_key": "key.pem"}
    names |= {f"tls_{role}_{part}": f"{part}.pem" for role in ("scheduler", "worker") for part in ("cert", "key")}
    return Security(**{key: str(folder / name) for key, name in names.items()}, require_encryption=True)


def connect(address, certificates=None, timeout=30):
    """A client of a cluster that is already there; `certificates` is the folder with those of the cluster."""
    try:
        return Client(address, security=tls(certificates) if certificates else None, timeout=timeout)
    except (OSError, TypeError) as error:
        raise ConnectionError(
            f"No scheduler at {address} takes this client: it has ended, cannot be reached from this host, or has other "
            f"certificates than {certificates or 'none'}. Its log says which."
        ) from error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Run the SVD on a cluster that is already there.")
    parser.add_argument("address", help="of the scheduler: tls://10.0.0.1:8786")
    parser.add_argument("--tls", metavar="FOLDER", help="where ca.pem, cert.pem and key.pem are")
    parser.add_argument("--backend", default="numpy", choices=["numpy", "cupy"])
    parser.add_argument("--workers", type=int, default=1, help="wait for so many")
    asked = parser.parse_args()
    with connect(asked.address, asked.tls) as client:
        say(run(client, backend=asked.backend, workers=asked.workers))
