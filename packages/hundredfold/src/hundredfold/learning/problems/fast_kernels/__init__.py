"""Unit 06, fast kernels: what holds a kernel up: requests out of order, banks, barriers, one place for all, and the memory.

`looking` has what several judges look at in a trace; how a kernel is judged at all is `kernels.judging`.
"""

from __future__ import annotations

from .advance import ADVANCE
from .matmul import MATMUL
from .tiles import TILES
from .transpose import TRANSPOSE
from .tree import TREE
from .worth import WORTH

PROBLEMS = (TILES, TREE, TRANSPOSE, MATMUL, WORTH, ADVANCE)
"""From easy to hard."""
