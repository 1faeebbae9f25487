"""Every unit has the same shape, and its built notebooks are light and the same on every machine."""

import ast
import json
import re
import symtable
from pathlib import Path

import nbformat
import pytest

from hundredfold.publish.build.normalise import compared, sanitise
from hundredfold.publish.build.products import PRODUCTS
from hundredfold.publish.build.sources import find, read

ROOT = Path(__file__).parents[2]
SOURCES = find(ROOT)
LECTURES, EXERCISES = ([path for path in SOURCES if path.parent.name == kind] for kind in ("lectures", "exercises"))
NOTEBOOKS = [path for _, folder in PRODUCTS.values() for path in sorted((ROOT / folder).glob("*.ipynb"))]

SECTIONS = ["What you will be able to do", "Where the GPU loses", "Key points", "The exercise", "Further reading"]


def name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def headings(source, level: int = 2) -> list[str]:
    text = "\n".join(cell.source for cell in source.cells if cell.kind == "markdown")
    return re.findall(rf"(?m)^{'#' * level} (.+?)\s*$", text)


def section(source, title: str) -> str:
    text = "\n".join(cell.source for cell in source.cells if cell.kind == "markdown")
    return re.search(rf"(?ms)^## {re.escape(title)}\s*$\n(.*?)(?=^## |\Z)", text)[1]


def test_every_unit_has_a_lecture_and_exercises():
    assert LECTURES
    assert [path.name for path in LECTURES] == [path.name for path in EXERCISES]
    for lecture, exercise in zip(LECTURES, EXERCISES, strict=True):
        assert read(lecture).metadata == read(exercise).metadata, f"the front matters of {lecture.stem} differ"


@pytest.mark.parametrize("path", LECTURES, ids=name)
def test_a_lecture_has_its_parts_in_order(path):
    source = read(path)
    unit = source.metadata
    first = source.cells[0]
    assert first.kind == "markdown" and re.match(
        rf"# ({unit['unit']:02d} · )?{re.escape(unit['title'])}\n", first.source
    )
    assert f"{unit['teaching']} minutes" in first.source and f"{unit['exercises']} " in first.source
    assert [title for title in headings(source) if title in SECTIONS] == SECTIONS
    assert len(headings(source, 1)) == 1, "one title"
    goals = re.findall(r"(?m)^- (.*)", section(source, SECTIONS[0]))
    assert len(goals) >= 3 and all(re.match(r"\*\*\w+\*\* ", goal) for goal in goals), (
        "each goal begins with a bold verb"
    )
    prose = "\n".join(cell.source for cell in source.cells if cell.kind == "markdown")
    for step in ("**Predict.**", "**Measure.**", "**Explain.**"):
        assert step in prose, step
    assert len(re.findall(r"(?m)^- ", section(source, "Key points"))) >= 3
    assert f"exercises/{source.stem}.ipynb" in section(source, "The exercise")
    assert len(re.findall(r"(?m)^- ", section(source, "Further reading"))) >= 2


@pytest.mark.parametrize("path", LECTURES, ids=name)
def test_a_lecture_imports_in_one_cell_before_it_begins(path):
    code = [cell for cell in read(path).cells if cell.kind == "code"]
    tree = ast.parse(code[1].source)
    setting = re.compile(r"os\.environ\['\w+'\] = '\w+'")  # what a library reads when it is imported
    others = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    assert all(setting.fullmatch(ast.unparse(node)) for node in others), "the second code cell imports"


def names(code: str) -> tuple[set[str], set[str]]:
    """The names that a cell makes, and those that it takes from cells before it."""
    own = "\n".join(line for line in code.splitlines() if not line.startswith("%"))
    table = symtable.symtable(own, "a cell", "exec")
    made = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    taken = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    inner = list(table.get_children())
    for scope in inner:  # it grows while we go through it
        inner += scope.get_children()
        taken |= {each.get_name() for each in scope.get_symbols() if each.is_global() and each.is_referenced()}
    return made, taken - made


