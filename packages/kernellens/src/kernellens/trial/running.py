"""Run one program in a process of its own."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import children, commands, inside, outputs, programs
from .outcome import Outcome

FIRST = (
    "import gpusim\ngpusim.activate()\n"
    "from kernellens.trial import inside\ninside.begin_notebook(get_ipython())\ndel gpusim, inside"
)


def attempt_each(paths: Sequence[Path], **options: Any) -> list[Outcome]:
    """Try several programs by `attempt`, one after the other; a terminal is told which one it is at."""
    outcomes = []
    for path in paths:
        if sys.stderr.isatty():
            print(f"{path} …", file=sys.stderr, flush=True)
        outcomes.append(attempt(path, **options))
    return outcomes


def attempt(
    path: Path,
    *,
    timeout: float,
    root: Path | None = None,
    out_of_bounds: bool = False,
    races: bool = False,
    lens: bool = False,
    arguments: Sequence[str] = (),
    keep: Path | None = None,
    go_on: bool = False,
) -> Outcome:
    """Try one program.

    Parameters
    ----------
    timeout : float
        Seconds for each cell of a notebook, and for a whole script.
    root : Path, optional
        The folder to copy, if the program reaches above its own.
    out_of_bounds, races : bool
        Whether kernels that do these go on as on a GPU.
    lens : bool
        Whether to look at what the launches do to memory.
    arguments : sequence of str
        A script's.
    keep : Path, optional
        A folder for the executed notebook.
    go_on : bool
        Whether a notebook's cells after one that fails run too; the outcome is that of the first.
    """
    outcome = Outcome(str(path))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kernellens-try-", ignore_cleanup_errors=True) as scratch:
        there, left_out = programs.copy(path, root, Path(scratch) / "copy")
        if left_out:
            more = f" and {len(left_out) - 3} more" if len(left_out) > 3 else ""
            outcome.notes.append(f"not in the copy that it ran in: {', '.join(left_out[:3])}{more}")
        report = Path(scratch) / "report.json"
        site = Path(scratch) / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(commands.SITE, encoding="utf-8")
        environment = _environment(report, out_of_bounds, races)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(site), environment.get("PYTHONPATH")]))
        if lens:
            environment[inside.LENS] = "1"
        which = -1
        if path.suffix == ".ipynb":

            def fresh() -> Path:
                return programs.copy(path, root, Path(scratch) / "again")[0]

            which = _notebook(outcome, there, environment, timeout, keep, go_on, fresh)
        else:
            _script(outcome, there, environment, timeout, arguments, keep)
        noted = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
        for child in children.reports(report):
            for what in ("findings", "launches"):
                noted[what] = [*noted.get(what, []), *(each for each in child[what] if each not in noted.get(what, []))]
        _number(noted, there)
        _take(outcome, noted, which, there.parent)
        home = str(Path(scratch) / "copy") + os.sep
        outcome.message = outcome.message.replace(home, "")
        outcome.missing = outcome.missing.replace(home, "")
    outcome.seconds = time.monotonic() - began
    return outcome


def _environment(report: Path, out_of_bounds: bool, races: bool) -> dict[str, str]:
    made = {"GPUSIM_THREAD_SECONDS": "60", **os.environ}  # a GPU lets a thread work for long
    made.pop("HUNDREDFOLD_STRICT", None)
    made |= {"GPUSIM_SIMULATE": "1", inside.REPORT: str(report), "MPLBACKEND": made.get("MPLBACKEND", "Agg")}
    made |= {"PYTHONDONTWRITEBYTECODE": "1", "HUNDREDFOLD_STATE": str(report.parent), "JUPYTER_PLATFORM_DIRS": "1"}
    # Left to itself a program goes on; to be tried, it is stopped at what was not allowed.
    made.setdefault("GPUSIM_OUT_OF_BOUNDS", "refuse")
    made.setdefault("GPUSIM_TRACE", "first")
    if out_of_bounds:
        made["GPUSIM_OUT_OF_BOUNDS"] = "continue"
    if races:
        made["GPUSIM_TRACE"] = "report"
    return made


def _number(noted: dict, there: Path) -> None:
    """Say of findings and launches in which code cell of a notebook their kernel stands, from 1."""
    if there.suffix != ".ipynb" or not noted.get("cells"):
        return
    sources = [cell.source.strip() for cell in read(there)[1]]
    for each in (*noted.get("findings", []), *noted.get("launches", [])):
        cell = noted["cells"].get(each.get("filename") or each.get("file"), "").strip()
        if cell in sources:
            each["cell"] = sources.index(cell) + 1


def _take(outcome: Outcome, noted: dict, which: int, folder: Path) -> None:
    """Put what the process noted into its outcome; `which` of the errors stopped it, `folder` is the program's copied one."""
    outcome.skipped = noted.get("skipped", [])
    seen: dict[tuple, dict] = {}
    for finding in noted.get("findings", []):
        file = Path(finding.pop("filename") or "")
        if file.is_relative_to(folder):  # a module beside the program has lines of its own
            finding["path"] = (Path(outcome.path).parent / file.relative_to(folder)).as_posix()
        seen.setdefault((finding["kernel"], finding["kind"], finding["line"], finding["sentence"]), finding)
    outcome.findings = list(seen.values())
    outcome.launches = noted.get("launches", [])
    errors = noted.get("errors", [])
    if outcome.status == "failed" and errors:
        for key, value in errors[which if which < len(errors) else -1].items():
            setattr(outcome, key, value)


