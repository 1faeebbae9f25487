"""The name that notebooks use for `kernellens`: ``from hundredfold import lens``, ``from hundredfold.lens import …``."""

import sys

import kernellens

sys.modules[__name__] = kernellens
