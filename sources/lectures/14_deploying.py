# ---
# jupyter:
#   hundredfold:
#     unit: 14
#     slug: deploying
#     title: "Deploying: the same code on a cluster"
#     teaching: 55
#     exercises: 60
#     dashboard: true
# ---

# %% [markdown]
# # 14 · Deploying: the same code on a cluster
#
# *Unit 14 · deploying · 55 minutes in two sittings, then 60 for the exercises; the optional parts are not counted*
#
# Your code runs on this machine. Now it has to run on another one: a supercomputer with a queue, a Kubernetes cluster, a server that you reach by SSH.
# Your function stays as it is. Everything around it changes: the packages, the people who can reach your workers, the time limit and the bill.
#
# One question comes first, and it is often forgotten: should the work leave this machine at all?
#
# ## What you will be able to do
#
# - **Run** the same function on one machine and on a cluster.
# - **Read** a job script, and find the line that would kill the job.
# - **Protect** a scheduler.
# - **Match** driver, CUDA and wheels.
# - **Decide** whether to distribute, by Amdahl's law and by a measurement.
# - **Compute** what a result costs, in money and in energy.
#
# You need units 10 to 12. You do not need a GPU, a queue or a second host. The page also shows code that cannot run here. The project's
# tests run that code on a real Slurm and over SSH, with simulated GPUs. The cells need about a minute.

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

from hundredfold import machine, plot, quiz
from hundredfold.setup import environments
from hundredfold.toolkit import costs, recorded

# %% [markdown]
# ## One function, any cluster
#
# The function below computes the singular values of a tall matrix, as in unit 12. Its only link to a machine is the argument `client`. The blocks of the matrix
# are made on the workers, so nothing large has to travel.

# %%


def numbers(number, rows, columns):
    """Some rows of the matrix; the same wherever they are made."""
    return np.random.default_rng((14, number)).standard_normal((rows, columns))


def block(number, rows, columns):
    import cupy

    return cupy.asarray(numbers(number, rows, columns))


def run(client, rows=2_000, columns=16, blocks=4):
    """Singular values of a matrix of blocks · rows rows, computed by the client's workers."""
    make = dask.delayed(block)
    pieces = [da.from_delayed(make(i, rows, columns), (rows, columns), dtype="f8") for i in range(blocks)]
    _, values, _ = da.linalg.svd(da.concatenate(pieces))
    values = values.map_blocks(lambda s: s.get(), dtype="f8")  # sixteen numbers come home, as NumPy
    return client.compute(values).result(timeout=300)


# %% [markdown]
# Every Dask cluster consists of the same three parts:
#
# - a **[scheduler](../docs/glossary.md#term-scheduler)**, which listens on a port;
# - **[workers](../docs/glossary.md#term-worker)**, which connect to the scheduler's address;
# - a **client** in your notebook, which connects to the same address.
#
# The cluster classes differ only in the way they start these parts:
#
# ![Five ways to start a cluster: LocalCUDACluster on this machine, SSHCluster on hosts that you reach by SSH, SLURMCluster on a queue, KubeCluster in
# containers, and a gateway on a shared server. Each gives a client. The same function, run with the client as its argument, follows after all
# five.](drawings/same-code.svg)

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # where there is no GPU, simulate two
start = perf_counter()
cluster = LocalCUDACluster(dashboard_address="127.0.0.1:0")  # a worker for each GPU
client = Client(cluster)
started = perf_counter() - start
workers = sorted(client.scheduler_info()["workers"])


def alone(rows=2_000, columns=16, blocks=4):
    """The same, by NumPy in this process."""
    matrix = np.concatenate([numbers(i, rows, columns) for i in range(blocks)])
    return np.linalg.svd(matrix, compute_uv=False)


values = run(client)
assert np.allclose(values, alone(), rtol=1e-12)
print(f"{len(workers)} workers; the largest singular value is {values[0]:.1f}, as NumPy finds it")

