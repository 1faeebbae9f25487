"""``cudf.core.wordpiece_tokenize``: refused, its tables are libcudf's."""

from hundredfold.simulate.names import refused_class

WordPieceVocabulary = refused_class("cudf.core.wordpiece_tokenize.WordPieceVocabulary", "cudf.Series.str")
