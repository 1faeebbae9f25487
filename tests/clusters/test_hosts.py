"""Hosts without a queue: a cluster by hand with TLS on, strangers, SSH, cables that are pulled, a scheduler that dies.

What runs is `deploy/clusters/{by_hand.sh,ssh.py,work.py}`, word for word, with simulated GPUs where it says `dask cuda worker`.
"""

import re
import shutil
import sys

import numpy as np
import pytest
from cluster import BY_HAND, ByHand
from faults import PATIENCE
from world import until

HOSTS = ["host1", "host2", "desk", "stranger"]
TWO = ["host1", "host2"]


@pytest.fixture(scope="module")
def world(make_world):
    world = make_world(*HOSTS)
    world.environment |= {"GPUSIM_SIMULATE": "1", "GPUSIM_GPUS": "1", **PATIENCE}
    return world


@pytest.fixture(scope="module")
def cluster(world):
    """A scheduler and a GPU worker on the first host, another on the second."""
    return ByHand(world, TWO, worker="dask cuda worker")


@pytest.fixture
def client(cluster, program):
    """A client on a third host, once both workers are there."""
    client = program(cluster.world, "desk", "on_hosts.py", cluster.client())
    client.wait("connected")
    client.tell(do="present", workers=2, timeout=120)
    assert "error" not in client.wait("present"), client.heard
    yield client
    assert client.end() == 0
    assert client.wait("usable")["result"] == 45


def test_the_lines_of_the_file_run_the_svd_on_two_hosts(cluster):
    asked = {**cluster.environment, "WORKERS": "2", "BACKEND": "cupy"}
    said = cluster.world.run("desk", "sh", BY_HAND, "run", cluster.world.address("host1"), env=asked)
    error = re.search(r"^2 workers on 2 hosts, .* LAPACK differs by (\S+)$", said, re.M)
    assert error and float(error.group(1)) < 1e-10, said


@pytest.mark.parametrize(
    "who", ["no certificate", "no TLS", "a certificate of their own", "ours to trust, theirs to show"]
)
def test_a_stranger_is_refused_in_a_sentence_and_the_cluster_works_on(cluster, program, client, who):
    world = cluster.world
    theirs = world.folder / "theirs"
    if not theirs.exists():
        world.run("stranger", "sh", BY_HAND, "certificates", env={**cluster.environment, "CERTIFICATES": str(theirs)})
        mixed = shutil.copytree(theirs, world.folder / "mixed")
        shutil.copy(cluster.certificates / "ca.pem", mixed / "ca.pem")
    asked = {
        "no certificate": {"address": cluster.address},
        "no TLS": {"address": cluster.address.replace("tls:", "tcp:")},
        "a certificate of their own": {"address": cluster.address, "tls": str(theirs)},
        "ours to trust, theirs to show": {"address": cluster.address, "tls": str(world.folder / "mixed")},
    }[who]
    before = cluster.log("host1", "scheduler").count("handshake failed")
    stranger = program(world, "stranger", "on_hosts.py", asked)
    refused = stranger.wait("closed", "connected")
    assert refused.get("error") == "ConnectionError", refused
    assert re.search(r"No scheduler at \S+ takes this client: .*certificates", refused["said"]), refused
    assert stranger.wait("usable")["result"] == 45
    if who != "no certificate":  # that one is stopped by its own Dask, before it says a word
        until(lambda: cluster.log("host1", "scheduler").count("handshake failed") > before, "the scheduler noticed")
    client.tell(do="run", workers=2, timeout=120)
    ended = client.wait("run")
    assert "error" not in ended and ended["result"]["error"] < 1e-10, ended


def test_a_worker_of_a_stranger_does_not_get_in(cluster, client):
    world = cluster.world
    theirs = {**cluster.environment, "CERTIFICATES": str(world.folder / "theirs-too"), "WORKER": "dask worker"}
    world.run("stranger", "sh", BY_HAND, "certificates", env=theirs)
    process = world.start(
        "stranger", "sh", BY_HAND, "worker", world.address("host1"), log="their-worker.log", env=theirs
    )
    until(lambda: process.poll() is not None, "the stranger's worker gives up")
    assert process.returncode != 0 and "TLS certificate does not match" in world.text("their-worker.log")
    client.tell(do="run", workers=2, timeout=120)
    ended = client.wait("run")
    assert "error" not in ended and ended["result"]["workers"] == 2, ended


def test_nothing_on_the_hosts_answers_a_stranger(cluster, client):
    """All that listens for others is TLS: no dashboard, no plain port."""
    world = cluster.world
    open_ports = []
    for host in TWO:
        listening = world.run(host, "ss", "-Hltn")
        ports = re.findall(r"^LISTEN\s+\d+\s+\d+\s+(?!127\.|\[::1\])\S+:(\d+)\s", listening, re.M)
        assert ports, listening
        for port in ports:
            said = world.run("stranger", sys.executable, "-c", PLAIN, world.address(host), port, check=False)
            if "HTTP/1" in said:
                open_ports.append((host, port, said[:80]))
    assert not open_ports


