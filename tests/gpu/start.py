"""`tests/gpu/run`: the stages one after the other, as far as the slice goes; started again it goes on where it ended."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from . import bundle, environment, results_file, running, stages, summary

ROOT = environment.ROOT
RAW = ROOT / "recordings" / "raw"


def main(arguments: list[str] | None = None) -> int:
    options = _options().parse_args(arguments)
    if options.pack:
        from . import packing

        return packing.main([])
    if options.summary and options.results:
        return _summary(options.results)
    began = time.monotonic()
    clock = running.Clock(began + options.minutes * 60 if options.minutes else float("inf"))
    try:
        python = environment.choose(options.python, _say)
        machine = _machine(python, options.dry)
        folders = _folders(options.results, options.dry, machine)
        results_file.take_up(folders)
        book = results_file.ResultsFile(folders, simulated=options.dry, machine=machine)
    except (bundle.BadBundle, results_file.MixedResults) as error:
        print(f"tests/gpu/run: {error}", file=sys.stderr)
        return 2
    for which in options.again or ():
        _again(book, which)
    if not options.summary:
        have = environment.packages(python)
        _say(f"{machine}{', simulated' if options.dry else ''}; {python}; results in {folders[0]}")
        about = {"dry": options.dry, "folder": str(folders[0]), "machine": machine}
        counts = {}
        for name in options.stage or stages.ORDER:
            module = stages.module(name)
            stage = running.Stage(
                name,
                module.TITLE,
                options.workers or module.WORKERS,
                python,
                about,
                _env(options.dry),
                slack=10 if options.dry else 1,
            )
            counts[name] = running.run(stage, book, clock, have, _say)
            if getattr(module, "EXPANDS", False) and any(
                counts[name].get(how) for how in ("failed", "crashed", "hung")
            ):
                running.run(stage, book, clock, have, lambda words: None)
            book.share()
            _say(
                f"{name}: {', '.join(f'{number} {how}' for how, number in counts[name].items() if number) or 'nothing to do'}"
            )
            if clock.left < running.TAKES:
                _say("The slice is over; the same command goes on from here.")
                break
    text = summary.text(book)
    _write(folders[0] / "summary.md", text)
    book.share()
    print(text if options.summary else summary.short(book))
    return 0


def _summary(folder: Path) -> int:
    """The tables of a folder's results, on any machine: no GPU and no package is needed for them."""
    try:
        first = json.loads((folder / results_file.NAME).read_text(encoding="utf-8").partition("\n")[0])
        book = results_file.ResultsFile([folder], simulated=first["simulated"], machine=first["machine"])
    except (OSError, ValueError, KeyError, results_file.MixedResults) as error:
        print(f"tests/gpu/run: {folder} holds no results: {error}", file=sys.stderr)
        return 2
    text = summary.text(book)
    _write(folder / "summary.md", text)
    print(text)
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests/gpu/run", description=__doc__)
    parser.add_argument("--minutes", type=float, help="the slice: begin nothing that does not fit, and end by then")
    parser.add_argument(
        "--stage", action="append", choices=list(stages.ORDER), help="only this stage (may be given again)"
    )
    parser.add_argument(
        "--again",
        action="append",
        metavar="STAGE[:PART]",
        help="do a stage, or a part of it, anew; STAGE:failed does what failed",
    )
    parser.add_argument(
        "--dry",
        action="store_true",
        help="in simulation, with small sizes: shows that this works, and measures nothing",
    )
    parser.add_argument("--summary", action="store_true", help="only the tables of what is there")
    parser.add_argument(
        "--results", type=Path, help="the folder of the results; by default $OUT, else recordings/raw/MACHINE"
    )
    parser.add_argument(
        "--python", help="the Python that has the packages; by default the bundle's, else .venv's, else this one"
    )
    parser.add_argument(
        "--workers", type=int, help="processes at once in stages that time nothing; by default the stage's own number"
    )
    parser.add_argument("--pack", action="store_true", help="make an offline bundle instead, as tests/gpu/pack does")
    return parser


def _machine(python: str, dry: bool) -> str:
    """The GPU's name; without one that works, the run would be no run on a GPU."""
    code = "from hundredfold import machine; m = machine.mode(); print(m); print(machine.probe().usable[0].name if m == 'gpu' else machine.cpu.cpu_name())"
    env = {
        **os.environ,
        "PYTHONPATH": environment.PATH,
        **_env(dry),
    }
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120, check=False, env=env)
    mode, _, name = asked.stdout.strip().partition("\n")
    if not name:
        raise results_file.MixedResults(f"{python} could not tell what this machine is: {asked.stderr.strip()[-400:]}")
    if mode != "gpu" and not dry:
        raise results_file.MixedResults(
            "no GPU works here (`hundredfold doctor` says why): --dry shows all stages in simulation."
        )
    return name


def _folders(named: Path | None, dry: bool, machine: str) -> list[Path]:
    """Where results are written first, then where they are written too, so that they outlast an emptied $OUT."""
    home = ROOT / ".cache" / "gpu-dry" if dry else RAW / results_file.slug(machine)
    if named is not None:
        return [named]
    if out := os.environ.get("OUT"):
        return [
            Path(out),
            environment.PLACE / "results" / results_file.slug(machine),
            *([home] if home.is_dir() and not dry else []),
        ]
    return [home]


def _env(dry: bool) -> dict[str, str]:
    if dry:
        return {"GPUSIM_SIMULATE": "1", "GPUSIM_GPUS": "2"}
    # A pool of 80 % of the card, and managed memory, are nothing for a run that measures (tests/gpu/README.md).
    env = {"CUDF_PANDAS_RMM_MODE": "cuda"}
    if "CUDA_HOME" not in os.environ and Path("/usr/local/cuda").is_dir():
        env["CUDA_HOME"] = "/usr/local/cuda"
    return env


def _again(book: results_file.ResultsFile, which: str) -> None:
    stage, _, part = which.partition(":")
    if stage not in stages.ORDER:
        raise SystemExit(f"tests/gpu/run: there is no stage {stage!r}: {', '.join(stages.ORDER)}.")
    for name, line in book.results(stage).items():
        if not part or name == part or (part == "failed" and line["status"] != "done"):
            book.append(stage=stage, part=name, status="again")


def _write(file: Path, text: str) -> None:
    part = file.with_name(f".{file.name}")
    part.write_text(text, encoding="utf-8")
    os.replace(part, file)


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
