# ---
# jupyter:
#   hundredfold:
#     unit: 12
#     slug: svd
#     title: "SVD: a matrix on many GPUs"
#     teaching: 55
#     exercises: 35
#     dashboard: true
# ---

# %% [markdown]
# # 12 · SVD: a matrix on many GPUs
#
# *Unit 12 · svd · 55 minutes, then 35 for the exercises*
#
# In June 2019 a film was shown: Dask takes a matrix of 1 000 000 × 1 000 numbers to pieces by a singular value decomposition, first with
# NumPy, then, after one changed line, with CuPy: "about 10×". No times were given. In the same month another post looked at why several GPUs
# were hardly faster than one: a *single* transfer between two of them took half a second to a second over TCP, and some 20 ms over UCX. A
# year later 16 GPUs did it to 200 GB, approximately.
#
# In this unit you do all three, and find out which number decides: how fast the arithmetic is, or how fast the wire.
#
# ## What you will be able to do
#
# - **Decompose** a matrix whose rows lie on several GPUs, by hand and in one line.
# - **Choose** among four ways by what they cost and by which singular values they get right.
# - **Notice** when threads are in each other's way.
# - **Measure** how fast two workers talk, and **say** when that is the limit.
# - **Read** a performance report, and not believe all of it.
# - **Fit** a model of time against workers, and know how far to trust it.
#
# You need units 10 and 11 (chunks, graphs, workers), and what a singular value decomposition is for. It takes about a minute. Without a GPU
# all of it runs on two simulated ones (the one of the banner below becomes two): two processes of this machine, and what they send one another goes over real TCP.

# %%
# %load_ext hundredfold

# %%
import importlib.util
import os
import tempfile
from time import perf_counter

import cupy as cp
import dask
import dask.array as da
import numpy as np
from dask_cuda import LocalCUDACluster
from distributed import Client, LocalCluster, performance_report, wait
from sklearn.datasets import load_digits, load_sample_images
from threadpoolctl import threadpool_limits

from hundredfold import compare, limit, machine, measure, plot
from hundredfold.toolkit import recorded

# %% [markdown]
# The cluster first, before anything touches a GPU (unit 11): one worker for each.

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # where there is no GPU, simulate two
cluster = LocalCUDACluster(dashboard_address=":0")
client = Client(cluster)
workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
cores = machine.cpu.cores()
threadpool_limits(1, user_api="blas")  # here LAPACK has one thread, until it is asked to use more: see below
print(f"{len(workers)} workers")

# %% [markdown]
# ## One decomposition of many
#
# A matrix X with many rows and few columns is *tall and skinny*: m × n with m ≫ n. Its thin singular value decomposition is X = U S Vᵀ:
# U is m × n with orthonormal columns, S has n singular values σ₁ ≥ σ₂ ≥ …, and V is n × n. LAPACK (`numpy.linalg.svd`) wants all of
# X in one memory. What if each worker has some of the rows?
#
# Take a **QR decomposition** of each block: block = Q R, with Q as tall as the block and with orthonormal columns, and R an upper triangle of
# only n × n. All that the blocks have to tell each other is in their R's. So stack these, a small matrix, and decompose it once more:


# %%
def tsqr(blocks):
    """Q, in blocks, and R of the matrix that has these blocks of rows."""
    first = [cp.linalg.qr(block) for block in blocks]  # each where it lies
    second, r = cp.linalg.qr(cp.concatenate([r for _, r in first]))  # the R's travel to one place ...
    n = r.shape[1]
    parts = [second[i * n : (i + 1) * n] for i in range(len(blocks))]  # ... and their parts of Q travel back
    return [q @ part for (q, _), part in zip(first, parts, strict=True)], r


x = cp.random.default_rng(0).standard_normal((6_000, 20))
q, r = tsqr(cp.split(x, 6))
u_r, s, vt = cp.linalg.svd(r)  # 20 × 20: small, wherever it is done
u = [block @ u_r for block in q]

expected = np.linalg.svd(x.get(), compute_uv=False)
assert np.allclose(s.get(), expected, rtol=1e-12)
assert np.allclose((cp.concatenate(u) * s @ vt).get(), x.get(), atol=1e-12)
print("the same singular values as LAPACK, and U S Vᵀ is the matrix again")

# %% [markdown]
# This is TSQR, *tall-skinny QR* (Benson, Gleich and Demmel, 2013). X = Q R, and if R = U' S Vᵀ, then X = (Q U') S Vᵀ: the singular
# values and V of a matrix with a million rows are those of its n × n triangle.
#
# ## Four ways, and what they get right
#
# There is a cheaper way to an n × n matrix: the *Gram matrix* XᵀX = V S² Vᵀ. It is a single product of matrices, what a GPU does best; the blocks'
# Gram matrices are simply added up; and its eigenvalues are the squares of the singular values. Why does anybody take the trouble of QR?
#
# To see it, we need a matrix whose singular values are *known*, not computed by somebody else's rounding. Here is one: ones and minus ones in
# orthogonal columns (Hadamard's), scaled by powers of two, and mixed by another such matrix. All its elements are sums of a few
# powers of two, so that not one of them is rounded.


# %%
def known(octaves, m=4096, n=32):
    """A matrix (m, n) with singular values from sqrt(m n) down by so many factors of two, exactly; and these values."""
    exponents = np.round(np.linspace(0, octaves, n)).astype(int)
    i, j = np.arange(m)[:, None], np.arange(n)
    tall = 1.0 - 2 * (np.bitwise_count(i & j) % 2)
    square = 1.0 - 2 * (np.bitwise_count(j[:, None] & j) % 2)
    rng = np.random.default_rng(octaves)
    mixed = (tall * 0.5**exponents) @ square
    return mixed[rng.permutation(m)] * rng.choice([-1.0, 1.0], (m, 1)), np.sqrt(m * n) * 0.5**exponents


a, sigma = known(40)
print(f"σ₁ / σₙ, the condition number: 2⁴⁰ = {sigma[0] / sigma[-1]:.1e}")