# %% [markdown]
# ## What travels to a worker
#
# **Question.** A file `helpers.py` is beside your notebook. You write `import helpers` and `client.submit(helpers.clean, 1)`. The worker is on another host, which has
# its own disk. What happens?
#
# - (a) The function is sent with the task, and it works.
# - (b) The worker cannot import it.
# - (c) The scheduler reads the file and sends it.

# %%
my_answer = "?"
quiz("deploying.travels", my_answer)

# %% [markdown]
# ![From your notebook to a worker on another host. A function that you defined in the notebook travels with the task. A module that you import does not
# travel: the worker imports its own copy, if there is one. A file's path does not bring the file: the worker looks at its own disk.](drawings/what-is-sent.svg)
#
# A function that you define in the notebook is sent as code. A function from a module is sent as a name, and the worker imports
# the module. `client.upload_file("helpers.py")` sends one file.
# Packages have to be installed on each host, in the same versions. `client.get_versions(check=True)` compares them.
#
# ## Who can use your scheduler
#
# Your scheduler listens on this machine. Another user is logged in here, too. This user knows the scheduler's address, but not your password.
#
# **Question.** What can this user do?
#
# - (a) nothing
# - (b) look at your plots, but not change anything
# - (c) run any Python code as you

# %%
my_answer = "?"
quiz("deploying.stranger", my_answer)

# %% [markdown]
# **Measure.** The stranger is a second client. It knows only the address:


# %%
def innocent():
    """Runs on a worker, with the rights of the person who started it."""
    return os.getpid(), os.path.expanduser("~")  # it could also read or delete all files there


with Client(cluster.scheduler_address, set_as_default=False) as stranger:
    process, home = stranger.submit(innocent).result(timeout=60)
mine = client.run(os.getpid).values()
print(f"the stranger's code ran in one of your processes: {process in mine}")
print(f"it sees your home folder: {home == os.path.expanduser('~')}")

# %% [markdown]
# ![A scheduler twice. Over tcp it takes functions from you and from a stranger, and a worker runs both as you. Over tls with certificates the stranger is
# refused at the scheduler, and only your functions reach the worker.](drawings/who-gets-in.svg)
#
# **Explain.** A scheduler runs the functions that it receives. It has no passwords. Two settings protect it:
#
# - **[TLS](../docs/glossary.md#term-TLS)** encrypts the connection, and both sides show a certificate. `LocalCUDACluster(security=True)` makes certificates for one cluster, with the package `cryptography`. So does `SLURMCluster(security=True)`. TLS stops the stranger.
# - **The address.** `host="127.0.0.1"` can be reached from this machine only. It stops other machines, but not a user of this one.
#
# TLS does not protect the dashboard. Keep it from other machines with `dashboard_address="127.0.0.1:0"`. Port 0 means any free port, and `cluster.dashboard_link`
# shows which one it is. `ssh -L 8787:localhost:PORT host` brings the dashboard to your laptop.
#
# ## A queue: Slurm
#
# On a supercomputer you cannot simply start processes. You log in to the **login node** and ask for a job. **[Slurm](../docs/glossary.md#term-Slurm)** keeps a queue of jobs. It starts a job when enough
# **compute nodes** are free. `dask-jobqueue` submits jobs that start workers:
#
# ![What is where on a Slurm cluster. Your laptop reaches the dashboard on the login node through an SSH tunnel. The login node has the notebook with the
# client, Dask's scheduler with its port, and the dashboard on 127.0.0.1. The notebook submits jobs to Slurm's queue. Slurm starts each job on a compute
# node with four GPUs. The four workers of each job connect back to the scheduler on the login node.](drawings/slurm-places.svg)
#
# These are the settings of `deploy/clusters/slurm.py`:
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
# `cluster.scale(jobs=2)` then submits two jobs.
#
# **Predict.** A job has 64 GiB of main memory and four workers. Which limit, in GiB, may each worker have?

# %%
my_gib = "?"

