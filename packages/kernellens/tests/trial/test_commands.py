"""What a tried program would run on this machine is not run, however it asks for it."""

import json
import subprocess
import sys

import nbformat
import pytest

ASKS = """
import os, subprocess, sys
os.system("touch {0}/a; echo no")
subprocess.run("touch {0}/b", shell=True, check=True)
subprocess.run(["touch", "{0}/c"], check=True)
subprocess.check_call(["bash", "-c", "touch {0}/d"])
os.popen("touch {0}/e").read()
subprocess.run([sys.executable, "-m", "pip", "install", "x"], check=True)
subprocess.run([sys.executable, "-c", "import os; os.system('touch {0}/f')"], check=True)
assert "simulated" in subprocess.check_output(["nvidia-smi", "-L"], text=True)
assert subprocess.check_output([sys.executable, "-c", "print(6 * 7)"], text=True) == "42\\n"
try:
    os.execvp("touch", ["touch", "{0}/g"])
except PermissionError:
    pass
else:
    raise SystemExit("exec")
"""


@pytest.mark.parametrize("kind", ["script", "notebook"])
def test_no_command_is_run(tmp_path, kind):
    marks = tmp_path / "marks"
    marks.mkdir()
    source = ASKS.format(marks)
    program = tmp_path / ("asks.py" if kind == "script" else "asks.ipynb")
    if kind == "script":
        program.write_text(source)
    else:
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), program)
    line = [sys.executable, "-c", "from kernellens.cli import main; main()", "try", "--json", str(program)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    (outcome,) = json.loads(done.stdout)
    assert outcome["status"] == "ran", outcome
    assert list(marks.iterdir()) == []
    skipped = outcome["skipped"]
    assert skipped[0] == f"touch {marks}/a; echo no" and f"bash -c 'touch {marks}/d'" in skipped
    assert any("-m pip install x" in command for command in skipped)
    assert len(skipped) == 7
