"""On any host: a client of a cluster that is already there. It does what each line of its input says, until that ends.

on_hosts.py '{"address": "tls://10.77.0.1:8786", "tls": "/folder/of/certificates"}'
{"do": "run", "blocks": 12, …}             `deploy/clusters/work.py`'s run, with these options; `watch` says when it is busy
{"do": "present", "workers": 3, "timeout": 20}
{"do": "send", "pickles": false}           the run, with a matrix from here: an array, or one that cannot be pickled
"""

import json
import sys
import threading
from pathlib import Path

from common import attempt, say, usable, watch

sys.path.insert(0, str(Path.cwd()))  # the tests start this in deploy/clusters


class Opened:
    """What an open file of arrays is to Dask (h5py's, netCDF's): it has a shape and blocks, and cannot be sent anywhere."""

    def __init__(self, array):
        self.array, self.lock = array, threading.Lock()
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __getitem__(self, where):
        with self.lock:
            return self.array[where]


def main(asked):
    import numpy as np
    import work

    with work.connect(asked["address"], asked.get("tls")) as client:
        say(event="connected", workers=len(client.scheduler_info(n_workers=-1)["workers"]))
        for line in sys.stdin:
            options = json.loads(line)
            do = options.pop("do")
            stop = threading.Event()
            if hosts := options.pop("watch", 0):
                threading.Thread(target=watch, args=(client, stop, hosts), daemon=True).start()
            if do == "run":
                say(event="started")
                attempt("run", lambda options=options: work.run(client, **options))
            elif do == "present":
                attempt(
                    "present", lambda options=options: client.wait_for_workers(options["workers"], options["timeout"])
                )
            elif do == "send":
                matrix = np.random.default_rng(1).standard_normal((4_000, 8))
                matrix = matrix if options.pop("pickles") else Opened(matrix)
                attempt("send", lambda matrix=matrix, options=options: work.run(client, matrix=matrix, **options))
            stop.set()


if __name__ == "__main__":
    attempt("closed", lambda: main(json.loads(sys.argv[1])))
    attempt("usable", usable)
