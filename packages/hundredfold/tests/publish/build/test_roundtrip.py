"""`--from`: an edit made in JupyterLab, back in the source; and what is refused."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

LECTURE, EXERCISE = "sources/lectures/01_arrays.py", "sources/exercises/01_arrays.py"


def cell(notebook, text):
    """The one cell with `text` in it."""
    (found,) = [c for c in notebook.cells if text in c.source]
    return found


def take(checkout, folder, change):
    """Change a built notebook, take it back; the command's result and both sources."""
    notebook = checkout.read(folder)
    change(notebook)
    checkout.save(folder, notebook)
    done = checkout.build("--from", f"{folder}/01_arrays.ipynb")
    return done, *((checkout.root / name).read_text() for name in (LECTURE, EXERCISE))


def replaced(old, new):
    """A change of the text of one cell."""

    def change(notebook):
        found = cell(notebook, old)
        found.source = found.source.replace(old, new)

    return change


@pytest.mark.parametrize("folder", ["notebooks", "exercises", "solutions"])
def test_an_unchanged_notebook_changes_nothing(built, folder, lecture, exercise):
    done, *sources = take(built, folder, lambda notebook: None)
    assert done.exit_code == 0 and "nothing to take over" in done.output
    assert sources == [lecture, exercise]


def test_the_title_of_the_solutions_is_their_own_and_goes_back_as_that_of_the_exercises(built):
    assert built.read("exercises").cells[0].source == "# Arrays: exercises"
    assert built.read("solutions").cells[0].source == "# Arrays: solutions"
    done, _, source = take(built, "solutions", replaced("# Arrays: solutions", "# All arrays: solutions"))
    assert done.exit_code == 0 and "# # All arrays: exercises" in source and ": solutions" not in source


def test_what_jupyterlab_adds_to_a_notebook_changes_nothing(built, lecture):
    def open_run_and_save(notebook):
        notebook.metadata.language_info = {"name": "python", "version": "3.11.7", "mimetype": "text/x-python"}
        for c in notebook.cells:
            c.metadata["editable"] = True
            if c.cell_type == "code":
                c.execution_count = 17
                c.metadata["execution"] = {"iopub.status.busy": "2026-01-01"}
        notebook.cells.append(new_code_cell(""))  # the empty cell it leaves at the end

    done, source, _ = take(built, "notebooks", open_run_and_save)
    assert done.exit_code == 0 and source == lecture


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('print("the answer is", 2 * x + 2)', 'print("the answer", 2 * x + 2)'),
        ("# Some prose.", "# Some prose,\n#\n# and more."),
        ("# %who_ls", "# %who"),
        ("x = 20\n", "x = 20\ny = 3\n"),
        ('# %% tags=["raises-exception"]\n1 / (x - 20)', '# %% tags=["raises-exception"]\n2 / (x - 20)'),
    ],
)
def test_a_changed_lecture_cell_changes_its_lines_only(built, lecture, old, new):
    wanted = lecture.replace(old, new)
    assert wanted != lecture

    def bare(text):
        lines = [line for line in text.split("\n") if not line.startswith("# %% ")]
        return "\n".join(line.removeprefix("# ").removeprefix("#") for line in lines)

    done, source, _ = take(built, "notebooks", replaced(bare(old).strip("\n"), bare(new).strip("\n")))
    assert done.exit_code == 0, done.output
    assert "1 cell taken over" in done.output
    assert source == wanted


def test_new_moved_and_removed_cells(built, lecture):
    def change(notebook):
        notebook.cells.insert(1, new_markdown_cell("New *prose*."))
        notebook.cells.insert(3, new_code_cell("%time x", metadata={"tags": ["gpu-output"]}))
        notebook.cells.remove(cell(notebook, "x + 1"))

    done, source, _ = take(built, "notebooks", change)
    assert done.exit_code == 0, done.output
    wanted = lecture.replace("# Some prose.\n", "# Some prose.\n\n# %% [markdown]\n# New *prose*.\n")
    wanted = wanted.replace("x = 20\n", 'x = 20\n\n# %% tags=["gpu-output"]\n# %time x\n')
    assert source == wanted.replace("\n# %%\nx + 1\n", "")
    built.built("1")
    assert built.build("--check").exit_code == 0


def test_cells_that_change_places(built, lecture):
    def change(notebook):
        notebook.cells[3], notebook.cells[4] = notebook.cells[4], notebook.cells[3]

    done, source, _ = take(built, "notebooks", change)
    assert done.exit_code == 0, done.output
    prose, magic = "# %% [markdown]\n# More prose.\n\n", "# %%\n# %who_ls\n\n"
    assert source == lecture.replace(prose + magic, magic + prose)


