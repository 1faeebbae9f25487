"""Headers: which of them NVRTC finds, and which names it knows only behind one.

CuPy hands the text of a RawKernel to NVRTC as it is.  There are no headers of the host, and no ``std::``; what CUDA's own headers
declare is known once they are included.  The kernels that CuPy writes around an operation begin with headers of its own.
"""

from __future__ import annotations

import re

from .tokens import DEFINED

HOST = re.compile(
    r"^(c?math|c?stdint|c?std(io|lib|def)|c?limits|c?float|c?assert|c?string|cuda|type_traits|utility|algorithm|complex)(\.h)?$"
)
"""Headers of the host's compiler, which `nvcc` and Jitify find."""
_LIMITS = frozenset(
    name for name in DEFINED if name.endswith(("_MAX", "_MIN", "_BIT")) and not name.startswith(("FLT", "DBL"))
)
_STDINT = frozenset(f"{sign}int{rest}_t" for sign in ("", "u") for rest in ("8", "16", "32", "64", "ptr"))
_ANY = re.compile(r"^(cuda/(std/)?\w+|cooperative_groups(\.h)?)$")
GIVEN: tuple[tuple[frozenset[str], str, re.Pattern], ...] = (
    (_LIMITS, "cuda/std/climits", re.compile(rf"(?!cuda/std/(cfloat|cstddef)$){_ANY.pattern[1:]}")),
    (_STDINT, "cuda/std/cstdint", re.compile(rf"(?!cuda/std/(cfloat|cstddef|climits)$){_ANY.pattern[1:]}")),
    (frozenset(("__half", "half")), "cuda_fp16.h", re.compile(r"^cuda_fp16\.h(pp)?$")),
    (frozenset(("float16",)), "cupy/carray.cuh", re.compile(r"^cupy/(carray|atomics)\.cuh$")),
    (frozenset(("INFINITY", "NAN")), "cuda/std/cmath", re.compile(r"^cuda/std/(cmath|complex)$")),
    (frozenset(name for name in DEFINED if name.startswith("CUDART")), "math_constants.h", re.compile(r"^math_constants\.h$")),
)  # fmt: skip
"""Names, the header to include for them, and all headers that give them (of those that CUDA 13.0 has)."""
OF_CUPY = {
    "cupy/carray.cuh": {"M_PI"}, "cupy/math_constants.h": {"CUDART_INF", "CUDART_INF_F", "CUDART_NAN", "CUDART_NAN_F"},
    "cupy/complex.cuh": {f"{kind}_{name}" for kind in ("FLT", "DBL") for name in ("MIN", "MAX", "EPSILON")},
}  # fmt: skip
"""What CuPy's own headers define; all of them are before the operation of an elementwise or a reduction kernel."""
_NO_TYPES = frozenset(("ssize_t",))
_NEVER = {name: value for name, value in DEFINED.items() if name.startswith(("M_", "FLT_", "DBL_"))}


def known(name: str, included: set[str]) -> bool:
    """Whether NVRTC knows a name behind the headers that were included."""
    if any(name in OF_CUPY.get(header, ()) for header in included):
        return True
    if name in _NEVER or name in _NO_TYPES:
        return False
    return all(name not in names or any(map(pattern.search, included)) for names, _, pattern in GIVEN)


def instead(name: str) -> str | None:
    """What to write where a name is not known."""
    for names, header, _ in GIVEN:
        if name in names:
            return f"NVRTC knows {name} behind #include <{header}>."
    if name in _NEVER:
        return f"NVRTC has no {name}. Write #define {name} {_NEVER[name]}"
    return None


def of_the_host(path: str) -> str:
    """What to do where a header of the host's compiler is included."""
    return (
        f"NVRTC has no headers of the host, and knows the functions of mathematics and printf without one: leave the line out. "
        f'backend="nvcc" and jitify=True find {path}.'
    )
