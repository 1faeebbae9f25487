"""Helpers for futures and workers."""

from __future__ import annotations

from typing import Any

import dask
from distributed import wait

from .._base import get_client


def parse_host_port(address: str) -> tuple[str, int]:
    """Host and port of an address."""
    host, port = address.rsplit("://", 1)[-1].split(":")
    return host, int(port)


def persist_across_workers(client: Any, objects: list[Any], workers: Any = None) -> Any:
    """Persist collections on some workers, all without a list."""
    workers = client.has_what().keys() if workers is None else workers
    with dask.annotate(workers=set(workers)):
        return client.persist(objects)


def raise_exception_from_futures(futures: list[Any]) -> None:
    """RuntimeError if any future failed."""
    errors = [future.exception() for future in futures if future.exception()]
    if errors:
        raise RuntimeError(f"{len(errors)} of {len(futures)} worker jobs failed: {', '.join(map(str, errors))}")


def wait_and_raise_from_futures(futures: list[Any]) -> list[Any]:
    """Wait for futures; RuntimeError if any failed."""
    wait(futures)
    raise_exception_from_futures(futures)
    return futures


def raise_mg_import_exception() -> None:
    """Nothing raises it here."""
    raise Exception(
        "cuML has not been built with multiGPU support enabled. Build with the --multigpu flag to enable multiGPU support."
    )


__all__ = [
    "get_client", "parse_host_port", "persist_across_workers", "raise_exception_from_futures", "raise_mg_import_exception",
    "wait_and_raise_from_futures",
]  # fmt: skip
