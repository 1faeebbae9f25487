"""``hundredfold preflight`` on a small course of its own: what goes well, what fails and how it is named, and how it goes on."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from click.testing import CliRunner
from nbformat import v4, write

from hundredfold.classroom.preflight import jobs, results, running
from hundredfold.classroom.preflight.command import command

SECONDS = 300  # for what hangs


def notebook(folder, name, *cells):
    made = v4.new_notebook(
        cells=[v4.new_code_cell(source, id=f"cell-{n}") for n, source in enumerate(cells, start=1)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    folder.mkdir(parents=True, exist_ok=True)
    write(made, folder / f"{name}.ipynb")


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    folder = tmp_path / "course"
    notebook(folder / "notebooks", "01_first", "x = 1", "assert x == 1")
    return folder


def run(course, *arguments):
    return CliRunner().invoke(command, ["--course", str(course), "--gpus", "none", *arguments], env={"COLUMNS": "160"})


def outcomes(done):
    return json.loads(done.stdout)


def test_every_unit_on_every_seat(course):
    notebook(course / "exercises", "01_first", "y = 2")
    done = run(course, "--learners", "2")
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "4 runs: 2 notebooks on 2 seats" in said and "All 4 runs went well, on 2 seats." in said
    assert "01_first lectures 2 of 2" in said and "01_first exercises 2 of 2" in said


@pytest.mark.large
def test_a_failure_names_unit_cell_and_seat_and_the_next_call_goes_on(course):
    only = "import os; seat = os.environ['OMP_NUM_THREADS']"
    notebook(course / "notebooks", "02_broken", only, "# the sum\n1 / 0")
    done = run(course, "--learners", "2", "--seats", "2")
    assert done.exit_code == 1
    said = " ".join(done.output.split())
    assert "✘ 02_broken, lectures, cell 2 (cell-2), on seat 2 (simulated): # the sum ZeroDivisionError" in said
    assert "1 run of 2 failed, on 1 seat." in said
    notebook(course / "notebooks", "02_broken", only, "1 / 1")
    again = run(course, "--learners", "2", "--seats", "2", "--json")
    assert again.exit_code == 0 and "1 run went well before" in again.stderr
    assert [(each["stem"], each["ok"], each["seat"]) for each in outcomes(again)] == [
        ("01_first", True, 2), ("02_broken", True, 2),
    ]  # fmt: skip
    assert "2 runs went well before" in run(course, "--learners", "2", "--seats", "2").stderr
    assert "before" not in run(course, "--learners", "2", "--seats", "2", "--units", "1", "--again").stderr
    assert "before" not in run(course, "--learners", "2", "--seats", "2", "--units", "1", "--memory", "1500M").stderr


def test_a_notebook_has_the_seats_environment_and_nothing_of_ours(course, monkeypatch, tmp_path):
    ours = ("HUNDREDFOLD_CLASS", "HUNDREDFOLD_STRICT", "GPUSIM_THREAD_SECONDS", "KERNELLENS_COMPILER")
    for name in (*ours, "CUPY_GPU_MEMORY_LIMIT", "DASK_TEMPORARY_DIRECTORY"):
        monkeypatch.setenv(name, "1")
    code = (
        "import os, tempfile\n"
        "assert os.environ['HUNDREDFOLD_SEAT'] == 'simulated' and os.environ['GPUSIM_GPUS'] == '2'\n"
        "assert int(os.environ['GPUSIM_GPU_MEMORY']) == 2**30 // 4 and os.environ['OMP_NUM_THREADS'] == '1'\n"
        "assert not {'HUNDREDFOLD_CLASS', 'GPUSIM_THREAD_SECONDS', 'KERNELLENS_COMPILER', 'CUPY_GPU_MEMORY_LIMIT', 'DASK_TEMPORARY_DIRECTORY'} & set(os.environ)\n"
        f"assert os.environ['HUNDREDFOLD_STATE'] != {str(tmp_path / 'state')!r}\n"
        "from hundredfold.learning.problems import progress\n"
        "from hundredfold.learning.problems.verdict import Verdict\n"
        "assert progress.record(Verdict('arrays.port', 'right')) and progress.read()\n"
    )
    notebook(course / "notebooks", "01_first", code, "assert os.environ['HUNDREDFOLD_STRICT'] == ''")
    notebook(course / "solutions", "01_first", "import os; assert os.environ['HUNDREDFOLD_STRICT'] == '1'")
    done = run(course, "--memory", "1G", "--json")
    assert done.exit_code == 0, done.output
    assert not (tmp_path / "state" / "progress.jsonl").exists()


@pytest.mark.large
def test_as_root_without_certificates_it_says_what_others_can_do(course, monkeypatch):
    """With them: tests/hub/test_isolation.py."""
    for user, made, told in ((0, False, True), (0, True, False), (1000, False, False)):
        monkeypatch.setattr(running, "has_certificates", lambda made=made: made)
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        monkeypatch.setattr(running, "everything", lambda *_: iter(()))
        said = run(course, "--learners", "1").stderr
        assert ("as root: the package cryptography is missing" in said) == told, said


def test_a_seat_is_held_to_its_memory(course):
    notebook(course / "notebooks", "01_first", "held = 1", "held = bytearray(2 << 30)\nheld[::4096] = bytes(2 << 18)")
    done = run(course, "--memory", "1G", "--json")
    (outcome,) = outcomes(done)
    if "memory" in outcome["unlimited"]:  # then it is said, and no more is claimed
        assert "Not held to their main memory" in " ".join(run(course, "--memory", "1G", "--again").output.split())
        return
    assert done.exit_code == 1 and outcome["cell"] == 2
    assert outcome["said"] == "the kernel died: the seat's 1.0 GiB of main memory were not enough"
    assert outcome["memory"] <= 1 << 30


@pytest.mark.large
def test_a_cell_that_hangs_is_ended_and_named(course):
    notebook(course / "notebooks", "01_first", "import time", "while True: time.sleep(0.1)")
    done = run(course, "--cell-time", "5", "--json")
    (outcome,) = outcomes(done)
    assert done.exit_code == 1 and (outcome["cell"], outcome["said"]) == (2, "the cell took longer than 5 s")


def test_what_is_no_notebook_is_said(course):
    (course / "notebooks" / "01_first.ipynb").write_text("<<<<<<< HEAD")
    done = run(course)
    assert done.exit_code == 1 and "before its first cell" in done.output


@pytest.mark.large
def test_ctrl_c_ends_what_runs_and_the_next_call_goes_on(course, tmp_path):
    mark = tmp_path / "mark"
    notebook(
        course / "notebooks", "02_long", f"import os, time\nopen({str(mark)!r}, 'w').write(str(os.getpid()))", "time.sleep(600)"
    )  # fmt: skip
    code = "from hundredfold.cli import main; main()"
    arguments = ["preflight", "--course", str(course), "--gpus", "none", "--at-once", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + SECONDS
    while not (mark.exists() and mark.read_text()):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=SECONDS)[1]
    assert process.returncode == 130 and "Stopped after 1 of 2; the same command goes on from here." in said
    kernel = int(mark.read_text())
    while os.path.exists(f"/proc/{kernel}") and not _zombie(kernel):
        assert time.monotonic() < end
        time.sleep(0.1)
    notebook(course / "notebooks", "02_long", "1")
    assert "1 run went well before" in run(course).stderr


def _zombie(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


# --- without kernels


def seat(number, place="simulated"):
    return jobs.Seat(number, place, 1 << 30, 1.0, ())


def test_never_two_notebooks_on_one_seat(course, monkeypatch):
    for number in range(2, 6):
        notebook(course / "notebooks", f"{number:02d}_more", "1")
    on, lock, most = {}, threading.Lock(), []

    def fake(job, seconds, stop=None):
        with lock:
            on[job.seat.number] = on.get(job.seat.number, 0) + 1
            most.append((max(on.values()), sum(on.values())))
        time.sleep(0.01)
        with lock:
            on[job.seat.number] -= 1
        return running.Outcome(job.kind, job.stem, job.seat.number, job.seat.place, True, 0.0, None)

    monkeypatch.setattr(running, "run", fake)
    todo = jobs.jobs(jobs.notebooks((), ["lectures"], course), [seat(1), seat(2), seat(3)])
    assert len(list(running.everything(todo, 3, 10))) == 15
    assert max(each for each, _ in most) == 1 and 2 <= max(both for _, both in most) <= 3


def test_which_seats():
    there = [seat(1, "GPU 0"), seat(2, "GPU 1"), seat(3, "GPU 0"), seat(4)]

    def numbers(text):
        return [each.number for each in jobs.chosen_seats(there, text)]

    assert numbers(None) == [1, 2, 3, 4] and numbers("1,3-4") == [1, 3, 4] and numbers("kinds") == [1, 2, 4]
    for text, said in (
        ("5", "no seat 5; there are 4"),
        ("a", "write numbers"),
        ("1-", "no seat"),
        ("", "write numbers"),
    ):
        if text == "1-":
            assert numbers(text) == [1]
            continue
        with pytest.raises(jobs.NothingToRun, match=said):
            numbers(text)


def test_seats_are_a_hubs(course, tmp_path):
    file = tmp_path / "hub.toml"
    file.write_text('[seats]\nlearners = 3\nmemory = "1G"\ncores = 1\ngpus = "none"\n')
    done = run(course, "--settings", str(file), "--json")
    assert [each["seat"] for each in outcomes(done)] == [1, 2, 3]
    file.write_text('[seats]\nlearners = 3\nmemory = "1G"\ncores = 1\nchairs = 4\n')
    assert "chairs" in run(course, "--settings", str(file)).output


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--units", "77"], 2, "There is no unit '77'. There are: 01_first"),
        (["--what", "slides"], 2, "there are lectures, exercises, solutions"),
        (["--what", "solutions"], 2, "no notebooks of that kind"),
        (["--memory", "10M"], 2, "give more"),
        (["--seats", "9"], 2, "There is no seat 9"),
        (["--settings", "/nowhere/hub.toml"], 2, "cannot be read as a hub's settings"),
    ],
)
def test_bad_input(course, arguments, status, said):
    done = run(course, *arguments)
    assert done.exit_code == status and said in " ".join(done.output.split()), done.output


def test_a_broken_line_of_the_ledger_loses_only_itself(course):
    (job,) = jobs.jobs(jobs.notebooks((), ["lectures"], course), [seat(1)])
    fine = running.Outcome("lectures", "01_first", 1, "simulated", True, 1.0, 5, ("cpu",))
    results.note(job, fine)
    with open(results.file(), "a") as out:
        out.write('{"half\n[1]\n{"key": 3}\n')
    assert results.passed([job]) == {job: fine}
    results.note(job, running.Outcome("lectures", "01_first", 1, "simulated", False, 1.0, 5))
    assert results.passed([job]) == {}, "what failed last is run again"
