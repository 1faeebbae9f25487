"""An offline bundle: groups of packages, each an archive in pieces small enough to be carried, and what to do with those that have arrived.

`pieces/N/PIECE` are the pieces, each in a folder of its own that can be carried alone, with `pieces/N/manifest.json` beside it, which tells
of all of them: groups with their packages, pieces with their bytes and SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
DONE = "unpacked.json"


class BadBundle(ValueError):
    """Pieces that do not belong together, or a manifest that cannot be read; the message says what to carry."""


@dataclass
class Bundle:
    """What has arrived of a bundle.

    `missing` and `damaged` name pieces by group; a group is `whole` where there is neither.
    """

    folder: Path
    manifest: dict[str, Any]
    missing: dict[str, list[str]]
    damaged: dict[str, list[str]]

    @property
    def whole(self) -> list[dict[str, Any]]:
        return [g for g in self.manifest["groups"] if not self.missing[g["name"]] and not self.damaged[g["name"]]]

    def said(self) -> list[str]:
        """What is not there, a sentence for each group."""
        found = []
        for group in self.manifest["groups"]:
            name, of = group["name"], len(group["pieces"])
            if self.missing[name]:
                there = (
                    f"{len(self.missing[name])} of its {of} pieces have not arrived: {', '.join(self.missing[name])}"
                )
                found.append(
                    f"The group {name!r} of the bundle ({', '.join(group['packages'][:4])} …) is not unpacked: {there}."
                )
            if self.damaged[name]:
                found.append(
                    f"The group {name!r} of the bundle is not unpacked: {', '.join(self.damaged[name])} arrived damaged; carry again."
                )
        return found


def look(folder: Path, unpacked: set[str] = frozenset()) -> Bundle | None:
    """What is under a folder of pieces; None where there is no bundle.  Groups in `unpacked` need no pieces any more.

    Raises
    ------
    BadBundle
        Where pieces of two bundles lie together.
    """
    manifests = sorted(folder.glob(f"*/{MANIFEST}")) + sorted(folder.glob(MANIFEST))
    if not manifests:
        return None
    try:
        read = {file: json.loads(file.read_text(encoding="utf-8")) for file in manifests}
        ids = {manifest["id"] for manifest in read.values()}
    except (ValueError, KeyError, TypeError) as error:
        raise BadBundle(f"A manifest under {folder} cannot be read ({error}): carry that piece again.") from None
    if len(ids) > 1:
        raise BadBundle(f"{folder} holds pieces of {len(ids)} bundles: remove those of the older one.")
    manifest = read[manifests[0]]
    missing, damaged = {}, {}
    for group in manifest["groups"]:
        missing[group["name"]], damaged[group["name"]] = [], []
        for piece in group["pieces"] if group["name"] not in unpacked else ():
            file = folder / piece["name"]
            if not file.is_file():
                missing[group["name"]].append(piece["name"])
            elif file.stat().st_size != piece["bytes"] or digest(file) != piece["sha256"]:
                damaged[group["name"]].append(piece["name"])
    return Bundle(folder, manifest, missing, damaged)


def unpack(bundle: Bundle, group: dict[str, Any], into: Path) -> None:
    """A whole group's files, put into a folder such as an environment's site-packages."""
    with _Joined([bundle.folder / piece["name"] for piece in group["pieces"]]) as stream:
        with tarfile.open(fileobj=stream, mode="r|xz") as archive:
            archive.extractall(into, filter="data")


def unpacked(environment: Path) -> tuple[str, set[str]]:
    """The bundle's id and the groups that an environment has already; an empty id where there is none."""
    try:
        said = json.loads((environment / DONE).read_text(encoding="utf-8"))
        return said["id"], set(said["groups"])
    except (OSError, ValueError, KeyError):
        return "", set()


def note(environment: Path, bundle: Bundle, groups: set[str]) -> None:
    (environment / DONE).write_text(
        json.dumps({"id": bundle.manifest["id"], "groups": sorted(groups)}), encoding="utf-8"
    )


def split(file: Path, folder: Path, first: int, most: int) -> list[dict[str, Any]]:
    """Cut a file into pieces of at most so many bytes, each in a folder of its own numbered from `first`; it is removed."""
    pieces = []
    with file.open("rb") as whole:
        while data := whole.read(most):
            number = first + len(pieces)
            name = f"{number}/{file.name}.{len(pieces) + 1:02}"
            (folder / str(number)).mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
            pieces.append({"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    file.unlink()
    return pieces


def digest(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


class _Joined:
    """Several files read as one."""

    def __init__(self, files: list[Path]) -> None:
        self._files, self._open = list(files), None

    def __enter__(self) -> _Joined:
        return self

    def __exit__(self, *_) -> None:
        if self._open is not None:
            self._open.close()

    def read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            if self._open is None:
                if not self._files:
                    break
                self._open = self._files.pop(0).open("rb")
            piece = self._open.read(size - len(found))
            if not piece:
                self._open.close()
                self._open = None
            found += piece
        return found
