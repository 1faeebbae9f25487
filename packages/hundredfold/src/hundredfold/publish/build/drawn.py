"""The drawings that the sources and the docs show, as files: written by the build, compared by ``--check``."""

from __future__ import annotations

import re
from pathlib import Path

from . import store
from .errors import BuildError
from .sources import find

FOLDER = Path("notebooks") / "drawings"
FOR_DOCS = Path("docs") / "images" / "drawings"
SHOWN = re.compile(r"!\[([^\]]*)\]\((?:\.\./notebooks/|(?:\.\./)?images/)?drawings/([^)\s]+)\.svg\)")


def wanted(root: Path) -> dict[Path, str]:
    """The file of each drawing that a source or a page of the docs shows, relative to the checkout, and its text.

    Raises
    ------
    BuildError
        If there is no such drawing, or the page gives it other words than its code does.
    """
    from hundredfold.publish import drawings

    found = {}
    pages = [(path, FOLDER) for path in find(root)] + [(path, FOR_DOCS) for path in sorted(root.glob("docs/**/*.md"))]
    for path, folder in pages:
        text = path.read_text(encoding="utf-8").replace("\n# ", " ")
        for alt, name in SHOWN.findall(text):
            try:
                drawing = drawings.find(name)
            except KeyError:
                known = ", ".join(drawings.names())
                raise BuildError(f"{path.relative_to(root)}: there is no drawing {name!r}; there are {known}") from None
            if alt != drawing.alt:
                raise BuildError(
                    f"{path.relative_to(root)}: the words of the drawing {name} are not those of its code; write\n{drawing.markdown()}"
                )
            found[folder / f"{name}.svg"] = drawing.svg()
    return found


def _strays(root: Path, made: dict[Path, str]) -> list[Path]:
    files = (file.relative_to(root) for folder in (FOLDER, FOR_DOCS) for file in sorted((root / folder).glob("*.svg")))
    return [file for file in files if file not in made]


def write(root: Path) -> list[Path]:
    """Write the drawings of a checkout, remove those that nothing shows, and return what changed."""
    made = wanted(root)
    gone = [root / file for file in _strays(root, made)]
    for file in gone:
        file.unlink()
    return gone + [root / file for file, text in made.items() if store.write_text(root / file, text)]


def differences(root: Path) -> list[str]:
    """One line for each drawing whose file is not what its code makes."""
    made = wanted(root)
    found = [
        f"{file}: not what its code draws"
        for file, text in made.items()
        if not (root / file).exists() or (root / file).read_text(encoding="utf-8") != text
    ]
    return found + [f"{file}: nothing shows it" for file in _strays(root, made)]
