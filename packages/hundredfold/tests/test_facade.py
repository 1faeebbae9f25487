"""What notebooks import from `hundredfold`."""

import pytest

import hundredfold


def test_packages_go_by_the_names_that_notebooks_use():
    import gpusim.hardware
    import kernellens
    import kernellens.plot
    from hundredfold import lens, machine, plot
    from hundredfold.lens import trace
    from hundredfold.machine import gpus
    from hundredfold.plot import palette

    assert (lens, machine, plot) == (kernellens, gpusim.hardware, kernellens.plot)
    assert (trace, gpus, palette) == (kernellens.trace, gpusim.hardware.gpus, kernellens.plot.palette)


def test_all_names_are_there():
    assert all(getattr(hundredfold, name) for name in hundredfold.__all__)


def test_a_variable_under_its_old_name_is_refused_by_the_course(monkeypatch):
    from hundredfold.start import CannotStartError, start

    monkeypatch.setenv("HUNDREDFOLD_COMPILER", "/usr/bin/python3")
    with pytest.raises(CannotStartError, match="Hundredfold: HUNDREDFOLD_COMPILER is called KERNELLENS_COMPILER now"):
        start()
