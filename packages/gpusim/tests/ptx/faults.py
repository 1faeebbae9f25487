"""Faults to plant in a copy of the engine, one at a time, and what shows each."""

from __future__ import annotations

from typing import NamedTuple


class Planted(NamedTuple):
    """An edit of a file below ``src/gpusim``, and what `worker` is asked then."""

    name: str
    file: str
    old: str
    new: str
    ask: str


_THREADS = "kernels/backends/numba/thread_intrinsics.py"
_ATOMICS = "kernels/backends/numba/atomics.py"
_LIBRARY = "kernels/frontend/cuda_cpp/device_library.py"
_LIBDEVICE = "libraries/numba_cuda/_libdevice_table.py"
FAULTS = [
    Planted(
        "halves rounded down", _LIBRARY, "abs(x - whole) >= 0.5", "abs(x - whole) > 0.5", "cpp functions_double_30"
    ),
    Planted("a quotient rounded down", _LIBRARY, "        q += 1\n", "        q += 0\n", "cpp arithmetic_i4_i4"),
    Planted(
        "a remainder with the divisor's sign",
        _LIBRARY,
        "        r -= b\n",
        "        r -= a - a\n",
        "cpp arithmetic_i4_i4",
    ),
    Planted(
        "no promotion to int",
        "kernels/frontend/cuda_cpp/c_types.py",
        "and kind.size < 4):",
        "and kind.size < 1):",
        "cpp arithmetic_i1_i1",
    ),
    Planted(
        "a sign that is lost",
        "kernels/frontend/cuda_cpp/c_types.py",
        "return unsigned if _RANK[unsigned.char] >= _RANK",
        "return unsigned if _RANK[unsigned.char] > _RANK",
        "cpp arithmetic_i4_u4",
    ),
    Planted(
        "a shift without the sign",
        "kernels/frontend/cuda_cpp/values.py",
        'wide = "i8" if kind.kind == "i" else "u8"',
        'wide = "u4"',
        "cpp arithmetic_i4_i4",
    ),
    Planted(
        "bits counted from zero",
        _THREADS,
        "found = builder.add(count, ir.Constant(bits.type, 1))",
        "found = count",
        "set bit_counting",
    ),
    Planted("bytes for bits", _THREADS, "builder.bitreverse(bits)", "builder.bswap(bits)", "set bit_counting"),
    Planted(
        "half a warp",
        _THREADS,
        "31))\n        return builder.trunc(lane, ",
        "15))\n        return builder.trunc(lane, ",
        "set lane_facts",
    ),
    Planted(
        "the new value of an atomic",
        _ATOMICS,
        "lambda at: operation(builder, base.dtype, at, operand),",
        "lambda at: (operation(builder, base.dtype, at, operand), builder.load(at))[1],",
        "set compaction_atomic",
    ),
    Planted(
        "one turn too many",
        _ATOMICS,
        'reached = builder.icmp_unsigned(">=", old, value)',
        'reached = builder.icmp_unsigned(">", old, value)',
        "set every_atomic_uint32",
    ),
    Planted(
        "a maximum that keeps NaN",
        _LIBDEVICE,
        '"fmax": "y if x != x or x < y',
        '"fmax": "y if x < y',
        "functions libdevice_float64_float64",
    ),
    Planted(
        "a mean rounded down",
        _LIBDEVICE,
        '"urhadd": "(int64(X) + int64(Y) + 1) >> 1"',
        '"urhadd": "(int64(X) + int64(Y)) >> 1"',
        "functions libdevice_int32_int32",
    ),
    Planted(
        "a neighbour's lane",
        "kernels/backends/numba/schedule.py",
        "source = _source(kind, lane, rows[at, _LANE])",
        "source = _source(kind, lane, rows[at, _LANE]) ^ 1",
        "set shuffle_rotation",
    ),
    Planted(
        "a vote of all for any",
        "kernels/backends/numba/schedule.py",
        "rows[at, _RESULT] = true == group or true == 0",
        "rows[at, _RESULT] = true == group",
        "set warp_votes",
    ),
]
"""Each is found by the comparison, and `test_ptx` shows it."""
