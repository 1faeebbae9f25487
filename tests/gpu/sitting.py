"""``python -m gpu.sitting fair|greedy cupy|cudf BEGIN SECONDS SHARE``: a kernel of a class, under its seat's limits, for so many seconds.

All begin together, when the file BEGIN is there.  The last line of the output is JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def main(how: str, library: str, begin: str, seconds: str, share: str) -> None:
    from gpusim.hardware import detect
    from hundredfold.classroom.seats import rmm

    rmm.apply()  # as a kernel of a seat does when it starts
    if detect.simulating():
        import gpusim

        gpusim.activate()
    import cupy as cp

    cp.zeros(1).sum().item()
    (Path(begin).parent / f"ready-{os.getpid()}").touch()
    until = time.monotonic() + 90
    while not Path(begin).exists() and time.monotonic() < until:
        time.sleep(0.01)
    found = greedy(cp, library, float(seconds)) if how == "greedy" else fair(cp, library, float(seconds), int(share))
    print(json.dumps(found), flush=True)
    os._exit(0)


def fair(cp, library, seconds, share):
    """Products of whole numbers in half of the seat's memory, looked at each time; with cuDF a groupby beside them."""
    n = min(4096, int((share / 2 / 3 / 4) ** 0.5) // 64 * 64) if share > 1 << 30 else 256
    x, y = cp.ones((n, n), cp.float32), cp.full((n, n), 2, cp.float32)
    rounds, right, until = 0, True, time.monotonic() + seconds
    longest = 0.0
    while time.monotonic() < until:
        start = time.monotonic()
        right &= float((x @ y).sum()) == 2.0 * n**3
        if library == "cudf":
            import cudf

            table = cudf.DataFrame({"k": cp.arange(10_000) % 7, "v": cp.ones(10_000)})
            right &= int(table.groupby("k").v.sum().sum()) == 10_000
        rounds += 1
        longest = max(longest, time.monotonic() - start)
    return {"rounds": rounds, "right": bool(right), "longest": longest}


def greedy(cp, library, seconds):
    """Take memory until it is refused, and sit on it."""
    held, kept, told = 0, [], ""
    piece = 64 << 20
    try:
        while len(kept) < 20_000:
            if library == "cudf":
                import cudf

                kept.append(cudf.Series(cp.zeros(piece // 16), copy=True))
                held += piece // 2
            else:
                kept.append(cp.zeros(piece, cp.uint8))
                held += piece
    except Exception as error:
        told = f"{type(error).__name__}: {error}"[:300]
    time.sleep(seconds)
    return {"held": held, "told": told}


if __name__ == "__main__":
    main(*sys.argv[1:])
