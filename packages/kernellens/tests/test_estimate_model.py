"""From numbers to seconds: each part of a bound and of an estimate, worked out by hand; and what they say of themselves."""

import dataclasses
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import kernellens
from gpusim import hardware
from gpusim.hardware import gpus
from kernellens import target, times
from kernellens.times import Reuse, Work, bound_of, estimate_of

cuda = None  # set by conftest.py

V100, T4, H200 = (gpus.find(name) for name in ("V100", "T4", "H200"))
MB = 1e6


# The bound


def test_memory_of_a_bound_is_what_l2_cannot_hold():
    l2 = V100.l2  # 6 MiB
    bound = bound_of(Work(read=800 * MB, written=400 * MB), V100)
    assert bound.parts["memory"] == pytest.approx((1200 * MB - 2 * l2) / 900e9)
    assert bound.binds == "memory" and bound.seconds == bound.parts["memory"]


def test_what_fits_into_l2_need_not_move_but_must_reach_the_sms():
    bound = bound_of(Work(read=4 * MB, written=1 * MB), V100)
    # 80 SMs take 64 bytes in a cycle of 1.53 GHz at most: 7.8 TB/s.
    assert bound.parts["memory"] == pytest.approx(5 * MB / (64 * 80 * 1.53e9))


def test_one_block_has_one_sm():
    few = bound_of(Work(read=4 * MB, operations={"float64": 1e6}, blocks=1, block=1024, threads=1024), V100)
    assert few.parts["memory"] == pytest.approx(4 * MB / (64 * 1.53e9))
    assert few.parts["arithmetic"] == pytest.approx(1e6 / (7.8e12 / 80 * 1.01))
    one_warp = bound_of(Work(operations={"float64": 1e6}, blocks=1, block=32, threads=32), V100)
    assert one_warp.parts["arithmetic"] == pytest.approx(4 * few.parts["arithmetic"])


@pytest.mark.parametrize(
    "kind, rate", [("float64", 7.8e12), ("float32", 15.7e12), ("float16", 31.4e12), ("special", 1.958e12)]
)
def test_arithmetic_of_a_bound(kind, rate):
    bound = bound_of(Work(operations={kind: 1e12}), V100)
    assert bound.parts["arithmetic"] == pytest.approx(1e12 / rate / 1.01)


def test_integers_may_go_four_at_a_time():
    # 80 SMs × 64 × 1.53 GHz are 7.834 T additions a second.
    bound = bound_of(Work(operations={"int32": 4 * 7.834e12}), V100)
    assert bound.parts["arithmetic"] == pytest.approx(1 / 1.01)


def test_units_work_side_by_side_and_what_is_not_certain_is_left_out():
    both = Work(operations={"float64": 7.8e12, "float32": 15.7e12})
    assert bound_of(both, V100).parts["arithmetic"] == pytest.approx(1 / 1.01)
    less = dataclasses.replace(both, certain={"float32": 1.57e12})
    assert bound_of(less, V100).parts["arithmetic"] == pytest.approx(0.1 / 1.01)


def test_float64_is_a_thirty_second_on_a_t4_and_half_on_a_v100():
    work = {kind: Work(operations={kind: 1e12}) for kind in ("float64", "float32")}
    for gpu, factor in ((T4, 32), (V100, 2), (gpus.find("RTX 4090"), 64), (gpus.find("L4"), 64)):
        seconds = [bound_of(work[kind], gpu).parts["arithmetic"] for kind in ("float64", "float32")]
        assert seconds[0] / seconds[1] == pytest.approx(factor, rel=0.02)


def test_matrix_products_run_on_matrix_units():
    assert bound_of(Work(products={"float64": 67e12}), H200).parts["arithmetic"] == pytest.approx(1 / 1.01)
    assert bound_of(Work(operations={"float64": 34e12}), H200).parts["arithmetic"] == pytest.approx(1 / 1.01)


def test_clocks_above_the_printed_one_are_allowed_for():
    gpu = gpus.find("RTX 4090")
    bound = bound_of(Work(operations={"float32": 82.6e12}), gpu)
    assert bound.seconds == pytest.approx(2.52 / 3.105 / 1.01)


