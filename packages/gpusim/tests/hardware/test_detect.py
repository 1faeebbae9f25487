"""The probe against a driver that is really loaded: healthy, refusing, crashing, hanging, absent."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpusim import hardware
from gpusim.hardware import detect, driver_files

GiB = 2**30


def ask(monkeypatch, folder, **kw):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    return detect.ask(**kw)


def test_healthy_driver(monkeypatch, driver):
    probe = ask(monkeypatch, driver())
    assert (probe.status, probe.error, probe.nvml) == ("ok", None, "ok")
    assert probe.cuda == (13, 0) and probe.driver == "580.65.06"
    assert probe.libcuda == os.path.realpath(driver() / "libcuda.so.1")
    fast, slow = probe.gpus
    assert (fast.name, fast.cc, fast.sms, fast.memory_total) == ("NVIDIA Made-Up 9000", (9, 0), 132, 80 * GiB)
    # NVML counts the two the other way about: free memory and processes must follow the device, not its number.
    assert (fast.memory_free, slow.memory_free) == (77 * GiB, 13 * GiB)
    assert fast.processes == [{"pid": 4242, "used": 2 * GiB}, {"pid": 4343, "used": None}]
    assert slow.processes == [] and slow.l2 == 4 * 2**20
    assert fast.mig is False and slow.mig is False
    assert hardware.packages.extra(probe, {"system": "Linux", "machine": "x86_64", "glibc": [2, 36]}) == "cu13"


def test_mig_instance_has_its_own_memory(monkeypatch, driver):
    probe = ask(monkeypatch, driver("MIG"))
    fast, slow = probe.gpus
    assert fast.mig is True and fast.memory_free == 7 * GiB
    assert slow.mig is False and slow.memory_free == 13 * GiB
    assert [len(board.get("instances", [])) for board in probe.boards] == [0, 1]


def test_the_made_up_nvml_is_laid_out_as_the_real_one(driver):
    """nvidia-ml-py knows NVML's structures independently; if it reads our library alike, the probe reads the real one."""
    code = """
import json, pynvml as n
n.nvmlInit()
out = []
for i in range(n.nvmlDeviceGetCount()):
    h = n.nvmlDeviceGetHandleByIndex(i)
    out.append([n.nvmlDeviceGetName(h), n.nvmlDeviceGetUUID(h), n.nvmlDeviceGetMemoryInfo(h).free,
                [[p.pid, p.usedGpuMemory] for p in n.nvmlDeviceGetComputeRunningProcesses(h)]])
out.append(n.nvmlDeviceGetMigMode(n.nvmlDeviceGetHandleByIndex(1)))
print(json.dumps(out))
"""
    env = {**os.environ, "LD_LIBRARY_PATH": str(driver())}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    slow, fast, mig = json.loads(done.stdout)
    assert fast[0] == "NVIDIA Made-Up 9000" and fast[1] == "GPU-a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0"
    assert (fast[2], slow[2]) == (77 * GiB, 13 * GiB)
    assert fast[3] == [[4242, 2 * GiB], [4343, None]] and slow[3] == []
    assert mig == [0, 0]


@pytest.mark.parametrize(("code", "name"), [(100, "CUDA_ERROR_NO_DEVICE"), (999, "CUDA_ERROR_UNKNOWN")])
def test_refusing_driver(monkeypatch, driver, code, name):
    probe = ask(monkeypatch, driver(f"CUINIT={code}"))
    assert (probe.status, probe.code, probe.gpus) == ("error", code, [])
    assert str(code) in probe.error and name in probe.error
    # The version is known even so, and NVML still counts the boards.
    assert probe.cuda == (13, 0) and len(probe.boards) == 2


def test_crashing_driver_is_reported(monkeypatch, driver):
    probe = ask(monkeypatch, driver("CRASH"))
    assert probe.status == "crashed" and "signal 11 (segmentation fault)" in probe.error and "libcuda" in probe.error
    assert probe.cuda == (13, 0) and probe.driver == "580.65.06"  # what was said before the crash is kept


