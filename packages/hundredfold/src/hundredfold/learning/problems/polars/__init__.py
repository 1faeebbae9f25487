"""Unit 17, Polars: a query in place of steps, who runs it, what its scan fetches, and a report that the GPU engine takes."""

from __future__ import annotations

from .engine import ENGINE
from .port import PORT
from .reads import READS
from .report import REPORT
from .rule import RULE

PROBLEMS = (PORT, RULE, READS, ENGINE, REPORT)
"""From easy to hard."""
