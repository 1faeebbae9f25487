"""Hundredfold: a hands-on course on GPU computing, and the lab it is taught in.

A notebook begins with ``%load_ext hundredfold``; a script runs as ``python -m hundredfold SCRIPT``.  Importing this package
does nothing but make its names known: they are looked up when they are first used.
"""

__version__ = "0.2.0"

# Where each public name lives. No module beside this one may be called like one of them: the import system binds a submodule to
# its package as soon as anything imports it, in place of the function.
_HOMES = {
    "measure": "hundredfold.toolkit",
    "limit": "hundredfold.toolkit",
    "compare": "hundredfold.toolkit",
    "check": "hundredfold.learning.checking",
    "hint": "hundredfold.learning.checking",
    "quiz": "hundredfold.learning.questions",
    "report": "hundredfold.learning.reporting",
}
# Whole packages have modules of the names that notebooks use for them.
_PACKAGES = ("lens", "machine", "plot")

__all__ = ["__version__", "check", "compare", "hint", "limit", "measure", "quiz", "report", *_PACKAGES]


def __getattr__(name):
    import importlib

    if name in _PACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__():
    return sorted({*globals(), *_HOMES, *_PACKAGES})


def load_ipython_extension(ip):
    """Get this kernel ready for the course: what ``%load_ext hundredfold`` calls.

    Raises
    ------
    IPython.core.error.UsageError
        If the course cannot run here; the message is one sentence with what to do.
    """
    import sys

    # Here and not in `extension`, which an old Python may not even parse. The range is that of pyproject.toml.
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        from IPython.core.error import UsageError

        raise UsageError(
            "Hundredfold: this kernel runs Python {}.{} and the course needs 3.11 to 3.13: choose the kernel "
            "'Python 3 (ipykernel)' of the lab that `make lab` starts.".format(*sys.version_info[:2])
        )
    from hundredfold.notebook.extension import load

    load(ip)


def unload_ipython_extension(ip):
    """Take the magics away again; simulated libraries that are in place stay until the kernel is restarted."""
    from hundredfold.notebook.extension import unload

    unload(ip)
