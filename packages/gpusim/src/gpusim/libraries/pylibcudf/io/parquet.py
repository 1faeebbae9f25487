"""How Parquet files are compressed."""

from __future__ import annotations

from typing import Any

from pylibcudf import _answers


def is_supported_write_parquet(compression: Any) -> bool:
    """Whether files can be written with a compression."""
    return compression.name in _answers.ANSWERS["compressions"].split()
