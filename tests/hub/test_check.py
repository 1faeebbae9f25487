"""``hundredfold hub check``: each thing that an administrator can have got wrong is named, with what to do."""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path
from types import SimpleNamespace

import hubs
import pytest

from hundredfold.classroom.seats import first_run, proxy

CONFIGURATION = hubs.DEPLOY / "jupyterhub_config.py"


@pytest.fixture(scope="module")
def people():
    """Groups of this file's own: in those of all tests there may be accounts that no hub takes."""
    with hubs.people() as made:
        yield made


@pytest.fixture
def place():
    """A folder of root's for the hub's settings, which others can enter."""
    folder = Path(f"/etc/hundredfold-{uuid.uuid4().hex[:6]}")
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)
    shutil.rmtree(f"/run/{folder.name}", ignore_errors=True)


@pytest.fixture
def settings(place, people):
    """The hub's settings as the guide has them, for this machine and these groups."""
    people.add(f"c{uuid.uuid4().hex[:3]}")
    changes = {
        "address": f"http://127.0.0.1:{hubs.free_port()}", "page_port": hubs.free_port(), "state": str(place / "state"), "run": f"/run/{place.name}",
        "learners": [people.learners], "instructors": [people.teachers], "seats.learners": 2, "memory": "1G", "cores": 1,
    }  # fmt: skip
    file = place / "hub.toml"
    text = hubs.changed((hubs.DEPLOY / "hub.toml").read_text(), changes)
    file.write_text(re.sub(r'(?m)^learners = \["learners"\]', f'learners = ["{people.learners}"]', text))
    shutil.copy(CONFIGURATION, place)
    return file


def change(settings, **changes):
    settings.write_text(hubs.changed(settings.read_text(), changes))


def wrong(found):
    return {each.what: each.fix for each in found if each.bad}


def one(found, said, fix):
    """The one thing that is wrong."""
    told = wrong(found)
    assert len(told) == 1, told
    ((what, do),) = told.items()
    assert re.search(said, what), what
    assert re.search(fix, do), do


def test_what_is_set_up_as_the_guide_says_is_fine(settings, monkeypatch):
    """Here without systemd's part, and without the command on root's path: this machine is no hub's."""
    monkeypatch.setattr(first_run, "units", lambda: iter(()))
    monkeypatch.setattr(first_run, "on_path", lambda: iter(()))
    found = list(first_run.findings(settings))
    assert wrong(found) == {}
    said = "\n".join(each.what for each in found)
    for words in (
        "All users can run",
        "2 seats on simulated GPUs",
        "The proxy can start: HAProxy",
        "learners can log in: ",
        "starts in a seat",
        "are free",
    ):
        assert words in said
    assert "Nobody is in the groups of instructors" in said or "instructors can log in: " in said


def test_the_command_prints_each_thing_with_its_fix_and_ends_with_1(settings):
    change(settings, memory="900G")
    done = subprocess.run(
        [sys.executable, "-m", "hundredfold.cli", "hub", "check", "--settings", str(settings)],
        capture_output=True, text=True, timeout=hubs.PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"✗ .*more than this machine has .*give less\.\n    change /etc/", done.stdout), done.stdout
    assert "to be fixed; then check again." in done.stdout and "Traceback" not in done.stderr


def test_one_thing_that_is_wrong_hides_no_other(settings, monkeypatch):
    monkeypatch.setattr(first_run, "on_path", lambda: iter(()))
    monkeypatch.setattr(first_run, "units", lambda: iter(()))
    monkeypatch.setattr(proxy, "PATH", "/nowhere")
    change(settings, memory="900G", address="http://0.0.0.0:888")
    told = " ".join(wrong(first_run.findings(settings)))
    for words in ("more than this machine has", "There is no haproxy", "without a certificate"):
        assert words in told
    settings.write_text(re.sub(r"(?m)^address = .*", "", settings.read_text()))
    told = " ".join(wrong(first_run.findings(settings)))
    assert "[hub] has no address" in told and "There is no haproxy" in told


