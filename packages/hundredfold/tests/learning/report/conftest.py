import pytest

from hundredfold.toolkit import measurement_log


@pytest.fixture(autouse=True)
def a_learner(tmp_path, monkeypatch):
    """A learner of their own, in a folder of their own, who has measured nothing."""
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("HUNDREDFOLD_REPORTS", raising=False)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    (tmp_path / "state").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    measurement_log.forget()
    yield tmp_path / "work"
    measurement_log.forget()
