"""The loops that find out how fast this CPU is: three that only move memory, one that only calculates.

Compiled by Numba without its own threads: each call works on one slice with the interpreter's lock released, and as many
Python threads as there are cores call it at once. That compiles in a tenth of the time that `parallel=True` takes.
"""

from numba import njit

FLOPS_PER_ROUND = 32  # sixteen fused multiply-adds on each element
CHAIN = 64  # rounds on each element between a load and a store, so that memory does not count


@njit(nogil=True)
def copy(a, b, c):
    """c = a: 16 bytes an element."""
    for i in range(a.size):
        c[i] = a[i]
    return c[0]


@njit(nogil=True)
def triad(a, b, c):
    """a = b + 3 c, STREAM's triad: 24 bytes an element."""
    for i in range(a.size):
        a[i] = b[i] + 3.0 * c[i]
    return a[0]


@njit(nogil=True, fastmath=True)
def read(a, b, c):
    """The sum of a: 8 bytes an element, and none written."""
    total = 0.0
    for i in range(a.size):
        total += a[i]
    return total


@njit(nogil=True, fastmath={"contract"})
def multiply_add(x, y, p, q):
    """Two chains of fused multiply-adds for each element of `x` and `y`, arrays small enough for the first-level cache.

    `p` and `q` have the arrays' type, or float32 would be widened. The values settle near q / (1 - p) and stay finite.
    """
    for _ in range(CHAIN):
        for i in range(x.size):
            u, v = x[i], y[i]
            u, v = u * p + q, v * p + q
            u, v = u * p + q, v * p + q
            u, v = u * p + q, v * p + q
            u, v = u * p + q, v * p + q
            u, v = u * p + q, v * p + q
            u, v = u * p + q, v * p + q
            u, v = u * p + q, v * p + q
            u, v = u * p + q, v * p + q
            x[i], y[i] = u, v
    return x[0]
