"""The array lens: what a piece of array code does on the device, kernel by kernel, and what that costs at least.

`entry`       `account`: run code and look at it
`recording`   launches, transfers and allocations as they happen
`events`      what is noted of each
`operands`    which operands a launch reads, and which it writes
`arithmetic`  what it calculates, and whether it can be fused
`flow`        the bytes that must cross, however the code is cut into kernels
`fusing`      kernels that could be one
`rewriting`   a statement with its right side as a fused function
`caching`     which bytes still lie in the L2 cache
`account`     what `account` returns; `text` and `html` are how it reads
`pickled`     code and the shapes of what it uses, on their way to another process
`shape_process` that process: it has shapes, and data only where a call is to be calculated
"""

from gpusim.device.shapes import ValuesNeededError

from .account import Account
from .entry import account
from .pickled import array

__all__ = ["Account", "ValuesNeededError", "account", "array"]
