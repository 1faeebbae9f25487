"""A program in place of a learner's server: it keeps all that it is sent, and answers what nobody should believe.

Run as the learner: ``python hostile.py MODE HEARD SOCKET…``, each a path, or the file descriptor of a socket that is bound. `MODE` is a key of `ANSWERS`, ``slow``, ``drip``, ``interim``, ``huge``,
``silent``, ``files``, which sends a socket that is slow to close with its answer, or ``page``, which serves the page in the variable PAGE.
"""

import json
import os
import socket
import struct
import sys
import threading
import time

KERNEL = {"id": "0" * 8, "path": "a.ipynb", "name": "a", "state": "idle", "execution_state": "idle"}
KERNEL |= {"last": "2026-01-01T00:00:00Z", "last_activity": "2026-01-01T00:00:00Z"}


def kernels(*changes):
    return json.dumps({"kernels": [{**KERNEL, **change} for change in changes]}).encode()


ANSWERS = {
    "listening": b"[]",
    "no JSON": b"\xff\xfe not JSON",
    "another shape": b'{"kernels": 3}',
    "a list": b'[1, null, {"kernels": []}]',
    "deep": b'{"kernels": ' + b"[" * 100_000,
    "a path for an id": kernels({"id": "../../hub/api/shutdown"}),
    "no time": kernels({"last": "never"}),
    "a number for a path": kernels({"path": 7}),
    "an unknown state": kernels({"state": "[bold]idle"}),
    "too many": kernels(*[{} for _ in range(500)]),
    "markup": kernels({"path": "[/nothing] [link=file:///etc]a[/link]"}),
    "control characters": kernels({"path": "a\x1b[2J\x1b]0;owned\x07\r\nroot simulated\u202e\u2028b"}),
}


def answer(line, mode, heard):
    said = b""
    while b"\r\n\r\n" not in said and (part := line.recv(1 << 16)):
        said += part
    with open(heard, "ab") as file:
        file.write(said)
    if mode == "silent":
        time.sleep(600)
    elif mode == "slow":
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nX: " + b"x" * 100_000:
            line.sendall(bytes([byte]))
            time.sleep(1)
    elif mode == "drip":
        line.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for byte in ANSWERS["another shape"] * 1000:
            line.sendall(bytes([byte]))
            time.sleep(0.1)
    elif mode == "interim":
        while True:
            line.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
    elif mode == "files":
        with slow_to_close() as file:
            socket.send_fds(line, [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"], [file.fileno()])
        time.sleep(600)
    elif mode == "huge":
        line.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(500):
            line.sendall(b"[" * (1 << 20))
    else:
        page = mode == "page"
        body = os.environ["PAGE"].encode() if page else ANSWERS[mode]
        kind = b"text/html" if page else b"application/json"
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        line.sendall(head % (kind, len(body)) + body)


KEPT = []


def slow_to_close():
    """A socket of which much is unsent, and nobody reads it: who closes it last waits for five minutes."""
    KEPT.append(socket.create_server(("127.0.0.1", 0)))
    line = socket.create_connection(KEPT[-1].getsockname())
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 300))
    line.setblocking(False)
    try:
        while True:
            line.send(bytes(1 << 16))
    except BlockingIOError:
        return line


def listen(place, mode, heard):
    with socket.socket(socket.AF_UNIX, fileno=int(place) if place.isdecimal() else None) as line:
        if not place.isdecimal():
            line.bind(place)
        line.listen(64)
        while True:
            each, _ = line.accept()
            threading.Thread(target=one, args=(each, mode, heard), daemon=True).start()


def one(line, mode, heard):
    with line:
        try:
            answer(line, mode, heard)
        except OSError:
            pass


if __name__ == "__main__":
    mode, heard, *paths = sys.argv[1:]
    for path in paths:
        threading.Thread(target=listen, args=(path, mode, heard), daemon=True).start()
    while True:
        time.sleep(60)
