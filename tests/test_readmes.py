"""The example of each package's README runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[1] / "packages"


@pytest.mark.parametrize("name", ["gpusim", "kernellens", "hundredfold"])
def test_the_example_runs(name, tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", (PACKAGES / name / "README.md").read_text(encoding="utf-8"), re.S)
    script = tmp_path / "example.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["gpusim", "kernellens", "hundredfold"])
def test_each_has_the_projects_licence(name):
    assert (PACKAGES / name / "LICENSE").read_bytes() == (PACKAGES.parent / "LICENSE").read_bytes()
