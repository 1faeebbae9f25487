"""Four notebooks of one learner, each with a cluster of its own, at the same time: no port is asked for twice, no answer is another's."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
"""


LECTURES = [
    path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if "LocalCUDACluster(" in path.read_text("utf-8")
]


def test_four_clusters_at_once(tmp_path):
    four = LECTURES[:4]
    assert len(four) == 4
    environment = {**os.environ, "HUNDREDFOLD_STATE": str(tmp_path / "state"), "HUNDREDFOLD_STRICT": "1"}
    running, said = [], []
    try:
        for number, notebook in enumerate(four):
            place = tmp_path / f"{number}"
            place.mkdir()
            log = place / "said.txt"
            with log.open("w") as out:
                command = [sys.executable, "-c", CODE, str(notebook), str(place)]
                running.append(subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT))
            said.append(log)
        ended = [process.wait(timeout=1200) for process in running]
    finally:
        for process in running:
            process.kill()
    assert ended == [0] * 4, "\n\n".join(
        f"{notebook.name}: {log.read_text()[-2000:]}"
        for notebook, log, code in zip(four, said, ended, strict=True)
        if code
    )
