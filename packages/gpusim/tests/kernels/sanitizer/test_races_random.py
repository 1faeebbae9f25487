"""The race finder against a slow one that looks at every pair of accesses."""

import itertools

import numpy as np
import pytest

from gpusim.kernels.sanitizer import findings
from gpusim.kernels.sanitizer.conflicts import Sorted, contended
from gpusim.kernels.sanitizer.fences import Fences
from gpusim.kernels.sanitizer.log import Recorder
from gpusim.kernels.sanitizer.memory import memories
from gpusim.kernels.sanitizer.races import races


def pairs(log):
    """All racing pairs of records, by the definition."""
    kinds = log.kinds
    block, warp, _ = log.positions(log.records["thread"])
    rows = list(zip(log.records.tolist(), block.tolist(), warp.tolist(), strict=True))
    for (a, block_a, warp_a), (b, block_b, warp_b) in itertools.combinations(rows, 2):
        (element, thread, site, array, interval, passed, epoch, _), other = a, b
        kind = {kinds[site], kinds[other[2]]}
        if (element, array) != (other[0], other[3]) or thread == other[1] or kind in ({0}, {2}):
            continue
        if epoch != other[6]:
            continue
        if block_a != block_b:
            if log.arrays[array].space == "global":
                yield a, b
        elif interval == other[4] and (warp_a != warp_b or passed == other[5]):
            yield a, b


def make(seed):
    rng = np.random.default_rng(seed)
    grid, block = int(rng.integers(1, 4)), int(rng.choice([2, 33, 40, 64]))
    recorder = Recorder((grid,), (block,), maximum=10**6)
    spaces = rng.choice(["global", "shared"], 2)
    for k, space in enumerate(spaces):
        recorder.array(f"a{k}", space, "f4", (int(rng.integers(1, 30)),))
    for line, kind in enumerate(
        rng.choice(["read", "write", "atomic"], 5, p=[0.5, 0.25, 0.25] if seed % 3 else [0, 1, 0])
    ):
        recorder.site(int(line) // 2, array="a", kind=str(kind))
    n = int(rng.integers(1, 60))
    array = rng.integers(0, 2, n)
    element = rng.integers(0, np.array([a.shape[0] for a in recorder.log().arrays])[array])
    site = rng.integers(0, len(recorder.log().sites), n)
    most = rng.integers(1, 4, 3)
    stored = np.isin(recorder.log().kinds[site], (1, 2)).sum()
    recorder.append(
        element, rng.integers(0, grid * block, n), site, array,
        rng.integers(0, most[0], n), rng.integers(0, most[1], n), rng.integers(0, most[2], n),
        values=rng.integers(0, rng.integers(1, 3), int(stored)) if stored else None,
    )  # fmt: skip
    return recorder.log()


def harmless(log, a, b, numbered):
    """Whether all accesses that are unordered as these two are write one value from one line, or all stores to their element do."""
    block, warp, _ = log.positions(log.records["thread"])
    first, second = numbered[a], numbered[b]
    fields = ["element", "array", "epoch"]
    same = np.ones(len(log), bool)
    if block[first] == block[second]:
        fields += ["interval"]
        same &= block == block[first]
        if warp[first] == warp[second]:
            fields += ["warp"]
            same &= warp == warp[first]
    for field in fields:
        same &= log.records[field] == log.records[first][field]
    if log.arrays[a[3]].space == "shared":
        same &= block == block[first]
    if {log.sites[a[2]].kind, log.sites[b[2]].kind} == {"write"}:
        everywhere = (log.records["element"] == a[0]) & (log.records["array"] == a[3])
        if log.arrays[a[3]].space == "shared":
            everywhere &= block == block[first]
        stores = everywhere & np.isin(log.kinds[log.records["site"]], (1, 2))
        if _one_value(log, np.flatnonzero(stores)):
            return True
    return _one_value(log, np.flatnonzero(same))


def _one_value(log, rows):
    places = {(log.sites[s].kind, log.sites[s].line) for s in log.records["site"][rows]}
    values = set(log.values[log.values_at()[rows]].tolist())
    return len(places) == 1 and next(iter(places))[0] == "write" and len(values) == 1


@pytest.mark.large(smoke=2)
@pytest.mark.parametrize("start", range(0, 600, 60))
def test_the_same_races_as_by_comparing_all_pairs(start):
    raced, warned = 0, 0
    for seed in range(start, start + 60):
        log = make(seed)
        numbered = {r: k for k, r in enumerate(log.records.tolist())}
        if len(numbered) < len(log):  # the same access twice, perhaps of two values: told apart by nothing
            continue
        expected, slow = {}, list(pairs(log))
        for a, b in slow:
            key = (log.arrays[a[3]].name, *sorted((log.sites[a[2]].line, log.sites[b[2]].line)))
            severity = "warning" if harmless(log, a, b, numbered) else "error"
            expected[key] = min(severity, expected.get(key, severity))  # "error" sorts first
        found = {
            (f.array, *sorted((f.line, f.other_line))): f.severity for f in findings.examine(log) if f.kind == "race"
        }
        assert found == expected, seed
        raced += len(expected)
        warned += list(expected.values()).count("warning")
        for memory in memories(log):
            for race in races(log, memory, len(log), Fences(log)):
                ids = {race.first.thread, race.second.thread}
                assert any(
                    {a[1], b[1]} == ids
                    and {a[2], b[2]} == {race.first.site, race.second.site}
                    and a[0] == race.first.element
                    for a, b in slow
                ), seed
    assert raced > 20 and warned >= 5  # the logs are not all empty of races


def test_fields_that_do_not_fit_one_word_are_sorted_all_the_same():
    """Epochs, intervals and syncwarps up to 65 535 and many blocks: more than 64 bits."""
    compared = 0
    for seed in range(40):
        found = []
        for large in (False, True):
            log = make(seed)
            if large:
                for field in ("interval", "warp", "epoch"):
                    log.records[field] += 65000
                log.blocks = np.arange(1 << 20)
                log.arrays = [a._replace(space="global") for a in log.arrays]
            else:
                log.arrays = [a._replace(space="global") for a in log.arrays]
            for memory in memories(log):
                cells = contended(log, memory, len(log))
                if cells is None:
                    continue
                assert len(Sorted(log, cells).words) == 1 + large
                made = races(log, memory, len(log), Fences(log))
                found.append([(r.first.thread, r.second.site, r.first.element, r.level, r.severity) for r in made])
        half = len(found) // 2
        assert found[:half] == found[half:]
        compared += sum(map(len, found[:half]))
    assert compared > 20
