"""The commands of `lab.py`. Standard library only: this runs before anything is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from hundredfold.setup import workspace

from . import ROOT, Stop, WrongUse, audit, beside, environment, names, on_disk, parts, release, upgrade, uv

Command = Callable[[list[str]], "int | None"]

_OWN = ("setup", "site", "lint", "lock", "clean")
"""Commands whose arguments are not those of another program, which would answer --help itself."""

APART = ("uv", "checks", environment.CUDF_POLARS)
"""Files of the lock that are made without regard to the others."""


def main(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name (`lab` if they name none) and return the exit status."""
    arguments = list(arguments)
    if arguments and arguments[0] in ("-h", "--help", "help"):
        return show_help([])
    name = arguments.pop(0) if arguments and not arguments[0].startswith("-") else "lab"
    try:
        if name not in COMMANDS:
            raise WrongUse(f"There is no command {name!r}; there are {', '.join(COMMANDS)}.")
        if name in _OWN and {"-h", "--help"} & {*arguments}:
            print(f"{name}: {COMMANDS[name].__doc__}")
            return 0
        return COMMANDS[name](arguments) or 0
    except Stop as stop:
        print(f"Hundredfold: {stop}", file=sys.stderr)
        return 2 if isinstance(stop, WrongUse) else 1
    except KeyboardInterrupt:
        print("\nHundredfold: stopped; run the same command again to go on from here.", file=sys.stderr)
        return 130
    except OSError as error:
        stop = on_disk(error)
        if stop is None:
            raise
        print(f"Hundredfold: {stop}", file=sys.stderr)
        return 1


def lab(arguments: list[str]) -> int:
    """set up if needed and open JupyterLab on your start page; arguments go to JupyterLab"""
    environment.ready()
    return _become("-m", "hundredfold.setup.lab", *arguments)


def setup(arguments: list[str]) -> None:
    """make .venv from the lock (EXTRA=cpu|cu12|cu13|compiler instead of what the driver allows); arguments name groups"""
    environment.ready(groups=arguments)
    print(f"Ready: {environment.VENV} ({environment.chosen()}). `make lab` opens the lab.")


def test(arguments: list[str]) -> int:
    """set up and run what each change has to pass: every notebook, each part's own tests (10 minutes); arguments go to pytest"""
    environment.ready(groups=["test"])
    return _become(*parts.own().arguments, *parts.SMALL, *arguments)


def site(arguments: list[str]) -> int:
    """set up Sphinx beside .venv, build the site and serve it on this machine (--no-serve: only build it; --fresh: from nothing)"""
    if wrong := [argument for argument in arguments if argument not in ("--no-serve", "--fresh")]:
        raise WrongUse(f"site takes --no-serve and --fresh, not {' '.join(wrong)}.")
    environment.ready(groups=["test"])
    serve = [] if "--no-serve" in arguments else ["--serve"]
    kept = [argument for argument in arguments if argument != "--no-serve"]
    return _become("-m", "hundredfold.publish.site.build", *serve, *kept, python=beside.docs())


def lint(arguments: list[str]) -> int:
    """set up and check the style of the code, and types"""
    environment.ready(groups=["test"])
    return (
        _run("-m", "ruff", "check", ".")
        or _run("-m", "ruff", "format", "--check", ".")
        or _run("-m", "basedpyright", "--warnings")
    )


def build(arguments: list[str]) -> int:
    """set up and build the notebooks from sources/; arguments go to `hundredfold build`"""
    environment.ready(groups=["test"])
    return _become("-m", "hundredfold.cli", "build", *arguments)


def pages(arguments: list[str]) -> int:
    """make the generated pages of docs/: what is simulated, what differs (--check: only say whether they are up to date)"""
    environment.ready()
    return _become("-m", "hundredfold.publish.pages", *arguments)


def doctor(arguments: list[str]) -> int:
    """say what this machine has and what is wrong with it; works before set-up too"""
    if environment.PYTHON.exists():
        return _become("-m", "hundredfold.setup.doctor", *arguments)
    sources = [str(workspace.folder(ROOT, name) / "src") for name in workspace.PACKAGES]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sources)}
    return subprocess.call([sys.executable, "-m", "hundredfold.setup.doctor", *arguments], env=env)


