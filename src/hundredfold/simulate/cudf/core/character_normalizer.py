"""``cudf.core.character_normalizer``: refused, its tables are libcudf's."""

from hundredfold.simulate.names import refused_class

CharacterNormalizer = refused_class("cudf.core.character_normalizer.CharacterNormalizer", "cudf.Series.str")
