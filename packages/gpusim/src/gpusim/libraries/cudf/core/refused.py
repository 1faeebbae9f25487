"""Classes that exist and cannot be made: their tables are libcudf's."""

from gpusim.importing.names import refused_class

BytePairEncoder = refused_class("cudf.core.byte_pair_encoding.BytePairEncoder", "cudf.Series.str")
CharacterNormalizer = refused_class("cudf.core.character_normalizer.CharacterNormalizer", "cudf.Series.str")
UnicodeNormalizer = refused_class("cudf.core.unicode_normalizer.UnicodeNormalizer", "cudf.Series.str")
WordPieceVocabulary = refused_class("cudf.core.wordpiece_tokenize.WordPieceVocabulary", "cudf.Series.str")
