"""``profiling.first``: five programs, of each of which a timeline says where its 100 ms go. What is worth changing first?"""

from __future__ import annotations

from ..choices import Job, decide


def times(longest: float, others: float, copies: float, idle: float, factor: float = 2.0) -> dict[str, float]:
    """Seconds after each change, of milliseconds now.

    Parameters
    ----------
    longest, others : float
        Of the kernel that takes longest, and of all others.
    copies, idle : float
        Of the copies, and of the times in which the device does nothing.
    factor : float
        How many times as fast the longest kernel can become.
    """
    total = longest + others + copies + idle
    after = {
        "kernel": total - longest * (1 - 1 / factor),
        "copies": total - min(copies, longest + others),
        "gaps": total - idle,
    }
    return {label: milliseconds / 1e3 for label, milliseconds in after.items()}


JOBS = {
    "filter": Job(
        "amdahl",
        "Its longest kernel takes 60 ms; twice as fast leaves {kernel}. Without the copies {copies} remain, without the gaps {gaps}.",
        times(60, 10, 20, 10),
        "Half of which number is the largest saving?",
    ),
    "loader": Job(
        "beside",
        "30 of its 60 ms of copies have a kernel to run beside: {copies} remain. A faster kernel leaves {kernel}.",
        times(20, 10, 60, 10),
        "A copy can hide behind a kernel only as long as there is a kernel.",
    ),
    "steps": Job(
        "serialised",
        "The device is idle for 65 ms: without the gaps {gaps} remain. A faster kernel leaves {kernel}.",
        times(15, 15, 5, 65),
        "What does the device do most of the time?",
    ),
    "crumbs": Job(
        "launch",
        "The longest of its many kernels takes 6 ms: twice as fast leaves {kernel}. Without the gaps {gaps} remain.",
        times(6, 66, 8, 20),
        "How long does its longest kernel take?",
    ),
    "reached": Job(
        "reached",
        "Its longest kernel moves bytes at 95 % of what the memory can: at most {kernel} would remain. With the copies beside it, {copies}.",
        times(50, 10, 25, 15, factor=1 / 0.95),
        "How much faster can a kernel become that is at 95 % of its limit?",
    ),
}

FIRST = decide(
    "profiling.first",
    "What to change first",
    JOBS,
    uniform={
        "kernel": ("always-kernel", "the kernel was chosen for everything. {steps}"),
        "copies": ("always-copies", "the copies were chosen for everything. {filter}"),
        "gaps": ("always-gaps", "the gaps were chosen for everything. {filter}"),
    },
    hints=(
        "For each program write down what remains of its 100 ms after each change.",
        "A kernel that is twice as fast saves half of its time. Copies save as much as there are kernels to hide behind. Gaps save all of theirs.",
        "`filter`: 70, 80 and 90 ms. `reached`: 5 % of 50 ms, 25 ms, 15 ms are saved.",
    ),
)
