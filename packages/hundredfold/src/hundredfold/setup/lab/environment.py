"""The environment `.venv`: made by uv from the lock, and left alone while a stamp says that it is what the lock asks for."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from hundredfold.setup import workspace

from . import ROOT, Stop, WrongUse, on_disk, read_only, uv

VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "hundredfold.json"
LOG = ROOT / ".cache" / "setup.log"
EXTRAS = ("cpu", "cu12", "cu13", "compiler")
CUDF_POLARS = "cudf-polars"
GROUPS = ("test", "docs", "hub", "interop", "clusters", "grading", "audit", "sbom")


def ready(*, groups: Iterable[str] = ()) -> Path:
    """Make `.venv` hold the locked packages of `EXTRA` (see `chosen`) and `groups`, and the project itself; return its Python.

    Where the stamp says that it does, nothing is done. Groups installed earlier stay. A set-up that was cut short is done
    afresh, because a package of which only half is there looks installed. A second set-up waits for the first.

    Parameters
    ----------
    groups : names of `GROUPS`

    Raises
    ------
    Stop
        With one sentence that says what to do.
    """
    extra = chosen()
    for group in groups:
        if group not in GROUPS:
            raise WrongUse(f"There is no group {group!r}; the groups are {', '.join(GROUPS)}.")
    state = _state()
    wanted = sorted({*state.get("groups", []), *groups})
    if _finished(state, extra, wanted):
        return PYTHON
    if not os.access(ROOT, os.W_OK):
        raise read_only(ROOT)
    try:
        with one_at_a_time():
            state = _state()
            if not _finished(state, extra, wanted):
                _make(state, extra, wanted)
    except OSError as error:
        raise on_disk(error) or error from None
    return PYTHON


def chosen() -> str:
    """The extra to install: `EXTRA` of the environment, else what the driver allows."""
    extra = os.environ.get("EXTRA") or None
    if extra is None:
        from gpusim.hardware import packages

        extra = packages.extra()
    if extra not in EXTRAS:
        raise WrongUse(f"EXTRA={extra} names no set of packages: it is one of {', '.join(EXTRAS)}.")
    return extra


def requirements(extra: str, groups: Iterable[str]) -> list[Path]:
    """The files of the lock that `extra` and `groups` stand for."""
    # The real cudf-polars, without what it requires, which is simulated. With CUDA's libraries it is in the lock of the extra.
    without_gpu = [CUDF_POLARS] if extra in ("cpu", "compiler") else []
    return [ROOT / "requirements" / f"{name}.txt" for name in (extra, *without_gpu, *groups)]


def environ(python: Path) -> dict[str, str]:
    """This process's environment as it would be if the environment of this Python were activated."""
    # Another Python's modules, as clusters' `module load` puts them there, would come before our own; and what `make` hands
    # down (its own flags, and ARGS, which were for this command) is not for a make that runs further in. Container images set
    # PYTHONDONTWRITEBYTECODE: each process would compile every library anew, 6 CPU-seconds for Dask alone.
    dropped = ("PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    dropped += ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "ARGS")
    env = {name: value for name, value in os.environ.items() if name not in dropped}
    env["VIRTUAL_ENV"] = str(python.parents[1])
    env["PATH"] = str(python.parent) + os.pathsep + env.get("PATH", "")
    return env


def workers() -> str:
    """How many processes tests are dealt to."""
    from gpusim.hardware import cpu

    return str(max(1, min(4, cpu.cores())))


def _state() -> dict:
    """What the stamp says; without a stamp, nothing."""
    try:
        state = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def _finished(state: dict, extra: str, groups: list[str]) -> bool:
    if not state.get("finished") or state.get("key") != key_of([extra, groups], requirements(extra, groups)):
        return False
    python = python_version()
    return state.get("python") == python and not _another_asked_for(python)


def _another_asked_for(python: str | None) -> bool:
    """Whether `make … PYTHON=python3.13` names a Python (it is the one that runs this) of another series than `.venv` has."""
    return bool(os.environ.get("PYTHON")) and (python or "").split(".")[:2] != [str(n) for n in sys.version_info[:2]]


def key_of(what: list, files: Iterable[Path]) -> str:
    """A digest of everything that decides what an environment should hold: what it is, its locks, the packages' own part."""
    digest = hashlib.sha256(json.dumps([*what, str(ROOT)]).encode())
    for file in files:
        digest.update(file.read_bytes())
    for name in workspace.PACKAGES:
        project = workspace.settings(ROOT, name)
        build = [project.get("build-system"), project["project"], project.get("tool", {}).get("hatch")]
        digest.update(json.dumps(build, sort_keys=True).encode())
    # An editable install copies these; a change of any of them needs another.
    copied = [path for name in ("etc", "*.pth") for path in (ROOT / "packages").glob(f"*/src/**/{name}")]
    for file in sorted(copied):
        for part in sorted(file.rglob("*")) if file.is_dir() else [file]:
            if part.is_file():
                digest.update(part.as_posix().encode() + part.read_bytes())
    return digest.hexdigest()


def python_version() -> str | None:
    """The version of the environment's Python, or None where there is none that runs."""
    try:
        ask = [str(PYTHON), "-I", "-S", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"]
        return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _make(state: dict, extra: str, groups: list[str]) -> None:
    started = time.monotonic()
    installer = uv.find() or uv.bring(LOG)
    python = python_version()
    cut_short, moved = state and not state.get("finished"), state.get("root") not in (None, str(ROOT))
    if python is None or cut_short or moved or _another_asked_for(python):
        base = getattr(sys, "_base_executable", None) or sys.executable
        uv.run(installer, ["venv", "--quiet", "--clear", "--no-project", "--python", base, str(VENV)], LOG)
        python = python_version()
    key = key_of([extra, groups], requirements(extra, groups))
    note = {"extra": extra, "groups": groups, "python": python, "root": str(ROOT), "key": key}
    _write(note, finished=False)
    what = " and ".join([extra, *groups])
    print(
        f"Setting up {VENV.name} (Python {python}; packages: {what}). The first time this takes a minute or two.",
        flush=True,
    )
    files = [str(file) for file in requirements(extra, groups)]
    sync = ["pip", "sync", "--python", str(PYTHON), "--require-hashes", *files]
    try:
        install(installer, sync)
    except uv.NoNetwork as error:
        try:  # everything may lie in uv's cache, too old to be trusted without asking
            install(installer, [*sync, "--offline"])
        except Stop:
            raise error from None
    project = ["pip", "install", "--python", str(PYTHON), "--no-deps", "--no-build-isolation", *own(editable=True)]
    uv.run(installer, [*project, "--offline"], LOG)
    _write(note, finished=True)
    print(f"Set up in {time.monotonic() - started:.0f} s.", flush=True)


def own(*, editable: bool) -> list[str]:
    """The part of `uv pip install` that installs the three packages of this checkout, in place of what there is of them."""
    found: list[str] = []
    for name in workspace.PACKAGES:
        place = str(workspace.folder(ROOT, name))
        found += ["--reinstall-package", name, *(["--editable", place] if editable else [place])]
    return found


def apart(place: Path, packages: list[str]) -> Path:
    """An environment in `place`, made if it is not there, with these packages, as pip's command line names them; its Python."""
    installer = uv.find() or uv.bring(LOG)
    python = place / PYTHON.relative_to(VENV)
    if not python.exists():
        uv.run(installer, ["venv", "--quiet", "--no-project", "--python", sys.executable, str(place)], LOG)
    install(installer, ["pip", "install", "--python", str(python), *packages])
    return python


def install(installer: str, arguments: list[str]) -> None:
    """Run uv with the downloads that are under way on one line, where there is a terminal to show them on."""
    waiting: dict[str, str] = {}

    def say(line: str) -> None:
        for name, size in uv.downloads([line]):
            waiting[name] = size
        if line.startswith("Downloaded "):
            waiting.pop(line.split()[1], None)
        if line.startswith("Prepared "):
            waiting.clear()
        if sys.stdout.isatty():
            text = (
                "  fetching " + ", ".join(f"{name} ({size})" for name, size in waiting.items())
                if waiting
                else "  " + line
            )
            print(f"\r\033[K{text[:110]}", end="", flush=True)

    try:
        uv.run(installer, arguments, LOG, say=say)
    finally:
        if sys.stdout.isatty():
            print("\r\033[K", end="", flush=True)


def _write(note: dict, *, finished: bool) -> None:
    part = STAMP.with_suffix(".part")
    part.write_text(json.dumps({**note, "finished": finished}, indent=1), encoding="utf-8")
    os.replace(part, STAMP)


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Hold the checkout's set-up lock; it ends with the process that holds it, however that ends."""
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with open(LOG.parent / "setup.lock", "a+b") as file:
        if os.name == "nt":
            import msvcrt

            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
                except OSError:
                    time.sleep(1)
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print("Another set-up of this checkout is running: waiting for it.", flush=True)
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError:
                pass  # a file system without locks, as some clusters mount: then nobody is waited for
        yield