# %% [markdown]
# The ratio of the largest singular value to the smallest is the **condition number** κ. float64 numbers have sixteen digits; the next one after 1 is 1 + ε, ε ≈ 2.2 · 10⁻¹⁶.
#
# **Predict.** From which condition number on has the smallest singular value, found by way of the Gram matrix, not a single right digit?

# %%
my_kappa = 1e0

# %% [markdown]
# **Measure.** LAPACK; TSQR; Gram; and a fourth way, *CholeskyQR*: the Gram matrix is RᵀR for a triangle R (Cholesky's), and Q = X R⁻¹. It too is nearly
# all products of matrices. Done twice, the second time on its own Q, it is called CholeskyQR2.


# %%
def by_gram(x):
    eigenvalues, v = cp.linalg.eigh(x.T @ x)
    s = cp.sqrt(cp.abs(eigenvalues[::-1]))
    return x @ v[:, ::-1] / s, s


def cholesky_qr(x):
    r = cp.linalg.cholesky(x.T @ x).T
    return cp.linalg.solve(r.T, x.T).T, r


def cholesky_qr_2(x):
    q, r = cholesky_qr(x)
    q, r_2 = cholesky_qr(q)
    return q, r_2 @ r


def by_tsqr(x):
    q, r = tsqr(cp.split(x, 8))
    return cp.concatenate(q), r


def singular_values(r):
    return np.full(len(r), np.nan) if bool(cp.isnan(r).any()) else cp.linalg.svd(r, compute_uv=False).get()


kappas, wrong, skew = [], {}, {}
for octaves in (3, 7, 10, 13, 17, 20, 23, 26, 30, 35, 40):
    a, sigma = known(octaves)
    x = cp.asarray(a)
    found = {"LAPACK": (None, np.linalg.svd(a, compute_uv=False))}
    for name, way in {"TSQR": by_tsqr, "CholeskyQR": cholesky_qr, "CholeskyQR2": cholesky_qr_2}.items():
        q, r = way(x)
        found[name] = q, singular_values(r)
    q, s = by_gram(x)
    found["Gram"] = q, s.get()
    kappas.append(sigma[0] / sigma[-1])
    for name, (q, s) in found.items():
        wrong.setdefault(name, []).append(abs(s[-1] / sigma[-1] - 1) + 1e-16)  # zero has no place on a logarithmic axis
        if q is not None:
            skew.setdefault(name, []).append(float(cp.abs(q.T @ q - cp.eye(len(s))).max()) + 1e-16)

shown = ("LAPACK", "TSQR", "CholeskyQR2", "Gram")
plot.lines(
    kappas,
    {name: wrong[name] for name in shown},
    xlabel="condition number",
    ylabel="relative error",
    xlog=True,
    ylog=True,
    marks={"1/√ε": 2.0**26},
    title="The smallest singular value",
    note="Computed here, against the exact value; 4 096 × 32",
    brief=True,
)

# %%
lost = kappas[next(i for i, error in enumerate(wrong["Gram"]) if error > 0.1)]
root = np.finfo(float).eps ** -0.5
assert 0.05 * root < lost < 20 * root
print(f"by way of Gram the first digit goes near 1/√ε = {root:.0e}; you said {my_kappa:.0e}")

# %% [markdown]
# **Explain.** The Gram matrix has the condition number κ². What is smaller than ε of its *largest* eigenvalue drowns in the rounding of that one, so
# everything below √ε · σ₁ is lost: from κ ≈ 10⁸ on there is nothing left, though float64 has sixteen digits. (Some eigenvalues even come out
# negative, which is why `abs` stands in `by_gram`; with a bare `sqrt` they would be NaN.) TSQR never squares. It is as good as
# LAPACK, and look at what that means: **both** are wrong by ε · σ₁ in everything, so that a singular value 10¹² times smaller than the
# largest has only four right digits, in any of the ways.
#
# CholeskyQR2 goes along with TSQR until about 1/√ε, and there its line *ends*: the Gram matrix, rounded, is no longer positive, and Cholesky's
# decomposition does not exist. NumPy raises `LinAlgError` then. CuPy says nothing, and returns NaN: on the GPU you must look yourself.
#
# That is the singular values. How orthogonal are the columns of Q, or of U?

# %%
at = [kappas.index(2.0**octaves) for octaves in (10, 13, 26, 40)]
print("digits in which QᵀQ is 1, for κ =", ", ".join(f"{kappas[i]:.0e}" for i in at))
for name, values in skew.items():
    digits = ["no Q" if np.isnan(values[i]) else f"{min(13, max(0, int(-np.log10(values[i]))))}" for i in at]
    print(f"{name:12}", ", ".join(digits).replace("13", "13 or more"))

# %%
for kappa, tall, twice in zip(kappas, skew["TSQR"], skew["CholeskyQR2"], strict=True):
    assert tall < 1e-13 and (np.isnan(twice) if kappa > 2**27 else twice < 1e-13)
assert skew["CholeskyQR"][kappas.index(2.0**20)] > 1e-9

a, sigma = known(30)
lapack = np.linalg.svd(a, compute_uv=False)
q, r = by_tsqr(cp.asarray(a))
agree = {
    "TSQR": abs(singular_values(r) / lapack - 1) < 1e-10,
    "Gram": abs(by_gram(cp.asarray(a))[1].get() / lapack - 1) < 1e-10,
}
large = {"TSQR": lapack > 1e-5 * lapack[0], "Gram": lapack > 1e-2 * lapack[0]}
for name in agree:
    assert agree[name][large[name]].all()
    print(f"κ = 1e9, {name}: {agree[name].mean():.0%} of 32 singular values agree with LAPACK to 1e-10")

