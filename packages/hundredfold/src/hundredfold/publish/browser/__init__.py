"""The course in a browser, without an installation: what runs on Pyodide behind the site's page *In the browser*.

`session`   puts the simulated libraries in place, runs what a learner wrote, and says what came of it as plain data
`drawing`   a launch as plain data, which the page draws
`kernels`   the programs that the page offers to begin with (the files of ``offered/``)

The simulated Numba of the browser is in :mod:`gpusim.libraries.numba_absent`; kernels run in the engine's interpreter, which
needs nothing but NumPy, and the pictures are the lens's. The page itself is made by :mod:`hundredfold.publish.site.browser_page`.
"""

from .session import Session

__all__ = ["Session"]
