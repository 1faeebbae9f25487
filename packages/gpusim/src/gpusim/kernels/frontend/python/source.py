"""From a Python function to its syntax tree, wherever it was defined: a file, a notebook cell, a lambda in a call."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import linecache
import pickle
import textwrap
from types import FunctionType
from typing import NamedTuple

from ...faults import UncompilableError

ATTRIBUTE = "__gpusim_source__"
TREE = "__gpusim_tree__"
whole: set[str] = set()
"""Names of files that their reader sees from line 1 on, as in an editor: the source of their functions begins there, too."""


class Source(NamedTuple):
    """The source of one function.

    Attributes
    ----------
    text : str
        Its lines, decorators included, dedented.
    filename : str
    firstlineno : int
        The line of the file that is line 1 of `text`: the function's first one, and 1 for a file in `whole`.
    """

    text: str
    filename: str
    firstlineno: int


def remember(function: FunctionType) -> None:
    """Keep a function's source with it, so that it survives pickling to a process that cannot read it (a Dask worker)."""
    if not hasattr(function, ATTRIBUTE):
        setattr(function, ATTRIBUTE, tuple(of(function)[0]))


def translated(function: FunctionType, source: Source, node: ast.FunctionDef) -> None:
    """Say that a function was translated from another language.

    Parameters
    ----------
    function : function
    source : Source
        The text it was translated from, for messages.
    node : ast.FunctionDef
        The function, with line numbers of that text.
    """
    setattr(function, TREE, (source, node))


def of(function: FunctionType) -> tuple[Source, ast.FunctionDef]:
    """Return a function's source and its syntax tree, with line numbers 1-based within the source's text.

    A lambda is returned as a function of one return statement, a `translated` function as its tree.

    Raises
    ------
    UncompilableError
        If Python does not know the source: the function was made by ``exec`` or typed into a plain interpreter.
    """
    made = getattr(function, TREE, None)
    if made is not None:
        return made[0], copy.deepcopy(made[1])
    kept = getattr(function, ATTRIBUTE, None)
    if kept is not None:
        source = Source(*kept)
        node = _find(source.text, function, source.firstlineno)
    else:
        source, node = _read(function)
    if node is None:
        raise _unreadable(function)
    return source, node


def _read(function: FunctionType) -> tuple[Source | None, ast.FunctionDef | None]:
    code = function.__code__
    try:
        inspect.getsourcelines(function)  # has linecache look at the file again if it changed
    except (OSError, TypeError, IndentationError, SyntaxError):
        pass
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        return None, None
    try:
        node = _find("".join(lines), function, 1)
    except SyntaxError:
        return None, None
    if node is None:
        return None, None
    first, last = 1 if code.co_filename in whole else _first(node), node.end_lineno
    text = textwrap.dedent("".join(lines[first - 1 : last]))
    ast.increment_lineno(node, 1 - first)
    indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    for inner in ast.walk(node):
        if hasattr(inner, "col_offset"):
            inner.col_offset = max(inner.col_offset - indent, 0)
            inner.end_col_offset = max(inner.end_col_offset - indent, 0)
    return Source(text, code.co_filename, first), node


@functools.lru_cache(maxsize=16)
def _definitions(text: str) -> dict[tuple[str, int], list[ast.FunctionDef | ast.Lambda]]:
    """The functions of a text by name and first line. They are shared: who changes one changes a copy."""
    found: dict[tuple[str, int], list[ast.FunctionDef | ast.Lambda]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            found.setdefault((node.name, _first(node)), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
    return found


def _first(node: ast.AST) -> int:
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def _find(text: str, function: FunctionType, offset: int) -> ast.FunctionDef | None:
    """Find the definition of a function in a text whose line 1 is line `offset` of the file; a copy of it."""
    code = function.__code__
    found = _definitions(text).get((code.co_name, code.co_firstlineno - offset + 1))
    if not found:
        return None
    node = found[0] if len(found) == 1 else next((n for n in found if _same_code(n, code)), found[0])
    node = pickle.loads(pickle.dumps(node))  # several times as fast as copy.deepcopy
    if isinstance(node, ast.Lambda):
        value = ast.Return(node.body, lineno=node.body.lineno, col_offset=node.body.col_offset)
        made = ast.FunctionDef("lambda_", node.args, [value], [], lineno=node.lineno, col_offset=node.col_offset)
        made.end_lineno, made.end_col_offset = node.end_lineno, node.end_col_offset
        if hasattr(made, "type_params") or "type_params" in ast.FunctionDef._fields:
            made.type_params = []
        node = ast.fix_missing_locations(made)
    return node


def _same_code(node: ast.AST, code: object) -> bool:
    """Whether a lambda, one of several in a line, is the one whose code this is."""
    if not isinstance(node, ast.Lambda):
        return True
    compiled = compile(ast.Expression(node), "<lambda>", "eval").co_consts[0]
    same = ("co_code", "co_names", "co_varnames")
    constants = [[c for c in k.co_consts if not inspect.iscode(c)] for k in (compiled, code)]
    return all(getattr(compiled, name) == getattr(code, name) for name in same) and constants[0] == constants[1]


def _unreadable(function: FunctionType) -> UncompilableError:
    return UncompilableError(
        f"The source of {function.__name__} cannot be read, and simulating a kernel needs it. Define it in a file or "
        "in a notebook cell, not by exec or in a plain interpreter."
    )