def test_atomics_and_launches_and_the_link():
    assert bound_of(Work(atomics=5000, contended=1.53e6), V100).parts["atomics"] == pytest.approx(5e-4)
    assert bound_of(Work(launches=3), V100).seconds == pytest.approx(1.5e-6)
    link = bound_of(Work(link=15.75e9, copies=1, launches=0), V100)
    assert (link.seconds, link.binds) == (pytest.approx(1.0), "link")


def test_several_add_up():
    one, two = Work("first", read=900 * MB), Work("second", products={"float64": 7.8e12})
    for of in (bound_of, estimate_of):
        both = of([one, two], V100)
        assert both.seconds == pytest.approx(of(one, V100).seconds + of(two, V100).seconds)
        assert both.parts["memory"] == pytest.approx(of(one, V100).parts["memory"])
        assert both.binds == "arithmetic" and "second takes 100%" in both.advice
    assert bound_of([], V100).seconds == 0


def test_numbers_that_cannot_be():
    with pytest.raises(ValueError, match="read must be 0 or more"):
        Work(read=-1)
    with pytest.raises(ValueError, match="counted as float64"):
        Work(operations={"f8": 1})
    with pytest.raises(KeyError, match="nearest known: H200"):
        bound_of(Work(), "H300")


# The estimate

FULL = {"threads": 1 << 20, "blocks": 4096, "block": 256}
"""4 096 blocks of 8 warps: 51.2 for each SM of a V100, which holds 8 at a time."""
TAIL = 52 / 51.2
CYCLES = 80 * 1.53e9


def part(kind, gpu=V100, **numbers):
    return estimate_of(Work(**FULL, **numbers), gpu).parts[kind]


def test_memory_of_an_estimate():
    assert part("memory", read=600 * MB, written=300 * MB) == pytest.approx(900 * MB / (0.9 * 900e9))
    assert part("memory", read=4 * MB) == 0  # in L2 already
    assert part("memory", read=4 * MB, dram=9 * MB) == pytest.approx(9 * MB / (0.9 * 900e9))


def test_what_l2_cannot_keep_moves_again():
    again = ((5 * MB, 100 * MB), (7 * MB, 200 * MB))  # kept in 6 MiB; not kept
    reuse = Reuse(900 * MB, 900 * MB, 900 * MB, 0.0, 1e4, 1e3, again)
    assert part("memory", read=600 * MB, reuse=reuse) == pytest.approx(800 * MB / (0.9 * 900e9))


@pytest.mark.parametrize(
    "block, warp, loaded",
    [(10_000, 1_000, 100), (20_000, 1_000, 300), (20_000, 5_000, 900)],
    ids=["the blocks' data", "the warps' data", "nothing"],
)
def test_l1_keeps_what_fits(block, warp, loaded):
    # 8 blocks of 8 warps share 128 KiB: 16 KB for a block, 2 KB for a warp.
    reuse = Reuse(100 * MB, 300 * MB, 900 * MB, 50 * MB, block, warp)
    assert part("L2", read=100 * MB, reuse=reuse) == pytest.approx((loaded + 50) * MB / 2155e9)


def test_what_belongs_to_an_sm_has_a_tail():
    assert part("L1", wavefronts=1e9) == pytest.approx(1e9 / CYCLES * TAIL)
    assert part("shared memory", shared=1e9) == pytest.approx(1e9 / CYCLES * TAIL)
    assert part("issue", instructions=1e9) == pytest.approx(1e9 / (4 * CYCLES) * TAIL)
    assert part("arithmetic", slots={"float64": 3.9e12}) == pytest.approx(1.0 * TAIL)
    even = estimate_of(Work(instructions=1e9, threads=80 * 256, blocks=80, block=256), V100)
    assert even.parts["issue"] == pytest.approx(1e9 / (4 * CYCLES))
    odd = estimate_of(Work(instructions=1e9, threads=81 * 256, blocks=81, block=256), V100)
    assert odd.parts["issue"] == pytest.approx(1e9 / (4 * CYCLES) * 2 / (81 / 80))


