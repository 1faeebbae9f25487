"""The error of too little device memory."""

from __future__ import annotations


class OutOfMemoryError(MemoryError):
    """Out of device memory, worded as CuPy words it.

    Parameters
    ----------
    size : int
        Bytes that were asked for.
    total : int
        Bytes the pool holds already.
    limit : int
        The pool's limit in bytes, 0 for none.
    """

    def __init__(self, size: int, total: int, limit: int = 0):
        self._size, self._total, self._limit = size, total, limit
        if limit:
            where = f" (allocated so far: {total:,} bytes, limit set to: {limit:,} bytes)."
        else:
            where = f" (allocated so far: {total:,} bytes)." if total != -1 else ""
        super().__init__(f"Out of memory allocating {size:,} bytes{where}")

    def __reduce__(self):
        # By a function of ours: the class goes by CuPy's name, which not every process that hears of it can import.
        return _made_again, (self._size, self._total, self._limit)


def _made_again(size: int, total: int, limit: int) -> OutOfMemoryError:
    return OutOfMemoryError(size, total, limit)
