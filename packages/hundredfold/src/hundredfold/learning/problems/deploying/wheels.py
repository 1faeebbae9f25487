"""``deploying.wheels``: seven machines, each with its driver and its oldest GPU. Which variant of the packages fits?

The answers are not written down here: `machine.environments.variant` decides, as it does for the course's own set-up.
"""

from __future__ import annotations

from hundredfold.setup import environments

from ..choices import Job, decide

MACHINES = {
    "h100": ("580.65.06", "9.0", "outdated", ""),
    "v100": ("580.65.06", "7.0", "capability", ""),
    "a100": ("550.54.15", "8.0", "driver", ""),
    "t4": ("470.82.01", "7.5", "driver", " The T4 is not the reason: with a new driver it would get cu13."),
    "container": (
        "535.129.03",
        "8.0",
        "driver",
        " The image brings its CUDA, but never the driver: that is the host's.",
    ),
    "mixed": ("590.44.01", "7.0", "capability", " One environment for both GPUs has to serve the older."),
    "p100": ("580.65.06", "6.0", "capability", ""),
}
"""Driver, compute capability of the oldest GPU, the reason of another choice, and what is said besides."""


def _job(driver: str, capability: str, reason: str, more: str) -> Job:
    fits = environments.variant(driver, capability)
    return Job(reason, fits.why + more, right="none" if fits.extra == "cpu" else fits.extra)


WHEELS = decide(
    "deploying.wheels",
    "Which packages fit?",
    {name: _job(*machine) for name, machine in MACHINES.items()},
    answer="packages",
    lines=9,
    uniform={
        "cu13": ("driver", "The newest everywhere? Three of these drivers are older than CUDA 13."),
        "cu12": ("outdated", "The same everywhere? One machine can have CUDA 13, and on two no wheels run at all."),
        "none": ("value", "Nothing fits anywhere? Most of these machines are good for one of the two."),
    },
    hints=(
        "Two questions for each machine: which CUDA does its driver speak, and does that CUDA still serve its oldest GPU?",
        "CUDA 13 needs driver 580 and compute capability 7.5; CUDA 12 driver 525 and, for RAPIDS, 7.0. A newer driver also runs "
        "the wheels for an older CUDA.",
        "A container has everything but the driver. And one environment on several GPUs has to serve the oldest.",
    ),
)
