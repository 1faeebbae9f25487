"""Unit 13: tables in pieces, on several workers."""

from .carriers import CARRIERS
from .number import NUMBER
from .partitions import PARTITIONS
from .seats import SEATS
from .skew import SKEW
from .worth import WORTH

PROBLEMS = (PARTITIONS, CARRIERS, NUMBER, SEATS, WORTH, SKEW)
"""In the order of the exercises."""
