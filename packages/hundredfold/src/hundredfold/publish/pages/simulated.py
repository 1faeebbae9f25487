"""The page of shares: how much of each namespace is simulated, refused and tested."""

from __future__ import annotations

from .coverage import Namespace

TITLES = {
    "cupy": "CuPy 14.2",
    "cupyx": "cupyx (CuPy 14.2)",
    "cudf": "cuDF 26.10",
    "dask_cudf": "Dask cuDF 26.10",
    "pylibcudf": "pylibcudf 26.10",
    "cuml": "cuML 26.10",
    "rmm": "RMM 26.10",
    "dask_cuda": "Dask-CUDA 26.10",
    "numba_cuda": "numba-cuda 0.30",
}

HEAD = """\
# What is simulated

*Made by `make pages` from the simulated libraries and the names of the real libraries (`make names`); do not edit.*

**Simulated**: the simulated library has the name. **Refused**: it is a name of the real library, and using it raises `NotSimulatedError`, which says so and names
the nearest thing that is simulated. **In a test**: a test of this project names it. What a name does, beside being there, is held by the tests of
`packages/gpusim/tests/conformance/` and by the libraries' own tests (`packages/gpusim/tests/cupy_suite/`, `packages/gpusim/tests/cudf_suite/`, `packages/gpusim/tests/numba_cuda_suite/`).
"""


def page(spaces: dict[str, list[Namespace]]) -> str:
    """Return the page's Markdown."""
    parts = [HEAD]
    for library, found in spaces.items():
        total, simulated = sum(map(len, found)), sum(len(space.simulated) for space in found)
        parts.append(f"## {TITLES[library]}\n\n{simulated} of {total} public names ({_percent(simulated, total)}).\n")
        rows = ["| namespace | names | simulated | refused | in a test |", "|---|--:|--:|--:|--:|"]
        for space in found:
            if not space.simulated:
                continue
            tested = _percent(len(space.tested), len(space.simulated))
            refused = len(space.refused) + len(space.missing)
            rows.append(
                f"| `{space.name}` | {len(space)} | {_percent(len(space.simulated), len(space))} | {refused} | {tested} |"
            )
        parts.append("\n".join(rows) + "\n")
        gone = [space for space in found if not space.simulated]
        if gone:
            parts.append("Refused whole: " + ", ".join(f"`{space.name}`" for space in gone) + ".\n")
        some = [space for space in found if space.simulated and (space.refused or space.missing)]
        if some:
            lines = [f"- `{space.name}`: {', '.join(sorted(space.refused + space.missing))}" for space in some]
            parts.append("<details><summary>The refused names</summary>\n\n" + "\n".join(lines) + "\n\n</details>\n")
    return "\n".join(parts)


def _percent(part: int, whole: int) -> str:
    # Rounded down: 100 % is said only where nothing is missing.
    return f"{100 * part // whole} %" if whole else "–"
