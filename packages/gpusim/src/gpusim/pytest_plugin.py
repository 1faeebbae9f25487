"""``pytest --gpusim``: tests of GPU code on a machine without a GPU.

pytest loads this module in every environment that has gpusim. Without the option it does nothing and imports nothing further;
what it does with the option is in `pytest_simulation`.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import os

import pytest

TOO_EARLY = (
    "set GPUSIM_SIMULATE=1 in the environment, which counts from Python's start, before pytest loads its plugins; "
    "where pytest.main() was called from a program, start it anew."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--gpusim``. In ``addopts`` it counts for every run."""
    parser.getgroup("gpusim", "GPU code on the CPU").addoption(
        "--gpusim",
        action="store_true",
        help="simulate CuPy, numba.cuda, cuDF and their like on the CPU, even where a GPU works; "
        "a kernel that races or leaves an array fails its test (GPUSIM_TRACE=first, unless it is set)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Put the simulated libraries in place, before any conftest.py or test module can import the real ones."""
    if not early_config.known_args_namespace.gpusim:
        return
    if int(pytest.version_tuple[0]) < 8:
        raise pytest.UsageError(f"--gpusim needs pytest 8 or newer; this is {pytest.__version__}.")
    from gpusim.kernels import reported
    from gpusim.start import CannotStartError, Speaker, start

    from .pytest_simulation import Simulation

    # Before anything of it runs, and for child processes as well: the default shows a warning and goes on, as a GPU would.
    os.environ.setdefault("GPUSIM_TRACE", "first")
    try:
        line = start(Speaker(too_early=TOO_EARLY, asked="--gpusim was given"))
        reported.tracing()
        reported.goes_on()
    except (CannotStartError, ValueError) as error:
        raise pytest.UsageError(str(error)) from None
    early_config.pluginmanager.register(Simulation(line, os.environ["GPUSIM_TRACE"]), "gpusim-simulation")
