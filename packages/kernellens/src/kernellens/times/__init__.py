"""Two times of a launch that nobody ran, never mixed.

A *bound* is what no run on that GPU can be faster than; an *estimate* is what one may take.  Neither is ever a measured time.

`launches`   `bound` and `estimate` of a traced launch
`account`    from a trace to what the launch does
`operations` what its threads calculate: `counting` how often, `costs` what each costs, `redundancy` what no compiler leaves out
`memory`     what its blocks move
`scaling`    traced blocks as samples of a larger grid
`work`       what a launch does, as numbers
`model`      `bound_of` and `estimate_of`: from these numbers to seconds
`caches`     what of it the caches keep
`result`     what they return
`advice`     which limit binds, and what would change it
"""

from .account import work_of
from .launches import bound, estimate
from .model import CutShortError, bound_of, estimate_of, resident_blocks
from .result import Bound, Estimate
from .work import Reuse, Work

__all__ = [
    "Bound",
    "CutShortError",
    "Estimate",
    "Reuse",
    "Work",
    "bound",
    "bound_of",
    "estimate",
    "estimate_of",
    "resident_blocks",
    "work_of",
]
