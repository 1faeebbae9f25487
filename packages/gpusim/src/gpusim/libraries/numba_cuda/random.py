"""Random numbers in kernels: xoroshiro128+, one generator per thread.

The generator is by David Blackman and Sebastiano Vigna (https://prng.di.unimi.it/, xoroshiro128plus.c of 2016 with the
shifts 55, 14, 36), seeded by splitmix64.  The sequences are those of numba-cuda: 2**64 steps lie between two states.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import float32, float64, int64, njit, uint32, uint64
from numba.np.numpy_support import from_dtype

from . import api

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
xoroshiro128p_type = from_dtype(xoroshiro128p_dtype)
TWO_PI_FLOAT32, TWO_PI_FLOAT64 = np.float32(2 * math.pi), np.float64(2 * math.pi)
_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)
_MASK = 2**64 - 1


@njit
def init_xoroshiro128p_state(states, index, seed):
    """Set one state from a 64-bit seed."""
    index = int64(index)
    z = uint64(seed) + uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> uint32(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint32(27))) * uint64(0x94D049BB133111EB)
    z = z ^ (z >> uint32(31))
    states[index]["s0"] = z
    states[index]["s1"] = z


@njit
def rotl(x, k):
    """Rotate the bits of ``x`` to the left."""
    x = uint64(x)
    k = uint32(k)
    return (x << k) | (x >> uint32(64 - k))


@njit
def xoroshiro128p_next(states, index):
    """The next 64 random bits of a generator, as uint64."""
    index = int64(index)
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    result = s0 + s1
    s1 = s1 ^ s0
    states[index]["s0"] = uint64(rotl(s0, uint32(55))) ^ s1 ^ (s1 << uint32(14))
    states[index]["s1"] = uint64(rotl(s1, uint32(36)))
    return result


@njit
def xoroshiro128p_jump(states, index):
    """Advance a generator by 2**64 steps."""
    index = int64(index)
    s0 = uint64(0)
    s1 = uint64(0)
    for b in range(128):
        word = uint64(0xBEAC0467EBA5FACB) if b < 64 else uint64(0xD86B048B86AA9922)
        if word & (uint64(1) << uint64(b % 64)):
            s0 = s0 ^ states[index]["s0"]
            s1 = s1 ^ states[index]["s1"]
        xoroshiro128p_next(states, index)
    states[index]["s0"] = s0
    states[index]["s1"] = s1


@njit
def uint64_to_unit_float64(x):
    """64 random bits as a float64 from 0 (included) to 1."""
    x = uint64(x)
    return (x >> uint32(11)) * (float64(1) / (uint64(1) << uint32(53)))


@njit
def uint64_to_unit_float32(x):
    """64 random bits as a float32 from 0 to 1."""
    x = uint64(x)
    return float32(uint64_to_unit_float64(x))


@njit
def xoroshiro128p_uniform_float32(states, index):
    """A float32, uniform from 0 to 1."""
    index = int64(index)
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@njit
def xoroshiro128p_uniform_float64(states, index):
    """A float64, uniform from 0 (included) to 1."""
    index = int64(index)
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


@njit
def xoroshiro128p_normal_float32(states, index):
    """A float32 of the normal distribution with mean 0 and deviation 1, by Box and Muller; two steps."""
    index = int64(index)
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-float32(2.0) * math.log(u1)) * math.cos(TWO_PI_FLOAT32 * u2)


@njit
def xoroshiro128p_normal_float64(states, index):
    """A float64 of the normal distribution with mean 0 and deviation 1; numba-cuda makes it of two float32 as well."""
    index = int64(index)
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-float64(2.0) * math.log(u1)) * math.cos(TWO_PI_FLOAT64 * u2)


def init_xoroshiro128p_states_cpu(states: np.ndarray, seed: int, subsequence_start: int) -> None:
    """Set the states of a host array: each 2**64 steps after the one before.

    A jump is linear over bits, so the jump over many states is a matrix: the second half of an array is made of the first
    by one, and no state needs the one before it.
    """
    n = states.shape[0]
    if n < 1:
        return
    z = (int(seed) + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    z ^= z >> 31
    jump = _jump_matrix()
    words = np.empty((2, n), np.uint64)
    words[:, 0] = z
    start, matrix = int(subsequence_start) & _MASK, jump
    while start:
        if start & 1:
            words[:, :1] = _apply(matrix, words[:, :1])
        start >>= 1
        matrix = _apply(matrix, matrix) if start else matrix
    done, matrix = 1, jump
    while done < n:
        more = min(done, n - done)
        words[:, done : done + more] = _apply(matrix, words[:, :more])
        done += more
        if done < n:
            matrix = _apply(matrix, matrix)
    states["s0"], states["s1"] = words


def _jump_matrix() -> np.ndarray:
    """What a jump makes of each of the 128 states that have one bit set: the columns, shape (2, 128)."""
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    zero = np.zeros(64, np.uint64)
    s0, s1 = np.concatenate([bits, zero]), np.concatenate([zero, bits])
    made = np.zeros((2, 128), np.uint64)
    for word in _JUMP:
        for b in range(64):
            if word >> b & 1:
                made ^= (s0, s1)
            s1 = s1 ^ s0
            s0, s1 = _rotated(s0, 55) ^ s1 ^ (s1 << np.uint64(14)), _rotated(s1, 36)
    return made


def _rotated(x: np.ndarray, k: int) -> np.ndarray:
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


def _apply(matrix: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Multiply a (2, 128) bit matrix by states (2, n), a byte of theirs at a time."""
    made = np.zeros_like(states)
    byte = np.arange(256, dtype=np.uint64)
    for at in range(16):
        table = np.zeros((2, 256), np.uint64)
        for b in range(8):
            table ^= matrix[:, at * 8 + b, None] * (byte >> np.uint64(b) & np.uint64(1))
        made ^= table[:, (states[at // 8] >> np.uint64(at % 8 * 8)) & np.uint64(255)]
    return made


def init_xoroshiro128p_states(states: Any, seed: int, subsequence_start: int = 0, stream: Any = 0) -> None:
    """Set the generators of a device array.

    Parameters
    ----------
    states : DeviceNDArray
        1-d, of dtype `xoroshiro128p_dtype`.
    seed : int
    subsequence_start : int
        Begin this many times 2**64 steps later.
    stream : Stream, optional
    """
    host = np.empty(states.shape, xoroshiro128p_dtype)
    init_xoroshiro128p_states_cpu(host, seed, subsequence_start)
    states.copy_to_device(host, stream=stream)


def create_xoroshiro128p_states(n: int, seed: int, subsequence_start: int = 0, stream: Any = 0) -> Any:
    """A device array of ``n`` generators, independent of each other (see `init_xoroshiro128p_states`)."""
    states = api.device_array(n, xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states
