"""Settings of hub.toml that cannot be: the hub does not start, and its log has one sentence that says what would do."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import hubs
import jupyterhub
import pytest
from traitlets.config.loader import PyFileConfigLoader

CONFIG = hubs.DEPLOY / "jupyterhub_config.py"


def written(folder, change):
    """A hub.toml of this folder's own, changed."""
    text = (hubs.DEPLOY / "hub.toml").read_text()
    own = {"state": str(folder / "state"), "run": str(folder / "run"), "seats.learners": 2, "memory": "1G"}
    text = hubs.changed(text, own)
    (folder / "hub.toml").write_text(change(text))
    return folder / "hub.toml"


def put(key, value):
    return lambda text: hubs.changed(text, {key: value})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("memory", "900G"), r"more than this machine has .*: give less"),
        (put("memory", "200M"), r"less than 1\.0 GiB, with which kernels are killed: give more"),
        (put("memory", "lots"), r"no amount of memory: write a number and a unit, such as 2G"),
        (put("seats.learners", 100000), r"100000 seats of .*: give each .* at most, or seat fewer"),
        (put("seats.learners", "thirty"), r"at least one learner; this says 'thirty'"),
        (put("cores", 0), r"0 cores for a seat: this machine has \d+, so give more than 0"),
        (put("cores", "two"), r"\[seats\] cores = 'two'.*a number"),
        (put("gpus", "four"), r"gpus = 'four': it is 'auto'"),
        (put("overflow", "queue"), r"overflow = 'queue': who finds no GPU is to 'simulate'"),
        (put("address", "http://127.0.0.1:8000"), r"every user of this machine can open port 8000.*below 1024"),
        (put("page_port", 888), r" names port 888 more than once \(address, page_port\): name another"),
        (lambda text: put("folder", "/var/lib/hf-class")(put("port", 810)(text)), r"port 810 more than once \(page_port, \[class\] port\)"),
        (put("page_port", "888"), r" names port 888 more than once"),
        (put("page_port", 8010), r"every user of this machine can open port 8010"),
        (put("state", "/var/tmp/hundredfold-state"), r"only root can write, and /var/tmp/hundredfold-state is not root's alone"),
        (lambda text: text.replace("instructors =", "admins ="), r"\[people\] has no instructors, which it needs"),
        (lambda text: text.replace("[seats]", '[seats]\nmemroy = "2G"'), r"\[seats\] has no memroy; it has .*memory"),
        (lambda text: text.replace("[seats]", "[seat]"), r"has no \[seats\]"),
        (lambda text: re.sub(r"(?m)^page_port = .*$", "", text), r"\[hub\] has no page_port, which it needs"),
        (lambda text: text + "cores = = 2\n", r"cannot be read: .*line \d+"),
    ],
    ids=["memory", "too little", "no amount", "learners", "no number", "cores", "no cores", "gpus", "overflow", "port", "page on the hub's port", "both pages on a port", "a port in quotes", "page port", "folder", "people", "unknown", "section", "missing", "TOML"],
)  # fmt: skip
def test_a_setting_that_cannot_be_ends_in_a_sentence(tmp_path, monkeypatch, request, change, said):
    settings = written(tmp_path, change)
    monkeypatch.setenv("HUNDREDFOLD_HUB", str(settings))
    others = Path("/var/tmp/hundredfold-state")  # somebody made it before root
    others.mkdir()
    os.chown(others, 65534, 65534)
    request.addfinalizer(others.rmdir)
    with pytest.raises(SystemExit) as ended:
        PyFileConfigLoader(str(CONFIG)).load_config()
    assert str(ended.value).startswith(str(settings)) and re.search(said, str(ended.value)), ended.value


def test_the_hub_itself_ends_with_that_sentence_and_nothing_else(tmp_path):
    settings = written(tmp_path, put("memory", "900G"))
    done = subprocess.run(
        [sys.executable, "-m", "jupyterhub", "-f", str(CONFIG)],
        cwd=tmp_path, env={**os.environ, "HUNDREDFOLD_HUB": str(settings)}, capture_output=True, text=True,
        timeout=hubs.PATIENCE, check=False,
    )  # fmt: skip
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith(str(settings)) and "give less" in last, done.stderr
    assert "Traceback" not in done.stderr


def test_a_proxy_whose_port_was_taken_ends_so_that_it_is_started_again(tmp_path):
    port = hubs.free_port()
    settings = written(tmp_path, put("address", f"http://127.0.0.1:{port}"))
    (tmp_path / "run" / "root").mkdir(parents=True)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        done = subprocess.run(
            [sys.executable, "-m", "hundredfold.classroom.seats.proxy"], env={**os.environ, "HUNDREDFOLD_HUB": str(settings)},
            capture_output=True, text=True, timeout=hubs.PATIENCE, check=False,
        )  # fmt: skip
    assert done.returncode == 1 and re.search(rf"cannot bind socket .*in use.*127\.0\.0\.1:{port}", done.stderr), done


def test_a_jupyterhub_of_another_major_version_is_not_started_with_these_settings(tmp_path, monkeypatch):
    settings = written(tmp_path, lambda text: text)
    monkeypatch.setenv("HUNDREDFOLD_HUB", str(settings))
    locked = re.search(r"(?m)^jupyterhub==(\d+)", (hubs.ROOT / "requirements" / "hub.txt").read_text())[1]
    monkeypatch.setattr(jupyterhub, "version_info", (int(locked) + 1, 0, 0, "", ""))
    with pytest.raises(SystemExit, match=rf"is for JupyterHub {locked} and this is .*requirements/hub.txt"):
        PyFileConfigLoader(str(CONFIG)).load_config()
    assert not (tmp_path / "state").exists(), "nothing was touched"


@pytest.mark.parametrize(("name", "prefixed"), [("https://hub.example.org", True), ("http://hub.localhost:888", False)])
def test_no_page_below_the_hubs_name_sets_the_hubs_cookies(tmp_path, monkeypatch, name, prefixed):
    """Browsers let a page of mallory.hub.example.org set cookies for hub.example.org, but for those whose name begins with __Host-."""
    monkeypatch.setenv("HUNDREDFOLD_HUB", str(written(tmp_path, put("subdomains", name))))
    config = PyFileConfigLoader(str(CONFIG)).load_config()
    assert config.JupyterHub.cookie_host_prefix_enabled is prefixed
