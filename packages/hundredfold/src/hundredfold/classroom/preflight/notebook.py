"""Run one notebook and say how it went: ``python -m hundredfold.classroom.preflight.notebook JSON``, the process that sits on the seat.

It first joins the seat's control groups, so that all that it starts is in them, too.
"""

import json
import os
import re
import sys
import time

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def main() -> None:
    what = json.loads(sys.argv[1])
    for file in what["groups"]:
        with open(file, "w") as joined:
            joined.write("0")
    print(json.dumps(run(what["file"], what["folder"], what["seconds"])), flush=True)


def run(file: str, folder: str, seconds: float) -> dict:
    """Run all cells; returns what happened: `cell` is the failed one's number, counted from 1 as JupyterLab's cells stand."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = nbformat.read(file, as_version=4)
    at = 0

    def started(cell, cell_index):
        nonlocal at
        at = cell_index

    client = NotebookClient(notebook, timeout=int(seconds), kernel_name="python3", record_timing=False)
    client.on_cell_start = started
    client.shutdown_kernel = "immediate"
    began = time.monotonic()
    failed = None
    try:
        client.execute(cwd=folder, env=dict(os.environ))
    except CellExecutionError as error:
        failed = "raised", f"{error.ename}: {_ANSI.sub('', error.evalue or '')}".strip()
    except CellTimeoutError:
        failed = "slow", f"the cell took longer than {seconds:g} s"
    except DeadKernelError:
        failed = "died", "the kernel died"
    except RuntimeError as error:  # a kernel that does not start
        failed = "start", str(error)
    done = {"ok": failed is None, "seconds": round(time.monotonic() - began, 1)}
    if failed:
        cell = notebook.cells[at]
        lines = [line for line in cell.source.splitlines() if line.strip()]
        done |= {
            "what": failed[0],
            "said": failed[1].splitlines()[0][:500] if failed[1] else failed[0],
            "cell": at + 1,
            "id": cell.get("id", ""),
            "source": lines[0][:100] if lines else "",
        }
    return done


if __name__ == "__main__":
    main()
