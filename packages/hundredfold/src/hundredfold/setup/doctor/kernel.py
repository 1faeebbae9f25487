"""Which kernel a notebook that asks for `python3` would get: the lab's own, or another Python's that someone installed."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any


def look(environ: dict[str, str] | None = None, prefix: str | None = None) -> dict[str, Any]:
    """Return the first kernel called `python3` in Jupyter's own order of folders.

    Returns
    -------
    dict
        `path` (its kernel.json, or None: the one that ipykernel brings is used), `python` (what it starts, or None) and `fits`
        (whether that is this Python).
    """
    environ = dict(os.environ) if environ is None else environ
    prefix = sys.prefix if prefix is None else prefix
    for folder in _folders(environ, prefix):
        file = folder / "kernels" / "python3" / "kernel.json"
        try:
            python = json.loads(file.read_text(encoding="utf-8"))["argv"][0]
        except OSError:
            continue
        except (ValueError, KeyError, IndexError, TypeError):
            return {"path": str(file), "python": None, "fits": False}
        return {"path": str(file), "python": python, "fits": _is_this(python, prefix)}
    return {"path": None, "python": None, "fits": True}


def _is_this(python: str, prefix: str) -> bool:
    # Jupyter puts its own Python in place of a bare name.
    if re.fullmatch(r"python(3(\.\d+)?)?", python):
        return True
    # The folder decides, not the file: the interpreters of two environments are links to the same one.
    return os.path.realpath(os.path.dirname(os.path.dirname(python))) == os.path.realpath(prefix)


def _folders(environ: dict[str, str], prefix: str) -> list[Path]:
    """Jupyter's data folders as jupyter_core orders them."""
    named = [Path(part) for part in environ.get("JUPYTER_PATH", "").split(os.pathsep) if part]
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()
    if "JUPYTER_DATA_DIR" in environ:
        user = Path(environ["JUPYTER_DATA_DIR"])
    elif sys.platform == "darwin":
        user = home / "Library" / "Jupyter"
    elif sys.platform == "win32":
        user = Path(environ.get("APPDATA") or home) / "jupyter"
    else:
        user = Path(environ.get("XDG_DATA_HOME") or home / ".local/share") / "jupyter"
    ours = Path(prefix) / "share" / "jupyter"
    # In an environment of one's own its kernels come before the user's; the variable overrides that either way.
    prefer = environ.get("JUPYTER_PREFER_ENV_PATH", "").lower()
    first = prefer not in ("no", "n", "false", "off", "0", "0.0") if prefer else prefix != sys.base_prefix
    system = [Path("/usr/local/share/jupyter"), Path("/usr/share/jupyter")] if sys.platform != "win32" else []
    return [*named, *([ours, user] if first else [user, ours]), *system]