def test_latency_is_waves_of_waiting():
    # 51.2 blocks for each SM, 8 at a time: 6.4 waves, of 400 cycles more than a thread waits.  Nothing in L1, all in L2: 215 each.
    reuse = Reuse(1 * MB, 1 * MB, 1 * MB, 0.0, 1e2, 1e1)
    assert part("latency", read=1 * MB, rounds=10, cycles=70, reuse=reuse) == pytest.approx(6.4 * 2620 / 1.53e9)
    far = Reuse(100 * MB, 100 * MB, 100 * MB, 0.0, 1e2, 1e1)
    assert part("latency", read=100 * MB, rounds=10, reuse=far) == pytest.approx(6.4 * 4770 / 1.53e9)
    near = Reuse(1 * MB, 1 * MB, 4 * MB, 0.0, 1e2, 1e1)  # L1 answers three of four
    assert part("latency", read=1 * MB, rounds=10, reuse=near) == pytest.approx(
        6.4 * (7.5 * 30 + 2.5 * 215 + 400) / 1.53e9
    )


def test_loads_that_wait_together_wait_for_the_slowest():
    # Three loads in one round: two are found in L1, one in L2, and the round lasts as long as that.
    reuse = Reuse(1 * MB, 1 * MB, 3 * MB, 0.0, 1e2, 1e1)
    warps = FULL["blocks"] * 8
    assert part("latency", read=1 * MB, rounds=1, requests=3 * warps, reuse=reuse) == pytest.approx(6.4 * 615 / 1.53e9)


def test_memory_and_latency_hinder_each_other():
    reuse = Reuse(900 * MB, 900 * MB, 900 * MB, 0.0, 1e2, 1e1)
    estimate = estimate_of(Work(**FULL, read=900 * MB, rounds=100, reuse=reuse, launches=0), V100)
    memory, latency = estimate.parts["memory"], estimate.parts["latency"]
    assert estimate.seconds == pytest.approx((memory**2 + latency**2) ** 0.5)


def test_units_hinder_each_other_and_the_stations_of_one_path_do_not():
    slots = {"float64": 3.9e11}
    work = Work(**FULL, read=900 * MB, slots=slots, instructions=1e9, wavefronts=2e7, shared=3e8, launches=0)
    estimate = estimate_of(work, V100)
    parts = estimate.parts
    assert parts["memory"] > max(parts["L2"], parts["L1"]) > 0 and parts["arithmetic"] > parts["issue"] > 0
    squares = sum(parts[unit] ** 2 for unit in ("memory", "arithmetic", "shared memory"))
    assert estimate.seconds == pytest.approx(squares**0.5)


def test_sectors_alone_in_their_line_take_l2_longer():
    reuse = Reuse(100 * MB, 100 * MB, 100 * MB, 50 * MB, 1e9, 1e9, alone=100 * MB, store_turns=200 * MB)
    assert part("L2", read=100 * MB, reuse=reuse) == pytest.approx((200 + 200) * MB / 2155e9)


def test_stretches_of_their_own_overflow_the_caches():
    """64 elements of 8 bytes for each thread, one after the other: a warp's request takes 32 lines, and asks for a sector four times."""
    warps = FULL["blocks"] * 8
    nbytes = 64 * 8 * FULL["threads"]
    reuse = Reuse(nbytes, nbytes, 4 * nbytes, 4 * nbytes, 256 * 512, 32 * 512)
    work = Work(
        **FULL, read=nbytes, written=nbytes, rounds=16, requests=128 * warps, wavefronts=32 * 128 * warps, reuse=reuse
    )
    # 40 SMs hold 1 024 threads, each with a line of 128 bytes of either array: 10 MB, more than the 4 MiB of a T4's L2.
    assert estimate_of(work, T4).parts["memory"] == pytest.approx(12 * nbytes / (0.45 * 320e9))
    # On an L4 they fit into 48 MiB: each byte crosses once, at half the usual rate.
    assert estimate_of(work, "L4").parts["memory"] == pytest.approx(2 * nbytes / (0.45 * 300e9))
    together = dataclasses.replace(
        work, wavefronts=2 * 128 * warps, reuse=dataclasses.replace(reuse, by_request=nbytes)
    )
    assert estimate_of(together, T4).parts["memory"] == pytest.approx(2 * nbytes / (0.9 * 320e9))