# %%
print(f"64 GiB / 4 workers = {64 // 4} GiB; you said {my_gib}")

# %% [markdown]
# ![A job with 64 GiB and four workers. With a limit of 16 GiB each, the four workers together fill exactly the 64 GiB of the job. With a limit of 64 GiB
# each, they may take 256 GiB, and Slurm ends the job as soon as they pass 64.](drawings/job-memory.svg)
#
# Slurm counts the memory of the whole job. Dask's limit is for each worker, and a worker starts to spill before it reaches its limit. `print(cluster.job_script())` shows the
# script without a queue. Here the address is an example, and the options with the certificates are left out:
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
# `python -m dask_cuda.cli worker` is the command `dask cuda worker`. A **task** of Slurm is not a task of
# Dask: `srun` starts a command once in each of Slurm's tasks. `-n` is their number.
#
# **Question.** Somebody writes `-n 4` and starts the last line with `srun`, "because there are four GPUs". All four tasks see all GPUs. How many worker processes
# start?
#
# - (a) 1
# - (b) 4
# - (c) 16

# %%
my_answer = "?"
quiz("deploying.tasks", my_answer)

# %% [markdown]
# | line | how it goes wrong |
# |---|---|
# | `#SBATCH` | after the first command it is only a comment |
# | `-p gpu` | a partition (a queue) without GPUs refuses the job, or never starts it |
# | `--cpus-per-task=16` | without it there may be one core for four processes |
# | `--mem=64G` | a number without a unit counts **megabytes** |
# | `-t 00:30:00` | `-t 30` is 30 minutes, but `-t 1:30` is a minute and a half |
# | `--gres=gpu:4` | without it the job has no GPU |
# | `tls://10.0.0.1:…` | the compute nodes must reach this address: `interface="ib0"` chooses the network |
# | `--death-timeout 120` | without it a worker that finds no scheduler keeps its GPU until the walltime |
#
# The **walltime**, `-t`, is the longest time that a job may run. After it Slurm ends the job, and the results on its workers are lost. Let the workers retire
# before that, and hand their results to others:
#
# ```python
# job_script_prologue=[
#     "export DASK_DISTRIBUTED__WORKER__LIFETIME__DURATION=25m",
#     "export DASK_DISTRIBUTED__WORKER__LIFETIME__STAGGER=4m",  # 21 to 29 minutes
# ]
# ```
#
# *End of the first sitting: a good place for a break.*

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: by hand, by SSH, in Kubernetes, through a gateway
#
# | where | you need | it is ended by | the usual first failure |
# |---|---|---|---|
# | this machine | nothing | your notebook's end | the dashboard's port is taken: `dashboard_address="127.0.0.1:0"` |
# | by hand | a shell on each host | nobody: end it yourself | another version of Dask on the other host |
# | SSH | a key | the notebook's end | another `python` on the other host: `remote_python=` |
# | Slurm | an account | the notebook's end or the walltime | no worker comes: `squeue --me` tells why |
# | Kubernetes | the right to make pods | `idle_timeout` | the image has no `dask_cuda` |
# | gateway | an address | its `idle_timeout` | its image has other versions than your notebook |
#
# **By hand.** The first line is for a terminal on the host 10.0.0.1. The second line is for a terminal on each host. The third line is for any host
# (`deploy/clusters/by_hand.sh` has all of it, also the certificate):
#
# ```bash
# dask scheduler --protocol tls --host 10.0.0.1 --port 8786 $FILES --dashboard-address 127.0.0.1:0
# dask cuda worker tls://10.0.0.1:8786 $FILES --death-timeout 120 --dashboard-address 127.0.0.1:0
# python work.py tls://10.0.0.1:8786 --tls certificates --workers 8
# ```
#
# with `FILES="--tls-ca-file ca.pem --tls-cert cert.pem --tls-key key.pem"`.
#
# **SSH.** `SSHCluster` logs in to each host and types these lines (`deploy/clusters/ssh.py`). It needs a key without a passphrase, or an agent. Many pages recommend
# `connect_options={"known_hosts": None}`. Then SSH no longer checks that the host is yours.
#
# **Kubernetes** starts *pods*, which are containers with limits. You send a description of a cluster to Dask's *operator* (`deploy/clusters/kubernetes.py`).
# The limits of a worker also go to the **scheduler's** pod, which then keeps a GPU that it never uses. The file takes this GPU away from the scheduler's pod. The image and the notebook
# must have the same versions of Python, Dask and your packages.
#
# **A gateway** is a server that starts clusters for its users, with its own limits and certificates. You need its address (`deploy/clusters/gateway.py`).

