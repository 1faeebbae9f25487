"""A Python like a browser's, as far as this machine can be one: what Pyodide lacks cannot be imported. Prints what came of some programs."""

import importlib.abc
import json
import sys

LACKING = {
    *(
        "numba",
        "llvmlite",
        "numexpr",
        "scipy",
        "pandas",
        "pyarrow",
        "sklearn",
        "dask",
        "distributed",
        "bokeh",
        "IPython",
    ),
    *("psutil", "cloudpickle", "pycparser", "pcpp", "rich", "click", "filelock", "jsonschema", "fcntl"),
    *("resource", "_posixshmem", "termios"),
}


class Lacking(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in LACKING:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


sys.meta_path.insert(0, Lacking())
for name in LACKING & set(sys.modules):
    del sys.modules[name]

from hundredfold.publish.browser import Session  # noqa: E402


def nothing(*_):
    raise RuntimeError("A browser has neither threads nor processes.")


import subprocess  # noqa: E402
import threading  # noqa: E402

threading.Thread.start = subprocess.Popen.__init__ = nothing

session, told = Session(), []
for code in json.load(sys.stdin):
    printed = []
    told.append(json.loads(session.run(code, printed.append)) | {"printed": "".join(printed)})
json.dump(told, sys.__stdout__)
