"""Numbers for words: ``cudf.core.tokenize_vocabulary.TokenizeVocabulary``."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


class TokenizeVocabulary:
    """Words and their numbers.

    Parameters
    ----------
    vocabulary : cudf.Series
        Of distinct strings: each has its position as its number.
    """

    def __init__(self, vocabulary: Any) -> None:
        self._numbers = {word: at for at, word in enumerate(vocabulary._arrow.to_pylist())}

    def tokenize(self, text: Any, delimiter: str = "", default_id: int = -1) -> Any:
        """Return lists of the numbers (int32) of each row's words, `default_id` for unknown ones."""
        import cudf

        from .accessors._each import each
        from .accessors.string import tokenizer

        between = tokenizer(delimiter)

        def numbers(row: str) -> list[int]:
            return [self._numbers.get(word, default_id) for word in between.split(row) if word]

        return cudf.Series._from_arrow(each(text._arrow, numbers, pa.list_(pa.int32())))

    def __call__(self, text: Any, delimiter: str = "", default_id: int = -1) -> Any:
        """As `tokenize`."""
        return self.tokenize(text, delimiter, default_id)
