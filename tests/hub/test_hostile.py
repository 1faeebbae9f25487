"""A learner whose program sits where her server should be, and who was on the machine before root: what she hears, and what she can break.

docs/administrators/threats.md names these tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import itertools
import json
import os
import pwd
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, urljoin, urlsplit

import hostile
import hubs
import pytest
import requests
import websocket
from jupyterhub.httpclient import JupyterHubHTTPClient
from jupyterhub.utils import wait_for_http_server
from tornado.web import HTTPError
from traitlets.config.loader import PyFileConfigLoader

from hundredfold.classroom.seats import (
    by_link,
    enter,
    groups,
    hook,
    hub_client,
    hub_database,
    ports,
    server,
    spawner,
    status,
)
from hundredfold.classroom.seats import people as people_  # a fixture has the name
from hundredfold.classroom.seats.page import WAIT

HOSTILE = Path(hostile.__file__)


@pytest.fixture(scope="module")
def teacher(hub, people):
    made = hubs.Learner(hub, people.add("hte", teacher=True))
    assert made.log_in().ok
    return made


class Impostor:
    """Mallory's program in place of her server: `with Impostor(mallory, "slow") as impostor`."""

    def __init__(self, learner: hubs.Learner, mode: str, page: str = "") -> None:
        self.learner, self.mode, self.page = learner, mode, page
        self.user = pwd.getpwnam(learner.name)
        self.folder = learner.hub.run / learner.name
        self.heard = Path(self.user.pw_dir) / f"heard-{uuid.uuid4().hex[:6]}"

    def __enter__(self) -> Impostor:
        """As if her server's two sockets, which root makes, had been handed on to this program."""
        self.kept = {}
        for name in ("server.sock", "control.sock"):
            path = spawner.own_end(self.folder / name)
            path.rename(path.with_suffix(".away"))
            self.kept[path.with_suffix(".away")] = path
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(spawner.bound(path)).fileno() for path in self.kept.values()]
            self.process = subprocess.Popen(
                [sys.executable, "-c", HOSTILE.read_text(), self.mode, str(self.heard), *map(str, files)], pass_fds=files,
                user=self.user.pw_uid, group=self.user.pw_gid, extra_groups=[], cwd="/", env={"PATH": "/usr/bin:/bin", "PAGE": self.page},
            )  # fmt: skip
        hubs.until("it listens", lambda: all(map(spawner.listens, self.kept.values())))
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for away, path in self.kept.items():
            path.unlink(missing_ok=True)
            away.rename(path)

    def said(self) -> bytes:
        return self.heard.read_bytes() if self.heard.exists() else b""


@pytest.fixture(scope="module")
def mallory(seated):
    return seated("mallory")


@pytest.fixture(scope="module")
def one_name(people, tmp_path_factory):
    """A hub without names of learners' own, which looks every two seconds who is in the groups."""
    often = ["--GroupAuthenticator.auth_refresh_age=2", "--SeatSpawner.poll_interval=2"]
    made = hubs.Hub(tmp_path_factory.mktemp("one"), people, *often, subdomains=False)
    try:
        made.start()
        yield made
    finally:
        made.close()


def apart(what, *arguments):
    """What a function returns in a thread of its own. In that of the tests a browser's loop runs, and asyncio takes no second one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(what, *arguments).result()


def command(hub, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "hundredfold.cli", "seats", *arguments, "--settings", str(hub.settings)],
        capture_output=True, text=True, timeout=hubs.PATIENCE, env={**os.environ, "COLUMNS": "220"},
    )  # fmt: skip


# --- C1: what root and the page ask is heard by whoever sits at a learner's socket.


def test_whoever_listens_in_place_of_a_server_hears_nothing_worth_stealing(hub, mallory, teacher):
    with Impostor(mallory, "listening") as impostor:
        assert command(hub, "status").returncode == 0
        command(hub, "reclaim", "--idle", "0", "--grace", "0.5", "--dry-run")
        hub_client.Site.at(hub.state, hub.run).kernels([mallory.name])
        hub_client.Site.at(hub.state, hub.run).tell({mallory.name: "x"})
        hub_client.Site.at(hub.state, hub.run).end([(mallory.name, "0" * 8)], 0)
        assert teacher.session.get(f"{teacher.service('seats')}api/status", timeout=hubs.PATIENCE).ok
        heard = impostor.said()
    assert all(line in heard for line in (b"GET /kernels", b"POST /notice", b"DELETE /kernels")), "she was asked"
    assert b"authorization" not in heard.lower() and b"token" not in heard.lower() and b"cookie" not in heard.lower()
    assert (hub.state / "page.token").read_bytes().strip() not in heard


def test_the_pages_token_opens_no_server_should_it_ever_be_lost(hub, seated):
    token = (hub.state / "page.token").read_text().strip()
    anna = seated("anna")
    headers = {"Authorization": f"token {token}"}
    assert requests.get(f"{anna.base}api/contents", headers=headers, timeout=60).status_code == 403
    made = requests.post(f"{hub.address}/hub/api/users/{anna.name}/tokens", headers=headers, timeout=60)
    assert made.status_code == 403
    known = requests.get(f"{hub.address}/hub/api/users", headers=headers, timeout=60)
    assert known.ok and all("auth_state" not in user for user in known.json()), "it is a token that works"


@pytest.mark.parametrize(
    "host",
    [
        "{name}.hub.localhost/user/{name}",
        "{name}.hub.localhost:1/user/{name}",
        "127.0.0.1,{name}.hub.localhost/user/{name}",
        "__proto__",
        "[::1]",
    ],
)
def test_a_made_up_host_leads_to_no_server(hub, mallory, host):
    """Host and path together choose a server."""
    with Impostor(mallory, "listening") as impostor:
        for path in (f"/user/{mallory.name}/lab", "/lab", "/../../containers/create"):
            for method, code in (("GET", 302), ("POST", 404)):
                head = f"{method} {path} HTTP/1.1\r\nHost: {host.format(name=mallory.name)}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                said = asked(hub, head)
                assert said.startswith((b"HTTP/1.1 %d" % code, b"HTTP/1.1 400")), said
                assert code == 404 or b" 400 " in said or f"location: {hub.address}{path}\r\n".encode() in said
        assert impostor.said() == b""


def asked(hub, head):
    """What is answered to this request."""
    with socket.create_connection(("127.0.0.1", hub.port), timeout=60) as line:
        line.sendall(head.encode())
        said = b""
        while part := line.recv(1 << 16):
            said += part
    return said


def test_the_hub_shows_nothing_under_a_learners_name(hub, mallory):
    """A login page at that name is the learner's to read: a script in a page of hers sees what is typed there."""
    other = mallory.origin.partition("//")[2]
    for path in ("/hub/login", "/hub/home", "/user/anna/lab", f"/services/seats/?a={uuid.uuid4().hex}", "/"):
        said = asked(hub, f"GET {path} HTTP/1.1\r\nHost: {other}\r\nConnection: close\r\n\r\n")
        assert said.startswith(b"HTTP/1.1 302 ") and f"\r\nlocation: {hub.address}{path}\r\n".encode() in said, said
        for method in ("POST", "PUT", "OPTIONS", "DELETE"):
            said = asked(
                hub, f"{method} {path} HTTP/1.1\r\nHost: {other}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
            assert said.startswith(b"HTTP/1.1 404 ") and b"{" not in said
    assert mallory.session.get(f"{mallory.base}api", timeout=60).ok


def test_a_kernel_that_came_into_use_is_not_ended_however_long_others_take(hub, seated, mallory):
    """The server itself looks when it is told to end one: what root knows may be old by then."""
    anna, site = seated("anna"), hub_client.Site.at(hub.state, hub.run)
    kernel = anna.kernel()
    anna.run(kernel, "kept = 1")
    hubs.until("it is idle", lambda: anna.api("GET", f"kernels/{kernel}").json()["execution_state"] == "idle", 60)
    (old,) = [each for row in status.rows(site) if row.owner == anna.name for each in row.kernels if each.id == kernel]
    time.sleep(2)
    anna.run(kernel, "kept = 2")
    hubs.until("it is idle", lambda: anna.api("GET", f"kernels/{kernel}").json()["execution_state"] == "idle", 60)
    assert [type(said) for said in site.end([(anna.name, old.id)], 60)] == [hub_client.StillUsed]
    assert anna.run(kernel, "print(kept)").strip() == "2"
    assert site.end([(anna.name, old.id)], 0) == [b""]
    assert anna.api("GET", f"kernels/{kernel}").status_code == 404


@pytest.mark.parametrize("mode", [name for name in hostile.ANSWERS if name not in ("markup", "control characters")])
def test_garbage_costs_its_own_row_and_no_other(hub, seated, mallory, mode):
    anna = seated("anna")
    with Impostor(mallory, mode):
        found = {row.owner: row for row in status.rows(hub_client.Site.at(hub.state, hub.run))}
    assert found[mallory.name].silent and found[mallory.name].kernels == ()
    assert found[anna.name].silent == ""


@pytest.mark.parametrize("mode", ["markup", "control characters"])
def test_a_name_is_shown_as_text_and_moves_no_cursor(hub, mallory, mode):
    with Impostor(mallory, mode):
        shown, told = command(hub, "status"), json.loads(command(hub, "status", "--json").stdout)
    assert shown.returncode == 0, shown.stderr
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", shown.stdout)
    (kernel,) = next(row["kernels"] for row in told if row["owner"] == mallory.name)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e]", kernel["path"])
    if mode == "markup":
        assert "[/nothing] [link=file:///etc]a[/link]" in shown.stdout


@pytest.mark.parametrize("mode", ["slow", "silent"])
def test_an_answer_that_never_ends_has_a_last_moment(hub, seated, mallory, mode, monkeypatch):
    monkeypatch.setattr(hub_client, "PATIENCE", 3.0)
    anna = seated("anna")
    with Impostor(mallory, mode):
        began = time.monotonic()
        found = {row.owner: row for row in status.rows(hub_client.Site.at(hub.state, hub.run))}
        took = time.monotonic() - began
    assert "does not answer within 3 s" in found[mallory.name].silent and found[anna.name].silent == ""
    assert took < 60, "a hundred thousand seconds' worth of answer"


@pytest.mark.parametrize("mode", ["silent", "slow", "drip"])
def test_the_page_does_not_wait_for_who_drips(hub, seated, mallory, teacher, mode):
    """The page waits for all together as long as for one, less than root's own command does, and has the others whole."""
    anna = seated("anna")
    kernel = anna.kernel()
    with Impostor(mallory, mode):
        told = teacher.session.get(f"{teacher.service('seats')}api/status", timeout=hubs.PATIENCE).json()
    found = {row["owner"]: row for row in told["seats"]}
    assert (
        found[mallory.name]["silent"] == f"The server does not answer within {WAIT:g} s." and WAIT < hub_client.PATIENCE
    )
    assert found[anna.name]["silent"] == "" and kernel in [each["id"] for each in found[anna.name]["kernels"]]
    anna.api("DELETE", f"kernels/{kernel}")


def test_interim_answers_without_end_are_an_answer_that_is_too_large(hub, seated, mallory):
    anna = seated("anna")
    with Impostor(mallory, "interim"):
        found = {row.owner: row for row in status.rows(hub_client.Site.at(hub.state, hub.run))}
    assert "answers more than 128 KiB" in found[mallory.name].silent and found[anna.name].silent == ""


def test_many_who_hang_cost_as_much_time_as_one(tmp_path):
    """All are asked at the same time: the last to be asked hears it while nobody has answered yet."""
    owner = pwd.getpwuid(os.geteuid()).pw_name
    site = hub_client.Site(tmp_path, tmp_path, "")
    owners = [f"{owner}/{i}" for i in range(60)]
    with contextlib.ExitStack() as stack:
        lines = []
        for each in owners:
            place = tmp_path / hook.folder_name(each)
            place.mkdir()
            lines.append(stack.enter_context(socket.socket(socket.AF_UNIX)))
            lines[-1].bind(str(place / "control.sock"))
            lines[-1].listen()
            lines[-1].settimeout(hubs.PATIENCE)
        with ThreadPoolExecutor(1) as pool:
            told = pool.submit(site.kernels, owners, hubs.PATIENCE)
            asked = [stack.enter_context(line.accept()[0]) for line in lines]  # not before has anybody an answer
            for line in asked:
                line.sendall(b'HTTP/1.0 200 OK\r\n\r\n{"kernels": []}')
                line.shutdown(socket.SHUT_WR)
            assert told.result(hubs.PATIENCE) == [()] * 60


def test_an_answer_of_half_a_gigabyte_is_not_kept(hub, mallory):
    code = (
        "import resource, sys; from hundredfold.classroom.seats import hub_client, status\n"
        "status.rows(hub_client.Site.at(*sys.argv[1:]))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "(said,) = hub_client.Site.at(*sys.argv[1:]).kernels([NAME])\n"
        "print(said, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)"
    ).replace("NAME", repr(mallory.name))
    with Impostor(mallory, "huge"):
        done = subprocess.run(
            [sys.executable, "-c", code, str(hub.state), str(hub.run)], capture_output=True, text=True, timeout=hubs.PATIENCE
        )  # fmt: skip
    assert "answers more than 128 KiB" in done.stdout, done.stderr
    assert int(done.stdout.split()[-1]) < 20, "megabytes"


# --- What she sends with her words: open files, which whoever reads the words has to close.


def all_goes_on(hub, seated):
    """Whether the hub, its proxy and another's server answer, in each of the proxy's threads."""
    anna = seated("anna")
    with ThreadPoolExecutor(8) as pool:
        urls = [f"{hub.address}/hub/login", f"{hub.address}/hub/health", f"{anna.base}api"] * 20
        return set(pool.map(lambda url: requests.get(url, timeout=60).status_code, urls)) == {200}


def test_files_that_a_seat_sends_to_the_hub_hold_up_nobody_else(hub, people, seated):
    """A recv of the hub's closed them, and the hub stood still for everybody as long as she liked."""
    sender = hubs.Learner(hub, people.add("snd"))
    sender.log_in()
    sender.open()
    code = (
        f"{HOSTILE.read_text().partition('if __name__')[0]}"
        "for _ in range(5):\n"
        "    KEPT.append(socket.socket(socket.AF_UNIX))\n"
        f"    KEPT[-1].connect({str(sender.line)!r})\n"
        "    KEPT[-1].sendall(b'GET /hub/api/users/nobody HTTP/1.1\\r\\nHost: hub\\r\\n\\r\\n')\n"
        "    with slow_to_close() as file:\n"
        "        socket.send_fds(KEPT[-1], [b'GET /hub/api/ HTTP/1.1\\r\\nHost: hub\\r\\n\\r\\n'], [file.fileno()])\n"
    )
    with contextlib.suppress(websocket.WebSocketTimeoutException):  # she has held herself up
        sender.run(sender.kernel(), code, patience=5)
    assert all_goes_on(hub, seated)
    sender.leave()


