"""Arithmetic in half precision, for kernels."""

from gpusim.kernels.frontend.intrinsics import TOP as _TOP

_members = {name: getattr(_TOP["fp16"], name) for name in _TOP["fp16"]._members}
globals().update(_members)
