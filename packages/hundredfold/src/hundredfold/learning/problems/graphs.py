"""What the judges of lazy code look at: Dask collections, their graphs, and what runs when they are computed.

>>> import dask.array as da
>>> x = da.ones((4, 4), chunks=2) + 1
>>> with watch() as ran:
...     total = x.sum().compute()
>>> ran.computes, ran.count("sum-aggregate")
(1, 1)

An answer is *built* (`build`: nothing may be computed meanwhile, see `require_unrun`), looked at (`tasks`, `largest_chunk`,
`kind`), and only then *computed* (`compute`: what ran, how large it was, on which side of the bus).

Everything runs on the scheduler that `watch` sets, by default in the calling thread, so that a limit of time reaches it
and a count is the same each time; a learner's own ``scheduler=`` is let be, and recorded too, as is whatever goes to a
cluster. What one fused task makes on its way is not seen, only what it returns; ``optimize=False`` takes fusion away.
"""

from __future__ import annotations

import contextlib
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import devices, guard
from .guard import Called, article
from .verdict import refuse

KEPT = "one array was right, and another of the same shape is not"


@dataclass(frozen=True)
class Task:
    """One task that ran: its key, the name in it (``"sum"`` of ``("sum-1f…", 0, 1)``), and the arrays that it returned.

    `nbytes` is all of them together; `host` and `device` are the elements in arrays on either side. A pandas or cuDF
    frame counts by its rows. `given` is the bytes of the arrays that it got from other tasks.
    """

    key: Any
    name: str
    nbytes: int
    host: int
    device: int
    given: int = 0


@dataclass
class Ran:
    """What Dask ran while one watched.

    Parameters
    ----------
    computes : int
        How many times something was given to a scheduler.
    sent : int
        How many of these went to a cluster, where the tasks themselves are not seen from here.
    tasks : list of Task
        What ran in this process, in the order in which it ended.
    gathered : list of Task
        The last step of each compute, which puts the chunks of the result together.
    writers : list of str
        Names of tasks that wrote into an array that another task made; of none unless `watch` compares.
    """

    computes: int = 0
    sent: int = 0
    tasks: list[Task] = field(default_factory=list)
    gathered: list[Task] = field(default_factory=list)
    writers: list[str] = field(default_factory=list)

    def count(self, name: str) -> int:
        """How many tasks of this name ran."""
        return sum(task.name == name for task in self.tasks)

    @property
    def names(self) -> Counter[str]:
        """How many tasks of each name ran."""
        return Counter(task.name for task in self.tasks)

    @property
    def twice(self) -> list[Any]:
        """Keys that ran more than once, in several computes: the same work done again."""
        return [key for key, times in Counter(task.key for task in self.tasks).items() if times > 1]

    @property
    def largest(self) -> int:
        """Bytes of the largest result of one task."""
        return max((task.nbytes for task in self.tasks), default=0)

    @property
    def most_given(self) -> int:
        """The most bytes that one task got from others: all of that is in one place."""
        return max((task.given for task in self.tasks), default=0)

    def on_host(self, more_than: int = 1) -> list[Task]:
        """The tasks that returned more than so many elements in host memory: where the work was to stay on the device,
        these are the chunks that left it (a single number that is fetched at the end is none)."""
        return [task for task in self.tasks if task.host > more_than]


def lazy(value: Any) -> bool:
    """True for a Dask collection: an array, a frame, a delayed value."""
    dask = sys.modules.get("dask.base")
    return dask is not None and dask.is_dask_collection(value)


@contextlib.contextmanager
def watch(scheduler: Any = "synchronous", compare: bool = False) -> Iterator[Ran]:
    """Record what Dask computes inside of the block.

    Parameters
    ----------
    scheduler : str or callable
        Used where the code names none, even where there is a client.
    compare : bool
        Whether the arrays that a task gets from others are compared after it with what they were before.
    """
    import dask
    from dask._task_spec import DataNode
    from dask.callbacks import Callback

    ran = Ran()

    def began(graph: Any) -> None:
        ran.computes += 1

    given: dict[Any, int] = {}
    before: dict[Any, list[tuple[Any, bytes]]] = {}

    def begins(key: Any, graph: Any, state: Any) -> None:
        there = state["cache"]
        made = (each for each in state["dependencies"].get(key, ()) if not isinstance(graph.get(each), DataNode))
        got = [there[each] for each in made if each in there]
        given[key] = sum(nbytes for each in got for nbytes, *_ in _sizes(each))
        if compare:
            before[key] = [(array, _bytes(array)) for array in _arrays(got)]

    def ended(key: Any, result: Any, graph: Any, state: Any, worker: Any) -> None:
        task = _task(key, result, given.pop(key, 0))
        (ran.gathered if task.name.startswith("finalize-") else ran.tasks).append(task)
        if any(_bytes(array) != were for array, were in before.pop(key, ())):
            ran.writers.append(task.name)

    with Callback(start=began, pretask=begins, posttask=ended), dask.config.set(scheduler=scheduler), _cluster(ran):
        yield ran


@contextlib.contextmanager
def _cluster(ran: Ran) -> Iterator[None]:
    """Count what is given to a cluster: `persist` and `compute` of a client, its futures."""
    client = sys.modules.get("distributed.client")
    if client is None:
        yield
        return
    before = client.Client._graph_to_futures

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        ran.computes += 1
        ran.sent += 1
        return before(self, *args, **kwargs)

    client.Client._graph_to_futures = counted
    try:
        yield
    finally:
        client.Client._graph_to_futures = before


