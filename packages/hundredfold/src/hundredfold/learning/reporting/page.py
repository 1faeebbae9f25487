"""The HTML of a report: one file with all that it shows, which forbids itself to ask for anything else, and runs no script."""

from __future__ import annotations

import datetime
import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from hundredfold.toolkit.measurement_log import Entry
from hundredfold.toolkit.result import place
from kernellens.plot import quantities

from . import charts, numbers
from .drawing import sign
from .facts import Milestone
from .place import META
from .rubrics import Rubric

# Nothing from anywhere: the style stands in the page, pictures are part of their addresses.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@dataclass
class Content:
    """All that stands on the page.

    Parameters
    ----------
    title, author, text : str
        The learner's words; blank lines make paragraphs.
    mark : str
        Whose page it is (`place.mark`).
    made : datetime
    track : str
    milestones : list of Milestone
    measurements : list of Entry
    unnamed : int
        How many measurements are not shown.
    figures : list of (caption, HTML)
    compared : list of (caption, HTML)
        Comparisons with published times.
    rubric : (Rubric, levels) or None
    hardware, versions : list of (name, value)
    numbers : dict
        The measurements as data (`numbers.document`), or None.
    """

    title: str
    author: str
    text: str
    mark: str
    made: datetime.datetime
    track: str = ""
    milestones: Sequence[Milestone] = ()
    measurements: Sequence[Entry] = ()
    unnamed: int = 0
    figures: Sequence[tuple[str, str]] = ()
    compared: Sequence[tuple[str, str]] = ()
    rubric: tuple[Rubric, dict[str, int]] | None = None
    hardware: Sequence[tuple[str, str]] = ()
    versions: Sequence[tuple[str, str]] = field(default_factory=list)
    numbers: dict[str, Any] | None = None


def page(content: Content) -> str:
    """Return the whole page."""
    say = html.escape
    style = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    by = f"{say(content.author)} · " if content.author else ""
    parts = [
        f"<header><h1>{say(content.title)}</h1>",
        f'<p class="by">{by}{_time(content.made)}</p></header>',
        "<main>",
        _paragraphs(content.text),
        _figures(content.figures),
        _milestones(content),
        _measurements(content),
        _compared(content),
        _rubric(content),
        _machine(content),
        "</main>",
        '<footer><p class="note">Made with Hundredfold, a course on GPU computing. This page holds all that it shows and asks for nothing else.</p></footer>',
    ]
    # For the site's page of results, where this file can be dropped.
    data = (
        f'<meta name="{numbers.META}" content="{say(numbers.written(content.numbers))}">\n' if content.numbers else ""
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="{META}" content="{content.mark}">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # Without an icon of its own a page on a server asks for one.
        f'<link rel="icon" href="data:,">\n{data}'
        f"<title>{say(content.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body>\n</html>\n"
    )


def _time(moment: datetime.datetime) -> str:
    return f'<time datetime="{moment.isoformat(timespec="seconds")}">{moment.day} {moment:%B %Y}</time>'


def _paragraphs(text: str) -> str:
    blocks = [block.strip() for block in text.replace("\r\n", "\n").split("\n\n")]
    return "".join(f'<p class="said">{html.escape(block)}</p>' for block in blocks if block)


def _figures(figures: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f"<figure>{drawn}<figcaption>{html.escape(caption)}</figcaption></figure>" for caption, drawn in figures
    )


def _milestones(content: Content) -> str:
    if not content.milestones:
        return ""
    passed = sum(milestone.passed is not None for milestone in content.milestones)
    track = f" of the track <em>{html.escape(content.track)}</em>" if content.track else ""
    rows = "".join(
        f'<tr><th scope="row">{html.escape(milestone.title)} <code>{html.escape(milestone.id)}</code></th><td>'
        + (f'<span class="passed">✔</span> passed on {_time(milestone.passed)}' if milestone.passed else "not yet")
        + "</td></tr>"
        for milestone in content.milestones
    )
    return (
        f'<section><h2>Milestones</h2><div class="wide" role="group" tabindex="0" aria-label="Milestones"><table>'
        f"<caption>{passed} of {len(content.milestones)}{track}, each judged by a check that knows its usual mistakes.</caption>"
        f'<thead><tr><th scope="col">Milestone</th><th scope="col">Judged</th></tr></thead><tbody>{rows}</tbody></table></div></section>'
    )


