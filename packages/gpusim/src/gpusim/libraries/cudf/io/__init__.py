"""Reading and writing files."""

from .avro import read_avro
from .csv import read_csv, to_csv
from .dlpack import from_dlpack
from .feather import read_feather
from .hdf import read_hdf
from .json import read_json
from .orc import read_orc, read_orc_metadata, to_orc
from .parquet import (
    ParquetDatasetWriter,
    merge_parquet_filemetadata,
    read_parquet,
    read_parquet_metadata,
    write_to_dataset,
)
from .text import read_text

__all__ = [
    "ParquetDatasetWriter",
    "from_dlpack",
    "merge_parquet_filemetadata",
    "read_avro",
    "read_csv",
    "read_feather",
    "read_hdf",
    "read_json",
    "read_orc",
    "read_orc_metadata",
    "read_parquet",
    "read_parquet_metadata",
    "read_text",
    "to_csv",
    "to_orc",
    "write_to_dataset",
]
