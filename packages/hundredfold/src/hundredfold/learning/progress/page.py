"""The class live, behind the hub's login: ``python -m hundredfold.learning.progress.page``, started by the hub.

Who may see it is the hub's to say: the scope ``access:services!service=class``, which instructors have. It only reads: what learners
share in the class's folder (environment variable HUNDREDFOLD_CLASS), as `hundredfold progress --class` shows it, too.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from urllib.parse import urlparse

from jupyterhub.services.auth import HubOAuth
from tornado import web

from hundredfold.hub_page import LARGEST, Base, end_with_the_hub, log_as_text, served

from . import classroom


class Summary(Base):
    @web.authenticated
    async def get(self) -> None:
        try:
            # One at a time: ten instructors' pages ask no more of the disk than one.
            async with self.settings["one"]:
                told = await asyncio.to_thread(classroom.summary, self.settings["folder"])
        except classroom.NoClass as error:
            raise web.HTTPError(503, str(error), reason="The folder of the class cannot be read") from None
        self.finish(told)


async def main() -> None:
    """Serve until the hub ends this."""
    end_with_the_hub()
    log_as_text()
    HubOAuth.instance(cache_max_age=10)  # seconds; then the hub is asked anew whether they are still an instructor
    url = urlparse(os.environ["JUPYTERHUB_SERVICE_URL"])
    folder, prefix = Path(os.environ["HUNDREDFOLD_CLASS"]), os.environ["JUPYTERHUB_SERVICE_PREFIX"]
    made = served(Path(__file__).parent, prefix, {"api/summary": Summary}, folder=folder, one=asyncio.Lock())
    made.listen(url.port, url.hostname, max_body_size=LARGEST)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
