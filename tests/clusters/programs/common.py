"""What the programs share that the tests start on a host: they say each thing that happened as a line of JSON.

Such a program is what a person has open on a login node: it makes the cluster with the files of `deploy/clusters`, works on it,
and, where that went wrong, goes on (`usable` says that it could).
"""

import json
import sys
import threading
import time
import traceback

LOCK = threading.Lock()


def say(**what):
    """A line for the test."""
    with LOCK:
        print(json.dumps(what, default=str), flush=True)


def watch(client, stop, hosts=2):
    """Say `busy` once each of `hosts` hosts holds at least one result while it works on another; run in a thread.

    From then on, what a host holds is lost with it, and what it works on, too.
    """
    while not stop.is_set():
        try:
            holds, works = client.has_what(), client.processing()
        except Exception:  # the cluster is going down: the test says what became of it
            return
        busy = {}
        for address in holds:
            host = address.split("//")[1].rsplit(":", 1)[0]
            count = busy.setdefault(host, {"holds": 0, "works": 0})
            count["holds"] += len(holds[address])
            count["works"] += len(works.get(address, ()))
        if sum(bool(count["holds"] and count["works"]) for count in busy.values()) >= hosts:
            say(event="busy", hosts=busy)
            return
        time.sleep(0.05)


def attempt(name, work):
    """Do something and say how it ended and how long it took: with what it returned, or with the error's own sentence."""
    start = time.perf_counter()
    try:
        result = work()
    except BaseException as error:  # whatever it is, the test has to see it
        traceback.print_exc(file=sys.stderr)
        say(event=name, error=type(error).__name__, said=str(error), seconds=time.perf_counter() - start)
        return None
    if isinstance(result, dict):
        result = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in result.items()}
    say(event=name, result=result, seconds=time.perf_counter() - start)
    return result


def usable():
    """Prove that the process still works with Dask after what happened: a cluster in this process, and a sum."""
    import dask.array as da
    from dask.distributed import Client

    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        return int(client.compute(da.arange(10, chunks=5).sum()).result(timeout=60))
