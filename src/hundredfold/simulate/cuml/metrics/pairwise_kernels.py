"""Kernels."""

from ._functions import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

__all__ = ["PAIRWISE_KERNEL_FUNCTIONS", "pairwise_kernels"]
