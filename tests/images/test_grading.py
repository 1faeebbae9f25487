"""Answers in containers made by Docker and by Podman themselves, of the image as it is built: what `nbgrader autograde` runs with the two lines of its settings."""

import contextlib
import json
import shlex
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import nbformat
import pytest
from container import until
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from traitlets.config import Config

from hundredfold.classroom.assignment.container import InContainer


def _docker(folder):
    """A daemon of our own: nothing of one that there is anyway is touched."""
    address = f"unix://{folder}/socket"
    places = [f"--data-root={folder}/data", f"--exec-root={folder}/run", f"--pidfile={folder}/pid"]
    alone = ["--bridge=none", "--iptables=false", "--ip6tables=false", f"--host={address}"]
    command = ["docker", "--host", address]
    with open(folder / "log", "w") as log:
        daemon = subprocess.Popen(["dockerd", *places, *alone], stdout=log, stderr=log)

    def answers():
        assert daemon.poll() is None, (folder / "log").read_text()[-2000:]
        return subprocess.run([*command, "info"], capture_output=True, check=False).returncode == 0

    try:
        until("Docker", answers)
        yield command
    finally:
        daemon.terminate()
        daemon.wait(120)


def _podman(folder):
    """With images of its own, and by what needs no systemd."""
    places = ["--root", f"{folder}/data", "--runroot", f"{folder}/run"]
    yield ["podman", *places, "--storage-driver", "overlay", "--cgroup-manager", "cgroupfs", "--runtime", "runc"]


@pytest.fixture(scope="module", params=[_docker, _podman], ids=["docker", "podman"])
def program(request, image, store, target):
    """Docker's command line or Podman's, as a file. It has the image."""
    folder = Path(tempfile.mkdtemp(prefix="hf-", dir="/var/tmp"))  # the names of sockets have to be short
    name, archive = f"localhost/hundredfold:{target}", folder / "image.tar"
    try:
        with contextlib.contextmanager(request.param)(folder) as command:
            store.buildah("push", name, f"docker-archive:{archive}:{name}")
            subprocess.run([*command, "load", "--input", archive], check=True, capture_output=True)
            archive.unlink()
            file = folder / "program"
            file.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
            file.chmod(0o755)
            yield str(file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def graded(program, target, tmp_path):
    """Runs cells in a container and returns the text that each printed."""

    def run(*cells, limits=(), **settings):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python"}
        # They ask for more open files and processes than whoever starts it may have here.
        limits = [*limits, "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024", "--pids-limit=512"]
        chosen = {"program": program, "image": f"localhost/hundredfold:{target}", "limits": limits, **settings}
        client = NotebookClient(
            notebook,
            kernel_manager_class=InContainer,
            config=Config({"InContainer": chosen}),
            timeout=280,
            startup_timeout=280,
        )
        client.execute(cwd=str(tmp_path))
        return ["".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells]

    yield run
    kept = subprocess.run([program, "ps", "--all", "--quiet"], capture_output=True, text=True, check=True)
    assert not kept.stdout, "a container was left"


TRIES = """
import errno, json, os, socket
tried = {{}}
for name, act in {{
    "the grader's file": lambda: open({secret!r}).read(),
    "the grader's server": lambda: socket.create_connection(("127.0.0.1", {port}), 5),
    "the network": lambda: socket.create_connection(("192.0.2.1", 80), 5),
    "the image": lambda: open("/opt/hundredfold/mine", "w"),
    "the folder it shares": lambda: open(os.path.join(os.path.dirname(__import__("ipykernel").get_connection_file()), "mine"), "w"),
    "another user": lambda: os.setuid(0),
}}.items():
    try:
        act()
    except OSError as no:
        tried[name] = errno.errorcode[no.errno]
print(json.dumps({{"user": os.getuid(), **tried}}))
"""


def test_an_answer_has_the_course_and_nothing_of_the_graders(graded, tmp_path):
    secret = tmp_path / "gradebook.db"
    secret.write_text("7 points")
    with socket.create_server(("127.0.0.1", 0)) as server:
        tries = TRIES.format(secret=str(secret), port=server.getsockname()[1])
        course, tried = graded(
            "%load_ext hundredfold\nimport cupy as cp\nfrom hundredfold import check\nprint(int(cp.arange(10).sum()))",
            tries,
        )
    assert course.split()[-1] == "45"
    assert json.loads(tried) == {
        "user": 65534,
        "the grader's file": "ENOENT",
        "the grader's server": "ECONNREFUSED",
        "the network": "ENETUNREACH",
        "the image": "EROFS",
        "the folder it shares": "EACCES",
        "another user": "EPERM",
    }


def test_an_answer_that_takes_all_memory_ends_its_own_container(graded):
    with pytest.raises(DeadKernelError):
        graded("held = b'x' * (2 << 30)", limits=["--memory=600m", "--memory-swap=600m"])


def test_an_answer_that_never_ends_is_ended(graded):
    with pytest.raises(DeadKernelError):  # a cell ran, since a kernel that did not start raises another
        graded("while True: pass", seconds=60)
