"""Ways into the course from the web: nbgitpuller, Binder, Colab; made from one setting, the repository's public address.

The setting is ``Repository`` in ``[project.urls]`` of packages/hundredfold/pyproject.toml, and ``branch`` in ``[tool.hundredfold]`` if that is not `main`.
While it is unset there are no such ways, and pages leave them out.

`colab`    the lectures and exercises with one more first cell, which installs the project
`command`  ``hundredfold links``
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from hundredfold import paths
from hundredfold.setup.workspace import settings

BRANCH = "main"


class WrongAddress(ValueError):
    """An address from which nobody could fetch the course; the message says what one looks like."""


@dataclass(frozen=True)
class Link:
    """A way in: `title` is what a page calls it, `badge` the address of the picture that services offer for it."""

    title: str
    url: str
    badge: str


@dataclass(frozen=True)
class Address:
    """A public git repository of the course: its address without ``.git``, and the branch that learners get."""

    url: str
    branch: str = BRANCH

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def path(self) -> str:
        """``owner/name`` on a host of repositories."""
        return urlsplit(self.url).path.strip("/")

    @property
    def name(self) -> str:
        """What a clone of it is called."""
        return self.url.rstrip("/").rpartition("/")[2]

    def nbgitpuller(self, hub: str, file: str) -> str:
        """The link that brings a learner of this hub the course, and later its updates, and opens `file`.

        It keeps what the learner changed: their copy of a notebook stays whole (``.gitattributes``). The hub's servers have to have
        nbgitpuller, and to reach the repository.

        Parameters
        ----------
        hub : the hub's address, ``https://hub.example.org``.
        file : relative to the repository, ``notebooks/01_arrays.ipynb``.
        """
        what = {"repo": self.url, "branch": self.branch, "urlpath": f"lab/tree/{self.name}/{file}"}
        return f"{checked(hub)}/hub/user-redirect/git-pull?{urlencode(what)}"

    def binder(self, file: str) -> str:
        """The link that opens `file` on mybinder.org, in the learner's copies (`binder/start`)."""
        branch = quote(self.branch, safe="")
        if self.host == "github.com":
            where = f"gh/{self.path}/{branch}"
        elif self.host == "gitlab.com":
            where = f"gl/{quote(self.path, safe='')}/{branch}"
        else:
            where = f"git/{quote(self.url, safe='')}/{branch}"
        return f"https://mybinder.org/v2/{where}?{urlencode({'urlpath': f'lab/tree/hundredfold/{file}'})}"

    def colab(self, stem: str) -> str | None:
        """The link that opens a unit in Colab; None where Colab cannot open it: it knows GitHub alone."""
        if self.host != "github.com":
            return None
        return f"https://colab.research.google.com/github/{self.path}/blob/{quote(self.branch)}/colab/{stem}.ipynb"

    def form(self, name: str) -> str:
        """The address of a form for an issue, such as "recording" (`.github/ISSUE_TEMPLATE`)."""
        return f"{self.url}/issues/new?template={name}.yml"

    def requirement(self, package: str) -> str:
        """What pip installs a package from. Without its name: a requirement with one may not name a local repository."""
        return f"git+{self.url}@{self.branch}#subdirectory=packages/{package}"


def address() -> Address | None:
    """The repository's public address as the project has it; None while it has none.

    Raises
    ------
    WrongAddress
        If the setting is no address.
    """
    root = paths.repository()
    if root is not None:
        project = settings(root, "hundredfold")
        url = project["project"].get("urls", {}).get("Repository")
        branch = project.get("tool", {}).get("hundredfold", {}).get("branch", BRANCH)
    else:
        url, branch = _installed(), BRANCH
    return given(url, branch) if url else None


def given(url: str, branch: str = BRANCH) -> Address:
    """The address that somebody gave, such as a fork's.

    Raises
    ------
    WrongAddress
        If it is none, or would carry a password into every page.
    """
    if not re.fullmatch(r"[\w./-]+", branch) or branch.startswith("-"):
        raise WrongAddress(f"{branch!r} is no name of a branch.")
    return Address(checked(url).removesuffix(".git"), branch)


def checked(url: str) -> str:
    """An address for a page, without a slash at its end; WrongAddress as above."""
    parts = urlsplit(url)
    fine = parts.scheme in ("https", "http") and parts.hostname or parts.scheme == "file" and parts.path
    if not fine or parts.username or parts.query or parts.fragment or re.search(r"[\s\"'<>\\]", url):
        raise WrongAddress(
            f"{url!r} is no address of a public repository or hub: https://github.com/owner/name is one."
        )
    return url.rstrip("/")


def closed(hub: str, file: Path | None = None) -> str | None:
    """Why links for this hub cannot work, as far as its settings on this machine say; None where they can, or nothing is known."""
    file = file or Path(os.environ.get("HUNDREDFOLD_HUB") or "/etc/hundredfold/hub.toml")
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))["hub"]
        own = {urlsplit(told[key]).hostname for key in ("address", "subdomains")} - {None}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    host = urlsplit(hub).hostname
    if (
        told.get("own_network") is True
        and host is not None
        and any(host == name or host.endswith(f".{name}") for name in own)
    ):
        return (
            f"Such links do not work on {hub}: {file} says own_network = true, so learners' servers reach no repository. They have the course "
            "already, and each start brings it up to date. For links, set own_network = false (docs/administrators/threats.md says what that opens)."
        )
    return None


def ways(stem: str, folder: str = "notebooks", where: Address | None = None) -> list[Link]:
    """The ways in for a notebook that every page may show; none while there is no public address."""
    where = where or address()
    if where is None:
        return []
    found = [
        Link("Binder", where.binder(f"{folder}/{stem}.ipynb"), "https://mybinder.org/badge_logo.svg"),
    ]
    if folder != "solutions" and (colab := where.colab(stem if folder == "notebooks" else f"{stem}_{folder}")):
        found.append(Link("Colab", colab, "https://colab.research.google.com/assets/colab-badge.svg"))
    return found


def badges(stem: str, folder: str = "notebooks", where: Address | None = None) -> str:
    """The same as a line of Markdown with pictures, for a README; empty while there is no public address."""
    return " ".join(f"[![Open in {way.title}]({way.badge})]({way.url})" for way in ways(stem, folder, where))


def _installed() -> str | None:
    """The address in the installed project's metadata."""
    try:
        told = importlib.metadata.metadata("hundredfold").get_all("Project-URL") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    named = dict(line.split(", ", 1) for line in told if ", " in line)
    return named.get("Repository")