def test_files_that_a_server_sends_to_the_proxy_or_to_root_hold_up_nobody_else(hub, mallory, seated, teacher):
    """The same in an answer: a thread of the proxy's stood still, and whoever root had asked."""
    anna = seated("anna")
    with Impostor(mallory, "files"), ThreadPoolExecutor(12) as pool:
        hers = [pool.submit(requests.get, f"{mallory.base}api", timeout=10) for _ in range(12)]
        rows = {row.owner: row for row in status.rows(hub_client.Site.at(hub.state, hub.run))}
        page = teacher.session.get(f"{teacher.service('seats')}api/status", timeout=60)
        assert rows[mallory.name].silent and not rows[anna.name].silent and page.ok
        assert all_goes_on(hub, seated)
        for each in hers:
            each.exception()


# --- H1: what an instructor may do, and what a learner's page may do in their name.


def test_instructors_see_two_pages_and_have_no_other_right(hub, teacher, seated):
    anna = seated("anna")
    headers = {"X-XSRFToken": teacher.xsrf("/hub/"), "Referer": f"{hub.address}/hub/home"}
    own = teacher.session.get(f"{hub.address}/hub/api/user", headers=headers, timeout=60).json()
    assert own["name"] == teacher.name and not own["admin"]
    foreign = [
        each for each in own["scopes"]
        if f"!user={teacher.name}" not in each and f"!server={teacher.name}/" not in each
    ]  # fmt: skip
    assert {each for each in foreign if not each.startswith("read:services!")} <= {
        "access:services!service=seats",
        "access:services!service=class",
    }, own["scopes"]
    assert teacher.session.get(f"{hub.address}/hub/admin", timeout=60).status_code == 403
    for method, path in (
        ("GET", "users"),
        ("GET", f"users/{anna.name}"),
        ("POST", "users/postgres"),
        ("POST", f"users/{anna.name}/tokens"),
        ("POST", f"users/{anna.name}/server"),
        ("DELETE", f"users/{anna.name}/server"),
        ("GET", "proxy"),
        ("POST", "shutdown"),
        ("POST", "groups/instructors/users"),
    ):
        answer = teacher.session.request(method, f"{hub.address}/hub/api/{path}", headers=headers, json={}, timeout=60)
        assert answer.status_code in (403, 404), (method, path, answer.status_code)
    token = teacher.session.post(
        f"{hub.address}/hub/api/users/{teacher.name}/tokens", headers=headers, json={"roles": ["admin"]}, timeout=60
    )
    assert token.status_code in (400, 403), token.text
    assert teacher.session.get(f"{anna.base}api/contents", timeout=60).status_code in (403, 404)


def test_an_earlier_versions_admin_is_none_any_more(people, tmp_path_factory):
    folder = tmp_path_factory.mktemp("before")
    name = people.add("old", teacher=True)
    hub = hubs.Hub(folder, people)
    try:
        hub.start()
        old = hubs.Learner(hub, name)
        old.log_in()
        headers = {"X-XSRFToken": old.xsrf("/hub/"), "Referer": f"{hub.address}/hub/home"}
        token = old.session.post(f"{hub.address}/hub/api/users/{name}/tokens", headers=headers, json={}, timeout=60)
        hub.stop()
        # As the hub's database was when instructors were admins: the flag, and the role with its token.
        with contextlib.closing(sqlite3.connect(hub.state / "hub.sqlite")) as line, line:
            line.execute("UPDATE users SET admin = 1 WHERE name = ?", (name,))
            line.execute(
                "INSERT INTO user_role_map (user_id, role_id, managed_by_auth) SELECT users.id, roles.id, 0 FROM users, roles "
                "WHERE users.name = ? AND roles.name = 'admin'",
                (name,),
            )
        hub.start()
        secret = {"Authorization": f"token {token.json()['token']}"}
        assert requests.get(f"{hub.address}/hub/api/users", headers=secret, timeout=60).status_code == 403
        assert old.session.get(f"{hub.address}/hub/admin", timeout=60).status_code == 403
    finally:
        hub.close()


def test_who_leaves_the_groups_is_out_and_so_are_their_tokens(one_name, people):
    hub, name = one_name, people.add("exi")
    gone = hubs.Learner(hub, name)
    gone.log_in()
    headers = {"X-XSRFToken": gone.xsrf("/hub/"), "Referer": f"{hub.address}/hub/home"}
    made = gone.session.post(f"{hub.address}/hub/api/users/{name}/tokens", headers=headers, json={}, timeout=60)
    secret = {"Authorization": f"token {made.json()['token']}"}
    assert requests.get(f"{hub.address}/hub/api/user", headers=secret, timeout=60).ok
    subprocess.run(["gpasswd", "-d", name, people.learners], check=True, capture_output=True)
    hubs.until(
        "the hub has looked again",
        lambda: requests.get(f"{hub.address}/hub/api/user", headers=secret, timeout=60).status_code == 403,
        pause=1,
    )
    assert "/hub/login" in gone.session.get(f"{hub.address}/hub/home", timeout=60).url
    assert gone.log_in().status_code == 403


def test_an_account_that_is_made_anew_or_has_another_password_is_closed_to_who_logged_in_before(one_name, people):
    """A class's accounts are often named as the last one's were. The number, too, is then the same."""
    hub, name = one_name, people.add("ane")

    def logged_in(password: str) -> tuple[hubs.Learner, dict[str, str]]:
        made = hubs.Learner(hub, name)
        assert made.log_in(password).url.endswith("/hub/home")
        headers = {"X-XSRFToken": made.xsrf("/hub/"), "Referer": f"{hub.address}/hub/home"}
        token = made.session.post(f"{hub.address}/hub/api/users/{name}/tokens", headers=headers, json={}, timeout=60)
        return made, {"Authorization": f"token {token.json()['token']}"}

    def in_(made: hubs.Learner) -> bool:
        return made.session.get(f"{hub.address}/hub/home", timeout=60).url.endswith("/hub/home")

    def is_closed_to(made: hubs.Learner, token: dict[str, str]) -> None:
        hubs.until("the hub has looked again", lambda: not in_(made), pause=1)
        assert requests.get(f"{hub.address}/hub/api/user", headers=token, timeout=60).status_code == 403

    def password(new: str) -> None:
        subprocess.run(["chpasswd"], input=f"{name}:{new}\n", text=True, check=True)

    last, last_token = logged_in(name)
    number = pwd.getpwnam(name).pw_uid
    subprocess.run(["userdel", "-r", name], check=True, capture_output=True)
    subprocess.run(["useradd", "-m", "-u", str(number), "-G", people.learners, name], check=True, capture_output=True)
    password("new")
    now, now_token = logged_in("new")
    assert not in_(last), "not even for a moment, once somebody else has logged in"
    is_closed_to(last, last_token)
    assert in_(now) and requests.get(f"{hub.address}/hub/api/user", headers=now_token, timeout=60).ok

    now.open()
    kernel = now.kernel()
    password("newer")
    is_closed_to(now, now_token)
    again, _ = logged_in("newer")
    again.open()
    assert [each["id"] for each in again.api("GET", "kernels").json()] == [kernel], "and what she computes goes on"
    again.leave()


def test_wrong_passwords_of_one_network_hold_up_nobody_elses_login(hub, people):
    """PAM takes three seconds for each."""
    learner = hubs.Learner(hub, people.add("wro"))
    learner.session.headers["X-Forwarded-For"] = "192.0.2.1"
    answered = []

    def guess(i: int) -> None:
        stranger = hubs.Learner(hub, f"nobody{i}")
        stranger.session.headers["X-Forwarded-For"] = f"2001:db8::{i + 1:x}"  # who has one address of IPv6 has many
        answered.append(stranger.log_in().status_code)

    strangers = [threading.Thread(target=guess, args=(i,), daemon=True) for i in range(24)]
    for each in strangers:
        each.start()
    hubs.until("the first are refused", lambda: answered)
    assert learner.log_in().url.endswith("/hub/home")
    assert len(answered) < 16, "others of them still wait"
    for each in strangers:
        each.join()
    assert set(answered) == {403}


def test_who_waits_to_log_in_does_so_behind_their_own_network_alone(monkeypatch):
    """And who has left is not waited for, nor are more let in line than would be in a class."""
    monkeypatch.setattr(people_, "WAITING", people_.OF_ONE + 3)
    authenticator, end, inside = people_.GroupAuthenticator(), asyncio.Event(), []

    async def come(address: str, gone: bool = False) -> None:
        stream = SimpleNamespace(closed=lambda: gone)
        async with authenticator._turn(SimpleNamespace(remote_ip=address, connection=SimpleNamespace(stream=stream))):
            inside.append(address)
            await end.wait()

    async def lesson() -> list[int]:
        first = [asyncio.create_task(come("2001:db8::1")) for _ in range(people_.OF_ONE)]
        first += [asyncio.create_task(come("2001:db8::2", gone)) for gone in (True, True, False)]
        await asyncio.sleep(0)
        assert len(inside) == people_.OF_ONE
        with pytest.raises(HTTPError, match="429"):
            await come("2001:db8::3")
        others = [asyncio.create_task(come(each)) for each in ("192.0.2.1", "::ffff:192.0.2.2", "2001:db8:0:1::1")]
        await asyncio.sleep(0)
        assert len(inside) == people_.OF_ONE + 3
        end.set()
        done = await asyncio.gather(*first, *others, return_exceptions=True)
        return [error.status_code for error in done if error is not None]

    assert asyncio.run(lesson()) == [408, 408]
    assert inside[-1] == "2001:db8::2" and not authenticator.waiting and not authenticator.turns


def test_the_server_of_who_leaves_the_groups_is_stopped_and_their_files_stay(one_name, people):
    hub = one_name
    gone, other = (hubs.Learner(hub, people.add(who)) for who in ("gon", "oth"))
    for each in (gone, other):
        each.log_in()
        each.open()
    kept = Path(pwd.getpwnam(gone.name).pw_dir) / "kept"
    gone.run(
        gone.kernel(),
        "import subprocess, sys; open('kept', 'w').write('x')\n"
        "subprocess.Popen(['sleep', '1000'], start_new_session=True)".replace("'kept'", repr(str(kept))),
    )
    subprocess.run(["gpasswd", "-d", gone.name, people.learners], check=True, capture_output=True)
    hubs.until("the server ends", lambda: gone.name not in hub.seats() and not hubs.of_user(gone.name))
    said = [line for line in hub.log.read_text().splitlines() if f"Stopping the server of {gone.name}" in line]
    assert len(said) == 1 and "is in none of the groups" in said[0]
    assert kept.read_text() == "x"
    assert other.api("GET", "contents").ok and other.name in hub.seats()
    other.leave()


@pytest.mark.parametrize(
    ("who", "wanted", "looks"),
    [
        ("gone", "none", spawner.LOOKS_AT_NOBODY),
        ("games", "none", spawner.LOOKS_AT_NOBODY),
        ("games", "users", spawner.LOOKS),
    ],
    ids=["no such account", "no such group", "not in the group"],
)
def test_a_directory_that_does_not_answer_stops_nobody(who, wanted, looks, monkeypatch):
    """An account and a group that are not found are looked for ten minutes long: a class goes on without LDAP for a while."""
    monkeypatch.setattr("hundredfold.classroom.seats.people.least_uid", lambda: 1)
    made = spawner.SeatSpawner(
        user=SimpleNamespace(name=who), groups=[f"{wanted}-of-these" if wanted == "none" else wanted]
    )
    assert [bool(made._why_not()) for _ in range(looks)] == [False] * (looks - 1) + [True]
    assert spawner.LOOKS * made.poll_interval <= 60 < spawner.LOOKS_AT_NOBODY * made.poll_interval


def test_the_pages_are_closed_to_who_is_no_instructor_any_more(one_name, people):
    teacher = hubs.Learner(one_name, people.add("ext", teacher=True))
    teacher.log_in()
    page = f"{teacher.service('seats')}api/status"

    def shown() -> bool:
        answer = teacher.session.get(page, timeout=60)  # or the hub's login
        return answer.ok and answer.url == page and "seats" in answer.json()

    assert shown()
    subprocess.run(["gpasswd", "-d", teacher.name, people.teachers], check=True, capture_output=True)
    hubs.until("the page is closed", lambda: not shown(), 60, pause=1)


#: It opens the hub's own page and reads the token against forged requests there, as JupyterHub's own scripts do, and makes a token with it.
PAGE = """<!doctype html><title>a learner's page</title><button>Go on</button><script>
const wait = () => new Promise((done) => setTimeout(done, 200));
document.querySelector("button").onclick = async () => {
  const said = [];
  for (const hub of HUBS) try {
    const opened = window.open(hub + "/hub/home");
    for (let i = 0; i < 100 && !(opened.location.pathname.endsWith("/home") && opened.jhdata); i++) await wait();
    const { user, xsrf_token } = opened.jhdata;
    const made = await opened.fetch(hub + `/hub/api/users/${user}/tokens?_xsrf=${xsrf_token}`,
      { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
    const told = await made.json();
    said.push(`${user} ${made.status} ${told.token || told.message}`);
  } catch (error) { said.push("refused " + error.name); }
  document.title = "done: " + said.join("; ");
};
</script>"""


@contextlib.contextmanager
def page_of(hub: hubs.Hub, name: str, page: str = PAGE):
    """A learner whose server serves nothing but that page."""
    user = pwd.getpwnam(name)
    settings = Path(user.pw_dir) / ".jupyter"
    settings.mkdir()
    script = settings / "hostile.py"
    script.write_text(HOSTILE.read_text())
    (settings / "jupyter_server_config.py").write_text(
        "import os, sys\n"
        "place = os.environ['HUNDREDFOLD_SERVER_SOCKET']\n"
        f"os.environ['PAGE'] = {page.replace('HUBS', json.dumps([hub.address]))!r}\n"
        f"os.execv(sys.executable, [sys.executable, {str(script)!r}, 'page', os.devnull, place])\n"
    )
    attacker = hubs.Learner(hub, name)
    assert attacker.log_in().ok
    attacker.open()
    yield attacker
    attacker.leave()


def visit(browser, victim: hubs.Learner, attacker: hubs.Learner) -> str:
    """What the page brings home when somebody who is logged in opens it in a browser."""
    with contextlib.closing(browser.new_context()) as context:
        context.add_cookies(
            [{"name": c.name, "value": c.value, "path": c.path, "domain": c.domain} for c in victim.session.cookies]
        )
        tab = context.new_page()
        tab.goto(attacker.base, timeout=hubs.PATIENCE * 1000)
        tab.click("button")
        tab.wait_for_function("document.title.startsWith('done: ')", timeout=hubs.PATIENCE * 1000)
        return tab.title()


