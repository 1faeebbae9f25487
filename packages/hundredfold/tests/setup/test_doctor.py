"""The doctor on recorded machines, good and bad: what it finds, whether the lab would work, and the one command that fixes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hundredfold.setup import doctor
from hundredfold.setup.doctor import kernel

GB = 10**9
RECORDED = Path(__file__).parents[3] / "gpusim" / "tests" / "hardware" / "recorded"
BARE = "import sys; sys.path[:0] = " + repr(
    [str(Path(__file__).parents[3] / name / "src") for name in ("gpusim", "kernellens", "hundredfold")]
)
HEALTHY = {
    "ports": {"loopback": True, "taken": []},
    "lab": {
        "missing": [],
        "kernel": {"path": None, "python": None, "fits": True},
        "checkout": "/somewhere/hundredfold",
        "writable": True,
        "disk_free": 50 * GB,
        "state": "/somewhere/state",
        "state_error": "",
        "uv": None,
    },
}
NAMES = sorted(path.stem for path in RECORDED.glob("*.json"))

# Each recorded machine: whether the lab would work, in which mode, with which variant; what the first thing to fix says and the
# command for it (None: nothing is bad).
EXPECTED = {
    "good-h200": (True, "gpu", "cu13", None, None),
    "good-t4": (True, "gpu", "cu12", None, None),
    "no-gpu": (True, "none", "cpu", None, None),
    "driver-470": (True, "none", "cpu", r"470\.256\.02 allows CUDA 11\.4: too old", "sudo ubuntu-drivers install"),
    "driver-525": (True, "gpu", "cu12", None, None),
    "driver-550": (False, "gpu", "cu12", "packages are missing: cu12", "make setup EXTRA=cu12"),
    "wrong-major": (False, "gpu", "cu12", "CUDA 13, but the driver allows CUDA 12.4", "make setup EXTRA=cu12"),
    "volta-cu13": (False, "gpu", "cu12", "which only CUDA 12 serves", "make setup EXTRA=cu12"),
    "both-cupys": (False, "gpu", "cu13", "both installed", "rm -rf .venv && make setup EXTRA=cu13"),
    "broken-libcuda": (True, "none", "cpu", "999 .CUDA_ERROR_UNKNOWN", "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm"),
    "mismatched-driver": (True, "none", "cpu", "different versions", "sudo reboot"),
    "crashing-libcuda": (True, "none", "cpu", "driver crashes.*segmentation fault", "sudo reboot"),
    "hanging-libcuda": (True, "none", "cpu", "driver hangs.*within 20 s", "sudo reboot"),
    "exclusive-busy": (True, "none", "cpu", "'exclusive'.*31337 holds 5.0 GiB", "sudo nvidia-smi -i GPU-10101010-1010-1010-1010-101010101010 -c DEFAULT"),
    "exclusive-free": (True, "gpu", "cu13", None, None),
    "prohibited": (True, "none", "cpu", "'prohibited'", "sudo nvidia-smi -i GPU-10101010-1010-1010-1010-101010101010 -c DEFAULT"),
    "memory-full": (False, "gpu", "cu13", "memory is full: 0.3 of 14.7 GiB", "kill 4200"),
    "memory-full-beside-free": (False, "gpu", "cu13", "GPU 0's memory is full", "CUDA_VISIBLE_DEVICES=1 make lab"),
    "mig": (True, "gpu", "cu13", None, None),
    "mig-undivided": (True, "none", "cpu", "MIG is on and the GPU is not divided", "sudo nvidia-smi -mig 0"),
    "hidden": (True, "none", "cpu", "CUDA_VISIBLE_DEVICES is '-1'", "unset CUDA_VISIBLE_DEVICES"),
    "wsl2": (True, "gpu", "cu13", None, None),
    "wsl2-linux-driver": (True, "none", "cpu", "plain Linux is installed inside WSL2", "sudo apt-get purge '^nvidia-.*' '^libnvidia-.*'"),
    "wsl2-no-driver": (True, "none", "cpu", None, None),
    "no-nvml": (True, "gpu", "cu13", "NVML is missing", "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE"),
    "container-without-libraries": (True, "none", "cpu", "libraries are missing", "docker run --gpus all IMAGE"),
    "two-gpus": (True, "gpu", "cu12", None, None),
    "old-and-new": (True, "gpu", "cu13", None, None),
    "old-first": (False, "gpu", "cu13", "capability is 6.0", "CUDA_VISIBLE_DEVICES=1 make lab"),
    "too-old": (True, "none", "cpu", "capability is 6.0 and the libraries need 7.0", "make setup EXTRA=cpu"),
    "gpu-without-packages": (False, "gpu", "cu13", "CuPy is not installed", "make setup EXTRA=cu13"),
    "numpy-too-new": (False, "gpu", "cu13", "NumPy 2.5.2 is too new", "make setup EXTRA=cu13"),
}  # fmt: skip


@pytest.fixture
def examine(recorded):
    """Examine a recorded machine whose lab is healthy; parts may be given otherwise."""

    def look(name, **parts):
        recording = recorded(name) | HEALTHY
        for key, changes in parts.items():
            recording[key] = recording[key] | changes
        return doctor.examine(doctor.gather(recording))

    return look


def said(report):
    return "\n".join(f"{f.what}. {f.why}" for f in report.findings)


def test_every_recording_is_expected():
    assert set(NAMES) == set(EXPECTED)


@pytest.mark.parametrize("name", NAMES)
def test_recorded_machine(examine, name):
    ok, mode, extra, says, fix = EXPECTED[name]
    report = examine(name)
    assert (report.ok, report.mode, report.extra) == (ok, mode, extra), report.text()
    if says is None:
        assert report.bad == [], report.text()
    else:
        first = report.bad[0]
        assert re.search(says, f"{first.what}. {first.why}"), first
        assert first.fix == fix
        assert len(report.bad) == 1, report.text()


@pytest.mark.parametrize("name", NAMES)
def test_recordings_say_what_they_are(recorded, name):
    assert re.match(
        r"composed from documentation: .{10}|recorded by hundredfold doctor on \d{4}-", recorded(name)["label"]
    )


@pytest.mark.parametrize("name", NAMES)
def test_simulating_is_never_stopped_by_a_gpu(examine, monkeypatch, name):
    monkeypatch.setenv("GPUSIM_SIMULATE", "1")
    report = examine(name)
    assert report.ok and report.mode == "simulated", report.text()


def test_notes_worth_knowing(examine):
    assert "The packages are chosen for the weakest, Tesla V100-SXM2-32GB: cu12" in said(examine("two-gpus"))
    assert "GPU 1 cannot be used" in said(examine("old-and-new"))
    assert "divided by MIG" in said(examine("mig")) and "4.8 GiB (4.7 GiB free)" in said(examine("mig"))
    assert "Only one process may use it" in said(examine("exclusive-free"))
    assert "tested with driver 535 or newer" in said(examine("driver-525"))
    assert "(Windows', through WSL2)" in said(examine("wsl2"))
    assert "free memory unknown" in said(examine("no-nvml"))
    assert "cupy-cuda13x 14.2.0 is installed and not used" in said(examine("broken-libcuda"))
    assert "GPU 0: NVIDIA H200, 140.4 GiB (139.8 GiB free), compute capability 9.0" in said(examine("good-h200"))


def test_both_cupys_without_a_gpu_is_a_note(examine):
    report = examine("no-gpu", packages={"cupy-cuda12x": "14.2.0", "cupy-cuda13x": "14.2.0"})
    assert report.ok and not report.bad and "are both installed" in said(report)


def test_toolkit_newer_than_the_driver(examine):
    """Without nvJitLink, Numba hands the driver PTX that it cannot load."""
    fine = examine("driver-525")
    assert not fine.bad  # cuda-toolkit 12.9 on a driver for 12.0, but nvJitLink is there
    facts = doctor.gather({**json.loads((RECORDED / "driver-525.json").read_text()), **HEALTHY})
    facts.packages.pop("nvidia-nvjitlink-cu12")
    report = doctor.examine(facts)
    assert not report.ok and "UNSUPPORTED_PTX_VERSION" in report.bad[0].why


@pytest.mark.parametrize(
    ("part", "changes", "says", "fix"),
    [
        ("lab", {"missing": ["jupyterlab", "numpy"]}, "not installed yet", "make setup EXTRA=cpu"),
        ("lab", {"missing": ["dask_labextension"]}, "Not installed: dask_labextension", "make setup EXTRA=cpu"),
        ("lab", {"disk_free": GB // 10}, r"0\.1 GB of disk free.*needs 0\.3 GB to work in", "uv cache clean"),
        ("lab", {"writable": False}, "read-only", 'git clone "/somewhere/hundredfold" ~/hundredfold && make -C ~/hundredfold lab'),
        ("lab", {"state": None, "state_error": "Not a directory"}, "Progress cannot be kept", "unset HUNDREDFOLD_STATE"),
        ("ports", {"loopback": False}, "listen", "sudo ip link set lo up"),
        ("system", {"python": [3, 10, 4], "pythons": ["/usr/bin/python3.12"]}, "Python 3.10.4", "make setup PYTHON=/usr/bin/python3.12"),
        ("system", {"python": [3, 14, 0]}, "Python 3.14.0 does not fit", "uv python install 3.12"),
    ],
)  # fmt: skip
def test_a_lab_that_would_not_work(examine, part, changes, says, fix):
    report = examine("no-gpu", **{part: changes})
    assert not report.ok
    (first,) = report.bad
    assert re.search(says, f"{first.what}. {first.why}") and first.fix == fix


def test_disk_for_the_installation_depends_on_the_variant(examine):
    room = {"missing": ["jupyterlab"], "disk_free": 3 * GB}
    assert len(examine("no-gpu", lab=room).bad) == 1  # installing is all there is to do
    assert any("to be installed" in f.why for f in examine("gpu-without-packages", lab=room).bad)


def test_taken_ports_and_small_machines_are_notes(examine):
    report = examine(
        "no-gpu", ports={"taken": [8888]}, cpu={"memory_total": GB, "memory_available": GB // 2, "cores": 1}
    )
    assert report.ok and not report.bad
    assert "Taken: 8888. The lab takes the next free port" in said(report)
    assert "1 core of the machine's 2" in said(report) and "held to 2 GB" in said(report)


def test_progress_among_the_temporary_files_is_a_note(examine):
    """Without a home that can be written to; a restart of the machine may empty them."""
    report = examine("no-gpu", lab={"state": "/tmp/gpusim-1000/state"})
    assert report.ok and not report.bad and "Progress may be lost" in said(report)
    assert "Progress may be lost" not in said(examine("no-gpu"))


def test_old_driver_elsewhere_than_ubuntu(examine):
    def fix(**system):
        return examine("driver-470", system=system).bad[0]

    assert fix(distribution=["rocky", "rhel", "fedora"]).fix == "sudo dnf install nvidia-open"
    boxed = fix(container=True)
    assert boxed.fix == "GPUSIM_SIMULATE=1 make lab" and "on the host" in boxed.why
    assert fix(distribution=[]).fix == "GPUSIM_SIMULATE=1 make lab"


def test_a_finding_that_is_bad_needs_its_command():
    with pytest.raises(ValueError, match="needs the command"):
        doctor.Finding("bad", "The roof leaks")
    with pytest.raises(ValueError, match="no finding"):
        doctor.Finding("dire", "The roof leaks", fix="x")
    with pytest.raises(ValueError, match="Only a bad finding"):
        doctor.Finding("note", "The roof leaks", stops=True)


def test_why_no_gpu(monkeypatch):
    """For the first cell: a GPU that is here and is not used is never passed over in silence."""
    monkeypatch.setattr("gpusim.hardware.packages.platform_why_not", lambda system=None: None)
    for name, says in [("good-h200", None), ("no-gpu", None), ("driver-470", "too old"), ("exclusive-busy", "exclusive"),
                       ("wrong-major", None), ("broken-libcuda", "does not work")]:  # fmt: skip
        monkeypatch.setenv("GPUSIM_PROBE", str(RECORDED / f"{name}.json"))
        found = doctor.why_no_gpu()
        assert (found is None) if says is None else says in found.what


def test_recording_this_machine_reads_back(tmp_path, monkeypatch):
    before = doctor.examine()
    (tmp_path / "here.json").write_text(doctor.record("recorded by hundredfold doctor on 2026-11-21"))
    assert str(Path.home()) not in (tmp_path / "here.json").read_text()
    monkeypatch.setenv("GPUSIM_PROBE", str(tmp_path / "here.json"))
    after = doctor.examine()
    kept = {"machine", "driver", "GPUs", "packages"}  # the rest is looked up anew
    assert [f for f in after.findings if f.group in kept] == [f for f in before.findings if f.group in kept]
    assert after.text().startswith("Read from a recording, not asked here: recorded by")


def run(*arguments, env=(), python=(sys.executable,)):
    command = [*python, "-m", "hundredfold.setup.doctor", *arguments]
    return subprocess.run(command, env={**os.environ, **dict(env)}, capture_output=True, text=True, check=False)


def test_exit_status_and_json_from_outside():
    folder = RECORDED
    bad = run("--json", env={"GPUSIM_PROBE": str(folder / "wrong-major.json")})
    told = json.loads(bad.stdout)
    assert bad.returncode == 1 and told["ok"] is False and told["extra"] == "cu12"
    fixes = {finding["fix"] for finding in told["findings"] if finding["level"] == "bad"}
    assert "make setup EXTRA=cu12" in fixes
    here = run("--json", env={"GPUSIM_PROBE": str(folder / "no-gpu.json")})
    told = json.loads(here.stdout)
    assert here.returncode == (0 if told["ok"] else 1) and told["mode"] == "none"


def test_wrong_use_from_outside(tmp_path):
    assert run("--nonsense").returncode == 2
    (tmp_path / "x.json").write_text("{}")
    wrong = run(env={"GPUSIM_PROBE": str(tmp_path / "x.json")})
    assert wrong.returncode == 2 and "not a recorded probe" in wrong.stderr and "Traceback" not in wrong.stderr


@pytest.mark.parametrize(
    "old, new", [("HUNDREDFOLD_FIGURES", "KERNELLENS_FIGURES"), ("HUNDREDFOLD_GPUS", "GPUSIM_GPUS")]
)
def test_a_variable_under_its_old_name_is_named(old, new):
    done = run(env={old: "2"})
    assert done.returncode == 2 and f"{old} is called {new} now" in done.stderr and "Traceback" not in done.stderr


def test_a_terminal_that_knows_no_unicode():
    done = run(env={"GPUSIM_PROBE": str(RECORDED / "wrong-major.json"), "PYTHONIOENCODING": "ascii"})
    assert "> make setup EXTRA=cu12" in done.stdout and "Traceback" not in done.stderr


def test_plain_text_before_anything_is_installed():
    code = f"{BARE}\nfrom hundredfold.setup import doctor; sys.exit(doctor.main([]))"
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (
        done.returncode == 1 and "The lab is not installed yet" in done.stdout and "→ make setup EXTRA=" in done.stdout
    )


def spec(folder, python):
    file = folder / "kernels/python3/kernel.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"argv": [python, "-m", "ipykernel_launcher"]}) if python else "{")
    return str(file)


def test_kernels(tmp_path):
    prefix, home = tmp_path / "venv", tmp_path / "home"
    environ = {"HOME": str(home)}
    assert kernel.look(environ, str(prefix))["fits"]  # none written down: ipykernel brings its own
    theirs = spec(home / ".local/share/jupyter", "/opt/other/bin/python")
    assert kernel.look(environ, str(prefix)) == {"path": theirs, "python": "/opt/other/bin/python", "fits": False}
    spec(prefix / "share/jupyter", "python")  # as ipykernel's wheel brings it; Jupyter puts its own Python in its place
    assert kernel.look(environ, str(prefix))["fits"]
    assert not kernel.look({**environ, "JUPYTER_PREFER_ENV_PATH": "0"}, str(prefix))["fits"]
    assert kernel.look({**environ, "JUPYTER_PATH": str(tmp_path / "none")}, str(prefix))["fits"]


@pytest.mark.parametrize(
    ("python", "fits"),
    [("{prefix}/bin/python", True), ("/usr/bin/python3", False), ("python3.12", True), (None, False)],
)
def test_kernel_of_the_environment(tmp_path, python, fits):
    spec(tmp_path / "share/jupyter", python and python.format(prefix=tmp_path))
    found = kernel.look({"HOME": str(tmp_path / "home")}, str(tmp_path))
    assert found["fits"] is fits


def test_another_kernel_stops_the_lab(examine):
    report = examine(
        "no-gpu", lab={"kernel": {"path": "/home/me/kernel.json", "python": "/opt/other/bin/python", "fits": False}}
    )
    assert (
        not report.ok
        and "/opt/other/bin/python" in report.bad[0].why
        and "ipykernel install --sys-prefix" in report.bad[0].fix
    )
