"""No stage of a run: parts that end, raise, crash and hang, for the tests of the runner."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

TITLE = "Rehearsal"
WORKERS = 1


def parts(about):
    return [{"takes": 0.01, **part} for part in about["parts"]]


def do(part, about):
    with (Path(about["folder"]) / "done.txt").open("a") as file:
        file.write(f"{part}\n")
    if part.startswith("raises"):
        raise ValueError("as it should")
    if part.startswith("crashes"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if part.startswith("hangs"):
        (Path(about["folder"]) / "pid").write_text(str(os.getpid()))
        time.sleep(600)
    return {"part": part}


def report(results):
    return []
