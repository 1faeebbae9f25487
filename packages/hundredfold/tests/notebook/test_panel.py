"""Which cluster the Dask panel starts, and how much of the machine it takes. (That it starts is in test_server.py.)"""

import os
import subprocess
import sys
import types

import pynvml
import pytest

from gpusim.hardware import cpu
from hundredfold.notebook import panel

GIB = 2**30


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr(panel, "gpus", lambda: 0)
    monkeypatch.delenv("GPUSIM_GPUS", raising=False)
    monkeypatch.delenv("GPUSIM_GPU_MEMORY", raising=False)


def machine(monkeypatch, cores: int, memory: int) -> None:
    monkeypatch.setattr(cpu, "cores", lambda: cores)
    monkeypatch.setattr(cpu, "memory", lambda: cpu.Memory(2 * memory, memory))


@pytest.mark.parametrize(
    ("cores", "memory", "workers"),
    [(1, 1.4 * GIB, 1), (1, 64 * GIB, 1), (2, 1.4 * GIB, 1), (2, 8 * GIB, 2), (64, 256 * GIB, 2), (4, GIB // 4, 1)],
)
def test_the_workers_fit_the_machine(monkeypatch, cores, memory, workers):
    machine(monkeypatch, cores, int(memory))
    asked = panel.simulating()
    assert asked["n_workers"] == workers and asked["threads_per_worker"] == 1
    assert 0 < asked["memory_limit"] * workers <= 0.6 * memory
    assert int(asked["env"]["GPUSIM_GPU_MEMORY"]) * 2 <= asked["memory_limit"]


def test_there_are_as_many_workers_as_simulated_gpus_asked_for(monkeypatch):
    machine(monkeypatch, 2, 16 * GIB)
    monkeypatch.setenv("GPUSIM_GPUS", "4")
    monkeypatch.setenv("GPUSIM_GPU_MEMORY", "1000000")
    asked = panel.simulating()
    assert asked["n_workers"] == 4 and asked["env"]["GPUSIM_GPUS"] == "1"
    assert asked["env"]["GPUSIM_GPU_MEMORY"] == "1000000"


def test_with_a_gpu_and_its_packages_it_is_a_cuda_cluster(monkeypatch):
    asked = {}
    fake = types.ModuleType("dask_cuda")
    fake.__spec__ = types.SimpleNamespace()
    cluster = type("LocalCUDACluster", (), {})()
    fake.LocalCUDACluster = lambda **kwargs: asked.update(kwargs) or cluster
    monkeypatch.setitem(sys.modules, "dask_cuda", fake)
    monkeypatch.setattr(panel, "gpus", lambda: 2)
    assert panel.make(dashboard_address="127.0.0.1:0", asynchronous=True) is cluster
    assert asked == {"dashboard_address": "127.0.0.1:0", "asynchronous": True}, "no worker of it simulates"


def test_nvml_is_asked_and_its_absence_is_no_error(monkeypatch):
    monkeypatch.undo()

    def missing():
        raise pynvml.NVMLError_LibraryNotFound

    monkeypatch.setattr(pynvml, "nvmlInit", missing)
    assert panel.gpus() == 0
    closed = []
    monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetCount", lambda: 3)
    monkeypatch.setattr(pynvml, "nvmlShutdown", lambda: closed.append(True))
    assert panel.gpus() == 3 and closed


@pytest.mark.large
def test_the_process_that_starts_it_stays_as_it_was():
    """In a fresh Python: two workers at once, a third later; they simulate, their parent does not."""
    code = """
import asyncio, os, sys
from hundredfold.notebook import panel
panel.gpus = lambda: 0
before = dict(os.environ)
async def main():
    async with panel.make(n_workers=2, asynchronous=True) as cluster:
        cluster.scale(3)
        await cluster
        from distributed import Client
        async with Client(cluster, asynchronous=True) as client:
            await client.wait_for_workers(3)
            said = await client.run(os.getenv, "GPUSIM_SIMULATE")
            threads = await client.run(os.getenv, "OMP_NUM_THREADS")
            taken = await client.run(eval, "__import__('gpusim').active()")
            print(list(said.values()), list(threads.values()), list(taken.values()))
if __name__ == "__main__":
    asyncio.run(main())
    import gpusim
    print({n for n in os.environ if os.environ[n] != before.get(n)}, gpusim.active())
"""
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_")) and k != "OMP_NUM_THREADS"
    }
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=600)
    assert said.stdout.splitlines() == [f"{['1'] * 3} {['1'] * 3} {[True] * 3}", "{'__DASK_PARENT_PID'} False"], (
        said.stderr
    )


@pytest.mark.large
def test_clusters_that_are_open_when_the_server_ends_are_closed_at_once():
    """Else Dask asks the loop, which has stopped, and waits ten seconds for each. Ctrl-C reaches the workers too: no traceback."""
    code = """
import asyncio, atexit, os, signal
from tornado.ioloop import IOLoop
made = []
atexit.register(lambda: print([c.status.name for c in made], [bool(c.workers) for c in made]))  # the last to run
from distributed import Client
from hundredfold.notebook import panel
panel.gpus = lambda: 0
async def main():
    for _ in range(2):
        made.append(await panel.make(n_workers=1, asynchronous=True))
    async with Client(made[0], asynchronous=True) as client:
        print(list((await client.run(lambda: signal.getsignal(signal.SIGINT) == signal.SIG_IGN)).values()))
if __name__ == "__main__":
    loop = IOLoop.current()
    loop.add_callback(lambda: asyncio.ensure_future(main()).add_done_callback(lambda done: (loop.stop(), done.result())))
    loop.start()
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert said.stdout.splitlines() == ["[True]", "['closed', 'closed'] [False, False]"], said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize(
    ("asked", "workers"), [("²", 2), ("nonsense", 2), ("-3", 2), ("", 2), (" 3 ", 3), ("9" * 9, 16)]
)
def test_a_number_of_gpus_that_is_none_starts_what_the_machine_can_bear(monkeypatch, asked, workers):
    machine(monkeypatch, 8, 64 * GIB)
    monkeypatch.setenv("GPUSIM_GPUS", asked)
    assert panel.simulating()["n_workers"] == workers


def test_dask_in_this_environment_has_it_as_the_panels_factory():
    """The settings file of the package is where Dask looks, in a Python that has read nothing else."""
    code = "import dask; print(dask.config.get('labextension.factory'))"
    env = {k: v for k, v in os.environ.items() if not k.startswith("DASK_")}
    said = subprocess.check_output([sys.executable, "-c", code], env=env, text=True)
    factory = eval(said)
    assert (factory["module"], factory["class"]) == ("hundredfold.notebook.panel", "make")
    assert factory["kwargs"]["dashboard-address"].endswith(":0"), "two learners on one machine"
