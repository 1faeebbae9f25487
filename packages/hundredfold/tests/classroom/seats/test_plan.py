"""Which way a class shares GPUs, on machines described in machines.json. The expected figures are worked out by hand from NVIDIA's tables."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from gpusim.hardware.detect import Gpu, Probe
from hundredfold.classroom.seats import describing, limits, needs, shared_gpus
from hundredfold.classroom.seats.devices import Place
from hundredfold.classroom.seats.plan import CLIENTS, CONTEXT, LEAST, Impossible, plan
from hundredfold.classroom.seats.shared_gpus import GB, UnreadableGpus, named

HERE = Path(__file__).parent
ROOT = HERE.parents[4]
MACHINES = json.loads((HERE / "machines.json").read_text())
NVIDIA = json.loads((HERE / "mig_parted.json").read_text())
SLICES = {"A30": 4, "RTX PRO 6000 Blackwell": 4}  # parts that a GPU is cut into; all others: 7


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: f"{machine['learners']} on {machine['gpus']}")
def test_a_described_machine(machine):
    made = plan(machine["learners"], named(machine["gpus"]))
    assert made.mechanism == machine["mechanism"]
    assert len(made.seats) == machine["learners"] and made.simulated == machine["simulated"]
    assert made.least / GB == pytest.approx(machine["memory"], abs=0.001)
    assert {seat.profile for seat in made.seats if seat.board is not None} <= {machine.get("profile")}
    assert set(made.shares().values()) <= {machine["share"]} if "share" in machine else True


@pytest.mark.parametrize("learners", [1, 2, 5, 9, 17, 48, 49, 100, 300])
@pytest.mark.parametrize("gpus", sorted({machine["gpus"] for machine in MACHINES} | {"2xA100,1xL4", "1xA30,3xT4"}))
def test_no_plan_gives_away_what_there_is_not(learners, gpus):
    these = named(gpus)
    made = plan(learners, these)
    assert len(made.seats) == learners
    for i, board in enumerate(these):
        mine = [seat for seat in made.seats if seat.board == i]
        assert all(seat.memory >= LEAST for seat in mine)
        cut = made.cuts().get(i)
        if cut is None:
            assert sum(seat.memory + CONTEXT for seat in mine) <= board.memory
            assert len(mine) <= (
                CLIENTS if made.mechanism == "MPS" else 1 if made.mechanism != "time-slicing" else 10**9
            )
        else:
            assert made.mechanism == "MIG" and len(mine) <= board.slices[cut]
    most, fewest = max(made.shares().values(), default=0), min(made.shares().values(), default=0)
    if len({board.memory for board in these}) == 1:
        assert most - fewest <= 1, "nobody shares with more than another does"


def test_the_first_way_that_seats_everybody_is_taken_and_all_seats_grow_as_the_class_shrinks():
    order = ["one each", "MIG", "MPS"]
    before = None
    for learners in range(1, 41):
        made = plan(learners, named("4xH200"))
        if before is not None:
            assert order.index(made.mechanism) >= order.index(before.mechanism)
            if made.mechanism == before.mechanism:
                assert made.least <= before.least
        before = made


@pytest.mark.parametrize("family", shared_gpus._families(), ids=lambda family: family["name"])
def test_the_tables_of_mig_hold_together(family):
    whole = SLICES.get(family["name"], 7)
    for profile, count in family["profiles"].items():
        parts, memory = re.fullmatch(r"(\d)g\.(\d+)gb", profile).groups()
        assert int(parts) * count <= whole
        assert int(memory) * count <= 1.04 * family["memory"], "names round up"
    full = [name for name, count in family["profiles"].items() if name.startswith(f"{whole}g.")]
    assert [family["profiles"][name] for name in full] == [1] and full[0].endswith(f".{family['memory']}gb")
    sources = json.loads((Path(shared_gpus.__file__).parent / "mig.json").read_text())["sources"]
    assert family["source"] in sources


def nvidia_cuts(profile, gpu):
    """Into how many instances of a profile NVIDIA's own tool cuts this GPU; None where it knows of none."""
    counts = NVIDIA["alone"].get(profile, {})
    return counts.get(gpu, counts.get("any"))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: f"{machine['learners']} on {machine['gpus']}")
