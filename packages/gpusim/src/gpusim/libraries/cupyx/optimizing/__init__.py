"""The tuner of kernel launches.  Nothing depends on launch parameters here, so it has nothing to tune."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def optimize(*, key: Any = None, path: Any = None, readonly: bool = False, **config_dict: Any) -> Iterator[None]:
    """Accepted as the real one; runs the block as it is, and stores nothing."""
    known = {"max_trials", "timeout", "expected_total_time_per_trial", "max_total_time_per_trial"}
    unknown = set(config_dict) - known
    if unknown:
        raise TypeError(f"__init__() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    if path is not None and readonly and not os.path.exists(path):
        warnings.warn(
            f"\nThe specified path {path} could not be found, and the readonly option is set.\nThe optimization results "
            "will never be stored.\n",
            stacklevel=3,
        )
    yield None
