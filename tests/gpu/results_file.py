"""The results: a file of JSON lines, one for each thing that ended, appended whole and never rewritten.

A line that was cut short, by a kill or a full disk, is passed over, and the part it told of is done again. The file says in each of its lines
whether a GPU was simulated; real and simulated results never share one.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

NAME = "results.jsonl"
FORMAT = 1

#: How a part can have ended; what is in FINAL is not done again unless it is asked for.
FINAL = ("done", "failed", "crashed", "hung", "abandoned")
#: A part that was begun so often and never ended takes the machine down with it, or never fits into a slice.
MOST_ATTEMPTS = 3


class MixedResults(ValueError):
    """Simulated results were about to be put beside real ones, or those of one machine beside another's; the message says what to do."""


class ResultsFile:
    """The results in one folder, or in several that hold the same.

    Parameters
    ----------
    folders : list of Path
        Written to each; read from all, so that what one of them lost another has.
    simulated : bool
    machine : str
        What the results are of.
    """

    def __init__(self, folders: list[Path], simulated: bool, machine: str) -> None:
        self.folders, self.simulated, self.machine = folders, simulated, machine
        lines: dict[str, dict[str, Any]] = {}
        for folder in folders:
            for text, line in _lines(folder / NAME):
                if line.get("simulated") is not simulated or line.get("machine") != machine:
                    raise MixedResults(
                        f"{folder / NAME} holds {'simulated' if line.get('simulated') else 'real'} results of {line.get('machine')}, and "
                        f"these are {'simulated' if simulated else 'real'} ones of {machine}: name another folder with --results."
                    )
                lines.setdefault(text, line)
        self.lines = sorted(lines.values(), key=lambda line: line["at"])  # a stable sort: equal times keep their order
        texts = [json.dumps(line, ensure_ascii=False) for line in self.lines]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
            if [text for text, _ in _lines(folder / NAME)] != texts or _torn(folder / NAME):
                _replace(folder / NAME, "".join(f"{text}\n" for text in texts))

    def append(self, **line: Any) -> None:
        """Add a line, on disk before this returns."""
        line = {
            "format": FORMAT,
            "simulated": self.simulated,
            "machine": self.machine,
            "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds"),
            **line,
        }
        self.lines.append(line)
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode()
        for folder in self.folders:
            handle = os.open(folder / NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(handle, data)
                os.fsync(handle)
            finally:
                os.close(handle)

    def results(self, stage: str) -> dict[str, dict[str, Any]]:
        """By part, the line that says how it ended; the last counts, and what is to be done again has none."""
        found: dict[str, dict[str, Any]] = {}
        for line in self.lines:
            if line.get("stage") != stage:
                continue
            if line.get("status") == "again":
                found.pop(line["part"], None)
            elif line.get("status") in FINAL:
                found[line["part"]] = line
        return found

    def attempts(self, stage: str) -> dict[str, int]:
        """By part, how often it was begun since it last ended."""
        count: dict[str, int] = {}
        for line in self.lines:
            if line.get("stage") != stage:
                continue
            if line["status"] == "begun":
                count[line["part"]] = count.get(line["part"], 0) + 1
            elif line["status"] in (*FINAL, "again"):
                count.pop(line["part"], None)
        return count

    def share(self) -> None:
        """What else lies in the first folder (a recording, notebooks' outputs, the tables) is copied into the others."""
        for file in self.folders[0].iterdir():
            if file.is_file() and file.name != NAME and not file.name.startswith("."):
                for other in self.folders[1:]:
                    shutil.copyfile(file, other / file.name)


def take_up(folders: list[Path]) -> None:
    """What the first folder lacks beside its results comes from the next that has it."""
    folders[0].mkdir(parents=True, exist_ok=True)
    for folder in folders[1:]:
        for file in folder.iterdir() if folder.is_dir() else ():
            if file.is_file() and file.name != NAME and not (folders[0] / file.name).exists():
                shutil.copyfile(file, folders[0] / file.name)


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "machine"


def _lines(file: Path):
    try:
        text = file.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return
    for each in text.splitlines():
        try:
            line = json.loads(each)
        except ValueError:
            continue
        if isinstance(line, dict) and line.get("format") == FORMAT:
            yield each, line


def _torn(file: Path) -> bool:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return False
    return bool(data) and not data.endswith(b"\n")


def _replace(file: Path, text: str) -> None:
    part = file.with_name(f".{file.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    os.replace(part, file)
