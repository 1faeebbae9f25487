"""The learner's copies: what `work/` holds, refreshed from the course without ever touching what the learner changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
from dataclasses import dataclass, field
from pathlib import Path

import click
from filelock import FileLock, Timeout

from hundredfold import paths

FOLDERS = ("notebooks", "exercises", "solutions", "syllabi")
#: Single pages of docs/ that lectures link to.
PAGES = ("glossary.md", "found.md")
MANIFEST = ".hundredfold/delivered.json"
#: As ipykernel has it, which is not imported for this: a learner's server on a hub would hold it in memory.
LANGUAGE = {
    "name": "python",
    "version": platform.python_version(),
    "mimetype": "text/x-python",
    "codemirror_mode": {"name": "ipython", "version": 3},
    "pygments_lexer": "ipython3",
    "nbconvert_exporter": "python",
    "file_extension": ".py",
}


@dataclass
class Refreshed:
    """What one refresh did, as paths relative to the workspace."""

    new: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    #: changed file → the name under which its newer version now lies beside it
    beside: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        counts = [(len(self.new), "new"), (len(self.updated), "updated")]
        lines = (
            [", ".join(f"{n} {what}" for n, what in counts if n) + " in the workspace."]
            if self.new or self.updated
            else []
        )
        for name, other in self.beside.items():
            lines.append(
                f"You changed {name}, so it stays as it is; its newer version lies beside it as {Path(other).name}."
            )
        return "\n".join(lines)


def folder() -> Path:
    """The learner's workspace: `HUNDREDFOLD_WORK`, else `work/` in the checkout, else `~/hundredfold`."""
    named = os.environ.get("HUNDREDFOLD_WORK")
    if named:
        return Path(named).expanduser().resolve()
    root = paths.repository()
    return root / "work" if root is not None else Path.home() / "hundredfold"


def refresh(source: Path | None = None, target: Path | None = None) -> Refreshed:
    """Bring the course's notebooks into the workspace, in the same layout, so that the links between them keep working.

    A file the learner has not changed since it was delivered is replaced by the course's newer version. A changed one stays,
    and the newer version is put beside it (`01_arrays.new.ipynb`), once for each version. A file the learner removed or
    renamed is delivered again, which is how to start one over. Nothing in the workspace is ever deleted, and no file is ever
    half written. What a notebook's *metadata* say does not count as a change: opening it rewrites them.

    Parameters
    ----------
    source : folder holding `notebooks/`, `exercises/`, `solutions/` and `syllabi/`; the course itself if None. It may be read-only.
    target : the workspace; `folder()` if None. It is made.

    Raises
    ------
    OSError
        If the workspace cannot be written to; what was there is whole.
    """
    target = folder() if target is None else target
    manifest_file = target / MANIFEST
    manifest_file.parent.mkdir(parents=True, exist_ok=True)
    report = Refreshed()
    try:
        with FileLock(manifest_file.with_suffix(".lock"), timeout=60):
            manifest = _read(manifest_file)
            before = json.dumps(manifest, sort_keys=True)
            try:
                for name, file in _course(source):
                    _deliver(name, file.read_bytes(), target, manifest, report)
            finally:  # also when the disk is full half-way: what was delivered is known as delivered
                if json.dumps(manifest, sort_keys=True) != before:
                    paths.write_whole(manifest_file, json.dumps(manifest, indent=1, sort_keys=True).encode())
    except Timeout:
        raise TimeoutError(
            f"Another program has been refreshing {target} for a minute: wait for it, then try again."
        ) from None
    return report


def _course(source: Path | None) -> list[tuple[str, Path]]:
    """The course's files as (path relative to the workspace, file), in order."""
    found = []
    for name in FOLDERS:
        try:
            top = source / name if source is not None else paths.data_dir(name)
        except FileNotFoundError:
            continue  # a course that has no exercises yet
        for file in sorted(top.rglob("*")):
            inside = file.relative_to(top)
            if file.is_file() and not any(part.startswith((".", "__pycache__")) for part in inside.parts):
                found.append(((Path(name) / inside).as_posix(), file))
    try:
        docs = source / "docs" if source is not None else paths.data_dir("docs")
    except FileNotFoundError:
        return found
    return found + [(f"docs/{name}", docs / name) for name in PAGES if (docs / name).is_file()]


