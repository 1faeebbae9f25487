"""Accessors of one's own on frames."""

from pandas.api.extensions import no_default

from .accessor import register_dataframe_accessor, register_index_accessor, register_series_accessor

__all__ = ["no_default", "register_dataframe_accessor", "register_index_accessor", "register_series_accessor"]
