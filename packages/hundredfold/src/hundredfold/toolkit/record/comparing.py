"""``hundredfold compare A B``: two recordings side by side, way by way, the ratio and each one's share of its limit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import jsonschema

from gpusim.hardware import gpus
from hundredfold import paths
from hundredfold.toolkit import limit
from kernellens.plot import quantities

from . import recording_file


@click.command()
@click.argument("one")
@click.argument("other")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(one: str, other: str, as_json: bool) -> None:
    """Compare two recordings: files, or names of those in recordings/ (such as published-2019).

    A workload is compared where both have it, the fastest way of each device in each, with the share of its limit where that is known.
    """
    first, second = _read(one), _read(other)
    rows = _rows(first, second)
    if not rows:
        raise click.ClickException(f"{one} and {other} have no workload in common.")
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    for name, recording in ((one, first), (other, second)):
        click.echo(_text(f"{name}: {recording['title']}"))
    click.echo()
    table: list[tuple[str, ...]] = [("workload", "", one, other, "ratio", "of the limit")]
    for row in rows:
        shares = [quantities.share(each) if each else "–" for each in row["of_limit"]]
        times = [
            f"{way}, {quantities.seconds(seconds)}" for way, seconds in zip(row["ways"], row["seconds"], strict=True)
        ]
        table.append((row["id"], row["device"], *times, quantities.ratio(row["ratio"]), " / ".join(shares)))
    wide = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    for line in table:
        click.echo(_text("  ".join(f"{cell:<{w}}" for cell, w in zip(line, wide, strict=True)).rstrip()))
    click.echo(f"\nRatio: how many times faster {other} is.")


def _text(line: str) -> str:
    """A line without what moves a cursor: a recording may be somebody else's."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)


def _read(name: str) -> dict[str, Any]:
    folder = paths.data_dir("recordings")
    file = Path(name) if Path(name).is_file() else folder / f"{name.removesuffix('.json')}.json"
    try:
        recording = json.loads(file.read_text(encoding="utf-8"))
        recording_file.check(recording)
    except FileNotFoundError:
        there = ", ".join(sorted(each.stem for each in folder.glob("*.json") if each.name != "schema.json"))
        raise click.UsageError(f"There is no recording {name!r}. There are: {there}; or name a file.") from None
    except (ValueError, jsonschema.ValidationError, OSError, RecursionError):
        raise click.UsageError(f"{file} is no recording.") from None
    return recording


def _rows(first: dict[str, Any], second: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    theirs = {row["id"]: row for row in second["rows"]}
    for row in first["rows"]:
        other = theirs.get(row["id"])
        if other is None:
            continue
        for device in ("cpu", "gpu"):
            ours, other_best = _fastest(row, device), _fastest(other, device)
            if ours is None or other_best is None:
                continue
            pair = (ours, other_best)
            shares = [_share(row, ours, first), _share(other, other_best, second)]
            seconds = [best["seconds"] for best in pair]
            found.append(
                {
                    "id": row["id"],
                    "device": device.upper(),
                    "ways": [best["way"] for best in pair],
                    "seconds": seconds,
                    "ratio": seconds[0] / seconds[1],
                    "of_limit": shares,
                }
            )
    return found


def _fastest(row: dict[str, Any], device: str) -> dict[str, Any] | None:
    """The fastest time that may be believed."""
    times = [time for time in row["times"] if time["device"] == device and time["verdict"] != "impossible"]
    return min(times, key=lambda time: time["seconds"], default=None)


def _share(row: dict[str, Any], time: dict[str, Any], recording: dict[str, Any]) -> float | None:
    """Of what a GPU's data sheet allows, and of what a CPU was measured to allow."""
    gpu = recording["machines"][time.get("machine", row["machine"])].get("gpu")
    work = row.get("least_bytes"), row.get("flops")
    if time["device"] == "cpu":
        return time["limit"] / time["seconds"] if "limit" in time else None
    if gpu is None or time.get("workers", 1) > 1 or work == (None, None):
        return None
    dtype = "float32" if row.get("dtype") == "float32" else "float64"
    return limit(bytes=work[0], flops=work[1], machine=gpus.find(gpu).name, dtype=dtype).seconds / time["seconds"]
