"""Findings about the machine around the GPU: platform and Python, cores and memory, ports."""

from __future__ import annotations

from gpusim.hardware import packages

from .facts import Facts
from .report import Finding

GiB = 2**30
PYTHONS = ((3, 11), (3, 13))
# The smallest seat that every unit is held to: one core and 2 GB, as Binder gives.
LEAST_MEMORY = 1.9e9


def machine(facts: Facts) -> list[Finding]:
    """Return what is to be said of the operating system and of Python."""
    system = facts.system
    where = f"{system.get('name', system['system'])}, {system['machine']}"
    if facts.probe.wsl:
        where += ", in WSL2"
    if system.get("container"):
        where += ", in a container"
    why_not = packages.platform_why_not(system)
    found = [Finding("ok" if why_not is None else "note", where, why_not or "", group="machine")]
    version = tuple(system["python"])
    text = ".".join(map(str, version))
    if PYTHONS[0] <= version[:2] <= PYTHONS[1]:
        return [*found, Finding("ok", f"Python {text}", group="machine")]
    others = system.get("pythons") or []
    fix = f"make setup PYTHON={others[0]}" if others else "uv python install 3.12"
    why = "The lab needs Python 3.11, 3.12 or 3.13" + (", and there is one on the path." if others else ".")
    return [*found, Finding("bad", f"Python {text} does not fit", why, fix, group="machine", stops=True)]


def memory_and_cores(facts: Facts) -> list[Finding]:
    """Return how many cores and how much memory this process may use."""
    cpu = facts.cpu
    cores = "1 core" if cpu["cores"] == 1 else f"{cpu['cores']} cores"
    of = f" of the machine's {cpu['machine_cores']}" if cpu.get("machine_cores", cpu["cores"]) > cpu["cores"] else ""
    found = [Finding("ok", f"{cores}{of}, {cpu['name']}", group="memory and cores")]
    total, available = cpu["memory_total"], cpu["memory_available"]
    what = f"{total / GiB:.1f} GiB of memory, {available / GiB:.1f} GiB available"
    if total < LEAST_MEMORY:
        why = "The units are held to 2 GB; with less, the larger ones may be ended by the system."
        return [*found, Finding("note", what, why, group="memory and cores")]
    if available < LEAST_MEMORY / 2:
        why = "Other programs hold most of it; close some, or notebooks choose small sizes."
        return [*found, Finding("note", what, why, group="memory and cores")]
    return [*found, Finding("ok", what, group="memory and cores")]


def ports(facts: Facts) -> list[Finding]:
    """Return whether JupyterLab and Dask can listen on this machine."""
    if not facts.ports["loopback"]:
        why = "JupyterLab, its kernels and Dask speak to each other on 127.0.0.1."
        what = "No program can listen on this machine's own address"
        return [Finding("bad", what, why, "sudo ip link set lo up", group="ports", stops=True)]
    taken = ", ".join(map(str, facts.ports["taken"]))
    if taken:
        return [
            Finding(
                "note", f"Taken: {taken}", "The lab takes the next free port and prints its address.", group="ports"
            )
        ]
    return [Finding("ok", "The usual ports are free", group="ports")]
