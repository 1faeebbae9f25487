# ---
# jupyter:
#   hundredfold:
#     unit: 9
#     slug: learning
#     title: "Machine learning: from scikit-learn to cuML"
#     teaching: 60
#     exercises: 45
# ---

# %% [markdown]
# # 09 · Machine learning: exercises
#
# *Unit 09 · learning · 45 minutes · the lecture is [notebooks/09_learning.ipynb](../notebooks/09_learning.ipynb)*
#
# There are five problems, from easy to open. Problems 1 to 4 take about half an hour, problem 5 about a quarter. Fill in a cell, run it, and run the
# `check` below it. The check shows what it verified, or why the answer is wrong, with a hint or the smallest case that fails. `hint("learning.same")`
# shows the next hint.
#
# An empty answer, `...`, counts as not attempted, not as wrong. Problems 3 and 5 start with code. There the check judges that code until you change it.
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
# Two runs of a clustering gave labels to the same points. `a` and `b` have one label for each point: two arrays of whole numbers on the device. A label
# is only a name. It can be any number, also -1, also a very large one.
#
# Return `True` if both runs put exactly the same points together. In other words: you could give each group of `a` a new name of its own, and get `b`.
# Otherwise return `False`. Return `True` for two empty arrays.
#
# The points stay on the device. The answer is a `bool` of Python.


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
# If there are as many different pairs as names of `a`, then each name of `a` meets only one name of `b`. If there are as many as names of `b`, the same
# holds the other way round. With only one of the two tests, two groups that were merged would count as the same. `return_inverse` makes small numbers
# of any names, so that a pair fits into one number.

# %% [markdown]
# ## 2. Predict: what will the search cost?
#
# ```python
# pipeline = make_pipeline(HashingVectorizer(n_features=2**18), TfidfTransformer(), LogisticRegression())
# RandomizedSearchCV(pipeline, candidates, n_iter=20, cv=5).fit(documents, labels)
# ```
#
# `documents` is a `cudf.Series` of 200 000 texts. Each text has 400 bytes and 60 different words. The texts are sent to the device once, and all three
# steps are cuML's. The matrix of all texts is in compressed rows (CSR): the numbers are float32, and the columns and the starts of rows are int32. The
# lecture has a drawing of it.
#
# Compute these numbers before anything runs:
#
# - `fits`: how many times is the regression fitted?
# - `nbytes`: how many **bytes** of device memory does that matrix take?
# - `reading`: how many **seconds** does an H200 need at least to read the matrix for the whole search? It reads 4.8 TB/s. Each fit takes 50 steps, and
#   reads the matrix of *all* texts twice in each.
# - `launching`: how many **seconds** do the launches take? Each of these steps launches ten kernels. Assume 5 µs for each launch.
# - `crossing`: how many **seconds** do the documents need over a bus with 25 GB/s?

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
# A colleague has 60 rows, 300 columns and labels from a tossed coin. Their cross-validation is right in nearly eight cases of ten. Find out why, and
# repair it.
#
# - `X` (n, m) is float32 on the host. `y` has the class of each row, 0 or 1.
# - `folds` is a list of pairs of row numbers. A fold's model may learn from the rows in `train`. It predicts the classes of the rows in `test`.
# - Every row is in one `test`. A row that is not in `test` need not be in `train`.
#
# Do this for each fold: standardise the columns, keep the five in which the means of the classes lie farthest apart, and fit a logistic regression.
# Return the predictions: a NumPy array with a class for each row of `X`, in the order of `X`.
#
# The check does not look for leaks in your code, nor at the score. It changes what is held out, and calls your function again. You can repair the lines
# below without other imports. `SelectKBest`, `cross_val_predict` and `make_pipeline` are imported for a shorter solution.


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
# A pipeline is shorter, and nobody can forget a step: `return cross_val_predict(make_pipeline(StandardScaler(), SelectKBest(k=5),
# LogisticRegression()), X, y, cv=folds)`. `SelectKBest` ranks columns by an *F* test. For two classes and columns on one scale that is the same order.
# Its step in the middle is scikit-learn's, on the host. That works because `X` is on the host. On the device, each fit would cross the bus.

# %% [markdown]
# ## 4. GPU or not?
#
# A server has these parts:
#
# | | memory or bus | float32 | a launch or a call |
# |---|---|---|---|
# | its GPU | 2 000 GB/s | 20 TFLOP/s | 5 µs |
# | its CPU | 150 GB/s | 2 TFLOP/s | 1 µs |
# | the bus between them | 25 GB/s | | |
#
# Where is each job done first, at these limits? Include the bus, if the data or the answer has to cross it.
#
# | job | what |
# |---|---|
# | `"clusters"` | k-means of 50 million rows of 16 float32, 3.2 GB, on the device. Ten centres, 100 steps of one kernel that reads all rows. The centres are wanted. |
# | `"airports"` | 100 steps of PageRank over 107 airports, with 4 kernels or calls in each. Everything fits in any cache. |
# | `"neighbours"` | The 5 nearest of 2 million points to each of 1 million, in 32 columns, by brute force: 1.28·10¹⁴ operations. Points and answers, 444 MB, are on the host and wanted on the host. |
# | `"scale"` | 4 GB of float32 on the host are standardised once, in one pass, for a model that runs on the CPU. |
# | `"middle"` | 101 fits. Each reads a matrix of 1 GB twice. One step in the middle runs only on the host. So with the GPU, the matrix crosses the bus there and back in each fit. |
# | `"search"` | 101 fits of 100 kernels each. Each kernel reads a matrix of 200 MB that is made on the device, from 80 MB of text on the host. |
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
# `links` is a sparse matrix on the device (CSR, float64): `links[i, j]` says how often node `j` follows node `i`. No stored number is 0. A walker begins at any of the n
# nodes, each as likely as the others. Then in each step:
#
# - With a probability of 0.85 they follow a link of their node, each link as likely as it is frequent.
# - Otherwise, and also where their node has no link, they go to any of the n nodes.
#
# Return where they are after `steps` steps: a CuPy array (n,) of float64 that adds up to 1. `links` stays as it is.
#
# The version below is right. But it makes a dense matrix of n² numbers, and reads all of them in each step. The check allows a step **twice the bytes
# of the limit**. The limit counts 12 bytes for each link and its column, the starts of the rows, and x twice: it is read and written. The check also
# tells you how near you come. You may begin with `walk` of the lecture, which passes. Can you come nearer?


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
# What is the same in each step stands before the loop: how often each node is left, which nodes have no link, and the transposed rows. `links.T` alone
# is compressed by columns, and a product with it adds into the result by atomics. `.tocsr()` sorts it once. The share at dead ends is a number *on the
# device*, so nothing is fetched. To come nearer, scale the links themselves once, and fuse the small kernels over x.

# %% [markdown]
# ---
# **Next:** unit 10, *dask-arrays*: what to do when one GPU is not enough.
