from ._core import ndarray, ufunc
from ._core.ufuncs import by_name as _u

globals().update(_u)
from ._creation import *
from . import cuda
