"""In the tried program's own process: shell commands are noted and not run, and what stops it is judged and written down."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import Any

from . import children, commands

REPORT = "KERNELLENS_TRIAL_REPORT"
"""Where this process writes what it noted: a JSON file."""
LENS = "KERNELLENS_TRIAL_LENS"
"""Set, the launches are looked at too."""
SHELL_CELLS = ("bash", "sh", "script", "system", "sx", "!", "cmd", "perl", "ruby")
SHELL_LINES = ("pip", "conda", "mamba", "micromamba", "uv", "system", "sx")
SMI = "nvidia-smi (simulated): no NVIDIA driver was asked; the simulated libraries compute on this CPU."

_skipped: list[str] = []
_errors: list[dict] = []
_launches: list[dict] = []
_cells: dict[str, str] = {}
"""Of a notebook: what Python takes each cell's file to be, and the cell."""


def begin_notebook(ip: Any) -> None:
    """Take the shell's place in an IPython kernel and note what each cell raises."""
    begin_script()
    ip.system = lambda command: print(_skip(command))
    ip.system_piped = ip.system_raw = ip.system
    ip.getoutput = lambda command, *_, **__: _lines(_skip(command))
    for name in SHELL_LINES:
        ip.register_magic_function(_line(name), "line", name)
    for name in SHELL_CELLS:
        ip.register_magic_function(_cell(name), "cell", name)
    for kind in ("line", "cell"):
        ip.register_magic_function(_once(ip.find_magic("timeit", kind), kind), kind, "timeit")
    ip.events.register("pre_run_cell", lambda info: _before(ip, info))
    ip.events.register("post_run_cell", _after)


def begin_script() -> None:
    """From here on, commands that the program would run are noted and not run."""
    children.own()
    commands.skip = _skip
    commands.forbid()
    _watch()


def _watch() -> None:
    if os.environ.get(LENS):
        from kernellens import watching

        watching.watch(_launches)


def note_error(error: BaseException, is_theirs: Any, cell: str = "") -> None:
    """Judge an exception and write it down."""
    from . import verdicts

    line, source = verdicts.place(error, is_theirs, cell)
    if os.environ.get(LENS):
        from kernellens import watching

        watching.stopped(error, line)
    _errors.append({**verdicts.judge(error), "line": line, "source": source})
    write()


def write() -> None:
    """Write down what was noted so far."""
    path = os.environ.get(REPORT)
    if not path:
        return
    engine = sys.modules.get("gpusim.kernels.reported")
    found = [report._asdict() for report in engine.reports] if engine is not None else []
    noted = {"skipped": _skipped, "errors": _errors, "findings": found, "launches": _launches, "cells": _cells}
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(noted, file)
    os.replace(path + ".new", path)


def _before(ip: Any, info: Any) -> None:
    cell = getattr(info, "raw_cell", None) or ""
    _cells[ip.compile.get_code_name(cell, cell, 0)] = cell


def _after(result: Any) -> None:
    error = result.error_before_exec or result.error_in_exec
    if error is not None:
        note_error(error, _is_cell, getattr(result.info, "raw_cell", None) or "")
    else:
        write()


def _is_cell(filename: str) -> bool:
    return "ipykernel_" in filename or filename.startswith("<ipython-input") or filename == "<unknown>"


def _skip(command: str) -> str:
    command = command.strip()
    first = command.partition("\n")[0]
    try:
        words = shlex.split(first)
    except ValueError:
        words = first.split()
    if words[:1] == ["nvidia-smi"] or words[:2] == ["sudo", "nvidia-smi"]:
        return SMI
    if words[:1] == ["mkdir"] and "\n" not in command and not set(command) & set(";&|$`<>*"):
        # Harmless in the copy, and later cells count on it.
        for name in words[1:]:
            if not name.startswith("-"):
                os.makedirs(name, exist_ok=True)
        return ""
    if _skipped[-1:] != [command]:  # looked for in each folder of PATH
        _skipped.append(command)
    more = " …" if "\n" in command else ""
    return f"kernellens try: not run: {first}{more}"


def _lines(text: str) -> Any:
    from IPython.utils.text import SList

    return SList(text.splitlines())


def _line(name: str) -> Any:
    def magic(line: str) -> Any:
        return print(_skip(line if name in ("system", "sx") else f"{name} {line}"))

    return magic


def _once(timeit: Any, kind: str) -> Any:
    """`%timeit` that runs its statement once, unless told how often: whether it runs is what a trial asks."""
    from IPython.core.magic import needs_local_scope, no_var_expand

    @no_var_expand
    @needs_local_scope
    def magic(line: str, cell: str | None = None, local_ns: Any = None) -> Any:
        options = line.split("--")[0].split()
        often = any(option.startswith(("-n", "-r")) for option in options[:4])
        return timeit(line if often else f"-n 1 -r 1 {line}", *([cell] if kind == "cell" else []), local_ns=local_ns)

    return magic


def _cell(name: str) -> Any:
    def magic(line: str, cell: str) -> Any:
        return print(_skip(f"%%{name} {line}\n{cell}" if line.strip() or name != "bash" else f"%%bash\n{cell}"))

    return magic
