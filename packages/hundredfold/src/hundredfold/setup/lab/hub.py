"""The environment in which a real JupyterHub is tested: one that other users of this machine can run, with the hub."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from . import ROOT, Stop, on_disk, uv
from .environment import LOG, install, key_of, one_at_a_time, own, requirements

#: Where the environment goes if others cannot enter the checkout, as below /root.
ELSEWHERE = Path("/opt/hundredfold-test-hub")
#: Each learner has these of their own, so what lies there is not in their reach.
PRIVATE = ("/tmp", "/var/tmp", "/dev/shm")
SERIES = ((3, 11), (3, 12), (3, 13))


def ready() -> Path:
    """Make the environment hold the lab, the hub and their tests, at the lock's versions, and return its Python.

    Raises
    ------
    Stop
        With one sentence that says what to do.
    """
    if os.name != "posix" or os.geteuid() != 0:
        raise Stop(
            "The hub's tests make users and start servers as them: run `sudo make test-all ARGS=hub`, on a machine to spare."
        )
    if shutil.which("haproxy", path=f"/usr/sbin:{os.environ.get('PATH', '')}") is None:
        raise Stop("The hub's proxy is HAProxy, and it is not here: apt install --no-install-recommends haproxy")
    place = ROOT / ".hub" if _open_to_all(ROOT) else ELSEWHERE
    python, stamp = place / "bin" / "python", place / "hundredfold.json"
    base = _base()
    files = requirements("cpu", ["test", "hub"])
    wanted = json.dumps([key_of(["hub"], files), str(base)])
    try:
        with one_at_a_time():
            installer = uv.find() or uv.bring(LOG)
            if not (python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted):
                print(f"Setting up {place}. The first time this takes a minute or two.", flush=True)
                uv.run(
                    installer, ["venv", "--quiet", "--clear", "--no-project", "--python", str(base), str(place)], LOG
                )
                install(installer, ["pip", "sync", "--python", str(python), "--require-hashes", *map(str, files)])
            # As it would be installed, and not from the checkout, which others may not enter.
            project = ["pip", "install", "--python", str(python), "--no-deps", "--no-build-isolation", "--offline"]
            uv.run(installer, [*project, *own(editable=False)], LOG)
            stamp.write_text(wanted, encoding="utf-8")
    except OSError as error:
        raise on_disk(error) or error from None
    return python


def _base() -> Path:
    """A Python that all users can run: this one, else the system's."""
    found = [Path(getattr(sys, "_base_executable", None) or sys.executable)]
    found += [
        Path(f"/usr/{folder}bin/python{major}.{minor}")
        for major, minor in reversed(SERIES)
        for folder in ("local/", "")
    ]
    found += [Path("/usr/bin/python3")]
    for python in found:
        if python.exists() and _open_to_all(python.resolve()) and _suits(python):
            return python
    raise Stop(
        "Learners' servers need a Python that all users can run, and this one lies where only root enters: install one (on Debian `apt install python3 python3-venv`)."
    )


def _suits(python: Path) -> bool:
    ask = [str(python), "-I", "-S", "-c", f"import sys; sys.exit(sys.version_info[:2] not in {SERIES!r})"]
    return subprocess.run(ask, capture_output=True, check=False).returncode == 0


def _open_to_all(path: Path) -> bool:
    """Whether other users can enter a folder, or run a file, and see the same there as root does."""
    if any(path.is_relative_to(private) for private in PRIVATE):
        return False
    return all(os.stat(level).st_mode & stat.S_IXOTH for level in (path, *path.parents))
