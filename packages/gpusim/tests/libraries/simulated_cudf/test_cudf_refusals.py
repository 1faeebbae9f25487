"""What cuDF refuses, with its exceptions and in its words (each read in its source)."""

import re

import numpy as np
import pytest

CASES = [
    ("list(cudf.Series([1]))", "TypeError", "Series object is not iterable. Consider using `.to_arrow()`"),
    ("np.asarray(cudf.Series([1]))", "TypeError", "Implicit conversion to a host NumPy array via __array__"),
    ("list(frame.iterrows())", "TypeError", "cuDF does not support iteration of DataFrame via iterrows"),
    ("list(frame.itertuples())", "TypeError", "cuDF does not support iteration of DataFrame via itertuples"),
    ("cudf.Series([1]).tolist()", "TypeError", "cuDF does not support conversion to host memory via the `tolist()`"),
    ("bool(cudf.Series([1]))", "ValueError", "The truth value of a Series is ambiguous"),
    ("cudf.Series([1, 'a'])", "MixedTypeError", "Cannot create column with mixed types"),
    ("cudf.Series(np.zeros(2, 'f2'))", "TypeError", "Unsupported type float16"),
    ("cudf.Series(['a']).values", "TypeError", "cupy does not support str"),
    ("cudf.DataFrame([[1, 2]], columns=['a', 'a'])", "ValueError", "Columns cannot contain duplicate values"),
    ("frame.query(\"s == 'x'\")", "TypeError", "query only supports numeric, datetime, timedelta, or bool dtypes."),
    ("frame.merge(frame, indicator=True)", "NotImplementedError", "Only indicator=False is currently supported"),
    ("frame.merge(frame, how='asof')", "NotImplementedError", "asof merge not supported yet"),
    ("frame.merge(cudf.DataFrame({'z': [1]}))", "ValueError", "No common columns to perform merge on"),
    ("frame.apply(lambda c: c, axis=0)", "NotImplementedError", "DataFrame.apply currently only supports row wise ops"),
    ("frame.a.apply(lambda x: {x: x})", "ValueError", "user defined function compilation failed."),
    ("frame.a.apply(lambda x: x.foo)", "ValueError", "user defined function compilation failed."),
    ("frame.groupby('s').filter(len)", "NotImplementedError", "filter is currently not implemented"),
    ("frame.groupby('a').agg({'s': 'mean'})", "TypeError", "str type does not support mean operations"),
    ("frame.groupby('a').agg({'b': ['sum', 'cumsum']})", "NotImplementedError", "Cannot perform both aggregation and scan"),
    ("frame.groupby('a').transform(lambda g: g + 1)", "NotImplementedError", "supports only aggregations"),
    ("frame.a.rolling(2).median()", "NotImplementedError", "Rolling.median() is not yet implemented"),
    ("frame.a.rolling(2, closed='left')", "NotImplementedError", "closed is currently not supported"),
    ("frame.a.rolling('2D')", "ValueError", "index must be a DatetimeIndex for a frequency-based window"),
    ("frame.a.fillna(1, limit=1)", "NotImplementedError", "The limit keyword is not supported"),
    ("frame.a.add(1, level=0)", "NotImplementedError", "level parameter is not supported yet."),
    ("frame.s.replace('x', 'y', regex=True)", "NotImplementedError", "regex parameter is not implemented yet"),
    ("cudf.concat([frame.a], keys=['x'])", "NotImplementedError", "keys is currently not supported"),
    ("cudf.concat([frame.a, frame.a], axis=1)", "NotImplementedError", "A Column with duplicate name found: a"),
    ("cudf.concat([])", "ValueError", "No objects to concatenate"),
    ("cudf.date_range('2020', periods=2, freq='ME')", "ValueError", "cuDF does not yet support month, quarter"),
    ("cudf.get_dummies(frame.s, sparse=True)", "NotImplementedError", "sparse is not supported yet"),
    ("frame.melt()", "ValueError", "all cols in value_vars must have the same dtype"),
    ("frame.iloc[99]", "IndexError", ""),
    ("frame.loc[99]", "KeyError", ""),
    ("frame['none']", "KeyError", "none"),
    ("frame.drop(columns='none')", "KeyError", "column 'none' does not exist"),
    ("frame.none", "AttributeError", "none"),
    ("frame.a.style", "AttributeError", "style"),
    ("frame.rename_axis('i')", "AttributeError", "rename_axis"),
    ("cudf.DataFrame.from_pandas", "AttributeError", "from_pandas"),
    ("frame.index.__setitem__(0, 1)", "TypeError", "does not support item assignment"),
    ("cudf.Series(['a']) + 1", "TypeError", "unsupported operand type(s) for +"),
    ("cudf.Series(['a']) < cudf.Series([1])", "TypeError", "not supported between instances of"),
    ("cudf.Series([1.5]) & 1", "TypeError", "Operation 'bitwise and' not supported between float64 and float64"),
    ("frame.a.astype('category').sum()", "TypeError", "does not support reduction 'sum'"),
    *((f"frame.eval('{text}')", "RuntimeError", "non-matching operand types") for text in ("a + b", "b > 1", "-b", "a * 2.0")),
    ("cudf.Series(['a']).mean()", "TypeError", "does not support reduction 'mean'"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "kind", "text"), CASES, ids=[c[0] for c in CASES])
def test_refused_in_cudfs_words(cudf, code, kind, text):
    frame = cudf.DataFrame({"a": [1, 2, 3], "b": [1.0, None, 3.0], "s": ["x", "y", "x"]})
    with pytest.raises(Exception) as caught:
        eval(code, {"cudf": cudf, "np": np, "frame": frame})
    names = {cls.__name__ for cls in type(caught.value).__mro__}
    assert kind in names, (type(caught.value), caught.value)
    assert re.search(re.escape(text), str(caught.value)), caught.value


def test_what_is_not_simulated_says_so(cudf):
    from gpusim.importing.errors import NotSimulatedError

    with pytest.raises(NotSimulatedError, match="xxhash64"):
        cudf.Series([1]).hash_values("xxhash64")
    with pytest.raises(AttributeError, match="no attribute 'nothing_like_it'"):
        _ = cudf.nothing_like_it
