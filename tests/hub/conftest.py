"""One hub with two learners for all tests that do not change it."""

from __future__ import annotations

import shutil
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported without their folder's being on the path

import hubs  # noqa: E402


def pytest_configure():
    # Who ends the tests (a time limit, say) does not leave users and servers on the machine.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))


@pytest.fixture(scope="session")
def people():
    with hubs.people() as made:
        yield made


@pytest.fixture(scope="session")
def hub(people, tmp_path_factory):
    made = hubs.Hub(tmp_path_factory.mktemp("hub"), people)
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="session")
def seated(hub, people):
    """A learner who has logged in and opened their server, by name; each once."""
    there = {}

    def sit(who: str) -> hubs.Learner:
        if who not in there:
            learner = hubs.Learner(hub, people.add(who))
            assert learner.log_in().url.endswith("/hub/home")
            learner.open()
            there[who] = learner
        return there[who]

    return sit


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    assert chromium, "these tests open Debian's Chromium: apt install chromium"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()
