"""Does a GPU work here? The probe of the driver, kept for the life of the process, and the mode that follows from it."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from gpusim.variables import refuse_renamed

from . import driver_files

# A cold driver without persistence mode takes seconds for each GPU, so patience; a hang costs this once in a process.
TIMEOUT = 20.0

# RAPIDS 26.10 for CUDA 12 needs Volta; nothing the course teaches runs on older GPUs.
OLDEST_CC = (7, 0)


@dataclass(frozen=True)
class Gpu:
    """One device as CUDA counts it: a GPU, or a MIG instance of one.

    Memory is in bytes; `memory_free`, `mig` and `processes` are None where NVML could not say. `cc` is the compute capability,
    `sms` the number of streaming multiprocessors, `l2` the size of the L2 cache in bytes.
    """

    index: int
    name: str
    memory_total: int
    cc: tuple[int, int]
    memory_free: int | None = None
    uuid: str | None = None
    sms: int | None = None
    l2: int | None = None
    integrated: bool = False
    compute_mode: Literal["default", "exclusive", "prohibited"] = "default"
    mig: bool | None = None
    processes: list[dict[str, int | None]] | None = None

    @property
    def why_not(self) -> str | None:
        """Why no notebook can use this GPU, as the end of a sentence; None where one can."""
        if self.cc < OLDEST_CC:
            return f"its compute capability is {self.cc[0]}.{self.cc[1]} and the libraries need 7.0 or newer"
        if self.compute_mode == "prohibited":
            return "its compute mode is 'prohibited'"
        if self.compute_mode == "exclusive" and self.processes:
            return "its compute mode is 'exclusive' and another process is on it"
        return None

    @property
    def usable(self) -> bool:
        """Whether a notebook could make a context on it."""
        return self.why_not is None


@dataclass(frozen=True)
class Probe:
    """What the NVIDIA driver answered.

    Attributes
    ----------
    status : str
        "ok" (it answered), "no driver" (no sign of one, or no libcuda), "error" (cuInit refused), "crashed" or "hung" (the child
        that asked did).
    error : str or None
        What went wrong, as the driver or the loader said it.
    code : int or None
        The number that cuInit answered, where it was not 0.
    libcuda : str or None
        The file that was loaded.
    cuda : tuple of int or None
        The newest CUDA that the driver speaks, as (13, 0).
    driver : str or None
        Its version, such as "580.65.06" (from NVML, else from the kernel module).
    kernel_driver : str or None
        Version of the loaded kernel module. There is none in WSL2.
    nvml : str
        "ok", or why NVML did not answer.
    gpus : list of Gpu
        The devices that CUDA shows.
    boards : list of dict
        The devices that NVML counts, CUDA_VISIBLE_DEVICES or not; one with MIG on lists its `instances`.
    wsl, linux_driver_in_wsl : bool
        Whether this is WSL2, and whether a driver for plain Linux was installed inside it.
    visible : str or None
        CUDA_VISIBLE_DEVICES.
    label : str
        "asked here", or where a recorded probe comes from.
    """

    status: str
    error: str | None = None
    code: int | None = None
    libcuda: str | None = None
    cuda: tuple[int, int] | None = None
    driver: str | None = None
    kernel_driver: str | None = None
    nvml: str = "not asked"
    gpus: list[Gpu] = field(default_factory=list)
    boards: list[dict[str, Any]] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    wsl: bool = False
    linux_driver_in_wsl: bool = False
    visible: str | None = None
    label: str = "asked here"

    @property
    def usable(self) -> list[Gpu]:
        """The GPUs that a notebook could use."""
        return [gpu for gpu in self.gpus if gpu.usable]

    @property
    def present(self) -> bool:
        """Whether there is any sign of an NVIDIA GPU or driver, working or not."""
        return bool(self.status != "no driver" or self.gpus or self.boards or self.devices or self.kernel_driver)

    def to_json(self) -> str:
        """Return the probe as JSON text, which `from_json` reads back to an equal probe."""
        return json.dumps(dataclasses.asdict(self), indent=1)

    @classmethod
    def from_json(cls, source: str | dict[str, Any]) -> Probe:
        """Return a probe from JSON text or from what it holds; a recording is read for its "probe".

        Raises
        ------
        ValueError
            If it is not JSON or lacks the status; the message says so in a sentence.
        """
        try:
            data = json.loads(source) if isinstance(source, str) else source
            label = data.get("label")
            data = dict(data.get("probe", data))
            data.setdefault("label", label or "asked here")
            gpus = [Gpu(**{**gpu, "cc": tuple(gpu["cc"])}) for gpu in data.pop("gpus", [])]
            cuda = tuple(data.pop("cuda", None) or ()) or None
            return cls(**data, gpus=gpus, cuda=cuda)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"This is not a recorded probe of a machine: {error}.") from error


def simulating() -> bool:
    """Whether GPUSIM_SIMULATE asks for simulated libraries: set, and neither empty nor "0"."""
    return os.environ.get("GPUSIM_SIMULATE", "") not in ("", "0")


def mode() -> Literal["gpu", "simulated", "none"]:
    """Return "simulated" where that was asked for, else "gpu" where a GPU works, else "none".

    A GPU works where the driver answers, is new enough for a variant of the packages, and shows a GPU that a notebook can use.
    Whether those packages are installed is another question: `packages.mismatch`.
    """
    refuse_renamed()
    if simulating():
        return "simulated"
    if probe().status != "ok":
        return "none"  # most laptops: answered without looking at what packages could do
    from . import packages

    return "none" if packages.extra(probe()) == "cpu" else "gpu"


def probe() -> Probe:
    """Return what the NVIDIA driver says, asked once per process in a child process.

    GPUSIM_PROBE, the path of a recorded probe, is read instead where it is set.

    Raises
    ------
    ValueError
        If the file named by GPUSIM_PROBE cannot be read as a probe.
    """
    return _probe(os.environ.get("GPUSIM_PROBE"), os.environ.get("CUDA_VISIBLE_DEVICES"))


@lru_cache(maxsize=8)
def _probe(recorded: str | None, visible: str | None) -> Probe:
    if recorded:
        try:
            return Probe.from_json(Path(recorded).read_text(encoding="utf-8"))
        except OSError as error:
            raise ValueError(f"GPUSIM_PROBE names a file that cannot be read: {error}.") from error
    return ask(visible=visible)


def ask(timeout: float = TIMEOUT, visible: str | None = None) -> Probe:
    """Ask the driver anew, in a child process that may crash or hang; where there is plainly no driver, start none."""
    signs = driver_files.look()
    known: dict[str, Any] = {
        "devices": signs["devices"],
        "kernel_driver": signs["kernel_driver"],
        "wsl": signs["wsl"],
        "linux_driver_in_wsl": signs["linux_driver_in_wsl"],
        "visible": visible,
    }
    if not signs["any"]:
        return Probe(status="no driver", error="no libcuda, no NVIDIA device and no kernel driver", **known)
    answer = _ask_child(timeout)
    gpus = [_join(gpu, answer.get("boards", [])) for gpu in answer.get("gpus", [])]
    status = "no driver" if answer["status"] == "no libcuda" else answer["status"]
    return Probe(
        status=status,
        error=answer.get("error"),
        code=answer.get("code"),
        libcuda=answer.get("libcuda"),
        cuda=tuple(answer["cuda"]) if answer.get("cuda") else None,
        driver=answer.get("driver") or signs["kernel_driver"],
        nvml=answer.get("nvml", "not asked"),
        gpus=gpus,
        boards=answer.get("boards", []),
        **known,
    )


def _ask_child(timeout: float) -> dict[str, Any]:
    """Run the child and return the last whole line it printed, with how it ended where it ended badly."""
    script = Path(__file__).with_name("probe_child.py")
    try:
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", str(script)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        return {"status": "error", "error": f"no child process could be started to ask the driver ({error})"}
    hung = False
    try:
        out, err = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        hung = True
        child.kill()
        try:
            out, err = child.communicate(timeout=2)
        except subprocess.TimeoutExpired as still:
            # Stuck inside the kernel: it cannot be killed, and must not be waited for.
            out, err = still.output or b"", b""
    answer: dict[str, Any] = {"asking": "the driver"}
    for line in reversed(out.decode(errors="replace").splitlines()):
        try:
            answer = json.loads(line)
            break
        except ValueError:
            continue
    asking = answer.pop("asking", "the driver")
    if hung:
        answer.update(status="hung", error=f"{asking} did not answer within {timeout:g} s")
    elif child.returncode:
        answer.update(status="crashed", error=f"the process that asked {asking} ended {_ending(child.returncode, err)}")
    return answer


def _ending(code: int, err: bytes) -> str:
    if code < 0:
        return f"with signal {-code}" + (" (segmentation fault)" if code == -11 else "")
    last = err.decode(errors="replace").strip().splitlines()
    return f"with status {code}" + (f": {last[-1]}" if last else "")


def _join(gpu: dict[str, Any], boards: list[dict[str, Any]]) -> Gpu:
    """Add to a device of CUDA what NVML says of the same one, found by identity: the two count in different orders."""
    extra: dict[str, Any] = {}
    for board in boards:
        if board.get("uuid") == gpu["uuid"] and not board.get("mig"):
            extra = {"mig": board.get("mig", False), **_from_nvml(board)}
        for instance in board.get("instances", []):
            if instance.get("uuid") == gpu["uuid"]:
                extra = {"mig": True, **_from_nvml(instance)}
    if not extra and " MIG " in gpu["name"]:
        extra = {"mig": True}
    return Gpu(**{**gpu, "cc": tuple(gpu["cc"]), **extra})


def _from_nvml(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: entry[key] for key in ("memory_free", "processes") if key in entry}
