"""Which of the three comparisons with real GPUs finds each planted fault: `make test-all ARGS=planted CHECKOUTS=FOLDER`."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import comparisons  # noqa: E402

FAULTS = json.loads(Path(__file__).with_name("faults.json").read_text(encoding="utf-8"))
pytestmark = pytest.mark.skipif(
    not (os.environ.get("KERNELLENS_COMPILER") and os.environ.get("CHECKOUTS")),
    reason="needs NVIDIA's compilers and a checkout of rapidsai/cudf: make test-all ARGS=planted CHECKOUTS=FOLDER",
)


def source(folder: Path, fault: dict | None = None) -> Path:
    """A copy of the packages, with a fault."""
    for package in ("gpusim", "kernellens"):
        shutil.copytree(comparisons.ROOT / "packages" / package / "src" / package, folder / package)
    if fault is not None:
        file = folder / fault["file"]
        file.write_text(file.read_text(encoding="utf-8").replace(fault["old"], fault["new"]), encoding="utf-8")
    return folder


@pytest.mark.large
@pytest.mark.parametrize("name", comparisons.COMPARISONS)
def test_nothing_is_found_where_nothing_is_planted(tmp_path, name):
    assert comparisons.COMPARISONS[name](source(tmp_path)) == []


@pytest.mark.large
@pytest.mark.parametrize("fault", FAULTS, ids=[each["name"] for each in FAULTS])
def test_who_finds_a_planted_fault(tmp_path, fault):
    planted = source(tmp_path, fault)
    found = {name: compare(planted) for name, compare in comparisons.COMPARISONS.items()}
    assert [name for name in found if found[name]] == fault["found"], found
