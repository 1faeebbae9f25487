"""Colab's notebooks in an environment without the course: their first cell installs it from a git repository, and the rest runs.

The packages that it needs are lent from the tests' environment, or each run would fetch hundreds of megabytes; the course is not.
With HUNDREDFOLD_BARE=1 nothing is lent: there is what runs a notebook and nothing else, and pip fetches the rest.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from hundredfold.classroom import links
from hundredfold.classroom.links import colab

ROOT = Path(__file__).parents[2]
#: What Colab has without the course, as far as running a notebook goes.
OWN = ["ipykernel", "nbclient", "nbformat"]
NOTHING_LENT = bool(os.environ.get("HUNDREDFOLD_BARE"))
PATIENCE = "3600" if NOTHING_LENT else "900"  # seconds for a cell
RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=int(sys.argv[2]), kernel_name="python3").execute()
outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
print(json.dumps([output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]))  # a verdict is a card
"""


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    """A repository with what is committed here."""
    folder = tmp_path_factory.mktemp("public")
    git(folder, "clone", "--quiet", "--bare", str(ROOT), "course")
    git(folder / "course", "update-ref", "refs/heads/main", git(ROOT, "rev-parse", "HEAD"))
    return links.Address(f"file://{folder / 'course'}")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A Python with pip and what the notebooks need, but not the course."""
    folder = tmp_path_factory.mktemp("bare") / "env"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=600)
    python = folder / "bin" / "python"
    if NOTHING_LENT:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *OWN], check=True, timeout=1800)
        return python
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-I", "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    # A folder that a .pth file names is searched, but its own .pth files, by which the course is there, are not read.
    (Path(site) / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    lacks = "import importlib.util, sys; sys.exit(importlib.util.find_spec('hundredfold') is not None)"
    assert subprocess.run([python, "-c", lacks], check=False).returncode == 0, "the course is there already"
    return python


def test_an_exercise_opened_in_colab_installs_the_course_and_runs(bare, where, tmp_path):
    notebook = colab.notebooks(where, ROOT)["01_arrays_exercises.ipynb"]
    notebook["cells"].append(
        {
            "cell_type": "code", "id": "where", "metadata": {}, "outputs": [], "execution_count": None,
            "source": "import hundredfold; print('from', hundredfold.__file__)",
        }
    )  # fmt: skip
    file = tmp_path / "exercise.ipynb"
    file.write_text(json.dumps(notebook))
    env = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "PYTHON"))
    }
    env |= {"HUNDREDFOLD_STATE": str(tmp_path / "state"), "JUPYTER_PATH": ""}
    if not NOTHING_LENT:
        env["PIP_NO_BUILD_ISOLATION"] = "no"  # what builds the wheel is lent, too; pip's "no" means "do not"
    for first in (True, False):  # the second time it is there, and nothing is installed
        done = subprocess.run(
            [bare, "-c", RUN, str(file), PATIENCE], env=env, cwd=tmp_path, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        said = "".join(json.loads(done.stdout.splitlines()[-1]))
        assert "arrays.port: not attempted yet" in said
        if shutil.which("nvidia-smi") is None:
            assert ("No GPU in this session" in said) == first, "said where the course is installed"
        assert f"from {bare.parent.parent}" in said, "it is the one that was installed"
    listed = (bare.parent.parent / "lib").rglob("hundredfold-*.dist-info/direct_url.json")
    assert [json.loads(file.read_text())["url"] for file in listed] == [where.url]
