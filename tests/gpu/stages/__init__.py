"""What is done on the GPU, a module each, in the order of its worth.

Each has `TITLE`; `WORKERS`, how many of its parts run at once (1 where times are taken); `parts(about)`, a dict for each part with its `name`,
the seconds it `takes` about and the `patience` with it, the packages it `needs`, and whether its process is for it `alone`; `do(part, about)`,
which returns what came of it, as JSON has it; and `report(results)`, Markdown of the results by part.  Only `parts` and `do` import anything
beyond the standard library: they run in the process of `working`.
"""

from __future__ import annotations

import importlib

ORDER = {
    "probe": "1",
    "conformance": "2",
    "record": "3",
    "notebooks": "4",
    "times": "5a",
    "counters": "5b",
    "checker": "5c",
    "clusters": "6a",
    "sharing": "6b",
}


def module(name: str):
    return importlib.import_module(f"gpu.stages.{name}")
