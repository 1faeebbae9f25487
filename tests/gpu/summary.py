"""The results as Markdown: a chapter for each stage, each saying what is not there yet; simulated results say so in every chapter."""

from __future__ import annotations

from . import stages, targets
from .results_file import ResultsFile

SIMULATED = (
    "**Simulated: a dry run on a CPU with small sizes. No figure here is a GPU's, and none of it is a recording.**"
)


def text(results_file: ResultsFile) -> str:
    """All tables."""
    lines = [f"# {results_file.machine}{', simulated' if results_file.simulated else ''}", ""]
    commits = sorted(
        {line["result"]["commit"] for line in results_file.lines if (line.get("result") or {}).get("commit")}
    )
    when = sorted(line["at"][:16].replace("T", " ") for line in results_file.lines)
    if when:
        lines += [f"Between {when[0]} and {when[-1]} UTC{', at commit ' + ', '.join(commits) if commits else ''}.", ""]
    judged = [SIMULATED, "", "No target is judged by it."] if results_file.simulated else targets.lines(results_file)
    lines += ["## Targets", "", *judged, ""]
    for name, number in stages.ORDER.items():
        module = stages.module(name)
        results = results_file.results(name)
        lines += [f"## {number}. {module.TITLE}", ""]
        if results_file.simulated:
            lines += [SIMULATED, ""]
        if not results:
            lines += ["Not run yet.", ""]
            continue
        begun = [part for part in results_file.attempts(name) if part not in results]
        told = [
            f"{len(results)} parts ended" + _endings(results),
            *([f"{len(begun)} were begun and did not end"] if begun else []),
        ]
        lines += [", ".join(told) + ".", "", *module.report(results), ""]
    return "\n".join(lines)


def short(results_file: ResultsFile) -> str:
    """A line for each stage, for the end of a slice's output."""
    lines = ["", f"{'SIMULATED, ' if results_file.simulated else ''}{results_file.machine}"]
    for name, number in stages.ORDER.items():
        results = results_file.results(name)
        heads = [line for line in stages.module(name).report(results) if line.startswith("- ")][:3] if results else []
        lines.append(f"{number:3} {stages.module(name).TITLE:20} {len(results):4} ended{_endings(results)}")
        lines += [f"      {head[:150]}" for head in heads]
    return "\n".join(lines)


def _endings(results: dict) -> str:
    count: dict[str, int] = {}
    for line in results.values():
        if line["status"] != "done":
            count[line["status"]] = count.get(line["status"], 0) + 1
    return f" ({', '.join(f'{number} {how}' for how, number in sorted(count.items()))})" if count else ""
