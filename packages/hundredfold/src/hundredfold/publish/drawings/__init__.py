"""The drawings of the course: what is in memory, in a grid, in a queue or on a wire, as small SVG files made by code.

A lecture shows one as ``![its alternative text](drawings/NAME.svg)``. `hundredfold build` writes the files beside the notebooks; the lines for
a lecture are printed by ``python -m hundredfold.publish.drawings``. To add a drawing, write a function in the module of its theme:

>>> from hundredfold.publish.drawings.canvas import Canvas
>>> from hundredfold.publish.drawings.registry import drawing
>>> @drawing("example-box", "A box in the colour of memory, with the name of an array in it.", 80)   # doctest: +SKIP
... def example(c: Canvas) -> None:
...     c.box(20, 20, 120, 40, "memory", "x", mono=True)

What a colour means is in `canvas.THINGS`; hatched is what comes along unused, or is idle.
"""

from .registry import Drawing, find, names

__all__ = ["Drawing", "find", "names"]