def test_l1_keeps_what_a_block_s_warps_read_at_the_same_time():
    """A block reads 1 MB in all, more than an SM holds, but its eight warps the same two lines at a time."""
    warps = FULL["blocks"] * 8
    reuse = Reuse(100 * MB, 800 * MB, 1600 * MB, 0.0, 1 * MB, 1 * MB)
    work = Work(**FULL, read=10 * MB, rounds=1000, requests=2000 * warps, wavefronts=2000 * warps, reuse=reuse)
    assert estimate_of(work, V100).parts["L2"] == pytest.approx(100 * MB / 2155e9)


@pytest.mark.parametrize(
    "gpu, kind, peak, share",
    [
        ("T4", "float32", 8.1e12, (585 / 1590) ** 0.5),
        ("A100", "float64", 19.5e12, (1275 / 1410) ** 0.5),
        ("T4", "float64", 253e9, 1.0),  # two units in an SM draw little power
    ],
)
def test_a_matrix_product_runs_between_the_promised_clock_and_that_of_the_peak(gpu, kind, peak, share):
    work = Work("product", products={kind: 1e12})
    assert estimate_of(work, gpu).parts["arithmetic"] == pytest.approx(1e12 / (0.9 * share * peak))
    assert bound_of(work, gpu).parts["arithmetic"] < 1.01 * 1e12 / peak


def test_an_estimate_from_a_log_that_was_full_is_refused_and_a_bound_is_not():
    work = Work("long", **FULL, read=900 * MB, cut=True)
    with pytest.raises(ValueError, match="The log of long was full"):
        estimate_of(work, V100)
    assert bound_of(work, V100).seconds > 0
    with pytest.raises(ValueError, match="was full"):
        estimate_of([Work(), work], V100)


def test_a_log_that_was_full_is_seen(monkeypatch):
    def long(x, n):
        total = 0.0
        for k in range(n):
            total += x[k]
        x[0] = total

    monkeypatch.setattr("gpusim.kernels.backends.numba.traced._MUCH", 1 << 10)
    trace = kernellens.trace(long, 1, 32, np.ones(1 << 12), 1 << 12)
    with pytest.raises(ValueError, match="The log of long was full"):
        kernellens.estimate(trace, gpu="V100")
    assert "The log was full" in repr(kernellens.bound(trace, gpu="V100"))


@pytest.mark.parametrize(
    "cc, narrow, tf32", [("A100", 312e12, 156e12), ("H100", 1070e12, 535e12), ("V100", 125e12, 15.7e12)]
)
def test_narrow_matrix_products_run_on_matrix_units(cc, narrow, tf32):
    seconds = [bound_of(Work(products={kind: 1e15}), cc).parts["arithmetic"] for kind in ("float16", "tf32")]
    gpu = gpus.find(cc)
    faster = 1.01 * gpu.clock_most / gpu.clock
    assert [1e15 / s / faster for s in seconds] == pytest.approx([narrow, tf32], rel=0.01)


@pytest.mark.parametrize(
    "gpu, narrow, tf32", [("RTX 3090", 71e12, 35.6e12), ("RTX A6000", 155e12, 77e12), ("RTX 4090", 165e12, 82.6e12)]
)
def test_a_geforce_card_sums_products_in_float32_at_half_the_rate(gpu, narrow, tf32):
    """The rates by NVIDIA's white papers, as `GEFORCE` quotes them; a bound counts sums in float16."""
    found = gpus.find(gpu)
    slower = 0.9 * (found.clock_base / found.clock) ** 0.5
    for kind, rate in (("float16", narrow), ("tf32", tf32)):
        work = Work(products={kind: 1e15})
        assert 1e15 / estimate_of(work, gpu).parts["arithmetic"] / slower == pytest.approx(rate, rel=0.02), kind
        assert bound_of(work, gpu).seconds < 1e15 / rate
    whole = 1e15 / bound_of(Work(products={"float16": 1e15}), gpu).parts["arithmetic"]
    assert (whole > 1.9 * narrow) == ("GeForce" in found.full_name)


