"""Names that libraries import from here."""

from __future__ import annotations

from .convert import array as array
from .ndarray import ndarray as ndarray
