"""What the hooks put into a server's environment, for any spawner; and limits that no machine can keep."""

import asyncio
import logging
from types import SimpleNamespace

import pytest
from tornado.web import HTTPError

from hundredfold.classroom.seats import certificates, devices, hook, limits
from hundredfold.classroom.seats.devices import Place
from hundredfold.classroom.seats.hook import CannotSeat
from hundredfold.classroom.seats.limits import Limits, WrongLimit, checked, environment, size
from hundredfold.classroom.seats.plan import CONTEXT
from hundredfold.classroom.seats.shared_gpus import GB


class Spawner(SimpleNamespace):
    """As much of a JupyterHub spawner as every one of them has."""

    __hash__ = object.__hash__

    def __init__(self, user, name="", **environment):
        super().__init__(
            user=SimpleNamespace(name=user), name=name, environment=environment, args=["--x"], mem_limit=None,
            cpu_limit=None, log=logging.getLogger("hub"),
        )  # fmt: skip


@pytest.fixture(autouse=True)
def no_certificates(monkeypatch):
    """Making them is what tests/hub tries, where the library for it is."""
    monkeypatch.setattr(certificates, "make", lambda owner: (f"CERTIFICATE\n{owner}", "KEY\n"))


@pytest.fixture(autouse=True)
def a_machine(monkeypatch):
    monkeypatch.setattr(limits.cpu, "memory", lambda root="/": limits.cpu.Memory(64 << 30, 60 << 30))
    monkeypatch.setattr(limits.cpu, "cores", lambda root="/": 8)


def seats(tmp_path, **more):
    return hook.Seats(tmp_path, **{"learners": 3, "memory": "4G", "cores": 1.5, "gpus": "none", **more})


def test_without_gpus_a_seat_simulates_with_limits_of_its_own(tmp_path):
    anna = Spawner("anna", PATH="/usr/bin")
    asyncio.run(seats(tmp_path).pre_spawn(anna))
    env = anna.environment
    assert env["PATH"] == "/usr/bin" and env["HUNDREDFOLD_SEAT"] == "simulated"
    assert env["GPUSIM_GPUS"] == "2" and env["GPUSIM_GPU_MEMORY"] == str(1 << 30)
    assert "CUDA_VISIBLE_DEVICES" not in env and "GPUSIM_SIMULATE" not in env
    assert env["OMP_NUM_THREADS"] == env["NUMBA_NUM_THREADS"] == "2"
    assert (anna.mem_limit, anna.cpu_limit) == (4 << 30, 1.5)
    assert anna.args == ["--x", "--KernelManager.transport=ipc"]