def build(function: Callable[..., Any], *args: Any, limit: float = 30.0) -> tuple[Called, Ran]:
    """Call a learner's function that makes something lazy; return what came of it and what was computed meanwhile.

    Raises
    ------
    Refusal
        As `guard.call`.
    """
    with watch() as ran:
        called = guard.call(function, *args, limit=limit)
    return called, ran


def compute(
    collection: Any,
    *,
    limit: float = 30.0,
    optimize: bool = True,
    scheduler: Any = "synchronous",
    sized: bool = True,
    compare: bool = False,
) -> Any:
    """Compute a collection, guarded, and return ``(value, ran)``.

    What a learner's own functions raise in the tasks becomes a `Refusal`, as in `guard.call`. Unless `sized`, nothing is recorded: the
    bytes of a table take longer to count than the task that makes it. `compare` is that of `watch`.
    """
    import dask

    def run() -> Any:
        return dask.compute(collection, optimize_graph=optimize)[0]

    with watch(scheduler, compare) if sized else dask.config.set(scheduler=scheduler) as ran:
        called = guard.call(run, limit=limit)
    return called.value, ran


def require_lazy(value: Any, *, what: str = "Dask array", module: str = "dask.array") -> None:
    """Refuse what is not a collection of this module, saying what it is, and where it was computed already."""
    if lazy(value) and type(value).__module__.startswith(module):
        return
    if lazy(value):
        refuse("type", f"the result should be a {what}; it is a {type(value).__name__} of {type(value).__module__}.")
    if isinstance(value, (np.ndarray, np.generic)) or devices.is_device(value):
        refuse(
            "eager",
            f"the result should be a {what}, which has done no work yet; it is {article(value)}, computed already. "
            "Leave `compute` to whoever wants the numbers.",
        )
    refuse("type", f"the result should be a {what}; it is {article(value)}.")


def require_unrun(ran: Ran) -> None:
    """Refuse an answer that computed something while it was built."""
    if ran.computes:
        times = "once" if ran.computes == 1 else f"{ran.computes} times"
        some = sorted(ran.names)[:3]
        tasks = f" ({len(ran.tasks)} tasks, such as {', '.join(some)})" if some else ""
        refuse(
            "eager",
            f"while the answer was built, Dask was made to compute {times}{tasks}. `compute`, `persist`, `float`, `len` of "
            "what is not known and `np.asarray` do that: all of it should wait.",
        )


def require_dtype(plan: Any, value: Any) -> None:
    """Refuse a Dask array that names another dtype than its chunks have when they are there."""
    if plan.dtype != value.dtype:
        refuse(
            "dtype",
            f"the chunks have the dtype {value.dtype}, but the Dask array says that its dtype is {plan.dtype}. `dtype=` has to name the "
            "one that the function returns.",
        )


def tasks(collection: Any, *, optimized: bool = True) -> int:
    """How many tasks a compute would run, after or before optimisation (fusion, culling). A second name of the same task
    is none."""
    import dask
    from dask._task_spec import Alias

    if optimized:
        (collection,) = dask.optimize(collection)
    return sum(not isinstance(task, Alias) for task in dict(collection.__dask_graph__()).values())


def largest_chunk(array: Any) -> int | None:
    """Bytes of the largest chunk of a Dask array; None where its shape is not known before it is computed."""
    elements = math.prod(max(sizes, default=0) for sizes in array.chunks)
    return None if isinstance(elements, float) and math.isnan(elements) else int(elements) * array.dtype.itemsize


def kind(collection: Any) -> str:
    """Which library's chunks a collection says that it has: ``"numpy"``, ``"cupy"``, ``"pandas"``, ``"cudf"``."""
    return type(collection._meta).__module__.partition(".")[0]


def _task(key: Any, result: Any, given: int) -> Task:
    from dask.utils import key_split

    sizes = list(_sizes(result))
    host = sum(elements for _, elements, device in sizes if not device)
    device = sum(elements for _, elements, device in sizes if device)
    return Task(key, key_split(key), sum(nbytes for nbytes, *_ in sizes), host, device, given)


def _arrays(result: Any) -> Iterator[Any]:
    """The arrays in a task's result, which may be a list or dict of them."""
    if isinstance(result, np.ndarray) or devices.is_device(result):
        yield result
    elif isinstance(result, (list, tuple, dict)):
        for each in result.values() if isinstance(result, dict) else result:
            yield from _arrays(each)


def _bytes(array: Any) -> bytes:
    return devices.to_host(array).tobytes()


def _sizes(result: Any) -> Iterator[tuple[int, int, bool]]:
    """Bytes, elements and side of the arrays in a task's result, which may be a list or dict of them (the halves of a
    mean), or a frame."""
    if isinstance(result, np.ndarray) or devices.is_device(result):
        yield int(result.nbytes), int(result.size), devices.is_device(result)
    elif isinstance(result, dict):
        for each in result.values():
            yield from _sizes(each)
    elif isinstance(result, (list, tuple)):
        for each in result:
            yield from _sizes(each)
    elif (library := type(result).__module__.partition(".")[0]) in ("pandas", "cudf") and hasattr(
        result, "memory_usage"
    ):
        if hasattr(result, "columns"):  # index=True: cuDF cannot say it of columns that have two levels of names
            used = result.memory_usage(index=False).sum() + result.index.memory_usage()
        else:
            used = result.memory_usage()
        yield int(used), len(result), library == "cudf"
