"""``%load_ext hundredfold``: the first cell of every notebook."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hundredfold.learning.progress import watching
from hundredfold.notebook import dashboard
from hundredfold.start import CannotStartError, start

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def load(ip: InteractiveShell) -> None:
    """Get the kernel ready, print one line of what was found and what to expect, and make the magics known.

    Raises
    ------
    IPython.core.error.UsageError
        If the course cannot run here; the message is one sentence with what to do.
    """
    try:
        line = start()
    except CannotStartError as error:
        from IPython.core.error import UsageError

        raise UsageError(str(error)) from error
    for name, (kind, *_) in _LATER.items():
        ip.register_magic_function(_later(ip, name), kind, name)
    ip.register_magic_function(fresh, "cell", "fresh")
    dashboard.watch(ip)
    shared = watching.watch(ip)
    print(line)
    if shared:
        print(shared)


def unload(ip: InteractiveShell) -> None:
    """Take the magics away.  Simulated libraries stay: arrays made of them live on, and only a new kernel could take the real thing."""
    dashboard.unwatch(ip)
    watching.unwatch(ip)
    for kind in ip.magics_manager.magics.values():
        for name in (*_LATER, "fresh"):
            kind.pop(name, None)


def fresh(line: str, cell: str) -> None:
    """Run a cell in a Python of its own, in which nothing is imported yet, and show what it prints: as a script would run.

    %%fresh

    Raises
    ------
    RuntimeError
        If the cell's Python ends with an error, which is shown above.
    """
    import subprocess
    import sys

    __tracebackhide__ = True
    command = [sys.executable, "-X", "utf8", "-c", cell]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, check=False)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode:
        raise RuntimeError("The cell's own Python ended with an error. It is shown above.")


#: The magics that take long to import: the kind of magic, the module that registers the real one, and what `?` shows until then.
_LATER = {
    "measure": (
        "line_cell",
        "hundredfold.toolkit.magics",
        """Time a statement (`%measure`) or a whole cell (`%%measure`): synchronised, repeated, beside the limit.

        %measure [--bytes E] [--flops E] [--name N] statement
        """,
    ),
    "lens": (
        "cell",
        "kernellens.magics",
        """Run a cell and show what it does on the device: kernels, bytes, temporaries, transfers, the least time on a GPU.

        %%lens [--gpu NAME] [--shapes] [--fraction SHARE] [-o NAME]
        """,
    ),
    "timeline": (
        "cell",
        "kernellens.magics",
        """Run a cell and show when the host and the device did what; the device's times are estimates.

        %%timeline [--gpu NAME] [-o NAME] [--save FILE]
        """,
    ),
    "gpu": ("line", "kernellens.magics", """Show the GPU that the lens speaks of, or choose one: %gpu A100."""),
}


def _later(ip: InteractiveShell, name: str) -> Any:
    """Return a magic of `_LATER` that puts the real one in its own place when it is first used."""
    from IPython.core.magic import no_var_expand

    _, module, words = _LATER[name]

    @no_var_expand
    def magic(line: str, cell: str | None = None) -> Any:
        __tracebackhide__ = True  # an error of the cell's is shown as the cell's
        importlib.import_module(module).register(ip)
        return ip.run_line_magic(name, line) if cell is None else ip.run_cell_magic(name, line, cell)

    magic.__doc__ = words
    return magic
