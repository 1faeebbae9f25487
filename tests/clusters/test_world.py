"""The hosts of the cluster tests are what they are taken for: apart, nameable, and cut off when they are cut off."""

import sys

import pytest
from world import World, until

LISTEN = "import socket; s = socket.create_server(('', 5000)); print('on', flush=True)\nwhile True: s.accept()[0].sendall(b'hello')"
ASK = "import socket, sys; s = socket.create_connection((sys.argv[1], 5000), 2); s.settimeout(2); print(s.recv(5).decode())"


@pytest.fixture(scope="module")
def world(make_world):
    world = make_world("one", "two", "three")
    for host in world.hosts:
        world.start(host, sys.executable, "-c", LISTEN, log=host)
    until(lambda: all("on" in world.text(host) for host in world.hosts), "listeners")
    return world


def reaches(world, host, other):
    return world.run(host, sys.executable, "-c", ASK, other, check=False).strip() == "hello"


def test_hosts_have_names_and_addresses_of_their_own(world):
    assert [world.run(host, "hostname").strip() for host in world.hosts] == world.hosts
    assert "10.77.0.2/24" in world.run("two", "ip", "-o", "addr")
    assert all(reaches(world, "one", other) for other in ("two", "10.77.0.3", "one"))
    assert not reaches(world, None, "127.0.0.1"), "the switch is no host"


def test_a_cable_that_is_out_and_in_again(world):
    world.unplug("two")
    assert not reaches(world, "one", "two") and not reaches(world, "two", "three") and reaches(world, "one", "three")
    world.plug("two")
    until(lambda: reaches(world, "one", "two"), "the cable works again")


def test_two_hosts_that_cannot_reach_each_other_but_a_third(world):
    world.between(["one", "two"], True)
    assert not reaches(world, "one", "two") and not reaches(world, "two", "one")
    assert reaches(world, "one", "three") and reaches(world, "three", "two")
    world.between(["one", "two"], False)
    until(lambda: reaches(world, "one", "two"), "together again")


def test_a_power_cut_ends_all_that_runs_there_and_nothing_elsewhere(world):
    world.kill("three")
    assert world.processes("three") == {}
    assert reaches(world, "one", "two")
    world.plug("three")
    assert not reaches(world, "one", "three")


def test_nothing_is_left_when_a_world_ends():
    with World(["one"]) as world:
        process = world.start("one", "sleep", "1000", log="sleep")
        until(lambda: world.processes("one"), "the process runs")
        folder = world.folder
    assert process.wait(30) != 0
    assert not folder.exists()
