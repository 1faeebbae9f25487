"""`make release`: the archives, notes and site of a release, checked. It ends before anything leaves this machine.

The version is the one in the `pyproject.toml` at the root. `--set 0.3.0` writes another there and to all places that repeat it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from hundredfold.setup import workspace

from . import ROOT, Stop, beside, environment, uv

PYTHONS = ("3.11", "3.12", "3.13")
VERSION = re.compile(r"\d+\.\d+\.\d+")
_ANY = r"\d+\.\d+\.\d+"

PLACES: dict[str, str] = {
    "pyproject.toml": rf'(?m)^version = "({_ANY})"$',
    **{f"packages/{name}/pyproject.toml": rf'(?m)^version = "({_ANY})"$' for name in workspace.PACKAGES},
    "packages/gpusim/src/gpusim/__init__.py": rf'(?m)^__version__ = "({_ANY})"$',
    "packages/hundredfold/src/hundredfold/__init__.py": rf'(?m)^__version__ = "({_ANY})"$',
    "packages/hundredfold/src/hundredfold/etc/labextension/package.json": rf'"version": "({_ANY})"',
    "CITATION.cff": rf"(?m)^version: ({_ANY})$",
    ".zenodo.json": rf'"version": "({_ANY})"',
    "docker/Dockerfile": rf'image\.version="({_ANY})"',
    "deploy/conda/recipe.yaml": rf"(?m)^  version: ({_ANY})$",
    "deploy/hub/dask-gateway/values.yaml": rf"cu12-({_ANY})",
    "deploy/hub/kubernetes/values.yaml": rf"(?:cpu|cu12)-({_ANY})",
    "deploy/hub/kubernetes/README.md": rf"(?:cpu|cu12)-({_ANY})",
}
"""Each file that repeats the version, and how it stands there. The first is where it comes from."""

BOUNDS = re.compile(r'("(?:gpusim|kernellens)(?:\[\w+\])?)>=[\d.]+,<[\d.]+"')
"""How one of our packages asks for another: the same minor version."""

LOGS = {"Hundredfold": "CHANGELOG.md", **{name: f"packages/{name}/CHANGELOG.md" for name in workspace.PACKAGES}}

SMOKE = """
import importlib.metadata as m, hundredfold, gpusim, kernellens
assert hundredfold.__version__ == gpusim.__version__ == m.version("kernellens") == {version!r}
gpusim.activate()
import cupy as cp
assert float((cp.arange(12.0) ** 2).sum()) == 506.0
"""
"""What an installation has to do in an environment that has nothing else; `tests/test_wheels.py` asks more of one Python."""


def command(arguments: list[str]) -> int:
    """build and check a release, without uploading it (ARGS='--set 0.3.0' writes a version everywhere; --rehearse: no tag, changed files allowed)"""
    if arguments and arguments[0] == "--set":
        if len(arguments) != 2 or not VERSION.fullmatch(arguments[1]):
            raise Stop("--set takes a version of three numbers: make release ARGS='--set 0.3.0'.")
        print("\n".join(put(ROOT, arguments[1])))
        return 0
    if unknown := set(arguments) - {"--rehearse"}:
        raise Stop(f"{', '.join(sorted(unknown))} is no option: there are --set VERSION and --rehearse.")
    rehearsal = bool(arguments)
    environment.ready(groups=["test"])
    version = source(ROOT)
    _begin(version, rehearsal)
    built = commit()
    # Archives of a release are uploaded from `dist` after its tag: no rehearsal may replace them.
    dist = ROOT / "dist" / "rehearsal" if rehearsal else ROOT / "dist"
    place = dist / version
    files = archives(ROOT, place)
    checks = beside.checks().parent
    _do("Licences", [str(checks / "reuse"), "lint", "--quiet"])
    _do("Citation", [str(checks / "cffconvert"), "--validate"])
    _do("Archives", [str(checks / "twine"), "check", "--strict", *map(str, files)])
    tried = {each: tried_in(each, version, place) for each in PYTHONS}
    pages = site(version, dist / "site")
    text = notes(ROOT, version, files, [each for each, done in tried.items() if done])
    (place / "notes.md").write_text(text, encoding="utf-8")
    print(
        f"\n{len(files)} archives and notes.md are in {place.relative_to(ROOT)}, the site in {pages.relative_to(ROOT)}."
    )
    if untried := [each for each, done in tried.items() if not done]:
        print(f"NOT TRIED, because this machine does not have them: Python {', '.join(untried)}.")
    if rehearsal:
        print("This was a rehearsal: there is no tag.")
        return 0
    tag(version, built, place / "notes.md")
    print(f"Commit {built[:10]} has the tag v{version}. What is left needs an account:")
    print(
        f"    git push origin v{version} && {checks / 'twine'} upload {place.relative_to(ROOT)}/*.whl {place.relative_to(ROOT)}/*.tar.gz"
    )
    return 0


def source(root: Path) -> str:
    """The version, where it comes from.

    Raises
    ------
    Stop
        If a place has another one; it names the place.
    """
    found = {file: _of(root, file) for file in PLACES}
    version = next(iter(found["pyproject.toml"]))
    wrong = [file for file, versions in found.items() if versions != {version}]
    wanted = _bounds(version)
    wrong += [
        f"packages/{name}/pyproject.toml"
        for name in workspace.PACKAGES
        if any(not each[0].endswith(wanted) for each in BOUNDS.finditer(_text(root, f"packages/{name}/pyproject.toml")))
    ]
    if wrong:
        raise Stop(
            f"{', '.join(wrong)}: not at version {version}, which the root's pyproject.toml has: make release ARGS='--set {version}'."
        )
    return version


def put(root: Path, version: str) -> list[str]:
    """Write a version to all places, and return those that changed."""
    changed = []
    for file, pattern in PLACES.items():
        text = _text(root, file)
        new = re.sub(pattern, lambda found: found[0].replace(found[1], version), text)
        new = BOUNDS.sub(rf"\g<1>{_bounds(version)}", new) if file.startswith("packages/") else new
        if new != text:
            (root / file).write_text(new, encoding="utf-8")
            changed.append(file)
    return changed


def commit() -> str:
    """The commit that is checked out. Its tag comes minutes later, when another may be."""
    return _git("rev-parse", "HEAD")


def tag(version: str, built: str, text: Path) -> None:
    """Tag the commit that was built, with the notes; by itself Git would leave out each heading as a comment."""
    _git("tag", "--annotate", "--cleanup=whitespace", "--file", str(text), f"v{version}", built)


def archives(root: Path, place: Path) -> list[Path]:
    """Build a source archive of each package, and its wheel from that archive alone; `place` is emptied before.

    The times in them are those of the commit, so that the same commit gives the same bytes.
    """
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    env = {
        **environment.environ(environment.PYTHON),
        "SOURCE_DATE_EPOCH": _git("log", "-1", "--format=%ct", folder=root),
    }
    for name in workspace.PACKAGES:
        made = _built("sdist", workspace.folder(root, name), place, env)
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(made) as archive:
                archive.extractall(folder, filter="data")
            _built("wheel", Path(folder) / made.name.removesuffix(".tar.gz"), place, env)
    return sorted(file for file in place.iterdir() if file.suffix in (".whl", ".gz"))


def notes(root: Path, version: str, files: list[Path], tried: list[str]) -> str:
    """What a release is announced with: the changelogs' sections, where it was installed, sums of the archives."""
    parts = [f"# Hundredfold {version}", "", "How to upgrade: docs/upgrading.md."]
    for title, file in LOGS.items():
        parts += ["", f"## {title}", "", section(_text(root, file), version, file)]
    parts += [
        "",
        "## Tried",
        "",
        f"Installed from these archives under Python {', '.join(tried) or '(none)'} on Linux. Nothing was run on a GPU.",
        "",
        "## SHA-256",
        "",
    ]
    parts += [f"- `{hashlib.sha256(file.read_bytes()).hexdigest()}` {file.name}" for file in files]
    return "\n".join(parts) + "\n"


