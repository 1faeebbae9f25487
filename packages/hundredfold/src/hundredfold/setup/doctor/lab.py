"""Findings about the lab itself: is it installed, which kernel would notebooks get, and can it write?"""

from __future__ import annotations

import sys
from pathlib import Path

from gpusim.hardware import packages
from hundredfold import paths

from .facts import Facts
from .report import Finding

GB = 10**9
# Unpacked sizes measured for the lock of RAPIDS 26.10 (cpu, cu13) with the download cache beside them; cu12 was not unpacked,
# its wheels are half as large again as cu13's.
ROOM = {"cpu": 1.5 * GB, "cu12": 9 * GB, "cu13": 6.5 * GB}
ROOM_TO_WORK = 0.3 * GB


def lab(facts: Facts) -> list[Finding]:
    """Return what is to be said of JupyterLab, its kernel, and the folders that the lab writes to."""
    found = [*_installed(facts), *_disk(facts), *_folders(facts)]
    return (
        found
        if any(f.stops for f in found)
        else [_finding("ok", "JupyterLab, its Dask panel and its kernel are there"), *found]
    )


def _finding(level, what: str, why: str = "", fix: str | None = None, stops: bool = False) -> Finding:
    return Finding(level, what, why, fix, group="lab", stops=stops)


def _installed(facts: Facts) -> list[Finding]:
    missing, kernel = facts.lab["missing"], facts.lab["kernel"]
    if missing:
        what = "The lab is not installed yet" if "jupyterlab" in missing else f"Not installed: {', '.join(missing)}"
        why = "" if "jupyterlab" in missing else "The lab needs it."
        return [_finding("bad", what, why, packages.setup_command(facts.extra), stops=True)]
    if kernel["fits"]:
        return []
    whose = f"starts {kernel['python']}" if kernel["python"] else "cannot be read"
    why = f"{kernel['path']} {whose}, not the lab's Python, so notebooks would not find the course."
    fix = f"{sys.executable} -m ipykernel install --sys-prefix"
    if not kernel["path"].startswith(sys.prefix):
        # A kernel of the user's own comes first only where that was asked for; the environment's must go before it.
        fix = f"JUPYTER_PREFER_ENV_PATH=1 {sys.executable} -m ipykernel install --sys-prefix"
    return [_finding("bad", "Notebooks would get another kernel", why, fix, stops=True)]


def _disk(facts: Facts) -> list[Finding]:
    free = facts.lab["disk_free"]
    if free is None:
        return []
    what = f"{free / GB:.1f} GB of disk free"
    need = ROOM[facts.extra] if facts.lab["missing"] else ROOM_TO_WORK
    if free >= need:
        return [_finding("ok", what)]
    why = f"The lab needs {need / GB:.1f} GB" + (" to be installed" if facts.lab["missing"] else " to work in")
    uv = facts.lab.get("uv") or "uv"
    return [
        _finding("bad", what, f"{why}. Downloads that are kept can be made again:", f"{uv} cache clean", stops=True)
    ]


def _folders(facts: Facts) -> list[Finding]:
    found, checkout = [], facts.lab["checkout"]
    if checkout and not facts.lab["writable"]:
        why = f"Nothing can be written in {checkout}; your own copy can."
        fix = f'git clone "{checkout}" ~/hundredfold && make -C ~/hundredfold lab'
        found.append(_finding("bad", "The checkout is read-only", why, fix, stops=True))
    if facts.lab["state"] is None:
        why = f"HUNDREDFOLD_STATE names a folder that cannot be made: {facts.lab['state_error']}"
        found.append(_finding("bad", "Progress cannot be kept", why, "unset HUNDREDFOLD_STATE", stops=True))
    elif paths.is_temporary(Path(facts.lab["state"])):
        why = f"Your home cannot be written to, so it is in {facts.lab['state']}, which may be emptied. Name another folder:"
        found.append(_finding("note", "Progress may be lost", why, "export HUNDREDFOLD_STATE=FOLDER"))
    return found
