"""``Series.str`` and ``Index.str``: the string methods of cuDF, with libcudf's rules where they are not Python's.

Regular expressions are those of libcudf (see `._each.compiled`): what it refuses is refused.  Predicates that cuDF answers
with False for null do so here; the others keep the null.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ._string_characters import Characters
from ._string_search import Search
from ._string_split import Split
from ._string_text import Text
from .base_accessor import BaseAccessor


class StringMethods(Characters, Search, Split, Text, BaseAccessor):
    """Methods of strings.

    Parameters
    ----------
    parent : cudf.Series or cudf.Index
        Of strings, of categories that are strings, or of lists of strings.

    Raises
    ------
    AttributeError
        If its values are something else.
    """

    def __init__(self, parent: Any) -> None:
        type = parent._arrow.type
        if pa.types.is_dictionary(type):
            type = type.value_type
        while pa.types.is_list(type):
            type = type.value_type
        if not (pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_null(type)):
            kinds = {
                "i": "integer", "u": "integer", "f": "floating", "b": "boolean", "c": "complex",
                "M": "datetime64", "m": "timedelta64",
            }  # fmt: skip
            raise AttributeError(
                "Can only use .str accessor with string values, not "
                f"{kinds.get(getattr(parent.dtype, 'kind', ''), str(parent.dtype))}"
            )
        super().__init__(parent)

    @property
    def _array(self) -> pa.Array:
        array = self._parent._arrow
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        return (
            array.cast(pa.string()) if pa.types.is_null(array.type) or pa.types.is_large_string(array.type) else array
        )