def section(text: str, version: str, file: str) -> str:
    """The part of a changelog about a version."""
    found = re.search(rf"(?ms)^## {re.escape(version)}\b[^\n]*\n(.*?)(?=^## |\Z)", text)
    if found is None or not found[1].strip():
        raise Stop(f"{file} says nothing about {version}: it needs a heading `## {version}`.")
    return found[1].strip()


def site(version: str, place: Path) -> Path:
    """Build the site below `place/VERSION`, beside the versions that are there, with a switch between them."""
    place.mkdir(parents=True, exist_ok=True)
    base = "/" + os.environ.get("SITE_BASE", "").strip("/")
    there = sorted({version, *(each.name for each in place.iterdir() if VERSION.fullmatch(each.name))}, key=_numbers)
    (place / "versions.json").write_text(json.dumps(versions(there, base), indent=1) + "\n", encoding="utf-8")
    python = beside.docs()
    env = {**environment.environ(python), "HUNDREDFOLD_VERSIONS": "../versions.json"}
    build = [str(python), "-m", "hundredfold.publish.site.build", "--fresh"]
    if subprocess.call(build, cwd=ROOT, env=env):
        raise Stop("The site could not be built: see above.")
    shutil.rmtree(place / version, ignore_errors=True)
    shutil.copytree(ROOT / "_build" / "site" / "html", place / version)
    (place / "index.html").write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><title>Hundredfold</title><meta http-equiv="refresh" content="0; url={there[-1]}/"><a href="{there[-1]}/">Hundredfold {there[-1]}</a>\n',
        encoding="utf-8",
    )
    return place


