"""Every lecture on the smallest seat there is: one core and 2 GB, as Binder gives, held to it by a control group."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMOKE = ("01_arrays", "11_clusters")  # the one whose sizes follow the memory, and one with workers
LECTURES = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.smoke] if path.stem in SMOKE else [])
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
]
SEAT = 2 * 10**9  # bytes
# Each of the processes that the tests are dealt to has a core of its own.
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
MOST = 1.5e9  # bytes that a unit may take of it, its workers included
CODE = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
"""


@contextlib.contextmanager
def group(limit):
    """A control group of so many bytes: its folder, and the name of what counts the memory in use that is no file's."""
    for parent, file, counted in (
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "total_rss"),  # version 1
        ("/sys/fs/cgroup", "memory.max", "anon"),  # version 2
    ):
        folder = Path(parent) / f"hundredfold-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / file).write_text(str(limit))
        except OSError:
            folder.rmdir()
            continue
        try:
            yield folder, counted
        finally:
            folder.rmdir()
        return
    pytest.skip("no control group can be made here: it takes root, and a memory controller")


def used(folder, counted):
    lines = (folder / "memory.stat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.split()[0] == counted)


@pytest.mark.large
@pytest.mark.parametrize("notebook", LECTURES)
def test_a_lecture_on_one_core_and_two_gigabytes(notebook, tmp_path, record_property):
    with group(SEAT) as (folder, counted):

        def sit():
            (folder / "cgroup.procs").write_text(str(os.getpid()))
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {cores[WORKER % len(cores)]})

        began = time.monotonic()
        environment = {**os.environ, "HUNDREDFOLD_STATE": str(tmp_path / "state"), "HUNDREDFOLD_STRICT": "1"}
        process = subprocess.Popen(
            [sys.executable, "-c", CODE, str(notebook), str(tmp_path)],
            preexec_fn=sit,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = []
        reader = threading.Thread(target=lambda: said.append(process.stdout.read()), daemon=True)
        reader.start()
        most = 0
        while process.poll() is None:
            most = max(most, used(folder, counted))
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
        reader.join(30)
        assert process.returncode == 0, "".join(said)[-3000:]
        seconds = time.monotonic() - began
        record_property("said", f"{seconds:5.1f} s  {most / 1e9:4.2f} GB  {notebook.stem}, on one core with 2 GB")
        assert 0 < most < MOST