def benchmark(arguments: list[str]) -> int:
    """set up and measure the project's own speed; an argument names one of benchmarks/, more go to it"""
    environment.ready(groups=["test"])
    scripts = {script.stem: script for script in sorted((ROOT / "benchmarks").glob("[!_]*.py"))}
    if arguments and not arguments[0].startswith("-"):
        name = arguments.pop(0)
        if name not in scripts:
            raise WrongUse(f"There is no benchmark {name!r}; there are {', '.join(scripts)}.")
        scripts = {name: scripts[name]}
    return max([_run(str(script), *arguments) for script in scripts.values()], default=0)


def lock(arguments: list[str]) -> None:
    """make requirements/*.txt from the pyproject.toml files, keeping the pins that are there unless UPGRADE=1"""

    installer = uv.find() or uv.bring(environment.LOG)
    options = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url", "--no-header"]
    options += ["--no-annotate", "--quiet"] + (["--upgrade"] if os.environ.get("UPGRADE", "") not in ("", "0") else [])
    for name in (*environment.EXTRAS, *environment.GROUPS, *APART):
        source = ["--group", f"pyproject.toml:{name}"]
        if name in environment.EXTRAS:
            # Of the three packages together, none of which is to be looked for in an index.
            wanted = ROOT / ".cache" / f"{name}.in"
            wanted.parent.mkdir(exist_ok=True)
            asked = [*workspace.dependencies(ROOT), *workspace.dependencies(ROOT, name)]
            wanted.write_text("\n".join(asked), encoding="utf-8")
            source = [str(wanted.relative_to(ROOT)), "--group", "build"]
        if name in APART:
            source = [f"requirements/{name}.in", *(["--no-deps"] if name == environment.CUDF_POLARS else [])]
        elif name != "cpu":
            source += ["--constraint", "requirements/cpu.txt"]
        output = f"requirements/{name}.txt"
        print(f"  {output}", flush=True)
        uv.run(installer, ["pip", "compile", *options, *source, "--output-file", output], environment.LOG)


def clean(arguments: list[str]) -> None:
    """remove .venv, the installer and what the tests left; what you wrote in work/ stays"""
    leftovers = (
        ".venv",
        ".compiler",
        ".interop",
        ".docs",
        ".hub",
        ".clusters",
        ".grading",
        ".packages",
        ".notebooks",
        ".checks",
        ".uv",
        ".cache",
        ".ruff_cache",
        "_build",
        "dist",
    )
    for name in leftovers:
        shutil.rmtree(ROOT / name, ignore_errors=True)


def show_help(arguments: list[str]) -> int:
    """list the commands"""
    print("Hundredfold: `make COMMAND`, or `python lab.py COMMAND [ARGUMENTS]` where there is no make.\n")
    for name, command in COMMANDS.items():
        print(f"  {name:<10} {command.__doc__}")
    print("\nArguments: make lab ARGS='--no-browser --port=8890'. Another Python: make setup PYTHON=python3.12.")
    return 0


def _run(*arguments: str) -> int:
    """Run the environment's Python in the foreground and return its exit status."""
    return subprocess.call([str(environment.PYTHON), *arguments], cwd=ROOT, env=environment.environ(environment.PYTHON))


def _become(*arguments: str, python: Path = environment.PYTHON) -> int:
    """Run a Python in this process's place, where the system can: one `Ctrl-C` then reaches one program."""
    if os.name != "posix":
        return subprocess.call([str(python), *arguments], cwd=ROOT, env=environment.environ(python))
    sys.stdout.flush()
    os.chdir(ROOT)
    os.execve(python, [str(python), *arguments], environment.environ(python))


COMMANDS: dict[str, Command] = {
    "lab": lab,
    "setup": setup,
    "test": test,
    "test-all": parts.command,
    "site": site,
    "lint": lint,
    "build": build,
    "doctor": doctor,
    "benchmark": benchmark,
    "lock": lock,
    "audit": audit.command,
    "names": names.command,
    "pages": pages,
    "release": release.command,
    "upgrade": upgrade.command,
    "clean": clean,
    "help": show_help,
}
