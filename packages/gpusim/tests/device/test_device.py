"""How many simulated devices there are, and how large: settings that make sense, and those that do not."""

import pytest

from gpusim.device import device


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    for name in ("GPUSIM_GPUS", "GPUSIM_GPU_MEMORY", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    device.count.cache_clear()
    device.visible.cache_clear()
    device.memory.cache_clear()
    yield
    device.count.cache_clear()
    device.visible.cache_clear()
    device.memory.cache_clear()


@pytest.mark.parametrize(("text", "number"), [(None, 1), ("", 1), ("1", 1), ("8", 8), ("64", 64)])
def test_the_number_of_devices(monkeypatch, text, number):
    if text is not None:
        monkeypatch.setenv("GPUSIM_GPUS", text)
    assert device.count() == number


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "65", "100000000", "²"])
def test_a_number_that_makes_no_sense_is_told(monkeypatch, text):
    monkeypatch.setenv("GPUSIM_GPUS", text)
    with pytest.raises(ValueError, match="GPUSIM_GPUS must be a whole number from 1 to 64"):
        device.count()
    with pytest.raises(ValueError, match="GPUSIM_GPUS"):
        device.memory()


@pytest.mark.parametrize(
    ("text", "size"), [("16MiB", 2**24), ("3GB", 3 * 10**9), ("1_000_000_000", 10**9), ("2 gib", 2**31)]
)
def test_the_memory_that_is_asked_for(monkeypatch, text, size):
    monkeypatch.setenv("GPUSIM_GPU_MEMORY", text)
    assert device.memory() == size


@pytest.mark.parametrize("text", ["0", "10", "1MB", "-3GB", "much", "3GBs"])
def test_memory_with_which_nothing_would_run_is_told(monkeypatch, text):
    monkeypatch.setenv("GPUSIM_GPU_MEMORY", text)
    with pytest.raises(ValueError, match="GPUSIM_GPU_MEMORY must be"):
        device.memory()


def test_devices_share_what_the_machine_leaves(monkeypatch):
    monkeypatch.setattr(device, "_available", lambda: 12_000_000_000)
    assert device.memory() == 6_000_000_000
    device.memory.cache_clear()
    monkeypatch.setenv("GPUSIM_GPUS", "3")
    assert device.memory() == 2_000_000_000
