"""Which GPUs and slices there are to sit on, as a make-believe nvidia-smi tells; and who gets which."""

import os
import subprocess
import sys
import threading

import pytest

from hundredfold.classroom.seats import devices
from hundredfold.classroom.seats.allocations import Allocations, NoSeat
from hundredfold.classroom.seats.devices import Place
from hundredfold.classroom.seats.enter import SHARED
from hundredfold.classroom.seats.limits import Limits, environment
from hundredfold.classroom.seats.plan import CONTEXT, Impossible
from hundredfold.classroom.seats.shared_gpus import GB, UnreadableGpus

H200 = 143_771  # MiB, as nvidia-smi tells of it


def board(index, name="NVIDIA H200", memory=H200, mode="Default", mig="Disabled", slices=(), pending=None):
    return index, name, f"GPU-{index:08d}-aaaa", memory, mode, f"{mig}, {pending or mig}", slices


@pytest.fixture
def smi(tmp_path, monkeypatch):
    """Put an nvidia-smi that tells of these GPUs first on PATH."""

    def make(*boards, fails=None, hangs=False):
        listed, table = [], []
        for index, name, uuid, memory, mode, mig, slices in boards:
            listed.append(f"GPU {index}: {name} (UUID: {uuid})")
            listed += [f"  MIG {profile}     Device  {i}: (UUID: MIG-{index}-{i})" for i, profile in enumerate(slices)]
            table.append(f"{index}, {name}, {uuid}, {memory}, {mode}, {mig}")
        (tmp_path / "L").write_text("\n".join(listed) + "\n")
        (tmp_path / "Q").write_text("\n".join(table) + "\n")
        end = "sleep 60" if hangs else f"echo '{fails}' >&2; exit 9" if fails else ""
        text = f'#!/bin/sh\n{end}\nif [ "$1" = -L ]; then cat {tmp_path}/L; else cat {tmp_path}/Q; fi\n'
        (tmp_path / "nvidia-smi").write_text(text)
        (tmp_path / "nvidia-smi").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path / "mps"))
        return tmp_path

    return make


