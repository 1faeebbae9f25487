"""Everything the doctor looks at, looked up once; any part of it can come from a recording instead."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import socket
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpusim.hardware import cpu, detect, packages
from hundredfold import paths
from hundredfold.setup.packages import installed as packages_here

from . import kernel

# What JupyterLab and the Dask dashboard take by default; the lab moves on to the next free one.
PORTS = (8888, 8787)
MODULES = (
    "jupyterlab",
    "jupyter_server",
    "ipykernel",
    "dask_labextension",
    "bokeh",
    "numpy",
    "numba",
    "dask",
    "distributed",
)


@dataclass(frozen=True)
class Facts:
    """What was found, before anything is made of it.

    `probe` is the driver's answer; `packages` maps installed packages to versions; `system`, `cpu`, `ports` and `lab` are plain
    dicts as `gather` makes them; `mode` and `extra` follow from the probe.
    """

    probe: detect.Probe
    packages: dict[str, str]
    system: dict[str, Any]
    cpu: dict[str, Any]
    ports: dict[str, Any]
    lab: dict[str, Any]
    simulate: bool = False
    label: str = "asked here"

    @property
    def extra(self) -> packages.Extra:
        """The variant of the packages that fits."""
        return packages.extra(self.probe, self.system)

    @property
    def mode(self) -> str:
        """The mode that notebooks would run in."""
        if self.simulate:
            return "simulated"
        return "none" if self.extra == "cpu" else "gpu"


def gather(recording: dict[str, Any] | None = None) -> Facts:
    """Look everything up; what `recording` holds under the same names is taken from there instead.

    Raises
    ------
    ValueError
        If the recording, or the one GPUSIM_PROBE names, is not one.
    """
    named = os.environ.get("GPUSIM_PROBE")
    if recording is None and named:
        detect.probe()  # says in a sentence what is wrong with the file
        recording = json.loads(Path(named).read_text(encoding="utf-8"))
    recording = recording or {}
    asked = detect.Probe.from_json(recording) if recording else detect.probe()

    def part(name: str, look) -> Any:
        return recording[name] if name in recording else look()

    return Facts(
        probe=asked,
        packages=part("packages", packages_here),
        system=part("system", system),
        cpu=part("cpu", processor),
        ports=part("ports", ports),
        lab=part("lab", lab),
        simulate=detect.simulating(),
        label=asked.label,
    )


def record(label: str) -> str:
    """Return what was looked up here as JSON that `gather`, or GPUSIM_PROBE, reads back; folders of this user are left out."""
    facts = gather({})
    system = {key: value for key, value in facts.system.items() if key != "pythons"}
    probe = {key: value for key, value in json.loads(facts.probe.to_json()).items() if key != "label"}
    data = {"label": label, "probe": probe, "packages": facts.packages, "system": system, "cpu": facts.cpu}
    return json.dumps(data, indent=1)


def system() -> dict[str, Any]:
    """Return the platform, the distribution, whether this is a container, and this Python."""
    try:
        release = platform.freedesktop_os_release()
    except (OSError, AttributeError):
        release = {}
    boxed = (
        os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv") or "KUBERNETES_SERVICE_HOST" in os.environ
    )
    return {
        **packages.platform_facts(),
        "distribution": [release.get("ID", ""), *release.get("ID_LIKE", "").split()],
        "name": release.get("PRETTY_NAME") or f"{platform.system()} {platform.release()}",
        "container": boxed,
        "python": list(sys.version_info[:3]),
        "pythons": [found for name in ("python3.13", "python3.12", "python3.11") if (found := shutil.which(name))],
    }


def processor() -> dict[str, Any]:
    """Return the CPU's name, the cores this process may use and the machine has, and the memory in bytes."""
    memory = cpu.memory()
    return {
        "name": cpu.cpu_name(),
        "cores": cpu.cores(),
        "machine_cores": os.cpu_count() or 1,
        "memory_total": memory.total,
        "memory_available": memory.available,
    }


def ports() -> dict[str, Any]:
    """Return whether this machine can listen on itself at all, and which of the usual ports are taken."""
    return {"loopback": _can_listen(0), "taken": [port for port in PORTS if not _can_listen(port)]}


def _can_listen(port: int) -> bool:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            if sys.platform != "win32":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do
            listener.bind(("127.0.0.1", port))
            listener.listen(1)
        return True
    except OSError:
        return False


def lab() -> dict[str, Any]:
    """Return what the lab itself needs: its modules, the kernel that notebooks name, disk space, and folders to write to."""
    root = paths.repository()
    try:
        state: str | None = str(paths.state_dir())
    except OSError as error:
        state, wrong = None, str(error)
    else:
        wrong = ""
    return {
        "missing": [name for name in MODULES if not _importable(name)],
        "kernel": kernel.look(),
        "checkout": str(root) if root else None,
        "writable": _writable(root) if root else True,
        "disk_free": _disk_free(root or Path.cwd()),
        "state": state,
        "state_error": wrong,
        "uv": next((str(p) for p in [root / ".uv/bin/uv", root / ".uv/uv"] if p.is_file()), None) if root else None,
    }


def _importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _writable(folder: Path) -> bool:
    # os.access does not know of read-only mounts seen through root's eyes, nor of full disks: try it.
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".hundredfold-"):
            return True
    except OSError:
        return False


def _disk_free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
