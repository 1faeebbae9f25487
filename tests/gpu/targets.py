"""What a run on an H200 must reach, beside what this one reached: a line for each, "–" where its part has not been run."""

from __future__ import annotations

from .results_file import ResultsFile
from .stages.record import WHOLE, seconds

#: Kernel or reference of stage 5a: least share of the measured copy bandwidth.
OF_COPY = {
    "kernel/stencil float32, in order": 0.85,
    "kernel/stencil int8, in order": 0.60,
    "kernel/transpose, unsigned": 0.85,
    "kernel/tree sum of four": 0.90,
}
#: Workload of the recording: most seconds on the GPU.
RECORDED = {"dataframes.groupby": 8e-3, "merges.merge": 12e-3, "dataframes.mean": 0.3e-3}
FUSED, TILED, CUBLAS = "reference/sin² + cos², fused", "kernel/matmul, tiled", "reference/matmul, cuBLAS"


def lines(results_file: ResultsFile) -> list[str]:
    """Markdown: what, what is wanted, what was reached, and whether that is enough."""
    found = ["| target | wanted | reached | |", "|---|---:|---:|---|"]
    for what, wanted, reached, enough in rows(results_file):
        found.append(
            f"| {what} | {wanted} | {reached or '–'} | {'' if enough is None else 'yes' if enough else '**no**'} |"
        )
    return found


def rows(results_file: ResultsFile):
    times, copy = _results(results_file, "times"), (_results(results_file, "probe").get("rates") or {}).get("bandwidth")
    fused = times.get(FUSED, {})
    yield _row("sin² + cos² fused, share of its limit", 0.60, _ratio(fused.get("bound"), fused.get("measured")))
    for part, least in OF_COPY.items():
        one = times.get(part, {})
        yield _row(
            f"{part.partition('/')[2]}, share of copy bandwidth",
            least,
            _ratio(_ratio(one.get("bytes"), one.get("measured")), copy),
        )
    yield _row(
        "tiled matmul, share of cuBLAS",
        0.15,
        _ratio(times.get(CUBLAS, {}).get("measured"), times.get(TILED, {}).get("measured")),
    )
    recorded = _results(results_file, "record")
    for workload, most in RECORDED.items():
        told = [
            time["seconds"]
            for part in (workload, workload + WHOLE)
            for time in recorded.get(part, {}).get("row", {}).get("times", ())
            if time["device"] == "gpu"
        ]
        reached = min(told, default=None)
        yield f"{workload}, 10 M rows", f"< {seconds(most)}", reached and seconds(reached), reached and reached < most
    dask = _results(results_file, "clusters")
    took = [(dask[part]["seconds"], part) for part in dask if part.startswith("sum, 2 TB")]
    best, part = min(took, default=(None, ""))
    terms = dask.get(part.replace("sum, 2 TB", "sum, its terms"), {}).get("sum")
    told = best and f"{seconds(best)}{f', its terms {terms / best:.2f} of it' if terms else ''}"
    yield (
        "the sum over 2 TB",
        "< 12 s, or terms within 10 %",
        told,
        best and (best < 12 or bool(terms) and abs(terms / best - 1) <= 0.1),
    )
    timed = [row for one in times.values() for row in one.get("rows", [one]) if "bound" in row and "measured" in row]
    above = sum(not row["bound holds"] for row in timed)
    guessed = [row["estimate / measured"] for row in timed if "estimate / measured" in row]
    yield "bounds above a measured time", "0", str(above) if timed else None, above == 0 if timed else None
    yield _row("estimates within 1.5×", 0.90, _ratio(sum(1 / 1.5 <= each <= 1.5 for each in guessed), len(guessed)))
    counted = [
        row for one in _results(results_file, "counters").values() for row in one.get("rows", ()) if "same" in row
    ]
    yield _row(
        "kernels whose sectors are the profiler's", 1.0, _ratio(sum(row["same"] for row in counted), len(counted))
    )
    same = [bool(one.get("same")) for one in _results(results_file, "conformance").values()]
    yield _row("conformance cases as listed", 1.0, _ratio(sum(same), len(same)))
    ran = [
        bool(one) and not one.get("raised")
        for part, one in _results(results_file, "notebooks").items()
        if not part.startswith("build")
    ]
    yield _row("notebooks that run to their end", 1.0, _ratio(sum(ran), len(ran)))


def _results(results_file: ResultsFile, stage: str) -> dict[str, dict]:
    """By part, what was found; a part that failed has found nothing, which counts as not reached where parts are counted."""
    return {part: line.get("result") or {} for part, line in results_file.results(stage).items()}


def _ratio(value, by):
    return value / by if value is not None and by else None


def _row(what, least, reached):
    return (
        what,
        f"≥ {least:.0%}",
        None if reached is None else f"{reached:.1%}",
        None if reached is None else reached >= least,
    )
