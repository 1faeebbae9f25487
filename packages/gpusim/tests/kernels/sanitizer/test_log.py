"""The access log: what goes in comes out, in few bytes."""

import numpy as np
import pytest

from gpusim.kernels.sanitizer.log import NO_ARRAY, RECORD, Recorder


def recorder(**options):
    made = Recorder((2, 2), (4, 2), **options)
    x = made.array("x", "global", "f4", (8, 8))
    return made, x, made.site(3, array="x", kind="read"), made.site(4, array="x", kind="write")


def test_a_record_takes_20_bytes():
    assert RECORD.itemsize == 20


def test_appended_arrays_come_out_in_order():
    made, x, read, write = recorder()
    made.append(np.arange(4), np.arange(4), read, x)
    made.append(np.arange(4, 8), np.arange(4), write, x, interval=1, values=np.arange(4) + 0.5)
    made.append([1, 2], [0, 1], [write, read], x, values=[9.5])
    log = made.log()
    assert log.records["element"].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 1, 2]
    assert log.records["interval"].tolist() == [0] * 4 + [1] * 4 + [0, 0]
    assert log.values.view("f8").tolist() == [0.5, 1.5, 2.5, 3.5, 9.5]
    assert log.values.view("f8")[log.values_at()[[5, 8]]].tolist() == [1.5, 9.5]
    assert log.nbytes == 10 * 20 + 5 * 8


@pytest.mark.parametrize(
    ("values", "bits"),
    [
        (np.array([-1], "i1"), 0xFF),
        (np.array([1.0], "f4"), 0x3F800000),
        (np.array([True]), 1),
        (np.array([2**63], "u8"), 2**63),
        (np.array([1 + 2j], "c16"), 0x3FF0000000000000),
        (np.array([1 + 2j], "c8"), 0x400000003F800000),
        (np.array([1.0], "f2"), 0x3C00),
    ],
)
def test_the_low_64_bits_of_a_value_are_kept(values, bits):
    made, x, _, write = recorder()
    made.append(0, 0, write, x, values=values)
    assert made.log().values.tolist() == [bits]


def test_one_value_for_all():
    made, x, _, write = recorder()
    made.append([0, 1, 2], 0, write, x, values=7)
    assert made.log().values.tolist() == [7, 7, 7]


@pytest.mark.parametrize("values", [None, [1, 2]])
def test_as_many_values_as_writes(values):
    made, x, _, write = recorder()
    with pytest.raises(ValueError, match="values for 3 writes"):
        made.append([0, 1, 2], 0, write, x, values=values)


def test_compiled_code_fills_reserved_room():
    made, x, read, write = recorder()
    chunk = made.reserve(100)
    chunk.records[:3] = [(k, k, (read, write, write)[k], x, 0, 0, 0, 0) for k in range(3)]
    chunk.values[:2] = 5, 6
    chunk.counts[:] = 3, 2
    made.commit()
    other, last = made.reserve(4), made.reserve(4)
    for k, part in enumerate((last, other)):
        part.records[0] = (50 + k, 0, read, x, 0, 0, 0, 0)
        made.commit(1, 0, part)
    log = made.log()
    assert log.records["element"].tolist() == [0, 1, 2, 50, 51] and log.values.tolist() == [5, 6]
    assert log.nbytes == 5 * 20 + 2 * 8  # the room that was not used is given back
    with pytest.raises(ValueError):
        made.commit(1, 0)


def test_pieces_are_the_records_in_order():
    made, x, read, write = recorder()
    sizes, start = [7, 1, 2, 30, 1, 1, 9, 50], 0
    for k, n in enumerate(sizes):
        made.append(np.arange(start, start + n), 0, write if k % 2 else read, x, values=np.arange(n) if k % 2 else None)
        start += n
    for size in (3, 10, 16, 1000):
        log = made.log()
        assert all(len(r) <= size for _, r in log.pieces(size))
        assert np.concatenate([np.arange(first, first + len(r)) for first, r in log.pieces(size)]).tolist() == list(
            range(101)
        )
        assert np.concatenate([r["element"] for _, r in log.pieces(size)]).tolist() == list(range(101))
        values = np.concatenate([v for _, v in log.stored(size)]).tolist()
        assert values == [i for k, n in enumerate(sizes) for i in range(n) if k % 2]
        stored = np.concatenate([r["site"] for r, _ in log.stored(size)])
        assert len(stored) == len(values) and (stored == write).all()
    assert len(log.chunks) == 1  # small ones were joined


def test_beyond_its_maximum_it_is_truncated_and_says_so():
    made, x, read, write = recorder(maximum=10)
    made.append(np.arange(6), 0, read, x)
    assert not made.full
    made.append(np.arange(8), 0, [write, read] * 4, x, values=np.arange(4))
    made.append(0, 0, read, x)
    log = made.log()
    assert made.full and len(log) == 10 and log.truncated == 5
    assert log.values.tolist() == [0, 1]


