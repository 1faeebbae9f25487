"""Rows of a recording for what `hundredfold record` does not measure, since one run of it takes longer than all of its patience: the 2 TB sum, the SVD."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FILE = "recording.json"


def begin(folder: Path) -> tuple[Path, dict[str, Any]]:
    """The recording in a folder that rows of this machine, with its packages as they are now, can join, and its file.

    Where one is there that was made with other versions, another beside it is gone on with or begun: a time is never lost.
    """
    from hundredfold.toolkit.record import here, recording_file

    machine = here.describe("")
    machine["name"] = machine["gpu"]
    source = here.source(f"Recorded on {machine['name']}")
    for file in (folder / FILE, *(folder / f"recording-{n}.json" for n in range(2, 100))):
        try:
            return file, recording_file.begin(file, machine, source)
        except recording_file.CannotKeepError as error:
            reason = error
    raise reason


def keep_row(folder: Path, workload: str, way: str, found: dict[str, Any], remark: str, dry: bool) -> str:
    """Put one time into a recording in a folder, in the row of a published workload; a simulated time is never put there.

    Returns the recording's name, empty where there is none to say.

    Parameters
    ----------
    workload : str
        The id of a published row, whose facts (shape, bytes, operations) are taken over.
    way : str
        How it was done, as a legend says it; an earlier time of the same way gives way.
    found : dict
        `seconds`, and `first` where there was a run before.
    """
    from hundredfold.toolkit import recorded
    from hundredfold.toolkit.record import here, recording_file

    if dry or not here.has_gpu():
        return ""
    published = recorded.published(workload)
    file, recording = begin(folder)
    facts = {name: getattr(published, name) for name in ("n", "dtype", "bytes", "least_bytes", "flops", "kernels")}
    facts = {name: value for name, value in facts.items() if value is not None}
    if published.shape:
        facts["shape"] = list(published.shape)
    time = {
        "way": way,
        "device": "gpu",
        "seconds": found["seconds"],
        "runs": 1,
        "synchronised": True,
        "verdict": "possible",
        "remark": remark,
    }
    if "first" in found:
        time["first"] = found["first"]
    row = next((row for row in recording["rows"] if row["id"] == workload), None)
    if row is None:
        row = {"id": workload, "what": published.what, "source": "run", "machine": "here", **facts, "times": []}
        recording["rows"].append(row)
    row["times"] = [each for each in row["times"] if each["way"] != way] + [time]
    recording_file.write(file, recording)
    return file.name
