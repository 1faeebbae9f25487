"""repo2docker's own build of this checkout: its Dockerfile with its context, step by step, and the session that comes out.

Two things are lent, since neither can be had from a registry of packages: the base (Debian's packages under the name that its FROM gives,
instead of Ubuntu's), and the one step that takes Python and the server from conda's channel (the same versions of the same packages
come from PyPI). All other steps are repo2docker's, unchanged: users, apt, copying, pip with our lock, postBuild, start, entry point.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from container import ROOT, Image, authority, until

#: What mybinder.org's builds are made with, or near it.
REPO2DOCKER = "jupyter-repo2docker==2026.4.0"
#: What repo2docker puts into the environment for the server, and what that is called on PyPI.
SERVER = {
    "ipywidgets": "ipywidgets", "jupyter-offlinenotebook": "jupyter-offlinenotebook", "jupyter-resource-usage": "jupyter-resource-usage",
    "jupyter_server": "jupyter-server", "jupyterhub-base": "jupyterhub", "jupyterlab": "jupyterlab", "notebook": "notebook",
}  # fmt: skip
CONDA = """\
#!/bin/bash
set -e
python3 -m venv "$NB_PYTHON_PREFIX"
"$NB_PYTHON_PREFIX/bin/pip" install --quiet --no-cache-dir {packages}
mkdir -p "$CONDA_DIR/bin" "$CONDA_DIR/etc/profile.d"
touch "$CONDA_DIR/etc/profile.d/conda.sh"
printf '#!/bin/sh\\n' > /usr/local/bin/micromamba
printf '#!/bin/sh\\necho '"'"'mamba() {{ export PATH="$2/bin:$PATH" CONDA_PREFIX="$2"; }}'"'"'\\n' > "$CONDA_DIR/bin/mamba"
chmod 755 /usr/local/bin/micromamba "$CONDA_DIR/bin/mamba"
chown -R "$NB_USER:$NB_USER" "$CONDA_DIR"
"""
LECTURE = """
import os, nbformat
from nbclient import NotebookClient
notebook = nbformat.read("hundredfold/notebooks/01_arrays.ipynb", as_version=4)
NotebookClient(notebook, timeout=600).execute()
print(os.environ["GPUSIM_GPUS"], "GPUs,", os.environ["GPUSIM_GPU_MEMORY"], "bytes each")
"""


@pytest.fixture(scope="module")
def context(store):
    """The folder that repo2docker would send to Docker, for what is committed here."""
    python = store.folder / "repo2docker" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", REPO2DOCKER], check=True)
    folder, checkout = store.folder / "binder-context", store.folder / "binder-checkout"
    subprocess.run(["rm", "-rf", folder, checkout], check=True)
    subprocess.run(["git", "clone", "--quiet", f"file://{ROOT}", checkout], check=True)
    folder.mkdir()
    asked = [python, Path(__file__).with_name("repo2dockers.py"), checkout, folder]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PythonBuildPack" in done.stdout + done.stderr
    return folder


def lend(context):
    """Put our own script where the step with conda's channel is; return the Python that it would have brought."""
    (script,) = (context / "build_script_files").glob("*install-2dbase-2denv-2ebash*")
    (lock,) = (context / "build_script_files").glob("*environment-2epy*lock*")
    told = dict(re.findall(r"/([\w.-]+?)-(\d[\w.]*)-[\w.]+\.conda", lock.read_text()))
    script.write_text(CONDA.format(packages=" ".join(f"{pypi}=={told[name]}" for name, pypi in SERVER.items())))
    return told["python"]


@pytest.fixture(scope="module")
def session(store, context):
    """The image, built; HUNDREDFOLD_IMAGES keeps it."""
    name = "localhost/hundredfold-binder:latest"
    wanted = lend(context)
    dockerfile = (context / "Dockerfile").read_text()
    if not store.has(name):
        base = re.search(r"(?m)^FROM (\S+)", dockerfile)[1]
        if not store.has(base):
            lend_base(store, base, wanted)
        told = [
            f"--build-arg={key}={value}" for key, value in json.loads((context / "buildargs.json").read_text()).items()
        ]
        store.buildah("bud", "--isolation=chroot", "--pull-never", "--format=docker", *told, "-t", name, context)
    container = "hundredfold-tests-binder"
    if container not in store.buildah("containers", "--format", "{{.ContainerName}}").splitlines():
        store.buildah("from", "--pull-never", "--name", container, name)
    store.containers.append(container)
    config = json.loads(store.buildah("inspect", "--type", "image", name))["Docker"]["config"]
    return Image(Path(store.buildah("mount", container)), config)


