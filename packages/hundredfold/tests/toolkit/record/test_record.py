"""`hundredfold record` and `compare`, from outside: what is kept, what is refused, how it goes on."""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
import time

import jsonschema
import pytest

from hundredfold import paths
from hundredfold.toolkit.record import duration, recording_file, running, workloads
from hundredfold.toolkit.record.workload import Way, Workload

QUICK = "memory.slice.1000x1000"


def run(*arguments, **more):
    env = {name: value for name, value in os.environ.items() if name != "GPUSIM_SIMULATE"} | more
    command = [sys.executable, "-m", "hundredfold.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    file = tmp_path_factory.mktemp("recordings") / "here.json"
    done = run("record", "--only", QUICK, "--name", "a test's machine", "--output", file)
    assert done.returncode == 0, done.stderr
    return file


def test_a_row_is_kept_in_the_shape_of_the_schema_with_its_machine(recorded):
    told = json.loads(recorded.read_text())
    jsonschema.validate(told, json.loads((paths.data_dir("recordings") / "schema.json").read_text()))
    assert told["kind"] == "recorded" and told["machines"]["here"]["name"] == "a test's machine"
    (row,) = told["rows"]
    assert row["id"] == QUICK and row["n"] == 10**6
    assert [time["way"] for time in row["times"] if time["device"] == "cpu"] == ["NumPy"]
    assert all(time["seconds"] > 0 and time["runs"] >= 1 for time in row["times"])


def test_a_simulated_gpu_is_never_recorded(tmp_path):
    done = run("record", "--only", QUICK, "--output", tmp_path / "s.json", GPUSIM_SIMULATE="1", GPUSIM_GPUS="2")
    told = json.loads((tmp_path / "s.json").read_text())
    assert "no simulated GPU" in done.stdout
    assert {time["device"] for row in told["rows"] for time in row["times"]} == {"cpu"}


def test_it_goes_on_where_it_was(recorded):
    before = recorded.read_text()
    again = run("record", "--only", QUICK, "--name", "a test's machine", "--output", recorded)
    assert again.returncode == 0 and "1 rows are in" in again.stdout
    assert recorded.read_text() == before


def test_what_would_not_end_in_time_is_not_begun_and_comes_next_time(recorded, tmp_path):
    file = tmp_path / "here.json"
    file.write_bytes(recorded.read_bytes())
    asked = ["record", "--only", QUICK, "--only", "memory.matmul.10000", "--name", "a test's machine", "--output", file]
    done = run(*asked, "--minutes", "0.3")
    assert done.returncode == 0 and "No time was left for memory.matmul.10000x10000" in done.stdout, done.stderr
    assert file.read_bytes() == recorded.read_bytes()
    # With --again the same command would begin with the first row again.
    again = run(*asked[:3], "--again", "--minutes", "0.001", "--output", file)
    assert f"No time was left for {QUICK}: name them by --only." in again.stdout, again.stderr
    # What is there already takes no time of it, and an empty file is no error: the next run begins it.
    nothing = run("record", "--only", QUICK, "--minutes", "0.001", "--output", tmp_path / "none.json")
    assert nothing.returncode == 0 and f"No time was left for {QUICK}" in nothing.stdout
    assert run("record", "--minutes", "0").returncode == 2


def test_how_long_a_recording_takes():
    matmul, quick = (
        next(w for w in workloads.every() if w.id == name) for name in ("memory.matmul.10000x10000", QUICK)
    )
    assert duration.seconds(matmul, gpu=False) > duration.seconds(quick, gpu=False) + 30, "as it was recorded"
    for each in (matmul, quick):
        assert duration.seconds(each, gpu=True) == duration.seconds(each, gpu=False) + duration.GPU
    # Without a recording a way is not free.
    new = Workload("arrays.new", "", (Way("NumPy", "cpu", int), Way("CuPy", "gpu", int)), n=1, memory=1)
    assert duration.seconds(new, gpu=True) == duration.START + duration.UNKNOWN + duration.GPU
    # docs/colab.md promises it.
    assert sum(duration.seconds(each, gpu=True) for each in workloads.every()) < 20 * 60
    listed = run("record", "--list")
    assert QUICK in listed.stdout and "which is a guess" in listed.stdout


def test_the_slowest_recording_says_how_long_and_what_others_took_is_left(tmp_path, monkeypatch):
    def file(name, kind, **time):
        rows = [{"id": QUICK, "times": [{"way": "NumPy", "seconds": 2.0, **time}]}]
        (tmp_path / f"{name}.json").write_text(json.dumps({"kind": kind, "rows": rows}))

    file("slow", "recorded", first=1.0, runs=3, loops=2)
    file("fast", "recorded", first=1.0, runs=1, loops=1)
    file("by-hand", "recorded", runs=9)  # what tests/gpu writes has no loops
    file("others", "published", first=100.0, runs=1, loops=1)
    (tmp_path / "schema.json").write_text("{}")
    monkeypatch.setattr(paths, "data_dir", lambda _: tmp_path)
    duration._recorded.cache_clear()
    try:
        quick = next(w for w in workloads.every() if w.id == QUICK)
        assert duration.seconds(quick, gpu=False) == duration.START + 1 + 3 * 2 * 2
    finally:
        duration._recorded.cache_clear()


@pytest.mark.large
def test_killed_it_loses_one_row_at_most_and_leaves_nobody_behind(tmp_path):
    import psutil

    file = tmp_path / "here.json"
    asked = ["record", "--only", QUICK, "--only", "memory.fft.1000x1000", "--name", "x", "--output", str(file)]
    process = psutil.Popen([sys.executable, "-m", "hundredfold.cli", *asked], stdout=subprocess.DEVNULL)
    until = time.monotonic() + 300
    while not (file.exists() and (measuring := process.children(recursive=True))) and time.monotonic() < until:
        time.sleep(0.05)
    before = json.loads(file.read_text())
    process.kill()
    process.wait()
    assert not psutil.wait_procs(measuring, timeout=60)[1], "who measured for it ended with it"
    again = run(*asked)
    assert again.returncode == 0 and "1 rows are in" in again.stdout, again.stderr
    after = json.loads(file.read_text())
    assert after["rows"][0] == before["rows"][0] and len(after["rows"]) == 2


def test_what_a_cpu_alone_took_is_labelled_so_wherever_it_is_shown(recorded, tmp_path, monkeypatch):
    from hundredfold.publish.site import results
    from hundredfold.toolkit import compare
    from hundredfold.toolkit import recorded as figures

    told = json.loads(recorded.read_text())
    if "gpu" in told["machines"]["here"]:
        pytest.skip("this machine has a GPU")
    assert told["title"].endswith("(CPU only)") and told["machines"]["here"]["note"].startswith("CPU only")
    for file in (paths.data_dir("recordings") / "published-2019.json", recorded):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(paths, "data_dir", lambda _: tmp_path)
    figures._all.cache_clear()
    try:
        page = results.pages(tmp_path)["results.md"]
        assert "No GPU has been recorded yet" in page and "Recorded, CPU only: a test's machine" in html.unescape(page)
        (line,) = [each for each in page.splitlines() if 'data-kind="recorded"' in each]
        assert "a test&#x27;s machine (CPU only)" in line and f'data-id="{QUICK}"' in line
        assert "recorded" not in str(compare(QUICK, 1e-3)), "beside this CPU, another's says nothing of a GPU"
    finally:
        figures._all.cache_clear()


def test_another_machine_s_recording_is_not_gone_on_with(recorded, tmp_path):
    told = json.loads(recorded.read_text())
    told["machines"]["here"]["cpu"] = "another"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(told))
    done = run("record", "--only", QUICK, "--output", other)
    assert done.returncode == 1 and "another cpu" in done.stderr and "--again" in done.stderr
    assert json.loads(other.read_text()) == told


