"""The lock: pinned, hashed, free of hosts, and the same versions on a laptop as on a GPU machine."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hundredfold.setup import workspace
from hundredfold.setup.lab import commands, environment

ROOT = Path(__file__).resolve().parents[4]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def pins(name: str) -> dict[str, set[str]]:
    """Package → versions in a file of the lock (more than one where markers tell them apart)."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / "requirements" / f"{name}.txt").read_text().splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", line):
            found.setdefault(canonicalize_name(match.group(1)), set()).add(match.group(2))
    return found


@pytest.fixture(scope="module")
def project() -> dict:
    """The root's pyproject.toml, with the course's own extras and what the three packages ask for together."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text())
    course = workspace.settings(ROOT, "hundredfold")["project"]
    together = {"dependencies": workspace.dependencies(ROOT), "optional-dependencies": course["optional-dependencies"]}
    return {**read, "project": together}


def test_there_is_one_file_for_each_extra_and_group(project):
    extras = set(project["project"]["optional-dependencies"])
    groups = set(project["dependency-groups"]) - {"build"}
    assert extras == set(environment.EXTRAS) and groups == set(environment.GROUPS)
    assert {lock.stem for lock in LOCKS} == extras | groups | set(commands.APART)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_package_is_pinned_with_hashes_and_no_host_is_named(lock):
    text = lock.read_text()
    assert "://" not in text and "index" not in text.lower().replace("pyarrow", "")
    entries = [e for e in re.split(r"\n(?=\S)", text.strip()) if not e.startswith("#")]
    assert entries
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+(\[[^]]*\])?==", entry), entry.splitlines()[0]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry.splitlines()[0]


@pytest.mark.parametrize("extra", [extra for extra in environment.EXTRAS if extra != "cpu"])
def test_a_gpu_machine_teaches_with_the_laptops_versions(extra):
    laptop, machine = pins("cpu"), pins(extra)
    assert set(laptop) <= set(machine)
    assert {name: machine[name] for name in laptop} == laptop


@pytest.mark.parametrize("group", environment.GROUPS)
def test_a_group_installs_beside_each_extra(group):
    """uv takes several files at once only where they agree."""
    mine = pins(group)
    for extra in environment.EXTRAS:
        theirs = pins(extra)
        assert {n: theirs[n] for n in mine.keys() & theirs.keys()} == {n: mine[n] for n in mine.keys() & theirs.keys()}


def test_what_is_declared_is_locked(project):
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["build"]]
    locked = pins("cpu")
    for requirement in map(Requirement, wanted):
        versions = locked[canonicalize_name(requirement.name)]
        assert all(version in requirement.specifier for version in versions), requirement


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_what_is_excluded_is_in_no_file(lock, project):
    excluded = project["tool"]["uv"]["exclude-dependencies"]
    assert excluded and not pins(lock.stem).keys() & {canonicalize_name(name) for name in excluded}


def test_the_laptop_downloads_nothing_of_cuda():
    assert not [name for name in pins("cpu") if re.match(r"(nvidia-(?!ml-py)|cuda|cupy|cudf|libcudf|numba-cuda)", name)]


def test_no_tracked_file_names_a_package_indexs_host():
    """Who installs from a mirror must not be sent elsewhere, by a lock or by a page."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if done.returncode:
        pytest.skip("no git checkout: there is no list of tracked files")
    host = re.compile(rb"\bpypi" + rb"\.org\b|python" + rb"hosted\.org", re.IGNORECASE)
    files = [ROOT / name for name in done.stdout.decode().split("\0") if name]
    assert files
    assert not [str(file.relative_to(ROOT)) for file in files if file.is_file() and host.search(file.read_bytes())]