# %% [markdown]
# 10⁻¹⁰ of a singular value itself can be had as long as it is above 10¹⁰ ε σ₁, about 10⁻⁵ of the largest. Below, LAPACK and TSQR differ, and neither is nearer to the truth: that is as far as
# the method goes, any method on numbers that are rounded to sixteen digits. By way of Gram the border is much higher.
#
# With U = X V / σ from Gram, columns of small singular values are not even orthogonal. Twice through CholeskyQR repairs that, as long as it exists at all.
#
# | way | operations for σ, U and V | σₙ, relatively, is wrong by | UᵀU - 1 |
# |---|---|---|---|
# | TSQR | 8 m n² | ε κ, as LAPACK's | ε, always |
# | CholeskyQR2 | 8 m n², nearly all of it products | ε κ, up to κ ≈ 10⁷; then nothing | ε, as long |
# | Gram | 3 to 4 m n², nearly all of it products | up to ε κ²: three digits are left at κ ≈ 10⁶ | up to ε κ² |
#
# (CholeskyQR2: 2 m n² for each Gram matrix and m n² for each triangular solution, and 2 m n² for U = Q U'. A Gram matrix is symmetric, and who uses that needs half.)
# For data that was measured to three digits, or whose small singular values are noise, Gram is the right choice. Say so when you choose it.
#
# ## In one line, and from NumPy to CuPy
#
# `da.linalg.svd` is TSQR (`da.linalg.tsqr`) on Dask's chunks. It wants **one column of chunks**: every block must have whole rows.

# %%
if machine.mode() == "gpu" and len(workers) * cp.cuda.Device().mem_info[1] > 48e9:
    m, n, rows = 1_000_000, 1_000, 10_000  # as published
else:
    m, n, rows = 16_000, 200, 2_000

