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
# # 09 · Machine learning: from scikit-learn to cuML
#
# *Unit 09 · learning · 45 minutes, then 30 for the exercises*
#
# In December 2018 the post that began this course ended in a wish, with the remark that its code was "aspirational", since
# half of it did not exist:
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
# In this unit it runs. On the way you find out what it is worth: what of it works on the GPU, what stays on the host and what that costs, and when
# two models may be called the same. There are no times in the post to beat, so we work out the limits ourselves.
#
# ## What you will be able to do
#
# - **Put** estimators of cuML into pipelines and searches of scikit-learn, or switch them on by `cuml.accel`.
# - **Count** what crosses the bus in each fit, and what a search reads and launches.
# - **Decide** whether two models are the same: clusters, coefficients, forests.
# - **Find** a leak, which makes a score too good.
# - **Rank** the airports of a network by sparse matrices.
#
# You need units 02, 04 and 07, and to have met scikit-learn. All of it runs in about a minute; the forest and `cuml.accel` may be
# left for another day. Without a GPU, cuML's estimators are scikit-learn's here, with cuML's types, defaults and refusals: their times are your processor's, and no comparison below can show how two
# libraries differ on a GPU, unless it says so.

# %%
# %load_ext hundredfold

# %%
import importlib
import inspect
import re

import cudf
import cuml
import cupy as cp
import numba
import numpy as np
import scipy.sparse
import sklearn.cluster
import sklearn.ensemble
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

from hundredfold import compare, data, limit, machine, measure, plot

# %% [markdown]
# ## The same interface: k-means
#
# The flights out of New York in 2013 (unit 07), five columns of each as float32, all on one scale. `fit`, `predict`, `labels_`: cuML's
# estimators have the names of scikit-learn's, and take arrays that lie on the device.

