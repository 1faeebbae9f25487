"""What CuPy still has of SciPy's signal processing and SciPy has no more: the wavelets."""

from __future__ import annotations

made = {}