square = da.ones((m, n), chunks=(rows, n // 2))
try:
    da.linalg.svd(square)
except NotImplementedError as error:
    print(str(error).split(".")[0])
print(f"chunks of {square.chunksize}; with rechunk({{1: -1}}) of {square.rechunk({1: -1}).chunksize}")


# %%
def random_matrix(backend, seed, m=m, where=None, high=rows):
    """A matrix (m, n) of random numbers in blocks of so many rows, on the workers."""
    with dask.config.set({"array.backend": backend}):
        x = da.random.default_rng(seed).standard_normal((m, n), chunks=(high, n))
    x = client.persist(x, workers=where)
    wait(x)
    return x


def settle():
    """Wait for all devices."""
    client.run(lambda: cp.cuda.Device().synchronize())


x = random_matrix("cupy", seed=1)
u, s, v = da.linalg.svd(x)
print(x)
print(u)
print(f"{len(x.chunks[0])} blocks, {len(u.dask)} tasks, and nothing of U, S or V is computed yet")

# %% [markdown]
# `array.backend` makes the random numbers on the device, and everything that follows stays there. That is the one changed line of the film. A
# second run with the same seed would have the same keys and find its results there (unit 10), hence a new seed for each.
#
# **Predict.** On this machine: how many times faster is the decomposition with Dask on these workers than LAPACK's thin one (`full_matrices=False`), of the same matrix
# in one memory, with all cores?

# %%
my_speedup = 1

# %% [markdown]
# **Measure.**


# %%
def decomposed(backend, seed, m=m, where=None):
    """Seconds for U, S and V of a random matrix, which stay on the workers."""
    x = random_matrix(backend, seed, m, where)
    settle()
    start = perf_counter()
    result = client.persist(list(da.linalg.svd(x)), workers=where)
    wait(result)
    settle()
    return perf_counter() - start


decomposed("cupy", seed=2, m=2 * rows)  # warm up: libraries are loaded, kernels compiled
on_device = min(decomposed("cupy", seed) for seed in (3, 4))
on_host = min(decomposed("numpy", seed) for seed in (5, 6))

host = x.map_blocks(cp.asnumpy, meta=np.empty((0, 0))).compute()  # the first matrix, all of it here


def gram_on_host(x):
    eigenvalues, v = np.linalg.eigh(x.T @ x)
    s = np.sqrt(eigenvalues[::-1])
    return x @ (v[:, ::-1] / s), s


with threadpool_limits(cores, user_api="blas"):
    lapack = measure(np.linalg.svd, host, False, name="thin LAPACK", repeat=1)
    gram = measure(gram_on_host, host, name="Gram", repeat=2)
compared = compare(
    "svd.tall",
    {
        f"Dask, CuPy, {len(workers)} workers": on_device,
        f"Dask, NumPy, {len(workers)} workers": on_host,
        "thin LAPACK, all cores": lapack,
        "Gram, all cores": gram,
    },
    naive=lapack,
    strongest=gram,
    limit=limit(flops=3 * m * n**2, bytes=2 * host.nbytes),
    n=m * n,
)
print(compared)

# %%
found, product = dask.compute(s, u.T @ u)
off = abs(cp.asnumpy(found) / lapack.value[1] - 1).max()
skewed = abs(cp.asnumpy(product) - np.eye(n)).max()
assert off < 1e-12 and skewed < 1e-12
print("U, S and V are LAPACK's: singular values agree to better than 1e-12, and so UᵀU with 1")
print(f"against thin LAPACK: {lapack.median / on_device:.1f}×, and you guessed {my_speedup}×")

# %% [markdown]
# **Explain.** The right answer first: the one line agrees with LAPACK. As for the times, the limit is for the least work that is known: Gram's 3 m n² operations. Nobody gave times for the published matrix, so the film's "10×"
# stays without a picture. But its operations are known: 8.3 TFLOP by TSQR (8 m n² are 8.0; the stacked R's of 100 blocks are the rest). The peak of a V100 for float64 is 7.8 TFLOP/s: one
# second at least. Without a GPU, what you see above is two processes of one thread against one process with all threads: it says what Dask costs, and how LAPACK's threads get on (see below), and nothing
# about CuPy. And before you compare with a CPU, compare with the right one: LAPACK's *full* decomposition would make U a square matrix
# of m × m.
#
# ## Threads in each other's way
#
# Dask's threads each call LAPACK, and LAPACK has threads of its own.
#
# **Predict.** Half of the same matrix in chunks, with NumPy and Dask's threaded scheduler, in this process. Either Dask has a thread for each core and LAPACK one, or
# the other way round, or both have one for each core. How many times longer does the last take than the first?

# %%
my_factor = 1

# %% [markdown]
# **Measure.**

# %%
in_chunks = da.from_array(host[: m // 2], chunks=(rows // 2, n))
ways = {
    "all in Dask, one in LAPACK": (cores, 1),
    "one in Dask, all in LAPACK": (1, cores),
    "all in Dask, all in LAPACK": (cores, cores),
}
seconds = {}
for name, (dask_threads, blas_threads) in ways.items():
    with threadpool_limits(blas_threads, user_api="blas"):
        start = perf_counter()
        dask.compute(*da.linalg.svd(in_chunks), scheduler="threads", num_workers=dask_threads)
        seconds[name] = perf_counter() - start
    print(f"{name}: {1e3 * seconds[name]:.0f} ms")
del in_chunks
first, _, both = seconds.values()
print(f"the last against the first: {both / first:.1f}×; you said {my_factor}×")

# %% [markdown]
# **Explain.** c threads that each start c more are c² for c cores. They wait for each other at every step of LAPACK, in loops that keep a core busy:
# *oversubscription*. On the two cores of the machine on which this course was written it cost about twice the time on a quiet day, and more when others were at work. (With one core there is nothing
# to see.) The middle row has no c², and is no better for it: LAPACK's threads meet after every few of these 200 columns, and where another program has the core of one, the other waits for it in such a loop.
# Thin LAPACK, above, had all cores and is open to this; Dask's processes have one thread each. The cure is one line, `threadpool_limits(1)`, which stands in our first cell, or `OPENBLAS_NUM_THREADS=1` before Python starts. Dask's *nanny* sets that for each worker process, so a cluster on one
# machine may look faster than threads, and it is only this.
#
# ## What goes over the wire
#
# Now the other half. With k blocks on w workers, each block's R (8 n² bytes) goes to the one worker that stacks them, and a part of Q of the same size comes
# back, unless the block lies there anyway. At the least:
#
# 2 · k · (1 - 1/w) · 8 n² bytes
#
# **Predict.** How many MB are that here, with the 8 blocks, 200 columns and 2 workers? (On a real machine of yours: with the numbers above.)

# %%
my_megabytes = 1.0


# %% [markdown]
# **Measure.** Each worker keeps a log of what it received.


# %%
def received(dask_worker):
    return [(each["total"], each["duration"]) for each in dask_worker.transfer_incoming_log]


def transfers(work):
    """What the workers received from one another while `work()` ran, a list of (bytes, seconds); and its seconds."""
    before = {address: len(log) for address, log in client.run(received).items()}
    start = perf_counter()
    work()
    took = perf_counter() - start
    return [entry for address, log in client.run(received).items() for entry in log[before[address] :]], took


x = random_matrix("numpy", seed=8)
log, _ = transfers(lambda: wait(client.persist(list(da.linalg.svd(x)))))
blocks, w = len(x.chunks[0]), len(workers)
least = 2 * blocks * (1 - 1 / w) * 8 * n**2
print(f"at the least {least / 1e6:.1f} MB; you said {my_megabytes:.1f} MB")
print(f"received {sum(size for size, _ in log) / 1e6:.1f} MB")
print(f"U, S and V have {(x.nbytes + 8 * n + 8 * n**2) / 1e6:.0f} MB, and stay where they were made")

# %% [markdown]
# **Explain.** The scheduler does not know what is large. It puts a task where most of its input lies, or where somebody is idle; the second Q, for instance, travels
# whole to whoever cuts it up. So it is more than the least, and another number each time. It is still little: the bytes grow with the number of *blocks*, not of
# rows. The arithmetic grows with the rows. Taller blocks, less to send.
#
# ### How fast is this wire?
#
# A probe: worker A makes an array, worker B is asked for its first element, and for that the array has to go from A to B. Where GPUs are real it lies on A's GPU,
# as the blocks do; a simulated GPU has no bus to be crossed, so there it lies in the host's memory. Two unknowns: what each message costs, and what each byte costs.


# %%
on_gpus = machine.mode() == "gpu" and len(workers) > 1


def make(size, seed, library="cupy" if on_gpus else "numpy"):
    return importlib.import_module(library).full(size, seed % 251, "u1")


def touch(array):
    return int(array[0])


def seconds_to_send(client, size, repeat=5):
    a, b = sorted(client.scheduler_info(n_workers=-1)["workers"])[:2]
    best = float("inf")
    for seed in range(repeat):
        there = client.submit(make, size, seed, workers=[a], pure=False)
        wait(there)
        start = perf_counter()
        client.submit(touch, there, workers=[b], pure=False).result()
        best = min(best, perf_counter() - start)
    return best


def probe(client, sizes):
    took = [seconds_to_send(client, size) for size in sizes]
    # Least squares of relative errors, or the large ones alone would decide.
    rows = np.array([[1.0, size] for size in sizes]) / np.array(took)[:, None]
    message, each = np.linalg.lstsq(rows, np.ones(len(sizes)), rcond=None)[0]
    return took, max(message, 1e-6), 1 / max(each, 1e-12)


if len(workers) > 1:
    talkers, own = client, None
else:  # a machine with one GPU: two processes without one, for the wire alone
    own = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    talkers = Client(own, set_as_default=False)
sizes = [10**3, 10**4, 10**5, 10**6, 4 * 10**6, 16 * 10**6, 80 * 10**6]
took, message, bandwidth = probe(talkers, sizes)
print(f"a message costs {1e3 * message:.1f} ms, and then it is {bandwidth / 1e9:.2f} GB/s")
for size, each in zip(sizes, took, strict=True):
    print(f"{size:8} bytes: {1e3 * each:.1f} ms, the model says {1e3 * (message + size / bandwidth):.1f} ms")

# %% [markdown]
# Below some megabytes you pay for the *message*: the scheduler decides, tells B, B asks A. Above, you pay for bytes. On one machine no cable is
# involved, and yet it is far below what memory can do: the bytes pass through the kernel of the operating system, and Python is there too.
#
# The matrix of 2019 had blocks of 10 000 × 1 000 numbers, 80 MB, as our last array. (How many bytes the published transfer had, the post does not say.) Beside it, two ways on this machine: to copy in one memory (the strongest), and to take the data to
# the client and scatter it from there (the naive one, as in `client.scatter(client.gather(...))`).

# %%
size = 80 * 10**6
block = np.full(size, 1, np.uint8)
copied = measure(np.copy, block, name="copied in one memory", bytes=2 * size, repeat=5)
del block
there = talkers.submit(make, size, 1, pure=False)
wait(there)
start = perf_counter()
other_worker = sorted(talkers.scheduler_info(n_workers=-1)["workers"])[1]
wait(talkers.scatter(talkers.gather(there), workers=[other_worker], hash=False))
by_client = perf_counter() - start
del there
compare(
    "svd.transfer",
    {"worker to worker, TCP": took[-1], "by way of the client": by_client, "copied in one memory": copied},
    naive=by_client,
    strongest=copied,
    limit=limit(bytes=2 * size, machine="cpu"),
)

# %% [markdown]
# ### TCP and UCX
#
# On a machine with several GPUs the numbers go from the GPU to the host, through TCP, and up to the other GPU: two crossings of the bus, and copies by the processor in
# between. [UCX](https://openucx.org) is a library that finds a better way where there is one: NVLink from GPU to GPU, or an InfiniBand card that reads the GPU's memory
# by itself. Dask takes it by a word, `LocalCUDACluster(protocol="ucx")`, if the package `distributed-ucxx` is there. What it gains can only be measured
# where it is, and nothing of it is simulated: with the package, this cell puts the same probe to a second cluster; without it you see what was published.

# %%
if importlib.util.find_spec("distributed_ucxx"):
    if on_gpus:
        fast = LocalCUDACluster(protocol="ucx", dashboard_address=":0")
    else:  # two processes of this machine, without GPUs
        fast = LocalCluster(n_workers=2, threads_per_worker=1, protocol="ucx", dashboard_address=":0")
    with fast, Client(fast, set_as_default=False) as other:
        _, message_ucx, bandwidth_ucx = probe(other, sizes)
    print(f"UCX here: {1e3 * message_ucx:.1f} ms a message, then {bandwidth_ucx / 1e9:.2f} GB/s")
else:
    print("no UCX here. Published, for one transfer between two V100 of a DGX-1:")
    for each in recorded.published("svd.transfer").times:
        print(f"  {each.way}: {each.seconds} s")

# %% [markdown]
# A warning from a measurement of ours: with `distributed-ucxx` 0.52 on a machine *without* NVLink or InfiniBand (two processes, host memory), the same 80 MB took 0.17 s over
# UCX and 0.04 s over TCP. UCX is no magic: it pays where it finds hardware that TCP cannot use. (On 22 November 2026, on the two cores on which this
# course was built.)
#
# ### When is the wire the limit?
#
# For a block of h rows TSQR does 8 h n² operations and sends 2 · 8 n² bytes. Both have n², so it cancels: with a worker that does F operations a second and a wire of
# B bytes a second, the wire takes over when a block has fewer than
#
# h = 2 F / B rows.

# %%
here_rate = 8 * m * n**2 / on_host / len(workers)
print(
    f"a worker of this machine, TCP as probed: {rows * bandwidth / (2 * here_rate):.0f}× as long in arithmetic as on the wire"
)
for name, rate in (("TCP", 0.1e9), ("UCX", 10e9)):
    ratio = 10_000 * rate / (2 * 7.8e12)
    print(f"2019, a V100 at its peak, {name}: {ratio:.2f}×; as long in both with {2 * 7.8e12 / rate:.0f} rows")

# %% [markdown]
# The blocks of 2019 had 10 000 rows. Over TCP, then some 0.1 GB/s, each should have had 156 000; over UCX, at 10 GB/s, 1 560 are enough. That, and not the GPU, is why four GPUs
# were hardly faster than one in June 2019, and why the next post was about a network. It needed no cable: 0.1 GB/s were copies made in Python. (Your workers without a GPU
# are slow in arithmetic, not fast on the wire: so the wire does not matter to them.)
#
# The wire is not all that flat blocks cost. **Predict.** The same matrix in blocks of 2 n rows, and of 20 n: how many times as long does the decomposition take with
# the flat ones?

# %%
my_slowdown = 1

# %% [markdown]
# **Measure.**

# %%
flat = {}
for turns in (20, 5, 2):
    x = random_matrix("numpy", seed=30 + turns, high=turns * n)
    parts = list(da.linalg.svd(x))
    log, flat[turns] = transfers(lambda parts=parts: wait(client.persist(parts)))
    k = len(x.chunks[0])
    print(
        f"{k} blocks of {turns * n} rows, stacked R's: {k * n} rows of {m}; "
        f"{1e3 * flat[turns]:.0f} ms, received {sum(size for size, _ in log) / 1e6:.1f} MB"
    )
print(f"2 n rows against 20 n: {flat[2] / flat[20]:.1f}×; you said {my_slowdown}×")

# %% [markdown]
# **Explain.** Three things grow with the number of blocks: what is sent; the tasks, some ten for each block; and the stacked R's. With 2 n rows a block, these have half as
# many rows as the whole matrix, and *one* worker decomposes them alone, while the others wait. Make blocks as tall as the memory of a worker allows, but at least one for
# each.
#
# ## A performance report
#
# `performance_report` writes what the dashboard shows into one HTML page that you can send to somebody. In JupyterLab it is live below: go through its tabs.
#
# **Predict.** We take it of the decomposition on the (simulated or real) GPUs. What share of the workers' time will it call *transfer*, in per cent?

# %%
my_share = 50

# %% [markdown]
# **Measure.**

# %%
x = random_matrix("cupy", seed=9)
settle()
with tempfile.TemporaryDirectory() as folder:
    page = os.path.join(folder, "report.html")  # in real life a name of yours
    with performance_report(filename=page, mode="inline"):
        transfers(lambda: wait(client.persist(list(da.linalg.svd(x)))))
    report = plot.report(page)
    print(f"the page has {os.path.getsize(page) / 1e6:.0f} MB: all scripts are in it, and it opens without a network")
settle()
report


# %%
def shares(backend, seed):
    """Seconds that tasks took, and seconds that transfers took, as Dask's task stream has them."""
    x = random_matrix(backend, seed)
    settle()
    began = client.run_on_scheduler(lambda: __import__("time").time())
    log, _ = transfers(lambda: wait(client.persist(list(da.linalg.svd(x)))))
    stream = [each for task in client.get_task_stream(start=began) for each in task["startstops"]]
    spent = {
        what: sum(e["stop"] - e["start"] for e in stream if e["action"] == what) for what in ("compute", "transfer")
    }
    return spent, sum(size for size, _ in log)


for backend, seed in (("cupy", 10), ("numpy", 11)):
    spent, size = shares(backend, seed)
    share = spent["transfer"] / (spent["transfer"] + spent["compute"])
    print(f"{backend}: {share:.0%} of the time is transfer, at {size / max(spent['transfer'], 1e-9) / 1e9:.3f} GB/s")
print(f"the probe: {bandwidth / 1e9:.2f} GB/s; you said {my_share} %")

# %% [markdown]
# **Explain.** The same algorithm, the same bytes, the same TCP; but with CuPy the report says that nearly all the time went into transfers, and at a rate far
# below what you have just measured. It is unit 01 once more. A task with CuPy *ends* when its kernels are in the queue; Dask notes a few milliseconds. The first who needs the
# numbers, and so has to wait for the kernels, is the transfer. **Red in the task stream of a GPU is often arithmetic.** With NumPy a task ends when its work is done, and there the
# share is real; its rate is below the probe's because an R is small (8 n² bytes) and pays mostly for its message. What can be trusted on both: the *bytes* in the log, and the total.
#
# ## More workers
#
# How long would it take on 4, 16, 64 workers? A model, in the least words that say something:
#
# T(w) = a + b · m / w + 2 · k · (1 - 1/w) · 8 n² / B
#
# *a* is what does not get shorter: the scheduler, and the decomposition of the stacked R's. *b* is the work for each row, shared by the workers. The last
# term is the wire, with B from the probe; k is the number of blocks, at least one for each worker. Two unknowns, and two sizes on one worker and on all of them:

# %%
backend = "cupy" if on_gpus else "numpy"  # simulated GPUs share the cores whether they are one or two
points = []
for seed, rows_in_all in enumerate((m // 4, m), start=20):
    for where in (workers[:1], workers):
        seeds = (seed + 1000 * len(where), seed + 1000 * len(where) + 100)
        best = min(decomposed(backend, each, rows_in_all, where) for each in seeds)
        points.append((rows_in_all, len(where), best))


def wire(w, m):
    k = np.maximum(m // rows, w)
    return 2 * k * (1 - 1 / w) * 8 * n**2 / bandwidth


at_once = [min(w, cores) if machine.mode() != "gpu" else w for _, w, _ in points]  # two workers on one core take turns
columns = np.array([[1.0, size / hands] for (size, _, _), hands in zip(points, at_once, strict=True)])
times = np.array([seconds - wire(w, size) for size, w, seconds in points])
weights = 1 / np.array([seconds for *_, seconds in points])
a, b = np.maximum(np.linalg.lstsq(columns * weights[:, None], times * weights, rcond=None)[0], [1e-3, 1e-9])
print(f"a, what stays: {1e3 * a:.0f} ms;  b · m, what is shared: {1e3 * b * m:.0f} ms")
for (size, w, seconds), hands in zip(points, at_once, strict=True):
    print(
        f"{size:6} rows on {w}: {1e3 * seconds:.0f} ms, the model says {1e3 * (a + b * size / hands + wire(w, size)):.0f} ms"
    )

# %%
many = [1, 2, 4, 8, 16, 32, 64, 128]
alone = a + b * m
measured = {w: seconds for size, w, seconds in points if size == m}
plot.lines(
    many,
    {
        "perfect": many,
        "Amdahl": [alone / (a + b * m / w) for w in many],
        "Amdahl's limit": [alone / a] * len(many),
        "and the wire": [alone / (a + b * m / w + wire(w, m)) for w in many],
        "measured": [measured[1] / measured[w] if w in measured else float("nan") for w in many],
    },
    xlabel="workers",
    ylabel="times faster than one",
    xlog=True,
    ylog=True,
    title=f"{m // 1000} 000 × {n} on more workers",
    note=f"Fitted to {len(points)} times on at most {len(workers)} workers of this machine; beyond, it is the model that speaks",
    brief=True,
)

# %%
print(f"Amdahl's limit: {alone / a:.0f}×, with as many workers as you like")
print(f"with the wire: {max(alone / (a + b * m / w + wire(w, m)) for w in many):.1f}× at most")

# %% [markdown]
# **Explain.** *Amdahl's law*: what cannot be shared, *a*, bounds the speedup by T(1)/a, whatever the number of workers. And with a block for each
# worker the wire carries more, the more workers there are, so that the curve comes **down** again. Both move out of the way with a larger m: b · m grows, a and the
# wire do not.
#
# How far to trust it? Two parameters were fitted, on at most two workers that share one memory, and one network that is no network. By as much as the model misses the
# times that it was *fitted to* (printed above the picture), it will miss others at least; Amdahl's limit, T(1)/a, is no more certain than that. For 4 workers it is a guess. For 64 it is a question to ask of a real machine, where R's arrive at one worker's single cable, and you would probe that
# first.
#
# ## Pictures, and a decomposition of the first k only
#
# A real set of images: two photographs, a palace and a flower, cut into overlapping tiles of 16 × 16 pixels. Each tile is a row of 256 numbers of one byte.
# (From here on k counts what is kept, no longer blocks, and q will count power iterations.)

# %%
SIDE, STEP = 16, 4
photos = [np.round(photo.mean(axis=2)).astype(np.uint8) for photo in load_sample_images().images]  # grey


def cut(photo, top, bottom):
    """The tiles whose upper edge lies from top to bottom, each as a row, on the device."""
    tiles = np.lib.stride_tricks.sliding_window_view(photo, (SIDE, SIDE))[top:bottom:STEP, ::STEP]
    return cp.asarray(tiles.reshape(-1, SIDE * SIDE))


def strips(photo, each=104):
    high, wide = photo.shape[0] - SIDE + 1, photo.shape[1] - SIDE + 1
    shared = dask.delayed(photo)
    for top in range(0, high, each):
        bottom = min(top + each, high)
        shape = (len(range(top, bottom, STEP)) * len(range(0, wide, STEP)), SIDE * SIDE)
        yield da.from_delayed(dask.delayed(cut)(shared, top, bottom), shape, meta=cp.empty((0, 0), np.uint8))


tiles = client.persist(da.concatenate([strip for photo in photos for strip in strips(photo)]))
wait(tiles)
print(
    f"{tiles.shape[0]} tiles of {tiles.shape[1]} pixels: {tiles.nbytes / 1e6:.0f} MB of {tiles.dtype} on {len(tiles.chunks[0])} blocks"
)

# %% [markdown]
# The rows of Vᵀ are tiles too: the *eigen-images*, from which all others can be mixed, in the order of their weight. For them U is not needed; Dask leaves out what
# nobody asks for. And again all that a worker has to tell of its tiles is a triangle, or just as well the rows of S Vᵀ of its own decomposition, the last of which hardly weigh anything.

# %%
start = perf_counter()
_, s, v = da.linalg.svd(tiles.astype(np.float64))
s, v = (cp.asnumpy(each) for each in dask.compute(s, v))
exactly = perf_counter() - start
plot.images(
    {f"{i + 1}": v[i].reshape(SIDE, SIDE) for i in range(16)},
    "The first is nearly plain, the second a ramp from top to bottom, the third one from left to right; then waves that get finer.",
    title="The first 16 eigen-images of two photographs",
)

# %% [markdown]
# Brightness first, then slopes, then finer and finer waves: nobody told it, and it comes near to the cosines of which JPEG makes its pictures. How many of
# them does a picture need? With the first k of them all tiles together are wrong by the root of what the others weigh, (σₖ₊₁² + σₖ₊₂² + …) / (σ₁² + σ₂² + …). Here is a part of the
# palace, each of its tiles mixed of the first k:

# %%
part = photos[0][100:228, 200:392].astype(float)
high, wide = (length // SIDE for length in part.shape)
as_rows = part.reshape(high, SIDE, wide, SIDE).swapaxes(1, 2).reshape(-1, SIDE * SIDE)
shown = {"as it is": part}
for k in (1, 4, 16, 64):
    mixed = as_rows @ v[:k].T @ v[:k]
    error = np.linalg.norm(mixed - as_rows) / np.linalg.norm(as_rows)
    shown[f"k = {k}"] = mixed.reshape(high, wide, SIDE, SIDE).swapaxes(1, 2).reshape(part.shape)
    print(f"k = {k:2}: {k / SIDE**2:.1%} of the numbers, error {error:.1%}")
plot.images(
    shown,
    "One grey for each tile with 1; the roofs are blurred with 4, recognisable with 16, and nearly as they were with 64.",
    columns=5,
    common=True,
)

# %% [markdown]
# So nobody wants 256 of them. To find the first k only, **compressed** SVD (also: *randomised*; Halko, Martinsson and Tropp, 2011) multiplies X by a random
# matrix with k + 10 columns. X Ω is a sample of what X can produce; a QR decomposition makes it orthonormal; and in that small space the rest is done. It costs two or
# three passes over X with few operations each, and X need not be tall at all.
#
# Where singular values decay slowly the sample contains much that is not wanted. *Power iterations*, (X Xᵀ)^q X Ω, make the large ones larger: each costs two more passes.
#
# **Predict.** Without any power iteration: by how many per cent is the 16th singular value wrong?

# %%
my_error = 0.01

# %% [markdown]
# **Measure.**

# %%
K = 16
errors, passes = {}, {}
for q, iterator in ((0, "power"), (1, "power"), (2, "power"), (4, "power"), (4, "QR")):
    name = f"q = {q}" + ", QR" * (iterator == "QR")
    start = perf_counter()
    with dask.config.set({"array.backend": "cupy"}):
        _, s_k, _ = da.linalg.svd_compressed(tiles.astype(np.float64), K, iterator, n_power_iter=q, seed=1)
    s_k = cp.asnumpy(s_k.compute())
    passes[name] = perf_counter() - start
    errors[name] = abs(s_k / s[:K] - 1) + 1e-16
    print(f"{name}: {1e3 * passes[name]:.0f} ms, the 16th is wrong by {errors[name][-1]:.1%}")
print(f"you said {my_error} %")
plot.lines(
    range(1, K + 1),
    errors,
    xlabel="number of the singular value",
    ylabel="relative error",
    ylog=True,
    title="Compressed, with q power iterations",
    note="Against TSQR of the same tiles, computed here",
    brief=True,
)

# %%
last = {name: error[-1] for name, error in errors.items()}
assert last["q = 0"] > 0.1 and last["q = 0"] > last["q = 1"] > last["q = 2"] > last["q = 4, QR"]
assert all(error[0] < 1e-2 for error in errors.values())

noise = np.random.default_rng(12).standard_normal((4_000, 256))  # all singular values nearly alike
_, found, _ = da.linalg.svd_compressed(da.from_array(noise, chunks=(1_000, 256)), K, n_power_iter=0, seed=1)
off = 1 - found.compute(scheduler="threads")[0] / np.linalg.svd(noise, compute_uv=False)[0]
assert off > 0.02
print(f"of pure noise, without power iterations, even the first is {off:.0%} too small")
print(f"(σ₂₇/σ₁₆)⁴ = {(s[26] / s[15]) ** 4:.2f}, (σ₁₆/σ₁)⁹ = {(s[15] / s[0]) ** 9:.0e}")

# %% [markdown]
# **Explain.** Each power iteration multiplies the error of σ₁₆ by about (σ₂₇/σ₁₆)⁴, as 26 columns were kept. Where singular values decay fast, digits are had for little; where they are
# all alike there is nothing to find, and 10⁻¹⁰ for all that you asked for is out of reach by this way: **that is not what it is for**.
#
# And more is not always better: (X Xᵀ)^q X makes σ to σ^(2q+1). With q = 4 the 16th direction has shrunk to (σ₁₆/σ₁)⁹ of the first, below ε, and drowns, as in the Gram matrix. With
# `iterator="QR"` Dask makes the columns orthonormal after each product, and nothing drowns: take it from q = 3 on.
#
# For narrow matrices it does not even pay. Beside the published figures for a large one, here for the tiles: TSQR with 256 columns; compressed; and Gram in one memory, which for bytes
# is exact: sums of products of whole numbers.


# %%
def gram_of_bytes(x, each=8_192):
    total = np.zeros((x.shape[1], x.shape[1]))
    for top in range(0, len(x), each):
        block = x[top : top + each].astype(np.float64)
        total += block.T @ block
    eigenvalues, v = np.linalg.eigh(total)
    return np.sqrt(np.abs(eigenvalues[::-1])), v[:, ::-1].T


on_the_host = cp.asnumpy(tiles.compute())
by_gram_here = measure(gram_of_bytes, on_the_host, name="Gram, in one memory", repeat=2)
assert np.allclose(by_gram_here.value[0][:K], s[:K], rtol=1e-10)
compared = compare(
    "svd.large",
    {"TSQR": exactly, "compressed, q = 2": passes["q = 2"], "Gram, in one memory": by_gram_here},
    naive=exactly,
    strongest=by_gram_here,
    limit=limit(bytes=tiles.nbytes, machine="cpu"),
)
print(compared)

# %% [markdown]
# The published matrices had thousands of columns or more. With n columns Gram needs m n² operations, and compressed 2 m n (k + 10)(2 + 2q): with k = 16 and q = 2 they are alike
# at n ≈ 300. Below, take the exact one.
#
# ## Where the GPU loses
#
# **And the cluster, still sooner.** The 1 797 handwritten digits of scikit-learn, 8 × 8 pixels each, are a real set of images as well:

# %%
digits = load_digits().data  # (1797, 64)
in_one = measure(np.linalg.svd, digits, False, name="LAPACK")
start = perf_counter()
with dask.config.set({"array.backend": "cupy"}):
    small = client.persist(da.from_array(digits, chunks=(450, 64)).map_blocks(cp.asarray))
s_small = cp.asnumpy(client.persist(list(da.linalg.svd(small)))[1].compute())
distributed_seconds = perf_counter() - start
assert np.allclose(s_small[:60], in_one.value[1][:60], rtol=1e-10)
print(
    f"LAPACK: {1e3 * in_one.median:.1f} ms.  The cluster: {1e3 * distributed_seconds:.0f} ms, {distributed_seconds / in_one.median:.0f}× as long"
)

# %% [markdown]
# One task costs the scheduler about a millisecond, and a transfer some milliseconds, whatever is in it. A matrix that LAPACK decomposes in less than a second has no
# business on a cluster. Nor has one that fits one GPU, unless it lies on several already: TSQR sends little, but *bringing* the rows to other workers sends all of them. And a matrix
# whose small singular values you need beyond √ε has no business in a Gram matrix, on however many GPUs.

# %%
if own is not None:
    talkers.close()
    own.close()
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - A tall matrix is decomposed block by block: a QR of each, a QR of the stacked R's, an SVD of one n × n triangle. That is `da.linalg.svd`; it wants whole rows in each block.
# - TSQR is as accurate as LAPACK: to ε σ₁. Gram and CholeskyQR cost less and square the condition number: nothing is right below √ε σ₁. On a GPU a failed Cholesky is NaN, not an error.
# - Compressed SVD finds the first few, in few passes, to few digits, where singular values decay. Power iterations buy digits with passes.
# - Threads times threads is no speed. One thread for BLAS in each of Dask's.
# - What is sent grows with the blocks, what is computed with the rows: the wire takes over below 2 F / B rows a block. Probe it; UCX pays where there is NVLink or InfiniBand.
# - A report's red bars are transfers *and whatever they had to wait for*.
# - What is not shared bounds the speedup (Amdahl), and what is sent lowers it. Fit it, and say from how many workers.
#
# ## The exercise
#
# Five problems, 35 minutes: [exercises/12_svd.ipynb](../exercises/12_svd.ipynb). You will reckon what TSQR sends, cut a matrix so that it can be decomposed, repair a decomposition that
# loses small singular values, decide what to distribute at all, and send pictures with as few bytes as you can.
#
# ## Further reading
#
# - M. Rocklin, [Python and GPUs: A Status Update](https://blog.dask.org/2019/06/19/python-gpus-status-update) (the film), and with R. Zamora [Experiments in High Performance
#   Networking with UCX and DGX](https://blog.dask.org/2019/06/09/ucx-dgx), Dask blog, June 2019; M. Rocklin, B. Zaitlen, A. Miles, [Large SVDs](https://blog.dask.org/2020/05/13/large-svds), 13 May 2020.
#   The merge that went from 53 s to 2.5 s with UCX: [dask-cuda, issue 183](https://github.com/rapidsai/dask-cuda/issues/183).
# - A. Benson, D. Gleich, J. Demmel, [Direct QR factorizations for tall-and-skinny matrices in MapReduce architectures](https://arxiv.org/abs/1301.1071), 2013: the algorithm in Dask.
# - N. Halko, P. G. Martinsson, J. A. Tropp, [Finding structure with randomness](https://arxiv.org/abs/0909.4061), SIAM Review 53 (2), 2011: compressed SVD, with proofs of how good it is.
# - T. Fukaya, R. Kannan, Y. Nakatsukasa, Y. Yamamoto, Y. Yanagisawa, [Shifted Cholesky QR for computing the QR factorization of ill-conditioned
#   matrices](https://arxiv.org/abs/1809.11085), SIAM Journal on Scientific Computing 42 (1), 2020: CholeskyQR beyond 1/√ε, by one more round.
# - G. Amdahl, *Validity of the single processor approach to achieving large scale computing capabilities*, AFIPS Spring Joint Computer Conference, 1967.
# - Dask's documentation: [linear algebra on arrays](https://docs.dask.org/en/stable/array-api.html#linear-algebra), [diagnostics and performance
#   reports](https://distributed.dask.org/en/stable/diagnosing-performance.html); Dask-CUDA's: [UCX](https://docs.rapids.ai/api/dask-cuda/stable/ucx/).
