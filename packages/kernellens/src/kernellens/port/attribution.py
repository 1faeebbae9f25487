"""Whose line an operation belongs to: the program's, NumPy's and pandas' own insides, or another library's."""

from __future__ import annotations

import linecache
import os
import re
import sys
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_QUIET = ("numpy", "pandas", "contextlib", "functools")
_CELL = re.compile(r"<ipython-input-(\d+)-")

folder = os.sep + "nowhere"
"""The program's folder: what lies there, and is not installed there, is the program."""
script = ""


class Place(NamedTuple):
    """Where an operation comes from; `library` names who asked, if it was not the program itself."""

    where: str
    source: str
    library: str = ""


def is_theirs(filename: str) -> bool:
    """Whether a file is part of the program."""
    if _CELL.match(filename):
        return True
    return filename.startswith(folder + os.sep) and f"{os.sep}site-packages{os.sep}" not in filename


def place() -> Place | None:
    """The line of the program that is being carried out; None inside NumPy and pandas, and where no line of it is."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    library = ""
    while frame is not None:
        filename = frame.f_code.co_filename
        if is_theirs(filename):
            return Place(label(filename, frame.f_lineno), _text(frame), library)
        root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if not library:
            if root in _QUIET:
                return None
            library = root
        frame = frame.f_back
    return None


def label(filename: str, line: int) -> str:
    """A place in words."""
    cell = _CELL.match(filename)
    if cell:
        return f"cell {cell[1]}, line {line}"
    return f"line {line}" if filename == script else f"{os.path.relpath(filename, folder)}, line {line}"


def _text(frame) -> str:
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals).strip()
