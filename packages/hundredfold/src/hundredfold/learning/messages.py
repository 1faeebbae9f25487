"""Verdicts and hints in another language, where a catalogue has them: `HUNDREDFOLD_LANGUAGE=de`.

The English sentence stands in the code, with its numbers in it. A catalogue has the sentence as it stands there, `{name}` for each number, and one
file for each module: `locale/LANGUAGE/LC_MESSAGES/MODULE.po`. What is said is recognised by that, so that no problem knows of languages.
A sentence that no catalogue has is said in English.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import string
from collections.abc import Iterator
from pathlib import Path

LEARNING = Path(__file__).parent
FOLDER = LEARNING / "locale"


def translated(text: str) -> str:
    """The text in the language that the environment names; what stands within it is translated, too, where it is a sentence itself."""
    language = os.environ.get("HUNDREDFOLD_LANGUAGE", "")
    return _in(language, text) if language not in ("", "en") else text


def _in(language: str, text: str) -> str:
    for pattern, theirs in _patterns(language):
        if found := pattern.fullmatch(text):
            within = {name: _in(language, value) for name, value in found.groupdict().items()}
            return "".join(
                literal + (within[_group(field)] if field is not None else "")
                for literal, field, _, _ in string.Formatter().parse(theirs)
            )
    return text


@functools.cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """How each sentence of the catalogues is recognised, those with most of their own text first, and its translation."""
    from babel.messages.pofile import read_po

    found = []
    for file in sorted((FOLDER / language / "LC_MESSAGES").rglob("*.po")):
        with open(file, "rb") as text:
            entries = [each for each in read_po(text) if each.id and each.string and not each.fuzzy]
        found += [(each.id, each.string) for each in entries]
    return [(_pattern(mine), theirs) for mine, theirs in sorted(found, key=lambda each: -len(_own(each[0])))]


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = string.Formatter().parse(sentence)
    seen: set[str] = set()
    pattern = ""
    for literal, field, _, _ in parts:
        pattern += re.escape(literal)
        if field is not None:
            pattern += f"(?P={_group(field)})" if field in seen else f"(?P<{_group(field)}>.*?)"
            seen.add(field)
    return re.compile(pattern, re.DOTALL)


def _group(field: str) -> str:
    return f"at{field}" if field.isdigit() else field


def _own(sentence: str) -> str:
    return "".join(literal for literal, *_ in string.Formatter().parse(sentence))


def places(sentence: str) -> set[str]:
    """The names in braces of a sentence.

    Raises
    ------
    ValueError
        If a brace is not closed.
    """
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None}


def modules() -> list[str]:
    """The modules that say something, as a catalogue names them: ``"problems/arrays/port"``."""
    files = sorted(LEARNING.rglob("*.py"))
    return [file.relative_to(LEARNING).with_suffix("").as_posix() for file in files if any(_sentences(file))]


def sentences(module: str) -> list[str]:
    """What a module says to a learner, in order, each once. A brace that is meant as one is doubled, as in a format."""
    return list(dict.fromkeys(_sentences(LEARNING / f"{module}.py")))


def _sentences(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    apart = {id(part) for node in ast.walk(tree) for part in _no_sentences(node)}
    strings = [
        node for node in ast.walk(tree) if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in apart
    ]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    asked = {id(node.args[0]) for node in calls if _called(node) == translated.__name__}
    for node in sorted(strings, key=lambda each: (each.lineno, each.col_offset)):
        text = _template(node)
        if id(node) in asked or re.search(r"[A-Za-z`]:? [\w`{].*[.?!:}]\)?$", text, re.DOTALL):
            yield text


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _no_sentences(node: ast.AST) -> list[ast.AST]:
    """Docstrings, and what is a part of a longer text."""
    if isinstance(node, ast.JoinedStr):
        return [part for part in node.values if isinstance(part, ast.Constant)]
    return [node.value] if isinstance(node, ast.Expr) else []


def _template(node: ast.Constant | ast.JoinedStr) -> str:
    """A string with a name in braces for each value: that of a variable, else a number."""
    text, number = "", 0
    for value in node.values if isinstance(node, ast.JoinedStr) else [node]:
        if isinstance(value, ast.FormattedValue):
            number += not isinstance(value.value, ast.Name)
            text += f"{{{value.value.id if isinstance(value.value, ast.Name) else number}}}"
        elif isinstance(value, ast.Constant) and isinstance(value.value, str):
            text += value.value.replace("{", "{{").replace("}", "}}")
    return text
