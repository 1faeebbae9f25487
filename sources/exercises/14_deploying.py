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
# # 14 · Deploying: exercises
#
# *Unit 14 · deploying · 60 minutes · the lecture is [notebooks/14_deploying.ipynb](../notebooks/14_deploying.ipynb)*
#
# Six problems take about 60 minutes. The last one is open. Fill in a cell, run it, and run the `check` below it. A check tells you what it verified, or why the
# answer is wrong, with a hint or the smallest case that fails. `hint("deploying.script")` shows the next hint. An empty gap is not counted as wrong. In problem 3 a
# script is given, and the check judges it until you change it.
#
# You need no queue, no second host and no GPU. You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
from math import ceil

from dask.distributed import Security

from hundredfold import check, hint

# %% [markdown]
# ## 1. Which packages fit?
#
# *5 minutes.* Here are seven machines, each with its driver and its oldest GPU. *cc* is the compute capability. Which wheels do you install on each? Answer `"cu13"` wherever
# it runs. Otherwise answer `"cu12"` if that runs, and `"none"` if neither does.
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
# - CUDA 13 needs driver 580 or newer, and serves cc 7.5 and newer.
# - CUDA 12 needs driver 525 or newer. RAPIDS for CUDA 12 serves cc 7.0 and newer.

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
# *8 minutes.* You have measured a job. It takes 600 s with one worker, and 195 s with four. A worker costs 3 dollars an hour and is billed by the second. All workers are
# paid for until the last one is done. Use Amdahl's law to compute:
#
# - `serial`: the share of the work that is not divided, a number between 0 and 1;
# - `seconds`: the time with sixteen workers;
# - `most`: the number of times as fast as one worker that no number of workers can exceed;
# - `workers`: the number of workers n that are together n/2 times as fast as one. With more workers, more than half of the time that you pay for is waiting;
# - `dollars`: the cost of the result with sixteen workers.
#
# `workers` has to be right to 5 %, the others to 2 %.

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
# The result comes 6.4 times sooner, and costs two and a half times as much as with one worker. That may be worth it. It saves no money.

# %% [markdown]
# ## 3. Repair a job script
#
# *12 minutes.* A colleague wrote this script and waited two hours for it. The job was dead within two minutes. Several lines are wrong. The check names the first one that
# it finds. The script should ask for:
#
# - two nodes of the partition `gpu`;
# - all that each node has: 4 GPUs, 16 cores and 64 GiB of memory (the check accepts 60 GiB or more);
# - 90 minutes, or somewhat more. The partition allows 24 hours. A job that asks for much more than it needs waits longer, so three hours are the most that the check
#   accepts.
#
# On each node there should be one worker process for each GPU. Together these processes may use the memory of their node, not more, and not less than a quarter of it. A worker that finds no scheduler
# should end within ten minutes.
#
# `srun` starts the command once in each task, on every node. The scheduler runs elsewhere, and has written its address into `scheduler.json`. That part is
# right, and `--local-directory` is right, too.
#
# The check reads the script as Slurm does. So you may write it in any way that means the same.

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
# Six things were wrong:
#
# - `--mem` came after the first command, where Slurm does not read it.
# - It had no unit, so it meant 64 MB.
# - `1:30` is a minute and a half.
# - Four tasks on a node start four processes each.
# - 64 GB were allowed for each process, and not for all four.
# - There was no `--death-timeout`.

