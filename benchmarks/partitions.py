"""How a cluster takes it when something breaks in the middle of the work: kills and partitions of the network, drawn by seeds.

    python benchmarks/partitions.py [--runs 200] [--json FILE]

Three hosts, a scheduler and a client, each in a network namespace, TLS on (tests/clusters/faults.py; needs root or sudo, and
the packages of `make test-all ARGS=clusters`). Each run ends in the right answer, in a sentence, in a wrong answer or in a hang; the last
two must not be. The record beside this file is written after each run; another call goes on where the last one ended.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def summary(runs: list[dict]) -> dict:
    """How many ended how, for each kind of fault and together; in how many the work still went on when it broke."""
    kinds = sorted({run["kind"] for run in runs})
    table = {kind: dict(Counter(run["ended"] for run in runs if run["kind"] == kind)) for kind in kinds}
    return {
        "runs": len(runs),
        "ended": dict(Counter(run["ended"] for run in runs)),
        "hit in the middle": sum(run.get("hit", False) for run in runs),
        "longest, seconds": max((run["seconds"] for run in runs), default=0.0),
        "by kind": table,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the first seed, to share the work out")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_suffix(".json"))
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests" / "clusters"))
    import distributed
    from faults import Faults
    from world import install

    record = json.loads(arguments.json.read_text()) if arguments.json.exists() else {"runs": []}
    done = {run["seed"]: run for run in record["runs"]}
    left = [seed for seed in range(arguments.first, arguments.runs) if seed not in done]
    if left:
        install()
        with Faults() as faults:
            for seed in left:
                done[seed] = run = faults.run(seed)
                said = f": {run['said']}" if "said" in run else ""
                print(f"{seed:4} {run['kind']:10} {run['ended']} after {run['seconds']:.1f} s{said}", flush=True)
                runs = [done[seed] for seed in sorted(done)]
                where = {"distributed": distributed.__version__, "linux": platform.release(), "cores": os.cpu_count()}
                text = json.dumps({"where": where, "summary": summary(runs), "runs": runs}, indent=1)
                arguments.json.write_text(text + "\n")
    said = summary(list(done.values()))
    print(json.dumps(said, indent=1))
    return int(bool({"wrong", "hang"} & set(said["ended"])))


if __name__ == "__main__":
    sys.exit(main())
