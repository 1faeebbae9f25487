"""The hub's proxy by itself, with a server of ours behind it: what a visitor or a learner's server can do to it, and so to all others.

docs/administrators/threats.md names these tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import quote

import hubs
import pytest
import requests

from hundredfold.classroom.seats import proxy
from hundredfold.classroom.seats.proxy import ADMIN
from hundredfold.classroom.seats.routes import HAProxy

HEAD = b"GET /user/anna/x HTTP/1.1\r\nHost: hub.localhost\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
WEBSOCKET = HEAD + UPGRADE + b"\r\n"
ACCEPTED = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
FINE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"


class Proxy:
    """The proxy, with a learner's server. Who connects there is handed to `server`, in a thread of their own. `hub` are settings."""

    def __init__(self, server: Callable[[socket.socket, bytes], None], **hub: str) -> None:
        self.server = server
        self.folder = Path(f"/run/hundredfold-proxy-{uuid.uuid4().hex[:6]}")
        self.port = hubs.free_port()
        self.hub = {"address": f"http://127.0.0.1:{self.port}", "subdomains": "", "certificate": "", "key": "", **hub}

    def __enter__(self) -> Proxy:
        (self.folder / "root").mkdir(mode=0o700, parents=True)
        place = self.folder / "server.sock"
        self.line = socket.socket(socket.AF_UNIX)
        self.line.bind(str(place))
        self.line.listen(100)
        threading.Thread(target=self._serve, daemon=True).start()
        settings = proxy.prepare({**self.hub, "run": str(self.folder)})
        self.process = subprocess.Popen([proxy.program(), "-db", "-f", str(settings)])
        self.tell(self.routes.add_route(self.route("anna"), address(place), {"user": "anna"}))
        return self

    @property
    def routes(self) -> HAProxy:
        return HAProxy(folder=str(self.folder / "root"), host_routing=bool(self.hub["subdomains"]))

    def route(self, name: str) -> str:
        return f"{name}.hub.localhost/user/{name}/" if self.hub["subdomains"] else f"/user/{name}/"

    @staticmethod
    def tell(what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run(what)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._one, args=(self.line.accept()[0],), daemon=True).start()

    def _one(self, line: socket.socket) -> None:
        with line, contextlib.suppress(OSError):
            said = b""
            while b"\r\n\r\n" not in said and (part := line.recv(1 << 16)):
                said += part
            self.server(line, said)

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.line.close()
        shutil.rmtree(self.folder)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=hubs.PATIENCE)

    def ask(self, request: bytes) -> bytes:
        """All that is answered until the line is closed."""
        with self.connect() as line:
            line.sendall(request)
            said = b""
            with contextlib.suppress(ConnectionError):
                while part := line.recv(1 << 16):
                    said += part
            return said


def address(place: Path) -> str:
    return f"http+unix://{quote(str(place), safe='')}"


def is_open(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return line.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


class From(requests.adapters.HTTPAdapter):
    """Requests from this address of ours."""

    def __init__(self, ours: str) -> None:
        self.ours = ours
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **more: Any) -> None:
        super().init_poolmanager(*arguments, source_address=(self.ours, 0), **more)


def drain(line: socket.socket) -> None:
    """Read until the other end closes."""
    with contextlib.suppress(OSError):
        while line.recv(1 << 16):
            pass


def test_what_is_answered_instead_of_a_websocket_is_not_kept_in_memory():
    """The browser does not read, so the server has to wait. The proxy took all that it was sent: gigabytes, which are root's memory."""
    sent, whole = [0], 512 << 20

    def server(line: socket.socket, said: bytes) -> None:
        line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % whole)
        while sent[0] < whole:
            line.sendall(bytes(1 << 16))
            sent[0] += 1 << 16

    with Proxy(server) as front, front.connect() as browser:
        browser.sendall(WEBSOCKET)
        assert browser.recv(12) == b"HTTP/1.1 200"
        before = -1
        while sent[0] != before:  # until nothing more is taken
            before = sent[0]
            threading.Event().wait(3)
        assert 0 < sent[0] < whole // 4, "nobody has read more than twelve bytes"
        drained = threading.Thread(target=drain, args=(browser,))
        drained.start()
        hubs.until("it goes on when the browser reads", lambda: sent[0] > before, 60)
    drained.join()


