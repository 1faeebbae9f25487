"""Notebooks from their sources: the only way a committed notebook comes to be.

A notebook is written once, as jupytext py:percent in ``sources/``, and built from there: lectures into ``notebooks/``,
exercises into ``exercises/`` (with gaps, without outputs) and ``solutions/`` (filled, executed).  The modules, in the
order the work flows through them:

`sources`    a source file, read into cells that know their line numbers
`exercise`   the solution and starter regions of a cell
`products`   the cells of one notebook, as the source says they must be
`identity`   which old cell each new cell continues: stable cell ids and kept outputs
`execute`    run the cells, and say which line of which source failed
`figures`    the course's figures as small static pictures
`drawn`      the concept drawings that the sources show, as files beside the notebooks
`normalise`  outputs without anything that differs from run to run
`store`      read and write notebooks, whole or not at all
`roundtrip`  an edit made in JupyterLab, back into the source
`nbgrader`   the cells' metadata, for `hundredfold assignment`
`entry`      the command `hundredfold build`
"""


def __getattr__(name: str):
    # The command line finds `hundredfold.publish.build:command`; click, jupytext and nbclient are only imported for it.
    if name == "command":
        from importlib import import_module

        return import_module("hundredfold.publish.build.entry").build
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
