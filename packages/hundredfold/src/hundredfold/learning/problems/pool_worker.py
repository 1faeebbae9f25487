"""A worker of the judging cluster (`pool`): one that needs nobody else's client, as each does on a machine of its own."""

from __future__ import annotations

from typing import Any, ClassVar

from dask.sizeof import sizeof
from dask.typing import no_default
from distributed import Client, Worker
from distributed.utils import in_async_call


class ApartWorker(Worker):
    """A worker whose tasks get a client of its own.

    Dask makes the first such client the default one of the process, and the other workers in that process take it: when its
    worker dies, their tasks fail with it, which no task does on another machine. The learner's next ``x.compute()`` would
    go to it, too.
    """

    received: ClassVar[int] = 0
    """Bytes that were scattered to any of them since the process began."""

    def update_data(self, data: dict[Any, Any], *args: Any, **kwargs: Any) -> Any:
        """Take in what was scattered, counted."""
        ApartWorker.received += sum(map(sizeof, data.values()))
        return super().update_data(data, *args, **kwargs)

    def _get_client(self, timeout: float | None = None) -> Client:
        if self._client is None or self._client.status == "closed":
            self._client = Client(
                self.scheduler,
                loop=self.loop,
                security=self.security,
                set_as_default=False,
                asynchronous=in_async_call(self.loop),
                direct_to_workers=True,
                name="worker",
                timeout=no_default if timeout is None else timeout,
            )
            Worker._initialized_clients.add(self._client)
        return self._client
