"""What a piece of code gives, as text: the repr of its last expression, or the error it ends in."""

import ast
import re
import warnings


def outcome(code: str, names: dict) -> str:
    """Run `code` with `names` in scope."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    scope = dict(names)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(tree, "<case>", "exec"), scope)
            value = eval(compile(ast.Expression(last.value), "<case>", "eval"), scope) if last is not None else None
        return repr(value)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def matches(got: str, expected: str) -> bool:
    """Whether a text is as expected, where ``...`` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, got, re.DOTALL) is not None
