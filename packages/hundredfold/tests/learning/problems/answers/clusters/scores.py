"""``clusters.scores``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..edits import Wrong


def _with_each(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    return client.gather([client.submit(score, table, setting, pure=False) for setting in settings])


def _in_a_function(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    return client.gather(client.map(lambda setting: score(table, setting), settings, pure=False))


def _as_they_come(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    from distributed import as_completed

    there = client.scatter(table, broadcast=True)
    futures = client.map(lambda setting, table: score(table, setting), settings, table=there, pure=False)
    return [future.result() for future in as_completed(futures)]


def _one_by_one(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    there = client.scatter(table, broadcast=True)
    return [client.submit(score, there, setting).result() for setting in settings]


def _in_one_task(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    there = client.scatter(table)
    return client.submit(lambda table: [score(table, setting) for setting in settings], there).result()


def _in_the_notebook(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    return [score(table, setting) for setting in settings]


def _promises(client: Any, score: Any, table: Any, settings: list[float]) -> list[Any]:
    there = client.scatter(table, broadcast=True)
    return [client.submit(score, there, setting) for setting in settings]


def _by_setting(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    there = client.scatter(table, broadcast=True)
    futures = {setting: client.submit(score, there, setting) for setting in settings}
    return list(client.gather(futures).values())


def _scattered(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    there = client.scatter(table, broadcast=True)
    return client.gather([client.submit(score, there, setting) for setting in settings])


def _made_there(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    there = client.submit(lambda: table, pure=False)  # shipped once, and then a result like any other
    return client.gather(client.map(lambda setting, table: score(table, setting), settings, table=there))


def _scattered_for_each(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    there = [client.scatter(table, hash=False) for _ in settings]
    return client.gather([client.submit(score, each, setting) for each, setting in zip(there, settings, strict=True)])


def _on_one_worker(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    worker = next(iter(client.scheduler_info()["workers"]))
    there = client.scatter(table, workers=[worker])
    return client.gather([client.submit(score, there, setting, workers=[worker]) for setting in settings])


def _kept_apart(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    from distributed import as_completed

    there = client.scatter(table)
    places = {client.submit(score, there, setting, pure=False): place for place, setting in enumerate(settings)}
    got = [0.0] * len(settings)
    for future, result in as_completed(list(places), with_results=True):
        got[places[future]] = result
    return got


def _as_array(client: Any, score: Any, table: Any, settings: list[float]) -> Any:
    return np.array(_scattered(client, score, table, settings))


def _from_the_host(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    return _scattered(client, score, table.get(), settings)


def _published(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    """A name that is taken when the function is called again."""
    client.publish_dataset(client.scatter(table, broadcast=True), name="table")
    there = client.get_dataset("table")
    return client.gather([client.submit(score, there, setting) for setting in settings])


_THERE: dict[Any, Any] = {}


def _by_address(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    """The table is sent once for each address, whatever is in it by now."""
    key = (client.id, table.data.ptr)
    if key not in _THERE:
        _THERE[key] = client.scatter(table, broadcast=True, hash=False)
    return client.gather([client.submit(score, _THERE[key], setting, pure=False) for setting in settings])


def _delayed(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    import dask

    there = client.scatter(table)
    tasks = [dask.delayed(score)(there, setting) for setting in settings]
    return client.gather(client.compute(tasks))


def _shares(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    def some(there: Any, mine: list[float]) -> list[float]:
        return [score(there, setting) for setting in mine]

    there = client.scatter(table, broadcast=True)
    workers = len(client.scheduler_info()["workers"])
    futures = [client.submit(some, there, settings[first::workers], pure=False) for first in range(workers)]
    got = [0.0] * len(settings)
    for first, share in enumerate(client.gather(futures)):
        got[first::workers] = share
    return got


def _waited_for(client: Any, score: Any, table: Any, settings: list[float]) -> list[float]:
    from distributed import wait

    there = client.scatter(table, hash=False)
    futures = client.map(score, [there] * len(settings), settings, pure=False)
    wait(futures)
    return [future.result() for future in futures]


WRONG = {
    "with each task": Wrong(_with_each, "shipped"),
    "in the function": Wrong(_in_a_function, "shipped"),
    "as they come": Wrong(_as_they_come, "order"),
    "one by one": Wrong(_one_by_one, "serial"),
    "scattered for each": Wrong(_scattered_for_each, "shipped"),
    "on one worker": Wrong(_on_one_worker, "serial"),
    "in one task": Wrong(_in_one_task, "serial"),
    "in the notebook": Wrong(_in_the_notebook, "local"),
    "promises": Wrong(_promises, "type"),
    "by setting": Wrong(_by_setting, "lost"),
    "an array": Wrong(_as_array, "type"),
    "from the host": Wrong(_from_the_host, "transfer"),
    "published": Wrong(_published, "exception"),
    "by its address": Wrong(_by_address, "value"),
}
RIGHT = {
    "scattered": _scattered,
    "made there": _made_there,
    "kept apart": _kept_apart,
    "delayed": _delayed,
    "a share for each worker": _shares,
    "waited for": _waited_for,
}
