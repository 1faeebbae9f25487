"""Groups of rows."""

from .groupby import DataFrameGroupBy, GroupBy, SeriesGroupBy
from .grouping import Grouper, NamedAgg

__all__ = ["DataFrameGroupBy", "GroupBy", "Grouper", "NamedAgg", "SeriesGroupBy"]
