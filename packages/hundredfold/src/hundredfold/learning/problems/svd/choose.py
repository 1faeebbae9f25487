"""``svd.choose``: six matrices on four GPUs: a tall-skinny decomposition, a compressed one, or none of both?

The figures are a made-up machine's: four GPUs of 80 GB, 5 TFLOP/s in float64 each, 1 GB/s between any two of them.
"""

from __future__ import annotations

from ..choices import Job, decide, seconds

RATE, BANDWIDTH, MEMORY, GPUS = 5e12, 1e9, 80e9, 4


def tall(m: float, n: float, workers: int = GPUS) -> float:
    """Seconds of arithmetic of TSQR with U: 8 m n² operations on all GPUs."""
    return 8 * m * n**2 / (RATE * workers)


def compressed(m: float, n: float, k: int, q: int) -> float:
    """Seconds of arithmetic of a compressed SVD with q power iterations: 2 m n (k + 10) for each product with X."""
    return 2 * m * n * (k + 10) * (2 + 2 * q) / (RATE * GPUS)


def moving(nbytes: float) -> float:
    """Seconds to send so many bytes over the wire."""
    return nbytes / BANDWIDTH


JOBS = {
    "sensors": Job(
        "residency",
        "It does not fit one GPU, and its rows lie on all four: to gather the others' 120 GB would take "
        f"{seconds(moving(120e9))}. TSQR takes {seconds(tall(400e6, 50))} of arithmetic, sends a few MB, and keeps small singular values.",
        hint="How much memory has one GPU?",
        right="tall",
    ),
    "photos": Job(
        "blocks",
        f"With 100 000 columns each triangle of TSQR has {8 * 100_000**2 / 1e9:.0f} GB. Twenty components of a spectrum that "
        f"falls fast, to one per cent: compressed, {seconds(compressed(1e6, 1e5, 20, 1))} of arithmetic.",
        hint="How large is R for 100 000 columns?",
        right="compressed",
    ),
    "digits": Job(
        "small",
        "LAPACK or one GPU has done that in some milliseconds; a single task of Dask costs a millisecond.",
        hint="What does a task cost that does nothing?",
        right="local",
    ),
    "one card": Job(
        "transfer",
        f"It lies on one GPU, which takes {seconds(tall(2e6, 200, 1))}. To send three quarters of it to the others "
        f"takes {seconds(moving(2.4e9))}.",
        hint="What has to travel before anything begins?",
        right="local",
    ),
    "noise": Job(
        "decay",
        "All 100 are wanted, to 1e-8, and they are nearly alike: a random sample of such a space has no large ones to find. "
        f"TSQR is exact, {seconds(tall(100e6, 100))} of arithmetic, and the rows stay where they are.",
        hint="What does a random sample find where all are alike?",
        right="tall",
    ),
    "links": Job(
        "shape",
        f"Not tall: the triangles would be 200 000 × 200 000, {8 * 200_000**2 / 1e9:.0f} GB each. The first ten, to three digits, "
        f"are what compressed is for: {seconds(compressed(2e5, 2e5, 10, 2))} with two power iterations.",
        hint="Is a square matrix tall and skinny?",
        right="compressed",
    ),
}

CHOOSE = decide(
    "svd.choose",
    "Tall-skinny, compressed, or not at all?",
    JOBS,
    lines=3,
    uniform={
        "tall": (
            "always-tall",
            "the tall-skinny way was chosen for everything. Look at the columns, and at what is small or lies on one GPU.",
        ),
        "compressed": (
            "always-compressed",
            "the compressed way was chosen for everything. Look for what is wanted exactly, or as a whole.",
        ),
        "local": (
            "always-local",
            "nothing was distributed. Some of these fit no single GPU, and lie on four.",
        ),
    },
    hints=(
        "Three questions for each: does it fit where it lies? How many columns has it, and so how large is a triangle? How many singular "
        "values are wanted, and how well?",
        "A triangle has 8 n² bytes: 20 kB for 50 columns, 80 GB for 100 000. Compressed needs a spectrum that falls, and gives the first few, to few digits.",
        "3.2 GB on one GPU: 8 m n² = 6.4·10¹¹ operations, at 5 TFLOP/s. And 2.4 GB over a wire of 1 GB/s?",
    ),
)
