"""``python -m cuml.accel SCRIPT``, ``-m MODULE``, ``-c CODE``."""

from __future__ import annotations

import argparse
import code
import contextlib
import runpy
import sys

from .core import install
from .profilers import profile


def main(argv: list[str] | None = None) -> None:
    """Switch it on and run what is named."""
    argv = sys.argv[1:] if argv is None else argv
    # What stands behind -m MODULE, -c CODE or SCRIPT belongs to that.
    cut = min([i + 2 for i, word in enumerate(argv) if word in ("-m", "-c")], default=len(argv))
    parser = argparse.ArgumentParser("python -m cuml.accel", description="Run with cuml.accel; in simulation, run.")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="log more")
    parser.add_argument("--profile", action="store_true", help="nothing to profile in simulation")
    parser.add_argument("--line-profile", action="store_true", help="nothing to profile in simulation")
    parser.add_argument("--disable-uvm", action="store_true", help="no managed memory")
    parser.add_argument("-m", dest="module")
    parser.add_argument("-c", dest="cmd")
    parser.add_argument("script", nargs="?", default="-")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    asked = parser.parse_args(argv[:cut])
    rest = [*asked.args, *argv[cut:]]
    install(disable_uvm=asked.disable_uvm, log_level={0: None, 1: "info"}.get(asked.verbose, "debug"))
    with profile() if asked.profile or asked.line_profile else contextlib.nullcontext():
        if asked.module is not None:
            sys.argv[:] = [asked.module, *rest]
            runpy.run_module(asked.module, run_name="__main__", alter_sys=True)
        elif asked.cmd is not None:
            sys.argv[:] = ["-c", *rest]
            exec(compile(asked.cmd, "<string>", "exec"), {"__name__": "__main__"})
        elif asked.script != "-":
            sys.argv[:] = [asked.script, *rest]
            runpy.run_path(asked.script, run_name="__main__")
        elif sys.stdin.isatty():
            code.interact(exitmsg="")
        else:
            exec(compile(sys.stdin.read(), "<stdin>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    main()
