"""``clusters.histogram``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

import numpy as np

from hundredfold.learning.problems.clusters.histogram import Load
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def count(values: Any, bins: int) -> Any:
    """The histogram of one part, on the device."""
    return cp.histogram(values, bins, (0, 1))[0]


def _part(load: Load, part: int, bins: int) -> np.ndarray:
    return count(load(part), bins).get().astype(np.int64)


def _fetched(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    values = client.gather(client.map(load, parts))
    return sum((count(each, bins).get() for each in values), np.zeros(bins, np.int64))


def _together(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    values = client.map(load, parts)
    return client.submit(_count_all, values, bins).result()


def _count_all(every: list[Any], bins: int) -> np.ndarray:
    return count(cp.concatenate(every), bins).get().astype(np.int64)


def _in_the_notebook(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    return sum((_part(load, part, bins) for part in parts), np.zeros(bins, np.int64))


def _one_after_the_other(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    return sum((client.submit(_part, load, part, bins).result() for part in parts), np.zeros(bins, np.int64))


def _into_a_queue(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    from distributed import Queue, wait

    queue = Queue("counts", client=client)

    def add(part: int) -> int:
        from distributed import Queue

        Queue("counts").put(_part(load, part, bins).tolist())
        return part

    futures = client.map(add, parts)
    wait(futures)
    total = np.zeros(bins, np.int64)
    for counts in queue.get(batch=True):
        total += np.asarray(counts)
    return total


class Tally:
    """Counts that are kept on a worker."""

    def __init__(self, bins: int):
        self.total = np.zeros(bins, np.int64)

    def add(self, counts: np.ndarray) -> None:
        """Add to them."""
        self.total += counts

    def get(self) -> np.ndarray:
        """Give them."""
        return self.total


def _actor(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    from distributed import wait

    tally = client.submit(Tally, bins, actor=True).result()

    def add(part: int, tally: Any) -> int:
        tally.add(_part(load, part, bins)).result()
        return part

    futures = client.map(add, parts, tally=tally)
    wait(futures)
    client.gather(futures)
    return tally.get().result()


def _no_ones(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    def inside(part: int) -> np.ndarray:
        values = load(part)
        return count(values[values < 1], bins).get().astype(np.int64)

    return sum(client.gather(client.map(inside, parts)), np.zeros(bins, np.int64))


def _shares(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    return sum(client.gather(client.map(lambda part: _part(load, part, bins).astype(float), parts)), np.zeros(bins))


def _own_range(load: Load, part: int, bins: int) -> np.ndarray:
    return cp.histogram(load(part), bins)[0].get()


def _no_range(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    futures = client.map(lambda part: _own_range(load, part, bins), parts)
    return sum(client.gather(futures), np.zeros(bins, np.int64))


def _two_bytes(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    futures = client.map(lambda part: _part(load, part, bins).astype(np.uint16), parts)
    return sum(client.gather(futures), np.zeros(bins, np.uint16))


def _mapped(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    return sum(client.gather(client.map(lambda part: _part(load, part, bins), parts)), np.zeros(bins, np.int64))


def _tree(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    """Two by two, on the workers, so that one histogram comes to the notebook."""
    counts = client.map(_part, [load] * len(parts), parts, [bins] * len(parts))
    while len(counts) > 1:
        rest = counts[len(counts) // 2 * 2 :]
        counts = [client.submit(np.add, a, b) for a, b in zip(counts[::2], counts[1::2], strict=False)] + rest
    return counts[0].result()


def _delayed(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    from dask import delayed

    counts = [delayed(_part)(load, part, bins) for part in parts]
    return delayed(sum)(counts).compute()


def _as_they_come(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    """Each result is added once, when it comes: what runs again gives a result that nobody waits for."""
    from distributed import as_completed

    total = np.zeros(bins, np.int64)
    for _, counts in as_completed(client.map(lambda part: _part(load, part, bins), parts), with_results=True):
        total += counts
    return total


def _kept_on_each(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    """Each worker keeps a total of its own, which is asked for at the end."""
    from distributed import get_worker

    name = f"total-{load.number}"

    def add(part: int) -> int:
        worker = get_worker()
        setattr(worker, name, getattr(worker, name, 0) + _part(load, part, bins))
        return part

    client.gather(client.map(add, parts, pure=False))
    totals = client.run(lambda dask_worker: getattr(dask_worker, name, 0))
    return sum(totals.values(), np.zeros(bins, np.int64))


def _cut_off(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    """Times the bins, and cut off: a value beside an edge may come into another bin."""
    return sum(client.gather(client.map(lambda part: _places(load, part, bins), parts)), np.zeros(bins, np.int64))


def _places(load: Load, part: int, bins: int) -> np.ndarray:
    places = cp.minimum((load(part) * bins).astype(cp.int64), bins - 1)
    return cp.bincount(places, minlength=bins).get()


def _by_part(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    """Tasks are named by their part only: a second call gets the results of the first."""
    futures = [client.submit(_part, load, part, bins, key=f"counts-{part}") for part in parts]
    client.publish_dataset(counts=futures, override=True)
    return sum(client.gather(futures), np.zeros(bins, np.int64))


def _each_once(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    """A part that comes twice is counted once."""
    return _mapped(client, load, list(dict.fromkeys(parts)), bins)


def _fitting(load: Load, part: int, bins: int) -> np.ndarray:
    counts = _part(load, part, bins)
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def _as_narrow_as_fits(client: Any, load: Load, parts: list[int], bins: int) -> np.ndarray:
    """Each part's counts in the smallest type that holds them, and their sums, too."""
    first, *others = client.gather(client.map(lambda part: _fitting(load, part, bins), parts))
    for counts in others:
        first = first + counts
    return first.astype(np.int64)


WRONG = {
    "fetched": Wrong(_fetched, "fetched"),
    "together": Wrong(_together, "moved"),
    "in the notebook": Wrong(_in_the_notebook, "local"),
    "one after the other": Wrong(_one_after_the_other, "serial"),
    "into a queue": Wrong(_into_a_queue, "repeated"),
    "an actor": Wrong(_actor, "state"),
    "no ones": Wrong(_no_ones, "border"),
    "shares": Wrong(_shares, "dtype"),
    "no range": Wrong(_no_range, "border"),
    "two bytes": Wrong(_two_bytes, "overflow"),
    "kept on each worker": Wrong(_kept_on_each, "state"),
    "cut off": Wrong(_cut_off, "border"),
    "named by part": Wrong(_by_part, "value"),
    "each part once": Wrong(_each_once, "value"),
    "as narrow as fits": Wrong(_as_narrow_as_fits, "overflow"),
}
RIGHT = {"mapped": _mapped, "in a tree": _tree, "delayed": _delayed, "as they come": _as_they_come}