def test_who_is_not_root_is_told_so(people):
    name = people.add(f"c{uuid.uuid4().hex[:3]}")
    code = "from pathlib import Path; from hundredfold.classroom.seats import first_run; print(list(first_run.findings(Path('/nowhere'))))"
    assert "sudo hundredfold hub check" in hubs.as_user(name, code).stdout


def test_a_version_managers_python_below_roots_home_is_named(tmp_path):
    """/opt/hundredfold/bin/python is a link into it, and learners' servers end with Permission denied."""
    managed = Path("/var/tmp") / f"pyenv-{uuid.uuid4().hex[:6]}"
    (managed / "bin").mkdir(parents=True)
    try:
        shutil.copy(Path(sys.executable).resolve(), managed / "bin" / "python3")
        managed.chmod(0o700)
        link = Path(f"/var/tmp/{managed.name}-link")
        link.symlink_to(managed / "bin" / "python3")
        one(
            first_run.python(str(link)),
            rf"Learners cannot run {link}: it is {managed}/bin/python3, and {managed} is closed",
            "/usr/bin/python3 -m venv /opt/hundredfold",
        )
    finally:
        shutil.rmtree(managed)
        link.unlink()


@pytest.mark.parametrize("closed", ["", "memory", "cpu pids"])
def test_a_unit_that_can_limit_no_seat_is_named(closed, tmp_path, monkeypatch):
    """As in a container whose control groups are read-only. There the check said that all was fine, and no learner had a server."""
    program = tmp_path / "systemd-run"
    program.write_text(
        '#!/bin/sh\nwhile [ "${1#--}" != "$1" ]; do shift; done\n'
        f"for each in {closed}; do mount --bind /sys/fs/cgroup/$each /sys/fs/cgroup/$each && mount -o remount,bind,ro /sys/fs/cgroup/$each; done\n"
        'exec "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    own = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda command, **more: own(["unshare", "--mount", *command], **more))
    if closed:
        one(first_run.limited(), f"cannot limit seats: {closed.replace(' ', ' and ')}$", "container that may write")
    else:
        assert wrong(first_run.limited()) == {}
    assert not list(Path("/sys/fs/cgroup").glob("*/**/hub-check"))


def test_packages_that_learners_cannot_read_are_named(monkeypatch):
    """Installed under a umask of 077."""
    done = SimpleNamespace(
        returncode=1, stdout="", stderr="Traceback\nPermissionError: [Errno 13] Permission denied: 'x'"
    )
    monkeypatch.setattr(first_run.subprocess, "run", lambda *_, **__: done)
    one(first_run.python(sys.executable), "Learners cannot read all of", "chmod -R go")


def test_the_command_that_is_not_on_roots_path_is_named(monkeypatch):
    monkeypatch.setattr(first_run, "PATH", "/nowhere")
    one(first_run.on_path(), "root does not find the command", r"ln -sf? /.*/bin/hundredfold /usr/local/bin/")


def test_settings_and_configuration_that_are_not_there_are_named(place, monkeypatch):
    monkeypatch.setattr(first_run, "on_path", lambda: iter(()))
    one(first_run.findings(place / "hub.toml"), "hub.toml cannot be read", "cp deploy/hub/hub.toml")
    (place / "hub.toml").write_text("")
    one(
        first_run.read_as_the_hub(place / "hub.toml"),
        "There is no .*jupyterhub_config.py",
        "cp deploy/hub/jupyterhub_config.py",
    )


def test_a_proxy_that_is_old_or_not_installed_or_cannot_take_the_settings_is_named(tmp_path, monkeypatch):
    hub = tomllib.loads((hubs.DEPLOY / "hub.toml").read_text())["hub"]
    assert wrong(first_run.proxy(hub)) == {}
    one(
        first_run.proxy({**hub, "address": "http://nowhere.invalid:888"}), "does not take hub.toml: .*nowhere", "change"
    )
    one(
        first_run.proxy({**hub, "certificate": "/nowhere/pem", "key": "/nowhere/key"}),
        "does not take hub.toml: .*/nowhere/pem",
        "change",
    )
    with monkeypatch.context() as other:
        other.setattr(proxy, "PATH", str(tmp_path))
        one(first_run.proxy(hub), "There is no haproxy", "apt install haproxy")
        (tmp_path / "haproxy").write_text("#!/bin/sh\necho HAProxy version 2.4.24-0ubuntu0.22.04.1 2023/10/31\n")
        (tmp_path / "haproxy").chmod(0o755)
        one(first_run.proxy(hub), r"2\.4\.24\S*, and the hub needs 2\.6", "newer")


def test_people_who_cannot_have_a_server_are_named(people):
    name = people.add(f"c{uuid.uuid4().hex[:3]}")
    groups = {"learners": ["nobody-has-this-group"], "instructors": [people.teachers]}
    assert "groupadd nobody-has-this-group" in wrong(first_run.people(groups)).values()
    home = Path(f"/home/{name}")
    assert list(first_run.member(name, [people.learners])) == []
    os.chown(home, 0, 0)
    try:
        one(first_run.member(name, [people.learners]), "belongs to somebody else", f"chown -R {name}: {home}")
    finally:
        shutil.chown(home, name, name)
    home.rename(f"{home}-away")
    try:
        one(first_run.member(name, [people.learners]), "is not there", f"mkhomedir_helper {name}")
    finally:
        Path(f"{home}-away").rename(home)
    one(first_run.member("daemon", ["daemon"]), "account of the system", "gpasswd -d daemon")


def test_a_class_folder_that_learners_can_fill_is_named(place, people, monkeypatch):
    """This kernel has no quota on a disk (no CONFIG_QFMT_V2), so what it would say is put in its place."""
    name = people.add(f"0{uuid.uuid4().hex[:3]}")  # among the first five, which are named
    room = place / "class"
    room.mkdir()

    def told():
        (found,) = first_run.shared(room, place, [people.learners])
        assert not found.bad, "a hub works without"
        return found.what, found.fix

    assert "can fill the disk" in told()[0] and "file system of its own" in told()[1]
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(room)], check=True)
    try:
        assert first_run.quota(room, 0) is None
        assert name in told()[0] and "setquota" in told()[1]
        monkeypatch.setattr(first_run, "quota", lambda folder, uid: 1 << 21)
        assert "a quota for each" in told()[0] and told()[1] == ""
    finally:
        subprocess.run(["umount", str(room)], check=True)


