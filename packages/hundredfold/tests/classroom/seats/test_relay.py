"""A seat's relay: it hands on bytes in both directions, and nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hundredfold.classroom.seats import relay

if sys.platform != "linux":
    pytest.skip("seats are Linux's", allow_module_level=True)

WAIT = 60.0


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # paths of sockets have to be short
    return Path()


@contextlib.contextmanager
def carried(outer: str, inner: str, listens: bool = True, before: Sequence[str] = ()):
    """Somebody who listens at `inner`, and the relay that brings those who connect to `outer` there."""
    with socket.socket(socket.AF_UNIX) as seat, socket.socket(socket.AF_UNIX) as own:
        seat.bind(outer)
        own.bind(inner)
        own.settimeout(WAIT)
        if listens:
            own.listen()
        with subprocess.Popen(["sleep", "600"]) as server:
            file = os.pidfd_open(server.pid)
            command = [
                *before,
                sys.executable,
                "-I",
                "-S",
                relay.__file__,
                json.dumps([(seat.fileno(), inner)]),
                str(file),
            ]
            with subprocess.Popen(command, pass_fds=[seat.fileno(), file]) as process:
                os.close(file)
                try:
                    yield own
                finally:
                    server.kill()  # with which it ends
                    assert process.wait(WAIT) == 0


def reached(path: str) -> socket.socket:
    """A connection to `path`, as soon as somebody listens there."""
    while True:
        line = socket.socket(socket.AF_UNIX)
        try:
            line.connect(path)
        except ConnectionRefusedError:
            line.close()
            continue
        line.settimeout(WAIT)
        return line


def joined(own: socket.socket, path: str) -> tuple[socket.socket, socket.socket]:
    """The two ends of a connection through the relay."""
    with own.accept()[0] as probe:  # by which the relay has found that somebody listens
        assert probe.recv(1) == b""
    one = reached(path)
    two = own.accept()[0]
    two.settimeout(WAIT)
    return one, two


def all_of(line: socket.socket) -> bytes:
    said = b""
    while part := line.recv(1 << 20):
        said += part
    return said


def test_bytes_go_both_ways_and_each_way_ends_by_itself(place):
    with carried("outer", "inner") as own:
        one, two = joined(own, "outer")
        with one, two:
            one.sendall(b"GET /")
            assert two.recv(100) == b"GET /"
            one.shutdown(socket.SHUT_WR)
            assert two.recv(1) == b""
            two.sendall(b"an answer")
            two.close()
            assert all_of(one) == b"an answer"


def test_what_nobody_reads_is_not_lost_and_not_kept_in_memory(place):
    """Who sends waits for who reads; when they have left, all that they sent still arrives."""
    with carried("outer", "inner") as own:
        one, two = joined(own, "outer")
        with one, two:
            two.settimeout(1)
            sent = 0
            with contextlib.suppress(TimeoutError):
                while sent < 1 << 26:
                    sent += two.send(os.urandom(1) * (1 << 16))
            assert 0 < sent < 1 << 24
            two.close()
            assert len(all_of(one)) == sent


def test_who_answers_and_leaves_without_reading_on_is_heard(place):
    """So does a server to which too much is sent."""
    with carried("outer", "inner") as own:
        one, two = joined(own, "outer")
        with one, two:
            one.settimeout(1)
            with contextlib.suppress(TimeoutError):
                while True:
                    one.send(bytes(1 << 16))
            two.sendall(b"too much")
            two.close()
            one.settimeout(WAIT)
            with contextlib.suppress(OSError):
                one.send(b"more")
            assert one.recv(100) == b"too much"


@pytest.mark.parametrize("before", ["nothing", "all that there is room for"])
def test_who_writes_to_somebody_who_has_left_is_told(place, before):
    """Also while what those had sent is not read: a server that waits until it is rid of its answer would wait without end."""
    with carried("outer", "inner") as own:
        one, two = joined(own, "outer")
        with one, two:
            fill(one)
            if before != "nothing":
                fill(two)
            one.close()
            two.settimeout(WAIT)
            with pytest.raises(BrokenPipeError):
                while True:
                    two.sendall(bytes(1 << 16))


def fill(line: socket.socket) -> None:
    """Write until nobody takes more for a second."""
    line.settimeout(1)
    with contextlib.suppress(TimeoutError):
        while True:
            line.send(bytes(1 << 16))


def test_files_are_not_handed_on(place):
    with carried("outer", "inner") as own:
        one, two = joined(own, "outer")
        with one, two, open(os.devnull) as file:
            socket.send_fds(one, [b"words"], [file.fileno()])
            words, files, _, _ = socket.recv_fds(two, 100, 10)
            assert (words, files) == (b"words", [])


def test_nobody_is_let_in_before_somebody_listens(place):
    with carried("outer", "inner", listens=False) as own:
        with socket.socket(socket.AF_UNIX) as early, pytest.raises(ConnectionRefusedError):
            early.connect("outer")
        own.listen()
        one, two = joined(own, "outer")
        with one, two:
            one.sendall(b"now")
            assert two.recv(100) == b"now"


def test_who_finds_nobody_any_more_is_let_go_and_others_go_on(place):
    with carried("outer", "inner") as own:
        one, two = joined(own, "outer")
        with one, two:
            Path("inner").unlink()
            with reached("outer") as late:
                assert late.recv(1) == b""
            two.sendall(b"still here")
            assert one.recv(100) == b"still here"


def test_so_many_connections_are_carried_and_a_place_that_is_free_is_given_again(place):
    with carried("outer", "inner", before=["prlimit", "--nofile=38:38", "--"]) as own, contextlib.ExitStack() as stack:
        keep = stack.enter_context
        three = [joined(own, "outer"), *((reached("outer"), own.accept()[0]) for _ in range(2))]
        for line in (line for pair in three for line in pair):
            keep(line)
        with reached("outer") as late:
            assert late.recv(1) == b""
        for line in three[0]:
            line.close()
        while True:  # the relay may not have seen yet that they have left
            with reached("outer") as again:
                again.sendall(b"x")
                own.settimeout(0.1)
                with contextlib.suppress(TimeoutError):
                    keep(own.accept()[0])
                    break
        three[1][0].sendall(b"still here")
        assert three[1][1].recv(100) == b"still here"
