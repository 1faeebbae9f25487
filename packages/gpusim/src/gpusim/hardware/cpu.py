"""Cores and memory that this process may use, which on a hub or in a container is less than the machine has."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from . import cgroup


class Memory(NamedTuple):
    """Main memory in bytes: `total` is the most this process may ever use, `available` what is left now."""

    total: int
    available: int


def cores(root: str = "/") -> int:
    """Return how many cores this process may use: the smallest of machine, affinity and control-group quota; at least 1.

    A quota of one and a half cores counts as two, as it does for Dask. `root` is where the file system begins, for tests.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    quota = cpu_quota(root)
    return max(1, count if quota is None else min(count, math.ceil(quota - 1e-9)))


def cpu_quota(root: str = "/") -> float | None:
    """Return the cores' worth of time that the control groups allow, as 1.5; None where they set no limit."""
    quotas = []
    for version, folder in cgroup.folders("cpu", root):
        if version == 2:
            words = cgroup.words_of(folder / "cpu.max")
            limit = int(words[0]) if words and words[0].isdigit() else None
            period = int(words[1]) if len(words) > 1 and words[1].isdigit() else 100_000
        else:
            limit = cgroup.number(folder / "cpu.cfs_quota_us")
            period = cgroup.number(folder / "cpu.cfs_period_us") or 100_000
        if limit is not None and limit > 0 and period > 0:
            quotas.append(limit / period)
    return min(quotas, default=None)


def memory(root: str = "/") -> Memory:
    """Return the memory that this process may use, in bytes, as the machine and the control groups allow.

    Files that the kernel only caches count as available, as they do in `MemAvailable`. `root` is for tests.
    """
    total, available = _machine_memory(root)
    for version, folder in cgroup.folders("memory", root):
        if version == 2:
            limits = [cgroup.number(folder / name) for name in ("memory.max", "memory.high")]
            used, cached = cgroup.number(folder / "memory.current"), "inactive_file"
        else:
            limits = [cgroup.number(folder / "memory.limit_in_bytes")]
            used, cached = cgroup.number(folder / "memory.usage_in_bytes"), "total_inactive_file"
        # Version 1 writes "no limit" as a number larger than any machine.
        limit = min((n for n in limits if n is not None and 0 < n < 1 << 60), default=None)
        if limit is None:
            continue
        total = min(total, limit)
        if used is not None:
            held = used - (cgroup.statistic(folder / "memory.stat", cached) or 0)
            available = min(available, max(0, limit - max(0, held)))
    return Memory(total, min(available, total))


def _machine_memory(root: str) -> tuple[int, int]:
    words = cgroup.words_of(Path(root) / "proc/meminfo")
    values = {words[i]: int(words[i + 1]) * 1024 for i in range(len(words) - 1) if words[i + 1].isdigit()}
    if "MemTotal:" in values:
        total = values["MemTotal:"]
        return total, values.get("MemAvailable:", values.get("MemFree:", total))
    total = _total_elsewhere()
    return total, total


def _total_elsewhere() -> int:
    """Main memory where there is no /proc: macOS and other systems answer sysconf, Windows its own call."""
    if sys.platform == "win32":
        import ctypes

        kilobytes = ctypes.c_ulonglong()
        ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
        return kilobytes.value * 1024
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


@cache
def cpu_name() -> str:
    """Return the CPU's name as the system gives it, such as "AMD EPYC 9655"; its architecture where it gives none."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, _, value = line.partition(":")
                if key.strip() in ("model name", "Model") and value.strip():
                    return " ".join(value.split())
    except OSError:
        pass
    if sys.platform == "darwin":
        try:
            command = ["sysctl", "-n", "machdep.cpu.brand_string"]
            asked = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
            if asked.stdout.strip():
                return asked.stdout.strip()
        except (OSError, subprocess.SubprocessError):
            pass
    return platform.processor() or platform.machine() or "CPU"