def _measurements(content: Content) -> str:
    entries = content.measurements
    if not entries:
        return "<section><h2>Measurements</h2><p>Nothing was measured.</p></section>"
    drawn, _ = charts.beside_limits(entries)
    key = "".join(
        f"<li>{sign(shape, cls, hollow)} {said}</li>"
        for shape, cls, hollow, said in (
            ("square", "here", False, "measured"),
            ("square", "here", True, "measured, with a doubt (see the table)"),
            ("dash", "limit", False, "its limit: the least that it could take"),
        )
    )
    rows = "".join(_row(entry) for entry in entries)
    heads = ("What", "Time", "First call", "Limit", "Share of it", "Where and when")
    numbers = ["", *[' class="number"'] * 4, ""]
    head = "".join(f'<th scope="col"{cls}>{name}</th>' for name, cls in zip(heads, numbers, strict=True))
    unnamed = (
        f'<p class="note">{content.unnamed} more had no name and are not shown: <code>measure(…, name="…")</code> gives one.</p>'
        if content.unnamed
        else ""
    )
    return (
        '<section><h2>Measurements</h2><figure><div class="wide" role="group" tabindex="0" aria-label="Measurements beside their limits">'
        f'{drawn}</div><figcaption><ul class="key">{key}</ul></figcaption></figure>'
        '<div class="wide" role="group" tabindex="0" aria-label="Table of measurements"><table>'
        "<caption>Medians with their interquartile ranges; the device was waited for before the clock stopped.</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{unnamed}</section>"
    )


def _row(entry: Entry) -> str:
    spread = "" if math.isnan(entry.spread) else f" ± {quantities.seconds(entry.spread, 2)}"
    first = "" if math.isnan(entry.first) else quantities.seconds(entry.first)
    limit = "not given" if entry.limit is None else quantities.seconds(entry.limit)
    if entry.limit is not None:
        limit += f'<br><span class="note">{entry.binds}, {html.escape(entry.of)}</span>'
    share = "" if entry.share is None else quantities.share(entry.share)
    doubt = f'<span class="doubt">⚠ {html.escape(entry.doubt)}</span>' if entry.doubt else ""
    when = _time(datetime.datetime.fromisoformat(entry.when)) if entry.when else ""
    where = html.escape(place(entry.device).strip("()"))
    return (
        f'<tr><th scope="row">{html.escape(entry.name)}{doubt}</th><td class="number">{quantities.seconds(entry.seconds)}{spread}</td>'
        f'<td class="number">{first}</td><td class="number">{limit}</td><td class="number">{share}</td><td>{where}, {when}</td></tr>'
    )


def _compared(content: Content) -> str:
    if not content.compared:
        return ""
    return f"<section><h2>Beside what others published</h2>{_figures(content.compared)}</section>"


def _rubric(content: Content) -> str:
    if content.rubric is None:
        return ""
    rubric, given = content.rubric
    rows = "".join(
        f'<tr><th scope="row">{html.escape(criterion.title)}</th><td class="level">{given[criterion.id]}: {html.escape(rubric.levels[given[criterion.id]])}</td>'
        f"<td>{html.escape(criterion.levels[given[criterion.id]]).replace('`', '')}</td></tr>"
        for criterion in rubric.criteria
        if criterion.id in given
    )
    return (
        '<section><h2>By the rubric</h2><div class="wide" role="group" tabindex="0" aria-label="By the rubric"><table>'
        "<caption>As its author sees it.</caption>"
        '<thead><tr><th scope="col">Criterion</th><th scope="col">Level</th><th scope="col">That is</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _machine(content: Content) -> str:
    def listed(pairs: Sequence[tuple[str, str]]) -> str:
        return (
            "<dl>"
            + "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in pairs)
            + "</dl>"
        )

    versions = ", ".join(f"{name} {version}" for name, version in content.versions)
    pairs = [*content.hardware, *([("Versions", versions)] if versions else [])]
    return f"<section><h2>Machine</h2>{listed(pairs)}</section>"
