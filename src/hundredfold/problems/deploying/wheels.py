"""``deploying.wheels``: seven machines, each with its driver and its oldest GPU. Which variant of the packages fits?

The answers are not written down here: `machine.environments.variant` decides, as it does for the course's own set-up.
"""

from __future__ import annotations

from hundredfold.machine import environments

from ..choices import ChoicesJudge, Item, but
from ..problem import Problem, Wrong

MACHINES = {
    "h100": ("580.65.06", "9.0"),
    "v100": ("580.65.06", "7.0"),
    "a100": ("550.54.15", "8.0"),
    "t4": ("470.82.01", "7.5"),
    "container": ("535.129.03", "8.0"),
    "mixed": ("590.44.01", "7.0"),
    "p100": ("580.65.06", "6.0"),
}
"""Driver, and compute capability of the oldest GPU."""

_FITS = {name: environments.variant(*machine) for name, machine in MACHINES.items()}
RIGHT = {name: "none" if fits.extra == "cpu" else fits.extra for name, fits in _FITS.items()}
_MORE = {
    "container": " The image brings its CUDA, but never the driver: that is the host's.",
    "mixed": " One environment for both GPUs has to serve the older.",
    "t4": " The T4 is not the reason: with a new driver it would get cu13.",
}
_REASONS = {
    "h100": "outdated",
    "v100": "capability",
    "a100": "driver",
    "t4": "driver",
    "container": "driver",
    "mixed": "capability",
    "p100": "capability",
}


WHEELS = Problem(
    id="deploying.wheels",
    title="Which packages fit?",
    kind="decide",
    answers=("packages",),
    lines=9,
    judge=ChoicesJudge(
        items={name: Item(RIGHT[name], _FITS[name].why + _MORE.get(name, ""), _REASONS[name]) for name in MACHINES},
        labels=("cu13", "cu12", "none"),
        uniform={
            "cu13": ("driver", "The newest everywhere? Three of these drivers are older than CUDA 13."),
            "cu12": ("outdated", "The same everywhere? One machine can have CUDA 13, and on two no wheels run at all."),
            "none": ("value", "Nothing fits anywhere? Most of these machines are good for one of the two."),
        },
    ),
    hints=(
        "Two questions for each machine: which CUDA does its driver speak, and does that CUDA still serve its oldest GPU?",
        "CUDA 13 needs driver 580 and compute capability 7.5; CUDA 12 driver 525 and, for RAPIDS, 7.0. A newer driver also runs "
        "the wheels for an older CUDA.",
        "A container has everything but the driver. And one environment on several GPUs has to serve the oldest.",
    ),
    wrong={
        "h100-cu12": Wrong(but(RIGHT, h100="cu12"), "outdated"),
        "v100-cu13": Wrong(but(RIGHT, v100="cu13"), "capability"),
        "mixed-cu13": Wrong(but(RIGHT, mixed="cu13"), "capability"),
        "p100-cu12": Wrong(but(RIGHT, p100="cu12"), "capability"),
        "a100-cu13": Wrong(but(RIGHT, a100="cu13"), "driver"),
        "t4-cu12": Wrong(but(RIGHT, t4="cu12"), "driver"),
        "container-cu13": Wrong(but(RIGHT, container="cu13"), "driver"),
        "all-cu13": Wrong(dict.fromkeys(MACHINES, "cu13"), "driver"),
        "all-cu12": Wrong(dict.fromkeys(MACHINES, "cu12"), "outdated"),
        "nothing": Wrong(dict.fromkeys(MACHINES, "none"), "value"),
        "unknown-label": Wrong(but(RIGHT, t4="cu11"), "labels"),
        "list": Wrong(list(RIGHT.values()), "type"),
    },
    right={"as a dict": dict(RIGHT), "in capitals": {name: f" {label.upper()}" for name, label in RIGHT.items()}},
)