def test_every_comm_of_dask_is_encrypted_with_the_learners_own_certificate(tmp_path):
    anna, ben = Spawner("anna"), Spawner("ben")
    for each in (anna, ben):
        asyncio.run(seats(tmp_path).pre_spawn(each))
    found = {name: value for name, value in anna.environment.items() if name.startswith("DASK_DISTRIBUTED__COMM")}
    assert found["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] == "true"
    roles = ["SCHEDULER", "WORKER", "CLIENT"]
    assert {found[f"DASK_DISTRIBUTED__COMM__TLS__{role}__CERT"] for role in roles} == {"CERTIFICATE\nanna"}
    assert {found[f"DASK_DISTRIBUTED__COMM__TLS__{role}__KEY"] for role in roles} == {"KEY\n"}
    assert ben.environment["DASK_DISTRIBUTED__COMM__TLS__CA_FILE"] == "CERTIFICATE\nben"
    import dask

    config = dask.config.collect_env(found)
    assert dask.config.get("distributed.comm.require-encryption", config=config) is True
    assert dask.config.get("distributed.comm.tls.worker.cert", config=config) == "CERTIFICATE\nanna", "as it is"


def test_what_an_administrator_set_wins_and_an_earlier_seat_leaves_nothing(tmp_path):
    anna = Spawner("anna", GPUSIM_GPUS="4")
    seating = seats(tmp_path)
    seating.places = [Place("GPU-a", "GPU 0", 8 * GB, 1, "MPS"), *seating.places]
    asyncio.run(seating.pre_spawn(anna))
    assert anna.environment["CUDA_VISIBLE_DEVICES"] == "GPU-a" and anna.environment["GPUSIM_GPUS"] == "4"
    seating.post_stop(anna)
    seating.places = seating.places[1:]
    asyncio.run(seating.pre_spawn(anna))
    assert "CUDA_VISIBLE_DEVICES" not in anna.environment and "CUPY_GPU_MEMORY_LIMIT" not in anna.environment
    assert anna.args.count("--KernelManager.transport=ipc") == 1


def test_a_seat_on_a_gpu_holds_cupy_rmm_cudf_pandas_and_mps():
    env = environment(Place("GPU-a", "GPU 0", 8 * GB, 10, "MPS"), Limits(4 << 30, 2))
    assert env["CUDA_VISIBLE_DEVICES"] == "GPU-a" and env["CUPY_GPU_MEMORY_LIMIT"] == str(8 * GB)
    assert env["HUNDREDFOLD_SEAT_MEMORY"] == str(8 * GB) and env["CUDF_PANDAS_RMM_MODE"] == "cuda"
    assert env["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] == f"0={(8 * GB + CONTEXT) // 2**20}M"
    assert env["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] == "20"
    assert "hundredfold.classroom.seats.rmm" in env["DASK_DISTRIBUTED__WORKER__PRELOAD"]
    alone = environment(Place("MIG-1", "1g.18gb", 17 * GB, 1, "MIG"), Limits(4 << 30, 2))
    assert not any("MPS" in name for name in alone)


def test_who_finds_no_gpu_simulates_and_does_not_see_any(tmp_path, monkeypatch):
    gpu = devices.Found(0, "H200", "GPU-a", 150 * GB, "Default", False)
    monkeypatch.setattr(devices, "gpus_here", lambda: [gpu])
    seating = seats(tmp_path, gpus="auto", mechanism="one each")
    first, second = Spawner("anna"), Spawner("ben")
    asyncio.run(seating.pre_spawn(first))
    asyncio.run(seating.pre_spawn(second))
    assert first.environment["CUDA_VISIBLE_DEVICES"] == "GPU-a"
    assert second.environment["GPUSIM_SIMULATE"] == "1" and second.environment["CUDA_VISIBLE_DEVICES"] == "0,1"
    refusing = seats(tmp_path / "other", gpus="auto", mechanism="one each", overflow="refuse")
    asyncio.run(refusing.pre_spawn(first))
    with pytest.raises(CannotSeat, match="All 1 seats are taken") as told:
        asyncio.run(refusing.pre_spawn(second))
    assert "All 1 seats are taken" in told.value.jupyterhub_message and isinstance(told.value, HTTPError)


def test_a_seat_that_could_not_be_made_is_given_back(tmp_path, monkeypatch):
    seating = seats(tmp_path)
    monkeypatch.setattr(certificates, "make", lambda owner: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(seating.pre_spawn(Spawner("anna")))
    assert seating.allocations.seats() == []


def test_named_servers_have_seats_of_their_own(tmp_path):
    seating = seats(tmp_path)
    for name in ("", "second"):
        asyncio.run(seating.pre_spawn(Spawner("anna", name)))
    assert [seat.owner for seat in seating.allocations.seats()] == ["anna", "anna/second"]
    seating.post_stop(Spawner("anna"))
    assert [seat.owner for seat in seating.allocations.seats()] == ["anna/second"]


@pytest.mark.parametrize("owner", ["..", ".", "../etc", "a/../../b", "a/b/c", "ä", "x y", ".ssh"])
def test_no_name_leads_out_of_its_folder_and_no_two_share_one(owner):
    name = hook.folder_name(owner)
    assert "/" not in name and name not in (".", "..") and not name.startswith(".")
    others = ["anna", "anna/b", "anna@b", "annab", "a/b", "a@b", "a%40b"]
    assert len({hook.folder_name(each) for each in others}) == len(others)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"memory": "500M"}, "less than 1.0 GiB"),
        ({"memory": "100G"}, "more than this machine has"),
        ({"memory": "10G", "learners": 30}, r"30 seats of 10\.0 GiB are 300\.0 GiB.*each 4\.3 GiB at most"),
        ({"memory": "much"}, "'much' is no amount of memory"),
        ({"memory": "-2G"}, "no amount of memory"),
        ({"cores": 0}, "more than 0 and up to 8"),
        ({"cores": 9}, "up to 8"),
        ({"cores": float("nan")}, "up to 8"),
        ({"learners": 0}, "at least one learner"),
        ({"learners": True}, "at least one learner"),
        ({"simulated_gpus": 0}, "give 1 to 16"),
        ({"gpus": "4xH200"}, "'auto'"),
        ({"overflow": "wait"}, "'simulate'"),
    ],
    ids=str,
)
def test_a_limit_that_cannot_be_kept_is_refused_with_one_that_can(tmp_path, wrong, said):
    with pytest.raises(WrongLimit, match=said):
        seats(tmp_path, **wrong)


def test_what_may_be_promised_is_promised():
    assert checked(Limits(4 << 30, 8), 30).memory == 4 << 30, (
        "twice what there is, as learners do not all compute at once"
    )
    assert [size(text) for text in ("2G", "1.5 GiB", "1500m", 7, "2TB")] == [2 << 30, 3 << 29, 1500 << 20, 7, 2 << 40]


def test_a_driver_that_hangs_holds_up_the_learner_who_starts_and_nobody_else(tmp_path, monkeypatch):
    """A learner's kernel can hang a GPU, and with it nvidia-smi, which the hub asks whenever a server starts."""
    asked, others = tmp_path / "asked", tmp_path / "others"
    program = tmp_path / "nvidia-smi"
    program.write_text(
        f"#!/bin/sh\ntouch {asked}\nfor _ in $(seq 600); do [ -e {others} ] && echo GPU-0, 5 && exit; sleep 0.05; done\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    seating = seats(tmp_path)
    seating.has_gpus, seating.places = True, [Place("GPU-0", "GPU 0", 8 * GB, 2, "time-slicing")]
    told = []
    monkeypatch.setattr(
        type(seating.allocations), "take", lambda self, owner, places, live: told.append(live(places[0])) or places[0]
    )

    async def others_go_on():
        while not asked.exists():
            await asyncio.sleep(0.01)
        others.touch()

    async def both():
        await asyncio.gather(seating.pre_spawn(Spawner("anna")), others_go_on())

    asyncio.run(both())
    assert told == [5.0], "nvidia-smi answered once the others had gone on"
