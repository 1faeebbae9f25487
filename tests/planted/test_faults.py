"""The list of planted faults fits the code, and the page *How we know* shows it; `test_planted` plants them."""

import json
from pathlib import Path

import pytest

from hundredfold.publish.site import answers

ROOT = Path(__file__).parents[2]
FAULTS = json.loads(Path(__file__).with_name("faults.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("fault", FAULTS, ids=[each["name"] for each in FAULTS])
def test_a_fault_changes_one_place(fault):
    package = fault["file"].partition("/")[0]
    text = (ROOT / "packages" / package / "src" / fault["file"]).read_text(encoding="utf-8")
    assert text.count(fault["old"]) == 1 and fault["old"] != fault["new"]
    compile(text.replace(fault["old"], fault["new"]), fault["file"], "exec")


def test_there_are_ten_and_each_comparison_finds_some():
    assert len(FAULTS) >= 10
    assert {name for fault in FAULTS for name in fault["found"]} == {"ptx", "outputs", "times"}


def test_the_page_shows_each_of_them():
    page = answers.filled((ROOT / "docs" / "how-we-know.md").read_text(encoding="utf-8"))
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")
    ]
    shown = {name: [kind for kind, cell in zip(("ptx", "outputs", "times"), cells, strict=True) if cell == "found"]
             for name, *cells in rows if len(cells) == 3}  # fmt: skip
    assert {fault["name"]: fault["found"] for fault in FAULTS}.items() <= shown.items()