def test_the_same_place_has_the_same_number():
    made, _, read, _ = recorder()
    assert made.site(3, array="x", kind="read") == read != made.site(3, array="y", kind="read")
    assert made.sync(7) == made.sync(7) != made.sync(8)


def test_where_a_thread_is():
    made = Recorder((3, 2), (40, 2), blocks=[1, 5])
    log = made.log()
    assert log.thread_of(0) == (0, 0, 0) and log.block_of(0) == (1, 0, 0)
    assert log.thread_of(80 + 41) == (1, 1, 0) and log.block_of(80 + 41) == (2, 1, 0)
    block, warp, lane = log.positions(np.array([0, 79, 80, 80 + 33], np.uint32))
    assert (block.tolist(), warp.tolist(), lane.tolist()) == ([0, 0, 1, 1], [0, 2, 0, 1], [0, 15, 0, 1])


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: a[::2, 1::3],
        lambda a: a[::-1],
        lambda a: a[::-1, ::-2],
        lambda a: a[2:5, 3],
        lambda a: a[1],
        lambda a: np.asfortranarray(a),
        lambda a: a.view([("r", "f4"), ("s", "f4")]),
        lambda a: a.astype("u1")[:, ::5],
        lambda a: a[3:4, 2:3],
        lambda a: a.reshape(3, 4, 2, 5)[:, ::-1, :, 1:4],
    ],
)
def test_an_element_is_told_by_its_index(view):
    """By the addresses that NumPy gives the same elements."""
    array = view(np.arange(120, dtype="f4").reshape(12, 10))
    made = Recorder((1,), (1,))
    number = made.argument("x", array)
    known = made.log().arrays[number]
    for index in np.ndindex(array.shape):
        address = array[(*index[:-1], slice(index[-1], index[-1] + 1))].__array_interface__["data"][0]
        element, rest = divmod(address - known.lowest, array.itemsize)
        assert rest == 0 and 0 <= element * array.itemsize < known.extent
        assert made.log().index_of(number, element) == index


def test_sums_by_array():
    made, x, read, write = recorder()
    y = made.array("y", "shared", "f4", (4,))
    add = made.site(9, array="y", kind="atomic")
    made.append(0, [0, 0, 0, 1], read, x)
    made.append(0, [2, 3], write, x, values=1)
    made.append(0, [5, 5], add, y, values=1)
    made.fence(0, made.site(10, kind="fence"))
    total = made.log().explain()
    assert total["x"] == {
        "reads": 4, "reads_by_one": 3, "writes": 2, "writes_by_one": 1, "atomics": 0, "atomics_by_one": 0,
    }  # fmt: skip
    assert total["y"]["atomics"] == 2 and total["y"]["atomics_by_one"] == 2
    assert made.log().records["array"][-1] == NO_ARRAY and sorted(total) == ["x", "y"]


def test_at_a_site():
    made, x, read, write = recorder()
    made.append([4, 5], 0, [read, write], x, values=1)
    made.append([6, 7], 0, [write, read], x, values=1)
    assert made.log().at_site(write)["element"].tolist() == [5, 6]


class Counted(np.ndarray):
    """Records that count how often somebody looks at all their sites."""

    looks = 0

    def __getitem__(self, key):
        Counted.looks += isinstance(key, str) and key == "site"
        return np.asarray(super().__getitem__(key))


def test_a_log_is_looked_through_once_for_all_its_sites(monkeypatch):
    made, x, read, write = recorder()
    sites = [made.site(line, array="x", kind="read") for line in range(10, 60)]
    rng = np.random.default_rng(5)
    for _ in range(3):
        made.append(np.arange(700), 0, rng.choice(sites, 700), x)
    log = made.log()
    plain = log.records.copy()
    log.chunks = [(records.view(Counted), values) for records, values in log.chunks]
    Counted.looks = 0
    for site in sites:
        assert log.at_site(site).tolist() == plain[plain["site"] == site].tolist()
    assert Counted.looks <= 1
    assert len(log.at_site(write)) == 0 and len(log.at_site(60_000)) == 0


def test_what_is_appended_later_is_at_its_site_too():
    made, x, read, write = recorder()
    made.append([4, 5], 0, [read, write], x, values=1)
    log = made.log()
    assert log.at_site(read)["element"].tolist() == [4]
    made.append([6, 7], 0, read, x)
    assert log.at_site(read)["element"].tolist() == [4, 6, 7]
    assert len(log.records) == 4  # joined now
    made.append([8], 0, read, x)
    assert log.at_site(read)["element"].tolist() == [4, 6, 7, 8]
    assert log.before_wrapping().at_site(write)["element"].tolist() == [5]


def test_an_empty_log():
    log = Recorder((1,), (1,)).log()
    assert len(log) == log.nbytes == 0 and len(log.records) == 0 and log.explain() == {}


def test_arrivals_are_counted():
    made, *_ = recorder()
    made.arrived([1, 2], -1, 3)
    assert made.log().arrivals == [(1, -1, 3), (2, -1, 3)]
