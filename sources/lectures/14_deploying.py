# ---
# jupyter:
#   hundredfold:
#     unit: 14
#     slug: deploying
#     title: "Deploying: the same code on a cluster"
#     teaching: 30
#     exercises: 45
#     dashboard: true
# ---

# %% [markdown]
# # 14 · Deploying: the same code on a cluster
#
# *Unit 14 · deploying · 30 minutes, then 45 for the exercises*
#
# Your code runs on this machine. Now it shall run on another one: a server that you reach by SSH, a supercomputer with a queue, a Kubernetes
# cluster, somebody's gateway. Of the work itself not a line changes. Everything around it does: which packages the driver over there can
# load, who may talk to your workers, when the job is killed, and what it costs. And then there is the question that should come first and mostly
# comes last: whether it should leave this machine at all.
#
# ## What you will be able to do
#
# - **Run** the same function on one machine, on hosts that you reach by SSH, on Slurm, on Kubernetes and through a gateway.
# - **Read** the job script that is sent to a queue, and see why it will be killed before it is.
# - **Shut** the door: a scheduler runs what anybody sends it, unless you say who may.
# - **Match** driver, CUDA and wheels, and write the `environment.yml` for a machine on which you have not been yet.
# - **Decide** not to distribute, by Amdahl's law and by a measurement.
# - **Reckon** what a result costs, in money and in energy.
#
# You need unit 11 (workers, the scheduler, the client) and the SVD of unit 12, at least by name. Nothing has to be installed: what cannot run here
# is shown, and the project's tests run it elsewhere, on a real Slurm cluster for instance.

# %%
# %load_ext hundredfold

# %%
import os
from time import perf_counter

import dask
import dask.array as da
import numpy as np
import pandas as pd
from dask.distributed import Client
from dask_cuda import LocalCUDACluster

from hundredfold import machine, plot
from hundredfold.setup import environments
from hundredfold.toolkit import costs, recorded

# %% [markdown]
# ## The work
#
# One function, which is given a *client* and nothing else that knows where it runs: the singular values of a tall matrix, as in unit 12. Its blocks
# are made on the workers, so nothing large has to travel.

# %%


def block(number, rows, columns):
    """Some rows of the matrix; the same numbers wherever they are made."""
    import cupy

    return cupy.asarray(np.random.default_rng((14, number)).standard_normal((rows, columns)))


def run(client, rows=2_000, columns=16, blocks=4, **where):
    """Singular values of a matrix of blocks · rows rows, computed by the client's workers."""
    make = dask.delayed(block)
    pieces = [da.from_delayed(make(i, rows, columns), (rows, columns), dtype="f8") for i in range(blocks)]
    _, values, _ = da.linalg.svd(da.concatenate(pieces))
    values = values.map_blocks(lambda s: s.get(), dtype="f8")  # sixteen numbers come home, as NumPy
    return client.compute(values, **where).result(timeout=300)


# %% [markdown]
# ### The first door: this machine
#
# `LocalCUDACluster` starts a worker for each GPU; `LocalCluster` would start some for the cores. Both are three things: a **scheduler**, which
# listens on a port; **workers**, which were told its address; and a **client**, which was told it as well. There is nothing more to any cluster, of
# whatever size: all that follows are ways to start these three and to tell them one address.

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # where there is no GPU, simulate two
cluster = LocalCUDACluster(dashboard_address="127.0.0.1:0")
client = Client(cluster)
workers = sorted(client.scheduler_info()["workers"])

exact = np.linalg.svd(
    np.concatenate([np.random.default_rng((14, i)).standard_normal((2_000, 16)) for i in range(4)]), compute_uv=False
)
values = run(client)
assert np.allclose(values, exact, rtol=1e-12)
print(f"the largest of {len(values)} singular values: {values[0]:.1f}, as LAPACK finds it on one core")

# %% [markdown]
# ## Who may come in
#
# **Predict.** The scheduler listens on this machine. Suppose that another user is logged in here, knows the address and has no password of yours.
# What can this user do? Write 0 for *nothing*, 1 for *look at your plots*, 2 for *run any Python code as you*.

# %%
my_guess = 1

# %% [markdown]
# **Measure.** The stranger is one more client that knows the address and nothing else:


# %%
def innocent():
    """Runs on a worker, with the rights of whoever started it."""
    return os.getpid(), os.path.expanduser("~")  # it could as well read all that lies there, or delete it


with Client(cluster.scheduler_address, set_as_default=False) as stranger:
    process, home = stranger.submit(innocent).result(timeout=60)