def test_a_learners_page_does_nothing_in_the_name_of_who_opens_it(browser, hub, people, teacher, seated):
    """With a name for each learner, as the hub is set up: the browser keeps her page from the hub's."""
    with page_of(hub, people.add("pag")) as attacker:
        for victim in (teacher, seated("anna")):
            said = visit(browser, victim, attacker)
            assert " 201 " not in said and "refused" in said, said


@pytest.mark.parametrize("page", ["seats", "class"])
def test_a_forged_request_is_refused_and_the_page_goes_on(browser, people, tmp_path_factory, page):
    """In a browser, which says where a request comes from. One that is forged once had the page wait for itself, and nobody saw it again."""
    room = Path(f"/var/lib/hundredfold-class-{uuid.uuid4().hex[:6]}")
    hub = hubs.Hub(tmp_path_factory.mktemp("forged"), people, port=hubs.free_port())
    hub.settings.write_text(hub.settings.read_text().replace('\nfolder = ""', f'\nfolder = "{room}"'))
    try:
        hub.start()
        teacher = hubs.Learner(hub, people.add(f"fo{page[:2]}", teacher=True))
        teacher.log_in()
        path = {"seats": "api/status", "class": "api/summary"}[page]
        url = teacher.service(page)
        teacher.session.get(url, timeout=hubs.PATIENCE)
        for how in ({"Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-site"}, {}):
            answer = teacher.session.post(f"{url}api/stop", data={"_xsrf": "x"}, headers=how, timeout=hubs.PATIENCE)
            assert answer.status_code in (403, 404)
            refused = teacher.session.get(
                url + path, headers={"Sec-Fetch-Mode": "cors"}, timeout=hubs.PATIENCE, allow_redirects=False
            )
            assert not refused.ok or refused.is_redirect or how, refused.text
        with contextlib.closing(browser.new_context()) as context:
            context.add_cookies(
                [{"name": c.name, "value": c.value, "path": c.path, "domain": c.domain} for c in teacher.session.cookies
                 if c.domain.strip(".").startswith("hub.")]
            )  # fmt: skip
            tab = context.new_page()
            with tab.expect_response(lambda answer: answer.url == url + path, timeout=hubs.PATIENCE * 1000) as told:
                tab.goto(url, timeout=hubs.PATIENCE * 1000)
            assert told.value.status == 200, "the page's own script is answered"
    finally:
        hub.close()
        shutil.rmtree(room, ignore_errors=True)


#: It sets a token against forged requests for the page on seats, as a page on a name below the hub's may, and sends it along, by a script and by a form.
FORGE = """<!doctype html><title>a learner's page</title><button>Go on</button><script>
document.querySelector("button").onclick = async () => {
  for (const path of ["/", "/services/seats/", "/services/seats/api/stop"])
    document.cookie = `_xsrf=forged; domain=hub.localhost; path=${path}`;
  const body = new URLSearchParams({ owner: "OWNER", _xsrf: "forged" });
  await fetch("STOP", { method: "POST", mode: "no-cors", credentials: "include", body }).catch(() => {});
  const form = Object.assign(document.createElement("form"), { method: "post", action: "STOP", target: "_blank" });
  for (const [name, value] of body) form.append(Object.assign(document.createElement("input"), { name, value }));
  document.body.append(form);
  form.submit();
  document.title = "done";
};
</script>"""


def test_a_browsers_own_request_is_answered_and_one_from_a_learners_page_is_not(browser, hub, people, seated, teacher):
    """As a browser asks, with `Sec-Fetch-*`, the instructor's cookies and a token: the page's button works, and another page's does not."""
    anna, ben = seated("anna"), hubs.Learner(hub, people.add("seb"))
    ben.log_in()
    ben.open()
    stop, answered = f"{teacher.service('seats')}api/stop", []
    page = FORGE.replace("STOP", stop).replace("OWNER", anna.name)
    with page_of(hub, people.add("fog"), page) as attacker, contextlib.closing(browser.new_context()) as context:
        context.add_cookies(
            [{"name": c.name, "value": c.value, "path": c.path, "domain": c.domain} for c in teacher.session.cookies]
        )
        context.on("response", lambda answer: answered.append(answer) if answer.url == stop else None)
        tab = context.new_page()
        tab.goto(teacher.service("seats"), timeout=hubs.PATIENCE * 1000)
        tab.goto(attacker.base, timeout=hubs.PATIENCE * 1000)
        tab.click("button")
        tab.wait_for_function("document.title == 'done'")
        hubs.until("both are answered", lambda: tab.wait_for_timeout(200) or len(answered) == 2)
        assert [each.status for each in answered] == [403, 403] and anna.name in hub.seats()
        # The cookies that the page has left keep nobody from working: the page on seats has a token of its own.
        context.clear_cookies(name="_xsrf")
        tab.goto(teacher.service("seats"), timeout=hubs.PATIENCE * 1000)
        token = "document.cookie.match(/_xsrf=([^;]*)/)[1]"
        asks = f"""fetch("api/stop", {{ method: "POST", headers: {{ "X-XSRFToken": {token} }}, body: new URLSearchParams({{ owner: "{ben.name}" }}) }})"""
        with tab.expect_response(stop, timeout=hubs.PATIENCE * 1000) as told:
            tab.evaluate(f"{asks}.then(() => 0)")
        assert told.value.status == 204
    hubs.until("Ben's server ends", lambda: ben.name not in hub.seats())


@pytest.mark.parametrize("site", ["same-origin", "same-site", "cross-site", "none", ""])
@pytest.mark.parametrize("mode", ["cors", "no-cors", "navigate", ""])
def test_whatever_a_request_says_of_itself_a_token_decides(hub, seated, teacher, mode, site):
    """The headers of a browser are a browser's to set, and a page of a learner's is of the same site."""
    anna = seated("anna")
    url = teacher.service("seats")
    teacher.session.get(url, timeout=hubs.PATIENCE)
    said = {name: value for name, value in (("Sec-Fetch-Mode", mode), ("Sec-Fetch-Site", site)) if value}
    for token in ({}, {"X-XSRFToken": "forged"}, {"X-XSRFToken": anna.xsrf(f"/user/{anna.name}/")}):
        answer = teacher.session.post(
            f"{url}api/stop", data={"owner": anna.name}, headers={**said, **token}, timeout=hubs.PATIENCE
        )
        assert answer.status_code == 403, (said, token)
    assert anna.name in hub.seats()
    # With the token of the page itself it is answered: nobody of that name has a seat.
    token = {"X-XSRFToken": teacher.cookies(url)["_xsrf"]}
    answer = teacher.session.post(
        f"{url}api/stop", data={"owner": "nobody-here"}, headers={**said, **token}, timeout=hubs.PATIENCE
    )
    assert answer.status_code == 404, said


TOSS = """<!doctype html><title>a learner's page</title><script>
for (const name of ["jupyterhub-hub-login", "__Host-jupyterhub-hub-login"])
  for (const more of ["", "; secure"]) document.cookie = `${name}=%s; domain=hub.localhost; path=/${more}`;
document.title = "done";
</script>"""


def test_with_https_everybody_works_and_no_page_logs_its_visitor_in_as_another(browser, people, tmp_path_factory):
    """As the guide has a hub opened to others. A page on a name below the hub's may set cookies for the hub's name."""
    hub = hubs.Hub(tmp_path_factory.mktemp("https"), people, https=True)
    try:
        hub.start()
        anna = hubs.Learner(hub, people.add("hsa"))
        assert anna.log_in().ok
        anna.open()
        assert anna.run(anna.kernel(), "print(6 * 7)").strip() == "42"
        model = {"type": "file", "format": "text", "content": "x" * 300_000}  # more than is read of who has no login
        assert anna.api("PUT", "contents/large.txt", json=model).status_code == 201
        teacher = hubs.Learner(hub, people.add("hst", teacher=True))
        assert teacher.log_in().ok
        told = teacher.session.get(f"{teacher.service('seats')}api/status", timeout=hubs.PATIENCE).json()
        assert anna.name in [row["owner"] for row in told["seats"]]
        attacker = hubs.Learner(hub, people.add("hsm"))
        attacker.log_in()
        (login,) = [c.value for c in attacker.session.cookies if c.name.endswith("jupyterhub-hub-login")]
        with (
            page_of(hub, attacker.name, TOSS % login.strip('"')) as attacker,
            contextlib.closing(browser.new_context(ignore_https_errors=True)) as context,
        ):
            tab = context.new_page()
            tab.goto(f"{hub.address}/hub/login")
            tab.fill("#username_input", anna.name)
            tab.fill("#password_input", anna.name)
            tab.click("#login_submit")
            tab.goto(f"{hub.address}/hub/home")
            assert tab.evaluate("jhdata.user") == anna.name
            tab.goto(attacker.base)
            tab.wait_for_function("document.title == 'done'")
            tab.goto(f"{hub.address}/hub/home")
            assert tab.evaluate("jhdata.user") == anna.name
    finally:
        hub.close()


def test_without_names_of_their_own_a_learners_page_has_what_an_instructor_has_and_that_is_little(
    browser, people, one_name
):
    teacher = hubs.Learner(one_name, people.add("ote", teacher=True))
    assert teacher.log_in().ok
    with page_of(one_name, people.add("opa")) as attacker:
        said = visit(browser, teacher, attacker)
        match = re.search(rf"{teacher.name} 201 (\w+)", said)
        assert match, f"this is what the guide warns of, and why names are the default: {said}"
        secret = {"Authorization": f"token {match[1]}"}
        own = requests.get(f"{one_name.address}/hub/api/user", headers=secret, timeout=60).json()
        assert own["name"] == teacher.name and not own["admin"]
        for path in ("users", f"users/{attacker.name}", "proxy"):
            answer = requests.get(f"{one_name.address}/hub/api/{path}", headers=secret, timeout=60)
            assert answer.status_code in (403, 404), path


def test_without_names_of_their_own_everybody_works_as_with_them(people, one_name):
    teacher, anna = hubs.Learner(one_name, people.add("otf", teacher=True)), hubs.Learner(one_name, people.add("oan"))
    assert teacher.log_in().ok and anna.log_in().ok
    anna.open()
    kernel = anna.kernel()
    assert anna.run(kernel, "print(6 * 7)").strip() == "42"
    told = teacher.session.get(f"{teacher.service('seats')}api/status", timeout=hubs.PATIENCE).json()
    row = next(row for row in told["seats"] if row["owner"] == anna.name)
    assert kernel in [each["id"] for each in row["kernels"]]
    assert anna.session.get(anna.service("seats"), timeout=60).status_code == 403
    anna.leave()


#: It sends the hub's login form with its owner's name, and a token against forged requests that its owner got for the visitor's browser.
FORM = """<!doctype html><title>a learner's page</title><button>Go on</button><script>
document.querySelector("button").onclick = () => {
  document.cookie = "_xsrf=TOKEN; domain=hub.localhost; path=/hub/";
  const form = Object.assign(document.createElement("form"), { method: "post", action: "ACTION" });
  for (const [name, value] of Object.entries({ username: "NAME", password: "NAME", _xsrf: "TOKEN" }))
    form.append(Object.assign(document.createElement("input"), { name, value }));
  document.body.append(form);
  form.submit();
};
</script>"""


def test_no_page_of_a_learners_logs_its_visitor_in_as_her(browser, hub, people, seated):
    """The token of a login form is for an address and a browser's name, and behind one router all have one address."""
    name, anna = people.add("lcs"), seated("anna")
    with contextlib.closing(browser.new_context()) as context:
        tab = context.new_page()
        agent = {"User-Agent": tab.evaluate("navigator.userAgent")}
        form = requests.get(f"{hub.address}/hub/login", headers=agent, timeout=60)
        page = FORM.replace("NAME", name).replace("ACTION", f"{hub.address}/hub/login?next=/hub/home")
        with page_of(hub, name, page.replace("TOKEN", form.cookies["_xsrf"])) as attacker:
            tab.goto(attacker.base, timeout=hubs.PATIENCE * 1000)
            with tab.expect_navigation(timeout=hubs.PATIENCE * 1000) as sent:
                tab.click("button")
            assert sent.value.status == 403 and "Another page sent this form" in tab.content()
            tab.goto(f"{hub.address}/hub/home")
            assert "/hub/login" in tab.url
            tab.fill("#username_input", anna.name)
            tab.fill("#password_input", anna.name)
            tab.click("#login_submit")
            tab.goto(f"{hub.address}/hub/home")
            assert tab.evaluate("jhdata.user") == anna.name
    headers = {
        "Origin": attacker.origin,
        "Referer": attacker.base,
    }  # by plain HTTP from another machine a browser says no more
    visitor = requests.Session()
    token = visitor.get(f"{hub.address}/hub/login", timeout=60).cookies["_xsrf"]
    data = {"username": name, "password": name, "_xsrf": token}
    assert visitor.post(f"{hub.address}/hub/login", data=data, headers=headers, timeout=60).status_code == 403
    headers = {"Origin": hub.address}
    assert visitor.post(f"{hub.address}/hub/login", data=data, headers=headers, timeout=60).ok


#: In her kernel: a repository as one file, which others can read, with settings for Jupyter that run when a server starts.
BUNDLE = """
import os, subprocess
os.chdir(os.path.expanduser("~"))
os.chmod(".", 0o755)
os.umask(0o022)
git = ["git", "-c", "user.name=m", "-c", "user.email=m", "-C", "hers"]
subprocess.run(["git", "init", "-q", "-b", "main", "hers"], check=True)
with open("hers/jupyter_server_config.py", "w") as file: file.write("print('hers')")
for command in ("add .", "commit -qm x", "bundle create ../hers.bundle main HEAD"): subprocess.run([*git, *command.split()], check=True, capture_output=True)
print(os.path.abspath("hers.bundle"))
"""


@pytest.mark.parametrize("place", [".jupyter", "../.jupyter", "new", "../.ssh"])
def test_a_link_puts_no_files_of_hers_into_anothers_home(hub, seated, mallory, place):
    """nbgitpuller is there for links, and asks nobody: whoever opened one had her repository in any folder, in place of what was there."""
    anna, kernel = seated("anna"), mallory.kernel()
    bundle = mallory.run(kernel, BUNDLE.replace("hers", f"hers-{uuid.uuid4().hex[:6]}")).strip()
    home = Path(pwd.getpwnam(anna.name).pw_dir)
    try:
        assert os.access(bundle, os.R_OK)
        for backup in ({}, {"backup": "true"}):
            what = {"repo": bundle, "branch": "main", "targetpath": place, "depth": "0", **backup}
            page = anna.session.get(f"{hub.address}/hub/user-redirect/git-pull", params=what, timeout=hubs.PATIENCE)
            assert page.status_code == 400 and page.url.startswith(f"{anna.base}git-pull"), page.url
            token = {"_xsrf": anna.xsrf(f"/user/{anna.name}/")}
            done = anna.session.get(f"{anna.base}git-pull/api", params={**what, **token}, timeout=hubs.PATIENCE)
            assert "A link brings an https:// repository into a new folder" in done.text, done.text[:500]
        assert [*home.rglob("jupyter_server_config.py"), *home.rglob("*_backup_*")] == []
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


