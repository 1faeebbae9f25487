"""A kernel's arguments as plain data: what Numba would type them as, without the arrays."""

from __future__ import annotations

import enum
import re
from typing import Any

import numpy as np

Description = tuple
"""``("array", dtype, ndim, layout, readonly)``, ``("scalar", dtype)``, ``("tuple", items)``, ``("named", name, fields,
items)`` or ``("enum", name, members, whole)``; the compiler's helper process and :func:`example` read it."""

_TEXT = re.compile(r"(\w+)\s*(?:\[([:\d, ]*)\])?\Z")


def describe(value: Any) -> Description:
    """Describe one argument as numba-cuda 0.30 would type it for a launch.

    Parameters
    ----------
    value : array, number, tuple, …
        What a kernel is given.  Or what stands for it: a Numba type (``numba.float32[::1]``), its text
        (``"float32[::1]"``), a dtype for a number of it, or anything with a shape and a dtype for an array.

    Raises
    ------
    TypeError
        For what no kernel takes.
    """
    if isinstance(value, (bool, np.bool_)):
        return ("scalar", np.dtype(bool))
    if isinstance(value, enum.Enum):
        members = tuple((member.name, member.value) for member in type(value))
        return ("enum", type(value).__name__, members, isinstance(value, enum.IntEnum))
    if isinstance(value, int):
        return ("scalar", _int(value))
    if isinstance(value, float) and not isinstance(value, np.generic):
        return ("scalar", np.dtype(np.float64))
    if isinstance(value, complex) and not isinstance(value, np.generic):
        return ("scalar", np.dtype(np.complex128))
    if isinstance(value, np.generic):
        return ("scalar", value.dtype)
    if isinstance(value, tuple):
        items = tuple(describe(item) for item in value)
        fields = getattr(value, "_fields", None)
        return ("tuple", items) if fields is None else ("named", type(value).__name__, fields, items)
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, (np.dtype, type)):
        return _of_dtype(value)
    if type(value).__module__.startswith(("numba.core.types", "numba.cuda.types", "numba_cuda")):
        return _of_type(value)
    if type(value).__name__ in ("In", "Out", "InOut") and hasattr(value, "value"):  # cuda.In(x) and its like
        return describe(value.value)
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return ("array", value.dtype, value.ndim, layout, not flags.writeable)
    interface = getattr(value, "__cuda_array_interface__", None)
    if isinstance(interface, dict):
        return _of_device(value, interface)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return ("array", np.dtype(value.dtype), len(value.shape), _layout(value), False)
    kind = type(value)
    raise TypeError(
        f"A kernel takes arrays, numbers and tuples of them, not {kind.__module__}.{kind.__qualname__}: pass an array of "
        'CuPy, Numba or NumPy, or say its type, as in "float32[::1]".'
    )


def text(described: Description) -> str:
    """A description as Numba's signatures write it: ``float32[:, ::1]``."""
    what = described[0]
    if what == "scalar":
        return _name(described[1])
    if what == "array":
        _, dtype, ndim, layout, readonly = described
        axes = [":"] * ndim
        if ndim and layout == "C":
            axes[-1] = "::1"
        elif ndim and layout == "F":
            axes[0] = "::1"
        return f"{_name(dtype)}[{', '.join(axes)}]" + (" read-only" if readonly else "")
    if what == "enum":
        return described[1]
    items = ", ".join(map(text, described[-1]))
    return f"{described[1]}({items})" if what == "named" else f"({items})"


def example(described: Description) -> Any:
    """A small value of a described type, for a compiler that infers types from values."""
    what = described[0]
    if what == "scalar":
        return np.zeros((), described[1])[()]
    if what == "tuple":
        return tuple(map(example, described[1]))
    if what == "named":
        import collections

        _, name, fields, items = described
        return collections.namedtuple(name, fields)(*map(example, items))
    if what == "enum":
        _, name, members, whole = described
        make: Any = enum.IntEnum if whole else enum.Enum
        return next(iter(make(name, list(members))))
    _, dtype, ndim, layout, readonly = described
    array = np.zeros((4,) * ndim, dtype, order="F" if layout == "F" else "C")
    if layout == "A" and ndim:
        array = array[(slice(None, None, 2),) * ndim]
    array.flags.writeable = not readonly
    return array


