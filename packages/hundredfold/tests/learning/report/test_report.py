"""The page on what was measured: what stands on it, that it asks for nothing, and whose page it replaces."""

import html.parser
import json
import os
import re

import numpy as np
import pytest

from hundredfold import measure, report
from hundredfold.learning import problems
from hundredfold.learning.problems import progress
from hundredfold.learning.problems.verdict import RIGHT, WRONG, Verdict
from kernellens import plot
from kernellens.plot import palette

FLIGHTS = [problem.id for problem in problems.ways("capstone")["flights"]]
PICTURES = [problem.id for problem in problems.ways("capstone")["pictures"]]


class Page(html.parser.HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.said, self.open = [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.said.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.said).split())


def passed(*names, outcome=RIGHT):
    for name in names:
        progress.record(Verdict(name, outcome, "", ""))


def took(name="sum of squares", **more):
    x = np.arange(1000.0)
    return measure(lambda: (x * x).sum(), name=name, repeat=3, min_time=0, **more)


def full():
    """A page with all that there can be."""
    passed(*FLIGHTS)
    took(bytes=8e3), took("no limit given"), measure(lambda: 3, repeat=3, min_time=0)
    times = plot.times({"here": 0.1, "limit: memory": 0.01}, title="A race", note="made up")
    return report(
        "all.html",
        title="All & <more>",
        author="Ada <Lovelace>",
        text="A question?\n\nAn answer, <b>plain</b>.",
        figures={
            "a race": times,
            "a line": plot.lines([1, 2, 3], {"up": [1, 2, 3], "down": [3, 2, 1]}, xlabel="n", ylabel="m"),
            "two pictures": plot.images({"one": np.eye(8), "two": 1 - np.eye(8)}, "diagonals", columns=2),
            "grey": np.arange(64.0).reshape(8, 8),
            "coloured <b>": np.zeros((4, 4, 3), np.uint8),
        },
        rubric={"right": 2, "told": 3},
    )


