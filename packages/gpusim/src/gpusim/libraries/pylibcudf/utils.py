"""What pylibcudf's modules share."""

from __future__ import annotations

from typing import Any


def _get_stream(stream: Any = None) -> Any:
    """Return the stream that an operation is to run in: RMM's, or the default one."""
    from rmm.pylibrmm.stream import DEFAULT_STREAM

    return DEFAULT_STREAM if stream is None else stream
