"""Serve a built site on this machine alone."""

from __future__ import annotations

import functools
import http.server
from pathlib import Path


def serve(pages: Path) -> None:
    """Serve a folder on localhost until Ctrl-C; the address, with the port that was free, is printed on a line of its own."""
    handler = functools.partial(_Quiet, directory=str(pages))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("The site is closed.")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Tells of errors only."""

    def log_request(self, *_: object) -> None:
        pass
