"""For ``pytest -p recording_plugin``: pytest imports the engine by a way of its own, which `sitecustomize` cannot watch."""

import os


def pytest_configure(config):
    if os.environ.get("RECORD_LAUNCHES"):
        from sitecustomize import start

        import gpusim.kernels.launch  # noqa: F401

        start()
