"""On a person's desk: `deploy/clusters/ssh.py` and the SVD: `on_ssh.py '{"make": {...}, "run": {...}}'`."""

import json
import sys
from pathlib import Path

from common import attempt, usable

sys.path.insert(0, str(Path.cwd()))  # the tests start this in deploy/clusters


def main(asked):
    import ssh
    import work
    from dask.distributed import Client

    with ssh.make(**asked["make"]) as cluster, Client(cluster) as client:
        attempt("run", lambda: work.run(client, **asked["run"]))


if __name__ == "__main__":
    attempt("closed", lambda: main(json.loads(sys.argv[1])))
    attempt("usable", usable)
