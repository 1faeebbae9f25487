"""Broken variants of the kernel set, each found with the right kind and line; here interpreted, which is quick.

`make test-kernels` finds them compiled too, and traces every right kernel (`tests/kernels_set/test_lens.py`).
"""

import importlib
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from broken.all_variants import VARIANTS  # noqa: E402
from broken.checking import check, lines  # noqa: E402

COMPILED = "uncompilable"  # only the compiler says what does not compile


@pytest.fixture(scope="module")
def entries(standins):
    registry = importlib.import_module("kernels_set.registry")
    return registry.load()


@pytest.mark.parametrize("broken", VARIANTS, ids=lambda broken: broken.name)
def test_a_broken_kernel_is_found_with_its_kind_and_line(broken, entries, monkeypatch):
    if broken.kind != COMPILED:
        monkeypatch.setenv("HUNDREDFOLD_KERNELS", "interpreted")
    check(broken, entries)


def test_there_are_as_many_as_promised_and_each_has_a_name():
    names = [broken.name for broken in VARIANTS]
    assert len(set(names)) == len(names) >= 60
    assert {broken.kind for broken in VARIANTS} == {
        *(
            "out-of-bounds",
            "negative-index",
            "race",
            "barrier-divergence",
            "uninitialised-shared",
            "uncompilable",
            "launch",
        )
    }


def test_a_breakage_elsewhere_in_the_same_kernel_has_another_line(entries):
    places = {}
    for broken in VARIANTS:
        if broken.at is not None:
            places.setdefault((broken.entry, broken.function), set()).add(lines(broken, entries))
    assert sum(len(found) > 1 for found in places.values()) >= 15
    assert len(places["tree_sum", ""]) >= 4
