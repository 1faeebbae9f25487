"""DataFrame on the host: text, arrays, dicts, Arrow."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from . import device, host
from .column import arrow_of, dtype_of, isnull, public_arrow
from .delegate import no_default
from .guard import guarded_class
from .reshape_types import find_common_type


@guarded_class
class FrameOutput:
    """What leaves the device."""

    def _shown(self) -> pd.DataFrame:
        """The part of the frame that a repr prints, on the host."""
        p = self._p
        rows, columns = pd.get_option("display.max_rows"), pd.get_option("display.max_columns")
        if rows and len(p) > rows:
            half = int(rows / 2) + 1
            p = pd.concat([p.iloc[:half], p.iloc[-(half + rows % 2) :]])
        if columns and p.shape[1] > columns:
            half = int(columns / 2) + 1
            p = pd.concat([p.iloc[:, :half], p.iloc[:, -half:]], axis=1)
        return host.printable_frame(p)

    def _text(self) -> str:
        shown = self._shown()
        width = None
        if pd.get_option("display.expand_frame_repr"):
            from pandas.io.formats import console

            width, _ = console.get_console_size()
        text = shown.to_string(
            max_rows=pd.get_option("display.max_rows"),
            min_rows=pd.get_option("display.min_rows"),
            max_cols=pd.get_option("display.max_columns"),
            line_width=width,
            max_colwidth=pd.get_option("display.max_colwidth"),
            show_dimensions=pd.get_option("display.show_dimensions"),
        )
        lines = text.split("\n")
        if lines[-1].startswith("["):
            lines[-1] = "[{} rows x {} columns]".format(*self.shape)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = self._shown()._repr_html_().split("\n")
        if lines[-2].startswith("<p>"):
            lines = [*lines[:-2], "<p>{} rows × {} columns</p>".format(*self.shape), "</div>"]
        return "\n".join(lines)

    def _repr_latex_(self) -> Any:
        return self._shown()._repr_latex_()

    def to_string(self, *args: Any, **kwargs: Any) -> Any:
        """The text of the whole frame."""
        return self.to_pandas().to_string(*args, **kwargs)

    def info(self, verbose: Any = None, buf: Any = None, max_cols: Any = None, memory_usage: Any = None,
             null_counts: Any = None) -> None:  # fmt: skip
        """Print the columns, their types and how many values are not null."""
        out = sys.stdout if buf is None else buf
        p, n = self._p, self.shape[1]
        lines = [str(type(self)), _summary(self.index)]
        if n == 0:
            lines.append(f"Empty {type(self).__name__}")
        else:
            counts = null_counts if null_counts is not None else True
            long = verbose if verbose is not None else n <= (max_cols or pd.get_option("display.max_info_columns"))
            if long:
                lines += _columns_table(p, counts)
            else:
                first, last = p.columns[0], p.columns[-1]
                lines.append(f"Columns: {n} entries, {first} to {last}")
        kinds = pd.Series(
            [str(dtype_of(d)) if not isinstance(d, pd.CategoricalDtype) else "category" for d in p.dtypes]
        )
        if n:
            lines.append("dtypes: " + ", ".join(f"{k}({c})" for k, c in kinds.value_counts().sort_index().items()))
        if memory_usage is None:
            memory_usage = pd.get_option("display.memory_usage")
        if memory_usage:
            size = float(self.memory_usage(deep=memory_usage == "deep")._p.sum())
            units = ["bytes", "KB", "MB", "GB", "TB"]
            while size >= 1024 and len(units) > 1:
                size /= 1024
                units.pop(0)
            unit = units[0]
            plus = "+" if memory_usage != "deep" and any(k in ("object", "str") for k in kinds) else ""
            lines.append(f"memory usage: {size:3.1f}{plus} {unit}")
        out.write("\n".join(lines) + "\n")

    def _common(self, cupy_wanted: bool) -> np.dtype:
        p = self._p
        kinds = [dtype_of(d) for d in p.dtypes]
        nulls = any(isnull(p.iloc[:, i].array).any() for i in range(p.shape[1]))
        common = kinds[0] if len(kinds) == 1 else find_common_type(kinds)
        if hasattr(common, "categories"):
            common = common.categories.dtype
        if nulls and isinstance(common, np.dtype):
            if common.kind == "b" or any(getattr(k, "kind", "") == "b" for k in kinds):
                if cupy_wanted:
                    raise ValueError("Cannot convert to cupy bool array with nulls.")
                common = np.dtype("object")
            elif common.kind in "iu":
                common = np.dtype("float64")
        if isinstance(common, pd.StringDtype):
            common = np.dtype("object")
        if not isinstance(common, np.dtype):
            raise NotImplementedError(f"{common} cannot be exposed as an array")
        return common

    def to_cupy(self, dtype: Any = None, copy: bool = False, na_value: Any = None) -> Any:
        """The values as a CuPy matrix in Fortran order."""
        import cupy

        p = self._p
        if not p.shape[1]:
            return cupy.empty((len(p), 0), dtype=np.float64, order="F")
        wanted = np.dtype(dtype) if dtype is not None else self._common(True)
        columns = [self.iloc[:, i].to_cupy(wanted if wanted.kind in "iufb" and dtype is not None else None, na_value=na_value)
                   for i in range(p.shape[1])]  # fmt: skip
        if na_value is not None and dtype is None:
            wanted = np.result_type(*(c.dtype for c in columns))
        matrix = cupy.empty((len(p), p.shape[1]), dtype=wanted, order="F")
        for i, column in enumerate(columns):
            matrix[:, i] = column
        return matrix

    def to_numpy(self, dtype: Any = None, copy: bool = True, na_value: Any = no_default) -> np.ndarray:
        """The values as a NumPy matrix on the host."""
        p = self._p
        if not p.shape[1]:
            return np.empty((len(p), 0), dtype=np.float64, order="F")
        wanted = np.dtype(dtype) if dtype is not None else self._common(False)
        if dtype is None and na_value is not no_default and wanted.kind == "f":
            kinds = [dtype_of(d) for d in p.dtypes]
            wanted = find_common_type(kinds) if len(kinds) > 1 else kinds[0]
        matrix = np.empty((len(p), p.shape[1]), dtype=wanted, order="F")
        for i in range(p.shape[1]):
            matrix[:, i] = self.iloc[:, i].to_numpy(dtype if wanted.kind not in "O" else None, na_value=na_value)
        return matrix

    def to_arrow(self, preserve_index: Any = None) -> pa.Table:
        """An Arrow table on the host, with pandas' metadata."""
        p = self._p
        device.downloaded(p.size * 8)
        columns = {name: public_arrow(array) for name, array in self._arrow_columns().items()}
        index_columns: list = []
        if preserve_index is not False:
            ranges = isinstance(p.index, pd.RangeIndex)
            if ranges and preserve_index is not True:
                index_columns = [{"kind": "range", "name": p.index.name, "start": p.index.start, "stop": p.index.stop,
                                  "step": p.index.step}]  # fmt: skip
            else:
                for level in range(p.index.nlevels):
                    name = p.index.names[level]
                    label = f"__index_level_{level}__" if name is None or name in columns else name
                    columns[label] = public_arrow(arrow_of(self.index.get_level_values(level)._storage))
                    index_columns.append(label)
        table = pa.table({str(name): array for name, array in columns.items()})
        from pyarrow.pandas_compat import construct_metadata

        levels = (
            [p.index.get_level_values(i) for i in range(p.index.nlevels)]
            if index_columns and not isinstance(index_columns[0], dict)
            else [p.index]
            if index_columns
            else []
        )
        meta = construct_metadata(
            columns_to_convert=[pd.Series(host.to_host(p.iloc[:0, i].array)) for i in range(p.shape[1])],
            df=host.host_frame(p.iloc[:0]),
            column_names=[str(c) for c in p.columns],
            index_levels=[
                host.host_index(level[:0]) if not isinstance(level, pd.RangeIndex) else level for level in levels
            ],
            index_descriptors=index_columns,
            preserve_index=preserve_index,
            types=[table.column(i).type for i in range(table.num_columns)],
        )
        return table.replace_schema_metadata(meta)

    def to_dict(self, orient: str = "dict", into: type = dict, index: bool = True) -> Any:
        """A dict on the host."""
        return self.to_pandas().to_dict(orient=orient.lower(), into=into, index=index)

    def to_records(self, index: bool = True, column_dtypes: Any = None, index_dtypes: Any = None) -> np.ndarray:
        """A structured array on the host."""
        return self.to_pandas().to_records(index, column_dtypes, index_dtypes)


