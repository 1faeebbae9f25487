"""Which lines of a program take device memory."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from ..memory_hook import MemoryHook

_HERE = __file__.rpartition("libraries")[0]  # frames of the simulated library are not the program's


class LineProfileHook(MemoryHook):
    """Adds up device memory by the lines that led to it.

    Parameters
    ----------
    max_depth : int
        How many levels to report, 0 for all.
    """

    name = "LineProfileHook"

    def __init__(self, max_depth: int = 0):
        self._max_depth = max_depth
        self._root = _Node()

    def malloc_preprocess(self, **kwargs: Any) -> None:
        self._add(used=kwargs["mem_size"])

    def alloc_preprocess(self, **kwargs: Any) -> None:
        self._add(acquired=kwargs["mem_size"])

    def _add(self, used: int = 0, acquired: int = 0) -> None:
        node = self._root
        node.add(used, acquired)
        frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_HERE)]
        for depth, frame in enumerate(frames, start=1):
            if 0 < self._max_depth <= depth:
                break
            node = node.children.setdefault((frame.filename, frame.lineno, frame.name), _Node())
            node.add(used, acquired)

    def print_report(self, file: Any = None) -> None:
        """Print, line by line of the program, bytes used of the pool and bytes that the pool took of the device."""
        file = sys.stdout if file is None else file
        file.write(f"_root {self._root}\n")
        self._print(self._root, 1, file)
        file.flush()

    def _print(self, node: _Node, depth: int, file: Any) -> None:
        for (filename, line, name), child in node.children.items():
            file.write(f"{'  ' * depth}{filename}:{line}:{name} {child}\n")
            self._print(child, depth + 1, file)


class _Node:
    def __init__(self) -> None:
        self.used = self.acquired = 0
        self.children: dict[tuple, _Node] = {}

    def add(self, used: int, acquired: int) -> None:
        self.used += used
        self.acquired += acquired

    def __str__(self) -> str:
        return f"({_size(self.used)}, {_size(self.acquired)})"


def _size(number: float) -> str:
    for unit in ("B", "KB", "MB", "GB", "TB", "PB", "EB"):
        if number < 1024 or unit == "EB":
            return f"{number:.2f}{unit}"
        number /= 1024
    return ""