# %% [markdown]
# ## Driver, CUDA, wheels
#
# A **[driver](../docs/glossary.md#term-driver)** is the part of the operating system that controls the GPU. An environment or a container brings all packages, but never the driver. **Wheels** are
# Python packages that are already compiled. A package for GPUs has other wheels for each major version of CUDA:
#
# ![Two columns. The wheels of cu13 need CUDA 13. CUDA 13 needs a driver from 580 and a GPU from compute capability 7.5. The wheels of cu12 need CUDA 12. CUDA 12
# needs a driver from 525 and a GPU from 7.0. An environment or a container brings wheels and CUDA. Driver and GPU belong to the
# host.](drawings/driver-wheels.svg)
#
# *cc* is the **compute capability**, the version of a GPU's hardware: 7.0 for a V100, 7.5 for a T4, 8.0 for an A100, 9.0 for an H100. The numbers are from NVIDIA's
# *CUDA Compatibility* and RAPIDS' *Platform Support* (26.10). For cu12, 7.0 is the limit of RAPIDS. CUDA 12 itself also runs on older GPUs.
#
# **Question.** `nvidia-smi` shows "CUDA Version: 13.0". What do you know?
#
# - (a) CUDA 13.0 is installed.
# - (b) This driver is made for CUDA 13.0, and runs older ones.
# - (c) Wheels of cu12 will not run here.

# %%
my_answer = "?"
quiz("deploying.smi", my_answer)

# %% [markdown]
# **Question.** A cluster has nodes with H100 and nodes with V100. All have driver 580. One environment in a shared folder has to serve all of them. Which wheels?
#
# - (a) cu12
# - (b) cu13
# - (c) none fit both

# %%
my_answer = "?"
quiz("deploying.mixed", my_answer)

# %%
for node, driver in (("H100", "580.65.06"), ("V100", "580.65.06"), ("A100", "550.54.15"), ("T4", "470.82.01")):
    fits = environments.variant(driver, machine.gpus.find(node).cc)
    print(f"{node:5} driver {driver.split('.')[0]}: {fits.extra}. {fits.why}")

# %% [markdown]
# **Explain.** On the V100 it is the GPU that rules out cu13, on the A100 the driver. `cpu` means that no GPU wheels fit.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: an environment for the V100

# %%
written = environments.environment(environments.described("580.65.06", machine.gpus.find("V100").cc))
head, _, pinned = written.partition("  - pip:\n")
print("".join(line for line in head.splitlines(keepends=True) if not line.startswith("#")) + "  - pip:")
assert any("cupy-cuda12x" in line for line in pinned.splitlines())

# %% [markdown]
# `__cuda >=12.0` is a **virtual package**: conda computes it from the driver. If the driver is too old, conda refuses to make the environment. Without this line the
# error comes later, in the job.
#
# A login node without a GPU has no `__cuda`. There you tell conda which CUDA to assume: `CONDA_OVERRIDE_CUDA=12.0 conda env create …`

