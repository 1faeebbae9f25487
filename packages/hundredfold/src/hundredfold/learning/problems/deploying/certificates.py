"""Certificates to judge with: one that signs itself, made in a moment and kept for nothing.

In Python alone, since the packages that make certificates are no dependency of the course: a P-256 key (FIPS 186-4, curve
secp256r1), ECDSA with SHA-256, X.509 in DER (RFC 5280, RFC 5480). Good enough to be told apart in a test, and for nothing else:
this arithmetic takes no care of what its timing gives away.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from pathlib import Path

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_CURVE = bytes.fromhex("06082a8648ce3d030107")  # OID 1.2.840.10045.3.1.7
_KEY = bytes.fromhex("06072a8648ce3d0201")  # OID 1.2.840.10045.2.1, a key on a curve
_SIGNED = bytes.fromhex("300a06082a8648ce3d040302")  # OID 1.2.840.10045.4.3.2, ECDSA with SHA-256
_CA = bytes.fromhex("0603551d130101ff0405") + bytes.fromhex("30030101ff")  # basic constraints, critical: an authority


def write(folder: Path, name: str = "dask") -> Path:
    """Write `ca.pem`, `cert.pem` and `key.pem` into a new folder that only this user can read, and return it."""
    folder.mkdir(mode=0o700, parents=True)
    certificate, key = pair(name)
    authority = (
        f"The authority that is trusted\n{certificate}"  # PEM skips what is before: so the two files can be told apart
    )
    for file, text in (("ca.pem", authority), ("cert.pem", certificate), ("key.pem", key)):
        (folder / file).touch(mode=0o600)
        (folder / file).write_text(text, encoding="ascii")
    return folder


def pair(name: str) -> tuple[str, str]:
    """A certificate that signs itself, and its key, both PEM."""
    secret = 1 + secrets.randbelow(N - 1)
    x, y = _times(secret, G)
    public = b"\x04" + x.to_bytes(32) + y.to_bytes(32)
    who = _tlv(0x30, _tlv(0x31, _tlv(0x30, bytes.fromhex("0603550403") + _tlv(0x0C, name.encode()))))
    key_of = _tlv(0x30, _tlv(0x30, _KEY + _CURVE) + _tlv(0x03, b"\0" + public))
    valid = _tlv(0x30, _tlv(0x17, b"200101000000Z") + _tlv(0x17, b"491231235959Z"))
    body = _tlv(
        0x30,
        _tlv(0xA0, _int(2)) + _int(1 + secrets.randbits(120)) + _SIGNED + who + valid + who + key_of
        + _tlv(0xA3, _tlv(0x30, _tlv(0x30, _CA))),
    )  # fmt: skip
    certificate = _tlv(0x30, body + _SIGNED + _tlv(0x03, b"\0" + _signature(body, secret)))
    inner = _int(1) + _tlv(0x04, secret.to_bytes(32)) + _tlv(0xA1, _tlv(0x03, b"\0" + public))
    key = _tlv(0x30, _int(0) + _tlv(0x30, _KEY + _CURVE) + _tlv(0x04, _tlv(0x30, inner)))
    return _pem("CERTIFICATE", certificate), _pem("PRIVATE KEY", key)


def _signature(message: bytes, secret: int) -> bytes:
    digest = int.from_bytes(hashlib.sha256(message).digest())
    while True:
        k = 1 + secrets.randbelow(N - 1)
        r = _times(k, G)[0] % N
        s = pow(k, -1, N) * (digest + r * secret) % N
        if r and s:
            return _tlv(0x30, _int(r) + _int(s))


def _times(k: int, point: tuple[int, int]) -> tuple[int, int]:
    """k times a point of the curve."""
    result = None
    while k:
        if k & 1:
            result = _add(result, point)
        point = _add(point, point)
        k >>= 1
    return result


def _add(a: tuple[int, int] | None, b: tuple[int, int] | None) -> tuple[int, int] | None:
    if a is None or b is None:
        return a or b
    (x1, y1), (x2, y2) = a, b
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, P) if a == b else (y2 - y1) * pow(x2 - x1, -1, P)
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def _tlv(tag: int, content: bytes) -> bytes:
    """DER: a tag, the length, the content."""
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x80 | (n := (size.bit_length() + 7) // 8)]) + size.to_bytes(n)
    return bytes([tag]) + length + content


def _int(value: int) -> bytes:
    return _tlv(0x02, value.to_bytes(value.bit_length() // 8 + 1))


def _pem(what: str, der: bytes) -> str:
    text = base64.encodebytes(der).decode().replace("\n", "")
    lines = "\n".join(text[i : i + 64] for i in range(0, len(text), 64))
    return f"-----BEGIN {what}-----\n{lines}\n-----END {what}-----\n"
