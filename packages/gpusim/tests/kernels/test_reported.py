"""By default a kernel with a finding goes on, as on a GPU, and the finding is shown."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gpusim.kernels import reported
from gpusim.kernels.faults import OutOfBoundsError, TraceError


@pytest.fixture(autouse=True)
def default(stopping, monkeypatch):
    monkeypatch.delenv("GPUSIM_TRACE")
    monkeypatch.delenv("GPUSIM_OUT_OF_BOUNDS", raising=False)
    monkeypatch.setattr(reported, "_seen", set())


@pytest.fixture
def racy(cuda):
    def kernel(x):
        x[0] += cuda.grid(1)

    return kernel


@pytest.fixture
def unguarded(cuda):
    def kernel(x, y):
        i = cuda.grid(1)
        y[i] = x[i] + 1

    return kernel


def test_a_race_is_shown_once_and_the_program_goes_on(launch, racy):
    x = np.zeros(1)
    with pytest.warns(reported.KernelWarning, match="one change is lost") as said:
        kernel = launch(racy, 1, 64, x)
        launch(kernel, 1, 64, x)
    assert len(said) == 1 and x[0] == 2 * sum(range(64))
    assert "line 2" in str(said[0].message) and "GPUSIM_TRACE=first" in str(said[0].message)
    assert said[0].filename.endswith("conftest.py")  # where the launch is, not the engine


@pytest.mark.parametrize("trace", ["warn", "off"])
def test_past_the_end_reads_are_zero_and_writes_touch_nothing(launch, unguarded, trace, monkeypatch):
    monkeypatch.setenv("GPUSIM_TRACE", trace)
    x, memory = np.arange(40.0), np.full(100, -1.0)
    with pytest.warns(reported.KernelWarning, match="does not exist"):
        launch(unguarded, 2, 64, x, memory[:50])
    assert (memory[:40] == np.arange(40) + 1).all() and (memory[40:50] == 1).all() and (memory[50:] == -1).all()


@pytest.mark.parametrize("settings", [{"GPUSIM_TRACE": "first"}, {"GPUSIM_OUT_OF_BOUNDS": "refuse"}])
def test_who_wants_to_stop_is_stopped_from_the_next_launch_on(launch, unguarded, settings, monkeypatch):
    with pytest.warns(reported.KernelWarning):
        kernel = launch(unguarded, 1, 64, np.zeros(40), np.zeros(64))
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(OutOfBoundsError):
        launch(kernel, 1, 64, np.zeros(40), np.zeros(64))


def test_a_judge_refuses_whatever_is_set(launch, racy, unguarded, monkeypatch):
    monkeypatch.setenv("GPUSIM_OUT_OF_BOUNDS", "continue")
    with reported.refusing():
        with pytest.raises(TraceError):
            launch(racy, 1, 64, np.zeros(1))
        with pytest.raises(OutOfBoundsError):
            launch(unguarded, 1, 64, np.zeros(40), np.zeros(64))


def test_a_notebook_shows_a_card_with_the_same_as_text(launch, racy, monkeypatch):
    import IPython
    import IPython.display

    shown = []
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setattr(IPython.display, "display", lambda data, **_: shown.append(data))
    launch(racy, 1, 64, np.zeros(1))
    (card,) = shown
    assert "IPython" in sys.modules and card["text/plain"].startswith("⚠ kernel\n")
    assert "thread (0, 0, 0)" in card["text/plain"] and "line 2" in card["text/plain"]
    assert "<strong>⚠ kernel</strong>" in card["text/html"] and "one change is lost" in card["text/html"]


def test_a_maximum_that_looks_before_it_is_no_error(launch, cuda, recwarn):
    def kernel(x, m):
        i = cuda.grid(1)
        if x[i] > m[0]:
            cuda.atomic.max(m, 0, x[i])

    before, m = len(reported.reports), np.zeros(1, np.int32)
    launch(kernel, 2, 64, np.arange(128, dtype=np.int32), m)
    found = [each for each in list(reported.reports)[before:] if each.kind == "race"]
    assert [each.severity for each in found] == ["warning"] and "if it only decides" in found[0].sentence
    assert m[0] == 127 and not [w for w in recwarn if issubclass(w.category, reported.KernelWarning)]
