"""Whose code is whose."""

import importlib.machinery
import importlib.util
from pathlib import Path

from gpusim import own


def test_a_folder_that_only_has_the_name_is_a_programs_own(tmp_path, monkeypatch):
    (tmp_path / "kernellens").mkdir()
    find = importlib.util.find_spec

    def found(name):
        if name == "gpusim":
            return find(name)
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)  # of a namespace package, as Python makes it
        spec.submodule_search_locations = [str(tmp_path / name)]
        return spec

    monkeypatch.setattr(importlib.util, "find_spec", found)
    own.folders.cache_clear()
    try:
        assert own.folders() and not any(folder.startswith(str(tmp_path)) for folder in own.folders())
        assert str(Path(own.__file__)).startswith(own.folders())
    finally:
        own.folders.cache_clear()
