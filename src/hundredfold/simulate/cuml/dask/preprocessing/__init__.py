"""As `cuml.preprocessing`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import LabelBinarizer, LabelEncoder, OneHotEncoder, OrdinalEncoder

__all__ = ["LabelBinarizer", "LabelEncoder", "OneHotEncoder", "OrdinalEncoder"]
__getattr__ = refuser("cuml.dask.preprocessing")