# %% [markdown]
# ## When not to distribute
#
# Some of the work can be divided among workers. Some cannot: reading the arguments, the last step of a reduction, the scheduler's own work.
#
# ![Five bars for 1, 2, 4, 8 and very many workers. Each begins with the same short part that is not divided. The part that is divided becomes half, a
# quarter, an eighth and nearly nothing. The short part is left over.](drawings/amdahl-bars.svg)
#
# Let *f* be the share that is not divided. Then *n* workers need the time
#
# $$T(n) = T(1) \cdot \left(f + \frac{1 - f}{n}\right)$$
#
# This is **[Amdahl's law](../docs/glossary.md#term-Amdahl-s-law)**. Two measured times give *f*. Then *f* gives the time for any number of workers.
#
# **A real GPU.** In 2019 the sum over 2 TB of unit 10 took 97 s on one V100 of a server, a DGX-1, and 19 s on all eight.
#
# **Predict.** Which share of the 97 s was not divided, in percent? How many seconds would 1 000 such GPUs need?

# %%
my_share, my_seconds = "?", "?"


# %%
def serial_share(one, many, n):
    """Amdahl's f, from the time on one worker and on n."""
    return (n * many / one - 1) / (n - 1)


def amdahl(one, share, n):
    return one * (share + (1 - share) / n)


published = {time.way: time.seconds for time in recorded.published("dask-arrays.sum").times}
csv = {time.way: time.seconds for time in recorded.published("dataframes.csv").times}
gpus = serial_share(published["CuPy, 1 GPU"], published["CuPy, 8 GPUs"], 8)
cores = serial_share(published["NumPy, 1 core"], published["NumPy, 40 cores"], 40)
disk = serial_share(csv["cuDF, 1 GPU"], csv["cuDF, 8 GPUs"], 8)
thousand = amdahl(published["CuPy, 1 GPU"], gpus, 1_000)
print(f"published: {published['NumPy, 1 core']} s on one core, {published['NumPy, 40 cores']} s on 40")
print(f"{100 * gpus:.1f} % were not divided; you said {my_share} %")
print(f"1 000 GPUs would take {thousand:.1f} s; you said {my_seconds} s")
print(f"the law's limit for any number of GPUs: {1 / gpus:.0f} times as fast as one")

# %%
counts = [1, 2, 4, 8, 16, 40, 64, 128, 256]
curves = {"all divided": counts}
for name, share in {"sum, 40 cores": cores, "sum, 8 V100": gpus, "CSV, 8 V100": disk}.items():
    curves[f"{name}: {100 * share:.1f} % not"] = [1 / amdahl(1, share, n) for n in counts]
plot.lines(
    counts,
    curves,
    xlabel="workers",
    ylabel="times as fast as one",
    xlog=True,
    ylog=True,
    marks={"8 GPUs": 8, "40 cores": 40},
    title="Computed by Amdahl's law from two published times each",
    note="Measured, January 2019 (Dask blog): at 1 worker, and at 8 GPUs or 40 cores. All else is computed.",
)

# %% [markdown]
# Each percentage in the chart is a share that is not divided. Reading CSV files was limited by the disk, which all GPUs share. The sum reads no files. It has 2 500 chunks.
#
# **Question.** What would make the undivided part of the sum smaller?
#
# - (a) larger chunks
# - (b) more GPUs
# - (c) faster GPUs

# %%
my_answer = "?"
quiz("deploying.smaller", my_answer)

# %% [markdown]
# Each chunk has some tasks. The scheduler needs about a millisecond for each task, as in unit 10.
#
# ## Where the GPU loses
#
# Here the *cluster* loses, with or without a GPU. Amdahl's law leaves out the time that a cluster adds. The next cell times `alone` and `run`.


# %%
def best_of(function, *args, times=3, **more):
    """The shortest of some times, in seconds."""
    took = []
    for _ in range(times):
        start = perf_counter()
        function(*args, **more)
        took.append(perf_counter() - start)
    return min(took)


