"""Where the time goes: a timeline of what the host and the device do.

`recording` what happens while code runs, and when the host works by itself
`schedule`  from that to times on a GPU that is not there
`order`     which works of two streams are ordered
`entries`   what a timeline is made of, and facts that follow
`timeline`  what `timeline` returns; `words` says it, `chrome` writes it for a viewer
`nsys`      reads what NVIDIA's profiler measured
`running`   `timeline` of a call, and of a cell
"""

from .nsys import NotAReportError
from .nsys import read as nsys_report
from .running import timeline
from .timeline import Timeline

__all__ = ["NotAReportError", "Timeline", "nsys_report", "timeline"]
