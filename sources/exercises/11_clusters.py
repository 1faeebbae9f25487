# ---
# jupyter:
#   hundredfold:
#     unit: 11
#     slug: clusters
#     title: "Clusters: one worker for each GPU"
#     teaching: 45
#     exercises: 30
#     dashboard: true
# ---

# %% [markdown]
# # 11 · Clusters: exercises
#
# *Unit 11 · clusters · 30 minutes · the lecture is [notebooks/11_clusters.ipynb](../notebooks/11_clusters.ipynb)*
#
# Five problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails; `hint("clusters.scores")` unfolds the next hint. A gap counts as not attempted, never as wrong; but where code
# is given that already runs (problems 1 and 5), the check judges that code until you change it.
#
# Your functions get a `client`. The checks bring their own: a scheduler and two workers, small enough to start in a moment, which count what your code sends
# and fetches. A function may be called again with the same client. To try something yourself, use the one below.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import dask
import numpy as np
from dask.distributed import Client, LocalCluster, as_completed, wait

from hundredfold import check, hint

# %%
# Two workers in this process: enough to try things out, and nothing is left behind.
cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0")
client = Client(cluster)

# %% [markdown]
# ## 1. Repair: a table for every task
#
# `scores(client, score, table, settings)` tries settings on a table: `score(table, setting)` gives a number. `table` is a device array of a megabyte, and so it has to come to `score`; `settings` a list of numbers, some
# of which may be equal. Return a list with the score of each setting, **in the order of the settings**, computed on the workers, several at a time.
#
# A colleague's version computes the right scores. But they come back in another order each time, and the network is busy for minutes.
# The check counts what is sent: the table may leave the notebook about once for each worker.


# %%
def scores(client, score, table, settings):
    ### BEGIN SOLUTION
    there = client.scatter(table, broadcast=True)
    futures = [client.submit(score, there, setting) for setting in settings]
    return client.gather(futures)
    ### END SOLUTION
    ### BEGIN STARTER
    # futures = [client.submit(score, table, setting, pure=False) for setting in settings]
    # return [future.result() for future in as_completed(futures)]
    ### END STARTER


# %%
check("clusters.scores", scores)

# %% [markdown] tags=["solution-only"]
# What stands in a task's arguments travels with it; a future in the arguments costs nothing, since the worker has what it stands for. And `gather`
# answers in the order of its list. Two equal settings are one task here, with one key and one result, which both futures stand for: nothing is computed twice. (For a function that draws
# random numbers that would be wrong; `pure=False` says so.)

# %% [markdown]
# ## 2. Predict: where is it, and what does it cost?
#
# A worker has `device_memory_limit="32GB"` and `memory_limit="64GB"`. It makes 60 results of 2 GB each, one after the other, and keeps them. Then it reads each of them
# once, in the order in which they were made. (Let headers weigh nothing.) Say, before it runs:
#
# - `disk`: how many **bytes** lie on disk before the reading begins?
# - `again`: how many of the 60 results are read from disk?
#
# On another cluster, two workers have loaded 24 parts, cleaned each, and kept the cleaned ones, twelve on each worker; the loaded ones were let go. One worker's process is killed.
#
# - `recomputed`: how many tasks are run again?
#
# A third one has eight workers. 200 000 tasks compute 2 ms each; the scheduler needs 500 µs for each task.
#
# - `floor`: how many **seconds** does all of it take at least?

# %%
disk = ...
again = ...
recomputed = ...
floor = ...
### BEGIN SOLUTION
disk = (60 - 16 - 32) * 2e9
again = 60
recomputed = 12 + 12
floor = max(200_000 * 500e-6, 200_000 * 2e-3 / 8)
### END SOLUTION

# %%
check("clusters.foretell", disk, again, recomputed, floor)

# %% [markdown]
# ## 3. Where the results lead
#
# The boxes of a search form a tree. `expand(box)` opens one and returns `(cost, parts)`: the cost of a solution that was found in it (or `inf`), and a list of
# `(bound, part)`, the smaller boxes it consists of (none for the smallest). No solution in `part` costs less than `bound`. Write
# `search(client, expand, root)`, which returns the least cost of all, a number.
#
# A box is a tuple or a text, and two can be compared. Open boxes on the workers, several at a time, and none that is ruled out: the check allows you half of all boxes. One box may take much longer than the others; go on meanwhile
# where the others lead.


# %%
def search(client, expand, root):
    ### BEGIN SOLUTION
    best = float("inf")
    pending = as_completed([client.submit(expand, root)])
    for future in pending:
        cost, parts = future.result()
        best = min(best, cost)
        for bound, part in parts:
            if bound < best:
                pending.add(client.submit(expand, part))
    return best
    ### END SOLUTION


