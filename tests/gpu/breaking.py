"""``python -m gpu.breaking VARIANT``: launch a broken variant of `packages/kernellens/tests/broken`, or with ``right NAME`` the kernel as it is.

Run under compute-sanitizer, which says what it finds wrong; errors that the launch itself raises are no failure here.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FunctionType

PACKAGES = Path(__file__).parents[2] / "packages"
TESTS = PACKAGES / "gpusim" / "tests"


def main(name: str) -> None:
    sys.path[:0] = [str(TESTS), str(PACKAGES / "kernellens" / "tests")]
    from gpusim.hardware import detect

    if detect.simulating():
        import gpusim

        gpusim.activate()
    from kernels_set import registry
    from numba import cuda

    try:
        if name.startswith("right "):
            entry = registry.one(name.removeprefix("right "))
            registry.run(entry, list(entry.cases(registry.seeded(entry.name)))[-1])
        else:
            launch(name, registry, cuda)
        cuda.synchronize()
    except Exception as error:
        print(f"LAUNCH {type(error).__name__}: {str(error)[:400]}", flush=True)
    print("ENDED", flush=True)
    if detect.simulating():
        os._exit(0)


def launch(name, registry, cuda) -> None:
    """As `broken.variant.findings` does, with a launch in place of a trace."""
    import numpy as np
    from broken import variant
    from broken.all_variants import VARIANTS

    broken = next(each for each in VARIANTS if each.name == name)
    entry = registry.one(broken.entry)
    made = variant.make(broken, entry)
    cases = {case.label: case for case in entry.cases(registry.seeded(broken.entry))}
    case = cases[broken.case] if broken.case else list(cases.values())[-1]
    grid, block, shared = (
        theirs if ours is None else ours
        for ours, theirs in zip(
            (broken.grid, broken.block, broken.shared), (case.grid, case.block, case.shared), strict=True
        )
    )
    args = case.args if broken.args is None else broken.args(cuda, *case.args)
    on_device = [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in args]
    if entry.launch is None:
        made.kernel[grid, block, 0, shared](*on_device)
    else:
        FunctionType(entry.launch.__code__, made.names)(
            cuda, type(case)(case.label, grid, block, args, shared), on_device
        )


if __name__ == "__main__":
    main(sys.argv[1])
