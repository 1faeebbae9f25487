"""`check` and `hint` from outside: what is printed, what is raised, what a notebook and a grader see."""

import subprocess
import sys

import pytest

import hundredfold
from hundredfold.learning import problems
from hundredfold.learning.cards import wrap
from hundredfold.learning.checking import CheckFailed, check, hint
from hundredfold.learning.problems import progress, sharing

RIGHT = (5e9, 0.00556, 0.000444)


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    module = sys.modules["hundredfold.learning.checking"]
    monkeypatch.setattr(module, "_seen", {})
    monkeypatch.setattr(module, "_unsaved_said", False)
    monkeypatch.setattr(module, "_full_said", False)
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delenv("HUNDREDFOLD_STRICT", raising=False)


def said(capfd, *args):
    assert check(*args) is None
    out, err = capfd.readouterr()
    assert err == ""
    return out


def test_right(capfd):
    assert said(capfd, "arrays.possible", *RIGHT) == (
        "✔ arrays.possible: right.\n"
        "  Verified: nbytes: 5 GB for seven kernels, each operand read or written once, a bool of one\n"
        "  byte.\n"
        "  t_seven: 5 GB at 900 GB/s take at least 5.56 ms, seven times what was published.\n"
        "  t_once: to read x once takes 0.444 ms. That alone would fit, but the seven kernels do not.\n"
    )


def test_not_attempted(capfd):
    assert said(capfd, "arrays.possible", ..., ..., None) == "○ arrays.possible: not attempted yet. About 4 lines.\n"


def test_attempted_in_part(capfd):
    out = said(capfd, "arrays.possible", RIGHT[0], ..., RIGHT[2])
    assert out == "○ arrays.possible: not attempted yet: t_seven (nbytes and t_once are right).\n"


def test_wrong_says_why_and_one_hint(capfd):
    out = said(capfd, "arrays.possible", 2.9e9, ..., ...)
    assert out.startswith("✘ arrays.possible: nbytes is 2.9 GB: that is what the kernels read.")
    assert out.count("Hint") == 1
    assert 'hint("arrays.possible")' in out


def test_a_number_is_written_in_one_piece(capfd):
    out = said(capfd, "merges.count", 230_400_000, ..., ..., ..., ..., ...)
    assert "inner is 230 400 000, which" in out
    for before in range(60, 100):  # wherever the line ends
        assert "1 830 400 000 rows" in wrap("x" * before + " has 1 830 400 000 rows")


def test_a_notebook_goes_on_after_a_wrong_answer(capfd):
    said(capfd, "arrays.worth", {})
    said(capfd, "arrays.worth", 3)


def test_hints_unfold_one_at_a_time(capfd):
    problem = problems.find("arrays.clock")
    for number, text in enumerate(problem.hints, start=1):
        hint("arrays.clock")
        out = capfd.readouterr().out
        assert out.startswith(f"Hint {number} of {len(problem.hints)}:")
        assert text[:30] in out
    hint("arrays.clock")
    assert "last hint" in capfd.readouterr().out


def test_a_first_hint_that_was_shown_counts_as_seen(capfd):
    first = next(
        problem
        for name in problems.ids()
        if (problem := problems.find(name)).kind == "predict" and problem.hints[0].startswith(f"`{problem.answers[0]}`")
    )
    out = said(capfd, first.id, 1e-30, *(... for _ in first.answers[1:]))
    assert first.hints[0][:20] in out
    hint(first.id)
    assert capfd.readouterr().out.startswith("Hint 2 of")


def test_what_is_not_recognised_is_said_plainly(capfd):
    """A hint on how to begin would only lead away from the mistake."""
    out = said(capfd, "arrays.possible", 1.0, ..., ...)
    assert "The check does not know what causes this." in out and "Hint:" not in out
    hint("arrays.possible")
    assert capfd.readouterr().out.startswith("Hint 1 of")


