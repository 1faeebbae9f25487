"""What `REUSE.toml` says of each file's licence."""

import json
import re
import tomllib
from pathlib import Path

from hundredfold.publish import REUSE
from hundredfold.publish.site import slides

ROOT = Path(__file__).parents[1]
ANNOTATIONS = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]


def licence(path: str) -> str:
    """The licence of a file: of several tables that fit it, the last one counts."""
    fitting = [each for each in ANNOTATIONS if any(_fits(path, pattern) for pattern in _list(each["path"]))]
    return fitting[-1]["SPDX-License-Identifier"]


def _list(value):
    return value if isinstance(value, list) else [value]


def _fits(path, pattern):
    parts = {"**": ".*", "*": "[^/]*"}
    return re.fullmatch("".join(parts.get(each) or re.escape(each) for each in re.split(r"(\*\*?)", pattern)), path)


def test_other_peoples_kernels_keep_their_licences():
    folder = "packages/gpusim/tests/kernels_set/published"
    notices = (ROOT / "packages/gpusim/tests/kernels_set/LICENCES.md").read_text(encoding="utf-8")
    wanted = {
        f"packages/gpusim/tests/kernels_set/{file.strip()}": name
        for name, files in re.findall(r"(?m)^## .*\(([\w.-]+)\): (.+)$", notices)
        for file in files.split(",")
    }
    assert set(wanted) == {
        f"{folder}/{file.name}" for file in (ROOT / folder).glob("*.py") if file.name != "__init__.py"
    }
    assert {path: licence(path) for path in wanted} == wanted


def test_prose_code_and_data_have_the_licences_that_the_readme_names():
    assert licence("docs/glossary.md") == "CC-BY-4.0"
    assert (
        licence("notebooks/01_arrays.ipynb") == licence("sources/lectures/01_arrays.py") == "CC-BY-4.0 AND BSD-3-Clause"
    )
    assert (
        licence("packages/hundredfold/src/hundredfold/cli.py") == "BSD-3-Clause"
        and licence("data/flights.parquet") == "CC0-1.0"
    )


def test_each_licence_has_its_text_and_each_text_is_used():
    named = {name for each in ANNOTATIONS for name in each["SPDX-License-Identifier"].split(" AND ")}
    assert named == {file.stem for file in (ROOT / "LICENSES").iterdir()}


def test_each_notebook_ends_in_what_a_reader_may_do_with_it_and_so_do_the_slides():
    files = [
        file
        for folder in ("notebooks", "exercises", "solutions", "syllabi")
        for file in (ROOT / folder).glob("*.ipynb")
    ]
    for file in files:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        assert [REUSE in "".join(cell["source"]) for cell in notebook["cells"]].index(True) == len(
            notebook["cells"]
        ) - 1, file
        if file.parent.name == "notebooks":
            assert REUSE in "".join(slides.cut(notebook)["cells"][-1]["source"])
    assert files
