"""Signs of a driver, read from made-up file systems."""

import pytest

from gpusim.hardware import driver_files

VERSION = """NVRM version: NVIDIA UNIX {kind}x86_64 Kernel Module  {version}  Release Build  (builder)  Mon Jul 21 2025
GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)
"""


@pytest.mark.parametrize("kind", ["", "Open Kernel Module for "])
@pytest.mark.parametrize("version", ["580.65.06", "535.54", "470.256.02"])
def test_version_of_the_kernel_module(tmp_path, kind, version):
    folder = tmp_path / "proc/driver/nvidia"
    folder.mkdir(parents=True)
    text = VERSION.format(kind=kind, version=version)
    if kind:  # the open module words it so
        text = text.replace(f"{kind}x86_64 Kernel Module", "Open Kernel Module for x86_64")
    (folder / "version").write_text(text)
    assert driver_files.kernel_driver(tmp_path) == version


def test_bare_machine(tmp_path):
    signs = driver_files.look(str(tmp_path), {})
    assert not signs["any"] and signs["libcuda"] is None and signs["devices"] == [] and not signs["wsl"]


def touch(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_wsl(tmp_path):
    touch(tmp_path, "dev/dxg", "usr/lib/wsl/lib/libcuda.so.1")
    signs = driver_files.look(str(tmp_path), {})
    assert signs["wsl"] and signs["any"] and not signs["linux_driver_in_wsl"]
    touch(tmp_path, "usr/lib/x86_64-linux-gnu/libcuda.so.1")
    assert driver_files.look(str(tmp_path), {})["linux_driver_in_wsl"]


def test_wsl_link_to_windows_own_is_no_linux_driver(tmp_path):
    touch(tmp_path, "dev/dxg", "usr/lib/wsl/lib/libcuda.so.1")
    link = tmp_path / "usr/lib/x86_64-linux-gnu/libcuda.so.1"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "usr/lib/wsl/lib/libcuda.so.1")
    assert not driver_files.look(str(tmp_path), {})["linux_driver_in_wsl"]


def test_device_nodes_without_a_library(tmp_path):
    touch(tmp_path, "dev/nvidia0", "dev/nvidiactl", "dev/nvidia-uvm", "dev/null")
    signs = driver_files.look(str(tmp_path), {})
    assert signs["any"] and signs["devices"] == ["nvidia0", "nvidiactl"] and signs["libcuda"] is None


def test_loader_cache_and_loader_path(tmp_path):
    touch(tmp_path, "opt/driver/libcuda.so.1")
    assert driver_files.look(str(tmp_path), {"LD_LIBRARY_PATH": f":{tmp_path}/opt/driver"})["any"]
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/ld.so.cache").write_bytes(b"glibc-ld.so.cache1.1\0libcudart.so.1\0")
    assert not driver_files.look(str(tmp_path), {})["any"]
    (tmp_path / "etc/ld.so.cache").write_bytes(b"glibc-ld.so.cache1.1\0libcuda.so.1\0/usr/local/x/libcuda.so.1\0")
    assert driver_files.look(str(tmp_path), {})["libcuda"] == "loader cache"
