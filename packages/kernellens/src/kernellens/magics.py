"""`%%lens` and `%gpu`: the array lens over a cell, and the GPU that it speaks of."""

from __future__ import annotations

import ast
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from gpusim.device.shapes import ValuesNeededError
from gpusim.hardware import gpus

from . import target
from .datasheet import Sheet


@magics_class
class LensMagics(Magics):
    """The magics; `register` adds them to a shell."""

    @magic_arguments()
    @argument("--gpu", "-g", metavar="NAME", help="whose figures the times are made with, such as A100 (see %%gpu)")
    @argument(
        "--shapes",
        "-s",
        action="store_true",
        help="account for shapes alone: nothing is calculated and nothing assigned",
    )
    @argument(
        "--fraction",
        "-f",
        type=float,
        metavar="SHARE",
        help="with --shapes: the share of a mask that is taken to be true",
    )
    @argument("-o", dest="output", metavar="NAME", help="also keep the Account in a variable of this name")
    @no_var_expand
    @cell_magic
    def lens(self, line: str, cell: str) -> Any:
        """Run a cell of CuPy, cuDF or Numba code and show what it does on the device: the array lens.

        Each kernel with the bytes that it reads and writes, temporaries and peak memory, transfers, the least time on the chosen
        GPU, an estimate, and what fusing would save.  With --shapes, and always where a GPU works, the account is taken in a
        process of its own that has shapes and no data: nothing of it happens here.
        """
        __tracebackhide__ = True  # an error of the cell's is shown as the cell's
        options = parse_argstring(type(self).lens, line)
        gpu = _gpu(options.gpu)
        if options.output and not options.output.isidentifier():
            raise UsageError(f"-o needs the name of a variable, not {options.output!r}.")
        if options.fraction is not None and not 0 <= options.fraction <= 1:
            raise UsageError(f"--fraction must be between 0 and 1, not {options.fraction:g}.")
        # A line in front stands for the magic's own, so that numbers are those that the editor shows.
        shell = self.shell
        assert shell is not None  # IPython runs a magic in a shell
        source = "\n" + shell.transform_cell(cell)
        try:
            tree = ast.parse(source)
        except SyntaxError as error:
            raise UsageError(f"%%lens cannot read this as Python: {error.msg} (line {error.lineno}).") from None
        if not tree.body:
            raise UsageError("%%lens needs code below it: the cell is empty.")
        filename = shell.compile.cache(source, shell.execution_count, raw_code=source)
        found, value = self._account(tree, source, filename, shell.user_ns, options, gpu)
        if options.output:
            shell.user_ns[options.output] = found
        display(found)
        return value

    def _account(
        self, tree: ast.Module, source: str, filename: str, names: dict[str, Any], options: Any, gpu: gpus.GPU
    ) -> tuple[Any, Any]:
        __tracebackhide__ = True
        from .arrays.entry import simulating

        if not options.shapes and simulating():
            from .arrays.running import run

            if options.fraction is not None:
                raise UsageError("--fraction goes with --shapes: with data, masks select what they select.")
            return run(tree, source, filename, names, gpu)
        from .arrays.shape_process import cell

        try:
            found, printed = cell(source, filename, names, options.fraction, gpu)
        except ValuesNeededError as error:
            raise UsageError(f"%%lens: {error}") from None
        if printed:
            print(printed, end="" if printed.endswith("\n") else "\n")
        if not options.shapes:
            found.notes.append(
                "The cell was not run on this machine's GPU: nothing was assigned. Run it without %%lens for that."
            )
        return found, None

    @no_var_expand
    @line_magic
    def gpu(self, line: str) -> Sheet:
        """Show the GPU that bounds, estimates and accounts are made for, or choose one: %gpu A100.

        %gpu default goes back to this machine's GPU, or to an H200 where it has none that is known.
        """
        name = line.strip().strip("'\"")
        if name.lower() == "default":
            target.use_gpu(None)
        elif name:
            target.use_gpu(_gpu(name).name)
        return Sheet(target.chosen_gpu())


def register(ipython: Any) -> None:
    """Add `%%lens` and `%gpu` to a shell."""
    ipython.register_magics(LensMagics)


def _gpu(name: str | None) -> gpus.GPU:
    try:
        return target.resolve(name.strip("'\"") if name else None)
    except gpus.UnknownGpuError as error:
        raise UsageError(str(error)) from None
