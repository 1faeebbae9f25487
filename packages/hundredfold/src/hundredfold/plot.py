"""The name that notebooks use for `kernellens.plot`: ``from hundredfold import plot``, ``from hundredfold.plot import …``."""

import sys

import kernellens.plot

sys.modules[__name__] = kernellens.plot
