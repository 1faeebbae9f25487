"""The committed notebooks say what their sources say; and `--check` notices when they do not."""

from pathlib import Path

import pytest

from hundredfold.publish.build.in_sync import differences, orphans
from hundredfold.publish.build.products import products
from hundredfold.publish.build.sources import find, read

ROOT = Path(__file__).parents[5]


@pytest.mark.parametrize("path", find(ROOT), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_committed_notebooks_match_their_source(path):
    found = [line for product in products(read(path)) for line in differences(product, ROOT)]
    assert not found, "run `hundredfold build`: " + "; ".join(found)


def test_no_notebook_is_without_a_source():
    assert not orphans(ROOT)


def test_check_passes_on_what_was_just_built_and_starts_no_kernel(built, monkeypatch):
    monkeypatch.setattr("hundredfold.publish.build.execute.run", None)
    assert "match their sources" in built.built("--check")


@pytest.mark.parametrize(
    ("folder", "change", "said"),
    [
        (
            "notebooks",
            lambda nb: nb.cells[2].update(source="print(1)"),
            "cell arrays-03 differs from sources/lectures/01_arrays.py:20",
        ),
        ("notebooks", lambda nb: nb.cells.pop(), "7 cells, the source has 8"),
        ("notebooks", lambda nb: nb.cells[2].metadata.update(tags=["x"]), "cell arrays-03 differs"),
        ("notebooks", lambda nb: nb.metadata.kernelspec.update(name="other"), "notebook metadata differs"),
        ("notebooks", lambda nb: nb.cells[4].update(execution_count=9), "cell arrays-05 was not run by the build"),
        ("solutions", lambda nb: nb.cells[1].update(execution_count=None, outputs=[]), "cell arrays-02 was not run"),
        ("exercises", lambda nb: nb.cells[1].update(execution_count=1), "an exercise is committed without outputs"),
    ],
)
def test_check_names_what_differs(built, folder, change, said):
    notebook = built.read(folder)
    change(notebook)
    built.save(folder, notebook)
    done = built.build("--check")
    assert done.exit_code == 1
    assert said in done.stderr and f"{folder}/01_arrays.ipynb" in done.stderr
    assert "run `hundredfold build`" in done.stderr


@pytest.mark.filterwarnings("ignore::nbformat.validator.DuplicateCellId")
def test_check_names_double_ids(built):
    path = built.root / "notebooks" / "01_arrays.ipynb"
    path.write_text(path.read_text().replace('"arrays-05"', '"arrays-03"'))
    done = built.build("--check")
    assert done.exit_code == 1 and "ids are missing or not unique" in done.stderr


def test_check_names_missing_and_orphaned_notebooks(built):
    (built.root / "notebooks" / "01_arrays.ipynb").rename(built.root / "notebooks" / "old.ipynb")
    done = built.build("--check")
    assert "notebooks/01_arrays.ipynb: not built" in done.stderr
    assert "notebooks/old.ipynb: no source makes it" in done.stderr
