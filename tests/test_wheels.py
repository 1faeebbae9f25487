"""Each package from its own wheel, in an environment that has nothing else: outside of any checkout, it does what it promises."""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml

from hundredfold.setup.lab import environment, uv

ROOT = Path(__file__).parents[1]
PACKAGES = ("gpusim", "kernellens", "hundredfold")

CUPY = """
import cupy as cp
x = cp.arange(12.0).reshape(3, 4)
print(cp.asnumpy((x @ x.T).sum(axis=0)).tolist())
"""
NUMBA = """
import numpy as np
from numba import cuda

@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 2 * x[i]

out = np.zeros(100)
double[4, 32](np.arange(100.0), out)
print(out[[0, 1, 99]].tolist())
"""
BROKEN = """
import numpy as np
from numba import cuda

@cuda.jit
def shift(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1]

shift[1, 32](np.arange(32.0), np.zeros(32))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The folder with the three wheels."""
    folder = tmp_path_factory.mktemp("wheels")
    for name in PACKAGES:
        program = f"import hatchling.build; hatchling.build.build_wheel({str(folder)!r})"
        subprocess.run([sys.executable, "-c", program], cwd=ROOT / "packages" / name, check=True, capture_output=True)
    assert len(list(folder.glob("*.whl"))) == 3
    return folder


@pytest.fixture(scope="module")
def bare(wheels, tmp_path_factory):
    """Make an environment with a requirement, at the lock's versions, and return the folder of its programs."""
    installer = uv.find() or uv.bring(environment.LOG)
    settings = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    if "UV_DEFAULT_INDEX" not in settings and settings.get("PIP_INDEX_URL"):
        settings["UV_DEFAULT_INDEX"] = settings["PIP_INDEX_URL"]
    made = {}

    def make(*requirements):
        if requirements not in made:
            place = tmp_path_factory.mktemp("bare") / "env"
            locks = [word for name in ("cpu", "test") for word in ("--constraint", ROOT / f"requirements/{name}.txt")]
            install = ["pip", "install", "--quiet", "--find-links", wheels, "--python", place, *locks]
            # What the lock leaves out; its versions are named by the constraints.
            left_out = place.parent / "excluded.txt"
            left_out.write_text("rfc3987-syntax\n")
            for command in (
                ["venv", "--quiet", "--no-project", "--python", sys.executable, place],
                [*install, "--excludes", left_out, *requirements],
            ):
                done = subprocess.run(
                    [installer, *command], capture_output=True, text=True, env=settings, cwd=place.parent
                )
                assert done.returncode == 0, done.stderr
            made[requirements] = place / "bin"
        return made[requirements]

    return make