def _script(
    outcome: Outcome, there: Path, environment: dict, timeout: float, arguments: Sequence[str], keep: Path | None
) -> None:
    printed = Path(environment[inside.REPORT]).with_name("printed.txt")
    said = ""
    with open(printed, "w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "kernellens.trial", there.name, *arguments],
            cwd=there.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            _, said = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            outcome.status, outcome.message = "too long", f"longer than {timeout:g} s"
        finally:
            _end(process)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(printed, keep / f"{there.name}.txt")
    if outcome.status != "ran" or process.returncode == 0:
        return
    if process.returncode < 0:
        outcome.status, outcome.message = "died", f"ended by {signal.Signals(-process.returncode).name}"
        return
    # What a program says when it gives up stands at the end of one or the other.
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith(("gpusim: ", "Hundredfold: "))]
    lines = lines or [line for line in printed.read_text(errors="replace").splitlines() if line.strip()]
    outcome.status = "failed"
    outcome.message = f"{lines[-1].strip()[:300] if lines else ''} (exit status {process.returncode})".strip()


def _end(process: subprocess.Popen) -> None:
    """End a process and those it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
    if process.stderr is not None:
        process.stderr.close()


def read(path: Path):
    """A notebook, in the newest format.

    Raises
    ------
    programs.NoProgramError
        If it is none, or not one for Python.
    """
    import nbformat

    try:
        notebook = nbformat.read(path, as_version=4)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    except Exception as error:
        why = (str(error).splitlines() or [""])[0][:100]
        raise programs.NoProgramError(f"is no notebook that can be read ({type(error).__name__}: {why})") from None
    kernel = notebook.metadata.get("kernelspec", {})
    language = kernel.get("language") or notebook.metadata.get("language_info", {}).get("name") or "python"
    if "python" not in language.lower():
        raise programs.NoProgramError(f"is a notebook for {language}, not for Python")
    return notebook, cells


def _notebook(
    outcome: Outcome, there: Path, environment: dict, timeout: float, keep: Path | None, go_on: bool, fresh: Callable
) -> int:
    """Run a notebook and compare what it prints with what is stored in it.

    Returns the number, from 0, of the error that stopped it among those that its process noted.
    """
    import nbformat

    try:
        notebook, cells = read(there)
    except programs.NoProgramError as error:
        outcome.status, outcome.message = "unreadable", str(error)
        return -1
    stored = copy.deepcopy(cells)
    outcome.cells = len(cells)
    ran, which = _execute(outcome, notebook, there, environment, timeout, go_on)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, keep / there.name)
    compared = outputs.compare(stored, cells, ran)
    differ = [each.cell for each in compared if each.verdict == "differs"]
    if differ:  # what changes with the seeds is no difference
        there = fresh()
        notebook, again = read(there)
        last = next(k for k, each in enumerate(notebook.cells) if each is again[differ[-1] - 1])  # others may be equal
        del notebook.cells[last + 1 :]
        shifted = {**environment, "GPUSIM_SEED_SHIFT": "1000", inside.REPORT: environment[inside.REPORT] + ".again"}
        _execute(Outcome(outcome.path), notebook, there, shifted, timeout, True)
        compared = outputs.compare(stored, cells, ran, again)
    outcome.compared = [asdict(each) for each in compared]
    return which


def _execute(
    outcome: Outcome, notebook, there: Path, environment: dict, timeout: float, go_on: bool
) -> tuple[set[int], int]:
    """Run a notebook's cells in place; the numbers of those that ran, and of the noted errors that which stopped it."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    from kernellens.notebooks import manager_class

    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    stored = {number: _stored_error(cell) for number, cell in enumerate(cells, 1)}
    for number, name in stored.items():
        if name:
            cells[number - 1].metadata.setdefault("tags", []).append("raises-exception")
    for cell in cells:  # what its author saw must not pass for what is seen here
        cell.outputs, cell.execution_count = [], None
    first = nbformat.v4.new_code_cell(FIRST)
    notebook.cells.insert(0, first)
    client = NotebookClient(
        notebook,
        kernel_manager_class=manager_class(),
        kernel_name="python3",
        timeout=timeout,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(there.parent)}},
    )
    client.shutdown_kernel = "immediate"
    # What is written past IPython, by the kernel itself or by C, is no output of a cell.
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    number, which, ran = 0, -1, set()
    try:
        with client.setup_kernel(cwd=str(there.parent), env=environment, **quiet):
            client.execute_cell(first, 0, store_history=False)
            for index, cell in enumerate(notebook.cells[1:], 1):
                if cell.cell_type != "code":
                    continue
                number += 1
                try:
                    client.execute_cell(cell, index)
                except CellExecutionError as error:
                    name, said = error.ename or "", _plain(error.evalue or "")
                    if outcome.cell is None:
                        which = len(outcome.raised_as_stored)
                        outcome.status, outcome.cell = "failed", number
                        outcome.error, outcome.message = name, said
                    else:
                        outcome.failed_later.append({"cell": number, "error": name, "message": said})
                    if not go_on:
                        break
                    continue
                ran.add(number)
                if stored[number] and any(output.output_type == "error" for output in cell.outputs):
                    outcome.raised_as_stored.append(number)
    except CellExecutionError as error:  # the first one, which is not theirs
        outcome.status, outcome.cell = "failed", number
        outcome.error, outcome.message = error.ename or "", _plain(error.evalue or "")
    except (CellTimeoutError, DeadKernelError, RuntimeError) as error:
        status, said = "died", str(error)
        if isinstance(error, CellTimeoutError):
            status, said = "too long", f"longer than {timeout:g} s"
        elif isinstance(error, DeadKernelError):
            said = "the kernel died in this cell (out of memory?)"
        if outcome.cell is None:
            outcome.status, outcome.cell, outcome.message = status, number, said
        else:
            outcome.failed_later.append({"cell": number, "error": status, "message": said})
    finally:
        notebook.cells.remove(first)
    outcome.cells_run = len(ran)
    return ran, which


def _stored_error(cell) -> str:
    """The exception that a cell raised for the notebook's author, if it did."""
    names = [output.get("ename", "") for output in cell.get("outputs", []) if output.output_type == "error"]
    return names[0] if names else ""


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
