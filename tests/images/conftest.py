"""The images' tests: `make test-all ARGS=images`. One build for all of them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported without their folder's being on the path

import container  # noqa: E402


@pytest.fixture(scope="session")
def store():
    made = container.Store()
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="session")
def target():
    """Which image: HUNDREDFOLD_TARGET, else cpu."""
    return os.environ.get("HUNDREDFOLD_TARGET", "cpu")


@pytest.fixture(scope="session")
def image(store, target):
    took = store.build(target)
    made = store.image(target)
    told = f"{took:.0f} s to build" if took else "built before"
    print(
        f"\nhundredfold:{target}: {told}, {made.size() / 1e9:.2f} GB, load {os.getloadavg()[0]:.1f}",
        file=sys.__stderr__,
        flush=True,
    )
    return made


@pytest.fixture
def home(tmp_path):
    """An empty home volume that belongs to the image's user."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)  # the user goes through
    made = tmp_path / "home"
    made.mkdir()
    os.chown(made, 1000, 100)
    return made


@pytest.fixture
def small(home):
    """A home volume of its own with 24 MB."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,uid=1000,gid=100,mode=755", "home", home], check=True)
    try:
        yield home
    finally:
        subprocess.run(["umount", home], check=True)
        shutil.rmtree(home, ignore_errors=True)