rows = [250, 2_500, 12_500, 50_000]  # in each of the four blocks
here = [best_of(alone, n, times=10 if n < 10_000 else 3) for n in rows]
there = [best_of(run, client, rows=n) for n in rows]
plot.lines(
    [4 * n for n in rows],
    {"here: NumPy alone": here, "here: Dask's cluster": there},
    xlabel="rows",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="The same singular values, alone and on the cluster",
)

# %% [markdown]
# **Question.** The cluster needs far less than ten times as long for 10 000 rows as for 1 000. Why?
#
# - (a) Few rows use the memory's bandwidth badly.
# - (b) The workers are still starting.
# - (c) The tasks and their messages are the same for few rows and for many.

# %%
my_answer = "?"
quiz("deploying.flat", my_answer)

# %% [markdown]
# **Explain.** Where the cluster's line is above NumPy's, one process is faster. With real GPUs, the cluster's line is lower on the right, and the same on the
# left: an H200 reads the largest matrix, 26 MB, in 5 µs (its limit). Without a GPU your CPU does the work of both lines, so they may not cross at all.
#
# Compare four fixed costs:

# %%
plot.times(
    {
        "published: H200, one launch after another": 2.52e-6,
        "published: Dask, one task": 1e-3,
        "here: the smallest matrix, on the cluster": there[0],
        "here: to start this cluster": started,
    },
    title="Fixed costs",
    note="The launch: gpu-benches. The task: about 1 ms, by Dask's documentation.",
)

# %% [markdown]
# Slurm's queue can add minutes or days.
#
# **Question.** Your desktop has 32 GB. A CSV file of 60 GB has 30 columns of equal size, and you need three of them. What do you try first?
#
# - (a) Read only the three columns, here.
# - (b) Rent one GPU with 80 GB.
# - (c) Start a cluster of four nodes.

# %%
my_answer = "?"
quiz("deploying.columns", my_answer)

# %% [markdown]
# Ask these questions in order, and stop at the first yes:
#
# ![Four questions from top to bottom. Is the data small enough, and the time short enough, for this machine? With fewer columns, float32, Parquet or chunks? On
# one GPU, in chunks if need be? Do the parts need nothing of each other? At the first yes you stop: stay here, stay here, one GPU, or an array job. If all are
# answered with no, you take the smallest cluster with enough memory and a short enough time.](drawings/distribute-or-not.svg)
#
# An **array job** is Slurm's way to start the same script many times, with another number each time.
#
# ## What a result costs
#
# Money is machines × hours × price. Energy is seconds × watts. The course keeps prices with their source and day, since prices change within weeks:

# %%
offers = pd.DataFrame([(offer.what, f"{offer.value:.2f}", offer.has, offer.date) for offer in costs.prices()])
offers.columns = ["offer", "$ per hour", "what one gets", "price of"]
print(offers.to_string(index=False))
print(f"\nsource of the L4's price: {costs.price('L4 (Modal)').publisher}")

# %% [markdown]
# **Question.** The 2 TB again: 690 s on 40 cores, 97 s on one V100, 19 s on eight. Let a GPU cost 1.48 dollars an hour, and 40 cores 3.40. Which is cheapest?
#
# - (a) 40 cores
# - (b) one GPU
# - (c) eight GPUs

# %%
my_answer = "?"
quiz("deploying.cheapest", my_answer)

# %% [markdown]
# **Measure.** No price list here has a V100 any more. The 1.48 dollars are an *example*: an A100 of 40 GB in May 2026. Put in your own price. Watts are the
# **thermal design power**, the most that a chip is built to turn into heat. So the energies are upper bounds, for the chips alone.

# %%
price_of_cores = costs.price("c5.18xlarge").value / 36 * 40  # 36 cores for this price, and 40 were used
price_of_a_gpu = 1.48  # put in what you pay
cpu, gpu = costs.watts("Xeon E5-2698 v4").value, costs.watts("V100").value

