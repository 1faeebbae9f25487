"""Broken variants of the kernel set, each found with the right kind and line; here interpreted, which is quick.

And no alarm at the right ones.  `make test-all ARGS=kernels` does all of it compiled too (`packages/kernellens/tests/test_kernels_set_seen.py`).
"""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "gpusim" / "tests")]
from broken.all_variants import VARIANTS, kind_and_module  # noqa: E402
from broken.checking import check, lines  # noqa: E402
from broken.deserved import DESERVED  # noqa: E402
from broken.variant import traced  # noqa: E402
from kernels_set import registry  # noqa: E402

COMPILED = "uncompilable"  # only the compiler says what does not compile


@pytest.fixture(scope="module")
def entries(simulated_libraries):
    return registry.load()


@pytest.mark.large("broken", by=kind_and_module)
@pytest.mark.parametrize("broken", VARIANTS, ids=lambda broken: broken.name)
def test_a_broken_kernel_is_found_with_its_kind_and_line(broken, entries, monkeypatch):
    if broken.kind != COMPILED:
        monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")
    check(broken, entries)


@pytest.mark.large("name", by=registry.module_of)
@pytest.mark.parametrize("name", registry.names())
def test_a_right_kernel_raises_no_alarm(name, entries, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")
    with traced(stop=False) as seen:
        for case in entries[name].cases(registry.seeded(name)):
            registry.run(entries[name], case)
    assert seen
    assert {(found.kind, found.severity) for trace in seen for found in trace.errors} == DESERVED.get(name, set())


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


@pytest.mark.large
def test_a_breakage_elsewhere_in_the_same_kernel_has_another_line(entries):
    places = {}
    for broken in VARIANTS:
        if broken.at is not None:
            places.setdefault((broken.entry, broken.function), set()).add(lines(broken, entries))
    assert sum(len(found) > 1 for found in places.values()) >= 15
    assert len(places["tree_sum", ""]) >= 4