@pytest.mark.parametrize("path", LECTURES, ids=name)
def test_the_main_path_needs_nothing_of_an_optional_part(path):
    """Who leaves the folded parts out can run all other cells. A part called *Optional reading* is to be run, not read."""
    folded, main, optional = 0, set(), set()
    for cell in read(path).cells:
        if cell.kind == "markdown":
            for level, title in re.findall(r"(?m)^(##+) (.+)", cell.source):
                if title.startswith("Optional: "):
                    folded = len(level)
                elif len(level) <= folded:
                    folded = 0
        elif not cell.source.startswith("%%fresh"):
            made, taken = names(cell.source)
            if folded:
                optional |= made
            else:
                missing = (taken & optional) - main
                assert not missing, f"{missing} of an optional part, in the cell of line {cell.marker_line}"
                main |= made


NUMBER = r"([A-Z]?)(\d+)\. "


@pytest.mark.parametrize("path", EXERCISES, ids=name)
def test_exercises_are_four_to_six_numbered_problems_each_with_a_check(path):
    """In a capstone with tracks, A3 is the third of track A, and those without a letter are of all tracks: each way through is held to it."""
    source = read(path)
    numbered = [found.groups() for title in headings(source) if (found := re.match(NUMBER, title))]
    tracks = sorted({letter for letter, _ in numbered} - {""}) or [""]
    for track in tracks:
        way = [int(number) for letter, number in numbered if letter in ("", track)]
        assert way == list(range(1, len(way) + 1))
        assert 4 <= len(way) <= 6
    problem, checks = ("", "0"), {}
    for cell in source.cells:
        if cell.kind == "markdown" and (found := re.search(r"(?m)^## ([A-Z]?)(\d+)\. ", cell.source)):
            problem = found.groups()
        if cell.kind == "code" and re.search(r"(?m)^check\(", cell.source):
            checks.setdefault(problem, []).append(re.search(r'check\("([^"]+)"', cell.source)[1])
    assert sorted(checks) == sorted(numbered), "every problem is checked"
    assert all(check.startswith(f"{source.slug}.") for found in checks.values() for check in found)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_is_light_and_holds_no_script(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < 400_000
    for script in ("Bokeh.embed", "bokeh.min.js", "bokehjs_exec", "bokehjs_load", "<script"):
        assert script not in "".join(outputs(text)), script


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_names_no_place_of_the_machine_that_built_it(path):
    said = "".join(outputs(path.read_text(encoding="utf-8")))
    for place in {str(ROOT), str(Path.home()), "site-packages", "ipykernel_"} - {"/"}:
        assert not re.search(rf"{re.escape(place)}[/\\\s]", said), place


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_figure_has_words(path):
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            assert "application/vnd.hundredfold.figure+json" not in data
            if "image/png" in data:
                alt = output.metadata["image/png"]["alt"]
                assert len(alt) > 20 and data["text/plain"].strip()
                # A dark page turns charts only: `kernellens.plot` knows which it draws.
                data_or_page = re.search(r" grey pictures? of |performance report with its tabs", alt)
                assert output.metadata.get("needs_background") == (None if data_or_page else "light"), alt


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_compared_number_is_known_or_short(path, rules):
    """A number with a point and more than three digits was measured or rounded somewhere: assert it with a tolerance."""
    for cell in nbformat.read(path, as_version=4).cells:
        for _, text in compared(cell.get("outputs", [])):
            assert not too_long(sanitise(text, rules)), f"cell {cell.id}: {too_long(sanitise(text, rules))}"


def too_long(text: str) -> list[str]:
    found = re.findall(r"(?<![\w.])\d+\.\d+(?:e[+-]?\d+)?(?![\w.])", text)
    return [number for number in found if len(re.sub(r"e.*|\.", "", number).lstrip("0")) > 3]


def test_the_rule_for_numbers_tells_the_long_from_the_short():
    assert too_long("3.142 and 0.7467 and 1234.5 and 1.2345e-3") == ["3.142", "0.7467", "1234.5", "1.2345e-3"]
    assert not too_long("3.14, 0.000746, 12.5, 1.0, 100000000, version 14.2.0, numpy2.4.61, 1.25e-3")


def outputs(text: str) -> list[str]:
    """All text of a notebook's outputs, its pictures aside."""
    return [
        json.dumps(
            {k: v for k, v in output.items() if k != "data"}
            | {"data": {k: v for k, v in data.items() if k != "image/png"}}
        )
        for cell in json.loads(text)["cells"]
        for output in cell.get("outputs", [])
        for data in [output.get("data", {})]
    ]
