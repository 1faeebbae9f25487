"""The command `hundredfold lens`: a project's kernels, looked at in a CI without a GPU.

`command`  the command
`sarif`    findings in the format that code hosts show beside the lines
"""


def __getattr__(name: str):
    if name == "command":
        from importlib import import_module

        return import_module("hundredfold.lint.command").command
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