mine = client.run(os.getpid).values()
print(f"the stranger's code ran in one of your processes: {process in mine}")
print(f"and finds your home folder where you find it: {home == os.path.expanduser('~')}")
print(f"so it is 2, and you said {my_guess}")

# %% [markdown]
# **Explain.** A scheduler runs what it is sent: that is its job. It has no passwords. On your own laptop nobody else is there to send anything; on a
# login node there are five hundred. Two settings shut the door:
#
# - **the address**: `host="127.0.0.1"` is reached from this machine only, `host="10.0.0.1"` from that network only; without either Dask may
#   listen on all of them;
# - **TLS** with certificates: the scheduler, the workers and the client each show one, and who has none is refused. `security=True` makes them anew
#   for one cluster (`LocalCluster`, `SLURMCluster`; it needs the package `cryptography`). Where you start the parts yourself you make a file and
#   copy it, and `Security(..., require_encryption=True)` reads it.
#
# The dashboard asks for neither. Keep it on 127.0.0.1, and bring it to you by `ssh -L 8787:localhost:8787 host`. In exercise 4 you set all of
# this, and a stranger knocks.
#
# ## The second door: hosts that you start by hand
#
# Two hosts, no queue, no administrator. The first line is for a terminal on the host 10.0.0.1, the second for one on each of the two hosts, the third for
# anywhere (`deploy/clusters/by_hand.sh` has all of it; the certificate is made once, by `openssl`):
#
# ```bash
# dask scheduler --protocol tls --host 10.0.0.1 --port 8786 $FILES --dashboard-address 127.0.0.1:0
# dask cuda worker tls://10.0.0.1:8786 $FILES --death-timeout 120 --dashboard-address 127.0.0.1:0
# python work.py tls://10.0.0.1:8786 --tls certificates --workers 8
# ```
#
# with `FILES="--tls-ca-file ca.pem --tls-cert cert.pem --tls-key key.pem"`. `dask cuda worker` looks how many GPUs its host has and starts a process
# for each. `--death-timeout` is what you will be thanked for: a worker that finds no scheduler for two minutes ends, and does not hold a GPU until
# somebody notices.
#
# **Nothing of your disk is over there.** Functions that you define in a notebook travel with the task. A module that you import does not: the
# worker, and the scheduler as well, import it by its name, each on its own host. `client.upload_file("helpers.py")` sends a file of your own; what
# is larger is installed there. The same holds for data: a path is a path on the worker's host.
#
# ## The third door: SSH does it for you
#
# The same, started from here: `SSHCluster` logs in to each host and types these lines. The first host gets the scheduler
# (`deploy/clusters/ssh.py`):
#
# ```python
# SSHCluster(
#     hosts,
#     connect_options=connect or {},
#     scheduler_options=listen,
#     worker_class="dask_cuda.CUDAWorker" if gpu else "distributed.Nanny",
#     worker_options=each,
#     remote_python=python,
#     security=security,
# )
# ```
#
# It needs a key without a question, the same Python packages on each host, and `known_hosts`: `connect_options={"known_hosts": None}`, which many
# pages recommend, means that you no longer know whose host you are on.
#
# ## The fourth door: a queue
#
# On a supercomputer you do not start processes, you ask for them: **Slurm** keeps a list of jobs and starts each when its nodes are free. With
# `dask-jobqueue` the scheduler and your notebook stay where they are, and each job brings some workers (`deploy/clusters/slurm.py`):
#
# ```python
# SLURMCluster(
#     queue="gpu",  # ask `sinfo -s` what yours are called
#     walltime="00:30:00",  # the shorter, the sooner it starts
#     cores=4,  # threads of all workers of a job together: one for each GPU
#     processes=4,  # workers in a job
#     memory="64GiB",  # of main memory, for the whole job
#     job_cpu=16,  # cores that Slurm is asked for: the GPUs' workers have helpers
#     job_extra_directives=["--gres=gpu:4"],
#     worker_command="dask_cuda.cli worker",  # one process for each GPU of the job
#     death_timeout=120,
#     local_directory="/tmp",
#     security=True,
#     scheduler_options={"dashboard_address": "127.0.0.1:0"},
#     worker_extra_args=["--dashboard-address", "127.0.0.1:0"],
# )
# ```
#
# `cluster.scale(jobs=2)` then submits two, `cluster.adapt(maximum_jobs=2)` as many as there is work for.
#
# **Predict.** A job has 64 GiB of main memory and four GPUs. Up to how many GiB may each worker take, before it begins to spill to disk?

