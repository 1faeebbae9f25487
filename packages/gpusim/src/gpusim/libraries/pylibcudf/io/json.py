"""Which types are written to JSON."""

from __future__ import annotations

from typing import Any

from pylibcudf import _answers


def is_supported_write_json(type: Any) -> bool:
    """Whether columns of a type can be written."""
    return _answers.of(type) in _answers.names("writes", "json")
