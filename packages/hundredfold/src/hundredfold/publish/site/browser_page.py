"""What the page *In the browser* runs on: Pyodide with NumPy, the modules of our packages that run there, its editor and its programs.

The page is ``docs/browser.md`` with the scripts of ``docs/_static/browser/``. Pyodide comes from npm, at the version and with the
sum of ``pyodide.json``. NumPy for it is not on npm: its wheel is taken out of a package of the lock, which is not imported, and is refused
unless it has the SHA-256 that Pyodide's own lock file names.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
import io
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import gpusim
import hundredfold
import kernellens
from hundredfold.publish.browser import kernels

from . import browser_editor
from .node import npm

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
    """Which Pyodide the site has: its version and sum on npm, the files that are served, and where NumPy's wheel for it comes from."""
    return json.loads((_HERE / "pyodide.json").read_text(encoding="utf-8"))


def filled(text: str, kernels: int) -> str:
    """The page's text with the versions of what it runs on, the size of that, and how many kernels the units have for it."""
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
        If npm brings nothing, or the package that carries NumPy's wheel is not installed.
    """
    with tarfile.open(package()) as packed:
        found = {name: packed.getmember(f"package/{name}").size for name in pyodide()["files"]}
    wheel = _wheel(_carried())
    return found | {wheel.name: wheel.stat().st_size, ARCHIVE: len(_packed())}


def write(site: Path, work: Path, lectures: list[dict[str, str]]) -> None:
    """Write all that into the built `site`.

    Parameters
    ----------
    work : where the build keeps what it fetches and makes.
    lectures : the kernels of the lectures and their solutions, see :func:`hundredfold.publish.site.run_here.entries`.

    Raises
    ------
    FileNotFoundError
        If npm brings nothing, or the package that carries NumPy's wheel is not installed.
    RuntimeError
        If a file of it is not that of the release, or the editor or the example could not be made.
    """
    place = site / FOLDER
    browser_editor.write(place, work / "editor")
    vendor(place / "pyodide", package(), _carried())
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


def package() -> Path:
    """Pyodide's package, which npm brings into the checkout's ``.cache`` once."""
    from hundredfold import paths

    version = pyodide()["version"]
    file = (paths.repository() or Path.cwd()) / ".cache" / "pyodide" / f"pyodide-{version}.tgz"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        done = npm("pack", f"pyodide@{version}", "--silent", place=file.parent)
        if done.returncode or not file.is_file():
            raise FileNotFoundError(
                f"npm did not bring pyodide@{version}: connect, or name your mirror in NPM_CONFIG_REGISTRY. It said: {done.stderr.strip()[-500:]}"
            )
    return file


def _carried() -> Path:
    """The folder in which NumPy's wheel is."""
    numpy = pyodide()["numpy"]
    spec = importlib.util.find_spec(numpy["package"])
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(
            f"NumPy for Pyodide comes with the package {numpy['package'].replace('_', '-')} of requirements/docs.txt: `make site` installs it."
        )
    return Path(next(iter(spec.submodule_search_locations))) / numpy["folder"]


def _wheel(folder: Path) -> Path:
    """NumPy's wheel for Pyodide in that folder."""
    (found,) = folder.glob(f"numpy-{pyodide()['numpy']['version']}-*.whl")
    return found


def vendor(place: Path, package: Path, carried: Path) -> None:
    """Put Pyodide of npm's `package` and NumPy's wheel of the folder `carried` into `place`, with NumPy's licence beside them."""
    release = pyodide()
    found = "sha512-" + base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
    if found != release["integrity"]:
        raise RuntimeError(
            f"{package} is not Pyodide {release['version']} as npm has it: remove it, and see site/pyodide.json."
        )
    place.mkdir(parents=True, exist_ok=True)
    with tarfile.open(package) as packed:
        lock = json.load(packed.extractfile("package/pyodide-lock.json"))
        for name in release["files"]:
            (place / name).write_bytes(packed.extractfile(f"package/{name}").read())
    numpy = lock["packages"]["numpy"]
    told = (lock["info"]["version"], lock["info"]["python"], numpy["version"])
    if told != (release["version"], release["python"], release["numpy"]["version"]):
        raise RuntimeError(f"Pyodide's lock file names {told}, which is not what site/pyodide.json says.")
    wheel = carried / numpy["file_name"]
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != numpy["sha256"]:
        raise RuntimeError(f"{wheel} is not the NumPy that Pyodide {release['version']} names in its lock file.")
    shutil.copyfile(wheel, place / wheel.name)
    with zipfile.ZipFile(wheel) as packed:
        (licence,) = [name for name in packed.namelist() if name.endswith(".dist-info/LICENSE.txt")]
        (place / "LICENSE-NumPy.txt").write_bytes(packed.read(licence))
    lock["packages"] = {"numpy": numpy}
    (place / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")


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
