"""The course lies outside of the home volume, comes into it, and never over what a learner changed."""

import json
import os
from pathlib import Path

from hundredfold.notebook import workspace
from hundredfold.paths import data_dir, repository

assert repository() is None
for name in ("notebooks", "exercises", "solutions", "syllabi", "data", "recordings"):
    assert str(data_dir(name)).startswith("/opt/hundredfold/"), name
assert workspace.folder() == Path("/home/jovyan/hundredfold")

workspace.refresh()
mine = workspace.folder() / "notebooks" / "01_arrays.ipynb"
notebook = json.loads(mine.read_text())
notebook["cells"][0]["source"] = "mine"
mine.write_text(json.dumps(notebook))
before = mine.read_bytes()
assert mine.stat().st_uid == os.getuid()
workspace.refresh()
assert mine.read_bytes() == before
