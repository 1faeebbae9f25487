# ---
# jupyter:
#   hundredfold:
#     unit: 12
#     slug: svd
#     title: "SVD on many GPUs"
#     teaching: 60
#     exercises: 60
#     dashboard: true
# ---

# %% [markdown]
# # 12 · SVD on many GPUs
#
# *Unit 12 · svd · 60 minutes in two sittings, then 60 for the exercises; the optional parts are not counted*
#
# In June 2019 four GPUs computed a *singular value decomposition* (SVD) together. A transfer between two of them took half a second to a second over TCP. Over
# NVLink, a direct link between GPUs, it took about 20 ms. This unit shows when transfers are the limit, and when arithmetic is.
#
# ## What you will be able to do
#
# - **Decompose** a matrix whose rows lie on several GPUs.
# - **Count** the bytes that cross the wire, and estimate when it is the limit.
# - **Read** Dask's task stream, and know when a red bar is arithmetic.
# - **Choose** between TSQR, the Gram matrix and a random sample.
#
# You need units 10 and 11, and know what an SVD is for. Without a GPU, two processes act as two GPUs, and the TCP between them is real. The cells need about a
# minute.

# %%
# %load_ext hundredfold

# %%
import math
import os
import tempfile
from time import perf_counter, time

import cupy as cp
import dask
import dask.array as da
import numpy as np
from dask_cuda import LocalCUDACluster
from distributed import Client, LocalCluster, performance_report, wait
from sklearn.datasets import load_digits, load_sample_images
from threadpoolctl import threadpool_limits

from hundredfold import machine, measure, plot, quiz
from hundredfold.learning.problems.svd.gram import known
from hundredfold.toolkit import recorded

# %% [markdown]
# ---
#
# **First sitting: TSQR and the wire, about 35 minutes.** The cluster has one worker for each GPU (unit 11):

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # where there is no GPU, simulate two
cluster = LocalCUDACluster(dashboard_address="127.0.0.1:0")
client = Client(cluster)
workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
threadpool_limits(1, user_api="blas")  # one thread for LAPACK here, as in each worker
print(f"{len(workers)} workers")

# %% [markdown]
# ## TSQR: one decomposition of many blocks
#
# A matrix with many more rows than columns is **tall and skinny**: m × n with m ≫ n. Its thin SVD is X = U S Vᵀ:
#
# - U is m × n, as tall as X. Its columns are **orthonormal**: UᵀU is the identity.
# - S is diagonal. It holds the n **singular values** σ₁ ≥ σ₂ ≥ …
# - V is n × n.
#
# LAPACK, the library behind `numpy.linalg.svd`, needs all of X in one memory.
#
# A **QR decomposition** is X = Q R. Q is as tall as X, with orthonormal columns. R is an upper triangle, n × n. **[TSQR](../docs/glossary.md#term-TSQR)**,
# *tall-skinny QR*, decomposes each block of rows into its own Q and R. It stacks the triangles, and decomposes the stack into Q′ and the R of X.
#
# **Question.** X has 6000 rows and 20 columns, in six blocks of 1000 rows. What is the shape of the stack?
#
# - (a) 6000 × 20
# - (b) 120 × 20
# - (c) 20 × 20

# %%
my_answer = "?"
quiz("svd.stack", my_answer)

# %% [markdown]
# ![TSQR of a matrix X in four blocks of rows. Each block is decomposed where it lies, into a tall Q and a small triangle R. The four triangles are
# stacked, and the small stack is decomposed once more. Its triangle is the R of X. Each tall Q is multiplied by its part of the second
# Q.](drawings/tsqr-blocks.svg)


# %%
def tsqr(blocks):
    """Q, in blocks, and R of the matrix that has these blocks of rows."""
    first = [cp.linalg.qr(block) for block in blocks]  # each where it lies
    second, r = cp.linalg.qr(cp.concatenate([r for _, r in first]))  # the triangles in one place
    parts = cp.split(second, len(blocks))
    return [q @ part for (q, _), part in zip(first, parts, strict=True)], r


x = cp.random.default_rng(0).standard_normal((6_000, 20))
q, r = tsqr(cp.split(x, 6))
u_r, s, vt = cp.linalg.svd(r)  # 20 × 20
u = cp.concatenate([block @ u_r for block in q])

assert np.allclose(s.get(), np.linalg.svd(x.get(), compute_uv=False), rtol=1e-12)
assert cp.allclose(u * s @ vt, x, atol=1e-12)
print("the singular values are LAPACK's, and U S Vᵀ is X")

