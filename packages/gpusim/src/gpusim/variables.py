"""The environment variables that had another name: one that is set is refused, with the name that it has now."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` would be imported at the start of every simulating process
if TYPE_CHECKING:
    from collections.abc import Mapping

RENAMED = {
    f"HUNDREDFOLD_{name}": f"GPUSIM_{name}"
    for name in (
        "SIMULATE",
        "GPUS",
        "GPU_MEMORY",
        "TRACE",
        "OUT_OF_BOUNDS",
        "KERNELS",
        "THREAD_SECONDS",
        "LAUNCH_SECONDS",
        "PROBE",
        "CACHE",
    )
}
"""Old name → new name. Before gpusim was a package of its own, its variables were the course's."""


class RenamedVariableError(ValueError):
    """A variable is set under a name that nobody reads any more; the message is a sentence with the new one."""


def refuse_renamed(renamed: Mapping[str, str] = RENAMED) -> None:
    """Refuse variables that are set under their old names: unread, they would be as good as not set.

    Raises
    ------
    RenamedVariableError
    """
    old = [name for name in renamed if os.environ.get(name, "") not in ("", "0")]  # 0 was, and is, as good as not set
    if not old:
        return
    said = " and ".join(f"{name} is called {renamed[name]} now" for name in old)
    raise RenamedVariableError(f"{said}: set that instead, and unset the old name.")