def run(program, *arguments, folder, check=True):
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "PYTHON"))
    }
    done = subprocess.run(
        [program, *arguments], cwd=folder, env=clean, capture_output=True, text=True, timeout=600, check=False
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.large
@pytest.mark.smoke
def test_the_simulator_runs_programs_with_what_it_needs_and_no_more(bare, tmp_path):
    python = bare("gpusim") / "python"
    for name, text in (("cupy.txt", CUPY), ("numba.txt", NUMBA)):
        (tmp_path / name).write_text(text)
    assert run(python, "-m", "gpusim", "cupy.txt", folder=tmp_path).stdout == "[114.0, 378.0, 642.0]\n"
    assert run(python, "-m", "gpusim", "numba.txt", folder=tmp_path).stdout == "[0.0, 2.0, 198.0]\n"
    listed = (
        "from importlib import metadata; print(*sorted(d.metadata['Name'].lower() for d in metadata.distributions()))"
    )
    there = set(run(python, "-c", listed, folder=tmp_path).stdout.split())
    assert {"gpusim", "numba", "numpy"} <= there and len(there) < 12
    assert not there & {"kernellens", "hundredfold", "bokeh", "ipython", "jupyterlab", "pandas"}


@pytest.mark.large
def test_the_simulator_passes_its_own_tests_without_jupyter(bare, tmp_path):
    tests = tmp_path / "packages" / "gpusim" / "tests"
    shutil.copytree(ROOT / "packages" / "gpusim" / "tests", tests)
    python = bare("gpusim[all]", "pytest", "pyyaml", "psutil") / "python"
    mark = "large(parameter, by=None)", "smoke", "counted(what)"
    options = [word for each in mark for word in ("-o", f"markers={each}")]
    arguments = ["-q", "--import-mode=importlib", "-p", "no:cacheprovider", *options]
    done = run(python, "-m", "pytest", *arguments, tests / "device", tests / "kernels/test_launch.py", folder=tmp_path)
    assert re.search(r"\d+ passed", done.stdout) and "failed" not in done.stdout


@pytest.mark.large
def test_the_workflow_of_the_page_runs_with_this_gpusim(wheels, bare, tmp_path):
    text = (ROOT / "docs" / "testing-without-a-gpu.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.S)
    steps = [step["run"] for step in yaml.safe_load(block)["jobs"]["test"]["steps"] if "run" in step]
    assert len(steps) == 2
    for name, code in zip(("scale.py", "test_scale.py"), re.findall(r"```python\n(.*?)```", text, re.S), strict=True):
        (tmp_path / name).write_text(code)
    programs = bare("pip")
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    # A wheel that pip is given by its folder counts before an index's; what gpusim needs comes from the index.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GPUSIM_", "PYTEST_", "PYTHON"))}
    clean |= {"PATH": path, "PIP_FIND_LINKS": str(wheels)}
    for step in steps:
        done = subprocess.run(
            ["bash", "-e", "-c", step],
            cwd=tmp_path,
            env=clean,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "gpusim: --gpusim was given" in done.stdout and "1 passed" in done.stdout
    assert "cannot be rewritten" not in done.stdout, "pytest rewrites modules of packages with a plugin"


@pytest.mark.large
def test_the_lens_finds_what_is_wrong_with_a_kernel(bare, tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    done = run(bare("kernellens") / "kernellens", "check", "broken.py", folder=tmp_path, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error: out-of-bounds in shift" in done.stdout and "broken.py:8" in done.stdout
    listed = "import importlib.util as u; print([n for n in ('hundredfold', 'jupyterlab', 'polars') if u.find_spec(n)])"
    assert run(bare("kernellens") / "python", "-c", listed, folder=tmp_path).stdout == "[]\n"


@pytest.mark.large
def test_the_course_opens_outside_of_any_checkout_on_the_way_to_its_first_unit(bare, tmp_path):
    programs = bare("hundredfold")
    home = tmp_path / "home"
    home.mkdir()
    env = {**os.environ, "HOME": str(home), "HUNDREDFOLD_WORK": str(tmp_path / "work"), "JUPYTER_TOKEN": "token"}
    for name in ("GPUSIM_SIMULATE", "HUNDREDFOLD_STATE", "XDG_STATE_HOME", "XDG_CACHE_HOME", "PYTHONPATH"):
        env.pop(name, None)
    command = [programs / "hundredfold", "lab", "--no-browser"]
    lab = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said = []
        for line in lab.stdout:
            said.append(line)
            if found := re.match(r"(http://127\.0\.0\.1:\d+)(/\S*)\?token=token", line):
                break
        else:
            pytest.fail("".join(said))
        assert found[2] == "/lab/tree/start.md", "it opens on the start page"

        def content(name):
            ask = urllib.request.Request(f"{found[1]}/api/contents/{name}", headers={"Authorization": "token token"})
            with urllib.request.urlopen(ask, timeout=60) as answer:
                assert isinstance(answer, http.client.HTTPResponse)
                return json.load(answer)["content"]

        assert "(notebooks/01_arrays.ipynb)" in content("start.md?type=file&format=text"), (
            "which leads to the first unit"
        )
        assert content("notebooks/01_arrays.ipynb")["metadata"]["hundredfold"]
    finally:
        lab.terminate()
        lab.communicate(timeout=60)
    code = "from hundredfold import data, paths; print(data.path('airlines').name, paths.repository())"
    assert run(programs / "python", "-c", code, folder=tmp_path).stdout == "airlines.parquet None\n"
