"""Findings about the GPUs: what they are, how much memory is free, and whether a notebook could use them."""

from __future__ import annotations

from gpusim.hardware import packages
from gpusim.hardware.detect import OLDEST_CC, Gpu

from .facts import Facts
from .report import Finding

GiB = 2**30
# A context alone takes about half a GiB; below this a notebook's first array fails.
LEAST_FREE = 1 * GiB


def gpus(facts: Facts) -> list[Finding]:
    """Return what is to be said of each GPU, and of them together."""
    shown = facts.probe.gpus
    found = [finding for gpu in shown for finding in (_one(gpu), *_troubles(gpu, facts)) if finding]
    if len({gpu.cc for gpu in shown}) > 1 or len({gpu.name for gpu in shown}) > 1:
        found += _different(facts)
    if shown and len(facts.probe.boards) > len(shown) and facts.probe.visible is not None:
        what = f"CUDA_VISIBLE_DEVICES shows {len(shown)} of {len(facts.probe.boards)} GPUs"
        found.append(_note(what))
    return found


def _note(what: str, why: str = "", fix: str | None = None) -> Finding:
    return Finding("note", what, why, fix, group="GPUs")


def _one(gpu: Gpu) -> Finding:
    free = "free memory unknown" if gpu.memory_free is None else f"{gpu.memory_free / GiB:.1f} GiB free"
    mig = ", a MIG instance" if gpu.mig and " MIG " not in gpu.name else ""
    size = f"{gpu.memory_total / GiB:.1f} GiB ({free})"
    what = f"GPU {gpu.index}: {gpu.name}{mig}, {size}, compute capability {gpu.cc[0]}.{gpu.cc[1]}"
    return Finding("ok" if gpu.usable else "note", what, group="GPUs")


def _troubles(gpu: Gpu, facts: Facts) -> list[Finding]:
    others = [other for other in facts.probe.usable if other.index != gpu.index]
    here, found = f"GPU {gpu.index}", []
    if gpu.mig:
        why = "CUDA shows a process one instance at a time; its memory and speed are a part of the GPU's."
        found.append(_note(f"{here} is divided by MIG", why))
    if gpu.why_not is not None:
        return [*found, _unusable(gpu, others, facts)]
    if gpu.compute_mode == "exclusive":
        why = "Only one process may use it: a second notebook, or a Dask worker beside a notebook, is refused."
        found.append(_note(f"{here} is in exclusive mode", why, _share(gpu)))
    if gpu.memory_free is not None and gpu.memory_free < LEAST_FREE:
        found.append(_full(gpu, others, facts))
    return found


def _unusable(gpu: Gpu, others: list[Gpu], facts: Facts) -> Finding:
    what, too_old = f"GPU {gpu.index} cannot be used: {gpu.why_not}", gpu.cc < OLDEST_CC
    why = "No driver fixes that." if too_old else _holders(gpu)
    if others:
        fix = f"CUDA_VISIBLE_DEVICES={','.join(str(other.index) for other in others)} make lab"
        if gpu.index:
            return _note(what, _said(why, "The lab uses the other GPUs."), fix)
        # Programs take GPU 0 unless told otherwise, so this one must be hidden.
        return Finding("bad", what, _said(why, "Programs take it first."), fix, group="GPUs", stops=not facts.simulate)
    fix = packages.setup_command("cpu") if too_old else _share(gpu)
    return Finding("bad", what, _said(why, "The lab then computes on the CPU."), fix, group="GPUs")


def _full(gpu: Gpu, others: list[Gpu], facts: Facts) -> Finding:
    what = f"GPU {gpu.index}'s memory is full: {gpu.memory_free / GiB:.1f} of {gpu.memory_total / GiB:.1f} GiB free"
    why = _holders(gpu) or "Which processes hold it cannot be seen from here."
    room = [other for other in others if (other.memory_free or 0) >= LEAST_FREE]
    holder = _largest(gpu)
    if room:
        fix = f"CUDA_VISIBLE_DEVICES={room[0].index} make lab"
    elif holder is not None:
        fix = f"kill {holder}"
        why += " End the largest if it is yours (in JupyterLab: Kernel, Shut Down)."
    else:
        fix = "GPUSIM_SIMULATE=1 make lab"
    # Asked to simulate, or with room elsewhere to be named, nothing stops; alone and full, the first array fails.
    return Finding(
        "bad", what, why, fix, group="GPUs", stops=not facts.simulate and facts.extra != "cpu" and gpu.index == 0
    )


def _said(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _largest(gpu: Gpu) -> int | None:
    known = [process for process in gpu.processes or [] if process.get("pid")]
    return max(known, key=lambda process: process.get("used") or 0)["pid"] if known else None


def _holders(gpu: Gpu) -> str:
    if not gpu.processes:
        return ""
    told = [
        f"process {p['pid']}" + (f" holds {p['used'] / GiB:.1f} GiB" if p.get("used") else " is on it")
        for p in gpu.processes[:4]
    ]
    more = len(gpu.processes) - len(told)
    said = ", ".join(told) + (f" and {more} more" if more else "")
    return said[0].upper() + said[1:] + "."


def _share(gpu: Gpu) -> str:
    # nvidia-smi counts in another order than CUDA, so the GPU is named by its identity.
    u = gpu.uuid
    who = f"GPU-{u[:8]}-{u[8:12]}-{u[12:16]}-{u[16:20]}-{u[20:]}" if u else str(gpu.index)
    return f"sudo nvidia-smi -i {who} -c DEFAULT"


def _different(facts: Facts) -> list[Finding]:
    weakest = packages.decides(facts.probe)
    if weakest is None or facts.extra == "cpu" or len(facts.probe.usable) < 2:
        return []
    why = f"The packages are chosen for the weakest, {weakest.name}: {facts.extra}. Times on one say nothing of the other."
    return [_note("The GPUs differ", why)]
