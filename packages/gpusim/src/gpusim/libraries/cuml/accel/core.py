"""Switching it on, and its log."""

from __future__ import annotations

import enum
import os

from ..internals.outputs import set_global_output_type

SIMULATED = "simulated: no estimator is replaced, scikit-learn runs as it is on this CPU"


class Logger:
    """The log of cuml.accel: lines on standard output."""

    class _Level(enum.IntEnum):
        ERROR = 40
        WARN = 30
        INFO = 20
        DEBUG = 10

    def __init__(self) -> None:
        self.level = Logger._Level.WARN

    def __repr__(self) -> str:
        return f"<Logger level={self.level.name!r}>"

    def set_level(self, level: str) -> None:
        """Set the level: error, warn, info or debug; ValueError for another word."""
        try:
            self.level = Logger._Level[level.upper()]
        except KeyError:
            raise ValueError(
                f"level should be one of ['error', 'warn', 'info', 'debug']; got {level!r} instead."
            ) from None

    def _log(self, level: int, message: str) -> None:
        if self.level <= level:
            print(f"[cuml.accel] {message}", flush=True)

    def error(self, message: str) -> None:
        """Log an error."""
        self._log(Logger._Level.ERROR, message)

    def warn(self, message: str) -> None:
        """Log a warning."""
        self._log(Logger._Level.WARN, message)

    def info(self, message: str) -> None:
        """Log what was done."""
        self._log(Logger._Level.INFO, message)

    def debug(self, message: str) -> None:
        """Log details."""
        self._log(Logger._Level.DEBUG, message)


logger = Logger()
_enabled = False


def enabled() -> bool:
    """Whether it is switched on."""
    return _enabled


def install(disable_uvm: bool = False, log_level: str | None = None) -> None:
    """Switch it on: cuML's own estimators return NumPy's arrays from here on; those of scikit-learn stay what they are."""
    global _enabled
    if _enabled:
        return
    level = os.environ.get("CUML_ACCEL_LOG_LEVEL", "warn") if log_level is None else log_level
    logger.set_level(level)
    os.environ.setdefault("CUML_ACCEL_ENABLED", "1")
    os.environ.setdefault("CUML_ACCEL_LOG_LEVEL", level)
    if not disable_uvm:
        import rmm

        if type(rmm.mr.get_current_device_resource()) is rmm.mr.CudaMemoryResource:
            rmm.mr.set_current_device_resource(rmm.mr.PrefetchResourceAdaptor(rmm.mr.ManagedMemoryResource()))
            logger.debug("Enabled managed memory.")
        else:
            logger.debug("A non-default memory resource is already configured, skipping enabling managed memory.")
    _enabled = True
    set_global_output_type("numpy")
    logger.info("Accelerator installed.")
    logger.info(f"({SIMULATED})")
