"""cudf_polars.callback: the real translator decides whether the GPU can run a plan, and Polars runs it."""

from __future__ import annotations

import os
import warnings
from typing import Any

from cudf_polars.dsl.translate import Translator
from polars.exceptions import PerformanceWarning

from gpusim.importing.errors import NotSimulatedAttribute, NotSimulatedError

__all__: list[str] = ["execute_with_cudf"]


def execute_with_cudf(nt: Any, duration_since_start: int | None, *, config: Any) -> None:
    """Translate a plan as the real library does.

    The real one replaces a plan that it could translate by a function that runs it on the GPU. Here the plan stays, and Polars runs it.

    Parameters
    ----------
    nt : the plan, as Polars hands it to its callbacks
    duration_since_start : int or None
        For `LazyFrame.profile`, which is not simulated: Polars' own times are shown.
    config : polars.GPUEngine

    Raises
    ------
    NotImplementedError
        If a part of the plan is unsupported and the engine has ``raise_on_fail=True``.
    NotSimulatedError
        If the translator asks pylibcudf for something that is not simulated.
    """
    translator = Translator(nt, config)
    translator.translate_ir()
    for each in translator.errors:
        # What is not simulated is no reason of the GPU's.
        if isinstance(each, (NotSimulatedError, NotSimulatedAttribute)):
            raise each
    error = translator.unsupported_operations_error()
    if error is None:
        return
    if bool(int(os.environ.get("POLARS_VERBOSE", "0"))):
        warnings.warn(error.args[0], PerformanceWarning, stacklevel=2)
    if translator.config_options.raise_on_fail:
        raise error
