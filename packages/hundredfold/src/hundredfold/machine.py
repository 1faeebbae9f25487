"""The name that notebooks use for `gpusim.hardware`: ``from hundredfold import machine``, ``from hundredfold.machine import …``."""

import sys

import gpusim.hardware

sys.modules[__name__] = gpusim.hardware
