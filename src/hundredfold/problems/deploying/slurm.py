"""Read a job script as Slurm's sbatch does: which of its settings count, and what they mean.

After the manual page of sbatch (Slurm 22.05 and later): ``#SBATCH`` lines count up to the first command; a time is minutes,
minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or days-hours:minutes:seconds; a size without a unit is
in megabytes, and its units are powers of 1024.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field

SHORT = {
    "t": "time", "N": "nodes", "n": "ntasks", "c": "cpus-per-task", "p": "partition", "J": "job-name", "o": "output",
    "e": "error", "A": "account", "G": "gpus", "w": "nodelist", "D": "chdir", "C": "constraint", "q": "qos",
}  # fmt: skip
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass
class Script:
    """A job script.

    Attributes
    ----------
    options : dict of str to str
        Those that count, by their long names.
    ignored : list of str
        ``#SBATCH`` lines after the first command.
    commands : list of list of str
        The words of each command, continued lines joined, comments gone.
    interpreter : bool
        Whether the first line is a ``#!``, without which sbatch takes nothing.
    """

    options: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    commands: list[list[str]] = field(default_factory=list)
    interpreter: bool = False


def read(text: str) -> Script:
    """Read a job script.

    Raises
    ------
    ValueError
        If a line has a quotation mark that is never closed, naming the line.
    """
    script = Script()
    lines = text.strip().replace("\\\n", " ").splitlines()
    script.interpreter = bool(lines) and lines[0].startswith("#!")
    for line in lines:
        if re.match(r"#SBATCH\b", line):
            if script.commands:
                script.ignored.append(line)
            else:
                script.options |= options(_words(line)[1:] if line.startswith("#SBATCH") else [])
        elif line.strip() and not line.lstrip().startswith("#"):
            script.commands.append(_words(line))
    return script


def _words(line: str) -> list[str]:
    try:
        mark, rest = ("#SBATCH", line[7:]) if line.startswith("#SBATCH") else ("", line)
        return [*([mark] if mark else []), *shlex.split(rest, comments=True)]
    except ValueError:
        raise ValueError(f"in {line.strip()!r} a quotation mark is not closed") from None


def options(words: list[str]) -> dict[str, str]:
    """``["--time=90", "-N", "2"]`` → ``{"time": "90", "nodes": "2"}``; what is no option ends them."""
    found: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word.startswith("--"):
            name, given, value = word[2:].partition("=")
        else:
            name, given, value = SHORT.get(word[1], word[1]), bool(word[2:]), word[2:].removeprefix("=")
        if not given and rest and not rest[0].startswith("-"):
            value = rest.pop(0)
        found[name] = value
    return found


def seconds(time: str) -> int:
    """A Slurm time in seconds; ValueError if it is none."""
    found = re.fullmatch(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?", time.strip())
    if not found:
        raise ValueError(time)
    days, *parts = found.groups()
    numbers = [int(part) for part in parts if part is not None]
    if days is not None:  # days-hours[:minutes[:seconds]]
        hours, minutes, secs = (*numbers, 0, 0)[:3]
    elif len(numbers) == 3:
        hours, minutes, secs = numbers
    else:  # minutes[:seconds]
        hours, minutes, secs = 0, *(*numbers, 0)[:2]
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + secs


def size(text: str) -> int:
    """A Slurm size in bytes; ValueError if it is none."""
    found = re.fullmatch(r"(\d+)\s*([KMGT]?)B?", text.strip().upper())
    if not found:
        raise ValueError(text)
    return int(found[1]) * UNITS[found[2] or "M"]


def gpus(options: dict[str, str], nodes: int, tasks: int) -> int:
    """GPUs of each node, by whichever option asks for them; 0 where none does. `tasks` is of a node."""
    for name, share in (("gpus-per-node", 1), ("gpus-per-task", tasks), ("gpus", 1 / nodes)):
        if name in options:
            return int(_count(options[name]) * share)
    found = [part for part in options.get("gres", "").split(",") if part.partition(":")[0] in ("gpu", "gres/gpu")]
    return _count(found[0].partition(":")[2] or "1") if found else 0


def _count(text: str) -> int:
    last = text.rpartition(":")[2]  # 4, or a100:4
    return int(last) if last.isdigit() else 1
