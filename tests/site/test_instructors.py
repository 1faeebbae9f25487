"""The instructors' pages: one for each unit, and what they name is there: sections, code, problems."""

from __future__ import annotations

import builtins
import json
import keyword
import re
from functools import cache
from pathlib import Path

import pytest

from hundredfold.classroom import syllabi
from hundredfold.learning import problems
from hundredfold.publish.site import layout

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "instructors"
UNITS = {unit.stem: unit for unit in syllabi.units().values()}
SECTIONS = ["Aim", "If time is short", "What goes wrong", "What learners ask", "Live coding"]
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
#: Beginnings of what is typed into a shell and not into a notebook.
_SHELL = ("make ", "hundredfold ", "--", "-t", "sinfo")


def page(stem: str) -> str:
    return (PAGES / f"{stem}.md").read_text(encoding="utf-8")


@cache
def unit(stem: str) -> str:
    """All that a learner reads in a unit."""
    found = []
    for folder in ("notebooks", "exercises", "solutions"):
        for cell in json.loads((ROOT / folder / f"{stem}.ipynb").read_text(encoding="utf-8"))["cells"]:
            found.append("".join(cell["source"]))
            for output in cell.get("outputs", ()):
                found.append("".join(output.get("text", ())))
    return "\n".join(found)


@cache
def words_of_the_course() -> set[str]:
    """What the course, what it simulates and the libraries under both call things."""
    import dask.array
    import dask.dataframe
    import distributed
    import numpy
    import pandas
    import polars

    found = {*dir(builtins), *keyword.kwlist, *dir(numpy), *dir(numpy.linalg), *dir(numpy.random.Generator)}
    found |= {*dir(pandas), *dir(pandas.DataFrame), *dir(pandas.Series), *dir(distributed), *dir(distributed.Client)}
    found |= {*dir(dask.array), *dir(dask.array.Array), *dir(dask.dataframe), *dir(dask.dataframe.DataFrame)}
    found |= {*dir(polars), *dir(polars.LazyFrame), *dir(polars.Expr), *dir(polars.col("name").str)}
    for file in (ROOT / "packages").glob("*/src/**/*.py"):
        found |= set(_WORD.findall(file.read_text(encoding="utf-8")))
    return found


def titles(stem: str) -> set[str]:
    lines = re.findall(r"^#{1,4} (.+)$", unit(stem), re.MULTILINE)
    return {re.sub(r"^[AB]?\d+\. ", "", line.replace("`", "").replace("*", "")) for line in lines}


def unknown_titles(stem: str, text: str) -> list[str]:
    """What stands in italics with a capital is the title of a section, unless it ends as a sentence."""
    quoted = re.findall(r"(?<![*\w])\*(?![*\s])([A-Z][^*\n]*(?:\n[^*\n]+)?)\*(?!\*)", _CODE.sub("", text))
    named = {" ".join(each.split()) for each in quoted if not each.endswith(".")}
    return sorted(named - titles(stem))


def unknown_code(stem: str, text: str) -> list[str]:
    """Words of code that neither the unit nor the course nor a library under it has; a script may make names of its own."""
    prose, _, live = text.partition("## Live coding")
    made = set(re.findall(r"(?:^|[`,; ])([a-z_]\w*)(?=(?:, \w+)* =[^=])", live))
    known = set(_WORD.findall(unit(stem))) | words_of_the_course() | made
    found = []
    for code in _CODE.findall(prose + live):
        if not code.startswith(_SHELL):
            bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", code)
            found += [f"{word} in {code}" for word in _WORD.findall(bare) if word not in known]
    return found


def unknown_problems(text: str) -> list[str]:
    ids = re.findall(rf"\b(?:{'|'.join(problems.UNITS)})\.[a-z][a-z-]+\b", " ".join(_CODE.findall(text)))
    return sorted(set(ids) - set(problems.ids()))


def test_every_unit_has_its_page_and_the_site_shows_no_page_without_a_unit():
    assert {path.stem for path in PAGES.glob("[0-9]*.md")} >= set(UNITS)
    shown = {Path(file).stem for file in layout.pages(ROOT) if re.match(r"docs/instructors/\d", file)}
    assert shown == set(UNITS)


@pytest.mark.parametrize("stem", UNITS)
def test_a_page_has_what_an_instructor_looks_for(stem):
    text = page(stem)
    assert text.startswith(f"# {UNITS[stem].slug}\n")
    found = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [title.partition(",")[0] for title in found] == SECTIONS
    parts = dict(zip(SECTIONS, re.split(r"^## .+$", text, flags=re.MULTILINE)[1:], strict=True))
    assert len(re.findall(r"^- ", parts["What goes wrong"], re.MULTILINE)) >= 3
    assert len(re.findall(r"\?\n: ", parts["What learners ask"])) >= 3
    assert len(re.findall(r"^\d\. ", parts["Live coding"], re.MULTILINE)) >= 3
    assert re.search(r"minutes$", found[-1]), "a script says how long it takes"


@pytest.mark.parametrize("stem", UNITS)
def test_what_a_page_names_is_there(stem):
    text = page(stem)
    assert not unknown_titles(stem, text)
    assert not unknown_code(stem, text)
    assert not unknown_problems(text)
    last = int(max(re.findall(r"\b[Ee]xercise (\d)", text), default=0))
    assert last <= len([each for each in problems.ids() if each.startswith(f"{UNITS[stem].slug}.")])


def test_what_is_not_there_is_found():
    assert unknown_titles("01_arrays", "Leave out *A section of no unit*.") == ["A section of no unit"]
    assert unknown_code("01_arrays", "`cp.frobnicate(x)`\n## Live coding") == ["frobnicate in cp.frobnicate(x)"]
    assert not unknown_code("01_arrays", "## Live coding\n`mine = cp.arange(3)`, then `mine.sum()`")
    assert unknown_problems("`arrays.nothing`") == ["arrays.nothing"]