def test_what_a_link_may_bring_is_a_new_folder_that_the_learner_sees(tmp_path):
    """Where learners reach the network: from there, below the folder of notebooks, and in nobody's place."""
    pytest.importorskip("nbgitpuller")
    made = by_link._puller(lambda repository, folder, **more: (repository, folder, sorted(more)))
    root = tmp_path / "notebooks"
    (root / "link").parent.mkdir()
    (root / "link").symlink_to(tmp_path)
    lab, url = SimpleNamespace(root_dir=str(root)), "https://example.org/course"
    for _ in ("new", "brought by an earlier link"):
        assert made(url, f"{root}/course", branch="main", parent=lab) == (url, f"{root}/course", ["branch", "parent"])
        (root / "course" / ".git").mkdir(parents=True, exist_ok=True)
    hers = root / "course" / "hers"  # brought with the course: `git fetch` in it runs what `core.sshCommand` names
    for name, text in {
        "HEAD": "ref: refs/heads/main",
        "config": "[core]\n bare = true",
        "objects/x": "",
        "refs/x": "",
    }.items():
        (hers / name).parent.mkdir(parents=True, exist_ok=True)
        (hers / name).write_text(f"{text}\n")
    for repository, folder, more in (
        (url, f"{hers}", {}),
        (url, f"{root}/../.jupyter", {}), (url, f"{root}/.ipython", {}), (url, f"{root}/a/.b/c", {}), (url, f"{root}", {}),
        (url, f"{root}/link/x", {}), (url, "/etc/x", {}), (url, f"{root}/course", {"backup": "true"}),
        ("/home/mallory/x.bundle", f"{root}/course", {}), ("ext::sh -c id", f"{root}/course", {}),
        ("file:///home/mallory/x", f"{root}/course", {}), ("--upload-pack=id", f"{root}/course", {}),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="A link brings an https:// repository into a new folder"):
            made(repository, folder, parent=lab, **more)


def test_what_a_link_has_brought_moves_no_file_that_is_elsewhere(tmp_path, monkeypatch):
    """In a clone of hers a link led to the learner's files, and the next pull gave way to what she then had in its place: theirs had other names."""
    pull = pytest.importorskip("nbgitpuller.pull")
    monkeypatch.setattr(pull, "execute_cmd", by_link._without_links(pull.execute_cmd))
    hers, root = tmp_path / "hers", tmp_path / "notebooks"
    git = ["git", "-c", "user.name=m", "-c", "user.email=m", "-C", str(hers)]

    def commit() -> None:
        for command in (["add", "."], ["commit", "-qm", "x"]):
            subprocess.run([*git, *command], check=True)
        made = pull.GitPuller(f"file://{hers}", str(root / "course"), branch="main", depth=1)
        print(*made.pull())

    root.mkdir()
    (root / "start.md").write_text("theirs")
    subprocess.run(["git", "init", "-qb", "main", str(hers)], check=True)
    (hers / "up").symlink_to("..")
    commit()
    assert (root / "course" / "up").read_text() == ".."
    (hers / "up").unlink()
    (hers / "up").mkdir()
    (hers / "up" / "start.md").write_text("hers")
    commit()
    assert [each.name for each in sorted(root.iterdir())] == ["course", "start.md"]
    assert (root / "start.md").read_text() == "theirs" and (root / "course" / "up" / "start.md").read_text() == "hers"


def test_a_notebook_of_hers_replaces_none_of_ones_own_when_it_is_saved(seated):
    """By its metadata Jupytext wrote it to other places, too. A notebook that was opened is saved every 20 seconds."""
    anna = seated("anna")
    cells = [{"cell_type": "code", "id": "a", "source": "", "metadata": {}, "outputs": [], "execution_count": None}]

    def save(path, source, **metadata):
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": [{**cells[0], "source": source}]}
        body = json.dumps({"type": "notebook", "format": "json", "content": notebook})
        answer = anna.api("PUT", f"contents/{path}", data=body)
        assert answer.ok, answer.text

    names = [f"{name}-{uuid.uuid4().hex[:6]}" for name in ("mine", "hers")]
    for name in names:
        assert anna.api("PUT", f"contents/{name}", data=json.dumps({"type": "directory"})).ok
    mine, hers = (f"{name}/a.ipynb" for name in names)
    save(mine, "my answer")
    save(hers, "theirs", jupytext={"formats": f"{names[1]}//ipynb,{names[0]}//ipynb"})
    assert anna.api("GET", f"contents/{mine}").json()["content"]["cells"][0]["source"] == "my answer"


