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
# # 09 · Machine learning: from scikit-learn to cuML
#
# *Unit 09 · learning · 60 minutes in two sittings, then 45 for the exercises; the optional parts are not counted*
#
# The blog post of unit 07 ended in a wish, in December 2018:
#
# ```python
# from sklearn.feature_extraction.text import TfidfTransformer
# from cuml.feature_extraction.text import HashingVectorizer       # swap out for GPU versions
# from cuml.linear_model import LogisticRegression, RandomForest   # swap out for GPU versions
#
# pipeline = make_pipeline([HashingVectorizer(),                   # use Scikit-Learn infrastructure
#                           TfidfTransformer(),
#                           LogisticRegression()])
#
# RandomSearchCV(pipeline).fit(data, labels)
# ```
#
# This sketch could not run. Half of its parts did not exist, two names are wrong, and `make_pipeline` takes no list. In this unit a corrected sketch
# runs. You find out which parts stay on the host, and whether the model is the same.
#
# ## What you will be able to do
#
# - **Put** cuML's estimators into pipelines and searches of scikit-learn.
# - **Count** what a search sends over the bus, reads and launches.
# - **Decide** whether two models are the same.
# - **Find** a leak, which makes a score too good.
# - **Rank** the nodes of a network with a sparse matrix.
#
# You need units 02 and 07, and some scikit-learn. Without a GPU, scikit-learn does the work under cuML's names: the times of *cuML* tell you nothing
# about a GPU.

# %%
# %load_ext hundredfold

# %%
import re

import cudf
import cuml
import cupy as cp
import numba
import numpy as np
import scipy.sparse
import sklearn.cluster
import sklearn.feature_extraction.text
import sklearn.linear_model
import sklearn.neighbors
from cuml.ensemble import RandomForestClassifier
from cuml.feature_extraction.text import HashingVectorizer, TfidfTransformer
from cuml.linear_model import LogisticRegression
from cuml.neighbors import NearestNeighbors
from cupyx.scipy.sparse import csr_matrix
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.model_selection import RandomizedSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from threadpoolctl import threadpool_limits

from hundredfold import compare, data, limit, machine, measure, plot, quiz
from hundredfold.data.texts import documentation

# %% [markdown]
# ## The same interface: k-means
#
# **k-means** puts points into groups. Each group has a **centre**. One step has two parts:
#
# ![One step of k-means with eight points and two centres. First each point takes the nearest of the two centres. Then each centre moves to the mean of
# the points that took it.](drawings/kmeans-step.svg)
#
# The steps repeat until the centres stay where they are. cuML has the names of scikit-learn: `fit`, `predict`, `labels_`. Our points are the
# flights of unit 07, with five columns, each scaled to mean 0 and deviation 1:

