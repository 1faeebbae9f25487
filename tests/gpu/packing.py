"""`tests/gpu/pack`: the packages of the lock that a machine without a network lacks, as an offline bundle in pieces.

Run where there is a package index; the wheels are those of requirements/cu12.txt or cu13.txt with their hashes.  Nothing of it is shipped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from . import bundle, pruning

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

#: Groups in the order of their worth, with what belongs to each by the beginning of its name; the rest is in the first.
GROUPS = {
    "base": (),
    "rivals": ("polars", "duckdb", "scikit-learn", "umap-learn", "pynndescent", "numexpr", "joblib", "threadpoolctl"),
    "rapids": (
        "cudf-",
        "libcudf-",
        "pylibcudf-",
        "rmm-",
        "librmm-",
        "libkvikio-",
        "kvikio-",
        "rapidsmpf-",
        "librapidsmpf-",
        "libucx",
        "ucxx-",
        "rapids-logger",
        "nvidia-libnvcomp",
        "dask-cudf-",
    ),
    "cuda": ("nvidia-", "cuda-toolkit", "cuda-bindings", "cuda-core", "cuda-pathfinder", "cupy-", "numba-cuda"),
    "tools": ("nvidia-cuda-sanitizer-api",),
}
#: Only the lab and its browser need them, or RAPIDS for what the course does not do (rolling user functions).
LEFT_OUT = re.compile(
    r"(jupyterlab|jupyter-(lsp|server|builder|events)|notebook-shim|dask-labextension|nbconvert|hatchling|editables|trove|pathspec|babel|"
    r"async-lru|argon2|bleach|tinycss2|webencodings|terminado|send2trash|mistune|pandocfilters|defusedxml|isoduration|arrow$|fqdn|uri-template|"
    r"webcolors|rfc|lark|json5|jsonpointer|overrides|websocket|httpx|httpcore|h11|anyio|aiohttp|aiosignal|aiohappy|frozenlist|multidict|yarl|"
    r"propcache|simpervisor|prometheus|python-json-logger|beautifulsoup|soupsieve|appnope|colorama|pywinpty|numba-cuda-mlir|playwright|ruff|pre-commit|"
    r"nodeenv|virtualenv|identify|cfgv|distlib)"
)  # fmt: skip
#: The lock's version and no other: what the machine has of another is not used.
EXACT = re.compile(
    r"(numpy|pandas|numba|numba-cuda|llvmlite|dask|distributed|bokeh|dask-|cudf|libcudf|pylibcudf|rmm|librmm|rapids|librapids|libkvikio|kvikio|libucx|ucxx)"
)
#: Not in the lock: NVIDIA's checker, as a wheel; it follows the toolkit's version, which the driver has to know.
TOOLS = {"cu12": "nvidia-cuda-sanitizer-api-cu12==12.9.*", "cu13": "nvidia-cuda-sanitizer-api==13.0.*"}
#: Whose headers are for building against them only.
HEADERS = ("libcudf", "librmm", "libkvikio", "rapids_logger", "pyarrow")
#: The wheels' Linux, newest first.
PLATFORMS = [f"manylinux_2_{n}_x86_64" for n in (35, 34, 31, 28, 27, 25, 24, 17, 12, 5)] + [
    "manylinux2014_x86_64",
    "manylinux1_x86_64",
]


def main(arguments: list[str] | None = None) -> int:
    options = _options().parse_args(arguments)
    has = _has(options.has)
    lines = chosen(ROOT / "requirements", options.cuda, options.python_version, has, set(options.without))
    tools = [TOOLS[options.cuda]] if "tools" in options.groups and "compute-sanitizer" not in has else []
    grouped = {name: [line for line in lines if group(line) == name] for name in GROUPS if name in options.groups}
    if "tools" in grouped:
        grouped["tools"] = tools
    if options.list:
        for name, members in grouped.items():
            print(f"{name}: {', '.join(line.split()[0] for line in members) or '–'}")
        return 0
    out = Path(options.output)
    if out.exists():
        shutil.rmtree(out)
    out.mkdir(parents=True)
    made = []
    with tempfile.TemporaryDirectory(prefix="gpu-pack-", dir=options.work) as work:
        for name, members in grouped.items():
            if not members:
                continue
            archive, packages = _group(name, members, options, Path(work))
            pieces = bundle.split(
                archive, out, 1 + sum(len(each["pieces"]) for each in made), int(options.piece * 2**20)
            )
            made.append({"name": name, "packages": packages, "pieces": pieces})
            print(
                f"{name}: {len(packages)} packages, {sum(p['bytes'] for p in pieces) / 2**20:.1f} MiB in {len(pieces)} pieces",
                flush=True,
            )
    manifest = {"python": options.python_version, "cuda": options.cuda, "keep": options.keep, "groups": made}
    manifest["id"] = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()[:16]
    for piece in sorted(out.iterdir()):
        (piece / bundle.MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    print(f"{out}: carry each folder in a call of its own, or as many as fit; then tests/gpu/run.")
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests/gpu/pack", description=__doc__)
    parser.add_argument("--cuda", choices=("cu12", "cu13"), default="cu13", help="which lock (%(default)s)")
    parser.add_argument("--python-version", default="3.12", help="of the machine's Python (%(default)s)")
    parser.add_argument(
        "--has",
        help="what the machine has: its results.jsonl, or the output of `pip freeze` there; by default nothing is left out",
    )
    parser.add_argument("--without", nargs="*", default=[], metavar="NAME", help="packages to leave out")
    parser.add_argument("--groups", nargs="*", choices=list(GROUPS), default=list(GROUPS), help="only these")
    parser.add_argument(
        "--keep",
        default="90",
        help="architectures whose device code stays, such as 80,90; 'all' prunes nothing (%(default)s)",
    )
    parser.add_argument(
        "--piece",
        type=float,
        default=31.0,
        help="MiB of a piece at most (%(default)s: the lent device takes 64 with the checkout's 31)",
    )
    parser.add_argument(
        "--output", default=str(ROOT / ".gpu" / "pieces"), help="the folder of the pieces; what is in it is removed"
    )
    parser.add_argument("--work", help="where wheels are downloaded and unpacked; by default among the temporary files")
    parser.add_argument("--wheels", help="a folder that downloaded wheels are kept in, for the next time")
    parser.add_argument("--list", action="store_true", help="say what would be packed, and download nothing")
    return parser


def chosen(folder: Path, cuda: str, python: str, has: dict[str, str], without: set[str]) -> list[str]:
    """The requirements, each on one line with its hashes, that a machine with those packages lacks."""
    found = []
    names = [f"{cuda}.txt", "test.txt"]
    for line in [
        line
        for name in names
        if (folder / name).exists()
        for line in requirements((folder / name).read_text(encoding="utf-8"))
    ]:
        name, version = re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)", line).groups()
        name = _plain(name)
        if (
            LEFT_OUT.match(name)
            or name in without
            or not _applies(line, python)
            or any(each.startswith(f"{name}==") for each in found)
        ):
            continue
        there = has.get(name)
        if there is not None and (there == version or not EXACT.match(name)):
            continue
        found.append(line)
    return found


def requirements(text: str) -> list[str]:
    """The lines of a requirements file, with continuations joined; comments and options are left out."""
    joined = re.sub(r"\\\n", " ", text)
    return [" ".join(line.split()) for line in joined.splitlines() if re.match(r"[A-Za-z0-9]", line.strip())]


def _applies(line: str, python: str) -> bool:
    """Whether a requirement's marker holds on 64-bit Linux with that Python."""
    _, _, marker = line.split(" --hash")[0].partition(";")
    if not marker.strip():
        return True
    from packaging.markers import Marker

    target = {
        "python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix",
        "platform_machine": "x86_64", "implementation_name": "cpython", "platform_python_implementation": "CPython", "extra": "",
    }  # fmt: skip
    return Marker(marker.strip()).evaluate(target)


