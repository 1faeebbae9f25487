"""What only a kernel can do, one object per name: where a thread is, barriers, shuffles, atomics, shared arrays.

Both backends and the simulated ``numba.cuda`` meet here: the simulated library re-exports these objects under their real names,
:mod:`.python.resolve` finds them in a kernel's source by identity, whatever they were imported as, and each backend says what
they do.  Outside a kernel they do nothing but say so.
"""

from __future__ import annotations

from collections.abc import Iterator

THREAD = ("grid", "gridsize", "laneid", "warpsize")
BARRIERS = ("syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or")
WARP = (
    "syncwarp",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_down_sync",
    "shfl_xor_sync",
    "all_sync",
    "any_sync",
    "eq_sync",
    "ballot_sync",
    "match_any_sync",
    "match_all_sync",
    "activemask",
    "lanemask_lt",
)
VOTES = ("all_sync", "any_sync", "eq_sync", "ballot_sync")
FENCES = ("threadfence", "threadfence_block", "threadfence_system")
BITS = ("popc", "brev", "clz", "ffs", "fma", "cbrt", "selp", "nanosleep")
ATOMICS = (
    *("add", "sub", "and_", "or_", "xor", "inc", "dec", "exch"),
    *("max", "min", "nanmax", "nanmin", "compare_and_swap", "cas"),
)
DIM3 = ("threadIdx", "blockIdx", "blockDim", "gridDim")
FP16_BINARY = ("hadd", "hsub", "hmul", "hdiv", "hmax", "hmin", "heq", "hne", "hge", "hgt", "hle", "hlt")
FP16_UNARY = (
    *("hneg", "habs", "hsin", "hcos", "hlog", "hlog10", "hlog2", "hexp", "hexp10", "hexp2"),
    *("hsqrt", "hrsqrt", "hrcp", "hceil", "hfloor", "htrunc", "hrint"),
)
VECTOR_BASES = {
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": "float32",
    "float64": "float64",
}
"""Vector types are named ``<base>x<n>``, n from 1 to 4, and by CUDA's own names (``float3``), see `VECTOR_ALIASES`."""
VECTOR_ALIASES = {
    **{"char": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64"},
    **{"uchar": "uint8", "ushort": "uint16", "uint": "uint32", "ulong": "uint64", "ulonglong": "uint64"},
    **{"float": "float32", "double": "float64"},
}


class Intrinsic:
    """A thing that has a meaning only inside a kernel.

    Attributes
    ----------
    name : str
        Its dotted name below ``numba.cuda``, e.g. ``"threadIdx.x"`` or ``"atomic.add"``.
    """

    def __init__(self, name: str, members: tuple[str, ...] = ()):
        self.name = name
        self.__name__ = self.__qualname__ = name
        self._members = members
        for member in members:
            setattr(self, member, Intrinsic(f"{name}.{member}"))

    def __call__(self, *args: object, **kwargs: object) -> object:
        raise RuntimeError(
            f"cuda.{self.name} has a meaning only inside a kernel: call it in a function decorated with @cuda.jit, "
            "and launch that."
        )

    def __repr__(self) -> str:
        return f"<cuda.{self.name}, to be used inside a kernel>"

    def __reduce__(self) -> tuple:
        return find, (self.name,)  # identity is what resolve goes by, in a Dask worker too

    def __iter__(self) -> Iterator:
        raise TypeError(f"cuda.{self.name} cannot be iterated over; use it inside a kernel, e.g. cuda.{self.name}.x.")


def find(name: str) -> Intrinsic:
    """Return an intrinsic by its dotted name.

    Raises
    ------
    KeyError
        If there is none of that name.
    """
    root, _, member = name.partition(".")
    value = TOP[root]
    return getattr(value, member) if member else value


def vector_types() -> dict[str, str]:
    """Names of the vector types: ``{"float32x3": "float32x3", "float3": "float32x3", …}``, each with its canonical name."""
    names = {}
    for base in VECTOR_BASES:
        for n in range(1, 5):
            names[f"{base}x{n}"] = f"{base}x{n}"
    for alias, base in VECTOR_ALIASES.items():
        for n in range(1, 5):
            names[f"{alias}{n}"] = f"{base}x{n}"
    return names


TOP: dict[str, Intrinsic] = {name: Intrinsic(name) for name in (*THREAD, *BARRIERS, *WARP, *FENCES, *BITS)}
TOP |= {name: Intrinsic(name, ("x", "y", "z")) for name in DIM3}
TOP["shared"] = Intrinsic("shared", ("array",))
TOP["local"] = Intrinsic("local", ("array",))
TOP["const"] = Intrinsic("const", ("array_like",))
TOP["atomic"] = Intrinsic("atomic", ATOMICS)
TOP["cg"] = Intrinsic("cg", ("this_grid",))
TOP["fp16"] = Intrinsic("fp16", (*FP16_BINARY, *FP16_UNARY, "hfma"))
TOP |= {name: Intrinsic(name) for name in sorted(set(vector_types().values()))}

EXCHANGING = frozenset(name for name in WARP if name.startswith(("shfl", "match", "all", "any", "eq", "ballot")))
"""By which the lanes of a warp give each other values."""

SYNCHRONISING = frozenset((*BARRIERS, *WARP, "cg.this_grid")) - {"lanemask_lt"}
"""Where a thread may have to wait for others."""

BY_NAME = frozenset(
    name
    for name in (*TOP, *(f"{module}.{member}" for module in ("cg", "fp16") for member in vars(TOP[module])))
    if name in ("grid", "gridsize", "cg", "fp16", *BARRIERS, *vector_types())
    or name.startswith(("shfl_", "cg.", "fp16."))
    or name in VOTES
)
"""What a kernel can use by its own name, after ``from numba.cuda import grid``.  All others are class statements in
numba-cuda 0.30.4, which its compiler knows only as attributes of the module ("Cannot determine Numba type of <class
'type'>"): asked of it, name by name."""
