"""The questions within lectures: each has its replies, each reply a letter in the text, and an answer gets one at once."""

import json
import re
from pathlib import Path

import pytest

from hundredfold import quiz
from hundredfold.learning import questions
from hundredfold.publish.build.sources import read

ROOT = Path(__file__).parents[4]
UNITS = sorted(file.stem for file in Path(questions.__file__).parent.glob("*.json"))
ASKED = re.compile(r'^quiz\("([\w-]+)\.([\w-]+)", my_answer\)', re.MULTILINE)


def asked(unit: str) -> dict[str, str]:
    """The questions of a unit's lecture: name and text of the cell before."""
    [path] = (ROOT / "sources" / "lectures").glob(f"[0-9][0-9]_{unit}.py")
    cells, found = read(path).cells, {}
    for before, cell in zip(cells, cells[1:], strict=False):
        if cell.kind == "code" and (match := ASKED.search(cell.source)):
            assert match[1] == unit and 'my_answer = "?"' in cell.source
            found[match[2]] = before.source
    return found


@pytest.mark.parametrize("unit", UNITS)
def test_the_replies_fit_the_lecture(unit):
    found, known = asked(unit), questions.questions(unit)
    assert sorted(found) == sorted(known)
    for name, text in found.items():
        assert "**Question.**" in text
        letters = re.findall(r"\(([a-e])\) ", text.rpartition("**Question.**")[2])
        assert letters == list(known[name]["replies"]) and len(letters) >= 3
        assert known[name]["right"] in letters


def test_the_right_letter_is_not_always_the_same():
    for unit in UNITS:
        assert len({each["right"] for each in questions.questions(unit).values()}) > 1


@pytest.mark.parametrize("unit", UNITS)
def test_every_letter_gets_its_reply(unit, capsys):
    for name, known in questions.questions(unit).items():
        for letter, reply in known["replies"].items():
            quiz(f"{unit}.{name}", f" {letter.upper()} ")
            said = " ".join(capsys.readouterr().out.split())
            assert said.startswith(f"✔ {letter} is right." if letter == known["right"] else f"✘ Not {letter}.")
            assert reply in said
        for no_answer in ("?", "", None, 3, ..., "z"):
            quiz(f"{unit}.{name}", no_answer)
            assert capsys.readouterr().out.startswith("○ Open: put a, b or c in place of the question mark")


@pytest.mark.parametrize("name", ["arrays.nothing", "nothing.where", "arrays", "../arrays.where"])
def test_a_question_that_is_not_there_is_said_to_be_so(name, capsys):
    quiz(name, "a")
    assert "There is no question" in capsys.readouterr().out


def test_the_site_folds_the_answers_and_the_code_of_optional_parts():
    from hundredfold.publish.site import units

    notebook = json.loads((ROOT / "notebooks" / "01_arrays.ipynb").read_text(encoding="utf-8"))
    units.add_navigation(notebook, "notebooks/01_arrays.ipynb", {})
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"])
    assert text.count(":::{dropdown} The answers") == len(asked("arrays")) == text.count("**right.**")
    folded = ["".join(c["source"]) for c in notebook["cells"] if "hide-cell" in c["metadata"].get("tags", ())]
    assert [code.split()[0] for code in folded] == ["mean,", "flags"]
