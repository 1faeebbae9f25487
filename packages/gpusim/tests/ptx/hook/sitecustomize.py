"""Records this process's kernel launches where `RECORD_LAUNCHES` names a folder: see `ptx.recording`."""

import importlib.util
import os
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path


class _Waiting(MetaPathFinder):
    """Starts to record when the engine has been imported; until then nothing is."""

    def find_spec(self, name, path=None, target=None):
        if name != "gpusim.kernels.launch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def and_start(module):
            execute(module)
            start()

        spec.loader.exec_module = and_start
        return spec


def start():
    """Record from now on."""
    sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, _Waiting)]
    sys.path.append(str(Path(__file__).parents[2]))
    from ptx import recording

    recording.to_folder(Path(os.environ["RECORD_LAUNCHES"]))


if os.environ.get("RECORD_LAUNCHES"):
    sys.meta_path.insert(0, _Waiting())
