"""Limits that the kernel's control groups set on this process: version 1, version 2, both at once, and nested.

Every group above ours limits us too, so the tightest on the way up counts. Which folder a group is in is read from the mount
table, because inside a container the path in `/proc/self/cgroup` may be the host's and only part of it is mounted.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath


def folders(controller: str, root: str = "/") -> list[tuple[int, Path]]:
    """Return the group folders that limit `controller` ("cpu" or "memory") for this process, innermost first.

    Parameters
    ----------
    controller : str
        Name of the controller.
    root : str
        Where the file system begins; tests put a made-up one there.

    Returns
    -------
    list of (int, Path)
        The version of the hierarchy (1 or 2) and the folder.
    """
    base = Path(root)
    ours = _groups(base)
    found = []
    for version, controllers, mounted, at in _mounts(base):
        if version == 1 and controller not in controllers:
            continue
        path = ours.get(controller if version == 1 else "")
        if path is None:
            continue
        top = base / at.lstrip("/")
        inner = _below(path, mounted)
        for level in [inner, *inner.parents]:
            folder = top if str(level) in (".", "/") else top / str(level).lstrip("/")
            if folder.is_dir() and (version, folder) not in found:
                found.append((version, folder))
    return found


def number(file: Path) -> int | None:
    """Return the number that a control file holds; None where it is missing, unreadable or "max"."""
    words = words_of(file)
    return int(words[0]) if words and words[0].lstrip("-").isdigit() else None


def words_of(file: Path) -> list[str]:
    """Return the words of a control file; none where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        return []


def statistic(file: Path, name: str) -> int | None:
    """Return one line's value of a `memory.stat`."""
    words = words_of(file)
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    return int(pairs[name]) if pairs.get(name, "").isdigit() else None


def _groups(base: Path) -> dict[str, str]:
    """This process's path in each hierarchy, by controller; version 2 under ""."""
    out = {}
    try:
        lines = (base / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return out
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        for controller in controllers.split(","):
            out[controller] = path or "/"
    return out


def _mounts(base: Path) -> list[tuple[int, set[str], str, str]]:
    """Version, controllers, which part of the hierarchy is mounted, and where."""
    try:
        lines = (base / "proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    out = []
    for line in lines:
        left, _, right = line.partition(" - ")
        fields, kind = left.split(), right.split()
        if len(fields) < 5 or not kind or kind[0] not in ("cgroup", "cgroup2"):
            continue
        out.append((2 if kind[0] == "cgroup2" else 1, set(kind[-1].split(",")), fields[3], fields[4]))
    return out


def _below(path: str, mounted: str) -> PurePosixPath:
    """The group's path as seen from the mount; the mount itself where the group lies outside what is mounted."""
    here = PurePosixPath(path)
    if ".." not in here.parts:
        try:
            return here.relative_to(mounted)
        except ValueError:
            pass
    # A container's own namespace shows "/" or "/../x" while the mount shows the host's name, or the other way about.
    return PurePosixPath(".")
