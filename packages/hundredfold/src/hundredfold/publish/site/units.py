"""What is added to a notebook's page, and the pages that list the units and the plans."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from hundredfold.classroom import syllabi
from hundredfold.classroom.links import ways
from hundredfold.learning import questions
from hundredfold.publish.build.products import LICENCE

#: The pages that are made here.
PAGES = ("course.md", "plans.md")

#: Lectures of which a part runs on the page that needs no installation.
IN_BROWSER = ("notebooks/01_arrays.ipynb", "notebooks/05_kernels.ipynb", "notebooks/06_fast-kernels.ipynb")

#: What the course's page says below the units.
_HOW = """\
## Run a unit

On your computer, in the folder of the course:

```
make lab
```

JupyterLab opens its start page, which leads to each lecture. Run its cells with Shift+Enter, the first one first. No GPU is needed.

Without an installation: kernels of units 05 and 06 run [in the browser](browser.md), and have *Run it here* below their cell.

## When a check refuses your answer

1. Read the card below the check. It gives the reason, and the smallest case that fails.
2. Run `hint("arrays.port")`, with the name of your problem. Each call unfolds the next hint.
3. Run your answer on that case yourself. For a kernel, [`lens.trace`](reference/lens.md) shows each access.
4. Compare with the unit's solutions, and read why they are right.

`not attempted` is no mistake: the cell still has its gap.
"""

_KINDS = {"notebooks": "Lecture", "exercises": "Exercises", "solutions": "Solutions"}


def add_navigation(notebook: dict[str, Any], file: str, where: dict[str, str]) -> None:
    """Put, below a notebook's title, the way to its siblings, and these below a lecture in the menu; and drop what only a lab can use.

    The sentence on reuse goes, too: each page of the site has it in its footer. So does the lecture's path: the way leads there.
    """
    folder, _, name = file.partition("/")
    notebook["cells"] = [cell for cell in notebook["cells"] if "".join(cell["source"]) != LICENCE]
    if folder not in _KINDS:  # the instructors' own
        _describe(notebook["cells"])
        return
    head = notebook["cells"][0]
    head["source"] = re.sub(r" · the lecture is \[[^]]*\]\([^)]*\)", "", "".join(head["source"]))
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
    links.append("[How to run it](../course.md#run-a-unit)")
    row = " · ".join(links)
    notebook["cells"].insert(
        1, {"cell_type": "markdown", "metadata": {}, "source": f"{{.siblings}}\n{row}\n", "id": "siblings"}
    )
    if folder == "notebooks":
        below = [
            f"{_KINDS[kind]} </{where[each]}>"
            for kind in ("exercises", "solutions")
            if (each := f"{kind}/{name}") in where
        ]
        notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": _tree(below), "id": "below"})
    notebook["metadata"].pop("widgets", None)
    _describe(notebook["cells"])
    _answer(notebook["cells"])
    _fold(notebook["cells"])


def _describe(cells: list[dict[str, Any]]) -> None:
    """Give each picture that a cell put out the words that stand beside it, and a chart its class; MyST-NB takes both from the cell."""
    for cell in cells:
        for output in cell.get("outputs", []):
            about = output.get("metadata", {})
            if "alt" in about.get("image/png", {}):
                chart = {"classes": "hf-chart"} if about.get("needs_background") == "light" else {}
                cell["metadata"]["mystnb"] = {"image": {"alt": about["image/png"]["alt"], **chart}}


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


def _slides(stem: str, from_folder: bool = True) -> str:
    """The way to a lecture's slides from a page that lies in a folder, or in none. Sphinx does not know them: they are made after it."""
    return f'<a href="{"../" if from_folder else ""}slides/{stem}.html">Slides</a>'


def instruct(text: str, file: str) -> str:
    """The text of an instructor's page, `docs/instructors/NN_slug.md`, with its unit's title, minutes and ways in place of the slug."""
    stem = posixpath.basename(file).removesuffix(".md")
    unit = next((unit for unit in syllabi.units().values() if unit.stem == stem), None)
    if unit is None or not text.startswith(f"# {unit.slug}\n"):
        raise ValueError(f"{file} must be named after a unit, and begin with its slug as the title.")
    way = " · ".join(f"[{word}](../../{folder}/{stem}.ipynb)" for folder, word in _KINDS.items())
    way += f" · {_slides(stem)}"
    head = f"# Teaching {unit.number:02d} · {unit.title}\n\n{unit.teaching} minutes, then {unit.exercises} for the exercises · {way}\n"
    return head + text.partition("\n")[2]


def pages() -> dict[str, str]:
    """The pages' texts by their names."""
    return {"course.md": _course(list(syllabi.units().values())), "plans.md": _plans()}


def _course(units: list[syllabi.Unit]) -> str:
    total = sum(unit.teaching + unit.exercises for unit in units)
    lines = [
        "# The course",
        "",
        f"{len(units)} units take about {total / 60:.0f} hours. Each unit is a lecture that you run, and exercises. You can begin with any unit: it says which others it needs. The minutes are those of the lecture and of the exercises. "
        "The outputs on these pages come from a machine without a GPU.",
    ]
    for part, numbers in syllabi.SUBJECTS.items():
        within = [unit for unit in units if unit.number in numbers]
        lines += ["", f"## {part}", "", "| | minutes | |", "|---|---:|---|"]
        for unit in within:
            others = f"[Exercises](exercises/{unit.stem}.ipynb) · [Solutions](solutions/{unit.stem}.ipynb) · "
            lines.append(
                f"| [{unit.number:02d} · {unit.title}](notebooks/{unit.stem}.ipynb) | {unit.teaching} + {unit.exercises} | "
                f"{others}{_slides(unit.stem, from_folder=False)} |"
            )
        lines += [
            "",
            _tree([f"{unit.number:02d} · {unit.title} <notebooks/{unit.stem}>" for unit in within], caption=part),
        ]
    return "\n".join([*lines, "", _HOW])


def _plans() -> str:
    every = syllabi.every().values()
    lines = [
        f"- [{each.title}](syllabi/{each.name}.md), {each.minutes} minutes: for {each.audience}." for each in every
    ]
    return "\n".join(["# Plans for a class", "", *lines, "", _tree([f"syllabi/{each.name}" for each in every])])


def _tree(entries: list[str], caption: str = "") -> str:
    return "\n".join(
        ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *entries, "```", ""]
    )
