"""A home folder on which nothing more fits: it is said, and the learner's server starts all the same, so that room can be made there."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from hundredfold import paths

#: Less than this on the home folder's volume (bytes), and the server could not even write down that it runs.
LITTLE = 8 * 2**20
#: Where Jupyter and IPython write in order to run.
FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")


def home_full(home: Path) -> str | None:
    """A sentence if nothing more fits on the home folder's volume, else None. Room is tried, since a quota shows in no other way."""
    try:
        with tempfile.TemporaryFile(dir=home) as trial:
            os.posix_fallocate(trial.fileno(), 0, LITTLE)
            return None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return None
    return (
        f"Your home folder {home} is full, so what you do now cannot be saved. Delete what you no longer need in the lab's file "
        "browser (`du -sh ~/* ~/.[!.]*` in a terminal shows what is large), then restart the lab; what you saved before is whole."
    )


def redirect_jupyter_folders() -> None:
    """Keep what Jupyter and IPython must write in order to run among the temporary files, unless it is kept out of the home already."""
    spare = paths.private_temporary()
    home = Path.home().resolve()
    for variable in FOLDERS:
        told = os.environ.get(variable)
        if told and not Path(told).resolve().is_relative_to(home):
            continue
        folder = spare / variable.lower()
        folder.mkdir(mode=0o700, exist_ok=True)
        os.environ[variable] = str(folder)
    (spare / "runtime-folder").write_text(os.environ["JUPYTER_RUNTIME_DIR"])
