"""`hundredfold build` from outside, in a checkout of its own."""

import json
import os
import re
import shutil
import signal
import time

import pytest
from nbformat.v4 import new_output


def changed(before: str, after: str) -> list[str]:
    """Ids of the cells in which two notebook files differ."""
    old, new = ({c["id"]: c for c in json.loads(text)["cells"]} for text in (before, after))
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


@pytest.mark.large
def test_two_builds_give_the_same_bytes(built, checkout, lecture, exercise):
    checkout.write("lectures", lecture)
    checkout.write("exercises", exercise)
    checkout.built()
    assert checkout.bytes() == built.bytes()
    before = built.bytes()
    assert "nothing to run" in built.built()
    assert built.bytes() == before
    built.built("--refresh")
    assert built.bytes() == before


def test_what_a_build_makes(built):
    assert [str(p) for p in built.bytes()] == [
        "exercises/01_arrays.ipynb",
        "notebooks/01_arrays.ipynb",
        "solutions/01_arrays.ipynb",
    ]
    lecture = built.read("notebooks")
    assert [c.execution_count for c in lecture.cells if c.cell_type == "code"] == [1, 2, 3, 4, 5]
    assert lecture.cells[2].outputs[0].text == "the answer is 42\n"
    assert set(lecture.metadata) == {"hundredfold", "kernelspec", "language_info"}
    assert lecture.metadata.kernelspec.name == "python3"
    solution = "\n".join(c.source for c in built.read("solutions").cells)
    assert "SOLUTION" not in solution and "STARTER" not in solution and "y = x + x" in solution
    exercise = built.read("exercises")
    assert all(not c.outputs and c.execution_count is None for c in exercise.cells if c.cell_type == "code")
    assert not any(str(built.root) in text.decode() for text in built.bytes().values())


@pytest.mark.large(smoke=1)
@pytest.mark.parametrize(
    ("old", "new", "cells"),
    [
        ("# Some prose.", "# Other prose.", ["arrays-01"]),
        ("x + 1", "x + 2", ["arrays-07"]),
        ('print("the answer is",', 'print("The answer is",', ["arrays-03"]),
        ("# More prose.", "# More prose.\n\n# %% [markdown]\n# Inserted.", ["arrays-09"]),
    ],
)
def test_a_changed_line_changes_its_cell_only(built, old, new, cells):
    before = {name: data.decode() for name, data in built.bytes().items()}
    built.edit("lectures", old, new)
    built.built()
    after = {name: data.decode() for name, data in built.bytes().items()}
    assert changed(before["notebooks/01_arrays.ipynb"], after["notebooks/01_arrays.ipynb"]) == cells
    assert before["exercises/01_arrays.ipynb"] == after["exercises/01_arrays.ipynb"]
    assert before["solutions/01_arrays.ipynb"] == after["solutions/01_arrays.ipynb"]


def test_prose_is_built_without_running_anything(lectures):
    lectures.edit("lectures", "# Some prose.", "# Other prose.")
    assert "notebooks/01_arrays.ipynb: written (nothing to run)" in lectures.built()


def test_a_cell_that_says_something_else_after_an_edit_above_it_is_renewed(lectures):
    lectures.edit("lectures", "x = 20", "x = 20.0")
    lectures.built()
    cells = lectures.read("notebooks").cells
    assert [c.outputs[0].text for c in cells if "print" in c.source] == ["the answer is 42.0\n"]
    assert cells[-2].outputs[0].data["text/plain"] == "21.0"


MEASURED = """
# %%
from time import perf_counter_ns
print(f"{1 + perf_counter_ns() % 900} ms")
"""


def test_a_measured_output_stays_until_refreshed(lectures, lecture):
    lectures.write("lectures", lecture + MEASURED)
    lectures.built()

    def measured():
        return lectures.read("notebooks").cells[-2].outputs[0].text

    first = measured()
    lectures.edit("lectures", "x + 1\n", "x + 2\n")
    assert "outputs renewed" in lectures.built()
    assert measured() == first
    for _ in range(5):  # one of 900 may come twice in a row
        lectures.built("--refresh")
        if measured() != first:
            break
    assert measured() != first


GPU = '\n# %% tags=["gpu-output"]\nprint("H100")\n'


def test_gpu_output_is_only_stored_from_a_gpu(lectures, lecture, monkeypatch):
    monkeypatch.setattr("hundredfold.publish.build.assembling._has_gpu", lambda: False)
    lectures.write("lectures", lecture + GPU)
    said = lectures.built()
    assert "cell arrays-09 shows its output once it is built on a machine with a GPU" in said
    cell = lectures.read("notebooks").cells[-2]
    assert cell.outputs == [] and cell.execution_count is None
    assert lectures.build("--check", "1").exit_code == 0
    assert "nothing to run" in lectures.built().split("\n")[0]

    notebook = lectures.read("notebooks")
    notebook.cells[-2].update(execution_count=6, outputs=[new_output("stream", text="B200\n")])
    lectures.save("notebooks", notebook)
    lectures.built("--refresh")
    assert lectures.read("notebooks").cells[-2].outputs[0].text == "B200\n"