def test_a_notebook_of_hers_that_is_exported_imports_nothing_into_ones_server(seated):
    """Its metadata names an exporter. As a module's name, unittest's own program ended the server."""
    anna = seated("anna")
    for name, wanted in (("unittest.__main__.main", 500), ("python", 200)):
        about = {"language_info": {"name": "python", "nbconvert_exporter": name}}
        cell = {
            "cell_type": "code",
            "id": "a",
            "source": "print(1)",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": [cell]}
        path = f"exported-{uuid.uuid4().hex[:6]}.ipynb"
        saved = anna.api(
            "PUT", f"contents/{path}", data=json.dumps({"type": "notebook", "format": "json", "content": notebook})
        )
        assert saved.ok, saved.text
        answer = anna.session.get(f"{anna.base}nbconvert/script/{path}", timeout=hubs.PATIENCE)
        assert answer.status_code == wanted, answer.text
    assert "print(1)" in answer.text
    assert anna.api("GET", "contents").ok, "the server goes on"


def test_what_lies_beside_a_notebook_does_not_run_when_it_is_opened(seated):
    """The lab starts a kernel then, in the notebook's folder, and Python took the kernel's own module from there if there was one."""
    anna = seated("anna")
    user = pwd.getpwnam(anna.name)
    folder = Path(user.pw_dir, "hundredfold", f"hers-{uuid.uuid4().hex[:6]}")
    ran = folder / "ran"
    installed = {
        each.stem for place in sys.path[1:] if place for each in Path(place).glob("*") if each.stem.isidentifier()
    }
    folder.mkdir()
    for name in {*sys.stdlib_module_names, *installed}:
        (folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write({name!r} + '\\n')\nraise ImportError\n")
    (folder / "beside.py").write_text("said = 'beside'\n")
    subprocess.run(["chown", "-R", anna.name, str(folder)], check=True)
    body = {"path": f"{folder.name}/a.ipynb", "name": "a.ipynb", "type": "notebook", "kernel": {"name": "python3"}}
    answer = anna.api("POST", "sessions", json=body)
    assert answer.status_code == 201, answer.text
    kernel = answer.json()["kernel"]["id"]
    try:
        with contextlib.closing(
            anna.socket(f"api/kernels/{kernel}/channels")
        ) as line:  # what the lab asks a kernel first
            for channel, kind, content in (
                ("shell", "kernel_info_request", {}),
                ("shell", "comm_info_request", {}),
                ("shell", "history_request", {"hist_access_type": "tail", "n": 10, "raw": True, "output": False}),
                ("control", "debug_request", {"seq": 1, "type": "request", "command": "debugInfo"}),
            ):
                assert anna.ask(line, channel, kind, content) is not None, kind
        assert not ran.exists(), ran.read_text().split()
        assert anna.run(kernel, "import beside; print(beside.said)").strip() == "beside"
    finally:
        anna.api("DELETE", f"sessions/{answer.json()['id']}")
        shutil.rmtree(folder)


def test_words_of_a_link_are_no_script_of_ones_own_lab(seated):
    """nbgitpuller's page showed the link's words as HTML, with the visitor's rights: whoever opened one link had run her script."""
    anna = seated("anna")
    script, repository = "<script>hers()</script>", "https://example.org/course"
    for what in (
        {"urlpath": script},
        {"subpath": script},
        {"targetpath": script},
        {"branch": script},
        {"depth": script},
        {"app": script},
    ):
        page = anna.session.get(f"{anna.base}git-pull", params={"repo": repository, **what}, timeout=60)
        assert page.ok and "Synchronizing" in page.text and script not in page.text, what
    page = anna.session.get(f"{anna.base}git-pull", params={"repo": f'{repository}"{script}'}, timeout=60)
    assert page.ok and script not in page.text and f'{repository}"' not in page.text
    for address in ("javascript:hers()", f"data:text/html,{script}"):
        page = anna.session.get(f"{anna.base}git-pull", params={"repo": address}, timeout=60)
        assert (
            page.status_code == 400 and "A link brings an https:// repository" in page.text and script not in page.text
        )


#: A program at a port: it listens from the first line on that it is told, takes one connection at the second, and listens no more at the third.
LISTENS = """
import socket, sys
with socket.socket() as place:
    place.bind(("127.0.0.1", 0))
    print(place.getsockname()[1], flush=True)
    sys.stdin.readline()
    place.listen()
    print(flush=True)
    sys.stdin.readline()
    line = place.accept()[0]
    line.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nhers")
    print(flush=True)
    sys.stdin.readline()
print(flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("steps", [1, 2, 3], ids=["listens", "has taken it", "listens no more"])
@pytest.mark.parametrize("whose", ["hers", "own"])
def test_a_port_of_anothers_is_no_page_of_ones_own(people, whose, steps):
    """Where ports are shared (`own_network = false`): a link to her port, as a page of the visitor's own lab, had the visitor's rights.

    Who listened was asked before the connection was made. A port at which she listened now and then came to be hers in between.
    """
    user = pwd.getpwnam(people.add(f"p{whose[0]}{steps}"))
    rights = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": "/"} if whose == "hers" else {}
    with subprocess.Popen(
        [sys.executable, "-c", LISTENS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, **rights
    ) as program:
        port = int(program.stdout.readline())

        def step() -> None:
            program.stdin.write("\n")
            program.stdout.readline()

        async def connect(*_: object) -> socket.socket:
            step()  # only now, after whatever was asked before
            line = socket.create_connection(("127.0.0.1", port))
            for _ in range(steps - 1):
                step()
            return SimpleNamespace(socket=line, close=line.close)

        made = by_link._to_own_program(connect)("127.0.0.1", port)
        if whose == "own":
            with apart(asyncio.run, made).socket as line:
                assert ports.others(line) == set()
        else:
            with pytest.raises(HTTPError, match="Another user's program"):
                apart(asyncio.run, made)
        program.stdin.close()


def test_a_program_behind_ones_own_lab_hears_nothing_of_anothers_page(seated):
    """What a page of Mallory's sent to a port of Anna's, say her own web application's, came there with Anna's login."""
    anna = seated("anna")
    kernel = anna.kernel()
    serve = (
        "import http.server, threading\n"
        "heard = []\n"
        "class Heard(http.server.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        heard.append(self.path)\n"
        "        self.send_response(200)\n"
        "        self.send_header('Content-Length', '0')\n"
        "        self.end_headers()\n"
        "    do_POST = do_GET\n"
        "made = http.server.HTTPServer(('127.0.0.1', 0), Heard)\n"
        "threading.Thread(target=made.serve_forever, daemon=True).start()\n"
        "print(made.server_port)"
    )
    anothers = anna.origin.replace("anna", "mallory")
    hers, said = {"Origin": anothers, "Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "same-origin"}
    try:
        port = int(anna.run(kernel, serve))
        asked = {
            "form": ("POST", {**hers, "Sec-Fetch-Mode": "no-cors"}, 403),
            "window": ("POST", {**hers, "Sec-Fetch-Mode": "navigate"}, 403),
            "old": ("POST", {"Origin": anothers}, 403),
            "old-socket": ("GET", {"Origin": anothers}, 403),  # as over HTTP, where browsers send no Sec-Fetch-*
            "picture": ("GET", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}, 403),
            "link": ("GET", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 200),
            "own": ("POST", {**said, "Origin": anna.origin, "Sec-Fetch-Mode": "cors"}, 200),
            "program": ("POST", {}, 200),
        }
        for what, (method, headers, answer) in asked.items():
            told = anna.session.request(method, f"{anna.base}proxy/{port}/{what}", headers=headers, timeout=60)
            assert told.status_code == answer, (what, told.status_code, hubs.words(told.text)[:200])
        assert anna.run(kernel, "print(*heard)").split() == ["/link", "/own", "/program"]
    finally:
        anna.api("DELETE", f"kernels/{kernel}")


# --- H2: whose server the hub starts.


@pytest.mark.parametrize("nested", [False, True])
def test_a_hub_starts_again_whatever_somebody_sent_with_the_start_of_their_server(people, tmp_path_factory, nested):
    """JupyterHub reads such an object of its database as bytes. It did not start with them, or could not say who has a server."""
    made = hubs.Hub(tmp_path_factory.mktemp("anew"), people)
    bytes_ = {"__jupyterhub_bytes__": True, "data": "aGVycw=="}
    try:
        made.start()
        mallory = hubs.Learner(made, people.add(f"opt{nested:d}"))
        mallory.log_in()
        url = f"{made.address}/hub/api/users/{mallory.name}/server"
        headers = {"X-XSRFToken": mallory.xsrf("/hub/"), "Referer": f"{made.address}/hub/home"}
        sent = mallory.session.post(url, json={"it": bytes_} if nested else bytes_, headers=headers, timeout=60)
        assert sent.status_code in (201, 202), sent.text
        mallory.open()
        made.stop()
        made.start()
        assert apart(hub_client.Site.found(made.settings).running) == {mallory.name}
        mallory.leave()
    finally:
        made.close()


@pytest.mark.parametrize(
    "who", ["root", "nobody", "daemon", "an account of the system in the group", "a user in no group"]
)
def test_a_server_is_started_for_a_learner_and_nobody_else(hub, people, who, request):
    name = who
    if " " in who:
        name = f"{people.mark}{'sys' if 'system' in who else 'non'}"
        kind = ["--system", "-G", people.learners] if "system" in who else []
        subprocess.run(["useradd", "-m", *kind, name], check=True, capture_output=True)
        people.names.append(name)
        subprocess.run(["chpasswd"], input=f"{name}:{name}\n", text=True, check=True)
        assert hubs.Learner(hub, name).log_in().status_code == 403
    home = Path(pwd.getpwnam(name).pw_dir)
    before = home.stat().st_mode if home.exists() else None
    # As if the hub's database had them, whoever put them there.
    code = (
        "import sys; from types import SimpleNamespace; from hundredfold.classroom.seats.spawner import SeatSpawner, CannotSeat\n"
        "made = SeatSpawner(user=SimpleNamespace(name=sys.argv[1]), groups=sys.argv[2:])\n"
        "try: made._person(); print('STARTS')\n"
        "except CannotSeat as error: print('refused', error.jupyterhub_message)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, name, people.learners, people.teachers], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("refused"), done.stdout
    assert before == (home.stat().st_mode if home.exists() else None), "nothing of theirs was touched"


def test_a_password_opens_the_account_that_was_named_and_no_other(hub, people):
    """JupyterHub makes names lower case, and PAM does not: on Linux anna and ANNA are two."""
    lower = people.add("twin")
    upper = lower.upper()
    subprocess.run(["useradd", "--badname", "-m", "-G", people.teachers, upper], check=True, capture_output=True)
    people.names.append(upper)
    subprocess.run(["chpasswd"], input=f"{upper}:other\n", text=True, check=True)
    twin = hubs.Learner(hub, upper)
    assert twin.log_in("other").status_code == 403
    assert hubs.Learner(hub, lower).log_in().ok


def test_a_hub_that_starts_anew_ends_no_process_that_is_none_of_its_servers(people, tmp_path_factory):
    """After a power cut the database has the numbers of servers of before, which are other processes' by now."""
    hub = hubs.Hub(tmp_path_factory.mktemp("numbers"), people)
    stranger = None
    try:
        hub.start()
        anna, ben = (hubs.Learner(hub, people.add(who)) for who in ("num", "nub"))
        for each in (anna, ben):
            each.log_in()
            each.open()
        kernel = ben.kernel()
        hub.stop()
        for process in hubs.of_user(anna.name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, 9)
        hubs.until("they end", lambda: not hubs.of_user(anna.name))
        stranger = subprocess.Popen(["sleep", "1000"])
        with contextlib.closing(sqlite3.connect(hub.state / "hub.sqlite")) as line, line:
            line.execute(
                "UPDATE spawners SET state = ? WHERE user_id = (SELECT id FROM users WHERE name = ?)",
                (json.dumps({"pid": stranger.pid}), anna.name),
            )
        hub.start()
        hubs.until("the seat is free", lambda: anna.name not in hub.seats())
        assert stranger.poll() is None
        anna.open()
        assert ben.api("GET", f"kernels/{kernel}").ok, "whose server is there goes on"
        ben.leave()
        hubs.until("Ben's server ends", lambda: ben.name not in hub.seats() and not hubs.of_user(ben.name))
    finally:
        if stranger is not None:
            stranger.kill()
            stranger.wait()
        hub.close()


def test_what_a_server_leaves_that_ended_by_itself_is_ended_too(hub, people):
    """A seat that was given back is free. One of them has a new number all the time, so that killing numbers is always too late."""
    name = people.add("lev")
    leo = hubs.Learner(hub, name)
    leo.log_in()
    leo.open()
    server = next(p for p in hubs.of_user(name) if "seats.server" in open(f"/proc/{p}/cmdline").read())
    leo.run(
        leo.kernel(),
        "import subprocess, sys\n"
        "subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "hop = 'import os\\nwhile True:\\n    if os.fork(): os._exit(0)\\n    os.setsid()'\n"
        "subprocess.Popen([sys.executable, '-I', '-S', '-c', hop], start_new_session=True)",
    )
    os.kill(server, 9)
    hubs.until("the seat is free", lambda: name not in hub.seats())
    hubs.until("nothing is left", lambda: not hubs.of_user(name) and not (hub.run / name).exists(), 60)


def test_what_a_server_says_is_not_in_the_hubs_log(hub, people):
    """There it could pass for the hub's own words, and so much of it that those are pushed out."""
    name = people.add("log")
    settings = Path(pwd.getpwnam(name).pw_dir) / ".jupyter"
    settings.mkdir()
    (settings / "jupyter_server_config.py").write_text(
        f"import os; os.write(1, b'[I] forged by {name}\\n'); os.write(2, b'[W] forged by {name}\\n')\n"
    )
    loud = hubs.Learner(hub, name)
    loud.log_in()
    loud.open()
    loud.leave()
    assert f"Starting the server of {name}" in hub.log.read_text(), "this is the hub's own"
    assert f"forged by {name}" not in hub.log.read_text()
    own = settings.parent / enter.LOG
    assert own.read_text().count(f"forged by {name}") == 2 and own.owner() == name and own.stat().st_mode & 0o077 == 0


def test_what_a_stranger_asks_for_does_not_fill_a_learners_home(hub, people):
    """Each address that somebody asks her server for is in its log, which lies in her home: 30 kB of it, without a login."""
    anna = hubs.Learner(hub, people.add("lgs"))
    anna.log_in()
    anna.open()
    log = Path(pwd.getpwnam(anna.name).pw_dir) / enter.LOG
    sizes = [log.stat().st_size]
    for _ in range(300):
        requests.get(f"{anna.base}lab/{'x' * 15_000}", timeout=60, allow_redirects=False)
        sizes.append(log.stat().st_size)
    assert sum(max(0, after - before) for before, after in itertools.pairwise(sizes)) > server.LOG_BYTES, (
        "so much was written"
    )
    hubs.until("the log is short", lambda: log.stat().st_size <= server.LOG_BYTES, 60)
    assert anna.api("GET", "contents").ok
    anna.leave()


FORGED = "[I 2026-01-01 00:00:00.000 JupyterHub app:1] User logged in: root"


def test_what_a_stranger_sends_makes_no_line_of_the_hubs_log_and_moves_no_cursor(hub):
    """The names of those who fail to log in are in the log, and so are the addresses that somebody asked for."""
    stranger = hubs.Learner(hub, "\n".join(f"{end}{FORGED}\x1b[2J\x9b2J\u202e" for end in "x\r\x0b\x85\u2028"))
    stranger.log_in("wrong")
    page = int(re.search(r"page_port = (\d+)", hub.settings.read_text())[1])

    def ask(method, path, where):
        """One request, as bytes, of whoever reaches that port or socket."""
        unix = isinstance(where, Path)
        with socket.socket(socket.AF_UNIX if unix else socket.AF_INET) as line:
            line.connect(str(where) if unix else ("127.0.0.1", where))
            line.sendall(b"%s %s HTTP/1.0\r\nHost: hub.localhost\r\nContent-Length: 0\r\n\r\n" % (method, path))
            while line.recv(1 << 16):
                pass

    for where, paths in (
        (hub.port, [b"/hub/"]),
        (page, [b"/services/seats/nothing-there", b"/services/seats/api/stop"]),
        (
            hub.run / "root" / "hub.sock",
            [b"/hub/", b"/hub/api/nothing-there", b"/hub/login", b"/hub/long/" + 60_000 * b"x"],
        ),
    ):
        for path in paths:
            for more in (b"%0a", b"\x1b[2J", b"\x9b2J", b"\xc2\x9b2J"):
                for method in (b"GET", b"POST"):
                    ask(method, path + b"?" + more + FORGED.replace(" ", "%20").encode(), where)
    said = re.sub(
        "\x1b\\[\\d\\dm", "", hub.log.read_bytes().decode(errors="surrogateescape")
    )  # without the proxy's colours
    assert "Failed login for" in said and "nothing-there" in said, "it is there, as text"
    lines = re.split("[\n\r\x0b\x0c\x85\u2028\u2029]", said)
    assert [each for each in lines if each.startswith("[I 2026-01-01")] == []
    assert max(map(len, lines)) < 5000, "nor do long ones push the others out"
    assert [each for each in lines if re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202e\udc80-\udcff]", each)] == []


# --- H3: where root writes, nobody else can have put anything.


def test_the_class_folder_is_written_where_learners_cannot(people, tmp_path_factory):
    room = Path(f"/var/lib/hundredfold-class-{uuid.uuid4().hex[:6]}")
    name = people.add("lnk")
    hub = hubs.Hub(tmp_path_factory.mktemp("links"), people, port=hubs.free_port())
    hub.settings.write_text(hub.settings.read_text().replace('\nfolder = ""', f'\nfolder = "{room}"'))
    secret = room.parent / f"{room.name}-secret"
    try:
        hub.start()
        hub.stop()
        secret.write_text("root's")
        # All names that root might take next, as folders and as links; and the settings themselves.
        code = (
            "import os, sys\n"
            "done = 0\n"
            "for place in (sys.argv[1], sys.argv[1] + '/answers'):\n"
            "    for name in ('settings.json', *(f'.settings.{os.getpid() + i}' for i in range(20000))):\n"
            "        try: os.symlink(sys.argv[2], f'{place}/{name}'); done += 1\n"
            "        except OSError: pass\n"
            "    try: os.mkdir(f'{place}/settings.json'); done += 1\n"
            "    except OSError: pass\n"
            "print(done)"
        )
        assert int(hubs.as_user(name, code, str(room), str(secret)).stdout) > 0, "she may write among the answers"
        hub.start()
        assert json.loads((room / "settings.json").read_text()) == {"names": False, "per": "owner"}
        assert not (room / "settings.json").is_symlink() and (room / "settings.json").stat().st_uid == 0
        assert secret.read_text() == "root's"
        assert [file for file in room.iterdir() if file.owner() != "root"] == []
    finally:
        hub.close()
        secret.unlink(missing_ok=True)
        shutil.rmtree(room, ignore_errors=True)


def test_a_learner_writes_nowhere_in_run_and_who_fills_what_is_hers_hurts_nobody_else(hub, people, seated, mallory):
    """Where the sockets are, root alone writes: /run is the machine's. What she may fill, her /tmp, is hers and counts as her memory."""
    write = (
        "import os\n"
        "def attempt(place):\n"
        "    try: os.close(os.open(place + '/hers', os.O_CREAT | os.O_WRONLY)); return True\n"
        "    except OSError: return False\n"
        "print([place for place, _, _ in os.walk(ROOT, onerror=None) if attempt(place)])"
    )
    kernel = mallory.kernel()
    assert mallory.run(kernel, write.replace("ROOT", "'/run'")).strip() == "[]"
    assert hubs.as_user(mallory.name, write.replace("ROOT", repr(str(hub.run)))).stdout.strip() == "[]"
    lines = hub.run / "@hub"  # to the hub, one for each learner, who alone connects to it
    theirs = [file for file in hub.run.rglob("*") if file.owner() != "root" and file.parent != lines]
    assert theirs == [], "nor is a file there hers"
    assert all(line.is_socket() and line.stat().st_mode & 0o077 == 0 for line in lines.iterdir())
    assert lines.owner() == "root"
    room = lambda: int(subprocess.run(["du", "-sxk", "/run"], capture_output=True, check=False).stdout.split()[0])  # noqa: E731
    before = room()
    filled = mallory.run(
        kernel,
        "import errno\n"
        "try:\n"
        "    with open('/tmp/all', 'wb', buffering=0) as file:\n"
        "        while True: file.write(bytes(1 << 24))\n"
        "except OSError as error: print(errno.errorcode[error.errno])",
    )
    try:
        assert filled.strip() == "ENOSPC"
        assert room() - before < 400, "KiB"
        new = hubs.Learner(hub, people.add("fil"))
        new.log_in()
        new.open()
        assert new.run(new.kernel(), "print(6 * 7)").strip() == "42"
        new.leave()
    finally:
        mallory.run(kernel, "import os; os.unlink('/tmp/all')")
        mallory.api("DELETE", f"kernels/{kernel}")


def test_a_seat_has_no_socket_of_the_systems_in_reach(people, seated, mallory):
    """The system's bus, the learner's own systemd, a database: a socket in /run is reached from any network."""
    _reaches_no_socket(Path(f"/run/{people.mark}-bus"), seated, mallory)


def test_a_seat_has_no_socket_of_the_first_process(people, seated, mallory):
    """Whoever asks for accounts there is answered by systemd itself, and it would stand still by what she sends."""
    _reaches_no_socket(Path(f"/run/systemd/userdb/{people.mark}"), seated, mallory)


def _reaches_no_socket(folder: Path, seated, mallory) -> None:
    before = [each for each in folder.parents if each.exists()][0]
    folder.mkdir(parents=True)
    kernel = mallory.kernel()
    try:
        with spawner.bound(folder / "open.sock") as line:
            line.listen()
            (folder / "open.sock").chmod(0o777)
            code = (
                "import socket\n"
                "try: socket.socket(socket.AF_UNIX).connect(PATH); print('GOT')\n"
                "except OSError as error: print('refused', type(error).__name__)"
            )
            reach = code.replace("PATH", repr(str(folder / "open.sock")))
            assert hubs.as_user(mallory.name, reach).stdout.strip() == "GOT", "it is open to all"
            assert mallory.run(kernel, reach).strip() == "refused FileNotFoundError"
            assert mallory.run(kernel, code.replace("PATH", repr(str(mallory.line)))).strip() == "GOT", (
                "the hub's is there"
            )
            found = mallory.run(
                kernel,
                "import os, stat\n"
                "print([f for top, _, files in os.walk('/run') for f in (f'{top}/{name}' for name in files)"
                " if stat.S_ISSOCK(os.lstat(f).st_mode)])",
            )
            assert found.strip() == str([str(mallory.line)]), "who else reaches the hub is not to be seen"
            anothers = code.replace("PATH", repr(str(seated("anna").line)))
            assert mallory.run(kernel, anothers).strip() == "refused FileNotFoundError"
            assert hubs.as_user(mallory.name, anothers).stdout.strip() == "refused PermissionError"
    finally:
        while folder != before:  # what was not there before
            shutil.rmtree(folder)
            folder = folder.parent
        mallory.api("DELETE", f"kernels/{kernel}")


def test_who_takes_all_terminals_leaves_everybody_else_theirs(seated, mallory):
    """Of the machine's 4096 a process can open all. Then nobody has one any more: no lab, no ssh, not even root."""
    kernel, anna = mallory.kernel(), seated("anna")
    take = (
        "import os\n"
        "kept = []\n"
        "try:\n"
        "    while len(kept) < 5000: kept.append(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY))\n"
        "except OSError: pass\n"
        "print(len(kept))"
    )
    try:
        assert (
            8
            < int(
                mallory.run(
                    kernel, f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))\n{take}"
                )
            )
            <= 64
        )
        os.close(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
        opened = anna.api("POST", "terminals", json={})
        assert opened.status_code == 200, opened.text
        with contextlib.closing(anna.socket(f"terminals/websocket/{opened.json()['name']}")) as line:
            line.send(json.dumps(["stdin", "echo $((6*7))-here\r"]))
            hubs.until("the shell answers", lambda: "42-here" in line.recv(), pause=0)
        anna.api("DELETE", f"terminals/{opened.json()['name']}")
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


ASK = (
    "import re, socket\n"
    "def ask(method, path, *headers, body=''):\n"
    "    line = socket.socket(socket.AF_UNIX)\n"
    "    line.connect(SOCKET)\n"
    "    line.sendall('\\r\\n'.join([f'{method} {path} HTTP/1.0', 'Host: HOST', *headers, f'Content-Length: {len(body)}', '', body]).encode())\n"
    "    said = b''\n"
    "    while part := line.recv(65536): said += part\n"
    "    return said.decode(errors='replace')\n"
)


def test_a_seat_asks_the_hubs_api_and_nothing_else_of_the_hub(hub, mallory):
    """A failed login costs PAM seconds, of which forty from a seat held up everybody's; and the proxy's headers were believed."""
    kernel = mallory.kernel()
    host = mallory.hub.address.partition("://")[2]
    mallory.run(kernel, ASK.replace("SOCKET", repr(str(mallory.line))).replace("HOST", host))
    asked = [
        "/hub/login",
        "/hub/home",
        "/hub/",
        "/",
        "//hub/login",
        "/hub/api/../login",
        "/hub/static/css/style.min.css",
        f"http://{host}/hub/login",
    ]
    try:
        for path in asked:
            for method in ("GET", "POST"):
                said = mallory.run(
                    kernel, f"print(ask({method!r}, {path!r}, 'X-Forwarded-For: 203.0.113.9').split()[1])"
                )
                assert said.strip() in ("403", "404"), (method, path, said)
        assert '"version"' in mallory.run(kernel, "print(ask('GET', '/hub/api/', 'X-Forwarded-For: 203.0.113.9'))")
        assert "203.0.113.9" not in hub.log.read_text(), "an address of her choice, as of whom a ban would hit"
        assert mallory.session.get(f"{hub.address}/hub/home", timeout=60).ok, "through the proxy it is there"
        assert "Exception in callback" not in hub.log.read_text(), "a request is over, and its connection closed"
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


def test_who_connects_to_the_hub_without_end_keeps_nobody_from_it(hub, seated, mallory):
    """Those who connect wait in line until the hub lets them in. At one socket for all she was the line: of forty visitors all had a 503."""
    kernel, anna = mallory.kernel(), seated("anna")
    hammer = (
        "import os, signal, socket, threading, time\n"
        "def hammer():\n"
        "    while True:\n"
        "        with socket.socket(socket.AF_UNIX) as line:\n"
        "            try: line.connect(PLACE)\n"
        "            except OSError: time.sleep(0.001)\n"
        "hammers = []\n"
        "for _ in range(4):\n"
        "    hammers.append(os.fork())\n"
        "    if hammers[-1] == 0:\n"
        "        for _ in range(60): threading.Thread(target=hammer).start()\n"
        "        signal.pause()\n"
        "print(*hammers)"
    )
    hammers = [int(each) for each in mallory.run(kernel, hammer.replace("PLACE", repr(str(mallory.line)))).split()]
    try:
        with ThreadPoolExecutor(20) as pool:
            ask = lambda _: requests.get(f"{hub.address}/hub/login", timeout=hubs.PATIENCE).status_code  # noqa: E731
            assert set(pool.map(ask, range(100))) == {200}
        kernel_of_annas = anna.kernel()
        reach = (
            "import socket\n"
            "for _ in range(50):\n"
            "    with socket.socket(socket.AF_UNIX) as line:\n"
            "        line.setblocking(False)\n"  # BlockingIOError, where the line is full
            f"        line.connect({str(anna.line)!r})\n"
            "print('GOT')"
        )
        assert anna.run(kernel_of_annas, reach).strip() == "GOT"
        anna.api("DELETE", f"kernels/{kernel_of_annas}")
    finally:
        for each in hammers:  # her own server does not reach the hub, and so lets nobody in who could end them
            os.kill(each, signal.SIGKILL)
        hubs.until("her own relay comes after", lambda: mallory.api("DELETE", f"kernels/{kernel}").status_code == 204)


def test_a_method_that_is_made_up_is_not_kept_in_the_hubs_memory(hub, mallory):
    """The hub counts requests by their method, and keeps the name of each that it has seen: 60 kB for a request."""
    kernel = mallory.kernel()
    mallory.run(kernel, ASK.replace("SOCKET", repr(str(mallory.line))).replace("HOST", "hub"))
    try:
        said = mallory.run(kernel, "print(*(ask(f'M{i}' + 'x' * 30000, '/hub/api/').split()[1] for i in range(3)))")
        assert said.split() == ["404"] * 3, "as for anything that is not there; 405 is what counts it"
        assert mallory.run(kernel, "print(ask('GET', '/hub/api/').split()[1])").strip() == "200"
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")
    mark = f"M{uuid.uuid4().hex}"
    for path in ("/hub/api/", "/hub/login", "/services/none", "/"):
        answer = requests.request(f"{mark}{'x' * 9000}", f"{hub.address}{path}", timeout=60, allow_redirects=False)
        assert answer.status_code == 405, "of a visitor the hub never sees it"
    assert mark not in hub.log.read_text()


def test_the_hub_keeps_no_cookies_of_a_server(tmp_path, monkeypatch):
    """It looks every few seconds whether a server is up, which may answer each time that it is not, with cookies that are new."""
    hub = tmp_path / "hub.toml"
    hub.write_text(
        hubs.changed(
            (hubs.DEPLOY / "hub.toml").read_text(),
            {"state": str(tmp_path / "state"), "run": str(tmp_path / "run"), "seats.learners": 2, "memory": "1G"},
        )
    )
    monkeypatch.setenv("HUNDREDFOLD_HUB", str(hub))
    config = PyFileConfigLoader(str(hubs.DEPLOY / "jupyterhub_config.py")).load_config()
    asked = itertools.count()

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        look = next(asked)
        cookies = b"".join(b"Set-Cookie: c%d-%d=%s; Max-Age=9999999\r\n" % (look, i, b"x" * 2000) for i in range(10))
        writer.write(b"HTTP/1.1 %d X\r\nContent-Length: 0\r\n%s\r\n" % (500 if look < 3 else 200, cookies))
        await writer.drain()
        writer.close()

    async def look():
        JupyterHubHTTPClient.clear_instance()
        client = JupyterHubHTTPClient.instance(config=config)
        async with await asyncio.start_unix_server(answer, tmp_path / "server.sock"):
            await wait_for_http_server(f"http+unix://{quote(str(tmp_path / 'server.sock'), safe='')}/api", timeout=60)
        kept = len(client._session.cookie_jar)
        await client.close()
        return kept

    with ThreadPoolExecutor(1) as other:  # a browser's loop may run in this thread
        assert other.submit(asyncio.run, look()).result() == 0
    assert next(asked) >= 4


def test_a_password_is_for_the_login_page_alone(hub, mallory):
    """JupyterHub takes one also where tokens are made, which is the API: from a seat, and without the form's token."""
    kernel = mallory.kernel()
    path = f"/hub/api/users/{mallory.name}/tokens"
    mallory.run(kernel, ASK.replace("SOCKET", repr(str(mallory.line))).replace("HOST", "hub"))
    try:
        for password in (mallory.name, "wrong"):
            body = json.dumps({"auth": {"username": mallory.name, "password": password}})
            asked = f"print(ask('POST', {path!r}, 'Content-Type: application/json', body={body!r}).split()[1])"
            began = time.monotonic()
            assert mallory.run(kernel, asked).strip() == "403"
            answer = requests.post(
                f"{hub.address}{path}", data=body, headers={"Content-Type": "application/json"}, timeout=60
            )
            assert answer.status_code == 403
            assert f"Failed login for {mallory.name}" not in hub.log.read_text(), time.monotonic() - began
        assert hubs.Learner(hub, mallory.name).log_in().ok
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


@pytest.mark.parametrize("note", ["\ud800", 2**70, ["x"]], ids=["half a pair", "a large number", "a list"])
def test_what_the_database_cannot_store_fails_her_request_and_no_others(hub, seated, mallory, note):
    """All requests of all share one session with the database: a note that failed there once failed the next request, whoever sent it."""
    anna = seated("anna")

    def ask(learner, method, path, **more):
        headers = {
            "X-XSRFToken": learner.xsrf("/hub/"),
            "Referer": f"{hub.address}/hub/home",
            "Content-Type": "application/json",
        }
        return learner.session.request(method, f"{hub.address}/hub/api/{path}", headers=headers, timeout=60, **more)

    for _ in range(5):
        refused = ask(mallory, "POST", f"users/{mallory.name}/tokens", data=json.dumps({"note": note}))
        assert refused.status_code == 500, refused.text
        there = ask(anna, "GET", "user")
        assert there.ok and there.json()["name"] == anna.name, there.text
    assert ask(mallory, "POST", f"users/{mallory.name}/tokens", data=json.dumps({"note": "mine"})).status_code == 201


def test_a_token_too_many_fails_her_request_and_no_others(hub, people, seated):
    """With a time that cannot be, it was left in the session of all: her request was never answered, and the next of anybody's refused."""
    many, anna = hubs.Learner(hub, people.add("mny")), seated("anna")
    many.log_in()
    with contextlib.closing(sqlite3.connect(hub.state / "hub.sqlite", timeout=60)) as line, line:
        line.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
            "INSERT INTO api_tokens (hashed, prefix, client_id, user_id, scopes, created) "
            "SELECT hex(randomblob(20)), hex(randomblob(4)), 'jupyterhub', users.id, '[]', CURRENT_TIMESTAMP FROM users, n WHERE name = ?",
            (hub_database.MOST, many.name),
        )
    for until in (10**12, -1, None, 10**12, 10**12):
        headers = {"X-XSRFToken": many.xsrf("/hub/"), "Content-Type": "application/json"}
        asked = {"data": json.dumps({"expires_in": until}), "headers": headers, "timeout": 60}
        refused = many.session.post(f"{hub.address}/hub/api/users/{many.name}/tokens", **asked)
        assert refused.status_code in (400, 500), refused.text
        there = anna.session.get(f"{hub.address}/hub/api/user", headers={"X-XSRFToken": anna.xsrf("/hub/")}, timeout=60)
        assert there.ok and there.json()["name"] == anna.name, there.text