def _summary(index: Any) -> str:
    p = index._p
    if len(p):
        ends = [str(p[0]), str(p[-1])]
        return f"{type(index).__name__}: {len(p)} entries, {ends[0]} to {ends[1]}"
    return f"{type(index).__name__}: 0 entries"


def _columns_table(p: pd.DataFrame, counts: bool) -> list[str]:
    rows = []
    for i, name in enumerate(p.columns):
        array = p.iloc[:, i].array
        kind = "category" if isinstance(array, pd.Categorical) else str(dtype_of(array.dtype))
        rows.append((str(i), str(name), f"{len(p) - int(isnull(array).sum())} non-null", kind))
    heads = [" # ", "Column", "Non-Null Count", "Dtype"] if counts else [" # ", "Column", "Dtype"]
    table = [(f" {r[0]}", r[1], r[2], r[3]) if counts else (f" {r[0]}", r[1], r[3]) for r in rows]
    widths = [max(len(h), *(len(r[i]) for r in table)) for i, h in enumerate(heads)]
    line = lambda cells: "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).replace("   ", "   ")  # noqa: E731
    return [f"Data columns (total {len(rows)} columns):", line(heads),
            line(["-" * len(h.strip()) if h.strip() != "#" else "---" for h in heads]), *(line(r) for r in table)]  # fmt: skip
