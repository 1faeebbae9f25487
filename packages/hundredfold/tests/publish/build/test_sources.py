"""Reading a source: cells, their lines, and clear words for what is wrong."""

from pathlib import Path

import pytest

from hundredfold.publish.build.errors import SourceError
from hundredfold.publish.build.sources import parse, read

LECTURES = Path("sources/lectures/01_arrays.py")


def test_a_cell_knows_its_lines(lecture):
    source = parse(lecture, LECTURES)
    file = lecture.split("\n")
    for cell in source.cells:
        assert len(cell.lines) == len(cell.source.split("\n"))
        for number, line in zip(cell.lines, cell.source.split("\n"), strict=True):
            assert file[number - 1].removeprefix("# ") == line.rstrip() or file[number - 1] == "#" == line + "#"


def test_a_cells_raw_text_is_the_files(lecture):
    source = parse(lecture, LECTURES)
    assert source.header + "".join(cell.raw for cell in source.cells) == lecture


def test_magics_are_bare_in_the_cell(lecture):
    assert "%who_ls" in [cell.source for cell in parse(lecture, LECTURES).cells]


def test_a_scripts_first_line_shown_in_markdown_keeps_its_hash():
    """jupytext 1.19 takes it for a magic and makes `!/bin/bash` of it."""
    text = LECTURES.read_text().replace("# # ", "# ```bash\n# #!/bin/bash\n# # !ls\n# ```\n#\n# # ", 1)
    assert "#!/bin/bash\n# !ls\n" in parse(text, LECTURES).cells[0].source


def test_jupytexts_bookkeeping_does_not_reach_a_cell(lecture):
    text = lecture.replace("x = 20\n", "x = 20\n\n\n\n")
    assert all(not cell.metadata or list(cell.metadata) == ["tags"] for cell in parse(text, LECTURES).cells)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("unit: 1", "unit: 2", "1: the front matter says unit 2, the file name 1"),
        ("slug: arrays", "slug: array", "says slug 'array'"),
        ("#     teaching: 30\n", "", "`teaching` is missing"),
        ("title: Arrays", "title: 3", "`title` is missing or no str"),
        ("#   hundredfold:", "#   other:", "the front matter needs `hundredfold:`"),
        ("unit: 1", "unit: [1", "front matter cannot be read"),
        ("unit: 1", "unit: 1\n#     dashboard: perhaps", "1: `dashboard` says whether Dask's plots open"),
        ("# %% [markdown]\n# # Arrays", "x = 3\n\n# %% [markdown]\n# # Arrays", "11: there is text before the first"),
        ("# %% [markdown]\n# More", "# %% [raw]\n# More", "a raw cell"),
        ("teaching: 30", "teaching: true", "`teaching` is missing or no int"),
        ("x = 20", 'x = """\n# %%\n"""', "a line within a string"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(lecture, old, new, said):
    assert old in lecture
    with pytest.raises(SourceError) as error:
        parse(lecture.replace(old, new, 1), LECTURES)
    assert said in str(error.value)
    assert str(error.value).startswith(str(LECTURES))


@pytest.mark.parametrize("keep", [0, 8], ids=["empty", "front matter"])
def test_a_source_without_cells_is_said(lecture, keep):
    with pytest.raises(SourceError, match="holds no cells"):
        parse("\n".join(lecture.split("\n")[:keep]), LECTURES)


@pytest.mark.parametrize("data", [lambda t: b"\xef\xbb\xbf" + t.encode(), lambda t: t.replace("\n", "\r\n").encode()])
def test_what_editors_on_windows_do_changes_no_cell(checkout, lecture, data):
    path = checkout.write("lectures", "")
    path.write_bytes(data(lecture))
    assert [cell.source for cell in read(path).cells] == [cell.source for cell in parse(lecture, LECTURES).cells]


def test_two_units_of_one_number_are_refused(checkout, lecture):
    checkout.write("lectures", lecture)
    checkout.write("lectures", lecture.replace("slug: arrays", "slug: other"), "01_other.py")
    done = checkout.build("--check")
    assert done.exit_code == 1 and "01_arrays.py and sources/lectures/01_other.py are both 01" in done.output


@pytest.mark.parametrize(
    "name", ["sources/lectures/arrays.py", "sources/lectures/1_arrays.py", "sources/other/01_arrays.py"]
)
def test_a_source_has_its_place_and_name(lecture, name):
    with pytest.raises(SourceError, match="sources/lectures/NN_slug.py"):
        parse(lecture, Path(name))