@pytest.mark.parametrize("answers", [(), (1, 2), (1, 2, 3, 4)])
def test_a_wrong_number_of_answers(capfd, answers):
    out = " ".join(said(capfd, "arrays.possible", *answers).split())
    assert "takes 3 answers" in out
    assert 'check("arrays.possible", nbytes, t_seven, t_once)' in out


def test_an_unknown_problem(capfd):
    assert 'Did you mean "arrays.port"' in said(capfd, "arrays.prot", 1)
    hint("arrays.prot")
    assert "Did you mean" in capfd.readouterr().out


def test_the_name_forgotten(capfd):
    assert "name of a problem" in said(capfd, len)


@pytest.mark.parametrize("answers", [(..., ..., ...), (1.0, 2.0, 3.0), (RIGHT[0], ..., ...), (1,)])
def test_graded_whatever_is_not_right_raises(monkeypatch, capfd, answers):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(CheckFailed, match=r"arrays\.possible"):
        check("arrays.possible", *answers)
    assert progress.read() == []  # a grader's run is nobody's progress
    assert capfd.readouterr().err == ""


def test_graded_right_passes(monkeypatch, capfd):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert said(capfd, "arrays.possible", *RIGHT).startswith("✔")


def test_graded_an_unknown_problem_raises(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(CheckFailed):
        check("arrays.prot", 1)


def test_graded_an_answer_meets_the_same_cases_whatever_was_refused_before(monkeypatch, capfd):
    attempts = []
    judge = problems.judge
    monkeypatch.setattr(problems, "judge", lambda *given, attempt: attempts.append(attempt) or judge(*given))
    said(capfd, "arrays.possible", 1.0, ..., ...)
    said(capfd, "arrays.possible", *RIGHT)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    said(capfd, "arrays.possible", *RIGHT)
    assert [each.seed is None for each in attempts] == [True, False, True]


def test_strict_raises_for_wrong_and_not_for_untouched(monkeypatch, capfd):
    monkeypatch.setenv("HUNDREDFOLD_STRICT", "1")
    assert said(capfd, "arrays.possible", ..., ..., ...).startswith("○")
    with pytest.raises(AssertionError):
        check("arrays.possible", 1.0, ..., ...)


@pytest.mark.parametrize("off", ["", "0"])
def test_strict_can_be_off(monkeypatch, capfd, off):
    monkeypatch.setenv("HUNDREDFOLD_STRICT", off)
    assert said(capfd, "arrays.possible", 1.0, ..., ...).startswith("✘")


def test_verdicts_are_recorded(capfd):
    said(capfd, "arrays.possible", 1.0, ..., ...)
    said(capfd, "arrays.possible", *RIGHT)
    assert [line["outcome"] for line in progress.read()] == ["wrong", "right"]


def test_progress_that_cannot_be_saved_is_said_once(monkeypatch, tmp_path, capfd):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "file" / "deeper"))
    first, second = said(capfd, "arrays.possible", *RIGHT), said(capfd, "arrays.possible", *RIGHT)
    assert "progress is not being saved" in first
    assert second == first[: first.index("  (Your progress")]


def test_a_class_folder_that_is_full_is_said_once(capfd, monkeypatch):
    monkeypatch.setattr(sharing, "share", lambda **line: False)
    monkeypatch.setattr(sharing, "full", True)
    first, again = said(capfd, "arrays.possible", *RIGHT), said(capfd, "arrays.possible", *RIGHT)
    assert "no room in the class's folder: tell your instructor" in " ".join(first.split())
    assert "no room" not in again and len(progress.read()) == 2


