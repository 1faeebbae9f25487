"""Solution and starter regions, in both products."""

import ast
from pathlib import Path

import pytest

from hundredfold.publish.build.errors import SourceError
from hundredfold.publish.build.products import derive
from hundredfold.publish.build.sources import parse

PATH = Path("sources/exercises/01_arrays.py")


def both(header, cell):
    """The exercise's and the solution's text of a source with one code cell."""
    source = parse(f"{header}# %%\n{cell}\n", PATH)
    return [derive(source, what).cells[0].source for what in ("exercise", "solution")]


@pytest.fixture
def header(lecture):
    return lecture[: lecture.index("# %%")]


def test_a_stub_counts_the_lines_of_code_only(header):
    code = "a = ...\n### BEGIN SOLUTION\n# why\n\na = 1\na = 2\n### END SOLUTION"
    exercise, solution = both(header, code)
    assert exercise == "a = ...\n# your code here (about 2 lines)"
    assert solution == "# why\n\na = 1\na = 2"


def test_a_solution_has_no_names_without_a_value_above_it(header):
    code = (
        "n = ...\nx = 1\na = ...\nb = c = ...\n### BEGIN SOLUTION\na = b = c = 2\n### END SOLUTION\n"
        "def f():\n    d = ...\n    ### BEGIN SOLUTION\n    d = x[..., 0]\n    ### END SOLUTION\n    return d"
    )
    exercise, solution = both(header, code)
    assert exercise.startswith(
        "n = ...\nx = 1\na = ...\nb = c = ...\n# your code here (about 1 line)\ndef f():\n    d = ...\n"
    )
    assert solution == "n = ...\nx = 1\na = b = c = 2\ndef f():\n    d = x[..., 0]\n    return d"


@pytest.mark.parametrize(
    ("before", "needed"),
    [
        ("def f(x):", True),
        ('def f(x):\n    """What it gives."""', False),
        ("for i in range(3):", True),
        ("if a:\n    pass\nelse:", True),
        ("%matplotlib inline\nwith a:", True),
        ("if a:\n    pass", False),
    ],
)
def test_a_statement_only_where_python_needs_one(header, before, needed):
    exercise, _ = both(
        header, f"{before}\n    ### BEGIN SOLUTION\n    y = 1\n    ### END SOLUTION".replace("%m", "# %m")
    )
    assert exercise.endswith("\n    ...") == needed
    assert "    # your code here (about 1 line)" in exercise
    ast.parse(exercise.replace("%matplotlib", "#"))


def test_two_gaps_in_one_cell_each_get_what_they_need(header):
    code = (
        "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n\n"
        "def g(x):\n    y = x\n    ### BEGIN SOLUTION\n    return y\n    ### END SOLUTION"
    )
    exercise, _ = both(header, code)
    assert exercise == (
        "def f(x):\n    # your code here (about 1 line)\n    ...\n\ndef g(x):\n    y = x\n    # your code here (about 1 line)"
    )


def test_a_starter_stands_in_place_of_the_solution(header):
    code = (
        "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n"
        "    ### BEGIN STARTER\n    # for i in x:\n    #     return i  # the first\n    #\n    ### END STARTER"
    )
    exercise, solution = both(header, code)
    assert exercise == "def f(x):\n    for i in x:\n        return i  # the first\n"
    assert solution == "def f(x):\n    return x"


def test_the_line_map_survives_regions(exercise):
    source = parse(exercise, PATH)
    file = exercise.split("\n")
    for what in ("exercise", "solution"):
        for cell in derive(source, what).cells:
            for number, line in zip(cell.lines, cell.source.split("\n"), strict=True):
                said, line = file[number - 1].strip(), line.replace("Arrays: solutions", "Arrays: exercises")
                assert (
                    line.strip() in (said, said.removeprefix("# ").strip(), said.removeprefix("#"))
                    or "SOLUTION" in said
                )


def test_cells_of_one_product_only(exercise):
    text = exercise.replace("# %%\nanswer = ...", '# %% tags=["exercise-only"]\nanswer = ...')
    source = parse(text, PATH)
    texts = {what: [cell.source for cell in derive(source, what).cells] for what in ("exercise", "solution")}
    assert "Addition is enough." in texts["solution"] and "Addition is enough." not in texts["exercise"]
    assert "answer = ...\n# your code here (about 1 line)" in texts["exercise"]
    assert not any("answer = 42" in text for text in texts["solution"])


@pytest.mark.parametrize(
    ("cell", "line", "said"),
    [
        ("### BEGIN SOLUTION\nx = 1", 1, "BEGIN SOLUTION without its END"),
        ("x = 1\n### END SOLUTION", 2, "END SOLUTION without its BEGIN"),
        ("### BEGIN SOLUTION\n### BEGIN STARTER\n### END STARTER\n### END SOLUTION", 2, "inside a SOLUTION region"),
        ("### BEGIN SOLUTION\n### END STARTER", 2, "END STARTER without its BEGIN"),
        ("### begin solution\nx = 1\n### end solution", 1, "in capitals"),
        ("### BEGIN SOLUTION here\nx = 1\n### END SOLUTION", 1, "alone on its line"),
        ("### BEGIN STARTER\nx = 1\n### END STARTER", 2, "commented with `# `"),
        ('check("a.b")\n### BEGIN SOLUTION\n### END SOLUTION', 1, "use two cells"),
        ("check(name, 3)", 1, "literal string"),
    ],
)
def test_a_misplaced_marker_is_named_with_its_line(header, cell, line, said):
    with pytest.raises(SourceError, match=said) as error:
        both(header, cell)
    assert error.value.line == header.count("\n") + 1 + line


def test_no_solution_in_a_lecture(header):
    source = parse(
        f"{header}# %%\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n", Path("sources/lectures/01_arrays.py")
    )
    with pytest.raises(SourceError, match="a lecture has no solution regions"):
        derive(source, "lecture")
