"""``dask cuda worker`` and ``dask cuda config``; also ``python -m dask_cuda.cli worker ADDRESS``."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any

import click
from dask import config as dask_config
from distributed import Client
from distributed._signals import wait_for_signals
from distributed.compatibility import asyncio_run
from distributed.config import get_loop_factory
from distributed.preloading import validate_preload_argv
from distributed.security import Security
from distributed.utils import import_term

from .cuda_worker import NO_SCHEDULER, CUDAWorker
from .utils import CommaSeparatedChoice, print_cluster_config

logger = logging.getLogger(__name__)

_PEM = click.Path(exists=True, resolve_path=True)
_scheduler = click.argument("scheduler", type=str, required=False)
_preload_argv = click.argument("preload_argv", nargs=-1, type=click.UNPROCESSED, callback=validate_preload_argv)
_scheduler_file = click.option("--scheduler-file", type=str, default=None, help="A scheduler's JSON file.")
_TLS = [
    click.option("--tls-ca-file", type=_PEM, default=None, help="Certificates of authorities, PEM."),
    click.option("--tls-cert", type=_PEM, default=None, help="Certificate, PEM."),
    click.option("--tls-key", type=_PEM, default=None, help="Private key, PEM."),
]

# Name, default, type or None for a switch (then its counterpart), what it says. As the real command has them.
_TEXT = str
_OPTIONS: list[tuple[str, Any, Any, str]] = [
    ("--host", None, _TEXT, "Address of the serving host."),
    ("--worker-port", None, _TEXT, "Port, or a range of one per GPU: FIRST:LAST."),
    ("--listen-address", None, _TEXT, "Address the worker binds to."),
    ("--contact-address", None, _TEXT, "Address the worker tells the scheduler."),
    ("--nthreads", 1, int, "Threads of each worker."),
    ("--name", None, _TEXT, "Name of the worker."),
    (
        "--memory-limit",
        "auto",
        None,
        "Main memory of a worker before it spills to disk: bytes, share, size, auto or 0.",
    ),
    (
        "--device-memory-limit",
        "default",
        None,
        "Device memory before it spills to main memory: bytes, share, size, auto, 0.",
    ),
    ("--enable-cudf-spill/--disable-cudf-spill", False, bool, "cuDF's own spilling."),
    ("--cudf-spill-stats", 0, int, "Level of cuDF's spilling statistics."),
    ("--rmm-pool-size", None, None, "RMM pool of each worker: bytes, share or size."),
    ("--rmm-maximum-pool-size", None, None, "Largest size of that pool."),
    ("--rmm-managed-memory/--no-rmm-managed-memory", False, bool, "Managed memory."),
    ("--rmm-async/--no-rmm-async", False, bool, "RMM's asynchronous allocator."),
    ("--rmm-release-threshold", None, None, "With --rmm-async, unused memory above it is given back."),
    ("--rmm-log-directory", None, None, "Where each worker writes its RMM log."),
    ("--rmm-track-allocations/--no-rmm-track-allocations", False, bool, "Count what RMM gave out."),
    ("--pid-file", "", _TEXT, "File for the process number."),
    ("--resources", "", _TEXT, 'Resources for tasks, like "GPU=2 MEM=10e9".'),
    ("--dashboard/--no-dashboard", True, bool, "Serve the dashboard."),
    ("--dashboard-address", ":0", _TEXT, "Address of the dashboard."),
    ("--local-directory", None, _TEXT, "Folder for temporary files."),
    ("--protocol", None, _TEXT, "Protocol; in simulation tcp or tls."),
    ("--interface", None, _TEXT, "Network interface towards the scheduler."),
    ("--death-timeout", None, _TEXT, "Seconds to wait for a scheduler."),
    ("--dashboard-prefix", None, _TEXT, "Prefix of the dashboard."),
    ("--enable-tcp-over-ucx/--disable-tcp-over-ucx", None, bool, "UCX: refused in simulation."),
    ("--enable-infiniband/--disable-infiniband", None, bool, "UCX: refused in simulation."),
    ("--enable-nvlink/--disable-nvlink", None, bool, "UCX: refused in simulation."),
    ("--enable-rdmacm/--disable-rdmacm", None, bool, "UCX: refused in simulation."),
    ("--worker-class", None, _TEXT, "Class of the workers, MODULE.NAME."),
    ("--pre-import", None, _TEXT, "Modules to import first, with commas between."),
]


def _options(function: Any) -> Any:
    for name, default, kind, text in reversed(_OPTIONS):
        typed = {} if kind is bool or kind is None else {"type": kind}
        function = click.option(name, default=default, show_default=True, help=text, **typed)(function)
    for option in reversed(_TLS):
        function = option(function)
    return function


def _security(ca: str | None, cert: str | None, key: str | None) -> Security | None:
    if ca and cert and key:
        return Security(
            tls_ca_file=ca, tls_worker_cert=cert, tls_worker_key=key, tls_client_cert=cert, tls_client_key=key
        )
    return None


def _check(scheduler: Any) -> None:
    if isinstance(scheduler, str) and scheduler.startswith("-"):
        raise ValueError(
            "The scheduler address can't start with '-'. Please check your command line arguments, you probably attempted "
            f"to use unsupported one. Scheduler address: {scheduler}"
        )


@click.group
def cuda() -> None:
    """Subcommands to launch or query distributed workers with GPUs."""


@cuda.command(name="worker", context_settings={"ignore_unknown_options": True})
@_scheduler
@_preload_argv
@_options
@click.option(
    "--set-rmm-allocator-for-libs", "rmm_allocator_external_lib_list", type=CommaSeparatedChoice(["cupy", "torch"]),
    default=None, help="Libraries that take their memory from RMM.",
)  # fmt: skip
@click.option("--preload", type=str, multiple=True, is_eager=True, help="Module to load in each worker.")
@click.option(
    "--multiprocessing-method", default="spawn", type=click.Choice(["spawn", "fork", "forkserver"]),
    help="How processes are started.",
)  # fmt: skip
@_scheduler_file
def worker(scheduler: str | None, multiprocessing_method: str, **options: Any) -> None:
    """Launch a worker for each simulated GPU, attached to the scheduler at an address or in a scheduler file."""
    _check(scheduler)
    options["security"] = _security(options.pop("tls_ca_file"), options.pop("tls_cert"), options.pop("tls_key"))
    if options["worker_class"] is not None:
        options["worker_class"] = import_term(options["worker_class"])

    async def serve() -> None:
        workers = CUDAWorker(scheduler, **options)  # its nannies belong to this loop

        async def work() -> None:
            await workers
            await workers.finished()

        async def stop() -> None:
            await wait_for_signals()
            await workers.close(timeout=10)

        done, _ = await asyncio.wait(
            [asyncio.create_task(stop()), asyncio.create_task(work())], return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            task.result()

    with dask_config.set({"distributed.worker.multiprocessing-method": multiprocessing_method}):
        try:
            asyncio_run(serve(), loop_factory=get_loop_factory())
        except TimeoutError:
            pass
        finally:
            logger.info("End worker")


@cuda.command(name="config", context_settings={"ignore_unknown_options": True})
@_scheduler
@_preload_argv
@_scheduler_file
@_TLS[0]
@_TLS[1]
@_TLS[2]
def config(scheduler: str | None, scheduler_file: str | None, **options: Any) -> None:
    """Print the configuration of a running cluster of GPU workers."""
    if scheduler is None and scheduler_file is None and dask_config.get("scheduler-address", None) is None:
        raise ValueError(NO_SCHEDULER)
    _check(scheduler)
    security = _security(options["tls_ca_file"], options["tls_cert"], options["tls_key"])
    where = {"scheduler_file": scheduler_file} if scheduler_file is not None else {"address": scheduler}
    print_cluster_config(Client(**where, security=security))


if __name__ == "__main__":
    # The real module runs `worker` here; with one of the two names first, this one runs that.
    (cuda if sys.argv[1:2] and sys.argv[1] in cuda.commands else worker)()
