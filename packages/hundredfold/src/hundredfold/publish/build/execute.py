"""Run a product's cells in a fresh kernel of this environment, and say exactly where one fails."""

import asyncio
import os
import re
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from . import normalise
from .errors import CellError
from .products import Product

CELL_TIMEOUT = 600  # seconds; the longest cell of the course takes tens, a cell that hangs should not hold a build

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def environment(state: str, *, strict: bool = False, one_sample: bool = False) -> dict[str, str]:
    """The environment variables of a kernel whose outputs are stored or compared.

    Figures come as data instead of live, progress goes to `state` instead of to the person building, and text is laid
    out for the same width everywhere.  `strict`: a wrong answer raises, so that no wrong solution is ever built.
    `one_sample`: `measure` takes one sample, for tests, which do not compare times.  What is stored for readers is never
    measured so.
    """
    return {
        "KERNELLENS_FIGURES": "json",
        "HUNDREDFOLD_STATE": state,
        "HUNDREDFOLD_REPORTS": state,  # a page that a notebook writes must not land among the sources
        "HUNDREDFOLD_STRICT": "1" if strict else "",
        "HUNDREDFOLD_ONE_SAMPLE": "1" if one_sample else "",
        "COLUMNS": "100",
        "LINES": "40",
        "TQDM_DISABLE": "1",
        "PYTHONHASHSEED": "0",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1",  # bold where colorama happens to be installed
    }


def run(product: Product, cwd: Path) -> dict[int, list]:
    """Run all cells of a product; return for each code cell, by its index, its normalised outputs.

    Raises
    ------
    CellError
        If a cell raises without the tag ``raises-exception``, or has the tag and does not raise, runs longer than
        `CELL_TIMEOUT`, or its kernel dies.  The message names the source file and line.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    from nbformat import v4

    from kernellens.notebooks import manager_class

    notebook = v4.new_notebook()
    for cell in product.cells:
        make = v4.new_code_cell if cell.kind == "code" else v4.new_markdown_cell
        notebook.cells.append(make(cell.source, metadata={"tags": list(cell.tags)}))
    at, stopped = 0, False

    def stop(task):
        nonlocal stopped
        stopped = True
        task.cancel()

    def started(cell, cell_index):
        nonlocal at
        at = cell_index
        # nbclient's own handler takes the kernel away under its feet and dies of that with a traceback.
        with suppress(NotImplementedError, RuntimeError):  # Windows, or not the main thread: Python's own way serves
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop, asyncio.current_task())

    client = NotebookClient(
        notebook,
        kernel_manager_class=manager_class(),
        kernel_name="python3",
        timeout=CELL_TIMEOUT,
        startup_timeout=CELL_TIMEOUT,  # nbclient's own 60 s are not enough for imports on a machine with eight at work
        record_timing=False,
        store_widget_state=False,
    )
    client.shutdown_kernel = "immediate"
    client.on_cell_start = started
    cwd.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hundredfold-build-") as state:
        try:
            env = os.environ | environment(state, strict=product.what == "solution")
            # The kernel's own stderr is ipykernel's log; what cells write there arrives as output.
            client.execute(cwd=str(cwd), env=env, stderr=subprocess.DEVNULL)
        except CellExecutionError as error:
            raise CellError(_where_it_raised(product, at, error)) from None
        except CellTimeoutError:
            raise CellError(f"{_place(product, at)}: the cell took longer than {CELL_TIMEOUT} s") from None
        except (DeadKernelError, asyncio.CancelledError):
            if stopped:
                raise KeyboardInterrupt from None
            raise CellError(f"{_place(product, at)}: the kernel died in this cell (out of memory?)") from None
    found = {}
    for i, (cell, ran) in enumerate(zip(product.cells, notebook.cells, strict=True)):
        if cell.kind != "code":
            continue
        found[i] = normalise.outputs(ran.outputs)
        raised = any(output.output_type == "error" for output in ran.outputs)
        if "raises-exception" in cell.tags and not raised:
            raise CellError(f"{_place(product, i)}: the cell is tagged raises-exception but did not raise")
    return found


def _place(product: Product, index: int, line: int = 1) -> str:
    cell = product.cells[index]
    number = cell.lines[min(line, len(cell.lines)) - 1] if cell.lines else 1
    return f"{product.source.path}:{number}"


def _where_it_raised(product: Product, index: int, error) -> str:
    """One line naming source file and line, then the cell's own frame of the traceback."""
    text = _ANSI.sub("", error.traceback or "")
    lines = [int(n) for n in re.findall(r"Cell In ?\[\d+\], line (\d+)", text)]
    # The last frame in *this* cell; frames of earlier cells' functions carry other execution counts.
    count = sum(1 for cell in product.cells[: index + 1] if cell.kind == "code" and cell.source.strip())
    here = [int(n) for n in re.findall(rf"Cell In ?\[{count}\], line (\d+)", text)]
    line = (here or lines or [1])[-1]
    frame = next((f for f in text.split("\n\n") if re.search(rf"Cell In ?\[{count}\], line {line}\b", f)), "")
    evalue = re.sub(r" \(\d+\.py, line \d+\)$", "", error.evalue or "")  # IPython's name for the cell says nothing
    said = f"{error.ename}: {evalue}" if evalue else error.ename
    return f"{_place(product, index, line)}: the cell raised {said}\n{frame}".rstrip()
