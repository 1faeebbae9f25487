"""Simulated libraries: GPU libraries that compute on the CPU, under their real names, and keep the rules of the real thing.

``activate()`` puts them in place for this process and for every Python process that it starts.  Importing this package
does not.  It imports nothing beyond the standard library: the ``.pth`` file of ours
imports it at the start of every simulating process.
"""

from .activate import TooLateError, activate, active
from .errors import NotSimulatedAttribute, NotSimulatedError, NotSimulatedImport

__all__ = ["NotSimulatedAttribute", "NotSimulatedError", "NotSimulatedImport", "TooLateError", "activate", "active"]
