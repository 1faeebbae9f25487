"""Reading collections."""

from . import csv, json, orc, parquet, text
from .parquet import read_parquet

__all__ = ["csv", "json", "orc", "parquet", "read_parquet", "text"]
