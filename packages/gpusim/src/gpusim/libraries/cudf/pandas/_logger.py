"""The log of what fell back to pandas (LOG_FAST_FALLBACK=1), a JSON object a line."""

from __future__ import annotations

import json
import logging
from typing import Any

logger = logging.getLogger("cudf.pandas")
if not logger.handlers:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)


def _text(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        return "<REPR FAILED>"


def log_fallback(name: str, args: tuple, kwargs: dict, exception: Exception) -> None:
    """Write one line."""
    passed = ", ".join([*map(_text, args), *(f"{key}={_text(value)}" for key, value in kwargs.items())])
    logger.info(
        json.dumps(
            {
                "debug_type": "LOG_FAST_FALLBACK",
                "failed_call": f"{name}({passed})",
                "exception": type(exception).__name__,
                "exception_message": str(exception),
                "slow_object": name,
                "args_passed": passed,
                "kwargs_passed": {key: _text(value) for key, value in kwargs.items()},
                "args_types_passed": ", ".join(type(arg).__name__ for arg in args),
                "kwargs_types_passed": ", ".join(f"{key}={type(value).__name__}" for key, value in kwargs.items()),
            }
        )
    )
