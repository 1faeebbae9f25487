"""Which of the course's packages are installed, and the command that installs a variant of them."""

from gpusim.hardware import packages as known
from gpusim.hardware.detect import Gpu, Probe
from hundredfold.setup import packages


def test_in_a_checkout_make_mends():
    assert packages.setup_command("cu13") == "make setup EXTRA=cu13"
    assert packages.setup_command("cu13", afresh=True) == "rm -rf .venv && make setup EXTRA=cu13"


def test_without_a_checkout_pip_mends(monkeypatch):
    monkeypatch.setattr(packages.paths, "repository", lambda: None)
    assert packages.setup_command("cu12").endswith('-m pip install "hundredfold[cu12]"')
    assert "--force-reinstall" in packages.setup_command("cu12", afresh=True)


def test_what_the_simulator_says_names_the_courses_command():
    probe = Probe(status="ok", cuda=(13, 0), gpus=[Gpu(index=0, name="GPU", memory_total=1 << 34, cc=(9, 0))])
    linux = {"system": "Linux", "machine": "x86_64", "glibc": [2, 28]}
    assert known.mismatch(probe, {}, linux).fix == "make setup EXTRA=cu13"


def test_the_labs_packages_are_looked_for_too():
    assert {"hundredfold", "numpy", "jupyterlab"} <= set(packages.installed())
