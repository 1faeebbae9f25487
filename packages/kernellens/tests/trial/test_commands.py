"""What a tried program would run on this machine is not run, however it asks for it."""

import json
import os
import signal
import subprocess
import sys
import time

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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM that a process could answer")
@pytest.mark.parametrize("kind", ["script", "notebook"])
def test_sigterm_ends_the_program_too_and_leaves_no_copy(tmp_path, kind):
    """As a scheduler or `timeout` ends it."""
    scratch, begun, folder = tmp_path / "scratch", tmp_path / "begun", tmp_path / "program"
    scratch.mkdir()
    folder.mkdir()
    source = f"import os, time\nopen({str(begun)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    program = folder / ("sleeps.py" if kind == "script" else "sleeps.ipynb")
    if kind == "script":
        program.write_text(source)
    else:
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), program)
    line = [sys.executable, "-c", "from kernellens.cli import main; main()", "try", str(program)]
    with subprocess.Popen(line, env=os.environ | {"TMPDIR": str(scratch)}, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: begun.exists() and begun.read_text())
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=300) == 128 + signal.SIGTERM
    wait_until(lambda: gone(int(begun.read_text())))
    assert not list(scratch.glob("kernellens-try-*"))  # two folders of other names were there once: whose is not known


def wait_until(holds):
    """A limit for what hangs."""
    end = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
