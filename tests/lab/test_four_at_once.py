"""Four notebooks of one learner, each with a cluster of its own, at the same time: no port is asked for twice, no answer is another's."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
FOUR = range(4)
RUN = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
"""
CELLS = (
    "%load_ext hundredfold",
    """
import time
from pathlib import Path

import cupy as cp
from dask.distributed import Client
from dask_cuda import LocalCUDACluster

cluster = LocalCUDACluster(dashboard_address=":0", n_workers=1)
client = Client(cluster)
""",
    """
Path("..", f"up-{NUMBER}").touch()
until = time.monotonic() + 300
while len(list(Path("..").glob("up-*"))) < 4:
    assert time.monotonic() < until, "the four were never up together"
    time.sleep(0.1)
""",
    """
futures = client.map(lambda i: float(cp.full(1000, NUMBER).sum()) + i, range(20), pure=False)
assert client.gather(futures) == [1000.0 * NUMBER + i for i in range(20)]
client.close()
cluster.close()
""",
)
LECTURES = [
    path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if "LocalCUDACluster(" in path.read_text("utf-8")
]


def run_together(notebooks, folder):
    """Run notebooks side by side, each in a folder of its own; the text of those that fail."""
    environment = {**os.environ, "HUNDREDFOLD_STATE": str(folder / "state"), "HUNDREDFOLD_STRICT": "1"}
    running = []
    try:
        for number, notebook in enumerate(notebooks):
            place = folder / str(number)
            place.mkdir()
            with (place / "said.txt").open("w") as out:
                command = [sys.executable, "-c", RUN, str(notebook), str(place)]
                running.append(subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT))
        ended = [process.wait(timeout=1200) for process in running]
    finally:
        for process in running:
            process.kill()
    return [(folder / str(number) / "said.txt").read_text()[-2000:] for number, code in enumerate(ended) if code]


def test_four_clusters_at_once(tmp_path):
    notebooks = []
    for number in FOUR:
        cells = [nbformat.v4.new_code_cell(text.replace("NUMBER", str(number))) for text in CELLS]
        notebooks.append(tmp_path / f"{number}.ipynb")
        nbformat.write(nbformat.v4.new_notebook(cells=cells), notebooks[-1])
    assert run_together(notebooks, tmp_path) == []


@pytest.mark.large
def test_four_lectures_at_once(tmp_path):
    assert len(LECTURES) >= 4
    assert run_together(LECTURES[:4], tmp_path) == []
