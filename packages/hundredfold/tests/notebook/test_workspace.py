"""The learner's copies: every way a file can change on either side, and nothing of the learner's ever lost."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from ipykernel.ipkernel import IPythonKernel

from hundredfold import paths
from hundredfold.notebook import workspace


def notebook(*sources: str, **metadata: object) -> str:
    cells = [
        {"cell_type": "code", "id": f"c{i}", "source": s, "metadata": {}, "outputs": [], "execution_count": None}
        for i, s in enumerate(sources)
    ]
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def course(tmp_path: Path) -> Path:
    source = tmp_path / "course"
    for name, text in {
        "notebooks/01_arrays.ipynb": notebook("1 + 1"),
        "notebooks/images/grid.svg": "<svg/>",
        "exercises/01_arrays.ipynb": notebook("..."),
        "solutions/01_arrays.ipynb": notebook("x = 2"),
        "notebooks/.ipynb_checkpoints/01_arrays-checkpoint.ipynb": "left over",
    }.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    return source


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def files(work: Path) -> dict[str, str]:
    return {
        path.relative_to(work).as_posix(): path.read_text()
        for path in work.rglob("*")
        if path.is_file() and ".hundredfold" not in path.parts
    }


UNIT = "notebooks/01_arrays.ipynb"
BESIDE = "notebooks/01_arrays.new.ipynb"


def test_the_first_time_all_is_delivered_in_the_same_layout(course, work):
    report = workspace.refresh(course, work)
    assert sorted(files(work)) == [
        "exercises/01_arrays.ipynb",
        "notebooks/01_arrays.ipynb",
        "notebooks/images/grid.svg",
        "solutions/01_arrays.ipynb",
    ]
    assert files(work)[UNIT] == (course / UNIT).read_text()
    assert sorted(report.new) == sorted(files(work)) and str(report) == "4 new in the workspace."


def test_a_copy_names_its_language_as_the_kernel_does_and_is_no_change(course, work):
    """Else JupyterLab writes it in on opening, and shows the notebook as unsaved."""
    (course / UNIT).write_text(notebook("1 + 1", language_info={"name": "python"}, kernelspec={"name": "python3"}))
    workspace.refresh(course, work)
    metadata = json.loads((work / UNIT).read_text())["metadata"]
    assert metadata["language_info"] == IPythonKernel.language_info
    assert metadata["kernelspec"] == {"name": "python3"}
    (course / UNIT).write_text(notebook("1 + 2", language_info={"name": "python"}))
    assert workspace.refresh(course, work).updated == [UNIT]


def test_a_second_time_does_nothing(course, work):
    workspace.refresh(course, work)
    before = {path: path.stat().st_mtime_ns for path in work.rglob("*") if path.is_file() and path.suffix != ".lock"}
    assert str(workspace.refresh(course, work)) == ""
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_an_unchanged_copy_follows_the_course(course, work):
    workspace.refresh(course, work)
    (course / UNIT).write_text(notebook("2 + 2"))
    report = workspace.refresh(course, work)
    assert report.updated == [UNIT] and files(work)[UNIT] == notebook("2 + 2")


def test_what_the_learner_changed_stays_and_the_newer_version_lies_beside_it(course, work):
    workspace.refresh(course, work)
    (work / UNIT).write_text(notebook("my own"))
    assert workspace.refresh(course, work).beside == {}, "nothing newer, nothing beside"
    (course / UNIT).write_text(notebook("2 + 2"))
    report = workspace.refresh(course, work)
    assert report.beside == {UNIT: BESIDE} and "01_arrays.new.ipynb" in str(report)
    assert files(work)[UNIT] == notebook("my own") and files(work)[BESIDE] == notebook("2 + 2")


def test_a_newer_version_is_offered_once(course, work):
    test_what_the_learner_changed_stays_and_the_newer_version_lies_beside_it(course, work)
    assert workspace.refresh(course, work).beside == {}
    (work / BESIDE).unlink()
    assert workspace.refresh(course, work).beside == {} and BESIDE not in files(work)


def test_the_next_version_takes_the_place_of_an_offer_that_nobody_touched(course, work):
    test_what_the_learner_changed_stays_and_the_newer_version_lies_beside_it(course, work)
    (course / UNIT).write_text(notebook("3 + 3"))
    assert workspace.refresh(course, work).beside == {UNIT: BESIDE}
    assert files(work)[BESIDE] == notebook("3 + 3") and files(work)[UNIT] == notebook("my own")


def test_an_offer_that_the_learner_worked_in_is_the_learners(course, work):
    test_what_the_learner_changed_stays_and_the_newer_version_lies_beside_it(course, work)
    (work / BESIDE).write_text(notebook("mine too"))
    (course / UNIT).write_text(notebook("3 + 3"))
    assert workspace.refresh(course, work).beside == {UNIT: "notebooks/01_arrays.new-2.ipynb"}
    assert files(work)[BESIDE] == notebook("mine too")
    assert files(work)["notebooks/01_arrays.new-2.ipynb"] == notebook("3 + 3")


def test_a_learner_who_takes_the_newer_version_is_up_to_date_again(course, work):
    test_what_the_learner_changed_stays_and_the_newer_version_lies_beside_it(course, work)
    (work / BESIDE).replace(work / UNIT)
    workspace.refresh(course, work)
    (course / UNIT).write_text(notebook("3 + 3"))
    assert workspace.refresh(course, work).updated == [UNIT]


def test_a_removed_copy_is_delivered_again(course, work):
    workspace.refresh(course, work)
    (work / UNIT).rename(work / "notebooks/mine.ipynb")
    report = workspace.refresh(course, work)
    assert report.new == [UNIT] and "notebooks/mine.ipynb" in files(work)


def test_a_file_of_the_learners_with_a_name_that_the_course_takes_later_is_kept(course, work):
    (work / "exercises").mkdir(parents=True)
    (work / "exercises/01_arrays.ipynb").write_text(notebook("was here first"))
    report = workspace.refresh(course, work)
    assert report.beside == {"exercises/01_arrays.ipynb": "exercises/01_arrays.new.ipynb"}
    assert files(work)["exercises/01_arrays.ipynb"] == notebook("was here first")


def test_what_the_course_drops_stays_with_the_learner(course, work):
    workspace.refresh(course, work)
    (course / UNIT).unlink()
    workspace.refresh(course, work)
    assert UNIT in files(work)


def test_a_folder_in_a_files_place_is_left_and_the_rest_delivered(course, work):
    mine = work / "notebooks" / "01_arrays.ipynb"
    (mine / "inside").mkdir(parents=True)
    report = workspace.refresh(course, work)
    assert report.kept == ["notebooks/01_arrays.ipynb"] and (mine / "inside").is_dir()
    assert report.new and all((work / name).is_file() for name in report.new)


def test_a_lost_manifest_costs_no_work(course, work):
    workspace.refresh(course, work)
    (work / UNIT).write_text(notebook("my own"))
    (work / workspace.MANIFEST).write_text('{"notebooks/01_a')
    (course / "exercises/01_arrays.ipynb").write_text(notebook("newer"))
    workspace.refresh(course, work)
    assert files(work)[UNIT] == notebook("my own") and files(work)[BESIDE] == notebook("1 + 1")
    assert files(work)["exercises/01_arrays.new.ipynb"] == notebook("newer")


def test_opening_a_notebook_is_no_change_but_running_it_is(course, work):
    workspace.refresh(course, work)
    opened = json.loads((work / UNIT).read_text())
    opened["metadata"]["language_info"] = {"name": "python", "version": "3.12.1"}
    opened["cells"][0]["source"] = ["1 + 1"]
    (work / UNIT).write_text(json.dumps(opened, indent=1))
    (course / UNIT).write_text(notebook("2 + 2"))
    assert workspace.refresh(course, work).updated == [UNIT]
    run = json.loads((work / UNIT).read_text())
    run["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "186 ms, measured here"}]
    (work / UNIT).write_text(json.dumps(run))
    (course / UNIT).write_text(notebook("3 + 3"))
    assert workspace.refresh(course, work).beside == {UNIT: BESIDE}
    assert files(work)[UNIT] == json.dumps(run)


@pytest.mark.parametrize(
    "broken",
    ["", '{"cells": [', "<<<<<<< mine", '{"cells": [1, null]}', "[]", '{"cells": {"a": 1}}', "\ud800"],
    ids=["empty", "half written", "a merge's marks", "no cells", "a list", "cells as a dict", "no UTF-8"],
)
def test_a_broken_notebook_is_kept_as_it_is_and_the_update_goes_on(course, work, broken):
    workspace.refresh(course, work)
    mine = broken.encode("utf-8", "surrogatepass")
    (work / UNIT).write_bytes(mine)
    (course / UNIT).write_text(notebook("2 + 2"))
    (course / "exercises/01_arrays.ipynb").write_text(notebook("newer"))
    report = workspace.refresh(course, work)
    assert report.beside == {UNIT: BESIDE} and report.updated == ["exercises/01_arrays.ipynb"]
    assert (work / UNIT).read_bytes() == mine and (work / BESIDE).read_text() == notebook("2 + 2")


def test_from_a_read_only_course_come_copies_that_can_be_written(course, work):
    for path in [*course.rglob("*"), course]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    try:
        workspace.refresh(course, work)
        assert all(path.stat().st_mode & stat.S_IWUSR for path in work.rglob("*"))
    finally:
        for path in [course, *course.rglob("*")]:
            path.chmod(path.stat().st_mode | stat.S_IWUSR)


def test_a_disk_that_fills_up_leaves_whole_files_and_goes_on_later(course, work, monkeypatch):
    workspace.refresh(course, work)
    (work / "solutions/01_arrays.ipynb").write_text(notebook("my own"))
    for name in (UNIT, "exercises/01_arrays.ipynb", "solutions/01_arrays.ipynb"):
        (course / name).write_text(notebook("newer", name))
    write, left = paths.write_whole, iter([True])

    def full(file, content):
        if next(left, False) or file.name == "delivered.json":
            return write(file, content)
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(paths, "write_whole", full)
    with pytest.raises(OSError, match="No space left"):
        workspace.refresh(course, work)
    assert files(work)[UNIT] == notebook("newer", UNIT)
    assert files(work)["exercises/01_arrays.ipynb"] == notebook("...")
    monkeypatch.setattr(paths, "write_whole", write)
    report = workspace.refresh(course, work)
    assert report.updated == ["exercises/01_arrays.ipynb"] and UNIT not in report.beside
    assert files(work)["solutions/01_arrays.ipynb"] == notebook("my own")


def test_an_interrupted_write_leaves_the_old_file_and_no_litter(course, work, monkeypatch):
    workspace.refresh(course, work)
    (course / UNIT).write_text(notebook("2 + 2"))

    def interrupted(*paths):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        workspace.refresh(course, work)
    assert files(work)[UNIT] == notebook("1 + 1")
    assert not [path for path in work.rglob(".*ipynb*") if path.is_file()]


def test_the_command_refreshes_from_outside(tmp_path):
    """`hundredfold work`, on this checkout's own notebooks, twice."""
    command = [sys.executable, "-m", "hundredfold.cli", "work"]
    env = {**os.environ, "HUNDREDFOLD_WORK": str(tmp_path / "mine")}
    first = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    second = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"\d+ new in the workspace\.\n", first)
    assert second == "The workspace is up to date.\n"


def test_the_workspace_is_where_the_learner_says_else_in_the_checkout(monkeypatch, tmp_path):
    monkeypatch.setenv("HUNDREDFOLD_WORK", str(tmp_path))
    assert workspace.folder() == tmp_path
    monkeypatch.delenv("HUNDREDFOLD_WORK")
    assert workspace.folder().name == "work" and (workspace.folder().parent / "pyproject.toml").is_file()
