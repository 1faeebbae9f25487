"""The hub's database: what it cannot store fails one request and no other, what it has can be read, and nobody fills it.

All requests share one session. Where something cannot be written, JupyterHub rolls it back if the error is one of SQLAlchemy's. What
Python's sqlite3 cannot store (half of a surrogate pair, a number of more than 64 bits) raises another. The session then refuses the next
request, whoever sends it, and a learner can have their tokens carry such a note as often as they like.

Of what a user sends with the start of a server, JupyterHub reads an object with a certain name as bytes. It takes no bytes for a server's options,
so a hub that was started again, with one such server running, ended at once, as often as it was started.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jupyterhub import orm
from jupyterhub.handlers.base import BaseHandler
from sqlalchemy import Connection, Engine, delete, event, func, inspect, select
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapper

#: So many tokens, and so many codes, each user has at most. Who logs in ten times a day, to a server and two pages, has 420 tokens, which end after two weeks.
MOST = 500
#: So many letters of a token's note are kept.
LONGEST = 200
#: What users make as often as they like, and the column that says whose it is.
OWNED = {orm.APIToken: "user_id", orm.OAuthCode: "user_id", orm.ShareCode: "owner_id"}


class TooMany(SQLAlchemyError):
    """A user has so many rows that no more are kept; `jupyterhub_message` is what they read."""

    jupyterhub_message = f"You have {MOST} tokens, and the hub keeps no more: delete some on its page Token."


def guard() -> None:
    """Have every error in this process's databases be one of SQLAlchemy's, what users sent be read as they sent it, and each user's rows be few."""
    if event.contains(Engine, "handle_error", _as_sqlalchemys):
        return
    orm.JSONDict._object_hook = lambda column, sent: sent
    event.listen(Engine, "handle_error", _as_sqlalchemys)
    BaseHandler.finish = _undone_first(BaseHandler.finish)
    for kind in OWNED:
        event.listen(kind, "before_insert", _few)
        event.listen(kind, "before_update", _few)  # a row can be there before its user is


def _undone_first(own: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseHandler.finish`, with what a request left half done undone before anything else.

    JupyterHub first names it in the log. For that it asks the database, which first writes what is not written yet; where that cannot be,
    the request is never answered, and the next one refused, whoever sends it.
    """

    def finish(handler: BaseHandler, *arguments: Any, **more: Any) -> Any:
        if handler.db.dirty or not handler.db.is_active:
            handler.db.rollback()
        return own(handler, *arguments, **more)

    return finish


def _as_sqlalchemys(context: ExceptionContext) -> Exception | None:
    """What is raised in place of an error; None: the error itself."""
    error = context.original_exception
    if context.sqlalchemy_exception is not None or not isinstance(error, Exception):
        return None
    return SQLAlchemyError(f"{type(error).__name__} of the database's driver: {error}")


def _few(mapper: Mapper[Any], connection: Connection, made: Any) -> None:
    """Refuse a row of a user who has too many; a long note is cut.

    Of codes the oldest goes instead. A login needs its code for a second, and any page that a user opens can have codes made for them.
    """
    name = OWNED[mapper.class_]
    if owners := inspect(made).attrs[name].history.added:
        whose, owner = mapper.columns[name], owners[0]
        if owner is not None and connection.scalar(select(func.count()).where(whose == owner)) >= MOST:
            if mapper.class_ is not orm.OAuthCode:
                raise TooMany(TooMany.jupyterhub_message)
            key = mapper.columns["id"]
            oldest = select(func.min(key)).where(whose == owner).scalar_subquery()
            connection.execute(delete(mapper.local_table).where(key == oldest))
    if isinstance(getattr(made, "note", None), str):
        made.note = made.note[:LONGEST]