def lend_base(store, name, python):
    """The Dockerfile's base: that of our own image, with what these steps use of what is in the real one."""
    container = store.buildah("from", "--pull-never", store.base())

    def run(command):
        return store.buildah("run", "--isolation=chroot", container, "--", "sh", "-ec", command)

    run(
        "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git wget >/dev/null"
    )
    found = run("python3 -V").split()[1]
    assert found.split(".")[:2] == python.split(".")[:2], f"binder/runtime.txt asks for {python}, Debian has {found}"
    if authority() != "/dev/null":
        store.buildah("copy", container, authority(), "/etc/ssl/certs/ca-certificates.crt")
        run("printf '[global]\\ncert = /etc/ssl/certs/ca-certificates.crt\\n' > /etc/pip.conf")
    store.buildah("commit", "--rm", "--quiet", container, name)


def test_a_session_opens_the_lab_with_workspaces_and_panel_and_runs_unit_01(session):
    """Started as repo2docker starts it, through its entry point and our `start`."""
    token = "a-token-of-binders"
    box = session.container(session.folder / "home" / "jovyan")
    ask = (
        "import json, sys, urllib.request as r\n"
        "for path in sys.argv[1:]:\n"
        f"    answer = r.urlopen(r.Request('http://127.0.0.1:8888/' + path, headers={{'Authorization': 'token {token}'}}))\n"
        "    print(answer.status, json.loads(answer.read() or 'null') if 'json' in answer.headers['Content-Type'] else '')"
    )
    assert session.entrypoint == ["/usr/local/bin/repo2docker-entrypoint"]
    command = [*session.cmd[:2], "--ip", "127.0.0.1", "--port", "8888", f"--IdentityProvider.token={token}"]
    with box.start(*command) as server:
        python = session.environment["NB_PYTHON_PREFIX"] + "/bin/python"

        def asked(*paths):
            done = server.exec(python, "-c", ask, *paths)
            return done.stdout.splitlines() if done.returncode == 0 else None

        until("the server answers", lambda: server.process.poll() is not None or asked("api"))
        assert server.process.poll() is None, server.said()
        (file,) = asked("api/contents/hundredfold/notebooks/01_arrays.ipynb?content=0")
        assert "'writable': True" in file
        assert "'id': 'half-day'" in asked("lab/api/workspaces/half-day")[0]
        assert asked("dask/clusters") == ["200 []"] and asked("lab")[0].startswith("200")
        environment = Path(f"/proc/{server.first()}/environ").read_bytes()
        assert b"R2D_ENTRYPOINT=/home/jovyan/binder/start" in environment
        assert "Traceback" not in server.said(), server.said()
    # As `start` sets it for a kernel: the lecture from its first cell to its last.
    done = box.run("python3", "-c", LECTURE, timeout=1800)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert done.stdout.splitlines()[-1] == "2 GPUs, 256000000 bytes each", done.stdout[-2000:]


def test_what_is_installed_is_our_lock(session):
    said = session.container(session.folder / "home" / "jovyan").run(
        "python3",
        "-c",
        "from importlib import metadata\nfor d in metadata.distributions(): print(d.metadata['Name'] + '==' + d.version)",
    )
    there = {
        re.sub(r"[-_.]+", "-", line.lower().partition("==")[0]): line.partition("==")[2] for line in said.stdout.split()
    }
    locked = re.findall(r"(?m)^([\w.-]+)==([^\s;]+)(?! ;)[^;\n]*$", (ROOT / "requirements" / "cpu.txt").read_text())
    assert len(locked) > 100 and not {name: version for name, version in locked if there.get(name) not in (version,)}
