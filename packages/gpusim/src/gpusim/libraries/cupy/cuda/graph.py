"""CUDA graphs: work that a stream captured, to be launched again and again."""

from __future__ import annotations

from typing import Any

from gpusim.device import activity, queue
from gpusim.importing.errors import NotSimulatedError


class Graph:
    """Work that a stream captured (`cupy.cuda.Stream.begin_capture`)."""

    _captured: queue.Capture

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError(
            "currently this class cannot be initiated by the user and must be created via stream capture"
        )

    @classmethod
    def _of(cls, captured: queue.Capture) -> Graph:
        graph = cls.__new__(cls)
        graph._captured = captured
        return graph

    def launch(self, stream: Any = None) -> None:
        """Put all of the work on a stream; on the current one where none is given."""
        with activity.on(None if stream is None else stream.ptr):
            self._captured.launch()

    def upload(self, stream: Any = None) -> None:
        """Make the first launch faster on a GPU."""

    def debug_dot_str(self, flags: int = 0) -> str:
        """A graph's text is CUDA's own, and is not simulated."""
        raise NotSimulatedError("the text of a CUDA graph", "Graph.launch()")