def test_what_is_no_recording_is_left_alone(tmp_path):
    file = tmp_path / "notes.json"
    file.write_text("[1, 2")
    done = run("record", "--only", QUICK, "--output", file)
    assert done.returncode == 1 and "is no recording" in done.stderr
    assert file.read_text() == "[1, 2"


def test_an_unknown_workload_names_the_families():
    done = run("record", "--only", "nothing")
    assert done.returncode == 2 and "arrays" in done.stderr and "merges" in done.stderr


def test_a_file_out_of_shape_is_not_written(recorded, tmp_path):
    told = json.loads(recorded.read_text())
    told["rows"][0]["times"][0]["seconds"] = -1
    with pytest.raises(jsonschema.ValidationError):
        recording_file.write(tmp_path / "bad.json", told)
    assert not list(tmp_path.iterdir())


def _workload(**more):
    ways = (Way("naive", "cpu", lambda: lambda: 1), Way("fast", "cpu", lambda: lambda: 2))
    return Workload("arrays.test", "a test", ways, n=1, memory=1, **more)


def test_a_fast_wrong_answer_is_no_result(monkeypatch):
    said = []
    answers = {"naive": 10.0, "fast": 11.0}
    timed = {"seconds": 1.0, "spread": 0.0, "first": 1.0, "runs": 7, "loops": 1, "doubt": "", "noisy": ""}
    monkeypatch.setattr(running, "_alone", lambda _, way: timed | {"answer": answers[way.name]})
    row = running.row(_workload(), said.append)
    assert [time["way"] for time in row["times"]] == ["naive"]
    assert "answers 11 where naive answers 10" in said[0]
    assert len(running.row(_workload(tolerance=0.2), said.append)["times"]) == 2


