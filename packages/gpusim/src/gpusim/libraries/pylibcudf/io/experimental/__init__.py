"""Reading Parquet in two passes: its enumeration."""

from pylibcudf._answers import UseDataPageMask  # pyright: ignore
from pylibcudf._lazy import submodules

__getattr__ = submodules(__name__)
__all__ = ["UseDataPageMask"]
