"""Scripts that take arguments, and what a script says when it gives up."""

import json
import subprocess
import sys

import pytest


@pytest.mark.usefixtures("warm")
def test_arguments_reach_a_script_and_its_last_words_are_told(tmp_path):
    script = tmp_path / "wants.py"
    script.write_text("import sys\nif sys.argv[1:] != ['4', 'a b']:\n    print('Usage: wants N')\n    sys.exit(2)\n")
    line = [sys.executable, "-c", "from kernellens.cli import main; main()", "try", "--json", str(script)]
    done = subprocess.run([*line, "--arguments", "4 'a b'"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    (outcome,) = json.loads(done.stdout)
    assert (outcome["status"], outcome["message"]) == ("failed", "Usage: wants N (exit status 2)")
