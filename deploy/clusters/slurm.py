"""A machine with a Slurm queue. Run this on a login node or in a small job: the scheduler of Dask runs here, and the workers
are jobs that Slurm starts where there is room.

    python slurm.py --script     # only show the job script
    python slurm.py              # submit it, twice
"""

import subprocess
import sys
import uuid

from dask.distributed import Client
from dask_jobqueue import SLURMCluster
from work import run, say

JOBS = 2
LIVING = ("PENDING", "CONFIGURING", "RUNNING", "REQUEUED", "SUSPENDED", "COMPLETING", "REQUEUE_HOLD")


def make(gpus=4, **more):
    """A cluster of no workers yet: `scale(jobs=n)` submits. With `gpus=0` a job has CPUs only."""
    site = {
        "queue": "gpu",  # ask `sinfo -s` what yours are called
        "walltime": "00:30:00",  # the shorter, the sooner it starts
        "cores": gpus or 2,  # threads of all workers of a job together: one for each GPU
        "processes": gpus or 2,  # workers in a job
        "memory": "64GiB",  # of main memory, for the whole job
        "death_timeout": 120,  # seconds until a worker without a scheduler gives its node back
        "job_name": f"dask-{uuid.uuid4().hex[:8]}",  # of this cluster's jobs alone: `queue` asks for them
        "local_directory": "/tmp",  # spill to the node's own disk, not to the shared one
        "security": True,  # new TLS certificates, for this cluster only
        # TLS does not cover the pages of the dashboard: they stay on their hosts, where `ssh -L` reaches them.
        "scheduler_options": {"dashboard_address": "127.0.0.1:0"},
        "worker_extra_args": ["--dashboard-address", "127.0.0.1:0"],
    }
    if gpus:
        site["job_cpu"] = 4 * gpus  # cores that Slurm is asked for: the GPUs' workers have helpers
        site["job_extra_directives"] = [f"--gres=gpu:{gpus}"]
        site["worker_command"] = "dask_cuda.cli worker"  # one process for each GPU of the job
    return SLURMCluster(**{**site, **more})


def queue(cluster):
    """What Slurm says of this cluster's jobs, as a sentence; raises it where none of them runs or waits any longer."""
    script = cluster.job_script()
    name = script.partition("#SBATCH -J ")[2].split()[0]
    ask = ["squeue", "--name", name, "--states=all", "--noheader", "--format=job %i on partition %P is %T (%r)"]
    jobs = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=True).stdout.strip().splitlines()
    if any(state in job for job in jobs for state in LIVING):
        return f"Slurm says: {'; '.join(jobs)}."
    # Refused, ended, or over for so long that Slurm has forgotten them; would it take another one?
    test = subprocess.run(["sbatch", "--test-only"], input=script, capture_output=True, text=True, timeout=60)
    jobs += ["for another one, " + " ".join(test.stderr.split())] if test.returncode else []
    for job in [job for job in cluster._created if job.status.name == "created"]:
        cluster._created.discard(job)  # refused, so there is nothing to end: Dask's `close` stumbles over such a job
    said = "; ".join(jobs) or "none of the jobs is left (`sacct` knows more)"
    raise RuntimeError(
        f"No worker will come any more. Slurm says: {said}. Change what `make` asks for; `sinfo` shows what there is."
    )


if __name__ == "__main__":
    with make() as cluster:
        print(cluster.job_script())
        if "--script" not in sys.argv:
            cluster.scale(jobs=JOBS)  # or cluster.adapt(maximum_jobs=JOBS)
            with Client(cluster) as client:
                # Wait for the queue as long as you would: the sentence that comes then says that nothing has started.
                say(run(client, backend="cupy", workers=JOBS * 4, timeout=1_800, why=lambda: queue(cluster)))
