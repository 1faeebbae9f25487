"""What a learner types into a prediction's cell, shared with the class if they share (`hundredfold.learning.problems.sharing`).

It looks only at cells of the course's own lectures that ask for a prediction, and does nothing else than to read the values of
the names that such a cell assigns.
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hundredfold import paths

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

LONGEST = 40  # characters of a word
LARGEST = 1e100  # a number beyond is no prediction, and adding two of them could overflow


def watch(ip: InteractiveShell) -> str | None:
    """Look at each cell after it has run; returns what a learner who shares is told."""
    unwatch(ip)
    ip.events.register("post_run_cell", _noted)
    if not _may_share():
        return None
    from hundredfold.learning.problems import sharing

    where = sharing.folder()
    if where is None:
        return None
    whose = "with your name" if sharing.with_names(where) else "without your name"
    return (
        f"Your class sees your checks' verdicts and your predictions, {whose} and never your code; "
        "`hundredfold progress --no-share` in a terminal ends it."
    )


def unwatch(ip: InteractiveShell) -> None:
    """Look no more."""
    if _noted in ip.events.callbacks["post_run_cell"]:
        ip.events.unregister("post_run_cell", _noted)


def _may_share() -> bool:
    """Whether anybody has said anything about sharing: what decides it imports more than a notebook's first cell should wait for."""
    try:
        return bool(os.environ.get("HUNDREDFOLD_CLASS")) or (Path(paths.state_dir()) / "sharing.json").exists()
    except OSError:
        return False


def _noted(result: ExecutionResult) -> None:
    info = result.info
    if info is None or "my_" not in (info.raw_cell or "") or not result.success or not info.cell_id:
        return
    try:
        _share(info.raw_cell, info.cell_id)
    except Exception:  # whatever it is: a lecture goes on
        pass


def _share(source: str, cell: str) -> None:
    from hundredfold.learning.problems import sharing

    if sharing.folder() is None:
        return
    from IPython import get_ipython

    from . import catalogue

    cell = cell.rpartition("#")[2]  # VS Code puts the notebook's address in front
    known = catalogue.predictions(cell.rpartition("-")[0])
    values = get_ipython().user_ns
    for name in catalogue.assigned(source):
        key = f"{cell}/{name}"
        said = plain(values.get(name)) if key in known else None
        if said is not None:
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            sharing.share(time=now, prediction=key, value=said)


def plain(value: Any) -> float | str | None:
    """A prediction as it is kept: a number, or a short word; a list of those as one. None if it is neither.

    A list in a list is none: how deep they lie is for whoever writes them to choose, and following them would end the class's page.
    """
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return float(value) if abs(value) <= LARGEST else None
    if isinstance(value, str):
        word = "".join(letter for letter in value if letter.isprintable()).strip()
        return word[:LONGEST] or None
    if isinstance(value, list | tuple | set) and len(value) <= 10:
        parts = [None if isinstance(each, list | tuple | set) else plain(each) for each in value]
        if all(part is not None for part in parts):
            said = ", ".join(f"{part:g}" if isinstance(part, float) else part for part in parts)
            return said[:LONGEST] or "none"
    return None
