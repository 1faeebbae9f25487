"""``cudf.core.unicode_normalizer``: refused, its tables are libcudf's."""

from hundredfold.simulate.names import refused_class

UnicodeNormalizer = refused_class("cudf.core.unicode_normalizer.UnicodeNormalizer", "cudf.Series.str")