def versions(there: list[str], base: str) -> list[dict[str, object]]:
    """The theme's list of the versions that there are, the newest first; addresses begin at the server's root."""
    prefix = base.rstrip("/")
    return [
        {
            "version": each,
            "name": each + (" (newest)" if each == there[-1] else ""),
            "url": f"{prefix}/{each}/",
            "preferred": each == there[-1],
        }
        for each in reversed(there)
    ]


def _begin(version: str, rehearsal: bool) -> None:
    for file in LOGS.values():
        section(_text(ROOT, file), version, file)
    if rehearsal:
        return
    if unfinished := [
        file for file in LOGS.values() if re.search(rf"(?m)^## {re.escape(version)}\b.*not released", _text(ROOT, file))
    ]:
        raise Stop(
            f"{', '.join(unfinished)}: `## {version}, not released yet` waits for a date; write it there, and commit."
        )
    if _git("status", "--porcelain"):
        raise Stop("There are changes that are not committed: commit them, or rehearse with ARGS=--rehearse.")
    if _git("tag", "--list", f"v{version}"):
        raise Stop(f"There is a tag v{version} already: the next version is written by make release ARGS='--set …'.")


def tried_in(python: str, version: str, place: Path) -> bool:
    """Install the archives in a bare environment of a Python, and use them; False where this machine has no such Python."""
    installer = uv.find() or uv.bring(environment.LOG)
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GPUSIM_", "HUNDREDFOLD_"))
    }
    with tempfile.TemporaryDirectory() as folder:
        if not (found := interpreter(installer, python, env)):
            return False
        print(f"Installing the archives under Python {python} ...", flush=True)
        here = Path(folder) / "env"
        uv.run(installer, ["venv", "--quiet", "--no-project", "--python", found, str(here)], environment.LOG)
        its = here / environment.PYTHON.relative_to(environment.VENV)
        lock = str(ROOT / "requirements" / "cpu.txt")
        # What the lock leaves out: pyproject.toml at the root says why.
        left_out = Path(folder) / "left-out.txt"
        left_out.write_text("rfc3987-syntax\n", encoding="utf-8")
        wanted = [
            "--find-links",
            str(place),
            "--constraint",
            lock,
            "--excludes",
            str(left_out),
            f"hundredfold=={version}",
        ]
        uv.run(installer, ["pip", "install", "--quiet", "--python", str(its), *wanted], environment.LOG)
        for run in ([str(its), "-c", SMOKE.format(version=version)], [str(its.parent / "hundredfold"), "--version"]):
            done = subprocess.run(run, cwd=folder, env=env, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Stop(f"Under Python {python} the installed packages fail: {_last(done.stdout + done.stderr)}")
    return True


def interpreter(installer: str, python: str, env: dict[str, str]) -> str:
    """The path of a Python of this machine, also of one that pyenv keeps and its shim does not start; empty where there is none."""
    kept = Path(env.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin")
    env = {**env, "PATH": os.pathsep.join([env.get("PATH", os.defpath), *map(str, sorted(kept))])}
    ask = [installer, "python", "find", "--no-python-downloads", "--no-project", python]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(ask, capture_output=True, text=True, cwd=folder, env=env, check=False).stdout.strip()


def _built(kind: str, project: Path, place: Path, env: dict[str, str]) -> Path:
    program = f"import hatchling.build as h; print(h.build_{kind}({str(place)!r}))"
    done = subprocess.run(
        [str(environment.PYTHON), "-c", program], cwd=project, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Stop(f"The {kind} of {project.name} could not be built: {_last(done.stderr)}")
    return place / done.stdout.split()[-1]


def _do(what: str, run: list[str]) -> None:
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Stop(f"{what}: {Path(run[0]).name} refuses: {(done.stdout + done.stderr).strip()}")
    print(f"{what}: checked by {Path(run[0]).name}.", flush=True)


def _git(*arguments: str, folder: Path | None = None) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder or ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Stop("git is needed for a release: install it.") from None
    if done.returncode:
        raise Stop(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def _last(said: str) -> str:
    return said.strip().rpartition("\n")[2] or "it said nothing"


def _text(root: Path, file: str) -> str:
    return (root / file).read_text(encoding="utf-8")


def _of(root: Path, file: str) -> set[str]:
    return set(re.findall(PLACES[file], _text(root, file)))


def _bounds(version: str) -> str:
    major, minor, _ = version.split(".")
    return f'>={major}.{minor},<{major}.{int(minor) + 1}"'


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]
