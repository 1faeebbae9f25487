"""Two times of a launch that nobody ran, never mixed.

A *bound* is what no run on that GPU can be faster than; an *estimate* is what one may take.  Neither is ever a measured time.

`work`       what a launch does, as numbers
`model`      `bound_of` and `estimate_of`: from these numbers to seconds
`result`     what they return
`advice`     which limit binds, and what would change it
"""

from .model import bound_of, estimate_of, resident_blocks
from .result import Bound, Estimate
from .work import Work

__all__ = ["Bound", "Estimate", "Work", "bound_of", "estimate_of", "resident_blocks"]