ways = {
    "40 cores": (published["NumPy, 40 cores"], price_of_cores, 2 * cpu),  # two Xeons of 20 cores
    "1 GPU": (published["CuPy, 1 GPU"], price_of_a_gpu, gpu),
    "8 GPUs": (published["CuPy, 8 GPUs"], 8 * price_of_a_gpu, 8 * gpu),
}
table = {
    way: (seconds, 100 * costs.money(seconds, price), costs.energy(seconds, watts) / 1e3)
    for way, (seconds, price, watts) in ways.items()
}
result = pd.DataFrame(table, index=["seconds", "cents", "kJ at most"]).T.round().astype(int)
print(result.to_string())
print(f"\ncheapest: {result['cents'].idxmin()}")
nbytes = recorded.published("dask-arrays.sum").bytes
for name in ("V100", "H200"):
    least = nbytes / machine.gpus.find(name).bandwidth
    kilojoules = costs.energy(least, costs.watts(name).value) / 1e3
    print(f"limit: {nbytes / 1e12:.0f} TB in the memory of one {name} take {least:.1f} s, {kilojoules:.1f} kJ")

# %% [markdown]
# ![What is paid for as an area: GPUs times seconds. One GPU for 97 seconds is a long flat bar. Eight GPUs for 19 seconds are a short high block with a
# larger area. A hatched part of 8 seconds is not divided, and all eight GPUs are paid for.](drawings/gpu-seconds.svg)
#
# **Explain.** Eight GPUs are five times as fast as one and cost eight times as much an hour. **More workers make a result sooner, not cheaper**, unless the data did not
# fit before.
#
# The data has 2 TB. The steps read and write it several times, 7 TB in total. On one V100 that takes at least 7.8 of the 97 s. The 7.9 s above,
# by Amdahl's law, are something else. So find out what takes the other 89 s before you add GPUs.
#
# The bill leaves out storage, traffic, the host's power and your own hours.

# %%
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - A cluster is a scheduler, workers and a client. Cluster classes differ in how they start them. Your function stays the same.
# - A scheduler runs every function that it receives. Only TLS keeps out a user of the same machine. Keep the dashboard on 127.0.0.1.
# - Read the job script before you queue: tasks, memory with its unit, the limit of each worker, the walltime.
# - The host has the driver. The driver and the oldest GPU decide which wheels fit.
# - Two measured times give the share that is not divided, and the share gives the most that you can reach.
# - More workers make a result sooner, not cheaper. First ask whether one machine is enough.
#
# ## The exercise
#
# Six problems, 60 minutes: [exercises/14_deploying.ipynb](../exercises/14_deploying.ipynb). You match machines and wheels, predict what sixteen workers bring, repair a job
# script, protect a scheduler, decide what to distribute, and find the cheapest plan that meets a deadline.
#
# ## Further reading
#
# - [Dask: deploying clusters](https://docs.dask.org/en/stable/deploying.html), and its page on [TLS](https://distributed.dask.org/en/stable/tls.html).
# - [dask-jobqueue](https://jobqueue.dask.org), [dask-kubernetes](https://kubernetes.dask.org), [dask-gateway](https://gateway.dask.org).
# - [Dask-CUDA](https://docs.rapids.ai/api/dask-cuda/stable/): the options of `dask cuda worker`.
# - [RAPIDS deployment](https://docs.rapids.ai/deployment/stable/): recipes for clouds and platforms.
# - [CUDA Compatibility](https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html): the table of drivers.
# - [conda: virtual packages](https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-virtual.html).
# - G. M. Amdahl, *Validity of the single processor approach to achieving large scale computing capabilities*, AFIPS 1967.
# - [Slurm: sbatch](https://slurm.schedmd.com/sbatch.html): every line of a job script.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches): small kernels on an H200, 2.52 µs for each launch.
# - M. Rocklin, [GPU Dask Arrays, first steps](https://blog.dask.org/2019/01/03/dask-array-gpus-first-steps), and [Dask, Pandas, and GPUs: first steps](https://blog.dask.org/2019/01/13/dask-cudf-first-steps), January 2019: the sum and the CSV files.
