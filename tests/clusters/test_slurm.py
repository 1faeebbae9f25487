"""A real Slurm on one machine: a controller and three nodes, each a network namespace with its own slurmd.

The programs run `deploy/clusters/slurm.py` on the login node as a person would: with TLS, two simulated GPUs in each node.
"""

import re

import numpy as np
import pytest
from world import HERE, until

NODES = ["node1", "node2", "node3"]
START = HERE / "slurm" / "start.sh"


@pytest.fixture(scope="module")
def slurm(make_world):
    world = make_world("login", *NODES)
    world.environment |= {
        "SLURM_CONF": f"{world.folder}/slurm/slurm.conf",
        "GPUSIM_SIMULATE": "1",
        "GPUSIM_GPUS": "2",
        # The least that Dask takes; 30 s without it. So long a host may be silent before it counts as lost.
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s",
    }
    world.run("login", "bash", START, world.folder, "files", *world.hosts)
    world.start("login", "bash", START, world.folder, "head", log="controller.log")
    for node in NODES:
        world.start(node, "bash", START, world.folder, "node", node, log=f"{node}.log")
    until(lambda: list(states(world).values()) == ["idle"] * 3, "three idle nodes")
    return world


def states(world):
    """What Slurm says of each node."""
    said = world.run("login", "sinfo", "-N", "-h", "-p", "gpu", "-o", "%N %T", check=False)
    return dict(re.findall(r"^(node\d) (\S+)$", said, re.M))


def jobs(world):
    return world.run("login", "squeue", "-h", "--states=all", "-o", "%i %T %r %N")


def site(world, **more):
    """What differs here from the site that `slurm.py` is written for."""
    return {
        "gpus": 2,
        "memory": "8GiB",
        "death_timeout": 60,
        "local_directory": str(world.folder),
        "shared_temp_directory": str(world.folder),
        "log_directory": str(world.folder / "jobs"),
        **more,
    }


@pytest.fixture(scope="module")
def short_job(slurm, program):
    """A job whose walltime is too short for its work, started first: a minute is the least that Slurm counts."""
    made = site(slurm, gpus=0, cores=1, processes=1, memory="1GiB", walltime="00:01:00")
    asked = {"make": made, "jobs": 1, "runs": [{"blocks": 2_000, "rows": 16, "pause": 0.2, "timeout": 400}]}
    return program(slurm, "login", "on_slurm.py", asked)


@pytest.fixture(scope="module", autouse=True)
def started(short_job):
    short_job.wait("made")


def test_a_node_dies_in_the_middle_and_the_answer_is_right(slurm, program, values):
    gpu = {"backend": "cupy", "workers": 4, "timeout": 240}
    runs = [gpu, {**gpu, "blocks": 24, "pause": 0.5, "watch": True}]
    person = program(slurm, "login", "on_slurm.py", {"make": site(slurm), "jobs": 2, "runs": runs})
    script = person.wait("made")["script"]
    assert "#SBATCH --gres=gpu:2" in script and "--tls-key" in script
    quiet = person.wait("run 0")
    assert quiet["result"]["workers"] == 4 and quiet["result"]["hosts"] == 2, quiet
    np.testing.assert_allclose(quiet["result"]["values"], values(8), rtol=1e-10)

    busy = person.wait("busy")["hosts"]
    assert len(busy) == 2 and all(host["holds"] and host["works"] for host in busy.values())
    victim = next(host for host in slurm.hosts if slurm.address(host) == sorted(busy)[-1])
    slurm.kill(victim)
    assert slurm.processes(victim) == {}
    survived = person.wait("run 1")
    assert "error" not in survived, survived
    np.testing.assert_allclose(survived["result"]["values"], values(24), rtol=1e-10)
    assert person.wait("closed")["result"] is None
    assert person.wait("usable")["result"] == 45
    assert person.end() == 0
    until(lambda: states(slurm)[victim].strip("*") in ("down", "completing"), "Slurm knows that the node is gone")

    # The host is fixed: cable and slurmd, as after a boot, and Slurm gives it work again.
    slurm.plug(victim)
    slurm.start(victim, "bash", START, slurm.folder, "node", victim, log=f"{victim}.log")
    until(lambda: states(slurm)[victim] in ("idle", "mixed"), "the node is back")


@pytest.mark.parametrize(
    "asked, said",
    [
        # More GPUs than any node has, a partition that is not there, a walltime that is none: refused, and told at once.
        ({"gpus": 4}, r"No worker will come any more.*(not available|BadConstraints).*`make`"),
        ({"queue": "nowhere"}, r"No worker will come any more.*invalid partition specified: nowhere.*`make`"),
        ({"walltime": "half an hour"}, r"No worker will come any more.*[Ii]nvalid.*time.*`make`"),
    ],
    ids=["too much", "no such partition", "no walltime"],
)
def test_a_refused_job_ends_the_waiting_with_slurms_own_reason(slurm, program, asked, said):
    asked = {"make": site(slurm, **asked), "jobs": 1, "runs": [{"timeout": 200}]}
    person = program(slurm, "login", "on_slurm.py", asked)
    failed = person.wait("run 0")
    assert failed.get("error") == "RuntimeError" and re.search(said, failed["said"], re.S), failed
    assert len(failed["said"].splitlines()) == 1
    assert failed["seconds"] < 200, "it waited for what cannot come"
    closed = person.wait("closed")
    assert closed.get("result", "not closed") is None, closed
    assert person.wait("usable")["result"] == 45


def test_a_queue_that_never_starts_is_told_within_the_time_out(slurm, program):
    for asked, reason in [({"queue": "closed"}, "PartitionDown"), ({}, "ReqNodeNotAvail|DRAINED|Resources|None")]:
        if not asked:  # the nodes are being fixed: their jobs wait
            slurm.run("login", "scontrol", "update", f"nodename={','.join(NODES)}", "state=drain", "reason=fixed")
        try:
            make = site(slurm, gpus=0, **asked)
            person = program(slurm, "login", "on_slurm.py", {"make": make, "jobs": 1, "runs": [{"timeout": 8}]})
            failed = person.wait("run 0")
        finally:
            if not asked:
                slurm.run("login", "scontrol", "update", f"nodename={','.join(NODES)}", "state=resume")
        assert failed.get("error") == "TimeoutError", failed
        pattern = (
            rf"did not come within 8 s; there are 0 now. Slurm says: job \d+ on partition \w+ is PENDING .*({reason})"
        )
        assert re.search(pattern, failed["said"]), failed
        assert person.wait("closed")["result"] is None
        assert person.wait("usable")["result"] == 45
    assert not re.search(r"PENDING", jobs(slurm)), "jobs are left in the queue: " + jobs(slurm)


def test_a_walltime_that_is_too_short_is_told_with_its_name(slurm, short_job):
    failed = short_job.wait("run 0", timeout=400)
    assert failed.get("error") == "RuntimeError", failed
    assert re.search(r"No worker will come any more. Slurm says: job \d+ on partition gpu is TIMEOUT", failed["said"])
    assert failed["seconds"] < 400
    assert short_job.wait("closed")["result"] is None
    assert short_job.wait("usable")["result"] == 45


def test_nothing_is_left_in_the_queue_or_on_the_nodes(slurm):
    until(lambda: not re.search(r"RUNNING|PENDING|COMPLETING", jobs(slurm)), "an empty queue: " + jobs(slurm))

    def workers():
        return [line for node in NODES for line in slurm.processes(node).values() if "dask" in line]

    until(lambda: not workers(), "no worker on any node")
