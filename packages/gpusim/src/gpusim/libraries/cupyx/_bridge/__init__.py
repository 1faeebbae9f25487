"""SciPy's functions and classes on device arrays, made from tables and checked against the real CuPy's signatures.

``signatures.json`` lists, for each module of the locked ``cupyx``, every public name with its parameters.  Calls are
bound to those before SciPy sees them, so an argument that CuPy lacks is refused as CuPy refuses it.
"""

from .classes import Proxy, proxies
from .convert import call, register
from .functions import functions, parameters, takes

__all__ = ["Proxy", "call", "functions", "parameters", "proxies", "register", "takes"]
