"""Files: the enumerations, which types are written, and which paths are on other machines."""

from __future__ import annotations

import re

from pylibcudf._lazy import submodules

from gpusim.importing import names

__getattr__ = submodules(__name__)


class SourceInfo:
    """Files to read, which is refused; asked for whether a path is on another machine."""

    def __init__(self, sources: object) -> None:
        names.refused("pylibcudf.io.SourceInfo", "cudf.read_parquet")()

    @staticmethod
    def _is_remote_uri(path: object) -> bool:
        """Whether a path begins with a scheme, as ``s3://`` is."""
        return isinstance(path, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path) is not None
