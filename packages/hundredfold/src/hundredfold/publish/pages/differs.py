"""The page of what differs from the real thing, from the lists that packages/gpusim/tests/conformance runs and each simulated library's own limits."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

HEAD = """\
# What differs

*Made by `make pages`; do not edit.* The first part says where a simulated GPU differs from a real one. The second part says where the GPU libraries differ from
NumPy, SciPy and pandas. The simulated libraries differ in the same way.

`packages/gpusim/tests/conformance` runs each case of the second part on the simulated libraries. On a machine with a GPU the same tests run the real ones.
On 27 November 2026 an H200 ran 367 of them, and 357 were as listed ([what ran there](how-we-know.md#on-an-h200)). The source or the documentation stands beside each case.

## A simulated GPU is not a GPU

- **Times** are this CPU's. What prints one says "(simulated on this CPU)". Such a time says nothing about a GPU. The counts of launches and bytes do.
- **Random numbers** are seeded and can be repeated. They are not cuRAND's.
- **Order.** The work of all streams and devices runs in the order in which it was submitted. This is one of the orders that CUDA allows. A real library promises no order
  of a group-by's or a merge's rows. The simulated one shuffles them by a seed, so code that relies on an order fails here, too. Where a `check` draws a case, each call has another order.
- **The end of a program.** Work that was launched and not waited for is run for up to ten seconds, and its errors are told.
- **Floating point** is the CPU's. Sums are added in another order than on a GPU. Functions such as `sin` may differ in the last place.
- **Memory** is this machine's. It is counted and limited as a device's is. There is no bus, and no bandwidth is simulated.
"""
LIBRARIES = {"cupy": ("CuPy", "NumPy"), "cupyx": ("cupyx", "SciPy"), "cudf": ("cuDF", "pandas")}


def page(conformance: Path, simulate: Path) -> str:
    """Return the page's Markdown.

    Parameters
    ----------
    conformance : Path
        The folder of the lists, ``cupy.yaml`` and ``cudf.yaml``.
    simulate : Path
        The folder of the simulated libraries, some of which have a ``differs.json``: ``[{"what": …, "real": …, "here": …}]``.
    """
    parts = [HEAD, *_limits(simulate)]
    for library, (gpu, host) in LIBRARIES.items():
        cases = yaml.safe_load((conformance / f"{library}.yaml").read_text(encoding="utf-8"))
        parts.append(f"## {gpu} is not {host}: {len(cases)} cases\n")
        for topic in dict.fromkeys(case["topic"] for case in cases):
            parts.append(f"### {_title(topic)}\n")
            rows = [f"| code | {gpu} | {host} | source |", "|---|---|---|---|"]
            rows += [
                "| "
                + " | ".join([_code(case["code"]), _code(case["gpu"]), _code(case["host"]), _source(case["source"])])
                + " |"
                for case in cases
                if case["topic"] == topic
            ]
            parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def _limits(simulate: Path) -> list[str]:
    parts = []
    for file in sorted(simulate.glob("*/differs.json")):
        rows = ["| | real | here |", "|---|---|---|"]
        rows += [
            f"| {_text(i['what'])} | {_text(i['real'])} | {_text(i['here'])} |" for i in json.loads(file.read_text())
        ]
        parts.append(f"### {file.parent.name}\n\n" + "\n".join(rows) + "\n")
    return parts


def _code(text: str) -> str:
    lines = [line for line in text.strip("\n").split("\n") if line.strip()]
    return "<br>".join(f"`{_indented(_text_of(line)).replace('`', chr(39))}`" for line in lines)


def _indented(line: str) -> str:
    """Markdown drops the spaces that a piece of code begins with, but for those that do not break."""
    return "\N{NO-BREAK SPACE}" * (len(line) - len(line.lstrip())) + line.lstrip()


def _source(text: str) -> str:
    """A path as code; in a sentence with its underscores as they are: ``__init__`` would be bold."""
    return _text(text).replace("_", "\\_") if ": " in text else f"`{_text(text)}`"


def _title(topic: str) -> str:
    return f"`{topic}`" if "." in topic else topic[0].upper() + topic[1:]


def _text(text: str) -> str:
    return _text_of(text).strip()


def _text_of(text: str) -> str:
    return text.replace("|", "\\|").rstrip()