def test_a_machine_without_nvidia_smi_has_no_gpus(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert devices.gpus_here() == [] and devices.on_gpus([], 30) == []


def test_a_gpu_for_each_where_there_are_enough(smi):
    smi(board(0), board(1))
    found = devices.on_gpus(devices.gpus_here(), 2)
    assert [(place.name, place.room, place.mechanism) for place in found] == [
        ("GPU-00000000-aaaa", 1, "one each"),
        ("GPU-00000001-aaaa", 1, "one each"),
    ]
    assert found[0].memory == H200 * 2**20 - CONTEXT and found[1].title == "GPU 1 (H200)"


def test_slices_are_seats_by_their_own_names(smi):
    smi(board(0, mig="Enabled", slices=["1g.18gb", "1g.18gb", "3g.71gb"]))
    found = devices.on_gpus(devices.gpus_here(), 3)
    assert [place.name for place in found] == ["MIG-0-0", "MIG-0-1", "MIG-0-2"]
    assert [place.memory for place in found] == [18 * GB - CONTEXT, 18 * GB - CONTEXT, 71 * GB - CONTEXT]
    assert all(place.room == 1 and place.mechanism == "MIG" for place in found)


def test_how_gpus_are_shared_is_read_off_the_machine(smi, monkeypatch):
    folder = smi(board(0), board(1))
    assert {place.mechanism for place in devices.on_gpus(devices.gpus_here(), 10)} == {"time-slicing"}
    (folder / "mps").mkdir()
    (folder / "mps" / "control").touch()
    found = devices.on_gpus(devices.gpus_here(), 10)
    assert {(place.mechanism, place.room) for place in found} == {("MPS", 5)}
    assert sum((place.memory + CONTEXT) * place.room for place in found) <= 2 * H200 * 2**20
    # Seats are told where, and `/tmp`, which each has for itself and in which anybody may make a folder, is not where.
    assert environment(found[0], Limits(1 << 30, 1))["CUDA_MPS_PIPE_DIRECTORY"] == str(folder / "mps")
    monkeypatch.delenv("CUDA_MPS_PIPE_DIRECTORY")
    assert not any(devices.mps_pipe().is_relative_to(shared) for shared in SHARED)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder somebody else's")
def test_a_folder_of_mps_that_a_learner_made_is_none(smi):
    folder = smi(board(0))
    (folder / "mps").mkdir()
    (folder / "mps" / "control").touch()
    os.chown(folder / "mps", 65534, 65534)
    assert {place.mechanism for place in devices.on_gpus(devices.gpus_here(), 10)} == {"time-slicing"}
    (folder / "mps").rename(folder / "theirs")
    (folder / "mps").symlink_to(folder / "theirs")
    assert {place.mechanism for place in devices.on_gpus(devices.gpus_here(), 10)} == {"time-slicing"}


def test_less_memory_than_an_equal_part_may_be_given_and_more_is_refused(smi):
    smi(board(0))
    here = devices.gpus_here()
    assert devices.on_gpus(here, 4, "time-slicing", 8 * GB)[0].memory == 8 * GB
    with pytest.raises(
        Impossible, match=r"4 seats of 60\.0 GB .* do not fit GPU 0 \(H200\), which has 150\.8 GB: at most 37\.2 GB"
    ):
        devices.on_gpus(here, 4, "time-slicing", 60 * GB)
    with pytest.raises(Impossible, match="less than 2 GB"):
        devices.on_gpus(here, 4, "time-slicing", GB)


@pytest.mark.parametrize(
    ("boards", "said"),
    [
        ([board(0, mode="Exclusive_Process")], r"no more than one process in .*nvidia-smi -i 0 -c 0"),
        ([board(0, mig="Enabled")], "MIG is on for GPU 0 .* not cut"),
        ([board(0, mig="Enabled", slices=["1g.18gb"]), board(1)], "MIG is on for GPU 0 and off for the others"),
        (
            [board(0, pending="Enabled")],
            "MIG is to be switched on for GPU 0 .* waits for a reset.*nvidia-smi -i 0 --gpu-reset",
        ),
        ([board(0, mig="Enabled", slices=["1g.18gb"], pending="Disabled")], "switched off for GPU 0"),
        ([board(0, mig="Enabled", slices=["1g.18gb"]), board(1, mig="Enabled")], "MIG is on for GPU 1 .* not cut"),
        ([board(0, mode="Prohibited")], r"no more than one process in .*compute mode Prohibited"),
        ([board(0, memory="[Unknown]")], "cannot be read"),
    ],
    ids=[
        "exclusive",
        "not cut",
        "half on",
        "on after a reset",
        "off after a reset",
        "half cut",
        "prohibited",
        "garbage",
    ],
)
def test_gpus_that_cannot_be_shared_as_they_are_say_what_to_type(smi, boards, said):
    smi(*boards)
    with pytest.raises(UnreadableGpus, match=said):
        devices.on_gpus(devices.gpus_here(), 4)


def test_a_driver_that_fails_or_hangs_is_said(smi, monkeypatch):
    smi(board(0), fails="Driver/library version mismatch")
    with pytest.raises(UnreadableGpus, match="version mismatch.*fix the driver"):
        devices.gpus_here()
    smi(board(0), hangs=True)
    monkeypatch.setattr(devices, "PATIENCE", 0.5)
    with pytest.raises(UnreadableGpus, match="does not answer"):
        devices.gpus_here()


def test_asking_for_mig_where_nothing_is_cut_says_how(smi):
    smi(board(0))
    with pytest.raises(UnreadableGpus, match="No GPU is cut"):
        devices.on_gpus(devices.gpus_here(), 4, "MIG")


# --- Who gets which.

A, B = Place("GPU-a", "GPU 0", GB, 2, "MPS"), Place("GPU-b", "GPU 1", GB, 4, "MPS")
NONE = Place("simulated", "simulated", 0, 2, "simulated")


@pytest.fixture
def allocations(tmp_path):
    return Allocations(tmp_path / "state" / "seats.json")


def test_the_place_of_which_the_smallest_part_is_taken_is_next(allocations):
    taken = [allocations.take(f"u{i}", [A, B, NONE]).name for i in range(8)]
    assert taken == ["GPU-a", "GPU-b", "GPU-b", "GPU-a", "GPU-b", "GPU-b", "simulated", "simulated"]
    with pytest.raises(NoSeat, match="All 8 seats are taken: try again when somebody has left"):
        allocations.take("late", [A, B, NONE])


def test_of_two_alike_the_one_with_less_in_use_is_next(allocations):
    assert (
        allocations.take(
            "u",
            [A, B],
            live=lambda place: {"GPU-a": 5.0, "GPU-b": 1.0}[place.name],
        ).name
        == "GPU-b"
    )


def test_a_seat_outlives_the_process_and_is_kept_by_its_owner(allocations):
    assert allocations.take("anna", [A, B]).name == "GPU-a"
    again = Allocations(allocations.path)
    assert again.take("ben", [A, B]).name == "GPU-b"
    assert again.take("anna", [A, B]).name == "GPU-a", "hers, although both are half empty"
    again.release("anna")
    again.release("nobody")
    assert [seat.owner for seat in Allocations(allocations.path).seats()] == ["ben"]


def test_a_seat_on_a_gpu_that_is_gone_is_no_seat(allocations):
    allocations.take("anna", [A])
    assert allocations.take("anna", [B]).name == "GPU-b"
    assert allocations.keep(["ben"]) == ["anna"] and allocations.seats() == []


def test_a_damaged_ledger_is_put_aside_and_the_class_goes_on(allocations):
    allocations.take("anna", [A])
    allocations.path.write_text('{"seats": [{"own')
    assert allocations.take("ben", [A]).name == "GPU-a"
    assert allocations.path.with_suffix(".damaged").exists() and [seat.owner for seat in allocations.seats()] == ["ben"]


def test_many_at_once_get_each_seat_once(allocations, tmp_path):
    """Threads and other processes alike, as when a hub and an administrator change it together."""
    code = (
        "import sys\nfrom hundredfold.classroom.seats.allocations import Allocations\nfrom hundredfold.classroom.seats.devices import Place\n"
        "p = [Place('a', 'a', 0, 9, 'MPS'), Place('b', 'b', 0, 9, 'MPS')]\n"
        "for i in range(6): Allocations(sys.argv[1]).take(f'{sys.argv[2]}-{i}', p)"
    )
    others = [subprocess.Popen([sys.executable, "-c", code, str(allocations.path), f"p{n}"]) for n in range(2)]
    here = [Place("a", "a", 0, 9, "MPS"), Place("b", "b", 0, 9, "MPS")]
    threads = [threading.Thread(target=allocations.take, args=(f"t{i}", here)) for i in range(6)]
    for thread in threads:
        thread.start()
    for each in (*threads, *others):
        each.join() if isinstance(each, threading.Thread) else each.wait(120)
    seats = allocations.seats()
    assert len(seats) == 18 and [sum(seat.place == name for seat in seats) for name in "ab"] == [9, 9]