# %% [markdown]
# ## 4. Protect a scheduler
#
# *10 minutes.* A scheduler should run on `host`, an address of this machine. In `folder` are three files: `ca.pem` (the authority that is trusted), `cert.pem` and `key.pem`. The
# same three are on all hosts of your cluster, and nobody else can read them.
#
# Write `settings(host, folder)`. It returns a dict with the arguments `host`, `protocol`, `security` and `dashboard_address`. With them
# `Scheduler(**settings(host, folder))`
#
# - listens on `host`, and on no other address;
# - speaks TLS, and only with those who have a certificate of yours;
# - has its dashboard on 127.0.0.1, on any port.
#
# `Security` has the keyword arguments `tls_ca_file`, `tls_scheduler_cert`, `tls_scheduler_key`, the same two for `worker` and `client`, and
# `require_encryption`, which must not be false.
#
# A scheduler has a dashboard even if you give it no address: `dashboard_address=None`, `False` and `""` each open port 8787, the last two on all addresses.
# The argument `dashboard=False` switches only the plots off. The check accepts that argument in place of an address.
#
# The check starts a scheduler with your settings. Three clients try to connect: one with your certificate, one with a certificate of its own making, and one
# without.


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
# *10 minutes.* Where is each job done first: `"cpu"` (here), `"gpu"` (here), or `"cluster"`? Compute it from these figures:
#
# | | memory | before the work can start |
# |---|---|---|
# | the CPU here | 64 GB | nothing |
# | one GPU here | 24 GB | the bus brings 20 GB/s |
# | the cluster: 10 nodes with 4 such GPUs each | 320 GB of main memory on each node | 20 minutes in the queue; then the network to it moves 100 MB/s |
#
# On the cluster a job uses all 40 GPUs, by Amdahl's law. Its scheduler hands out at most a thousand tasks a second, while the GPUs work. So the work there takes as long as
# the slower of the two. Data that are here have to be sent to the cluster. Data that are there stay there.
#
# | job | on the CPU here | one GPU is | in memory at once | not divided, of the time on one GPU | tasks |
# |---|---|---|---|---|---|
# | `"question"`: one group-by over a table | 8 s | 4 times as fast | 30 GB, here | 2 % | 1 000 |
# | `"filter"`: 500 FFTs of one array | 15 min | 30 times | 10 GB, here | 2 % | 1 000 |
# | `"sweep"`: 4 000 simulations that need nothing of each other | 30 days | 20 times | 2 GB, here | nothing | 4 000 |
# | `"matrix"`: an SVD | 2 h, if it fitted | 10 times | 2 TB, on the cluster | 2 % | 1 000 |
# | `"archive"`: one pass over old measurements | 25 min | 3 times | 60 GB, here | 2 % | 1 000 |
# | `"crumbs"`: three million small questions | 10 min | half as fast | 1 GB, here | 2 % | 3 000 000 |
# | `"overnight"`: a model, step after step | 8 h | 25 times | 20 GB, here | 30 % | 1 000 |

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
# Five of seven stay here. The other two are typical for a cluster: the parts of one need nothing of each other, and the other fits nowhere else.

# %% [markdown]
# ## 6. Open: the cheapest plan in time
#
# *15 minutes.* Which machines do you rent, and how many, so that a job meets its deadline for as little money as possible? Write `plan(job, offers)`. It returns the name of
# one offer and a number of machines, such as `("A100", 4)`. It returns `None` if no plan works.
#
# A `job` is a dict:
#
# - `serial` and `parallel`: the seconds of its two parts on one machine of speed 1;
# - `memory`: the bytes that all machines together must hold;
# - `deadline`: in seconds;
# - `start`: the seconds that machines need before they begin.
#
# `offers` is a list of dicts: `name`, `price` (dollars an hour for each machine), `speed`, `memory` (bytes of each) and `most` (how many there are).
#
# `n` machines take `start + (serial + parallel / n) / speed` seconds. That must not exceed the deadline. Each machine is paid for from its start until the job is done. A **begun
# minute** costs as much as a whole one. Your function must not change `job` or `offers`.
#
# The check also tells how near you come to a limit: all of the work at the best price for it, with nothing serial, nothing to start and nothing rounded up.


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
# The smallest number of machines that is in time is nearly always right. More machines cost more, except for a begun minute here and there. The model leaves out things that
# matter more: prices that change with the hour (*spot*), machines that are taken away in the middle, and traffic out of the cloud.

# %% [markdown]
# ---
# **Next:** unit 15, *capstone*: all of it, on a problem of your own size.
