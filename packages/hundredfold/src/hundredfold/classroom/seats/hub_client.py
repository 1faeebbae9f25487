"""Asking the hub, and learners' servers, as root.

A learner's server is the learner's own program: they can replace it by any other. So nothing is sent to it that is worth stealing
(no token: it knows root by the socket, `control.py`), and nothing that it answers is believed further than it has to be: an answer has
a largest size and a last moment, and its shape is checked. The seat's relay hands it on, in a folder that only root enters.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tomllib
import unicodedata
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, ValidationError

from . import CONTROL
from .hook import folder_name

#: Where `hub.toml` is unless HUNDREDFOLD_HUB names another.
SETTINGS = Path("/etc/hundredfold/hub.toml")
#: The secret of the page on seats, in the state folder; made by jupyterhub_config.py. Only the hub is ever shown it.
TOKEN = "page.token"
#: The last moment of an answer of a learner's server, and of the hub's (seconds). A server answers in milliseconds.
PATIENCE, PATIENCE_WITH_HUB = 5.0, 15.0
#: The largest answer of a learner's server, and of the hub (bytes); 64 kernels take 20 kB.
LARGEST, LARGEST_OF_HUB = 1 << 17, 1 << 24


class NoAnswer(RuntimeError):
    """The hub or a server does not answer as it should; the message says who, and what to do."""


class StillUsed(NoAnswer):
    """A kernel was not ended, since its server says that it is in use."""


def plain(text: str) -> str:
    """Text of a learner's as it may be shown to root: at most 200 letters, on one line, without what moves a cursor or turns the direction."""
    return "".join(
        "\ufffd" if unicodedata.category(letter)[0] in "CM" or unicodedata.category(letter) in ("Zl", "Zp") else letter
        for letter in unicodedata.normalize("NFC", text[:200])
    )


class Kernel(BaseModel, frozen=True, strict=True):
    """A running kernel, as its server says: `path` of its notebook (or its name), `state` in Jupyter's words, when it was last used."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f-]{1,64}$")]
    path: Annotated[str, AfterValidator(plain)]
    state: Literal["starting", "idle", "busy", "restarting", "autorestarting", "terminating", "dead", "unknown"]
    last: Annotated[AwareDatetime, Field(strict=False)]

    @property
    def idle(self) -> float:
        """Seconds since it last did something."""
        return max(0.0, (datetime.now(UTC) - self.last).total_seconds())


class _Kernels(BaseModel, strict=True):
    kernels: Annotated[tuple[Kernel, ...], Field(max_length=64, strict=False)]


@dataclass(frozen=True)
class Site:
    """One hub on this machine: its state folder, its folder of sockets, and the page's token."""

    state: Path
    run: Path
    token: str

    @classmethod
    def found(cls, settings: str | os.PathLike[str] | None = None) -> Site:
        """The hub that this `hub.toml` describes.

        Raises
        ------
        NoAnswer
            If there is none, or it is not for this user to read.
        """
        path = Path(settings or os.environ.get("HUNDREDFOLD_HUB") or SETTINGS)
        try:
            hub = tomllib.loads(path.read_text(encoding="utf-8"))["hub"]
            return cls.at(hub["state"], hub["run"])
        except FileNotFoundError:
            raise NoAnswer(f"There is no {path}: name the hub's settings with --settings /path/to/hub.toml.") from None
        except (OSError, KeyError, ValueError) as error:
            raise NoAnswer(f"{path} cannot be read as a hub's settings: {error}.") from None

    @classmethod
    def at(cls, state: str | os.PathLike[str], run: str | os.PathLike[str]) -> Site:
        """The hub with these folders; NoAnswer as above."""
        file = Path(state) / TOKEN
        try:
            return cls(Path(state), Path(run), file.read_text(encoding="utf-8").strip())
        except PermissionError:
            raise NoAnswer("Who sits where is for root's eyes: run the same command with sudo.") from None
        except FileNotFoundError:
            raise NoAnswer(
                f"{file} is not there: the hub has not been started yet (systemctl start hundredfold-hub)."
            ) from None

    def running(self) -> set[str]:
        """The owners of all servers that the hub knows to run or to start."""
        found: set[str] = set()
        count = 0
        while page := self._hub("GET", f"users?state=active&offset={count}"):
            for user in page:
                for name in user.get("servers") or {}:
                    found.add(f"{user['name']}/{name}" if name else user["name"])
            count += len(page)
        return found

    def stop(self, owner: str) -> None:
        """Have the hub stop a server, whatever its learner's programs do; NoAnswer if the hub does not."""
        user, _, name = owner.partition("/")
        which = f"servers/{quote(name, safe='')}" if name else "server"
        self._hub("DELETE", f"users/{quote(user, safe='')}/{which}")

    def kernels(self, owners: Sequence[str], patience: float | None = None) -> list[tuple[Kernel, ...] | NoAnswer]:
        """What runs in each of these servers; where one does not say within so many seconds (`PATIENCE`), why.

        They are asked at the same time, so the slowest of them costs no more than that.
        """

        async def one(owner: str) -> tuple[Kernel, ...]:
            said = await self._server(owner, "GET", "/kernels", patience=patience)
            try:
                return _Kernels.model_validate_json(said).kernels
            except (ValidationError, RecursionError):
                raise NoAnswer("The server answers what is no list of kernels.") from None

        return asyncio.run(_all([one(owner) for owner in owners]))

    def end(self, these: Sequence[tuple[str, str]], idle: float) -> list[None | NoAnswer]:
        """End these kernels, each an owner and an id, that have been idle for so many seconds: the server looks at that moment.

        For each None, StillUsed, or the NoAnswer of a server that does not say that it did. They are asked at the same time.
        """
        return asyncio.run(
            _all(
                [
                    self._server(owner, "DELETE", f"/kernels/{quote(kernel, safe='')}?idle={idle}")
                    for owner, kernel in these
                ]
            )
        )

    def tell(self, messages: Mapping[str, str]) -> dict[str, NoAnswer]:
        """Show learners a sentence each in their labs; whose server does not say that it did, and why. All at the same time."""
        told = asyncio.run(
            _all([self._server(owner, "POST", "/notice", {"message": text}) for owner, text in messages.items()])
        )
        return {owner: said for owner, said in zip(messages, told, strict=True) if isinstance(said, NoAnswer)}

    def _hub(self, method: str, path: str) -> Any:
        what = _ask(
            self.run / "root" / "hub.sock", method, f"/hub/api/{path}", "The hub", LARGEST_OF_HUB, PATIENCE_WITH_HUB,
            Authorization=f"token {self.token}", Accept="application/json",
        )  # fmt: skip
        try:
            said = asyncio.run(what)
            return json.loads(said) if said else None
        except ValueError:
            raise NoAnswer(f"The hub answers {method} {path} with what is no JSON.") from None

    async def _server(
        self, owner: str, method: str, path: str, body: Any = None, patience: float | None = None
    ) -> bytes:
        socket_of_theirs = self.run / folder_name(owner) / CONTROL
        said = b"" if body is None else json.dumps(body).encode()
        return await _ask(
            socket_of_theirs, method, path, "The server", LARGEST, patience or PATIENCE, said,
            Content_Type="application/json",
        )  # fmt: skip


