"""What is added to a notebook's page, and the pages that list the units, their exercises, solutions and plans."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from hundredfold.classroom import syllabi
from hundredfold.classroom.links import ways
from hundredfold.learning import questions

#: The pages that are made here.
PAGES = ("course.md", "exercises.md", "solutions.md", "plans.md")

#: Lectures of which a part runs on the page that needs no installation.
IN_BROWSER = ("notebooks/01_arrays.ipynb", "notebooks/05_kernels.ipynb")

_KINDS = {"notebooks": "Lecture", "exercises": "Exercises", "solutions": "Solutions"}


def dress(notebook: dict[str, Any], file: str, where: dict[str, str]) -> None:
    """Put, below a notebook's title, the way to its siblings; and drop what only a lab can use."""
    folder, _, name = file.partition("/")
    links = []
    for other, word in _KINDS.items():
        sibling = f"{other}/{name}"
        if other == folder:
            links.append(f"**{word}**")
        elif sibling in where:
            links.append(f"[{word}]({posixpath.relpath(where[sibling], folder)})")
    if f"notebooks/{name}" in where:
        links.append(_slides(name.removesuffix(".ipynb")))
    if file in IN_BROWSER and "docs/browser.md" in where:
        links.append(f"[In the browser]({posixpath.relpath(where['docs/browser.md'], folder)})")
    links += [f"[{way.title}]({way.url})" for way in ways(name.removesuffix(".ipynb"), folder)]
    row = " · ".join(links)
    notebook["cells"].insert(
        1, {"cell_type": "markdown", "metadata": {}, "source": f"{{.siblings}}\n{row}\n", "id": "siblings"}
    )
    notebook["metadata"].pop("widgets", None)
    _answer(notebook["cells"])
    _fold(notebook["cells"])


def _answer(cells: list[dict[str, Any]]) -> None:
    """Put the replies below each question, folded: on a page nobody can run the cell that gives them."""
    for at in range(len(cells) - 1, -1, -1):
        asked = re.search(r'^quiz\("([\w-]+)\.([\w-]+)"', "".join(cells[at].get("source", "")), re.MULTILINE)
        if not asked or cells[at].get("cell_type") != "code":
            continue
        known = questions.questions(asked[1])[asked[2]]
        lines = [
            f"- {letter}: **right.** {reply}" if letter == known["right"] else f"- {letter}: {reply}"
            for letter, reply in known["replies"].items()
        ]
        text = "\n".join([":::{dropdown} The answers", *lines, ":::", ""])
        cells.insert(at + 1, {"cell_type": "markdown", "metadata": {}, "source": text, "id": f"answers-{asked[2]}"})


def _fold(cells: list[dict[str, Any]]) -> None:
    """Fold the code of optional sections, whose headings a lab shows folded."""
    folded = 0  # the level of the heading below which cells are folded
    for cell in cells:
        if cell.get("cell_type") == "markdown" and (
            heading := re.search(r"^(#+) ", "".join(cell.get("source", "")), re.MULTILINE)
        ):
            if not folded or len(heading[1]) <= folded:
                folded = len(heading[1]) if cell.get("metadata", {}).get("jp-MarkdownHeadingCollapsed") else 0
        elif folded and cell.get("cell_type") == "code":
            cell["metadata"] = {**cell["metadata"], "tags": [*cell["metadata"].get("tags", []), "hide-cell"]}


def _slides(stem: str) -> str:
    """The way to a lecture's slides from a page that lies in a folder. Sphinx does not know them: they are made after it."""
    return f'<a href="../slides/{stem}.html">Slides</a>'


def instruct(text: str, file: str) -> str:
    """The text of an instructor's page, `docs/instructors/NN_slug.md`, with its unit's title, minutes and ways in place of the slug."""
    stem = posixpath.basename(file).removesuffix(".md")
    unit = next((unit for unit in syllabi.units().values() if unit.stem == stem), None)
    if unit is None or not text.startswith(f"# {unit.slug}\n"):
        raise ValueError(f"{file} must be named after a unit, and begin with its slug as the title.")
    way = " · ".join(f"[{word}](../../{folder}/{stem}.ipynb)" for folder, word in _KINDS.items())
    way += f" · {_slides(stem)}"
    head = f"# {unit.number:02d} {unit.title}\n\n{unit.teaching} minutes, then {unit.exercises} for the exercises · {way}\n"
    return head + text.partition("\n")[2]


def pages() -> dict[str, str]:
    """The pages' texts by their names."""
    units = list(syllabi.units().values())
    total = sum(unit.teaching + unit.exercises for unit in units)
    rows = [
        f"| {unit.number:02d} | [{unit.title}](notebooks/{unit.stem}.ipynb) | {unit.slug} | {unit.teaching} | "
        f"[{unit.exercises}](exercises/{unit.stem}.ipynb) |"
        for unit in units
    ]
    course = [
        "# The course",
        "",
        f"{len(units)} units, {total // 60} hours in all. Each is a lecture and an exercise set; each can be opened by itself. What you "
        "read here was computed by the notebooks on a machine without a GPU, and says so wherever a time is shown; in the lab "
        "you run the same cells on yours.",
        "",
        "| unit | | | lecture, min | exercises, min |",
        "|---|---|---|---:|---:|",
        *rows,
        "",
        _tree([f"{unit.number:02d} {unit.title} <notebooks/{unit.stem}>" for unit in units]),
    ]
    return {
        "course.md": "\n".join(course),
        "exercises.md": _list(
            "Exercises",
            "They are made to be run: in the lab each check says why an answer is wrong. Here you can see what is asked.",
            [(unit, "exercises") for unit in units],
        ),
        "solutions.md": _list(
            "Solutions",
            "Worked solutions. They are worth most after you have been wrong yourself.",
            [(unit, "solutions") for unit in units],
        ),
        "plans.md": _plans(),
    }


def _list(title: str, words: str, notebooks: list[tuple[syllabi.Unit, str]]) -> str:
    entries = [f"{unit.number:02d} {unit.title} <{folder}/{unit.stem}>" for unit, folder in notebooks]
    lines = [
        f"- [{unit.number:02d} {unit.title}]({folder}/{unit.stem}.ipynb), {unit.exercises} minutes"
        for unit, folder in notebooks
    ]
    return "\n".join([f"# {title}", "", words, "", *lines, "", _tree(entries)])


def _plans() -> str:
    every = syllabi.every().values()
    lines = [
        f"- [{each.title}](syllabi/{each.name}.md), {each.minutes} minutes: for {each.audience}." for each in every
    ]
    return "\n".join(["# Plans for a class", "", *lines, "", _tree([f"syllabi/{each.name}" for each in every])])


def _tree(entries: list[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *entries, "```", ""])
