"""Writing: whole or not at all."""

import os

import pytest

from hundredfold.publish.build import store
from hundredfold.publish.build.errors import BuildError


def test_the_same_text_does_not_touch_the_file(tmp_path):
    path = tmp_path / "a" / "x.ipynb"
    assert store.write_text(path, "one")
    os.utime(path, (1, 1))
    assert not store.write_text(path, "one")
    assert path.stat().st_mtime == 1


def test_a_full_disk_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    path = tmp_path / "x.ipynb"
    store.write_text(path, "old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BuildError, match=r"No space left on device.*the old file is untouched"):
        store.write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interruption_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    path = tmp_path / "x.ipynb"
    store.write_text(path, "old")

    def interrupted(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_whoever_reads_it_meanwhile_has_the_old_one_whole(tmp_path):
    path = tmp_path / "x.ipynb"
    store.write_text(path, "old")
    with open(path) as reading:
        store.write_text(path, "new")
        assert reading.read() == "old"
    assert path.read_text() == "new"


@pytest.mark.parametrize("text", ["<<<<<<< HEAD\n{}", "{", "[]", '{"cells": 3}'])
def test_a_file_that_is_no_notebook_is_named(tmp_path, text):
    path = tmp_path / "x.ipynb"
    path.write_text(text)
    with pytest.raises(BuildError, match=r"x.ipynb: not a readable notebook.*delete it and build it again"):
        store.read(path)
