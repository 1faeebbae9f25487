"""``deploying.door``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import os
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


def _by_attribute(host: str, folder: str) -> dict[str, Any]:
    security = Security(require_encryption=True)
    security.tls_ca_file = os.path.join(folder, "ca.pem")
    for role in ("scheduler", "worker", "client"):
        for part in ("cert", "key"):
            setattr(security, f"tls_{role}_{part}", os.path.join(folder, f"{part}.pem"))
    return {"host": host, "security": security, "dashboard_address": "localhost:0"}


def _by_config(host: str, folder: str) -> dict[str, Any]:
    import dask

    place = Path(folder)
    names = {"distributed.comm.tls.ca-file": str(place / "ca.pem"), "distributed.comm.require-encryption": True}
    for role in ("scheduler", "worker", "client"):
        names[f"distributed.comm.tls.{role}.cert"] = str(place / "cert.pem")
        names[f"distributed.comm.tls.{role}.key"] = str(place / "key.pem")
    with dask.config.set(names):
        security = Security()
    settings = {"host": host, "protocol": "tls", "dashboard_address": "127.0.0.1:0"}
    settings["security"] = security
    return settings


def _in_one_list(host: str, folder: str) -> dict[str, Any]:
    files = [("tls_ca_file", "ca.pem")]
    for role in ["scheduler", "worker", "client"]:
        files += [(f"tls_{role}_cert", "cert.pem"), (f"tls_{role}_key", "key.pem")]
    told = {name: f"{folder}/{file}" for name, file in files}
    told["require_encryption"] = True
    return {"host": host, "protocol": "tls", "dashboard": False, "security": Security(**told)}


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
RIGHT = {
    "the solution": solution,
    "tls by itself": _without("protocol"),
    "texts, and no dashboard": _by_text,
    "by attribute": _by_attribute,
    "by configuration": _by_config,
    "in one list": _in_one_list,
}