# %%
flights = cudf.read_parquet(data.path("flights"))
columns = ["dep_delay", "arr_delay", "air_time", "distance", "hour"]
X = cp.ascontiguousarray(flights[columns].dropna().astype("float32").to_cupy())
X = (X - X.mean(axis=0)) / X.std(axis=0)
starts = X[:: len(X) // 6][:6].copy()  # six flights to begin with

model = cuml.KMeans(n_clusters=6, init=starts, n_init=1)
labels = model.fit_predict(X)
print(f"{X.shape[0]} flights of {X.shape[1]} numbers, {X.nbytes / 1e6:.1f} MB")
print(type(labels).__module__, labels.dtype, len(cp.unique(labels)), "groups")

# %% [markdown]
# What you give is what you get: CuPy in, CuPy out; a NumPy array would have crossed the bus twice. A step of k-means asks each point for its nearest
# centre, and moves each centre to the mean of its points. Its limit is easily had: every number must be read once.
#
# **Predict.** The obvious step in NumPy is one line, `((X[:, None, :] - centres) ** 2).sum(axis=2).argmin(axis=1)`. scikit-learn does it
# with matrix products on all cores. How many times faster will scikit-learn be?

# %%
my_factor = 3

# %% [markdown]
# **Measure.** Five steps each way from the same six centres. The fourth way is unit 04's: one compiled loop which reads each point once, on all cores.


# %%
STEPS = 5


def obvious(X, centres):
    for _ in range(STEPS):
        nearest = ((X[:, None, :] - centres) ** 2).sum(axis=2).argmin(axis=1)
        centres = np.stack([X[nearest == j].mean(axis=0) for j in range(len(centres))])
    return centres


# fastmath: sums may be taken in any order (reassoc), and -0.0 may become 0.0 (nsz)
@numba.njit(parallel=True, fastmath={"reassoc", "nsz"})
def one_step(X, centres):
    (n, d), k = X.shape, len(centres)
    parts = numba.get_num_threads()
    sums = np.zeros((parts, k, d + 1))  # one part for each thread, else they race; in the last column: how many
    for t in numba.prange(parts):
        mine = sums[t]
        for i in range(t * n // parts, (t + 1) * n // parts):
            best, nearest = np.float32(np.inf), 0
            for j in range(k):
                far = np.float32(0)
                for c in range(d):
                    gap = X[i, c] - centres[j, c]
                    far += gap * gap
                if far < best:
                    best, nearest = far, j
            for c in range(d):
                mine[nearest, c] += X[i, c]
            mine[nearest, d] += 1
    return sums


def compiled(X, centres):
    for _ in range(STEPS):
        sums = one_step(X, centres).sum(axis=0)
        centres = (sums[:, :-1] / sums[:, -1:]).astype(X.dtype)
    return centres


def some_steps(estimator, X, centres):
    # tol: so that none stops before its five steps
    return estimator(6, init=centres, n_init=1, max_iter=STEPS, tol=1e-20).fit(X).cluster_centers_


host, first = X.get(), starts.get()
double, first_double = host.astype("float64"), first.astype("float64")
work = {"bytes": STEPS * X.nbytes, "flops": STEPS * X.size * 6 * 3}


def on_device(k, **told):
    return cuml.KMeans(n_clusters=k, **told)


took = {
    "NumPy, one line": measure(obvious, host, first, repeat=1),
    "scikit-learn, float64": measure(some_steps, sklearn.cluster.KMeans, double, first_double, repeat=1),
    "scikit-learn, float32": measure(some_steps, sklearn.cluster.KMeans, host, first, repeat=2),
    "one loop, all cores": measure(compiled, host, first, repeat=2),
    "cuML": measure(some_steps, on_device, X, starts, repeat=2),
}
assert np.allclose(took["one loop, all cores"].value, took["scikit-learn, float32"].value, atol=1e-3)
limits = {name: limit(**work, dtype="float32", machine=name) for name in ("cpu", "V100", "H200")}
named = {"cpu": "this CPU", "V100": "V100", "H200": "H200"}
plot.times(
    {f"here: {name}": each.median for name, each in took.items()}
    | {f"limit: {named[name]}": each.seconds for name, each in limits.items()},
    title="K-means: five steps over 327 346 flights",
    note="Times taken here; without a GPU, cuML's is scikit-learn's. Limits: each number read once a step.",
)

# %%
slow, strong = took["NumPy, one line"].median, min(took[name].median for name in took if name != "cuML")
factor = slow / took["scikit-learn, float32"].median
print(f"scikit-learn in float32 against one line of NumPy: {factor:.1f}×; you said {my_factor}×\n")
for name, each in took.items():
    print(f"{name:22}{limits['cpu'].share(each.median):6.1%} of the limit,", end=" ")
    print(f"{strong / each.median:.2f}× the strongest, {slow / each.median:.1f}× the naive one")

# %% [markdown]
# **Explain.** In each step the one line makes two arrays of 327 346 × 6 × 5, the differences and their squares, each six times as large as `X`; written
# and read again, they are 24 times the bytes of `X`. The compiled loop keeps everything about a point in registers. So *against what* decides again
# what a GPU is worth: the ratio of the limits is what the silicon can add, the rest is software. (The data is small enough for a large cache, and for the
# GPUs' too. There is no published figure for this; these limits are reckoned.)
#
# ## When are two models the same?
#
# A model from a GPU will never agree with another to the last digit: sums are taken in another order, often in float32. So "equal" has to be
# said more carefully, and differently for each kind of model.
#
# **Predict.** The same six centres to begin with, in reverse order, fitted to the end. What share of the flights gets the same label?

# %%
my_share = 100

# %%
backwards = cuml.KMeans(n_clusters=6, init=starts[::-1].copy(), n_init=1).fit(X)
same_label = float((backwards.labels_ == labels).mean())
same_groups = adjusted_rand_score(backwards.labels_.get(), labels.get())
print(f"the same label: {same_label:.0%}; you said {my_share} %")
print(f"adjusted Rand index: {same_groups:.2f}")
assert same_groups > 0.999 and abs(backwards.inertia_ / model.inertia_ - 1) < 1e-5

# %% [markdown]
# **Explain.** It is the same clustering: only the names of the groups changed places, and names mean nothing. Compare what does not depend on names: the
# *adjusted Rand index* (1 for the same groups, about 0 for two that have nothing to do with each other), and the *inertia*, the sum of the squared distances that
# k-means makes small. Now one thing that does differ, in earnest and also here: the precision.

# %%
precise = sklearn.cluster.KMeans(6, init=first_double, n_init=1).fit(double)
moved = int((precise.labels_ != labels.get()).sum())
apart = abs(model.inertia_ / precise.inertia_ - 1)
print("float32 against float64: some flights in another group:", moved > 0)
print("fewer than one in a thousand:", moved < len(X) / 1000)
print("the inertia to five digits:", apart < 1e-5)
assert moved < len(X) / 1000 and apart < 1e-5

# %% [markdown]
# A few flights lie so near a boundary that the last digit decides. That is the tolerance to ask for: *nearly all* labels up to their names, the
# inertia to five digits. What if the start is not the same, either?

# %%
part, inertias = host[::20], []
for seed in range(6):
    once = sklearn.cluster.KMeans(6, init="random", n_init=1, random_state=seed).fit(part)
    inertias.append(once.inertia_)
print(f"six seeds, six models: the worst inertia is {max(inertias) / min(inertias) - 1:.0%} above the best")

# %% [markdown]
# `random_state=0` makes a run repeatable **in one library**. It means nothing between two: cuML draws its first centres by another method (*scalable* k-means++,
# many candidates at once) and from other numbers, so with the same seed it ends in another of these local minima, no worse and no better. (Without a GPU
# you cannot see that here: the simulation starts as scikit-learn does.) Never test a GPU model by equal seeds. Hand over the start itself, as we did, or compare
# quality over several.
#
# | model | when it is the same |
# |---|---|
# | k-means | labels up to their names, but for points on a boundary; inertia to 5 digits, **from the same start** |
# | linear and logistic regression | there is one best answer, so *coefficients* agree as closely as `tol` made them; ask for the loss as well |
# | nearest neighbours | distances to the digits of the type; numbers of neighbours where there are no ties |
# | random forest | never tree by tree; scores within the error of the test set |
#
# The second row can be put to the test here, since it needs no seed: two methods that share nothing but the question. Is a flight late by more than a
# quarter of an hour? On one side cuML, in float32; on the other eight steps of *Newton's method* (go to the lowest point of the parabola that has
# the loss's slope and curvature where you are), written out in CuPy, in float64.

# %%
late = (flights[columns].dropna()["arr_delay"] > 15).to_cupy().astype("int32")
inputs = X[:, [0, 3, 4]]  # what is known when it takes off
fitted = LogisticRegression(tol=1e-6).fit(inputs, late)

A = cp.hstack([inputs.astype("float64"), cp.ones((len(X), 1))])
penalty = cp.asarray([1.0, 1.0, 1.0, 0.0])  # C = 1; the intercept is free
w = cp.zeros(4)
for _ in range(8):
    p = 1 / (1 + cp.exp(-(A @ w)))
    gradient = A.T @ (p - late) + penalty * w
    w -= cp.linalg.solve((A * (p * (1 - p))[:, None]).T @ A + cp.diag(penalty), gradient)

ours = cp.hstack([fitted.coef_.ravel(), cp.asarray(fitted.intercept_).ravel()])
difference = float(cp.abs(ours - w).max() / cp.abs(w).max())
print("cuML and Newton agree to better than one in a thousand:", difference < 1e-3)
assert difference < 1e-3

# %% [markdown]
# ## The wish
#
# It needs text, and none may come from the network. A course on your own machine has plenty: the libraries that are installed have documented
# themselves. From which of four is a piece of documentation, NumPy, SciPy, pandas or scikit-learn? (The first 400 characters of each;
# nothing is copied anywhere, and what you have installed decides what is in it.)


# %%
def documentation(*modules):
    """What is said of the public functions, classes and methods of some modules, each text once."""
    found = set()
    for module in map(importlib.import_module, modules):
        things = [each for name, each in vars(module).items() if name[0] != "_" and not inspect.ismodule(each)]
        for each in list(things):
            if inspect.isclass(each):
                things += [member for name, member in inspect.getmembers(each) if name[0] != "_"]
        said = [getattr(each, "__doc__", None) for each in things]
        found |= {inspect.cleandoc(text)[:400] for text in said if isinstance(text, str)}
    return sorted(text for text in found if len(text) > 100)


sources = {
    "numpy": ["numpy", *(f"numpy.{m}" for m in "linalg fft random ma polynomial".split())],
    "scipy": [f"scipy.{m}" for m in "signal ndimage linalg optimize special stats interpolate sparse".split()],
    "pandas": ["pandas"],
    "sklearn": [
        f"sklearn.{m}"
        for m in "cluster linear_model ensemble neighbors preprocessing metrics model_selection svm tree".split()
    ],
}
texts, authors = [], []
for number, modules in enumerate(sources.values()):
    found = documentation(*modules)
    texts += found
    authors += [number] * len(found)
authors = np.asarray(authors)
size = sum(len(text.encode()) for text in texts)
seen, unseen, seen_by, unseen_by = train_test_split(texts, authors, stratify=authors, random_state=9)
print(f"more than 3 000 texts: {len(texts) > 3_000}; {size / 1e6:.1f} MB of them")
assert len(texts) > 3_000 and min(np.bincount(authors)) > 300

# %% [markdown]
# ### As it was wished
#
# Hashing gives each word one of 2 048 columns and counts it there. *tf-idf* makes words that stand in many texts count less, and scales each text's row to
# length 1. Most numbers are zero, so the matrix is kept as *compressed rows* (CSR): the others, the column of each, and where each row begins.
#
# The wish swaps two of three steps: hashing and regression on the GPU, and *between them scikit-learn's* `TfidfTransformer`. Does that work today?

# %%
documents = cudf.Series(seen)  # the texts, on the device
sent = sum(len(text.encode()) for text in seen)
hashing = {"n_features": 2**11, "norm": None, "alternate_sign": False}
counts = HashingVectorizer(**hashing).fit_transform(documents)
print(type(counts).__module__.split(".")[0], type(counts).__name__, counts.dtype)
try:
    sklearn.feature_extraction.text.TfidfTransformer().fit_transform(counts)
except (TypeError, ValueError):
    print("refused: scikit-learn's step cannot read a sparse matrix on the device")

# %% [markdown]
# It does not, and that is well: it could only work by fetching the matrix without a word. One can do so with a word, by a step that says `.get()`.
#
# **Predict.** In a search with two candidates and three *folds* (each third of the texts is held out once, to score the model that learned from the
# rest), how many times does the matrix cross the bus, there and back counted as two? (Think of each fit, and of the scoring after it.)

# %%
my_crossings = 20

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
print(f"fetched {len(crossed)} times, and sent again as often:", end=" ")
print(f"{2 * len(crossed)} crossings; you said {my_crossings}")
print(f"{2 * sum(crossed) / 1e6:.1f} MB over the bus, for {sent / 1e6:.1f} MB of text")
assert len(crossed) == 2 * 3 * 2 + 1

# %% [markdown]
# **Explain.** Each of the 2 × 3 fits fetches the matrix of its training texts, and the scoring after it the one of the others; and at the end the best
# candidate is fitted once more on everything, `refit=True`: thirteen. One step that stayed behind, and everything
# goes through the narrowest place there is, in every fit.
#
# ### As it should be
#
# cuML has the step today. (`RandomSearchCV` is `RandomizedSearchCV`, `make_pipeline` takes its steps without a list, `RandomForest` became two classes, and a
# search needs to be told among what: the rest of the wish came true as it stands.)

# %%
pipeline = make_pipeline(HashingVectorizer(**hashing), TfidfTransformer(), LogisticRegression())
search = RandomizedSearchCV(pipeline, candidates, n_iter=2, cv=3, random_state=0)
with_cuml = measure(lambda: search.fit(documents, seen_by).best_score_, repeat=1)
score = search.score(cudf.Series(unseen), unseen_by)
print(f"right about {score:.0%} of the texts that it had not seen")
assert score > 0.75

# %% [markdown]
# The splitting, the drawing of candidates and the bookkeeping are scikit-learn's, on the host, and know nothing of a GPU. They only hold on to two
# things: **row numbers**, with which each fold takes its texts from the series on the device, and **the labels**, which in a search have to
# be on the host. (A single `fit`, as of the flights above, takes them where they are.)
#
# A fit goes in steps of *L-BFGS*, the solver of cuML's regression; let us count on 50 of them. Each reads the matrix twice: once for the predictions, which
# give the loss, and once for its gradient.

# %%
for name, there in (("cupy", cp.asarray(seen_by)), ("cudf", cudf.Series(seen_by))):
    try:
        search.fit(documents, there)
    except TypeError:
        print(f"refused: labels in {name}")

matrix = counts.data.nbytes + counts.indices.nbytes + counts.indptr.nbytes
fits, steps = 2 * 3 + 1, 50
print(f"\nover the bus: the texts once, {sent / 1e6:.1f} MB;", end=" ")
print(f"in each fit labels, {seen_by.nbytes / 1e3:.0f} kB")
print(f"through the device's memory: a matrix of {matrix / 1e6:.1f} MB, twice in each step of {fits} fits")

# %% [markdown]
# ### What would a GPU need for it?
#
# **Predict.** The whole search on an H200, at its limits: does it take longer to read its bytes, or to launch its kernels, some ten in each step at
# 5 µs?

# %%
my_guess = "bytes"

# %%
h200 = machine.gpus.find("H200")
reading, launching = fits * steps * 2 * matrix / h200.bandwidth, fits * steps * 10 * h200.launch
print(f"reading: {1e3 * reading:.2f} ms, launching: {1e3 * launching:.0f} ms; you said {my_guess}")
print(f"launching takes {launching / reading:.0f}×; it would be even with so many times the texts")

# %% [markdown]
# **Explain.** Three thousand texts are *nothing* to a GPU. It would be idle most of the time, waiting for the next launch; and hashing words
# again in each fit, for which a GPU needs many small kernels too, is not even in this account. What is the best that your processor can do? The wish has a
# flaw that helps: **hashing learns nothing**, so it cannot leak, and need not be in the pipeline. Hash once, and search over the rest. (One thread for each
# of these short vectors: with more they wait for each other, on a busy machine ten times longer than they work.)

# %%
words = sklearn.feature_extraction.text
regression = sklearn.linear_model.LogisticRegression(max_iter=1000)
naive_pipeline = make_pipeline(words.HashingVectorizer(**hashing), words.TfidfTransformer(), regression)
naive_search = RandomizedSearchCV(naive_pipeline, candidates, n_iter=2, cv=3, random_state=0)
lean_pipeline = make_pipeline(words.TfidfTransformer(), regression)
lean_search = RandomizedSearchCV(lean_pipeline, candidates, n_iter=2, cv=3, random_state=0)


def hash_once():
    single = words.HashingVectorizer(**hashing, dtype=np.float32).fit_transform(seen)
    return lean_search.fit(single, seen_by).best_score_


with threadpool_limits(1, user_api="blas"):
    naive = measure(lambda: naive_search.fit(seen, seen_by).best_score_, repeat=1)
    lean = measure(hash_once, repeat=1)
assert (
    abs(lean_search.best_score_ - search.best_score_) < 0.02
    and abs(naive_search.best_score_ - search.best_score_) < 0.02
)
compare(
    "learning.pipeline",
    {"scikit-learn": naive, "scikit-learn, hashed once, float32": lean, "cuML": with_cuml},
    naive=naive,
    strongest=lean,
    limit=limit(bytes=fits * steps * 2 * matrix, machine="cpu"),
    n=len(seen),
)

# %% [markdown]
# (The limit is the reading alone, out of the cache in truth; most of the rest is the price of Python around small arrays.) Nothing was published for the wish
# but the wish, so there is nothing to beat. With a hundred thousand texts, or a million, this looks different; work it out for yours: that is problem 2.
#
# ### Too good
#
# How can a few words tell a library so well? **Predict.** Some words *are* the answer: numpy, np, DataFrame, estimator … How many per cent
# remain when such words are taken out?

# %%
my_remaining = 50

# %%
telling = "numpy np ma scipy pandas pd sklearn scikit learn ndarray series dataframe index estimator"
names = re.compile(rf"\b({telling.replace(' ', '|')})\b", re.IGNORECASE)
best = pipeline.set_params(**search.best_params_)  # the same model, so that only the words differ
nameless_seen = cudf.Series([names.sub(" ", text) for text in seen])
best.fit(nameless_seen, seen_by)
nameless = cudf.Series([names.sub(" ", text) for text in unseen])
without = best.score(nameless, unseen_by)
print(f"with such words {score:.0%}, without them {without:.0%}; you said {my_remaining} %")

# %% [markdown]
# **Explain.** Hardly anything is lost, so that was not it. (A guess that fails the measurement is worth as much as one that holds.) What else could the model have seen?
# Libraries repeat themselves: a method of `Series` and the same of `DataFrame`, a hundred distributions from one template. Where one of two such
# *twins* is in the training set and one in the test set, to have learned by heart is enough. The rows of tf-idf have length 1, so that one product gives the
# *cosine* of each unseen text with each seen one:

# %%
weights = best[:-1]
rows_seen = weights.transform(nameless_seen)
closest = (weights.transform(nameless) @ rows_seen.T).toarray().max(axis=1).get()
right = cp.asarray(best.predict(nameless)).get() == unseen_by
for least, most in ((0.8, 2.0), (0.4, 0.8), (0.0, 0.4)):
    group = (closest >= least) & (closest < most)
    print(f"cosine of the nearest seen text {least} to {min(most, 1.0)}: {group.mean():.0%} of the texts,", end=" ")
    print(f"{right[group].mean():.0%} of them right")
assert right[closest < 0.4].mean() < right[closest >= 0.8].mean()

# %% [markdown]
# There it is, or a part of it: a number of texts have a twin among those that were learned, and those without are told worse. (They may also be harder.) Of a
# library's next release one should rather expect *their* score. The repair is a split by groups, such as `GroupKFold` by class or template, so that twins stay together. A score that surprises you is a
# reason to look for what the model has seen.
#
# ## Leaks
#
# A score from *cross-validation* is worth something if nothing that is held out has reached the model, also not through the preparation. The
# classic way to go wrong: a thousand columns, choose the best twenty, then cross-validate. Here with labels from a tossed coin, so that the truth is known: 50 %.
#
# **Predict.** What score will come out?

# %%
my_coin = 50

# %%
rng = np.random.default_rng(seed=12)
noise, coin = cp.asarray(rng.standard_normal((80, 1000)), dtype="float32"), rng.integers(0, 2, 80)


def best_columns(rows, labels, k=20):
    """The columns in which the means of the two classes lie farthest apart."""
    heads = cp.asarray(labels == 1)
    return cp.argsort(cp.abs(rows[heads].mean(axis=0) - rows[~heads].mean(axis=0)))[-k:]


folds = np.array_split(rng.permutation(80), 4)
leaky, honest = [], []
everywhere = best_columns(noise, coin)
for test in folds:
    train = np.setdiff1d(np.arange(80), test)
    rows, others = noise[cp.asarray(train)], noise[cp.asarray(test)]
    chosen = best_columns(rows, coin[train])
    for kept, scores in ((everywhere, leaky), (chosen, honest)):
        learned = LogisticRegression().fit(rows[:, kept], coin[train])
        scores.append(learned.score(others[:, kept], coin[test]))
leaky, honest = np.mean(leaky), np.mean(honest)
print(f"columns chosen before the split: {leaky:.0%}; chosen in each fold: {honest:.0%}; you said {my_coin} %")
print(f"{len(coin)} tosses: 50 % give or take {0.5 / len(coin) ** 0.5:.0%}")
assert leaky > 0.7 and honest < 0.7

# %% [markdown]
# **Explain.** Among a thousand columns of noise some fit *these* eighty coins, those of the test rows included. (What the honest score
# misses of 50 % is chance: twice the give or take is no wonder.) Everything that is learned from
# data belongs **into the pipeline**, so that each fold learns it anew: the choice of columns, means and scales, the weights of tf-idf. What learns nothing, such as
# hashing, or taking a logarithm, may stand before it.
#
# ### The other leak: columns from the future
#
# Will a flight be late by more than a quarter of an hour? A random forest may look at more and more columns:

# %%
table = flights.dropna(subset=["arr_delay", "air_time"]).iloc[::8]
target = (table["arr_delay"] > 15).to_numpy().astype("int32")
known = {
    "the day before": ["month", "day", "hour", "minute", "distance", "flight", "sched_arr_time"],
    "when it leaves": ["dep_delay"],
    "when it has landed": ["air_time", "arr_time"],
}
rows = np.random.default_rng(seed=7).permutation(len(table))
train, test = rows[: len(rows) // 2], rows[len(rows) // 2 :]
together, aucs = [], []
for when, more in known.items():
    together += more
    values = table[together].astype("float32").to_numpy()  # host in, host out: scikit-learn scores it
    # n_streams=1: with several, which build trees at once, a seed would not repeat the forest
    forest = RandomForestClassifier(n_estimators=20, max_depth=10, n_streams=1, random_state=0).fit(
        values[train], target[train]
    )
    aucs.append(roc_auc_score(target[test], forest.predict_proba(values[test])[:, 1]))
    print(f"{when:18} {len(together):2} columns, area under the curve {100 * aucs[-1]:.0f} %")
assert aucs == sorted(aucs)

# %% [markdown]
# (50 % is a coin, 100 % a prophet.) The last model is the best, and useless: it knows the time of the landing. No check of the split finds that; ask of each column
# *when* it is known.
#
# And is cuML's forest the same as scikit-learn's? Tree by tree never: cuML looks for splits among at most 128 values of each column (`n_bins`), and
# draws its own samples. By its score, within what a test set of this size can tell:

# %%
reference = sklearn.ensemble.RandomForestClassifier(20, max_depth=10, random_state=0)
reference.fit(values[train], target[train])
accuracies = [float((model.predict(values[test]) == target[test]).mean()) for model in (forest, reference)]
error = (accuracies[0] * (1 - accuracies[0]) / len(test)) ** 0.5  # of one of them
print(f"right: {accuracies[0]:.1%} and {accuracies[1]:.1%}, each give or take {error:.1%}")
assert abs(accuracies[0] - accuracies[1]) < 8 * error

# %% [markdown]
# ## Neighbours: everything with everything
#
# Which airports are nearest to JFK? Distances on the globe, by the *haversine* metric; angles go in, an angle comes out.

# %%
airports = cudf.read_parquet(data.path("airports"))
angles = cp.radians(airports[["lat", "lon"]].to_cupy())
jfk = airports["faa"].to_pandas().tolist().index("JFK")
finder = NearestNeighbors(n_neighbors=4, metric="haversine", algorithm="brute").fit(angles)
distances, nearest = finder.kneighbors(angles[jfk : jfk + 1])
for far, number in zip((6371 * distances[0]).get(), nearest[0].get(), strict=True):  # the Earth's radius, km
    print(f"{airports['faa'].iloc[int(number)]}  {far:5.0f} km")
tree = sklearn.neighbors.NearestNeighbors(n_neighbors=4, metric="haversine", algorithm="ball_tree")
assert np.allclose(tree.fit(angles.get()).kneighbors(angles[jfk : jfk + 1].get())[0], distances.get(), atol=1e-6)

# %% [markdown]
# IDL is Idlewild, JFK's old name, which the table still has.
#
# A GPU looks for neighbours by brute force: everything with everything, as a matrix product, which is what GPUs are best at. A processor has something
# better where there are few columns: a tree, which leaves most points out.
#
# **Predict.** The five nearest of 327 346 flights to each of them, in five columns. An H200 by brute force at its limit, or one core of your
# processor with a tree?

# %%
my_winner = "H200"

# %%
tree = sklearn.neighbors.NearestNeighbors(n_neighbors=5, algorithm="kd_tree").fit(host)
some = host[::640]
queries = measure(lambda: tree.kneighbors(some), repeat=1)
each_query = queries.median / len(some)
brute = limit(flops=2 * len(host) ** 2 * host.shape[1], dtype="float32", machine="H200")
print(f"here, by a tree: {each_query * len(host):.0f} s, from {len(some)} queries; you said {my_winner}")
print(f"an H200 by brute force: {1e3 * brute.seconds:.0f} ms at least")
even = each_query * len(host) / brute.seconds  # the one grows with n, the other with n²
print(f"one core with its tree would be even at about {even:.0f}× as many points")

# %% [markdown]
# **Explain.** Brute force grows with the square of the points, a tree little faster than the points themselves. For a third of a million the GPU is far
# ahead, even by brute force; but its lead shrinks as the points grow in number, and each core of the processor takes its part. In hundreds of columns trees
# leave nothing out any more, and the GPU wins everywhere. (In float32 the matrix product, $|x|^2 + |y|^2 - 2xy$, is a
# small difference of large numbers for near points: the cancellation of unit 02. cuML's `kneighbors(…, two_pass_precision=True)` is against that.)
#
# ## PageRank of the airports
#
# Let a traveller take one flight after the other at random, each as likely as it is frequent, and now and then, with the probability 0.15, begin
# anew anywhere. Where are they most often? That is *PageRank*, and one step of it is a product with a sparse matrix: for each airport add up what arrives.
#
# Our table has only flights *out of* three airports. All others are dead ends. **Predict.** What becomes of the traveller, if one forgets that: to what do
# the shares of all airports add up after a hundred steps?

# %%
my_sum = 1.0


# %%
def walk(links, steps, follow=0.85, stuck_go_anywhere=True):
    """PageRank by `steps` steps; links[i, j] says how often j follows i."""
    n = links.shape[0]
    out = cp.asarray(links.sum(axis=1)).ravel()
    stuck = out == 0
    arrive = links.T.tocsr()
    x = cp.full(n, 1 / n)
    for _ in range(steps):
        lost = (x * stuck).sum() if stuck_go_anywhere else 0.0
        x = follow * (arrive @ (x / cp.where(stuck, 1, out)) + lost / n) + (1 - follow) / n
    return x


flown = flights.dropna(subset=["air_time", "tailnum"])[["tailnum", "time_hour", "origin", "dest"]].to_pandas()
codes = sorted({*flown["origin"], *flown["dest"]})
place = {code: number for number, code in enumerate(codes)}
origin, dest = (flown[column].map(place).to_numpy() for column in ("origin", "dest"))


def network(origin, dest, n):
    """How often each place follows each other: a list of (row, column, number), COO, adds up in compressed rows, CSR."""
    return csr_matrix(scipy.sparse.coo_matrix((np.ones(len(origin)), (origin, dest)), shape=(n, n)).tocsr())


out_of_new_york = network(origin, dest, len(codes))
remaining = float(walk(out_of_new_york, 100, stuck_go_anywhere=False).sum())
print(f"{len(codes)} airports, {out_of_new_york.nnz} links")
print(f"the shares add up to {remaining:.2f}; you said {my_sum}")
assert remaining < 0.5 and np.isclose(float(walk(out_of_new_york, 100).sum()), 1)

# %% [markdown]
# **Explain.** Who comes to a dead end is lost; hardly anybody else is left after a step, so there are little more than the 0.15 that begin anew.
# Unless somebody says what the lost do: they begin anew, anywhere. Then it adds up to 1 again.
#
# Better still to have no dead ends. The planes must have come back: where a plane that went to Miami is next seen in Newark, it came from Miami to
# Newark, by whatever way. These links are *inferred*, and of the flights between other airports we know nothing; so what follows ranks airports as
# New York's planes see them.

# %%
flown = flown.assign(origin=origin, dest=dest).sort_values(["tailnum", "time_hour"], kind="stable")
same_plane = flown["tailnum"].to_numpy()[1:] == flown["tailnum"].to_numpy()[:-1]
left, back = flown["dest"].to_numpy()[:-1][same_plane], flown["origin"].to_numpy()[1:][same_plane]
elsewhere = left != back
links = network(np.concatenate([origin, left[elsewhere]]), np.concatenate([dest, back[elsewhere]]), len(codes))
rank = walk(links, 100)
for number in cp.argsort(rank)[::-1][:6].get():
    print(f"{codes[int(number)]}  {100 * float(rank[number]):.1f} %")

# %% [markdown]
# Is it right? Do not ask the same code twice. After endless steps nothing changes any more: $x = 0.85\,P^T x + 0.15/n$, a system of linear
# equations, which NumPy solves on the host, densely, without a single step:

# %%
dense = links.get().toarray()
out = dense.sum(axis=1, keepdims=True)
P = np.divide(dense, out, out=np.full_like(dense, 1 / len(codes)), where=out > 0)
solved = np.linalg.solve(np.eye(len(codes)) - 0.85 * P.T, np.full(len(codes), 0.15 / len(codes)))
assert np.allclose(rank.get(), solved, rtol=0, atol=0.85**100)
print("a hundred steps and the equations' solution agree, and both add up to 1:", np.isclose(solved.sum(), 1))

# %% [markdown]
# And its limit: a step reads each link once, 8 bytes of it and 4 for its place. A hundred airports say nothing about that, so here is a
# network of two million links, drawn at random, with some places more popular than others:


# %%
@numba.njit(parallel=True)
def product(data, indices, indptr, x, y):
    for i in numba.prange(len(y)):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * x[indices[k]]
        y[i] = total


n, count = 200_000, 2_000_000
rng = np.random.default_rng(seed=1)
popular = np.minimum((rng.random(count) ** 3 * n).astype(int), n - 1)
large = scipy.sparse.csr_matrix((rng.random(count), (rng.integers(0, n, count), popular)), shape=(n, n))
large_gpu, x, y = csr_matrix(large), rng.random(n), np.empty(n)
x_gpu = cp.asarray(x)
least = large.nnz * 12 + n * 4 + 2 * n * 8
arrays = large.data, large.indices, large.indptr
took = {
    "SciPy": measure(lambda: large @ x, bytes=least, repeat=5),
    "one loop, all cores": measure(product, *arrays, x, y, bytes=least, repeat=5),
    "CuPy": measure(lambda: large_gpu @ x_gpu, bytes=least, repeat=5),
}
assert np.allclose(y, large @ x) and np.allclose((large_gpu @ x_gpu).get(), y)
plot.times(
    {f"here: {name}": each.median for name, each in took.items()}
    | {f"limit: {named[name]}": limit(bytes=least, machine=name).seconds for name in named},
    title="One step of PageRank: two million links",
    note="Times taken here, on this CPU where there is no GPU. Limits: each link read once, x in and out",
)

# %% [markdown]
# **Explain.** The limit reckons with bytes side by side, as the links lie. But `x` is read at random places, and from memory each number brings a whole
# line of 64 bytes with it (on a GPU, a sector of 32). Here `x` has 1.6 MB, for which there is room in a cache; where there is none, a link
# costs several times its 12 bytes.
#
# ## Where the GPU loses
#
# **With little data**, and most tables are little. A step of k-means is a handful of kernels, and a kernel takes 5 µs to launch on an H200, 10 µs on a V100,
# whether it has a hundred rows or a million. Here are two ways on your processor, our loop on one core and scikit-learn's, beside what a GPU
# needs *at least* with ten kernels a step:

# %%
alone = numba.njit(fastmath={"reassoc", "nsz"})(one_step.py_func)
sizes = [100, 1_000, 10_000, 100_000]
times = {"one loop, one core": [], "scikit-learn": [], "V100, at least": [], "H200, at least": []}
for size in sizes:
    rows = host[:size]
    fewer = sklearn.cluster.KMeans(6, init=first, n_init=1, max_iter=STEPS, tol=1e-20)
    times["one loop, one core"].append(measure(alone, rows, first, repeat=5, min_time=0.01).median)
    with threadpool_limits(1):
        times["scikit-learn"].append(measure(fewer.fit, rows, repeat=2, min_time=0.01).median / STEPS)
    for name in ("V100", "H200"):
        gpu = machine.gpus.find(name)
        times[f"{name}, at least"].append(10 * gpu.launch + rows.nbytes / gpu.bandwidth)
plot.lines(
    sizes,
    times,
    xlabel="rows",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="A step of k-means, five columns: where does a GPU begin to pay?",
    note="Measured here; the GPUs' are ten launches and one reading.",
)

# %% [markdown]
# The GPUs' lines are flat: all of it is launching. With a hundred rows a compiled loop is through before a GPU has launched its kernels; with a hundred thousand it is
# far behind. And scikit-learn's line begins high too, since its own calls in Python cost more than the work. (So do cuML's, which are not in the GPUs' lines.) The
# airports' PageRank lies far to the left of such a picture:

# %%
small, start = np.ascontiguousarray(P.T), np.full(len(codes), 1 / len(codes))
with threadpool_limits(1):
    step_here = measure(lambda: small @ start, repeat=5).median
print(f"100 steps over {len(codes)} airports, densely: {1e5 * step_here:.1f} ms here")
print(f"four launches a step on an H200: {1e3 * 400 * h200.launch:.1f} ms")

# %% [markdown]
# **Where one step in the middle stays on the host**; and **where the data comes from the host, is read once and goes back**, as for one
# `StandardScaler` before a model that runs on the processor anyway.
#
# ## `cuml.accel`: not a line changed
#
# The other way to a GPU is to change nothing: `%load_ext cuml.accel` in a notebook's first cell, or `python -m cuml.accel script.py`. From then
# on scikit-learn's own classes hand over to cuML where it has the same, and fall back where it has not: a parameter, an input, a method. You do not
# see which, unless you ask: `%%cuml.accel.profile` lists each call and where it ran. Its documentation promises models of comparable *quality*, and says
# that they are not guaranteed to be numerically the same. You know by now how to compare them.
#
# It costs what the mixed pipeline did: arrays come from the host and go back there, in every call. And nothing switches it off again, so it
# comes last here: until now scikit-learn was scikit-learn. (Without a GPU it replaces nothing.)

# %%
import cuml.accel  # noqa: E402  where a program of yours would begin

cuml.accel.install(log_level="error")
accelerated = sklearn.cluster.KMeans(6, init=first, n_init=1).fit(host)
print("switched on:", cuml.accel.enabled())
print("labels on the host:", isinstance(accelerated.labels_, np.ndarray))
assert adjusted_rand_score(accelerated.labels_, precise.labels_) > 0.999

# %% [markdown]
# ## Key points
#
# - cuML's estimators are scikit-learn's by name and by use: `make_pipeline`, `RandomizedSearchCV` and `cross_val_score` take them. Texts, rows and
#   results stay on the device; **a search's labels, splits and scores are the host's**.
# - One step that stays on the host makes the data cross the bus in every fit *and* every scoring. Count them: candidates × folds × 2, and the last one.
# - The limit of a fit is its matrix, read twice a step; below some ten million stored numbers the **launches** are longer than that.
# - Two models are equal up to something: names of clusters, points on a boundary, the tolerance of a solver, the error of a test set. **Equal seeds mean
#   nothing** between libraries.
# - What is learned from data belongs into the pipeline. What is known too late belongs nowhere. A score that is too good has seen something.
# - PageRank is a sparse product in a loop: say what happens at dead ends, and check it against an independent solution.
# - Look for the better algorithm before the faster machine: hash once; a tree for few columns and very many points.
#
# ## The exercise
#
# Five problems, 30 minutes: [exercises/09_learning.ipynb](../exercises/09_learning.ipynb). You will compare clusterings, count a search before it runs, close a leak
# that is found by changing what was held out, and bring PageRank near its limit.
#
# ## Further reading
#
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December
#   2018: the wish, under "cuML needs features, Scikit-Learn needs datastructure agnosticism". (Shortened above: the imports of scikit-learn's own
#   classes are left out.)
# - cuML's documentation: [HashingVectorizer](https://docs.nvidia.com/cuml/latest/api/generated/cuml.feature_extraction.text.HashingVectorizer/),
#   [KMeans](https://docs.nvidia.com/cuml/latest/api/generated/cuml.cluster.KMeans/), and what
#   [`cuml.accel`](https://docs.nvidia.com/cuml/latest/cuml-accel/compatibility/) takes over, falls back on and promises.
# - scikit-learn's user guide, [Common pitfalls](https://scikit-learn.org/stable/common_pitfalls.html): leaks and seeds. The coins are T. Hastie, R. Tibshirani, J. Friedman,
#   *The Elements of Statistical Learning*, second edition, 2009, section 7.10.2.
# - S. Brin, L. Page, *The Anatomy of a Large-Scale Hypertextual Web Search Engine*, 1998; and A. Langville, C. Meyer, *Deeper Inside PageRank*, Internet
#   Mathematics 1 (3), 2004, on dead ends and on solving the equations.
# - L. Hubert, P. Arabie, *Comparing Partitions*, Journal of Classification 2, 1985: the adjusted Rand index.
