#!/usr/bin/env python3
# ruff: noqa: UP032 (f-strings are beyond the oldest Python that has to read this)
"""Set up and open the lab: `python lab.py`, or `python lab.py help` for everything else it does.

Needs nothing but Python. This file only finds a Python that will do and hands over to `packages/hundredfold/src/hundredfold/setup/lab/`; it keeps to
a syntax that Python 2.7 can read, so that an old Python ends in a sentence and not in a SyntaxError.
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.abspath(__file__))
WANTED = ((3, 11), (3, 12), (3, 13))
# Free-threaded builds ("3.13t", ABI flag "t") have no wheels for most of what the lab needs, so they do not count.
SUITS = "(sys.version_info[:2] in {!r} and 't' not in getattr(sys, 'abiflags', ''))".format(WANTED)


def suits(python):
    """Whether this interpreter will do. It is run and asked: a name on PATH may be a version manager's empty promise."""
    ask = [python, "-I", "-S", "-c", "import sys; sys.exit(not " + SUITS + ")"]
    try:
        with open(os.devnull, "wb") as nowhere:
            return subprocess.call(ask, stdout=nowhere, stderr=nowhere) == 0
    except OSError:
        return False


def other_python():
    """The path of a suitable Python on this machine, the lab's own first, or None."""
    names = ["python{}.{}".format(*version) for version in reversed(WANTED)]
    programs = [os.path.join(ROOT, ".venv", "bin", "python"), os.path.join(ROOT, ".venv", "Scripts", "python.exe")]
    for name in names + ["python3", "python"]:
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            programs.append(os.path.join(folder, name))
            programs.append(os.path.join(folder, name + ".exe"))
    for program in programs:
        if os.path.isfile(program) and suits(program):
            return program
    return None


def main():
    if not eval(SUITS):
        found = other_python()
        if found is None:
            sys.exit(
                "Hundredfold needs Python 3.11, 3.12 or 3.13; this is {} ({}) and no other was found on PATH: "
                "install one and run `python3.12 lab.py`, or `make lab PYTHON=/path/to/python3.12`.".format(
                    sys.version.split()[0], sys.executable
                )
            )
        command = [found, os.path.abspath(__file__)] + sys.argv[1:]
        if os.name == "posix":
            os.execv(found, command)  # in place, so that Ctrl-C reaches only one process
        sys.exit(subprocess.call(command))
    for name in ("gpusim", "kernellens", "hundredfold"):
        sys.path.insert(0, os.path.join(ROOT, "packages", name, "src"))
    from hundredfold.setup.lab import commands

    sys.exit(commands.main(sys.argv[1:]))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.stderr.write("\nHundredfold: stopped; run the same command again to go on from here.\n")
        sys.exit(130)
