"""Who uses what, as root and an instructor see it; and memory that comes back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import hubs
import pytest
import requests

from hundredfold.classroom.seats import hub_client, reclaim, status


@pytest.fixture(scope="module")
def teacher(hub, people):
    made = hubs.Learner(hub, people.add("tea", teacher=True))
    assert made.log_in().ok
    return made


@pytest.fixture
def site(hub):
    return hub_client.Site.at(hub.state, hub.run)


def command(hub, *arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "hundredfold.cli", "seats", *arguments, "--settings", str(hub.settings)],
        capture_output=True, text=True, timeout=hubs.PATIENCE, env={**os.environ, "COLUMNS": "220"}, **more,
    )  # fmt: skip


def test_status_says_who_sits_where_and_what_they_run(hub, seated):
    anna = seated("anna")
    kernel = anna.kernel()
    anna.run(kernel, "held = bytearray(300 << 20); held[::4096] = bytes(len(held[::4096]))")
    done = command(hub, "status", "--json")
    assert done.returncode == 0, done.stderr
    row = next(row for row in json.loads(done.stdout) if row["owner"] == anna.name)
    assert row["place"] == "simulated" and row["silent"] == "" and row["limit"] == 2 << 30
    assert 300 << 20 < row["memory"] < 1 << 30 and row["processes"] >= 2
    assert kernel in [each["id"] for each in row["kernels"]]
    shown = command(hub, "status").stdout
    assert anna.name in shown and "of 2.1" in shown and "GB" in shown
    anna.api("DELETE", f"kernels/{kernel}")


def test_status_in_roots_own_session_counts_the_same(hub, seated, people):
    """systemd has a login's shell in other control groups than the hub."""
    anna = seated("anna")
    elsewhere = [Path(f"/sys/fs/cgroup/{kind}/{people.mark}-shell") for kind in ("memory", "pids", "cpu")]

    def join():
        for folder in elsewhere:
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    for folder in elsewhere:
        folder.mkdir()
    try:
        done = command(hub, "status", "--json", preexec_fn=join)
    finally:
        for folder in elsewhere:
            folder.rmdir()
    (row,) = [row for row in json.loads(done.stdout) if row["owner"] == anna.name]
    assert row["limit"] == 2 << 30 and row["memory"] and row["processes"] >= 1


