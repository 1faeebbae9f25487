"""Compiled kernels as objects are not simulated."""

from __future__ import annotations

from .._core.names import refused_class, refuser

Function = refused_class("cupy.cuda.function.Function")
Module = refused_class("cupy.cuda.function.Module")

__getattr__ = refuser("cupy.cuda.function")