def test_who_leaves_before_a_websocket_is_answered_leaves_nothing_open():
    """A server that never answers held a file of the proxy's for each visitor that it ever had."""
    here, gone = threading.Semaphore(0), threading.Semaphore(0)

    def server(line: socket.socket, said: bytes) -> None:
        here.release()
        drain(line)
        gone.release()

    with Proxy(server) as front:
        for _ in range(20):
            with front.connect() as browser:
                browser.sendall(WEBSOCKET)
                assert here.acquire(timeout=hubs.PATIENCE)
        assert all(gone.acquire(timeout=60) for _ in range(20))


def test_a_websocket_goes_on_when_one_end_has_said_all():
    """What one end sends last arrives, also where it closes at once."""
    last = threading.Event()

    def server(line: socket.socket, said: bytes) -> None:
        line.sendall(b"HTTP/1.1 101 Switching Protocols\r\n" + ACCEPTED)
        heard = b""
        while part := line.recv(1 << 16):
            heard += part
        if heard == b"early" + b"x" * (1 << 22):
            last.set()

    with Proxy(server) as front:
        with front.connect() as browser:
            browser.sendall(WEBSOCKET + b"early")
            assert browser.recv(1 << 12).startswith(b"HTTP/1.1 101")
            browser.sendall(b"x" * (1 << 22))
            browser.shutdown(socket.SHUT_WR)
            assert last.wait(60)


def test_interim_answers_without_end_keep_nobody_else_waiting():
    """Each is work for the proxy, through which all go."""

    def server(line: socket.socket, said: bytes) -> None:
        if b"/quick" in said:
            line.sendall(FINE)
            return
        while True:
            line.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000)

    with Proxy(server) as front, front.connect() as visitor:
        visitor.sendall(HEAD + b"\r\n")
        assert visitor.recv(12) == b"HTTP/1.1 103"
        threading.Thread(target=drain, args=(visitor,), daemon=True).start()
        for _ in range(20):
            began = time.monotonic()
            assert front.ask(HEAD.replace(b"/x", b"/quick") + b"Connection: close\r\n\r\n").endswith(b"fine")
            assert time.monotonic() - began < 5


def test_a_few_interim_answers_are_as_they_should_be():
    def server(line: socket.socket, said: bytes) -> None:
        line.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 3 + FINE)

    with Proxy(server) as front:
        assert front.ask(HEAD + b"Connection: close\r\n\r\n").endswith(b"fine")


def test_an_answer_that_goes_wrong_half_way_ends():
    def server(line: socket.socket, said: bytes) -> None:
        line.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n")
        threading.Event().wait(0.2)
        line.sendall(b"no number\r\n")
        drain(line)

    with Proxy(server) as front:
        for _ in range(5):
            assert b"xx" in front.ask(HEAD + b"\r\n"), "and the line is closed"