def test_registers_and_shared_memory_make_waves():
    plain = estimate_of(Work(**FULL, cycles=1000), V100)
    assert (plain.occupancy, plain.waves) == (1.0, pytest.approx(6.4))
    heavy = estimate_of(Work(**FULL, cycles=1000, registers=64), V100)  # 65 536 / (64 × 256) = 4 blocks
    assert (heavy.occupancy, heavy.waves) == (0.5, pytest.approx(12.8))
    assert heavy.parts["latency"] == pytest.approx(2 * plain.parts["latency"])
    shared = estimate_of(Work(**FULL, sharedmem=40 * 1024), V100)  # 96 KiB hold two
    assert shared.occupancy == 0.25


def test_atomics_on_one_line_go_one_by_one():
    assert part("atomics", contended=1000, passes=1.53e6, atomics=1000) == pytest.approx(2.4e-3, rel=0.01)


def test_the_launch_comes_on_top():
    estimate = estimate_of(Work(**FULL, read=900 * MB, launches=1), V100)
    assert estimate.seconds == pytest.approx(estimate.parts["memory"] + 10e-6)


def test_factors_of_a_calibration_are_used_and_named():
    plain = estimate_of(Work(**FULL, read=900 * MB), V100)
    assert plain.calibrated is None and "not calibrated" in repr(plain)
    made = dataclasses.replace(V100, calibration={"factors": {"memory": 1.25}, "source": "a lab, 2030"})
    found = estimate_of(Work(**FULL, read=900 * MB), made)
    assert found.parts["memory"] == pytest.approx(1.25 * plain.parts["memory"])
    assert "calibrated: a lab, 2030" in repr(found)
    assert bound_of(Work(read=900 * MB), made).seconds == bound_of(Work(read=900 * MB), V100).seconds


# What they say


def test_neither_calls_itself_a_time():
    work = Work("stencil", read=900 * MB)
    said = repr(bound_of(work, "A100"))
    assert "stencil on an A100" in said and "at least, a bound, not a time: memory binds" in said
    assert "an estimate, not a time (not calibrated)" in repr(estimate_of(work, "T4"))


BINDING = {
    "memory": Work(read=1e10),
    "arithmetic": Work(slots={"float64": 1e13}, operations={"float64": 1e13}),
    "atomics": Work(contended=1e8, passes=1e8, atomics=1e8),
    "launch": Work(launches=1000),
    "link": Work(link=1e10, copies=1),
    "latency": Work(blocks=1, block=32, threads=32, cycles=1e6),
    "shared memory": Work(shared=1e12),
    "L1": Work(wavefronts=1e12, requests=1e11),
    "L2": Work(read=1e6, moved=1e12),
    "issue": Work(instructions=1e13),
}


@pytest.mark.parametrize("limit", BINDING)
def test_each_limit_can_bind_and_says_what_would_change_it(limit):
    found = estimate_of(BINDING[limit], "V100")
    assert found.binds == limit
    assert found.advice.endswith(".") and "bind" in found.advice and len(found.advice) > 60
    if limit in ("memory", "arithmetic", "atomics", "launch", "link"):
        assert bound_of(BINDING[limit], "V100").binds == limit


def test_float64_on_a_card_that_is_poor_in_it_is_told_so():
    work = Work(operations={"float64": 1e12})
    assert "1/32 of float32 on T4" in bound_of(work, "T4").advice
    assert "2.01× as fast" in bound_of(work, "V100").advice


# Of launches


def add(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] + 1.0


def test_a_kernel_a_trace_and_its_work_give_the_same():
    args = (add, 1024, 128, np.zeros(1 << 17), np.zeros(1 << 17))
    trace = kernellens.trace(*args)
    for of in (kernellens.bound, kernellens.estimate):
        assert of(*args, gpu="L4").parts == of(trace, gpu="L4").parts == of(times.work_of(trace), gpu="L4").parts
    assert kernellens.bound(trace, gpu="L4").name == "add"


