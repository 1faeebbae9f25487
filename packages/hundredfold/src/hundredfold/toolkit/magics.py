"""`%measure` and `%%measure`: what `%timeit` is to `timeit`, for `measure`."""

from __future__ import annotations

import ast
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring


@magics_class
class MeasureMagics(Magics):
    """The magics; `register` adds them to a shell."""

    @magic_arguments()
    @argument(
        "--bytes", "-b", metavar="E", help="bytes that must move: an expression without spaces, such as 2*x.nbytes"
    )
    @argument(
        "--flops", "-f", metavar="E", help="floating-point operations that must be done: an expression without spaces"
    )
    @argument("--name", "-n", help="what to call it in print")
    @argument("--repeat", "-r", type=int, help="take exactly so many samples")
    @argument("-o", dest="output", metavar="NAME", help="also keep the Measurement in a variable of this name")
    @argument("code", nargs="*", help="the statement to measure (in a cell: setup that is run once, not timed)")
    @no_var_expand
    @line_cell_magic
    def measure(self, line: str, cell: str | None = None) -> Any:
        """Time a statement (`%measure`) or a whole cell (`%%measure`): synchronised, repeated, beside the limit.

        In a cell the names that it assigns stay local to it, as with %%timeit; code on the first line is run once before, and
        is not timed.
        """
        options, code = _options(type(self).measure, line)
        if not (cell if cell is not None else code).strip():
            raise UsageError(
                "%measure needs something to measure: %measure f(x), or a cell that begins with %%measure."
            )
        shell = self.shell
        assert shell is not None  # IPython runs a magic in a shell
        names = shell.user_ns
        body = code if cell is None else cell
        transformed = shell.transform_cell(body)
        function = _function(transformed, names, setup="" if cell is None else code)
        from .timing import measure

        result = measure(
            function,
            bytes=_value(options.bytes, names, "--bytes"),
            flops=_value(options.flops, names, "--flops"),
            name=options.name.strip("'\"") if options.name else _title(body),
            repeat=options.repeat,
        )
        if options.output:
            if not options.output.isidentifier():
                raise UsageError(f"-o needs the name of a variable, not {options.output!r}.")
            names[options.output] = result
        return result


def register(ipython: Any) -> None:
    """Add `%measure` and `%%measure` to a shell."""
    ipython.register_magics(MeasureMagics)


def _options(magic: Any, line: str) -> tuple[Any, str]:
    """Split the line into options and code. The code is taken as it stands: a parser of options would eat its quotes."""
    words = line.lstrip()
    taken: list[str] = []
    while words.startswith("-"):
        option, _, rest = words.partition(" ")
        rest = rest.lstrip()
        if option == "--":
            words = rest
            break
        if option in ("-h", "--help"):
            raise UsageError("%measure? shows what %measure takes.")
        if (option.startswith("--") and "=" in option) or (not option.startswith("--") and len(option) > 2):
            taken.append(option)  # --repeat=3 and -r3 hold their values
        else:
            if rest[:1] in ("'", '"') and rest.count(rest[0]) > 1:  # --name "two words"
                value, _, rest = rest[1:].partition(rest[0])
                taken += [option, f"'{value}'"]
            else:
                value, _, rest = rest.partition(" ")
                taken += [option, value]
        words = rest.lstrip()
    return parse_argstring(magic, " ".join(taken)), words


def _function(code: str, names: dict[str, Any], setup: str) -> Any:
    """Return a function that runs `code` and returns the value of its last line, if that is an expression."""
    try:
        tree, prepare = ast.parse(code), ast.parse(setup)
    except SyntaxError as error:
        raise UsageError(f"%measure cannot read this as Python: {error.msg} (line {error.lineno}).") from None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Return(tree.body[-1].value), tree.body[-1])
    if not tree.body:
        raise UsageError("%measure needs something to measure: there is only a comment.")
    function = ast.parse("def measured(): pass")
    function.body[0].body = tree.body  # type: ignore[attr-defined]
    ast.fix_missing_locations(function)
    local: dict[str, Any] = {}
    try:
        exec(compile(prepare, "<%measure setup>", "exec"), names)
        # The notebook's own names are the function's globals: what it reads is what a cell would read.
        exec(compile(function, "<%measure>", "exec"), names, local)
    except SyntaxError as error:
        raise UsageError(f"%measure cannot run this in a function: {error.msg}.") from None
    return local["measured"]


def _value(expression: str | None, names: dict[str, Any], option: str) -> float | None:
    if expression is None:
        return None
    try:
        return float(eval(expression.strip("'\""), names))
    except Exception as error:
        raise UsageError(f"{option} {expression}: {type(error).__name__}: {error}") from None


def _title(code: str) -> str:
    first = code.strip().splitlines()[0].strip()
    return first.rstrip(":") if len(first) <= 40 else first[:39] + "…"
