"""Dask's LocalCluster, the real one, as every notebook starts it: what would hang, or be open to strangers, is seen to before.

Dask is not imported for it: `finder.watch_dask` waits until somebody else does. With a GPU or without, for `distributed.LocalCluster`, for
what builds on it (`dask_cuda.LocalCUDACluster`) and for ``Client()``, which makes one:

- the dashboard and the workers' pages are served where scheduler and workers listen, on localhost, not on all of the machine's
  addresses;
- a cluster inside of a worker, a worker with too little memory to start, and UCX without its package are refused in a sentence;
- a port that is taken is said in a sentence, and so is what cannot be pickled.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import importlib.util
import inspect
import logging
import multiprocessing
from collections.abc import Callable, Iterator
from typing import Any

LEAST_MEMORY = 100_000_000
"""Bytes of main memory that a worker takes before its first task: Python, Dask and NumPy, 80 MB as counted, and some room."""

BEFORE_PAGES: list[Callable[[], None]] = []
"""Called before a scheduler or a worker serves its pages, once Dask has imported what makes them: who has more of them adds them then."""

_UCX = (
    "{what} needs UCX, and the package distributed-ucxx-cu12 (or -cu13), which brings it to Dask, is not installed here: "
    "install it where NVLink or InfiniBand is, or leave the protocol out, and TCP is used."
)


_UNPICKLED = (
    "The work cannot be sent to the workers, since something that goes with it cannot be pickled: {cause}. With a task go its "
    "arguments, and what its function takes from outside of itself: make locks, open files, streams and the like inside of the task."
)


def listen_on_localhost(distributed: Any) -> None:
    """See to it in this process; a second call does nothing.

    Parameters
    ----------
    distributed : module
        The package, imported.
    """
    _wrap(distributed.LocalCluster, "__init__", _checked)
    _wrap(distributed.node.ServerNode, "start_http_server", _heard_here)
    _wrap(distributed.Client, "_graph_to_futures", _picklable)
    _wrap(distributed.Client, "map", _named)
    with contextlib.suppress(ImportError, AttributeError):  # the place is Dask's own affair
        from distributed.comm.registry import backends

        backend: Any = backends.get("ucx")
        if type(backend).__module__ == "distributed.comm.ucx":  # the placeholder, which fails without a word
            backend.get_connector = backend.get_listener = _no_ucx


def _wrap(cls: type, name: str, by: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    method = getattr(cls, name, None)
    if method is not None and not getattr(method, "hundredfold", False):
        wrapped = functools.wraps(method)(by(method))
        wrapped.hundredfold = True  # type: ignore[attr-defined]
        setattr(cls, name, wrapped)


def _checked(begin: Callable[..., None]) -> Callable[..., None]:
    signature = inspect.signature(begin)

    def __init__(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        told = bound.arguments
        more = told.get("worker_kwargs", {})
        _not_inside_a_worker(told)
        _enough_to_start(more.get("memory_limit"), told.get("n_workers"))
        if str(told.get("protocol") or "").startswith("ucx"):
            _no_ucx(f"protocol={told['protocol']!r}")
        with _said_plainly(told.get("scheduler_port")):
            begin(*bound.args, **bound.kwargs)

    return __init__


def _heard_here(start: Callable[..., Any]) -> Callable[..., Any]:
    """Pages of what itself listens on localhost, or in this process alone, are served on localhost; Dask takes all addresses."""

    def start_http_server(
        self: Any, routes: Any, address: Any, default_port: int = 0, *args: Any, **kwargs: Any
    ) -> Any:
        own = self._start_address
        scheme, _, host = str(own[0] if isinstance(own, (list, tuple)) and own else own or "").partition("://")
        if scheme == "inproc" or (
            address is not None and host.rpartition(":")[0] in ("127.0.0.1", "localhost", "[::1]")
        ):
            address = _on_localhost(default_port if address is None else address)
        for each in BEFORE_PAGES:
            each()
        return start(self, routes, address, default_port, *args, **kwargs)

    return start_http_server


def _on_localhost(address: Any) -> Any:
    """The same port, at localhost where no host is named."""
    if isinstance(address, int) and not isinstance(address, bool):
        return f"127.0.0.1:{address}"
    if isinstance(address, str) and (address.isdecimal() or address.startswith(":")):
        return f"127.0.0.1:{address.lstrip(':')}"
    return address


def _not_inside_a_worker(told: dict[str, Any]) -> None:
    """Refuse processes that a task asks for: its own may not start others, and Dask would try for ever."""
    if multiprocessing.current_process().daemon and told.get("processes") is not False:
        raise RuntimeError(
            "A task asked for a cluster, inside of a worker: a worker starts no cluster. Use the one that runs it: "
            "`distributed.get_client()` or `with distributed.worker_client() as client:`."
        )


def _enough_to_start(memory_limit: Any, n_workers: int | None) -> None:
    """Refuse a limit of main memory that a worker exceeds before its first task: its nanny would end it again and again."""
    if memory_limit in (None, "auto", 0):
        return
    from distributed.worker_memory import parse_memory_limit

    logger = logging.getLogger("distributed.deploy.local")
    limit = parse_memory_limit(memory_limit, nthreads=1, total_cores=n_workers or 1, logger=logger)
    if limit and limit < LEAST_MEMORY:
        raise ValueError(
            f"memory_limit leaves each worker {limit / 1e6:.3g} MB of main memory, and one takes about "
            f'{LEAST_MEMORY / 1e6:.0f} MB before its first task: give more ("1GB"), start fewer workers, or leave it out.'
        )


def _no_ucx(what: str = "This address", *_: Any, **__: Any) -> None:
    if importlib.util.find_spec("distributed_ucxx") is None:
        raise ModuleNotFoundError(_UCX.format(what=what), name="distributed_ucxx")


@contextlib.contextmanager
def _said_plainly(port: Any) -> Iterator[None]:
    """Put what kept a cluster from starting, which Dask leaves at the far end of a chain of errors, into one sentence."""
    try:
        yield
    except RuntimeError as error:
        cause = _first(error)
        if isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE:
            raise RuntimeError(
                f"The cluster could not start: port {port} is taken, perhaps by a cluster that still runs. Leave scheduler_port "
                "out, and it takes one that is free."
            ) from error
        if cause is error:
            raise
        raise RuntimeError(f"The cluster could not start: {type(cause).__name__}: {cause}") from error


def _picklable(send: Callable[..., Any]) -> Callable[..., Any]:
    def _graph_to_futures(*args: Any, **kwargs: Any) -> Any:
        try:
            return send(*args, **kwargs)
        except TypeError as error:
            cause = _first(error)
            if cause is error or not str(error.args[:1]).startswith("('Could not serialize"):
                raise
            raise TypeError(_UNPICKLED.format(cause=cause)) from error

    return _graph_to_futures


def _named(hand_out: Callable[..., Any]) -> Callable[..., Any]:
    """As `_picklable`, for `Client.map`, which asks for a name of the function first, and says only that it has none."""

    def map(self: Any, func: Any, *iterables: Any, **kwargs: Any) -> Any:
        try:
            return hand_out(self, func, *iterables, **kwargs)
        except RuntimeError as error:
            if type(error).__name__ != "TokenizationError":
                raise
            import cloudpickle

            try:
                cloudpickle.dumps((func, kwargs, [each for each in iterables if isinstance(each, (list, tuple))]))
            except Exception as cause:
                raise TypeError(_UNPICKLED.format(cause=cause)) from error
            raise

    return map


def _first(error: BaseException) -> BaseException:
    """The error that a chain of errors began with; not what was tried before and failed as well."""
    while (before := error.__cause__) is not None:
        error = before
    return error