def test_status_is_for_root(hub, seated):
    code = (
        "import sys; from click.testing import CliRunner; from hundredfold.classroom.seats.command import command\n"
        "done = CliRunner().invoke(command, ['status', '--settings', sys.argv[1]]); print(done.exit_code, done.output)"
    )
    settings = hub.run / "hub.toml"
    settings.write_text(hub.settings.read_text())
    settings.chmod(0o644)
    said = hubs.as_user(seated("anna").name, code, str(settings)).stdout
    assert said.startswith("1") and "run the same command with sudo" in said
    missing = subprocess.run(
        [sys.executable, "-m", "hundredfold.cli", "seats", "status", "--settings", "/nowhere/hub.toml"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert missing.returncode == 1 and "name the hub's settings" in missing.stderr


def test_the_page_is_for_instructors(hub, seated, teacher):
    anna = seated("anna")
    url = teacher.service("seats")
    page = teacher.session.get(url, timeout=hubs.PATIENCE)
    assert page.status_code == 200 and "<h1>Seats</h1>" in page.text
    told = teacher.session.get(f"{url}api/status", timeout=hubs.PATIENCE).json()
    assert anna.name in [row["owner"] for row in told["seats"]]
    for path in ("", "api/status", "page.js"):
        refused = anna.session.get(url + path, timeout=hubs.PATIENCE)
        assert refused.status_code == 403, (path, refused.status_code, refused.url)
        stranger = requests.get(url + path, timeout=hubs.PATIENCE)
        assert stranger.status_code == 403 or "/hub/login" in stranger.url
    port = re.search(r"page_port = (\d+)", hub.settings.read_text())[1]
    direct = requests.get(f"http://127.0.0.1:{port}/services/seats/api/status", timeout=60, allow_redirects=False)
    assert direct.status_code in (302, 403), "past the proxy it is closed, too"


def test_nobody_reclaims_by_a_forged_request(hub, seated, teacher):
    url = f"{teacher.service('seats')}api/reclaim"
    body = {"idle": "0", "grace": "30"}
    assert teacher.session.post(url, data=body, timeout=60).status_code == 403, "without the page's token"
    assert seated("anna").session.post(url, data=body, timeout=60).status_code == 403


def test_an_idle_kernel_is_warned_of_in_the_lab_and_ends_and_a_used_one_stays(hub, seated, site):
    anna = seated("anna")
    idle, used = anna.kernel(), anna.kernel()
    for kernel in (idle, used):
        anna.run(kernel, "kept = 1")
    events = anna.socket("api/events/subscribe")
    asked = []

    def wait(seconds):
        """What happens in the time that learners have: Anna runs a cell in one of the two."""
        asked.append(seconds)
        heard = {}
        while "message" not in heard:
            heard = json.loads(events.recv())
        assert "Run a cell to keep it" in heard["message"] and "17 minutes" in heard["message"]
        assert anna.run(used, "print(kept)").strip() == "1"

    mine = lambda: {k.id: k for row in status.rows(site) if row.owner == anna.name for k in row.kernels}  # noqa: E731
    hubs.until(
        "both are idle", lambda: all(mine()[k].state == "idle" and mine()[k].idle > 2 for k in (idle, used)), pause=0.5
    )
    done = {}
    for freed in reclaim.reclaim(site, 2, 1000, [anna.name], wait=lambda s: (wait(s), time.sleep(0))):
        done.setdefault(freed.how, []).append(freed)
    events.close()
    assert asked == [1000]
    # Idle for less than the 1 000 s that learners were given: neither has had its time yet.
    assert set(done) == {"used again"}
    these = [(anna.name, kernel) for kernel in mine().values() if kernel.id in (idle, used)]
    hubs.until("one is idle for longer", lambda: mine()[idle].idle > mine()[used].idle + 1, pause=0.5)
    since = (mine()[idle].idle + mine()[used].idle) / 2
    how = {freed.how for freed in reclaim.end(site, [each for each in these if each[1].id == idle], since)}
    assert how == {"ended"} and idle not in mine()
    assert {freed.how for freed in reclaim.end(site, [each for each in these if each[1].id == used], 1e6)} == {
        "used again"
    }
    assert anna.run(used, "print(kept)").strip() == "1"
    assert {freed.how for freed in reclaim.end(site, [each for each in these if each[1].id == idle], 0)} == {"gone"}
    anna.api("DELETE", f"kernels/{used}")


def test_a_kernel_that_computes_is_not_idle(hub, seated, site):
    anna = seated("anna")
    kernel = anna.kernel()
    line = anna.socket(f"api/kernels/{kernel}/channels")
    header = {"msg_id": "m", "msg_type": "execute_request", "username": "", "session": "s", "version": "5.3"}
    content = {"code": "import time; time.sleep(600)", "silent": False}
    line.send(
        json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"})
    )
    state = lambda: [k.state for row in status.rows(site) for k in row.kernels if k.id == kernel]  # noqa: E731
    hubs.until("it computes", lambda: state() == ["busy"], pause=0.5)
    assert kernel not in [k.id for _, k in reclaim.idle(status.rows(site), 0)]
    line.close()
    anna.api("DELETE", f"kernels/{kernel}")


def test_reclaim_says_what_it_would_do_and_refuses_no_time_at_all(hub, seated):
    anna = seated("anna")
    kernel = anna.kernel()
    anna.run(kernel, "1 + 1")  # until somebody speaks to it, it only starts
    hubs.until("it is idle", lambda: anna.api("GET", f"kernels/{kernel}").json()["execution_state"] == "idle", 60)
    done = command(hub, "reclaim", "--idle", "0", "--dry-run", "--learner", anna.name)
    lines = done.stdout.splitlines()  # other tests' kernels may be there as well
    assert done.returncode == 0 and f"{anna.name}: python3, idle for 0 minutes" in lines, done
    assert lines[-1] == f"{len(lines) - 1} kernels would be warned of.", done
    assert anna.api("GET", f"kernels/{kernel}").ok
    assert command(hub, "reclaim", "--grace", "0").returncode == 2
    anna.api("DELETE", f"kernels/{kernel}")


def test_a_server_that_hangs_is_said_and_does_not_hide_the_others(hub, seated, site, monkeypatch):
    anna, ben = seated("anna"), seated("ben")
    monkeypatch.setattr(hub_client, "PATIENCE", 3.0)
    server = next(p for p in hubs.of_user(ben.name) if "seats.server" in open(f"/proc/{p}/cmdline").read())
    os.kill(server, 19)
    try:
        found = {row.owner: row for row in status.rows(site)}
        assert "does not answer" in found[ben.name].silent and found[anna.name].silent == ""
    finally:
        os.kill(server, 18)
    hubs.until("it answers again", lambda: not {row.owner: row for row in status.rows(site)}[ben.name].silent)


def test_a_seat_whose_server_the_hub_does_not_know_is_found(hub, site, seated):
    from hundredfold.classroom.seats.allocations import Allocations
    from hundredfold.classroom.seats.devices import SIMULATED, Place

    anna = seated("anna")
    allocations = Allocations(hub.state / "seats.json")
    allocations.take("nobody", [Place(SIMULATED, "simulated", 0, 99, "simulated")])
    try:
        assert "nobody" in status.stale(site) and anna.name not in status.stale(site)
    finally:
        allocations.release("nobody")


def test_a_notice_comes_through_the_control_socket_and_in_no_other_way(hub, seated, site):
    anna, ben = seated("anna"), seated("ben")
    events = anna.socket("api/events/subscribe")
    assert site.tell({anna.name: "The class ends at four."}) == {}
    heard = {}
    while "message" not in heard:
        heard = json.loads(events.recv())
    assert heard["message"] == "The class ends at four."
    events.close()
    url = f"{anna.base}hundredfold/notice"
    headers = {"X-XSRFToken": anna.xsrf(f"/user/{anna.name}/")}
    assert anna.session.post(url, json={"message": "x"}, headers=headers, timeout=60).status_code == 405
    assert ben.session.post(url, json={"message": "x"}, timeout=60).status_code in (403, 405)
    for path in ("kernels", "control.sock", "../control.sock/kernels"):
        assert anna.session.get(f"{anna.base}{path}", timeout=60).status_code in (403, 404)


def test_an_instructor_stops_a_server_and_root_does_and_nobody_else(hub, people, teacher):
    kurt, olga = (hubs.Learner(hub, people.add(who)) for who in ("kurt", "olga"))
    for each in (kurt, olga):
        each.log_in()
        each.open()
    url = teacher.service("seats")
    teacher.session.get(url, timeout=hubs.PATIENCE)
    headers = {"X-XSRFToken": teacher.cookies(url)["_xsrf"]}
    assert teacher.session.post(f"{url}api/stop", data={"owner": kurt.name}, timeout=60).status_code == 403, "forged"
    assert olga.session.post(f"{url}api/stop", data={"owner": kurt.name}, timeout=60).status_code == 403
    nobody = teacher.session.post(f"{url}api/stop", data={"owner": "nobody"}, headers=headers, timeout=60)
    assert nobody.status_code == 404
    assert kurt.name in hub.seats()
    done = teacher.session.post(f"{url}api/stop", data={"owner": kurt.name}, headers=headers, timeout=60)
    assert done.status_code == 204, done.text
    hubs.until("the server ends", lambda: kurt.name not in hub.seats() and not hubs.of_user(kurt.name))
    assert command(hub, "stop", olga.name).returncode == 0
    hubs.until("the server ends", lambda: olga.name not in hub.seats() and not hubs.of_user(olga.name))
    unknown = command(hub, "stop", olga.name)
    assert unknown.returncode == 1 and f"No seat for {olga.name}" in unknown.stderr
    assert "No seat for nobody" in command(hub, "reclaim", "--learner", "nobody").stderr
