"""Preparing data."""

from gpusim.importing.names import refuser

from ..model_selection import train_test_split
from ._encoders import LabelBinarizer, LabelEncoder, OneHotEncoder, OrdinalEncoder, TargetEncoder, label_binarize
from ._scalers import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    KernelCenterer,
    MaxAbsScaler,
    MinMaxScaler,
    MissingIndicator,
    Normalizer,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SimpleImputer,
    StandardScaler,
    add_dummy_feature,
    binarize,
    maxabs_scale,
    minmax_scale,
    normalize,
    power_transform,
    quantile_transform,
    robust_scale,
    scale,
)

__all__ = [
    "Binarizer", "FunctionTransformer", "KBinsDiscretizer", "KernelCenterer", "LabelBinarizer", "LabelEncoder",
    "MaxAbsScaler", "MinMaxScaler", "MissingIndicator", "Normalizer", "OneHotEncoder", "OrdinalEncoder",
    "PolynomialFeatures", "PowerTransformer", "QuantileTransformer", "RobustScaler", "SimpleImputer", "StandardScaler",
    "TargetEncoder", "add_dummy_feature", "binarize", "label_binarize", "maxabs_scale", "minmax_scale", "normalize",
    "power_transform", "quantile_transform", "robust_scale", "scale", "train_test_split",
]  # fmt: skip
__getattr__ = refuser("cuml.preprocessing")
