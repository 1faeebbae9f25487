"""What nbgrader asks of a course, asked of ours. nbgrader itself is not installed here: these are its rules.

They are those of its metadata schema 3 and of its instructor's checks, as its documentation states them.
"""

import re
from pathlib import Path

import pytest

from hundredfold.build.products import derive
from hundredfold.build.sources import find, read

ROOT = Path(__file__).parents[2]
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


def test_the_course_tree_has_markers_settings_and_no_outputs(built, tmp_path):
    out = tmp_path / "course"
    built.built("--nbgrader", str(out))
    assert sorted(str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()) == [
        "nbgrader_config.py",
        "source/arrays/01_arrays.ipynb",
    ]
    compile((out / "nbgrader_config.py").read_text(), "nbgrader_config.py", "exec")
    built.root = out / "source"
    cells = built.read("arrays").cells
    hold(cells)
    for cell in cells:
        solution = (cell.metadata.get("nbgrader") or {}).get("solution", False)
        # nbgrader refuses a marker outside a solution cell, and an answer without one is not cleared.
        assert ("### BEGIN SOLUTION" in cell.source) == ("### END SOLUTION" in cell.source) == solution
        assert "STARTER" not in cell.source
        assert not cell.get("outputs")
    assert not any("Addition is enough." in cell.source for cell in cells)


def test_what_nbgrader_releases_still_parses(built, tmp_path):
    """nbgrader puts one stub for each region, at the region's indentation."""
    built.built("--nbgrader", str(tmp_path))
    config = {}
    settings = type("C", (), {"__getattr__": lambda self, name: self.__dict__.setdefault(name, type(self)())})()
    exec((tmp_path / "nbgrader_config.py").read_text(), {"get_config": lambda: settings}, config)
    stub = settings.ClearSolutions.code_stub["python"].split("\n")
    built.root = tmp_path / "source"
    for cell in built.read("arrays").cells:
        if cell.cell_type == "code":
            released = re.sub(
                r"(?ms)^( *)### BEGIN SOLUTION.*?### END SOLUTION$",
                lambda m: "\n".join(m[1] + line for line in stub),
                cell.source,
            )
            compile(released, cell.id, "exec")


@pytest.mark.parametrize("path", [p for p in find(ROOT) if p.parent.name == "exercises"], ids=lambda path: path.stem)
def test_the_courses_own_exercises_can_be_graded(path):
    found = hold(derive(read(path), "exercise").cells)
    assert any(meta["grade"] for meta in found.values())


def test_a_unit_without_exercises_is_said(checkout, lecture, tmp_path):
    checkout.write("lectures", lecture)
    done = checkout.build("--nbgrader", str(tmp_path / "out"))
    assert done.exit_code == 1 and "none of these units has exercises" in done.output
    assert not (tmp_path / "out").exists()
