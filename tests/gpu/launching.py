"""``python -m gpu.launching LOG KERNEL...``: launch kernels of the set, and note of each launch what the lens says of it.

Run under Nsight Compute, which counts what they really do; LOG gets a line of JSON for each launch, in order.
"""

from __future__ import annotations

import json
import os
import sys


def main(log: str, names: list[str]) -> None:
    import hundredfold  # noqa: F401  (simulated or real: the environment says)
    from gpusim.hardware import detect

    if detect.simulating():
        import gpusim

        gpusim.activate()
    from kernels_set import registry
    from numba import cuda

    @cuda.jit
    def nothing():
        pass

    kind, original = type(nothing), type(nothing).call
    current = [""]
    with open(log, "a", encoding="utf-8") as out:

        def call(dispatcher, args, configuration):
            note = {"entry": current[0], "name": dispatcher.py_func.__name__, **told(dispatcher, args, configuration)}
            original(dispatcher, args, configuration)
            out.write(json.dumps(note) + "\n")
            out.flush()

        kind.call = call
        for name in names:
            current[0] = name
            entry = registry.one(name)
            registry.run(entry, list(entry.cases(registry.seeded(name)))[-1])
    os._exit(0)


def told(dispatcher, args, configuration) -> dict:
    """Requests and sectors of global memory by kind, and bank conflicts, as `lens.trace` counts them on the launch's own arguments."""
    import kernellens

    try:
        shared = getattr(configuration, "sharedmem", 0) or 0
        trace = kernellens.trace(
            dispatcher, tuple(configuration.griddim), tuple(configuration.blockdim), *args, sharedmem=shared
        )
    except Exception as error:
        return {"why": f"{type(error).__name__}: {error}"[:300]}
    found: dict = {"conflicts": trace.bank_conflicts}
    for each in trace.traffic:
        sums = found.setdefault(each.kind, {"requests": 0, "sectors": 0})
        sums["requests"] += each.requests
        sums["sectors"] += each.sectors
    return found


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
