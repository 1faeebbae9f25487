"""The process in which a program is ported: ``python -m kernellens.port PROGRAM REPORT [argument …]``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main(program: str, report: str, arguments: list[str]) -> int:
    """Run a program with our `numpy` and `pandas`, and write its account down."""
    import gpusim

    gpusim.activate()
    import cudf  # noqa: F401 - what it takes to import is no time of the program's
    import cupy

    from . import modules
    from .operations import account

    cupy.zeros(1).sum()
    path = os.path.realpath(program)
    sys.path[0] = os.path.dirname(path)
    sys.argv = [program, *arguments]
    modules.install(os.path.dirname(path), path)
    status = 0
    try:
        status = _notebook(path) if path.endswith(".ipynb") else _script(path)
    finally:
        sys.stdout.flush()
        account.last = ""
        with open(report, "w", encoding="utf-8") as file:
            json.dump({**account.as_json(), "status": status}, file)
    return status


def _script(path: str) -> int:
    import types

    from . import modules

    with open(path, "rb") as file:
        source = file.read()
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=modules.names)
    sys.modules["__main__"] = module
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as ended:
        if ended.code not in (None, 0):
            print(ended.code if isinstance(ended.code, str) else f"exit status {ended.code}", file=sys.stderr)
            return 1
    except BaseException as error:
        _show(error)
        return 1
    return 0


def _notebook(path: str) -> int:
    from IPython.core.interactiveshell import InteractiveShell

    from kernellens.trial import inside, running

    from . import modules

    _, cells = running.read(Path(path))
    shell = InteractiveShell.instance(user_ns={"__builtins__": modules.names}, history_length=0)
    if shell.history_manager is not None:
        shell.history_manager.enabled = False
    shell.user_module.__dict__["__builtins__"] = modules.names
    shell.colors = "nocolor"
    inside.begin_notebook(shell)
    for cell in cells:
        if any(f"%load_ext {name}" in cell.source for name in ("cudf.pandas", "hundredfold")):
            continue
        if not shell.run_cell(cell.source, store_history=True).success:
            return 1
    return 0


def _show(error: BaseException) -> None:
    """A traceback of the program's own lines."""
    import traceback

    from . import attribution

    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if attribution.is_theirs(frame.filename)]
    print("Traceback (most recent call last):", file=sys.stderr)
    print("".join(traceback.format_list(theirs)), end="", file=sys.stderr)
    print("".join(traceback.format_exception_only(error)), end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
