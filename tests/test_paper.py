"""The paper and the archive's metadata say what is there."""

import json
import re
from pathlib import Path

from hundredfold.classroom import syllabi
from hundredfold.learning import problems

ROOT = Path(__file__).parents[1]
PAPER = (ROOT / "paper/paper.md").read_text(encoding="utf-8")


def test_each_reference_is_cited_and_each_citation_is_there():
    there = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper/paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"\[@(\w+)\]", PAPER)) == set(there) and len(there) == len(set(there))


def test_its_numbers_are_the_courses():
    units = syllabi.units().values()
    assert f"exercises' {len(problems.ids())} problems" in PAPER
    assert f"course of {['fourteen', 'fifteen', 'sixteen', 'seventeen'][len(units) - 14]} Jupyter units" in PAPER
    shortest, longest = (f(unit.teaching for unit in units if unit.slug != "capstone") for f in (min, max))
    assert f"A lecture takes {shortest} to {longest} minutes" in PAPER


def test_it_is_as_long_as_a_paper_there_may_be():
    """JOSE asks for about a thousand words (https://openjournals.readthedocs.io/en/jose/submitting.html)."""
    assert 500 < len(PAPER.split()) < 1200


def test_the_archive_is_told_the_same_as_who_cites():
    archive = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert archive["title"] in (ROOT / "CITATION.cff").read_text(encoding="utf-8") and archive["title"] in PAPER
