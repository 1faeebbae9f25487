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
    environment.update(UV_PYTHON_DOWNLOADS="never", UV_NO_PROGRESS="1")
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


def explain(said: str, log: Path) -> Stop:
    """Put the failure that uv or pip reported in `said` into one sentence that says what to do."""
    if "os error 28" in said or "No space left" in said or "os error 122" in said:
        return disk_full()
    if (
        "os error 30" in said
        or "Read-only file system" in said
        or "os error 13)" in said
        or "Permission denied" in said
    ):
        path = re.search(r"[`']([/\\][^`']+)[`']", said)
        return read_only(path.group(1) if path else ROOT)
    if "hash mismatch" in said.lower() or "do not match the hashes" in said.lower():
        package = re.search(r"Hash mismatch for `?([A-Za-z0-9_.-]+)", said)
        name = package.group(1) if package else "a package"
        return Stop(
            f"What was downloaded for {name} is not what the lock names (its hash differs), so it was not installed: run "
            f"`uv cache clean {package.group(1) if package else ''}`".rstrip(" `")
            + "` and the same command again; if it "
            f"happens again, the mirror you install from is damaged (details: {log})."
        )
    if re.search(
        r"dns error|error sending request|Failed to fetch|[Cc]onnection|timed out|NewConnectionError|os error 11[013]",
        said,
    ):
        return NoNetwork(
            "The packages could not be fetched, because there is no network here or the package index does not answer: "
            f"connect, or name your mirror in UV_DEFAULT_INDEX, {SAME_AGAIN}."
        )
    last = next(
        (line for line in said.splitlines() if line.startswith(("error", "ERROR", "  ×", "Error"))), "no reason given"
    )
    return Stop(f"The packages could not be installed ({last.strip()}): the details are in {log}.")


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
