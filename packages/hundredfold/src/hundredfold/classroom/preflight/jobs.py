"""Which notebook is run on which seat."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import hundredfold
from hundredfold import paths
from hundredfold.classroom.seats import limits
from hundredfold.classroom.seats.allocations import Allocations
from hundredfold.classroom.seats.hook import Seats

#: What of a unit is run, and the folder it is in.
KINDS = {"lectures": "notebooks", "exercises": "exercises", "solutions": "solutions"}


class NothingToRun(LookupError):
    """No kind of notebook or no seat of that name; the message says which there are."""


@dataclass(frozen=True)
class Seat:
    """A seat as the hub will give it: its number, where it is, its limits (bytes, cores' worth of time) and its environment."""

    number: int
    place: str
    memory: int
    cores: float
    environment: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Job:
    """One notebook on one seat."""

    kind: str
    file: Path
    seat: Seat

    @property
    def stem(self) -> str:
        return self.file.stem

    @property
    def key(self) -> str:
        """The same for the same notebook on the same seat with the same installation: what need not be run again."""
        told = [hundredfold.__version__, self.kind, self.stem, *map(str, vars(self.seat).values())]
        return hashlib.sha256(json.dumps(told).encode() + self.file.read_bytes()).hexdigest()[:32]


def seats(found: Seats) -> list[Seat]:
    """The seats of a class, filled as the hub fills them."""
    made = []
    with tempfile.TemporaryDirectory(prefix="hundredfold-preflight-") as folder:
        allocations = Allocations(Path(folder) / "seats.json")
        for number in range(1, found.learners + 1):
            place = allocations.take(f"seat {number}", found.places)
            settings = limits.environment(place, found.limits, found.has_gpus) | {"HUNDREDFOLD_SEAT": place.title}
            made.append(
                Seat(number, place.title, found.limits.memory, found.limits.cores, tuple(sorted(settings.items())))
            )
    return made


def chosen_seats(all_seats: Sequence[Seat], text: str | None) -> list[Seat]:
    """The seats that ``1,4-6`` names; all if None; ``kinds``: the first on each place.

    Raises
    ------
    NothingToRun
        If it names none, or one that is not there.
    """
    if text is None:
        return list(all_seats)
    if text == "kinds":
        first = {seat.place: seat for seat in reversed(all_seats)}
        return sorted(first.values(), key=lambda seat: seat.number)
    wanted: set[int] = set()
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        if not low.isdecimal() or (high and not high.isdecimal()):
            raise NothingToRun(f"--seats {text}: write numbers, such as 1,4-6, or kinds for one on each place.")
        wanted |= set(range(int(low), int(high or low) + 1))
    if missing := wanted - {seat.number for seat in all_seats}:
        raise NothingToRun(f"There is no seat {min(missing)}; there are {len(all_seats)}.")
    return [seat for seat in all_seats if seat.number in wanted]


def notebooks(units: Sequence[str], kinds: Sequence[str], course: Path | None = None) -> list[tuple[str, Path]]:
    """The notebooks of these units (see `paths.units`) as (kind, file), unit by unit."""
    found: dict[str, list[tuple[str, Path]]] = {}
    for kind in kinds:
        try:
            folder = course / KINDS[kind] if course else paths.data_dir(KINDS[kind])
        except FileNotFoundError:
            continue
        for file in sorted(folder.glob("[0-9]*_*.ipynb")):
            found.setdefault(file.stem, []).append((kind, file))
    return [each for stem in sorted(paths.units(units, sorted(found))) for each in found[stem]]


def jobs(these: Sequence[tuple[str, Path]], on: Sequence[Seat]) -> list[Job]:
    """Every notebook on every seat, unit by unit, so that one that fails anywhere shows early."""
    return [Job(kind, file, seat) for kind, file in these for seat in on]
