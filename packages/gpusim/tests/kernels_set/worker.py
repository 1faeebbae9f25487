"""Runs entries of the kernel set in a process of its own, one way of running each.

``python worker.py WAY`` reads names from its input and answers each with a pickle (8 bytes of length before it); with names
on the command line it prints what is wrong with each, for a person.  WAY is one of `WAYS`.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import traceback
from pathlib import Path

# What a way needs in its environment, set before anything is imported.
WAYS = {
    "compiled": {"GPUSIM_KERNELS": "compiled", "GPUSIM_TRACE": "off"},
    "interpreted": {"GPUSIM_KERNELS": "interpreted", "GPUSIM_TRACE": "off"},
    "traced": {"GPUSIM_KERNELS": "compiled", "GPUSIM_TRACE": "all"},
    "default": {},
    "simulator": {"NUMBA_ENABLE_CUDASIM": "1"},
    "gpu": {},
    "unfused": {},  # on a GPU, without fused multiply-adds: CPU code has none
}
OURS = ("compiled", "interpreted", "traced")


def answer(name: str) -> dict:
    """Run all cases of an entry. Its module is imported here and no other: one that cannot be imported costs its own entries.

    Returns ``{"cases": [(label, results, what is wrong)], "found": [findings of the trace], "error": traceback or ""}``.  A
    finding ends a case, as it ends a launch; where the entry deserves one, the other cases go on.
    """
    from kernels_set import registry

    done = {"name": name, "rules": None, "cases": [], "found": [], "error": ""}
    label = "none: its module"
    try:
        entry = registry.one(name)
        done["rules"], label = entry.rules(), "making the cases"
        for case in entry.cases(registry.seeded(entry.name)):
            label = case.label
            try:
                after, wanted = registry.run(entry, case)
            except Exception as error:
                if not entry.traced or type(error).__name__ != "TraceError":
                    raise
                done["found"].append(f"{label}: {error}")
                continue
            done["cases"].append((label, after, registry.judge(entry, after, wanted)))
    except BaseException:  # a fault of the launch, or of the machinery: all are reported
        done["error"] = f"case {label}:\n{traceback.format_exc()}"
    return done


def _without_fusion() -> None:
    """Have NVVM and the linker round each product and each sum by itself; numba-cuda has no option for it that a caller could set."""
    from functools import partial

    from numba.cuda.cudadrv import driver, nvvm

    begin = nvvm.CompilationUnit.__init__
    nvvm.CompilationUnit.__init__ = lambda self, options: begin(self, {"fma": False, **options})
    driver.LinkerOptions = partial(driver.LinkerOptions, fma=False)


def main() -> None:
    way, *chosen = sys.argv[1:]
    if way not in WAYS:
        raise SystemExit(f"no such way: {way} (one of {', '.join(WAYS)})")
    os.environ.update(WAYS[way])
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from kernels_set import registry

    if way == "unfused":
        _without_fusion()
    elif way not in ("simulator", "gpu"):
        import gpusim

        gpusim.activate()
    # Answers have a channel of their own, so that a kernel's print does not get into them.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if chosen:
        failed, names = 0, registry.names() if chosen == ["all"] else chosen
        for name in names:
            done = answer(name)
            wrong = [f"{label}: {said}" for label, _, said in done["cases"] if said]
            failed += bool(wrong or done["error"])
            verdict = "ok" if not wrong and not done["error"] else "WRONG " + "; ".join(wrong) + done["error"]
            cases = f"{len(done['cases'])} cases" + (f", {len(done['found'])} findings" if done["found"] else "")
            print(f"{name}: {cases}, {verdict}", file=sys.stderr, flush=True)
        print(f"{failed} of {len(names)} fail", file=sys.stderr)
        raise SystemExit(bool(failed))
    for line in sys.stdin:
        reply = pickle.dumps(sorted(registry.load()) if line.strip() == "?" else answer(line.strip()))
        channel.write(struct.pack("<Q", len(reply)) + reply)
        channel.flush()


if __name__ == "__main__":
    main()
