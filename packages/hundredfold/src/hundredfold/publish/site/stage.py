"""Put the sources of the site together: what is shown stays where it is written, and links are turned to where it will be shown."""

from __future__ import annotations

import json
import os
import posixpath
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

from . import answers, browser_page, languages, layout, measured, results, run_here, units

#: The setting that holds the repository's public address; without it, what is not a page of the site is named, not linked.
ADDRESS = "HUNDREDFOLD_ADDRESS"

#: A link or a picture; or a piece of code, which may look like one: ``kernel[blocks, threads](x)``. Words in brackets may be code.
_LINK = re.compile(r"(!?\[(?:`[^`]*`|[^\]\\`]|\\.)*\])\(([^)\s]+)\)|(?<!`)(`+)(?!`).*?(?<!`)\3(?!`)", re.DOTALL)
_FENCE = re.compile(r"^(```+|~~~+|:::+).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def stage(root: Path, place: Path) -> list[str]:
    """Fill the folder `place`, which is emptied before, and return the names of its pages.

    Raises
    ------
    FileNotFoundError
        If a link leads to a file that the checkout does not have; the message names the page and the link.
    """
    shutil.rmtree(place, ignore_errors=True)
    where = layout.pages(root)
    terms = {
        layout.anchor(term): term
        for term in re.findall(r"(?m)^(\S.*)\n  \S", (root / "docs" / "glossary.md").read_text(encoding="utf-8"))
    }
    kernels = run_here.of_the_course(root)
    for file, target in where.items():
        out = place / target
        out.parent.mkdir(parents=True, exist_ok=True)
        if file.endswith(".md"):
            text = (root / file).read_text(encoding="utf-8")
            if re.fullmatch(r"docs/instructors/\d.*\.md", file):
                text = units.instruct(text, file)
            if file == "docs/browser.md":
                text = browser_page.filled(text, sum(len(each.kernels) for of in kernels.values() for each in of))
            if file.startswith("docs/"):
                text = answers.filled(text)
            out.write_text(relink(text, file, root, where), encoding="utf-8")
        elif file.endswith(".ipynb"):
            notebook = json.loads((root / file).read_text(encoding="utf-8"))
            for cell in notebook["cells"]:
                if cell["cell_type"] == "markdown":
                    cell["source"] = _terms(relink("".join(cell["source"]), file, root, where), terms)
            run_here.link(notebook, kernels.get(file, []))
            units.add_navigation(notebook, file, where)
            out.write_text(json.dumps(notebook), encoding="utf-8")
        else:
            shutil.copyfile(root / file, out)
    shutil.copyfile(root / "docs" / "conf.py", place / "conf.py")
    shutil.copytree(root / languages.FOLDER, place / "locale", ignore=shutil.ignore_patterns("*.mo"))
    for name, text in (units.pages() | results.pages(root) | measured.pages(root)).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return sorted(str(page.relative_to(place)) for page in place.rglob("*") if page.suffix in (".md", ".ipynb"))


def relink(text: str, file: str, root: Path, where: dict[str, str]) -> str:
    """The text of a page with its links turned; what stands in code is left.

    Parameters
    ----------
    file : the page's path in the checkout; its links are relative to it.
    where : each file of the checkout that is in the site, and its place there.
    """

    def turned(match: re.Match[str]) -> str:
        label, target = match.group(1, 2)
        if label is None or re.match(r"[a-z][a-z0-9+.-]*:|#|/", target):
            return match.group()
        path, hash_, anchor = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(path)))
        if wanted in where:
            there = posixpath.relpath(where[wanted], posixpath.dirname(where.get(file, file)) or ".")
            return f"{label}({there}{hash_}{anchor})"
        if not (root / wanted).exists():
            made = wanted.removeprefix("docs/")
            if made in _GENERATED:
                there = posixpath.relpath(made, posixpath.dirname(where.get(file, file)) or ".")
                return f"{label}({there}{hash_}{anchor})"
            raise FileNotFoundError(f"{file} links to {target}, which is not there: correct the link.")
        address = os.environ.get(ADDRESS, "").rstrip("/")
        if address:
            return f"{label}({address}/blob/main/{wanted}{hash_}{anchor})"
        words = label.lstrip("!")[1:-1]
        return words if wanted in words or "`" in words else f"{words} (`{wanted}`)"

    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(turned, text[end : fence.start()]), fence.group()]
        end = fence.end()
    return "".join([*parts, _LINK.sub(turned, text[end:])])


def _terms(text: str, terms: dict[str, str]) -> str:
    """The text with its links to words of the glossary as Sphinx has them: it knows no anchor of a page by name. `terms` has them by their anchors."""
    return re.sub(
        r"\[([^\]]+)\]\((?:\.\./)*glossary\.md#(term-[\w.-]+)\)",
        lambda link: f"{{term}}`{link[1]} <{terms.get(link[2], link[2].removeprefix('term-'))}>`",
        text,
    )


_GENERATED = {*units.PAGES, *results.PAGES, *measured.PAGES}