def test_the_page_holds_all_that_it_shows_and_asks_for_nothing(a_learner):
    made = full()
    assert made.path.read_text() == made.html
    page = Page(made.html)
    assert page.open == [], "every element is closed"
    for tag, attributes in page.tags:
        assert tag not in ("script", "iframe", "object", "embed", "form", "base")
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href", "xlink:href", "srcset", "action"):
            assert attributes.get(name, "data:").startswith(("data:", "#")), (tag, attributes)
    assert not re.search(r"url\((?!data:|#)|@import", made.html)
    policies = [
        attributes["content"]
        for tag, attributes in page.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies and "default-src 'none'" in policies[0] and "script" not in policies[0]


def test_each_kind_of_time_has_its_colour():
    page = full().html
    for group in palette.GROUPS:
        assert f"svg .{group} {{ --c: var(--{group}); }}" in page and page.count(f"--{group}: #") == 3, group


def test_the_learners_words_are_words_and_no_markup():
    page = Page(full().html)
    assert "All & <more>" in page.text and "Ada <Lovelace>" in page.text and "An answer, <b>plain</b>." in page.text
    assert "coloured <b>" in page.text and not any(tag == "b" for tag, _ in page.tags)


def test_milestones_stand_with_the_day_on_which_they_were_first_passed(a_learner):
    first = '{"time": "2026-03-04T05:06:07+00:00", "problem": "capstone.budget", "outcome": "right", "reason": ""}'
    broken = '{"time": "once", "problem": "capstone.worth", "outcome": "right"}'
    progress.file().write_text(f"{first}\n{broken}\nno JSON\n")
    passed("capstone.budget", "capstone.light")
    passed("capstone.worth", outcome=WRONG)
    made = report()
    assert repr(made) == "capstone-report.html: 2 of 6 milestones, 0 measurements, 0 figures."
    page = Page(made.html)
    assert "4 March 2026" in page.text and page.text.count("not yet") == 4
    assert "of the track pictures" in page.text, "that with the most milestones"


def test_a_track_can_be_asked_for():
    passed(*PICTURES)
    assert "0 of" not in repr(report(track="pictures")) and "2 of 6" in repr(report("other.html", track="flights"))
    with pytest.raises(ValueError, match="no track 'cats': it has flights, pictures"):
        report("third.html", track="cats")
    with pytest.raises(ValueError, match="no unit 'cats'"):
        report("third.html", unit="cats")
    assert not os.path.exists("third.html")


def test_whoever_did_both_tracks_sees_all_milestones():
    passed(*FLIGHTS, *PICTURES)
    made = report()
    assert "10 of 10 milestones" in repr(made) and "of the track" not in Page(made.html).text


def test_a_unit_without_tracks_has_its_milestones_too():
    passed("arrays.port")
    assert "1 of 6 milestones" in repr(report(unit="arrays"))


def test_measurements_stand_beside_their_limits_and_what_is_doubted_says_so(monkeypatch):
    taken = took(bytes=80e9)
    took("plain")
    page = Page(report(unit=None).html)
    assert "sum of squares" in page.text and "not given" in page.text
    assert taken.suspicious and taken.suspicious in page.text, "80 GB in a moment are not believed"


def test_measurements_can_be_chosen_and_ordered():
    one, _ = took("one"), took("two")
    said = Page(report(unit=None, measurements=["two", one]).html).text
    assert said.index("two") < said.index("one")
    with pytest.raises(ValueError, match="Nothing called 'three' was measured in this session; measured was: one, two"):
        report(unit=None, measurements=["three"])
    with pytest.raises(TypeError, match="not int"):
        report(unit=None, measurements=[3])


def test_unnamed_measurements_are_counted():
    measure(lambda: 3, repeat=3, min_time=0)
    took("named")
    assert "1 more had no name" in Page(report(unit=None).html).text


def test_without_anything_it_is_a_page_still():
    made = report(unit=None)
    assert made.path.name == "measurements-report.html" and "Nothing was measured." in Page(made.html).text


@pytest.mark.parametrize("figure", [3, "picture.png", np.zeros(3), np.zeros((0, 4)), np.zeros((2, 2), object)])
def test_what_is_no_figure_is_refused_and_nothing_is_written(figure, a_learner):
    with pytest.raises(TypeError):
        report("x.html", figures={"it": figure})
    assert not list(a_learner.iterdir())


def test_figures_are_a_dict():
    with pytest.raises(TypeError, match="dict from captions to figures"):
        report(figures=[np.eye(3)])


def test_a_picture_keeps_its_numbers():
    import base64
    import io

    from PIL import Image

    picture = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    (found,) = re.findall(r'<img src="data:image/png;base64,([^"]+)"', report(unit=None, figures={"it": picture}).html)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(base64.b64decode(found)))), picture)


def test_numbers_that_are_not_numbers_are_black_and_do_no_harm():
    from hundredfold.learning.reporting.pictures import png

    assert png(np.array([[np.nan, 1.0], [np.inf, 2.0]])) and png(np.full((2, 2), np.nan))


def test_what_saves_itself_as_matplotlibs_figures_do_is_shown():
    class Theirs:
        def savefig(self, file, format, **more):
            file.write(b"a picture")

    assert "data:image/png;base64,YSBwaWN0dXJl" in report(unit=None, figures={"theirs": Theirs()}).html


# ---- the rubric ----


def test_the_rubric_is_shown_as_a_table_and_in_words():
    rubric = report.rubric()
    assert len(rubric.criteria) == 6 and all(len(each.levels) == len(rubric.levels) for each in rubric.criteria)
    assert rubric.html().count("<tr>") == 7 and "told: It can be told" in repr(rubric)


@pytest.mark.parametrize(
    ("levels", "said"),
    [({"nice": 1}, "no 'nice'"), ({"told": 4}, "0 to 3"), ({"told": True}, "0 to 3"), ({"told": "2"}, "0 to 3")],
)
def test_a_level_that_there_is_not_is_refused(levels, said):
    with pytest.raises(ValueError, match=said):
        report(rubric=levels)


