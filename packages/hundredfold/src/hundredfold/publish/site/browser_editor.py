"""The editor of the page *In the browser*: CodeMirror 6 as one script.

It is made when the site is built, by esbuild, of the packages that ``editor/package-lock.json`` names with their hashes. `npm ci`
fetches them, without their install scripts. The script is kept in the site's build folder until one of ``editor/``'s files changes.
For newer versions edit ``package.json`` and run ``npm install --package-lock-only --omit-lockfile-registry-resolved`` beside it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from .node import npm

SOURCE = Path(__file__).parent / "editor"
SCRIPT, LICENCES = "editor.js", "editor-licences.txt"
_FILES = ("editor.js", "package.json", "package-lock.json")
_STAMP = "made-of.json"


def write(place: Path, work: Path) -> None:
    """Write the script and its packages' licences into a folder; `work` keeps what was fetched and made.

    Raises
    ------
    RuntimeError
        If npm could not fetch a package, or esbuild not bundle them.
    """
    wanted = json.dumps({name: hashlib.sha256((SOURCE / name).read_bytes()).hexdigest() for name in _FILES})
    stamp = work / _STAMP
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        _make(work)
        stamp.write_text(wanted, encoding="utf-8")
    place.mkdir(parents=True, exist_ok=True)
    for name in (SCRIPT, LICENCES):
        shutil.copyfile(work / "made" / name, place / name)


def _make(work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    (work / "made").mkdir(parents=True)
    for name in _FILES:
        shutil.copyfile(SOURCE / name, work / name)
    _run(
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        work,
        "npm could not fetch the editor of the page `browser`: connect, or name your mirror in NPM_CONFIG_REGISTRY.",
    )
    packages = _packages(work)
    banner = f"/* {', '.join(packages)}: MIT licence, see {LICENCES}. */"
    options = ["--bundle", "--minify", "--format=iife", "--target=es2022", "--charset=utf8", f"--banner:js={banner}"]
    _run(
        ["exec", "--offline", "--", "esbuild", SCRIPT, *options, f"--outfile=made/{SCRIPT}"],
        work,
        "esbuild could not bundle the editor of the page `browser`.",
    )
    notices = [
        f"{name}\n\n{(work / 'node_modules' / name.rpartition('@')[0] / 'LICENSE').read_text(encoding='utf-8')}"
        for name in packages
    ]
    (work / "made" / LICENCES).write_text("\n\n".join(notices), encoding="utf-8")


def _packages(work: Path) -> list[str]:
    """The packages that the script is made of, each with its version: those of the lock but esbuild."""
    lock = json.loads((work / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    names = {path.removeprefix("node_modules/"): entry for path, entry in lock.items() if path}
    return [f"{name}@{entry['version']}" for name, entry in names.items() if "esbuild" not in name]


def _run(command: list[str], place: Path, failed: str) -> None:
    done = npm(*command, place=place)
    if done.returncode:
        raise RuntimeError(f"{failed}\n{done.stdout}{done.stderr}".rstrip())
