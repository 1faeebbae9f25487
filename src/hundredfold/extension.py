"""``%load_ext hundredfold``: the first cell of every notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hundredfold.start import CannotStartError, start

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

# Magic → the module that registers it, loaded as an extension when the magic is first used.
MAGICS = {"measure": "hundredfold.measure.magics"}


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
    for name, module in MAGICS.items():
        ip.magics_manager.register_lazy(name, module)
    print(line)


def unload(ip: InteractiveShell) -> None:
    """Take the magics away.  Stand-ins stay: arrays made of them live on, and only a new kernel could take the real thing."""
    manager = ip.magics_manager
    for name, module in MAGICS.items():
        for kind in manager.magics.values():
            kind.pop(name, None)
        manager.lazy_magics.pop(name, None)
        ip.extension_manager.loaded.discard(module)
        # IPython loads a lazy magic once; without this, it would not come back with the next %load_ext.
        getattr(manager, "_loaded_lazy", set()).discard(module)