def test_levels_stand_on_the_page():
    said = Page(report(rubric={"told": 3, "right": 0}).html).text
    assert (
        "And it says what it does not know." in said
        and "0: not yet" in said
        and said.index("0: not yet") < said.index("3: beyond")
    )


# ---- where it goes ----


def test_ones_own_page_is_replaced(a_learner):
    report("mine.html", title="first"), report("mine.html", title="second")
    assert [path.name for path in a_learner.iterdir()] == ["mine.html"]
    assert "second" in (a_learner / "mine.html").read_text()


def test_another_learners_page_and_any_other_file_are_left(a_learner, tmp_path, monkeypatch):
    report("page.html", title="theirs")
    (a_learner / "notes.html").write_text("important")
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "another"))
    (tmp_path / "another").mkdir()
    made = report("page.html", title="ours")
    assert made.path.name == "page-2.html" and "page.html is another's page" in repr(made)
    assert "theirs" in (a_learner / "page.html").read_text()
    assert report("notes.html").path.name == "notes-2.html" and (a_learner / "notes.html").read_text() == "important"
    assert report("page.html", title="ours again").path.name == "page-2.html", "and there it stays"
    assert report("notes.html", replace=True).path.name == "notes.html"


def test_the_mark_names_nobody(a_learner, tmp_path):
    made = report(author="")
    (mark,) = re.findall(r'name="hundredfold-report" content="([0-9a-f]+)"', made.html)
    assert mark == (tmp_path / "state" / "report-mark").read_text() and len(mark) == 32
    assert str(tmp_path) not in made.html


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [("page.txt", ValueError, "ends in .html"), ("no/such/page.html", ValueError, "There is no folder no/such")],
)
def test_a_place_that_is_none_is_refused(name, error, said):
    with pytest.raises(error, match=said):
        report(name)


def test_a_folder_that_cannot_be_written_to_is_said(a_learner):
    (a_learner / "page.html").mkdir()
    made = report("page.html")  # a folder gets the default name
    assert (
        made.path == a_learner.joinpath("page.html", "capstone-report.html").relative_to(a_learner)
        or made.path.exists()
    )
    os.symlink(a_learner / "gone" / "there.html", a_learner / "dangling.html")
    made = report("dangling.html")
    assert made.path.name == "dangling-2.html" and not (a_learner / "gone").exists()


def test_it_links_itself_only_beside_the_notebook(a_learner, tmp_path):
    assert '<a href="near.html"' in report("near.html")._repr_mimebundle_()["text/html"]
    (tmp_path / "far").mkdir()
    assert "text/html" not in report(tmp_path / "far" / "page.html")._repr_mimebundle_()


def test_what_a_mimebundle_says_is_json():
    assert json.dumps(report()._repr_mimebundle_())


def test_the_page_carries_its_numbers_in_the_shape_of_a_recording():
    """For the site's page of results, which reads them back."""
    import jsonschema

    from hundredfold import paths
    from hundredfold.toolkit import compare

    on = np.ones(1000).sum
    mine = measure(on, name="mine", bytes=8000, repeat=3, min_time=0)
    compare("memory.sum.1000x1000", mine, naive=0.5)
    compare("memory.std.1000x1000", measure(on, name="of another size", repeat=3, min_time=0), n=1000)
    made = report(unit=None, title='A "<title>"')
    (told,) = [each.get("content") for _, each in Page(made.html).tags if each.get("name") == "hundredfold-results"]
    data = json.loads(told)
    rows = {row["id"]: [time["way"] for time in row["times"]] for row in data["rows"]}
    assert rows == {"memory.sum.1000x1000": ["mine"], "of another size": ["of another size"]}
    assert data["kind"] == "report" and data["title"] == 'A "<title>"'
    time = data["rows"][0]["times"][0]
    assert time["seconds"] == mine.median and time["limit"] == mine.limit.seconds
    schema = json.loads((paths.data_dir("recordings") / "schema.json").read_text())
    time_schema = {**schema["$defs"]["time"], "$defs": schema["$defs"]}
    time_schema["properties"]["device"]["enum"].append("simulated")
    for row in data["rows"]:
        for each in row["times"]:
            jsonschema.validate(each, time_schema)
