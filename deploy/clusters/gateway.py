"""A Dask Gateway: somebody runs a server that starts clusters for its users, on Slurm, on Kubernetes or on its own machine. You
need its address, and neither rights on that machine nor certificates of your own: it makes them.

    python gateway.py https://gateway.example.org
"""

import sys

from dask_gateway import Gateway
from work import run, say


def make(address, workers=2, auth=None, **options):
    """A cluster of a gateway's. `auth` is "jupyterhub" inside of a hub, "kerberos", or None for what the configuration says;
    the `options` are what the gateway offers: `Gateway(address).cluster_options()` shows them.
    """
    gateway = Gateway(address, auth=auth)
    cluster = gateway.new_cluster(shutdown_on_close=True, **options)
    cluster.scale(workers)
    return cluster


if __name__ == "__main__":
    with make(sys.argv[1]) as cluster, cluster.get_client() as client:
        say(run(client, workers=2))
