"""Driver → CUDA → wheels, and the `environment.yml` that follows from it, for this machine or for another that is only described.

The driver on the host decides: a container or a conda environment brings everything but the driver. Sources of the table
(`packages.NEEDS`): NVIDIA, "CUDA Compatibility", minor version compatibility, table 1 (CUDA 12.x from driver 525, CUDA 13.x from
580); RAPIDS 26.10, "Platform Support" (compute capability, tested drivers).

>>> from hundredfold.setup import environments
>>> environments.variant("570.86.15", "9.0").extra
'cu12'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata

from gpusim.hardware import packages
from gpusim.hardware.detect import Gpu, Probe
from gpusim.hardware.detect import probe as ask
from hundredfold import paths
from hundredfold.setup.workspace import PACKAGES

PYTHON = "3.12"
"""What is written where nothing is asked for; RAPIDS 26.10 has wheels from 3.11 to 3.13."""
PYTHONS = ("3.11", "3.12", "3.13")

# Another machine is described, and that it runs a Linux on which wheels install is taken for granted.
_LINUX = {"system": "Linux", "machine": "x86_64", "glibc": [2, 28]}


@dataclass(frozen=True)
class Variant:
    """What fits a driver and a GPU.

    `extra` is the variant of the packages ("cu13", "cu12" or "cpu"), `cuda` the CUDA of its wheels as (13, 0) or None, `why` one
    sentence.
    """

    extra: packages.Extra
    cuda: tuple[int, int] | None
    why: str


def described(driver: str, cc: str | tuple[int, int] = "9.0") -> Probe:
    """The probe of a machine that is only described: its driver ("580.65.06") and its oldest GPU's compute capability ("9.0").

    Raises
    ------
    ValueError
        If one of them is not written like that.
    """
    if not re.fullmatch(r"\d{3}(\.\d+)*", str(driver).strip()):
        raise ValueError(f"A driver's version looks like 580.65.06 (`nvidia-smi` shows it), not {driver!r}.")
    text = ".".join(map(str, cc)) if isinstance(cc, tuple) else str(cc).strip()
    if not re.fullmatch(r"\d+\.\d", text):
        raise ValueError(f"A compute capability looks like 9.0 (an H100's), not {cc!r}.")
    major, minor = text.split(".")
    gpu = Gpu(index=0, name="the GPU", memory_total=1, cc=(int(major), int(minor)))
    return Probe(status="ok", driver=str(driver).strip(), gpus=[gpu], label="described")


def variant(driver: str, cc: str | tuple[int, int] = "9.0") -> Variant:
    """Which variant of the packages fits a driver and a GPU, and why.

    Raises
    ------
    ValueError
        If driver or compute capability is not written as one.
    """
    asked = described(driver, cc)
    return Variant(fits := packages.extra(asked, _LINUX), _cuda(fits), _why(asked, fits))


def _cuda(extra: packages.Extra) -> tuple[int, int] | None:
    return next((need.cuda for need in packages.NEEDS if need.extra == extra), None)


def _why(asked: Probe, fits: packages.Extra) -> str:
    series, cc = packages.driver_series(asked), max((gpu.cc for gpu in asked.gpus), default=(0, 0))
    weakest = packages.decides(asked)
    cc = weakest.cc if weakest else cc
    newest, oldest = packages.NEEDS[0], packages.NEEDS[-1]
    gpu = f"compute capability {cc[0]}.{cc[1]}"
    if fits == newest.extra:
        return f"Driver {series} runs CUDA {newest.cuda[0]}, and so does {gpu}."
    if fits == oldest.extra and series is not None and series >= newest.driver:
        return f"CUDA {newest.cuda[0]} needs {_cc(newest.cc)} or newer; this GPU has {gpu}."
    if fits == oldest.extra:
        tested = f"; RAPIDS tests from {oldest.tested} on" if series is not None and series < oldest.tested else ""
        return (
            f"Driver {series} runs CUDA {oldest.cuda[0]}: CUDA {newest.cuda[0]} needs {newest.driver} or newer{tested}."
        )
    if series is None:
        return "There is no driver: everything runs on the CPU, and the simulated libraries in place of the GPU's libraries."
    if series < oldest.driver:
        return f"Driver {series} is older than {oldest.driver}, and no wheels of today run on it: renew it."
    return f"No wheels of today serve {gpu}: RAPIDS needs {_cc(oldest.cc)} or newer."


def _cc(cc: tuple[int, int]) -> str:
    return f"{cc[0]}.{cc[1]}"


def environment(probe: Probe | None = None, python: str = PYTHON, system: dict | None = None) -> str:
    """Return the text of an `environment.yml` with this course's packages, in the versions that were tested together.

    conda brings Python, the wheels come by pip: they are what the lock pins. `__cuda` stands among the dependencies, conda's
    *virtual package* for the CUDA that the driver speaks: where the driver is too old, conda says so when the environment is
    made, and not CuPy at the first array.

    Parameters
    ----------
    probe : Probe, optional
        The machine, as `described` or `detect.probe` gives it; this one.
    python : {"3.12", "3.11", "3.13"}
    system : dict, optional
        `packages.platform_facts()` of that machine; a usual Linux for a described one, else this one's.

    Raises
    ------
    ValueError
        If there are no wheels for this Python.
    """

    if python not in PYTHONS:
        raise ValueError(f"There are wheels for Python {', '.join(PYTHONS)}, not for {python!r}.")
    if probe is None:
        probe = ask()
    if system is None and probe.label == "described":
        system = _LINUX
    fits = packages.extra(probe, system)
    cuda = _cuda(fits)
    lines = [
        f"# {_why(probe, fits)}",
        "# Written by `hundredfold environment`; the course itself: pip install --no-deps "
        + " ".join(f"-e CHECKOUT/packages/{name}" for name in PACKAGES),
    ]
    if cuda:
        lines += [f"# On a node without a GPU (a login node): CONDA_OVERRIDE_CUDA={_cc(cuda)} conda env create"]
    lines += [f"name: hundredfold-{fits}", "channels:", "  - conda-forge", "  - nodefaults", "dependencies:"]
    if cuda:
        lines.append(f"  - __cuda >={_cc(cuda)}")
    lines += [f"  - python ={python}", "  - pip", "  - pip:"]
    return "\n".join([*lines, *(f"      - {pin}" for pin in pins(fits)), ""])


def pins(extra: packages.Extra) -> list[str]:
    """The packages that a variant asks for itself, each with the lock's version where there is a checkout, else with its range.

    Raises
    ------
    FileNotFoundError
        If this package was never installed, so that nobody knows what it asks for.
    """
    try:
        asked = _required("hundredfold", {extra})
    except metadata.PackageNotFoundError:
        raise FileNotFoundError("Hundredfold is not installed in this Python: `make setup` does it.") from None
    locked = _locked(extra)
    found = []
    for requirement in asked:
        name, options, versions = _REQUIREMENT.fullmatch(requirement).groups()
        version = locked.get(_normal(name))
        found.append(f"{name}{options or ''}" + (f"=={version}" if version else versions.strip("() ")))
    return found


_REQUIREMENT = re.compile(r"([\w.-]+)(\[[^\]]*\])?\s*(.*)")


def _required(package: str, extras: set[str]) -> list[str]:
    """What one of our packages asks for with these extras, with what our others ask for in the place of them; each once."""
    found: dict[str, None] = {}
    for line in metadata.requires(package) or []:
        requirement, _, marker = (part.strip() for part in line.partition(";"))
        only = re.search(r"extra == ['\"]([\w-]+)['\"]", marker)
        if only and only[1] not in extras:
            continue
        name, options, _ = _REQUIREMENT.fullmatch(requirement).groups()
        if name in PACKAGES:
            more = set(re.findall(r"[\w-]+", options or ""))
            # Of itself, an extra names others; of another, all that it needs counts.
            found.update(dict.fromkeys(_required(name, more - extras if name == package else more)))
        else:
            found[requirement] = None
    return list(found)


def _locked(extra: packages.Extra) -> dict[str, str]:
    root = paths.repository()
    file = root / "requirements" / f"{extra}.txt" if root else None
    if file is None or not file.is_file():
        return {}
    pinned = re.findall(r"(?m)^([\w.-]+)(?:\[[^\]]*\])?==(\S+)", file.read_text(encoding="utf-8"))
    return {_normal(name): version for name, version in pinned}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
