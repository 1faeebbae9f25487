"""Unit 14, deploying: what a cluster is told, which wheels fit, what distributing costs, and when it does not pay."""

from __future__ import annotations

from .amdahl import AMDAHL
from .door import DOOR
from .place import PLACE
from .plan import PLAN
from .script import SCRIPT
from .wheels import WHEELS

PROBLEMS = (WHEELS, AMDAHL, SCRIPT, DOOR, PLACE, PLAN)
"""From easy to hard."""
