"""Runs programs as ``python -m hundredfold PROGRAM`` does, each in a child of a process that has loaded Numba already.

A learner's program takes two seconds before its first line is compiled, all of them Numba's own beginning; a hundred programs need
it once.  What is loaded here is Numba alone: the decision for a GPU or the stand-ins is made in each child, as ever.

It reads a line of JSON for each program, ``{"program", "folder", "environment", "seconds"}``, and answers with a line
``{"status", "stdout", "stderr"}``; a child that takes longer is killed, and its status is -9.
"""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path


def warm() -> None:
    """Load what each program loads, and let Numba fill its tables, which it does with the first function."""
    import numba
    import numpy as np

    numba.njit(lambda x: x[0] + 1)(np.zeros(1))
    assert not any(name.startswith("numba.cuda") for name in sys.modules), "which numba.cuda it is, a program decides"


def become(asked: dict) -> None:
    """Be the program, and end as it ends."""
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.path[0] = asked["folder"]
    sys.argv = ["-m", asked["program"]]
    from hundredfold.__main__ import main

    main([asked["program"]])


def run(asked: dict) -> dict:
    """Fork, wait, and tell how it ended."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            become(asked)
            return sys.exit(0)
        signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
        signal.alarm(asked["seconds"])
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        signal.alarm(0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return {"status": status, "stdout": texts[0], "stderr": texts[1]}


if __name__ == "__main__":
    sys.path.pop(0)
    sys.path.insert(0, str(Path.cwd()))
    warm()
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