def test_codes_that_a_page_has_made_for_its_visitor_keep_nobody_out(hub, people):
    """A page of Mallory's asks for Anna's logins in a thousand pictures, and uses none. The hub had refused Anna every login for an hour."""
    anna = hubs.Learner(hub, people.add("cds"))
    anna.log_in()
    anna.session.get(f"{hub.address}/hub/spawn", timeout=hubs.PATIENCE)  # makes what her server logs in with
    with contextlib.closing(sqlite3.connect(hub.state / "hub.sqlite", timeout=60)) as line, line:
        line.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
            "INSERT INTO oauth_codes (client_id, code, expires_at, redirect_uri, user_id, scopes) "
            "SELECT 'jupyterhub-user-' || name, hex(randomblob(15)), ?, '', users.id, '[]' FROM users, n WHERE name = ?",
            (hub_database.MOST, int(time.time()) + 300, anna.name),
        )
    asked = f"client_id=jupyterhub-user-{anna.name}&redirect_uri={anna.base}oauth_callback&response_type=code&state=x"
    picture = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "image"}
    for _ in range(3):
        anna.session.get(
            f"{hub.address}/hub/api/oauth2/authorize?{asked}", headers=picture, allow_redirects=False, timeout=60
        )
    assert anna.open().ok
    anna.leave()


def test_logins_that_nobody_finishes_fill_no_memory(hub, teacher, seated):
    """Each page and each server kept for ten minutes where every login was to lead that anybody began: 16 kB each, without a login."""
    anna = seated("anna")
    for who, first, path in ((teacher, teacher.service("seats"), ""), (anna, anna.base, "lab")):
        for letters, leads in ((100, True), (5000, False)):
            visitor = hubs.Learner(hub, who.name)
            visitor.log_in()  # at the hub, and not yet there
            visitor = visitor.session
            address = f"{first}{path}?{'x' * letters}"
            answer, seen = visitor.get(address, allow_redirects=False, timeout=60), []
            while answer.is_redirect and len(seen) < 8:
                seen.append(urljoin(answer.url, answer.headers["Location"]))
                answer = visitor.get(seen[-1], allow_redirects=False, timeout=60)
            assert (address in seen) == leads and answer.url.startswith(first), seen
    code = (
        "from hundredfold import hub_page\n"
        "hub_page.little_of_strangers()\n"
        "auth = hub_page.HubOAuth(api_token='x', oauth_client_id='service-x', base_url='/x/')\n"
        "made = [auth.generate_state(f'/x/{i}') for i in range(hub_page.UNFINISHED + 5)]\n"
        "print(*(auth.get_next_url(made[i]) for i in (0, 4, 5, -1)), len(auth._oauth_states) - hub_page.UNFINISHED)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert told == ["/x/", "/x/", "/x/5", "/x/10004", "0"]


def test_nobody_fills_the_hubs_memory_with_scopes(hub, people):
    """A scope may name what is not there, so there are as many as one likes. The hub kept what it had worked out: 5 MB for each request."""
    mallory = hubs.Learner(hub, people.add("scp"))
    mallory.log_in()
    headers = {"X-XSRFToken": mallory.xsrf("/hub/"), "Content-Type": "application/json"}
    url = f"{hub.address}/hub/api/users/{mallory.name}/tokens"
    for wanted, answer in (([f"servers!server={mallory.name}/{i}" for i in range(100)], 400), (["tokens!user"], 201)):
        made = mallory.session.post(url, data=json.dumps({"scopes": wanted}), headers=headers, timeout=60)
        assert made.status_code == answer, made.text[:300]
        assert answer == 201 or "letters" in made.json()["message"]
    code = (
        "import tracemalloc\n"
        "from hundredfold.classroom.seats import hub_scopes\n"
        "hub_scopes.guard()\n"
        "from jupyterhub import orm, scopes\n"
        "mallory = orm.User(name='mallory')\n"
        "tracemalloc.start()\n"
        "for i in range(100):\n"
        "    scopes.expand_scopes({f'servers!server=mallory/{i}' + 'x' * 12_000}, mallory)\n"
        "    scopes.expand_scopes({f'servers!server=mallory/{i}-{j}' for j in range(500)}, mallory)\n"
        "    small = scopes.expand_scopes({'self'}, mallory)\n"
        "print(tracemalloc.get_traced_memory()[0], small is scopes.expand_scopes({'self'}, mallory))"
    )
    held, kept = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert int(held) < 5e6 and kept == "True"


def test_nobody_fills_the_hubs_database_with_tokens(tmp_path, monkeypatch):
    """Of each user so many tokens and codes are kept, of codes the newest; a service's are the administrator's."""
    from jupyterhub import orm, roles

    monkeypatch.setattr(hub_database, "MOST", 5)
    hub_database.guard()
    db = orm.new_session_factory(f"sqlite:///{tmp_path / 'hub.sqlite'}")()
    roles.create_role(db, {"name": "token", "scopes": ["inherit"]})
    client = orm.OAuthClient(identifier="jupyterhub", secret="", redirect_uri="")
    mallory, anna, page = orm.User(name="mallory"), orm.User(name="anna"), orm.Service(name="page")
    db.add_all([client, mallory, anna, page])
    db.commit()

    def kept(make):
        count = 0
        for _ in range(8):
            try:
                make()
            except hub_database.TooMany:
                db.rollback()
            else:
                count += 1
        return count

    codes = iter("abcdefgh")

    def code():
        db.add(orm.OAuthCode(code=next(codes), client=client, expires_at=2**33, user=mallory))
        db.commit()

    assert kept(lambda: orm.APIToken.new(user=mallory, note="x" * 5000)) == 5 and kept(code) == 8
    assert sorted(each.code for each in db.query(orm.OAuthCode)) == list("defgh")
    assert kept(lambda: orm.APIToken.new(service=page)) == 8
    assert max(len(each.note) for each in mallory.api_tokens) == hub_database.LONGEST
    assert orm.APIToken.new(user=anna)
    db.delete(mallory.api_tokens[0])
    db.commit()
    assert kept(lambda: orm.APIToken.new(user=mallory)) == 1


def proxy_of(hub):
    """The number of the process that is the hub's proxy."""
    (found,) = [process for process in hub.left() if b"haproxy" in Path(f"/proc/{process}/cmdline").read_bytes()]
    return found


@pytest.mark.parametrize(
    ("path", "host"), [("/", "__proto__"), ("/%", "hub.localhost"), ("/user/nobody/x", "hub.localhost")]
)
def test_a_websocket_that_leads_nowhere_keeps_no_file_of_the_proxys(hub, path, host):
    """Nobody has to log in for that: who asks so often that no file is left has the hub for themselves, and nobody else does."""
    files = Path(f"/proc/{proxy_of(hub)}/fd")
    before = len(list(files.iterdir()))
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"
    for gone in (False, True):
        for _ in range(40):
            with socket.create_connection(("127.0.0.1", hub.port), timeout=60) as line:
                head = (
                    f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{key}\r\n\r\n"
                )
                line.sendall(head.encode())
                assert gone or line.recv(100).startswith((b"HTTP/1.1 404", b"HTTP/1.1 302"))
    hubs.until("they are closed", lambda: len(list(files.iterdir())) < before + 10, 30)
    assert requests.get(f"{hub.address}/hub/login", timeout=60).ok


@pytest.mark.parametrize("headers", [0, 1000], ids=["", "behind a thousand headers"])
@pytest.mark.parametrize(
    "length", ["Transfer-Encoding: chunked", "Content-Length: {}", "Transfer-Encoding: gzip, chunked"]
)
@pytest.mark.parametrize("method", ["DELETE", "OPTIONS", "GET", "HEAD", "POST", "PROPFIND"])
def test_no_request_hides_in_another(hub, method, length, headers):
    """The proxy keeps its connections to the hub, for all visitors. A request in a request would shift the answers: each gets that of the one before."""
    mark = f"hidden-{uuid.uuid4().hex}"
    hidden = f"GET /hub/{mark} HTTP/1.1\r\nHost: hub.localhost\r\n\r\n"
    body = hidden if length.startswith("Content") else f"{len(hidden):x}\r\n{hidden}\r\n0\r\n\r\n"
    first = f"{method} /hub/api/ HTTP/1.1\r\nHost: hub.localhost\r\nConnection: close\r\n"
    head = first + "a:\r\n" * headers + f"{length.format(len(body))}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", hub.port), timeout=60) as line:
        line.sendall(head.encode() + body.encode())
        said = b""
        while part := line.recv(1 << 16):
            said += part
    assert said.startswith(b"HTTP/1.1 ")
    for _ in range(5):
        answer = requests.get(f"{hub.address}/hub/api/", timeout=60)
        assert answer.ok and "version" in answer.json()
    assert mark not in hub.log.read_text()


