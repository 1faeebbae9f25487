"""`images`: grey pictures side by side, each with its name under it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import axes, palette
from .figure import NARROW, Figure

WIDTH = 700
_GAP, _NAME = 10, 22  # pixels between pictures; for the name under each
_GREYS = tuple(f"#{level:02x}{level:02x}{level:02x}" for level in range(256))


def images(
    pictures: Mapping[str, Any],
    says: str,
    columns: int = 8,
    common: bool = False,
    title: str | None = None,
    note: str | None = None,
) -> Figure:
    """Draw pictures of one shape in rows.

    Parameters
    ----------
    pictures : dict of name to array of shape (rows, columns)
        Numbers, small ones dark. On the host.
    says : str
        What is to be seen, in a sentence or two: for those who do not see it.
    columns : int
        How many stand in one row.
    common : bool
        Whether all share one scale of greys, so that they can be compared; by default each has its own, from its least to
        its largest number.
    title, note : str, optional
        Over and under the figure.

    Returns
    -------
    Figure
        Seven hundred pixels wide.

    Raises
    ------
    ValueError
        If there are no pictures, or not all are matrices of one shape.
    """
    drawn = {str(name): np.asarray(picture, dtype=float) for name, picture in pictures.items()}
    shapes = {picture.shape for picture in drawn.values()}
    if len(shapes) != 1 or len(shape := shapes.pop()) != 2 or not all(shape):
        raise ValueError(f"images draws one or more matrices of one shape, not {sorted(shapes) or 'none'}.")
    columns = min(columns, len(drawn))
    alt = f"{title}. " if title else ""
    alt += f"{len(drawn)} grey picture{'s' * (len(drawn) > 1)} of {shape[0]} × {shape[1]}: {', '.join(drawn)}. {says}"
    full = _sizes(drawn, columns, WIDTH)[2] + axes.words_height(title, 15) + axes.words_height(note, 12)
    plain = {"kind": "images", "pictures": drawn, "columns": columns, "common": common, "title": title, "note": note}
    draw = lambda: _draw(drawn, columns, WIDTH, common, title, note)  # noqa: E731
    # Half as many side by side: a picture is about as large on a phone.
    narrow = lambda: _draw(drawn, math.ceil(columns / 2), NARROW, common, title, note)  # noqa: E731
    return Figure(draw, alt, title or says, WIDTH, full, plain, chart=False, narrow=narrow)


def _sizes(drawn: dict[str, np.ndarray], columns: int, width: int) -> tuple[float, float, int]:
    """Pixels: how wide and how high a picture is, and how high all of them are."""
    wide = (width - _GAP * (columns + 1)) / columns
    rows, columns_of_one = next(iter(drawn.values())).shape
    high = wide * rows / columns_of_one
    return wide, high, round(math.ceil(len(drawn) / columns) * (high + _NAME + _GAP) + _GAP)


def _draw(
    drawn: dict[str, np.ndarray],
    columns: int,
    width: int,
    common: bool,
    title: str | None,
    note: str | None,
) -> Any:
    from bokeh.models import Label, LinearColorMapper, Range1d

    wide, high, height = _sizes(drawn, columns, width)
    across, down = Range1d(start=0, end=width), Range1d(start=height, end=0)
    plot = axes.canvas(width, height, x_range=across, y_range=down, min_border=0, frame_align=False)
    plot.min_border_right = plot.min_border_top = 0
    plot.axis.visible = plot.grid.visible = False
    everything = np.concatenate([picture.ravel() for picture in drawn.values()])
    for place, (name, picture) in enumerate(drawn.items()):
        row, column = divmod(place, columns)
        left, top = _GAP + column * (wide + _GAP), _GAP + row * (high + _NAME + _GAP)
        scale = everything if common else picture
        low, top_level = float(np.nanmin(scale)), float(np.nanmax(scale))
        span = (top_level - low) or 1.0
        # Eight bits are what is seen, and an eighth of the numbers' size in a saved notebook.
        levels = np.clip((picture - low) * (255 / span), 0, 255).astype(np.uint8)
        mapper = LinearColorMapper(palette=_GREYS, low=0, high=255)
        # The vertical axis grows downwards here, and so do an image's rows.
        plot.image([levels], x=left, y=top, dw=wide, dh=high, color_mapper=mapper)
        plot.add_layout(
            Label(
                x=left + wide / 2,
                y=top + high + 3,
                text=name,
                text_align="center",
                text_baseline="top",
                text_font=axes.FONT,
                text_font_size="12px",
                text_color=palette.INK,
            )
        )
    return axes.framed(plot, title, note)
