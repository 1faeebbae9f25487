"""``hundredfold progress``, for a learner."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from hundredfold.learning.problems import progress
from hundredfold.learning.problems.verdict import Verdict
from hundredfold.learning.progress import catalogue, own
from hundredfold.learning.progress.command import command


def run(*arguments):
    return CliRunner().invoke(command, arguments, env={"COLUMNS": "160"})


def line(minute, problem, outcome, reason=None, second=0):
    return {
        "time": f"2026-11-22T10:{minute:02d}:{second:02d}+00:00",
        "problem": problem,
        "outcome": outcome,
        "reason": reason,
    }


def test_the_catalogue_is_what_the_problems_say():
    """In a process of its own: importing all the judges takes seconds, which is why there is a catalogue."""
    code = (
        "import json; from hundredfold.learning import problems\n"
        "print(json.dumps({name: problems.find(name).title for name in problems.ids()}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    known = json.loads(done.stdout)
    units = {unit.slug for unit in catalogue.units()} & {name.split(".")[0] for name in known}
    listed = [name for name in catalogue.problems() if name.split(".")[0] in units]
    assert listed == [name for name in known if name.split(".")[0] in units]
    assert {"arrays", "memory", "learning"} <= units


def test_time_is_what_passed_before_each_check_without_pauses():
    found = own.standings(
        [
            line(0, "arrays.port", "untouched"),
            line(4, "arrays.port", "wrong", "device"),
            line(5, "arrays.count", "wrong", "host"),
            line(7, "arrays.port", "right"),
            line(9, "arrays.port", "wrong", "type"),
            line(50, "arrays.count", "right"),
        ]
    )
    port, count = found["arrays.port"], found["arrays.count"]
    assert (port.tries, port.seconds, port.reasons) == (2, 6 * 60, ["device"])
    assert port.solved.minute == 7, "what comes after the first right answer does not undo it"
    assert (count.tries, count.seconds) == (2, 60), "41 minutes were a pause"


def test_lines_in_any_order_and_lines_that_are_none():
    good = [line(2, "arrays.port", "right"), line(1, "arrays.port", "wrong", "dtype")]
    bad = [{}, {"time": "yesterday"}, {**good[0], "time": None}, {**good[0], "problem": 3}, {**good[0], "outcome": "x"}]
    bad.append({**good[0], "time": "2026-11-22T10:00:00"})  # without a zone it cannot be compared
    assert own.standings([*bad, *good])["arrays.port"].tries == 2


def test_what_is_solved_is_shown_by_unit():
    progress.record(Verdict("arrays.port", "wrong", "device"))
    progress.record(Verdict("arrays.port", "right"))
    progress.record(Verdict("memory.fuse", "untouched"))
    progress.record(Verdict("gone.problem", "right"))
    done = run()
    assert done.exit_code == 0, done.output
    assert f"1 of {len(catalogue.problems())} problems are solved" in done.output
    assert "✔" in done.output and "arrays.port" in done.output and "Not begun: 03 protocols" in done.output
    told = json.loads(run("--json").output)
    arrays = told["units"][0]
    assert (arrays["slug"], arrays["solved"]) == ("arrays", 1)
    assert {row["problem"]: (row["state"], row["tries"]) for row in arrays["problems"]}["arrays.port"] == ("solved", 2)
    assert [row["problem"] for row in told["other"]] == ["gone.problem"] and told["shared_with"] is None


@pytest.mark.parametrize("unit", ["7", "07", "dataframes", "07_dataframes"])
def test_one_unit_in_full(unit):
    done = run(unit)
    assert done.exit_code == 0 and "dataframes." in done.output and "arrays.port" not in done.output


def test_an_unknown_unit_is_said():
    done = run("70")
    assert done.exit_code == 2 and "There is no unit '70'. There are: 01_arrays" in done.output


def test_nothing_yet():
    done = run()
    assert done.exit_code == 0 and done.output.startswith("0 of ")


def test_a_run_of_the_solutions_is_nobodys_progress(monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/anna/work/solutions/01_arrays.ipynb")
    assert progress.record(Verdict("arrays.port", "right")) and progress.read() == []
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/anna/work/exercises/01_arrays.ipynb")
    assert progress.record(Verdict("arrays.port", "right")) and len(progress.read()) == 1
