"""A line of JSON for each allocation."""

from __future__ import annotations

import json
import sys
from typing import Any

from ..memory_hook import MemoryHook


class DebugPrintHook(MemoryHook):
    """Writes a line of JSON when memory is taken from the device, from a pool, or given back.

    Parameters
    ----------
    file : optional
        An open text file; by default the standard output.
    flush : bool
        After each line.
    """

    name = "DebugPrintHook"

    def __init__(self, file: Any = None, flush: bool = True):
        self.file = sys.stdout if file is None else file
        self.flush = flush

    def _print(self, hook: str, **kwargs: Any) -> None:
        if "pmem_id" in kwargs:
            kwargs["pmem_id"] = hex(kwargs["pmem_id"])
        self.file.write(json.dumps({"hook": hook, **kwargs}, separators=(",", ":")) + "\n")
        if self.flush:
            self.file.flush()

    def alloc_postprocess(self, **kwargs: Any) -> None:
        self._print("alloc", **kwargs)

    def malloc_postprocess(self, **kwargs: Any) -> None:
        self._print("malloc", **kwargs)

    def free_postprocess(self, **kwargs: Any) -> None:
        self._print("free", **kwargs)
