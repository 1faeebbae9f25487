"""Support vector machines."""

from hundredfold.simulate.names import refuser

from ._classes import SVC, SVR, LinearSVC, LinearSVR

__all__ = ["LinearSVC", "LinearSVR", "SVC", "SVR"]
__getattr__ = refuser("cuml.svm")
