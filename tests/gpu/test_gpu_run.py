"""The runner of tests/gpu/run: what crashes, hangs or is killed costs one part, and what has ended is not done again."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))
from gpu import results_file, running, stages, summary, truth  # noqa: E402
from gpu.stages import sharing  # noqa: E402

WAIT = 120  # seconds after which something hangs on this machine, however busy


def stage(folder, *parts):
    named = [part if isinstance(part, dict) else {"name": part} for part in parts]
    return running.Stage(
        "rehearsal", "Rehearsal", 1, sys.executable, {"folder": str(folder), "dry": True, "parts": named}
    )


def run(folder, *parts, left=float("inf"), have=()):
    book = results_file.ResultsFile([folder], simulated=True, machine="here")
    said = []
    counts = running.run(stage(folder, *parts), book, running.Clock(left, now=lambda: 0), set(have), said.append)
    return counts, book.results("rehearsal"), said


def done(folder):
    return (folder / "done.txt").read_text().split("\n")[:-1]


def test_what_raises_crashes_or_hangs_costs_one_part(tmp_path):
    parts = [
        "first",
        "raises",
        "crashes",
        {"name": "hangs", "patience": 0.5},
        "last",
        {"name": "rapids", "needs": ["cudf"]},
    ]
    counts, results, said = run(tmp_path, *parts)
    ended = {part: line["status"] for part, line in results.items()}
    assert ended == {"first": "done", "raises": "failed", "crashes": "crashed", "hangs": "hung", "last": "done"}
    assert "ValueError: as it should" in results["raises"]["why"] and "SIGSEGV" in results["crashes"]["why"]
    assert results["last"]["result"] == {"part": "last"}
    assert counts["waiting"] == 1 and any("cudf" in line for line in said)
    assert run(tmp_path, *parts)[0]["before"] == 5
    assert done(tmp_path) == ["first", "raises", "crashes", "hangs", "last"]  # nothing was done twice
    assert run(tmp_path, *parts, have=["cudf"])[1]["rapids"]["status"] == "done"


@pytest.mark.large
def test_a_slice_begins_nothing_that_does_not_fit_and_cuts_what_does_not_end(tmp_path):
    long = {"name": "hangs", "patience": 600}
    counts, results, _ = run(tmp_path, "first", {"name": "large", "takes": 9_999}, long, left=1)
    assert results["first"]["status"] == "done" and counts["left"] == counts["interrupted"] == 1
    for _ in range(results_file.MOST_ATTEMPTS):
        _, results, _ = run(tmp_path, "first", long, left=1)
    assert results["hangs"]["status"] == "abandoned"  # it cost no more slices than that


SCRIPT = """
import json, sys
sys.path.insert(0, {tests!r})
from gpu import results_file, running
from pathlib import Path
folder = Path({folder!r})
stage = running.Stage("rehearsal", "Rehearsal", 1, sys.executable, {{"folder": str(folder), "dry": True, "parts": json.loads({parts!r})}})
running.run(stage, results_file.ResultsFile([folder], True, "here"), running.Clock(float("inf")), set(), print)
"""


def test_killed_in_the_middle_it_goes_on_and_leaves_nothing_behind(tmp_path):
    parts = [{"name": "first"}, {"name": "hangs", "patience": 600}, {"name": "last"}]
    script = SCRIPT.format(tests=str(TESTS), folder=str(tmp_path), parts=json.dumps(parts))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL)
    pid = tmp_path / "pid"
    wait(lambda: pid.exists() and pid.read_text())
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait(lambda: gone(int(pid.read_text())))
    with (tmp_path / results_file.NAME).open("a") as file:
        file.write('{"format": 1, "simulated": true, "ma')  # the line that it was writing
    counts, results, _ = run(tmp_path, "first", {"name": "hangs", "patience": 0.3}, "last")
    assert counts["before"] == 1 and {part: line["status"] for part, line in results.items()} == {
        "first": "done",
        "hangs": "hung",
        "last": "done",
    }
    assert done(tmp_path) == ["first", "hangs", "last", "hangs"]  # what had not ended came last


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait(what):
    until = time.monotonic() + WAIT
    while not what():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.02)


def test_simulated_and_real_results_never_share_a_file(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    book = results_file.ResultsFile([one], simulated=True, machine="here")
    book.append(stage="probe", part="cupy", status="done", result={})
    with pytest.raises(results_file.MixedResults, match="--results"):
        results_file.ResultsFile([one], simulated=False, machine="here")
    with pytest.raises(results_file.MixedResults, match="--results"):
        results_file.ResultsFile([one], simulated=True, machine="elsewhere")
    assert all(json.loads(line)["simulated"] is True for line in (one / results_file.NAME).read_text().splitlines())
    # An emptied $OUT takes up what the other folder has.
    both = results_file.ResultsFile([other, one], simulated=True, machine="here")
    both.append(stage="probe", part="numba", status="done", result={})
    assert (other / results_file.NAME).read_text() == (one / results_file.NAME).read_text()
    text = summary.text(both)
    assert text.count(summary.SIMULATED) == len(stages.ORDER) + 1  # the targets too


def test_the_command_refuses_a_machine_without_a_gpu(tmp_path):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HUNDREDFOLD", "GPUSIM", "KERNELLENS"))}
    command = [sys.executable, str(TESTS / "gpu" / "run"), "--results", str(tmp_path), "--python", sys.executable]
    asked = subprocess.run(
        command, capture_output=True, text=True, env={**env, "CUDA_VISIBLE_DEVICES": ""}, timeout=WAIT, check=False
    )
    assert asked.returncode == 2 and "--dry" in asked.stderr
    assert not (tmp_path / results_file.NAME).exists()


def test_the_tables_of_kept_results_need_no_gpu(tmp_path):
    kept = sorted((TESTS.parent / "recordings" / "raw").glob("*/results.jsonl"))
    assert kept
    command = [sys.executable, str(TESTS / "gpu" / "run"), "--summary", "--results"]
    for file in kept:
        shutil.copy(file, tmp_path)
        done = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        machine = json.loads(file.read_text(encoding="utf-8").partition("\n")[0])["machine"]
        assert done.stdout.startswith(f"# {machine}\n") and "the sum over 2 TB" in done.stdout
    empty = subprocess.run([*command, tmp_path / "none"], capture_output=True, text=True, check=False)
    assert empty.returncode == 2 and "holds no results" in empty.stderr


def test_a_sum_of_2_tb_joins_the_recording_and_a_simulated_one_does_not(tmp_path, monkeypatch):
    from gpu import rows
    from hundredfold.toolkit.record import here

    # A machine as `here` would describe it, for there is none here.
    machine = {
        "name": "",
        "cpu": "x",
        "cores": 16,
        "memory": 1e11,
        "gpus": 1,
        "gpu": "H200",
        "versions": {"driver": "580.1"},
    }
    monkeypatch.setattr(here, "describe", lambda name: dict(machine))
    asked = ("dask-arrays.sum", "Dask and CuPy", {"seconds": 11.0}, "one run")
    assert not rows.keep_row(tmp_path, *asked, dry=True) and not rows.keep_row(tmp_path, *asked, dry=False)
    assert not (tmp_path / rows.FILE).exists()  # simulated, or no GPU works
    monkeypatch.setattr(here, "has_gpu", lambda: True)
    for seconds in (11.0, 10.0):
        assert rows.keep_row(tmp_path, "dask-arrays.sum", "Dask and CuPy", {"seconds": seconds}, "one run", dry=False)
    rows.keep_row(tmp_path, "svd.tall", "a cluster", {"seconds": 1.0, "first": 3.0}, "one run", dry=False)
    recording = json.loads((tmp_path / rows.FILE).read_text())
    assert [(row["id"], [time["seconds"] for time in row["times"]]) for row in recording["rows"]] == [
        ("dask-arrays.sum", [10.0]),
        ("svd.tall", [1.0]),
    ]
    assert recording["rows"][0]["n"] == 500_000**2
    # With other packages a time is kept beside those before.
    machine["versions"] = {"driver": "590.2"}
    before = (tmp_path / rows.FILE).read_text()
    for seconds in (9.0, 8.0):
        made = rows.keep_row(tmp_path, "dask-arrays.sum", "Dask and CuPy", {"seconds": seconds}, "one run", dry=False)
        assert made == "recording-2.json" and (tmp_path / rows.FILE).read_text() == before
    (row,) = json.loads((tmp_path / made).read_text())["rows"]
    assert [time["seconds"] for time in row["times"]] == [8.0]


def test_targets_are_held_to_what_was_found(tmp_path):
    from gpu import targets

    book = results_file.ResultsFile([tmp_path], simulated=False, machine="made up")
    assert all(
        enough is None for *_, enough in targets.rows(book)
    )  # nothing was run: nothing is reached, and nothing missed

    def found(stage, part, **result):
        book.append(stage=stage, part=part, status="done", result=result)

    found("probe", "rates", bandwidth=4e12)
    found(
        "times",
        "kernel/transpose, unsigned",
        bytes=8e8,
        measured=2.2e-4,
        bound=2e-4,
        **{"bound holds": True, "estimate / measured": 1.2},
    )
    found(
        "times",
        "kernel/tree sum of four",
        bytes=8e8,
        measured=2.5e-4,
        bound=3e-4,
        **{"bound holds": False, "estimate / measured": 2.0},
    )
    found("clusters", "sum, 2 TB, chunks of 20 000", seconds=20.0)
    found("clusters", "sum, its terms, chunks of 20 000", sum=19.0)
    found(
        "record",
        "merges.merge",
        row={"times": [{"device": "cpu", "seconds": 1e-3}, {"device": "gpu", "seconds": 13e-3}]},
    )
    book.append(stage="notebooks", part="notebooks/01.ipynb", status="crashed", why="ended by SIGSEGV")
    told = {what: (reached, enough) for what, _, reached, enough in targets.rows(book)}
    assert told["transpose, unsigned, share of copy bandwidth"] == ("90.9%", True)
    assert told["tree sum of four, share of copy bandwidth"] == ("80.0%", False)
    assert told["bounds above a measured time"] == ("1", False) and told["estimates within 1.5×"] == ("50.0%", False)
    assert told["the sum over 2 TB"][1] and told["merges.merge, 10 M rows"] == ("13 ms", False)
    assert told["notebooks that run to their end"] == ("0.0%", False)


def test_a_checkout_without_git_names_its_commit(monkeypatch):
    from hundredfold.toolkit.record import here

    monkeypatch.setenv("HUNDREDFOLD_COMMIT", "abc1234")
    assert "abc1234" in here.source("x")["method"]


def test_a_short_launch_is_timed_many_at_once_and_without_the_call_that_makes_it(monkeypatch):
    import hundredfold

    launched = []

    class Kernel:
        def py_func(x):
            pass

        def __getitem__(self, configuration):
            return lambda *args: launched.append(args)

    def measure(fn, *args, **_):
        before = len(launched)
        fn(*args)
        median = 10e-6 + 50e-6 * (len(launched) - before)  # the GPU waits for the call, then does the kernels
        return SimpleNamespace(median=median, spread=0.0, noisy=None, device="NVIDIA H200")

    monkeypatch.setattr(hundredfold, "measure", measure)
    found = truth.examine(Kernel(), 1, 32, (1,))
    assert found["alone"] == pytest.approx(60e-6) and found["measured"] == pytest.approx(50.5e-6)
    assert len(launched) == 1 + truth.TOGETHER


def test_a_seat_names_its_gpu_as_cuda_does(monkeypatch):
    from gpusim import hardware
    from hundredfold.classroom.seats.plan import CONTEXT

    name = "GPU-8f3c2f5e-1b2a-4c3d-9e8f-001122334455"
    gpu = hardware.Gpu(0, "NVIDIA H200", 141 << 30, (9, 0), uuid=name.partition("-")[2].replace("-", ""))
    monkeypatch.setattr(hardware, "probe", lambda: hardware.Probe("ok", gpus=[gpu]))
    env, share = sharing.environment(4, dry=False)
    assert env["CUDA_VISIBLE_DEVICES"] == name and env["CUPY_GPU_MEMORY_LIMIT"] == str(share)
    assert 4 * (share + CONTEXT) <= gpu.memory_total


def test_a_kernel_that_faults_costs_no_kernel_after_it(monkeypatch):
    from gpu.stages import conformance

    class Way:
        closed = 0

        def __init__(self, **answer):
            self.answer = {"rules": None, "cases": [], "found": [], "error": "", **answer}

        def ask(self, name):
            return self.answer

        def close(self):
            Way.closed += 1

    monkeypatch.syspath_prepend(conformance.TESTS)
    kept = {"gpu": Way(error="CUDA_ERROR_ILLEGAL_ADDRESS"), "compiled": Way()}
    monkeypatch.setattr(conformance, "_kept", kept)
    assert conformance._kernel("saxpy", {"dry": False}) == {"same": False, "error": "CUDA_ERROR_ILLEGAL_ADDRESS"}
    assert Way.closed == 1 and list(kept) == ["compiled"]  # the next one gets a new process
    kept.update(gpu=Way(), compiled=Way(error="none here"))
    assert conformance._kernel("saxpy", {"dry": False}) == {"same": False, "error": "The simulated library: none here"}


def test_the_files_of_names_are_there():
    from gpu.stages import conformance

    assert all(file.is_file() for file in conformance.FILES.values())


def test_a_notebook_waits_for_the_libraries_that_it_imports():
    from gpu.stages import notebooks

    needs = {part["name"]: part["needs"] for part in notebooks.parts({"dry": False})}
    assert "cudf" in needs["notebooks/07_dataframes.ipynb"] and "dask_cuda" in needs["notebooks/11_clusters.ipynb"]
    assert not {"cudf", "cupy"} & set(needs["notebooks/04_compiling.ipynb"])
    from gpu import environment

    assert {each for listed in needs.values() for each in listed} <= set(environment.ASKED)


def test_the_checker_leaves_a_kernel_that_hangs_to_the_runner(monkeypatch):
    from gpu.stages import checker, probe

    asked = {}

    def run(command, **options):
        asked[command[2]] = (command, options)
        return subprocess.CompletedProcess(command, 0, "========= ERROR SUMMARY: 0 errors\n", "")

    monkeypatch.setattr(probe, "tool", lambda name: name)
    monkeypatch.setattr(checker.subprocess, "run", run)
    monkeypatch.setattr(checker, "_of_lens", lambda name: {"lens": []})
    for which in checker.TOOLS:
        assert checker.do(f"{which}: right saxpy", {"dry": False})["errors"] == 0
        command, options = asked[which]
        assert "timeout" not in options  # it would end the checker and leave the kernel on the GPU
        assert ("--report-api-errors" in command) == (which == "memcheck")
