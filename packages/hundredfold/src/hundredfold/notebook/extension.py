"""``%load_ext hundredfold``: the first cell of every notebook."""

from __future__ import annotations

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
    ip.register_magic_function(_measure_of(ip), "line_cell", "measure")
    ip.register_magic_function(_lens_of(ip), "cell", "lens")
    ip.register_magic_function(_timeline_of(ip), "cell", "timeline")
    ip.register_magic_function(_gpu_of(ip), "line", "gpu")
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
        for name in ("measure", "lens", "timeline", "gpu", "fresh"):
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


def _measure_of(ip: InteractiveShell) -> Any:
    """Return a `%measure` that puts the real one in its own place when it is first used: that one takes NumPy to import."""
    from IPython.core.magic import no_var_expand

    @no_var_expand
    def measure(line: str, cell: str | None = None) -> Any:
        """Time a statement (`%measure`) or a whole cell (`%%measure`): synchronised, repeated, beside the limit.

        %measure [--bytes E] [--flops E] [--name N] statement
        """
        from hundredfold.toolkit import magics

        magics.register(ip)
        return ip.run_line_magic("measure", line) if cell is None else ip.run_cell_magic("measure", line, cell)

    return measure


def _lens_of(ip: InteractiveShell) -> Any:
    """Return a `%%lens` that puts the real one in its own place when it is first used."""
    from IPython.core.magic import no_var_expand

    @no_var_expand
    def lens(line: str, cell: str) -> Any:
        """Run a cell and show what it does on the device: kernels, bytes, temporaries, transfers, the least time on a GPU.

        %%lens [--gpu NAME] [--shapes] [--fraction SHARE] [-o NAME]
        """
        __tracebackhide__ = True
        from kernellens import magics

        magics.register(ip)
        return ip.run_cell_magic("lens", line, cell)

    return lens


def _timeline_of(ip: InteractiveShell) -> Any:
    """Return a `%%timeline` that puts the real one in its own place when it is first used."""
    from IPython.core.magic import no_var_expand

    @no_var_expand
    def timeline(line: str, cell: str) -> Any:
        """Run a cell and show when the host and the device did what; the device's times are estimates.

        %%timeline [--gpu NAME] [-o NAME] [--save FILE]
        """
        __tracebackhide__ = True
        from kernellens import magics

        magics.register(ip)
        return ip.run_cell_magic("timeline", line, cell)

    return timeline


def _gpu_of(ip: InteractiveShell) -> Any:
    """Return a `%gpu` that puts the real one in its own place when it is first used."""
    from IPython.core.magic import no_var_expand

    @no_var_expand
    def gpu(line: str) -> Any:
        """Show the GPU that the lens speaks of, or choose one: %gpu A100."""
        from kernellens import magics

        magics.register(ip)
        return ip.run_line_magic("gpu", line)

    return gpu
