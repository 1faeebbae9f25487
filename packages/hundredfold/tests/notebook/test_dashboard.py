"""The kernel tells the lab where the dashboard of its notebook's cluster is. (What the lab makes of it: tests/lab/test_browser.py.)"""

import json
import re
import types
import weakref
from pathlib import Path

import comm
import distributed
import pytest
from distributed import Client, LocalCluster, SpecCluster

import hundredfold
from hundredfold.notebook import dashboard

ROOT = Path(__file__).parents[4]
EXTENSION = ROOT / "packages" / "hundredfold" / "src" / "hundredfold" / "etc" / "labextension"


class Events:
    def __init__(self):
        self.callbacks = {"post_run_cell": []}

    def register(self, name, function):
        self.callbacks[name].append(function)

    def unregister(self, name, function):
        self.callbacks[name].remove(function)

    def run_a_cell(self):
        for function in list(self.callbacks["post_run_cell"]):
            function(None)


class Comm:
    """What the front end has: an open comm, and all that came through it."""

    def __init__(self, target_name, data):
        assert target_name == dashboard.TARGET
        self.heard = [data]
        self._closed = False

    def on_msg(self, callback):
        self.ask = callback

    def send(self, data):
        self.heard.append(data)


@pytest.fixture
def kernel(monkeypatch):
    """A kernel of our lab, as (events, comms)."""
    monkeypatch.setenv("KERNELLENS_BASE_URL", "/user/ann/")
    monkeypatch.setattr(dashboard, "_TELLER", dashboard._Teller())
    # Clusters and clients that earlier tests of this process left running are no notebook's.
    monkeypatch.setattr(SpecCluster, "_instances", weakref.WeakSet())
    monkeypatch.setattr(distributed.client, "_global_clients", {})
    comms = []
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: comms.append(Comm(**kwargs)) or comms[-1])
    ip = types.SimpleNamespace(events=Events())
    dashboard.watch(ip)
    yield ip.events, comms
    dashboard.unwatch(ip)
    assert not ip.events.callbacks["post_run_cell"]


def small(**kwargs):
    return LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0", **kwargs)


def test_each_cluster_is_told_once_below_the_servers_address(kernel):
    events, comms = kernel
    events.run_a_cell()
    assert not comms, "no cluster, nothing to tell"
    with small() as cluster:
        events.run_a_cell()
        events.run_a_cell()
        port = cluster.scheduler.http_server.port
        assert [each.heard for each in comms] == [[{"url": f"proxy/{port}/", "gpu": True}]]
        with Client(cluster):
            events.run_a_cell()
        comms[0].ask({"content": {"data": {"ask": True}}})
        assert [each["url"] for each in comms[0].heard] == [f"proxy/{port}/"] * 2, "a new page that asks is answered"
    with small() as other, Client(other):
        events.run_a_cell()
        assert comms[0].heard[-1]["url"] == f"proxy/{other.scheduler.http_server.port}/"
        comms[0]._closed = True
    with small():
        events.run_a_cell()
        assert len(comms) == 2, "a comm that the front end closed is opened anew"


def test_a_scheduler_by_another_address_of_this_machine_is_proxied_too(kernel, monkeypatch):
    def with_link(address):
        monkeypatch.setattr(dashboard, "_cluster", lambda: types.SimpleNamespace(dashboard_link=address))
        return dashboard.link()

    import psutil

    own = next(
        each.address for every in psutil.net_if_addrs().values() for each in every if each.family.name == "AF_INET"
    )
    assert with_link(f"http://{own}:4711/status") == "proxy/4711/"
    assert with_link("http://localhost:4711/status") == "proxy/4711/"
    # A gateway's, and a scheduler's on another machine (an address of RFC 5737, which no machine has), are given as they are.
    assert (
        with_link("https://hub.example.org/gateway/clusters/x/status")
        == "https://hub.example.org/gateway/clusters/x/status"
    )
    assert with_link("http://203.0.113.9:8787/status") == "http://203.0.113.9:8787/status"
    assert with_link("") is None


def test_elsewhere_than_in_our_lab_nothing_is_watched(monkeypatch):
    monkeypatch.delenv("KERNELLENS_BASE_URL", raising=False)
    ip = types.SimpleNamespace(events=Events())
    dashboard.watch(ip)
    assert not ip.events.callbacks["post_run_cell"]


def test_a_taken_port_is_not_the_learners_business(kernel, recwarn):
    with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as first:
        dashboard.watch(types.SimpleNamespace(events=Events()))
        port = first.scheduler.http_server.port
        with LocalCluster(n_workers=1, processes=False, dashboard_address=f"127.0.0.1:{port}") as second:
            assert second.scheduler.http_server.port != port
    assert not [each for each in recwarn if "already in use" in str(each.message)]


def test_both_halves_speak_of_the_same_things():
    package = json.loads((EXTENSION / "package.json").read_text())
    assert package["version"] == hundredfold.__version__
    script = (EXTENSION / package["jupyterlab"]["_build"]["load"]).read_text()
    assert re.search(r'const NAME = "(.+?)"', script)[1] == package["name"]
    assert re.search(r'const TARGET = "(.+?)"', script)[1] == dashboard.TARGET


def test_the_plots_that_are_opened_are_dasks(kernel):
    from distributed.dashboard.scheduler import applications

    script = (EXTENSION / "static" / "dashboard.js").read_text()
    routes = re.findall(r'route: "(.+?)"', script)
    assert len(routes) == 5 and set(routes) <= set(applications)
