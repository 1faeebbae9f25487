"""Who may use the hub: members of this machine's groups of learners and instructors, and no account of the system's.

JupyterHub's own PAM authenticator asks for the password. Which group somebody is in decides the rest, at each login and again while
they work: instructors may open the pages on seats and on the class, and nobody may do more. Who has left the groups cannot go on, and
an account that was made anew, or has another password, is not open to who logged in before.
"""

from __future__ import annotations

import asyncio
import grp
import hashlib
import os
import pwd
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from jupyterhub import orm
from jupyterhub.auth import PAMAuthenticator
from jupyterhub.handlers.login import LoginHandler
from jupyterhub.utils import new_token
from tornado.web import HTTPError
from traitlets import Bool, Integer, List, Unicode

#: The group of JupyterHub's that has the role of the same name (deploy/hub/jupyterhub_config.py).
INSTRUCTORS = "instructors"
#: Where Linux keeps the first number of an account that is a person's (login.defs(5)).
LOGIN_DEFS = Path("/etc/login.defs")
#: The number of `nobody`, on every Linux (the kernel's overflow number).
NOBODY = 65534
#: Where Linux keeps the hashes of passwords (shadow(5)).
SHADOW = Path("/etc/shadow")
#: A wrong password costs PAM three seconds. So many are looked at together, so many of one network's, and so many of those wait.
AT_ONCE, OF_ONE, WAITING = 32, 4, 200


class NotAllowed(RuntimeError):
    """An account that the hub starts no server for; the message says why, and what the administrator can do."""


class Unknown(NotAllowed):
    """The account is not found, or none of the groups is; so it looks, too, while a directory (LDAP) does not answer."""


def person(name: str, groups: Iterable[str]) -> pwd.struct_passwd:
    """The account of a person who is in one of these groups.

    Raises
    ------
    NotAllowed
        If there is no such account (Unknown), if it is root's or the system's, or if it is in none of the groups (Unknown, where there is none of them).
    """
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        raise Unknown(
            f"There is no user {name} on this machine: tell the administrator (`useradd -m {name}`)."
        ) from None
    if user.pw_name != name:
        raise NotAllowed(f"{name} is another name of {user.pw_name}: log in as {user.pw_name}.")
    if user.pw_uid == 0:
        raise NotAllowed("root has no seat: a notebook of root's would own the machine. Log in as somebody else.")
    if user.pw_uid < least_uid() or user.pw_uid == NOBODY:
        raise NotAllowed(
            f"{name} is an account of the system (its number is {user.pw_uid}), and no person's: the hub starts no server for it."
        )
    wanted = sorted(set(groups))
    if not member_of(user, wanted):
        raise (NotAllowed if any(map(_exists, wanted)) else Unknown)(
            f"{name} is in none of the groups {', '.join(wanted)}: tell the administrator (`usermod -aG {wanted[0]} {name}`)."
            if wanted
            else "hub.toml names no groups, so nobody may log in: tell the administrator."
        )
    return user


def member_of(user: pwd.struct_passwd, groups: Iterable[str]) -> set[str]:
    """Those of the groups that the account is in; a group that does not exist has nobody in it."""
    numbers = set(os.getgrouplist(user.pw_name, user.pw_gid))
    return {name for name in groups if _exists(name) and grp.getgrnam(name).gr_gid in numbers}


def _exists(group: str) -> bool:
    try:
        grp.getgrnam(group)
    except KeyError:
        return False
    return True


