"""CUDA graphs are not simulated."""

from __future__ import annotations

from .._core.names import refused_class, refuser

Graph = refused_class("cupy.cuda.graph.Graph")

__getattr__ = refuser("cupy.cuda.graph")
