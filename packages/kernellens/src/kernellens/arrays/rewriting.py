"""A statement with its right side as a fused function.

Only what `cupy.fuse` takes: its variables have the operators but a power of a number, few methods, and no shape; and of CuPy's
functions it takes the ufuncs, `where`, `clip` and the reductions [cupy/_core/_fusion_interface.py and fusion.pyx, read].
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Container

_METHODS = frozenset("copy astype sum prod max min all any".split())
_FUNCTIONS = frozenset("where clip sum prod max min amax amin all any".split())
_OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
    *(ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor),
)


def code(tree: ast.Module, line: int, plain: Container[str], module: str) -> str:
    """The statement of a line, rewritten; empty where that would change more than where the work is done.

    Parameters
    ----------
    tree : ast.Module
        The code.
    line : int
    plain : container of str
        Names that stand for no array: modules, functions, numbers.
    module : str
        CuPy's name there.
    """
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno == line]
    statement = found[0] if len(found) == 1 else None
    if not isinstance(statement, (ast.Assign, ast.Return, ast.Expr)):
        return ""
    value = statement.value
    if value is None or not _fits(value, module) or isinstance(value, ast.Name):
        return ""
    names = list(dict.fromkeys(n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != module))
    arguments = [name for name in names if name not in plain]
    if not arguments or any(hasattr(builtins, name) for name in names):
        return ""
    if len(names) == 1 and _redeclares(value, module):
        return ""
    head = "return " if isinstance(statement, ast.Return) else ""
    if isinstance(statement, ast.Assign):
        head = "".join(f"{ast.unparse(target)} = " for target in statement.targets)
    listed = ", ".join(names)
    return f"@{module}.fuse()\ndef fused({listed}):\n    return {ast.unparse(value)}\n\n{head}fused({listed})"


def block(tree: ast.Module, lines: list[int], plain: Container[str], module: str) -> str:
    """Statements that follow each other as a fused function; empty where that is not plain to see.

    Its results are the names that are used after it: in a cell, where all stay, all of them.

    Parameters
    ----------
    tree, plain, module
        As for `code`.
    lines : list of int
        The lines that the statements begin at, ascending.
    """
    found = _block(tree, lines)
    if found is None:
        return ""
    statements, around = found
    inputs: dict[str, None] = {}
    made: dict[str, None] = {}
    reduced = False
    for statement in statements:
        name = value = None
        if isinstance(statement, ast.Assign):
            if len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                name, value = statement.targets[0].id, statement.value
        elif isinstance(statement, ast.Return) and statement is statements[-1]:
            value = statement.value
        if value is None or reduced or not _fits(value, module):
            return ""
        reduced = any(isinstance(n, ast.Attribute) and n.attr in _REDUCTIONS for n in ast.walk(value))
        inputs |= dict.fromkeys(n for n in _names(value, module) if n not in made)
        if name is not None:
            made[name] = None
    returned = isinstance(statements[-1], ast.Return)
    kept = [name for name in made if around is None or name in _used_after(around, statements)]
    arguments = ", ".join(inputs)
    if not any(name not in plain for name in inputs) or any(hasattr(builtins, name) for name in (*inputs, *made)):
        return ""
    if returned == bool(kept) or reduced and len(kept) > 1:
        return ""
    if len(inputs) == 1 and any(_redeclares(statement, module) for statement in statements):
        return ""
    body = [ast.unparse(statement) for statement in statements]
    results = ", ".join(kept)
    if not returned:
        body.append(f"return {results}")
    call = f"return fused({arguments})" if returned else f"{results} = fused({arguments})"
    indented = "\n".join(f"    {line}" for line in body)
    return f"@{module}.fuse()\ndef fused({arguments}):\n{indented}\n\n{call}"


_REDUCTIONS = frozenset("sum prod max min amax amin all any".split())


def _block(tree: ast.Module, lines: list[int]) -> tuple[list[ast.stmt], ast.AST | None] | None:
    """The statements of some lines, where nothing stands between them, and the function around them."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list) or not any(
            isinstance(each, ast.stmt) and each.lineno == lines[0] for each in body
        ):
            continue
        at = next(i for i, each in enumerate(body) if each.lineno == lines[0])
        statements = body[at : at + len(lines)]
        if [each.lineno for each in statements] != lines:
            return None
        if isinstance(node, ast.Module):
            return statements, None
        return (statements, node) if isinstance(node, ast.FunctionDef) else None
    return None


def _names(value: ast.expr, module: str) -> list[str]:
    return [n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != module]


def _used_after(function: ast.AST, statements: list[ast.stmt]) -> set[str]:
    inside = {id(n) for statement in statements for n in ast.walk(statement)}
    return {
        n.id
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and id(n) not in inside and isinstance(n.ctx, ast.Load)
    }


def _fits(node: ast.expr, module: str) -> bool:
    """Whether `cupy.fuse` takes an expression."""
    if isinstance(node, ast.Name):
        return True
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (bool, int, float, complex))
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Constant):
            return False
        return isinstance(node.op, _OPERATORS) and _fits(node.left, module) and _fits(node.right, module)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.Invert)) and _fits(node.operand, module)
    if isinstance(node, ast.Compare):
        plain = isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq))
        return len(node.ops) == 1 and plain and _fits(node.left, module) and _fits(node.comparators[0], module)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _call_fits(node, node.func, module)
    return False


def _call_fits(node: ast.Call, function: ast.Attribute, module: str) -> bool:
    given = function.value
    arguments = [*node.args]
    if isinstance(given, ast.Name) and given.id == module:
        if function.attr not in _FUNCTIONS and function.attr not in _ufuncs():
            return False
    elif function.attr in _METHODS and _fits(given, module):
        arguments = [argument for argument in arguments if not _is_type(argument, module)]
    else:
        return False
    if any(keyword.arg != "axis" for keyword in node.keywords):
        return False
    constant = all(isinstance(keyword.value, ast.Constant) for keyword in node.keywords)
    return constant and all(_fits(argument, module) for argument in arguments)


def _redeclares(node: ast.AST, module: str) -> bool:
    """Whether a function of CuPy reduces what is of another type than the one array that is fused: CUB cannot compile that.

    [cupy/_core/_cub_reduction.pyx:671 and fusion.pyx:778, an H200]  The method, `(x > 0).sum()`, is fused in another way.
    """
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    reducing = [n for n in calls if ast.unparse(n.func.value) == module and n.func.attr in _REDUCTIONS]  # type: ignore[attr-defined]
    return any(
        n.func.attr in ("all", "any")  # type: ignore[attr-defined]
        or any(isinstance(m, ast.Compare) or isinstance(m, ast.Attribute) and m.attr == "astype" for m in ast.walk(n))
        for n in reducing
    )


def _is_type(node: ast.expr, module: str) -> bool:
    """Whether an argument names a dtype, as of `astype`."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in (module, "np", "numpy")
    )


def _ufuncs() -> Container[str]:
    known = sys.modules.get("cupy._core.ufuncs")
    return known.by_name if known is not None else ()
