"""Expressions that differ for cuDF partitions, and what of Dask's own has to know them."""

from __future__ import annotations

import functools
from typing import Any

import cudf
import dask.dataframe.dask_expr._shuffle as shuffle
from dask.dataframe.dask_expr import new_collection
from dask.dataframe.dask_expr._cumulative import CumulativeBlockwise
from dask.dataframe.dask_expr._expr import Elemwise, EnforceRuntimeDivisions, Expr, RenameAxis, VarColumns
from dask.dataframe.dask_expr._reductions import Reduction, Var
from dask.dataframe.dispatch import is_categorical_dtype, make_meta, meta_nonempty
from dask.typing import no_default
from dask.utils import is_dataframe_like


class RenameAxisCudf(RenameAxis):
    """Names the index."""

    @staticmethod
    def operation(df: Any, index: Any = no_default, **kwargs: Any) -> Any:
        """Name a partition's index."""
        if index is no_default:
            raise NotImplementedError("Only `index` is supported for the cudf backend")
        df = df.copy(deep=False)
        df.index.name = index
        return df


class ToCudfBackend(Elemwise):
    """Moves partitions to the device."""

    _parameters = ["frame", "options"]
    _projection_passthrough = True
    _filter_passthrough = True
    _preserves_partitioning_information = True

    @staticmethod
    def operation(df: Any, options: dict) -> Any:
        """Move a partition."""
        from dask_cudf.backends import to_cudf_dispatch

        return to_cudf_dispatch(df, **options)

    def _simplify_down(self) -> Any:
        if isinstance(self.frame._meta, (cudf.DataFrame, cudf.Series, cudf.Index)):
            return self.frame
        return None


class VarCudf(Reduction):
    """The variance of partitions, from counts, means and squares."""

    _parameters = ["frame", "skipna", "ddof", "numeric_only", "split_every"]
    _defaults = {"skipna": True, "ddof": 1, "numeric_only": False, "split_every": False}

    @functools.cached_property
    def _meta(self) -> Any:
        return make_meta(meta_nonempty(self.frame._meta).var(skipna=self.skipna, numeric_only=self.numeric_only))

    @property
    def chunk_kwargs(self) -> dict:
        """Options of a partition's part."""
        return {"skipna": self.skipna, "numeric_only": self.numeric_only}

    @property
    def combine_kwargs(self) -> dict:
        """No options."""
        return {}

    @property
    def aggregate_kwargs(self) -> dict:
        """Options of the last step."""
        return {"ddof": self.ddof}

    @classmethod
    def reduction_chunk(cls, x: Any, skipna: bool = True, numeric_only: bool = False) -> tuple:
        """Return a partition's count, mean and sum of squared differences."""
        options = {"numeric_only": numeric_only} if is_dataframe_like(x) else {}
        if skipna or numeric_only:
            n = x.count(**options)
            average = x.mean(skipna=skipna, **options)
        else:
            n = len(x)
            average = x.sum(skipna=skipna, **options) / n
        if numeric_only and is_dataframe_like(x):
            x = x[list(n.index.to_pandas() if hasattr(n.index, "to_pandas") else n.index)]
        return n, average, ((x - average) ** 2).sum(skipna=skipna, **options)

    @classmethod
    def reduction_combine(cls, parts: list) -> tuple:
        """Return what several parts are together."""
        n, average, squares = parts[0]
        for n_more, average_more, squares_more in parts[1:]:
            total = n + n_more
            delta = average_more - average
            squares = squares + squares_more + delta**2 * n * n_more / total
            average = (n * average + n_more * average_more) / total
            n = total
        return n, average, squares

    @classmethod
    def reduction_aggregate(cls, vals: list, ddof: int = 1) -> Any:
        """Return the variance."""
        n, _, squares = cls.reduction_combine(vals)
        return squares / (n - ddof)


def _var(
    self: Any, axis: int = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, split_every: Any = False
) -> Any:
    if axis == 0:
        kind = VarCudf if hasattr(self._meta, "to_pandas") else Var
        return kind(self, skipna, ddof, numeric_only, split_every)
    if axis == 1:
        return VarColumns(self, skipna, ddof, numeric_only)
    raise ValueError(f"axis={axis} not supported. Please specify 0 or 1")


_original_get_divisions = shuffle._get_divisions
_original_divisions = EnforceRuntimeDivisions._divisions
_patched = False


def _get_divisions(frame: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
    # Divisions are plain values of the host; those of categories have to be pandas'.
    if is_categorical_dtype(other._meta.dtype) and hasattr(other.frame._meta, "to_pandas"):
        other = new_collection(other).to_backend("pandas")._expr
    return _original_get_divisions(frame, other, *args, **kwargs)


def _divisions(self: Any) -> tuple:
    return tuple(one.item() if hasattr(one, "item") else one for one in _original_divisions(self))


def patch() -> None:
    """Put the variants into Dask's expressions, once."""
    global _patched
    if _patched:
        return
    # cuDF's cumulative methods know no ``numeric_only``.
    CumulativeBlockwise._args = property(lambda self: self.operands[:1])
    CumulativeBlockwise._kwargs = property(lambda self: {"axis": self.axis, "skipna": self.skipna})
    Expr.var = _var
    shuffle._get_divisions = _get_divisions
    EnforceRuntimeDivisions._divisions = _divisions
    _patched = True
