"""What the page *In the browser* runs on: Pyodide with NumPy, the modules of our packages that run there, its editor and its programs.

The page is ``docs/browser.md`` with the scripts of ``docs/_static/browser/``. Pyodide's files are taken out of a package of the
lock, which is not imported. ``pyodide.json`` has the SHA-256 of each, and a file that differs is refused: those of Pyodide are what
its own release on npm has, and that of NumPy is what the release's lock file names.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import gpusim
import hundredfold
import kernellens
from hundredfold.publish.browser import kernels

from . import browser_editor

FOLDER = Path("_static") / "browser"
ARCHIVE = "hundredfold.zip"
_HERE = Path(__file__).parent

#: What runs there: the simulator, of its libraries those that need no more than NumPy, the lens, and the page's own part.
SHIPPED = (
    "gpusim",
    "kernellens",
    *(
        f"hundredfold/{name}"
        for name in ("__init__.py", "lens.py", "machine.py", "publish/__init__.py", "publish/browser")
    ),
)
LEFT_OUT = (
    "gpusim/kernels/backends/numba",
    *(f"gpusim/libraries/{name}" for name in ("cudf", "cuml", "cupyx", "dask_cuda", "dask_cudf", "pylibcudf", "rmm")),
    *(f"kernellens/{name}" for name in ("check", "trial", "port")),
    "hundredfold/publish/browser/offered",
)
KINDS = (".py", ".json", ".js")


@functools.cache
def pyodide() -> dict[str, Any]:
    """Which Pyodide the site has, and its files with what they must hash to."""
    return json.loads((_HERE / "pyodide.json").read_text(encoding="utf-8"))


def filled(text: str, kernels: int) -> str:
    """The page's text with the versions of what it runs on, the size of that, and how many kernels the lectures have for it."""
    release = pyodide()
    runs_on = f"{release['version']} with Python {release['python']} and NumPy {release['numpy']['version']}"
    for name, value in (
        ("pyodide", runs_on),
        ("browser-size", f"{sum(sizes().values()) / 1e6:.0f}"),
        ("browser-kernels", str(kernels)),
    ):
        text = text.replace(f"{{{{{name}}}}}", value)
    return text


def sizes() -> dict[str, int]:
    """The files that the first run loads, with their bytes.

    Raises
    ------
    FileNotFoundError
        If the package that carries Pyodide is not installed.
    """
    source = _source()
    return {name: (source / name).stat().st_size for name in pyodide()["files"]} | {ARCHIVE: len(_packed())}


def write(site: Path, work: Path, lectures: list[dict[str, str]]) -> None:
    """Write all that into the built `site`.

    Parameters
    ----------
    work : where the build keeps what it fetches and makes.
    lectures : the kernels of the lectures, see :func:`hundredfold.publish.site.run_here.entries`.

    Raises
    ------
    FileNotFoundError
        If the package that carries Pyodide is not installed, or npm.
    RuntimeError
        If a file of it is not that of the release, or the editor or the example could not be made.
    """
    place = site / FOLDER
    browser_editor.write(place, work / "editor")
    _vendor(place / "pyodide")
    (place / ARCHIVE).write_bytes(_packed())
    offered = kernels.offered()
    programs = [{**program._asdict(), "group": "Examples"} for program in offered]
    page = {"sizes": sizes(), "programs": [*programs, *lectures]}
    (place / "programs.json").write_text(json.dumps(page), encoding="utf-8")
    (place / "example.json").write_text(_example(offered[0].code), encoding="utf-8")


def _example(code: str) -> str:
    """What a run of a program gives, for the page to show before anything ran: of a process of its own, as on the page."""
    run = (
        "import json, sys; from hundredfold.publish.browser import Session; printed = []; "
        "made = json.loads(Session().run(sys.stdin.read(), printed.append)); "
        "sys.stdout.write(json.dumps({**made, 'printed': ''.join(printed)}))"
    )
    done = subprocess.run([sys.executable, "-c", run], input=code, capture_output=True, text=True, check=False)
    if done.returncode or json.loads(done.stdout)["error"]:
        raise RuntimeError(f"The page `browser` has no example of a result: {done.stderr or done.stdout}")
    return done.stdout


def _source() -> Path:
    """The folder of the release's files, in the package that carries them."""
    release = pyodide()
    spec = importlib.util.find_spec(release["package"])
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(
            f"Pyodide, which the page `browser` runs on, comes with the package {release['package'].replace('_', '-')} of "
            "requirements/docs.txt: `make site` installs it."
        )
    return Path(next(iter(spec.submodule_search_locations))) / release["folder"]


def _vendor(place: Path) -> None:
    release, source = pyodide(), _source()
    place.mkdir(parents=True, exist_ok=True)
    for name, wanted in release["files"].items():
        if not (place / name).is_file() or _hash(place / name) != wanted:
            if _hash(source / name) != wanted:
                raise RuntimeError(
                    f"{source / name} is not that of Pyodide {release['version']}: see site/pyodide.json."
                )
            shutil.copyfile(source / name, place / name)
    numpy = release["numpy"]
    entry = {
        "name": "numpy",
        "version": numpy["version"],
        "file_name": numpy["file"],
        "install_dir": "site",
        "sha256": release["files"][numpy["file"]],
        "package_type": "package",
        "imports": ["numpy"],
        "depends": [],
        "unvendored_tests": True,
    }
    info = {"abi_version": release["abi"], "arch": "wasm32", "platform": release["platform"]}
    info |= {"python": release["python"], "version": release["version"]}
    lock = json.dumps({"info": info, "packages": {"numpy": entry}})
    (place / "pyodide-lock.json").write_text(lock, encoding="utf-8")


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@functools.cache
def _packed() -> bytes:
    """Our own packages, always the same bytes for the same files."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in files():
            entry = zipfile.ZipInfo(inside(file), (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, file.read_bytes())
    return archive.getvalue()


def files() -> list[Path]:
    """What of our packages the page's Python gets."""
    found = []
    for part in SHIPPED:
        package, _, below = part.partition("/")
        place = _root(package) / below
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            if file.suffix in KINDS and not inside(file).startswith(tuple(f"{each}/" for each in LEFT_OUT)):
                found.append(file)
    return found


def inside(file: Path) -> str:
    """A file's path from the folder that packages are in: ``gpusim/own.py``."""
    package = next(each for each in (gpusim, kernellens, hundredfold) if file.is_relative_to(_root(each.__name__)))
    return file.relative_to(_root(package.__name__).parent).as_posix()


def _root(package: str) -> Path:
    return Path(sys.modules[package].__file__).parent
