"""The pages *How we know* and *Colab*: every number is counted or is that of its source, and every command and link is there."""

import re
from pathlib import Path

import pytest

from hundredfold.classroom.seats import needs
from hundredfold.publish.site import answers, counted, measured, results, units
from hundredfold.setup.lab import parts
from hundredfold.toolkit import recorded

ROOT = Path(__file__).parents[4]
PAGES = ("docs/how-we-know.md", "docs/colab.md")
GENERATED = {*units.PAGES, *results.PAGES, *measured.PAGES}


def text(page):
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_its_numbers_are_put_in_and_its_links_lead_somewhere(page):
    filled = answers.filled(text(page))
    assert "{{" not in filled and "{{" in text(page)
    here = (ROOT / page).parent
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)", filled)
    assert links
    for link in links:
        assert link in GENERATED or (here / link).is_file(), link
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"(?m)^#+ (.*)$", filled)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", filled)) <= anchors


def test_its_commands_name_parts_that_there_are():
    named = re.findall(r"make test-all ARGS=(?:\"([^\"]+)\"|(\S+))", text(PAGES[0]))
    asked = {part for quoted, plain in named for part in (quoted or plain).split()}
    assert len(asked) > 8 and asked <= set(parts.PARTS)
    for file in re.findall(r"python -m pytest (\S+)", text(PAGES[0])):
        assert (ROOT / file).is_file()


def test_what_it_says_of_other_pages_is_what_they_say():
    said = text(PAGES[0])
    table = answers.filled("{{ptx}}").splitlines()
    assert len(table) > 5 and table[0].startswith("| what | counted in | exact")
    assert all(line in text("packages/gpusim/tests/ptx/README.md").splitlines() for line in table)
    rounds = re.findall(
        r"(?m)^\| round .* \| ([\d ]+) \| (\d+) \| (\d+) \| \d+ \| \d+ \| \d+ \|$", text("tests/answers/README.md")
    )
    wrong, accepted, labels = (sum(int(each[at].replace(" ", "")) for each in rounds) for at in range(3))
    assert f"wrote {wrong:,} wrong answers".replace(",", " ") in said and len(rounds) >= 2
    assert f"The checks accepted {accepted} at first. Of {labels} of these the label was wrong." in said
    last = [int(each.replace(" ", "")) for each in rounds[-1]]
    assert f"{(last[1] - last[2]) / (last[0] - last[2]):.1%} of their wrong".replace("%", " %") in said


@pytest.mark.parametrize("page", ["docs/how-we-know.md", "docs/times.md"])
def test_the_number_of_measurements_is_counted(page):
    assert re.search(rf"\b{counted.measured()}\b[\w ]* published measurements", answers.filled(text(page)))
    assert not re.search(
        rf"(?<!\d )\b{counted.measured()}\b", text(page)
    )  # as a number, and not the end of a longer one


def test_what_is_counted_is_all_there_is():
    (total,) = re.findall(r"(?m)^\| all \| (\d+) \| (\d+) \| 100% \|$", text("docs/contributing/problems.md"))
    assert counted.mutants() == int(total[0]) - int(total[1]) > 1000, "and the page says that the checks refuse all"
    assert counted.conformance() > 300 and counted.names() > 10_000
    by_hand = [time for row in recorded.rows() if row.kind == "published" for time in row.times if time.device == "gpu"]
    assert 60 < counted.times() <= len(by_hand)
    table = text("packages/kernellens/tests/published/measurements.csv").splitlines()[1:]
    assert counted.measured() == len({line.partition(",")[0] for line in table}) > 400
    assert counted.timed_gpus().startswith("V100, T4") and "H200" in counted.timed_gpus()


def test_each_unit_is_in_the_table_for_colab():
    rows = counted.colab().splitlines()[2:]
    assert [row.split()[1] for row in rows] == [f"{need.unit:02d}" for need in needs.known()]
    assert "at smaller sizes" in rows[11] and all("at the published" in row for row in rows[4:10])
    assert all(0 < need.host for need in needs.known())


def test_one_that_does_not_fit_says_so(monkeypatch):
    too_large = needs.Need(1, "arrays", published=20_000_000_000, made_of="", host=13_000_000_000)
    monkeypatch.setattr(counted.needs, "known", lambda: (too_large,))
    assert counted.colab().splitlines()[-1] == "| 01 arrays | 20 GB | 13 GB | too large for the host |"
