"""How a learner's server starts kernels of Python: nothing that lies beside a notebook runs before its first cell does, and where ports are shared they open none.

``python -m`` looks for a module in the folder where it starts, which is the notebook's, and the lab starts a kernel as soon as a notebook is
opened. So a folder that somebody else made could run a module of its own there. Here Python looks there from the first cell on, and for what is not
installed. (Until then too much asks for modules that may be missing.)

A kernel listens on a port of localhost for what its forked processes print, and takes messages of any size. Its debugger listens on another, and
runs what whoever connects asks for.

This file is also the program that is such a kernel. It is run by its path, so it imports nothing of ours.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

#: It is there where a seat has no network of its own.
SHARED = "HUNDREDFOLD_SHARED_NETWORK"
#: How the kernel of this server's Python is started, and the names that Jupyter has for that Python.
LAUNCH = ["-m", "ipykernel_launcher"]
NAMES = {sys.executable, "python", "python{}".format(*sys.version_info), "python{}.{}".format(*sys.version_info)}


def install() -> None:
    """Have this server start them so. Another Python, which a learner has added, is started as it is."""
    from jupyter_client.kernelspec import KernelSpec

    own = KernelSpec.__init__

    def made(spec: KernelSpec, *arguments: Any, **said: Any) -> None:
        own(spec, *arguments, **said)
        if NAMES.issuperset(spec.argv[:1]) and spec.argv[1:3] == LAUNCH:
            spec.argv = [spec.argv[0], "-P", __file__, *spec.argv[3:]]
        if SHARED in os.environ:
            spec.metadata = {**spec.metadata, "debugger": False}

    KernelSpec.__init__ = made


def main() -> None:
    """Become a kernel."""
    from ipykernel.kernelapp import IPKernelApp

    if SHARED in os.environ:
        _without_ports()
    app = IPKernelApp.instance()
    app.initialize()

    def begin() -> None:
        app.shell.events.unregister("pre_execute", begin)
        sys.path.append("")

    app.shell.events.register("pre_execute", begin)
    app.start()


def _without_ports() -> None:
    """Have this process's kernel have no debugger, and hear its forked processes by a socket among its own temporary files."""
    import zmq
    from ipykernel import debugger
    from ipykernel.iostream import IOPubThread
    from zmq.eventloop.zmqstream import ZMQStream

    debugger._is_debugpy_available = False
    place = f"ipc://{tempfile.mkdtemp()}/printed"

    def _setup_pipe_in(thread: Any) -> None:
        thread._pipe_uuid = os.urandom(16)
        line = thread.socket.context.socket(zmq.PULL)
        line.linger = 0
        line.bind(place)
        thread._pipe_in = ZMQStream(line, thread.io_loop)
        thread._pipe_in.on_recv(thread._handle_pipe_msg)

    def _setup_pipe_out(thread: Any) -> Any:
        context = zmq.Context()  # a new one: after a fork the other is of no use
        line = context.socket(zmq.PUSH)
        line.linger = 3000  # ms
        line.connect(place)
        return context, line

    IOPubThread._setup_pipe_in, IOPubThread._setup_pipe_out = _setup_pipe_in, _setup_pipe_out


if __name__ == "__main__":
    main()
