"""Who one is in the image, and what that user can change."""

import os
import subprocess
from pathlib import Path

assert (os.getuid(), os.getgid()) == (1000, 100), (os.getuid(), os.getgid())
assert os.environ["HOME"] == "/home/jovyan" == os.getcwd()
assert (os.environ["NB_USER"], os.environ["NB_UID"], os.environ["NB_GID"]) == ("jovyan", "1000", "100")
assert subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip() == "jovyan"
for place in ("/", "/usr", "/opt/hundredfold", os.environ["NB_PYTHON_PREFIX"], "/etc"):
    assert not os.access(place, os.W_OK), place
    try:
        Path(place, "trial").touch()
        raise AssertionError(f"{place} can be written to")
    except OSError:
        pass
Path(os.environ["HOME"], "trial").touch()
Path("/tmp/trial").touch()
