"""The lens: see what a kernel does, why it is wrong and why it is slow, on any machine.

`arguments`  a launch's arguments as host arrays that lie as the device's do
`requests`   the accesses of a log as the requests that warps make of memory
`traffic`    the 32-byte sectors of global memory that requests move
`banks`      the bank conflicts of shared memory
`barriers`   barriers that some threads pass by
`branches`   where the threads of a warp part
`arrays`     the array lens: `account`, what array code launches, moves and allocates
`magics`     `%%lens` and `%gpu`; `sheet`: a GPU's figures, as the latter shows them
`chosen`     the GPU that bounds and estimates are made for
`times`      two times without a GPU: the least that one allows, and an estimate
`tracing`    `trace`: run a kernel here and look at all it did
`result`     what `trace` returns
`report`     that in words
`compiling`  the real compiler, without a GPU, in a process of its own
`occupancy`  how many blocks a multiprocessor holds at once
`pictures`   pictures of a trace, the roofline, and the answers of different thread orders
`ordering`   `schedules`: the same launch under several orders of its threads
"""

from .arrays import Account, ValuesNeededError, account, array
from .chosen import chosen_gpu, use_gpu
from .compiling import Compiled, compile
from .ordering import Schedules, schedules
from .pictures import roofline, show
from .residency import Occupancy, occupancy
from .result import Trace
from .times import Bound, Estimate, bound, estimate
from .tracing import TooLargeError, trace

__all__ = [
    "Account",
    "Bound",
    "Compiled",
    "Estimate",
    "Occupancy",
    "Schedules",
    "TooLargeError",
    "Trace",
    "ValuesNeededError",
    "account",
    "array",
    "bound",
    "chosen_gpu",
    "compile",
    "estimate",
    "occupancy",
    "roofline",
    "schedules",
    "show",
    "trace",
    "use_gpu",
]
