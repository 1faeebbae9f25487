"""A run of a cluster: recorded on a simulated one and labelled so, held to its schema, offered to the Dask panel where there is one."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys

import pytest

from hundredfold import paths
from hundredfold.notebook import replay
from hundredfold.toolkit.record import panel


def record(*arguments):
    env = {name: value for name, value in os.environ.items() if name != "GPUSIM_SIMULATE"}
    env |= {"GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": str(2**29)}
    command = [sys.executable, "-m", "hundredfold.cli", "record", "--panel", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env=env)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("recorded") / "run.json"
    done = record("--output", file)
    assert done.returncode == 0, done.stderr
    assert "simulated, and labelled so" in done.stdout
    return file


@pytest.fixture
def run(file):
    return json.loads(file.read_text())


@pytest.mark.large
def test_the_task_stream_and_the_memory_of_a_run_are_kept(run, file):
    panel.check(run)
    assert run["kind"] == "simulated" and run["title"].startswith("Simulated on") and "gpu" not in run["machine"]
    assert {task[0] for task in run["tasks"]} == {0, 1} and {"compute", "transfer"} <= set(run["actions"])
    computed = [task for task in run["tasks"] if run["actions"][task[3]] == "compute"]
    assert len(computed) >= 64, "a task for each block"
    assert max(task[4] + task[5] for task in run["tasks"]) <= 1.2e6 * run["seconds"]
    assert len(run["memory"]) == 2
    block = 8 * run["workload"]["n"] / 64
    assert (
        max(max(each["device"]) for each in run["memory"]) >= block > min(min(each["device"]) for each in run["memory"])
    )
    assert all(min(each["host"]) > 2**25 and each["at"] == sorted(each["at"]) for each in run["memory"])
    assert file.stat().st_size < 60_000


def test_no_simulated_run_goes_among_the_recordings():
    for arguments in ([], ["--output", paths.data_dir("recordings") / "panels" / "x.json"]):
        done = record(*arguments)
        assert done.returncode == 2 and "name a file elsewhere with --output" in done.stderr


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("kind",), "published", r"\$\.kind"),
        (("tasks", 0, 5), -1, r"\$\.tasks\[0\]"),
        (("tasks", 0, 0), 9, "a worker, a function or an action that is not there"),
        (("tasks", 0, 1), 9, "a thread that its worker does not have"),
        (("memory", 0, "at"), [], "not as many sizes as moments"),
        (("source", "date"), "today", r"\$\.source\.date"),
    ],
)
def test_a_run_out_of_shape_is_found_and_not_written(run, tmp_path, place, value, said):
    changed = copy.deepcopy(run)
    *way, last = place
    inner = changed
    for step in way:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(ValueError, match=said):
        panel.write(tmp_path / "x.json", changed)
    assert not list(tmp_path.iterdir())


def test_the_panel_offers_what_was_recorded_and_nothing_else(run, file, tmp_path, monkeypatch, caplog):
    from distributed.dashboard import scheduler as dashboard

    monkeypatch.setattr(dashboard, "applications", dict(dashboard.applications))
    before = set(dashboard.applications)
    monkeypatch.setenv(replay.FOLDER, str(tmp_path))
    replay.offer()
    offered = set(dashboard.applications) - before
    assert len(offered) == len(replay.files()), "those of recordings/panels, if any"
    (tmp_path / "run.json").write_text(file.read_text())
    (tmp_path / "broken.json").write_text('{"schema": 1}')
    replay.offer(load=True)
    (page,) = set(dashboard.applications) - before - offered
    assert page == f"/individual-simulated-2-gpus-{run['source']['date']}"
    assert "broken.json is no recorded run" in caplog.text

    from bokeh.document import Document
    from bokeh.models import Button, Div, HBar

    document = Document()
    dashboard.applications[page](None, {}, document)
    (words,) = document.select({"type": Div})
    assert run["machine"]["name"].split(",")[0] in words.text and "say nothing of a GPU" in words.text
    assert document.select_one({"type": Button}).label == "Play"
    (bars,) = [each.data_source for each in document.select({"name": "tasks"}) if isinstance(each.glyph, HBar)]
    assert len(bars.data["left"]) == len(run["tasks"])


def test_recorded_runs_that_are_shipped_are_of_real_gpus():
    for each in (paths.data_dir("recordings") / "panels").glob("*.json"):
        if each.name != "schema.json":
            told = json.loads(each.read_text(encoding="utf-8"))
            panel.check(told)
            assert told["kind"] == "recorded" and told["machine"]["gpu"], each.name
