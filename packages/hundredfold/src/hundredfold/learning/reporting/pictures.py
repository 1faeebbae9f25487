"""A learner's figure as a piece of the page, with its words: the course's own figures, arrays as pictures, and whatever shows itself as SVG
or PNG (matplotlib's figures do)."""

from __future__ import annotations

import base64
import html
import io
import math
from typing import Any

import numpy as np

from kernellens.plot import Figure

from . import charts
from .drawing import element, svg, text

_MOST = 1600  # pixels that a picture has on a side at most: what is larger is thinned out
_GAP, _NAME = 10.0, 22.0


def drawn(figure: Any, caption: str) -> str:
    """Return HTML that shows a figure; nothing in it is fetched from anywhere.

    Parameters
    ----------
    figure : kernellens.plot.Figure, Comparison, array, or an object that shows itself as SVG or PNG
        An array of shape (rows, columns) is a grey picture, (rows, columns, 3) a coloured one; one on the device is fetched.
    caption : str
        Said under it, and to those who do not see it where the figure has no words of its own.

    Raises
    ------
    TypeError
        If it cannot be shown; the message says what can be.
    """
    # Looked up on the class where that is asked for by a name that objects of any kind may answer to.
    if not isinstance(figure, Figure) and isinstance(getattr(figure, "figure", None), Figure):
        figure = figure.figure  # a Comparison
    if isinstance(figure, Figure):
        return _of_the_course(figure)
    if hasattr(figure, "get") and type(figure).__module__.partition(".")[0] == "cupy":
        figure = figure.get()
    if isinstance(figure, np.ndarray):
        return _image(png(figure), "image/png", caption)
    for method, kind in (("_repr_svg_", "image/svg+xml"), ("_repr_png_", "image/png")):
        shown = getattr(figure, method, None)
        made = shown() if callable(shown) else None
        if made:
            return _image(made.encode() if isinstance(made, str) else made, kind, caption)
    if callable(getattr(figure, "savefig", None)):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=160, bbox_inches="tight")
        return _image(buffer.getvalue(), "image/png", caption)
    raise TypeError(
        f"A report shows the course's figures, arrays as pictures, and what has an SVG or a PNG of itself, not {type(figure).__name__}."
    )


def _of_the_course(figure: Figure) -> str:
    plain = dict(figure.plain or {})
    kind, title, note = plain.pop("kind", None), plain.pop("title", None), plain.pop("note", None)
    below = plain.pop("below", [])
    if kind == "times":
        inner = charts.times(plain["rows"], title, note, below)
    elif kind == "lines":
        inner = charts.lines(**plain, alt=figure.alt)
    elif kind == "images":
        inner = _images(**plain, alt=figure.alt)
    else:  # one that only BokehJS draws: its words
        return f'<pre class="words">{html.escape(figure.text)}</pre>'
    said = [f'<p class="figure-title">{html.escape(title)}</p>'] if title else []
    said.append(
        f'<div class="wide" role="group" tabindex="0" aria-label="{html.escape(title or "figure", quote=True)}">{inner}</div>'
    )
    said += [f"<p>{html.escape(line)}</p>" for line in below]
    said += [f'<p class="note">{html.escape(note)}</p>'] if note else []
    return "".join(said)


def _images(pictures: dict[str, np.ndarray], columns: int, common: bool, alt: str) -> str:
    shape = next(iter(pictures.values())).shape
    wide = (charts.WIDTH - _GAP * (columns + 1)) / columns
    high = wide * shape[0] / shape[1]
    rows = math.ceil(len(pictures) / columns)
    everything = np.concatenate([picture.ravel() for picture in pictures.values()])
    ends = (float(np.nanmin(everything)), float(np.nanmax(everything))) if common else None
    parts = []
    for place, (name, picture) in enumerate(pictures.items()):
        row, column = divmod(place, columns)
        left, top = _GAP + column * (wide + _GAP), _GAP + row * (high + _NAME + _GAP)
        address = _address(png(picture, ends), "image/png")
        parts.append(element("image", href=address, x=left, y=top, width=wide, height=high, preserveAspectRatio="none"))
        parts.append(text(left + wide / 2, top + high + 12, name, anchor="middle"))
    return svg(charts.WIDTH, rows * (high + _NAME + _GAP) + _GAP, alt, *parts)


def png(picture: np.ndarray, ends: tuple[float, float] | None = None) -> bytes:
    """Return an array as PNG: uint8 as it is, other numbers from the least (black) to the largest (white), or between `ends`.

    Raises
    ------
    TypeError
        If it is no picture: not (rows, columns) or (rows, columns, 3), empty, or not of numbers.
    """
    from PIL import Image

    shape = picture.shape
    if not (len(shape) == 2 or (len(shape) == 3 and shape[2] == 3)) or 0 in shape or picture.dtype.kind not in "biuf":
        raise TypeError(
            f"A picture is an array of numbers of shape (rows, columns) or (rows, columns, 3), not {picture.dtype} of {shape}."
        )
    thin = max(1, math.ceil(max(shape[:2]) / _MOST))
    picture = picture[::thin, ::thin]
    if picture.dtype != np.uint8 or ends is not None:
        numbers = picture.astype(np.float64)
        known = numbers[np.isfinite(numbers)]
        low, high = ends or ((float(known.min()), float(known.max())) if known.size else (0.0, 1.0))
        picture = np.nan_to_num(np.clip((numbers - low) * (255 / ((high - low) or 1.0)), 0, 255)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _image(data: bytes, kind: str, alt: str) -> str:
    return f'<img src="{_address(data, kind)}" alt="{html.escape(alt, quote=True)}">'


def _address(data: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