@pytest.mark.parametrize(
    ("folder", "old", "new", "was", "becomes"),
    [
        # within a region, at its end, at its beginning, before it, after it, tags and points untouched
        ("solutions", "y = x + x", "y = 2 * x", "    y = x + x\n", "    y = 2 * x\n"),
        ("solutions", "    return y", "    z = y\n    return z", "    return y\n", "    z = y\n    return z\n"),
        (
            "solutions",
            "    return y",
            "    return y  # twice\n    # end",
            "    return y\n",
            "    return y  # twice\n    # end\n",
        ),
        (
            "solutions",
            "    # by addition",
            "    # first\n    # by addition",
            "    # by addition\n",
            "    # first\n    # by addition\n",
        ),
        ("solutions", '"""Twice x."""', '"""x twice."""', '"""Twice x."""', '"""x twice."""'),
        ("solutions", "answer = 42", "n = 6\nanswer = 7 * n", "answer = 42\n", "n = 6\nanswer = 7 * n\n"),
        ("solutions", "\n    return y", "", "    return y\n", ""),
        ("solutions", "double(1)", "double(2)", "double(1)", "double(2)"),
        ("solutions", "Addition is enough.", "It is.", "# Addition is enough.", "# It is."),
        ("exercises", '"""Twice x."""', '"""x twice."""', '"""Twice x."""', '"""x twice."""'),
        ("exercises", "## 1. Double", "## 1. Twice", "# ## 1. Double", "# ## 1. Twice"),
        (
            "exercises",
            "return x - 1",
            "return x - 2\n    y = 1",
            "    #     return x - 1\n",
            "    #     return x - 2\n    # y = 1\n",
        ),
        ("exercises", "answer = ...", "answer = ...\nother = ...", "answer = ...\n", "answer = ...\nother = ...\n"),
    ],
)
def test_regions_stay_where_they_were(built, exercise, folder, old, new, was, becomes):
    assert exercise.count(was) == 1
    done, _, source = take(built, folder, replaced(old, new))
    assert done.exit_code == 0, done.output
    assert source == exercise.replace(was, becomes)


def test_cells_of_the_other_product_stay_behind_their_neighbour(built, exercise):
    def change(notebook):
        notebook.cells.insert(5, new_markdown_cell("Inserted."))

    done, _, source = take(built, "exercises", change)
    assert done.exit_code == 0, done.output
    only = '# %% [markdown] tags=["solution-only"]\n# Addition is enough.\n\n'
    assert source == exercise.replace(only, only + "# %% [markdown]\n# Inserted.\n\n")


@pytest.mark.parametrize(
    ("folder", "change", "said"),
    [
        (
            "exercises",
            replaced("# your code here (about 2 lines)", "return x * 2"),
            "the gap of an exercise holds a learner's answer",
        ),
        (
            "exercises",
            lambda nb: nb.cells.append(new_code_cell("# your code here (about 1 line)")),
            "a new gap needs its solution",
        ),
        (
            "solutions",
            replaced('"""Twice x."""\n    # by addition', '"""Once."""'),
            "reaches over the edge of a region",
        ),
        ("solutions", lambda nb: nb.cells.remove(cell(nb, "y = x + x")), "not found in the notebook"),
        ("solutions", lambda nb: nb.cells.remove(cell(nb, "double(1)")), "not found in the notebook"),
        ("solutions", lambda nb: cell(nb, "y = x + x").update(cell_type="markdown"), "not found in the notebook"),
        ("solutions", replaced("answer = 42", "### BEGIN SOLUTION"), "inside a SOLUTION region"),
        ("notebooks", lambda nb: nb.cells.clear(), "the notebook is empty"),
        ("notebooks", replaced("x + 1", "# %%\nx + 1"), "begins with `# %%`"),
        ("notebooks", lambda nb: cell(nb, "x + 1").update(cell_type="raw"), "a raw cell"),
        ("notebooks", replaced("x + 1", "### BEGIN SOLUTION\nx + 1\n### END SOLUTION"), "no solution regions"),
    ],
)
def test_what_cannot_be_merged_is_refused_and_nothing_is_written(built, folder, change, said, lecture, exercise):
    def valid(notebook):
        change(notebook)
        for c in notebook.cells:
            if c.cell_type != "code":
                c.pop("outputs", None), c.pop("execution_count", None)

    done, *sources = take(built, folder, valid)
    assert done.exit_code == 1
    assert said in done.output and "Traceback" not in done.output, done.output
    assert sources == [lecture, exercise]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notebooks/02_memory.ipynb", "there is none"),
        ("work/01_arrays.ipynb", "a built notebook lies in notebooks/, exercises/, solutions/ or syllabi/"),
    ],
)
def test_a_notebook_without_a_source_is_refused(built, name, said):
    done = built.build("--from", name)
    assert done.exit_code == 2 and said in done.output


def test_a_missing_notebook_is_said(built):
    (built.root / "notebooks" / "01_arrays.ipynb").unlink()
    done = built.build("--from", "notebooks/01_arrays.ipynb")
    assert done.exit_code == 1 and "there is no such notebook" in done.output
