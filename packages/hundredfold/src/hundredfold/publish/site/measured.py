"""The page of published measurements beside the model's bound and estimate, failures included: computed when the site is built."""

from __future__ import annotations

import html
import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kernellens.plot import quantities

#: The page that is made here.
PAGES = ("reference/measured.md",)

_HEAD = """# Estimates against measurements

Others ran kernels on their GPUs and published how long they took. This page sets {all} of these measurements beside what
[`lens.bound` and `lens.estimate`](times.md) say of the same work, for the {gpus} GPUs whose figures are known. This project ran nothing of it on a GPU.

For {traced} measurements the access pattern is known. We wrote the kernel again from its description, traced it here, and scaled the trace to the published launch.

| | measurements | result |
|---|---:|---|
| the bound is not above the measured time | {bounds} | {below} |
| median of measured / bound | {bounds} | {median} |
| the estimate is within 1.5× | {traced} | {near} |
| the estimate is within 3× | {traced} | {within} |
| within 1.5×, sources that the model was tuned with | {tuned} | {tuned_near} |
| within 1.5×, sources that were looked at last | {last} | {last_near} |

A hash of each source's name decides its half. The model's constants were chosen with the first half. The second half was run through the model once, at the end.

"""

_PARTS = """## Where the estimate is off by more than 1.5×

{off}

## All measurements

*measured / bound* below 1 would be a fault of the bound. *estimate / measured* of 1 is a hit. Where there is no estimate, the last column says why.

{table}

## Sources

Only the figures are kept, in `packages/kernellens/tests/published/measurements.csv`.

{sources}
"""


def pages(root: Path) -> dict[str, str]:
    """The page's text by its name."""
    rows = _ratios(root)
    bounded = [row for row in rows if row["bound"]]
    traced = [row for row in rows if row["estimate"]]
    halves = [[row for row in traced if row["last"] is last] for last in (False, True)]
    text = _HEAD.format(
        all=len(rows),
        gpus=len({row["gpu"] for row in bounded}),
        traced=len(traced),
        bounds=len(bounded),
        below=_share(row["seconds"] >= row["bound"] for row in bounded),
        median=f"{statistics.median(row['seconds'] / row['bound'] for row in bounded):.2f}",
        near=_share(_off(row) <= 1.5 for row in traced),
        within=_share(_off(row) <= 3 for row in traced),
        tuned=len(halves[0]),
        tuned_near=_share(_off(row) <= 1.5 for row in halves[0]),
        last=len(halves[1]),
        last_near=_share(_off(row) <= 1.5 for row in halves[1]),
    )
    far = sorted((row for row in traced if _off(row) > 1.5), key=_off, reverse=True)
    text += _figure(traced)
    text += _PARTS.format(off=_table(far), table=_table(rows), sources=_sources(rows))
    return {PAGES[0]: text}


def _ratios(root: Path) -> list[dict[str, Any]]:
    """What the tests' module says of each measurement; the model alone runs, on traces that are kept there."""
    command = [sys.executable, "-m", "published.ratios"]
    environment = {**os.environ, "PYTHONPATH": str(root / "packages" / "kernellens" / "tests")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The published measurements could not be compared: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def _off(row: dict[str, Any]) -> float:
    """How many times too long or too short the estimate is."""
    ratio = row["estimate"] / row["seconds"]
    return max(ratio, 1 / ratio)


def _share(hits: Iterable[bool]) -> str:
    found = [*hits]
    return f"{sum(found)} of {len(found)} ({sum(found) / len(found):.0%})" if found else "none"


_COLUMNS = (
    "operation",
    "GPU",
    "measured",
    "measured / bound",
    "estimate / measured",
    "binds, or why there is no estimate",
)


def _table(rows: list[dict[str, Any]]) -> str:
    lines = [
        '<div class="hf-scroll" tabindex="0" role="region" aria-label="Measurements">',
        '<table class="hf-results hf-measured"><thead><tr>'
        + "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
        + "</tr></thead><tbody>",
    ]
    for row in rows:
        cells = [
            f'<span title="{html.escape(row["source"])}">{html.escape(row["operation"])}</span>',
            html.escape(row["gpu"]),
            quantities.seconds(row["seconds"]),
            f"{row['seconds'] / row['bound']:.2f}" if row["bound"] else "–",
            f"{row['estimate'] / row['seconds']:.2f}" if row["estimate"] else "–",
            html.escape(row["binds"] or row["why_not"]),
        ]
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return "\n".join([*lines, "</tbody></table></div>"])


def _figure(rows: list[dict[str, Any]]) -> str:
    """A row for each GPU, a dot for each measurement, by estimate / measured; twice, since a phone has half the room."""
    near = _share(_off(row) <= 1.5 for row in rows)
    told = f"A dot for each measurement by its estimate divided by the measured time, a row for each GPU. Within 1.5 times are {near}."
    return (
        f'<figure class="hf-figure"><div class="hf-wide">{_dots(rows, told, 110, 560)}</div>'
        f'<div class="hf-phone">{_dots(rows, told, 90, 237)}</div>'
        "<figcaption><span>estimate / measured; the band is 1.5×, the edges are 0.1 and 4</span>"
        '<span><b style="color:#0b84c6">●</b> tuned with</span><span><b style="color:#7a4fbf">●</b> looked at last</span>'
        "</figcaption></figure>\n\n"
    )


def _dots(rows: list[dict[str, Any]], told: str, left: int, width: int) -> str:
    names = sorted({row["gpu"] for row in rows})
    least, most, step = 0.1, 4.0, 22

    def x(ratio: float) -> float:
        part = math.log(min(most, max(least, ratio)) / least) / math.log(most / least)
        return left + part * width

    high = step * len(names) + 30
    drawn = [
        f'<rect x="{x(1 / 1.5):.1f}" y="0" width="{x(1.5) - x(1 / 1.5):.1f}" height="{high - 26}" fill="#76b900" opacity="0.15"/>'
    ]
    for tick in (0.1, 0.2, 1 / 3, 1 / 1.5, 1, 1.5, 3):
        drawn.append(f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="0" y2="{high - 26}"/>')
        drawn.append(f'<text x="{x(tick):.1f}" y="{high - 10}" text-anchor="middle">{tick:.2g}</text>')
    for number, name in enumerate(names):
        y = step * number + 14
        drawn.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{html.escape(name)}</text>')
        for row in rows:
            if row["gpu"] == name:
                ratio = row["estimate"] / row["seconds"]
                colour = "#7a4fbf" if row["last"] else "#0b84c6"
                what = html.escape(f"{row['operation']}: {ratio:.2f}")
                drawn.append(
                    f'<circle cx="{x(ratio):.1f}" cy="{y}" r="4" fill="{colour}" opacity="0.6"><title>{what}</title></circle>'
                )
    size = f'viewBox="0 0 {left + width + 16} {high}"'
    return f'<svg {size} role="img" aria-label="{told}">{"".join(drawn)}</svg>'


def _sources(rows: list[dict[str, Any]]) -> str:
    lines = []
    for source in sorted({row["source"] for row in rows}):
        repository = source.split(":")[0].split(" ")[0]
        lines.append(
            f"- [{repository}](https://github.com/{repository}): `{source.removeprefix(repository).lstrip(': ')}`"
        )
    return "\n".join(lines)
