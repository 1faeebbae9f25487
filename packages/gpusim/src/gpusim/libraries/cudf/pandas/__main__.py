"""``python -m cudf.pandas [--profile | --line-profile] script.py …``, ``-m module …``, ``-c code``."""

from __future__ import annotations

import argparse
import code
import runpy
import sys
import tempfile
import types
from collections.abc import Iterator
from contextlib import contextmanager

from cudf.pandas import install
from cudf.pandas.profiler import Profiler, lines_with_profiling


def _run_instrumented_as_main(code_path: str, file_path: str) -> None:
    """Run a copy of a script with the profiler in it as if it were the script."""
    with open(code_path) as file:
        compiled = compile(file.read(), code_path, "exec")
    main = types.ModuleType("__main__")
    main.__file__ = file_path
    saved = sys.modules["__main__"]
    sys.modules["__main__"] = main
    try:
        exec(compiled, main.__dict__)
    finally:
        sys.modules["__main__"] = saved


@contextmanager
def profile(function_profile: bool, line_profile: bool, name: str | None) -> Iterator[str | None]:
    """Profile what runs in the block; gives the file to run."""
    if name is None and (line_profile or function_profile):
        raise RuntimeError("Enabling the profiler requires a script name.")
    if line_profile:
        with open(name) as file:
            lines = file.readlines()
        with tempfile.NamedTemporaryFile(mode="w", suffix=".py") as copy:
            copy.write(lines_with_profiling(lines, function_profile))
            copy.flush()
            yield copy.name
    elif function_profile:
        with Profiler() as profiler:
            yield name
        profiler.print_per_function_stats()
    else:
        yield name


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m cudf.pandas",
        description=(
            "Run a Python script with Pandas Accelerator Mode enabled: all imports of pandas use the GPU where possible."
        ),
    )
    parser.add_argument("-m", dest="module", nargs=1)
    parser.add_argument("-c", dest="cmd", nargs=1)
    parser.add_argument("--profile", action="store_true", help="Perform per-function profiling of this script.")
    parser.add_argument("--line-profile", action="store_true", help="Perform per-line profiling of this script.")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="Arguments to pass on to the script")
    args = parser.parse_args()
    if args.cmd:
        command = tempfile.NamedTemporaryFile(mode="w", suffix=".py")  # noqa: SIM115  (it lives as long as the process)
        command.write(args.cmd[0])
        command.flush()
        args.args.insert(0, command.name)
    install()
    script = args.args[0] if args.args else None
    with profile(args.profile, args.line_profile, script) as file:
        if script is not None:
            args.args[0] = file
        if args.module:
            sys.argv[:] = [args.module[0], *args.args]
            runpy.run_module(args.module[0], run_name="__main__")
        elif args.args:
            sys.argv[:] = args.args
            if args.line_profile:
                sys.argv[0] = script
                _run_instrumented_as_main(args.args[0], script)
            else:
                runpy.run_path(args.args[0], run_name="__main__")
        else:
            if not sys.stdin.isatty():
                sys.ps1 = sys.ps2 = ""
            code.interact(banner=f"Python {sys.version} on {sys.platform}" if sys.stdin.isatty() else "", exitmsg="")


if __name__ == "__main__":
    main()
