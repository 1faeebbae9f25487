"""`report`: gather what was measured into one page and write it."""

from __future__ import annotations

import datetime
import html
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hundredfold.toolkit import measurement_log

from . import facts, numbers, pictures, place
from .page import Content, page
from .rubrics import rubric as the_rubric


class Report:
    """A page that was written.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    html : str
        What is in it.
    """

    def __init__(self, where: place.Place, content: Content, text: str) -> None:
        self.path, self.html = where.path, text
        passed = sum(milestone.passed is not None for milestone in content.milestones)
        parts = [f"{passed} of {len(content.milestones)} milestones"] if content.milestones else []
        parts += [_count(len(content.measurements), "measurement"), _count(len(content.figures), "figure")]
        said = f"{self.path.name}: {', '.join(parts)}."
        if where.taken is not None:
            said += f" ({where.taken.name} is another's page, or no page of this course: it was left as it is.)"
        self._said = said

    def __repr__(self) -> str:
        return self._said

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = {"text/plain": self._said}
        if self.path.resolve().parent == Path.cwd():  # beside the notebook, where a link reaches it
            name = html.escape(self.path.name, quote=True)
            rest = html.escape(self._said.removeprefix(self.path.name))
            shown["text/html"] = f'<a href="{name}" target="_blank">{name}</a>{rest}'
        return shown


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def report(
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "What I measured",
    author: str = "",
    text: str = "",
    figures: Mapping[str, Any] | None = None,
    measurements: Iterable[Any] | None = None,
    compared: bool = True,
    unit: str | None = "capstone",
    track: str | None = None,
    rubric: Mapping[str, int] | None = None,
    replace: bool = False,
) -> Report:
    """Write one page on what was measured in this session: HTML that holds all it shows and can be opened anywhere.

    Parameters
    ----------
    path : str or path, optional
        The file, beside the notebook if it has no folder; ``capstone-report.html`` by default. A page of yours is replaced by the next
        one. Anything else of that name is left, and the page goes to the next free name, ``…-2.html``, which is said.
    title, author : str
    text : str
        What you have to say: the question, the answer, what you do not know. Blank lines make paragraphs.
    figures : dict of caption to figure, optional
        The course's figures, arrays as pictures, or what has an SVG or PNG of itself; in this order.
    measurements : iterable of names and Measurements, optional
        By default all that have a name, the last of each name.
    compared : bool
        Whether comparisons with published times (`compare`) are shown.
    unit, track : str, optional
        Whose milestones are shown, with the day on which each was first passed; the track by default is that with the most. None as the
        unit shows none.
    rubric : dict of criterion to level, optional
        How far you think you came (`report.rubric()` says what the levels are).
    replace : bool
        Write over whatever has that name.

    Returns
    -------
    Report
        `.path` and `.html`.

    Raises
    ------
    ValueError, TypeError, OSError
        One sentence that says what to do. Nothing is written then.
    """
    unit_name = unit or "measurements"
    file = place.wanted(path, f"{unit_name}-report.html")
    own = place.mark()
    chosen, milestones = facts.milestones(unit, track) if unit is not None else ("", [])
    shown, unnamed = facts.measurements(measurements)
    if figures is not None and not isinstance(figures, Mapping):
        raise TypeError('figures is a dict from captions to figures, such as {"What fog costs": figure}.')
    comparisons = measurement_log.comparisons() if compared else []
    made = datetime.datetime.now(datetime.UTC).astimezone()
    named = str(title).strip() or "What I measured"
    content = Content(
        title=named,
        author=str(author).strip(),
        text=str(text),
        mark=own,
        made=made,
        track=chosen,
        milestones=milestones,
        measurements=shown,
        unnamed=unnamed,
        figures=[(str(caption), pictures.drawn(figure, str(caption))) for caption, figure in (figures or {}).items()],
        compared=[(each.workload, pictures.drawn(each, each.workload)) for each in comparisons],
        rubric=None if rubric is None else (the_rubric(), the_rubric().given(rubric)),
        hardware=facts.hardware(),
        versions=facts.versions(),
        numbers=numbers.document(named, made, shown, comparisons) if shown or comparisons else None,
    )
    written = page(content)
    return Report(place.write(written, file, own, replace), content, written)


report.rubric = the_rubric