# %%
my_worker_memory = 64

# %% [markdown]
# **Measure.** `print(cluster.job_script())` shows what is sent. It needs no queue, so look at it before you wait an hour for it:
#
# ```bash
# #!/usr/bin/env bash
#
# #SBATCH -J dask-worker
# #SBATCH -p gpu
# #SBATCH -n 1
# #SBATCH --cpus-per-task=16
# #SBATCH --mem=64G
# #SBATCH -t 00:30:00
# #SBATCH --gres=gpu:4
#
# python -m dask_cuda.cli worker tls://10.0.0.1:40517 --name dummy-name --nthreads 1 --memory-limit 16.00GiB --death-timeout 120 --local-directory /tmp --dashboard-address 127.0.0.1:0
# ```
#
# **Explain.** `--memory-limit 16.00GiB`: the limit is for each worker, and there are four. Slurm counts the whole job: if four workers believed that
# they had 64 GiB each, Slurm would kill all of them long before one began to spill. Read the script like this, from the top:
#
# | line | how it goes wrong |
# |---|---|
# | `#SBATCH` | below the first command it is a comment, and is not read |
# | `-p gpu` | a partition (a queue) without GPUs: the job waits for ever |
# | `-n 1` | one task, since `dask cuda worker` itself starts a process for each GPU. With `-n 4` there would be sixteen |
# | `--cpus-per-task=16` | left out it is one core, on which four processes take turns |
# | `--mem=64G` | a number without a unit is in **megabytes** |
# | `-t 00:30:00` | hours:minutes:seconds. `-t 30` is 30 minutes, `-t 1:30` a minute and a half. When it is over the job is killed, done or not |
# | `--gres=gpu:4` | left out there is no GPU, and the worker says so in a log that nobody reads |
# | `tls://10.0.0.1:…` | the address of the *login node*, as the compute nodes reach it: `interface="ib0"` says which network |
#
# When a job ends at its walltime, its workers' results are gone and Dask computes them again on others, if there are others. Let workers stop
# before that by themselves and hand over what they hold: `job_script_prologue=["export DASK_DISTRIBUTED__WORKER__LIFETIME__DURATION=25m"]`.
#
# ## The fifth door: Kubernetes
#
# Kubernetes starts *pods*, which are containers with limits. Somebody has installed Dask's *operator* there, which knows what a `DaskCluster` is;
# you send one, as a manifest (`deploy/clusters/kubernetes.py`):
#
# ```python
# found = make_cluster_spec(
#     name=name,
#     image=image,
#     n_workers=workers,
#     resources={"limits": limits},
#     worker_command="dask cuda worker" if gpus else "dask worker",
#     idle_timeout=600,
# )
# ```
#
# with `limits = {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "1"}`, and `KubeCluster(custom_cluster_spec=found)` has the client's address. Two
# things to know: `resources` go to the **scheduler's** pod, too, which then keeps a GPU that it never uses (take it out of the manifest, as that file
# does); and the `image` must have the same versions of Python, Dask and everything that is pickled as the notebook.
#
# ## The sixth door: a gateway
#
# Where several people share, somebody may run a **Dask Gateway**: a server that starts clusters for its users, on Slurm or Kubernetes or its own
# machine, with its own limits and certificates. You need its address and nothing else (`deploy/clusters/gateway.py`):
#
# ```python
# gateway = Gateway(address, auth=auth)
# cluster = gateway.new_cluster(shutdown_on_close=True, **options)
# cluster.scale(workers)
# ```
#
# In all six `client` is a `Client`, and `run(client)` does not know which.
#
# | where | you need | it is killed by | the usual first failure |
# |---|---|---|---|
# | this machine | nothing | your notebook's end | the port of the dashboard is taken: `dashboard_address=":0"` |
# | by hand | a shell on each host | nobody: end it yourself | another version of Dask on the other host |
# | SSH | a key | the notebook's end | `python` over there is another one: `remote_python=` |
# | Slurm | an account | the walltime | no worker comes: `squeue --me` says why |
# | Kubernetes | the right to make pods | `idle_timeout` | the image has no `dask_cuda` |
# | gateway | an address | its `idle_timeout` | its image has other versions than you |
#
# ## Driver → CUDA → wheels
#
# A container and a conda environment bring everything but one thing: the **driver**, which is part of the host's operating system. It decides which
# CUDA can run, and so which wheels:
#
# | packages | CUDA | need a driver from | serve GPUs from | such as |
# |---|---|---|---|---|
# | `cu13` | 13.x | 580 | compute capability 7.5 | T4, A100, L4, H100, B200 |
# | `cu12` | 12.x | 525 (RAPIDS tests from 535) | 7.0 | V100 as well |
#
# (NVIDIA, *CUDA Compatibility*, table 1; RAPIDS 26.10, *Platform Support*.) A newer driver runs older wheels, never the other way about. `nvidia-smi`
# shows the driver; the "CUDA Version" beside it is the newest that this driver could run, whatever is installed.
#
# **Predict.** A cluster has nodes with H100 and nodes with V100, all of them with driver 580. One environment for all of them, from a shared
# folder: cu13 or cu12?

