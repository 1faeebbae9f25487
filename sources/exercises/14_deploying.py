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
# # 14 · Deploying: exercises
#
# *Unit 14 · deploying · 45 minutes · the lecture is [notebooks/14_deploying.ipynb](../notebooks/14_deploying.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails; `hint("deploying.script")` unfolds the next hint. A gap counts as not attempted, never as wrong; but where text is given
# that can be judged already (problem 3), the check judges it until you change it.
#
# Nothing here needs a queue, a second host or a GPU. You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
from math import ceil

from dask.distributed import Security

from hundredfold import check, hint

# %% [markdown]
# ## 1. Which packages fit?
#
# Seven machines, each with its driver and its oldest GPU (*cc* is the compute capability). Which variant of the packages do you install: `"cu13"` wherever
# it runs, else `"cu12"`, else `"none"`?
#
# | machine | driver | GPU |
# |---|---|---|
# | `"h100"` | 580.65.06 | H100, cc 9.0 |
# | `"v100"` | 580.65.06 | V100, cc 7.0 |
# | `"a100"` | 550.54.15 | A100, cc 8.0 |
# | `"t4"` | 470.82.01 | T4, cc 7.5 |
# | `"container"` | 535.129.03 on the host; the image has CUDA 13.0 | A100, cc 8.0 |
# | `"mixed"` | 590.44.01 | nodes with H100, cc 9.0, and nodes with V100, cc 7.0; one environment for all |
# | `"p100"` | 580.65.06 | P100, cc 6.0 |
#
# CUDA 13 needs driver 580 and serves cc 7.5 and newer. CUDA 12 needs driver 525, and RAPIDS for it cc 7.0.

# %%
packages = {"h100": ..., "v100": ..., "a100": ..., "t4": ..., "container": ..., "mixed": ..., "p100": ...}
### BEGIN SOLUTION
packages = {
    "h100": "cu13",
    "v100": "cu12",
    "a100": "cu12",
    "t4": "none",
    "container": "cu12",
    "mixed": "cu12",
    "p100": "none",
}
### END SOLUTION

# %%
check("deploying.wheels", packages)

# %% [markdown]
# ## 2. What sixteen workers would bring
#
# You have measured a job: 600 s with one worker, 195 s with four. A worker costs 3 dollars an hour, billed by the second, and all are paid for until
# the last one is done. By Amdahl's law:
#
# - `serial`: which share of the work is not divided (a number between 0 and 1)?
# - `seconds`: how long does it take with sixteen workers?
# - `most`: how many times faster than with one can it become, with any number of workers?
# - `workers`: with how many workers n is it n/2 times as fast as with one? (From there on more than half of what you pay for waits.)
# - `dollars`: what does the result cost with sixteen workers?

# %%
serial = seconds = most = workers = dollars = ...
### BEGIN SOLUTION
serial = (4 * 195 / 600 - 1) / (4 - 1)
seconds = 600 * (serial + (1 - serial) / 16)
most = 1 / serial
workers = (1 + serial) / serial
dollars = 16 * seconds / 3600 * 3
### END SOLUTION

# %%
check("deploying.amdahl", serial, seconds, most, workers, dollars)

# %% [markdown] tags=["solution-only"]
# Two and a half times the price for a result that comes six times sooner. That may be a good bargain; it is never a saving.

# %% [markdown]
# ## 3. Repair a job script
#
# Two nodes are wanted for 90 minutes, with all that they have: 4 GPUs, 16 cores and 64 GiB of memory each. The script has to ask for all of it. On each
# node one worker process for each GPU. The partition `gpu` allows 24 hours at most, but a job that asks for much more than it needs waits for it. Workers that find no scheduler
# must end within ten minutes.
#
# The colleague who wrote this script has waited two hours for it, and it was dead within two minutes. Several things are wrong; the check names the first
# that it comes upon. (`srun` starts the command once in each task, on every node. The scheduler runs
# elsewhere and has written its address into `scheduler.json`; that part is right, and so is `--local-directory`.)
#
# It is read here as Slurm would read it, so write it in any way that means the same.

# %%
script = ...
### BEGIN SOLUTION
script = r"""#!/bin/bash
#SBATCH --job-name=svd
#SBATCH --partition=gpu
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --gres=gpu:4
#SBATCH --mem=64G
#SBATCH --time=01:30:00

module load cuda

srun python -m dask cuda worker --scheduler-file $HOME/scheduler.json \
    --memory-limit 16GiB --death-timeout 120 --local-directory /tmp
"""
### END SOLUTION
### BEGIN STARTER
# script = r"""#!/bin/bash
# #SBATCH --job-name=svd
# #SBATCH --partition=gpu
# #SBATCH --nodes=2
# #SBATCH --ntasks-per-node=4
# #SBATCH --cpus-per-task=4
# #SBATCH --gres=gpu:4
# #SBATCH --time=1:30
#
# module load cuda
# #SBATCH --mem=64
#
# srun python -m dask cuda worker --scheduler-file $HOME/scheduler.json \
#     --memory-limit 64GB --local-directory /tmp
# """
### END STARTER

# %%
check("deploying.script", script)

# %% [markdown] tags=["solution-only"]
# The six: the memory is asked for after the first command, where nobody reads it; it would have been 64 MB; a minute and a half instead of an hour
# and a half; four tasks that start four processes each; 64 GB for each process instead of all of them; no `--death-timeout`.

