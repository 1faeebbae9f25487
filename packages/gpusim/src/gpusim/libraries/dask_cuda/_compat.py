"""Which versions there are, for code that asks."""

from __future__ import annotations

import functools
import importlib.metadata

import packaging.version


@functools.cache
def get_dask_version() -> packaging.version.Version:
    """The version of Dask."""
    return packaging.version.parse(importlib.metadata.version("dask"))


@functools.cache
def DASK_2025_4_0() -> bool:
    """Whether Dask is 2025.4 or newer."""
    return get_dask_version() > packaging.version.parse("2025.3.0")


def CUDA_CORE_0_5_0() -> bool:
    """Whether cuda.core is 0.5 or newer: the one that belongs to the version kept here is."""
    return True