def test_learners_who_can_fill_the_hubs_disk_or_each_others_are_named(place, people, monkeypatch):
    names = [people.add(f"h{uuid.uuid4().hex[:3]}") for _ in range(2)]

    def told(state):
        (found,) = first_run.homes(state, [people.learners])
        assert not found.bad, "a hub works without"
        return found.what

    home = Path(pwd.getpwnam(names[0]).pw_dir)
    same = place if os.stat(place).st_dev == os.stat(home).st_dev else home.parent
    with monkeypatch.context() as alone:
        alone.setattr(first_run, "members", lambda groups: names)
        said = told(same)
        assert all(name in said for name in names) and "nobody logs in" in said
        assert "on which others save" in told(Path("/proc"))
        alone.setattr(first_run, "quota", lambda folder, uid: 1 << 30)
        assert "No learner can fill" in told(same)
        alone.undo()
        alone.setattr(first_run, "members", lambda groups: names[:1])
        assert "No learner can fill" in told(Path("/proc")), "a home that is a disk of its own needs no quota"


HUB = {"address": "http://127.0.0.1:888", "subdomains": "https://hub.example.org", "certificate": "", "key": ""}


def test_names_that_dns_does_not_know_and_plain_http_are_named():
    def resolve(name):
        if name != "hub.example.org":
            raise socket.gaierror("unknown")

    one(
        first_run.address(HUB, resolve), "DNS does not know check.hub.example.org", r"\*\.hub\.example\.org the address"
    )
    one(
        first_run.address({**HUB, "address": "http://0.0.0.0:80"}, lambda name: None),
        "without a certificate",
        "https://",
    )
    assert wrong(first_run.address({**HUB, "subdomains": "http://hub.localhost:888"}, resolve)) == {}


