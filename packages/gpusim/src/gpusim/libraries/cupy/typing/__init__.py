"""Types for annotations."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import DTypeLike as DTypeLike
from numpy.typing import NBitBase as NBitBase

from .._core import ndarray

_Scalar = TypeVar("_Scalar", bound=np.generic, covariant=True)
NDArray = ndarray[Any, np.dtype[_Scalar]]