# %%
flights = cudf.read_parquet(data.path("flights"))
columns = ["dep_delay", "arr_delay", "air_time", "distance", "hour"]
X = cp.ascontiguousarray(flights[columns].dropna().astype("float32").to_cupy())
X = (X - X.mean(axis=0)) / X.std(axis=0)
starts = X[:: len(X) // 6][:6].copy()  # six flights as the first centres

model = cuml.KMeans(n_clusters=6, init=starts, n_init=1)
labels = model.fit_predict(X)
print(f"{X.shape[0]} flights of {X.shape[1]} numbers, {X.nbytes / 1e6:.1f} MB")
print(f"the labels: {type(labels).__module__}, {labels.dtype}, {len(cp.unique(labels))} groups")

# %% [markdown]
# A CuPy array goes in, so a CuPy array comes out. A NumPy array would cross the bus, and so would its labels.
#
# **Measure.** Here are five steps in three ways. scikit-learn uses matrix products, on all cores.

# %%
STEPS = 5


def two_lines(X, centres):
    for _ in range(STEPS):
        nearest = ((X[:, None, :] - centres) ** 2).sum(axis=2).argmin(axis=1)
        centres = np.stack([X[nearest == j].mean(axis=0) for j in range(6)])
    return centres


def some_steps(estimator, X, centres):
    # a tiny tol, so that none stops before its five steps
    return estimator(n_clusters=6, init=centres, n_init=1, max_iter=STEPS, tol=1e-20).fit(X).cluster_centers_


host, first = X.get(), starts.get()
took = {
    "NumPy, two lines": measure(two_lines, host, first, repeat=1),
    "scikit-learn": measure(some_steps, sklearn.cluster.KMeans, host, first, repeat=2),
    "cuML": measure(some_steps, cuml.KMeans, X, starts, repeat=2),
}
for each in ("scikit-learn", "cuML"):
    assert np.allclose(took["NumPy, two lines"].value, cp.asnumpy(took[each].value), atol=1e-3)
named = {"cpu": "this CPU", "V100": "V100", "H200": "H200"}
work = {"bytes": STEPS * X.nbytes, "flops": STEPS * X.size * 6 * 3, "dtype": "float32"}
rows = {f"here: {name}": each.median for name, each in took.items()}
for each, name in named.items():
    rows[f"limit: {name}, each number once a step"] = limit(**work, machine=each).seconds
plot.times(rows, title="k-means: five steps over 327 346 flights")

# %% [markdown]
# **Explain.** The first line of NumPy makes two arrays: the differences, and their squares. Each is six times as large as `X`. To write and read them
# moves 24 times the bytes of `X`.
#
# `X` fits into the L2 cache of an H200, so a step could even beat the limit of its memory.
#
# ### On a real GPU
#
# RAPIDS published a run of 2022: 100 000 points of 128 random numbers, two centres. `fit_predict` took 79.2 ms with cuML on a V100, and 6.23 s with
# scikit-learn on that machine's CPU, 79 times as long.
#
# Both calls used the defaults of that time: ten starts in scikit-learn, one in cuML.
#
# **Question.** Assume that all starts take equally long. How many times as fast was the V100 for one start?
#
# - (a) about 8 times
# - (b) 79 times
# - (c) about 790 times

# %%
my_answer = "?"
quiz("learning.starts", my_answer)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a faster loop for the CPU
#
# scikit-learn is not the limit of a CPU. A compiled loop of unit 04 keeps the distances of a point in registers, and reads each point once. Here it
# runs on one core:


# %%
@numba.njit(fastmath={"reassoc", "nsz"})
def sums_of_groups(X, centres):
    (n, d), k = X.shape, len(centres)
    sums = np.zeros((k, d + 1))  # the last column counts
    for i in range(n):
        best, nearest = np.float32(np.inf), 0
        for j in range(k):
            far = np.float32(0)
            for c in range(d):
                far += (X[i, c] - centres[j, c]) ** 2
            if far < best:
                best, nearest = far, j
        for c in range(d):
            sums[nearest, c] += X[i, c]
        sums[nearest, d] += 1
    return sums


def compiled(X, centres):
    for _ in range(STEPS):
        sums = sums_of_groups(X, centres)
        centres = (sums[:, :-1] / sums[:, -1:]).astype(X.dtype)
    return centres


loop = measure(compiled, host, first, repeat=2)
assert np.allclose(loop.value, took["scikit-learn"].value, atol=1e-3)
plot.times(
    {"here: scikit-learn": took["scikit-learn"].median, "here: one compiled loop, one core": loop.median}
    | {name: seconds for name, seconds in rows.items() if name.startswith("limit")},
    title="k-means: five steps over 327 346 flights",
)

# %% [markdown]
# ## When are two models the same?
#
# **Predict.** We fit k-means again, from the same six centres in reverse order. How many percent of the flights get the label that they had?

# %%
my_percent = "?"

# %%
backwards = cuml.KMeans(n_clusters=6, init=starts[::-1].copy(), n_init=1).fit(X)
same_label = float((backwards.labels_ == labels).mean())
same_groups = adjusted_rand_score(backwards.labels_.get(), labels.get())
print(f"the same label: {same_label:.0%}; you said {my_percent} %")
print(f"adjusted Rand index: {same_groups:.2f}")
assert same_groups > 0.999 and abs(backwards.inertia_ / model.inertia_ - 1) < 1e-5

# %% [markdown]
# **Explain.** The groups are the same. Only their names changed places:
#
# ![The labels of six flights in three runs. In the second run no flight has the label of the first run, but the same flights are together. In the third
# run five of six flights have the label of the first run, but other flights are together.](drawings/same-groups.svg)
#
# So compare what does not depend on names. The **[adjusted Rand index](../docs/glossary.md#term-adjusted-Rand-index)** is 1 for the same groups, and
# about 0 for groups by chance. The **[inertia](../docs/glossary.md#term-inertia)** is the sum of the squared distances to the centres. k-means makes it
# small.
#
# A GPU adds in another order, often in float32. That moves a few flights. Another start can change the groups. The next cell tries both:

# %%
precise = sklearn.cluster.KMeans(6, init=first.astype("float64"), n_init=1).fit(host.astype("float64"))
moved = int((precise.labels_ != labels.get()).sum())
change = abs(model.inertia_ / precise.inertia_ - 1)
print(f"float32 against float64: {100 * moved / len(X):.4f} % of the flights in another group")
print(f"  the inertia differs by {100 * change:.6f} %")
inertias = []
for seed in range(6):
    once = sklearn.cluster.KMeans(6, init="random", n_init=1, random_state=seed).fit(host[::20])
    inertias.append(once.inertia_)
print(f"six seeds, six models: the worst inertia is {max(inertias) / min(inertias) - 1:.0%} above the best")
assert moved < len(X) / 1000 and change < 1e-5

# %% [markdown]
# **Question.** `KMeans(8, random_state=0)` of scikit-learn and of cuML on a GPU give inertias that differ by 3 %. What is the most likely reason?
#
# - (a) cuML computes in float32.
# - (b) One of them has a bug.
# - (c) They begin with different centres.

# %%
my_answer = "?"
quiz("learning.seeds", my_answer)

# %% [markdown]
# k-means stops at a *local* minimum, which depends on the start. A seed repeats a run in one library only. To compare two, give both the same start.
#
# | model | two models are the same if |
# |---|---|
# | k-means, from one start | nearly all labels agree up to their names, and the inertia to 5 digits |
# | linear and logistic regression | the losses agree to about the solver's tolerance `tol`; the coefficients can differ more |
# | random forest | the scores differ by little more than the error of the test set; the trees always differ |

# %% [markdown]
# ## The wish: a pipeline over texts
#
# The texts are the documentation of NumPy, SciPy, pandas and scikit-learn. The model reads a text, and predicts its library.

# %%
texts, authors, libraries = documentation()
seen, unseen, seen_by, unseen_by = train_test_split(texts, authors, stratify=authors, random_state=9)
print(f"more than 3 000 texts of {', '.join(libraries)}:", len(texts) > 3_000)
print(f"{sum(len(text.encode()) for text in texts) / 1e6:.1f} MB, three quarters of them to learn from")

# %% [markdown]
# The first step of the pipeline turns words into numbers. A hash function gives each word one of 2 048 columns. The row of a text counts its words there.
#
# **Question.** Two different words get the same column. What happens?
#
# - (a) The second word goes to the next free column.
# - (b) Both are counted together, and the model cannot tell them apart.
# - (c) `HashingVectorizer` raises an error.

# %%
my_answer = "?"
quiz("learning.collision", my_answer)

# %% [markdown]
# ![The six words of a text go to columns 0 to 7 of one row. The word the occurs twice, and its column counts 2. The words mean and matrix are two
# different words with the same column, a collision: that column counts 2, too.](drawings/hashed-words.svg)
#
# Most counts are zero. A **sparse matrix** stores only the others, usually as **[compressed rows](../docs/glossary.md#term-compressed-rows)** (CSR):
#
# ![A matrix with three rows and eight columns, of which nine numbers are not zero. Compressed rows store it as three arrays: the nine numbers row by
# row, the column of each, and where each row begins, here at 0, 4 and 6, with 9 for the end.](drawings/compressed-rows.svg)
#
# The second step is **[tf-idf](../docs/glossary.md#term-tf-idf)**. It lowers the weight of words that occur in many texts, and scales each row to
# length 1. The third step is a logistic regression.
#
# ### One step stays on the host
#
# The wish takes tf-idf from scikit-learn, and the rest from cuML. That does not work:

# %%
documents = cudf.Series(seen)  # the texts, on the device
hashing = {"n_features": 2**11, "norm": None, "alternate_sign": False}  # plain counts: no scaling, no minus signs
counts = HashingVectorizer(**hashing).fit_transform(documents)
print(type(counts).__module__.split(".")[0], type(counts).__name__, counts.dtype)
try:
    sklearn.feature_extraction.text.TfidfTransformer().fit_transform(counts)
except (TypeError, ValueError):
    print("refused: scikit-learn's tf-idf cannot read a sparse matrix on the device")

# %% [markdown]
# With a step of your own that calls `.get()`, the first of these pipelines runs:
#
# ![Two pipelines of three steps: hashing, tf-idf, regression. In the first, tf-idf runs on the host: the matrix crosses the bus to the host, and
# crosses it again to the device. In the second all three steps run on the device, and only the texts cross the bus, once.](drawings/step-on-host.svg)
#
# A **search** tries several settings, called candidates. It judges each by **[cross-validation](../docs/glossary.md#term-cross-validation)**: it cuts
# the rows into **folds**, fits the model without one fold, and scores it with that fold. Each fold is left out once. At
# the end the search fits the best candidate once more, on all rows (`refit=True`).
#
# **Predict.** We search over two candidates and three folds. Each fit and each scoring sends a matrix to the host and back. How many times does a matrix
# cross the bus?

# %%
my_crossings = "?"

# %%
crossed = []


def fetch(matrix):
    crossed.append(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    return matrix.get()


wished = make_pipeline(
    HashingVectorizer(**hashing),
    FunctionTransformer(fetch),
    sklearn.feature_extraction.text.TfidfTransformer(),
    LogisticRegression(),
)
candidates = {"logisticregression__C": [0.3, 3.0]}
search = RandomizedSearchCV(wished, candidates, n_iter=2, cv=3, random_state=0).fit(documents, seen_by)
sent = sum(len(text.encode()) for text in seen)
print(f"{len(crossed)} trips to the host and back: {2 * len(crossed)} crossings; you said {my_crossings}")
print(f"{2 * sum(crossed) / 1e6:.1f} MB over the bus, for {sent / 1e6:.1f} MB of text")
assert len(crossed) == 2 * 3 * 2 + 1

# %% [markdown]
# **Explain.** There are 2 × 3 fits, a scoring after each, and the last fit, 13 trips:
#
# ![A search with two candidates and three folds. Each candidate is fitted three times, each time without one fold, and scored with that fold. Then the
# better candidate is fitted once more on all rows.](drawings/random-search.svg)
#
# ### All steps on the device
#
# Today cuML has tf-idf, too:

# %%
pipeline = make_pipeline(HashingVectorizer(**hashing), TfidfTransformer(), LogisticRegression())
search = RandomizedSearchCV(pipeline, candidates, n_iter=2, cv=3, random_state=0)
with_cuml = measure(lambda: search.fit(documents, seen_by).best_score_, repeat=1)
score = search.score(cudf.Series(unseen), unseen_by)
print(f"right about {score:.0%} of the texts that it had not seen")
for name, there in (("cupy", cp.asarray(seen_by)), ("cudf", cudf.Series(seen_by))):
    try:
        search.fit(documents, there)
    except TypeError:
        print(f"refused: labels in {name}")
assert score > 0.75

# %% [markdown]
# scikit-learn's search keeps the **labels** and the **row numbers** of each fold on the host. They cross to the device in each fit and scoring. Texts,
# matrix and coefficients stay on the device.
#
# What would this search cost on an H200? We assume that each of the 7 fits takes 50 steps. Each step reads the matrix of 0.8 MB twice, and launches
# ten kernels. A launch takes 2.5 µs. The texts have 1.1 MB.
#
# **Question.** What takes longest on an H200?
#
# - (a) to send the texts over the bus
# - (b) to launch the kernels
# - (c) to read the matrix

# %%
my_answer = "?"
quiz("learning.launches", my_answer)

# %%
h200 = machine.gpus.find("H200")
matrix = counts.data.nbytes + counts.indices.nbytes + counts.indptr.nbytes
fits, steps = 2 * 3 + 1, 50
reading, launching = fits * steps * 2 * matrix / h200.bandwidth, fits * steps * 10 * h200.launch
print(f"the texts over the bus, {sent / 1e6:.1f} MB: {1e3 * sent / h200.link:.2f} ms")
# labels: 6 × 2/3 for fits, 6 × 1/3 for scorings, 1 for the last fit; row numbers: the same without the last
print(f"labels and row numbers over the bus: {(7 + 6) * seen_by.nbytes / 1e6:.1f} MB")
print(f"reading {matrix / 1e6:.1f} MB twice in each step: {1e3 * reading:.2f} ms")
print(f"launching, {1e6 * h200.launch:.1f} µs each: {1e3 * launching:.0f} ms")

# %% [markdown]
# Launches take most of the time: three thousand texts are too few to fill an H200.
#
# ### Hash once
#
# Hashing learns nothing from the texts. So it can come before the search, once instead of 13 times. On the CPU this is the fastest way that we know.
# Here *cuML* still hashes 13 times.

# %%
words = sklearn.feature_extraction.text
regression = sklearn.linear_model.LogisticRegression(max_iter=1000)
whole = make_pipeline(words.HashingVectorizer(**hashing), words.TfidfTransformer(), regression)
naive_search = RandomizedSearchCV(whole, candidates, n_iter=2, cv=3, random_state=0)
lean_search = RandomizedSearchCV(
    make_pipeline(words.TfidfTransformer(), regression), candidates, n_iter=2, cv=3, random_state=0
)


def hash_once():
    hashed = words.HashingVectorizer(**hashing, dtype=np.float32).fit_transform(seen)
    return lean_search.fit(hashed, seen_by).best_score_


with threadpool_limits(1, user_api="blas"):  # short vectors: more threads would wait for each other
    naive = measure(lambda: naive_search.fit(seen, seen_by).best_score_, repeat=1)
    lean = measure(hash_once, repeat=1)
assert abs(lean.value - search.best_score_) < 0.02 and abs(naive.value - search.best_score_) < 0.02
compare(
    "learning.pipeline",
    {"scikit-learn": naive, "scikit-learn, hashed once, float32": lean, "cuML": with_cuml},
    naive=naive,
    strongest=lean,
    limit=limit(bytes=fits * steps * 2 * matrix, machine="cpu"),
    n=len(seen),
)

# %% [markdown]
# Published in 2020, for hashing alone: 1.5 GB of text took 7.83 s with cuML on a T4, and 74 s with scikit-learn.
#
# *A good place for a pause: here the second sitting begins.*
#
# ## A score that is too good
#
# A **[leak](../docs/glossary.md#term-leak)** gives a model knowledge that it will not have in use. It comes from held-out rows, or from the future.
# The next cell tosses 80 coins: these are the labels. The data are a thousand columns of noise. The cell chooses the twenty
# columns in which heads and tails differ most, and cross-validates a regression on them, ten times with new noise.
#
# **Predict.** The columns are chosen before the split into folds. How many percent of the held-out coins does the model predict right?

# %%
my_coin = "?"


# %%
def best_columns(rows, labels, k=20):
    heads = cp.asarray(labels == 1)
    return cp.argsort(cp.abs(rows[heads].mean(axis=0) - rows[~heads].mean(axis=0)))[-k:]


leaky, honest = [], []
for seed in range(10):
    rng = np.random.default_rng(seed)
    noise, coin = cp.asarray(rng.standard_normal((80, 1000)), dtype="float32"), rng.integers(0, 2, 80)
    before_split = best_columns(noise, coin)
    for test in np.array_split(rng.permutation(80), 4):
        train = np.setdiff1d(np.arange(80), test)
        rows, others = noise[cp.asarray(train)], noise[cp.asarray(test)]
        for kept, scores in ((before_split, leaky), (best_columns(rows, coin[train]), honest)):
            learned = LogisticRegression().fit(rows[:, kept], coin[train])
            scores.append(learned.score(others[:, kept], coin[test]))
print(f"columns chosen before the split: {np.mean(leaky):.0%}; you said {my_coin} %")
print(f"chosen in each fold: {np.mean(honest):.0%}; chance: 50 % ± {0.5 / 800**0.5:.0%}")
assert np.mean(leaky) > 0.7 and abs(np.mean(honest) - 0.5) < 0.06

# %% [markdown]
# **Explain.** Among a thousand columns of noise, some fit *these* eighty coins by chance. The choice looked at rows that were held out later:
#
# ![Two ways to choose columns for four folds of rows. In the leak, the columns are chosen from all four folds, so the choice has seen the fold that is
# held out. In the right order the fold is held out first, and the columns are chosen from the other three.](drawings/fold-and-leak.svg)
#
# The steps of a pipeline are fitted anew for each fold, without the held-out rows.
#
# **Question.** Which step may come before the split?
#
# - (a) the logarithm of each value
# - (b) scaling each column to mean 0 and deviation 1
# - (c) tf-idf

# %%
my_answer = "?"
quiz("learning.split", my_answer)

# %% [markdown]
# ### Knowledge of the future
#
# **Question.** On the day before a flight, a model predicts whether it will arrive more than 15 minutes late. Which column may it use?
#
# - (a) `dep_delay`
# - (b) `air_time`
# - (c) `sched_arr_time`

# %%
my_answer = "?"
quiz("learning.when", my_answer)

# %%
table = flights.dropna(subset=["arr_delay", "air_time"]).iloc[::8]
target = (table["arr_delay"] > 15).to_numpy().astype("int32")


def area(columns, train, test):
    values = table[columns].astype("float32").to_numpy()  # host in, host out: scikit-learn scores it
    # n_streams=1: with several, a seed would not repeat the forest
    forest = RandomForestClassifier(n_estimators=20, max_depth=10, n_streams=1, random_state=0)
    forest.fit(values[train], target[train])
    return roc_auc_score(target[test], forest.predict_proba(values[test])[:, 1])


later = (table["month"] > 8).to_numpy()
dates = np.flatnonzero(~later), np.flatnonzero(later)
plan = ["hour", "minute", "distance", "flight", "sched_arr_time"]
known = {"the day before": [], "at departure": ["dep_delay"]}
known["at landing"] = ["dep_delay", "air_time", "arr_time"]
areas = [area(plan + more, *dates) for more in known.values()]
for when, each in zip(known, areas, strict=True):
    print(f"known {when:15} area under the ROC curve {100 * each:.0f} %")

by_chance = np.array_split(np.random.default_rng(seed=7).permutation(len(table)), 2)
mixed = area(["month", "day", *plan], *by_chance)
print(f"the day before, but split at random, with month and day: {100 * mixed:.0f} %")
assert areas == sorted(areas) and mixed > areas[0]

# %% [markdown]
# The *area under the ROC curve* is the probability that a late flight gets a higher score than a punctual one. For a tossed coin it is 50 %. The forest learns
# from January to August, and predicts September to December.
#
# Two of these scores leak. The model *at landing* has the best score, and is useless: it needs the time of the landing. No split shows that. In the last
# line the split leaks: the forest has seen other flights of the same day. Ask for each column when it is known:
#
# ![A line of time with three moments: the day before, the departure, and the landing. Below each are the columns that become known then: the plans the
# day before, in a box, dep_delay at the departure, air_time and arr_time at the landing.](drawings/known-when.svg)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: what did the classifier of texts see?
#
# It tells libraries apart very well. Perhaps some words are the answer: numpy, DataFrame, estimator. We take them out:

# %%
telling = "numpy np ma scipy pandas pd sklearn scikit learn ndarray series dataframe index estimator"
names = re.compile(rf"\b({telling.replace(' ', '|')})\b", re.IGNORECASE)
best = pipeline.set_params(**search.best_params_)  # the same model, only the words differ
nameless_seen = cudf.Series([names.sub(" ", text) for text in seen])
nameless = cudf.Series([names.sub(" ", text) for text in unseen])
best.fit(nameless_seen, seen_by)
print(f"with such words {score:.0%}, without them {best.score(nameless, unseen_by):.0%}")

# %% [markdown]
# These words explain little of the score. But libraries repeat themselves: `Series` and `DataFrame` have the same methods, and a hundred distributions
# share one template. If the model has seen one of two such *twins*, it only has to remember it. The rows of tf-idf have length 1, so a product of two rows
# is their *cosine*, 1 for the same words:

# %%
weights = best[:-1]
closest = (weights.transform(nameless) @ weights.transform(nameless_seen).T).toarray().max(axis=1).get()
right = cp.asarray(best.predict(nameless)).get() == unseen_by
for low, high in ((0.8, 2.0), (0.4, 0.8), (0.0, 0.4)):
    group = (closest >= low) & (closest < high)
    print(f"nearest seen text at cosine {low} to {min(high, 1.0)}: {group.mean():.0%} of the texts,", end=" ")
    print(f"{right[group].mean():.0%} of them right")
assert right[closest < 0.4].mean() < right[closest >= 0.8].mean()

# %% [markdown]
# The model is right less often about texts without a twin. They may also be harder. `GroupKFold` keeps twins in one fold, if you give each text its
# group. If a score surprises you, look for what the model has seen.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ## Optional: neighbours, a table of distances
#
# There are two ways to find the nearest points. **Brute force** computes all distances. That is mostly a matrix product: for a query $x$ and a point
# $p$, $|x - p|^2 = |x|^2 - 2\,x \cdot p + |p|^2$. A **tree** computes only some:
#
# ![Two tables with a row for each of eight queries and a column for each of twelve points. Brute force computes every distance in the table. A tree
# computes only the few near each query, and leaves out the others.](drawings/distance-matrix.svg)
#
# A tree helps where there are few columns. In hundreds of columns it leaves out almost nothing. Two models find the same neighbours if the distances
# agree to a few digits, and to fewer for close points.
#
# **Question.** Each of n flights looks for its five nearest among all n. A GPU by brute force leads over a tree on the CPU. Now n becomes ten times as
# large. What happens to the lead?
#
# - (a) It grows.
# - (b) It shrinks.
# - (c) It stays the same.

# %%
my_answer = "?"
quiz("learning.brute", my_answer)

# %%
tree = sklearn.neighbors.NearestNeighbors(n_neighbors=5, algorithm="kd_tree").fit(host)
some = host[::640]
each_query = measure(lambda: tree.kneighbors(some), repeat=1).median / len(some)
brute = limit(flops=2 * len(host) ** 2 * host.shape[1], dtype="float32", machine="H200")
plot.times(
    {
        "here: a tree, one core, 327 346 points of 5 numbers": each_query * len(host),
        "limit: H200, brute force, multiply-adds only": brute.seconds,
        "published: RTX 2080 Ti, brute force, 1 million of 3 numbers": 17.9,
        "published: RTX 2080 Ti, a tree, the same": 0.148,
        "published: CPU, brute force, 87 585 films": 155.6,
        "published: T4, brute force, the same": 1.92,
    },
    title="The nearest neighbours",
    note=f"The tree: from {len(some)} queries. Sources: Further reading.",
)

# %% [markdown]
# Compare in pairs. The first pair differs in algorithm and machine, and its limit counts only the products. In the second pair the tree wins, in the
# third the GPU.

# %% [markdown]
# ### The airports near JFK
#
# Which airports are nearest to JFK? The **haversine** metric measures on the globe. It takes latitude and longitude in
# radians, and returns an angle. The angle times the Earth's radius is the distance. IDL is JFK's old name, Idlewild.

# %%
airports = cudf.read_parquet(data.path("airports"))
angles = cp.radians(airports[["lat", "lon"]].to_cupy())
jfk = airports["faa"].to_pandas().tolist().index("JFK")
finder = NearestNeighbors(n_neighbors=4, metric="haversine", algorithm="brute").fit(angles)
distances, nearest = finder.kneighbors(angles[jfk : jfk + 1])
for far, number in zip((6371 * distances[0]).get(), nearest[0].get(), strict=True):  # the Earth's radius, km
    print(f"{airports['faa'].iloc[int(number)]}  {far:5.0f} km")

# %% [markdown]
# ## PageRank of the airports
#
# A traveller takes random flights, frequent ones more often. Before each flight, with a probability of 0.15, the traveller starts
# again at any airport. An airport's share of all stops is its **PageRank**. In one step each airport passes its share on along its flights. A matrix
# counts the flights. The step divides each row by its sum, and multiplies the transposed matrix by the shares. The drawing leaves out the 0.15:
#
# ![Four airports with a quarter of the travellers each. From A half of them go to B and half to C; from B all go to D, and from C all go to A. D has no
# link: it is a dead end. On the right the same links as a matrix with four rows, in which row D is empty.](drawings/pagerank-step.svg)
#
# No flight leaves a **dead end**. Our table has only flights out of three airports, so all others are dead ends.
#
# **Predict.** A program does nothing for travellers at a dead end. The shares begin with a total of 1. What is the total
# after a hundred steps: 1, about 0.5, or about 0.15?

# %%
my_total = "?"


# %%
def walk(links, steps, follow=0.85, leave_dead_ends=True):
    """links[i, j] says how often j follows i."""
    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    stuck = out == 0
    arrive = links.T.tocsr()
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        lost = (x * stuck).sum() if leave_dead_ends else 0.0
        x = follow * (arrive @ (x / cp.where(stuck, 1, out)) + lost / n) + (1 - follow) / n
    return x


flown = flights.dropna(subset=["air_time", "tailnum"])[["tailnum", "time_hour", "origin", "dest"]].to_pandas()
codes = sorted({*flown["origin"], *flown["dest"]})
place = {code: number for number, code in enumerate(codes)}
flown[["origin", "dest"]] = flown[["origin", "dest"]].apply(lambda column: column.map(place))


def network(origin, dest):
    """A row for each origin, a column for each destination: equal pairs are added up."""
    shape = (len(codes), len(codes))
    return csr_matrix(scipy.sparse.coo_matrix((np.ones(len(origin)), (origin, dest)), shape=shape).tocsr())


out_of_new_york = network(flown["origin"], flown["dest"])
total = float(walk(out_of_new_york, 100, leave_dead_ends=False).sum())
print(f"{len(codes)} airports, {out_of_new_york.nnz} links")
print(f"the shares add up to {total:.2f}; you said {my_total}")
assert total < 0.5 and np.isclose(float(walk(out_of_new_york, 100).sum()), 1)

# %% [markdown]
# **Explain.** A share that comes to a dead end is lost. Little more is left than the 0.15 that start again in each step. `walk` spreads it over all
# airports, so the total stays 1.
#
# Planes come back. If one flew to Miami and is next seen in Newark, we count a link back:

# %%
flown = flown.sort_values(["tailnum", "time_hour"], kind="stable")
same_plane = flown["tailnum"].to_numpy()[1:] == flown["tailnum"].to_numpy()[:-1]
left, back = flown["dest"].to_numpy()[:-1][same_plane], flown["origin"].to_numpy()[1:][same_plane]
elsewhere = left != back
links = network(np.r_[flown["origin"], left[elsewhere]], np.r_[flown["dest"], back[elsewhere]])
rank = walk(links, 100)
for number in cp.argsort(rank)[::-1][:6].get():
    print(f"{codes[int(number)]}  {100 * float(rank[number]):.1f} %")

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: PageRank without steps
#
# After many steps nothing changes any more: $x = 0.85\,P^T x + 0.15/n$. Here $P$ has the links, each row divided by its sum, and
# $1/n$ everywhere in a dead end's row. NumPy solves these linear equations without any step:

# %%
dense = links.get().toarray()
out = dense.sum(axis=1, keepdims=True)
P = np.divide(dense, out, out=np.full_like(dense, 1 / len(codes)), where=out > 0)
solved = np.linalg.solve(np.eye(len(codes)) - 0.85 * P.T, np.full(len(codes), 0.15 / len(codes)))
assert np.allclose(rank.get(), solved, rtol=0, atol=0.85**100)
print("the walk and the equations agree, and both add up to 1:", np.isclose(solved.sum(), 1))

# %% [markdown]
# ### On a real GPU
#
# Google released a network of 916 428 web pages with 5 105 039 links. On an A100, NVIDIA's library multiplied its matrix by a vector in 135 µs. Here is
# a random network of that size, in float64. A step must read 8 bytes for each link, and 4 for its column. It also reads the starts of the rows and one
# vector, and writes one.

# %%
n, count = 916_428, 5_105_039
rng = np.random.default_rng(seed=1)
targets = (rng.random(count, dtype="float32") ** 3 * (n - 1)).astype("int32")  # low numbers are popular
row_starts = np.linspace(0, count, n + 1).astype("int32")
web = scipy.sparse.csr_matrix((np.ones(count), targets, row_starts), shape=(n, n))
web_gpu, x = csr_matrix(web), rng.random(n)
x_gpu = cp.asarray(x)
least = count * 12 + n * 4 + 2 * n * 8
took = {
    "SciPy": measure(lambda: web @ x, bytes=least, repeat=5),
    "CuPy": measure(lambda: web_gpu @ x_gpu, bytes=least, repeat=3),
}
assert np.allclose(took["CuPy"].value.get(), took["SciPy"].value)
of_a100 = limit(bytes=least, machine="A100 40 GB")
print(f"the A100 reached {of_a100.share(135e-6):.0%} of its limit")
plot.times(
    {f"here: {name}": each.median for name, each in took.items()}
    | {
        "published: A100, the links of web pages": 135e-6,
        "limit: A100, each link once": of_a100.seconds,
        "limit: H200, each link once": limit(bytes=least, machine="H200").seconds,
    },
    title="One step of PageRank: 5.1 million links",
)

# %% [markdown]
# Without a GPU, *here: CuPy* is the simulator.
#
# **Question.** Why does even NVIDIA's library stay so far from the limit?
#
# - (a) Each link reads `x` at another place.
# - (b) Arithmetic in float64 is slow.
# - (c) The launch of the kernel takes most of the time.

# %%
my_answer = "?"
quiz("learning.gather", my_answer)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: scikit-learn, unchanged
#
# `cuml.accel` puts cuML under scikit-learn's own names. What it cannot do falls back to the CPU: an estimator, a parameter, an input. It must come
# before scikit-learn is imported: `%load_ext cuml.accel` in the first cell of a notebook, or `python -m cuml.accel script.py`.
#
# Arrays come from the host and go back there, in every call. `%%cuml.accel.profile` lists what ran where. [The
# documentation](https://docs.nvidia.com/cuml/latest/cuml-accel/compatibility/) promises models of comparable quality, not the same numbers. Without a
# GPU it replaces nothing.

# %% [markdown]
# ## Where the GPU loses
#
# **Question.** Which job is worth a GPU?
#
# - (a) 100 steps of PageRank over the 107 airports
# - (b) one `StandardScaler` for a table on the host, before a model that runs on the CPU
# - (c) a search of 101 fits over a matrix of 200 MB that is made on the device

# %%
my_answer = "?"
quiz("learning.worth", my_answer)

# %%
small, start = rng.random((len(codes), len(codes))), rng.random(len(codes))
with threadpool_limits(1):
    one_step = measure(lambda: small @ start, repeat=5).median
print(f"100 steps over {len(codes)} airports, one product with a dense matrix each: {1e5 * one_step:.1f} ms here")
print(f"only the launches on an H200, four a step: {1e3 * 400 * h200.launch:.1f} ms")

# %% [markdown]
# ## Key points
#
# - cuML's estimators work inside `make_pipeline` and `RandomizedSearchCV`. **Labels and splits live on the host**, and cross in
#   each fit and scoring.
# - With one step on the host, the matrix crosses, too.
# - Compare groups without their names, and scores with the error of the test set. **Equal seeds mean nothing** between libraries.
# - What is learned from data belongs **into the pipeline**. A column that is known too late belongs nowhere. Test a forecast
#   on later dates.
# - PageRank is a sparse product in a loop. Decide what happens at dead ends.
#
# ## The exercise
#
# Five problems, 45 minutes: [exercises/09_learning.ipynb](../exercises/09_learning.ipynb). You compare clusterings, count a search before it runs,
# repair a leak, and bring the bytes of PageRank near their limit.
#
# ## Further reading
#
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December 2018: the
#   wish. The imports of scikit-learn's own classes are left out above.
# - [Introduction to
#   Clustering](https://github.com/rapidsai-community/notebooks-contrib/blob/0188e068c434/getting_started_materials/intro_tutorials_and_guides/10_Introduction_to_Clustering.ipynb),
#   RAPIDS, run on 5 April 2022: k-means on a V100, wall times of single calls. It used scikit-learn 0.24.2 (`n_init=10`); the default of cuML was
#   `n_init=1`. It does not give the number of steps.
# - [cuML pull request 2554](https://github.com/NVIDIA/cuml/pull/2554), July 2020: `HashingVectorizer` on a T4.
# - [Open3D pull request 3866](https://github.com/isl-org/Open3D/pull/3866), August 2021: the nearest neighbour of 999 766 points on an RTX 2080 Ti, by
#   brute force (faiss) and with a tree.
# - [A comparison of nearest
#   neighbours](https://github.com/erogluegemen/Performance-and-Scalability-Analysis-of-KNN-Implementations-for-Content-Based-Filtering), October 2025:
#   cuML on a T4 against scikit-learn with `n_jobs=-1` on Google Colab. The films are compared by their genres. An earlier version of its README has 442
#   s for the CPU.
# - [ginkgo-data](https://github.com/ginkgo-project/ginkgo-data), commit 06cc27b3d3, file `data/A100/cuda/SuiteSparse/SNAP/web-Google.json`:
#   `cusp_gcsr2`. We assume the A100 with 40 GB; the file does not say.
# - scikit-learn's user guide, [Common pitfalls](https://scikit-learn.org/stable/common_pitfalls.html): leaks and seeds. The coins are from T. Hastie,
#   R. Tibshirani, J. Friedman, *The Elements of Statistical Learning*, second edition, 2009, section 7.10.2.
# - S. Brin, L. Page, *The Anatomy of a Large-Scale Hypertextual Web Search Engine*, 1998; and A. Langville, C. Meyer, *Deeper Inside PageRank*,
#   Internet Mathematics 1 (3), 2004.
# - L. Hubert, P. Arabie, *Comparing Partitions*, Journal of Classification 2, 1985: the adjusted Rand index.
