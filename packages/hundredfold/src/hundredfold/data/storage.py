"""Object storage on this machine: an HTTP server for some files, by the part of Amazon S3's protocol that readers use.

A bucket in a data centre answers GET and HEAD of an object, GET of a range of its bytes, and lists what it holds; so does
this, on 127.0.0.1 and in threads of this process, and it writes down what it was asked for.  An address such as
``http://127.0.0.1:43021/lake/flights.parquet`` is for readers that know HTTP (fsspec, DuckDB, pandas), bucket ``lake`` and
key ``flights.parquet`` for those that know S3 (Arrow, Polars, s3fs).  Signatures are not checked.

Ranges: RFC 9110, section 14. Listing: Amazon S3's API reference, ListObjectsV2.
"""

from __future__ import annotations

import http.server
import re
import sys
import threading
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

BUCKET = "lake"


@dataclass(frozen=True)
class Request:
    """What a reader asked for.

    Parameters
    ----------
    method : {"GET", "HEAD"}
    key : str
        The object's name; empty where the bucket was listed.
    start, stop : int
        Which of its bytes were sent; both 0 where none were.
    """

    method: str
    key: str
    start: int = 0
    stop: int = 0

    @property
    def nbytes(self) -> int:
        """How many bytes of the object were sent."""
        return self.stop - self.start


class Storage:
    """A bucket with some files in it, served until it is closed; use it in a ``with`` statement.

    Parameters
    ----------
    files : mapping of str to path
        The objects: key to file. A file is read anew for each request.

    Attributes
    ----------
    endpoint : str
        ``"127.0.0.1:43021"``: what an S3 client calls its endpoint; the scheme is http.
    bucket : str
    requests : list of Request
        What was asked for so far, in order.
    """

    def __init__(self, files: Mapping[str, str | Path]):
        self.files = {str(key): Path(path) for key, path in files.items()}
        absent = [str(path) for path in self.files.values() if not path.is_file()]
        if absent:
            raise FileNotFoundError(f"There is no file {absent[0]} to serve.")
        self.bucket = BUCKET
        self.requests: list[Request] = []
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"store": self}))
        self.endpoint = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def url(self, key: str) -> str:
        """Return the address of an object, for a reader that knows HTTP."""
        return f"http://{self.endpoint}/{self.bucket}/{urllib.parse.quote(key)}"

    @property
    def nbytes(self) -> int:
        """How many bytes of objects were sent so far."""
        return sum(request.nbytes for request in self.requests)

    def forget(self) -> None:
        """Empty the list of requests."""
        self.requests.clear()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def __enter__(self) -> Storage:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Storage with {', '.join(self.files) or 'nothing in it'}"


def _span(header: str | None, size: int) -> tuple[int, int] | None:
    """The bytes that a Range header asks for, of an object of so many; None where it asks for none that exist.

    Only a single range is understood; any other header is as none, which the RFC allows a server.
    """
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", (header or "").strip())
    if not found or found.group(1) == found.group(2) == "":
        return 0, size
    first, last = found.groups()
    if not first:  # the last so many
        return (max(0, size - int(last)), size) if int(last) and size else None
    start, stop = int(first), min(size, int(last) + 1) if last else size
    return (start, stop) if start < stop else None


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader that has enough breaks off; that is its right, and nothing for stderr."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: Storage

    def log_message(self, *args: Any) -> None:
        """Nothing on stderr: what was asked for is in `Storage.requests`."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        parts = urllib.parse.urlsplit(self.path)
        bucket, _, key = urllib.parse.unquote(parts.path).lstrip("/").partition("/")
        if bucket != self.store.bucket:
            self._send(404, _error("NoSuchBucket"), body=body)
        elif not key:
            self.store.requests.append(Request(self.command, ""))
            self._send(200, self._listing(dict(urllib.parse.parse_qsl(parts.query))), body=body)
        elif key not in self.store.files:
            self._send(404, _error("NoSuchKey"), body=body)
        else:
            self._object(key, body=body)

    def _object(self, key: str, *, body: bool) -> None:
        data = self.store.files[key].read_bytes()
        asked = self.headers.get("Range")
        span = _span(asked, len(data))
        if span is None:
            self._send(416, b"", {"Content-Range": f"bytes */{len(data)}"}, body=body)
            return
        start, stop = span
        partial = asked is not None and (start, stop) != (0, len(data))
        headers = {
            "Accept-Ranges": "bytes",
            "ETag": f'"{key}-{len(data)}"',
            "Last-Modified": formatdate(0, usegmt=True),
        }
        if partial:
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
        self.store.requests.append(Request(self.command, key, *((start, stop) if body else (0, 0))))
        kind = "application/octet-stream"
        self._send(206 if partial else 200, data[start:stop], headers, body=body, kind=kind)

    def _listing(self, query: Mapping[str, str]) -> bytes:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        keys = sorted(key for key in self.store.files if key.startswith(prefix))
        folders, items = [], []
        for key in keys:
            rest = key[len(prefix) :]
            if delimiter and delimiter in rest:
                folders.append(prefix + rest.partition(delimiter)[0] + delimiter)
                continue
            size = self.store.files[key].stat().st_size
            items.append(
                f"<Contents><Key>{escape(key)}</Key><LastModified>1970-01-01T00:00:00.000Z</LastModified>"
                f"<ETag>&quot;{escape(key)}-{size}&quot;</ETag><Size>{size}</Size>"
                "<StorageClass>STANDARD</StorageClass></Contents>"
            )
        shared = [f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>" for f in dict.fromkeys(folders)]
        count = len(items) + len(shared)
        return (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{self.store.bucket}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{count}</KeyCount>"
            f"<MaxKeys>1000</MaxKeys><Delimiter>{escape(delimiter)}</Delimiter><IsTruncated>false</IsTruncated>"
            f"{''.join(items)}{''.join(shared)}</ListBucketResult>"
        ).encode()

    def _send(
        self,
        status: int,
        content: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        body: bool,
        kind: str = "application/xml",
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)


def _error(code: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{code}</Message></Error>'.encode()
