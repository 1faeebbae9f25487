"""From a Python function to its syntax tree, wherever it was defined: a file, a notebook cell, a lambda in a call, a text for exec."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import inspect
import linecache
import os
import pickle
import sys
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from gpusim import texts

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


def keep(function: FunctionType) -> None:
    """Remember the source of a function that no file has, while the text that it comes from is still known."""
    name = function.__code__.co_filename
    if name not in linecache.cache and not os.path.isfile(name):
        with contextlib.suppress(UncompilableError):  # raised when it is launched
            remember(function)


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
        If the source is not found: it was compiled before the simulator was in place, say.
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
    if source is None or node is None:
        raise _unreadable(function)
    return source, node


def _read(function: FunctionType) -> tuple[Source | None, ast.FunctionDef | None]:
    code = function.__code__
    try:
        inspect.getsourcelines(function)  # has linecache look at the file again if it changed
    except (OSError, TypeError, IndentationError, SyntaxError):
        pass
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if os.path.isfile(code.co_filename) or code.co_filename in whole:
        candidates: Iterator[str] = iter([text] if text else [])
    else:  # many texts have the name <string>, so the text's code has to be the function's
        candidates = (each for each in _texts(text, code) if _made_from(each, code))
    for each in candidates:
        with contextlib.suppress(SyntaxError):
            node = _find(each, function, 1)
            if node is not None:
                return _cut(node, each.splitlines(keepends=True), code.co_filename)
    return None, None


def _cut(node: ast.FunctionDef, lines: list[str], filename: str) -> tuple[Source, ast.FunctionDef]:
    """A function's part of a text, and its tree with line numbers of that part."""
    first, last = 1 if filename in whole else _first(node), node.end_lineno
    text = textwrap.dedent("".join(lines[first - 1 : last]))
    ast.increment_lineno(node, 1 - first)
    indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    inner: Any
    for inner in ast.walk(node):
        if hasattr(inner, "col_offset"):
            inner.col_offset = max(inner.col_offset - indent, 0)
            inner.end_col_offset = max(inner.end_col_offset - indent, 0)
    return Source(text, filename, first), node


def _texts(first: str, code: CodeType) -> Iterator[str]:
    """The texts that a function without a file may come from, the likeliest first."""
    yield first
    yield from texts.latest()
    yield from sys.orig_argv  # the text after -c
    if code.co_filename == "<stdin>":
        yield texts.standard_input()
        yield from _typed()
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:  # a magic compiles its cell without the magic's own line
        yield from (cell.partition("\n")[2] for cell in reversed(shell.history_manager.input_hist_raw))


def _typed() -> Iterator[str]:
    """Ends of what was typed into a plain interpreter. Until Python 3.12 only its history has that."""
    readline: Any = sys.modules.get("readline")
    last = readline.get_current_history_length() if readline else 0
    lines: list[str] = []
    for number in range(last, max(last - 500, 0), -1):
        lines.insert(0, readline.get_history_item(number) or "")
        if lines[0][:1].strip():  # a statement begins where a line is not indented
            yield "\n".join([*lines, ""])


def _made_from(text: str, code: CodeType) -> bool:
    """Whether a function's code is what a text compiles to.

    IPython compiles a cell's statements one by one, which makes other code where a name is imported. ``%%timeit`` wraps a
    function around them: its names are free variables of the inner functions then, and no global ones.
    """
    if code.co_name not in text and code.co_name != "<lambda>":
        return False
    try:
        tree = ast.parse(text)
        wholes = [tree, *(ast.Module([statement], []) for statement in tree.body)]
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        found = [compile(whole, code.co_filename, "exec", flags, dont_inherit=True) for whole in wholes]
    except (SyntaxError, ValueError):
        return False
    for each in found:  # grows
        found += [inner for inner in each.co_consts if inspect.iscode(inner)]
    return any(_alike(each, code) for each in found)


def _alike(one: CodeType, other: CodeType) -> bool:
    here, there = (
        (
            *(code.co_name, code.co_firstlineno, code.co_varnames),
            [(type(value), value) for value in code.co_consts if not inspect.iscode(value)],
            sorted((*code.co_names, *code.co_freevars)),
            code.co_code if one.co_freevars == other.co_freevars else None,
        )
        for code in (one, other)
    )
    return here == there


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


def _first(node: Any) -> int:
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
        made: Any = ast.FunctionDef("lambda_", node.args, [value], [], lineno=node.lineno, col_offset=node.col_offset)
        made.end_lineno, made.end_col_offset = node.end_lineno, node.end_col_offset
        if hasattr(made, "type_params") or "type_params" in ast.FunctionDef._fields:
            made.type_params = []
        node = ast.fix_missing_locations(made)
    return node


def _same_code(node: ast.AST, code: Any) -> bool:
    """Whether a lambda, one of several in a line, is the one whose code this is."""
    if not isinstance(node, ast.Lambda):
        return True
    compiled = compile(ast.Expression(node), "<lambda>", "eval").co_consts[0]
    same = ("co_code", "co_names", "co_varnames")
    constants = [[c for c in k.co_consts if not inspect.iscode(c)] for k in (compiled, code)]
    return all(getattr(compiled, name) == getattr(code, name) for name in same) and constants[0] == constants[1]


def _unreadable(function: FunctionType) -> UncompilableError:
    instead = "Write it into a file and import it, or define it in a notebook cell."
    if function.__code__.co_filename == "<stdin>":
        instead = "Python had read it from a pipe before anything was simulated. Run the file, or set GPUSIM_SIMULATE=1 first."
    return UncompilableError(
        f"The source of {function.__name__} cannot be read ({function.__code__.co_filename}), and simulating a kernel needs it. "
        + instead
    )
