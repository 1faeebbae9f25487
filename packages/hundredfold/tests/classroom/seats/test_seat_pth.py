"""The line in site-packages for seats on a GPU: in every kind of installation, and read after the simulator's."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
ROOT = PROJECT.parents[1]
LINE = PROJECT / "src" / "hundredfold" / "classroom" / "seats" / "hundredfold_seat.pth"


def test_it_is_one_line_that_python_executes():
    text = LINE.read_text()
    assert text.startswith("import ") and text.count("\n") == 1 and text.endswith("\n")


@pytest.mark.parametrize("how", ["build_wheel", "build_editable"])
def test_it_is_in_every_kind_of_installation(how, tmp_path):
    program = f"import hatchling.build; print(hatchling.build.{how}({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, cwd=PROJECT)
    assert done.returncode == 0, done.stderr
    wheel = zipfile.ZipFile(tmp_path / done.stdout.split()[-1])
    assert wheel.read("hundredfold_seat.pth").decode() == LINE.read_text()
    names = wheel.namelist()
    assert all(name < LINE.name for name in names if name.endswith(".pth") and name != LINE.name)
    assert ("hundredfold/start.py" in names) == (how == "build_wheel")
    assert ("hundredfold/setup/lab/start.py" in names) == (how == "build_wheel")
    assert not any(name.startswith("hundredfold/publish/site/") for name in names)
    for file in (ROOT / "recordings").glob("*.json"):  # an editable installation reads them where they are
        assert (f"hundredfold/_recordings/{file.name}" in names) == (how == "build_wheel")
    assert not any(
        name.startswith(("tests/", "hundredfold/_recordings/raw")) or name.endswith("make.py") for name in names
    )
