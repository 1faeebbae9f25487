"""The names that have a meaning only inside kernels, as the engine knows them, under numba-cuda's names."""

from gpusim.kernels.frontend.intrinsics import TOP, vector_types

vectors = {name: TOP[canonical] for name, canonical in vector_types().items()}
"""Vector types by all their names (``float32x3``, ``float3``)."""

canonical_vectors = frozenset(vector_types().values())
_OF_THEIR_OWN = frozenset(("cg", "fp16", "libdevice"))  # modules of their own
top = {name: value for name, value in TOP.items() if name not in canonical_vectors and name not in _OF_THEIR_OWN}
"""The rest by name (``grid``, ``threadIdx``, ``shared``, …)."""
