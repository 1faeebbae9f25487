"""The parent of all estimators."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from ._arrays import infer_output_type
from .global_settings import GlobalSettings

_settings = GlobalSettings()


class Base:
    """An estimator: parameters that can be read and set, and the type of array that it returns.

    Parameters
    ----------
    verbose : int or bool
        How much it logs; the simulation logs nothing.
    output_type : {None, "input", "cupy", "numpy", "cudf", "pandas"}
        The type of results and attributes; that of the input without it.
    """

    _kind: str | None = None  # "classifier", "regressor", "clusterer", "transformer", for scikit-learn's tools

    def __init__(self, *, verbose: Any = False, output_type: str | None = None) -> None:
        self.verbose = verbose
        self.output_type = output_type
        self._input_type: str | None = None

    def _set(self, arguments: dict[str, Any]) -> None:
        """Keep the arguments of a constructor under their names: ``self._set(locals())``."""
        Base.__init__(self, verbose=arguments.pop("verbose", False), output_type=arguments.pop("output_type", None))
        for name, value in arguments.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    @classmethod
    @functools.cache
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        found = inspect.signature(cls.__init__).parameters
        return {name: parameter for name, parameter in found.items() if name != "self"}

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return list(cls._parameters())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Any:
        """Set parameters; ValueError for a name that is none."""
        known = self._get_param_names()
        for key, value in params.items():
            if key not in known:
                raise ValueError(f"Invalid parameter {key!r} for `{type(self).__name__}`")
            setattr(self, key, value)
        return self

    def __repr__(self) -> str:
        changed = []
        for name, value in sorted(self.get_params(deep=False).items()):
            default = self._parameters()[name].default
            if default is inspect.Parameter.empty or repr(value) != repr(default):
                changed.append(f"{name}={value!r}")
        text = f"{type(self).__name__}({', '.join(changed)})"
        return text if len("".join(text.split())) <= 700 else f"{text[:350]}...{text[-350:]}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        from sklearn.utils import estimator_html_repr

        return {"text/plain": repr(self), "text/html": estimator_html_repr(self)}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=self._kind if self._kind in ("classifier", "regressor", "clusterer") else None,
            target_tags=TargetTags(required=self._kind in ("classifier", "regressor")),
            transformer_tags=TransformerTags() if hasattr(self, "transform") else None,
            classifier_tags=ClassifierTags() if self._kind == "classifier" else None,
            regressor_tags=RegressorTags() if self._kind == "regressor" else None,
            input_tags=InputTags(sparse=getattr(self, "_sparse", False)),
        )

    def _get_output_type(self, inp: Any = None) -> str | None:
        output_type = _settings.output_type
        if output_type in (None, "input"):
            output_type = self.output_type
        if output_type in (None, "input"):
            output_type = self._input_type if inp is None else infer_output_type(inp) or self._input_type
        return output_type

    def _names_out(self) -> Any:
        try:
            return self.get_feature_names_out()
        except AttributeError:
            return None