def _int(value: int) -> np.dtype:
    if -(2**63) <= value < 2**63:
        return np.dtype(np.int64)
    if 0 <= value < 2**64:
        return np.dtype(np.uint64)
    raise TypeError(f"{value} does not fit into 64 bits, and a kernel has no larger integers.")


def _of_device(value: Any, interface: dict) -> Description:
    readonly = bool(interface["data"][1])
    dtype, ndim = np.dtype(interface["typestr"]), len(interface["shape"])
    if np.dtype(getattr(value, "dtype", dtype)) != dtype:  # records, say
        dtype = np.dtype(value.dtype)
    return ("array", dtype, ndim, _layout(value, interface), readonly)


def _layout(value: Any, interface: dict | None = None) -> str:
    """C before F, as Numba prefers; an array that repeats elements (a stride of 0) has neither."""
    shape, strides = tuple(value.shape), getattr(value, "strides", None)
    if interface is not None:
        shape, strides = tuple(interface["shape"]), interface.get("strides")
    if not shape or not strides or callable(strides):
        return "C"
    itemsize = np.dtype(value.dtype if interface is None else interface["typestr"]).itemsize
    if 0 in shape:
        return "C"
    for layout, axes in (("C", range(len(shape) - 1, -1, -1)), ("F", range(len(shape)))):
        expected, fits = itemsize, True
        for axis in axes:
            if shape[axis] != 1:
                fits, expected = fits and strides[axis] == expected, expected * shape[axis]
        if fits:
            return layout
    return "A"


def _of_dtype(value: Any) -> Description:
    try:
        return ("scalar", np.dtype(value))
    except TypeError:
        raise TypeError(
            f"{value!r} is no dtype: say a number's type as np.float32, an array's as 'float32[::1]'."
        ) from None


def _of_text(value: str) -> Description:
    match = _TEXT.match(value.strip())
    try:
        dtype = np.dtype({"boolean": "bool"}.get(match[1], match[1])) if match else None
    except TypeError:
        dtype = None
    if match is None or dtype is None or dtype.kind in "OSUV":
        raise TypeError(
            f"{value!r} is no type that a kernel takes. Say a number as 'int64', an array as 'float32[:, ::1]' (rows "
            "contiguous), 'float32[::1, :]' (columns contiguous) or 'float32[:, :]' (neither)."
        )
    if match[2] is None:
        return ("scalar", dtype)
    axes = [axis.strip() for axis in match[2].split(",")]
    layout = "C" if axes[-1] == "::1" else "F" if axes[0] == "::1" else "A"
    return ("array", dtype, len(axes), layout, False)


def _of_type(value: Any) -> Description:
    """What a Numba type says."""
    kind = type(value).__name__
    if kind == "Array":
        return ("array", _dtype(value.dtype), value.ndim, value.layout, not value.mutable)
    if kind in ("UniTuple", "Tuple"):
        return ("tuple", tuple(_of_type(item) for item in value.types))
    return ("scalar", _dtype(value))


def _dtype(value: Any) -> np.dtype:
    if type(value).__name__ == "Record":
        return np.dtype(
            {
                "names": list(value.fields),
                "formats": [_dtype(value.typeof(name)) for name in value.fields],
                "offsets": [value.offset(name) for name in value.fields],
                "itemsize": value.size,
            },
            align=value.aligned,
        )
    name = str(value)
    try:
        return np.dtype({"boolean": "bool"}.get(name, name))
    except TypeError:
        raise TypeError(f"A kernel takes arrays, numbers and tuples of them, not the Numba type {name}.") from None


def _name(dtype: np.dtype) -> str:
    return "boolean" if dtype.kind == "b" else "record" if dtype.names else dtype.name
