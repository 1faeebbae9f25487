"""`%%lens`, `%%timeline` and `%gpu`: what a cell does on the device, when, and the GPU that they speak of."""

from __future__ import annotations

import ast
from pathlib import Path
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
        tree, source, filename = self._read("%%lens", cell)
        shell = self.shell
        assert shell is not None  # IPython runs a magic in a shell
        found, value = self._account(tree, source, filename, shell.user_ns, options, gpu)
        if options.output:
            shell.user_ns[options.output] = found
        display(found)
        return value

    def _read(self, magic: str, cell: str) -> tuple[ast.Module, str, str]:
        __tracebackhide__ = True
        # A line in front stands for the magic's own, so that numbers are those that the editor shows.
        shell = self.shell
        assert shell is not None
        source = "\n" + shell.transform_cell(cell)
        try:
            tree = ast.parse(source)
            if waiting := _awaits(tree):
                raise UsageError(
                    f"{magic} cannot run the await of line {waiting}: the notebook's event loop is in use while a magic runs. "
                    "Make the blocking call instead, such as client.gather(x) for await client.gather(x)."
                )
            compile(tree, "<cell>", "exec")  # what is an error only there, such as a return outside of a function
        except SyntaxError as error:
            raise UsageError(f"{magic} cannot read this as Python: {error.msg} (line {error.lineno}).") from None
        if not tree.body:
            raise UsageError(f"{magic} needs code below it: the cell is empty.")
        return tree, source, shell.compile.cache(source, shell.execution_count, raw_code=source)

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
        from .arrays.shape_process import captured_names, cell

        try:
            along = captured_names(source, filename, names)
            found, printed = cell(source, filename, along, options.fraction, gpu)
        except ValuesNeededError as error:
            raise UsageError(f"%%lens: {error}") from None
        if printed:
            print(printed, end="" if printed.endswith("\n") else "\n")
        if not options.shapes:
            found.notes.append(
                "The cell was not run on this machine's GPU: nothing was assigned. Run it without %%lens for that."
            )
        return found, None

    @magic_arguments()
    @argument(
        "--gpu", "-g", metavar="NAME", help="whose figures the times are estimated with, such as A100 (see %%gpu)"
    )
    @argument("-o", dest="output", metavar="NAME", help="also keep the Timeline in a variable of this name")
    @argument("--save", "-s", metavar="FILE", help="also write it in Chrome's trace format, for ui.perfetto.dev")
    @no_var_expand
    @cell_magic
    def timeline(self, line: str, cell: str) -> Any:
        """Run a cell and show when the host and the device did what.

        The device's times are estimates for the chosen GPU.  Where a GPU works, the cell runs on it, and again in a process of its
        own, which simulates: from shapes alone or, if the cell asks for values, with copies of its arrays.
        """
        __tracebackhide__ = True  # an error of the cell's is shown as the cell's
        options = parse_argstring(type(self).timeline, line)
        gpu = _gpu(options.gpu)
        if options.output and not options.output.isidentifier():
            raise UsageError(f"-o needs the name of a variable, not {options.output!r}.")
        if options.save and not (folder := Path(options.save).parent).is_dir():
            raise UsageError(f"There is no folder {folder} for the file.")
        tree, source, filename = self._read("%%timeline", cell)
        shell = self.shell
        assert shell is not None
        found, value = self._timeline(tree, source, filename, shell.user_ns, gpu)
        if options.output:
            shell.user_ns[options.output] = found
        display(found)
        if options.save:
            found.save(options.save)
        return value

    def _timeline(
        self, tree: ast.Module, source: str, filename: str, names: dict[str, Any], gpu: gpus.GPU
    ) -> tuple[Any, Any]:
        __tracebackhide__ = True
        from .arrays.entry import simulating
        from .profiling import running

        if simulating():
            return running.run(tree, source, filename, names, gpu)
        from .arrays.shape_process import captured_names, cell
        from .profiling.timeline import Timeline

        along = captured_names(source, filename, names, data=True)  # before the cell runs: it may change its arrays
        value = running.plainly(tree, filename, names)
        try:
            found = running.elsewhere(
                lambda data: cell(source, filename, along, None, gpu, by=running.BY, data=data)[0]
            )
        except Exception as error:  # of the other process: here the cell has run, and its value is to be shown
            said = str(error) if isinstance(error, ValuesNeededError) else f"{type(error).__name__}: {error}"
            found = Timeline("this cell", gpu.name, False, [], [f"There is no timeline of this cell: {said}"])
        return found, value

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
    """Add `%%lens`, `%%timeline` and `%gpu` to a shell."""
    ipython.register_magics(LensMagics)


def _awaits(tree: ast.AST) -> int:
    """The line of the first `await`, `async for` or `async with` that no function is around; 0 without one."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
            return node.lineno
        if isinstance(node, ast.comprehension) and node.is_async:
            return node.target.lineno
        if line := _awaits(node):
            return line
    return 0


def _gpu(name: str | None) -> gpus.GPU:
    try:
        return target.resolve(name.strip("'\"") if name else None)
    except gpus.UnknownGpuError as error:
        raise UsageError(str(error)) from None
