"""Findings about the packages: which variant fits, and is it the installed one?"""

from __future__ import annotations

from gpusim.hardware import packages as known

from .facts import Facts
from .report import Finding

_BASES = (("CuPy", "cupy"), ("cuDF", "cudf"), ("numba-cuda", "numba-cuda"), ("Dask-CUDA", "dask-cuda"))


def packages(facts: Facts) -> list[Finding]:
    """Return what is to be said of the installed packages."""
    return [*_numpy(facts), *(_without_gpu(facts) if facts.extra == "cpu" else _with_gpu(facts))]


def _finding(level, what: str, why: str = "", fix: str | None = None, stops: bool = False) -> Finding:
    return Finding(level, what, why, fix, group="packages", stops=stops)


def _without_gpu(facts: Facts) -> list[Finding]:
    several = known.cupys(facts.packages)
    if len(several) > 1:
        why = "Each overwrites files of the other. Without a working GPU neither is used: the lab simulates CuPy."
        return [
            _finding(
                "note", f"{' and '.join(several)} are both installed", why, known.setup_command("cpu", afresh=True)
            )
        ]
    if several:
        why = "No GPU works here, so %load_ext hundredfold puts the simulated CuPy in its place."
        return [_finding("note", f"{several[0]} {facts.packages[several[0]]} is installed and not used", why)]
    return [_finding("ok", "The variant that fits is cpu, and no GPU packages are installed")]


def _with_gpu(facts: Facts) -> list[Finding]:
    wrong = known.mismatch(facts.probe, facts.packages, facts.system)
    if wrong is not None:
        if facts.simulate:
            return [_finding("note", f"The variant that fits is {wrong.extra}", wrong.why, wrong.fix)]
        what = f"The GPU packages {'do not fit' if known.cupys(facts.packages) else 'are missing'}: {wrong.extra} fits"
        return [_finding("bad", what, wrong.why, wrong.fix, stops=True)]
    have = [f"{name} {version}" for name, base in _BASES if (version := _version(facts.packages, base))]
    major = next(iter(known.majors(facts.packages)), None)
    built = f", built for CUDA {major}," if major else ""
    found = [_finding("ok", f"{', '.join(have)}{built} fit the driver and the GPU")]
    missing = [name for name, base in _BASES if not _version(facts.packages, base)]
    if missing:
        why = f"The units that use {' and '.join(missing)} will say so."
        found.append(
            _finding("note", f"{', '.join(missing)} not installed", why, known.setup_command(_variant(facts, major)))
        )
    return found + _toolkit(facts, major)


def _variant(facts: Facts, major: int | None) -> str:
    return f"cu{major}" if major in (12, 13) else facts.extra


def _version(versions: dict[str, str], base: str) -> str | None:
    names = (base, f"{base}-cuda12x", f"{base}-cuda13x", f"{base}-cu12", f"{base}-cu13")
    return next((versions[name] for name in names if name in versions), None)


def _toolkit(facts: Facts, major: int | None) -> list[Finding]:
    """A toolkit newer than the driver emits PTX that the driver cannot load, unless nvJitLink turns it into machine code."""
    text, allowed = facts.packages.get("cuda-toolkit", ""), known.driver_allows(facts.probe)
    parts = text.split(".")
    if allowed is None or len(parts) < 2 or not (parts[0] + parts[1]).isdigit():
        return []
    toolkit = (int(parts[0]), int(parts[1]))
    linker = any(name in facts.packages for name in ("nvidia-nvjitlink", "nvidia-nvjitlink-cu12"))
    if toolkit <= allowed or linker or "numba-cuda" not in facts.packages:
        return []
    why = f"The driver allows {allowed[0]}.{allowed[1]}, and without nvJitLink Numba's kernels end in CUDA_ERROR_UNSUPPORTED_PTX_VERSION."
    fix = known.setup_command(_variant(facts, major))
    return [_finding("bad", f"cuda-toolkit {text} is newer than the driver", why, fix, stops=not facts.simulate)]


def _numpy(facts: Facts) -> list[Finding]:
    parts = facts.packages.get("numpy", "").split(".")
    if "numba-cuda" not in facts.packages or len(parts) < 2 or not (parts[0] + parts[1]).isdigit():
        return []
    if (int(parts[0]), int(parts[1])) < (2, 5):
        return []
    why = "numba-cuda fails on NumPy 2.5 and newer (numpy.row_stack is gone), and cuDF with it."
    fix = known.setup_command(facts.extra)
    stops = facts.mode == "gpu"
    return [_finding("bad", f"NumPy {facts.packages['numpy']} is too new for numba-cuda", why, fix, stops=stops)]
