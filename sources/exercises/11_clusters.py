# ---
# jupyter:
#   hundredfold:
#     unit: 11
#     slug: clusters
#     title: "Clusters: one worker for each GPU"
#     teaching: 60
#     exercises: 40
#     dashboard: true
# ---

# %% [markdown]
# # 11 · Clusters: exercises
#
# *Unit 11 · clusters · 40 minutes · the lecture is [notebooks/11_clusters.ipynb](../notebooks/11_clusters.ipynb)*
#
# There are five problems, the last one open. Fill in a cell, run it, and run the `check` below it. A check tells you what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails. `hint("clusters.scores")` shows the next hint. Problems 1 and 5 begin with code that
# runs. The check judges that code until you change it.
#
# Your functions get a `client`. Each check brings its own small cluster, a scheduler and two workers. It counts what your code sends and fetches. It may call
# a function again with the same client. To try something yourself, use the client below.
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
# *7 minutes.* `scores(client, score, table, settings)` tries settings on a table. `score(table, setting)` gives a number. `table` is a device array of 0.8 MB,
# and `score` must get a device array. `settings` is a list of numbers, and some may be equal.
#
# Return a list with the score of each setting, **in the order of the settings**. The workers compute the scores, several at a time.
#
# The version below computes the right scores. But they come back in another order each time, and the table goes with every task. The check counts what the
# notebook sends: the table may leave it about once for each worker.


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
# What is in a task's arguments travels with the task. A future there is only a name: the worker already has the table. `gather` returns results in the order of
# its list. Two equal settings are one task here, with one key and one result. So nothing is computed twice. For a function that draws random numbers you would
# need `pure=False`.

# %% [markdown]
# ## 2. Predict: where is it, and what does it cost?
#
# *10 minutes.* A worker has `device_memory_limit="32GB"` and `memory_limit="64GB"`. It makes 60 results of 2 GB each, one after the other, and keeps them. Headers
# take no memory here. Then it reads each result once, in the order in which they were made.
#
# - `disk`: how many **bytes** are on disk before the reading begins?
# - `again`: how many of the 60 results are read from disk?
#
# On another cluster, two workers have loaded 24 parts and cleaned each one. The cleaned parts are kept, twelve on each worker. The loaded ones were released. Then one worker's
# process is killed.
#
# - `recomputed`: how many tasks run again?
#
# A third cluster has eight workers. 200 000 tasks compute for 2 ms each. The scheduler needs 500 µs for each task.
#
# - `floor`: how many **seconds** do all of them take at least?


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
# *8 minutes.* A search has boxes in boxes. `expand(box)` opens one. It returns `(cost, parts)`:
#
# - `cost` is the cost of a solution in the box, or `inf` if none was found.
# - `parts` is a list of `(bound, part)`, the smaller boxes in it. The smallest boxes have none. No solution in `part` costs less than `bound`.
#
# Write `search(client, expand, root)`. It returns the least cost of all, a number. A box is a tuple or a string.
#
# Open the boxes on the workers, several at a time. Do not open a box whose bound rules it out: the check allows you to open half of all boxes. One box may take much longer than
# the others. Open other boxes meanwhile.


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
# The loop ends when `pending` has no future left. A few boxes are opened although a later result rules them out. That is the price of not waiting. To pay less, keep a
# heap of boxes, and send only a few at a time, those with the lowest bounds first.

# %% [markdown]
# ## 4. One, or many?
#
# *7 minutes.* You have one GPU with 80 GB of memory, or eight of them, each with a worker, behind one scheduler. Which of the two finishes each job first?
#
# - The scheduler needs 500 µs for each task, one after the other.
# - Starting the cluster takes 15 s. It is running already, unless the job says otherwise.
# - Over TCP, all workers together move 1 GB/s.
#
# | job | what |
# |---|---|
# | `"photos"` | 8 000 photos are smoothed, each by itself, in a task for each; 1 800 s on one GPU |
# | `"lookup"` | 4 s on one GPU, in 64 tasks on eight; the cluster must be started first |
# | `"rows"` | 100 000 tasks on eight, one for each row of a table; 20 s on one GPU |
# | `"chain"` | 6 000 steps of a simulation, each needs the one before, a task for each; 60 s on one GPU |
# | `"transpose"` | a matrix of 16 GB is transposed and added to itself; 2 s on one GPU; on eight 512 tasks, and 14 GB move between workers |
# | `"table"` | 300 GB must be in memory at once; 60 s of work, in 300 tasks; 30 GB move between workers |
# | `"search"` | 20 000 tasks of 45 ms, which follow from results; 900 s on one GPU; 100 MB move between workers |
#
# Answer `"one"` or `"many"` for each.

# %%
decisions = {
    "photos": ...,
    "lookup": ...,
    "rows": ...,
    "chain": ...,
    "transpose": ...,
    "table": ...,
    "search": ...,
}
### BEGIN SOLUTION
decisions |= dict.fromkeys(("photos", "table", "search"), "many")
decisions |= dict.fromkeys(("lookup", "rows", "chain", "transpose"), "one")
### END SOLUTION

# %%
check("clusters.worth", decisions)

# %% [markdown]
# ## 5. Open: count once, even if a worker dies
#
# *8 minutes, or longer.* `load(part)` makes a part: a device array of values from 0 to 1, the same at each call. `parts` has at least one, and one may come twice. Write `histogram(client, load, parts, bins)`. It counts the values of
# all parts in `bins` equal intervals of 0 … 1. A value of 1 belongs to the last interval. Return a NumPy array of whole numbers with the shape `(bins,)`, as
# `np.histogram(…, bins, (0, 1))[0]` would give for all values together.
#
# The check kills a worker in the middle, in two of its cases. If you call `client.run`, it also kills one just before that call. The counts must be the same as if it had lived. A part is much
# larger than its counts, so **no part may leave the worker that made it**.
#
# The check also tells how much you moved, compared with the least possible: one histogram from worker to worker, and one to the notebook.
#
# The version below works as long as no worker dies.


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
# Each task **returns** what it found, and changes nothing. So it may run twice. An actor is gone with its worker. If it lives, the parts of the dead worker are added to it a
# second time. The tree adds on the workers, and most of its sums need nothing from the other one. A `sum` over `client.gather(counts)` is simpler, and right as
# well. It fetches one histogram for each part.

# %%
client.close()
cluster.close()

# %% [markdown]
# ---
# **Next:** unit 12, *svd*: a matrix that is larger than one GPU.
