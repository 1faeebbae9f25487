"""See what a kernel or an array expression does, why it is wrong and why it is slow, on any machine.

>>> import kernellens
>>> seen = kernellens.trace(kernel, griddim, blockdim, *arguments)     # doctest: +SKIP
>>> kernellens.show(seen)                                              # doctest: +SKIP

The commands are `kernellens check`, `kernellens try` and `kernellens port`. Importing this package does nothing but make its names
known: they are looked up when they are first used.

`arguments`  a launch's arguments as host arrays that lie as the device's do
`requests`   the accesses of a log as the requests that warps make of memory
`traffic`    the 32-byte sectors of global memory that requests move
`banks`      the bank conflicts of shared memory
`branches`   where the threads of a warp diverge
`arrays`     the array lens: `account`, what array code launches, moves and allocates
`profiling`  `timeline`: when the host and the device did what; `nsys_report` reads what a profiler measured
`magics`     `%%lens`, `%%timeline` and `%gpu`; `datasheet`: a GPU's figures, as the latter shows them
`target`     the GPU that bounds and estimates are made for
`times`      two times without a GPU: the least that one allows, and an estimate
`tracing`    `trace`: run a kernel here and look at all it did
`result`     what `trace` returns
`report`     that in words
`compiling`  the real compiler, without a GPU, in a process of its own
`residency`  how many blocks a multiprocessor holds at once
`pictures`   pictures of a trace, the roofline, and the answers of different thread orders
`ordering`   `schedules`: the same launch under several orders of its threads
`plot`       figures: plain data in, a figure out that can also say in words what it shows
`notebooks`  the kernel in which notebooks are run
`check`, `trial`, `port`  the commands
"""

__version__ = "0.1.0"

# Where each public name lives. No module beside this one may be called like one of them: the import system binds a submodule to
# its package as soon as anything imports it, in place of the function.
_HOMES = {
    "Account": "arrays",
    "Bound": "times",
    "Compiled": "compiling",
    "Estimate": "times",
    "Occupancy": "residency",
    "Schedules": "ordering",
    "Timeline": "profiling",
    "TooLargeError": "tracing",
    "Trace": "result",
    "ValuesNeededError": "arrays",
    "account": "arrays",
    "array": "arrays",
    "bound": "times",
    "chosen_gpu": "target",
    "compile": "compiling",
    "estimate": "times",
    "nsys_report": "profiling",
    "occupancy": "residency",
    "roofline": "pictures",
    "schedules": "ordering",
    "show": "pictures",
    "timeline": "profiling",
    "trace": "tracing",
    "use_gpu": "target",
}
_MODULES = ("plot",)

__all__ = [
    "Account",
    "Bound",
    "Compiled",
    "Estimate",
    "Occupancy",
    "Schedules",
    "Timeline",
    "TooLargeError",
    "Trace",
    "ValuesNeededError",
    "account",
    "array",
    "bound",
    "chosen_gpu",
    "compile",
    "estimate",
    "nsys_report",
    "occupancy",
    "plot",
    "roofline",
    "schedules",
    "show",
    "timeline",
    "trace",
    "use_gpu",
]

TYPE_CHECKING = False  # typing's own takes longer to import than all of this
if TYPE_CHECKING:
    from . import plot
    from .arrays import Account, ValuesNeededError, account, array
    from .compiling import Compiled, compile
    from .ordering import Schedules, schedules
    from .pictures import roofline, show
    from .profiling import Timeline, nsys_report, timeline
    from .residency import Occupancy, occupancy
    from .result import Trace
    from .target import chosen_gpu, use_gpu
    from .times import Bound, Estimate, bound, estimate
    from .tracing import TooLargeError, trace


def __getattr__(name):
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__():
    return sorted({*globals(), *__all__})
