"""Recorded machines, as the simulator's tests have them, and no variable of this machine's own."""

import importlib.util
from pathlib import Path

_file = Path(__file__).parents[3] / "gpusim" / "tests" / "hardware" / "conftest.py"
_spec = importlib.util.spec_from_file_location("hardware_conftest", _file)
_hardware = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_hardware)

recorded, driver = _hardware.recorded, _hardware.driver
