"""A syllabus as a page: a table of each day with minutes since its start, and links to the notebooks beside it."""

from __future__ import annotations

from . import Part, Syllabus


def page(syllabus: Syllabus) -> str:
    """The page as Markdown; its links are right in `syllabi/`, in the checkout as among the learner's copies."""
    lines = [
        f"# {syllabus.title}",
        "",
        f"For {syllabus.audience}. Afterwards you can {syllabus.after}.",
        "",
        f"{syllabus.minutes} minutes with breaks. *From* counts the minutes since the day began.",
    ]
    for number, day in enumerate(syllabus.days, 1):
        heading = [f"## Day {number}"] if len(syllabus.days) > 1 else ["## The plan"]
        lines += ["", *heading, "", "| from | minutes | unit | open |", "|---:|---:|---|---|"]
        start = 0
        for part in day:
            lines.append(f"| {start // 60}:{start % 60:02d} | {part.minutes} | {_what(part)} | {_links(part)} |")
            start += part.minutes
    lines += [
        "",
        "What a day leaves out is there all the same: every unit has its exercises and, once you have tried, the worked solutions "
        "in `solutions/`.",
        "",
        "<!-- Made by `make pages` from packages/hundredfold/src/hundredfold/classroom/syllabi/syllabi.json and the minutes in the units' sources. -->",
    ]
    return "\n".join(lines) + "\n"


def _what(part: Part) -> str:
    if part.unit is None:
        return "*break*"
    return f"{part.unit.number:02d} {part.unit.title}"


def _links(part: Part) -> str:
    if part.unit is None:
        return ""
    folders = [("notebooks", "lecture")] * part.lecture + [("exercises", "exercises")] * part.exercises
    return ", ".join(f"[{word}](../{folder}/{part.unit.stem}.ipynb)" for folder, word in folders)
