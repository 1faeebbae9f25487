"""The page of results: every published and recorded time beside what the bytes allow, as a figure and a table, a learner's own among them."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpusim.hardware import gpus
from hundredfold.toolkit import limit, recorded
from kernellens.plot import quantities

#: The page that is made here.
PAGES = ("results.md",)

_HEAD = """# Results

Every time that the course compares with: what others published, and what `hundredfold record` took on named machines. *Limit* is the
least that the bytes (or the operations) allow on that very GPU, from its data sheet, or on a recorded CPU, as its memory was measured; *reached*
is the limit's share of the time. A published time that beats its limit is shown, and called what it is.

{recorded}

"""

_FILTER = """<form class="hf-filter" id="results-filter" hidden>
<label>Workload <input type="search" name="words" placeholder="groupby"></label>
<label>Kind <select name="kind"><option value="">all</option>{kinds}</select></label>
<label>Device <select name="device"><option value="">all</option><option>GPU</option><option>CPU</option></select></label>
<label>And the limit of <select name="card"><option value="">no other GPU</option></select></label>
<output aria-live="polite"></output>
</form>
<figure class="hf-figure" id="results-figure" hidden></figure>
"""

_OWN = """<section class="hf-own" id="results-own" hidden aria-label="Your own results">
<p><strong>Yours beside these.</strong> Drop the JSON file that <code>hundredfold record</code> wrote, or the page that
<code>report()</code> made, anywhere on this page, or choose it: <input type="file" multiple accept=".json,.html,.htm" aria-label="Choose files with your results">
It is read in this browser and sent nowhere; this browser keeps it until you remove it.</p>
<div role="status"></div>
<ul></ul>
</section>
"""

_SCRIPTS = "\n".join(
    f'<script src="_static/{name}.js"></script>' for name in ("results-own", "results-figure", "results")
)


def pages(root: Path) -> dict[str, str]:  # noqa: ARG001
    """The page's text by its name."""
    rows = recorded.rows()
    first = {row.id: place for place, row in reversed([*enumerate(rows)])}
    rows = sorted(rows, key=lambda row: first[row.id])  # those of one workload stand together
    kinds = [*sorted({row.kind for row in rows}), "limit", "yours"]
    lines = [_line(row, time) for row in rows for time in row.times]
    table = [
        '<div class="hf-scroll" tabindex="0" role="region" aria-label="Results">',
        '<table class="hf-results" id="results"><thead><tr>'
        + "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
        + "</tr></thead><tbody>",
        *lines,
        "</tbody></table></div>",
    ]
    sources = {_named(time.source): time.source for row in rows for time in row.times}
    text = _HEAD.format(recorded=_told(rows))
    text += _OWN + "\n" + _FILTER.format(kinds="".join(f"<option>{kind}</option>" for kind in kinds)) + "\n"
    text += (
        "\n".join(table)
        + f'\n\n<script type="application/json" id="results-known">{_known(rows)}</script>\n{_SCRIPTS}\n\n'
    )
    return {"results.md": text + "## Sources\n\n" + "\n".join(sources) + "\n"}


def _told(rows: Sequence[recorded.Row]) -> str:
    """What of it was recorded by this project, in a sentence."""
    times = [time for row in rows if row.kind == "recorded" for time in row.times]
    machines = list(dict.fromkeys(time.machine for time in times))
    if any(time.device == "gpu" for time in times):
        return f"Recorded so far: {', '.join(machines)}."
    none = "No GPU has been recorded yet: every GPU's time here is published"
    if not times:
        return f"{none}, and what a newer card allows is its limit, by its data sheet."
    return f"{none}, and what a newer card allows is its limit, by its data sheet. Recorded, CPU only: {', '.join(machines)}."


def _named(source: dict[str, str]) -> str:
    """A source as a line of the list."""
    title = f"[{source['title']}]({source['address']})" if "address" in source else source["title"]
    told = ", ".join(filter(None, [title, source.get("date", ""), source.get("method", "")]))
    return f"- {source['author']}: {told}" if "author" in source else f"- {told}"


_COLUMNS = ("workload", "way", "machine", "kind", "time", "limit", "reached", "verdict")


def _line(row: recorded.Row, time: recorded.Time) -> str:
    least = _limit(row, time)
    alone = " (CPU only)" if row.kind == "recorded" and time.gpu is None else ""
    cells = [
        f'<span title="{html.escape(row.what)}">{html.escape(row.id)}</span>',
        html.escape(time.way),
        html.escape(f"{time.machine}{alone}, {time.year}"),
        row.kind,
        quantities.seconds(time.seconds),
        quantities.seconds(least) if least is not None else "–",
        quantities.share(least / time.seconds) if least is not None else "–",
        f'<span class="hf-{time.verdict}" title="{html.escape(time.remark)}">{time.verdict}</span>',
    ]
    data = {
        "kind": row.kind,
        "device": "GPU" if time.device == "gpu" else "CPU",
        "id": row.id,
        "way": time.way,
        "machine": f"{time.machine}{alone}, {time.year}",
        "seconds": f"{time.seconds:.6g}",
        "limit": "" if least is None else f"{least:.6g}",
        "verdict": time.verdict,
    }
    opening = "".join(f' data-{name}="{html.escape(value)}"' for name, value in data.items())
    return f"<tr{opening}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _limit(row: recorded.Row, time: recorded.Time) -> float | None:
    """Seconds; None for several workers, where the work was not counted, and for a CPU whose rate nobody measured."""
    if time.device != "gpu" or time.gpu is None or (time.workers or 1) > 1:
        return time.limit if time.device == "cpu" else None
    nbytes = row.least_bytes if row.least_bytes is not None else row.bytes
    if nbytes is None and row.flops is None:
        return None
    dtype = "float32" if row.dtype == "float32" else "float64"
    return limit(bytes=nbytes, flops=row.flops, machine=time.gpu, dtype=dtype).seconds


def _known(rows: Sequence[recorded.Row]) -> str:
    """What the page's scripts need to judge a file: the data sheets, and what each workload must at least do."""
    figures = ("bandwidth", "fp64", "fp32", "gemm64", "l2")
    cards: dict[str, Any] = {
        gpu.name: {"name": gpu.name} | {each: getattr(gpu, each) for each in figures} for gpu in gpus.known()
    }
    aliases = {gpus.plain(name): gpu.name for gpu in gpus.known() for name in (gpu.name, gpu.full_name, *gpu.aliases)}
    facts = ("what", "bytes", "least_bytes", "flops", "dtype")
    workloads = {
        row.id: {each: value for each in facts if (value := getattr(row, each)) is not None}
        for row in reversed(rows)  # the published one has the last word
    }
    told = {"schema": 1, "gpus": cards, "aliases": aliases, "workloads": dict(reversed(workloads.items()))}
    return json.dumps(told, separators=(",", ":")).replace("<", "\\u003c")
