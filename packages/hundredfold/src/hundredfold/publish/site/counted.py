"""What the pages on evidence say in numbers, each counted where it is kept: cases, names, times, mutants, a table for Colab."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

from gpusim.hardware import gpus
from hundredfold import paths
from hundredfold.classroom.seats import needs
from hundredfold.learning import problems
from hundredfold.toolkit import recorded
from hundredfold.toolkit.record import duration, workloads
from kernellens.plot import quantities

#: What a session of Colab with a T4 is said to give, in bytes: of the GPU and of the host.
COLAB_GPU, COLAB_HOST = 15e9, 12e9


def _root() -> Path:
    root = paths.repository()
    if root is None:
        raise LookupError("These are counted in a checkout of the course.")
    return root


def conformance() -> int:
    """Cases that are known to differ from NumPy or pandas, each with its source."""
    folder = _root() / "packages" / "gpusim" / "tests" / "conformance"
    return sum(len(re.findall(r"(?m)^- id: ", file.read_text(encoding="utf-8"))) for file in folder.glob("*.yaml"))


def names() -> int:
    """Public names of the real libraries."""
    folder = _root() / "packages" / "gpusim" / "src" / "gpusim" / "libraries"
    files = folder.glob("*/names.json")
    return sum(len(words.split()) for file in files for words in json.loads(file.read_text(encoding="utf-8")).values())


def _timed() -> list[recorded.Time]:
    rows = [row for row in recorded.rows() if row.kind == "published"]
    return [time for row in rows for time in row.times if time.device == "gpu" and time.gpu]


def times() -> int:
    """Published times on GPUs with a data sheet, which no bound may exceed unless they are called impossible."""
    return len(_timed())


def timed_gpus() -> str:
    """The GPUs of these times, by name."""
    there = {time.gpu for time in _timed()}
    return ", ".join(gpu.name for gpu in gpus.known() if gpu.name in there)


def measured() -> int:
    """Published measurements that the lens is held against."""
    file = _root() / "packages" / "kernellens" / "tests" / "published" / "measurements.csv"
    with open(file, encoding="utf-8", newline="") as rows:
        return sum(1 for _ in csv.DictReader(rows))


def mutants() -> int:
    """Small changes to right answers that the checks have to refuse: all, less those that are right as well."""
    page = (_root() / "docs" / "contributing" / "problems.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| [\w-]+\.[\w-]+ \| (\d+) \| (\d+) \| \S+ \|$", page)
    return sum(int(made) - int(right) for made, right in rows)


def _ptx() -> tuple[str, str]:
    """The date and the table of the last comparison with NVIDIA's compiled code, as the tests' README has them."""
    page = (_root() / "packages" / "gpusim" / "tests" / "ptx" / "README.md").read_text(encoding="utf-8")
    found = re.search(r"(?m)^## The last run\n.*?(\d{4}-\d\d-\d\d).*?\n\n((?:\|[^\n]*\n)+)", page, re.DOTALL)
    if found is None:
        raise LookupError("packages/gpusim/tests/ptx/README.md has no table below “The last run”.")
    return found[1], found[2].rstrip()


def planted() -> str:
    """A table: of each planted fault, which comparison with real GPUs finds it; `make test-all ARGS=planted` holds it."""
    faults = json.loads((_root() / "tests" / "planted" / "faults.json").read_text(encoding="utf-8"))
    lines = ["| planted fault | compiled code | outputs | times |", "|---|:-:|:-:|:-:|"]
    for fault in faults:
        found = ("found" if name in fault["found"] else "–" for name in ("ptx", "outputs", "times"))
        lines.append(f"| {fault['name']} | {' | '.join(found)} |")
    return "\n".join(lines)


def colab() -> str:
    """A table: of each unit, what its arrays take on the device at the published sizes, and what it held on a host here."""
    lines = ["| unit | device | host | on a T4 of Colab |", "|---|---:|---:|---|"]
    for need in needs.known():
        fits = need.published <= COLAB_GPU
        said = "at the published sizes" if fits else "at smaller sizes"
        if need.published == 0:
            said = "without the GPU"
        if need.host > COLAB_HOST:
            said = "too large for the host"
        lines.append(
            f"| {need.unit:02d} {need.slug} | {quantities.size(need.published) if need.published else '–'} "
            f"| {quantities.size(need.host)}{', at smaller sizes' if need.smaller else ''} | {said} |"
        )
    return "\n".join(lines)


def _minutes() -> int:
    """About how long `hundredfold record` takes with a GPU."""
    return round(sum(duration.seconds(each, gpu=True) for each in workloads.every()) / 60)


def _too_large() -> str:
    """Rows of `hundredfold record` that Colab's host or GPU has no memory for."""
    least = min(COLAB_GPU, COLAB_HOST)
    return ", ".join(f"`{each.id}`" for each in workloads.every() if each.memory > least)


COUNTS: dict[str, Callable[[], str]] = {
    "conformance": lambda: str(conformance()),
    "names": lambda: quantities.count(names()),
    "published_times": lambda: str(times()),
    "timed_gpus": timed_gpus,
    "measured": lambda: str(measured()),
    "mutants": lambda: quantities.count(mutants()),
    "problems": lambda: str(len(problems.ids())),
    "ptx": lambda: _ptx()[1],
    "ptx_date": lambda: _ptx()[0],
    "planted": planted,
    "colab": colab,
    "record_minutes": lambda: str(_minutes()),
    "record_too_large": _too_large,
}
