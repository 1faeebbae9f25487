"""The types that Numba finds in a kernel, line by line."""

from __future__ import annotations

import re

from ...frontend.python.resolve import Function
from .compile import Compiled

_OURS = re.compile(r"_hf_(c|m|t\d+|i\d+|do_\w+)\b|\$")


def text(compiled: Compiled, function: Function) -> str:
    """The kernel's source, each line with the variables that it assigns and their types."""
    found: dict[int, dict[str, str]] = {}
    for result in compiled.thread.overloads.values():
        annotation = result.type_annotation
        for block in annotation.blocks.values():
            for statement in block.body:
                target = getattr(statement, "target", None)
                name = getattr(target, "name", "")
                if not name or _OURS.match(name):
                    continue
                line = statement.loc.line - function.firstlineno + 1
                found.setdefault(line, {})[name.split(".")[0]] = str(annotation.typemap[name])
    lines = [f"{function.name} ({', '.join(map(str, _arguments(compiled)))})", "-" * 80]
    for number, line in enumerate(function.source.splitlines(), start=1):
        for name, kind in found.get(number, {}).items():
            lines.append(f"{' ' * (len(line) - len(line.lstrip()))}# {name} :: {kind}")
        lines.append(line)
    return "\n".join(lines)


def kinds(compiled: Compiled) -> tuple:
    """The types of a kernel's arguments: machine code from disk does not tell its variables, so it is compiled anew."""
    (signature,) = compiled.run.overloads
    return tuple(signature[-1].types)


def _arguments(compiled: Compiled) -> tuple:
    (result,) = list(compiled.thread.overloads.values())[:1]
    return tuple(result.signature.args[2:])
