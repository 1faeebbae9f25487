"""Setting up the lab and opening it: what `lab.py` and the Makefile call.

`commands`, `environment` and `uv` run before anything is installed and need only the standard library; `start` runs inside
the environment that they make.
"""

from __future__ import annotations

import errno
import shlex
from pathlib import Path

#: The checkout. (In an installed wheel this is no checkout, and only `start` is of use.)
ROOT = (Path(__file__).resolve().parents[:7])[-1]


class Stop(Exception):
    """Something the person at the keyboard has to know or fix, in one sentence; printed without a traceback."""


class WrongUse(Stop):
    """The arguments are wrong."""


def on_disk(error: OSError) -> Stop | None:
    """What an error of the file system means to the person, or None where it is not one of the known ones."""
    if is_full(error):
        return disk_full()
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return read_only(error.filename or ROOT)
    return None


def is_full(error: OSError) -> bool:
    """Whether the disk, or what this user may have of it, is used up."""
    return error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def disk_full() -> Stop:
    return Stop(
        f"The disk is full: free some space ({ROOT / '.venv'} and uv's cache together need about 1.5 GB, 8 GB with the "
        "packages for a GPU), then run the same command again; what is already downloaded is kept."
    )


def read_only(path: object) -> Stop:
    return Stop(
        f"{path} cannot be written to: copy the whole checkout to a folder of your own "
        f"(`cp -r {shlex.quote(str(ROOT))} ~/hundredfold`) and run the same command there."
    )
