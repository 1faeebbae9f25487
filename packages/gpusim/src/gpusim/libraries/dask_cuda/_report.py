"""How a cluster is configured, for `dask cuda config` and for the curious."""

from __future__ import annotations

import operator
import pickle
from functools import singledispatch
from typing import Any

import dask
from dask.utils import format_bytes
from distributed.comm import parse_address

_BYTES = {"memory_limit", "device-memory-limit", "initial_pool_size", "maximum_pool_size"}
_LIMITS = ("memory_limit", "memory_pause_fraction", "memory_spill_fraction", "memory_target_fraction")


def get_worker_config(dask_worker: Any) -> dict[str, Any]:
    """A worker's plugins with their settings, its memory limits and its protocol."""
    told: dict[str, Any] = {}
    for plugin in dask_worker.plugins.values():
        names = [name for name in dir(plugin) if not name.startswith("_") and name not in ("setup", "cores")]
        config: Any = {name: getattr(plugin, name) for name in names}
        try:
            pickle.dumps(config)  # it travels to the client
        except TypeError:
            config = "UNKNOWN CONFIG"
        told[f"[plugin] {type(plugin).__name__}"] = config
    told |= {name: getattr(dask_worker.memory_manager, name) for name in _LIMITS}
    limit = getattr(getattr(dask_worker.data, "device_buffer", None), "n", None)
    if limit is not None:
        told["device-memory-limit"] = limit
    told["protocol"] = parse_address(dask_worker.scheduler.address)[0]
    told["distributed.comm.timeouts"] = dask.config.get("distributed.comm.timeouts")
    return told


async def get_scheduler_configuration(client: Any) -> dict[str, Any]:
    """What the scheduler has set."""
    return {
        "distributed.scheduler.worker-ttl": await client.run_on_scheduler(
            lambda dask_scheduler: dask_scheduler.worker_ttl
        ),
        "active-extensions": list(
            await client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.extensions.keys()))
        ),
    }


async def _get_cluster_configuration(client: Any) -> dict[str, Any]:
    workers = await client.run(get_worker_config)
    told = await get_scheduler_configuration(client)
    if workers:  # the first speaks for all
        told |= next(iter(workers.values()))
        # Not scheduler_info: in this coroutine it cannot ask, and tells what it knew.
        told["nworkers"] = len(workers)
        told["nthreads"] = sum((await client.run(lambda dask_worker: dask_worker.state.nthreads)).values())
    return told


def get_cluster_configuration(client: Any) -> Any:
    """The configuration of a client's cluster as a dictionary."""
    return client.sync(_get_cluster_configuration, client=client, asynchronous=client.asynchronous)


@singledispatch
def pretty_print(obj: Any, toplevel: bool) -> Any:
    """Something as ``rich`` shows it."""
    from rich.pretty import Pretty

    return Pretty(obj)


@pretty_print.register(str)
def _(obj: str, toplevel: bool) -> Any:
    from rich.markup import escape

    return escape(obj)


@pretty_print.register(dict)
def _(obj: dict, toplevel: bool) -> Any:
    from rich.table import Table

    if not obj:
        return "No known settings"
    table = Table(show_header=toplevel, title="Dask Cluster Configuration" if toplevel else None)
    for heading in ("Parameter", "Value"):
        table.add_column(heading, justify="left", style="bold bright_green")
    for key, value in sorted(obj.items(), key=operator.itemgetter(0)):
        shown = format_bytes(value) if key in _BYTES and value is not None else value
        table.add_row(pretty_print(key, False), pretty_print(shown, False))
    return table


def print_cluster_config(client: Any) -> None:
    """Print the configuration of a client's cluster as a table."""
    if client.asynchronous:
        print("Printing cluster configuration works only with synchronous Dask clients")
    data = get_cluster_configuration(client)
    try:
        from rich.console import Console
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Please install rich `python -m pip install rich` to print a table of the current Dask Cluster Configuration"
        ) from error
    Console().print(pretty_print(data, True))