@pytest.mark.large
def test_hanging_driver_is_left(monkeypatch, driver):
    probe = ask(monkeypatch, driver("HANG"), timeout=3)
    assert probe.status == "hung" and "libcuda did not answer within 3 s" in probe.error
    assert probe.cuda == (13, 0)


def test_no_nvml(monkeypatch, driver):
    probe = ask(monkeypatch, driver(nvml=False))
    assert probe.status == "ok" and probe.nvml != "ok" and "libnvidia-ml.so.1" in probe.nvml
    assert [gpu.memory_free for gpu in probe.gpus] == [None, None]
    assert probe.driver is None and hardware.packages.driver_allows(probe) == (13, 0)


def test_file_that_is_no_library(monkeypatch, tmp_path):
    (tmp_path / "libcuda.so.1").write_text("not a library")
    probe = ask(monkeypatch, tmp_path)
    assert probe.status == "no driver" and "libcuda.so.1" in probe.error


def test_probe_takes_no_context_and_loads_no_driver_here(monkeypatch, driver):
    """The made-up driver ends whoever makes a context with status 77, and must not be mapped into this process."""
    probe = ask(monkeypatch, driver())
    assert probe.status == "ok"
    with open("/proc/self/maps") as maps:
        assert str(driver()) not in maps.read()


def test_no_driver_starts_no_child(monkeypatch, tmp_path):
    def refuse(*args, **kw):
        raise AssertionError("a child process was started")

    bare = driver_files.look(str(tmp_path), {})
    monkeypatch.setattr(driver_files, "look", lambda: bare)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    probe = detect.ask()
    assert probe.status == "no driver" and not probe.present


def test_json_round_trip(monkeypatch, driver):
    probe = ask(monkeypatch, driver("MIG"))
    assert detect.Probe.from_json(probe.to_json()) == probe


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"status": "ok", "gpus": [{}]}', '{"status": "ok", "colour": 1}', "null"]
)
def test_what_is_no_probe_is_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match="not a recorded probe"):
        detect.Probe.from_json(text)


@pytest.mark.parametrize(("value", "expected"), [("1", "simulated"), ("yes", "simulated"), ("0", "none"), ("", "none")])
def test_mode_obeys_the_variable(monkeypatch, value, expected):
    monkeypatch.setattr(detect, "ask", lambda **kw: detect.Probe(status="no driver"))
    monkeypatch.setenv("GPUSIM_SIMULATE", value)
    assert hardware.mode() == expected


def test_mode_of_recorded_machines(monkeypatch, request):
    folder = request.path.parent / "recorded"
    monkeypatch.setattr(hardware.packages, "platform_why_not", lambda system=None: None)
    for name, expected in [
        ("good-h200", "gpu"),
        ("no-gpu", "none"),
        ("driver-470", "none"),
        ("broken-libcuda", "none"),
    ]:
        monkeypatch.setenv("GPUSIM_PROBE", str(folder / f"{name}.json"))
        assert hardware.mode() == expected, name


def test_probe_is_asked_once(monkeypatch):
    asked = []
    monkeypatch.setattr(detect, "ask", lambda **kw: asked.append(1) or detect.Probe(status="no driver"))
    hardware.probe(), hardware.probe(), hardware.mode()
    assert len(asked) == 1


def test_missing_recording_is_a_clear_error(monkeypatch, tmp_path):
    monkeypatch.setenv("GPUSIM_PROBE", str(tmp_path / "nowhere.json"))
    with pytest.raises(ValueError, match="GPUSIM_PROBE names a file that cannot be read"):
        hardware.probe()


def test_works_before_anything_is_installed():
    """The launcher puts `src` on the path of a bare Python: no site-packages, nothing but the standard library."""
    src = Path(__file__).parents[2] / "src"
    code = (
        f"import sys; sys.path.insert(0, {str(src)!r})\n"
        "from gpusim import hardware\n"
        "hardware.mode(); hardware.packages.extra(); hardware.cpu.cores(); hardware.cpu.memory(); hardware.gpus.find('h200')\n"
        "hardware.rates.cpu_key()\n"
        "top = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(top - set(sys.stdlib_module_names) - {'gpusim', '__main__'}))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
