"""``deploying.door``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from distributed import Security

from hundredfold.learning.problems.deploying.door import HOST, solution

from ..edits import Wrong


def _without(*names: str, **other: Any) -> Any:
    def settings(host: str, folder: str) -> dict[str, Any]:
        found = {**solution(host, folder), **other}
        return {name: value for name, value in found.items() if name not in names}

    return settings


def _not_required(host: str, folder: str) -> dict[str, Any]:
    found = solution(host, folder)
    found["security"].require_encryption = False
    return found


def _key_for_certificate(host: str, folder: str) -> dict[str, Any]:
    found = solution(host, folder)
    found["security"] = Security(
        tls_ca_file=f"{folder}/ca.pem", tls_scheduler_cert=f"{folder}/key.pem", tls_scheduler_key=f"{folder}/cert.pem",
        require_encryption=True,
    )  # fmt: skip
    return found


def _by_text(host: str, folder: str) -> dict[str, Any]:
    """The same with the certificates' text in place of their paths, which Dask takes as well."""
    text = {name: Path(folder, f"{name}.pem").read_text() for name in ("ca", "cert", "key")}
    security = Security(
        tls_ca_file=text["ca"], tls_scheduler_cert=text["cert"], tls_scheduler_key=text["key"], require_encryption=True
    )
    return {"host": host, "protocol": "tls://", "security": security, "dashboard": False}


def _dashboard_on_the_host(host: str, folder: str) -> dict[str, Any]:
    return {**solution(host, folder), "dashboard_address": f"{host}:0"}


def _kept() -> Any:
    found: dict[str, Any] = {}

    def settings(host: str, folder: str) -> dict[str, Any]:
        return found.setdefault(host, solution(host, folder))

    return settings


def _cert_as_authority(host: str, folder: str) -> dict[str, Any]:
    found = solution(host, folder)
    found["security"].tls_ca_file = found["security"].tls_scheduler_cert
    return found


WRONG = {
    "nothing but the host": Wrong(lambda host, folder: {"host": host}, "stranger"),
    "security=True": Wrong(_without(security=True), "stranger"),
    "no host": Wrong(_without("host"), "everywhere"),
    "all addresses": Wrong(_without(host="0.0.0.0"), "everywhere"),
    "tcp": Wrong(_without(protocol="tcp"), "unencrypted"),
    "not required": Wrong(_not_required, "unencrypted"),
    "dashboard by default": Wrong(_without("dashboard_address"), "dashboard"),
    "dashboard for all": Wrong(_without(dashboard_address=":0"), "dashboard"),
    "always this machine": Wrong(_without(host=HOST), "literal"),
    "key for certificate": Wrong(_key_for_certificate, "exception"),
    "a list": Wrong(lambda host, folder: [host, folder], "type"),
    "dashboard on the host": Wrong(_dashboard_on_the_host, "dashboard"),
    "kept by host": Wrong(_kept(), "kept"),
    "the certificate as authority": Wrong(_cert_as_authority, "own"),
}
RIGHT = {"the solution": solution, "tls by itself": _without("protocol"), "texts, and no dashboard": _by_text}