def test_griddim_names_the_full_launch():
    trace = kernellens.trace(add, 8, 128, np.zeros(1024), np.zeros(1024))
    full = kernellens.bound(trace, gpu="V100", griddim=10**8 // 128)
    assert full.parts["memory"] == pytest.approx((16e8 - 2 * V100.l2) / 900e9)
    assert full.work.blocks == 781_250 and "8 traced blocks stand for 781250." in repr(full)


def test_wrong_use_is_answered():
    trace = kernellens.trace(add, 8, 128, np.zeros(1024), np.zeros(1024))
    with pytest.raises(TypeError, match="followed by its grid"):
        kernellens.bound(add)
    with pytest.raises(TypeError, match="has its grid"):
        kernellens.estimate(trace, 3, 4)
    with pytest.raises(TypeError, match="of one grid already"):
        kernellens.bound(times.work_of(trace), griddim=4)
    with pytest.raises(ValueError, match="at least one block"):
        kernellens.bound(trace, griddim=0)
    with pytest.raises(KeyError, match="nearest known"):
        kernellens.bound(trace, gpu="A1000")


def test_a_kernel_that_does_not_run_has_no_time():
    def nonsense(x):
        x[cuda.grid(1)] = [1, 2]

    with pytest.raises(ValueError, match="did not run"):
        kernellens.bound(nonsense, 1, 32, np.zeros(32))


# The chosen GPU


@pytest.fixture
def unchosen():
    yield
    kernellens.use_gpu(None)


def test_the_chosen_gpu(unchosen):
    assert kernellens.use_gpu("a100").name == "A100" and kernellens.chosen_gpu().name == "A100"
    assert bound_of(Work(read=1e9)).gpu.name == "A100"
    with pytest.raises(KeyError, match="nearest known"):
        kernellens.use_gpu("A1000")
    assert kernellens.chosen_gpu().name == "A100"  # a mistake changes nothing


def test_this_machine_s_gpu_is_the_default_where_it_is_known(monkeypatch, unchosen):
    monkeypatch.setattr(hardware, "mode", lambda: "simulated")
    assert kernellens.use_gpu(None).name == target.DEFAULT == "H200"
    for name, expected in (("Tesla T4", "T4"), ("NVIDIA GTX 9999", "H200")):
        card = hardware.Gpu(0, name, 16 << 30, (7, 5))
        monkeypatch.setattr(hardware, "mode", lambda: "gpu")
        monkeypatch.setattr(hardware, "probe", lambda card=card: hardware.Probe("ok", gpus=[card]))
        assert kernellens.chosen_gpu().name == expected


# All kinds of kernels

KERNELS = """
import json, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
import gpusim
gpusim.activate()
from kernels_set import registry
import kernellens as lens
from kernellens import times
out = {}
entries = registry.load()
for name in sys.argv[2:]:
    entry = entries[name]
    case = list(entry.cases(registry.seeded(name)))[-1]
    work = times.work_of(lens.trace(entry.kernel, case.grid, case.block, *case.args, sharedmem=case.shared))
    pairs = [(times.bound_of(work, gpu).seconds, times.estimate_of(work, gpu).seconds) for gpu in ("T4", "V100", "H200")]
    out[name] = [pairs, dict(work.certain), dict(work.operations), work.notes]
print(json.dumps(out))
"""


@pytest.mark.large
def test_of_kernels_of_all_kinds_the_bound_is_below_the_estimate_and_what_is_certain_is_done(request):
    names = [
        "compare_and_swap_loop",
        "float16_to_float32",
        "vector_types",
        "pixelcolor_search",
        "docs_fast_matmul",
        "docs_array_sum",
    ]
    tests = Path(__file__).parents[2] / "gpusim" / "tests"
    command = [sys.executable, "-c", textwrap.dedent(KERNELS), str(tests), *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert list(found) == names
    for name, (pairs, certain, operations, _) in found.items():
        assert all(0 < bound < estimate for bound, estimate in pairs), name
        assert all(count <= operations[kind] * 1.0001 for kind, count in certain.items()), name
