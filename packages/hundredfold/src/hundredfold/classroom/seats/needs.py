"""What the units want of a GPU's memory at the sizes that were published; with less they take smaller ones by themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Need:
    """A unit's number and slug, the bytes that its arrays take on the device at the published sizes, and what they are.

    `host` is the most bytes that its lecture held in main memory without a GPU, the simulated device's arrays among them; `smaller` says
    that it takes larger sizes on a GPU than it did there.
    """

    unit: int
    slug: str
    published: int
    made_of: str
    host: int
    smaller: bool = False


@cache
def known() -> tuple[Need, ...]:
    """All units that have been written, in the course's order."""
    data = json.loads(Path(__file__).with_name("needs.json").read_text(encoding="utf-8"))
    return tuple(Need(**entry) for entry in data["units"])
