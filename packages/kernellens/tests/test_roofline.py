"""`lens.roofline`: which limit binds, on which GPU, in which type, with blocks of which size."""

import dataclasses
import json

import numpy as np
import pytest

import kernellens
from gpusim.hardware import gpus
from kernellens.pictures.roof import LOW, SHOWN, changed, entry, main_type
from kernellens.times import Reuse, Work, bound_of, estimate_of

cuda = None  # set by conftest.py

# Two arrays of 10^8 float32 read, one written, one addition for each element.
ADDITION = Work(
    "addition",
    read=8e8,
    written=4e8,
    operations={"float32": 1e8},
    threads=10**8,
    blocks=390_625,
    block=256,
    moved=1.2e9,
)


def added(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def polynomial(x, out):
    i = cuda.grid(1)
    if i < out.size:
        value, total = x[i], x[i]
        for _ in range(400):
            total = total * value + value
        out[i] = total


def test_the_point_stands_where_operations_and_bytes_put_it():
    h200 = gpus.find("H200")
    row = entry(ADDITION, h200, "float32")
    assert row["intensity"] == pytest.approx(1e8 / 12e8)
    # All 1.2 GB must cross; what L2 (50 MB) may hold of both is left out of the bound.
    assert row["bound"] == pytest.approx(1e8 / bound_of(ADDITION, h200).seconds)
    assert row["estimate"] <= row["bound"] <= row["intensity"] * h200.bandwidth * 1.2
    assert row["binds"] == estimate_of(ADDITION, h200).binds == "memory"
    assert row["peak"] == h200.fp32 and row["bandwidth"] == h200.bandwidth


def test_another_type_has_other_bytes_and_another_roof():
    wide = changed(ADDITION, "float32", "float64", 256)
    assert (wide.read, wide.written, wide.moved) == (16e8, 8e8, 2.4e9)
    assert wide.operations == {"float64": 1e8} and wide.intensity == ADDITION.intensity / 2
    half = changed(ADDITION, "float32", "float16", 256)
    assert half.read == 4e8 and half.operations == {"float16": 1e8}
    # Two thirds of the bytes are indices, which stay as they are: 1/3 · 2 + 2/3.
    assert changed(ADDITION, "float32", "float64", 256, 1 / 3).read == pytest.approx(8e8 * 4 / 3)
    rest = Reuse(by_block=2.0, by_warp=4.0, by_request=8.0, stored=1.0, block=1.0, warp=1.0, again=((3.0, 5.0),))
    scaled = changed(Work(operations={"float32": 1.0}, reuse=rest), "float32", "float64", 0).reuse
    assert (scaled.by_block, scaled.again) == (4.0, ((6.0, 10.0),))


def test_another_block_has_as_many_threads_in_all():
    tile = Work("tile", operations={"float32": 1e6}, threads=1 << 20, blocks=4096, block=256, sharedmem=4096)
    small = changed(tile, "float32", "float32", 64)
    assert (small.blocks, small.block, small.sharedmem, small.threads) == (16_384, 64, 1024, 1 << 20)
    assert changed(tile, "float32", "float32", 256) is tile


@pytest.mark.large
def test_the_limit_that_binds_moves_with_gpu_and_type():
    n = 1 << 14
    trace = kernellens.trace(polynomial, n // 256, 256, np.ones(n, np.float32), np.zeros(n, np.float32))
    work = kernellens.times.work_of(trace, 1 << 16)
    assert main_type(work) == "float32"

    def binds(gpu, to):
        found = gpus.find(gpu)
        return bound_of(changed(work, "float32", to, 256), found).seconds

    # 800 operations for 8 bytes: arithmetic binds, and float64 is 64 times as slow on an RTX 4090, twice on an H200.
    assert binds("RTX 4090", "float64") / binds("RTX 4090", "float32") > 20
    assert binds("H200", "float64") / binds("H200", "float32") < 3
    text = str(kernellens.roofline(trace, griddim=1 << 16, gpu="RTX 4090"))
    assert text.splitlines()[1].startswith("On RTX 4090, float32, blocks of 256:")
    for gpu in SHOWN:
        assert any(line.startswith(f"{gpu} ") for line in text.splitlines())


def test_the_figure_has_every_choice_in_it_and_no_measured_time():
    x = np.zeros(1000, np.float32)
    figure = kernellens.roofline(added, 4, 256, x, x, x.copy(), gpu="A100")
    item = json.dumps(figure.data()["item"])
    assert len(item) < 300_000
    for choice in ("A100|float64|1024", "B200|float16|32", "T4|float32|256"):
        assert choice in item
    assert "estimate" in figure.alt and "bound" in figure.alt
    assert "not measured times" in str(figure)


def test_integers_alone_and_copies_have_a_place_too():
    counted = Work(read=1e6, written=1e6, operations={"int32": 4e6}, threads=1000, blocks=10, block=100)
    assert entry(counted, gpus.find("T4"), "float32")["intensity"] == 2.0
    assert entry(counted, gpus.find("T4"), "float32")["peak"] == gpus.find("T4").int32
    copy = Work(read=1e6, written=1e6, threads=1000, blocks=10, block=100)
    assert entry(copy, gpus.find("T4"), "float32")["intensity"] == LOW
    assert "next to nothing" in kernellens.roofline(copy).alt


def test_what_is_not_counted_is_not_taken_for_nothing():
    copy = Work(
        read=1e6, written=1e6, threads=1000, blocks=10, block=100, notes=("Arithmetic is not counted: float16.",)
    )
    alt = kernellens.roofline(copy).alt
    assert "not counted" in alt and "next to nothing" not in alt


def test_of_a_log_that_was_full_the_bound_alone_is_drawn():
    work = dataclasses.replace(ADDITION, cut=True)
    row, whole = (entry(each, gpus.find("T4"), "float32") for each in (work, ADDITION))
    assert row["bound"] == whole["bound"] and row["least"] == whole["least"]
    parts = {name: value for name, value in bound_of(work, "T4").parts.items() if value}
    assert row["estimate"] == 0 and row["parts"] == pytest.approx(parts)
    figure = kernellens.roofline(work, gpu="T4")
    text = str(figure)
    assert "no estimate, at least" in text and "The log of addition was full" in text
    assert "about" not in text.split("\n")[1]
    assert "no estimate" in figure.alt and "(bound)" in json.dumps(figure.data()["item"])


def test_an_unknown_gpu_is_answered_with_the_nearest():
    with pytest.raises(gpus.UnknownGpuError, match="H200"):
        kernellens.roofline(ADDITION, gpu="H201")
