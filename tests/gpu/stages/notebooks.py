"""4. nbval of every lecture and every solution on the GPU, `gpu-output` cells compared too; and those cells' outputs made here, kept as data."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TITLE = "Notebooks"
WORKERS = 4
ROOT = Path(__file__).parents[3]
FILE = "gpu-outputs.json"
TAG = "gpu-output"
#: What `hundredfold build` needs of the checkout, beside the sources.
COPIED = ("sources", "notebooks", "exercises", "solutions", "data", "recordings", "pyproject.toml")


def parts(about):
    files = sorted((ROOT / "notebooks").glob("*.ipynb")) + sorted((ROOT / "solutions").glob("*.ipynb"))
    if about["dry"]:
        files = [ROOT / "solutions" / files[0].name]
    needs = ["nbval", "ipykernel", "pytest", "numba", "scipy", "pandas", "dask", "distributed", "bokeh"]
    found = [
        {
            "name": str(f.relative_to(ROOT)),
            "takes": 15,
            "patience": 500,
            "needs": needs if about["dry"] else [*needs, *_libraries(f)],
            "alone": True,
        }
        for f in files
    ]
    units = sorted({f.stem.partition("_")[0] for f in files if _tagged(f)})
    return found + [
        {"name": f"build {unit}", "takes": 40, "patience": 560, "needs": needs, "alone": True} for unit in units
    ]


def _libraries(file):
    """Those of the GPU libraries that a notebook imports: without them it would only say so."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    imported = set(re.findall(r"^\s*(?:import|from)\s+(\w+)", code, re.MULTILINE))
    pools = {"rmm"} if "dask_cuda" in imported else set()  # workers whose memory is a pool want it
    return sorted(pools | imported & {"cudf", "cupy", "dask_cuda", "dask_cudf", "duckdb", "polars", "rmm"})


def _tagged(file):
    return any(
        TAG in cell["metadata"].get("tags", []) for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]
    )


def do(part, about):
    return _build(part.removeprefix("build "), about) if part.startswith("build ") else _compare(part)


def _compare(notebook):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        notebook,
        "-q",
        "--tb=short",
        "-rf",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=490, check=False, cwd=ROOT)
    if done.returncode not in (0, 1) or not re.search(r"\d+ (passed|failed)", done.stdout):
        raise RuntimeError(f"pytest ended with status {done.returncode}: {done.stdout[-700:]}{done.stderr[-500:]}")
    counted = {
        how: int(n)
        for n, how in re.findall(
            r"(\d+) (passed|failed|skipped|error)", done.stdout.rpartition("=====")[0][-300:] + done.stdout[-300:]
        )
    }
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    failures = plain.partition("= FAILURES =")[2]
    cells = re.split(r"^_+ \S+::(Cell \d+) _+$", failures, flags=re.MULTILINE)
    # A cell that raises does not run on a GPU; one that says something else there may well be right.
    told = dict(zip(cells[1::2], cells[2::2], strict=True))
    raised = [name for name, text in told.items() if "Cell outputs differ" not in text]
    found = {"green": done.returncode == 0, **counted, "raised": raised, "differ": sorted(set(told) - set(raised))}
    return (
        found
        if found["green"]
        else {**found, "said": {name: text[:700] + " … " + text[-1800:] for name, text in told.items()}}
    )


def _build(unit, about):
    """The unit's notebooks built here in a copy: only cells tagged so are run anew where everything else is as committed."""
    with tempfile.TemporaryDirectory(prefix="gpu-build-") as copy:
        for name in COPIED:
            source = ROOT / name
            shutil.copytree(source, Path(copy) / name) if source.is_dir() else shutil.copyfile(
                source, Path(copy) / name
            )
        command = [sys.executable, "-c", "from hundredfold.cli import main; main()", "build", unit, "--root", copy]
        done = subprocess.run(command, capture_output=True, text=True, timeout=550, check=False, cwd=copy)
        if done.returncode:
            raise RuntimeError(f"{done.stdout[-300:]}{done.stderr[-900:]}")
        outputs = {}
        for file in [*Path(copy).glob(f"notebooks/{unit}_*.ipynb"), *Path(copy).glob(f"solutions/{unit}_*.ipynb")]:
            cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
            made = {cell["id"]: cell["outputs"] for cell in cells if TAG in cell["metadata"].get("tags", [])}
            outputs |= {str(file.relative_to(copy)): made} if made else {}
    kept = Path(about["folder"]) / FILE
    everything = (
        json.loads(kept.read_text())
        if kept.exists()
        else {"machine": about["machine"], "simulated": about["dry"], "outputs": {}}
    )
    everything["outputs"] |= outputs
    part = kept.with_name(f".{kept.name}.{os.getpid()}")
    part.write_text(json.dumps(everything), encoding="utf-8")
    os.replace(part, kept)
    return {"cells": {name: len(made) for name, made in outputs.items()}}


def report(results):
    compared = {part: line for part, line in results.items() if not part.startswith("build ")}
    found = {part: line.get("result") or {} for part, line in compared.items()}
    ran = [part for part, told in found.items() if told and not told.get("raised")]
    green = [part for part, told in found.items() if told.get("green")]
    lines = (
        [f"- {len(ran)} of {len(compared)} notebooks ran to their end; {len(green)} say here what is stored"]
        if compared
        else []
    )
    for part in sorted(set(compared) - set(green)):
        line, told = compared[part], found[part]
        said = f"raised: {', '.join(told['raised'])}; " if told.get("raised") else ""
        said += f"says something else: {', '.join(told['differ'])}" if told.get("differ") else ""
        lines.append(f"- {part}: {said or line['status'] + ': ' + ' '.join(line.get('why', '').split())[:300]}")
    return lines
