"""Seats: how learners share GPUs so that none of them starves.

`boards`: the GPUs there are to share, named or found; `plan`: which way to share them, and what each learner gets; `needs`: what
the course's units want of a GPU's memory; `words`: a plan in sentences; `command`: ``hundredfold seats``.

All but the command needs the standard library only: a hub's Python imports it.
"""

from __future__ import annotations

from .boards import Board, UnreadableGpus, found, named
from .plan import Mechanism, Plan, Seat, plan

__all__ = ["Board", "Mechanism", "Plan", "Seat", "UnreadableGpus", "found", "named", "plan"]