def test_the_address_of_who_asks_is_not_theirs_to_choose(hub):
    """It stands in the log beside a wrong password, where a ban is taken from. A web server in front asks from 127.0.0.1."""
    for ours, said in (("127.0.0.2", "203.0.113.7"), ("127.0.0.1", "203.0.113.6, 203.0.113.8")):
        with socket.create_connection(("127.0.0.1", hub.port), timeout=60, source_address=(ours, 0)) as line:
            head = f"GET /hub/nothing-{ours} HTTP/1.0\r\nHost: hub.localhost\r\nX-Real-Ip: 203.0.113.9\r\nForwarded: for=203.0.113.9\r\nX-Forwarded-For: {said}\r\n\r\n"
            line.sendall(head.encode())
            while line.recv(1 << 16):
                pass
    hubs.until("both are logged", lambda: all(f"nothing-127.0.0.{i} " in hub.log.read_text() for i in (1, 2)), 60)
    log = hub.log.read_text()
    assert "@127.0.0.2)" in log and "203.0.113.7" not in log and "@203.0.113.8)" in log
    assert "203.0.113.6" not in log and "203.0.113.9" not in log, (
        "a visitor said so, and the web server in front passed it on"
    )


def test_connections_that_are_held_open_from_a_seat_are_few(hub, people, mallory):
    """The hub may have so many files open, and a seat's processes together more."""
    kernel = mallory.kernel()
    hold = (
        "import socket, time\n"
        "held = []\n"
        "for _ in range(300):\n"
        "    held.append(socket.socket(socket.AF_UNIX))\n"
        "    held[-1].settimeout(10)\n"
        "    for _ in range(200):\n"  # the queue may be full until the hub has accepted some
        f"        try: held[-1].connect({str(mallory.line)!r})\n"
        "        except BlockingIOError: time.sleep(0.05)\n"
        "        else: break\n"
        "left = 0\n"
        "for line in held:\n"
        "    line.settimeout(0.01)\n"
        "    try: line.recv(1)\n"
        "    except TimeoutError: left += 1\n"
        "    except OSError: pass\n"
        "print(left)"
    )
    files = Path(f"/proc/{hub.process.pid}/fd")
    before = len(list(files.iterdir()))
    try:
        assert 8 < int(mallory.run(kernel, hold)) <= 64
        assert len(list(files.iterdir())) < before + 100
        new = hubs.Learner(hub, people.add("con"))
        assert new.log_in().ok
        new.open()
        new.leave()
    finally:
        # Her server may have to ask the hub whether she may end it, which waits behind what the kernel holds.
        for process in hubs.of_user(mallory.name):
            with contextlib.suppress(OSError):  # it has ended by itself
                if kernel in Path(f"/proc/{process}/cmdline").read_text():
                    os.kill(process, signal.SIGKILL)
        hubs.until("the kernel is gone", lambda: mallory.api("DELETE", f"kernels/{kernel}").status_code in (204, 404))


def test_a_seat_has_no_socket_that_leads_out_of_its_network(mallory):
    """A machine's vsock is in no network namespace: it leads to the machine's host, and from one seat to another."""
    kernel = mallory.kernel()
    code = (
        "import ctypes, errno, os, socket\n"
        "def tried(what, *more):\n"
        "    try: what(*more); return 'GOT'\n"
        "    except OSError as error: return errno.errorcode[error.errno]\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "ring = libc.syscall(425, 1, ctypes.create_string_buffer(120))\n"
        "print(*(tried(socket.socket, family, kind) for family, kind in ((40, 1), (17, 3), (38, 5))),\n"
        "      errno.errorcode[ctypes.get_errno()] if ring < 0 else 'GOT',\n"
        "      *(tried(socket.socket, family) for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)),\n"
        "      tried(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0))"
    )
    try:
        assert mallory.run(kernel, code).split() == ["EAFNOSUPPORT"] * 3 + ["ENOSYS"] + ["GOT"] * 4
        outside = hubs.as_user(mallory.name, code).stdout.split()
        assert outside[1] == "EPERM", "a packet socket, which the kernel itself refuses her otherwise"
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


def test_a_seat_has_no_program_of_roots_bring_a_kind_of_socket(mallory):
    """For a kind that is not there yet the kernel starts modprobe, as root and outside of the seat's limits, and takes what it brings."""
    kernel = mallory.kernel()
    code = (
        "import errno, socket\n"
        "def tried(what, *more):\n"
        "    try: what(*more); return 'GOT'\n"
        "    except OSError as error: return errno.errorcode[error.errno]\n"
        "print(*(tried(socket.socket, *each) for each in ((16, 3, 4), (16, 3, 16), (2, 3, 6), (2, 5, 0), (10, 1, 132), (10, 2, 6))),\n"
        "      tried(socket.socketpair, 40, 1), tried(socket.socketpair, 2, 1),\n"
        "      *(tried(socket.socket, *each) for each in ((2, 1, 6), (10, 1, 0), (2, 2, 17), (16, 3, 0), (1, 2, 0))), tried(socket.socketpair))"
    )
    try:
        told = mallory.run(kernel, code).split()
        assert told == ["EPROTONOSUPPORT"] * 6 + ["EAFNOSUPPORT"] * 2 + ["GOT"] * 6
        outside = hubs.as_user(mallory.name, code).stdout.split()
        assert outside[:3] == ["GOT", "GOT", "EPERM"] and outside[8:] == told[8:]
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


def test_a_seat_has_no_program_of_roots_write_what_a_crash_leaves(mallory, tmp_path):
    """core_pattern(5) can name a program, as Ubuntu's does. The kernel starts it as root, outside of the seat's limits, for every process that crashes."""
    pattern = Path("/proc/sys/kernel/core_pattern")
    before, ran = pattern.read_text(), tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\necho $1 >> {ran}\n")
    program.chmod(0o755)
    code = (
        "import os, resource, signal, sys\n"
        "for limits in ((0, 0), (0, 1), (1, 1)):\n"
        "    try: resource.setrlimit(resource.RLIMIT_CORE, limits)\n"
        "    except ValueError: pass\n"
        "    if (child := os.fork()) == 0:\n"
        "        os.kill(os.getpid(), signal.SIGSEGV)\n"
        "    os.waitpid(child, 0)\n"
        "print(*resource.getrlimit(resource.RLIMIT_CORE))"
    )
    kernel = mallory.kernel()
    uid = pwd.getpwnam(mallory.name).pw_uid

    def crashes():
        return ran.read_text().split().count(str(uid)) if ran.exists() else 0

    try:
        pattern.write_text(f"|{program} %u")
        limits, seats = mallory.run(kernel, code).split(), crashes()
        hubs.as_user(mallory.name, code)
        hubs.until("the program runs for a crash outside of a seat", lambda: crashes() > seats)
        assert seats == 0 and limits == ["1", "1"]
    finally:
        pattern.write_text(before)
        mallory.api("DELETE", f"kernels/{kernel}")


def test_a_seat_has_no_program_of_roots_ask_for_a_key(mallory):
    """For request_key(2) the kernel starts one, on the machine and in its network: a way out, where names of hosts are keys (NFS, CIFS)."""
    ask = (
        "import ctypes, errno\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "libc.syscall(NUMBER, b'user', b'debug:hundredfold', b'x', -2)\n"
        "print(errno.errorcode[ctypes.get_errno()])"
    ).replace("NUMBER", str(enter.PROCESSORS[os.uname().machine][5] - 1))
    kernel = mallory.kernel()
    try:
        assert mallory.run(kernel, ask).strip() == "ENOSYS"
        assert hubs.as_user(mallory.name, ask).stdout.strip() != "ENOSYS"
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


def test_a_seat_has_no_namespace_of_users(mallory):
    """There she is root over mounts and networks. Her own terminals are of those that the machine has for all: she could take 3072."""
    kernel = mallory.kernel()
    attack = (
        "import ctypes, errno, os, resource\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "uid, gid = os.getuid(), os.getgid()\n"
        "if libc.unshare(0x10020000):\n"
        "    child = libc.syscall(NUMBER, 0x10000000 | 17, 0, 0, 0, 0)\n"
        "    if child == 0: os._exit(0)\n"
        "    print('refused', errno.errorcode[ctypes.get_errno()], child)\n"
        "    raise SystemExit\n"
        "for name, line in (('setgroups', 'deny'), ('uid_map', f'0 {uid} 1'), ('gid_map', f'0 {gid} 1')):\n"
        "    with open(f'/proc/self/{name}', 'w') as file: file.write(line)\n"
        "os.makedirs('/tmp/pts', exist_ok=True)\n"
        "libc.mount(b'devpts', b'/tmp/pts', b'devpts', 0, b'newinstance,ptmxmode=666,max=100000')\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))\n"
        "kept = []\n"
        "try:\n"
        "    while len(kept) < 5000: kept.append(os.open('/tmp/pts/ptmx', os.O_RDWR | os.O_NOCTTY))\n"
        "except OSError: pass\n"
        "print('TOOK', len(kept), 'terminals')\n"
    ).replace("NUMBER", str(enter.PROCESSORS[os.uname().machine][3]))
    try:
        run = f"import subprocess, sys; print(subprocess.run([sys.executable, '-c', {attack!r}], capture_output=True, text=True).stdout)"
        assert mallory.run(kernel, run).strip() == "refused EPERM -1"
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


KEYS = (
    "import ctypes\n"
    "libc = ctypes.CDLL(None, use_errno=True)\n"
    "key = libc.syscall(KEYCTL, 10, -3, b'user', b'hf-roots', 0)\n"
    "said = ctypes.create_string_buffer(20)\n"
    "print(libc.syscall(KEYCTL, 11, key, said, 20), said.value.decode() or ctypes.get_errno(), flush=True)"
)


@pytest.mark.parametrize("seat", [True, False], ids=["a seat", "who is started without it"])
def test_a_seat_has_no_key_of_the_hubs(people, seat, tmp_path):
    """systemd and a login give the hub a ring of keys; Kerberos keeps its tickets there. Whoever is started with it may read and revoke them."""
    keyctl = enter.PROCESSORS[os.uname().machine][5]
    add, nobody = keyctl - 2, pwd.getpwnam("nobody")
    libc = ctypes.CDLL(None)

    def ring():
        libc.syscall(keyctl, 1, None)
        libc.syscall(add, b"user", b"hf-roots", b"secret", 6, -3)
        if not seat:
            os.setresgid(*3 * [nobody.pw_gid])
            os.setresuid(*3 * [nobody.pw_uid])

    code = [sys.executable, "-I", "-S", "-c"]
    said, kept = os.pipe()
    what = {
        "user": nobody.pw_name, "uid": nobody.pw_uid, "gid": nobody.pw_gid, "home": "/", "groups": [], "relays": [], "own_network": True,
        "run": [], "devices": ["/dev/null", "/dev/urandom"], "temporary": 2**20,
    }  # fmt: skip
    told = KEYS.replace("KEYCTL", str(keyctl))
    code.append(f"import os; os.dup2({kept}, 1)\n{told}")
    command = [sys.executable, "-I", "-S", enter.__file__, json.dumps(what), "--", *code] if seat else code
    subprocess.run(command, pass_fds=[kept], preexec_fn=ring, cwd="/", check=True, timeout=60)
    os.close(kept)
    with open(said) as file:
        found = file.read().split()
    assert found == (["-1", str(errno.ENOKEY)] if seat else ["6", "secret"])


