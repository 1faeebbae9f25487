"""The report of a port as text."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from kernellens.plot import quantities as text

from . import estimate

MOST_LINES = 25
BLIND = (
    "Loops over single elements and other Python are not made faster by a GPU, and not seen here but for what they read.",
    "What other libraries do inside is not seen: only that an array was handed to them.",
    "Where the simulated library does not simulate something, only a GPU can tell; it is counted as if the host did it.",
)
UNKNOWN = (
    "No program is faster than that. How much slower it would be is not known: what CuPy's and cuDF's own Python costs, and how many kernels a join or a "
    "group-by takes. `--explain` lists what was assumed."
)
LEARNING = {"sklearn": "scikit-learn", "umap": "umap-learn", "hdbscan": "HDBSCAN"}
CUML = (
    "What {} does is not counted above, and it is not what CuPy and cuDF replace: `python -m cuml.accel` runs such a program "
    "on a GPU as it is, and where that pays is a question of its own."
)


def show(report: dict, explain: bool = False) -> None:
    """Print a report: first what a GPU could do, then line by line why; with `explain` what was assumed, and what is not seen."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    seconds = sum(line["seconds"] for line in report["lines"])
    found = estimate.estimates(report)
    for each in found:
        console.print(estimate.sentence(each, report["largest"], seconds))
    console.print(UNKNOWN)
    for name in report.get("imports", ()):
        if name in LEARNING:
            console.print(CUML.format(LEARNING[name]))
    _refusals(console, report["refusals"])
    console.print("\n[bold]Line by line[/]")
    lines = sorted(report["lines"], key=lambda line: -(line["seconds"] + (line["h2d"] + line["d2h"]) / 12e9))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("where", no_wrap=True)
    table.add_column("code", overflow="ellipsis", no_wrap=True, max_width=44)
    for name in ("calls", "CPU", "kernels", "temps", "moved", "to GPU", "to host"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines[:MOST_LINES]:
        table.add_row(*_row(line["where"], line["source"], line))
    total = {
        key: sum(line[key] for line in lines)
        for key in ("calls", "seconds", "kernels", "temporaries", "moved", "h2d", "d2h")
    }
    table.add_row(*_row("all", f"{len(lines)} lines", total), style="bold")
    console.print(table)
    if len(lines) > MOST_LINES:
        console.print(f"({len(lines) - MOST_LINES} more lines: --json shows all)")
    _gpus(console, found)
    console.print(
        "N is the number of items of the largest array, or of rows of the largest frame. At most "
        f"{_size(report['peak']) if report['peak'] else 'nothing'} lay on the device at once."
    )
    if explain:
        for title, sentences in (("Assumed", estimate.ASSUMPTIONS), ("Not seen", BLIND)):
            console.print(f"\n[bold]{title}[/]", *(f"  {each}" for each in sentences), sep="\n")


def _row(where: str, source: str, line: dict) -> tuple[str, ...]:
    return (
        *(escape(where), escape(source), str(line["calls"]), text.seconds(line["seconds"]), str(line["kernels"])),
        *(str(line["temporaries"]), _size(line["moved"]), _size(line["h2d"]), _size(line["d2h"])),
    )


def _size(value: float) -> str:
    return text.size(value) if value else "–"


def _refusals(console: Console, refusals: list[dict]) -> None:
    said = {
        "refused": "{by} refuses {what}: {message}",
        "missing": "{message}",
        "handed over": "{message}",
        "memory": "{what}: {message}",
    }
    known = [refusal for refusal in refusals if refusal["kind"] in said]
    if not known:
        console.print("\nNo call would be refused.")
    else:
        console.print("\n[bold]What would be refused[/]")
    for refusal in known:
        times = f" ({refusal['times']} times)" if refusal["times"] > 1 else ""
        console.print(f"  {escape(refusal['where'])}{times}: {escape(said[refusal['kind']].format(**refusal))}")
        if refusal["source"]:
            console.print(f"    `{escape(refusal['source'])}`")
        if refusal["instead"]:
            console.print(f"    {escape(refusal['instead'])}")
    unknown = [refusal for refusal in refusals if refusal["kind"] == "not simulated"]
    if unknown:
        console.print("\n[bold]What only a GPU can tell[/]")
        for message in dict.fromkeys(refusal["message"] for refusal in unknown):
            at = list(dict.fromkeys(refusal["where"] for refusal in unknown if refusal["message"] == message))
            more = f" and {len(at) - 4} more" if len(at) > 4 else ""
            console.print(f"  {escape('; '.join(at[:4]))}{more}: {escape(message)}")


def _gpus(console: Console, found: list[estimate.Estimate]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "memory", "arithmetic", "launches", "transfers", "on the CPU", "at best"):
        table.add_column(name, justify="right" if name else "left")
    for each in found:
        parts = (each.memory, each.arithmetic, each.launches, each.transfers, each.host, each.seconds)
        table.add_row(each.gpu, *map(text.seconds, parts))
    console.print()
    console.print(table)
