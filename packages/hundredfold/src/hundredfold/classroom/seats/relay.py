"""Carry bytes between a seat's processes and programs of root's: ``python -I -S relay.py JSON SERVER``, started by `enter.py` for each seat.

With bytes, a process can send open files through a Unix socket (unix(7), SCM_RIGHTS). Whoever reads the bytes and does not take the files closes
them, which can take long: a TCP socket whose data is not sent waits for as long as its SO_LINGER says. So what a learner's processes send is read
by a process of that seat, in its control groups, which hands on bytes alone. The hub, its proxy and its pages read from this one.

JSON is a list of pairs: the file descriptor of a socket that is bound, and the path to which whoever connects to it is connected. It is listened
at as soon as somebody listens at the path. SERVER is the file descriptor of a process (pidfd_open(2)), with which this one ends.
"""

import contextlib
import json
import resource
import select
import socket
import sys

#: So many bytes are read at a time, and kept of each direction until they are sent.
PART = 1 << 16
#: So many connections there are at most; the proxy has as many.
MOST = 8192
#: So often (seconds) it is looked whether somebody listens.
PAUSE = 0.05


class End:
    """One of a connection's two sockets: `other` is the other, `held` what is to be sent to this one, `reads` whether more may come from it."""

    def __init__(self, line):
        self.line, self.other, self.held, self.reads, self.wanted = line, None, b"", True, 0
        line.setblocking(False)


class Relay:
    """All connections of a seat."""

    def __init__(self, lines, server, most=MOST):
        self.poll, self.ends, self.server, self.most = select.epoll(), {}, server, most
        self.poll.register(server, select.EPOLLIN)
        self.waiting = [(socket.socket(fileno=file), path) for file, path in lines]
        self.listening = {}

    def step(self):
        """Wait until something happens, and do what it asks for."""
        self.waiting = [each for each in self.waiting if not self._listen(*each)]
        for file, events in self.poll.poll(PAUSE if self.waiting else None):
            if file == self.server:
                sys.exit()
            if file in self.listening:
                self._accept(*self.listening[file])
            elif file in self.ends:  # else it was closed just now, with its other
                self._carry(self.ends[file], events)

    def _listen(self, outer, path):
        try:
            connected(path).close()
        except OSError:
            return False
        outer.setblocking(False)
        outer.listen(128)
        self.listening[outer.fileno()] = outer, path
        self.poll.register(outer, select.EPOLLIN)
        return True

    def _accept(self, outer, path):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            one = stack.enter_context(outer.accept()[0])
            if len(self.ends) >= 2 * self.most:
                return
            two = stack.enter_context(connected(path))
            stack.pop_all()
            ends = End(one), End(two)
            for end, other in (ends, ends[::-1]):
                end.other = other
                self.ends[end.line.fileno()] = end
                self._watch(end)

    def _carry(self, end, events):
        if events & ~select.EPOLLOUT and end.reads and not end.other.held:
            self._receive(end)
        if end.held:
            self._send(end)
        if any(each.reads or each.held for each in (end, end.other)):
            self._watch(end)
            self._watch(end.other)
            return
        for each in (end, end.other):
            del self.ends[each.line.fileno()]
            each.line.close()

    def _receive(self, end):
        try:
            end.other.held = self.receive(end)
        except BlockingIOError:
            return
        except OSError:  # they have left with something unread
            pass
        end.reads = bool(end.other.held)
        self._send(end.other)

    def receive(self, end):
        """Bytes that lie there; none if they have said all."""
        return end.line.recv(PART)

    def _send(self, end):
        try:
            end.held = end.held[end.line.send(end.held) :] if end.held else b""
            if not end.held and not end.other.reads:
                end.line.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        except OSError:  # they read no more, which the other side is told; what they have said is still to be carried
            end.held, end.other.reads = b"", False
            end.other.line.shutdown(socket.SHUT_RD)
            with contextlib.suppress(OSError):  # what lies there is taken, else who waits for room there is not told
                while end.other.line.recv(PART):
                    pass

    def _watch(self, end):
        """Have the kernel tell what is waited for. Nothing is: then not even that the other side has left, which it would say without end."""
        wanted = (select.EPOLLIN if end.reads and not end.other.held else 0) | (select.EPOLLOUT if end.held else 0)
        if wanted and end.wanted:
            self.poll.modify(end.line, wanted)
        elif wanted:
            self.poll.register(end.line, wanted)
        elif end.wanted:
            self.poll.unregister(end.line)
        end.wanted = wanted


def connected(path):
    """A connection to whoever listens there; OSError where that would have to be waited for."""
    line = socket.socket(socket.AF_UNIX)
    line.setblocking(False)
    try:
        line.connect(path)
    except OSError:
        line.close()
        raise
    return line


def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    relay = Relay(json.loads(sys.argv[1]), int(sys.argv[2]), min(MOST, (most - 32) // 2))
    while True:
        relay.step()


if __name__ == "__main__":
    main()