# %%
check("clusters.search", search)

# %% [markdown] tags=["solution-only"]
# The loop ends when no future is left in `pending`. A few boxes are opened although a later result rules them out; that is the price of not waiting. Who wants to pay less
# keeps a heap of boxes, and gives only a few at a time to the workers, those with the lowest bounds first.

# %% [markdown]
# ## 4. One, or many?
#
# One GPU with 80 GB of memory; or eight of them, each with a worker, behind one scheduler. The scheduler needs 500 µs for each task, one after the other; to start the cluster takes 15 s, and it
# runs already unless it says otherwise; between all workers together TCP moves 1 GB/s. Where is each job done first?
#
# | job | what |
# |---|---|
# | `"photos"` | 8 000 photos are smoothed, each by itself, and counted; 1 800 s on one GPU |
# | `"lookup"` | 4 s on one GPU, in 64 parts; the cluster must be started for it |
# | `"rows"` | 100 000 tasks, one for each row of a table; one GPU needs 20 s for all of them |
# | `"chain"` | 6 000 steps of a simulation in one piece, each of which needs the one before; 60 s on one GPU |
# | `"transpose"` | a matrix of 16 GB is transposed and added to itself: 2 s on one GPU; in 512 tasks on eight, 14 GB move from worker to worker |
# | `"table"` | 300 GB of a table must be in memory at once; 60 s of work, in 300 tasks, and 30 GB move between workers |
# | `"search"` | 20 000 tasks of 45 ms, 900 s on one GPU; which tasks there are turns out on the way; 100 MB move |
#
# Answer `"one"` or `"many"` for each.

# %%
decisions = {"photos": ..., "lookup": ..., "rows": ..., "chain": ..., "transpose": ..., "table": ..., "search": ...}
### BEGIN SOLUTION
decisions |= dict.fromkeys(("photos", "table", "search"), "many")
decisions |= dict.fromkeys(("lookup", "rows", "chain", "transpose"), "one")
### END SOLUTION

# %%
check("clusters.worth", decisions)

# %% [markdown]
# ## 5. Open: counted once, whoever dies
#
# `histogram(client, load, parts, bins)`: `load(part)` makes a part, a device array of values from 0 to 1, the same at each call. Count all values of all parts in `bins` equal parts
# of 0 … 1 (a 1 belongs into the last): return a NumPy array of whole numbers, of shape `(bins,)`, what `np.histogram(…, bins, (0, 1))[0]` would give for all of them.
#
# There is at least one part. The check kills a worker in the middle, twice, and one before `client.run` asks what the workers keep. The counts must be the same as if it had lived. And a part is much larger than its counts: no part may leave the worker that made it. How near do
# you come to the least that has to be moved, one histogram from worker to worker and one to the notebook?
#
# The version below works as long as nobody dies.


# %%
def histogram(client, load, parts, bins):
    ### BEGIN SOLUTION
    def count(part):
        return cp.histogram(load(part), bins, (0, 1))[0].get()

    counts = client.map(count, parts)
    while len(counts) > 1:  # two by two, on the workers
        rest = counts[len(counts) // 2 * 2 :]
        counts = [client.submit(np.add, a, b) for a, b in zip(counts[::2], counts[1::2], strict=False)] + rest
    return counts[0].result()
    ### END SOLUTION
    ### BEGIN STARTER
    # class Counts:
    #     def __init__(self):
    #         self.total = np.zeros(bins, int)
    #
    #     def add(self, counts):
    #         self.total += counts
    #
    #     def get(self):
    #         return self.total
    #
    # counts = client.submit(Counts, actor=True).result()
    #
    # def count(part, counts):
    #     counts.add(cp.histogram(load(part), bins, (0, 1))[0].get()).result()
    #
    # client.gather(client.map(count, parts, counts=counts))
    # return counts.get().result()
    ### END STARTER


# %%
check("clusters.histogram", histogram)

# %% [markdown] tags=["solution-only"]
# Each task *returns* what it found and changes nothing; so it does not matter how often it ran. An actor is gone with its worker; and had it lived, then what the dead worker had added to it
# would have been added a second time. The tree adds on the workers, and most of its sums need nothing from the other one. A `sum` over `client.gather(counts)` is simpler, and
# right as well: it fetches a histogram for each part.

# %%
client.close()
cluster.close()

# %% [markdown]
# ---
# **Next:** unit 12, *svd*: a matrix that is larger than one GPU, and where communication takes over from arithmetic.
