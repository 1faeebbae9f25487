"""The simulated device: its memory, its queue of work, and the account of what happened.

Knows nothing of CuPy: the simulated libraries are built on it.  Nothing here starts a thread or touches memory at import.
"""

from . import fingerprint as fingerprint  # first: it notes when the engine was loaded
