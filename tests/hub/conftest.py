"""One hub with two learners for all tests that do not change it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported without their folder's being on the path

import hubs  # noqa: E402


def pytest_configure(config):
    # Who ends the tests (a time limit, say) does not leave users and servers on the machine: sessions end in the usual way, fixtures clean up.
    deals = bool(getattr(config.option, "numprocesses", None)) and not hasattr(config, "workerinput")
    signal.signal(signal.SIGTERM, _end_workers if deals else lambda *_: pytest.exit("ended"))


def _end_workers(*_: object) -> None:
    for worker in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        os.kill(int(worker), signal.SIGTERM)


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
