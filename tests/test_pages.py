"""The generated pages of the documentation are up to date."""

import os
import subprocess
import sys


def test_the_pages_are_what_the_stand_ins_and_the_lists_say():
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HUNDREDFOLD_GPU")}
    command = [sys.executable, "-m", "hundredfold.pages", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=clean)
    assert done.returncode == 0, done.stderr
