"""Machines to test with: recorded ones, and a made-up driver that is compiled here and really loaded."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from gpusim.hardware import detect

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch, tmp_path):
    """No variable of this machine's own decides a test, and nothing is kept from one test to the next."""
    for name in ("GPUSIM_SIMULATE", "GPUSIM_PROBE", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GPUSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    detect._probe.cache_clear()
    yield
    detect._probe.cache_clear()


@pytest.fixture
def recorded():
    """Read a recorded machine by name: what the probe, the packages and the system answered there."""

    def read(name):
        return json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))

    return read


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """Compile a made-up driver; call with the story's C definitions and get the folder to put on the loader's path."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.fail("These tests load a made-up libcuda.so.1 and need a C compiler: install gcc.")
    made = {}

    def build(*definitions, nvml=True):
        key = (definitions, nvml)
        if key not in made:
            folder = tmp_path_factory.mktemp("driver")
            flags = [f"-D{definition}" for definition in definitions]
            command = [compiler, "-shared", "-fPIC", "-O0", "-w", str(HERE / "fake_driver.c"), *flags]
            subprocess.run([*command, "-o", str(folder / "libcuda.so.1")], check=True)
            if nvml:
                subprocess.run([*command, "-DNVML", "-o", str(folder / "libnvidia-ml.so.1")], check=True)
            else:  # hides a real one that the machine may have
                (folder / "libnvidia-ml.so.1").write_text("not a library")
            made[key] = folder
        return made[key]

    return build
