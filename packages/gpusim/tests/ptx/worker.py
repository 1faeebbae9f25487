"""Records launches in a process of its own, where the simulated libraries are: ``python worker.py``.

It reads questions, one a line (``set NAME``, ``functions BEGINNING``, ``cpp BEGINNING``), and answers each with a pickle, 8 bytes of its length before it:
``(launches, errors)``.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import tempfile
import traceback
from pathlib import Path


def of_the_set(name: str, launches: list) -> None:
    """All cases of an entry of the kernel set."""
    from kernels_set import registry

    entry = registry.one(name)
    for case in entry.cases(registry.seeded(name)):
        registry.run(entry, case)


def of_functions(family: str, launches: list) -> None:
    """The one-line kernels of a family."""
    from ptx import functions

    chosen = [each for each in functions.kernels() if each.name.startswith(family)]
    with tempfile.TemporaryDirectory() as folder:
        made = functions.module(chosen, Path(folder))
        for each in chosen:
            getattr(made, each.name)[2, 128](*each.arguments())
            launches[-1].lines = each.lines


def of_cpp(beginning: str, launches: list) -> None:
    """What CUDA C++ computes otherwise than Python: the kernels whose names begin so."""
    from ptx import cpp

    cpp.launch(launches, beginning)


KINDS = {"set": of_the_set, "functions": of_functions, "cpp": of_cpp}


def main() -> None:
    os.environ["GPUSIM_TRACE"] = "off"
    os.environ.setdefault("NUMBA_OPT", "1")
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import gpusim

    gpusim.activate()
    from ptx import recording

    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin:
        kind, _, what = line.strip().partition(" ")
        launches, error = [], ""
        try:
            with recording.recorded(launches.append, line.strip()):
                KINDS[kind](what, launches)
        except BaseException:
            error = traceback.format_exc()
        data = pickle.dumps((launches, error))
        channel.write(struct.pack("<Q", len(data)) + data)
        channel.flush()


if __name__ == "__main__":
    main()
