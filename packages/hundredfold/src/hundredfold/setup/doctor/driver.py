"""Findings about the driver: is there one, does it answer, and which CUDA does it allow?"""

from __future__ import annotations

from gpusim.hardware.packages import NEEDS, driver_allows, driver_series

from .facts import Facts
from .report import Finding

ON_THE_CPU = "The lab then computes on the CPU"

# What NVIDIA's documentation gives as the usual cause of each answer of cuInit, and the command that removes it.
_REFUSALS = {
    34: ("A stub library, meant for building only, was loaded in place of the driver", "unset LD_LIBRARY_PATH"),
    802: ("The GPUs' fabric has not been started", "sudo systemctl start nvidia-fabricmanager"),
    803: ("The driver's library and its kernel module are of different versions, as after an update", "sudo reboot"),
    804: ("A compatibility library was loaded that this GPU does not support", "unset LD_LIBRARY_PATH"),
    999: (
        "Often the kernel module for memory was lost, as after a suspend",
        "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm",
    ),
}
_PURGE = "sudo apt-get purge '^nvidia-.*' '^libnvidia-.*'"
_UPDATES = {
    "ubuntu": "sudo ubuntu-drivers install",
    "debian": "sudo apt-get install nvidia-open",
    "fedora": "sudo dnf install nvidia-open",
    "rhel": "sudo dnf install nvidia-open",
    "suse": "sudo zypper install nvidia-open",
    "arch": "sudo pacman -Syu nvidia-open",
}


def driver(facts: Facts) -> list[Finding]:
    """Return what is to be said of the driver."""
    probe, found = facts.probe, []
    if probe.linux_driver_in_wsl:
        found.append(_linux_driver_in_wsl(probe.status == "ok"))
        if probe.status != "ok":
            return found  # which explains what else libcuda says
    if probe.status == "no driver":
        found.append(_absent(facts))
    elif probe.status in ("crashed", "hung"):
        fix = "wsl.exe --shutdown" if probe.wsl else "sudo reboot"
        what = "The NVIDIA driver crashes" if probe.status == "crashed" else "The NVIDIA driver hangs"
        found.append(_bad(what, f"Asked in a process of its own: {probe.error}. {ON_THE_CPU}.", fix))
    elif probe.status != "ok":
        found.append(_refusal(facts))
    else:
        found.append(_version(facts))
        if probe.nvml != "ok":
            found.append(_no_nvml(facts))
    return found


def _bad(what: str, why: str, fix: str) -> Finding:
    return Finding("bad", what, why, fix, group="driver")


def _absent(facts: Facts) -> Finding:
    probe = facts.probe
    if probe.devices or probe.kernel_driver:
        sign = f"kernel module {probe.kernel_driver}" if probe.kernel_driver else f"/dev/{probe.devices[0]}"
        if facts.system.get("container"):
            why = f"The container sees {sign} but was started without the driver's libraries. {ON_THE_CPU}."
            return _bad("The driver's libraries are missing", why, "docker run --gpus all IMAGE")
        package = f"libnvidia-compute-{driver_series(probe) or 580}"
        why = f"There is {sign}, but no libcuda.so.1. {ON_THE_CPU}."
        return _bad("The driver's libraries are missing", why, f"sudo apt-get install {package}")
    if probe.wsl:
        why = "WSL2 takes the driver from Windows: if there is an NVIDIA GPU, install its driver there. Until then notebooks use the CPU."
        return Finding("note", "Windows brings no NVIDIA driver into this WSL2", why, group="driver")
    why = (
        "Notebooks compute on the CPU, in place of a GPU; the answers are the same, the times are marked as simulated."
    )
    return Finding("note", "No NVIDIA GPU here", why, group="driver")


def _linux_driver_in_wsl(works: bool) -> Finding:
    what = "A driver for plain Linux is installed inside WSL2"
    why = "WSL2 takes the driver from Windows, and one installed inside hides it."
    return Finding("note", what, why, _PURGE, group="driver") if works else _bad(what, why, _PURGE)