# %%
my_variant = "cu13"

# %% [markdown]
# **Measure.** `hundredfold environment --driver 580.65.06 --gpu V100` asks this question and writes the answer as an `environment.yml`, with all
# versions from this course's lock. In Python:

# %%
for node, driver, gpu in (
    ("H100", "580.65.06", "H100"),
    ("V100", "580.65.06", "V100"),
    ("A100", "550.54.15", "A100"),
    ("T4", "470.82.01", "T4"),
):
    fits = environments.variant(driver, machine.gpus.find(gpu).cc)
    print(f"{node:5} driver {driver.split('.')[0]}: {fits.extra}. {fits.why}")
fits = environments.variant("580.65.06", machine.gpus.find("V100").cc)
print(f"\nfor both H100 and V100: {fits.extra}, and you said {my_variant}")

# %%
written = environments.environment(environments.described("580.65.06", machine.gpus.find("V100").cc))
head, _, pinned = written.partition("  - pip:\n")
print(head + "  - pip:")
assert any("cupy-cuda12x" in line for line in pinned.splitlines())

# %% [markdown]
# **Explain.** The oldest GPU decides, so cu12. The line to remember is `__cuda >=12.0`. It is a *virtual package*: conda makes it up from the driver
# that it finds. Where the driver is too old, conda refuses when the environment is made; without the line it would be CuPy, at the first array, in the
# job. A login node has no GPU and so no `__cuda`: there you say what the compute nodes have, `CONDA_OVERRIDE_CUDA=12.0 conda env create ...`.
#
# ## When not to distribute
#
# Now the question that should come first. Of any work a part can be divided among workers, and a part cannot: reading the arguments, the last step of
# a reduction, the scheduler itself. If $f$ is the share that cannot, $n$ workers need
#
# $$T(n) = T(1) \cdot \left(f + \frac{1 - f}{n}\right)$$
#
# at least. That is **Amdahl's law** (1967). With two measured times, $T(1)$ and $T(n)$, it gives $f$, and with $f$ everything that you could buy.
#
# **Predict.** In 2019 the sum over 2 TB of unit 10 took 97 s on one GPU of a DGX-1 and 19 s on eight. Which share of the 97 s was not divided
# (in percent)? And how many seconds would it take on 1 000 such GPUs?

# %%
my_share, my_seconds = 1, 1


# %%
def serial_share(one, many, n):
    """Amdahl's f from the time on one worker and on n."""
    return (n * many / one - 1) / (n - 1)


def amdahl(one, share, n):
    return one * (share + (1 - share) / n)


published = {time.way: time.seconds for time in recorded.published("dask-arrays.sum").times}
gpus = serial_share(published["CuPy, 1 GPU"], published["CuPy, 8 GPUs"], 8)
cores = serial_share(published["NumPy, 1 core"], published["NumPy, 40 cores"], 40)
thousand = amdahl(published["CuPy, 1 GPU"], gpus, 1_000)
print(f"8 GPUs: {100 * gpus:.1f} % were not divided (you said {my_share} %), so at most {1 / gpus:.0f} times faster")
print(
    f"1 000 GPUs would take {thousand:.1f} s (you said {my_seconds} s);",
    f"they would be busy for {100 * published['CuPy, 1 GPU'] / 1_000 / thousand:.0f} % of it",
)
print(f"40 cores: {100 * cores:.1f} %, at most {1 / cores:.0f} times faster")

# %%
counts = [1, 2, 4, 8, 16, 32, 64, 128, 256]
plot.lines(
    counts,
    {
        "all divided": counts,
        f"as the 40 cores, {100 * cores:.1f} %": [1 / (cores + (1 - cores) / n) for n in counts],
        f"as the 8 GPUs, {100 * gpus:.1f} %": [1 / (gpus + (1 - gpus) / n) for n in counts],
    },
    xlabel="workers",
    ylabel="times faster than one",
    xlog=True,
    ylog=True,
    marks={"8 GPUs": 8, "40 cores": 40},
    title="Two measurements, and where they lead",
    note="Amdahl's law through the published times of unit 10 (Dask blog, January 2019).",
)