def _deliver(name: str, content: bytes, target: Path, manifest: dict[str, dict], report: Refreshed) -> None:
    """Bring one file up to date and note in the manifest what was delivered."""
    mine, theirs = target / name, digest(name, content)
    entry = manifest.get(name, {})
    if not mine.exists():
        _hand_over(mine, content)
        report.new.append(name)
        manifest[name] = {"delivered": theirs}
        return
    try:
        current = digest(name, mine.read_bytes())
    except OSError:  # a folder of that name, or a file closed to us: no reason to keep the lab shut
        report.kept.append(name)
        return
    if current == theirs:
        manifest[name] = {"delivered": theirs}
    elif current == entry.get("delivered"):
        _hand_over(mine, content)
        report.updated.append(name)
        manifest[name] = {"delivered": theirs}
    elif theirs in (entry.get("delivered"), entry.get("beside")):
        report.kept.append(name)  # changed by the learner; nothing newer, or it has been offered already
    else:
        other = _beside(name, target, entry)
        _hand_over(target / other, content)
        report.kept.append(name)
        report.beside[name] = other
        manifest[name] = {**entry, "beside": theirs, "beside_name": other}


def _beside(name: str, target: Path, entry: dict) -> str:
    """A name beside `name` that is free, or holds an earlier offer that the learner has not changed."""
    path = Path(name)
    for number in range(1, 1000):
        other = path.with_name(f"{path.stem}.new{'' if number == 1 else f'-{number}'}{path.suffix}").as_posix()
        there = target / other
        untouched = other == entry.get("beside_name") and there.exists()
        if not there.exists() or (untouched and digest(other, there.read_bytes()) == entry["beside"]):
            return other
    raise FileExistsError(f"There are a thousand newer versions beside {name}: remove some.")


def digest(name: str, content: bytes) -> str:
    """A digest of what a learner can change: a notebook's cells with their outputs, any other file's bytes."""
    if name.endswith(".ipynb"):
        try:
            cells = [_plain(cell) for cell in json.loads(content)["cells"]]
            content = json.dumps(cells, sort_keys=True).encode()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass  # no notebook after all: then its bytes count
    return hashlib.sha256(content).hexdigest()


def _plain(cell: dict) -> dict:
    """A cell with the two spellings that the format allows for its text made one."""
    source = cell.get("source", "")
    return {**cell, "source": "".join(source) if isinstance(source, list) else source}


def _read(file: Path) -> dict[str, dict]:
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}  # lost or damaged: then every file counts as changed, and nothing is overwritten
    return {k: v for k, v in manifest.items() if isinstance(v, dict)} if isinstance(manifest, dict) else {}


def _hand_over(file: Path, content: bytes) -> None:
    """Write one file of the course. A notebook is signed, so that what it shows is trusted, and names the language as the kernel
    does: JupyterLab would write that into it on opening, and call it unsaved."""
    if file.suffix == ".ipynb":
        content = _named(content)
    paths.write_whole(file, content)
    if file.suffix == ".ipynb":
        import nbformat
        from nbformat.sign import NotebookNotary

        # Without a home to keep signatures in, Jupyter asks, and nothing is lost.
        with contextlib.suppress(Exception):
            NotebookNotary().sign(nbformat.reads(content.decode(), as_version=4))


def _named(content: bytes) -> bytes:
    """A notebook with its language as this environment's kernel names it; what is no such notebook as it is."""
    try:
        notebook = json.loads(content)
        if notebook["metadata"]["language_info"]["name"] != "python":
            return content
        notebook["metadata"]["language_info"] = LANGUAGE
    except (ValueError, TypeError, KeyError, RecursionError):
        return content
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n"


@click.command()
@click.option("--to", type=click.Path(path_type=Path), help="The workspace; by default work/ in the checkout.")
def command(to: Path | None) -> None:
    """Bring the newest notebooks into the workspace; what you changed there stays."""
    report = refresh(target=to)
    click.echo(str(report) or "The workspace is up to date.")
