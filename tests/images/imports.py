"""What of the GPU libraries can be imported here, and how much room each package takes, as JSON. For a Python that has them:

    python imports.py cupy numba.cuda rmm …

Each in a process of its own, since a library without a driver may end its process. Standard library only.
"""

import json
import os
import subprocess
import sys
from importlib import metadata

PATIENCE = 1800


def tried(module):
    """`imported`, or the last line of what went wrong, without the paths of this machine."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"import {module}"],
            capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no answer within {PATIENCE} s"
    if done.returncode == 0:
        return "imported"
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return f"exit status {done.returncode}: {(lines or ['nothing said'])[-1]}".replace(sys.prefix, "…")[:300]


def sizes():
    """Bytes of each package's files, hard links once."""
    found, seen = {}, set()
    for each in metadata.distributions():
        total = 0
        for file in each.files or ():
            try:
                told = os.lstat(each.locate_file(file))
            except OSError:
                continue
            if (told.st_dev, told.st_ino) not in seen:
                seen.add((told.st_dev, told.st_ino))
                total += told.st_size
        found[f"{each.metadata['Name'].lower().replace('_', '-')}=={each.version}"] = total
    return found


if __name__ == "__main__":
    print(json.dumps({"imports": {module: tried(module) for module in sys.argv[1:]}, "sizes": sizes()}))
