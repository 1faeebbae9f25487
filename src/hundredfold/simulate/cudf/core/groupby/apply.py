"""``groupby().apply``: a function of each group's rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..construct import as_storage
from ..guard import guarded_class
from ..wrap import classes, frame_of, make_frame, normal_frame, series_of
from .aggregate import _parts


@guarded_class
class ApplyMethods:
    """``apply`` and its like."""

    def apply(self, func: Any, *args: Any, engine: str = "auto", include_groups: bool = False, **kwargs: Any) -> Any:
        """A function of each group's rows (without the keys); its results are put together."""
        if include_groups:
            raise ValueError("include_groups=True is no longer allowed.")
        if kwargs:
            raise NotImplementedError("Passing kwargs to func is currently not supported.")
        if not callable(func):
            raise TypeError(f"type {type(func)} is not callable")
        if engine not in ("auto", "cudf", "jit"):
            raise ValueError(f"Unsupported engine '{engine}'")
        g = self.grouping
        if self.obj.empty:
            return self.obj.copy()
        parts = _parts(g.codes, g.ngroups)
        order = np.arange(g.ngroups) if self._sort else np.argsort(g.first)
        values = self.obj if self.obj.ndim == 1 else self.obj[self._apply_names()]
        results = [func(values._rows(parts[i]), *args) for i in order]
        out = self._together(results, g.labels.take(order), [parts[i] for i in order], values)
        return out.reset_index() if not self._as_index else out

    def _apply_names(self) -> list:
        chosen = self.__dict__.get("_selection")
        if chosen is not None:
            return list(chosen) if isinstance(chosen, (list, tuple)) else [chosen]
        return self._value_names

    def _together(self, results: list, labels: pd.Index, parts: list, values: Any) -> Any:
        import cudf

        first = results[0]
        if values.ndim == 2 and all(r is None for r in results):
            return values.head(0).reset_index(drop=True)
        if pd.api.types.is_scalar(first):
            array = as_storage(
                [r.item() if isinstance(r, np.generic) and r.dtype.kind in "iufb" else r for r in results]
            )
            if self._as_index:
                return series_of(pd.Series(array, index=labels, name=self.obj._p.name if self.obj.ndim == 1 else None))
            return frame_of(make_frame({None: array}, labels))
        if isinstance(first, classes["Series"]) and values.ndim == 2:
            same = all(first._p.index.equals(r._p.index) for r in results[1:])
            row_like = len(first) == values.shape[1] and first._p.index.equals(values._p.columns)
            if row_like or (same and not _of_rows(first, values, parts[0])):
                whole = pd.concat([r._p.reset_index(drop=True) for r in results], axis=1).T
                columns = {
                    i: as_storage(pd.concat([r._p.iloc[[i]] for r in results], ignore_index=True))
                    for i in range(len(first))
                }
                names = {r.name for r in results}
                index = first._p.index.rename(first.name if len(names) == 1 else None)
                del whole
                return frame_of(make_frame(columns, labels, index))
            return self._stacked(cudf.concat(results), labels, [len(r) for r in results])
        result = cudf.concat(results)
        rows = np.concatenate(parts)
        if self._group_keys:
            return self._stacked(result, labels, [len(r) for r in results])
        if len(result) == len(rows) and result._p.index.equals(values._p.index.take(rows)):
            back = np.argsort(rows)
            return result.take(back)
        return result

    def _stacked(self, result: Any, labels: pd.Index, lengths: list) -> Any:
        keys = labels.repeat(lengths)
        levels = [keys.get_level_values(i) for i in range(keys.nlevels)]
        inner = result._p.index
        index = pd.MultiIndex.from_arrays([*levels, inner], names=[*labels.names, inner.name])
        p = result._p.set_axis(index)
        return series_of(p) if p.ndim == 1 else frame_of(normal_frame(p))


def _of_rows(found: Any, values: Any, rows: np.ndarray) -> bool:
    return len(found) == len(rows) and found._p.index.equals(values._p.index.take(rows)) and len(rows) > 1
