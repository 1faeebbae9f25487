"""The programs that the page offers to begin with, in the order of ``offered/``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "offered"


class Program(NamedTuple):
    """A program to begin with.

    Attributes
    ----------
    name : str
        Under which a browser keeps what a learner made of it.
    title : str
        Its first line.
    code : str
        The rest.
    """

    name: str
    title: str
    code: str


def offered() -> list[Program]:
    """All of them."""
    found = []
    for file in sorted(FOLDER.glob("[0-9]*.py")):
        title, _, code = file.read_text(encoding="utf-8").partition("\n")
        found.append(Program(file.stem.partition("_")[2], title.removeprefix("# "), code))
    return found
