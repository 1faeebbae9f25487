"""What the Dask panel's NEW button makes: the setting in the environment and the one in the file agree, and name something."""

import importlib
import os

import dask

factory = dask.config.get("labextension.factory")
assert (factory["module"], factory["class"]) == ("hundredfold.notebook.panel", "make"), factory
assert os.environ["DASK_LABEXTENSION__FACTORY__MODULE"] == factory["module"]
assert os.environ["DASK_LABEXTENSION__FACTORY__CLASS"] == factory["class"]
assert factory["kwargs"]["dashboard-address"] == "127.0.0.1:0"
assert callable(getattr(importlib.import_module(factory["module"]), factory["class"]))
