"""The drawings that the sources show, as files beside the notebooks: written by the build, compared by ``--check``."""

from __future__ import annotations

import re
from pathlib import Path

from . import store
from .errors import BuildError
from .sources import find

FOLDER = Path("notebooks") / "drawings"
SHOWN = re.compile(r"!\[([^\]]*)\]\((?:\.\./notebooks/)?drawings/([^)\s]+)\.svg\)")


def wanted(root: Path) -> dict[str, str]:
    """The name of each drawing that a source of the checkout shows, and its file's text.

    Raises
    ------
    BuildError
        If there is no such drawing, or the source gives it other words than its code does.
    """
    from hundredfold.publish import drawings

    found = {}
    for path in find(root):
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
            found[name] = drawing.svg()
    return found


def write(root: Path) -> list[Path]:
    """Write the drawings of a checkout, remove those that no source shows, and return what changed."""
    folder, made = root / FOLDER, wanted(root)
    gone = [file for file in folder.glob("*.svg") if file.stem not in made]
    for file in gone:
        file.unlink()
    return gone + [
        folder / f"{name}.svg" for name, text in made.items() if store.write_text(folder / f"{name}.svg", text)
    ]


def differences(root: Path) -> list[str]:
    """One line for each drawing whose file is not what its code makes."""
    folder, made = root / FOLDER, wanted(root)
    found = [
        f"{FOLDER / name}.svg: not what its code draws"
        for name, text in made.items()
        if not (folder / f"{name}.svg").exists() or (folder / f"{name}.svg").read_text(encoding="utf-8") != text
    ]
    strays = sorted(file.stem for file in folder.glob("*.svg") if file.stem not in made)
    return found + [f"{FOLDER / name}.svg: no source shows it" for name in strays]