# %% [markdown]
# **Explain.** Twelvefold is all that there is, and half of it is had with twelve GPUs. What was not divided? Unit 10 found it: 2 500 chunks with some
# tasks each, and a scheduler that needs most of a millisecond for every task, one after the other. Larger chunks would shrink $f$; more GPUs would not.
#
# ## Where the GPU loses
#
# The law has no term for what a cluster *adds*: a task travels to a worker, its result is announced, blocks wait for each other. So there is a zone in
# which everything that is promised of clusters is a fairy tale: where the data fit one machine, and one machine is done before the others
# have been told. How wide is the zone here?
#
# **Predict.** NumPy computes the same singular values of the same rows on this machine alone. Up to how many rows (of 16 numbers) is it faster
# than the cluster?

# %%
my_rows = 1_000


# %%
def alone(rows, columns=16, blocks=4):
    matrix = np.concatenate([np.random.default_rng((14, i)).standard_normal((rows, columns)) for i in range(blocks)])
    return np.linalg.svd(matrix, full_matrices=False)[1]


def best_of(function, *args, times=3, **more):
    """The least of some times, in seconds; a cluster has no other way to be quick than to be asked twice."""
    took = []
    for _ in range(times):
        start = perf_counter()
        function(*args, **more)
        took.append(perf_counter() - start)
    return min(took)


rows = [250, 2_500, 12_500, 50_000]  # in each of the four blocks
here = [best_of(alone, n) for n in rows]
there = [best_of(run, client, rows=n) for n in rows]
for n, one, many in zip(rows, here, there, strict=True):
    print(f"{4 * n:7} rows: {1e3 * one:.1f} ms alone, {1e3 * many:.0f} ms on the cluster")

# %%
plot.lines(
    [4 * n for n in rows],
    {"NumPy alone, here": here, "Dask's cluster, here": there},
    xlabel="rows",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="The zone of the fairy tale is where the first line is below the second",
)

# %% [markdown]
# **Explain.** The left end of the cluster's line is flat: that is its price for being asked at all, a few dozen tasks and their messages. Only where the
# other line has climbed above it does anything that the law says begin to hold. On real GPUs the right end lies lower; the left end does not. Add
# what stands before the first task: to start this cluster took seconds, and a queue takes from minutes to days. (Without a GPU your processor does the
# work of both lines, so there may be no crossing at all: two processes on the same cores have nothing to add.)
#
# And is the second worker worth it here? The law, with the times of this machine:

# %%
one_worker = best_of(run, client, rows=rows[-1], workers=workers[:1], allow_other_workers=False)
all_workers = there[-1]
if len(workers) > 1:
    share = serial_share(one_worker, all_workers, len(workers))
    print(f"{len(workers)} workers: {one_worker / all_workers:.2f}× as fast as one")
    print(f"not divided: {100 * min(max(share, 0), 1):.0f} %")

# %% [markdown]
# **So ask in this order**, and stop at the first yes:
#
# 1. Does it fit in the memory of one machine, and is one machine's time good enough? Then stay.
# 2. Would another format, fewer columns, float32, Polars or DuckDB make it fit? (Units 02 and 07.) Then stay.
# 3. Does it fit on one GPU, and is there enough arithmetic for each byte? Then one GPU, without Dask.
# 4. Are there many jobs that need nothing of each other? Then submit many jobs (an *array job* in Slurm); you need no scheduler of your own.
# 5. Only then a cluster: the smallest that holds the data, and the fewest workers that make the deadline.
#
# ## What a result costs
#
# A time is not what you pay. Money is hours × machines × price; energy is seconds × watts. The course keeps prices and powers as data, each with
# its source and its day, because prices change within weeks and yours differ anyway:

# %%
offers = pd.DataFrame([(offer.what, f"{offer.value:.2f}", offer.has, offer.date) for offer in costs.prices()])
offers.columns = ["offer", "$ per hour", "what one gets", "price of"]
print(offers.to_string(index=False))
print(f"\nfor instance: {costs.price('L4 (Modal)').title}, {costs.price('L4 (Modal)').publisher}")

