"""The helper process: it holds the real ``numba.cuda``, compiles what it is sent, and ends when its parent does.

Run as ``python FOLDER FD PARENT``: `FD` is a socket to the parent, over which pickled requests and answers go.  It needs
numba-cuda and its wheels, nothing of Hundredfold: any interpreter of the same Python version will do.
"""

# pyright: reportMissingImports=false
# Its folder is on the path of the process that runs it.

import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection

IDLE = 900.0
"""Seconds without a request after which it ends, to give its memory back; the next request starts another."""


def end_with(parent: int) -> None:
    """End when the parent has: its end of the socket says so only between two requests."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    descriptor, parent = int(sys.argv[1]), int(sys.argv[2])
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    connection = Connection(descriptor)
    try:
        import building
    except Exception as error:  # the parent says what is missing
        connection.send({"ready": False, "why": f"{type(error).__name__}: {error}"})
        return
    connection.send(building.about())
    while connection.poll(IDLE):
        try:
            request = connection.recv()
        except EOFError:
            return
        connection.send(building.answer(request))


main()
