"""Who sits where: a file, changed under a lock, that outlives the hub's restarts."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from hundredfold import paths

from .devices import SIMULATED, Place

#: Every change takes milliseconds; whoever holds the lock longer hangs (seconds).
PATIENCE = 20.0


class NoSeat(RuntimeError):
    """There is no place left; the message is for the learner."""


@dataclass(frozen=True)
class Taken:
    """A seat in use: `owner` is ``user`` or ``user/server``, `place` the name of a `Place`, `since` the time in UTC (ISO 8601)."""

    owner: str
    place: str
    since: str


class Allocations:
    """The seats in use, in the file `path`. Every method takes the lock for itself."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def take(self, owner: str, places: Sequence[Place], live: Callable[[Place], float] | None = None) -> Place:
        """Seat `owner` on the least loaded place and return it.

        GPUs come before simulated ones. The place with the smallest part of its seats taken wins; of several, the one that `live`
        gives the smallest number (device memory in use, say), then the first. Who is seated already keeps the place while it exists and has room: after a
        restart of the hub, nobody's GPU changes under a running kernel. Seats on places that no longer exist count for nobody.

        Raises
        ------
        NoSeat
            If all places are full.
        """
        with self._locked():
            seats = self._read()
            taken = Counter(seat.place for name, seat in seats.items() if name != owner)
            free = [place for place in places if taken[place.name] < place.room]
            if not free:
                count = sum(place.room for place in places)
                raise NoSeat(
                    f"All {count} seats are taken: try again when somebody has left (File, Hub Control Panel, Stop My Server), "
                    "or ask the instructor for more seats."
                )
            before = seats.get(owner)
            kept = next((place for place in free if before is not None and place.name == before.place), None)
            if kept is None:
                rank = {place.name: i for i, place in enumerate(places)}
                kept = min(
                    free,
                    key=lambda p: (
                        p.name == SIMULATED,
                        taken[p.name] / p.room,
                        live(p) if live is not None else 0.0,
                        rank[p.name],
                    ),
                )
            seats[owner] = Taken(owner, kept.name, datetime.now(UTC).isoformat(timespec="seconds"))
            self._write(seats)
            return kept

    def release(self, owner: str) -> None:
        """Give `owner`'s seat back; nothing happens where there is none."""
        with self._locked():
            seats = self._read()
            if seats.pop(owner, None) is not None:
                self._write(seats)

    def keep(self, owners: Iterable[str]) -> list[str]:
        """Give back the seats of all but these owners, and return whose they were: what a hub that was killed left behind."""
        owners = set(owners)
        with self._locked():
            seats = self._read()
            gone = sorted(set(seats) - owners)
            if gone:
                self._write({name: seat for name, seat in seats.items() if name in owners})
            return gone

    def seats(self) -> list[Taken]:
        """The seats in use, in the order of their owners' names."""
        return sorted(self._read().values(), key=lambda seat: seat.owner)

    def _locked(self) -> _Locked:
        return _Locked(self.path)

    def _read(self) -> dict[str, Taken]:
        """What the file says. A damaged one is put aside: the seats are known again when the servers are next started."""
        try:
            entries = json.loads(self.path.read_text(encoding="utf-8"))["seats"]
            return {entry["owner"]: Taken(**entry) for entry in entries}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError):
            os.replace(self.path, self.path.with_suffix(".damaged"))
            return {}

    def _write(self, seats: dict[str, Taken]) -> None:
        """Replace the file at once, so that a machine that loses its power has the old or the new one."""
        data = {"version": 1, "seats": [asdict(seats[name]) for name in sorted(seats)]}
        paths.write_whole(self.path, json.dumps(data, indent=1).encode(), 0o600, sync=True)


class _Locked:
    """The allocations's lock, with a sentence where it is not to be had."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.lock = FileLock(path.with_suffix(".lock"), timeout=PATIENCE)

    def __enter__(self) -> None:
        try:
            self.lock.acquire()
        except Timeout:
            raise TimeoutError(
                f"Another process has held {self.path.with_suffix('.lock')} for {PATIENCE:g} s: see which (`fuser`), end it, try again."
            ) from None

    def __exit__(self, *_: object) -> None:
        self.lock.release()