# %% [markdown]
# **Predict.** The 2 TB again: 690 s on 40 cores, 97 s on one GPU, 19 s on eight. Which of the three is the cheapest, and which takes the least energy?

# %%
my_cheapest, my_least_energy = "8 GPUs", "8 GPUs"

# %% [markdown]
# **Measure.** The powers are the most that each chip is built for (a *thermal design power*): a bound from above, of the chips alone; 40 cores are two
# such Xeons. A V100 stands in no price list any more, so the price of a GPU below is an *example*; put in yours.

# %%
price_of_cores = costs.price("c5.18xlarge").value / 36 * 40  # 36 cores for this price, and 40 were used
price_of_a_gpu = 1.48  # example: what an A100 of 40 GB cost on 7 May 2026; put in what you pay
cpu, gpu = costs.watts("Xeon E5-2698 v4").value, costs.watts("V100").value

ways = {
    "40 cores": (published["NumPy, 40 cores"], price_of_cores, 2 * cpu),
    "1 GPU": (published["CuPy, 1 GPU"], price_of_a_gpu, gpu),
    "8 GPUs": (published["CuPy, 8 GPUs"], 8 * price_of_a_gpu, 8 * gpu),
}
result = pd.DataFrame(
    {
        "seconds": {way: seconds for way, (seconds, _, _) in ways.items()},
        "cents": {way: 100 * costs.money(seconds, price) for way, (seconds, price, _) in ways.items()},
        "kJ at most": {way: costs.energy(seconds, watts) / 1e3 for way, (seconds, _, watts) in ways.items()},
    }
).round(0)
print(result.astype(int).to_string())
print(f"\ncheapest: {result['cents'].idxmin()} (you said {my_cheapest})")
print(f"least energy: {result['kJ at most'].idxmin()} (you said {my_least_energy})")
bytes_moved = recorded.published("dask-arrays.sum").bytes
least = bytes_moved / machine.gpus.find("V100").bandwidth
print(f"the limit: {least:.1f} s for its bytes on one V100, {costs.energy(least, gpu) / 1e3:.1f} kJ")

# %% [markdown]
# **Explain.** One GPU, both times. Eight are five times faster and not eight times, so each result costs more; what is not divided is paid for eight
# times over. This is general: **more workers never make a result cheaper, only sooner**, unless the data did not fit before. And against the
# limit all three are far away: more than nine tenths of the one GPU's energy went into something else than moving its bytes. The cheapest optimisation is
# still the one of units 01 to 06.
#
# What this reckoning leaves out, and your bill does not: the minute that is billed though you used ten seconds; the host's memory, fans and the room's
# cooling; storage, and the traffic out of it; and your own hours, which cost more than all of it.

# %%
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - A cluster is a scheduler, workers and a client that know one address. The six ways differ in who starts the processes, not in your code.
# - A scheduler runs what anybody sends it: give it one address and certificates, and keep the dashboard on 127.0.0.1.
# - Read the job script before you queue: one task per node, a unit for the memory, the limit for each worker and not for the job, hours in the time.
# - The host's driver decides the CUDA, the CUDA decides the wheels, and the oldest GPU has a say. `__cuda` makes conda check it.
# - Two times give Amdahl's share, and that gives everything that could be bought. First ask whether one machine would do.
# - More workers make a result sooner, not cheaper.
#
# ## The exercise
#
# [exercises/14_deploying.ipynb](../exercises/14_deploying.ipynb): match machines and wheels, say beforehand what sixteen workers would bring,
# repair a job script, shut the door of a scheduler, decide what should not be distributed, and find the cheapest plan that meets a deadline.
#
# ## Further reading
#
# - [Dask: deploying clusters](https://docs.dask.org/en/stable/deploying.html), and its page on [TLS](https://distributed.dask.org/en/stable/tls.html).
# - [dask-jobqueue](https://jobqueue.dask.org), [dask-kubernetes](https://kubernetes.dask.org), [dask-gateway](https://gateway.dask.org).
# - [Dask-CUDA](https://docs.rapids.ai/api/dask-cuda/stable/): what `dask cuda worker` can be told.
# - [RAPIDS deployment](https://docs.rapids.ai/deployment/stable/): recipes for clouds and platforms.
# - [CUDA Compatibility](https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html): the table of drivers.
# - [conda: virtual packages](https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-virtual.html).
# - G. M. Amdahl, *Validity of the single processor approach to achieving large scale computing capabilities*, AFIPS 1967.
# - [Slurm: sbatch](https://slurm.schedmd.com/sbatch.html): every line of a job script.
