"""What nbgrader asks of a course, asked of ours. nbgrader itself is not installed here: these are its rules.

They are those of its metadata schema 3 and of its instructor's checks, as its documentation states them.
"""

import re
from pathlib import Path

import pytest

from hundredfold.publish.build.products import derive
from hundredfold.publish.build.sources import find, read

ROOT = Path(__file__).parents[5]
KEYS = {"cell_type", "grade", "grade_id", "locked", "schema_version", "solution", "task"}


def hold(cells) -> dict:
    """Hold a notebook's cells to the rules; return its cells' metadata by grade_id."""
    found = {}
    for cell in cells:
        meta = cell.metadata.get("nbgrader")
        if meta is None:
            continue
        assert set(meta) == KEYS | ({"points"} if meta["grade"] else set())
        assert meta["schema_version"] == 3
        assert all(isinstance(meta[key], bool) for key in ("grade", "locked", "solution", "task"))
        assert re.fullmatch(r"[A-Za-z0-9_-]+", meta["grade_id"])
        assert meta["grade_id"] not in found, "two cells of one id"
        assert meta["cell_type"] == "code"
        assert meta["grade"] != meta["solution"] and not meta["task"]
        assert meta["locked"] == meta["grade"], "tests are locked, answers are not"
        if meta["grade"]:
            assert meta["points"] >= 0
        found[meta["grade_id"]] = meta
    return found


def test_the_metadata_follows_schema_3(built):
    for folder in ("exercises", "solutions"):
        found = hold(built.read(folder).cells)
        assert {name: meta["points"] for name, meta in found.items() if meta["grade"]} == {
            "arrays-double": 2,
            "arrays-repair": 1,
        }
        assert "arrays-double-answer" in found
    assert not hold(built.read("notebooks").cells)


def test_an_insertion_elsewhere_renames_no_grade(built, exercise):
    before = list(hold(built.read("exercises").cells))
    built.write("exercises", exercise.replace("# %%\nanswer = ...", '# %%\ncheck("arrays.new")\n\n# %%\nanswer = ...'))
    built.built()
    after = list(hold(built.read("exercises").cells))
    assert [name for name in after if name != "arrays-new"] == before


@pytest.mark.parametrize("path", [p for p in find(ROOT) if p.parent.name == "exercises"], ids=lambda path: path.stem)
def test_the_courses_own_exercises_can_be_graded(path):
    found = hold(derive(read(path), "exercise").cells)
    assert any(meta["grade"] for meta in found.values())
