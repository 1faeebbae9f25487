"""A simulated cudf.pandas: ``import pandas`` gives proxies that run on the simulated cuDF and fall back to pandas.

Whatever the simulated library refuses, or does in another way than pandas would, pandas does, and the profiler tells it as a CPU call.
What makes an object (constructors, readers) is always computed by pandas and then moved to the device, so that its dtypes are
pandas' own; it counts as a GPU call where cuDF takes the same arguments.
"""

from .fast_slow_proxy import as_proxy_object, is_proxy_instance, is_proxy_object
from .magics import load_ipython_extension
from .profiler import Profiler

__all__ = ["Profiler", "as_proxy_object", "install", "is_proxy_instance", "is_proxy_object", "load_ipython_extension"]

LOADED = False


def install() -> None:
    """Put the proxies in place of pandas, for modules that import it from here on."""
    global LOADED
    from .module_accelerator import ModuleAccelerator

    ModuleAccelerator.install("pandas", "cudf", "pandas")
    if not LOADED:
        from ._memory import choose

        choose()
    LOADED = True


def pytest_load_initial_conftests(early_config, parser, args):
    """For ``pytest -p cudf.pandas``: before anything imports pandas."""
    install()
