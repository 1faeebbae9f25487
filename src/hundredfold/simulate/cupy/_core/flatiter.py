"""``x.flat``."""

from __future__ import annotations

from typing import Any


class flatiter:
    """A flat iterator over a device array; CuPy supports indexing with a single integer or slice."""

    def __init__(self, a: Any):
        self._array = a

    @property
    def base(self) -> Any:
        """The array this iterates over."""
        return self._array

    def _flat(self) -> Any:
        return self._array.ravel()

    def __getitem__(self, index: Any) -> Any:
        return self._flat()[index].copy()

    def __setitem__(self, index: Any, value: Any) -> None:
        flat = self._flat()
        flat[index] = value
        if flat.base is None and flat is not self._array:  # the ravel had to copy
            self._array[...] = flat.reshape(self._array.shape)

    def __iter__(self):
        return iter(self._flat())

    def __len__(self) -> int:
        return self._array.size

    def copy(self) -> Any:
        """A copy as a 1-d array."""
        return self._array.flatten()