def least_uid(file: Path = LOGIN_DEFS) -> int:
    """The smallest number of a person's account: UID_MIN, or 1000 where the system does not say."""
    try:
        match = re.search(r"(?m)^\s*UID_MIN\s+(\d+)", file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return 1000
    return int(match[1]) if match else 1000


def account(user: pwd.struct_passwd, shadow: Path = SHADOW) -> str:
    """What is another once somebody else may have the name: a digest of the account's number and of its password's hash.

    The hash is in it where this machine has one. Of an account in a directory (LDAP) it is the number alone.
    """
    kept: list[str] = []
    with suppress(OSError):
        lines = shadow.read_text(encoding="utf-8", errors="replace").splitlines()
        kept = [line.split(":")[1] for line in lines if line.startswith(f"{user.pw_name}:")]
    return hashlib.sha256(f"{user.pw_name}:{user.pw_uid}:{kept}".encode()).hexdigest()


def _end_logins(user: Any, now: str) -> None:
    """End all logins of a user, and their tokens but those of servers that run."""
    running = [orm.APIToken.find(user.db, each.api_token) for each in user.spawners.values() if each.active]
    for made in (*user.orm_user.api_tokens, *user.orm_user.oauth_codes):
        if made not in running:
            user.db.delete(made)
    user.orm_user.cookie_id = new_token()
    user.orm_user.user_info = {"account": now}
    user.db.commit()


def network(address: str) -> str:
    """Whose an address is. Of IPv6 everybody has 2⁶⁴."""
    found = ip_address(address)
    found = getattr(found, "ipv4_mapped", None) or found  # where one socket listens for both
    return str(ip_network((found, 32 if found.version == 4 else 64), strict=False))


def _sent_by_its_own_page(request: Any) -> bool:
    """Whether the page that sends a form is the hub's, as far as the browser says.

    A learner's page could send it with the learner's own name, and its visitor would work in the learner's lab.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or urlsplit(origin).netloc == request.host


class GroupAuthenticator(PAMAuthenticator):
    """Logs in members of `learners` and `instructors` with their passwords of this machine; nobody is an admin of JupyterHub's."""

    learners = List(Unicode(), config=True, help="Groups of this machine whose members have a seat.")
    instructors = List(
        Unicode(),
        config=True,
        help="Groups of this machine whose members also see the pages on seats and on the class.",
    )

    # After a minute at most the hub looks again who is in the groups. Who has left them can do nothing more, nor can their tokens.
    auth_refresh_age = Integer(60, config=True)
    auth_refresh_strict = Bool(True, config=True)
    refresh_pre_spawn = Bool(True, config=True)
    manage_groups = Bool(True, config=True)
    # `check_allowed` says who may log in. Else the hub's log warns at each start that possibly nobody can.
    any_allow_config = Bool(True, config=True)
    # JupyterHub's own four would all be asleep after four wrong passwords, and servers start by one of them, too.
    executor_threads = Integer(AT_ONCE, config=True)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()  # kept by who waits
        self.waiting: Counter[str] = Counter()

    async def authenticate(self, handler: Any, data: dict[str, str]) -> dict[str, Any] | None:
        """The name, the groups and no admin's rights of whoever knows the password; None for anybody else.

        Only the hub's own login form is answered. JupyterHub takes passwords also where tokens are made, and a seat reaches that.
        """
        if not isinstance(handler, LoginHandler):
            raise HTTPError(403, "Passwords are for the login page.")
        if not _sent_by_its_own_page(handler.request):
            raise HTTPError(403, "Another page sent this form. Log in here.")
        async with self._turn(handler.request):
            name = await super().authenticate(handler, data)
        if name is not None and name != self.normalize_username(name):
            # JupyterHub takes Anna for anna, whose password nobody gave: on Linux these are two accounts.
            self.log.warning("No login for %r: names of accounts are in lower case here.", name)
            return None
        return None if name is None else self._standing(name, handler.find_user(name))

    @asynccontextmanager
    async def _turn(self, request: Any) -> AsyncIterator[None]:
        """Wait for a turn to have a password looked at, behind others of the same network and no others."""
        whose = network(request.remote_ip)
        if self.waiting[whose] >= WAITING:
            raise HTTPError(429, "Many log in from your network at this moment. Try again in a minute.")
        self.waiting[whose] += 1
        try:
            async with self.turns.setdefault(whose, asyncio.Semaphore(OF_ONE)):
                if (stream := request.connection.stream) is None or stream.closed():
                    raise HTTPError(408)  # they have left, and made place for others
                yield
        finally:
            self.waiting[whose] -= 1
            self.waiting += Counter()  # without those of whom nobody waits

    def check_allowed(self, username: str, authentication: Any = None) -> bool:
        """Whether `person` lets them in; the log says why not."""
        try:
            person(username, [*self.learners, *self.instructors])
        except NotAllowed as error:
            self.log.warning("No login for %s: %s", username, error)
            return False
        return True

    async def refresh_user(self, user: Any, handler: Any = None, **_: Any) -> dict[str, Any] | bool:
        """What is true of them now; False for who may not log in any more, or has to do so again."""
        before = user.cookie_id
        found = self._standing(user.name, user) if self.check_allowed(user.name) else False
        return found if user.cookie_id == before else False

    def _standing(self, name: str, user: Any) -> dict[str, Any]:
        """What is true of an account that is there; `user` is what the hub has of that name, whose logins end if it was another account's."""
        try:
            found = pwd.getpwnam(name)
        except KeyError:  # whom `check_allowed` refuses
            return {"name": name, "admin": False, "groups": []}
        now = account(found)
        if user is not None and (user.user_info or {}).get("account", now) != now:
            self.log.warning("%s is another account, or has another password: its earlier logins have ended.", name)
            _end_logins(user, now)
        groups = [INSTRUCTORS] if member_of(found, self.instructors) else []
        return {"name": name, "admin": False, "groups": groups, "user_info": {"account": now}}
