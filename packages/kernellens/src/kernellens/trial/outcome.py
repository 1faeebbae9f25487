"""What came of one program."""

from __future__ import annotations

from dataclasses import dataclass, field

STATUSES = {
    "ran": "ran to its end",
    "refused": "a library refused, as the real one would",
    "finding": "a kernel does something wrong",
    "not simulated": "needs a GPU",
    "lacked": "something it needs is not here",
    "failed": "an error of the program's own, or of the libraries around it",
    "too long": "a cell or the script took longer than allowed",
    "died": "its process ended",
    "unreadable": "no program that can be run here",
}


@dataclass
class Outcome:
    """One program, tried.

    Attributes
    ----------
    path : str
    status : str
        One of `STATUSES`.
    by : str
        Whose rule it was: ``"CuPy"``, ``"cuDF"``, ``"Numba"``, ``"CUDA"``, ``"Python"``, …; empty if it ran.
    cell : int or None
        Number of the code cell that stopped it, from 1; None for a script.
    line : int or None
        In that cell or in the script, from 1.
    source : str
        That line.
    error, message : str
        The exception's class, and what it said.
    missing : str
        What was lacking: ``"module tensorflow"``, ``"the network"``, ``"file data.csv"``.
    findings : list of dict
        What the check of its kernels found: kernel, line (of the kernel's source), file_line (of its file, or of the code
        cell `cell` of a notebook), kind, severity, sentence, times.
    launches : list of dict
        What they did to memory, where that was asked for (see `kernellens.watching`).
    skipped : list of str
        Shell commands and installations that were not run.
    raised_as_stored : list of int
        Code cells that raise, as they did for the notebook's author.
    failed_later : list of dict
        Where it went on after the cell that stopped it: `cell`, `error` and `message` of each further one.
    compared : list of dict
        Of a notebook's code cells, what they print here beside what is stored: `outputs.Compared`.
    notes : list of str
    cells, cells_run : int
        Code cells in all, and those that ran; 0 for a script.
    seconds : float
        Wall time, this CPU's.
    """

    path: str
    status: str = "ran"
    by: str = ""
    cell: int | None = None
    line: int | None = None
    source: str = ""
    error: str = ""
    message: str = ""
    missing: str = ""
    findings: list[dict] = field(default_factory=list)
    launches: list[dict] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    raised_as_stored: list[int] = field(default_factory=list)
    failed_later: list[dict] = field(default_factory=list)
    compared: list[dict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cells: int = 0
    cells_run: int = 0
    seconds: float = 0.0

    def where(self) -> str:
        """The place that stopped it: ``cell 3, line 2``."""
        parts = [f"cell {self.cell}"] if self.cell is not None else []
        return ", ".join(parts + ([f"line {self.line}"] if self.line is not None else []))