def _refusal(facts: Facts) -> Finding:
    probe = facts.probe
    what = "The NVIDIA driver is there but does not work"
    if probe.code == 100:
        return _no_device(facts)
    cause, fix = _REFUSALS.get(probe.code or 0, ("Its cause is not known here", "sudo reboot"))
    if probe.wsl:
        cause, fix = "Windows' driver and WSL2 do not fit together", "wsl.exe --shutdown"
    return _bad(what, f"{probe.error}. {cause}. {ON_THE_CPU}.", fix)


def _no_device(facts: Facts) -> Finding:
    probe = facts.probe
    sliced = [board for board in probe.boards if board.get("mig")]
    if probe.visible is not None and (probe.boards or not probe.devices):
        why = f"CUDA_VISIBLE_DEVICES is {probe.visible!r}, which shows none of the machine's GPUs. {ON_THE_CPU}."
        return _bad("All GPUs are hidden", why, "unset CUDA_VISIBLE_DEVICES")
    if sliced and not any(board.get("instances") for board in sliced):
        why = f"{sliced[0].get('name', 'The GPU')} is in MIG mode, but no instance of it was made. {ON_THE_CPU}."
        return _bad("MIG is on and the GPU is not divided", why, "sudo nvidia-smi -mig 0")
    if facts.system.get("container"):
        why = f"{probe.error}: the container was started without a GPU. {ON_THE_CPU}."
        return _bad("The driver shows no GPU", why, "docker run --gpus all IMAGE")
    why = f"{probe.error}: its device nodes may be missing or closed to you. {ON_THE_CPU}."
    return _bad("The driver shows no GPU", why, "sudo nvidia-modprobe -u -c=0")


def _version(facts: Facts) -> Finding:
    probe, allowed = facts.probe, driver_allows(facts.probe)
    name = f"Driver {probe.driver}" if probe.driver else "The driver"
    if probe.wsl:
        name += " (Windows', through WSL2)"
    if allowed is None:
        return Finding("note", f"{name} does not say which CUDA it allows", group="driver")
    cu13, cu12 = NEEDS
    says = f"{name} allows CUDA {allowed[0]}.{allowed[1]}"
    if allowed < cu12.cuda:
        why = f"CUDA 12 needs driver {cu12.driver} or newer, CUDA 13 {cu13.driver}. {ON_THE_CPU}."
        return _bad(f"{says}: too old", f"{why}{_elsewhere(facts)}", _update(facts))
    if allowed < (12, 2) or (driver_series(probe) or cu12.tested) < cu12.tested:
        why = f"cuDF and cuML are tested with driver {cu12.tested} or newer; CuPy and Numba work.{_elsewhere(facts)}"
        return Finding("note", says, why, _update(facts), group="driver")
    if allowed < cu13.cuda:
        return Finding("ok", says, f"CUDA 13 would need driver {cu13.driver} or newer.", group="driver")
    return Finding("ok", says, group="driver")


def _elsewhere(facts: Facts) -> str:
    if facts.probe.wsl:
        return " Update the NVIDIA driver in Windows; until then:"
    return " Update it on the host; until then:" if facts.system.get("container") else ""


def _update(facts: Facts) -> str:
    """The command that updates the driver; where that cannot be done from in here, the one that makes the lab do without."""
    if not facts.probe.wsl and not facts.system.get("container"):
        for name in facts.system.get("distribution", []):
            if name in _UPDATES:
                return _UPDATES[name]
    return "GPUSIM_SIMULATE=1 make lab"


def _no_nvml(facts: Facts) -> Finding:
    why = f"{facts.probe.nvml}. Free memory cannot be read, and a Dask cluster of GPUs will not start; notebooks on one GPU work."
    if facts.system.get("container"):
        return _bad("NVML is missing", why, "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE")
    if facts.probe.wsl:
        return _bad("NVML is missing", why, "wsl.exe --update")
    package = f"libnvidia-compute-{driver_series(facts.probe) or 580}"
    return _bad("NVML is missing", why, f"sudo apt-get install --reinstall {package}")
