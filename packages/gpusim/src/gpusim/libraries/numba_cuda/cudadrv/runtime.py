"""The CUDA runtime, as far as a simulated device can answer."""

from __future__ import annotations


class Runtime:
    """The CUDA runtime."""

    def get_version(self) -> tuple[int, int]:
        """The version whose libraries are simulated."""
        return 13, 0

    def is_supported_version(self) -> bool:
        """Whether this version is known to work."""
        return True

    @property
    def supported_versions(self) -> tuple[tuple[int, int], ...]:
        """The versions that are known to work."""
        return (self.get_version(),)


runtime = Runtime()


def get_version() -> tuple[int, int]:
    """The version whose libraries are simulated."""
    return runtime.get_version()
