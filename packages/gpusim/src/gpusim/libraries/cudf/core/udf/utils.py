"""What programs set of the compiler for functions of the user."""

from __future__ import annotations


def set_malloc_heap_size(size: int | None = None) -> None:
    """Set how many bytes the strings that a function makes may take on the device; here they take the host's."""
    if size is not None and (not isinstance(size, int) or size < 0):
        raise RuntimeError("Unable to set cudaMalloc heap size")
