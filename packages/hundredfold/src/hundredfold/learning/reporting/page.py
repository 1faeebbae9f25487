"""The HTML of a report: one file with all that it shows, which forbids itself to ask for anything else, and runs no script."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import jinja2

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
    """Return the whole page, as `page_template.html` has it: what is a learner's is escaped there, and drawings are markup of ours."""
    files = resources.files(__package__)
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {
        "seconds": quantities.seconds,
        "share": quantities.share,
        "known": lambda value: not math.isnan(value),
        "moment": datetime.datetime.fromisoformat,
        "place": lambda device: place(device).strip("()"),
    }
    template = environment.from_string(files.joinpath("page_template.html").read_text(encoding="utf-8"))
    blocks = [block.strip() for block in content.text.replace("\r\n", "\n").split("\n\n")]
    return template.render(
        vars(content),
        paragraphs=filter(None, blocks),
        chart=charts.beside_limits(content.measurements)[0] if content.measurements else "",
        data=numbers.written(content.numbers) if content.numbers else "",
        sign=sign,
        style=files.joinpath("page.css").read_text(encoding="utf-8"),
        policy=POLICY,
        meta=META,
        data_meta=numbers.META,
    )
