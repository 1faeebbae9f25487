"""Where CUDA lies: nowhere, there is no CUDA installation."""

from __future__ import annotations


def get_cuda_paths() -> dict:
    """No paths."""
    return {}


def get_cuda_home(*subdirs: str) -> None:
    """There is no CUDA installation to point at."""
    return None
