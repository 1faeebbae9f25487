"""Filters of ``read_parquet``: which files and row groups are read, and which rows are left."""

from __future__ import annotations

import operator
import warnings
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow.parquet as pq


def normalize_filters(filters: Any) -> list[list[tuple]] | None:
    """Return filters as a list (or) of lists (and) of predicates.

    Raises
    ------
    TypeError
        For anything else.
    """
    if not filters:
        return None
    words = f"filters must be None, or non-empty List[Tuple] or List[List[Tuple]]. Got {filters}"
    if not isinstance(filters, list):
        raise TypeError(words)
    filters = filters if isinstance(filters[0], list) else [filters]
    for conjunction in filters:
        if not conjunction or not isinstance(conjunction, list):
            raise TypeError(words)
        for predicate in conjunction:
            if not isinstance(predicate, tuple) or len(predicate) != 3:
                raise TypeError(f"Predicate must be Tuple[str, str, Any], got {predicate}.")
    return filters


def post_filter(df: Any, filters: list[list[tuple]] | None) -> Any:
    """Return the rows for which the filters hold."""
    import cudf

    if not filters:
        return df

    def is_in(column: Any, value: Any, *, negate: bool) -> Any:
        if not isinstance(value, (list, set, tuple)):
            raise TypeError("Value of 'in'/'not in' filter must be a list, set, or tuple.")
        return ~column.isin(list(value)) if negate else column.isin(list(value))

    def is_null(column: Any, value: Any, *, negate: bool) -> Any:
        if value not in {np.nan, None}:
            raise TypeError("Value of 'is'/'is not' filter must be np.nan or None.")
        return ~column.isna() if negate else column.isna()

    handlers = {
        "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
        "in": partial(is_in, negate=False), "not in": partial(is_in, negate=True),
        "is": partial(is_null, negate=False), "is not": partial(is_null, negate=True),
    }  # fmt: skip
    index = df.index
    reset = isinstance(index, cudf.RangeIndex) and index.name is None and index.start == 0 and index.step == 1
    try:
        chosen = reduce(
            operator.or_,
            (
                reduce(operator.and_, (handlers[op](df[column], value) for column, op, value in conjunction))
                for conjunction in filters
            ),
        )
        return df[chosen].reset_index(drop=True) if reset else df[chosen]
    except (KeyError, TypeError):
        warnings.warn(f"Row-wise filtering failed in read_parquet for {filters}", stacklevel=3)
        return df


def process_dataset(
    paths: list, fs: Any, filters: Any, row_groups: Any, categorical: bool, dataset_kwargs: dict | None
) -> tuple[list, Any, list, dict]:
    """Return the files of a dataset, the row groups to read of each, and what their folders say of them."""
    import pyarrow.dataset as ds

    if not (len(paths) == 1 and fs.isdir(paths[0])) and (
        filters is None and isinstance(dataset_kwargs, dict) and dataset_kwargs.get("partitioning") is None
    ):
        return paths, row_groups, [], {}
    expression = None if filters is None else pq.filters_to_expression(filters)
    source = paths[0] if len(paths) == 1 else paths
    dataset = ds.dataset(
        source=source, filesystem=fs, **(dataset_kwargs or {"format": "parquet", "partitioning": "hive"})
    )
    if not dataset.files:
        raise FileNotFoundError(f"{paths} could not be resolved to any files")
    categories: dict[str, list] = {}
    keys_of = {}
    for fragment in dataset.get_fragments():
        keys = ds.get_partition_keys(fragment.partition_expression)
        keys_of[fragment.path] = keys
        for name, value in keys.items():
            if value not in categories.setdefault(name, []):
                categories[name].append(value)
    if categories:
        # In the order of the folders.
        order = [part.partition("=")[0] for part in dataset.files[0].split(fs.sep) if "=" in part]
        categories = (
            {name: categories[name] for name in order if name in categories}
            if set(order) >= set(categories)
            else categories
        )
    if filters is None and not categories:
        return dataset.files, row_groups, [], {}
    chosen_groups: list | None = row_groups
    if row_groups is not None and len(paths) != len(dataset.files):
        raise ValueError("Cannot specify a row_group selection for a directory path.")
    files, keys = [], []
    by_path = dict(zip(dataset.files, row_groups, strict=True)) if row_groups is not None else {}
    if filters is not None:
        chosen_groups = []
    for fragment in dataset.get_fragments(filter=expression):
        files.append(fragment.path)
        if categories:
            keys.append([(name, keys_of[fragment.path].get(name)) for name in categories])
        if filters is not None:
            groups = [
                group.id
                for part in fragment.split_by_row_group(expression, schema=dataset.schema)
                for group in part.row_groups
            ]
            selection = by_path.get(fragment.path)
            chosen_groups.append(groups if selection is None else [one for one in groups if one in selection])
    return files, chosen_groups, keys, categories if categorical else {}