def group(line: str) -> str:
    """The group of a requirement."""
    name = _plain(line.split("==")[0])
    return next((each for each, begins in GROUPS.items() if begins and name.startswith(begins)), "base")


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _has(file: str | None) -> dict[str, str]:
    """Packages with their versions, from a machine's results or from ``pip freeze``; and programs that it has."""
    if not file:
        return {}
    found: dict[str, str] = {}
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        if line.startswith("{"):
            result = json.loads(line).get("result") or {}
            found |= {_plain(name): version for name, version in result.get("packages", {}).items()}
            found |= {name: "" for name, path in result.get("tools", {}).items() if path}
        elif "==" in line:
            name, _, version = line.strip().partition("==")
            found[_plain(name)] = version
    return found


def _group(name: str, lines: Iterable[str], options: argparse.Namespace, work: Path) -> tuple[Path, list[str]]:
    """Download a group's wheels, lay them out as site-packages has them, prune, pack; the archive and its packages."""
    wheels, tree = Path(options.wheels or work) / name, work / f"{name}-tree"
    wheels.mkdir(parents=True, exist_ok=True)
    listed = work / f"{name}.txt"
    # The hashes hold; the markers were evaluated for the machine, and pip would evaluate them for this one.
    listed.write_text("\n".join(re.sub(r"\s*;.*?(?=\s--hash|$)", "", line) for line in lines) + "\n", encoding="utf-8")
    command = [
        _pip(),
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--only-binary=:all:",
        "--implementation",
        "cp",
        "-d",
        str(wheels),
    ]
    command += ["--python-version", options.python_version, "-r", str(listed)]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    subprocess.run(command, check=True)
    packages = []
    for wheel in sorted(wheels.glob("*.whl")):
        lay_out(wheel, tree)
        packages.append("==".join(wheel.name.split("-")[:2]))
    _trim(tree)
    if options.keep != "all":
        for library in [*tree.rglob("*.so"), *tree.rglob("*.so.*")]:
            zeroed, size = pruning.prune(library, {int(arch) for arch in options.keep.split(",")})
            if zeroed:
                print(f"{library.name}: {zeroed / 2**20:.0f} of {size / 2**20:.0f} MiB are for other GPUs", flush=True)
    archive = work / f"{name}.tar.xz"
    with tarfile.open(archive, "w:xz", preset=6) as packed:
        packed.add(tree, arcname=".")
    shutil.rmtree(tree)
    return archive, packages


