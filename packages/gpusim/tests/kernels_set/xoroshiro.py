"""xoroshiro128+ as Numba seeds, jumps and draws it, in Python's own integers: the specification of random kernels."""

import numpy as np

MASK = (1 << 64) - 1


def _rotate(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & MASK


def _step(state: tuple[int, int]) -> tuple[tuple[int, int], int]:
    a, b = state
    result = (a + b) & MASK
    b ^= a
    return (_rotate(a, 55) ^ b ^ ((b << 14) & MASK), _rotate(b, 36)), result


def _jump(state: tuple[int, int]) -> tuple[int, int]:
    """2^64 steps at once."""
    x = y = 0
    for word in (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922):
        for bit in range(64):
            if word >> bit & 1:
                x, y = x ^ state[0], y ^ state[1]
            state, _ = _step(state)
    return x, y


def uniforms(seed: int, threads: int, count: int) -> np.ndarray:
    """The first `count` float64 uniforms of each of `threads` states, as ``create_xoroshiro128p_states`` seeds them."""
    z = (seed + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    state = (z, z)
    draws = np.empty((threads, count))
    for thread in range(threads):
        state = _jump(state) if thread else state
        running = state
        for k in range(count):
            running, value = _step(running)
            draws[thread, k] = (value >> 11) / 2**53
    return draws


def normals(seed: int, threads: int, count: int) -> np.ndarray:
    """The same for normal values: Numba makes its float64 ones from float32 uniforms, logarithm included."""
    u = uniforms(seed, threads, 2 * count).astype("f4").reshape(threads, count, 2)
    return np.sqrt(-2 * np.log(u[..., 0]).astype("f8")) * np.cos(2 * np.pi * u[..., 1].astype("f8"))