async def _all(calls: Sequence[Awaitable[Any]]) -> list[Any]:
    """What these return, or the NoAnswer that they raise; all at the same time."""

    async def one(call: Awaitable[Any]) -> Any:
        try:
            return await call
        except NoAnswer as error:
            return error

    return await asyncio.gather(*map(one, calls))


async def _ask(
    path: Path,
    method: str,
    url: str,
    who: str,
    largest: int,
    patience: float,
    body: bytes = b"",
    **headers: str,
) -> bytes:
    """The body of the answer of whoever listens at `path`.

    `who` is for messages. Nothing of the answer but its number gets into one, since the rest is a learner's to choose. HTTP 1.0 has
    neither chunks nor interim answers, of which a hostile server could send so many that reading them is work.
    """
    lines = [f"{method} {url} HTTP/1.0", "Host: localhost", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    try:
        async with asyncio.timeout(patience):
            said = await _exchange(path, "\r\n".join([*lines, "", ""]).encode() + body, who, largest)
    except TimeoutError:
        raise NoAnswer(f"{who} does not answer within {patience:g} s.") from None
    except OSError as error:
        raise NoAnswer(f"{who} does not answer ({type(error).__name__}).") from None
    head, _, content = said.partition(b"\r\n\r\n")
    match = re.match(rb"HTTP/1\.[01] ([1-5][0-9][0-9])\b", head)
    if match is None:
        raise NoAnswer(f"{who} answers what is no HTTP.")
    status = int(match[1])
    if status == 409:
        raise StillUsed(f"{who} says that it is in use.")
    if not 200 <= status < 300:
        raise NoAnswer(f"{who} answers {status} to {method} {url}.")
    return content


async def _exchange(path: Path, asked: bytes, who: str, largest: int) -> bytes:
    """All that is answered until whoever listens closes the line."""
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        writer.write(asked)
        said = bytearray()
        while part := await reader.read(1 << 16):
            said += part
            if len(said) > largest:
                raise NoAnswer(f"{who} answers more than {largest >> 10} KiB.")
        return bytes(said)
    finally:
        writer.transport.abort()