def test_a_seat_has_no_device_but_its_own(mallory):
    """What is open to all on the machine, such as its message queues or a virtual machine's network, is a way from one seat to another."""
    device = Path("/dev/hundredfold-test-open")
    device.touch()
    device.chmod(0o666)
    kernel = mallory.kernel()
    try:
        found = mallory.run(kernel, "import os; print(*sorted(os.listdir('/dev')))").split()
        assert set(found) == {os.path.basename(each) for each in spawner.IN_DEV} | set(enter.LINKS) | {"pts", "shm"}
        used = "import os, sys\nopen('/dev/null', 'w').write('x')\nprint(len(os.urandom(8) + open('/dev/urandom', 'rb').read(8)), os.openpty()[0] > 2)"
        assert mallory.run(kernel, used).split() == ["16", "True"]
    finally:
        device.unlink()
        mallory.api("DELETE", f"kernels/{kernel}")


def test_no_large_request_is_read_by_the_hub_or_a_page(hub, mallory, teacher):
    """A body is read before anybody asks who sends it, and Tornado takes 100 MB: sixty at a time cost root 6 GB."""
    kernel = mallory.kernel()
    seats_page = teacher.service("seats").partition("://")[2]
    host, _, path = seats_page.partition("/")
    head = "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Length: 60000000\r\n\r\n"
    wait = (
        "import socket\n"
        "line = socket.socket(socket.AF_UNIX if PLACE[:1] == '/' else socket.AF_INET)\n"
        "line.connect(PLACE if PLACE[:1] == '/' else ('127.0.0.1', int(PLACE)))\n"
        "line.settimeout(20)\n"
        "line.sendall(HEAD.encode() + bytes(70000))\n"
        "try: print(line.recv(12).decode() or 'ended')\n"
        "except TimeoutError: print('WAITS FOR ALL OF IT')\n"
        "except ConnectionError: print('ended')"
    )

    def refused(said: str) -> bool:
        return said.strip() == "ended" or said.split()[1][0] in "45"

    try:
        to_hub = head.format("/hub/api/users/x/activity", "hub")
        code = wait.replace("PLACE", repr(str(mallory.line))).replace("HEAD", repr(to_hub))
        assert refused(mallory.run(kernel, code))
        for where, of in (("/hub/login", hub.address.partition("://")[2]), (f"/{path}api/stop", host)):
            code = wait.replace("PLACE", repr(str(hub.port))).replace("HEAD", repr(head.format(where, of)))
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
            assert refused(done.stdout), (where, done.stdout)
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


def test_no_large_request_is_read_by_anothers_server(hub, mallory, seated):
    """A server read 500 MB of whoever had no login, and asked for one then: five such requests, and the kernel ended it with its kernels."""
    anna = seated("anna")
    host, path = urlsplit(anna.origin).netloc, f"{urlsplit(anna.base).path}api/contents/large.txt"
    client = f"jupyterhub-user-{anna.name}"
    begun = requests.get(f"{anna.base}lab", allow_redirects=False, timeout=60).cookies  # a login that was not finished
    state = next(each.value for each in begun if each.name.startswith(client))
    own = anna.cookies(f"{anna.base}api")
    signed, of_mallorys = own[client], mallory.cookies(f"{mallory.base}api")[f"jupyterhub-user-{mallory.name}"]

    def asked(cookies: dict[str, str], length: str, more: str = "") -> str:
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        head = f"PUT {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{length}\r\n{more}\r\n"
        with socket.create_connection(("127.0.0.1", hub.port), timeout=5) as line:
            with contextlib.suppress(ConnectionError):  # who is refused early
                line.sendall(head.encode() + b"11170\r\n" * ("chunked" in length) + b"x" * 70_000)
            try:
                return (line.recv(12).decode() or "ended")[-3:]
            except TimeoutError:
                return "read on"
            except ConnectionError:
                return "ended"

    refused = ("400", "413", "502", "ded")
    for length in ("Content-Length: 60000000", "Transfer-Encoding: chunked"):
        strangers = [
            asked({}, length),
            asked({client: signed[:-1]}, length),
            asked({client: state}, length),
            asked({client: of_mallorys}, length),
            asked({}, length, "Authorization: token 0123\r\n"),
            asked(own, length, "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n"),
            asked(own, length, f"Origin: {mallory.origin}\r\n"),
        ]
        assert all(said in refused for said in strangers), (length, strangers)
        assert asked(own, length, f"Origin: {anna.origin}\r\n") == "read on"
    model = {"type": "file", "format": "text", "content": "x" * 300_000}
    assert anna.api("PUT", "contents/large.txt", json=model).status_code == 201


def process_of(learner: hubs.Learner) -> int:
    """The process of a learner's server."""
    (found,) = (
        each
        for each in hubs.of_user(learner.name)
        if b"--ServerApp.sock=" in Path(f"/proc/{each}/cmdline").read_bytes()
    )
    return found


@pytest.mark.parametrize("what", ["addresses", "languages", "tokens"])
def test_what_somebody_makes_up_for_a_request_is_not_kept(hub, seated, what):
    """Each was kept, without a login: up to 200 kB for a request, so that one visitor filled a seat in some minutes."""
    anna = seated("anna")
    process, host = process_of(anna), urlsplit(anna.origin).netloc

    def head(i: int) -> str:
        way, more = "static/none", ""
        if what == "addresses":
            way = f"static/{''.join('./' if digit == '0' else './/' for digit in f'{i:012b}')}{'./' * 3000}favicon.ico"
        elif what == "languages":
            letters = ["".join(chr(97 + (i * 800 + j) // 26**k % 26) for k in range(5)) for j in range(800)]
            more = f"Accept-Language: {','.join(f'{each}-aaaaaaaa' for each in letters)}\r\n"
        else:  # and what Python has not tidied up yet
            way, more = "lab", f"Authorization: token {i}\r\nCookie: jupyterhub-session-id={'x' * 12_000}{i}\r\n"
        return f"GET {urlsplit(anna.base).path}{way} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"

    few, many, most = {"addresses": (400, 2400, 5e6), "languages": (20, 120, 5e6), "tokens": (500, 2500, 15e6)}[what]
    memory = []
    for begin, end in ((0, few), (few, many)):  # the first ones cost more than the others
        for i in range(begin, end):
            with socket.create_connection(("127.0.0.1", hub.port), timeout=60) as line, line.makefile("rb") as said:
                line.sendall(head(i).encode())
                assert said.readline().split()[1] in (b"302", b"403", b"404"), what
        memory.append(status.pss(process))
    assert memory[1] - memory[0] < most, memory  # they were 12, 14 and 50 MB


def test_a_servers_own_files_are_for_who_has_logged_in_there(hub, seated, mallory):
    """They were everybody's, and an answer that is not read waits in its server's seat. A thousand connections took 120 MB of it, beside what waits in sockets."""
    anna = seated("anna")
    page = anna.session.get(f"{anna.base}lab", timeout=60).text
    file = urljoin(anna.base, re.search(r'src="([^"]+\.js[^"]*)"', page)[1])
    own = anna.cookies(f"{anna.base}static")
    strangers = {
        "nobody": {},
        "mallory": {"cookies": mallory.cookies(f"{mallory.base}static")},
        "a token that is made up": {"headers": {"Authorization": "token 0123"}},
        "a page of hers": {"cookies": own, "headers": {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}},
    }
    for address in (file, urljoin(anna.base, "git-pull/static/dist/bundle.js")):
        for who, more in strangers.items():
            for ask in (requests.get, requests.head):
                assert ask(address, timeout=60, **more).status_code == 403, (address, who)
        assert requests.get(address, cookies=own, timeout=60).ok
    kernel = anna.kernel()
    token = anna.run(kernel, "import os; print(os.environ['JUPYTERHUB_API_TOKEN'])").strip()
    anna.api("DELETE", f"kernels/{kernel}")
    assert requests.get(file, headers={"Authorization": f"token {token}"}, timeout=60).ok


def test_tokens_that_a_stranger_makes_up_keep_nobody_from_their_own_server(hub, seated):
    """The server asks the hub about each, and has 64 connections to it. While a stranger had a hundred asked about, its own learner's requests failed."""
    anna = seated("anna")
    host, path = urlsplit(anna.origin).netloc, f"{urlsplit(anna.base).path}api/kernels"
    ended = threading.Event()

    def stranger(number: int) -> None:
        for i in itertools.count():
            if ended.is_set():
                return
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", hub.port), timeout=60) as line:
                token = f"Authorization: token {number}-{i}"
                line.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{token}\r\nConnection: close\r\n\r\n".encode())
                while line.recv(1 << 16):
                    pass

    cookies = anna.cookies(f"{anna.base}api/kernels")
    with ThreadPoolExecutor(150) as pool:
        for number in range(150):
            pool.submit(stranger, number)
        try:  # a session that the server does not know yet: it asks the hub
            said = [
                requests.get(
                    f"{anna.base}api/kernels",
                    cookies={**cookies, "jupyterhub-session-id": uuid.uuid4().hex},
                    timeout=hubs.PATIENCE,
                ).status_code
                for _ in range(40)
            ]
        finally:
            ended.set()
    assert said == [200] * 40, said


def test_what_is_long_is_not_read_by_the_hub(mallory):
    """Of 60 kB, a time takes a quarter of a second to read. Sixty connections sent such times, and on a busy machine the login page did not come within 40 s."""
    kernel = mallory.kernel()
    mallory.run(kernel, ASK.replace("SOCKET", repr(str(mallory.line))).replace("HOST", "hub"))
    code = (
        "import json, os\n"
        "token = f\"Authorization: token {os.environ['JUPYTERHUB_API_TOKEN']}\"\n"
        f"url = '/hub/api/users/{mallory.name}/activity'\n"
        "for time in ('2026-01-01T00:00:00Z', '1.' * 100, '1.' * 30000):\n"
        "    said = ask('POST', url, token, body=json.dumps({'last_activity': time}))\n"
        "    print(said[9:12], 'timestamp' in said)\n"
    )
    try:
        said = mallory.run(kernel, code).split("\n")[:3]
        assert said == ["200 False", "400 True", "400 False"], "what is no time is looked at, and a long one is not"
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


def test_of_a_machine_that_has_no_memory_left_a_seat_is_ended_and_not_the_hub(hub, mallory):
    """A hub may promise twice the memory that there is. A learner with much in /tmp and small processes left the hub and others as the largest."""
    kernel = mallory.kernel()
    score = (
        "file = '/proc/self/oom_score_adj'\n"
        "print(open(file).read())\n"
        "try: open(file, 'wb', buffering=0).write(b'VALUE'); print('GOT')\n"
        "except OSError as error: print(type(error).__name__)"
    )
    try:
        own = Path(f"/proc/{hub.process.pid}")
        hubs_score = int((own / "oom_score_adj").read_text())
        rights = int(re.search(r"CapEff:\s+(\w+)", (own / "status").read_text())[1], 16)
        # Only CAP_SYS_RESOURCE, which root lacks in some containers, sets a least value; without, she can make it as little as the hub's.
        least = enter.ENDED_FIRST if rights >> 24 & 1 else hubs_score
        told = mallory.run(kernel, score.replace("VALUE", str(least - 1))).split()
        assert told == [str(enter.ENDED_FIRST), "PermissionError"] and hubs_score < enter.ENDED_FIRST
    finally:
        mallory.api("DELETE", f"kernels/{kernel}")


def test_a_group_of_version_2_is_ended_by_the_kernel_at_once(people):
    """Control groups of version 2 as they are: no number is asked for, so none can be another's."""
    (place,) = [
        line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if line.split()[2] == "cgroup2"
    ][:1]
    folder = Path(place) / f"{people.mark}-kill"
    folder.mkdir()
    inside, outside = (subprocess.Popen(["sleep", "1000"]) for _ in range(2))
    try:
        (folder / "cgroup.procs").write_text(str(inside.pid))
        made = groups.Groups("kill")
        made.folders = {"pids": (2, folder)}
        assert made.processes() == [inside.pid]
        made.close()
        assert inside.wait(60) == -9 and outside.poll() is None and not folder.exists()
    finally:
        for each in (inside, outside):
            each.kill()
            each.wait()
        with contextlib.suppress(OSError):
            folder.rmdir()


# --- H4: names in folders that all users share.


def test_a_folder_that_a_neighbour_made_first_is_not_used(people, tmp_path_factory):
    anna, mallory = people.add("hfa"), people.add("hfm")
    uid = pwd.getpwnam(anna).pw_uid
    shared = Path(f"/var/tmp/{people.mark}-shared")
    shared.mkdir()
    shared.chmod(0o1777)
    code = (
        "import os, tempfile\n"
        "from pathlib import Path\n"
        "from hundredfold.classroom.seats import home\n"
        "from gpusim.hardware.paths import cache_dir\n"
        "from hundredfold.paths import state_dir\n"
        "home.redirect_jupyter_folders()\n"
        "from jupyter_core.paths import jupyter_config_path, jupyter_config_dir\n"
        "os.environ['HOME'] = '/nowhere'\n"
        "print(jupyter_config_dir(), os.environ['IPYTHONDIR'], cache_dir(), state_dir(), sep='\\n')"
    )
    try:
        for made in ("folder", "link"):
            ours = shared / f"gpusim-{uid}"
            prepare = (
                "import os, sys\n"
                "place = sys.argv[1]\n"
                "os.makedirs(place + '-there/jupyter_config_dir', exist_ok=True)\n"
                "open(place + '-there/jupyter_config_dir/jupyter_server_config.py', 'w').write('print(\"owned\")')\n"
                "os.chmod(place + '-there', 0o777)\n"
                "os.rename(place + '-there', place) if sys.argv[2] == 'folder' else os.symlink(place + '-there', place)"
            )
            assert hubs.as_user(mallory, prepare, str(ours), made).returncode == 0
            done = hubs.as_user(anna, code, TMPDIR=str(shared))
            assert done.returncode == 0, done.stderr
            for line in done.stdout.split():
                place = Path(line)
                assert not str(place).startswith(f"{ours}"), line
                for level in (place, place.parent):
                    if shared in level.parents:
                        assert level.stat().st_uid == uid and not level.stat().st_mode & 0o077, level
                assert not list(place.glob("*.py"))
            subprocess.run(["sh", "-c", f"rm -rf {shared}/*"], check=True)
        # Where nobody was first, the name is the same each time, so that what is kept there is found again.
        first, again = (hubs.as_user(anna, code, TMPDIR=str(shared)).stdout for _ in range(2))
        assert first == again and str(shared / f"gpusim-{uid}") in first
    finally:
        shutil.rmtree(shared)


def test_ports_of_the_hub_are_not_to_be_had(hub, mallory):
    """Who took one while the hub restarts would be shown passwords and logins."""
    ports = [hub.port, int(re.search(r"page_port = (\d+)", hub.settings.read_text())[1])]
    code = (
        "import socket, sys\n"
        "for port in sys.argv[1:]:\n"
        "    for host in ('127.0.0.1', '0.0.0.0', '127.0.0.2'):\n"
        "        try: socket.socket().bind((host, int(port))); print('GOT', host, port)\n"
        "        except PermissionError: pass"
    )
    done = hubs.as_user(mallory.name, code, *map(str, ports))
    assert done.stdout == "" and done.returncode == 0, (done.stdout, done.stderr)
