# ---
# jupyter:
#   hundredfold:
#     unit: 9
#     slug: learning
#     title: "Machine learning: from scikit-learn to cuML"
#     teaching: 45
#     exercises: 30
# ---

# %% [markdown]
# # 09 · Machine learning: exercises
#
# *Unit 09 · learning · 30 minutes · the lecture is [notebooks/09_learning.ipynb](../notebooks/09_learning.ipynb)*
#
# Five problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails; `hint("learning.same")` unfolds the next hint. A gap counts as not attempted, never as wrong; but where code
# is given that already runs (problems 3 and 5), the check judges that code until you change it.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cupy as cp
import numpy as np
from cuml.linear_model import LogisticRegression
from cuml.preprocessing import StandardScaler
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from hundredfold import check, hint

# %% [markdown]
# ## 1. The same clusters?
#
# `a` and `b` are the labels that two runs of a clustering gave to the same points: one-dimensional arrays on the device, of whole numbers. A label is only a
# name: any number, also -1, also a very large one. Return `True` if both put the same points together, for **all** points: if you could
# rename the groups of `a`, each to a name of its own, and get `b`. Else `False`. No points at all are the same clusters.
#
# The points stay on the device; the answer is a Python `bool`.


# %%
def same_clusters(a, b):
    ### BEGIN SOLUTION
    names_a, a = cp.unique(a, return_inverse=True)
    names_b, b = cp.unique(b, return_inverse=True)
    pairs = cp.unique(a * len(names_b) + b)
    return len(pairs) == len(names_a) == len(names_b)
    ### END SOLUTION


# %%
check("learning.same", same_clusters)

# %% [markdown] tags=["solution-only"]
# If there are as many different pairs as names of `a`, each name of `a` meets only one of `b`; if there are as many as names of `b`, the other way round as well. One of
# the two alone would call two groups the same that were merged. `return_inverse` makes small numbers of any names, so that a pair is one number.

# %% [markdown]
# ## 2. Predict: what will the search cost?
#
# ```python
# pipeline = make_pipeline(HashingVectorizer(n_features=2**18), TfidfTransformer(), LogisticRegression())
# RandomizedSearchCV(pipeline, candidates, n_iter=20, cv=5).fit(documents, labels)
# ```
#
# `documents` is a `cudf.Series`, sent to the device once: 200 000 texts of 400 bytes with 60 different words each; all three steps are cuML's. The matrix of all texts is in compressed rows (CSR):
# numbers in float32, columns and the beginnings of rows in int32. Say, before it runs:
#
# - `fits`: how many times is the regression fitted?
# - `nbytes`: how many bytes of device memory does that matrix take?
# - `reading`: how many **seconds** does an H200 need at least, at 4.8 TB/s, to read it as often as the whole search does, if each fit takes 50 steps
#   and reads it twice in each? (Let each fit read the matrix of *all* texts.)
# - `launching`: how many seconds do the launches take, with ten kernels in each of these steps, and 5 µs for each?
# - `crossing`: how many seconds do the documents need over a bus with 25 GB/s?

# %%
fits = ...
nbytes = ...
reading = ...
launching = ...
crossing = ...
### BEGIN SOLUTION
fits = 20 * 5 + 1
nbytes = 200_000 * 60 * (4 + 4) + 200_001 * 4
reading = fits * 50 * 2 * nbytes / 4.8e12
launching = fits * 50 * 10 * 5e-6
crossing = 200_000 * 400 / 25e9
### END SOLUTION

# %%
check("learning.cost", fits, nbytes, reading, launching, crossing)

# %% [markdown]
# ## 3. Repair: a score that is too good
#
# A colleague has 60 rows, 300 columns and labels from a tossed coin, and their cross-validation is right in nearly eight cases of ten. Find out why, and repair it.
#
# `X` (n, m) is float32 on the host, `y` has the classes, 0 and 1, and `folds` is a list of pairs of row numbers: `train`, of which the fold's model may learn,
# and `test`, whose classes it predicts; every row is in one `test`, and not each of the others need be in `train`. For each fold: standardise the columns, keep the five in which the classes' means lie farthest apart, fit a logistic
# regression. Return the predictions, a NumPy array with one class for each row of `X`.
#
# The check does not look for leaks in your source, and not at the score. It changes what is held out, and calls your function again.
# (You need nothing but what the given lines use; `SelectKBest`, `cross_val_predict` and `make_pipeline` are there for another way.)


# %%
def held_out(X, y, folds):
    ### BEGIN SOLUTION
    got = np.empty(len(y), int)
    for train, test in folds:
        scaler = StandardScaler().fit(X[train])
        seen, unseen = scaler.transform(X[train]), scaler.transform(X[test])
        gap = np.abs(seen[y[train] == 1].mean(axis=0) - seen[y[train] == 0].mean(axis=0))
        kept = np.argsort(gap)[-5:]
        got[test] = LogisticRegression().fit(seen[:, kept], y[train]).predict(unseen[:, kept])
    return got
    ### END SOLUTION
    ### BEGIN STARTER
    # X = StandardScaler().fit_transform(X)
    # gap = np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    # X = X[:, np.argsort(gap)[-5:]]
    # got = np.empty(len(y), int)
    # for train, test in folds:
    #     model = LogisticRegression().fit(X[train], y[train])
    #     got[test] = model.predict(X[test])
    # return got
    ### END STARTER


