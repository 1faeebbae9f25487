"""What a hub has to tell a learner, in their JupyterLab: the server passes it on as an event, the lab's extension shows it.

It comes through the server's control socket (`control.py`). What was wrong when the server started, before anybody listened, is in
HUNDREDFOLD_NOTICES (a JSON list of sentences).
"""

from __future__ import annotations

import json
import os
from typing import Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

#: As in etc/labextension/static/dashboard.js.
SCHEMA = "https://hundredfold.invalid/notice"
LONGEST = 2000

_EVENT = {
    "$id": SCHEMA,
    "version": "1",
    "title": "Notice",
    "description": "Something that the hub has to tell the learner.",
    "type": "object",
    "required": ["message"],
    "properties": {
        "message": {"type": "string", "title": "What is said", "description": "A sentence or two, as text."}
    },
}


class Notice(APIHandler):
    """``GET hundredfold/notice``: the list of what was wrong when the server started."""

    @web.authenticated
    def get(self) -> None:
        self.finish(json.dumps(at_start()))


def tell(serverapp: Any, message: str) -> None:
    """Show a message of at most `LONGEST` characters in the learner's lab."""
    serverapp.event_logger.emit(schema_id=SCHEMA, data={"message": message[:LONGEST]})


def at_start() -> list[str]:
    """What whoever started this server has to tell its learner."""
    try:
        told = json.loads(os.environ.get("HUNDREDFOLD_NOTICES") or "[]")
    except ValueError:
        return []
    return [message for message in told if isinstance(message, str)] if isinstance(told, list) else []


def install(serverapp: Any) -> None:
    """Add it to a Jupyter server."""
    serverapp.event_logger.register_event_schema(_EVENT)
    serverapp.web_app.add_handlers(".*$", [(url_path_join(serverapp.base_url, "hundredfold/notice"), Notice)])