def test_a_certificate_that_is_not_for_the_names_is_named(tmp_path):
    file = hubs.certificate(tmp_path)
    key = file.with_suffix(".key")
    assert wrong(first_run.certificate(file, key, "hub.localhost")) == {}
    one(
        first_run.certificate(file, key, "hub.example.org"),
        r"is not for \*\.hub\.example\.org and hub\.example\.org",
        "get a certificate",
    )
    one(first_run.certificate(file, file, ""), "cannot be read", "PEM")
    (tmp_path / "other").mkdir()
    other = hubs.certificate(tmp_path / "other").with_suffix(".key")
    one(first_run.certificate(file, other, ""), "is not the key", "pair")


def test_a_machine_on_which_no_seat_can_be_made_is_named(place):
    """A container without the right to mount, as many hubs are tried in first."""
    assert wrong(first_run.seat(True, str(place))) == {}
    code = (
        "import ctypes, json, sys\n"
        "CAP_SYS_ADMIN, PR_CAPBSET_DROP = 21, 24\n"
        "assert ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0) == 0\n"
        "from hundredfold.classroom.seats import first_run\n"
        "print(json.dumps([[each.bad, each.what] for each in first_run.seat(True, sys.argv[1])]))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, check=True)
    ((bad, what),) = json.loads(done.stdout)
    assert bad and "A seat cannot be made" in what and "not permitted" in what


def test_units_that_are_not_of_this_version_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(first_run, "UNITS", tmp_path)
    monkeypatch.setattr(first_run, "TMPFILES", tmp_path / "hundredfold.conf")
    text = (hubs.DEPLOY / "systemd" / "hundredfold-hub.service").read_text()
    assert wrong(first_run.unit(text, "cp")) == {}
    one(first_run.unit(text.replace("Delegate=yes", ""), "cp"), "no Delegate=yes", "cp")
    one(first_run.unit(text + "ProtectClock=yes\n", "cp"), "closes devices", "cp")
    if not first_run._systemd():
        one(first_run.units(), "systemd does not run here", "a machine with systemd")
        monkeypatch.setattr(first_run, "_systemd", lambda: True)
    told = wrong(first_run.units())
    assert len(told) == 4 and sum("There is no" in what for what in told) == 4, told


def test_a_port_that_another_program_has_is_named():
    port = hubs.free_port()
    told = {"hub": {"address": f"http://127.0.0.1:{port}", "page_port": hubs.free_port()}}
    assert wrong(first_run.ports(told)) == {}
    with socket.socket() as line:
        line.bind(("127.0.0.1", port))
        line.listen()
        one(first_run.ports(told), f"Another program has port {port}", "ss -ltnp")


def test_a_port_that_is_named_twice_is_told():
    told = {"hub": {"address": "https://127.0.0.1", "page_port": 443}, "class": {"folder": "/srv/class", "port": 811}}
    one(first_run.ports(told), r"hub.toml names port 443 more than once \(address, page_port\)", "name another port")


def test_the_guides_commands_name_what_there_is():
    """What is copied exists, and what the check tells to do is what the guide does."""
    guide = (hubs.DEPLOY / "README.md").read_text()
    first, second = re.findall(r"(?s)```sh\n(.*?)```", guide.split("## Set it up")[1].split("### Open it")[0])
    block = first + second
    assert subprocess.run(["sh", "-n"], input=block, text=True, check=False).returncode == 0
    named = re.findall(r"(?<!site-)\b(?:requirements|deploy|packages)/[\w./*-]+", block)
    assert len(named) > 8
    for path in named:
        assert list(hubs.ROOT.glob(path.removeprefix("./"))), path
    assert "/usr/bin/python3 -m venv /opt/hundredfold" in block and "--require-hashes" in block.split("uv.txt")[0]
    assert "ln -sf /opt/hundredfold/bin/hundredfold /usr/local/bin/" in block
    assert block.index("hundredfold hub check") > block.index("tmpfiles --create") and "doctor" not in block