PLAIN = """
import socket, sys
try:
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as s:
        s.settimeout(5)
        s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
        print(s.recv(200))
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize("lasting", ["a blink", "for long", "for good"])
def test_a_cable_that_is_pulled_in_the_middle_does_not_change_the_answer(cluster, client, values, lasting):
    world, blocks = cluster.world, 16
    client.tell(do="run", workers=2, timeout=200, blocks=blocks, pause=0.4, watch=2, backend="cupy")
    busy = client.wait("busy", "run")
    assert busy["event"] == "busy", busy
    world.unplug("host2")
    if lasting == "for long":
        # Until the scheduler has given it up; then it comes back, with results that nobody waits for any more.
        gone = cluster.log("host1", "scheduler").count("Remove worker")
        until(
            lambda: cluster.log("host1", "scheduler").count("Remove worker") > gone, "the scheduler gives the host up"
        )
    if lasting != "for good":
        world.plug("host2")
    ended = client.wait("run")
    assert "error" not in ended, ended
    np.testing.assert_allclose(ended["result"]["values"], values(blocks), rtol=1e-10)
    if lasting != "a blink":
        world.plug("host2")
        world.end("host2")
        cluster.start_worker("host2")


def test_an_array_that_cannot_be_pickled_is_refused_at_once_and_the_cluster_works_on(cluster, client):
    client.tell(do="send", pickles=False, workers=2, timeout=120, rows=1_000)
    refused = client.wait("send")
    assert refused.get("error") == "TypeError", refused
    assert re.search(r"cannot be (sent|pickled).*(inside of the task|a NumPy array first)", refused["said"]), refused
    assert len(refused["said"].splitlines()) == 1
    client.tell(do="send", pickles=True, workers=2, timeout=120, rows=1_000)
    sent = client.wait("send")
    assert "error" not in sent and sent["result"]["error"] < 1e-10, sent


def test_no_worker_left_is_reported_with_their_number(cluster, client):
    world = cluster.world
    client.tell(do="run", workers=2, timeout=20, blocks=400, pause=0.2, watch=2)
    client.wait("busy")
    world.end("host2")
    world.end("host1", but="dask scheduler")
    ended = client.wait("run")
    assert ended.get("error") == "TimeoutError", ended
    assert re.search(r"did not finish within 20 s; there are 0 now\.", ended["said"]), ended
    for host in TWO:
        cluster.start_worker(host)


def test_a_dead_scheduler_is_reported(cluster, client):
    world = cluster.world
    client.tell(do="run", workers=2, timeout=60, blocks=400, pause=0.2, watch=2)
    client.wait("busy")
    world.kill("host1")
    ended = client.wait("run")
    assert "error" in ended, ended
    try:
        assert re.search("scheduler", ended["said"]), ended
        assert len(ended["said"].splitlines()) == 1, ended
    finally:
        world.plug("host1")
    world.end("host2")
    cluster.start_scheduler()
    for host in TWO:
        cluster.start_worker(host)


def test_ssh_starts_the_cluster_with_the_hosts_keys_checked(cluster, program):
    world = cluster.world
    for host in TWO:
        world.end(host)
    ssh = world.folder / "ssh"
    ssh.mkdir()
    for key in ("host_key", "user_key"):
        world.run("desk", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", ssh / key)
    shutil.copy(ssh / "user_key.pub", ssh / "authorized_keys")
    (ssh / "known_hosts").write_text(
        "".join(f"{world.address(host)} {(ssh / 'host_key.pub').read_text()}" for host in TWO)
    )
    (ssh / "sshd_config").write_text(
        f"HostKey {ssh}/host_key\nAuthorizedKeysFile {ssh}/authorized_keys\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nPermitRootLogin prohibit-password\nPidFile none\n"
        f"SetEnv GPUSIM_SIMULATE=1 GPUSIM_GPUS=1 DASK_TEMPORARY_DIRECTORY={world.folder}\n"
    )
    for host in TWO:
        world.start(host, "/usr/sbin/sshd", "-D", "-e", "-f", ssh / "sshd_config", log=f"sshd-{host}.log")
        until(lambda host=host: "Server listening" in world.text(f"sshd-{host}.log"), f"sshd on {host}")
    connect = {"username": "root", "client_keys": [str(ssh / "user_key")], "known_hosts": str(ssh / "known_hosts")}
    addresses = [world.address(host) for host in ("host1", "host1", "host2")]
    make = {"hosts": addresses, "certificates": str(cluster.certificates), "connect": connect}
    person = program(
        world, "desk", "on_ssh.py", {"make": make, "run": {"workers": 2, "backend": "cupy", "timeout": 120}}
    )
    ended = person.wait("run", "closed")
    assert ended["event"] == "run" and "error" not in ended, (ended, person.errors[-2000:])
    assert (ended["result"]["workers"], ended["result"]["hosts"]) == (2, 2)
    assert ended["result"]["error"] < 1e-10
    assert person.wait("closed")["result"] is None
    assert person.end() == 0
    assert all("Accepted publickey" in world.text(f"sshd-{host}.log") for host in TWO)

    # A host whose key is another one is not talked to.
    world.run("desk", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", ssh / "other_key")
    (ssh / "known_hosts").write_text(
        "".join(f"{world.address(host)} {(ssh / 'other_key.pub').read_text()}" for host in TWO)
    )
    person = program(world, "desk", "on_ssh.py", {"make": make, "run": {"workers": 2}})
    refused = person.wait("run", "closed")
    assert (refused["event"], refused.get("error")) == ("closed", "RuntimeError"), refused
    assert re.search(r"[Hh]ost key.* 10\.77\.0\.1", refused["said"]), refused
    assert person.wait("usable")["result"] == 45
