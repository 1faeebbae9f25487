"""A simulated Dask cuDF: Dask dataframes whose partitions are the simulated library's."""

from dask import config as _config
from dask import dataframe as _dd
from dask.dataframe import from_delayed

from . import backends, io
from ._expr import collection
from ._expr.expr import patch as _patch
from .core import DataFrame, Index, Series, concat, from_cudf

__version__ = "26.10.02+gpusim"
__git_commit__ = ""
__all__ = ["DataFrame", "Index", "Series", "backends", "collection", "concat", "from_cudf", "from_delayed", "io"]


def _reader(name: str):
    def read(*args, **kwargs):
        with _config.set({"dataframe.backend": "cudf"}):
            return getattr(_dd, name)(*args, **kwargs)

    read.__name__ = name
    read.__doc__ = f"As ``dask.dataframe.{name}`` with the cudf backend."
    return read


read_csv = _reader("read_csv")
read_json = _reader("read_json")
read_orc = _reader("read_orc")
read_parquet = _reader("read_parquet")
read_text = DataFrame.read_text


def groupby_agg(*args, **kwargs):
    """No longer there."""
    raise NotImplementedError("dask_cudf.groupby_agg is no longer supported. ")


def to_orc(*args, **kwargs):
    """Deprecated: use ``DataFrame.to_orc``."""
    import warnings

    warnings.warn(
        "dask_cudf.to_orc is now deprecated. Please use DataFrame.to_orc instead.", FutureWarning, stacklevel=2
    )
    return io.orc.to_orc(*args, **kwargs)


_patch()