# %% [markdown]
# ## 4. Shut the door
#
# A scheduler is to run on `host`, an address of this machine. In `folder` lie `ca.pem` (who is trusted), `cert.pem` and `key.pem`; the same three are on
# all hosts of your cluster, and nobody else can read them. Write `settings(host, folder)`, which returns a dict: the arguments `host`, `protocol`,
# `security` and `dashboard_address` with which `Scheduler(**settings(host, folder))` of Dask
#
# - listens on `host`, and on no other address,
# - speaks TLS, and with nobody who has no certificate of yours,
# - keeps its dashboard on 127.0.0.1, on any free port (or has none).
#
# `Security` has the keyword arguments `tls_ca_file`, `tls_scheduler_cert`, `tls_scheduler_key`, the same two for `worker` and `client`, and
# `require_encryption`. The check starts a scheduler with your settings, and three clients knock.


# %%
def settings(host, folder):
    ### BEGIN SOLUTION
    files = {f"tls_{role}_cert": f"{folder}/cert.pem" for role in ("scheduler", "worker", "client")}
    files |= {f"tls_{role}_key": f"{folder}/key.pem" for role in ("scheduler", "worker", "client")}
    security = Security(tls_ca_file=f"{folder}/ca.pem", require_encryption=True, **files)
    return {"host": host, "protocol": "tls", "security": security, "dashboard_address": "127.0.0.1:0"}
    ### END SOLUTION


# %%
check("deploying.door", settings)

# %% [markdown]
# ## 5. Distribute it, or not?
#
# On your desk: a machine with 64 GB of memory, and a GPU with 24 GB to which the bus brings 20 GB/s. Elsewhere: a cluster of 10 nodes with 4 such
# GPUs each, and 320 GB of main memory on each node. Its queue takes 20 minutes, the line to it moves 100 MB/s, and its scheduler hands out a thousand tasks a
# second at most. Where is each job done first, by these figures: `"cpu"` (here), `"gpu"` (here), or `"cluster"`?
#
# | job | on the CPU here | one GPU is | must be in memory at once | not divided, of the time on one GPU | tasks |
# |---|---|---|---|---|---|
# | `"question"`: one group-by over a table | 8 s | 4 times as fast | 30 GB, here | 2 % | 1 000 |
# | `"filter"`: 500 FFTs of one array | 15 min | 30 times | 10 GB, here | 2 % | 1 000 |
# | `"sweep"`: 4 000 simulations that need nothing of each other | 30 days | 20 times | 2 GB, here | nothing | 4 000 |
# | `"matrix"`: an SVD | 2 h, if it fitted | 10 times | 2 TB, on the cluster | 2 % | 1 000 |
# | `"archive"`: one pass over old measurements | 25 min | 3 times | 60 GB, here | 2 % | 1 000 |
# | `"crumbs"`: three million small questions | 10 min | half as fast | 1 GB, here | 2 % | 3 000 000 |
# | `"overnight"`: a model, step after step | 8 h | 25 times | 20 GB, here | 30 % | 1 000 |
#
# On the cluster a job uses all 40 GPUs, and the nodes' main memory has to hold it; on the GPU here, the GPU's own. What is
# here has to be sent there; what is there stays there.

# %%
places = {
    "question": ...,
    "filter": ...,
    "sweep": ...,
    "matrix": ...,
    "archive": ...,
    "crumbs": ...,
    "overnight": ...,
}
### BEGIN SOLUTION
places = {
    "question": "cpu",
    "filter": "gpu",
    "sweep": "cluster",
    "matrix": "cluster",
    "archive": "cpu",
    "crumbs": "cpu",
    "overnight": "gpu",
}
### END SOLUTION

# %%
check("deploying.place", places)

# %% [markdown] tags=["solution-only"]
# Five of seven stay. The two that go are those for which clusters are built: one that needs nothing of each other, and one that fits nowhere else.

# %% [markdown]
# ## 6. Open: the cheapest plan in time
#
# Write `plan(job, offers)`: which machines to rent, and how many, so that the job meets its deadline for as little money as possible. It returns the name of
# an offer and a number, such as `("A100", 4)`, or `None` where nothing is in time. A plan is of one offer only.
#
# A `job` is a dict: `serial` and `parallel`, the seconds that its two parts would take on one machine of speed 1; `memory`, the bytes that all machines
# together must hold; `deadline`, in seconds; and `start`, the seconds that machines need before they begin. `offers` is a list of dicts: `name`, `price`
# (dollars an hour for each machine), `speed`, `memory` (bytes of each) and `most` (how many there are).
#
# `n` machines take `start + (serial + parallel / n) / speed` seconds. Each of them is paid for from its start until the job is done, by the
# **begun minute**. Nothing in it may be changed.
#
# The check says how near you come to the limit: what all of the work would cost at the best price for it, if nothing were serial, nothing had to
# start and nothing was rounded up.


# %%
def plan(job, offers):
    ### BEGIN SOLUTION
    plans = []
    for offer in offers:
        for n in range(1, offer["most"] + 1):
            seconds = job["start"] + (job["serial"] + job["parallel"] / n) / offer["speed"]
            if n * offer["memory"] >= job["memory"] and seconds <= job["deadline"]:
                minutes = ceil(seconds / 60 - 1e-9)
                plans.append((n * minutes * offer["price"] / 60, n, offer["name"]))
    if plans:
        _, n, name = min(plans)
        return name, n
    ### END SOLUTION


# %%
check("deploying.plan", plan)

# %% [markdown] tags=["solution-only"]
# Fewest machines that are in time is nearly the same, and nearly always right: more machines cost more, but for a begun minute here and there. What the
# model lacks is worth more than what could be refined in it: prices that change with the hour (*spot*), machines that are taken away in the middle,
# and the traffic out of the cloud.

# %% [markdown]
# ---
# **Next:** unit 15, *capstone*: all of it, on a problem of your own size.
