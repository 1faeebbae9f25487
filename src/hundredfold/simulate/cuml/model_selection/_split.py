"""Where the real library has them."""

from . import KFold, StratifiedKFold, train_test_split

__all__ = ["KFold", "StratifiedKFold", "train_test_split"]