# %%
check("learning.leak", held_out)

# %% [markdown] tags=["solution-only"]
# Shorter, and so that nobody can forget a step, as one estimator:
# `return cross_val_predict(make_pipeline(StandardScaler(), SelectKBest(k=5), LogisticRegression()), X, y, cv=folds)`. (`SelectKBest` ranks columns by an *F* test,
# which for two classes and columns on one scale is the same order.) Its step in the middle is scikit-learn's, on the host. That works since `X`
# lies there; on the device, each fit would cross the bus.

# %% [markdown]
# ## 4. GPU or not?
#
# A server: its GPU moves 2 000 GB/s, does 20 TFLOP/s in float32, takes 5 µs to launch a kernel; the bus moves 25 GB/s; the processor moves 150 GB/s, does 2 TFLOP/s,
# and takes 1 µs for a call. Where does each job finish first, at the limits, counting everything until the answer is where it is wanted?
#
# | job | what |
# |---|---|
# | `"clusters"` | k-means of 50 million rows of 16 float32 (3.2 GB) that lie on the device; ten centres, 100 steps of one kernel that reads all of them; the centres are wanted |
# | `"airports"` | 100 steps of PageRank over 107 airports, 4 kernels or calls in each; everything fits in any cache |
# | `"neighbours"` | the 5 nearest of 2 million points to each of 1 million, in 32 columns, by brute force: 1.28·10¹⁴ operations; points and answers, 444 MB, lie and are wanted on the host |
# | `"scale"` | 4 GB of float32 on the host are standardised, once, in one pass, for a model that runs on the processor |
# | `"middle"` | 101 fits. Each reads a matrix of 1 GB twice. One step in the middle is a host library's: on the GPU the matrix crosses the bus there and back, in each fit |
# | `"search"` | 101 fits of 100 kernels each, all of which read a matrix of 200 MB that is made on the device of 80 MB of text on the host |
#
# Answer `"cpu"` or `"gpu"` for each.

# %%
decisions = {"clusters": ..., "airports": ..., "neighbours": ..., "scale": ..., "middle": ..., "search": ...}
### BEGIN SOLUTION
decisions |= dict.fromkeys(("clusters", "neighbours", "search"), "gpu")
decisions |= dict.fromkeys(("airports", "scale", "middle"), "cpu")
### END SOLUTION

# %%
check("learning.worth", decisions)

# %% [markdown]
# ## 5. Open: PageRank, near its limit
#
# `links` is a sparse matrix on the device (CSR, float64): `links[i, j]` says how often node `i` is followed by node `j`. A walker begins anywhere, each node as likely
# as each other. In each step they follow a link of the node where they are, with the probability 0.85, each link as likely as it is frequent; else, and
# wherever there is no link, they go to any of the n nodes. Return where they are after `steps` steps: a CuPy array (n,) of float64 that adds up to 1.
#
# The version below is right. But it makes a dense matrix, n² numbers, and reads all of them in each step. Each step may read
# twice the bytes of the links at most (12 for each link, with its place). You may begin with the lecture's `walk`, which keeps to that; the check tells
# how near you come to reading them once: come nearer.


# %%
def pagerank(links, steps):
    ### BEGIN SOLUTION
    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    stuck = out == 0
    scale = 0.85 / cp.where(stuck, 1, out)
    arrive = links.T.tocsr()
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        x = arrive @ (x * scale) + (0.85 * (x * stuck).sum() + 0.15) / n
    return x
    ### END SOLUTION
    ### BEGIN STARTER
    # n = links.shape[0]
    # follow = links.toarray()
    # out = follow.sum(axis=1, keepdims=True)
    # follow = cp.where(out > 0, follow / cp.where(out > 0, out, 1), 1 / n)
    # x = cp.full(n, 1 / n)
    # for _ in range(steps):
    #     x = 0.15 / n + 0.85 * (follow.T @ x)
    # return x
    ### END STARTER


# %%
check("learning.pagerank", pagerank)

# %% [markdown] tags=["solution-only"]
# What is the same in each step stands before the loop: how often each node is left, who is stuck, the transposed rows. (`links.T` alone is compressed by columns, and
# a product with it adds into the result by atomics; `.tocsr()` sorts it once.) The shares of those who are stuck are a number *on the device*: nothing is
# fetched. To come nearer, scale the links themselves once, and fuse the small kernels over x.

# %% [markdown]
# ---
# **Next:** unit 10, *dask-arrays*: what to do when one GPU is not enough.