# %% [markdown]
# **Explain.** If R = U′ S Vᵀ, then X = Q R = (Q U′) S Vᵀ. So X and its small triangle have the same singular values and the same V.
#
# In Dask a stack is at most as tall as the tallest block. So many triangles become several stacks, in a tree:
#
# ![Eight triangles become one, in two ways. At once: one worker decomposes a stack of eight. As a tree: workers decompose stacks of two at the same
# time, so that eight triangles become four, then two, then one.](drawings/tree-of-r.svg)
#
# ## TSQR in one line
#
# `da.linalg.svd` is TSQR on the chunks of a Dask array.
#
# **Question.** X has 16 000 rows and 200 columns. Which chunks does `da.linalg.svd` refuse?
#
# - (a) `(16_000, 200)`
# - (b) `(2_000, 200)`
# - (c) `(2_000, 100)`

# %%
my_answer = "?"
quiz("svd.refused", my_answer)

# %%
if machine.mode() == "gpu" and len(workers) * cp.cuda.Device().mem_info[1] > 48e9:
    m, n, rows = 1_000_000, 1_000, 10_000  # as published in 2019
else:
    m, n, rows = 16_000, 200, 2_000

halves = da.ones((m, n), chunks=(rows, n // 2))
try:
    da.linalg.svd(halves)
except NotImplementedError as error:
    print("NotImplementedError:", str(error).split(".")[0])
print("after rechunk({1: -1}):", halves.rechunk({1: -1}).chunksize)

# %% [markdown]
# ![A matrix cut in two ways. In chunks of half rows each block has only half of the columns, and TSQR is not possible. In one column of chunks each
# block has whole rows, and TSQR is possible.](drawings/whole-rows.svg)
#
# The option `array.backend` chooses the library that makes random numbers. CuPy makes them on the device, where all results stay.


# %%
def random_matrix(backend, seed, high=rows):
    """A matrix (m, n) of random numbers in blocks of so many rows, on the workers."""
    with dask.config.set({"array.backend": backend}):
        x = da.random.default_rng(seed).standard_normal((m, n), chunks=(high, n))
    x = client.persist(x)
    wait(x)
    client.run(lambda: cp.cuda.Device().synchronize())
    return x


x = random_matrix("cupy", seed=1)
u, s, v = da.linalg.svd(x)  # v is Vᵀ; nothing is computed yet
off, product = dask.compute(abs(u * s @ v - x).max(), u.T @ u)
assert off < 1e-10 and cp.allclose(product, cp.eye(n), atol=1e-12)
print(type(x._meta), x.shape, "in blocks of", x.chunksize)
print("U S Vᵀ is X, and UᵀU is the identity")

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: one SVD in one memory
#
# In 2019 others timed the *full* SVD of matrices with 1000 columns, with NumPy on 40 cores and with CuPy on a V100 GPU. We recorded the thin SVD,
# `full_matrices=False`, with NumPy on two cores:

# %%
heights = [1_000, 10_000, 20_000]
ways = ["published: NumPy, 40 cores, full", "published: CuPy, V100, full", "recorded: NumPy, 2 cores, thin"]
found = {way: [] for way in ways}
for height in heights:
    full = {each.way: each.seconds for each in recorded.published(f"memory.svd.{height}x1000").times}
    thin = recorded.rows(f"memory.svd-thin.{height}x1000")[0].times[0].seconds
    for way, seconds in zip(ways, (full["NumPy"], full["CuPy"], thin), strict=True):
        found[way].append(seconds)
print(f"20 000 rows: 40 cores take {found[ways[0]][-1] / found[ways[2]][-1]:.0f}× as long as two")
plot.lines(
    heights,
    found,
    xlabel="rows, of 1000 numbers",
    ylabel="seconds",
    ylog=True,
    title="One SVD in one memory",
)

# %% [markdown]
# **Question.** Why are two cores so much faster than 40?
#
# - (a) The full SVD also computes a square U of 20 000 × 20 000.
# - (b) The two cores computed in float32.
# - (c) CPUs have become 15 times faster since 2019.

# %%
my_answer = "?"
quiz("svd.thin", my_answer)

# %% [markdown]
# The V100 did the same unneeded work. A speedup compares hardware only if both did equal work.

# %% [markdown]
# ## What crosses the wire
#
# ![Two GPUs with a worker each. Each has four blocks of X and of Q, which can stay there. The triangles of the second worker cross the wire to the first,
# which stacks all eight. As many small parts of the second Q come back.](drawings/wire-triangles.svg)
#
# **Predict.** A triangle is sent as a full array of n × n float64. Each part of Q′ has the same size. For n = 200, how many MB cross the wire in this drawing?

# %%
my_megabytes = "?"

# %% [markdown]
# **Measure.** Each worker keeps a log of what it received:


# %%
def transfers(work):
    """Bytes received from other workers while `work()` ran: all, and what is larger than a triangle."""

    def received(dask_worker, triangle=8 * n**2):
        sizes = [size for each in dask_worker.transfer_incoming_log for size in each["keys"].values()]
        return np.array([sum(sizes), sum(size for size in sizes if size > triangle)])

    before = sum(client.run(received).values())
    work()
    return sum(client.run(received).values()) - before


x = random_matrix("cupy", seed=4)
total, large = transfers(lambda: wait(client.persist(list(da.linalg.svd(x))))) / 1e6
k, w = len(x.chunks[0]), len(workers)
print(f"at least {2 * k * (1 - 1 / w) * 8 * n**2 / 1e6:.1f} MB; you said {my_megabytes}")
print(f"received {total:.1f} MB, of which {large:.1f} MB in arrays larger than a triangle")
print(f"X has    {x.nbytes / 1e6:.1f} MB")

# %% [markdown]
# **Explain.** Of k blocks on w workers, k · (1 − 1/w) are not on the worker with the stack. Each sends a triangle of 8 n² bytes, and gets as much back. So at
# least 2 · k · (1 − 1/w) · 8 n² bytes are sent.
#
# Dask may give a task to an idle worker, and send it the input: a block, or all of Q′ as one array. So more than the minimum is sent, and the number changes
# from run to run.
#
# ## How fast is the wire?
#
# **[UCX](../docs/glossary.md#term-UCX)** is a library that finds the fastest way between two GPUs, such as **NVLink**. `LocalCUDACluster(protocol="ucx")`
# selects it, if `distributed-ucxx` is installed.
#
# **Question.** In December 2019 a developer of UCX for Python timed transfers between two GPUs. For 1 MB, how fast was NVLink compared with TCP?
#
# - (a) more than ten times as fast
# - (b) slower
# - (c) about twice as fast

# %%
my_answer = "?"
quiz("svd.small", my_answer)

# %% [markdown]
# **Measure.** On this machine one worker makes an array, and another one fetches it:

# %%
on_gpus = machine.mode() == "gpu" and len(workers) > 1
xp = cp if on_gpus else np  # a simulated GPU has no bus
if len(workers) > 1:
    own, talkers = None, client
else:  # one GPU: two processes without one, for the wire alone
    own = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    talkers = Client(own, set_as_default=False)


def seconds_to_send(client, size, repeat=5):
    a, b = sorted(client.scheduler_info(n_workers=-1)["workers"])[:2]
    best = math.inf
    for value in range(repeat):
        there = client.submit(xp.full, size, value, "u1", workers=[a], pure=False)
        wait(there)
        start = perf_counter()
        wait(client.submit(len, there, workers=[b], pure=False))
        best = min(best, perf_counter() - start)
    return best


megabytes = [1, 5, 10, 100]
here = [seconds_to_send(talkers, size * 10**6) for size in megabytes]
plot.lines(
    megabytes,
    {
        "published: TCP": [1 / 373, 5 / 364, 10 / 342, 100 / 400],  # MB by MB/s
        "published: NVLink": [1 / 160, 5 / 326, 10 / 795, 100 / 6_700],
        "here: TCP": here,
    },
    xlabel="MB",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="From one worker to another",
    note="Published: UCX-Py issue 370, between two GPUs. Here: with Dask's own overhead.",
)

# %% [markdown]
# **Explain.** A small message, such as our triangle of 0.32 MB, costs mostly **overhead**, the time to arrange it. A large one costs its bytes.
#
# A triangle of 2019 had 8 MB. At 342 MB/s over TCP it takes 23 ms. The post does not tell why its transfers took longer.

# %% [markdown]
# ## When is the wire the limit?
#
# A block of h rows takes 8 h n² operations: 4 h n² for its QR, and 2 h n² for each of two products that make U. Let one worker receive all triangles.
#
# **Question.** A worker waits for the wire longer than it computes. Which change helps?
#
# - (a) fewer columns
# - (b) more workers
# - (c) taller blocks

# %%
my_answer = "?"
quiz("svd.taller", my_answer)

# %% [markdown]
# Let a worker do F operations a second, and the wire carry B bytes a second, one transfer after the other:
#
# | | seconds |
# |---|---|
# | arithmetic, on w workers | 8 k h n² / (w F) |
# | transfers | 2 k (1 − 1/w) · 8 n² / B |
#
# The two are equal for blocks of **h = 2 F (w − 1) / B** rows. In lower blocks the wire is the limit. For four GPUs at their float64 peak:

# %%
for name, wire, rate in (
    ("V100", "TCP, 10 MB", 0.342e9),
    ("V100", "NVLink, 10 MB", 0.795e9),
    ("V100", "NVLink, 100 MB", 6.7e9),
    ("H100", "NVLink, large messages", 380e9),
):
    high = 2 * machine.gpus.find(name).fp64 * (4 - 1) / rate
    rows_equal = f"{round(high, -2):,.0f} rows".replace(",", " ")
    print(f"{name}, {wire} at {rate / 1e9:.3g} GB/s: {rows_equal}")

# %% [markdown]
# **Which was the limit in 2019?** The blocks had 10 000 rows. At the rates for 10 MB it was the wire, over TCP and over NVLink. A real QR stays below the peak,
# so real limits are lower.
#
# Make blocks as tall as a worker's memory allows. It must hold X, Q and the workspace of a QR.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: how many GPUs?
#
# How much faster is the matrix of 2019 on w GPUs? Its 100 triangles would be a tree in Dask. The estimate below has one stack on one worker. By
# **[Amdahl's law](../docs/glossary.md#term-Amdahl-s-law)**, work that is not shared bounds the speedup:


# %%
def seconds_on(w, flops, rate, m=1_000_000, n=1_000, k=100):
    shared = 8 * m * n**2 / w
    alone = 4 * k * n * n**2 + 22 * n**3  # QR of the stack, SVD of its triangle
    return (shared + alone) / flops + 2 * k * (1 - 1 / w) * 8 * n**2 / rate


many = [1, 2, 4, 8, 16]
v100, h100 = (machine.gpus.find(name).fp64 for name in ("V100", "H100"))
cases = {
    "no wire: Amdahl": (v100, math.inf),
    "H100, NVLink": (h100, 380e9),
    "V100, NVLink": (v100, 6.7e9),
    "V100, TCP": (v100, 0.4e9),
}
speedup = {name: [seconds_on(1, *case) / seconds_on(w, *case) for w in many] for name, case in cases.items()}
plot.lines(
    many,
    {"perfect": many} | speedup,
    xlabel="GPUs",
    ylabel="times faster than one",
    xlog=True,
    ylog=True,
    title="1 000 000 × 1 000 in 100 blocks",
    note="Computed, not measured: peaks of data sheets, published rates of large messages",
)

# %% [markdown]
# In this estimate, two V100s over TCP are slower than one. Over NVLink, the rule puts the limit on the wire from six V100s on, and the line gets flat. A real QR stays
# below the peak, so the wire weighs less. A tree shares the work on the stack, so Amdahl's line is higher.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: flat blocks
#
# **Predict.** Take blocks of 400 rows in place of 4000. How many times longer does the SVD take here?

# %%
my_slowdown = "?"

# %%
took = {}
for high in (20 * n, 2 * n):
    x = random_matrix("numpy", seed=high, high=high)
    start = perf_counter()
    wait(client.persist(list(da.linalg.svd(x))))
    took[high] = perf_counter() - start
    print(f"{m // high} blocks of {high} rows: {len(da.linalg.svd(x)[0].dask)} tasks")
print(f"{took[2 * n] / took[20 * n]:.1f}×; you said {my_slowdown}")

# %% [markdown]
# The rows are the same. More tasks have to be planned, and more triangles sent and decomposed again.

# %% [markdown]
# ## A look at the dashboard
#
# Watch the **task stream** beside this notebook while the next cell runs. `performance_report` keeps a copy, shown below.
#
# - Each row is a thread of a worker, and each bar a task. Its colour is the function, such as `qr`.
# - A red bar is a transfer to the worker of this row.
#
# **Predict.** The workers hold CuPy arrays. Of the time in all bars, how many per cent are transfers?

# %%
my_share = "?"

# %%
x = random_matrix("cupy", seed=9)
with tempfile.TemporaryDirectory() as folder:
    page = os.path.join(folder, "report.html")
    with performance_report(filename=page, mode="inline"):
        wait(client.persist(list(da.linalg.svd(x))))
    report = plot.report(page)
client.run(lambda: cp.cuda.Device().synchronize())
report


# %%
def share_of_transfers(backend, seed):
    x = random_matrix(backend, seed)
    began = client.run_on_scheduler(time)
    wait(client.persist(list(da.linalg.svd(x))))
    spent = dict.fromkeys(("compute", "transfer"), 0.0)
    for task in client.get_task_stream(start=began):
        for bar in task["startstops"]:
            if bar["action"] in spent:
                spent[bar["action"]] += bar["stop"] - bar["start"]
    return spent["transfer"] / sum(spent.values())


for backend, seed in (("cupy", 10), ("numpy", 11)):
    print(f"{backend}: {share_of_transfers(backend, seed):.0%} of the time in bars is transfer")
print(f"you said {my_share}")

# %% [markdown]
# **Question.** The algorithm, the size of a triangle and the wire are the same. Why is the stream with CuPy red?
#
# - (a) The transfers also wait for the GPU to compute.
# - (b) CuPy's arrays are packed into larger messages.
# - (c) Two GPUs share one wire.

# %%
my_answer = "?"
quiz("svd.red", my_answer)

# %% [markdown]
# ![A timeline of one block. The sender's task only starts the QR and ends, while its GPU computes for a long time. The receiver asks for R, waits until
# the GPU is done, and then R crosses the wire in a short time. Dask records a short task of the sender and a long transfer of the
# receiver.](drawings/transfer-waits.svg)
#
# A CuPy task *ends* when its kernels are in the queue (unit 01). The transfer needs the numbers, so it waits. **Red in the task stream of a GPU is often
# arithmetic.** Trust the bytes in the log, and the total time.
#
# Was the half second of 2019 arithmetic, too? Hardly: over NVLink a transfer took 20 ms, waiting included.
#
# ---
#
# ## Break
#
# If you close the notebook, come back to this cell and choose *Run → Run All Above Selected Cell*.
#
# ---
#
# **Second sitting: accuracy and compression, about 25 minutes.**
#
# ## Squaring loses digits
#
# The **[Gram matrix](../docs/glossary.md#term-Gram-matrix)** XᵀX is n × n, like R, and cheaper to compute. Each block of rows has a Gram matrix, and their sum
# is XᵀX = V S² Vᵀ. Its eigenvalues are the squares of the singular values.
#
# The **[condition number](../docs/glossary.md#term-condition-number)** κ is σ₁ / σₙ. After 1, the next float64 is 1 + ε, with ε = 2.2 · 10⁻¹⁶.
#
# **Question.** The smallest singular value is computed from the Gram matrix. From about which κ on are all of its digits wrong?
#
# - (a) 10⁴
# - (b) 10⁸
# - (c) 10¹⁶

# %%
my_answer = "?"
quiz("svd.squared", my_answer)

# %% [markdown]
# ![Two logarithmic scales from 1 down to 10 to the minus 20. Four singular values of X lie at 1, a thousandth, a millionth and a billionth of the largest, all
# above the rounding of float64 at 2 times 10 to the minus 16. Their squares in the Gram matrix lie twice as low. The last square lies below the
# rounding and is lost.](drawings/squared-digits.svg)
#
# **Measure.** `known` makes a matrix with known singular values and κ = 2 to the power of `octaves`:


# %%
def by_gram(x):
    eigenvalues, v = cp.linalg.eigh(x.T @ x)
    s = cp.sqrt(cp.abs(eigenvalues[::-1]))  # rounding can make one negative
    return x @ v[:, ::-1] / s, s


def by_tsqr(x):
    q, r = tsqr(cp.split(x, 8))
    return cp.concatenate(q), cp.linalg.svd(r, compute_uv=False)


kappas, wrong, skew = [], {}, {}
for octaves in (3, 7, 10, 13, 17, 20, 23, 26, 30, 35, 40):
    a, sigma = known(octaves, 4096, 32)
    kappas.append(sigma[0] / sigma[-1])
    wrong.setdefault("LAPACK", []).append(np.linalg.svd(a, compute_uv=False)[-1] / sigma[-1] - 1)
    for name, way in {"TSQR": by_tsqr, "Gram": by_gram}.items():
        q, s = way(cp.asarray(a))
        wrong.setdefault(name, []).append(float(s[-1]) / sigma[-1] - 1)
        skew.setdefault(name, []).append(float(cp.abs(q.T @ q - cp.eye(len(s))).max()))

lost = kappas[next(i for i, error in enumerate(wrong["Gram"]) if abs(error) > 0.1)]
assert 5e6 < lost < 2e9
plot.lines(
    kappas,
    {name: [abs(error) + 1e-16 for error in errors] for name, errors in wrong.items()},
    xlabel="condition number",
    ylabel="relative error",
    xlog=True,
    ylog=True,
    marks={"1/√ε": 2.0**26},
    title="The smallest singular value",
    note="Computed here, against the exact value; 4096 × 32",
    brief=True,
)

# %% [markdown]
# **Explain.** The condition number of the Gram matrix is κ². Rounding changes its eigenvalues by a few ε σ₁². The square of a singular value below about √ε σ₁
# is smaller than that, and is lost. TSQR does not square. Like LAPACK, it is wrong by up to about ε σ₁.
#
# | way | operations for σ, U, V | relative error of σₙ |
# |---|---|---|
# | LAPACK, one memory | about 6 m n² | ε κ |
# | TSQR | 8 m n² | ε κ |
# | Gram | 3 to 4 m n² | up to ε κ² |
#
# **A real GPU.** In 2026 pg_gpu, a library for genetics, replaced an SVD of 200 × 50 000 numbers by a Gram matrix of 200 × 200. On an A100 that took 8.1 ms in
# place of about 44 ms.
#
# **Question.** Your data are known to three digits, and κ is 10⁴. Which way do you choose for the singular values?
#
# - (a) TSQR: Gram has no right digit left at this κ.
# - (b) LAPACK on one machine: nothing else is exact.
# - (c) Gram: its error is far below that of the data.

# %%
my_answer = "?"
quiz("svd.measured", my_answer)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: is U orthonormal?
#
# The columns of TSQR's Q and of Gram's U should be orthonormal. Then QᵀQ and UᵀU are the identity. By how much does their worst element differ from it?

# %%
lost = kappas[next(i for i, off in enumerate(skew["Gram"]) if off > 0.1)]
assert max(skew["TSQR"]) < 1e-13 and skew["Gram"][0] < 1e-12
print(f"TSQR: below 1e-13 at every κ. Gram: below 1e-12 at κ = {kappas[0]:.0f}, and above 0.1 from κ = {lost:.0e} on")

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: CholeskyQR
#
# The Gram matrix is RᵀR for a triangle R: its Cholesky decomposition. Q = X R⁻¹ then has orthonormal columns, and X = Q R. To do this again with Q is called
# **CholeskyQR2**. It is as accurate as TSQR for κ up to about 1/√ε. Above that, the rounded Gram matrix has eigenvalues below zero, and no Cholesky decomposition. NumPy raises
# an error. CuPy returns NaN:


# %%
def cholesky_qr(x):
    r = cp.linalg.cholesky(x.T @ x).T
    return cp.linalg.solve(r.T, x.T).T, r


for octaves in (20, 40):
    x = cp.asarray(known(octaves, 4096, 32)[0])
    q, r = cholesky_qr(x)
    q, r_2 = cholesky_qr(q)
    skewed = float(cp.abs(q.T @ q - cp.eye(32)).max())
    assert skewed < 1e-13 or math.isnan(skewed)
    print(f"κ = {2.0**octaves:.0e}: R has NaN: {bool(cp.isnan(r_2 @ r).any())}")
try:
    np.linalg.cholesky(x.get().T @ x.get())
except np.linalg.LinAlgError as error:
    print("NumPy:", type(error).__name__)

# %% [markdown]
# ## Eigen-images
#
# Two photographs are cut into overlapping tiles of 16 × 16 pixels. Each tile is a row of 256 numbers. The rows of Vᵀ are tiles, too: the **eigen-images**. Every tile
# is a sum of them, each times a number, its **weight**.
#
# **Question.** What does the first eigen-image look like?
#
# - (a) a nearly plain grey
# - (b) a blurred palace
# - (c) noise

# %%
my_answer = "?"
quiz("svd.first", my_answer)

# %%
SIDE, STEP = 16, 4
photos = [np.round(photo.mean(axis=2)).astype(np.uint8) for photo in load_sample_images().images]  # grey
windows = [np.lib.stride_tricks.sliding_window_view(photo, (SIDE, SIDE))[::STEP, ::STEP] for photo in photos]
as_rows = np.concatenate([window.reshape(-1, SIDE * SIDE) for window in windows])
tiles = client.persist(da.from_array(as_rows, chunks=(4_096, SIDE * SIDE)).map_blocks(cp.asarray))
wait(tiles)
print(f"{tiles.shape[0]} tiles of {tiles.shape[1]} pixels in {len(tiles.chunks[0])} blocks")
plot.images(
    {name: photo[::4, ::4] for name, photo in zip(("palace", "flower"), photos, strict=True)},
    "A palace with curved roofs before the sky, and a flower with many petals.",
    columns=2,
    common=True,
)

# %%
_, s, v = da.linalg.svd(tiles.astype(np.float64))  # U is not asked for, so it is not computed
s, v = (cp.asnumpy(each) for each in dask.compute(s, v))
plot.images(
    {f"{i + 1}": v[i].reshape(SIDE, SIDE) for i in range(16)},
    "The first is nearly plain, the second a ramp from top to bottom, the third one from left to right. "
    "The others are waves, coarse and fine.",
    common=True,
    title="The first 16 eigen-images of two photographs",
)

# %% [markdown]
# The first eigen-image is the brightness, the next two are slopes, the others waves. The singular values of pictures fall fast, so a few eigen-images are most
# of a tile:
#
# ![A sketch: two bar charts of singular values, the largest first. Those of pictures fall fast, so that the first few are enough. Those of noise are
# nearly alike, so that the first few are not enough.](drawings/decay.svg)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a palace from few eigen-images
#
# The cell shows a part of the palace. Each of its tiles is a sum of the first k eigen-images, for three values of k in random order:

# %%
part = photos[0][100:196, 216:360].astype(float)
high, wide = (length // SIDE for length in part.shape)
parts = part.reshape(high, SIDE, wide, SIDE).swapaxes(1, 2).reshape(-1, SIDE * SIDE)
shown, error = {}, {}
for name, k in zip(("(a)", "(b)", "(c)"), np.random.default_rng(7).permutation([4, 16, 64]), strict=True):
    mixed = parts @ v[:k].T @ v[:k]
    error[name] = k, np.linalg.norm(mixed - parts) / np.linalg.norm(parts)
    shown[name] = mixed.reshape(high, wide, SIDE, SIDE).swapaxes(1, 2).reshape(part.shape)
plot.images(
    shown,
    "In (a) the roofs are blurred blocks, in (b) they have fine lines, and in (c) coarse ones.",
    columns=3,
    common=True,
)

# %% [markdown]
# **Question.** In one picture k is 4, in one 16, and in one 64. Which picture has 16?
#
# - (a) the left one
# - (b) the middle one
# - (c) the right one

# %%
my_answer = "?"
quiz("svd.picture", my_answer)

# %%
for name, (k, off) in error.items():
    print(f"{name} k = {k:2}: {k} weights for {SIDE**2} pixels, wrong by {off:.1%} of the norm")

# %% [markdown]
# The k eigen-images must be kept, too, but only once for all tiles.

# %% [markdown]
# ## Compressed SVD: a random sample
#
# Suppose you need only the first k of the 256 singular values. **[Compressed SVD](../docs/glossary.md#term-compressed-SVD)**, also called *randomised*, takes a
# random sample of the matrix:
#
# ![Compressed SVD in four steps. The matrix X times a random matrix of k plus 10 columns gives a narrow sample Y. A QR decomposition of Y gives Q. Q
# transposed times X gives B, which has only k plus 10 rows. The small B is decomposed exactly.](drawings/random-sample.svg)
#
# Ω is random, so the columns of Y are random sums of the columns of X. Large singular values dominate them. The ten extra columns make it unlikely that one of
# the first k is missed. V comes from B. X need not be tall.
#
# **Power iterations** multiply Y by X Xᵀ, q times. Each makes the large singular values dominate more, and costs two more passes over X.
#
# **Predict.** Which q gives the best 16th singular value of our tiles: 0, 1, 2 or 4?

# %%
my_q = "?"

# %% [markdown]
# **Measure.** `svd_compressed` can iterate in two ways, "power" and "QR":

# %%
K = 16
errors = {}
for q, iterator in ((0, "power"), (1, "power"), (2, "power"), (4, "power"), (4, "QR")):
    name = f"q = {q}" + ", QR" * (iterator == "QR")
    with dask.config.set({"array.backend": "cupy"}):
        _, s_k, _ = da.linalg.svd_compressed(tiles.astype(np.float64), K, iterator, n_power_iter=q, seed=1)
    s_k = cp.asnumpy(s_k.compute())
    errors[name] = abs(s_k / s[:K] - 1) + 1e-16
    print(f"{name}: the 16th is wrong by {errors[name][-1]:.1%}")
print(f"you said {my_q}")
plot.lines(
    range(1, K + 1),
    errors,
    xlabel="number of the singular value",
    ylabel="relative error",
    ylog=True,
    title="Compressed SVD with q power iterations",
    note="Against TSQR of the same tiles, computed here",
    brief=True,
)

# %%
last = {name: error[-1] for name, error in errors.items()}
assert last["q = 0"] > 0.1 and last["q = 0"] > last["q = 1"] > last["q = 2"] > last["q = 4, QR"]
assert last["q = 4"] > last["q = 2"]
print(f"(σ₁₆/σ₁)⁹ = {(s[15] / s[0]) ** 9:.0e}")

noise = np.random.default_rng(12).standard_normal((4_000, 256))  # all singular values nearly alike
_, found, _ = da.linalg.svd_compressed(da.from_array(noise, chunks=(1_000, 256)), K, n_power_iter=0, seed=1)
off = 1 - found.compute(scheduler="threads")[0] / np.linalg.svd(noise, compute_uv=False)[0]
assert off > 0.02
print(f"of pure noise, even the first is {off:.0%} too small")

# %% [markdown]
# **Explain.** A power iteration makes the error smaller, as long as digits last. With q = 4 the sample is (X Xᵀ)⁴ X Ω, so each σ becomes σ⁹. The 16th is then
# about ε times the first, and is lost as in the Gram matrix. `iterator="QR"` makes the columns orthonormal after each product, and keeps the digits.
#
# In noise all singular values are alike. There even the first is wrong.
#
# **A real GPU.** In 2020 a compressed SVD of 200 GB ran on 16 V100s in 10 to 20 s.
#
# Compressed SVD needs 2 m n (k + 10)(2 + 2 q) operations. Without U, Gram needs about m n². For k = 16 and q = 2, Gram is cheaper up to about 300 columns.
#
# ## Where the GPU loses
#
# **A small matrix.** scikit-learn's handwritten digits are 1797 × 64 numbers:

# %%
digits = load_digits().data
in_one = measure(np.linalg.svd, digits, False, name="LAPACK")
start = perf_counter()
small = client.persist(da.from_array(digits, chunks=(450, 64)).map_blocks(cp.asarray))
s_small = cp.asnumpy(da.linalg.svd(small)[1].compute())
on_cluster = perf_counter() - start
assert np.allclose(s_small, in_one.value[1], atol=1e-10 * s_small[0])
print(f"LAPACK {1e3 * in_one.median:.1f} ms, the cluster {1e3 * on_cluster:.0f} ms")

# %% [markdown]
# The cluster plans, sends and waits longer than it computes. The memory of an H200 delivers these 0.9 MB in 0.2 µs (its limit), but one launch takes 2.5 µs.
#
# **Rows that have to move first.** TSQR sends only triangles. Moving the rows sends all of X.

# %%
if own is not None:
    talkers.close()
    own.close()
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - **TSQR** decomposes blocks of whole rows, stacks the triangles, and decomposes the stack.
# - Bytes grow with the number of blocks, arithmetic with the number of rows: **make blocks tall**.
# - The wire is the limit below 2 F (w − 1) / B rows a block. Small messages cost overhead.
# - Red in the task stream of a GPU is often arithmetic.
# - TSQR is as accurate as LAPACK. **Gram** is cheaper, and loses what is below √ε σ₁.
# - **Compressed SVD** finds the first few singular values, if they fall fast.
#
# ## The exercise
#
# Five problems, 60 minutes: [exercises/12_svd.ipynb](../exercises/12_svd.ipynb).
#
# ## Further reading
#
# - M. Rocklin, R. Zamora, [Experiments in High Performance Networking with UCX and DGX](https://blog.dask.org/2019/06/09/ucx-dgx), 2019.
# - M. Rocklin, B. Zaitlen, A. Miles, [Large SVDs](https://blog.dask.org/2020/05/13/large-svds), 2020: 200 GB.
# - [UCX-Py issue 370](https://github.com/rapidsai/ucx-py/issues/370), 2019: NVLink and TCP, 1 to 100 MB.
# - [NCCL issue 1264](https://github.com/NVIDIA/nccl/issues/1264), 2024: 380 GB/s one way between H100s.
# - [pg_gpu pull request 28](https://github.com/kr-colab/pg_gpu/pull/28), 2026: Gram on an A100.
# - A. Benson, D. Gleich, J. Demmel, [Direct QR factorizations for tall-and-skinny matrices in MapReduce architectures](https://arxiv.org/abs/1301.1071), 2013.
# - N. Halko, P. G. Martinsson, J. A. Tropp, [Finding structure with randomness](https://arxiv.org/abs/0909.4061), 2011.
# - T. Fukaya and others, [Shifted Cholesky QR](https://arxiv.org/abs/1809.11085), 2020: CholeskyQR beyond 1/√ε.
# - The photographs are from [scikit-learn](https://scikit-learn.org), both [CC BY 2.0](https://creativecommons.org/licenses/by/2.0/): a pavilion in Beijing by danielbuechele, and a flower by
#   [vultilion](https://www.flickr.com/photos/vultilion/).
# - [Diagnostics and performance reports](https://distributed.dask.org/en/stable/diagnosing-performance.html) of Dask, and [UCX](https://docs.rapids.ai/api/dask-cuda/stable/ucx/) in Dask-CUDA.
