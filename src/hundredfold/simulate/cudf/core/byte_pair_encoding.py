"""``cudf.core.byte_pair_encoding``: refused, its tables are libcudf's."""

from hundredfold.simulate.names import refused_class

BytePairEncoder = refused_class("cudf.core.byte_pair_encoding.BytePairEncoder", "cudf.Series.str")