def test_what_a_machine_is_cut_into_is_in_nvidias_tables(machine):
    these = named(machine["gpus"])
    for learners in range(1, 80):
        made = plan(learners, these)
        for line in describing.commands(made) if made.mechanism == "MIG" else []:
            if match := re.search(r"mig -i (\d+) -cgi (\S+) -C", line):
                (profile,) = set(match[2].split(","))
                assert len(match[2].split(",")) == nvidia_cuts(profile, these[int(match[1])].name), line
    can = any(board.slices for board in these)
    assert can == (these[0].name in NVIDIA["balanced"]), "a GPU that NVIDIA's tool cuts, and no other"


@pytest.mark.parametrize("family", shared_gpus._families(), ids=lambda family: family["name"])
def test_the_profiles_are_nvidias_all_of_them_and_no_others(family):
    name = family["name"]
    assert set(NVIDIA["balanced"][name]) <= set(family["profiles"]), "its mixture is made of profiles that it has"
    for profile, count in family["profiles"].items():
        assert nvidia_cuts(profile, name) == count, profile


def test_every_gpu_that_nvidias_tool_cuts_is_known():
    assert set(NVIDIA["balanced"]) == {family["name"] for family in shared_gpus._families()}


@pytest.mark.parametrize(
    ("gpus", "count", "name"),
    [("4xH200", 4, "H200"), ("H200", 1, "H200"), ("2 × a100-sxm4-40gb", 2, "A100 40 GB"), ("1xA100,2xL4", 3, "A100")],
)
def test_gpus_are_read_as_people_write_them(gpus, count, name):
    these = named(gpus)
    assert len(these) == count and these[0].name == name


def test_an_a100_of_40_gb_is_not_one_of_80():
    assert "1g.5gb" in named("A100 40 GB")[0].slices and "1g.5gb" not in named("A100")[0].slices


@pytest.mark.parametrize(
    ("gpus", "said"),
    [
        ("4xH2000", "nearest known: H200"),
        ("4xSomething", "give its memory: Something:48GB"),
        ("", "No GPUs are named"),
        ("0xH200", "names no GPUs"),
        ("99999xH200", "more than any class has"),
        (",", "No GPUs are named"),
    ],
)
def test_gpus_that_cannot_be_read_are_said_with_what_to_write(gpus, said):
    with pytest.raises(UnreadableGpus, match=re.escape(said)):
        named(gpus)


@pytest.mark.parametrize(
    ("mechanism", "gpus", "said"),
    [
        ("MIG", "4xL4", "No L4 can be cut by MIG"),
        ("one each", "GTX 1650:2GB", "2.5 GB"),
        ("MPS", "GTX 1650:2GB", "2.5 GB"),
    ],
)
def test_a_mechanism_that_cannot_be_says_why(mechanism, gpus, said):
    with pytest.raises(Impossible, match=re.escape(said)):
        plan(4, named(gpus), mechanism)


def test_a_mechanism_that_was_asked_for_is_used_and_who_finds_no_seat_simulates():
    made = plan(10, named("4xH200"), "one each")
    assert made.mechanism == "one each" and made.simulated == 6
    assert plan(10, named("4xH200"), "time-slicing").mechanism == "time-slicing"
    assert plan(3, [], None).mechanism == "simulated"
    with pytest.raises(Impossible, match="There is no GPU"):
        plan(3, [], "MIG")
    with pytest.raises(ValueError, match="at least one"):
        plan(0, named("T4"))
    with pytest.raises(ValueError, match="no mechanism 'mig'"):
        plan(1, named("T4"), "mig")


