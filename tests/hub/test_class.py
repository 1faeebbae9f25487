"""A small class, short: all at once, a lesson in which things break, and what is left of it. benchmarks/hub_class.py is the long one."""

import os
import pprint
import signal
import time

import hubs
import pytest
from classes import Class, server
from classroom import BACK, TROUBLE

SLOW = 10  # a busy machine may take so many times as long


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    with Class(tmp_path_factory.mktemp("class"), 4, memory="1G", starting_at_once=2) as made:
        yield made


@pytest.fixture(scope="module")
def entered(lesson):
    return lesson.at_once()


@pytest.fixture(scope="module")
def told(lesson, entered):
    assert not entered["failed"], entered
    return lesson.soak(40, pace=(1.0, 4.0), full=1)


def test_more_come_at_once_than_may_start_at_once_and_all_are_in(lesson, entered):
    assert entered["failed"] == [] and entered["failed to begin"] == [], entered
    assert sorted(lesson.hub.seats()) == sorted(pupil.name for pupil in lesson.pupils)
    assert "throttling" not in lesson.hub.log.read_text()


def test_a_server_without_a_kernel_is_small_since_its_panel_loads_dask_when_it_is_used(entered):
    # Few share their pages here, so each weighs more than one of thirty.
    assert entered["a server without a kernel, MB"]["most"] < 140, entered
    assert entered["more once the Dask panel has started a cluster, MB"] > 15, entered


def test_nothing_that_was_saved_is_lost(lesson, told):
    """Over a full disk, a killed proxy, a restarted hub, killed kernels, and learners who left and came back."""
    assert told["lost"] == [] and told["hanging"] == [], told
    assert sum(told["done"].values()) >= len(lesson.pupils), told
    assert told["done"].get("fill") == 1, pprint.pformat(told)


def test_everyone_is_back_and_nothing_else_went_wrong(told):
    assert told["never back"] == [] and told["for no reason"] == [], told
    assert told["longest outage, seconds"] < SLOW * BACK, told


def test_the_seats_page_shows_everyone_who_is_there(lesson, told):
    page = told["page"]
    assert page["looks"] > 0 and page["most shown"] == len(lesson.pupils), page
    assert page["not shown"] == [] and all(each["seconds"] is not None for each in page["blind"]), page


def test_a_server_that_died_by_itself_starts_anew_and_the_work_is_there(lesson, entered):
    """What the memory limit does to a server: nobody has to be told."""
    pupil = lesson.pupils[-1]
    before = server(pupil.name)
    os.kill(before, signal.SIGKILL)
    hubs.until("the server is gone", lambda: server(pupil.name) is None)
    began = time.monotonic()
    hubs.until("it is there again", lambda: _back(pupil), pause=1)
    assert server(pupil.name) not in (None, before) and time.monotonic() - began < SLOW * BACK
    pupil.check()
    assert pupil.lost == []


def _back(pupil) -> bool:
    try:
        pupil.present()
    except TROUBLE:
        return False
    return True