def test_gpu_output_is_stored_on_a_gpu(lectures, lecture):
    from hundredfold.publish.build.assembling import build
    from hundredfold.publish.build.products import products
    from hundredfold.publish.build.sources import read

    (product,) = products(read(lectures.write("lectures", lecture + GPU)))
    done = build(product, lectures.root, gpu=True)
    assert done.missing == []
    assert lectures.read("notebooks").cells[-2].outputs[0].text == "H100\n"


@pytest.mark.large(smoke=1)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "x = 20",
            "x = 20\n\n\ndef f():\n    return y\n\nf()",
            "{}:21: the cell raised NameError: name 'y' is not defined",
        ),
        ("1 / (x - 20)", "x", "{}:29: the cell is tagged raises-exception but did not raise"),
        ("x = 20", "import os\nos._exit(3)", "{}:17: the kernel died in this cell"),
        ("x + 1", "x +", "{}:32: the cell raised SyntaxError: invalid syntax\n"),
    ],
)
def test_a_failing_cell_is_named_by_file_and_line_and_nothing_is_written(built, old, new, said):
    before = built.bytes()
    built.edit("lectures", old, new)
    done = built.build()
    source = str(built.root / "sources" / "lectures" / "01_arrays.py")
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: " + said.format(source)), done.stderr
    assert "Traceback (most recent call last):\n  File" not in done.stderr
    assert built.bytes() == before


def test_a_wrong_solution_fails_the_build(built, exercise):
    """Solutions are run as graded ones are: a wrong answer raises there."""
    strict = (
        'import os\n    if not answer[0] and os.environ["HUNDREDFOLD_STRICT"] == "1": raise AssertionError("wrong")'
    )
    text = exercise.replace('print(name, "right"', strict + '\n    print(name, "right"')
    built.write("exercises", text)
    built.built("--refresh")
    built.edit("exercises", "    return x + 1\n", "    return x\n")
    done = built.build()
    assert done.exit_code == 1 and "the cell raised AssertionError: wrong" in done.stderr


def test_what_is_stored_was_measured_with_all_samples(built, monkeypatch):
    """Readers see these numbers. Under test, as here, the variable is set."""
    monkeypatch.setenv("HUNDREDFOLD_ONE_SAMPLE", "1")
    measuring = "from hundredfold import measure\nprint(len(measure(list, range(9)).times))\nx = 20"
    built.edit("lectures", "x = 20", measuring)
    built.built()
    printed = "".join(o.get("text", "") for c in built.read("notebooks").cells for o in c.get("outputs", ()))
    assert int(re.search(r"^(\d+)$", printed, re.MULTILINE)[1]) >= 7


def test_ctrl_c_leaves_the_old_notebooks_and_no_rest(lectures):
    before = lectures.bytes()
    listing = sorted(p.name for p in lectures.root.rglob("*"))
    marker = lectures.root.parent / "running"
    lectures.edit("lectures", "x = 20", f"open({str(marker)!r}, 'w').close()\nimport time; time.sleep(60)\nx = 20")
    process = lectures.start(start_new_session=True)
    deadline = time.monotonic() + 60
    while not marker.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert marker.exists()
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "Traceback" not in out, out
    assert lectures.bytes() == before
    assert sorted(p.name for p in lectures.root.rglob("*")) == listing


def test_an_unreadable_notebook_is_named(built):
    (built.root / "notebooks" / "01_arrays.ipynb").write_text("<<<<<<< HEAD")
    done = built.build()
    assert done.exit_code == 1 and "not a readable notebook" in done.stderr


@pytest.mark.parametrize("unit", ["1", "01", "arrays", "01_arrays", "notebooks/01_arrays.ipynb"])
def test_a_unit_has_many_names(built, unit):
    built.write("lectures", "not a source", "02_memory.py")
    assert "notebooks/01_arrays.ipynb: unchanged" in built.built(unit)


def test_an_unknown_unit_and_a_missing_folder_are_said_in_one_sentence(built, tmp_path):
    done = built.build("memory")
    assert done.exit_code == 2 and "There is no unit 'memory'. There are: 01_arrays" in done.stderr
    done = built.build("--check", "--refresh")
    assert done.exit_code == 2 and "exclude each other" in done.stderr
    shutil.rmtree(built.root / "sources")
    done = built.build("--root", ".")
    assert done.exit_code == 2 and "no sources/ folder" in done.stderr
