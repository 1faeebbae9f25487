"""Names that older versions of the real libraries had and the locked ones have not.

They end as in the real library, with its own words; a note on the error says what became of them.  ``removed_names.json`` has, for
each, the version that took it away (None where no changelog says), what does its work now, and where that is written.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any, TypeVar

LIBRARIES = {
    "cudf": "cuDF",
    "dask_cudf": "Dask-cuDF",
    "cuml": "cuML",
    "cupy": "CuPy",
    "cupyx": "CuPy",
    "rmm": "RMM",
    "dask_cuda": "Dask-CUDA",
}
Fault = TypeVar("Fault", bound=Exception)
_IMPORT = re.compile(r"^cannot import name '(?P<name>\w+)' from '(?P<owner>[\w.]+)'")
_MEMBERS = (
    # 'DataFrame' object has no attribute 'append'; get_dummies() got an unexpected keyword argument 'cats'
    re.compile(r"^'(?P<owner>\w+)' object has no attribute '(?P<name>\w+)'"),
    re.compile(r"^(?P<owner>\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(?P<name>\w+)'"),
)


@functools.cache
def table() -> dict[str, dict[str, Any]]:
    """``{"cudf.DataFrame.from_pandas": {"since": "26.02", "instead": "cudf.from_pandas(df)", "source": "…"}}``.

    A keyword of a function is written ``cudf.get_dummies(cats)``.
    """
    return json.loads((Path(__file__).parent / "removed_names.json").read_text(encoding="utf-8"))


@functools.cache
def modules(library: str) -> frozenset[str]:
    """The names of all modules of the locked version, private ones too; empty where they were not read."""
    file = Path(__file__).parents[1] / "libraries" / library / "modules.json"
    return frozenset(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else frozenset()


def note(name: str) -> str | None:
    """What became of a name: "cuDF 26.02 removed cudf.DataFrame.from_pandas: use cudf.from_pandas(df)."; None if nothing."""
    known = table().get(name)
    parent = name.rpartition(".")[0]
    if known is None and "." in parent:
        return note(parent)  # all that was in a module that is gone
    if known is None:
        return None
    library = LIBRARIES[name.partition(".")[0]]
    what = f"{library} {known['since']} removed {name}" if known["since"] else f"{library} no longer has {name}"
    return f"{what}: use {known['instead']}." if known["instead"] else f"{what}."


def noted(error: Fault, name: str) -> Fault:
    """The error, with the note on it if there is one."""
    said = note(name)
    if said is not None:
        error.add_note(said)
    return error


def note_for(error: BaseException, library: str) -> str | None:
    """The note that an error of a library's calls for: of its own, or from the names in its message.

    Parameters
    ----------
    library : str
        "cuDF", "cuML", …: whose code raised; empty for nobody's of ours, where `pandas.DataFrame` may be meant.
    """
    for said in getattr(error, "__notes__", ()):
        if " removed " in said or " no longer has " in said:
            return said
    found = _IMPORT.match(str(error))
    if found:
        return note(f"{found['owner']}.{found['name']}")
    for pattern in _MEMBERS if library else ():
        found = pattern.match(str(error))
        if found:
            ends = (f".{found['owner']}.{found['name']}", f".{found['owner']}({found['name']})")
            for known in table():
                if LIBRARIES[known.partition(".")[0]] == library and known.endswith(ends):
                    return note(known)
    return None


class Named(type):
    """A metaclass: a class's missing attribute is noted as that of its instances is."""

    def __getattr__(cls, name: str) -> Any:
        error = AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls)
        raise noted(error, f"{cls.__module__.partition('.')[0]}.{cls.__name__}.{name}")