def test_a_time_below_the_limit_is_refused(monkeypatch):
    line = json.dumps({"seconds": 1e-9, "doubt": "faster than the memory can be", "noisy": "", "answer": 1})
    done = subprocess.CompletedProcess([], 0, line, "")
    monkeypatch.setattr(running.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(running.Left, match="no way of it"):
        running.row(_workload(), said := [].append)
    with pytest.raises(running.Left, match=r"faster than the memory can be; it is not kept"):
        running._alone(_workload(), _workload().ways[0])
    assert said


@pytest.mark.parametrize(("seconds", "verdict"), [(0.9, "doubtful"), (1.1, "possible")])
def test_a_time_that_beats_a_measured_limit_by_less_than_rates_waver_is_called_doubtful(seconds, verdict):
    result = {"seconds": seconds, "spread": 0.0, "first": 1.0, "runs": 7, "loops": 1, "noisy": "", "limit": 1.0}
    told = running._time(Way("one pass", "cpu", None), result)
    assert told["verdict"] == verdict and ("110 %" in told.get("remark", "")) == (verdict == "doubtful")


def test_what_does_not_fit_is_left_out_with_its_size():
    with pytest.raises(running.Left, match=r"needs 1000000\.0 GB and"):
        running.row(Workload("arrays.huge", "", (), n=1, memory=1e15), print)


def test_the_workloads_have_the_published_definitions():
    published = json.loads((paths.data_dir("recordings") / "published-2019.json").read_text())
    rows, same = {row["id"]: row for row in published["rows"]}, 0
    for each in workloads.every():
        if (row := rows.get(each.id)) is None:
            continue
        same += 1
        assert each.n == row.get("n", each.n), each.id
        assert each.least_bytes == pytest.approx(row["least_bytes"], rel=1e-3), each.id
        assert each.flops == row.get("flops", each.flops), each.id
    assert same >= 20
    assert all(
        each.ways[0].device == "cpu" and any(way.device == "gpu" for way in each.ways) for each in workloads.every()
    )


def test_a_recording_of_somebody_elses_is_shown_as_text_or_refused(tmp_path):
    theirs = json.loads((paths.data_dir("recordings") / "published-2019.json").read_text())
    file = tmp_path / "theirs.json"
    file.write_text(json.dumps({**theirs, "title": "Ours\x1b]0;owned\x07\nanother line"}))
    done = run("compare", "published-2019", file)
    assert done.returncode == 0 and "Ours\ufffd]0;owned\ufffd\ufffdanother line" in done.stdout
    for wrong in ({"rows": 5}, {"machines": {}}, {"title": {}}, {"rows": [{**theirs["rows"][0], "times": [None]}]}):
        file.write_text(json.dumps({**theirs, **wrong}))
        done = run("compare", "published-2019", file)
        assert done.returncode == 2 and f"{file} is no recording." in done.stderr


def test_two_recordings_side_by_side(recorded):
    done = run("compare", "published-2019", recorded, "--json")
    (row,) = [row for row in json.loads(done.stdout) if row["device"] == "CPU"]
    assert row["id"] == QUICK and row["ratio"] == pytest.approx(row["seconds"][0] / row["seconds"][1])
    plain = run("compare", "published-2019", recorded).stdout
    assert f"{recorded}: Recorded on a test's machine" in plain
    if "gpu" not in json.loads(recorded.read_text())["machines"]["here"]:
        assert "(CPU only)" in plain
    same = run("compare", "published-2019", "published-2019")
    assert same.returncode == 0 and "1×" in same.stdout
    gpus = [
        row
        for row in json.loads(run("compare", "published-2019", "published-2019", "--json").stdout)
        if row["device"] == "GPU"
    ]
    assert all(share is None or share <= 1 for row in gpus for share in row["of_limit"])
    wrong = run("compare", "published-2019", "nowhere")
    assert wrong.returncode == 2 and "published-2019" in wrong.stderr
