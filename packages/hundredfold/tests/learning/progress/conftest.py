"""Each test with a progress file of its own, and with no class that an outer environment names."""

import pytest


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    for name in ("HUNDREDFOLD_CLASS", "NBGRADER_EXECUTION", "HUNDREDFOLD_STRICT", "JPY_SESSION_NAME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def room(tmp_path):
    """A class's folder, as an instructor makes it."""
    folder = tmp_path / "class"
    answers = folder / "answers"
    answers.mkdir(parents=True)
    answers.chmod(0o1733)
    return folder
