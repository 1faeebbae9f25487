"""The pictures of the first page: taken from the built notebooks, or printed by the command, so that they show what the course shows."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path

#: Picture → the notebook that has it and how its words begin.
TAKEN = {
    "home-speedup.png": ("notebooks/01_arrays.ipynb", "arrays.sincos"),
    "home-lens.png": ("notebooks/05_kernels.ipynb", "smooth_published"),
    "home-race.png": ("notebooks/05_kernels.ipynb", "histogram. 8 orders"),
}

PLANNED = ("--learners", "40", "--gpus", "4xH200")


def pictures(root: Path) -> dict[str, bytes]:
    """The pictures by their names.

    Raises
    ------
    LookupError
        If a notebook has no picture whose words begin so.
    RuntimeError
        If no plan can be made; it holds what the command said.
    """
    taken = {name: _picture(root / file, words) for name, (file, words) in TAKEN.items()}
    return {**taken, "home-seats.svg": _plan()}


def _picture(file: Path, words: str) -> bytes:
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            about = output.get("metadata", {}).get("image/png", {})
            if about.get("alt", "").startswith(words):
                return base64.b64decode("".join(output["data"]["image/png"]))
    raise LookupError(f"{file.name} has no picture whose words begin with {words!r}: name another in site/home.py.")


def _plan() -> bytes:
    """What ``hundredfold seats plan`` prints for forty learners and four GPUs, down to its table of units, as an SVG."""
    from click.testing import CliRunner

    from hundredfold.classroom.seats.command import command

    done = CliRunner().invoke(command, ["plan", *PLANNED], env={"COLUMNS": "80", "NO_COLOR": "1"})
    if done.exit_code:
        raise RuntimeError(f"hundredfold seats plan {' '.join(PLANNED)}: {done.output}")
    lines = [
        f"$ hundredfold seats plan {' '.join(PLANNED)}",
        "",
        *done.output.partition("To set it up")[0].rstrip().splitlines(),
    ]
    rows = "".join(
        f'<text x="12" y="{18 * (number + 1) + 4}" xml:space="preserve">{html.escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    width, height = 24 + 8 * max(map(len, lines)), 18 * len(lines) + 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<rect width="100%" height="100%" fill="#fff"/><g font-family="DejaVu Sans Mono, monospace" font-size="13" fill="#222832">{rows}</g></svg>'
    ).encode()