def test_a_path_of_many_slashes_costs_no_more_than_another():
    """Where a request goes was looked up by an expression that takes time as the square of the slashes, while everybody waits."""

    def server(line: socket.socket, said: bytes) -> None:
        line.sendall(FINE)

    with Proxy(server) as front:

        def spent() -> float:
            words = Path(f"/proc/{front.process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

        before = spent()
        for _ in range(30):
            for more in (b"Connection: close\r\n", UPGRADE.replace(b"Upgrade\r\n", b"Upgrade, close\r\n", 1)):
                said = front.ask(
                    b"GET /user/anna/%sx HTTP/1.1\r\nHost: hub.localhost\r\n%s\r\n" % (b"/" * 15_000, more)
                )
                assert b" 200 " in said.partition(b"\r\n")[0]
        assert spent() - before < 3, "seconds of a processor, for sixty requests"


def test_what_a_page_says_holds_for_its_own_addresses_and_while_it_is_open():
    """A service worker of a learner's page, once a browser has it, could answer in the hub's place from then on, and hear passwords.

    Error reports (NEL) would tell her all addresses that a visitor opens later, and cookies that are cleared are also the hub's.
    """
    lasts = {
        "Service-Worker-Allowed": "/", "NEL": '{"report_to": "a", "max_age": 1000000}', "Report-To": '{"group": "a"}',
        "Alt-Svc": 'h2=":8443"', "Clear-Site-Data": '"cookies"', "Strict-Transport-Security": "max-age=1",
    }  # fmt: skip
    said = "".join(f"{name}: {value}\r\n{name.upper()}: {value}\r\n" for name, value in lasts.items()).encode()

    def server(line: socket.socket, asked: bytes) -> None:
        line.sendall(FINE.replace(b"\r\n\r\n", b"\r\nX-Kept: 1\r\n" + said + b"\r\n"))

    with Proxy(server) as front:
        answer = front.ask(HEAD + b"Service-Worker: script\r\nConnection: close\r\n\r\n").lower()
    assert answer.endswith(b"fine") and b"x-kept" in answer
    assert [name for name in lasts if name.lower().encode() in answer] == []


def test_requests_that_come_together_are_asked_one_by_one():
    """One connection had a connection to the hub for each request that it sent: of a packet of 60 kB fifteen hundred, and without a login."""
    held, most = [], [0]

    def server(line: socket.socket, said: bytes) -> None:
        held.append(line)
        most[0] = max(most[0], len(held))
        threading.Event().wait(0.02)
        held.remove(line)
        line.sendall(FINE)

    with Proxy(server) as front, front.connect() as visitor:
        visitor.sendall((HEAD + b"\r\n") * 100 + HEAD + b"Connection: close\r\n\r\n")
        said = b""
        while part := visitor.recv(1 << 16):
            said += part
    assert most[0] == 1 and said.count(b"fine") == 101


def test_who_asks_a_proxy_that_has_the_certificate_says_no_address(tmp_path):
    """Nobody is in front of it then, and a user of this machine asks from 127.0.0.1, too."""
    heard = []

    def server(line: socket.socket, said: bytes) -> None:
        heard.append(said)
        line.sendall(FINE)

    pem = hubs.certificate(tmp_path)
    for more, believed in (({}, True), ({"certificate": str(pem), "key": str(pem.with_suffix(".key"))}, False)):
        with Proxy(server, **more) as front:
            where = f"http{'s' * (not believed)}://127.0.0.1:{front.port}/user/anna/x"
            answer = requests.get(where, headers={"X-Forwarded-For": "203.0.113.7"}, timeout=60, verify=False)
            assert answer.text == "fine"
        assert (b"203.0.113.7" in heard.pop()) == believed


@pytest.mark.parametrize("subdomains", ["", "http://hub.localhost"])
def test_a_route_to_a_server_that_is_gone_leads_to_nobody_elses(subdomains):
    """HAProxy would choose another of those it has."""
    asked = []

    def server(line: socket.socket, said: bytes) -> None:
        asked.append(said)
        line.sendall(FINE)

    with Proxy(server, subdomains=subdomains) as front:
        gone = front.folder / "gone.sock"
        front.tell(front.routes.add_route(front.route("ben"), address(gone), {"user": "ben"}))
        for path, code in (("/user/ben/x", b"503"), ("/user/anna/x", b"200"), ("/user/ben", b"503")):
            name = path.split("/")[2]
            said = front.ask(f"GET {path} HTTP/1.1\r\nHost: {name}.hub.localhost\r\nConnection: close\r\n\r\n".encode())
            assert said.split()[1] == code, said
        assert len(asked) == 1
        assert set(front.tell(front.routes.get_all_routes())) == {front.route("anna"), front.route("ben")}
        entry = f"map {front.folder}/root/routes.map {front.route('ben')}"
        front.tell(front.routes._say(f"del {entry}", f"add {entry} no-such-server"))
        assert (
            front.ask(HEAD.replace(b"anna", b"ben").replace(b"hub", b"ben.hub") + b"Connection: close\r\n\r\n").split()[
                1
            ]
            == b"503"
        )
        assert len(asked) == 1


def test_a_hub_that_starts_tells_the_routes_of_a_whole_class_at_once():
    """JupyterHub tells them side by side. HAProxy lets few in at a time, and from a full line the kernel sends others away (listen(2))."""
    with Proxy(lambda line, said: line.sendall(FINE)) as front:
        names = [f"learner{number}" for number in range(200)]

        async def all_of(routes: HAProxy) -> set[str]:
            told = [(front.route(name), address(front.folder / f"{name}.sock"), {"user": name}) for name in names]
            await asyncio.gather(*(routes.add_route(*each) for each in told))
            return set(await routes.get_all_routes())

        for _ in range(2):  # the second time as a hub that is started again
            assert front.tell(all_of(front.routes)) == {front.route(name) for name in ["anna", *names]}
        for name in ["anna", *names]:
            front.tell(front.routes.delete_route(front.route(name)))
        assert front.tell(front.routes.get_all_routes()) == {}


def test_a_route_is_told_again_to_a_proxy_that_ended_meanwhile(tmp_path):
    class Ends(asyncio.Protocol):
        """Ends without an answer the first time, then answers as HAProxy does."""

        asked = 0

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:
            Ends.asked += 1
            if Ends.asked > 1:
                self.transport.write(b"New server registered.\n\n")
                self.transport.close()
            else:
                self.transport.abort()

    async def told() -> None:
        async with await asyncio.get_running_loop().create_unix_server(Ends, tmp_path / ADMIN):
            await HAProxy(folder=str(tmp_path)).add_route("/user/anna/", address(tmp_path / "server.sock"), {})

    asyncio.run(told())
    assert Ends.asked == 3


def test_a_route_is_one_word_of_a_command():
    """Else a learner's name would be a command to the proxy."""
    for name in ("a b", "a;show info", "a\n", "a\\ b", "é"):
        with pytest.raises(ValueError, match="no route may have"):
            asyncio.run(HAProxy(folder="/nowhere").delete_route(f"/user/{name}/"))


@pytest.mark.parametrize(
    "said",
    [b"hello\r\n\r\n", b"HTTP/1.1 101 X\r\n\r\n", b"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 500 + b"\r\n",
     b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nfine", b"HTTP/1.1 200 OK\r\na: " + b"b" * 40_000 + b"\r\n\r\n"],
)  # fmt: skip
def test_an_answer_that_is_no_http_is_none(said):
    def server(line: socket.socket, head: bytes) -> None:
        line.sendall(said)

    with Proxy(server) as front:
        assert front.ask(HEAD + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 502 ")


def test_no_request_asks_for_another_protocol_than_a_websocket():
    """With h2c, say, all further requests would pass as one that was looked at."""
    heard = []

    def server(line: socket.socket, said: bytes) -> None:
        heard.append(said.lower())
        line.sendall(FINE)

    with Proxy(server) as front:
        for other in (b"h2c", b"websocket2", b"TLS/1.0"):
            front.ask(
                HEAD
                + b"Connection: Upgrade, HTTP2-Settings, close\r\nHTTP2-Settings: AAM\r\nUpgrade: "
                + other
                + b"\r\n\r\n"
            )
    assert len(heard) == 3 and not any(b"\r\nupgrade:" in each for each in heard)


@pytest.mark.parametrize(
    "certificate", [True, False], ids=["the proxy has the certificate", "a web server in front has it"]
)
def test_one_address_does_not_take_all_connections(certificate, tmp_path):
    """A web server in front asks for everybody."""

    def server(line: socket.socket, said: bytes) -> None:
        line.sendall(FINE)

    pem = hubs.certificate(tmp_path) if certificate else tmp_path
    settings = {"certificate": str(pem), "key": str(pem.with_suffix(".key"))} if certificate else {}
    with Proxy(server, **settings) as front, contextlib.ExitStack() as stack:
        here = ("127.0.0.1", front.port)

        def held(ours: str) -> int:
            lines = []
            for _ in range(proxy.MOST_OF_ONE + 50):
                with contextlib.suppress(ConnectionResetError):
                    lines.append(stack.enter_context(socket.create_connection(here, 60, (ours, 0))))
            threading.Event().wait(1)
            return sum(map(is_open, lines))

        assert held("127.0.0.2") == proxy.MOST_OF_ONE
        assert held("127.0.0.1") == proxy.MOST_OF_ONE + (0 if certificate else 50)
        where = f"http{'s' * certificate}://127.0.0.1:{front.port}/user/anna/x"
        with requests.Session() as visitor:
            for scheme in ("http://", "https://"):
                visitor.mount(scheme, From("127.0.0.3"))
            assert visitor.get(where, timeout=60, verify=False).text == "fine"


@pytest.fixture
def addresses():
    """Three addresses of IPv6 at which this machine is, for a test: two of one network, and one of another."""
    made = ("2001:db8:77:1::1", "2001:db8:77:1::2", "2001:db8:77:2::1")
    with contextlib.ExitStack() as stack:
        for each in made:
            subprocess.run(["ip", "-6", "address", "add", f"{each}/128", "dev", "lo", "nodad"], check=True)
            stack.callback(subprocess.run, ["ip", "-6", "address", "delete", f"{each}/128", "dev", "lo"], check=True)
        yield made


def test_one_network_of_ipv6_does_not_take_all_connections(addresses, monkeypatch):
    """Whoever has an address of IPv6 has 2⁶⁴. One of IPv4 counts by itself, also where one socket listens for both."""
    monkeypatch.setattr(proxy, "MOST_OF_ONE", 5)
    with Proxy(lambda line, said: line.sendall(FINE)) as front, contextlib.ExitStack() as stack:
        front.process.kill()
        front.process.wait()
        settings = proxy.prepare({**front.hub, "address": f"http://[::]:{front.port}", "run": str(front.folder)})
        front.process = subprocess.Popen([proxy.program(), "-db", "-f", str(settings)])

        def held(ours: str) -> int:
            to = ("::1" if ":" in ours else "127.0.0.1", front.port)
            lines = []
            for _ in range(8):
                with contextlib.suppress(ConnectionResetError):
                    lines.append(stack.enter_context(socket.create_connection(to, 60, (ours, 0))))
            threading.Event().wait(1)
            return sum(map(is_open, lines))

        def listens() -> bool:
            with contextlib.suppress(OSError):
                front.connect().close()
                return True
            return False

        hubs.until("it listens", listens)
        assert [held(ours) for ours in addresses] == [5, 0, 5]
        assert [held(ours) for ours in ("127.0.0.2", "127.0.0.3")] == [5, 5]


def test_the_hub_is_asked_once_all_of_a_request_is_there():
    """Who sends a byte now and then had a connection to the hub for each request, without a login, for as long as they liked."""

    def server(line: socket.socket, said: bytes) -> None:
        line.sendall(FINE)

    with Proxy(server) as front, socket.socket(socket.AF_UNIX) as hub, front.connect() as slow:
        hub.bind(str(front.folder / "root" / "hub.sock"))
        hub.listen()
        hub.settimeout(5)
        head = b"POST /hub/login HTTP/1.1\r\nHost: hub.localhost\r\nContent-Length: 100\r\n\r\n"
        slow.sendall(head + b"a")
        with pytest.raises(TimeoutError):
            hub.accept()
        with front.connect() as quick:
            quick.sendall(head + b"a" * 100)
            line, _ = hub.accept()
            line.close()
        said = b""
        while part := slow.recv(1 << 16):
            said += part
        assert said.startswith(b"HTTP/1.1 408 "), "it is not waited for without end"


def test_no_visitor_speaks_http_2():
    """Of one connection a hundred requests would be asked at once."""

    def server(line: socket.socket, said: bytes) -> None:
        line.sendall(FINE)

    with Proxy(server) as front:
        said = front.ask(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000"))
    assert said == b"" or said.startswith(b"HTTP/1.1 400 "), said