def test_ctrl_c_in_a_learners_function_stops_the_check_and_nothing_else(capfd):
    # From outside: the process is interrupted while the learner's loop runs, and goes on to its next cell.
    code = (
        "import os, signal, sys, threading\n"
        "import gpusim; gpusim.activate()\n"
        "from hundredfold.learning.checking import check\n"
        "def seconds(fn):\n"
        "    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    while True: pass\n"
        "try: check('arrays.clock', seconds)\n"
        "except KeyboardInterrupt: print('stopped')\n"
        "print(signal.getitimer(signal.ITIMER_REAL))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.stdout == "stopped\n(0.0, 0.0)\n", done.stderr


def test_the_same_answer_prints_the_same(capfd):
    assert said(capfd, "arrays.worth", {}) == said(capfd, "arrays.worth", {})


def test_from_the_package_in_a_fresh_process():
    code = "from hundredfold import check, hint; check('arrays.possible', ..., ..., ...); hint('arrays.possible')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "not attempted yet" in done.stdout and "Hint 1 of" in done.stdout


def test_without_cupy_it_says_which_line_brings_it():
    code = "from hundredfold.learning.checking import check; check('arrays.port', lambda x: x + 1)"
    # A cupy that cannot be imported, whatever this environment holds.
    block = "import sys; sys.modules['cupy'] = None\n"
    done = subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True, encoding="utf-8")
    assert done.stdout.startswith("○ arrays.port: not judged:"), done.stderr
    assert "%load_ext hundredfold" in done.stdout


def test_in_a_notebook_nothing_goes_to_stderr_and_no_cell_fails(tmp_path):
    import nbformat
    from nbclient import NotebookClient

    cells = [
        "from hundredfold.learning.checking import check, hint",
        'check("arrays.possible", ..., ..., ...)',
        'check("arrays.worth", {"small_sum": "gpu"})',
        "import time\ndef seconds(fn):\n    return 1 / 0\nimport sys\nsys.modules['cupy'] = "
        "None\ncheck('arrays.clock', seconds)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=60,
        coalesce_streams=True,  # a line may come in two messages
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    assert {output.output_type for output in outputs} == {"display_data"}
    assert [output.data["text/plain"][0] for output in outputs] == ["○", "✘", "○"]
    assert all("<details" not in outputs[n].data["text/html"] for n in (0, 2)), "a hint before anything was tried"
    assert "Show hint 1 of" in outputs[1].data["text/html"]


def test_in_a_notebook_the_learner_is_told_their_own_line(tmp_path):
    import nbformat
    from nbclient import NotebookClient

    cells = [
        "%load_ext hundredfold\nimport numpy as np\nimport cupy as cp\nfrom hundredfold import check, hint",
        "def standardise(x):\n    mean = x.mean(axis=0)\n    return np.asarray(x) - mean",
        'check("arrays.port", standardise)',
        "def spread(x):\n    return float(x.std())",
        'check("arrays.lean", spread)\nhint("arrays.lean")',
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=60,
        coalesce_streams=True,  # a line may come in two messages
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    wrong, right = (" ".join(notebook.cells[n].outputs[0].data["text/plain"].split()) for n in (2, 4))
    assert "<code>return np.asarray(x) - mean</code>" in notebook.cells[2].outputs[0].data["text/html"]
    assert "raised TypeError: Implicit conversion to a NumPy array is not allowed" in wrong
    assert "in line 3 of `standardise`: `return np.asarray(x) - mean`" in wrong
    assert right.startswith("✔ arrays.lean: right.")
    assert notebook.cells[4].outputs[1].text.startswith("Hint 1 of 3")
    assert {output.get("name") for cell in notebook.cells for output in cell.outputs} == {None, "stdout"}


def test_the_package_offers_them():
    assert callable(hundredfold.hint)


def test_a_hint_without_a_name_is_about_the_last_check(capfd, monkeypatch):
    monkeypatch.setattr(sys.modules["hundredfold.learning.checking"], "_last", None)
    hint()
    assert "Which problem?" in capfd.readouterr().out
    said(capfd, "arrays.clock", ...)
    hint()
    assert problems.find("arrays.clock").hints[0][:20] in capfd.readouterr().out


def test_a_reason_that_says_it_all_stands_without_a_hint_on_how_to_begin(capfd):
    out = said(capfd, "arrays.possible", "5e9", ..., ...)  # of the wrong type
    assert "Hint:" not in out and 'More: hint("arrays.possible")' in out