def lay_out(wheel: Path, tree: Path) -> None:
    """A wheel's files as an installation has them in site-packages; programs of its `scripts` are left out."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            parts = member.filename.split("/")
            if parts[0].endswith(".data"):
                if parts[1] not in ("purelib", "platlib") or len(parts) < 3:
                    continue
                parts = parts[2:]
            if member.is_dir():
                continue
            target = tree.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)
            mode = member.external_attr >> 16
            target.chmod(0o755 if mode & 0o111 else 0o644)


def _trim(tree: Path) -> None:
    """What is for building and testing those packages, not for using them."""
    for folder in [
        each for each in tree.rglob("*") if each.is_dir() and each.name in ("tests", "include", "docs", "__pycache__")
    ]:
        if not folder.exists():
            continue
        # CuPy and Numba compile with headers of theirs and of the toolkit's; Numba's and NumPy's tests are imported by what is used.
        top = folder.relative_to(tree).parts[0]
        if top not in ("numba", "numpy", "numba_cuda") and (folder.name != "include" or top.startswith(HEADERS)):
            shutil.rmtree(folder)


def _pip() -> str:
    for python in (sys.executable, shutil.which("python3"), shutil.which("python")):
        if (
            python
            and subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
        ):
            return python
    raise SystemExit(
        "tests/gpu/pack downloads with pip, and no Python with pip is on the PATH: start it with one that has it."
    )