def gpu(index, **more):
    return Gpu(index, "NVIDIA H200", 150_754_820_096, (9, 0), **more)


def probe(*gpus, **more):
    return Probe("ok", cuda=(13, 0), driver="580.65", gpus=list(gpus), **more)


def test_this_machines_gpus_are_found_with_their_slices():
    (board,) = shared_gpus.found(probe(gpu(0)))
    assert board.name == "H200" and "1g.18gb" in board.slices
    assert plan(7, [board]).mechanism == "MIG"
    (board,) = shared_gpus.found(probe(gpu(0), wsl=True))
    assert plan(7, [board]).mechanism == "time-slicing", "under Windows there is neither MIG nor MPS"


def test_a_machine_that_is_half_set_up_is_said_with_the_command():
    with pytest.raises(UnreadableGpus, match="MIG is on for GPU 1 and off"):
        shared_gpus.found(probe(gpu(0, mig=False), gpu(1, mig=True)))
    with pytest.raises(UnreadableGpus, match="nvidia-smi -i 0 -c 0"):
        shared_gpus.found(probe(gpu(0, compute_mode="exclusive")))


def test_slices_that_are_in_the_way_are_taken_off_first():
    these = shared_gpus.found(probe(gpu(0, mig=True), gpu(1, mig=True)))
    typed = describing.commands(plan(40, these))
    assert [line.split("   #")[0] for line in typed[:2]] == [
        "sudo nvidia-smi -i 0 -mig 0",
        "sudo nvidia-smi -i 1 -mig 0",
    ]
    assert not any("-mig 0" in line for line in describing.commands(plan(14, these)))


def test_the_limits_that_a_seat_is_given_add_up_to_the_gpu():
    made = plan(40, named("4xH200"))
    environment = describing.settings(made)
    assert int(environment["CUPY_GPU_MEMORY_LIMIT"]) == made.least
    each = int(re.fullmatch(r"0=(\d+)M", environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"])[1]) * 2**20
    assert each * 10 <= made.boards[0].memory and each >= made.least
    assert environment["CUDF_PANDAS_RMM_MODE"] == "cuda"
    assert environment["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] == "20"


def test_mig_is_typed_once_for_each_gpu_that_has_learners():
    made = plan(7, named("2xH200"))
    typed = describing.commands(made)
    counted = Counter(re.search(r"-i (\d)", line)[1] for line in typed if "-cgi" in line)
    assert counted == {"0": 1, "1": 1}
    assert "1g.35gb,1g.35gb,1g.35gb,1g.35gb -C" in typed[1]


def test_every_unit_says_what_it_needs():
    lectures = [path.stem for path in sorted((ROOT / "sources" / "lectures").glob("*.py"))]
    assert [f"{need.unit:02d}_{need.slug}" for need in needs.known()] == lectures
    small = {row[0]: row[2] for row in describing.units(plan(20, named("1xT4:16GB")))}
    assert small["01 arrays"] == f"smaller: {100 * (16 * GB // 6 - CONTEXT) / (4 * GB):.0f} % of them"
    assert small["05 kernels"] == "at the published sizes"


@pytest.mark.parametrize("machine", ["4xH200", "1xT4", "2xA100"])
@pytest.mark.parametrize("mechanism", ["MPS", "time-slicing"])
def test_what_a_plan_tells_to_set_is_what_the_hub_sets(machine, mechanism):
    """An instructor who sets a class up by the plan, and one who has the hub, are to have the same seats."""
    made = plan(12, named(machine), mechanism)
    said = describing.settings(made)
    place = Place("GPU-0", "a GPU", made.least, max(made.shares().values()), made.mechanism)
    set_ = limits.environment(place, limits.Limits(2 * GB, 1))
    assert "CUDF_PANDAS_RMM_MODE" in said and {name: set_.get(name) for name in said} == said
