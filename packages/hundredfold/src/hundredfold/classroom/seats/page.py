"""The page on seats, behind the hub's login: ``python -m hundredfold.classroom.seats.page``, started by the hub.

Who may see it is the hub's to say: the scope ``access:services!service=seats``, which instructors have. It shows who uses what, warns
the owners of idle kernels and frees their memory when asked to, and gives seats back that a hub which was killed left behind.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from jupyterhub.services.auth import HubOAuth
from tornado import web

from hundredfold.hub_page import LARGEST, Base, end_with_the_hub, log_as_text, served

from . import reclaim, status
from .allocations import Allocations
from .hub_client import NoAnswer, Site

#: A seat is given back if the hub has not known its server for this long (seconds); a server that starts takes its time.
STALE = 600.0
LOOK = 60.0
#: The page is shown after so many seconds, with who has answered by then: a server answers in milliseconds, and a hostile one never.
WAIT = 1.0


class _Asked(Base):
    @property
    def site(self) -> Site:
        return self.settings["site"]


class Status(_Asked):
    @web.authenticated
    async def get(self) -> None:
        # One look at a time, which all who ask meanwhile share: a silent server holds up one thread, and not all.
        if (look := self.settings.get("look")) is None or look.done():
            look = self.settings["look"] = asyncio.create_task(asyncio.to_thread(status.rows, self.site, WAIT))
        found = await asyncio.shield(look)
        self.finish({"seats": status.as_data(found), "last": self.settings["last"]})


class Reclaim(_Asked):
    @web.authenticated
    async def post(self) -> None:
        try:
            seconds, grace = (float(self.get_body_argument(name)) for name in ("idle", "grace"))
        except ValueError:
            raise web.HTTPError(400, "idle and grace are numbers of seconds") from None
        if not (0 <= seconds < 1e6 and reclaim.LEAST_GRACE <= grace < 1e6):
            raise web.HTTPError(400, f"grace is at least {reclaim.LEAST_GRACE:g} seconds")
        owners = self.get_body_arguments("owner")
        these = reclaim.idle(await asyncio.to_thread(status.rows, self.site), seconds, owners)
        unreached = await asyncio.to_thread(reclaim.warn, self.site, these, grace)
        kept = [each for each in these if each[0] not in unreached]
        task = asyncio.create_task(self._later(kept, grace))
        self.settings["tasks"].add(task)
        task.add_done_callback(self.settings["tasks"].discard)
        self.finish({"warned": [f"{owner}: {kernel.path}" for owner, kernel in kept], "unreachable": sorted(unreached)})

    async def _later(self, kept: list[Any], grace: float) -> None:
        await asyncio.sleep(grace)
        done = await asyncio.to_thread(reclaim.end, self.site, kept, grace)
        self.settings["last"][:] = [f"{freed.owner}: {freed.path}: {freed.how}" for freed in done]


class Stop(_Asked):
    @web.authenticated
    async def post(self) -> None:
        owner = self.get_body_argument("owner")
        if owner not in {seat.owner for seat in Allocations(self.site.state / "seats.json").seats()}:
            raise web.HTTPError(404, "nobody of that name has a seat", reason="Nobody of that name has a seat")
        try:
            await asyncio.to_thread(self.site.stop, owner)
        except NoAnswer as error:
            raise web.HTTPError(502, str(error), reason="The hub did not stop it") from None
        self.set_status(204)


async def _tidy(site: Site) -> None:
    """Give back the seats of servers that the hub has not known for a while."""
    unknown: dict[str, float] = {}
    while True:
        await asyncio.sleep(LOOK)
        try:
            now = await asyncio.to_thread(status.stale, site)
        except (NoAnswer, OSError):  # the hub restarts, or the allocations is in use
            unknown.clear()
            continue
        unknown = {owner: unknown.get(owner, time.monotonic()) for owner in now}
        for owner, since in unknown.items():
            if time.monotonic() - since > STALE:
                await asyncio.to_thread(Allocations(site.state / "seats.json").release, owner)


async def main() -> None:
    """Serve until the hub ends this."""
    end_with_the_hub()
    log_as_text()
    HubOAuth.instance(cache_max_age=10)  # seconds; then the hub is asked anew whether they are still an instructor
    site = Site.at(os.environ["HUNDREDFOLD_STATE_FOLDER"], os.environ["HUNDREDFOLD_RUN_FOLDER"])
    url = urlparse(os.environ["JUPYTERHUB_SERVICE_URL"])
    handlers = {"api/status": Status, "api/reclaim": Reclaim, "api/stop": Stop}
    prefix = os.environ["JUPYTERHUB_SERVICE_PREFIX"]
    made = served(Path(__file__).parent, prefix, handlers, site=site, last=[], tasks=set())
    made.listen(url.port, url.hostname, max_body_size=LARGEST)
    await _tidy(site)


if __name__ == "__main__":
    asyncio.run(main())
