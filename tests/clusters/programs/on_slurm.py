"""On the login node: `deploy/clusters/slurm.py` and the SVD, once for each item of the list given as JSON.

on_slurm.py '{"make": {...}, "jobs": 2, "runs": [{"pause": 0}, {"pause": 1, "watch": true}]}'
"""

import json
import sys
import threading
from pathlib import Path

from common import attempt, say, usable, watch

sys.path.insert(0, str(Path.cwd()))  # the tests start this in deploy/clusters


def main(asked):
    import slurm
    import work
    from dask.distributed import Client

    with slurm.make(**asked["make"]) as cluster:
        say(event="made", script=cluster.job_script())
        cluster.scale(jobs=asked["jobs"])
        with Client(cluster) as client:
            for number, options in enumerate(asked["runs"]):
                stop = threading.Event()
                if options.pop("watch", False):
                    threading.Thread(target=watch, args=(client, stop), daemon=True).start()
                attempt(
                    f"run {number}",
                    lambda options=options: work.run(client, why=lambda: slurm.queue(cluster), **options),
                )
                stop.set()


if __name__ == "__main__":
    attempt("closed", lambda: main(json.loads(sys.argv[1])))
    attempt("usable", usable)
