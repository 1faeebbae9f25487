"""uv, which installs the lock: found on PATH or brought into `.uv/`, and its failures put into one sentence each."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from . import ROOT, Stop, disk_full, read_only

#: Older ones lack options that `setup` and `lock` use.
OLDEST = (0, 7)

SAME_AGAIN = "then run the same command again; what is already downloaded is kept"


def find() -> str | None:
    """The uv to use: the one on PATH if it is new enough, else the one brought into the checkout earlier, or None."""
    here = ROOT / ".uv"
    for program in (shutil.which("uv"), str(here / "bin" / "uv"), str(here / "Scripts" / "uv.exe")):
        if program and _version(program) >= OLDEST:
            return program
    return None


def bring(log: Path) -> str:
    """Install uv, pinned and hash-checked, into the checkout's `.uv/` with the standard library's venv and pip."""
    print("Bringing uv, the installer, into .uv/ (about 25 MB) ...", flush=True)
    base = getattr(sys, "_base_executable", None) or sys.executable
    made = subprocess.run(
        [base, "-m", "venv", "--clear", str(ROOT / ".uv")], capture_output=True, text=True, check=False
    )
    if made.returncode:
        said = made.stdout + made.stderr
        log.write_text(said)
        if shutil.disk_usage(ROOT).free < 50 * 2**20:
            raise disk_full()
        if "ensurepip" in said or "No module named venv" in said:
            version = ".".join(map(str, sys.version_info[:2]))
            raise Stop(
                f"Python {version} ({base}) came without the module that makes environments (ensurepip): install it "
                f"(on Debian and Ubuntu `sudo apt install python{version}-venv`) or install uv, then run the same command again."
            )
        raise explain(said, log)
    python = ROOT / ".uv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    pip += ["--only-binary", ":all:", "-r", str(ROOT / "requirements" / "uv.txt")]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        log.write_text(done.stdout + done.stderr)
        raise explain(done.stdout + done.stderr, log)
    found = find()
    if found is None:
        raise Stop(f"The uv in {ROOT / '.uv'} does not run here: install uv yourself, {SAME_AGAIN}.")
    return found


def run(uv: str, arguments: Sequence[str], log: Path, *, say: Callable[[str], None] = lambda line: None) -> str:
    """Run one uv command and return what it said; `say` hears each line as it comes. A failure raises `Stop`."""
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    environment["UV_PYTHON_DOWNLOADS"] = "never"
    if "UV_DEFAULT_INDEX" not in environment and "UV_INDEX_URL" not in environment and environment.get("PIP_INDEX_URL"):
        environment["UV_DEFAULT_INDEX"] = environment["PIP_INDEX_URL"]  # whoever set a mirror for pip means it here too
    heard: list[str] = []
    process = subprocess.Popen(
        [uv, *arguments],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    try:
        for line in process.stderr:
            heard.append(line)
            say(line.strip())
    finally:
        code = process.wait()
    said = "".join(heard)
    if code:
        log.write_text(f"{uv} {' '.join(arguments)}\n{said}", encoding="utf-8")
        raise explain(said, log)
    return said


class NoNetwork(Stop):
    """The packages could not be fetched."""


#: What uv, pip and the system below them say when the network is not there.
UNREACHED = re.compile(
    r"dns error|error sending request|Failed to fetch|[Cc]onnection ?[Ee]?r|NewConnectionError|timed out|"
    r"os error 11[013]\)|from versions: none"
)


def explain(said: str, log: Path) -> Stop:
    """Put the failure that uv or pip reported in `said` into one sentence that says what to do."""
    if re.search(r"os error (28|122)\)|No space left|quota exceeded", said):
        return disk_full()
    if re.search(r"os error (13|30)\)|Read-only file system|Permission denied", said):
        found = re.search(r"[`']([/\\][^`']+)[`']", said)
        path = Path(found.group(1)) if found else ROOT
        if ROOT == path or ROOT in path.parents:
            return read_only(ROOT)
        return Stop(
            f"{path} cannot be written to, and uv keeps its downloads there: name a folder of your own for them in "
            "UV_CACHE_DIR and run the same command again."
        )
    if re.search(r"hash mismatch|do not match the hashes", said, re.IGNORECASE):
        found = re.search(r"Hash mismatch for `?([A-Za-z0-9_.-]+)", said)
        name = found.group(1) if found else "uv"
        return Stop(
            f"What was downloaded as {name} is not what the lock names (its hash differs), so it was not installed: run the "
            f"same command again, and if that does not help, the index or mirror you install from is damaged (see {log})."
        )
    if UNREACHED.search(said):
        return NoNetwork(
            "The packages could not be fetched, because there is no network here or the package index does not answer: "
            f"connect, or name your mirror in UV_DEFAULT_INDEX, {SAME_AGAIN}."
        )
    reasons = [line.strip() for line in said.splitlines() if line.lstrip().startswith(("error", "ERROR", "×", "Error"))]
    return Stop(f"The packages could not be installed ({reasons[0] if reasons else 'no reason given'}): see {log}.")


def downloads(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The larger downloads that uv announced, as (name, size)."""
    for line in lines:
        match = re.match(r"\s*Downloading (\S+) \(([^)]+)\)", line)
        if match:
            yield match.group(1), match.group(2)


def _version(program: str) -> tuple[int, ...]:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    match = re.match(r"uv (\d+)\.(\d+)", said.stdout)
    return tuple(map(int, match.groups())) if match and said.returncode == 0 else ()
